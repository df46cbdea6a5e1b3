meta:
  id: kahadb_journal_zero
  title: KahaDB journal data file, ends in zeros
  application: Apache ActiveMQ 5.3 to 5.13, KahaDB
  file-extension: log
  license: CC0-1.0
  ks-version: 0.9
  encoding: ASCII
  endian: be
doc: |
  One data file of the journal of ActiveMQ's message store KahaDB before 5.14:
  batches of records, and zeros after them.

  This describes an undamaged file. It finds faults in the lengths and constants
  of batches and records. The log ends at the first place that does not begin with the length of a
  control record; this schema does not decide whether an end marker or damage is there. Nor does it
  verify checksums, look for batches after damage, or give the effect of the commands.
doc-ref:
  - https://github.com/apache/activemq/blob/activemq-5.13.5/activemq-kahadb-store/src/main/java/org/apache/activemq/store/kahadb/disk/journal/Journal.java
-requirement:
  - KHD-FIL-001
  - KHD-SCN-001
seq:
  - id: slots
    type: slot(_io.pos)
    repeat: until
    repeat-until: not _.is_batch
    doc: The log, batch by batch, from the start of the file; the last slot is empty.
    -requirement: KHD-SCN-001
  - id: end_marker
    size: 5
    if: _io.size - _io.pos >= 5
    doc: Zeros; five were written after a batch from 5.12 on, and 5.3 extends the file with them.
    -requirement:
      - KHD-END-002
      - KHD-END-003
      - KHD-END-006
  - id: rest
    size-eos: true
    doc: Space that was set aside, or what an older log of the file has left there. It has no meaning.
    -requirement: KHD-PRE-003
types:
  slot:
    doc: A place where a batch would begin. One of no bytes, with the checksum 0 or 1, is the end of the log; with any other checksum it is a fault.
    -requirement:
      - KHD-END-007
      - KHD-END-009
    params:
      - id: start
        type: s8
        doc: The offset of the slot.
    seq:
      - id: batch
        type: batch
        if: is_batch
        doc: The batch, if one begins here.
        -requirement: KHD-BAT-005
    instances:
      room:
        value: _io.size - start
        doc: The bytes up to the end of the file.
        -requirement: KHD-END-004
      next_length:
        pos: start
        type: s4
        if: room >= 28
        doc: The length of the control record here, if there is room for one.
        -requirement: KHD-END-004
      next_size:
        pos: start + 16
        type: s4
        if: room >= 28
        doc: The batch size here.
        -requirement: KHD-END-009
      next_checksum:
        pos: start + 20
        type: s8
        if: room >= 28
        doc: The checksum here.
        -requirement: KHD-END-009
      is_batch:
        value: room >= 28 and next_length == 28 and (next_size != 0 or (next_checksum != 0 and next_checksum != 1))
        doc: Whether a batch begins here.
        -requirement:
          - KHD-END-005
          - KHD-END-007
          - KHD-END-009
          - KHD-END-010
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
        -requirement: KHD-BAT-002
      - id: record_type
        contents: [2]
        -orig-id: BATCH_CONTROL_RECORD_TYPE
        doc: 2 says that this is a control record.
        -requirement: KHD-BAT-002
      - id: magic
        contents: WRITE BATCH
        -orig-id: BATCH_CONTROL_RECORD_MAGIC
        doc: The mark of a control record, by which it is found after damage.
        -requirement: KHD-BAT-003
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
      - id: command
        type: u1
        enum: command
        if: length >= 6
        -orig-id: KahaEntryType
        doc: Which command of the message store this is.
        -requirement: KHD-CMD-001
      - id: frame
        size: length - 6
        if: length >= 6
        doc: The length of the command's message as a varint, and the message.
        -requirement: KHD-CMD-001
enums:
  command:
    0:
      id: trace
      doc: A note without effect.
      -orig-id: KAHA_TRACE_COMMAND
    1:
      id: add_message
      doc: A message arrives.
      -orig-id: KAHA_ADD_MESSAGE_COMMAND
    2:
      id: remove_message
      doc: A message is acknowledged.
      -orig-id: KAHA_REMOVE_MESSAGE_COMMAND
    3:
      id: prepare
      doc: A transaction is in doubt.
      -orig-id: KAHA_PREPARE_COMMAND
    4:
      id: commit
      doc: A transaction took place.
      -orig-id: KAHA_COMMIT_COMMAND
    5:
      id: rollback
      doc: A transaction did not take place.
      -orig-id: KAHA_ROLLBACK_COMMAND
    6:
      id: remove_destination
      doc: A destination is removed.
      -orig-id: KAHA_REMOVE_DESTINATION_COMMAND
    7:
      id: subscription
      doc: A durable subscription begins or ends.
      -orig-id: KAHA_SUBSCRIPTION_COMMAND
    8:
      id: producer_audit
      doc: The known facts about producers.
      -orig-id: KAHA_PRODUCER_AUDIT_COMMAND
    9:
      id: ack_message_file_map
      doc: Which files acknowledgements refer to.
      -orig-id: KAHA_ACK_MESSAGE_FILE_MAP_COMMAND
    10:
      id: update_message
      doc: A message changes.
      -orig-id: KAHA_UPDATE_MESSAGE_COMMAND
    11:
      id: add_scheduled_job
      doc: A job of the scheduler.
      -orig-id: KAHA_ADD_SCHEDULED_JOB_COMMAND
    12:
      id: reschedule_job
      doc: A job gets another time.
      -orig-id: KAHA_RESCHEDULE_JOB_COMMAND
    13:
      id: remove_scheduled_job
      doc: A job is removed.
      -orig-id: KAHA_REMOVE_SCHEDULED_JOB_COMMAND
    14:
      id: remove_scheduled_jobs
      doc: The jobs of a range of time are removed.
      -orig-id: KAHA_REMOVE_SCHEDULED_JOBS_COMMAND
    15:
      id: destroy_scheduler
      doc: A scheduler is removed.
      -orig-id: KAHA_DESTROY_SCHEDULER_COMMAND
    16:
      id: rewritten_data_file
      doc: The file with this record repeats another one.
      -orig-id: KAHA_REWRITTEN_DATA_FILE_COMMAND
