meta:
  id: derby_body
  title: Apache Derby log record
  application: Apache Derby
  license: CC0-1.0
  ks-version: 0.9
  encoding: UTF-8
  endian: be
doc: |
  The body of one record of the write-ahead log of Apache Derby: its group, its
  transaction, the operation, and what follows that. An operation that is not
  known cannot be passed over: nothing says how long it is.
doc-ref:
  - https://github.com/apache/derby/blob/trunk/java/org.apache.derby.engine/org/apache/derby/impl/store/raw/log/LogRecord.java
-requirement:
  - DRB-REC-021
  - DRB-REC-111
seq:
  - id: log_record_id
    type: u2
    valid:
      min: 129
      max: 129
    -orig-id: LOG_RECORD
    doc: The format id of a log record.
    -requirement: DRB-REC-021
  - id: group
    type: cint
    doc: The bits of the groups.
    -requirement: DRB-REC-023
  - id: transaction
    type: transaction_id_or_nothing
    doc: The transaction.
    -requirement: DRB-REC-021
  - id: operation_id
    type: u2
    enum: operation_code
    doc: Which operation this is.
    -requirement: DRB-REC-111
  - id: operation
    type:
      switch-on: operation_id
      cases:
        operation_code::chain_alloc_page: chain_alloc_page
        operation_code::delete: delete
        operation_code::end: end
        operation_code::insert: insert
        operation_code::logical_undo: logical_undo
        operation_code::physical_undo: physical_undo
        operation_code::purge: purge
        operation_code::container_undo: container_undo
        operation_code::update: update
        operation_code::update_field: update_field
        operation_code::alloc_page: alloc_page
        operation_code::invalidate_page: invalidate_page
        operation_code::begin: begin
        operation_code::copy_rows: copy_rows
        operation_code::init_page: init_page
        operation_code::container: container
        operation_code::checkpoint: checkpoint
        operation_code::set_reserved_space: set_reserved_space
        operation_code::remove_file: remove_file
        operation_code::checksum: checksum
        operation_code::compress_space_10_2: compress_space_10_2
        operation_code::encrypt_container: encrypt_container
        operation_code::encrypt_container_undo: encrypt_container_undo
        operation_code::compress_space: compress_space
    doc: The operation.
    -requirement: DRB-REC-111
  - id: undone
    type: s8
    if: (group.value & 2052) == 4
    doc: Of a compensation record, the instant of the record that it undoes.
    -requirement: DRB-REC-024
  - id: data_length
    type: s4
    if: (group.value & 2052) == 0
    doc: The number of bytes of the data.
    -requirement: DRB-REC-021
  - id: data
    size: data_length
    if: (group.value & 2052) == 0
    doc: The data of the operation in addition to its fields.
    -requirement: DRB-REC-021
