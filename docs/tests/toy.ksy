meta:
  id: toy
  title: A toy
  endian: le
doc: |
  First paragraph,
  same one.

  Second one.
seq:
  - id: magic
    contents: TOY!
    -requirement: TOY-HDR-001
  - id: entry
    type: entry
  - id: rest
    size-eos: true
types:
  entry:
    seq:
      - id: kind
        type: u1
        enum: kind
        -orig-id: entryKind
      - id: len_body
        type: u2
        valid:
          max: 900
      - id: body
        size: len_body - 3
        type: body
      - id: pairs
        type: pair
        repeat: expr
        repeat-expr: 4
      - id: crc
        type: u4
        -role: check
    instances:
      total:
        value: len_body + 7
        doc: All of it.
  body:
    seq:
      - id: flag
        type: u1
        if: _parent.kind == kind::b
      - id: text
        type: strz
        encoding: ASCII
  pair:
    seq:
      - id: a
        type: s4
      - id: b
        type: f8
enums:
  kind:
    1: a
    0x10:
      id: b
      doc: The other one.
      -orig-id: KIND_B
