meta:
  id: bitronix_tlog
  title: Bitronix transaction log, disk journal
  application: Bitronix Transaction Manager (BTM) 2.1 and 3.0
  file-extension: tlog
  license: CC0-1.0
  ks-version: 0.9
  encoding: ASCII
  endian: be
doc: |
  One file of the pair in which the Bitronix transaction manager keeps the fate
  of distributed transactions: a header, records without gaps up to the tail that the header names,
  and after the tail the rest of an earlier generation of the file.

  This describes an undamaged file. It finds every fault in a length, a marker
  or a bound, but it does not verify the checksum of a record (which runs over
  decoded, sorted and de-duplicated names), does not say which file of the pair
  counts, and does not recover anything.
doc-ref:
  - https://github.com/bitronix/btm/blob/master/btm/src/main/java/bitronix/tm/journal/TransactionLogHeader.java
  - https://github.com/bitronix/btm/blob/master/btm/src/main/java/bitronix/tm/journal/TransactionLogRecord.java
-requirement:
  - BTM-FIL-009
  - BTM-HDR-001
seq:
  - id: header
    type: file_header
    doc: What the file is, how old it is, and where its log ends.
    -requirement: BTM-HDR-001
  - id: log
    size: header.position - sizeof<file_header>
    type: log
    doc: The records, from the end of the header to the tail.
    -requirement: BTM-RDR-001
instances:
  stale:
    pos: header.position
    size-eos: true
    doc: |
      Bytes after the tail. They are no part of the log, even where they look
      like records: a file that is used a second time still holds its first life.
    -requirement:
      - BTM-RDR-002
      - BTM-WRT-013
