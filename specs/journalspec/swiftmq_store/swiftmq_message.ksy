meta:
  id: swiftmq_message
  title: SwiftMQ serialised message
  application: SwiftMQ
  license: CC0-1.0
  ks-version: 0.9
  endian: be
doc: |
  A message as a SwiftMQ store keeps it: the slices of its pages one behind the
  other, or what an entry of a swap file holds. Properties and the body of a map
  message are the type properties; the body of a message of the queue
  sys$prepared is the type branch. Strings are modified UTF-8 and not decoded.
doc-ref:
  - https://github.com/iitsoftware/swiftmq-client/tree/develop/src/main/java/com/swiftmq/jms
-requirement:
  - SMQ-MSG-103
  - SMQ-XAB-102
seq:
  - id: kind
    type: s4
    valid:
      min: 0
      max: 5
    doc: 0 without a body, 1 bytes, 2 a map, 3 an object, 4 a stream, 5 text.
    -requirement: SMQ-MSG-104
  - id: expiration
    type: s8
    doc: When it expires, in milliseconds; 0, never.
    -requirement: SMQ-MSG-103
  - id: priority
    type: s4
    doc: The priority.
    -requirement: SMQ-MSG-103
  - id: timestamp
    type: s8
    doc: When it was sent, in milliseconds.
    -requirement: SMQ-MSG-103
  - id: deliveries
    type: s4
    -orig-id: deliveryCount
    doc: How often it was delivered.
    -requirement: SMQ-MSG-103
  - id: mode
    type: s4
    -orig-id: deliveryMode
    doc: 1, not persistent; 2, persistent.
    -requirement: SMQ-MSG-103
  - id: redelivered
    type: u1
    doc: Not 0, it was delivered before.
    -requirement: SMQ-MSG-103
  - id: id
    type: optional_utf
    doc: The message id.
    -requirement: SMQ-MSG-103
  - id: user
    type: optional_utf
    doc: The user id.
    -requirement: SMQ-MSG-103
  - id: client
    type: optional_utf
    doc: The client id.
    -requirement: SMQ-MSG-103
  - id: correlation
    type: optional_utf
    doc: The correlation id.
    -requirement: SMQ-MSG-103
  - id: type_name
    type: optional_utf
    doc: The type that the sender gave it.
    -requirement: SMQ-MSG-103
  - id: reply_to
    type: optional_destination
    doc: Where an answer is wanted.
    -requirement: SMQ-MSG-103
  - id: destination
    type: optional_destination
    doc: Where it was sent to.
    -requirement: SMQ-MSG-103
  - id: properties
    type: optional_blob
    doc: Its properties.
    -requirement: SMQ-MSG-103
  - id: source_router
    type: optional_utf
    doc: The router that it came from.
    -requirement: SMQ-MSG-103
  - id: router
    type: optional_utf
    doc: The router that it goes to.
    -requirement: SMQ-MSG-103
  - id: queue
    type: optional_utf
    doc: The queue that it goes to.
    -requirement: SMQ-MSG-103
  - id: body
    type:
      switch-on: kind
      cases:
        0: nothing
        1: blob
        2: optional_blob
        3: optional_blob
        4: stream
        5: text
    doc: The body.
    -requirement: SMQ-MSG-103
