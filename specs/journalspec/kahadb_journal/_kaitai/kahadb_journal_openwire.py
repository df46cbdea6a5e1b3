# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KahadbJournalOpenwire(KaitaiStruct):
    """Objects of ADD_MESSAGE, UPDATE_MESSAGE, REMOVE_MESSAGE, SUBSCRIPTION and ADD_SCHEDULED_JOB: loose encoding, with a size before each object, without a value cache and stack traces. Only db.data has the version of the encoding. Versions: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12. The sequence is: An object with its size.
    
    .. seealso::
       activemq-client: org.apache.activemq.openwire.v1 to v12 (BaseDataStreamMarshaller and the marshallers of each type), org.apache.activemq.util.MarshallingSupport; tags 5.3.0 to 6.3.1
    """
    def __init__(self, version, _io, _parent=None, _root=None):
        super(KahadbJournalOpenwire, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.version = version
        self._read()

    def _read(self):
        self.size = self._io.read_s4be()
        if not self.size >= 0:
            raise kaitaistruct.ValidationLessThanError(0, self.size, self._io, u"/seq/0")
        if self.size >= 0:
            pass
            self._raw_object = self._io.read_bytes(self.size)
            _io__raw_object = KaitaiStream(BytesIO(self._raw_object))
            self.object = KahadbJournalOpenwire.Command(self.version, _io__raw_object, self, self._root)



    def _fetch_instances(self):
        pass
        if self.size >= 0:
            pass
            self.object._fetch_instances()


    class Ack(KaitaiStruct):
        """An acknowledgement.
        
        .. seealso::
           MessageAckMarshaller, v1 to v12
        """
        def __init__(self, version, _io, _parent=None, _root=None):
            super(KahadbJournalOpenwire.Ack, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self.version = version
            self._read()

        def _read(self):
            self.command_id = self._io.read_s4be()
            self.response_required = self._io.read_u1()
            self.destination = KahadbJournalOpenwire.Destination(self._io, self, self._root)
            self.transaction = KahadbJournalOpenwire.Transaction(self._io, self, self._root)
            self.consumer = KahadbJournalOpenwire.ConsumerOrNull(self._io, self, self._root)
            self.ack_type = self._io.read_s1()
            self.first = KahadbJournalOpenwire.MessageIdOrNull(self.version, self._io, self, self._root)
            self.last = KahadbJournalOpenwire.MessageIdOrNull(self.version, self._io, self, self._root)
            self.count = self._io.read_s4be()
            if self.version >= 7:
                pass
                self.poison_cause = KahadbJournalOpenwire.Throwable(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            self.destination._fetch_instances()
            self.transaction._fetch_instances()
            self.consumer._fetch_instances()
            self.first._fetch_instances()
            self.last._fetch_instances()
            if self.version >= 7:
                pass
                self.poison_cause._fetch_instances()



    class Binary(KaitaiStruct):
        """An array of bytes.
        
        .. seealso::
           activemq-client: org.apache.activemq.openwire.v1 to v12 (BaseDataStreamMarshaller and the marshallers of each type), org.apache.activemq.util.MarshallingSupport; tags 5.3.0 to 6.3.1
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbJournalOpenwire.Binary, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.size = self._io.read_s4be()
            if not self.size >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.size, self._io, u"/types/binary/seq/0")
            if self.size >= 0:
                pass
                self.data = self._io.read_bytes(self.size)



        def _fetch_instances(self):
            pass
            if self.size >= 0:
                pass



    class Blob(KaitaiStruct):
        """A message whose body is elsewhere.
        
        .. seealso::
           ActiveMQBlobMessageMarshaller, v3 to v12
        """
        def __init__(self, version, _io, _parent=None, _root=None):
            super(KahadbJournalOpenwire.Blob, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self.version = version
            self._read()

        def _read(self):
            self.message = KahadbJournalOpenwire.Message(self.version, self._io, self, self._root)
            self.url = KahadbJournalOpenwire.TextOrNull(self._io, self, self._root)
            self.mime_type = KahadbJournalOpenwire.TextOrNull(self._io, self, self._root)
            self.deleted_by_broker = self._io.read_u1()


        def _fetch_instances(self):
            pass
            self.message._fetch_instances()
            self.url._fetch_instances()
            self.mime_type._fetch_instances()


    class BoolValue(KaitaiStruct):
        """A value: bool.
        
        .. seealso::
           activemq-client: org.apache.activemq.openwire.v1 to v12 (BaseDataStreamMarshaller and the marshallers of each type), org.apache.activemq.util.MarshallingSupport; tags 5.3.0 to 6.3.1
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbJournalOpenwire.BoolValue, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.held = self._io.read_u1()


        def _fetch_instances(self):
            pass


    class Broker(KaitaiStruct):
        """A broker, or none.
        
        .. seealso::
           BrokerIdMarshaller, v1 to v12
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbJournalOpenwire.Broker, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.there = self._io.read_u1()
            if self.there != 0:
                pass
                self.kind = self._io.read_u1()
                if not self.kind == 124:
                    raise kaitaistruct.ValidationNotEqualError(124, self.kind, self._io, u"/types/broker/seq/1")

            if self.there != 0:
                pass
                self.value = KahadbJournalOpenwire.TextOrNull(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            if self.there != 0:
                pass

            if self.there != 0:
                pass
                self.value._fetch_instances()



    class Brokers(KaitaiStruct):
        """Brokers, or none.
        
        .. seealso::
           activemq-client: org.apache.activemq.openwire.v1 to v12 (BaseDataStreamMarshaller and the marshallers of each type), org.apache.activemq.util.MarshallingSupport; tags 5.3.0 to 6.3.1
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbJournalOpenwire.Brokers, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.there = self._io.read_u1()
            if self.there != 0:
                pass
                self.count = self._io.read_s2be()
                if not self.count >= 0:
                    raise kaitaistruct.ValidationLessThanError(0, self.count, self._io, u"/types/brokers/seq/1")

            if  ((self.there != 0) and (self.count >= 0)) :
                pass
                self.items = []
                for i in range(self.count):
                    self.items.append(KahadbJournalOpenwire.Broker(self._io, self, self._root))




        def _fetch_instances(self):
            pass
            if self.there != 0:
                pass

            if  ((self.there != 0) and (self.count >= 0)) :
                pass
                for i in range(len(self.items)):
                    pass
                    self.items[i]._fetch_instances()




    class BytesOrNull(KaitaiStruct):
        """Bytes, or none.
        
        .. seealso::
           BaseDataStreamMarshaller.looseMarshalByteSequence
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbJournalOpenwire.BytesOrNull, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.there = self._io.read_u1()
            if self.there != 0:
                pass
                self.size = self._io.read_s4be()
                if not self.size >= 0:
                    raise kaitaistruct.ValidationLessThanError(0, self.size, self._io, u"/types/bytes_or_null/seq/1")

            if  ((self.there != 0) and (self.size >= 0)) :
                pass
                self.data = self._io.read_bytes(self.size)



        def _fetch_instances(self):
            pass
            if self.there != 0:
                pass

            if  ((self.there != 0) and (self.size >= 0)) :
                pass



    class Command(KaitaiStruct):
        """A type and an object of this type.
        
        .. seealso::
           CommandTypes; OpenWireFormat.doMarshal
        """
        def __init__(self, version, _io, _parent=None, _root=None):
            super(KahadbJournalOpenwire.Command, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self.version = version
            self._read()

        def _read(self):
            self.kind = self._io.read_u1()
            _on = self.kind
            if _on == 0:
                pass
                self.body = KahadbJournalOpenwire.Nothing(self._io, self, self._root)
            elif _on == 22:
                pass
                self.body = KahadbJournalOpenwire.Ack(self.version, self._io, self, self._root)
            elif _on == 23:
                pass
                self.body = KahadbJournalOpenwire.Message(self.version, self._io, self, self._root)
            elif _on == 24:
                pass
                self.body = KahadbJournalOpenwire.Message(self.version, self._io, self, self._root)
            elif _on == 25:
                pass
                self.body = KahadbJournalOpenwire.Message(self.version, self._io, self, self._root)
            elif _on == 26:
                pass
                self.body = KahadbJournalOpenwire.Message(self.version, self._io, self, self._root)
            elif _on == 27:
                pass
                self.body = KahadbJournalOpenwire.Message(self.version, self._io, self, self._root)
            elif _on == 28:
                pass
                self.body = KahadbJournalOpenwire.Message(self.version, self._io, self, self._root)
            elif _on == 29:
                pass
                self.body = KahadbJournalOpenwire.Blob(self.version, self._io, self, self._root)
            elif _on == 55:
                pass
                self.body = KahadbJournalOpenwire.Subscription(self.version, self._io, self, self._root)


        def _fetch_instances(self):
            pass
            _on = self.kind
            if _on == 0:
                pass
                self.body._fetch_instances()
            elif _on == 22:
                pass
                self.body._fetch_instances()
            elif _on == 23:
                pass
                self.body._fetch_instances()
            elif _on == 24:
                pass
                self.body._fetch_instances()
            elif _on == 25:
                pass
                self.body._fetch_instances()
            elif _on == 26:
                pass
                self.body._fetch_instances()
            elif _on == 27:
                pass
                self.body._fetch_instances()
            elif _on == 28:
                pass
                self.body._fetch_instances()
            elif _on == 29:
                pass
                self.body._fetch_instances()
            elif _on == 55:
                pass
                self.body._fetch_instances()


    class Consumer(KaitaiStruct):
        """A consumer: session and value are in the opposite order of a producer.
        
        .. seealso::
           ConsumerIdMarshaller, v1 to v12
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbJournalOpenwire.Consumer, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.connection = KahadbJournalOpenwire.TextOrNull(self._io, self, self._root)
            self.session = self._io.read_s8be()
            self.value = self._io.read_s8be()


        def _fetch_instances(self):
            pass
            self.connection._fetch_instances()


    class ConsumerOrNull(KaitaiStruct):
        """A consumer, or none.
        
        .. seealso::
           activemq-client: org.apache.activemq.openwire.v1 to v12 (BaseDataStreamMarshaller and the marshallers of each type), org.apache.activemq.util.MarshallingSupport; tags 5.3.0 to 6.3.1
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbJournalOpenwire.ConsumerOrNull, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.there = self._io.read_u1()
            if self.there != 0:
                pass
                self.kind = self._io.read_u1()
                if not self.kind == 122:
                    raise kaitaistruct.ValidationNotEqualError(122, self.kind, self._io, u"/types/consumer_or_null/seq/1")

            if self.there != 0:
                pass
                self.value = KahadbJournalOpenwire.Consumer(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            if self.there != 0:
                pass

            if self.there != 0:
                pass
                self.value._fetch_instances()



    class Destination(KaitaiStruct):
        """A destination, or none.
        
        .. seealso::
           ActiveMQDestinationMarshaller, v1 to v12
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbJournalOpenwire.Destination, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.there = self._io.read_u1()
            if self.there != 0:
                pass
                self.kind = self._io.read_u1()
                if not self.kind >= 100:
                    raise kaitaistruct.ValidationLessThanError(100, self.kind, self._io, u"/types/destination/seq/1")
                if not self.kind <= 103:
                    raise kaitaistruct.ValidationGreaterThanError(103, self.kind, self._io, u"/types/destination/seq/1")

            if self.there != 0:
                pass
                self.name = KahadbJournalOpenwire.TextOrNull(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            if self.there != 0:
                pass

            if self.there != 0:
                pass
                self.name._fetch_instances()



    class Entry(KaitaiStruct):
        """A name and its value.
        
        .. seealso::
           activemq-client: org.apache.activemq.openwire.v1 to v12 (BaseDataStreamMarshaller and the marshallers of each type), org.apache.activemq.util.MarshallingSupport; tags 5.3.0 to 6.3.1
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbJournalOpenwire.Entry, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.name = KahadbJournalOpenwire.Utf(self._io, self, self._root)
            self.value = KahadbJournalOpenwire.TypedValue(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.name._fetch_instances()
            self.value._fetch_instances()


    class F4Value(KaitaiStruct):
        """A value: f4.
        
        .. seealso::
           activemq-client: org.apache.activemq.openwire.v1 to v12 (BaseDataStreamMarshaller and the marshallers of each type), org.apache.activemq.util.MarshallingSupport; tags 5.3.0 to 6.3.1
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbJournalOpenwire.F4Value, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.held = self._io.read_f4be()


        def _fetch_instances(self):
            pass


    class F8Value(KaitaiStruct):
        """A value: f8.
        
        .. seealso::
           activemq-client: org.apache.activemq.openwire.v1 to v12 (BaseDataStreamMarshaller and the marshallers of each type), org.apache.activemq.util.MarshallingSupport; tags 5.3.0 to 6.3.1
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbJournalOpenwire.F8Value, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.held = self._io.read_f8be()


        def _fetch_instances(self):
            pass


    class Local(KaitaiStruct):
        """A transaction of one connection.
        
        .. seealso::
           activemq-client: org.apache.activemq.openwire.v1 to v12 (BaseDataStreamMarshaller and the marshallers of each type), org.apache.activemq.util.MarshallingSupport; tags 5.3.0 to 6.3.1
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbJournalOpenwire.Local, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.value = self._io.read_s8be()
            self.there = self._io.read_u1()
            if self.there != 0:
                pass
                self.kind = self._io.read_u1()
                if not self.kind == 120:
                    raise kaitaistruct.ValidationNotEqualError(120, self.kind, self._io, u"/types/local/seq/2")

            if self.there != 0:
                pass
                self.connection = KahadbJournalOpenwire.TextOrNull(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            if self.there != 0:
                pass

            if self.there != 0:
                pass
                self.connection._fetch_instances()



    class LongText(KaitaiStruct):
        """A text of any length; also the body of a text message.
        
        .. seealso::
           MarshallingSupport.writeUTF8
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbJournalOpenwire.LongText, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.size = self._io.read_s4be()
            if self.size >= 0:
                pass
                self.text = self._io.read_bytes(self.size)



        def _fetch_instances(self):
            pass
            if self.size >= 0:
                pass



    class Message(KaitaiStruct):
        """A message. All kinds have the same fields.
        
        .. seealso::
           MessageMarshaller, v1 to v12
        """
        def __init__(self, version, _io, _parent=None, _root=None):
            super(KahadbJournalOpenwire.Message, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self.version = version
            self._read()

        def _read(self):
            self.command_id = self._io.read_s4be()
            self.response_required = self._io.read_u1()
            self.producer = KahadbJournalOpenwire.ProducerOrNull(self._io, self, self._root)
            self.destination = KahadbJournalOpenwire.Destination(self._io, self, self._root)
            self.transaction = KahadbJournalOpenwire.Transaction(self._io, self, self._root)
            self.original_destination = KahadbJournalOpenwire.Destination(self._io, self, self._root)
            self.message_id = KahadbJournalOpenwire.MessageIdOrNull(self.version, self._io, self, self._root)
            self.original_transaction = KahadbJournalOpenwire.Transaction(self._io, self, self._root)
            self.group_id = KahadbJournalOpenwire.TextOrNull(self._io, self, self._root)
            self.group_sequence = self._io.read_s4be()
            self.correlation_id = KahadbJournalOpenwire.TextOrNull(self._io, self, self._root)
            self.persistent = self._io.read_u1()
            self.expiration = self._io.read_s8be()
            self.priority = self._io.read_s1()
            self.reply_to = KahadbJournalOpenwire.Destination(self._io, self, self._root)
            self.timestamp = self._io.read_s8be()
            self.jms_type = KahadbJournalOpenwire.TextOrNull(self._io, self, self._root)
            self.content = KahadbJournalOpenwire.BytesOrNull(self._io, self, self._root)
            self.properties = KahadbJournalOpenwire.BytesOrNull(self._io, self, self._root)
            self.structure_there = self._io.read_u1()
            if self.structure_there != 0:
                pass
                self.structure = KahadbJournalOpenwire.Command(self.version, self._io, self, self._root)

            self.target_consumer = KahadbJournalOpenwire.ConsumerOrNull(self._io, self, self._root)
            self.compressed = self._io.read_u1()
            self.redelivery_counter = self._io.read_s4be()
            self.broker_path = KahadbJournalOpenwire.Brokers(self._io, self, self._root)
            self.arrival = self._io.read_s8be()
            self.user_id = KahadbJournalOpenwire.TextOrNull(self._io, self, self._root)
            self.received_by_bridge = self._io.read_u1()
            if self.version >= 2:
                pass
                self.droppable = self._io.read_u1()

            if self.version >= 3:
                pass
                self.cluster = KahadbJournalOpenwire.Brokers(self._io, self, self._root)

            if self.version >= 3:
                pass
                self.broker_in_time = self._io.read_s8be()

            if self.version >= 3:
                pass
                self.broker_out_time = self._io.read_s8be()

            if self.version >= 10:
                pass
                self.first_for_consumer = self._io.read_u1()



        def _fetch_instances(self):
            pass
            self.producer._fetch_instances()
            self.destination._fetch_instances()
            self.transaction._fetch_instances()
            self.original_destination._fetch_instances()
            self.message_id._fetch_instances()
            self.original_transaction._fetch_instances()
            self.group_id._fetch_instances()
            self.correlation_id._fetch_instances()
            self.reply_to._fetch_instances()
            self.jms_type._fetch_instances()
            self.content._fetch_instances()
            self.properties._fetch_instances()
            if self.structure_there != 0:
                pass
                self.structure._fetch_instances()

            self.target_consumer._fetch_instances()
            self.broker_path._fetch_instances()
            self.user_id._fetch_instances()
            if self.version >= 2:
                pass

            if self.version >= 3:
                pass
                self.cluster._fetch_instances()

            if self.version >= 3:
                pass

            if self.version >= 3:
                pass

            if self.version >= 10:
                pass



    class MessageId(KaitaiStruct):
        """The id of a message. In JMS, it is connection:session:value:sequence, or the text view.
        
        .. seealso::
           MessageIdMarshaller, v1 to v12; MessageId.toString
        """
        def __init__(self, version, _io, _parent=None, _root=None):
            super(KahadbJournalOpenwire.MessageId, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self.version = version
            self._read()

        def _read(self):
            if self.version >= 10:
                pass
                self.view = KahadbJournalOpenwire.TextOrNull(self._io, self, self._root)

            self.producer = KahadbJournalOpenwire.ProducerOrNull(self._io, self, self._root)
            self.sequence = self._io.read_s8be()
            self.broker_sequence = self._io.read_s8be()


        def _fetch_instances(self):
            pass
            if self.version >= 10:
                pass
                self.view._fetch_instances()

            self.producer._fetch_instances()


    class MessageIdOrNull(KaitaiStruct):
        """The id of a message, or none.
        
        .. seealso::
           activemq-client: org.apache.activemq.openwire.v1 to v12 (BaseDataStreamMarshaller and the marshallers of each type), org.apache.activemq.util.MarshallingSupport; tags 5.3.0 to 6.3.1
        """
        def __init__(self, version, _io, _parent=None, _root=None):
            super(KahadbJournalOpenwire.MessageIdOrNull, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self.version = version
            self._read()

        def _read(self):
            self.there = self._io.read_u1()
            if self.there != 0:
                pass
                self.kind = self._io.read_u1()
                if not self.kind == 110:
                    raise kaitaistruct.ValidationNotEqualError(110, self.kind, self._io, u"/types/message_id_or_null/seq/1")

            if self.there != 0:
                pass
                self.value = KahadbJournalOpenwire.MessageId(self.version, self._io, self, self._root)



        def _fetch_instances(self):
            pass
            if self.there != 0:
                pass

            if self.there != 0:
                pass
                self.value._fetch_instances()



    class Nothing(KaitaiStruct):
        """No bytes.
        
        .. seealso::
           activemq-client: org.apache.activemq.openwire.v1 to v12 (BaseDataStreamMarshaller and the marshallers of each type), org.apache.activemq.util.MarshallingSupport; tags 5.3.0 to 6.3.1
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbJournalOpenwire.Nothing, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            pass


        def _fetch_instances(self):
            pass


    class Producer(KaitaiStruct):
        """A producer.
        
        .. seealso::
           ProducerIdMarshaller, v1 to v12
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbJournalOpenwire.Producer, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.connection = KahadbJournalOpenwire.TextOrNull(self._io, self, self._root)
            self.value = self._io.read_s8be()
            self.session = self._io.read_s8be()


        def _fetch_instances(self):
            pass
            self.connection._fetch_instances()


    class ProducerOrNull(KaitaiStruct):
        """A producer, or none.
        
        .. seealso::
           activemq-client: org.apache.activemq.openwire.v1 to v12 (BaseDataStreamMarshaller and the marshallers of each type), org.apache.activemq.util.MarshallingSupport; tags 5.3.0 to 6.3.1
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbJournalOpenwire.ProducerOrNull, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.there = self._io.read_u1()
            if self.there != 0:
                pass
                self.kind = self._io.read_u1()
                if not self.kind == 123:
                    raise kaitaistruct.ValidationNotEqualError(123, self.kind, self._io, u"/types/producer_or_null/seq/1")

            if self.there != 0:
                pass
                self.value = KahadbJournalOpenwire.Producer(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            if self.there != 0:
                pass

            if self.there != 0:
                pass
                self.value._fetch_instances()



    class S1Value(KaitaiStruct):
        """A value: s1.
        
        .. seealso::
           activemq-client: org.apache.activemq.openwire.v1 to v12 (BaseDataStreamMarshaller and the marshallers of each type), org.apache.activemq.util.MarshallingSupport; tags 5.3.0 to 6.3.1
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbJournalOpenwire.S1Value, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.held = self._io.read_s1()


        def _fetch_instances(self):
            pass


    class S2Value(KaitaiStruct):
        """A value: s2.
        
        .. seealso::
           activemq-client: org.apache.activemq.openwire.v1 to v12 (BaseDataStreamMarshaller and the marshallers of each type), org.apache.activemq.util.MarshallingSupport; tags 5.3.0 to 6.3.1
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbJournalOpenwire.S2Value, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.held = self._io.read_s2be()


        def _fetch_instances(self):
            pass


    class S4Value(KaitaiStruct):
        """A value: s4.
        
        .. seealso::
           activemq-client: org.apache.activemq.openwire.v1 to v12 (BaseDataStreamMarshaller and the marshallers of each type), org.apache.activemq.util.MarshallingSupport; tags 5.3.0 to 6.3.1
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbJournalOpenwire.S4Value, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.held = self._io.read_s4be()


        def _fetch_instances(self):
            pass


    class S8Value(KaitaiStruct):
        """A value: s8.
        
        .. seealso::
           activemq-client: org.apache.activemq.openwire.v1 to v12 (BaseDataStreamMarshaller and the marshallers of each type), org.apache.activemq.util.MarshallingSupport; tags 5.3.0 to 6.3.1
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbJournalOpenwire.S8Value, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.held = self._io.read_s8be()


        def _fetch_instances(self):
            pass


    class Subscription(KaitaiStruct):
        """A durable subscription.
        
        .. seealso::
           SubscriptionInfoMarshaller, v1 to v12
        """
        def __init__(self, version, _io, _parent=None, _root=None):
            super(KahadbJournalOpenwire.Subscription, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self.version = version
            self._read()

        def _read(self):
            self.client_id = KahadbJournalOpenwire.TextOrNull(self._io, self, self._root)
            self.destination = KahadbJournalOpenwire.Destination(self._io, self, self._root)
            self.selector = KahadbJournalOpenwire.TextOrNull(self._io, self, self._root)
            self.name = KahadbJournalOpenwire.TextOrNull(self._io, self, self._root)
            if self.version >= 3:
                pass
                self.subscribed_destination = KahadbJournalOpenwire.Destination(self._io, self, self._root)

            if self.version >= 11:
                pass
                self.no_local = self._io.read_u1()



        def _fetch_instances(self):
            pass
            self.client_id._fetch_instances()
            self.destination._fetch_instances()
            self.selector._fetch_instances()
            self.name._fetch_instances()
            if self.version >= 3:
                pass
                self.subscribed_destination._fetch_instances()

            if self.version >= 11:
                pass



    class TextOrNull(KaitaiStruct):
        """A text, or none.
        
        .. seealso::
           BaseDataStreamMarshaller.looseMarshalString
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbJournalOpenwire.TextOrNull, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.there = self._io.read_u1()
            if self.there != 0:
                pass
                self.size = self._io.read_u2be()

            if self.there != 0:
                pass
                self.text = self._io.read_bytes(self.size)



        def _fetch_instances(self):
            pass
            if self.there != 0:
                pass

            if self.there != 0:
                pass



    class Throwable(KaitaiStruct):
        """An exception, or none. No stack trace is stored.
        
        .. seealso::
           BaseDataStreamMarshaller.looseMarshalThrowable
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbJournalOpenwire.Throwable, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.there = self._io.read_u1()
            if self.there != 0:
                pass
                self.class_name = KahadbJournalOpenwire.TextOrNull(self._io, self, self._root)

            if self.there != 0:
                pass
                self.message = KahadbJournalOpenwire.TextOrNull(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            if self.there != 0:
                pass
                self.class_name._fetch_instances()

            if self.there != 0:
                pass
                self.message._fetch_instances()



    class Transaction(KaitaiStruct):
        """A transaction, or none.
        
        .. seealso::
           LocalTransactionIdMarshaller, XATransactionIdMarshaller, v1 to v12
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbJournalOpenwire.Transaction, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.there = self._io.read_u1()
            if self.there != 0:
                pass
                self.kind = self._io.read_u1()
                if not self.kind >= 111:
                    raise kaitaistruct.ValidationLessThanError(111, self.kind, self._io, u"/types/transaction/seq/1")
                if not self.kind <= 112:
                    raise kaitaistruct.ValidationGreaterThanError(112, self.kind, self._io, u"/types/transaction/seq/1")

            if self.there != 0:
                pass
                _on = self.kind
                if _on == 111:
                    pass
                    self.value = KahadbJournalOpenwire.Local(self._io, self, self._root)
                elif _on == 112:
                    pass
                    self.value = KahadbJournalOpenwire.Xa(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            if self.there != 0:
                pass

            if self.there != 0:
                pass
                _on = self.kind
                if _on == 111:
                    pass
                    self.value._fetch_instances()
                elif _on == 112:
                    pass
                    self.value._fetch_instances()



    class TypedValue(KaitaiStruct):
        """A value with its type.
        
        .. seealso::
           MarshallingSupport.marshalPrimitive
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbJournalOpenwire.TypedValue, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.tag = self._io.read_u1()
            _on = self.tag
            if _on == 0:
                pass
                self.value = KahadbJournalOpenwire.Nothing(self._io, self, self._root)
            elif _on == 1:
                pass
                self.value = KahadbJournalOpenwire.BoolValue(self._io, self, self._root)
            elif _on == 10:
                pass
                self.value = KahadbJournalOpenwire.Binary(self._io, self, self._root)
            elif _on == 11:
                pass
                self.value = KahadbJournalOpenwire.ValueMap(self._io, self, self._root)
            elif _on == 12:
                pass
                self.value = KahadbJournalOpenwire.ValueList(self._io, self, self._root)
            elif _on == 13:
                pass
                self.value = KahadbJournalOpenwire.LongText(self._io, self, self._root)
            elif _on == 2:
                pass
                self.value = KahadbJournalOpenwire.S1Value(self._io, self, self._root)
            elif _on == 3:
                pass
                self.value = KahadbJournalOpenwire.U2Value(self._io, self, self._root)
            elif _on == 4:
                pass
                self.value = KahadbJournalOpenwire.S2Value(self._io, self, self._root)
            elif _on == 5:
                pass
                self.value = KahadbJournalOpenwire.S4Value(self._io, self, self._root)
            elif _on == 6:
                pass
                self.value = KahadbJournalOpenwire.S8Value(self._io, self, self._root)
            elif _on == 7:
                pass
                self.value = KahadbJournalOpenwire.F8Value(self._io, self, self._root)
            elif _on == 8:
                pass
                self.value = KahadbJournalOpenwire.F4Value(self._io, self, self._root)
            elif _on == 9:
                pass
                self.value = KahadbJournalOpenwire.Utf(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            _on = self.tag
            if _on == 0:
                pass
                self.value._fetch_instances()
            elif _on == 1:
                pass
                self.value._fetch_instances()
            elif _on == 10:
                pass
                self.value._fetch_instances()
            elif _on == 11:
                pass
                self.value._fetch_instances()
            elif _on == 12:
                pass
                self.value._fetch_instances()
            elif _on == 13:
                pass
                self.value._fetch_instances()
            elif _on == 2:
                pass
                self.value._fetch_instances()
            elif _on == 3:
                pass
                self.value._fetch_instances()
            elif _on == 4:
                pass
                self.value._fetch_instances()
            elif _on == 5:
                pass
                self.value._fetch_instances()
            elif _on == 6:
                pass
                self.value._fetch_instances()
            elif _on == 7:
                pass
                self.value._fetch_instances()
            elif _on == 8:
                pass
                self.value._fetch_instances()
            elif _on == 9:
                pass
                self.value._fetch_instances()


    class U2Value(KaitaiStruct):
        """A value: u2.
        
        .. seealso::
           activemq-client: org.apache.activemq.openwire.v1 to v12 (BaseDataStreamMarshaller and the marshallers of each type), org.apache.activemq.util.MarshallingSupport; tags 5.3.0 to 6.3.1
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbJournalOpenwire.U2Value, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.held = self._io.read_u2be()


        def _fetch_instances(self):
            pass


    class Utf(KaitaiStruct):
        """A short text. ActiveMQ decodes it as UTF-8 when it shows a property or a value of a map: NUL and characters beyond U+FFFF then become U+FFFD.
        
        .. seealso::
           java.io.DataOutput.writeUTF
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbJournalOpenwire.Utf, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.size = self._io.read_u2be()
            self.text = self._io.read_bytes(self.size)


        def _fetch_instances(self):
            pass


    class ValueList(KaitaiStruct):
        """A sequence of values.
        
        .. seealso::
           MarshallingSupport.marshalPrimitiveList
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbJournalOpenwire.ValueList, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.count = self._io.read_s4be()
            if self.count >= 0:
                pass
                self.values = []
                for i in range(self.count):
                    self.values.append(KahadbJournalOpenwire.TypedValue(self._io, self, self._root))




        def _fetch_instances(self):
            pass
            if self.count >= 0:
                pass
                for i in range(len(self.values)):
                    pass
                    self.values[i]._fetch_instances()




    class ValueMap(KaitaiStruct):
        """Values by name: properties, and the body of a map message.
        
        .. seealso::
           MarshallingSupport.marshalPrimitiveMap
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbJournalOpenwire.ValueMap, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.count = self._io.read_s4be()
            if self.count >= 0:
                pass
                self.entries = []
                for i in range(self.count):
                    self.entries.append(KahadbJournalOpenwire.Entry(self._io, self, self._root))




        def _fetch_instances(self):
            pass
            if self.count >= 0:
                pass
                for i in range(len(self.entries)):
                    pass
                    self.entries[i]._fetch_instances()




    class ValueStream(KaitaiStruct):
        """The body of a stream message: values up to the end of the body. After the other bodies, further bytes are ignored.
        
        .. seealso::
           ActiveMQStreamMessage
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbJournalOpenwire.ValueStream, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.values = []
            i = 0
            while not self._io.is_eof():
                self.values.append(KahadbJournalOpenwire.TypedValue(self._io, self, self._root))
                i += 1



        def _fetch_instances(self):
            pass
            for i in range(len(self.values)):
                pass
                self.values[i]._fetch_instances()



    class Xa(KaitaiStruct):
        """A branch of a global transaction.
        
        .. seealso::
           activemq-client: org.apache.activemq.openwire.v1 to v12 (BaseDataStreamMarshaller and the marshallers of each type), org.apache.activemq.util.MarshallingSupport; tags 5.3.0 to 6.3.1
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbJournalOpenwire.Xa, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.format_id = self._io.read_s4be()
            self.gtrid = KahadbJournalOpenwire.BytesOrNull(self._io, self, self._root)
            self.bqual = KahadbJournalOpenwire.BytesOrNull(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.gtrid._fetch_instances()
            self.bqual._fetch_instances()
