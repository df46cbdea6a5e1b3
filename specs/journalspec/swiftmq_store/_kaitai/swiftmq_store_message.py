# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class SwiftmqStoreMessage(KaitaiStruct):
    """A message in a SwiftMQ store: the concatenated slices of its pages, or the content of an entry of a swap file. Properties and the body of a map message are the type properties; the body of a message of the queue sys$prepared is the type branch. The sequence is: A message. Bytes that follow it on its last page do not belong to it.
    
    .. seealso::
       Source - https://github.com/iitsoftware/swiftmq-client/tree/develop/src/main/java/com/swiftmq/jms
    """
    def __init__(self, _io, _parent=None, _root=None):
        super(SwiftmqStoreMessage, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._read()

    def _read(self):
        self.kind = self._io.read_s4be()
        if not self.kind >= 0:
            raise kaitaistruct.ValidationLessThanError(0, self.kind, self._io, u"/seq/0")
        if not self.kind <= 5:
            raise kaitaistruct.ValidationGreaterThanError(5, self.kind, self._io, u"/seq/0")
        self.expiration = self._io.read_s8be()
        self.priority = self._io.read_s4be()
        self.timestamp = self._io.read_s8be()
        self.deliveries = self._io.read_s4be()
        self.mode = self._io.read_s4be()
        self.redelivered = self._io.read_u1()
        self.message_id = SwiftmqStoreMessage.OptionalUtf(self._io, self, self._root)
        self.user = SwiftmqStoreMessage.OptionalUtf(self._io, self, self._root)
        self.client = SwiftmqStoreMessage.OptionalUtf(self._io, self, self._root)
        self.correlation = SwiftmqStoreMessage.OptionalUtf(self._io, self, self._root)
        self.type_name = SwiftmqStoreMessage.OptionalUtf(self._io, self, self._root)
        self.reply_to = SwiftmqStoreMessage.OptionalDestination(self._io, self, self._root)
        self.destination = SwiftmqStoreMessage.OptionalDestination(self._io, self, self._root)
        self.properties = SwiftmqStoreMessage.HeldBlob(self._io, self, self._root)
        self.source_router = SwiftmqStoreMessage.OptionalUtf(self._io, self, self._root)
        self.router = SwiftmqStoreMessage.OptionalUtf(self._io, self, self._root)
        self.queue = SwiftmqStoreMessage.OptionalUtf(self._io, self, self._root)
        _on = self.kind
        if _on == 0:
            pass
            self.body = SwiftmqStoreMessage.Nothing(self._io, self, self._root)
        elif _on == 1:
            pass
            self.body = SwiftmqStoreMessage.Blob(self._io, self, self._root)
        elif _on == 2:
            pass
            self.body = SwiftmqStoreMessage.HeldBlob(self._io, self, self._root)
        elif _on == 3:
            pass
            self.body = SwiftmqStoreMessage.OptionalBlob(self._io, self, self._root)
        elif _on == 4:
            pass
            self.body = SwiftmqStoreMessage.Stream(self._io, self, self._root)
        elif _on == 5:
            pass
            self.body = SwiftmqStoreMessage.Texts(self._io, self, self._root)


    def _fetch_instances(self):
        pass
        self.message_id._fetch_instances()
        self.user._fetch_instances()
        self.client._fetch_instances()
        self.correlation._fetch_instances()
        self.type_name._fetch_instances()
        self.reply_to._fetch_instances()
        self.destination._fetch_instances()
        self.properties._fetch_instances()
        self.source_router._fetch_instances()
        self.router._fetch_instances()
        self.queue._fetch_instances()
        _on = self.kind
        if _on == 0:
            pass
            self.body._fetch_instances()
        elif _on == 1:
            pass
            self.body._fetch_instances()
        elif _on == 2:
            pass
            self.body._fetch_instances()
        elif _on == 3:
            pass
            self.body._fetch_instances()
        elif _on == 4:
            pass
            self.body._fetch_instances()
        elif _on == 5:
            pass
            self.body._fetch_instances()

    class Blob(KaitaiStruct):
        """Bytes.
        
        .. seealso::
           Source - https://github.com/iitsoftware/swiftmq-client/tree/develop/src/main/java/com/swiftmq/jms
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(SwiftmqStoreMessage.Blob, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.length = self._io.read_s4be()
            if not self.length >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.length, self._io, u"/types/blob/seq/0")
            if self.length >= 0:
                pass
                self.data = self._io.read_bytes(self.length)



        def _fetch_instances(self):
            pass
            if self.length >= 0:
                pass



    class BoolValue(KaitaiStruct):
        """A value: bool.
        
        .. seealso::
           Source - https://github.com/iitsoftware/swiftmq-client/tree/develop/src/main/java/com/swiftmq/jms
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(SwiftmqStoreMessage.BoolValue, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.held = self._io.read_u1()


        def _fetch_instances(self):
            pass


    class Branch(KaitaiStruct):
        """The part of one queue in a prepared branch.
        
        .. seealso::
           com.swiftmq.impl.store.standard.xa.PrepareLogRecordImpl: writeContent; com.swiftmq.jms.XidImpl: writeContent
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(SwiftmqStoreMessage.Branch, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.valid = self._io.read_u1()
            self.time = self._io.read_s8be()
            self.kind = self._io.read_s4be()
            self.queue = SwiftmqStoreMessage.Utf(self._io, self, self._root)
            self.routing = self._io.read_u1()
            self.format_id = self._io.read_s4be()
            self.bqual = SwiftmqStoreMessage.OptionalBlob(self._io, self, self._root)
            self.gtrid = SwiftmqStoreMessage.OptionalBlob(self._io, self, self._root)
            self.number = self._io.read_s4be()
            if not self.number >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.number, self._io, u"/types/branch/seq/8")
            if self.number >= 0:
                pass
                self.keys = []
                for i in range(self.number):
                    self.keys.append(SwiftmqStoreMessage.Blob(self._io, self, self._root))




        def _fetch_instances(self):
            pass
            self.queue._fetch_instances()
            self.bqual._fetch_instances()
            self.gtrid._fetch_instances()
            if self.number >= 0:
                pass
                for i in range(len(self.keys)):
                    pass
                    self.keys[i]._fetch_instances()




    class Destination(KaitaiStruct):
        """A queue or a topic.
        
        .. seealso::
           com.swiftmq.jms.DestinationFactory
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(SwiftmqStoreMessage.Destination, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.kind = self._io.read_u1()
            if not self.kind <= 3:
                raise kaitaistruct.ValidationGreaterThanError(3, self.kind, self._io, u"/types/destination/seq/0")
            if  ((self.kind == 1) or (self.kind == 2)) :
                pass
                self.topic_queue = SwiftmqStoreMessage.OptionalUtf(self._io, self, self._root)

            self.name = SwiftmqStoreMessage.Utf(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            if  ((self.kind == 1) or (self.kind == 2)) :
                pass
                self.topic_queue._fetch_instances()

            self.name._fetch_instances()


    class F4Value(KaitaiStruct):
        """A value: f4.
        
        .. seealso::
           Source - https://github.com/iitsoftware/swiftmq-client/tree/develop/src/main/java/com/swiftmq/jms
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(SwiftmqStoreMessage.F4Value, self).__init__(_io)
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
           Source - https://github.com/iitsoftware/swiftmq-client/tree/develop/src/main/java/com/swiftmq/jms
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(SwiftmqStoreMessage.F8Value, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.held = self._io.read_f8be()


        def _fetch_instances(self):
            pass


    class HeldBlob(KaitaiStruct):
        """Bytes that may be missing, in another form.
        
        .. seealso::
           Source - https://github.com/iitsoftware/swiftmq-client/tree/develop/src/main/java/com/swiftmq/jms
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(SwiftmqStoreMessage.HeldBlob, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.there = self._io.read_u1()
            if self.there != 0:
                pass
                self.value = SwiftmqStoreMessage.Blob(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            if self.there != 0:
                pass
                self.value._fetch_instances()



    class Nothing(KaitaiStruct):
        """No bytes.
        
        .. seealso::
           Source - https://github.com/iitsoftware/swiftmq-client/tree/develop/src/main/java/com/swiftmq/jms
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(SwiftmqStoreMessage.Nothing, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            pass


        def _fetch_instances(self):
            pass


    class OptionalBlob(KaitaiStruct):
        """Bytes that may be missing.
        
        .. seealso::
           Source - https://github.com/iitsoftware/swiftmq-client/tree/develop/src/main/java/com/swiftmq/jms
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(SwiftmqStoreMessage.OptionalBlob, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.there = self._io.read_u1()
            if self.there == 1:
                pass
                self.value = SwiftmqStoreMessage.Blob(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            if self.there == 1:
                pass
                self.value._fetch_instances()



    class OptionalDestination(KaitaiStruct):
        """A queue or a topic that may be missing.
        
        .. seealso::
           Source - https://github.com/iitsoftware/swiftmq-client/tree/develop/src/main/java/com/swiftmq/jms
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(SwiftmqStoreMessage.OptionalDestination, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.there = self._io.read_u1()
            if self.there == 1:
                pass
                self.value = SwiftmqStoreMessage.Destination(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            if self.there == 1:
                pass
                self.value._fetch_instances()



    class OptionalUtf(KaitaiStruct):
        """A string that may be missing.
        
        .. seealso::
           Source - https://github.com/iitsoftware/swiftmq-client/tree/develop/src/main/java/com/swiftmq/jms
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(SwiftmqStoreMessage.OptionalUtf, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.there = self._io.read_u1()
            if self.there == 1:
                pass
                self.value = SwiftmqStoreMessage.Utf(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            if self.there == 1:
                pass
                self.value._fetch_instances()



    class Part(KaitaiStruct):
        """A part of a text: stored as bytes, because a character may be split.
        
        .. seealso::
           Source - https://github.com/iitsoftware/swiftmq-client/tree/develop/src/main/java/com/swiftmq/jms
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(SwiftmqStoreMessage.Part, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.length = self._io.read_u2be()
            self.data = self._io.read_bytes(self.length)


        def _fetch_instances(self):
            pass


    class Primitive(KaitaiStruct):
        """A value.
        
        .. seealso::
           com.swiftmq.jms.primitives.PrimitiveFactory
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(SwiftmqStoreMessage.Primitive, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.kind = self._io.read_s4be()
            if not self.kind >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.kind, self._io, u"/types/primitive/seq/0")
            if not self.kind <= 9:
                raise kaitaistruct.ValidationGreaterThanError(9, self.kind, self._io, u"/types/primitive/seq/0")
            _on = self.kind
            if _on == 0:
                pass
                self.value = SwiftmqStoreMessage.S4Value(self._io, self, self._root)
            elif _on == 1:
                pass
                self.value = SwiftmqStoreMessage.S8Value(self._io, self, self._root)
            elif _on == 2:
                pass
                self.value = SwiftmqStoreMessage.F8Value(self._io, self, self._root)
            elif _on == 3:
                pass
                self.value = SwiftmqStoreMessage.F4Value(self._io, self, self._root)
            elif _on == 4:
                pass
                self.value = SwiftmqStoreMessage.BoolValue(self._io, self, self._root)
            elif _on == 5:
                pass
                self.value = SwiftmqStoreMessage.U2Value(self._io, self, self._root)
            elif _on == 6:
                pass
                self.value = SwiftmqStoreMessage.S2Value(self._io, self, self._root)
            elif _on == 7:
                pass
                self.value = SwiftmqStoreMessage.S1Value(self._io, self, self._root)
            elif _on == 8:
                pass
                self.value = SwiftmqStoreMessage.Blob(self._io, self, self._root)
            elif _on == 9:
                pass
                self.value = SwiftmqStoreMessage.Utf(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            _on = self.kind
            if _on == 0:
                pass
                self.value._fetch_instances()
            elif _on == 1:
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


    class Properties(KaitaiStruct):
        """Properties, and the body of a map message.
        
        .. seealso::
           com.swiftmq.jms.MessageProperties, com.swiftmq.jms.MapMessageImpl
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(SwiftmqStoreMessage.Properties, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.number = self._io.read_s4be()
            if not self.number >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.number, self._io, u"/types/properties/seq/0")
            if self.number >= 0:
                pass
                self.entries = []
                for i in range(self.number):
                    self.entries.append(SwiftmqStoreMessage.Property(self._io, self, self._root))




        def _fetch_instances(self):
            pass
            if self.number >= 0:
                pass
                for i in range(len(self.entries)):
                    pass
                    self.entries[i]._fetch_instances()




    class Property(KaitaiStruct):
        """A name and a value.
        
        .. seealso::
           Source - https://github.com/iitsoftware/swiftmq-client/tree/develop/src/main/java/com/swiftmq/jms
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(SwiftmqStoreMessage.Property, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.name = SwiftmqStoreMessage.Utf(self._io, self, self._root)
            self.value = SwiftmqStoreMessage.Primitive(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.name._fetch_instances()
            self.value._fetch_instances()


    class S1Value(KaitaiStruct):
        """A value: s1.
        
        .. seealso::
           Source - https://github.com/iitsoftware/swiftmq-client/tree/develop/src/main/java/com/swiftmq/jms
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(SwiftmqStoreMessage.S1Value, self).__init__(_io)
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
           Source - https://github.com/iitsoftware/swiftmq-client/tree/develop/src/main/java/com/swiftmq/jms
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(SwiftmqStoreMessage.S2Value, self).__init__(_io)
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
           Source - https://github.com/iitsoftware/swiftmq-client/tree/develop/src/main/java/com/swiftmq/jms
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(SwiftmqStoreMessage.S4Value, self).__init__(_io)
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
           Source - https://github.com/iitsoftware/swiftmq-client/tree/develop/src/main/java/com/swiftmq/jms
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(SwiftmqStoreMessage.S8Value, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.held = self._io.read_s8be()


        def _fetch_instances(self):
            pass


    class Stream(KaitaiStruct):
        """The body of a stream message.
        
        .. seealso::
           com.swiftmq.jms.StreamMessageImpl: writeBody
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(SwiftmqStoreMessage.Stream, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.number = self._io.read_s4be()
            if not self.number >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.number, self._io, u"/types/stream/seq/0")
            if self.number >= 0:
                pass
                self.values = []
                for i in range(self.number):
                    self.values.append(SwiftmqStoreMessage.Primitive(self._io, self, self._root))




        def _fetch_instances(self):
            pass
            if self.number >= 0:
                pass
                for i in range(len(self.values)):
                    pass
                    self.values[i]._fetch_instances()




    class Texts(KaitaiStruct):
        """The body of a text message. The text is split into strings of 20,480 characters; the last string may be shorter. A character beyond U+FFFF may begin in one string and end in the next.
        
        .. seealso::
           com.swiftmq.jms.TextMessageImpl: writeBody
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(SwiftmqStoreMessage.Texts, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.there = self._io.read_u1()
            if self.there != 0:
                pass
                self.number = self._io.read_s4be()
                if not self.number >= 0:
                    raise kaitaistruct.ValidationLessThanError(0, self.number, self._io, u"/types/texts/seq/1")

            if  ((self.there != 0) and (self.number >= 0)) :
                pass
                self.parts = []
                for i in range(self.number):
                    self.parts.append(SwiftmqStoreMessage.Part(self._io, self, self._root))




        def _fetch_instances(self):
            pass
            if self.there != 0:
                pass

            if  ((self.there != 0) and (self.number >= 0)) :
                pass
                for i in range(len(self.parts)):
                    pass
                    self.parts[i]._fetch_instances()




    class U2Value(KaitaiStruct):
        """A value: u2.
        
        .. seealso::
           Source - https://github.com/iitsoftware/swiftmq-client/tree/develop/src/main/java/com/swiftmq/jms
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(SwiftmqStoreMessage.U2Value, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.held = self._io.read_u2be()


        def _fetch_instances(self):
            pass


    class Utf(KaitaiStruct):
        """A string.
        
        .. seealso::
           java.io.DataOutput: writeUTF
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(SwiftmqStoreMessage.Utf, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.length = self._io.read_u2be()
            self.data = self._io.read_bytes(self.length)


        def _fetch_instances(self):
            pass