types:
  nothing:
    doc: No body.
    -requirement: SMQ-MSG-103
  utf:
    doc: A string.
    -requirement: SMQ-ENC-101
    seq:
      - id: length
        type: u2
        doc: Its number of bytes.
        -requirement: SMQ-ENC-101
      - id: data
        size: length
        doc: The bytes, in modified UTF-8.
        -requirement: SMQ-ENC-101
  blob:
    doc: Bytes.
    -requirement: SMQ-MSG-103
    seq:
      - id: length
        type: s4
        doc: Their number.
        -requirement: SMQ-MSG-103
      - id: data
        size: length
        doc: The bytes.
        -requirement: SMQ-MSG-103
  optional_utf:
    doc: A string that may be missing.
    -requirement: SMQ-MSG-103
    seq:
      - id: there
        type: u1
        doc: 1 if it is there.
        -requirement: SMQ-MSG-103
      - id: value
        type: utf
        if: there == 1
        doc: The string.
        -requirement: SMQ-MSG-103
  optional_blob:
    doc: Bytes that may be missing.
    -requirement: SMQ-MSG-103
    seq:
      - id: there
        type: u1
        doc: 1 if they are there.
        -requirement: SMQ-MSG-103
      - id: value
        type: blob
        if: there == 1
        doc: The bytes.
        -requirement: SMQ-MSG-103
  optional_destination:
    doc: A queue or a topic that may be missing.
    -requirement: SMQ-MSG-103
    seq:
      - id: there
        type: u1
        doc: 1 if it is there.
        -requirement: SMQ-MSG-103
      - id: value
        type: destination
        if: there == 1
        doc: The destination.
        -requirement: SMQ-MSG-105
  destination:
    doc: A queue or a topic.
    -requirement: SMQ-MSG-105
    seq:
      - id: kind
        type: u1
        valid:
          max: 3
        doc: 0, a queue; 1, a topic; 2, a temporary topic; 3, a temporary queue.
        -requirement: SMQ-MSG-105
      - id: topic_queue
        type: optional_utf
        if: kind == 1 or kind == 2
        doc: The queue of a topic.
        -requirement: SMQ-MSG-105
      - id: name
        type: utf
        doc: The name.
        -requirement: SMQ-MSG-105
  text:
    doc: The body of a text message.
    -requirement: SMQ-MSG-103
    seq:
      - id: there
        type: u1
        doc: 1 if there is a text.
        -requirement: SMQ-MSG-103
      - id: number
        type: s4
        if: there == 1
        doc: How many strings it is made of.
        -requirement: SMQ-MSG-103
      - id: parts
        type: utf
        repeat: expr
        repeat-expr: number
        if: there == 1
        doc: The strings.
        -requirement: SMQ-MSG-103
  stream:
    doc: The body of a stream message.
    -requirement: SMQ-MSG-103
    seq:
      - id: number
        type: s4
        doc: How many values there are.
        -requirement: SMQ-MSG-103
      - id: values
        type: primitive
        repeat: expr
        repeat-expr: number
        doc: The values.
        -requirement: SMQ-MSG-103
  properties:
    doc: Properties, and the body of a map message.
    -requirement: SMQ-MSG-103
    seq:
      - id: number
        type: s4
        doc: How many there are.
        -requirement: SMQ-MSG-103
      - id: entries
        type: property
        repeat: expr
        repeat-expr: number
        doc: The properties.
        -requirement: SMQ-MSG-103
  property:
    doc: A name and a value.
    -requirement: SMQ-MSG-103
    seq:
      - id: name
        type: utf
        doc: The name.
        -requirement: SMQ-MSG-103
      - id: value
        type: primitive
        doc: The value.
        -requirement: SMQ-MSG-103
  primitive:
    doc: A value.
    -requirement: SMQ-MSG-103
    seq:
      - id: kind
        type: s4
        valid:
          min: 0
          max: 9
        doc: 0 int, 1 long, 2 double, 3 float, 4 boolean, 5 char, 6 short, 7 byte, 8 bytes, 9 string.
        -requirement: SMQ-MSG-103
      - id: value
        type:
          switch-on: kind
          cases:
            0: int_value
            1: long_value
            2: double_value
            3: float_value
            4: boolean_value
            5: char_value
            6: short_value
            7: byte_value
            8: blob
            9: utf
        doc: The value.
        -requirement: SMQ-MSG-103
  int_value:
    doc: An int.
    -requirement: SMQ-MSG-103
    seq:
      - id: number
        type: s4
        doc: The value.
        -requirement: SMQ-MSG-103
  long_value:
    doc: A long.
    -requirement: SMQ-MSG-103
    seq:
      - id: number
        type: s8
        doc: The value.
        -requirement: SMQ-MSG-103
  double_value:
    doc: A double.
    -requirement: SMQ-MSG-103
    seq:
      - id: number
        type: f8
        doc: The value.
        -requirement: SMQ-MSG-103
  float_value:
    doc: A float.
    -requirement: SMQ-MSG-103
    seq:
      - id: number
        type: f4
        doc: The value.
        -requirement: SMQ-MSG-103
  boolean_value:
    doc: A boolean.
    -requirement: SMQ-MSG-103
    seq:
      - id: number
        type: u1
        doc: The value.
        -requirement: SMQ-MSG-103
  char_value:
    doc: A char.
    -requirement: SMQ-MSG-103
    seq:
      - id: number
        type: u2
        doc: The value.
        -requirement: SMQ-MSG-103
  short_value:
    doc: A short.
    -requirement: SMQ-MSG-103
    seq:
      - id: number
        type: s2
        doc: The value.
        -requirement: SMQ-MSG-103
  byte_value:
    doc: A byte.
    -requirement: SMQ-MSG-103
    seq:
      - id: number
        type: s1
        doc: The value.
        -requirement: SMQ-MSG-103
  branch:
    doc: What one queue has in a prepared branch.
    -requirement: SMQ-XAB-102
    seq:
      - id: valid
        type: u1
        doc: 1; nobody looks at it.
        -requirement: SMQ-XAB-102
      - id: time
        type: s8
        doc: When it was prepared, in milliseconds.
        -requirement: SMQ-XAB-102
      - id: kind
        type: s4
        doc: 0, messages are removed; 1, inserted.
        -requirement: SMQ-XAB-102
      - id: queue
        type: utf
        doc: The queue.
        -requirement: SMQ-XAB-102
      - id: routing
        type: u1
        doc: Not 0, it is a transaction of the router's own.
        -requirement: SMQ-XAB-102
      - id: format_id
        type: s4
        doc: The format of the XA id.
        -requirement: SMQ-XAB-102
      - id: bqual
        type: optional_blob
        doc: The branch qualifier.
        -requirement: SMQ-XAB-102
      - id: gtrid
        type: optional_blob
        doc: The global transaction id.
        -requirement: SMQ-XAB-102
      - id: number
        type: s4
        doc: How many keys follow.
        -requirement: SMQ-XAB-102
      - id: keys
        type: blob
        repeat: expr
        repeat-expr: number
        doc: The entries of the queue's index, as swiftmq_store.ksy has them.
        -requirement: SMQ-XAB-102
