# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class JbossJournalCore(KaitaiStruct):
    """Bodies of records of the user types 30, 31 and 45, entries of page files, and bodies of messages by kind. All numbers are big-endian. Several versions write true as ff. Versions: hornetq is 0, artemis-1 is 1, artemis-2 is 2. The sequence is: A message with its protocol: a record of user type 45 (Artemis 2). The id of the record is the id of the message.
    
    .. seealso::
       HornetQ 2.2.14, 2.3.25, 2.4.9: MessageImpl, ServerMessageImpl, PagedMessageImpl; Artemis 1.0.0 to 2.56.0: CoreMessage, CoreMessagePersister, AMQPMessagePersister (V1, V2, V3), PagedMessageImpl, TypedProperties, SimpleString; read at their tags, and tried on stores of HornetQ 2.4.9, Artemis 1.5.6 and 2.44.0
    """
    def __init__(self, _io, _parent=None, _root=None):
        super(JbossJournalCore, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._read()

    def _read(self):
        self.persister = self._io.read_u1()
        _on = self.persister
        if _on == 1:
            pass
            self.stored = JbossJournalCore.CoreMessage(self._io, self, self._root)
        elif _on == 2:
            pass
            self.stored = JbossJournalCore.AmqpMessage(self._io, self, self._root)
        elif _on == 3:
            pass
            self.stored = JbossJournalCore.AmqpMessage2(self._io, self, self._root)
        elif _on == 4:
            pass
            self.stored = JbossJournalCore.AmqpLargeMessage(self._io, self, self._root)
        elif _on == 5:
            pass
            self.stored = JbossJournalCore.AmqpMessage3(self._io, self, self._root)


    def _fetch_instances(self):
        pass
        _on = self.persister
        if _on == 1:
            pass
            self.stored._fetch_instances()
        elif _on == 2:
            pass
            self.stored._fetch_instances()
        elif _on == 3:
            pass
            self.stored._fetch_instances()
        elif _on == 4:
            pass
            self.stored._fetch_instances()
        elif _on == 5:
            pass
            self.stored._fetch_instances()

    class AmqpLargeMessage(KaitaiStruct):
        """An AMQP message whose sections are all in the file ID.msg. A page does not store the end of the message, but its queues come last.
        
        .. seealso::
           HornetQ 2.2.14, 2.3.25, 2.4.9: MessageImpl, ServerMessageImpl, PagedMessageImpl; Artemis 1.0.0 to 2.56.0: CoreMessage, CoreMessagePersister, AMQPMessagePersister (V1, V2, V3), PagedMessageImpl, TypedProperties, SimpleString; read at their tags, and tried on stores of HornetQ 2.4.9, Artemis 1.5.6 and 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalCore.AmqpLargeMessage, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.ident = self._io.read_s8be()
            self.durable = self._io.read_u1()
            self.message_format = self._io.read_s8be()
            self.address = JbossJournalCore.OptionalString(self._io, self, self._root)
            self.extra_size = self._io.read_s4be()
            if not self.extra_size >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.extra_size, self._io, u"/types/amqp_large_message/seq/4")
            if  ((self.extra_size != 0) and (self.extra_size >= 0)) :
                pass
                self._raw_extra = self._io.read_bytes(self.extra_size)
                _io__raw_extra = KaitaiStream(BytesIO(self._raw_extra))
                self.extra = JbossJournalCore.Properties(_io__raw_extra, self, self._root)

            self.saved = self._io.read_bytes_full()


        def _fetch_instances(self):
            pass
            self.address._fetch_instances()
            if  ((self.extra_size != 0) and (self.extra_size >= 0)) :
                pass
                self.extra._fetch_instances()



    class AmqpMessage(KaitaiStruct):
        """An AMQP message, first form.
        
        .. seealso::
           HornetQ 2.2.14, 2.3.25, 2.4.9: MessageImpl, ServerMessageImpl, PagedMessageImpl; Artemis 1.0.0 to 2.56.0: CoreMessage, CoreMessagePersister, AMQPMessagePersister (V1, V2, V3), PagedMessageImpl, TypedProperties, SimpleString; read at their tags, and tried on stores of HornetQ 2.4.9, Artemis 1.5.6 and 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalCore.AmqpMessage, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.ident = self._io.read_s8be()
            self.message_format = self._io.read_s8be()
            self.address = JbossJournalCore.OptionalString(self._io, self, self._root)
            self.size = self._io.read_s4be()
            if not self.size >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.size, self._io, u"/types/amqp_message/seq/3")
            if self.size >= 0:
                pass
                self.sections = self._io.read_bytes(self.size)



        def _fetch_instances(self):
            pass
            self.address._fetch_instances()
            if self.size >= 0:
                pass



    class AmqpMessage2(KaitaiStruct):
        """An AMQP message with properties of the broker.
        
        .. seealso::
           HornetQ 2.2.14, 2.3.25, 2.4.9: MessageImpl, ServerMessageImpl, PagedMessageImpl; Artemis 1.0.0 to 2.56.0: CoreMessage, CoreMessagePersister, AMQPMessagePersister (V1, V2, V3), PagedMessageImpl, TypedProperties, SimpleString; read at their tags, and tried on stores of HornetQ 2.4.9, Artemis 1.5.6 and 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalCore.AmqpMessage2, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.message = JbossJournalCore.AmqpMessage(self._io, self, self._root)
            self.extra_size = self._io.read_s4be()
            if not self.extra_size >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.extra_size, self._io, u"/types/amqp_message_2/seq/1")
            if  ((self.extra_size != 0) and (self.extra_size >= 0)) :
                pass
                self._raw_extra = self._io.read_bytes(self.extra_size)
                _io__raw_extra = KaitaiStream(BytesIO(self._raw_extra))
                self.extra = JbossJournalCore.Properties(_io__raw_extra, self, self._root)



        def _fetch_instances(self):
            pass
            self.message._fetch_instances()
            if  ((self.extra_size != 0) and (self.extra_size >= 0)) :
                pass
                self.extra._fetch_instances()



    class AmqpMessage3(KaitaiStruct):
        """An AMQP message with its expiration.
        
        .. seealso::
           HornetQ 2.2.14, 2.3.25, 2.4.9: MessageImpl, ServerMessageImpl, PagedMessageImpl; Artemis 1.0.0 to 2.56.0: CoreMessage, CoreMessagePersister, AMQPMessagePersister (V1, V2, V3), PagedMessageImpl, TypedProperties, SimpleString; read at their tags, and tried on stores of HornetQ 2.4.9, Artemis 1.5.6 and 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalCore.AmqpMessage3, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.message = JbossJournalCore.AmqpMessage2(self._io, self, self._root)
            self.expiration = self._io.read_s8be()


        def _fetch_instances(self):
            pass
            self.message._fetch_instances()


    class BoolValue(KaitaiStruct):
        """A value: bool.
        
        .. seealso::
           HornetQ 2.2.14, 2.3.25, 2.4.9: MessageImpl, ServerMessageImpl, PagedMessageImpl; Artemis 1.0.0 to 2.56.0: CoreMessage, CoreMessagePersister, AMQPMessagePersister (V1, V2, V3), PagedMessageImpl, TypedProperties, SimpleString; read at their tags, and tried on stores of HornetQ 2.4.9, Artemis 1.5.6 and 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalCore.BoolValue, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.held = self._io.read_u1()


        def _fetch_instances(self):
            pass


    class Core(KaitaiStruct):
        """Body and headers. The stored end of the body includes the 13 bytes of a packet header, which is not stored.
        
        .. seealso::
           HornetQ 2.2.14, 2.3.25, 2.4.9: MessageImpl, ServerMessageImpl, PagedMessageImpl; Artemis 1.0.0 to 2.56.0: CoreMessage, CoreMessagePersister, AMQPMessagePersister (V1, V2, V3), PagedMessageImpl, TypedProperties, SimpleString; read at their tags, and tried on stores of HornetQ 2.4.9, Artemis 1.5.6 and 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalCore.Core, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.body_end = self._io.read_s4be()
            if not self.body_end >= 13:
                raise kaitaistruct.ValidationLessThanError(13, self.body_end, self._io, u"/types/core/seq/0")
            if self.body_end - 13 >= 0:
                pass
                self.body = self._io.read_bytes(self.body_end - 13)

            self.headers = JbossJournalCore.Headers(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            if self.body_end - 13 >= 0:
                pass

            self.headers._fetch_instances()


    class CoreMessage(KaitaiStruct):
        """A Core message as CoreMessagePersister stores it.
        
        .. seealso::
           HornetQ 2.2.14, 2.3.25, 2.4.9: MessageImpl, ServerMessageImpl, PagedMessageImpl; Artemis 1.0.0 to 2.56.0: CoreMessage, CoreMessagePersister, AMQPMessagePersister (V1, V2, V3), PagedMessageImpl, TypedProperties, SimpleString; read at their tags, and tried on stores of HornetQ 2.4.9, Artemis 1.5.6 and 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalCore.CoreMessage, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.ident = self._io.read_s8be()
            self.address = JbossJournalCore.OptionalString(self._io, self, self._root)
            self.size = self._io.read_s4be()
            if not self.size >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.size, self._io, u"/types/core_message/seq/2")
            if self.size >= 0:
                pass
                self._raw_core = self._io.read_bytes(self.size)
                _io__raw_core = KaitaiStream(BytesIO(self._raw_core))
                self.core = JbossJournalCore.Core(_io__raw_core, self, self._root)



        def _fetch_instances(self):
            pass
            self.address._fetch_instances()
            if self.size >= 0:
                pass
                self.core._fetch_instances()



    class Data(KaitaiStruct):
        """A byte array, preceded by its length.
        
        .. seealso::
           HornetQ 2.2.14, 2.3.25, 2.4.9: MessageImpl, ServerMessageImpl, PagedMessageImpl; Artemis 1.0.0 to 2.56.0: CoreMessage, CoreMessagePersister, AMQPMessagePersister (V1, V2, V3), PagedMessageImpl, TypedProperties, SimpleString; read at their tags, and tried on stores of HornetQ 2.4.9, Artemis 1.5.6 and 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalCore.Data, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.size = self._io.read_s4be()
            if not self.size >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.size, self._io, u"/types/data/seq/0")
            if self.size >= 0:
                pass
                self.value = self._io.read_bytes(self.size)



        def _fetch_instances(self):
            pass
            if self.size >= 0:
                pass



    class Element(KaitaiStruct):
        """A value with its tag, as in properties, except for the form of strings.
        
        .. seealso::
           HornetQ 2.2.14, 2.3.25, 2.4.9: MessageImpl, ServerMessageImpl, PagedMessageImpl; Artemis 1.0.0 to 2.56.0: CoreMessage, CoreMessagePersister, AMQPMessagePersister (V1, V2, V3), PagedMessageImpl, TypedProperties, SimpleString; read at their tags, and tried on stores of HornetQ 2.4.9, Artemis 1.5.6 and 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalCore.Element, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.tag = self._io.read_u1()
            _on = self.tag
            if _on == 0:
                pass
                self.value = JbossJournalCore.Nothing(self._io, self, self._root)
            elif _on == 10:
                pass
                self.value = JbossJournalCore.OptionalLongString(self._io, self, self._root)
            elif _on == 11:
                pass
                self.value = JbossJournalCore.U2Value(self._io, self, self._root)
            elif _on == 2:
                pass
                self.value = JbossJournalCore.BoolValue(self._io, self, self._root)
            elif _on == 3:
                pass
                self.value = JbossJournalCore.S1Value(self._io, self, self._root)
            elif _on == 4:
                pass
                self.value = JbossJournalCore.Data(self._io, self, self._root)
            elif _on == 5:
                pass
                self.value = JbossJournalCore.S2Value(self._io, self, self._root)
            elif _on == 6:
                pass
                self.value = JbossJournalCore.S4Value(self._io, self, self._root)
            elif _on == 7:
                pass
                self.value = JbossJournalCore.S8Value(self._io, self, self._root)
            elif _on == 8:
                pass
                self.value = JbossJournalCore.F4Value(self._io, self, self._root)
            elif _on == 9:
                pass
                self.value = JbossJournalCore.F8Value(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            _on = self.tag
            if _on == 0:
                pass
                self.value._fetch_instances()
            elif _on == 10:
                pass
                self.value._fetch_instances()
            elif _on == 11:
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


    class F4Value(KaitaiStruct):
        """A value: f4.
        
        .. seealso::
           HornetQ 2.2.14, 2.3.25, 2.4.9: MessageImpl, ServerMessageImpl, PagedMessageImpl; Artemis 1.0.0 to 2.56.0: CoreMessage, CoreMessagePersister, AMQPMessagePersister (V1, V2, V3), PagedMessageImpl, TypedProperties, SimpleString; read at their tags, and tried on stores of HornetQ 2.4.9, Artemis 1.5.6 and 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalCore.F4Value, self).__init__(_io)
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
           HornetQ 2.2.14, 2.3.25, 2.4.9: MessageImpl, ServerMessageImpl, PagedMessageImpl; Artemis 1.0.0 to 2.56.0: CoreMessage, CoreMessagePersister, AMQPMessagePersister (V1, V2, V3), PagedMessageImpl, TypedProperties, SimpleString; read at their tags, and tried on stores of HornetQ 2.4.9, Artemis 1.5.6 and 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalCore.F8Value, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.held = self._io.read_f8be()


        def _fetch_instances(self):
            pass


    class Headers(KaitaiStruct):
        """The parts of a message besides its body, the same in all versions.
        
        .. seealso::
           HornetQ 2.2.14, 2.3.25, 2.4.9: MessageImpl, ServerMessageImpl, PagedMessageImpl; Artemis 1.0.0 to 2.56.0: CoreMessage, CoreMessagePersister, AMQPMessagePersister (V1, V2, V3), PagedMessageImpl, TypedProperties, SimpleString; read at their tags, and tried on stores of HornetQ 2.4.9, Artemis 1.5.6 and 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalCore.Headers, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.ident = self._io.read_s8be()
            self.address = JbossJournalCore.OptionalString(self._io, self, self._root)
            self.has_user_id = self._io.read_u1()
            if self.has_user_id == 1:
                pass
                self.user_id = self._io.read_bytes(16)

            self.kind = self._io.read_s1()
            self.durable = self._io.read_u1()
            self.expiration = self._io.read_s8be()
            self.timestamp = self._io.read_s8be()
            self.priority = self._io.read_s1()
            self.properties = JbossJournalCore.Properties(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.address._fetch_instances()
            if self.has_user_id == 1:
                pass

            self.properties._fetch_instances()


    class LargeMessage(KaitaiStruct):
        """A large Core message: a record of user type 30. Its body is the file ID.msg in the directory of large messages.
        
        .. seealso::
           HornetQ 2.2.14, 2.3.25, 2.4.9: MessageImpl, ServerMessageImpl, PagedMessageImpl; Artemis 1.0.0 to 2.56.0: CoreMessage, CoreMessagePersister, AMQPMessagePersister (V1, V2, V3), PagedMessageImpl, TypedProperties, SimpleString; read at their tags, and tried on stores of HornetQ 2.4.9, Artemis 1.5.6 and 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalCore.LargeMessage, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.headers = JbossJournalCore.Headers(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.headers._fetch_instances()


    class LongString(KaitaiStruct):
        """A text (String) in one of three forms, by its number of characters.
        
        .. seealso::
           HornetQ 2.2.14, 2.3.25, 2.4.9: MessageImpl, ServerMessageImpl, PagedMessageImpl; Artemis 1.0.0 to 2.56.0: CoreMessage, CoreMessagePersister, AMQPMessagePersister (V1, V2, V3), PagedMessageImpl, TypedProperties, SimpleString; read at their tags, and tried on stores of HornetQ 2.4.9, Artemis 1.5.6 and 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalCore.LongString, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.length = self._io.read_s4be()
            if not self.length >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.length, self._io, u"/types/long_string/seq/0")
            if  ((self.length < 9) and (self.length * 2 >= 0)) :
                pass
                self.units = self._io.read_bytes(self.length * 2)

            if  ((self.length >= 9) and (self.length <= 4094)) :
                pass
                self.utf = JbossJournalCore.Utf(self._io, self, self._root)

            if self.length >= 4095:
                pass
                self.wide = JbossJournalCore.SimpleString(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            if  ((self.length < 9) and (self.length * 2 >= 0)) :
                pass

            if  ((self.length >= 9) and (self.length <= 4094)) :
                pass
                self.utf._fetch_instances()

            if self.length >= 4095:
                pass
                self.wide._fetch_instances()



    class MapBody(KaitaiStruct):
        """The body of a map message.
        
        .. seealso::
           HornetQ 2.2.14, 2.3.25, 2.4.9: MessageImpl, ServerMessageImpl, PagedMessageImpl; Artemis 1.0.0 to 2.56.0: CoreMessage, CoreMessagePersister, AMQPMessagePersister (V1, V2, V3), PagedMessageImpl, TypedProperties, SimpleString; read at their tags, and tried on stores of HornetQ 2.4.9, Artemis 1.5.6 and 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalCore.MapBody, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            if (not (self._io.is_eof())):
                pass
                self.map = JbossJournalCore.Properties(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            if (not (self._io.is_eof())):
                pass
                self.map._fetch_instances()



    class Nothing(KaitaiStruct):
        """No bytes.
        
        .. seealso::
           HornetQ 2.2.14, 2.3.25, 2.4.9: MessageImpl, ServerMessageImpl, PagedMessageImpl; Artemis 1.0.0 to 2.56.0: CoreMessage, CoreMessagePersister, AMQPMessagePersister (V1, V2, V3), PagedMessageImpl, TypedProperties, SimpleString; read at their tags, and tried on stores of HornetQ 2.4.9, Artemis 1.5.6 and 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalCore.Nothing, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            pass


        def _fetch_instances(self):
            pass


    class ObjectBody(KaitaiStruct):
        """The body of an object message: a Java serialisation stream, which is never deserialised.
        
        .. seealso::
           HornetQ 2.2.14, 2.3.25, 2.4.9: MessageImpl, ServerMessageImpl, PagedMessageImpl; Artemis 1.0.0 to 2.56.0: CoreMessage, CoreMessagePersister, AMQPMessagePersister (V1, V2, V3), PagedMessageImpl, TypedProperties, SimpleString; read at their tags, and tried on stores of HornetQ 2.4.9, Artemis 1.5.6 and 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalCore.ObjectBody, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            if (not (self._io.is_eof())):
                pass
                self.object = JbossJournalCore.Data(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            if (not (self._io.is_eof())):
                pass
                self.object._fetch_instances()



    class OldMessage(KaitaiStruct):
        """A message of HornetQ or Artemis 1: a record of user type 31. Artemis 2 does not start with such a record.
        
        .. seealso::
           HornetQ 2.2.14, 2.3.25, 2.4.9: MessageImpl, ServerMessageImpl, PagedMessageImpl; Artemis 1.0.0 to 2.56.0: CoreMessage, CoreMessagePersister, AMQPMessagePersister (V1, V2, V3), PagedMessageImpl, TypedProperties, SimpleString; read at their tags, and tried on stores of HornetQ 2.4.9, Artemis 1.5.6 and 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalCore.OldMessage, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.body_end = self._io.read_s4be()
            if not self.body_end >= 17:
                raise kaitaistruct.ValidationLessThanError(17, self.body_end, self._io, u"/types/old_message/seq/0")
            if self.body_end - 17 >= 0:
                pass
                self.body = self._io.read_bytes(self.body_end - 17)

            self.end = self._io.read_s4be()
            self.headers = JbossJournalCore.Headers(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            if self.body_end - 17 >= 0:
                pass

            self.headers._fetch_instances()


    class OptionalLongString(KaitaiStruct):
        """A text (String) that may be missing.
        
        .. seealso::
           HornetQ 2.2.14, 2.3.25, 2.4.9: MessageImpl, ServerMessageImpl, PagedMessageImpl; Artemis 1.0.0 to 2.56.0: CoreMessage, CoreMessagePersister, AMQPMessagePersister (V1, V2, V3), PagedMessageImpl, TypedProperties, SimpleString; read at their tags, and tried on stores of HornetQ 2.4.9, Artemis 1.5.6 and 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalCore.OptionalLongString, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.present = self._io.read_u1()
            if self.present != 0:
                pass
                self.string = JbossJournalCore.LongString(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            if self.present != 0:
                pass
                self.string._fetch_instances()



    class OptionalString(KaitaiStruct):
        """A text that may be missing.
        
        .. seealso::
           HornetQ 2.2.14, 2.3.25, 2.4.9: MessageImpl, ServerMessageImpl, PagedMessageImpl; Artemis 1.0.0 to 2.56.0: CoreMessage, CoreMessagePersister, AMQPMessagePersister (V1, V2, V3), PagedMessageImpl, TypedProperties, SimpleString; read at their tags, and tried on stores of HornetQ 2.4.9, Artemis 1.5.6 and 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalCore.OptionalString, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.present = self._io.read_u1()
            if self.present != 0:
                pass
                self.string = JbossJournalCore.SimpleString(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            if self.present != 0:
                pass
                self.string._fetch_instances()



    class PageEntry(KaitaiStruct):
        """One message of a page file NNNNNNNNN.page. Entries follow each other; a broker stops at the first incomplete entry.
        
        .. seealso::
           HornetQ 2.2.14, 2.3.25, 2.4.9: MessageImpl, ServerMessageImpl, PagedMessageImpl; Artemis 1.0.0 to 2.56.0: CoreMessage, CoreMessagePersister, AMQPMessagePersister (V1, V2, V3), PagedMessageImpl, TypedProperties, SimpleString; read at their tags, and tried on stores of HornetQ 2.4.9, Artemis 1.5.6 and 2.44.0
        """
        def __init__(self, version, _io, _parent=None, _root=None):
            super(JbossJournalCore.PageEntry, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self.version = version
            self._read()

        def _read(self):
            self.start = self._io.read_u1()
            if not self.start == 123:
                raise kaitaistruct.ValidationNotEqualError(123, self.start, self._io, u"/types/page_entry/seq/0")
            self.size = self._io.read_s4be()
            if not self.size >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.size, self._io, u"/types/page_entry/seq/1")
            if self.size >= 0:
                pass
                self._raw_paged = self._io.read_bytes(self.size)
                _io__raw_paged = KaitaiStream(BytesIO(self._raw_paged))
                self.paged = JbossJournalCore.Paged(self.version, _io__raw_paged, self, self._root)

            self.end = self._io.read_u1()
            if not self.end == 125:
                raise kaitaistruct.ValidationNotEqualError(125, self.end, self._io, u"/types/page_entry/seq/3")


        def _fetch_instances(self):
            pass
            if self.size >= 0:
                pass
                self.paged._fetch_instances()



    class Paged(KaitaiStruct):
        """A paged message, and the queues that it was sent to.
        
        .. seealso::
           HornetQ 2.2.14, 2.3.25, 2.4.9: MessageImpl, ServerMessageImpl, PagedMessageImpl; Artemis 1.0.0 to 2.56.0: CoreMessage, CoreMessagePersister, AMQPMessagePersister (V1, V2, V3), PagedMessageImpl, TypedProperties, SimpleString; read at their tags, and tried on stores of HornetQ 2.4.9, Artemis 1.5.6 and 2.44.0
        """
        def __init__(self, version, _io, _parent=None, _root=None):
            super(JbossJournalCore.Paged, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self.version = version
            self._read()

        def _read(self):
            self.transaction = self._io.read_s8be()
            self.large = self._io.read_u1()
            if self.version <= 1:
                pass
                self.old_size = self._io.read_s4be()
                if not self.old_size >= 0:
                    raise kaitaistruct.ValidationLessThanError(0, self.old_size, self._io, u"/types/paged/seq/2")

            if  ((self.large == 0) and (self.version <= 1)) :
                pass
                self.old_message = JbossJournalCore.OldMessage(self._io, self, self._root)

            if  ((self.large != 0) and (self.version <= 1) and (self.old_size >= 0)) :
                pass
                self._raw_old_large_message = self._io.read_bytes(self.old_size)
                _io__raw_old_large_message = KaitaiStream(BytesIO(self._raw_old_large_message))
                self.old_large_message = JbossJournalCore.LargeMessage(_io__raw_old_large_message, self, self._root)

            if  (( ((self.large == 1) or (self.large == 255)) ) and (self.version >= 2)) :
                pass
                self.large_size = self._io.read_s4be()
                if not self.large_size >= 0:
                    raise kaitaistruct.ValidationLessThanError(0, self.large_size, self._io, u"/types/paged/seq/5")

            if  (( ((self.large == 1) or (self.large == 255)) ) and (self.version >= 2) and (self.large_size >= 0)) :
                pass
                self._raw_large_message = self._io.read_bytes(self.large_size)
                _io__raw_large_message = KaitaiStream(BytesIO(self._raw_large_message))
                self.large_message = JbossJournalCore.LargeMessage(_io__raw_large_message, self, self._root)

            if  (( ((self.large == 0) or ( ((self.large >= 2) and (self.large <= 254)) )) ) and (self.version >= 2)) :
                pass
                self.message = JbossJournalCore(self._io, self, self._root)

            if (not (self._io.is_eof())):
                pass
                self.routed = JbossJournalCore.Routed(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            if self.version <= 1:
                pass

            if  ((self.large == 0) and (self.version <= 1)) :
                pass
                self.old_message._fetch_instances()

            if  ((self.large != 0) and (self.version <= 1) and (self.old_size >= 0)) :
                pass
                self.old_large_message._fetch_instances()

            if  (( ((self.large == 1) or (self.large == 255)) ) and (self.version >= 2)) :
                pass

            if  (( ((self.large == 1) or (self.large == 255)) ) and (self.version >= 2) and (self.large_size >= 0)) :
                pass
                self.large_message._fetch_instances()

            if  (( ((self.large == 0) or ( ((self.large >= 2) and (self.large <= 254)) )) ) and (self.version >= 2)) :
                pass
                self.message._fetch_instances()

            if (not (self._io.is_eof())):
                pass
                self.routed._fetch_instances()



    class Properties(KaitaiStruct):
        """Typed properties (TypedProperties); of a map message, its body.
        
        .. seealso::
           HornetQ 2.2.14, 2.3.25, 2.4.9: MessageImpl, ServerMessageImpl, PagedMessageImpl; Artemis 1.0.0 to 2.56.0: CoreMessage, CoreMessagePersister, AMQPMessagePersister (V1, V2, V3), PagedMessageImpl, TypedProperties, SimpleString; read at their tags, and tried on stores of HornetQ 2.4.9, Artemis 1.5.6 and 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalCore.Properties, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.present = self._io.read_u1()
            if self.present != 0:
                pass
                self.number = self._io.read_s4be()

            if  ((self.present != 0) and (self.number >= 0)) :
                pass
                self.entries = []
                for i in range(self.number):
                    self.entries.append(JbossJournalCore.Property(self._io, self, self._root))




        def _fetch_instances(self):
            pass
            if self.present != 0:
                pass

            if  ((self.present != 0) and (self.number >= 0)) :
                pass
                for i in range(len(self.entries)):
                    pass
                    self.entries[i]._fetch_instances()




    class Property(KaitaiStruct):
        """A name and a value.
        
        .. seealso::
           HornetQ 2.2.14, 2.3.25, 2.4.9: MessageImpl, ServerMessageImpl, PagedMessageImpl; Artemis 1.0.0 to 2.56.0: CoreMessage, CoreMessagePersister, AMQPMessagePersister (V1, V2, V3), PagedMessageImpl, TypedProperties, SimpleString; read at their tags, and tried on stores of HornetQ 2.4.9, Artemis 1.5.6 and 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalCore.Property, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.key = JbossJournalCore.SimpleString(self._io, self, self._root)
            self.tag = self._io.read_u1()
            _on = self.tag
            if _on == 0:
                pass
                self.value = JbossJournalCore.Nothing(self._io, self, self._root)
            elif _on == 10:
                pass
                self.value = JbossJournalCore.SimpleString(self._io, self, self._root)
            elif _on == 11:
                pass
                self.value = JbossJournalCore.U2Value(self._io, self, self._root)
            elif _on == 2:
                pass
                self.value = JbossJournalCore.BoolValue(self._io, self, self._root)
            elif _on == 3:
                pass
                self.value = JbossJournalCore.S1Value(self._io, self, self._root)
            elif _on == 4:
                pass
                self.value = JbossJournalCore.Data(self._io, self, self._root)
            elif _on == 5:
                pass
                self.value = JbossJournalCore.S2Value(self._io, self, self._root)
            elif _on == 6:
                pass
                self.value = JbossJournalCore.S4Value(self._io, self, self._root)
            elif _on == 7:
                pass
                self.value = JbossJournalCore.S8Value(self._io, self, self._root)
            elif _on == 8:
                pass
                self.value = JbossJournalCore.F4Value(self._io, self, self._root)
            elif _on == 9:
                pass
                self.value = JbossJournalCore.F8Value(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.key._fetch_instances()
            _on = self.tag
            if _on == 0:
                pass
                self.value._fetch_instances()
            elif _on == 10:
                pass
                self.value._fetch_instances()
            elif _on == 11:
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


    class QueueId(KaitaiStruct):
        """The id of a queue, which is the id of its binding record.
        
        .. seealso::
           HornetQ 2.2.14, 2.3.25, 2.4.9: MessageImpl, ServerMessageImpl, PagedMessageImpl; Artemis 1.0.0 to 2.56.0: CoreMessage, CoreMessagePersister, AMQPMessagePersister (V1, V2, V3), PagedMessageImpl, TypedProperties, SimpleString; read at their tags, and tried on stores of HornetQ 2.4.9, Artemis 1.5.6 and 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalCore.QueueId, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.queue = self._io.read_s8be()


        def _fetch_instances(self):
            pass


    class Routed(KaitaiStruct):
        """The queues that a paged message was sent to.
        
        .. seealso::
           HornetQ 2.2.14, 2.3.25, 2.4.9: MessageImpl, ServerMessageImpl, PagedMessageImpl; Artemis 1.0.0 to 2.56.0: CoreMessage, CoreMessagePersister, AMQPMessagePersister (V1, V2, V3), PagedMessageImpl, TypedProperties, SimpleString; read at their tags, and tried on stores of HornetQ 2.4.9, Artemis 1.5.6 and 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalCore.Routed, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.number = self._io.read_s4be()
            if not self.number >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.number, self._io, u"/types/routed/seq/0")
            if self.number >= 0:
                pass
                self.queues = []
                for i in range(self.number):
                    self.queues.append(JbossJournalCore.QueueId(self._io, self, self._root))




        def _fetch_instances(self):
            pass
            if self.number >= 0:
                pass
                for i in range(len(self.queues)):
                    pass
                    self.queues[i]._fetch_instances()




    class S1Value(KaitaiStruct):
        """A value: s1.
        
        .. seealso::
           HornetQ 2.2.14, 2.3.25, 2.4.9: MessageImpl, ServerMessageImpl, PagedMessageImpl; Artemis 1.0.0 to 2.56.0: CoreMessage, CoreMessagePersister, AMQPMessagePersister (V1, V2, V3), PagedMessageImpl, TypedProperties, SimpleString; read at their tags, and tried on stores of HornetQ 2.4.9, Artemis 1.5.6 and 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalCore.S1Value, self).__init__(_io)
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
           HornetQ 2.2.14, 2.3.25, 2.4.9: MessageImpl, ServerMessageImpl, PagedMessageImpl; Artemis 1.0.0 to 2.56.0: CoreMessage, CoreMessagePersister, AMQPMessagePersister (V1, V2, V3), PagedMessageImpl, TypedProperties, SimpleString; read at their tags, and tried on stores of HornetQ 2.4.9, Artemis 1.5.6 and 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalCore.S2Value, self).__init__(_io)
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
           HornetQ 2.2.14, 2.3.25, 2.4.9: MessageImpl, ServerMessageImpl, PagedMessageImpl; Artemis 1.0.0 to 2.56.0: CoreMessage, CoreMessagePersister, AMQPMessagePersister (V1, V2, V3), PagedMessageImpl, TypedProperties, SimpleString; read at their tags, and tried on stores of HornetQ 2.4.9, Artemis 1.5.6 and 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalCore.S4Value, self).__init__(_io)
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
           HornetQ 2.2.14, 2.3.25, 2.4.9: MessageImpl, ServerMessageImpl, PagedMessageImpl; Artemis 1.0.0 to 2.56.0: CoreMessage, CoreMessagePersister, AMQPMessagePersister (V1, V2, V3), PagedMessageImpl, TypedProperties, SimpleString; read at their tags, and tried on stores of HornetQ 2.4.9, Artemis 1.5.6 and 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalCore.S8Value, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.held = self._io.read_s8be()


        def _fetch_instances(self):
            pass


    class SimpleString(KaitaiStruct):
        """A text (SimpleString): UTF-16, the low byte first, although all other fields have the high byte first.
        
        .. seealso::
           HornetQ 2.2.14, 2.3.25, 2.4.9: MessageImpl, ServerMessageImpl, PagedMessageImpl; Artemis 1.0.0 to 2.56.0: CoreMessage, CoreMessagePersister, AMQPMessagePersister (V1, V2, V3), PagedMessageImpl, TypedProperties, SimpleString; read at their tags, and tried on stores of HornetQ 2.4.9, Artemis 1.5.6 and 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalCore.SimpleString, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.size = self._io.read_s4be()
            if not self.size >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.size, self._io, u"/types/simple_string/seq/0")
            if self.size >= 0:
                pass
                self.value = self._io.read_bytes(self.size)



        def _fetch_instances(self):
            pass
            if self.size >= 0:
                pass



    class StreamBody(KaitaiStruct):
        """The body of a stream message.
        
        .. seealso::
           HornetQ 2.2.14, 2.3.25, 2.4.9: MessageImpl, ServerMessageImpl, PagedMessageImpl; Artemis 1.0.0 to 2.56.0: CoreMessage, CoreMessagePersister, AMQPMessagePersister (V1, V2, V3), PagedMessageImpl, TypedProperties, SimpleString; read at their tags, and tried on stores of HornetQ 2.4.9, Artemis 1.5.6 and 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalCore.StreamBody, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.elements = []
            i = 0
            while not self._io.is_eof():
                self.elements.append(JbossJournalCore.Element(self._io, self, self._root))
                i += 1



        def _fetch_instances(self):
            pass
            for i in range(len(self.elements)):
                pass
                self.elements[i]._fetch_instances()



    class TextBody(KaitaiStruct):
        """The body of a text message; without any byte, the text is null.
        
        .. seealso::
           HornetQ 2.2.14, 2.3.25, 2.4.9: MessageImpl, ServerMessageImpl, PagedMessageImpl; Artemis 1.0.0 to 2.56.0: CoreMessage, CoreMessagePersister, AMQPMessagePersister (V1, V2, V3), PagedMessageImpl, TypedProperties, SimpleString; read at their tags, and tried on stores of HornetQ 2.4.9, Artemis 1.5.6 and 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalCore.TextBody, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            if (not (self._io.is_eof())):
                pass
                self.present = self._io.read_u1()

            if (not (self._io.is_eof())):
                pass
                self.string = JbossJournalCore.SimpleString(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            if (not (self._io.is_eof())):
                pass

            if (not (self._io.is_eof())):
                pass
                self.string._fetch_instances()



    class U2Value(KaitaiStruct):
        """A value: u2.
        
        .. seealso::
           HornetQ 2.2.14, 2.3.25, 2.4.9: MessageImpl, ServerMessageImpl, PagedMessageImpl; Artemis 1.0.0 to 2.56.0: CoreMessage, CoreMessagePersister, AMQPMessagePersister (V1, V2, V3), PagedMessageImpl, TypedProperties, SimpleString; read at their tags, and tried on stores of HornetQ 2.4.9, Artemis 1.5.6 and 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalCore.U2Value, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.held = self._io.read_u2be()


        def _fetch_instances(self):
            pass


    class Utf(KaitaiStruct):
        """A text in modified UTF-8.
        
        .. seealso::
           HornetQ 2.2.14, 2.3.25, 2.4.9: MessageImpl, ServerMessageImpl, PagedMessageImpl; Artemis 1.0.0 to 2.56.0: CoreMessage, CoreMessagePersister, AMQPMessagePersister (V1, V2, V3), PagedMessageImpl, TypedProperties, SimpleString; read at their tags, and tried on stores of HornetQ 2.4.9, Artemis 1.5.6 and 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalCore.Utf, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.size = self._io.read_u2be()
            self.value = self._io.read_bytes(self.size)


        def _fetch_instances(self):
            pass
