meta:
  id: hornetq_journal
  title: HornetQ and ActiveMQ Artemis journal
  application: HornetQ 2.1 and later, ActiveMQ Artemis
  file-extension:
    - hq
    - amq
    - jms
    - bindings
  license: CC0-1.0
  ks-version: 0.9
  encoding: UTF-8
  endian: be
doc: |
  One file of the journal of HornetQ 2.1 (format version 1), and of HornetQ 2.2
  and later and ActiveMQ Artemis (format version 2): a longer header, and from
  version 2 on a compact count in every record.

  This describes an undamaged file with one record after another, from the header to the first place
  where no record of this file starts. This language cannot express the rest: records after padding
  or a hole have to be searched for (use the type `record` at the places found), which records are
  live is decided over all files and transactions together, and no byte of a body is protected.
doc-ref: https://github.com/apache/activemq-artemis/blob/2.44.0/artemis-journal/src/main/java/org/apache/activemq/artemis/core/journal/impl/JournalImpl.java
-requirement:
  - JBM-FIL-002
  - JBM-RDR-014
seq:
  - id: header
    type: file_header
    doc: Which file this is in its present life.
    -requirement: JBM-HDR-002
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
    doc: The 16 bytes at the start of each file.
    -requirement:
      - JBM-HDR-002
      - JBM-HDR-003
    seq:
      - id: format_version
        type: s4
        valid:
          any-of: [1, 2]
        -orig-id: formatVersion
        -role: type
        doc: 1 in HornetQ 2.1, 2 since. Decides whether records have a compact count.
        -requirement:
          - JBM-HDR-006
          - JBM-HDR-007
          - JBM-HDR-008
          - JBM-HDR-009
      - id: user_version
        type: s4
        -orig-id: userVersion
        doc: The application's own number; has to be the configured one.
        -requirement: JBM-HDR-010
      - id: file_id
        type: s8
        -orig-id: fileID
        -role: pointer
        doc: Orders the files. The records of the current use of the file have the same id.
        -requirement:
          - JBM-HDR-004
          - JBM-HDR-005
          - JBM-FIL-003
          - JBM-FIL-007
    instances:
      stamp:
        value: (file_id & 0x7fffffff).as<s4>
        doc: What the records of this file carry, the low 31 bits of its id.
        -requirement:
          - JBM-HDR-015
          - JBM-HDR-017
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
        type: record(_root.header.format_version)
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
        value: 'room >= 17 and first >= 10 and first <= 19 and (stamp ^ _root.header.stamp) == 0'
  record:
    params:
      - id: format_version
        type: s4
        doc: That of the file's header.
    doc: One record, at any offset. It lies in one file and has no gaps.
    -requirement:
      - JBM-REC-001
      - JBM-REC-002
      - JBM-REC-023
    seq:
      - id: record_type
        type: u1
        enum: record_type
        -orig-id: recordType
        doc: What happened, and which fields follow.
        -requirement:
          - JBM-REC-003
          - JBM-RDR-002
          - JBM-REC-004
          - JBM-RDR-015
      - id: file_id
        type: s4
        -orig-id: fileID
        -role: pointer
        doc: The stamp of the file in which the record was stored.
        -requirement:
          - JBM-REC-002
          - JBM-REC-024
          - JBM-RDR-003
          - JBM-HDR-015
      - id: compact_count
        type: s1
        if: format_version >= 2
        -orig-id: compactCount
        doc: How often a compaction has copied the record.
        -requirement:
          - JBM-REC-014
          - JBM-REC-015
          - JBM-REC-016
      - id: content
        type:
          switch-on: record_type
          cases:
            record_type::event: entry
            record_type::add: entry
            record_type::update: entry
            record_type::add_tx: entry_tx
            record_type::update_tx: entry_tx
            record_type::delete_tx: deletion_tx
            record_type::delete: deletion
            record_type::prepare: preparation
            record_type::commit: completion
            record_type::rollback: rollback
        doc: The rest of the record, its check size included.
        -requirement:
          - JBM-REC-017
          - JBM-REC-001
    instances:
      len_start:
        value: '(format_version >= 2 ? 6 : 5).as<s4>'
        doc: Bytes before the body.
        -requirement: JBM-REC-014
  entry:
    doc: ADD and UPDATE, and EVENT.
    -requirement:
      - JBM-REC-005
      - JBM-REC-004
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
        doc: The application's bytes. Nothing guards them but the ends of the record.
        -requirement:
          - JBM-CHK-003
          - JBM-REC-020
      - id: check_size
        type: s4
        valid:
          eq: _parent.len_start + 17 + body_size
        -orig-id: checkSize
        -role: check
        doc: The record's length in bytes, from its type to here.
        -requirement:
          - JBM-CHK-001
          - JBM-CHK-002
          - JBM-REC-018
          - JBM-REC-019
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
        doc: The application's bytes. Nothing guards them but the ends of the record.
        -requirement:
          - JBM-CHK-003
          - JBM-REC-020
      - id: check_size
        type: s4
        valid:
          eq: _parent.len_start + 25 + body_size
        -orig-id: checkSize
        -role: check
        doc: The record's length in bytes, from its type to here.
        -requirement:
          - JBM-CHK-001
          - JBM-CHK-002
          - JBM-REC-018
          - JBM-REC-019
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
          eq: _parent.len_start + 12
        -orig-id: checkSize
        -role: check
        doc: The record's length in bytes, from its type to here.
        -requirement:
          - JBM-CHK-001
          - JBM-CHK-002
          - JBM-REC-018
          - JBM-REC-019
  deletion_tx:
    doc: DELETE_TX, with a body and without a user type.
    -requirement: JBM-REC-008
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
      - id: body
        size: body_size
        doc: The application's bytes, usually none.
        -requirement:
          - JBM-REC-008
          - JBM-RCV-018
      - id: check_size
        type: s4
        valid:
          eq: _parent.len_start + 24 + body_size
        -orig-id: checkSize
        -role: check
        doc: The record's length in bytes, from its type to here.
        -requirement:
          - JBM-CHK-001
          - JBM-CHK-002
          - JBM-REC-018
          - JBM-REC-019
  preparation:
    doc: PREPARE.
    -requirement: JBM-REC-013
    seq:
      - id: tx
        type: s8
        -orig-id: txID
        doc: The transaction; any value.
        -requirement:
          - JBM-RCV-005
          - JBM-REC-022
      - id: count
        type: s4
        -orig-id: numberOfRecords
        doc: Number of the transaction's records in the file that holds this record.
        -requirement:
          - JBM-REC-012
          - JBM-RCV-012
          - JBM-WRT-006
      - id: extra_size
        type: s4
        valid:
          min: 0
        -orig-id: extraDataSize
        doc: Length of the extra data.
        -requirement:
          - JBM-RDR-008
          - JBM-REC-021
      - id: extra
        size: extra_size
        -orig-id: extraData
        doc: The application's bytes for whoever resolves the transaction, such as an XA transaction id.
        -requirement: JBM-RCV-018
      - id: check_size
        type: s4
        valid:
          eq: _parent.len_start + 20 + extra_size
        -orig-id: checkSize
        -role: check
        doc: The record's length in bytes, from its type to here.
        -requirement:
          - JBM-CHK-001
          - JBM-CHK-002
          - JBM-REC-018
          - JBM-REC-019
  completion:
    doc: COMMIT.
    -requirement: JBM-REC-012
    seq:
      - id: tx
        type: s8
        -orig-id: txID
        doc: The transaction; any value.
        -requirement:
          - JBM-RCV-005
          - JBM-REC-022
      - id: count
        type: s4
        -orig-id: numberOfRecords
        doc: Number of the transaction's records in the file that holds this record.
        -requirement:
          - JBM-REC-012
          - JBM-RCV-012
          - JBM-WRT-006
      - id: check_size
        type: s4
        valid:
          eq: _parent.len_start + 16
        -orig-id: checkSize
        -role: check
        doc: The record's length in bytes, from its type to here.
        -requirement:
          - JBM-CHK-001
          - JBM-CHK-002
          - JBM-REC-018
          - JBM-REC-019
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
          eq: _parent.len_start + 12
        -orig-id: checkSize
        -role: check
        doc: The record's length in bytes, from its type to here.
        -requirement:
          - JBM-CHK-001
          - JBM-CHK-002
          - JBM-REC-018
          - JBM-REC-019
  control_lists:
    doc: |
      The body of the one record of a control file (file id 0, in s2 -1): what an interrupted compaction has
      left to do.
    -requirement:
      - JBM-CMP-001
      - JBM-CMP-002
    seq:
      - id: num_old
        type: s4
        doc: Number of old names; a negative one counts as none.
        -requirement:
          - JBM-CMP-002
          - JBM-CMP-021
      - id: old_names
        type: file_name
        repeat: expr
        repeat-expr: num_old
        doc: Data files that the compaction replaces; they are to be removed.
        -requirement:
          - JBM-CMP-002
          - JBM-CMP-016
      - id: num_new
        type: s4
        doc: Number of new names; a negative one counts as none.
        -requirement:
          - JBM-CMP-002
          - JBM-CMP-021
      - id: new_names
        type: file_name
        repeat: expr
        repeat-expr: num_new
        doc: Files that take their place, under the names that end in `.cmp`.
        -requirement:
          - JBM-CMP-002
          - JBM-CMP-017
          - JBM-CMP-007
      - id: num_renames
        type: s4
        doc: Number of further renames, 0 in practice.
        -requirement:
          - JBM-CMP-002
          - JBM-CMP-021
      - id: renames
        type: rename
        repeat: expr
        repeat-expr: num_renames
        doc: From one name to another.
        -requirement:
          - JBM-CMP-002
          - JBM-CMP-017
          - JBM-CMP-008
      - id: slack
        size-eos: true
        doc: Left over from the writer's buffer, usually zeros.
        -requirement: JBM-CMP-003
  rename:
    doc: One file that gets another name.
    -requirement: JBM-CMP-002
    seq:
      - id: source
        type: file_name
        doc: The name it has.
        -requirement: JBM-CMP-002
      - id: target
        type: file_name
        doc: The name it gets.
        -requirement: JBM-CMP-002
  file_name:
    doc: A name in Java's modified UTF-8.
    -requirement: JBM-CMP-002
    seq:
      - id: length
        type: u2
        doc: Length in bytes.
        -requirement:
          - JBM-CMP-002
          - JBM-CMP-019
      - id: name
        size: length
        doc: |
          The name, without a directory. Not UTF-8 but Java's own form of it: U+0000 is `c0 80`, and
          a character beyond U+FFFF is stored as its two surrogates.
        -requirement: JBM-CMP-002
enums:
  record_type:
    10:
      id: event
      -orig-id: EVENT_RECORD
      doc: Is read and changes nothing. Only Artemis 2.18 and later; before, the byte is no type.
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
      id: delete_tx
      -orig-id: DELETE_RECORD_TX
      doc: DELETE within a transaction.
    16:
      id: delete
      -orig-id: DELETE_RECORD
      doc: A record is deleted, wherever it is stored.
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
