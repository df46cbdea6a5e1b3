meta:
  id: kahadb_journal_seed
  title: Journal data file of the seed document
  application: the seed document, read literally
  file-extension: log
  license: CC0-1.0
  ks-version: 0.9
  encoding: ASCII
  endian: be
doc: |
  One journal data file as the seed document describes it: batches of records
  up to the end of the file.

  This describes an undamaged file. It finds every fault in a length or a
  constant, but it does not verify the checksum of a batch, does not look for batches after damage,
  and does not give the effect of the commands.
doc-ref:
  - https://activemq.apache.org/components/classic/documentation/kahadb
-requirement:
  - KHD-FIL-001
  - KHD-SED-003
seq:
  - id: batches
    type: batch
    repeat: eos
    doc: The log, batch by batch, to the end of the file.
    -requirement: KHD-SED-003
types:
  batch:
    doc: Records that were written together, after a control record.
    -requirement:
      - KHD-BAT-002
      - KHD-BAT-005
    seq:
      - id: control
        type: control_record
        doc: The mark of a batch, its length, and its checksum.
        -requirement: KHD-BAT-002
      - id: log
        size: control.batch_size
        type: log
        doc: The records of the batch.
        -requirement: KHD-BAT-004
  control_record:
    doc: The 28 bytes in front of each batch. No checksum covers them.
    -requirement:
      - KHD-BAT-001
      - KHD-BAT-002
    seq:
      - id: length
        type: s4
        valid:
          min: 28
          max: 28
        -orig-id: BATCH_CONTROL_RECORD_SIZE
        doc: The length of the control record itself.
        -requirement: KHD-SED-002
      - id: record_type
        contents: [2]
        -orig-id: BATCH_CONTROL_RECORD_TYPE
        doc: 2 says that this is a control record.
        -requirement: KHD-BAT-002
      - id: magic
        contents: WRITE_BATCH
        -orig-id: BATCH_CONTROL_RECORD_MAGIC
        doc: The mark of a control record, by which it is found after damage.
        -requirement: KHD-SED-001
      - id: batch_size
        type: s4
        valid:
          min: 5
        -orig-id: size
        doc: The bytes of all records of the batch. Nothing protects it.
        -requirement: KHD-BAT-004
      - id: checksum
        type: s8
        -orig-id: checksum
        doc: The Adler-32 of the records, or 0 for none.
        -requirement:
          - KHD-BAT-006
          - KHD-BAT-007
  log:
    doc: The records of one batch, one after the other.
    -requirement: KHD-REC-003
    seq:
      - id: records
        type: entry(_io.pos)
        repeat: eos
        doc: In the order in which they were asked for.
        -requirement: KHD-REC-003
  entry:
    doc: A record, or one of an unknown type, which readers skip by its length.
    -requirement: KHD-REC-004
    params:
      - id: start
        type: s8
        doc: The offset of the record within the batch.
    seq:
      - id: user
        type: record
        if: entry_type == 1 or entry_type == 2
        doc: A record of the user; none is of type 2.
        -requirement: KHD-REC-001
      - id: other
        type: unknown_record
        if: entry_type != 1 and entry_type != 2
        doc: A record of another type.
        -requirement: KHD-REC-004
    instances:
      entry_type:
        pos: start + 4
        type: u1
        if: _io.size - start >= 5
        doc: The type of the record that begins here.
        -requirement: KHD-REC-004
  unknown_record:
    doc: A record of an unknown type. It has no meaning.
    -requirement: KHD-REC-004
    seq:
      - id: length
        type: s4
        valid:
          min: 5
        doc: The length of the whole record, these four bytes included.
        -requirement: KHD-REC-001
      - id: unknown_type
        type: u1
        doc: Neither 1 nor 2, which a control record has.
        -requirement: KHD-REC-004
      - id: ignored
        size: length - 5
        doc: What readers skip.
        -requirement: KHD-REC-004
  record:
    doc: One record.
    -requirement: KHD-REC-001
    seq:
      - id: length
        type: s4
        valid:
          min: 5
        -orig-id: size
        doc: The length of the whole record, these four bytes included.
        -requirement: KHD-REC-001
      - id: record_type
        contents: [1]
        -orig-id: type
        doc: 1 says that this is a record of the user.
        -requirement: KHD-REC-001
      - id: payload
        size: length - 5
        doc: What the user gave.
        -requirement: KHD-SED-007
