meta:
  id: toy_sixth
  title: Toy journal
  license: CC0-1.0
  ks-version: 0.9
  encoding: ISO-8859-1
seq:
  - id: magic
    contents: TOY6
  - id: notes
    type: note
    repeat: eos
types:
  note:
    -requirement: TOY-REC-001
    seq:
      - id: len_text
        type: u1
      - id: text
        type: str
        size: len_text
      - id: exclusive_or
        type: u1
        doc: Of the bytes of the text.
