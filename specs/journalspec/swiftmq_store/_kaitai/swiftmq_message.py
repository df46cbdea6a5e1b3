# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class SwiftmqMessage(KaitaiStruct):
    """A message as a SwiftMQ store keeps it: the slices of its pages one behind the
    other, or what an entry of a swap file holds. Properties and the body of a map
    message are the type properties; the body of a message of the queue
    sys$prepared is the type branch. Strings are modified UTF-8 and not decoded.
    
    .. seealso::
       Source - https://github.com/iitsoftware/swiftmq-client/tree/develop/src/main/java/com/swiftmq/jms
    """
    def __init__(self, _io, _parent=None, _root=None):
        super(SwiftmqMessage, self).__init__(_io)
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
        self.id = SwiftmqMessage.OptionalUtf(self._io, self, self._root)
        self.user = SwiftmqMessage.OptionalUtf(self._io, self, self._root)
        self.client = SwiftmqMessage.OptionalUtf(self._io, self, self._root)
        self.correlation = SwiftmqMessage.OptionalUtf(self._io, self, self._root)
        self.type_name = SwiftmqMessage.OptionalUtf(self._io, self, self._root)
        self.reply_to = SwiftmqMessage.OptionalDestination(self._io, self, self._root)
        self.destination = SwiftmqMessage.OptionalDestination(self._io, self, self._root)
        self.properties = SwiftmqMessage.OptionalBlob(self._io, self, self._root)
        self.source_router = SwiftmqMessage.OptionalUtf(self._io, self, self._root)
        self.router = SwiftmqMessage.OptionalUtf(self._io, self, self._root)
        self.queue = SwiftmqMessage.OptionalUtf(self._io, self, self._root)
        _on = self.kind
        if _on == 0:
            pass
            self.body = SwiftmqMessage.Nothing(self._io, self, self._root)
        elif _on == 1:
            pass
            self.body = SwiftmqMessage.Blob(self._io, self, self._root)
        elif _on == 2:
            pass
            self.body = SwiftmqMessage.OptionalBlob(self._io, self, self._root)
        elif _on == 3:
            pass
            self.body = SwiftmqMessage.OptionalBlob(self._io, self, self._root)
        elif _on == 4:
            pass
            self.body = SwiftmqMessage.Stream(self._io, self, self._root)
        elif _on == 5:
            pass
            self.body = SwiftmqMessage.Text(self._io, self, self._root)


    def _fetch_instances(self):
        pass
        self.id._fetch_instances()
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
        """Bytes."""
        def __init__(self, _io, _parent=None, _root=None):
            super(SwiftmqMessage.Blob, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.length = self._io.read_s4be()
            self.data = self._io.read_bytes(self.length)


        def _fetch_instances(self):
            pass


    class BooleanValue(KaitaiStruct):
        """A boolean."""
        def __init__(self, _io, _parent=None, _root=None):
            super(SwiftmqMessage.BooleanValue, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.number = self._io.read_u1()


        def _fetch_instances(self):
            pass


    class Branch(KaitaiStruct):
        """What one queue has in a prepared branch."""
        def __init__(self, _io, _parent=None, _root=None):
            super(SwiftmqMessage.Branch, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.valid = self._io.read_u1()
            self.time = self._io.read_s8be()
            self.kind = self._io.read_s4be()
            self.queue = SwiftmqMessage.Utf(self._io, self, self._root)
            self.routing = self._io.read_u1()
            self.format_id = self._io.read_s4be()
            self.bqual = SwiftmqMessage.OptionalBlob(self._io, self, self._root)
            self.gtrid = SwiftmqMessage.OptionalBlob(self._io, self, self._root)
            self.number = self._io.read_s4be()
            self.keys = []
            for i in range(self.number):
                self.keys.append(SwiftmqMessage.Blob(self._io, self, self._root))



        def _fetch_instances(self):
            pass
            self.queue._fetch_instances()
            self.bqual._fetch_instances()
            self.gtrid._fetch_instances()
            for i in range(len(self.keys)):
                pass
                self.keys[i]._fetch_instances()



    class ByteValue(KaitaiStruct):
        """A byte."""
        def __init__(self, _io, _parent=None, _root=None):
            super(SwiftmqMessage.ByteValue, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.number = self._io.read_s1()


        def _fetch_instances(self):
            pass


    class CharValue(KaitaiStruct):
        """A char."""
        def __init__(self, _io, _parent=None, _root=None):
            super(SwiftmqMessage.CharValue, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.number = self._io.read_u2be()


        def _fetch_instances(self):
            pass


    class Destination(KaitaiStruct):
        """A queue or a topic."""
        def __init__(self, _io, _parent=None, _root=None):
            super(SwiftmqMessage.Destination, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.kind = self._io.read_u1()
            if not self.kind <= 3:
                raise kaitaistruct.ValidationGreaterThanError(3, self.kind, self._io, u"/types/destination/seq/0")
            if  ((self.kind == 1) or (self.kind == 2)) :
                pass
                self.topic_queue = SwiftmqMessage.OptionalUtf(self._io, self, self._root)

            self.name = SwiftmqMessage.Utf(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            if  ((self.kind == 1) or (self.kind == 2)) :
                pass
                self.topic_queue._fetch_instances()

            self.name._fetch_instances()


    class DoubleValue(KaitaiStruct):
        """A double."""
        def __init__(self, _io, _parent=None, _root=None):
            super(SwiftmqMessage.DoubleValue, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.number = self._io.read_f8be()


        def _fetch_instances(self):
            pass


    class FloatValue(KaitaiStruct):
        """A float."""
        def __init__(self, _io, _parent=None, _root=None):
            super(SwiftmqMessage.FloatValue, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.number = self._io.read_f4be()


        def _fetch_instances(self):
            pass


    class IntValue(KaitaiStruct):
        """An int."""
        def __init__(self, _io, _parent=None, _root=None):
            super(SwiftmqMessage.IntValue, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.number = self._io.read_s4be()


        def _fetch_instances(self):
            pass


    class LongValue(KaitaiStruct):
        """A long."""
        def __init__(self, _io, _parent=None, _root=None):
            super(SwiftmqMessage.LongValue, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.number = self._io.read_s8be()


        def _fetch_instances(self):
            pass


    class Nothing(KaitaiStruct):
        """No body."""
        def __init__(self, _io, _parent=None, _root=None):
            super(SwiftmqMessage.Nothing, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            pass


        def _fetch_instances(self):
            pass


    class OptionalBlob(KaitaiStruct):
        """Bytes that may be missing."""
        def __init__(self, _io, _parent=None, _root=None):
            super(SwiftmqMessage.OptionalBlob, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.there = self._io.read_u1()
            if self.there == 1:
                pass
                self.value = SwiftmqMessage.Blob(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            if self.there == 1:
                pass
                self.value._fetch_instances()



    class OptionalDestination(KaitaiStruct):
        """A queue or a topic that may be missing."""
        def __init__(self, _io, _parent=None, _root=None):
            super(SwiftmqMessage.OptionalDestination, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.there = self._io.read_u1()
            if self.there == 1:
                pass
                self.value = SwiftmqMessage.Destination(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            if self.there == 1:
                pass
                self.value._fetch_instances()



    class OptionalUtf(KaitaiStruct):
        """A string that may be missing."""
        def __init__(self, _io, _parent=None, _root=None):
            super(SwiftmqMessage.OptionalUtf, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.there = self._io.read_u1()
            if self.there == 1:
                pass
                self.value = SwiftmqMessage.Utf(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            if self.there == 1:
                pass
                self.value._fetch_instances()



    class Primitive(KaitaiStruct):
        """A value."""
        def __init__(self, _io, _parent=None, _root=None):
            super(SwiftmqMessage.Primitive, self).__init__(_io)
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
                self.value = SwiftmqMessage.IntValue(self._io, self, self._root)
            elif _on == 1:
                pass
                self.value = SwiftmqMessage.LongValue(self._io, self, self._root)
            elif _on == 2:
                pass
                self.value = SwiftmqMessage.DoubleValue(self._io, self, self._root)
            elif _on == 3:
                pass
                self.value = SwiftmqMessage.FloatValue(self._io, self, self._root)
            elif _on == 4:
                pass
                self.value = SwiftmqMessage.BooleanValue(self._io, self, self._root)
            elif _on == 5:
                pass
                self.value = SwiftmqMessage.CharValue(self._io, self, self._root)
            elif _on == 6:
                pass
                self.value = SwiftmqMessage.ShortValue(self._io, self, self._root)
            elif _on == 7:
                pass
                self.value = SwiftmqMessage.ByteValue(self._io, self, self._root)
            elif _on == 8:
                pass
                self.value = SwiftmqMessage.Blob(self._io, self, self._root)
            elif _on == 9:
                pass
                self.value = SwiftmqMessage.Utf(self._io, self, self._root)


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
        """Properties, and the body of a map message."""
        def __init__(self, _io, _parent=None, _root=None):
            super(SwiftmqMessage.Properties, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.number = self._io.read_s4be()
            self.entries = []
            for i in range(self.number):
                self.entries.append(SwiftmqMessage.Property(self._io, self, self._root))



        def _fetch_instances(self):
            pass
            for i in range(len(self.entries)):
                pass
                self.entries[i]._fetch_instances()



    class Property(KaitaiStruct):
        """A name and a value."""
        def __init__(self, _io, _parent=None, _root=None):
            super(SwiftmqMessage.Property, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.name = SwiftmqMessage.Utf(self._io, self, self._root)
            self.value = SwiftmqMessage.Primitive(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.name._fetch_instances()
            self.value._fetch_instances()


    class ShortValue(KaitaiStruct):
        """A short."""
        def __init__(self, _io, _parent=None, _root=None):
            super(SwiftmqMessage.ShortValue, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.number = self._io.read_s2be()


        def _fetch_instances(self):
            pass


    class Stream(KaitaiStruct):
        """The body of a stream message."""
        def __init__(self, _io, _parent=None, _root=None):
            super(SwiftmqMessage.Stream, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.number = self._io.read_s4be()
            self.values = []
            for i in range(self.number):
                self.values.append(SwiftmqMessage.Primitive(self._io, self, self._root))



        def _fetch_instances(self):
            pass
            for i in range(len(self.values)):
                pass
                self.values[i]._fetch_instances()



    class Text(KaitaiStruct):
        """The body of a text message."""
        def __init__(self, _io, _parent=None, _root=None):
            super(SwiftmqMessage.Text, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.there = self._io.read_u1()
            if self.there == 1:
                pass
                self.number = self._io.read_s4be()

            if self.there == 1:
                pass
                self.parts = []
                for i in range(self.number):
                    self.parts.append(SwiftmqMessage.Utf(self._io, self, self._root))




        def _fetch_instances(self):
            pass
            if self.there == 1:
                pass

            if self.there == 1:
                pass
                for i in range(len(self.parts)):
                    pass
                    self.parts[i]._fetch_instances()




    class Utf(KaitaiStruct):
        """A string."""
        def __init__(self, _io, _parent=None, _root=None):
            super(SwiftmqMessage.Utf, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.length = self._io.read_u2be()
            self.data = self._io.read_bytes(self.length)


        def _fetch_instances(self):
            pass
