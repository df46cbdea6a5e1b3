meta:
  id: swiftmq_store
  title: SwiftMQ file store
  application: SwiftMQ
  file-extension: log
  license: CC0-1.0
  ks-version: 0.9
  endian: be
doc: |
  The log of a SwiftMQ file store, tagged or untagged: records up to the first bytes that begin no
  record, and the bytes after them. In a tagged log those are records
  of older generations.

  This describes an undamaged log. Nothing says how long a record is, so a
  record that is not whole is a fault here, where a start of the store takes it
  for the end. It does not hold images against the size of a page. Pages of page.db, whose type only
  a reference shows, and swap files are types.
doc-ref:
  - https://github.com/iitsoftware/swiftmq-ce/tree/develop/swiftlets/sys_store/src/main/java/com/swiftmq/impl/store/standard/log
-requirement:
  - SMQ-LOG-021
  - SMQ-LOG-023
params:
  - id: page_size
    type: s4
    doc: The size of a page, which no file says.
    -requirement: SMQ-FIL-001
seq:
  - id: start
    type: start
    if: tagged
    doc: The generation of a tagged log.
    -requirement: SMQ-LOG-101
  - id: slots
    type: slot(_io.pos)
    repeat: until
    repeat-until: not _.is_record
    doc: The log, record by record; the last slot is empty.
    -requirement: SMQ-LOG-102
  - id: rest
    size-eos: true
    doc: Zeros, or records of older generations.
    -requirement: SMQ-LOG-036
instances:
  first_type:
    pos: 0
    type: s4
    if: _io.size >= 4
    doc: The number that the log begins with.
    -requirement: SMQ-LOG-021
  tagged:
    value: _io.size >= 12 and first_type == 1
    doc: Whether records have a generation.
    -requirement: SMQ-LOG-021
