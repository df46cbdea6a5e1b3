meta:
  id: derby_log
  title: Apache Derby log file
  application: Apache Derby
  file-extension: dat
  license: CC0-1.0
  ks-version: 0.9
  encoding: ASCII
  endian: be
doc: |
  One file of the write-ahead log of Apache Derby: a header, records one after the other, and a
  length of 0 or the end of the file. The bodies of records are
  described in derby_body.ksy; the type control_file is log.ctrl, or its mirror.

  This describes an undamaged file. It finds faults in constants and in the two
  lengths of a record. It does not hold instants against offsets, verify
  checksums, or go on in the next file.
doc-ref:
  - https://github.com/apache/derby/blob/trunk/java/org.apache.derby.engine/org/apache/derby/impl/store/raw/log/LogToFile.java
-requirement:
  - DRB-HDR-011
  - DRB-REC-014
seq:
  - id: header
    type: file_header
    doc: What file this is, and where the one before it ends.
    -requirement: DRB-HDR-011
  - id: slots
    type: slot(_io.pos)
    repeat: until
    repeat-until: not _.is_record
    doc: The log, record by record; the last slot is empty.
    -requirement: DRB-REC-014
  - id: end_marker
    type: s4
    valid: 0
    if: _io.size - _io.pos >= 4
    doc: The length of 0 that ends the log of a file.
    -requirement:
      - DRB-END-040
      - DRB-WRT-115
  - id: rest
    size-eos: true
    doc: Space that was set aside, which is zeros, or in a file that was ended anything.
    -requirement:
      - DRB-WRT-083
      - DRB-END-161
types:
  slot:
    doc: A place where a record would begin.
    -requirement: DRB-END-040
    params:
      - id: start
        type: s8
        doc: The offset of the slot.
    seq:
      - id: record
        type: record
        if: is_record
        doc: The record, if one begins here.
        -requirement: DRB-REC-014
    instances:
      room:
        value: _io.size - start
        doc: The bytes up to the end of the file.
        -requirement: DRB-END-040
      next_length:
        pos: start
        type: s4
        if: room >= 4
        doc: The length of the record here; 0 ends the log.
        -requirement: DRB-END-040
      is_record:
        value: room >= 4 and next_length != 0
        doc: Whether a record begins here.
        -requirement: DRB-END-040
  file_header:
    doc: The first 24 bytes of a log file.
    -requirement: DRB-HDR-011
    seq:
      - id: format_id
        type: s4
        valid:
          min: 128
          max: 128
        -orig-id: FILE_STREAM_LOG_FILE
        doc: 128.
        -requirement: DRB-HDR-012
      - id: version
        type: s4
        -orig-id: OBSOLETE_LOG_VERSION_NUMBER
        doc: 9; it is ignored.
        -requirement: DRB-HDR-011
      - id: number
        type: s8
        valid:
          min: 1
        -orig-id: logFileNumber
        doc: The number in the name of the file.
        -requirement: DRB-HDR-012
      - id: previous
        type: s8
        -orig-id: prevLogRecord
        doc: The instant after the last record of the previous file, or 0.
        -requirement: DRB-HDR-013
  record:
    doc: One record.
    -requirement: DRB-REC-014
    seq:
      - id: length
        type: s4
        valid:
          min: 1
        doc: The number of bytes of the body.
        -requirement: DRB-REC-015
      - id: instant
        type: s8
        doc: The number of the file in the upper four bytes, the offset of the record in the lower four.
        -requirement: DRB-REC-016
      - id: body
        size: length
        doc: The body (derby_body.ksy); of an encrypted log it is opaque.
        -requirement: DRB-REC-021
      - id: length_again
        type: s4
        valid:
          eq: length
        doc: The same, for whoever reads backward.
        -requirement: DRB-REC-017
  control_file:
    doc: The 48 bytes of log.ctrl and logmirror.ctrl.
    -requirement: DRB-CTL-004
    seq:
      - id: format_id
        type: s4
        valid:
          min: 128
          max: 128
        -orig-id: FILE_STREAM_LOG_FILE
        doc: 128.
        -requirement: DRB-CTL-110
      - id: version
        type: s4
        -orig-id: OBSOLETE_LOG_VERSION_NUMBER
        doc: 9; it is ignored.
        -requirement: DRB-CTL-008
      - id: checkpoint
        type: s8
        doc: The instant of the record of the last completed checkpoint, or 0.
        -requirement: DRB-CTL-004
      - id: major
        type: s4
        -orig-id: onDiskMajorVersion
        doc: The major version of the database's level.
        -requirement: DRB-CTL-009
      - id: minor
        type: s4
        -orig-id: onDiskMinorVersion
        doc: The minor version of the database's level.
        -requirement: DRB-CTL-009
      - id: build
        type: s4
        doc: The build of the engine that wrote the file; it is ignored.
        -requirement: DRB-CTL-008
      - id: flags
        type: u1
        doc: 1, a beta release; 2, run without forcing the log.
        -requirement:
          - DRB-CTL-009
          - DRB-CTL-010
      - id: spare
        size: 11
        doc: Zeros; they are ignored.
        -requirement: DRB-CTL-008
      - id: checksum
        type: s8
        doc: The CRC-32 of the 40 bytes before it.
        -requirement: DRB-CTL-005
  control_file_of_2005:
    doc: The control file as the document of 2005 describes it.
    -requirement: DRB-SED-202
    seq:
      - id: format_id
        type: s4
        doc: The format id.
        -requirement: DRB-SED-202
      - id: version
        type: s4
        doc: The obsolete version.
        -requirement: DRB-SED-202
      - id: checkpoint
        type: s8
        doc: The instant of the last completed checkpoint.
        -requirement: DRB-SED-202
      - id: jbms_version
        type: s4
        doc: The version.
        -requirement: DRB-SED-202
      - id: checkpoint_interval
        type: s4
        doc: The checkpoint interval.
        -requirement: DRB-SED-202
      - id: spare
        size: 24
        doc: Three times eight bytes that are 0.
        -requirement: DRB-SED-202
