meta:
  id: kahadb_command
  title: KahaDB command
  application: Apache ActiveMQ, KahaDB
  license: CC0-1.0
  ks-version: 0.9
  encoding: UTF-8
  endian: be
doc: |
  The payload of one record of the KahaDB message store: the number of a command,
  the length of its message, and the message, in the wire format of Protocol
  Buffers 2. Fields of a message come in any number and order; unknown fields, and bytes after the
  message, are not described here.
doc-ref:
  - https://github.com/apache/activemq/blob/activemq-5.17.6/activemq-kahadb-store/src/main/proto/journal-data.proto
-requirement:
  - KHD-CMD-001
seq:
  - id: command
    type: u1
    enum: command
    doc: Which command this is.
    -requirement: KHD-CMD-001
  - id: size
    type: varint
    doc: The number of bytes of the message.
    -requirement: KHD-CMD-001
  - id: body
    size: size.amount
    type:
      switch-on: command
      cases:
        command::trace: trace
        command::add_message: add_message
        command::remove_message: remove_message
        command::prepare: prepare
        command::commit: commit
        command::rollback: rollback
        command::remove_destination: remove_destination
        command::subscription: subscription
        command::producer_audit: producer_audit
        command::ack_message_file_map: ack_message_file_map
        command::update_message: update_message
        command::add_scheduled_job: add_scheduled_job
        command::reschedule_job: reschedule_job
        command::remove_scheduled_job: remove_scheduled_job
        command::remove_scheduled_jobs: remove_scheduled_jobs
        command::destroy_scheduler: destroy_scheduler
        command::rewritten_data_file: rewritten_data_file
    doc: The message.
    -requirement: KHD-CMD-001