types:
  slot:
    doc: A place where a record would begin.
    -requirement:
      - SMQ-LOG-023
      - SMQ-LOG-041
    params:
      - id: start
        type: s8
        doc: The offset of the slot.
    seq:
      - id: record
        type: record(next_kind)
        if: is_record
        doc: The record, if one begins here.
        -requirement: SMQ-LOG-102
    instances:
      room:
        value: _io.size - start
        doc: The bytes up to the end of the file.
        -requirement: SMQ-LOG-023
      next_kind:
        pos: start
        type: s4
        if: room >= 12
        doc: The type of the record here.
        -requirement: SMQ-LOG-023
      next_generation:
        pos: start + 4
        type: s8
        if: room >= 12
        doc: Its generation, if the log is tagged.
        -requirement: SMQ-LOG-022
      is_record:
        value: room >= 12 and (next_kind == 2 or next_kind == 3 or (next_kind == 1 and _root.tagged)) and (not _root.tagged or (next_generation ^ _root.start.generation).as<s8> == 0)
        doc: Whether a record of this generation begins here.
        -requirement:
          - SMQ-LOG-022
          - SMQ-LOG-041
  start:
    doc: What a tagged log begins with.
    -requirement: SMQ-LOG-101
    seq:
      - id: code
        type: s4
        valid:
          min: 1
          max: 1
        -orig-id: START
        doc: The type, START.
        -requirement: SMQ-LOG-101
      - id: generation
        type: s8
        -orig-id: magic
        doc: The generation of the log.
        -requirement: SMQ-LOG-101
  record_header:
    doc: How a record of a tagged log begins.
    -requirement: SMQ-LOG-102
    seq:
      - id: code
        type: s4
        valid:
          min: 2
          max: 3
        doc: 2, a COMMIT; 3, an ABORT.
        -requirement: SMQ-LOG-102
      - id: generation
        type: s8
        -orig-id: magic
        doc: The generation of START.
        -requirement: SMQ-LOG-022
      - id: transaction
        type: s8
        -orig-id: txId
        doc: The id of the transaction, which has no meaning for readers.
        -requirement: SMQ-LOG-033
      - id: number
        type: s4
        valid:
          min: 0
        doc: How many actions follow.
        -requirement: SMQ-LOG-102
  untagged_record_header:
    doc: How a record of an untagged log begins.
    -requirement: SMQ-LOG-102
    seq:
      - id: code
        type: s4
        valid:
          min: 2
          max: 3
        doc: 2, a COMMIT; 3, an ABORT.
        -requirement: SMQ-LOG-102
      - id: transaction
        type: s8
        -orig-id: txId
        doc: The id of the transaction, which has no meaning for readers.
        -requirement: SMQ-LOG-033
      - id: number
        type: s4
        valid:
          min: 0
        doc: How many actions follow.
        -requirement: SMQ-LOG-102
  record:
    doc: A COMMIT or an ABORT, or START once more.
    -requirement: SMQ-LOG-102
    params:
      - id: record_kind
        type: s4
        doc: Its type.
    seq:
      - id: header
        type:
          switch-on: form
          cases:
            0: untagged_record_header
            1: record_header
            2: start
        doc: How it begins.
        -requirement: SMQ-LOG-102
      - id: actions
        type: action
        repeat: expr
        repeat-expr: '(form != 2 ? (form == 1 ? header.as<record_header>.number : header.as<untagged_record_header>.number).as<s4> : 0).as<s4>'
        doc: What was done to pages, in order.
        -requirement: SMQ-LOG-102
    instances:
      form:
        value: '(_root.tagged ? (record_kind == 1 ? 2 : 1).as<s4> : 0).as<s4>'
        doc: How it begins, untagged (0), tagged (1), or as START (2).
        -requirement: SMQ-LOG-102
  action:
    doc: What was done to one page.
    -requirement: SMQ-LOG-102
    seq:
      - id: kind
        type: s4
        enum: action_kind
        doc: What it does.
        -requirement: SMQ-LOG-025
      - id: body
        type:
          switch-on: kind
          cases:
            action_kind::insert: insert
            action_kind::update: update
            action_kind::delete: delete
            action_kind::portion: any_portion(_io.pos)
        doc: Its fields.
        -requirement: SMQ-LOG-102
  insert:
    doc: A page is taken into use.
    -requirement: SMQ-LOG-103
    seq:
      - id: page
        type: s4
        valid:
          min: 0
        doc: The page.
        -requirement: SMQ-LOG-103
  update:
    doc: A whole page is replaced. No known writer does so.
    -requirement: SMQ-LOG-104
    seq:
      - id: before
        type: picture
        doc: What it was.
        -requirement: SMQ-LOG-104
      - id: after
        type: picture
        doc: What it becomes.
        -requirement: SMQ-LOG-104
  picture:
    doc: A whole page.
    -requirement: SMQ-LOG-104
    seq:
      - id: page
        type: s4
        valid:
          min: 0
        doc: The page.
        -requirement: SMQ-LOG-104
      - id: changed
        type: u1
        -orig-id: dirty
        doc: It is ignored.
        -requirement: SMQ-LOG-104
      - id: empty
        type: u1
        doc: Not 0, the page is free.
        -requirement: SMQ-LOG-104
      - id: whole
        size: _root.page_size
        if: empty == 0
        doc: The page.
        -requirement: SMQ-LOG-104
  delete:
    doc: A page is given back.
    -requirement: SMQ-LOG-105
    seq:
      - id: page
        type: s4
        valid:
          min: 0
        doc: The page.
        -requirement: SMQ-LOG-105
      - id: length
        type: s4
        doc: How many bytes follow.
        -requirement: SMQ-LOG-105
      - id: before
        size: length
        doc: What was in use of the page.
        -requirement: SMQ-LOG-105
  any_portion:
    doc: Bytes of a page change.
    -requirement: SMQ-LOG-106
    params:
      - id: start
        type: s8
        doc: The offset of the action's body.
    seq:
      - id: body
        type:
          switch-on: has_before
          cases:
            1: portion
            _: new_portion
        doc: The fields.
        -requirement: SMQ-LOG-106
    instances:
      has_before:
        pos: start + 8
        type: u1
        if: _io.size - start >= 9
        doc: Whether the old bytes are stored.
        -requirement: SMQ-LOG-031
  portion:
    doc: Bytes of a page change, and the old bytes are stored.
    -requirement: SMQ-LOG-106
    seq:
      - id: page
        type: s4
        valid:
          min: 0
        doc: The page.
        -requirement: SMQ-LOG-106
      - id: offset
        type: s4
        valid:
          min: 0
        doc: Where in the page.
        -requirement: SMQ-LOG-106
      - id: has_before
        type: u1
        valid:
          min: 1
          max: 1
        doc: The old bytes follow. With any other value, the action is a new_portion.
        -requirement: SMQ-LOG-031
      - id: before_length
        type: s4
        doc: How many bytes they were.
        -requirement: SMQ-LOG-106
      - id: before
        size: before_length
        doc: What they were.
        -requirement: SMQ-LOG-106
      - id: after_length
        type: s4
        doc: How many bytes they become.
        -requirement: SMQ-LOG-106
      - id: after
        size: after_length
        doc: What they become; of the first byte of a page this says nothing.
        -requirement:
          - SMQ-LOG-106
          - SMQ-LOG-030
  new_portion:
    doc: Bytes of a page that had none before.
    -requirement: SMQ-LOG-106
    seq:
      - id: page
        type: s4
        valid:
          min: 0
        doc: The page.
        -requirement: SMQ-LOG-106
      - id: offset
        type: s4
        valid:
          min: 0
        doc: Where in the page.
        -requirement: SMQ-LOG-106
      - id: has_before
        type: u1
        doc: Written as 0; a reader takes all but 1 for it.
        -requirement: SMQ-LOG-031
      - id: after_length
        type: s4
        doc: How many bytes they become.
        -requirement: SMQ-LOG-106
      - id: after
        size: after_length
        doc: What they become; of the first byte of a page this says nothing.
        -requirement:
          - SMQ-LOG-106
          - SMQ-LOG-030
  index_header:
    doc: How a page of an index begins.
    -requirement: SMQ-IDX-101
    seq:
      - id: empty
        type: u1
        valid:
          min: 0
          max: 1
        doc: Written as 0 or 1; a reader takes all but 1 for a page in use.
        -requirement:
          - SMQ-PAG-005
          - SMQ-PAG-101
      - id: prev
        type: s4
        doc: The page before it in the same index, or -1.
        -requirement: SMQ-IDX-101
      - id: next
        type: s4
        doc: The page after it, or -1.
        -requirement: SMQ-IDX-101
      - id: slots
        type: s4
        valid:
          min: 0
        -orig-id: nEntries
        doc: How many entries there are.
        -requirement: SMQ-IDX-101
      - id: valid
        type: s4
        valid:
          min: 0
        -orig-id: nValid
        doc: How many of them are valid.
        -requirement: SMQ-IDX-014
  root_page:
    doc: A page of the root index.
    -requirement: SMQ-IDX-101
    seq:
      - id: header
        type: index_header
        doc: How it begins.
        -requirement: SMQ-IDX-101
      - id: entries
        type: root_entry
        repeat: expr
        repeat-expr: header.slots
        doc: Queues, by name.
        -requirement: SMQ-IDX-105
      - id: rest
        size-eos: true
        doc: Anything.
        -requirement: SMQ-IDX-013
  root_entry:
    doc: A queue.
    -requirement: SMQ-IDX-102
    seq:
      - id: valid
        type: u1
        doc: 1, or the entry says nothing.
        -requirement: SMQ-IDX-011
      - id: name_length
        type: s4
        doc: The number of bytes of the name.
        -requirement: SMQ-IDX-102
      - id: name
        size: name_length
        doc: The name, in the character set of the writer's machine.
        -requirement: SMQ-ENC-018
      - id: head
        type: s4
        -orig-id: rootPageNo
        doc: The first page of its index.
        -requirement: SMQ-IDX-102
      - id: padding
        size: 4
        doc: It is ignored.
        -requirement: SMQ-IDX-012
  queue_page:
    doc: A page of the index of a queue.
    -requirement: SMQ-IDX-101
    seq:
      - id: header
        type: index_header
        doc: How it begins.
        -requirement: SMQ-IDX-101
      - id: entries
        type: queue_entry
        repeat: expr
        repeat-expr: header.slots
        doc: Messages, by key.
        -requirement: SMQ-IDX-015
      - id: rest
        size-eos: true
        doc: Anything.
        -requirement: SMQ-IDX-013
  queue_entry:
    doc: A message of a queue.
    -requirement: SMQ-IDX-103
    seq:
      - id: valid
        type: u1
        doc: 1, or the entry says nothing.
        -requirement: SMQ-IDX-011
      - id: priority
        type: s4
        doc: The priority.
        -requirement: SMQ-IDX-103
      - id: deliveries
        type: s4
        -orig-id: deliveryCount
        doc: How often it was delivered.
        -requirement: SMQ-IDX-103
      - id: expiration
        type: s8
        -orig-id: expirationTime
        doc: When it expires, in milliseconds.
        -requirement: SMQ-IDX-103
      - id: key
        type: s8
        doc: The key.
        -requirement: SMQ-IDX-103
      - id: page
        type: s4
        -orig-id: rootPageNo
        doc: The first page of the message.
        -requirement: SMQ-IDX-103
      - id: padding
        size: 4
        doc: It is ignored.
        -requirement: SMQ-IDX-012
  message_page:
    doc: A page of a message. The bytes after those in use can be anything.
    -requirement: SMQ-MSG-101
    seq:
      - id: empty
        type: u1
        valid:
          min: 0
          max: 1
        doc: Written as 0 or 1; a reader takes all but 1 for a page in use.
        -requirement:
          - SMQ-PAG-005
          - SMQ-PAG-101
      - id: prev
        type: s4
        doc: The page before it in the same message, or -1.
        -requirement: SMQ-MSG-101
      - id: next
        type: s4
        doc: The page after it, or -1.
        -requirement: SMQ-MSG-101
      - id: length
        type: s4
        valid:
          min: 13
        doc: How many bytes of the page are in use, these 13 included.
        -requirement: SMQ-MSG-017
      - id: slice
        size: length - 13
        doc: A part of the serialised message.
        -requirement: SMQ-MSG-101
  swap_file:
    doc: A swap file, entry by entry.
    -requirement: SMQ-SWP-101
    seq:
      - id: entries
        type: swap_entry
        repeat: eos
        doc: Messages that were swapped out.
        -requirement: SMQ-SWP-101
  swap_entry:
    doc: A message that was swapped out.
    -requirement: SMQ-SWP-101
    seq:
      - id: length
        type: s4
        valid:
          min: 4
        doc: How many bytes follow.
        -requirement: SMQ-SWP-101
      - id: deliveries
        type: s4
        -orig-id: deliveryCount
        doc: How often it was delivered.
        -requirement: SMQ-SWP-102
      - id: message
        size: length - 4
        doc: The serialised message.
        -requirement: SMQ-SWP-101
enums:
  action_kind:
    1:
      id: insert
      -orig-id: INSERT
      doc: A page is taken into use.
    2:
      id: update
      -orig-id: UPDATE
      doc: A whole page is replaced.
    3:
      id: delete
      -orig-id: DELETE
      doc: A page is given back.
    4:
      id: portion
      -orig-id: UPDATE_PORTION
      doc: Bytes of a page change.
