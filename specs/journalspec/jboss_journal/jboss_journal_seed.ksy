meta:
  id: jboss_journal_seed
  title: JBoss Messaging journal as its layout document has it
  application: JBoss Messaging 2.0 (July to September 2008)
  file-extension: jbm
  license: CC0-1.0
  ks-version: 0.9
  endian: be
doc: |
  One file of the circular journal in its first published form. A COMMIT lists
  every file that holds records of its transaction, and how many. Numbers of
  DELETE and DELETE_TX are the other way round than in every later edition. With
  the parameter `hashed` the last field of a record is the calculated hash that
  the document proposes and that no product has; this description does not
  verify it.

  This describes an undamaged file with one record after another, from the header to the first place
  where no record of this file starts. This language cannot express the rest: records after padding
  or a hole have to be searched for (use the type `record` at the places found), which records are
  live is decided over all files and transactions together, and no byte of a body is protected.
doc-ref: https://developer.jboss.org/docs/DOC-10560
-requirement:
  - JBM-FIL-002
  - JBM-RDR-014
params:
  - id: hashed
    type: bool
    doc: Whether the last four bytes of a record are the calculated hash and not its length.
    -requirement: JBM-CHK-004
seq:
  - id: header
    type: file_header
    doc: Which file this is in its present life.
    -requirement: JBM-HDR-001
  - id: slots
    type: slot(_io.pos)
    repeat: until
    repeat-until: not _.is_record
    -role: payload
    doc: Records without a gap; the last slot is empty and lies where no record starts.
    -requirement:
      - JBM-RDR-001
      - JBM-RDR-014
  - id: rest
    size-eos: true
    doc: Fill, or the records of an earlier life of the file; neither counts.
    -requirement:
      - JBM-RDR-020
      - JBM-FIL-018
