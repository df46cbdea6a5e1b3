# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class SwiftmqStoreDurable(KaitaiStruct):
    """A durable subscriber file: one stream of Java objects, as java.io.ObjectOutputStream writes it, with one java.util.HashMap of strings. The client and the name of the subscription are the name of the file. The sequence is: A file. Bytes that follow the map do not belong to it.
    
    .. seealso::
       com.swiftmq.impl.store.standard.DurableSubscriberStoreImpl; Java Object Serialization Specification, chapter 6
    """
    def __init__(self, _io, _parent=None, _root=None):
        super(SwiftmqStoreDurable, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._read()

    def _read(self):
        self.magic = self._io.read_bytes(4)
        if not self.magic == b"\xAC\xED\x00\x05":
            raise kaitaistruct.ValidationNotEqualError(b"\xAC\xED\x00\x05", self.magic, self._io, u"/seq/0")
        self.object = self._io.read_u1()
        if not self.object == 115:
            raise kaitaistruct.ValidationNotEqualError(115, self.object, self._io, u"/seq/1")
        self.description = SwiftmqStoreDurable.Description(self._io, self, self._root)
        self.load_factor = self._io.read_f4be()
        self.threshold = self._io.read_s4be()
        self.block = self._io.read_bytes(2)
        if not self.block == b"\x77\x08":
            raise kaitaistruct.ValidationNotEqualError(b"\x77\x08", self.block, self._io, u"/seq/5")
        self.buckets = self._io.read_s4be()
        self.number = self._io.read_s4be()
        if not self.number >= 0:
            raise kaitaistruct.ValidationLessThanError(0, self.number, self._io, u"/seq/7")
        if self.number >= 0:
            pass
            self.entries = []
            for i in range(self.number):
                self.entries.append(SwiftmqStoreDurable.Pair(self._io, self, self._root))


        self.end_mark = self._io.read_u1()
        if not self.end_mark == 120:
            raise kaitaistruct.ValidationNotEqualError(120, self.end_mark, self._io, u"/seq/9")


    def _fetch_instances(self):
        pass
        self.description._fetch_instances()
        if self.number >= 0:
            pass
            for i in range(len(self.entries)):
                pass
                self.entries[i]._fetch_instances()



    class DescribedField(KaitaiStruct):
        """A field of a class.
        
        .. seealso::
           com.swiftmq.impl.store.standard.DurableSubscriberStoreImpl; Java Object Serialization Specification, chapter 6
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(SwiftmqStoreDurable.DescribedField, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.code = self._io.read_u1()
            self.name = SwiftmqStoreDurable.TextU2(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.name._fetch_instances()


    class Description(KaitaiStruct):
        """The description of the class java.util.HashMap.
        
        .. seealso::
           com.swiftmq.impl.store.standard.DurableSubscriberStoreImpl; Java Object Serialization Specification, chapter 6
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(SwiftmqStoreDurable.Description, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.mark = self._io.read_u1()
            if not self.mark == 114:
                raise kaitaistruct.ValidationNotEqualError(114, self.mark, self._io, u"/types/description/seq/0")
            self.class_name = SwiftmqStoreDurable.TextU2(self._io, self, self._root)
            self.version_uid = self._io.read_bytes(8)
            if not self.version_uid == b"\x05\x07\xDA\xC1\xC3\x16\x60\xD1":
                raise kaitaistruct.ValidationNotEqualError(b"\x05\x07\xDA\xC1\xC3\x16\x60\xD1", self.version_uid, self._io, u"/types/description/seq/2")
            self.flags = self._io.read_u1()
            if not self.flags == 3:
                raise kaitaistruct.ValidationNotEqualError(3, self.flags, self._io, u"/types/description/seq/3")
            self.number = self._io.read_u2be()
            if not self.number == 2:
                raise kaitaistruct.ValidationNotEqualError(2, self.number, self._io, u"/types/description/seq/4")
            self.fields = []
            for i in range(self.number):
                self.fields.append(SwiftmqStoreDurable.DescribedField(self._io, self, self._root))

            self.end_mark = self._io.read_u1()
            if not self.end_mark == 120:
                raise kaitaistruct.ValidationNotEqualError(120, self.end_mark, self._io, u"/types/description/seq/6")
            self.super_class = self._io.read_u1()
            if not self.super_class == 112:
                raise kaitaistruct.ValidationNotEqualError(112, self.super_class, self._io, u"/types/description/seq/7")


        def _fetch_instances(self):
            pass
            self.class_name._fetch_instances()
            for i in range(len(self.fields)):
                pass
                self.fields[i]._fetch_instances()



    class Element(KaitaiStruct):
        """A string, a reference to an earlier string, or null.
        
        .. seealso::
           com.swiftmq.impl.store.standard.DurableSubscriberStoreImpl; Java Object Serialization Specification, chapter 6
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(SwiftmqStoreDurable.Element, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.kind = self._io.read_u1()
            if not self.kind >= 112:
                raise kaitaistruct.ValidationLessThanError(112, self.kind, self._io, u"/types/element/seq/0")
            if not self.kind <= 124:
                raise kaitaistruct.ValidationGreaterThanError(124, self.kind, self._io, u"/types/element/seq/0")
            _on = self.kind
            if _on == 112:
                pass
                self.value = SwiftmqStoreDurable.Nothing(self._io, self, self._root)
            elif _on == 113:
                pass
                self.value = SwiftmqStoreDurable.S4Value(self._io, self, self._root)
            elif _on == 116:
                pass
                self.value = SwiftmqStoreDurable.TextU2(self._io, self, self._root)
            elif _on == 124:
                pass
                self.value = SwiftmqStoreDurable.TextS8(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            _on = self.kind
            if _on == 112:
                pass
                self.value._fetch_instances()
            elif _on == 113:
                pass
                self.value._fetch_instances()
            elif _on == 116:
                pass
                self.value._fetch_instances()
            elif _on == 124:
                pass
                self.value._fetch_instances()


    class Nothing(KaitaiStruct):
        """No bytes.
        
        .. seealso::
           com.swiftmq.impl.store.standard.DurableSubscriberStoreImpl; Java Object Serialization Specification, chapter 6
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(SwiftmqStoreDurable.Nothing, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            pass


        def _fetch_instances(self):
            pass


    class Pair(KaitaiStruct):
        """An entry of the map.
        
        .. seealso::
           com.swiftmq.impl.store.standard.DurableSubscriberStoreImpl; Java Object Serialization Specification, chapter 6
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(SwiftmqStoreDurable.Pair, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.key = SwiftmqStoreDurable.Element(self._io, self, self._root)
            self.content = SwiftmqStoreDurable.Element(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.key._fetch_instances()
            self.content._fetch_instances()


    class S4Value(KaitaiStruct):
        """A value: s4.
        
        .. seealso::
           com.swiftmq.impl.store.standard.DurableSubscriberStoreImpl; Java Object Serialization Specification, chapter 6
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(SwiftmqStoreDurable.S4Value, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.held = self._io.read_s4be()


        def _fetch_instances(self):
            pass


    class TextS8(KaitaiStruct):
        """A string of 65,536 bytes or more.
        
        .. seealso::
           com.swiftmq.impl.store.standard.DurableSubscriberStoreImpl; Java Object Serialization Specification, chapter 6
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(SwiftmqStoreDurable.TextS8, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.length = self._io.read_s8be()
            if not self.length >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.length, self._io, u"/types/text_s8/seq/0")
            if self.length >= 0:
                pass
                self.data = self._io.read_bytes(self.length)



        def _fetch_instances(self):
            pass
            if self.length >= 0:
                pass



    class TextU2(KaitaiStruct):
        """A string.
        
        .. seealso::
           com.swiftmq.impl.store.standard.DurableSubscriberStoreImpl; Java Object Serialization Specification, chapter 6
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(SwiftmqStoreDurable.TextU2, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.length = self._io.read_u2be()
            self.data = self._io.read_bytes(self.length)


        def _fetch_instances(self):
            pass