types:
  file_header:
    doc: The 21 bytes at the start of each file. No checksum covers them.
    -requirement:
      - BTM-HDR-001
      - BTM-HDR-002
    seq:
      - id: format_id
        contents: Btnx
        -orig-id: formatId
        doc: The format id; also the format id of Bitronix's XA transaction ids.
        -requirement:
          - BTM-HDR-003
          - BTM-HDR-004
      - id: timestamp
        type: s8
        -orig-id: timestamp
        doc: |
          The file's generation: of the two files the one with the larger value
          is active. Milliseconds of a clock that differs between versions.
        -requirement:
          - BTM-HDR-012
          - BTM-RCV-002
          - BTM-RCV-003
          - BTM-SWP-003
      - id: state
        type: u1
        enum: state
        -orig-id: state
        doc: Whether a writer has the file open. Says nothing about its records.
        -requirement:
          - BTM-HDR-006
          - BTM-HDR-007
          - BTM-HDR-008
      - id: position
        type: s8
        -orig-id: position
        -role: pointer
        valid:
          min: 21
          max: _io.size
        doc: Offset in the file directly after the last record; 21 in an empty log.
        -requirement:
          - BTM-HDR-009
          - BTM-HDR-010
          - BTM-HDR-011
  log:
    doc: Records back to back; the last one ends at the tail.
    -requirement: BTM-RDR-001
    seq:
      - id: records
        type: record
        repeat: eos
        doc: In the order in which they were written.
        -requirement:
          - BTM-RDR-001
          - BTM-RDR-008
  record:
    doc: One change of state of one transaction.
    -requirement:
      - BTM-REC-001
      - BTM-REC-002
    seq:
      - id: status
        type: s4
        enum: status
        -orig-id: status
        doc: The record's type, a constant of javax.transaction.Status. Any other value is tolerated and ignored.
        -requirement:
          - BTM-REC-022
          - BTM-REC-023
      - id: record_length
        type: s4
        valid:
          min: 29
        -orig-id: recordLength
        doc: Number of bytes after this field, with the end marker. The record occupies 8 bytes more.
        -requirement:
          - BTM-REC-003
          - BTM-REC-005
          - BTM-REC-028
      - id: header_length
        type: s4
        -orig-id: headerLength
        doc: Always written as 28, the number of bytes before the payload. Nothing is located by it.
        -requirement:
          - BTM-REC-006
          - BTM-REC-007
          - BTM-REC-008
      - id: time
        type: s8
        -orig-id: time
        doc: Milliseconds of the writer's clock, which differs between versions.
        -requirement: BTM-REC-027
      - id: sequence_number
        type: s4
        -orig-id: sequenceNumber
        doc: Counts the records of one run of the writer; wraps, and starts again in the next run.
        -requirement:
          - BTM-REC-026
          - BTM-REC-027
      - id: crc32
        type: u4
        -orig-id: crc32
        doc: |
          CRC-32 of the record without this field and without gtrid_length, the
          names taken as a sorted set of US-ASCII text.
        -requirement:
          - BTM-CRC-001
          - BTM-CRC-002
          - BTM-CRC-003
          - BTM-CRC-007
      - id: payload
        size: record_length - 24
        type: payload
        doc: Which transaction, and which of its resources.
        -requirement: BTM-REC-004
      - id: end_record
        contents: xntB
        -orig-id: endRecord
        doc: The format id backwards. Found through record_length, never by searching.
        -requirement:
          - BTM-REC-009
          - BTM-REC-010
    instances:
      len_total:
        value: record_length + 8
        doc: Bytes that the record occupies in the file; the next one starts after them.
        -requirement: BTM-RDR-001
  payload:
    doc: The transaction's id and the names of the resources that the record is about.
    -requirement: BTM-REC-001
    seq:
      - id: gtrid_length
        type: u1
        valid:
          max: 127
        -orig-id: gtridLength
        doc: Not covered by the checksum. The products read it as a signed byte.
        -requirement:
          - BTM-CRC-003
          - BTM-REC-011
          - BTM-REC-013
          - BTM-REC-014
      - id: gtrid
        size: gtrid_length
        -orig-id: gtrid
        doc: |
          Global transaction id, opaque to the journal. BTM makes it of the
          server's id, a time (8 bytes) and a counter (4 bytes).
        -requirement:
          - BTM-REC-011
          - BTM-REC-012
      - id: names_count
        type: s4
        valid:
          min: 0
        -orig-id: uniqueNamesCount
        doc: Number of names that follow.
        -requirement:
          - BTM-REC-024
          - BTM-REC-025
      - id: names
        type: unique_name
        repeat: expr
        repeat-expr: names_count
        -orig-id: uniqueNames
        doc: The resources, ascending and without duplicates.
        -requirement:
          - BTM-REC-017
          - BTM-REC-018
          - BTM-REC-019
      - id: surplus
        size-eos: true
        valid:
          eq: '[].as<bytes>'
        doc: Nothing may be left between the last name and the end marker.
        -requirement: BTM-REC-004
  unique_name:
    doc: The name under which a resource was registered with the transaction manager.
    -requirement: BTM-REC-015
    seq:
      - id: length
        type: u2
        valid:
          max: 32767
        -orig-id: uniqueNameLength
        doc: Length of the name. The products read it as a signed number.
        -requirement:
          - BTM-REC-015
          - BTM-REC-016
      - id: name
        size: length
        -orig-id: uniqueName
        doc: Printable US-ASCII. Kept as bytes here, because some versions store other charsets that no reader can undo.
        -requirement:
          - BTM-REC-015
          - BTM-REC-020
          - BTM-REC-021
          - BTM-CRC-005
enums:
  state:
    0:
      id: clean
      -orig-id: CLEAN_LOG_STATE
      doc: Closed properly, or the passive file, or active since a swap of the products (which forget to set it).
    255:
      id: unclean
      -orig-id: UNCLEAN_LOG_STATE
      doc: A writer opened the file and has not closed it.
  status:
    0:
      id: active
      -orig-id: STATUS_ACTIVE
      doc: The transaction began; written without names.
    1:
      id: marked_rollback
      -orig-id: STATUS_MARKED_ROLLBACK
      doc: Only rollback is possible now.
    2:
      id: prepared
      -orig-id: STATUS_PREPARED
      doc: All resources have voted; phase one is over.
    3:
      id: committed
      -orig-id: STATUS_COMMITTED
      doc: The named resources have committed, or had nothing to commit. May be some of them only.
    4:
      id: rolledback
      -orig-id: STATUS_ROLLEDBACK
      doc: The named resources have rolled back.
    5:
      id: unknown_outcome
      -observed-as: UNKNOWN
      -orig-id: STATUS_UNKNOWN
      doc: Heuristic end; an operator has to look.
    6:
      id: no_transaction
      -orig-id: STATUS_NO_TRANSACTION
      doc: Never written by the transaction manager.
    7:
      id: preparing
      -orig-id: STATUS_PREPARING
      doc: Phase one begins.
    8:
      id: committing
      -orig-id: STATUS_COMMITTING
      doc: The decision to commit, and the only record that is forced to disk.
    9:
      id: rolling_back
      -orig-id: STATUS_ROLLING_BACK
      doc: Rollback begins.