types:
  file_header:
    doc: The 4 bytes at the start of each file.
    -requirement:
      - JBM-HDR-001
      - JBM-HDR-003
    seq:
      - id: file_id
        type: s4
        -orig-id: fileID
        -role: pointer
        doc: |
          Orders the files. The records of the current use of the file have the same id. 0x4a4a4a4a
          (JJJJ) in a file that never got one.
        -requirement:
          - JBM-HDR-004
          - JBM-HDR-005
          - JBM-HDR-013
          - JBM-FIL-003
          - JBM-FIL-007
    instances:
      stamp:
        value: file_id
        doc: What the records of this file carry, its whole id.
        -requirement: JBM-HDR-016
  slot:
    doc: A place where a record may start.
    -requirement:
      - JBM-RDR-001
      - JBM-RDR-003
    params:
      - id: start
        type: s8
        doc: The offset of the slot.
    seq:
      - id: record
        type: record(_root.hashed)
        if: is_record
        doc: The record, if one of this file starts here.
        -requirement:
          - JBM-RDR-003
          - JBM-REC-002
    instances:
      room:
        value: _io.size - start
      first:
        pos: start
        type: u1
        if: room >= 17
      stamp:
        pos: start + 1
        type: s4
        if: room >= 17
      is_record:
        value: 'room >= 17 and first >= 11 and first <= 19 and (stamp ^ _root.header.stamp) == 0'
  record:
    params:
      - id: hashed
        type: bool
        doc: Whether the last four bytes are the calculated hash.
    doc: One record, at any offset. It lies in one file and has no gaps.
    -requirement:
      - JBM-REC-001
      - JBM-REC-002
      - JBM-REC-023
    seq:
      - id: record_type
        type: u1
        enum: seed_record_type
        -orig-id: recordType
        doc: What happened, and which fields follow.
        -requirement:
          - JBM-SED-001
          - JBM-SED-008
      - id: file_id
        type: s4
        -orig-id: fileID
        -role: pointer
        doc: The stamp of the file in which the record was stored.
        -requirement:
          - JBM-REC-002
          - JBM-REC-024
          - JBM-RDR-003
          - JBM-HDR-016
      - id: content
        type:
          switch-on: record_type
          cases:
            seed_record_type::add: entry
            seed_record_type::update: entry
            seed_record_type::add_tx: entry_tx
            seed_record_type::update_tx: entry_tx
            seed_record_type::delete: deletion
            seed_record_type::delete_tx: deletion_tx
            seed_record_type::prepare: completion
            seed_record_type::commit: completion
            seed_record_type::rollback: rollback
        doc: The rest of the record, its check size included.
        -requirement:
          - JBM-SED-004
          - JBM-REC-001
  entry:
    doc: ADD and UPDATE.
    -requirement: JBM-REC-005
    seq:
      - id: id
        type: s8
        -orig-id: id
        doc: The record that comes into being, changes or goes; any value.
        -requirement:
          - JBM-REC-022
          - JBM-RCV-003
      - id: body_size
        type: s4
        valid:
          min: 0
        -orig-id: variableSize
        doc: Length of the body.
        -requirement:
          - JBM-RDR-005
          - JBM-RDR-006
          - JBM-REC-021
      - id: user_type
        type: u1
        -orig-id: userRecordType
        -role: type
        doc: The application's own type; means nothing here.
        -requirement: JBM-REC-020
      - id: body
        size: body_size
        doc: |
          The application's bytes. Without the calculated hash nothing guards them but the ends of the
          record.
        -requirement:
          - JBM-CHK-003
          - JBM-REC-020
      - id: check_size
        type: s4
        valid:
          eq: 22 + body_size
        if: not _parent.hashed
        -orig-id: checkSize
        -role: check
        doc: The record's length in bytes, from its type to here.
        -requirement:
          - JBM-CHK-001
          - JBM-CHK-002
          - JBM-SED-004
      - id: hash
        type: u4
        if: _parent.hashed
        -role: check
        doc: The calculated hash, the CRC-32 of all bytes of the record before it. Not verified here.
        -requirement:
          - JBM-CHK-004
          - JBM-SED-004
  entry_tx:
    doc: ADD_TX and UPDATE_TX.
    -requirement: JBM-REC-006
    seq:
      - id: tx
        type: s8
        -orig-id: txID
        doc: The transaction; any value.
        -requirement:
          - JBM-RCV-005
          - JBM-REC-022
      - id: id
        type: s8
        -orig-id: id
        doc: The record that comes into being, changes or goes; any value.
        -requirement:
          - JBM-REC-022
          - JBM-RCV-003
      - id: body_size
        type: s4
        valid:
          min: 0
        -orig-id: variableSize
        doc: Length of the body.
        -requirement:
          - JBM-RDR-005
          - JBM-RDR-006
          - JBM-REC-021
      - id: user_type
        type: u1
        -orig-id: userRecordType
        -role: type
        doc: The application's own type; means nothing here.
        -requirement: JBM-REC-020
      - id: body
        size: body_size
        doc: |
          The application's bytes. Without the calculated hash nothing guards them but the ends of the
          record.
        -requirement:
          - JBM-CHK-003
          - JBM-REC-020
      - id: check_size
        type: s4
        valid:
          eq: 30 + body_size
        if: not _parent.hashed
        -orig-id: checkSize
        -role: check
        doc: The record's length in bytes, from its type to here.
        -requirement:
          - JBM-CHK-001
          - JBM-CHK-002
          - JBM-SED-004
      - id: hash
        type: u4
        if: _parent.hashed
        -role: check
        doc: The calculated hash, the CRC-32 of all bytes of the record before it. Not verified here.
        -requirement:
          - JBM-CHK-004
          - JBM-SED-004
  deletion:
    doc: DELETE.
    -requirement: JBM-REC-007
    seq:
      - id: id
        type: s8
        -orig-id: id
        doc: The record that comes into being, changes or goes; any value.
        -requirement:
          - JBM-REC-022
          - JBM-RCV-003
      - id: check_size
        type: s4
        valid:
          eq: 17
        if: not _parent.hashed
        -orig-id: checkSize
        -role: check
        doc: The record's length in bytes, from its type to here.
        -requirement:
          - JBM-CHK-001
          - JBM-CHK-002
          - JBM-SED-004
      - id: hash
        type: u4
        if: _parent.hashed
        -role: check
        doc: The calculated hash, the CRC-32 of all bytes of the record before it. Not verified here.
        -requirement:
          - JBM-CHK-004
          - JBM-SED-004
  deletion_tx:
    doc: DELETE_TX, without a body.
    -requirement: JBM-SED-002
    seq:
      - id: tx
        type: s8
        -orig-id: txID
        doc: The transaction; any value.
        -requirement:
          - JBM-RCV-005
          - JBM-REC-022
      - id: id
        type: s8
        -orig-id: id
        doc: The record that comes into being, changes or goes; any value.
        -requirement:
          - JBM-REC-022
          - JBM-RCV-003
      - id: check_size
        type: s4
        valid:
          eq: 25
        if: not _parent.hashed
        -orig-id: checkSize
        -role: check
        doc: The record's length in bytes, from its type to here.
        -requirement:
          - JBM-CHK-001
          - JBM-CHK-002
          - JBM-SED-004
      - id: hash
        type: u4
        if: _parent.hashed
        -role: check
        doc: The calculated hash, the CRC-32 of all bytes of the record before it. Not verified here.
        -requirement:
          - JBM-CHK-004
          - JBM-SED-004
  completion:
    doc: COMMIT and PREPARE.
    -requirement:
      - JBM-REC-010
      - JBM-SED-003
    seq:
      - id: tx
        type: s8
        -orig-id: txID
        doc: The transaction; any value.
        -requirement:
          - JBM-RCV-005
          - JBM-REC-022
      - id: num_files
        type: s4
        valid:
          min: 0
        -orig-id: numberOfFiles
        doc: Number of files that hold records of the transaction.
        -requirement:
          - JBM-REC-010
          - JBM-RDR-007
          - JBM-WRT-005
      - id: pairs
        type: file_count
        repeat: expr
        repeat-expr: num_files
        doc: How many records of the transaction each of them holds.
        -requirement:
          - JBM-REC-010
          - JBM-RCV-008
          - JBM-WRT-005
      - id: check_size
        type: s4
        valid:
          eq: 21 + 8 * num_files
        if: not _parent.hashed
        -orig-id: checkSize
        -role: check
        doc: The record's length in bytes, from its type to here.
        -requirement:
          - JBM-CHK-001
          - JBM-CHK-002
          - JBM-SED-004
      - id: hash
        type: u4
        if: _parent.hashed
        -role: check
        doc: The calculated hash, the CRC-32 of all bytes of the record before it. Not verified here.
        -requirement:
          - JBM-CHK-004
          - JBM-SED-004
  rollback:
    doc: ROLLBACK.
    -requirement: JBM-REC-009
    seq:
      - id: tx
        type: s8
        -orig-id: txID
        doc: The transaction; any value.
        -requirement:
          - JBM-RCV-005
          - JBM-REC-022
      - id: check_size
        type: s4
        valid:
          eq: 17
        if: not _parent.hashed
        -orig-id: checkSize
        -role: check
        doc: The record's length in bytes, from its type to here.
        -requirement:
          - JBM-CHK-001
          - JBM-CHK-002
          - JBM-SED-004
      - id: hash
        type: u4
        if: _parent.hashed
        -role: check
        doc: The calculated hash, the CRC-32 of all bytes of the record before it. Not verified here.
        -requirement:
          - JBM-CHK-004
          - JBM-SED-004
  file_count:
    doc: One file of a transaction.
    -requirement: JBM-REC-010
    seq:
      - id: file_id
        type: s4
        -orig-id: fileID
        -role: pointer
        doc: A file, by its id. It may no longer exist when this is read.
        -requirement:
          - JBM-RCV-008
          - JBM-RCV-009
          - JBM-FIL-008
      - id: count
        type: s4
        -role: length
        doc: Number of the transaction's records in it.
        -requirement:
          - JBM-RCV-008
          - JBM-RCV-011
          - JBM-RCV-013
enums:
  seed_record_type:
    11:
      id: add
      -orig-id: ADD_RECORD
      doc: A record comes into being.
    12:
      id: update
      -orig-id: UPDATE_RECORD
      doc: A record changes.
    13:
      id: add_tx
      -orig-id: ADD_RECORD_TX
      doc: ADD within a transaction.
    14:
      id: update_tx
      -orig-id: UPDATE_RECORD_TX
      doc: UPDATE within a transaction.
    15:
      id: delete
      -orig-id: DELETE_RECORD
      doc: A record is deleted, wherever it is stored.
    16:
      id: delete_tx
      -orig-id: DELETE_RECORD_TX
      doc: DELETE within a transaction.
    17:
      id: prepare
      -orig-id: PREPARE_RECORD
      doc: The transaction is in doubt from here on.
    18:
      id: commit
      -orig-id: COMMIT_RECORD
      doc: The transaction took place.
    19:
      id: rollback
      -orig-id: ROLLBACK_RECORD
      doc: The transaction did not take place.