types:
  cint:
    doc: A compressed int, whose first two bits give its length.
    -requirement: DRB-ENC-002
    seq:
      - id: first
        type: u1
        doc: 00 and six bits, 01 and six bits, or 1 and seven bits of the number.
        -requirement: DRB-ENC-002
      - id: second
        type: u1
        if: first >= 64
        doc: Eight more.
        -requirement: DRB-ENC-002
      - id: third
        type: u2
        if: first >= 128
        doc: Sixteen more.
        -requirement: DRB-ENC-002
    instances:
      value:
        value: '(first < 64 ? first.as<s4> : (first < 128 ? ((first & 63).as<s4> * 256 + second.as<s4>).as<s4> : ((first & 127).as<s4> * 16777216 + second.as<s4> * 65536 + third.as<s4>).as<s4>)).as<s4>'
        doc: The number.
        -requirement: DRB-ENC-002
  clong:
    doc: A compressed long, whose first two bits give its length.
    -requirement: DRB-ENC-002
    seq:
      - id: first
        type: u2
        doc: 00 and 14 bits, 01 and 14 bits, or 1 and 15 bits of the number.
        -requirement: DRB-ENC-002
      - id: second
        type: u2
        if: first >= 16384
        doc: Sixteen more.
        -requirement: DRB-ENC-002
      - id: third
        type: u4
        if: first >= 32768
        doc: Thirty-two more.
        -requirement: DRB-ENC-002
    instances:
      high:
        value: '(first < 32768 ? (first * 0).as<s4> : ((first & 32767).as<s4> * 65536 + second.as<s4>).as<s4>).as<s4>'
        doc: The number without its last 32 bits; there are languages here whose computed numbers have no more than 32.
        -requirement: DRB-ENC-002
      low:
        value: '(first < 16384 ? first.as<u4> : (first < 32768 ? ((first & 16383).as<u4> * 65536 + second.as<u4>).as<u4> : third.as<u4>)).as<u4>'
        doc: The last 32 bits of the number, which is high * 2 ** 32 + low.
        -requirement: DRB-ENC-002
  utf:
    doc: Text in modified UTF-8.
    -requirement: DRB-REC-111
    seq:
      - id: size
        type: u2
        doc: How many bytes it has.
        -requirement: DRB-REC-111
      - id: text
        size: size
        doc: The text.
        -requirement: DRB-REC-111
  transaction_id:
    doc: The number of a transaction.
    -requirement: DRB-REC-111
    seq:
      - id: number
        type: clong
        doc: The number of the transaction.
        -requirement: DRB-REC-111
  transaction_id_or_nothing:
    doc: Its format id, which is 0 if there is no id, and the id itself.
    -requirement: DRB-ENC-003
    seq:
      - id: object_id
        type: u2
        valid:
          any-of: [0, 147]
        doc: 147, or 0 for nothing.
        -requirement: DRB-ENC-003
      - id: transaction_id
        type: transaction_id
        if: object_id != 0
        doc: The number of a transaction.
        -requirement: DRB-REC-111
  global_id:
    doc: The XA id of a branch.
    -requirement: DRB-REC-111
    seq:
      - id: format_id
        type: s4
        doc: The format of the XA id.
        -requirement: DRB-REC-111
      - id: gtrid_length
        type: u1
        doc: The number of bytes of the global transaction id.
        -requirement: DRB-REC-111
      - id: gtrid
        size: gtrid_length
        doc: The global transaction id.
        -requirement: DRB-REC-111
      - id: bqual_length
        type: u1
        doc: The number of bytes of the branch qualifier.
        -requirement: DRB-REC-111
      - id: bqual
        size: bqual_length
        doc: The branch qualifier.
        -requirement: DRB-REC-111
  global_id_or_nothing:
    doc: Its format id, which is 0 if there is no id, and the id itself.
    -requirement: DRB-ENC-003
    seq:
      - id: object_id
        type: u2
        valid:
          any-of: [0, 328]
        doc: 328, or 0 for nothing.
        -requirement: DRB-ENC-003
      - id: global_id
        type: global_id
        if: object_id != 0
        doc: The XA id of a branch.
        -requirement: DRB-REC-111
  log_counter:
    doc: 'An instant inside an object: not packed as elsewhere.'
    -requirement: DRB-REC-111
    seq:
      - id: file
        type: clong
        doc: The number of the file.
        -requirement: DRB-REC-111
      - id: position
        type: clong
        doc: The offset in it.
        -requirement: DRB-REC-111
  log_counter_or_nothing:
    doc: Its format id, which is 0 if there is no id, and the id itself.
    -requirement: DRB-ENC-003
    seq:
      - id: object_id
        type: u2
        valid:
          any-of: [0, 130]
        doc: 130, or 0 for nothing.
        -requirement: DRB-ENC-003
      - id: log_counter
        type: log_counter
        if: object_id != 0
        doc: 'An instant inside an object: not packed as elsewhere.'
        -requirement: DRB-REC-111
  index_undo:
    doc: 'Says that the row belongs to an index: it may have moved to another page when it is undone.'
    -requirement: DRB-REC-111
  index_undo_or_nothing:
    doc: Its format id, which is 0 if there is no id, and the id itself.
    -requirement: DRB-ENC-003
    seq:
      - id: object_id
        type: u2
        valid:
          any-of: [0, 95]
        doc: 95, or 0 for nothing.
        -requirement: DRB-ENC-003
      - id: index_undo
        type: index_undo
        if: object_id != 0
        doc: 'Says that the row belongs to an index: it may have moved to another page when it is undone.'
        -requirement: DRB-REC-111
  transaction_entry:
    doc: A transaction of the transaction table.
    -requirement: DRB-REC-111
    seq:
      - id: transaction
        type: transaction_id_or_nothing
        doc: The number of the transaction.
        -requirement: DRB-REC-111
      - id: global_id
        type: global_id_or_nothing
        doc: The XA id of the branch.
        -requirement: DRB-REC-111
      - id: first
        type: log_counter_or_nothing
        doc: The instant of its first record, packed.
        -requirement: DRB-REC-111
      - id: last
        type: log_counter_or_nothing
        doc: The instant of its last record, packed.
        -requirement: DRB-REC-111
      - id: status
        type: s4
        doc: 0, or 16 for an internal transaction that is rolled back first.
        -requirement: DRB-REC-111
  transaction_entry_object:
    doc: Its format id, and what it is.
    -requirement: DRB-ENC-003
    seq:
      - id: object_id
        type: u2
        valid:
          any-of: [261]
        doc: 261.
        -requirement: DRB-ENC-003
      - id: transaction_entry
        type: transaction_entry
        doc: A transaction of the transaction table.
        -requirement: DRB-REC-111
  transaction_table:
    doc: The transactions that are open at a checkpoint.
    -requirement: DRB-REC-111
    seq:
      - id: count
        type: cint
        doc: How many there are.
        -requirement: DRB-REC-111
      - id: entries
        type: transaction_table_entries
        repeat: expr
        repeat-expr: count.value
        doc: The transactions.
        -requirement: DRB-REC-111
  transaction_table_object:
    doc: Its format id, and what it is.
    -requirement: DRB-ENC-003
    seq:
      - id: object_id
        type: u2
        valid:
          any-of: [262]
        doc: 262.
        -requirement: DRB-ENC-003
      - id: transaction_table
        type: transaction_table
        doc: The transactions that are open at a checkpoint.
        -requirement: DRB-REC-111
  chain_alloc_page:
    doc: An allocation page gets a successor.
    -requirement: DRB-REC-111
    seq:
      - id: segment
        type: clong
        doc: 'The segment of the container; 0: tables and indexes.'
        -requirement: DRB-REC-111
      - id: container
        type: clong
        doc: The number of the container.
        -requirement: DRB-REC-111
      - id: page
        type: clong
        doc: The number of the page.
        -requirement: DRB-REC-111
      - id: page_version
        type: clong
        doc: The version that the page has before the change.
        -requirement: DRB-REC-111
      - id: new_page
        type: clong
        doc: The page that is meant.
        -requirement: DRB-REC-111
      - id: new_page_offset
        type: clong
        doc: Where its page is in the container.
        -requirement: DRB-REC-111
  delete:
    doc: A row is marked as deleted, or no longer.
    -requirement: DRB-REC-111
    seq:
      - id: segment
        type: clong
        doc: 'The segment of the container; 0: tables and indexes.'
        -requirement: DRB-REC-111
      - id: container
        type: clong
        doc: The number of the container.
        -requirement: DRB-REC-111
      - id: page
        type: clong
        doc: The number of the page.
        -requirement: DRB-REC-111
      - id: page_version
        type: clong
        doc: The version that the page has before the change.
        -requirement: DRB-REC-111
      - id: record_id
        type: cint
        doc: The number of the row on its page.
        -requirement: DRB-REC-111
      - id: undo
        type: index_undo_or_nothing
        doc: There if the row may have moved to another page when it is undone.
        -requirement: DRB-REC-111
      - id: slot
        type: cint
        doc: The slot of the row on the page, from 0.
        -requirement: DRB-REC-111
      - id: deleted
        type: u1
        doc: '1: it is marked as deleted; 0: no longer.'
        -requirement: DRB-REC-111
  end:
    doc: A transaction commits, is rolled back, or is prepared.
    -requirement: DRB-REC-111
    seq:
      - id: global_id
        type: global_id_or_nothing
        doc: The XA id of the branch.
        -requirement: DRB-REC-111
      - id: status
        type: cint
        doc: '1: rolled back, 2: prepared, 4: committed.'
        -requirement: DRB-REC-111
  insert:
    doc: A row is added to a page.
    -requirement: DRB-REC-111
    seq:
      - id: segment
        type: clong
        doc: 'The segment of the container; 0: tables and indexes.'
        -requirement: DRB-REC-111
      - id: container
        type: clong
        doc: The number of the container.
        -requirement: DRB-REC-111
      - id: page
        type: clong
        doc: The number of the page.
        -requirement: DRB-REC-111
      - id: page_version
        type: clong
        doc: The version that the page has before the change.
        -requirement: DRB-REC-111
      - id: record_id
        type: cint
        doc: The number of the row on its page.
        -requirement: DRB-REC-111
      - id: undo
        type: index_undo_or_nothing
        doc: There if the row may have moved to another page when it is undone.
        -requirement: DRB-REC-111
      - id: slot
        type: cint
        doc: The slot of the row on the page, from 0.
        -requirement: DRB-REC-111
      - id: insert_flags
        type: u1
        doc: '1: as a rule, 2: a rollback purges it, 4: if there is room, 8: the rest of a row that began elsewhere, 16: for a split.'
        -requirement: DRB-REC-111
  logical_undo:
    doc: Compensates the change of a row that may have moved.
    -requirement: DRB-REC-111
    seq:
      - id: segment
        type: clong
        doc: 'The segment of the container; 0: tables and indexes.'
        -requirement: DRB-REC-111
      - id: container
        type: clong
        doc: The number of the container.
        -requirement: DRB-REC-111
      - id: page
        type: clong
        doc: The number of the page.
        -requirement: DRB-REC-111
      - id: page_version
        type: clong
        doc: The version that the page has before the change.
        -requirement: DRB-REC-111
      - id: record_id
        type: cint
        doc: The number of the row on its page.
        -requirement: DRB-REC-111
  physical_undo:
    doc: Compensates a change where it took place.
    -requirement: DRB-REC-111
    seq:
      - id: segment
        type: clong
        doc: 'The segment of the container; 0: tables and indexes.'
        -requirement: DRB-REC-111
      - id: container
        type: clong
        doc: The number of the container.
        -requirement: DRB-REC-111
      - id: page
        type: clong
        doc: The number of the page.
        -requirement: DRB-REC-111
      - id: page_version
        type: clong
        doc: The version that the page has before the change.
        -requirement: DRB-REC-111
  purge:
    doc: Rows leave a page.
    -requirement: DRB-REC-111
    seq:
      - id: segment
        type: clong
        doc: 'The segment of the container; 0: tables and indexes.'
        -requirement: DRB-REC-111
      - id: container
        type: clong
        doc: The number of the container.
        -requirement: DRB-REC-111
      - id: page
        type: clong
        doc: The number of the page.
        -requirement: DRB-REC-111
      - id: page_version
        type: clong
        doc: The version that the page has before the change.
        -requirement: DRB-REC-111
      - id: slot
        type: cint
        doc: The slot of the row on the page, from 0.
        -requirement: DRB-REC-111
      - id: count
        type: cint
        doc: How many there are.
        -requirement: DRB-REC-111
      - id: rows
        type: purge_rows
        repeat: expr
        repeat-expr: count.value
        doc: The rows.
        -requirement: DRB-REC-111
  container_undo:
    doc: Compensates the creation, drop or removal of a container.
    -requirement: DRB-REC-111
    seq:
      - id: segment
        type: clong
        doc: 'The segment of the container; 0: tables and indexes.'
        -requirement: DRB-REC-111
      - id: container
        type: clong
        doc: The number of the container.
        -requirement: DRB-REC-111
      - id: container_version
        type: clong
        doc: The version that the container has before the change.
        -requirement: DRB-REC-111
  update:
    doc: A row is replaced.
    -requirement: DRB-REC-111
    seq:
      - id: segment
        type: clong
        doc: 'The segment of the container; 0: tables and indexes.'
        -requirement: DRB-REC-111
      - id: container
        type: clong
        doc: The number of the container.
        -requirement: DRB-REC-111
      - id: page
        type: clong
        doc: The number of the page.
        -requirement: DRB-REC-111
      - id: page_version
        type: clong
        doc: The version that the page has before the change.
        -requirement: DRB-REC-111
      - id: slot
        type: cint
        doc: The slot of the row on the page, from 0.
        -requirement: DRB-REC-111
      - id: record_id
        type: cint
        doc: The number of the row on its page.
        -requirement: DRB-REC-111
  update_field:
    doc: One column of a row is replaced.
    -requirement: DRB-REC-111
    seq:
      - id: segment
        type: clong
        doc: 'The segment of the container; 0: tables and indexes.'
        -requirement: DRB-REC-111
      - id: container
        type: clong
        doc: The number of the container.
        -requirement: DRB-REC-111
      - id: page
        type: clong
        doc: The number of the page.
        -requirement: DRB-REC-111
      - id: page_version
        type: clong
        doc: The version that the page has before the change.
        -requirement: DRB-REC-111
      - id: record_id
        type: cint
        doc: The number of the row on its page.
        -requirement: DRB-REC-111
      - id: undo
        type: index_undo_or_nothing
        doc: There if the row may have moved to another page when it is undone.
        -requirement: DRB-REC-111
      - id: slot
        type: cint
        doc: The slot of the row on the page, from 0.
        -requirement: DRB-REC-111
      - id: column
        type: cint
        doc: Which column.
        -requirement: DRB-REC-111
  alloc_page:
    doc: A page is taken into use, or given back.
    -requirement: DRB-REC-111
    seq:
      - id: segment
        type: clong
        doc: 'The segment of the container; 0: tables and indexes.'
        -requirement: DRB-REC-111
      - id: container
        type: clong
        doc: The number of the container.
        -requirement: DRB-REC-111
      - id: page
        type: clong
        doc: The number of the page.
        -requirement: DRB-REC-111
      - id: page_version
        type: clong
        doc: The version that the page has before the change.
        -requirement: DRB-REC-111
      - id: new_page
        type: clong
        doc: The page that is meant.
        -requirement: DRB-REC-111
      - id: do_status
        type: cint
        doc: The state that the page gets.
        -requirement: DRB-REC-111
      - id: undo_status
        type: cint
        doc: The state that a rollback gives it.
        -requirement: DRB-REC-111
  invalidate_page:
    doc: A page holds nothing any more.
    -requirement: DRB-REC-111
    seq:
      - id: segment
        type: clong
        doc: 'The segment of the container; 0: tables and indexes.'
        -requirement: DRB-REC-111
      - id: container
        type: clong
        doc: The number of the container.
        -requirement: DRB-REC-111
      - id: page
        type: clong
        doc: The number of the page.
        -requirement: DRB-REC-111
      - id: page_version
        type: clong
        doc: The version that the page has before the change.
        -requirement: DRB-REC-111
  begin:
    doc: A transaction begins.
    -requirement: DRB-REC-111
    seq:
      - id: status
        type: s4
        doc: 0, or 16 for an internal transaction that is rolled back first.
        -requirement: DRB-REC-111
      - id: global_id
        type: global_id_or_nothing
        doc: The XA id of the branch.
        -requirement: DRB-REC-111
  copy_rows:
    doc: Rows come from another page.
    -requirement: DRB-REC-111
    seq:
      - id: segment
        type: clong
        doc: 'The segment of the container; 0: tables and indexes.'
        -requirement: DRB-REC-111
      - id: container
        type: clong
        doc: The number of the container.
        -requirement: DRB-REC-111
      - id: page
        type: clong
        doc: The number of the page.
        -requirement: DRB-REC-111
      - id: page_version
        type: clong
        doc: The version that the page has before the change.
        -requirement: DRB-REC-111
      - id: count
        type: cint
        doc: How many there are.
        -requirement: DRB-REC-111
      - id: slot
        type: cint
        doc: The slot of the row on the page, from 0.
        -requirement: DRB-REC-111
      - id: rows
        type: copy_rows_rows
        repeat: expr
        repeat-expr: count.value
        doc: The rows.
        -requirement: DRB-REC-111
  init_page:
    doc: A page is made empty.
    -requirement: DRB-REC-111
    seq:
      - id: segment
        type: clong
        doc: 'The segment of the container; 0: tables and indexes.'
        -requirement: DRB-REC-111
      - id: container
        type: clong
        doc: The number of the container.
        -requirement: DRB-REC-111
      - id: page
        type: clong
        doc: The number of the page.
        -requirement: DRB-REC-111
      - id: page_version
        type: clong
        doc: The version that the page has before the change.
        -requirement: DRB-REC-111
      - id: next_record_id
        type: cint
        doc: The number that the next row gets.
        -requirement: DRB-REC-111
      - id: init_flags
        type: cint
        doc: '1: the page was in use before, 2: it is for parts of rows, and none begins there, 4: its record ids begin anew.'
        -requirement: DRB-REC-111
      - id: page_offset
        type: clong
        doc: Where the page is in its container.
        -requirement: DRB-REC-111
      - id: page_format
        type: s4
        doc: '117: a page of rows, 118: one that says which are in use.'
        -requirement: DRB-REC-111
  container:
    doc: A container is created (1), dropped (2) or removed (4).
    -requirement: DRB-REC-111
    seq:
      - id: segment
        type: clong
        doc: 'The segment of the container; 0: tables and indexes.'
        -requirement: DRB-REC-111
      - id: container
        type: clong
        doc: The number of the container.
        -requirement: DRB-REC-111
      - id: container_version
        type: clong
        doc: The version that the container has before the change.
        -requirement: DRB-REC-111
      - id: action
        type: u1
        doc: '1: created, 2: dropped, 4: removed.'
        -requirement: DRB-REC-111
      - id: header_length
        type: s4
        if: action == 1
        doc: The number of bytes of the header.
        -requirement: DRB-REC-111
      - id: header
        size: header_length
        if: action == 1
        doc: The header of the container that is created.
        -requirement: DRB-REC-111
  checkpoint:
    doc: 'A checkpoint: where redo and undo begin.'
    -requirement: DRB-REC-111
    seq:
      - id: redo_from
        type: clong
        doc: The redo instant, packed.
        -requirement: DRB-RCV-114
      - id: undo_from
        type: clong
        doc: The undo instant, packed.
        -requirement: DRB-RCV-114
      - id: truncations
        type: cint
        doc: 0; once the number of places where the log had been cut.
        -requirement: DRB-RCV-114
      - id: has_table
        type: cint
        doc: '1: the table of transactions follows.'
        -requirement: DRB-RCV-114
      - id: table
        type: transaction_table_object
        if: has_table.value == 1
        doc: The transactions that were open.
        -requirement: DRB-RCV-114
  set_reserved_space:
    doc: The reserved bytes after a row change.
    -requirement: DRB-REC-111
    seq:
      - id: segment
        type: clong
        doc: 'The segment of the container; 0: tables and indexes.'
        -requirement: DRB-REC-111
      - id: container
        type: clong
        doc: The number of the container.
        -requirement: DRB-REC-111
      - id: page
        type: clong
        doc: The number of the page.
        -requirement: DRB-REC-111
      - id: page_version
        type: clong
        doc: The version that the page has before the change.
        -requirement: DRB-REC-111
      - id: slot
        type: cint
        doc: The slot of the row on the page, from 0.
        -requirement: DRB-REC-111
      - id: record_id
        type: cint
        doc: The number of the row on its page.
        -requirement: DRB-REC-111
      - id: new_reserved
        type: cint
        doc: The bytes that are reserved after the row from now on.
        -requirement: DRB-REC-111
      - id: old_reserved
        type: cint
        doc: The bytes that were reserved.
        -requirement: DRB-REC-111
  remove_file:
    doc: A file next to the database will be removed.
    -requirement: DRB-REC-111
    seq:
      - id: file_name
        type: utf
        doc: The name of the file.
        -requirement: DRB-REC-111
      - id: generation
        type: s8
        doc: The generation that the name has.
        -requirement: DRB-REC-111
      - id: at_once
        type: u1
        doc: '1: the file goes now; 0: when the transaction has committed.'
        -requirement: DRB-REC-111
  checksum:
    doc: The checksum of the records after it.
    -requirement: DRB-REC-111
    seq:
      - id: algorithm
        type: u1
        doc: '1: CRC-32.'
        -requirement: DRB-CHK-037
      - id: data_length
        type: s4
        doc: How many bytes it covers.
        -requirement: DRB-CHK-037
      - id: checksum
        type: s8
        doc: The checksum as stored.
        -requirement: DRB-CHK-037
  compress_space_10_2:
    doc: Pages at the end of a container are cut off, as 10.2 wrote it.
    -requirement: DRB-REC-111
    seq:
      - id: segment
        type: clong
        doc: 'The segment of the container; 0: tables and indexes.'
        -requirement: DRB-REC-111
      - id: container
        type: clong
        doc: The number of the container.
        -requirement: DRB-REC-111
      - id: page
        type: clong
        doc: The number of the page.
        -requirement: DRB-REC-111
      - id: page_version
        type: clong
        doc: The version that the page has before the change.
        -requirement: DRB-REC-111
      - id: highest_page
        type: cint
        doc: The last page that stays.
        -requirement: DRB-REC-111
      - id: pages_truncated
        type: cint
        doc: How many pages go.
        -requirement: DRB-REC-111
  encrypt_container:
    doc: A container is encrypted anew.
    -requirement: DRB-REC-111
    seq:
      - id: segment
        type: clong
        doc: 'The segment of the container; 0: tables and indexes.'
        -requirement: DRB-REC-111
      - id: container
        type: clong
        doc: The number of the container.
        -requirement: DRB-REC-111
  encrypt_container_undo:
    doc: Compensates that.
    -requirement: DRB-REC-111
  compress_space:
    doc: Pages at the end of a container are cut off.
    -requirement: DRB-REC-111
    seq:
      - id: segment
        type: clong
        doc: 'The segment of the container; 0: tables and indexes.'
        -requirement: DRB-REC-111
      - id: container
        type: clong
        doc: The number of the container.
        -requirement: DRB-REC-111
      - id: page
        type: clong
        doc: The number of the page.
        -requirement: DRB-REC-111
      - id: page_version
        type: clong
        doc: The version that the page has before the change.
        -requirement: DRB-REC-111
      - id: highest_page
        type: s4
        doc: The last page that stays.
        -requirement: DRB-REC-111
      - id: pages_truncated
        type: cint
        doc: How many pages go.
        -requirement: DRB-REC-111
  transaction_table_entries:
    doc: One element of the list.
    -requirement: DRB-REC-111
    seq:
      - id: entry
        type: transaction_entry_object
        doc: One of them.
        -requirement: DRB-REC-111
  purge_rows:
    doc: One element of the list.
    -requirement: DRB-REC-111
    seq:
      - id: record_id
        type: cint
        doc: The number of the row on its page.
        -requirement: DRB-REC-111
  copy_rows_rows:
    doc: One element of the list.
    -requirement: DRB-REC-111
    seq:
      - id: record_id
        type: cint
        doc: The number of the row on its page.
        -requirement: DRB-REC-111
      - id: reserved
        type: cint
        doc: The bytes that are reserved after the row.
        -requirement: DRB-REC-111
