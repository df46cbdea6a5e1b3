meta:
  id: bitronix_tlog_seed
  title: Bitronix transaction log, as its class comment describes it
  application: none known
  license: CC0-1.0
  ks-version: 0.9
  encoding: ASCII
  endian: be
doc: |
  The record format that the comment of the class TransactionLogRecord
  describes, read literally. No product writes such files: the products put a
  header before the records, and store 28 where this text says 16. It is kept
  apart so that nothing of the text has to be bent to fit the products' bytes.

  Byte order and the value of the end indicator are not in that text; they are
  taken from the products.
doc-ref: Javadoc of bitronix.tm.journal.TransactionLogRecord, as published with mule-btm 3.0.0
-requirement: BTM-SED-001
seq:
  - id: records
    type: record
    repeat: eos
    doc: Back to back from the first byte of the file to its last.
    -requirement:
      - BTM-SED-001
      - BTM-SED-003
      - BTM-SED-009
types:
  record:
    doc: A log record whose header may grow in later editions.
    -requirement:
      - BTM-SED-002
      - BTM-SED-007
    seq:
      - id: status
        type: s4
        enum: status
        -orig-id: RECORD_TYPE
        doc: Passed in by the transaction manager.
        -requirement: BTM-SED-002
      - id: record_length
        type: s4
        valid:
          min: 29
        -orig-id: RECORD_LEN
        doc: Length of the record without this field and the one before.
        -requirement: BTM-SED-003
      - id: header_length
        type: s4
        valid:
          min: 16
          max: record_length - 13
        -orig-id: HEADER_LEN
        doc: Length of the rest of the header, after this field.
        -requirement:
          - BTM-SED-004
          - BTM-SED-005
          - BTM-SED-006
      - id: time
        type: s8
        -orig-id: System.currentTimeMillis
        doc: Milliseconds since 1970.
        -requirement: BTM-SED-002
      - id: sequence_number
        type: s4
        -orig-id: Sequence number
        doc: From a generator that is unique to the process and only rises.
        -requirement: BTM-SED-002
      - id: crc32
        type: u4
        -orig-id: Checksum
        doc: Optional for the paranoid, says the text, and not over what.
        -requirement: BTM-SED-008
      - id: extension
        size: header_length - 16
        doc: Header fields of an edition yet to come; skipped.
        -requirement: BTM-SED-005
      - id: payload
        size: record_length - header_length - 8
        type: payload
        doc: Which transaction, and which of its resources.
        -requirement: BTM-SED-005
      - id: end_record
        contents: xntB
        -orig-id: END_RECORD_INDICATOR
        doc: An extra detector of corruption, with suspenders and belt.
        -requirement: BTM-SED-007
    instances:
      len_total:
        value: record_length + 8
        doc: Bytes that the record occupies in the file.
        -requirement: BTM-SED-003
  payload:
    doc: The transaction's id and the names of its data sources.
    -requirement: BTM-SED-002
    seq:
      - id: gtrid_length
        type: u1
        valid:
          max: 127
        -orig-id: GTRID LENGTH
        doc: Length of the global transaction id.
        -requirement: BTM-SED-002
      - id: gtrid
        size: gtrid_length
        -orig-id: GTRID
        doc: Global transaction id.
        -requirement: BTM-SED-002
      - id: names_count
        type: s4
        valid:
          min: 0
        -orig-id: UNIQUE NAMES COUNT
        doc: Number of names that follow.
        -requirement: BTM-SED-002
      - id: names
        type: unique_name
        repeat: expr
        repeat-expr: names_count
        doc: Names of the XA data sources used in the transaction.
        -requirement: BTM-SED-002
      - id: surplus
        size-eos: true
        valid:
          eq: '[].as<bytes>'
        doc: Nothing may be left between the last name and the end indicator.
        -requirement: BTM-SED-003
  unique_name:
    doc: The name of an XA data source.
    -requirement: BTM-SED-002
    seq:
      - id: length
        type: u2
        valid:
          max: 32767
        -orig-id: UNIQUE NAME LENGTH
        doc: Length of the name; the text counts characters.
        -requirement: BTM-SED-002
      - id: name
        size: length
        -orig-id: UNIQUE NAME
        doc: The text names no charset; US-ASCII, one byte for a character.
        -requirement: BTM-SED-002
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
