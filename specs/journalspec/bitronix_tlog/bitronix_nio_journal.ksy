meta:
  id: bitronix_nio_journal
  title: Bitronix experimental nio journal
  application: Bitronix Transaction Manager, module btm-nio-journal (never released)
  file-extension: tlog
  license: CC0-1.0
  ks-version: 0.9
  encoding: ISO-8859-1
  endian: be
doc: |
  The single file of an experimental journal that was removed before any
  release. It is written round and round; every generation has a random delimiter, and
  a record belongs to the generation whose delimiter it carries. There is no tail.

  This describes the header, and the records that follow it without a gap. The bytes after them (the
  rest of the previous generation, cut anywhere, and fill) have to be searched for the start of a frame,
  and checksums have to be verified. This language can express neither: use the type `frame` at the
  places found.
doc-ref: https://github.com/bitronix/btm/tree/497e884f1b8d7a3ac72d76b9ee422fcf0be6c04b/btm-nio-journal
-requirement: BTM-NIO-003
seq:
  - id: header
    type: file_header
    doc: The 442 bytes that are used of the 1024 reserved.
    -requirement:
      - BTM-NIO-003
      - BTM-NIO-004
  - id: reserved
    size: 582
    if: _io.size >= 1024
    doc: Never written; zeros in a new file. Absent if the file ends before the first frame.
    -requirement: BTM-NIO-003
  - id: slots
    type: slot(_io.pos)
    -role: payload
    repeat: until
    repeat-until: not _.is_frame
    doc: Frames without a gap; the last slot is empty and lies where no frame starts.
    -requirement:
      - BTM-NIO-009
      - BTM-NIO-010
  - id: rest
    size-eos: true
    doc: The rest of the previous generation, and fill (zeros, or spaces once the file has wrapped).
    -requirement: BTM-NIO-010
types:
  file_header:
    doc: The banner is compared byte for byte when the file is opened.
    -requirement: BTM-NIO-003
    seq:
      - id: banner
        contents:
          - "BTM-NTJ-[Version 1.0]\r\n\r\n"
          - "--------- Bitronix Transaction Manager :: Nio Transaction Journal File ---------\r\n\r\n"
          - "    This is a delimiter based rolling binary file format belonging to BTM.\r\n"
          - "    The purpose of this file is to persist JTA transaction states for \r\n"
          - "    providing crash recovery on broken commits and rollbacks.\r\n\r\n"
          - "--------------------------------------------------------------------------------\r\n\r\n"
        doc: 406 bytes of text.
        -requirement:
          - BTM-NIO-001
          - BTM-NIO-002
          - BTM-NIO-004
      - id: previous_delimiter
        size: 16
        doc: The delimiter of the previous generation (a random UUID).
        -requirement: BTM-NIO-009
      - id: current_delimiter
        size: 16
        doc: The delimiter of this generation (a random UUID).
        -requirement: BTM-NIO-009
      - id: separator
        contents: [0x0d, 0x0a, 0x0d, 0x0a]
        doc: CR LF CR LF.
        -requirement: BTM-NIO-004
  slot:
    doc: A place where a frame may start.
    -requirement: BTM-NIO-010
    params:
      - id: start
        type: s8
        doc: The offset of the slot.
    seq:
      - id: frame
        type: frame
        if: is_frame
        doc: The frame, if one starts here.
        -requirement: BTM-NIO-005
    instances:
      room:
        value: _io.size - start
      head:
        pos: start
        size: 5
        if: room >= 5
      is_frame:
        value: '(room >= 5) and (head == [0x0d, 0x0a, 0x4c, 0x52, 0x5b])'
  frame:
    doc: A record in its frame; 49 bytes longer than its payload.
    -requirement: BTM-NIO-005
    seq:
      - id: frame_start
        contents: [0x0d, 0x0a, 'LR[']
        doc: CR LF and the text `LR[`, by which a reader finds frames.
        -requirement:
          - BTM-NIO-005
          - BTM-NIO-010
      - id: delimiter
        size: 16
        doc: The delimiter that was current when the frame was written.
        -requirement:
          - BTM-NIO-006
          - BTM-NIO-009
      - id: payload_length
        type: u4
        valid:
          max: 65536
        doc: Length of the payload.
        -requirement: BTM-NIO-006
      - id: crc32
        type: u4
        doc: CRC-32 of the payload and of nothing else.
        -requirement: BTM-NIO-006
      - id: separator
        contents: ']['
        -role: magic
        doc: Ends the frame's head.
        -requirement: BTM-NIO-005
      - id: payload
        size: payload_length
        type: payload
        doc: The record itself.
        -requirement: BTM-NIO-007
      - id: trailer
        contents: ']-'
        doc: Begins the frame's tail.
        -requirement: BTM-NIO-005
      - id: trailer_delimiter
        size: 16
        valid:
          eq: delimiter
        doc: The same delimiter as at the start.
        -requirement: BTM-NIO-006
  payload:
    doc: One change of state of one transaction.
    -requirement: BTM-NIO-007
    seq:
      - id: tag
        size: 6
        -role: type
        doc: The status for human eyes, such as `8-COM:`; ignored.
        -requirement: BTM-NIO-011
      - id: status
        type: s4
        enum: status
        doc: The record's type, a constant of javax.transaction.Status.
        -requirement:
          - BTM-NIO-007
          - BTM-NIO-011
      - id: record_length
        type: s4
        doc: Length of the payload when it was first written; not corrected when names were taken away.
        -requirement: BTM-NIO-008
      - id: time
        type: s8
        doc: Milliseconds since 1970.
        -requirement: BTM-NIO-007
      - id: sequence_number
        type: s8
        doc: Counts the records of one run of the writer.
        -requirement: BTM-NIO-007
      - id: rolled_over
        type: u1
        doc: 1 in a record that was carried over into a new generation.
        -requirement: BTM-NIO-007
      - id: gtrid_length
        type: u1
        doc: Length of the global transaction id.
        -requirement: BTM-NIO-007
      - id: gtrid
        size: gtrid_length
        doc: Global transaction id.
        -requirement: BTM-NIO-007
      - id: names_count
        type: s2
        valid:
          min: 0
        doc: Number of names that follow.
        -requirement: BTM-NIO-007
      - id: names
        type: unique_name
        repeat: expr
        repeat-expr: names_count
        doc: The resources, in no particular order.
        -requirement: BTM-NIO-007
      - id: padding
        size-eos: true
        doc: If names were removed, the rest of the old length.
        -requirement:
          - BTM-NIO-008
          - BTM-NIO-012
  unique_name:
    doc: The name under which a resource was registered with the transaction manager.
    -requirement: BTM-NIO-007
    seq:
      - id: length
        type: u2
        valid:
          max: 32767
        doc: Length of the name.
        -requirement: BTM-NIO-007
      - id: name
        type: str
        size: length
        encoding: ISO-8859-1
        doc: Every byte is one character.
        -requirement: BTM-NIO-007
enums:
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