enums:
  operation_code:
    97:
      id: chain_alloc_page
      doc: An allocation page gets a successor.
      -orig-id: LOGOP_CHAIN_ALLOC_PAGE
    101:
      id: delete
      doc: A row is marked as deleted, or no longer.
      -orig-id: LOGOP_DELETE
    102:
      id: end
      doc: A transaction commits, is rolled back, or is prepared.
      -orig-id: LOGOP_END_XACT
    103:
      id: insert
      doc: A row is added to a page.
      -orig-id: LOGOP_INSERT
    104:
      id: logical_undo
      doc: Compensates the change of a row that may have moved.
      -orig-id: LOGOP_PAGE_LOGICAL_UNDO
    105:
      id: physical_undo
      doc: Compensates a change where it took place.
      -orig-id: LOGOP_PAGE_PHYSICAL_UNDO
    106:
      id: purge
      doc: Rows leave a page.
      -orig-id: LOGOP_PURGE
    107:
      id: container_undo
      doc: Compensates the creation, drop or removal of a container.
      -orig-id: LOGOP_CONTAINER_UNDO
    108:
      id: update
      doc: A row is replaced.
      -orig-id: LOGOP_UPDATE
    109:
      id: update_field
      doc: One column of a row is replaced.
      -orig-id: LOGOP_UPDATE_FIELD
    111:
      id: alloc_page
      doc: A page is taken into use, or given back.
      -orig-id: LOGOP_ALLOC_PAGE
    113:
      id: invalidate_page
      doc: A page holds nothing any more.
      -orig-id: LOGOP_INVALIDATE_PAGE
    169:
      id: begin
      doc: A transaction begins.
      -orig-id: LOGOP_BEGIN_XACT
    210:
      id: copy_rows
      doc: Rows come from another page.
      -orig-id: LOGOP_COPY_ROWS
    241:
      id: init_page
      doc: A page is made empty.
      -orig-id: LOGOP_INIT_PAGE
    242:
      id: container
      doc: A container is created (1), dropped (2) or removed (4).
      -orig-id: LOGOP_CONTAINER
    263:
      id: checkpoint
      doc: 'A checkpoint: where redo and undo begin.'
      -orig-id: LOGOP_CHECKPOINT
    287:
      id: set_reserved_space
      doc: The reserved bytes after a row change.
      -orig-id: LOGOP_SET_RESERVED_SPACE
    291:
      id: remove_file
      doc: A file next to the database will be removed.
      -orig-id: LOGOP_REMOVE_FILE
    453:
      id: checksum
      doc: The checksum of the records after it.
      -orig-id: LOGOP_CHECKSUM
    454:
      id: compress_space_10_2
      doc: Pages at the end of a container are cut off, as 10.2 wrote it.
      -orig-id: LOGOP_COMPRESS10_2_SPACE
    459:
      id: encrypt_container
      doc: A container is encrypted anew.
      -orig-id: LOGOP_ENCRYPT_CONTAINER
    460:
      id: encrypt_container_undo
      doc: Compensates that.
      -orig-id: LOGOP_ENCRYPT_CONTAINER_UNDO
    465:
      id: compress_space
      doc: Pages at the end of a container are cut off.
      -orig-id: LOGOP_COMPRESS_SPACE