types:
  varint:
    doc: An unsigned number, seven bits in each byte, the lowest first.
    -requirement: KHD-CMD-001
    seq:
      - id: groups
        type: u1
        repeat: until
        repeat-until: _ < 128
        doc: Seven bits each; all but the last have their highest bit set.
        -requirement: KHD-CMD-001
    instances:
      high:
        value: '(((((((((groups.size > 9 ? ((groups[9] & 1).as<s8> * -1).as<s8> : (0).as<s8>).as<s8> * 128).as<s8> + (groups.size > 8 ? (groups[8] & 127).as<s8> : (0).as<s8>).as<s8>).as<s8> * 128).as<s8> + (groups.size > 7 ? (groups[7] & 127).as<s8> : (0).as<s8>).as<s8>).as<s8> * 128).as<s8> + (groups.size > 6 ? (groups[6] & 127).as<s8> : (0).as<s8>).as<s8>).as<s8> * 128).as<s8> + (groups.size > 5 ? (groups[5] & 127).as<s8> : (0).as<s8>).as<s8>).as<s8>'
        doc: The number without its lowest 35 bits, in two's complement.
        -requirement: KHD-CMD-001
      amount:
        value: '((((((((((high * 128).as<s8> + (groups.size > 4 ? (groups[4] & 127).as<s8> : (0).as<s8>).as<s8>).as<s8> * 128).as<s8> + (groups.size > 3 ? (groups[3] & 127).as<s8> : (0).as<s8>).as<s8>).as<s8> * 128).as<s8> + (groups.size > 2 ? (groups[2] & 127).as<s8> : (0).as<s8>).as<s8>).as<s8> * 128).as<s8> + (groups.size > 1 ? (groups[1] & 127).as<s8> : (0).as<s8>).as<s8>).as<s8> * 128).as<s8> + (groups.size > 0 ? (groups[0] & 127).as<s8> : (0).as<s8>).as<s8>).as<s8>'
        doc: The number, 64 bits in two's complement.
        -requirement: KHD-CMD-001
  sized:
    doc: Bytes with their number in front.
    -requirement: KHD-CMD-004
    seq:
      - id: size
        type: varint
        doc: How many there are.
        -requirement: KHD-CMD-004
      - id: value
        size: size.amount
        doc: The bytes; a text is UTF-8.
        -requirement: KHD-CMD-004
  sized_transaction:
    doc: A message with its number of bytes in front.
    -requirement: KHD-CMD-005
    seq:
      - id: size
        type: varint
        doc: How many bytes it has.
        -requirement: KHD-CMD-005
      - id: value
        size: size.amount
        type: transaction
        doc: The message.
        -requirement: KHD-CMD-005
  sized_local:
    doc: A message with its number of bytes in front.
    -requirement: KHD-CMD-005
    seq:
      - id: size
        type: varint
        doc: How many bytes it has.
        -requirement: KHD-CMD-005
      - id: value
        size: size.amount
        type: local
        doc: The message.
        -requirement: KHD-CMD-005
  sized_xa:
    doc: A message with its number of bytes in front.
    -requirement: KHD-CMD-005
    seq:
      - id: size
        type: varint
        doc: How many bytes it has.
        -requirement: KHD-CMD-005
      - id: value
        size: size.amount
        type: xa
        doc: The message.
        -requirement: KHD-CMD-005
  sized_location:
    doc: A message with its number of bytes in front.
    -requirement: KHD-CMD-005
    seq:
      - id: size
        type: varint
        doc: How many bytes it has.
        -requirement: KHD-CMD-005
      - id: value
        size: size.amount
        type: location
        doc: The message.
        -requirement: KHD-CMD-005
  sized_destination:
    doc: A message with its number of bytes in front.
    -requirement: KHD-CMD-005
    seq:
      - id: size
        type: varint
        doc: How many bytes it has.
        -requirement: KHD-CMD-005
      - id: value
        size: size.amount
        type: destination
        doc: The message.
        -requirement: KHD-CMD-005
  sized_add_message:
    doc: A message with its number of bytes in front.
    -requirement: KHD-CMD-005
    seq:
      - id: size
        type: varint
        doc: How many bytes it has.
        -requirement: KHD-CMD-005
      - id: value
        size: size.amount
        type: add_message
        doc: The message.
        -requirement: KHD-CMD-005
  trace:
    doc: A note without effect.
    -requirement: KHD-CMD-005
    seq:
      - id: fields
        type: trace_field
        repeat: eos
        doc: Its fields, in any order.
        -requirement: KHD-CMD-005
  trace_field:
    doc: One field of trace.
    -requirement: KHD-CMD-005
    seq:
      - id: key
        type: u1
        doc: Eight times the number of the field, and how it is stored.
        -requirement: KHD-CMD-005
      - id: text
        type: sized
        if: key == 10
        doc: The note.
        -requirement: KHD-CMD-005
  add_message:
    doc: A message arrives.
    -requirement: KHD-CMD-005
    seq:
      - id: fields
        type: add_message_field
        repeat: eos
        doc: Its fields, in any order.
        -requirement: KHD-CMD-005
  add_message_field:
    doc: One field of add_message.
    -requirement: KHD-CMD-005
    seq:
      - id: key
        type: u1
        doc: Eight times the number of the field, and how it is stored.
        -requirement: KHD-CMD-005
      - id: transaction
        type: sized_transaction
        if: key == 10
        doc: The transaction that the command belongs to.
        -requirement: KHD-TXN-001
      - id: destination
        type: sized_destination
        if: key == 18
        doc: The destination that it is about.
        -requirement: KHD-CMD-005
      - id: message_id
        type: sized
        if: key == 26
        doc: The message that it is about.
        -requirement: KHD-CMD-005
      - id: message
        type: sized
        if: key == 34
        doc: The message, in the broker's own encoding.
        -requirement: KHD-CMD-005
      - id: priority
        type: varint
        if: key == 40
        doc: Its priority; 4 if there is none.
        -requirement: KHD-CMD-005
      - id: priority_supported
        type: varint
        if: key == 48
        doc: Whether the priority orders the messages.
        -requirement: KHD-CMD-005
  remove_message:
    doc: A message is acknowledged.
    -requirement: KHD-CMD-005
    seq:
      - id: fields
        type: remove_message_field
        repeat: eos
        doc: Its fields, in any order.
        -requirement: KHD-CMD-005
  remove_message_field:
    doc: One field of remove_message.
    -requirement: KHD-CMD-005
    seq:
      - id: key
        type: u1
        doc: Eight times the number of the field, and how it is stored.
        -requirement: KHD-CMD-005
      - id: transaction
        type: sized_transaction
        if: key == 10
        doc: The transaction that the command belongs to.
        -requirement: KHD-TXN-001
      - id: destination
        type: sized_destination
        if: key == 18
        doc: The destination that it is about.
        -requirement: KHD-CMD-005
      - id: message_id
        type: sized
        if: key == 26
        doc: The message that it is about.
        -requirement: KHD-CMD-005
      - id: ack
        type: sized
        if: key == 34
        doc: The acknowledgement, in the broker's own encoding.
        -requirement: KHD-CMD-005
      - id: subscription_key
        type: sized
        if: key == 42
        doc: The subscription.
        -requirement: KHD-CMD-005
  prepare:
    doc: A transaction is in doubt.
    -requirement: KHD-CMD-005
    seq:
      - id: fields
        type: prepare_field
        repeat: eos
        doc: Its fields, in any order.
        -requirement: KHD-CMD-005
  prepare_field:
    doc: One field of prepare.
    -requirement: KHD-CMD-005
    seq:
      - id: key
        type: u1
        doc: Eight times the number of the field, and how it is stored.
        -requirement: KHD-CMD-005
      - id: transaction
        type: sized_transaction
        if: key == 10
        doc: The transaction that the command belongs to.
        -requirement: KHD-TXN-001
  commit:
    doc: A transaction took place.
    -requirement: KHD-CMD-005
    seq:
      - id: fields
        type: commit_field
        repeat: eos
        doc: Its fields, in any order.
        -requirement: KHD-CMD-005
  commit_field:
    doc: One field of commit.
    -requirement: KHD-CMD-005
    seq:
      - id: key
        type: u1
        doc: Eight times the number of the field, and how it is stored.
        -requirement: KHD-CMD-005
      - id: transaction
        type: sized_transaction
        if: key == 10
        doc: The transaction that the command belongs to.
        -requirement: KHD-TXN-001
  rollback:
    doc: A transaction did not take place.
    -requirement: KHD-CMD-005
    seq:
      - id: fields
        type: rollback_field
        repeat: eos
        doc: Its fields, in any order.
        -requirement: KHD-CMD-005
  rollback_field:
    doc: One field of rollback.
    -requirement: KHD-CMD-005
    seq:
      - id: key
        type: u1
        doc: Eight times the number of the field, and how it is stored.
        -requirement: KHD-CMD-005
      - id: transaction
        type: sized_transaction
        if: key == 10
        doc: The transaction that the command belongs to.
        -requirement: KHD-TXN-001
  remove_destination:
    doc: A destination is removed.
    -requirement: KHD-CMD-005
    seq:
      - id: fields
        type: remove_destination_field
        repeat: eos
        doc: Its fields, in any order.
        -requirement: KHD-CMD-005
  remove_destination_field:
    doc: One field of remove_destination.
    -requirement: KHD-CMD-005
    seq:
      - id: key
        type: u1
        doc: Eight times the number of the field, and how it is stored.
        -requirement: KHD-CMD-005
      - id: destination
        type: sized_destination
        if: key == 10
        doc: The destination that it is about.
        -requirement: KHD-CMD-005
  subscription:
    doc: A durable subscription begins or ends.
    -requirement: KHD-CMD-005
    seq:
      - id: fields
        type: subscription_field
        repeat: eos
        doc: Its fields, in any order.
        -requirement: KHD-CMD-005
  subscription_field:
    doc: One field of subscription.
    -requirement: KHD-CMD-005
    seq:
      - id: key
        type: u1
        doc: Eight times the number of the field, and how it is stored.
        -requirement: KHD-CMD-005
      - id: destination
        type: sized_destination
        if: key == 10
        doc: The destination that it is about.
        -requirement: KHD-CMD-005
      - id: subscription_key
        type: sized
        if: key == 18
        doc: The subscription.
        -requirement: KHD-CMD-005
      - id: retroactive
        type: varint
        if: key == 24
        doc: Whether existing messages are pending for it as well.
        -requirement: KHD-CMD-005
      - id: subscription_info
        type: sized
        if: key == 34
        doc: The subscription, in the broker's own encoding.
        -requirement: KHD-CMD-005
  producer_audit:
    doc: The known facts about producers.
    -requirement: KHD-CMD-005
    seq:
      - id: fields
        type: producer_audit_field
        repeat: eos
        doc: Its fields, in any order.
        -requirement: KHD-CMD-005
  producer_audit_field:
    doc: One field of producer_audit.
    -requirement: KHD-CMD-005
    seq:
      - id: key
        type: u1
        doc: Eight times the number of the field, and how it is stored.
        -requirement: KHD-CMD-005
      - id: audit
        type: sized
        if: key == 10
        doc: A serialised object of Java.
        -requirement: KHD-CMD-005
  ack_message_file_map:
    doc: Which files acknowledgements refer to.
    -requirement: KHD-CMD-005
    seq:
      - id: fields
        type: ack_message_file_map_field
        repeat: eos
        doc: Its fields, in any order.
        -requirement: KHD-CMD-005
  ack_message_file_map_field:
    doc: One field of ack_message_file_map.
    -requirement: KHD-CMD-005
    seq:
      - id: key
        type: u1
        doc: Eight times the number of the field, and how it is stored.
        -requirement: KHD-CMD-005
      - id: file_map
        type: sized
        if: key == 10
        doc: A serialised map of Java.
        -requirement: KHD-CMD-005
  update_message:
    doc: A message changes.
    -requirement: KHD-CMD-005
    seq:
      - id: fields
        type: update_message_field
        repeat: eos
        doc: Its fields, in any order.
        -requirement: KHD-CMD-005
  update_message_field:
    doc: One field of update_message.
    -requirement: KHD-CMD-005
    seq:
      - id: key
        type: u1
        doc: Eight times the number of the field, and how it is stored.
        -requirement: KHD-CMD-005
      - id: add
        type: sized_add_message
        if: key == 10
        doc: The message as it is now.
        -requirement: KHD-CMD-005
  add_scheduled_job:
    doc: A job of the scheduler.
    -requirement: KHD-CMD-005
    seq:
      - id: fields
        type: add_scheduled_job_field
        repeat: eos
        doc: Its fields, in any order.
        -requirement: KHD-CMD-005
  add_scheduled_job_field:
    doc: One field of add_scheduled_job.
    -requirement: KHD-CMD-005
    seq:
      - id: key
        type: u1
        doc: Eight times the number of the field, and how it is stored.
        -requirement: KHD-CMD-005
      - id: scheduler
        type: sized
        if: key == 10
        doc: The scheduler.
        -requirement: KHD-CMD-005
      - id: job_id
        type: sized
        if: key == 18
        doc: The job.
        -requirement: KHD-CMD-005
      - id: start_time
        type: varint
        if: key == 24
        doc: When it begins.
        -requirement: KHD-CMD-005
      - id: cron_entry
        type: sized
        if: key == 34
        doc: A cron expression.
        -requirement: KHD-CMD-005
      - id: delay
        type: varint
        if: key == 40
        doc: How long it waits, in milliseconds.
        -requirement: KHD-CMD-005
      - id: period
        type: varint
        if: key == 48
        doc: How long between two runs, in milliseconds.
        -requirement: KHD-CMD-005
      - id: repeat
        type: varint
        if: key == 56
        doc: How often it is repeated.
        -requirement: KHD-CMD-005
      - id: job
        type: sized
        if: key == 66
        doc: The message that the job sends.
        -requirement: KHD-CMD-005
      - id: next_execution_time
        type: varint
        if: key == 72
        doc: When it is due.
        -requirement: KHD-CMD-005
  reschedule_job:
    doc: A job gets another time.
    -requirement: KHD-CMD-005
    seq:
      - id: fields
        type: reschedule_job_field
        repeat: eos
        doc: Its fields, in any order.
        -requirement: KHD-CMD-005
  reschedule_job_field:
    doc: One field of reschedule_job.
    -requirement: KHD-CMD-005
    seq:
      - id: key
        type: u1
        doc: Eight times the number of the field, and how it is stored.
        -requirement: KHD-CMD-005
      - id: scheduler
        type: sized
        if: key == 10
        doc: The scheduler.
        -requirement: KHD-CMD-005
      - id: job_id
        type: sized
        if: key == 18
        doc: The job.
        -requirement: KHD-CMD-005
      - id: execution_time
        type: varint
        if: key == 24
        doc: When the job was due.
        -requirement: KHD-CMD-005
      - id: next_execution_time
        type: varint
        if: key == 32
        doc: When it is due.
        -requirement: KHD-CMD-005
      - id: rescheduled_count
        type: varint
        if: key == 40
        doc: How often it was rescheduled.
        -requirement: KHD-CMD-005
  remove_scheduled_job:
    doc: A job is removed.
    -requirement: KHD-CMD-005
    seq:
      - id: fields
        type: remove_scheduled_job_field
        repeat: eos
        doc: Its fields, in any order.
        -requirement: KHD-CMD-005
  remove_scheduled_job_field:
    doc: One field of remove_scheduled_job.
    -requirement: KHD-CMD-005
    seq:
      - id: key
        type: u1
        doc: Eight times the number of the field, and how it is stored.
        -requirement: KHD-CMD-005
      - id: scheduler
        type: sized
        if: key == 10
        doc: The scheduler.
        -requirement: KHD-CMD-005
      - id: job_id
        type: sized
        if: key == 18
        doc: The job.
        -requirement: KHD-CMD-005
      - id: next_execution_time
        type: varint
        if: key == 24
        doc: When it is due.
        -requirement: KHD-CMD-005
  remove_scheduled_jobs:
    doc: The jobs of a range of time are removed.
    -requirement: KHD-CMD-005
    seq:
      - id: fields
        type: remove_scheduled_jobs_field
        repeat: eos
        doc: Its fields, in any order.
        -requirement: KHD-CMD-005
  remove_scheduled_jobs_field:
    doc: One field of remove_scheduled_jobs.
    -requirement: KHD-CMD-005
    seq:
      - id: key
        type: u1
        doc: Eight times the number of the field, and how it is stored.
        -requirement: KHD-CMD-005
      - id: scheduler
        type: sized
        if: key == 10
        doc: The scheduler.
        -requirement: KHD-CMD-005
      - id: start_time
        type: varint
        if: key == 16
        doc: When it begins.
        -requirement: KHD-CMD-005
      - id: end_time
        type: varint
        if: key == 24
        doc: When it ends.
        -requirement: KHD-CMD-005
  destroy_scheduler:
    doc: A scheduler is removed.
    -requirement: KHD-CMD-005
    seq:
      - id: fields
        type: destroy_scheduler_field
        repeat: eos
        doc: Its fields, in any order.
        -requirement: KHD-CMD-005
  destroy_scheduler_field:
    doc: One field of destroy_scheduler.
    -requirement: KHD-CMD-005
    seq:
      - id: key
        type: u1
        doc: Eight times the number of the field, and how it is stored.
        -requirement: KHD-CMD-005
      - id: scheduler
        type: sized
        if: key == 10
        doc: The scheduler.
        -requirement: KHD-CMD-005
  rewritten_data_file:
    doc: The file with this record repeats another one.
    -requirement: KHD-CMD-005
    seq:
      - id: fields
        type: rewritten_data_file_field
        repeat: eos
        doc: Its fields, in any order.
        -requirement: KHD-CMD-005
  rewritten_data_file_field:
    doc: One field of rewritten_data_file.
    -requirement: KHD-CMD-005
    seq:
      - id: key
        type: u1
        doc: Eight times the number of the field, and how it is stored.
        -requirement: KHD-CMD-005
      - id: source_file
        type: varint
        if: key == 8
        doc: The id of the file that is repeated.
        -requirement: KHD-CMD-005
      - id: rewrite_type
        type: varint
        if: key == 16
        doc: Why it was.
        -requirement: KHD-CMD-005
      - id: skip_if_source_exists
        type: varint
        if: key == 24
        doc: Whether this file does not count while the other one is there.
        -requirement: KHD-CMD-005
  transaction:
    doc: Whose transaction a command belongs to.
    -requirement: KHD-CMD-005
    seq:
      - id: fields
        type: transaction_field
        repeat: eos
        doc: Its fields, in any order.
        -requirement: KHD-CMD-005
  transaction_field:
    doc: One field of transaction.
    -requirement: KHD-CMD-005
    seq:
      - id: key
        type: u1
        doc: Eight times the number of the field, and how it is stored.
        -requirement: KHD-CMD-005
      - id: local
        type: sized_local
        if: key == 10
        doc: The id of a local transaction.
        -requirement: KHD-CMD-006
      - id: xa
        type: sized_xa
        if: key == 18
        doc: The id of an XA transaction.
        -requirement: KHD-CMD-005
      - id: previous_entry
        type: sized_location
        if: key == 26
        doc: Not used.
        -requirement: KHD-CMD-005
  local:
    doc: The id of a local transaction.
    -requirement: KHD-CMD-005
    seq:
      - id: fields
        type: local_field
        repeat: eos
        doc: Its fields, in any order.
        -requirement: KHD-CMD-005
  local_field:
    doc: One field of local.
    -requirement: KHD-CMD-005
    seq:
      - id: key
        type: u1
        doc: Eight times the number of the field, and how it is stored.
        -requirement: KHD-CMD-005
      - id: connection
        type: sized
        if: key == 10
        doc: The connection that began it.
        -requirement: KHD-CMD-006
      - id: number
        type: varint
        if: key == 8
        doc: Its number on that connection.
        -requirement: KHD-CMD-006
  xa:
    doc: The id of an XA transaction.
    -requirement: KHD-CMD-005
    seq:
      - id: fields
        type: xa_field
        repeat: eos
        doc: Its fields, in any order.
        -requirement: KHD-CMD-005
  xa_field:
    doc: One field of xa.
    -requirement: KHD-CMD-005
    seq:
      - id: key
        type: u1
        doc: Eight times the number of the field, and how it is stored.
        -requirement: KHD-CMD-005
      - id: format_id
        type: varint
        if: key == 8
        doc: The format of the XA id.
        -requirement: KHD-CMD-005
      - id: bqual
        type: sized
        if: key == 18
        doc: The branch qualifier.
        -requirement: KHD-CMD-005
      - id: gtrid
        type: sized
        if: key == 26
        doc: The global transaction id.
        -requirement: KHD-CMD-005
  location:
    doc: A place in the journal.
    -requirement: KHD-CMD-005
    seq:
      - id: fields
        type: location_field
        repeat: eos
        doc: Its fields, in any order.
        -requirement: KHD-CMD-005
  location_field:
    doc: One field of location.
    -requirement: KHD-CMD-005
    seq:
      - id: key
        type: u1
        doc: Eight times the number of the field, and how it is stored.
        -requirement: KHD-CMD-005
      - id: log_id
        type: varint
        if: key == 8
        doc: The id of a file.
        -requirement: KHD-CMD-005
      - id: offset
        type: varint
        if: key == 16
        doc: A place in that file.
        -requirement: KHD-CMD-005
  destination:
    doc: A destination.
    -requirement: KHD-CMD-005
    seq:
      - id: fields
        type: destination_field
        repeat: eos
        doc: Its fields, in any order.
        -requirement: KHD-CMD-005
  destination_field:
    doc: One field of destination.
    -requirement: KHD-CMD-005
    seq:
      - id: key
        type: u1
        doc: Eight times the number of the field, and how it is stored.
        -requirement: KHD-CMD-005
      - id: kind
        type: varint
        if: key == 8
        doc: What it is.
        -requirement: KHD-CMD-005
      - id: name
        type: sized
        if: key == 18
        doc: Its name.
        -requirement: KHD-CMD-005
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
