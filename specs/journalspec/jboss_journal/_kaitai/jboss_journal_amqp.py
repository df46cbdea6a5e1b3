# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class JbossJournalAmqp(KaitaiStruct):
    """The content of a message record (45) or a page entry, starting with the persister number. The sequence is: A message as the broker stores it. Persister 2 is the oldest, 3 adds properties, 5 the expiration; 4 is for large messages, whose encoded message is in a file.
    
    .. seealso::
       AMQP 1.0 part 1 (types) and part 3 (messages); artemis-amqp-protocol: AMQPMessagePersister, AMQPMessagePersisterV2, AMQPMessagePersisterV3, AMQPLargeMessagePersister, AMQPLargeMessage 2.44.0
    """
    def __init__(self, _io, _parent=None, _root=None):
        super(JbossJournalAmqp, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._read()

    def _read(self):
        self.persister = self._io.read_u1()
        if not self.persister >= 2:
            raise kaitaistruct.ValidationLessThanError(2, self.persister, self._io, u"/seq/0")
        if not self.persister <= 5:
            raise kaitaistruct.ValidationGreaterThanError(5, self.persister, self._io, u"/seq/0")
        self.ident = self._io.read_s8be()
        if self.persister == 4:
            pass
            self.durable = self._io.read_u1()

        self.message_format = self._io.read_s8be()
        self.has_address = self._io.read_u1()
        if self.has_address != 0:
            pass
            self.address = JbossJournalAmqp.SimpleString(self._io, self, self._root)

        if self.persister != 4:
            pass
            self.size = self._io.read_s4be()

        if  ((self.persister != 4) and (self.size >= 0)) :
            pass
            self._raw_encoded = self._io.read_bytes(self.size)
            _io__raw_encoded = KaitaiStream(BytesIO(self._raw_encoded))
            self.encoded = JbossJournalAmqp.Message(_io__raw_encoded, self, self._root)

        if self.persister >= 3:
            pass
            self.extra_size = self._io.read_s4be()

        if  ((self.persister >= 3) and (self.extra_size >= 0)) :
            pass
            self._raw_extra = self._io.read_bytes(self.extra_size)
            _io__raw_extra = KaitaiStream(BytesIO(self._raw_extra))
            self.extra = JbossJournalAmqp.Extra(_io__raw_extra, self, self._root)

        if self.persister == 5:
            pass
            self.expiration = self._io.read_s8be()

        if self.persister == 4:
            pass
            self.saved = JbossJournalAmqp.Saved(self._io, self, self._root)

        if  ((self.persister == 4) and ((not (self._io.is_eof())))) :
            pass
            self.trail = JbossJournalAmqp.Trail(self._io, self, self._root)



    def _fetch_instances(self):
        pass
        if self.persister == 4:
            pass

        if self.has_address != 0:
            pass
            self.address._fetch_instances()

        if self.persister != 4:
            pass

        if  ((self.persister != 4) and (self.size >= 0)) :
            pass
            self.encoded._fetch_instances()

        if self.persister >= 3:
            pass

        if  ((self.persister >= 3) and (self.extra_size >= 0)) :
            pass
            self.extra._fetch_instances()

        if self.persister == 5:
            pass

        if self.persister == 4:
            pass
            self.saved._fetch_instances()

        if  ((self.persister == 4) and ((not (self._io.is_eof())))) :
            pass
            self.trail._fetch_instances()


    class Array32(KaitaiStruct):
        """An array.
        
        .. seealso::
           AMQP 1.0 part 1 (types) and part 3 (messages); artemis-amqp-protocol: AMQPMessagePersister, AMQPMessagePersisterV2, AMQPMessagePersisterV3, AMQPLargeMessagePersister, AMQPLargeMessage 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalAmqp.Array32, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.size = self._io.read_u4be()
            self._raw_elements = self._io.read_bytes(self.size)
            _io__raw_elements = KaitaiStream(BytesIO(self._raw_elements))
            self.elements = JbossJournalAmqp.Elements32(_io__raw_elements, self, self._root)


        def _fetch_instances(self):
            pass
            self.elements._fetch_instances()


    class Array8(KaitaiStruct):
        """An array of up to 255 bytes.
        
        .. seealso::
           AMQP 1.0 part 1 (types) and part 3 (messages); artemis-amqp-protocol: AMQPMessagePersister, AMQPMessagePersisterV2, AMQPMessagePersisterV3, AMQPLargeMessagePersister, AMQPLargeMessage 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalAmqp.Array8, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.size = self._io.read_u1()
            self._raw_elements = self._io.read_bytes(self.size)
            _io__raw_elements = KaitaiStream(BytesIO(self._raw_elements))
            self.elements = JbossJournalAmqp.Elements8(_io__raw_elements, self, self._root)


        def _fetch_instances(self):
            pass
            self.elements._fetch_instances()


    class Binary32(KaitaiStruct):
        """Bytes.
        
        .. seealso::
           AMQP 1.0 part 1 (types) and part 3 (messages); artemis-amqp-protocol: AMQPMessagePersister, AMQPMessagePersisterV2, AMQPMessagePersisterV3, AMQPLargeMessagePersister, AMQPLargeMessage 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalAmqp.Binary32, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.size = self._io.read_u4be()
            self.value = self._io.read_bytes(self.size)


        def _fetch_instances(self):
            pass


    class Binary8(KaitaiStruct):
        """Up to 255 bytes.
        
        .. seealso::
           AMQP 1.0 part 1 (types) and part 3 (messages); artemis-amqp-protocol: AMQPMessagePersister, AMQPMessagePersisterV2, AMQPMessagePersisterV3, AMQPLargeMessagePersister, AMQPLargeMessage 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalAmqp.Binary8, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.size = self._io.read_u1()
            self.value = self._io.read_bytes(self.size)


        def _fetch_instances(self):
            pass


    class Bits16(KaitaiStruct):
        """A UUID or a decimal number.
        
        .. seealso::
           AMQP 1.0 part 1 (types) and part 3 (messages); artemis-amqp-protocol: AMQPMessagePersister, AMQPMessagePersisterV2, AMQPMessagePersisterV3, AMQPLargeMessagePersister, AMQPLargeMessage 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalAmqp.Bits16, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.bits = self._io.read_bytes(16)


        def _fetch_instances(self):
            pass


    class Bits4(KaitaiStruct):
        """A decimal number of 32 bits.
        
        .. seealso::
           AMQP 1.0 part 1 (types) and part 3 (messages); artemis-amqp-protocol: AMQPMessagePersister, AMQPMessagePersisterV2, AMQPMessagePersisterV3, AMQPLargeMessagePersister, AMQPLargeMessage 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalAmqp.Bits4, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.bits = self._io.read_bytes(4)


        def _fetch_instances(self):
            pass


    class Bits8(KaitaiStruct):
        """A decimal number of 64 bits.
        
        .. seealso::
           AMQP 1.0 part 1 (types) and part 3 (messages); artemis-amqp-protocol: AMQPMessagePersister, AMQPMessagePersisterV2, AMQPMessagePersisterV3, AMQPLargeMessagePersister, AMQPLargeMessage 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalAmqp.Bits8, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.bits = self._io.read_bytes(8)


        def _fetch_instances(self):
            pass


    class BoolValue(KaitaiStruct):
        """A value: bool.
        
        .. seealso::
           AMQP 1.0 part 1 (types) and part 3 (messages); artemis-amqp-protocol: AMQPMessagePersister, AMQPMessagePersisterV2, AMQPMessagePersisterV3, AMQPLargeMessagePersister, AMQPLargeMessage 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalAmqp.BoolValue, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.held = self._io.read_u1()


        def _fetch_instances(self):
            pass


    class CoreBytes(KaitaiStruct):
        """Bytes with their size.
        
        .. seealso::
           AMQP 1.0 part 1 (types) and part 3 (messages); artemis-amqp-protocol: AMQPMessagePersister, AMQPMessagePersisterV2, AMQPMessagePersisterV3, AMQPLargeMessagePersister, AMQPLargeMessage 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalAmqp.CoreBytes, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.size = self._io.read_s4be()
            if self.size >= 0:
                pass
                self.value = self._io.read_bytes(self.size)



        def _fetch_instances(self):
            pass
            if self.size >= 0:
                pass



    class Described(KaitaiStruct):
        """A value whose type has a separate name or number.
        
        .. seealso::
           AMQP 1.0 part 1 (types) and part 3 (messages); artemis-amqp-protocol: AMQPMessagePersister, AMQPMessagePersisterV2, AMQPMessagePersisterV3, AMQPLargeMessagePersister, AMQPLargeMessage 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalAmqp.Described, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.descriptor = JbossJournalAmqp.Value(self._io, self, self._root)
            self.content = JbossJournalAmqp.Value(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.descriptor._fetch_instances()
            self.content._fetch_instances()


    class DescribedElements(KaitaiStruct):
        """Elements that share a descriptor.
        
        .. seealso::
           AMQP 1.0 part 1 (types) and part 3 (messages); artemis-amqp-protocol: AMQPMessagePersister, AMQPMessagePersisterV2, AMQPMessagePersisterV3, AMQPLargeMessagePersister, AMQPLargeMessage 2.44.0
        """
        def __init__(self, outer_number, _io, _parent=None, _root=None):
            super(JbossJournalAmqp.DescribedElements, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self.outer_number = outer_number
            self._read()

        def _read(self):
            self.descriptor = JbossJournalAmqp.Value(self._io, self, self._root)
            self.code = self._io.read_u1()
            if self.outer_number >= 0:
                pass
                self.elements = []
                for i in range(self.outer_number):
                    self.elements.append(JbossJournalAmqp.Element(self.code, self._io, self, self._root))




        def _fetch_instances(self):
            pass
            self.descriptor._fetch_instances()
            if self.outer_number >= 0:
                pass
                for i in range(len(self.elements)):
                    pass
                    self.elements[i]._fetch_instances()




    class Element(KaitaiStruct):
        """An element of an array: a value without its code.
        
        .. seealso::
           AMQP 1.0 part 1 (types) and part 3 (messages); artemis-amqp-protocol: AMQPMessagePersister, AMQPMessagePersisterV2, AMQPMessagePersisterV3, AMQPLargeMessagePersister, AMQPLargeMessage 2.44.0
        """
        def __init__(self, outer_code, _io, _parent=None, _root=None):
            super(JbossJournalAmqp.Element, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self.outer_code = outer_code
            self._read()

        def _read(self):
            _on = self.outer_code
            if _on == 112:
                pass
                self.value = JbossJournalAmqp.U4Value(self._io, self, self._root)
            elif _on == 113:
                pass
                self.value = JbossJournalAmqp.S4Value(self._io, self, self._root)
            elif _on == 114:
                pass
                self.value = JbossJournalAmqp.F4Value(self._io, self, self._root)
            elif _on == 115:
                pass
                self.value = JbossJournalAmqp.U4Value(self._io, self, self._root)
            elif _on == 116:
                pass
                self.value = JbossJournalAmqp.Bits4(self._io, self, self._root)
            elif _on == 128:
                pass
                self.value = JbossJournalAmqp.Ulong(self._io, self, self._root)
            elif _on == 129:
                pass
                self.value = JbossJournalAmqp.S8Value(self._io, self, self._root)
            elif _on == 130:
                pass
                self.value = JbossJournalAmqp.F8Value(self._io, self, self._root)
            elif _on == 131:
                pass
                self.value = JbossJournalAmqp.S8Value(self._io, self, self._root)
            elif _on == 132:
                pass
                self.value = JbossJournalAmqp.Bits8(self._io, self, self._root)
            elif _on == 148:
                pass
                self.value = JbossJournalAmqp.Bits16(self._io, self, self._root)
            elif _on == 152:
                pass
                self.value = JbossJournalAmqp.Bits16(self._io, self, self._root)
            elif _on == 160:
                pass
                self.value = JbossJournalAmqp.Binary8(self._io, self, self._root)
            elif _on == 161:
                pass
                self.value = JbossJournalAmqp.Text8(self._io, self, self._root)
            elif _on == 163:
                pass
                self.value = JbossJournalAmqp.Text8(self._io, self, self._root)
            elif _on == 176:
                pass
                self.value = JbossJournalAmqp.Binary32(self._io, self, self._root)
            elif _on == 177:
                pass
                self.value = JbossJournalAmqp.Text32(self._io, self, self._root)
            elif _on == 179:
                pass
                self.value = JbossJournalAmqp.Text32(self._io, self, self._root)
            elif _on == 192:
                pass
                self.value = JbossJournalAmqp.List8(self._io, self, self._root)
            elif _on == 193:
                pass
                self.value = JbossJournalAmqp.List8(self._io, self, self._root)
            elif _on == 208:
                pass
                self.value = JbossJournalAmqp.List32(self._io, self, self._root)
            elif _on == 209:
                pass
                self.value = JbossJournalAmqp.List32(self._io, self, self._root)
            elif _on == 224:
                pass
                self.value = JbossJournalAmqp.Array8(self._io, self, self._root)
            elif _on == 240:
                pass
                self.value = JbossJournalAmqp.Array32(self._io, self, self._root)
            elif _on == 64:
                pass
                self.value = JbossJournalAmqp.Nothing(self._io, self, self._root)
            elif _on == 65:
                pass
                self.value = JbossJournalAmqp.Nothing(self._io, self, self._root)
            elif _on == 66:
                pass
                self.value = JbossJournalAmqp.Nothing(self._io, self, self._root)
            elif _on == 67:
                pass
                self.value = JbossJournalAmqp.Nothing(self._io, self, self._root)
            elif _on == 68:
                pass
                self.value = JbossJournalAmqp.Nothing(self._io, self, self._root)
            elif _on == 69:
                pass
                self.value = JbossJournalAmqp.Nothing(self._io, self, self._root)
            elif _on == 80:
                pass
                self.value = JbossJournalAmqp.U1Value(self._io, self, self._root)
            elif _on == 81:
                pass
                self.value = JbossJournalAmqp.S1Value(self._io, self, self._root)
            elif _on == 82:
                pass
                self.value = JbossJournalAmqp.U1Value(self._io, self, self._root)
            elif _on == 83:
                pass
                self.value = JbossJournalAmqp.U1Value(self._io, self, self._root)
            elif _on == 84:
                pass
                self.value = JbossJournalAmqp.S1Value(self._io, self, self._root)
            elif _on == 85:
                pass
                self.value = JbossJournalAmqp.S1Value(self._io, self, self._root)
            elif _on == 86:
                pass
                self.value = JbossJournalAmqp.BoolValue(self._io, self, self._root)
            elif _on == 96:
                pass
                self.value = JbossJournalAmqp.U2Value(self._io, self, self._root)
            elif _on == 97:
                pass
                self.value = JbossJournalAmqp.S2Value(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            _on = self.outer_code
            if _on == 112:
                pass
                self.value._fetch_instances()
            elif _on == 113:
                pass
                self.value._fetch_instances()
            elif _on == 114:
                pass
                self.value._fetch_instances()
            elif _on == 115:
                pass
                self.value._fetch_instances()
            elif _on == 116:
                pass
                self.value._fetch_instances()
            elif _on == 128:
                pass
                self.value._fetch_instances()
            elif _on == 129:
                pass
                self.value._fetch_instances()
            elif _on == 130:
                pass
                self.value._fetch_instances()
            elif _on == 131:
                pass
                self.value._fetch_instances()
            elif _on == 132:
                pass
                self.value._fetch_instances()
            elif _on == 148:
                pass
                self.value._fetch_instances()
            elif _on == 152:
                pass
                self.value._fetch_instances()
            elif _on == 160:
                pass
                self.value._fetch_instances()
            elif _on == 161:
                pass
                self.value._fetch_instances()
            elif _on == 163:
                pass
                self.value._fetch_instances()
            elif _on == 176:
                pass
                self.value._fetch_instances()
            elif _on == 177:
                pass
                self.value._fetch_instances()
            elif _on == 179:
                pass
                self.value._fetch_instances()
            elif _on == 192:
                pass
                self.value._fetch_instances()
            elif _on == 193:
                pass
                self.value._fetch_instances()
            elif _on == 208:
                pass
                self.value._fetch_instances()
            elif _on == 209:
                pass
                self.value._fetch_instances()
            elif _on == 224:
                pass
                self.value._fetch_instances()
            elif _on == 240:
                pass
                self.value._fetch_instances()
            elif _on == 64:
                pass
                self.value._fetch_instances()
            elif _on == 65:
                pass
                self.value._fetch_instances()
            elif _on == 66:
                pass
                self.value._fetch_instances()
            elif _on == 67:
                pass
                self.value._fetch_instances()
            elif _on == 68:
                pass
                self.value._fetch_instances()
            elif _on == 69:
                pass
                self.value._fetch_instances()
            elif _on == 80:
                pass
                self.value._fetch_instances()
            elif _on == 81:
                pass
                self.value._fetch_instances()
            elif _on == 82:
                pass
                self.value._fetch_instances()
            elif _on == 83:
                pass
                self.value._fetch_instances()
            elif _on == 84:
                pass
                self.value._fetch_instances()
            elif _on == 85:
                pass
                self.value._fetch_instances()
            elif _on == 86:
                pass
                self.value._fetch_instances()
            elif _on == 96:
                pass
                self.value._fetch_instances()
            elif _on == 97:
                pass
                self.value._fetch_instances()


    class Elements32(KaitaiStruct):
        """As elements8, with a longer number of elements.
        
        .. seealso::
           AMQP 1.0 part 1 (types) and part 3 (messages); artemis-amqp-protocol: AMQPMessagePersister, AMQPMessagePersisterV2, AMQPMessagePersisterV3, AMQPLargeMessagePersister, AMQPLargeMessage 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalAmqp.Elements32, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.number = self._io.read_u4be()
            self.code = self._io.read_u1()
            if self.code != 0:
                pass
                self.elements = []
                for i in range(self.number):
                    self.elements.append(JbossJournalAmqp.Element(self.code, self._io, self, self._root))


            if self.code == 0:
                pass
                self.described = JbossJournalAmqp.DescribedElements(self.number, self._io, self, self._root)



        def _fetch_instances(self):
            pass
            if self.code != 0:
                pass
                for i in range(len(self.elements)):
                    pass
                    self.elements[i]._fetch_instances()


            if self.code == 0:
                pass
                self.described._fetch_instances()



    class Elements8(KaitaiStruct):
        """All elements have the same type, and therefore one code. Described elements share one descriptor.
        
        .. seealso::
           AMQP 1.0 part 1 (types) and part 3 (messages); artemis-amqp-protocol: AMQPMessagePersister, AMQPMessagePersisterV2, AMQPMessagePersisterV3, AMQPLargeMessagePersister, AMQPLargeMessage 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalAmqp.Elements8, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.number = self._io.read_u1()
            self.code = self._io.read_u1()
            if self.code != 0:
                pass
                self.elements = []
                for i in range(self.number):
                    self.elements.append(JbossJournalAmqp.Element(self.code, self._io, self, self._root))


            if self.code == 0:
                pass
                self.described = JbossJournalAmqp.DescribedElements(self.number, self._io, self, self._root)



        def _fetch_instances(self):
            pass
            if self.code != 0:
                pass
                for i in range(len(self.elements)):
                    pass
                    self.elements[i]._fetch_instances()


            if self.code == 0:
                pass
                self.described._fetch_instances()



    class Extra(KaitaiStruct):
        """Properties, or nothing.
        
        .. seealso::
           AMQP 1.0 part 1 (types) and part 3 (messages); artemis-amqp-protocol: AMQPMessagePersister, AMQPMessagePersisterV2, AMQPMessagePersisterV3, AMQPLargeMessagePersister, AMQPLargeMessage 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalAmqp.Extra, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            if (not (self._io.is_eof())):
                pass
                self.properties = JbossJournalAmqp.TypedProperties(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            if (not (self._io.is_eof())):
                pass
                self.properties._fetch_instances()



    class F4Value(KaitaiStruct):
        """A value: f4.
        
        .. seealso::
           AMQP 1.0 part 1 (types) and part 3 (messages); artemis-amqp-protocol: AMQPMessagePersister, AMQPMessagePersisterV2, AMQPMessagePersisterV3, AMQPLargeMessagePersister, AMQPLargeMessage 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalAmqp.F4Value, self).__init__(_io)
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
           AMQP 1.0 part 1 (types) and part 3 (messages); artemis-amqp-protocol: AMQPMessagePersister, AMQPMessagePersisterV2, AMQPMessagePersisterV3, AMQPLargeMessagePersister, AMQPLargeMessage 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalAmqp.F8Value, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.held = self._io.read_f8be()


        def _fetch_instances(self):
            pass


    class Items32(KaitaiStruct):
        """The values of a list.
        
        .. seealso::
           AMQP 1.0 part 1 (types) and part 3 (messages); artemis-amqp-protocol: AMQPMessagePersister, AMQPMessagePersisterV2, AMQPMessagePersisterV3, AMQPLargeMessagePersister, AMQPLargeMessage 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalAmqp.Items32, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.number = self._io.read_u4be()
            self.items = []
            for i in range(self.number):
                self.items.append(JbossJournalAmqp.Value(self._io, self, self._root))



        def _fetch_instances(self):
            pass
            for i in range(len(self.items)):
                pass
                self.items[i]._fetch_instances()



    class Items8(KaitaiStruct):
        """The values of a list.
        
        .. seealso::
           AMQP 1.0 part 1 (types) and part 3 (messages); artemis-amqp-protocol: AMQPMessagePersister, AMQPMessagePersisterV2, AMQPMessagePersisterV3, AMQPLargeMessagePersister, AMQPLargeMessage 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalAmqp.Items8, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.number = self._io.read_u1()
            self.items = []
            for i in range(self.number):
                self.items.append(JbossJournalAmqp.Value(self._io, self, self._root))



        def _fetch_instances(self):
            pass
            for i in range(len(self.items)):
                pass
                self.items[i]._fetch_instances()



    class List32(KaitaiStruct):
        """As list8, with longer sizes.
        
        .. seealso::
           AMQP 1.0 part 1 (types) and part 3 (messages); artemis-amqp-protocol: AMQPMessagePersister, AMQPMessagePersisterV2, AMQPMessagePersisterV3, AMQPLargeMessagePersister, AMQPLargeMessage 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalAmqp.List32, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.size = self._io.read_u4be()
            self._raw_items = self._io.read_bytes(self.size)
            _io__raw_items = KaitaiStream(BytesIO(self._raw_items))
            self.items = JbossJournalAmqp.Items32(_io__raw_items, self, self._root)


        def _fetch_instances(self):
            pass
            self.items._fetch_instances()


    class List8(KaitaiStruct):
        """A list; or a map: keys and values in turn.
        
        .. seealso::
           AMQP 1.0 part 1 (types) and part 3 (messages); artemis-amqp-protocol: AMQPMessagePersister, AMQPMessagePersisterV2, AMQPMessagePersisterV3, AMQPLargeMessagePersister, AMQPLargeMessage 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalAmqp.List8, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.size = self._io.read_u1()
            self._raw_items = self._io.read_bytes(self.size)
            _io__raw_items = KaitaiStream(BytesIO(self._raw_items))
            self.items = JbossJournalAmqp.Items8(_io__raw_items, self, self._root)


        def _fetch_instances(self):
            pass
            self.items._fetch_instances()


    class Message(KaitaiStruct):
        """An encoded message: header 0x70, delivery annotations 0x71, message annotations 0x72, properties 0x73, application properties 0x74, body (data 0x75, sequence 0x76, value 0x77), footer 0x78.
        
        .. seealso::
           AMQP 1.0 part 1 (types) and part 3 (messages); artemis-amqp-protocol: AMQPMessagePersister, AMQPMessagePersisterV2, AMQPMessagePersisterV3, AMQPLargeMessagePersister, AMQPLargeMessage 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalAmqp.Message, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.sections = []
            i = 0
            while not self._io.is_eof():
                self.sections.append(JbossJournalAmqp.Section(self._io, self, self._root))
                i += 1



        def _fetch_instances(self):
            pass
            for i in range(len(self.sections)):
                pass
                self.sections[i]._fetch_instances()



    class Nothing(KaitaiStruct):
        """No bytes.
        
        .. seealso::
           AMQP 1.0 part 1 (types) and part 3 (messages); artemis-amqp-protocol: AMQPMessagePersister, AMQPMessagePersisterV2, AMQPMessagePersisterV3, AMQPLargeMessagePersister, AMQPLargeMessage 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalAmqp.Nothing, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            pass


        def _fetch_instances(self):
            pass


    class S1Value(KaitaiStruct):
        """A value: s1.
        
        .. seealso::
           AMQP 1.0 part 1 (types) and part 3 (messages); artemis-amqp-protocol: AMQPMessagePersister, AMQPMessagePersisterV2, AMQPMessagePersisterV3, AMQPLargeMessagePersister, AMQPLargeMessage 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalAmqp.S1Value, self).__init__(_io)
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
           AMQP 1.0 part 1 (types) and part 3 (messages); artemis-amqp-protocol: AMQPMessagePersister, AMQPMessagePersisterV2, AMQPMessagePersisterV3, AMQPLargeMessagePersister, AMQPLargeMessage 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalAmqp.S2Value, self).__init__(_io)
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
           AMQP 1.0 part 1 (types) and part 3 (messages); artemis-amqp-protocol: AMQPMessagePersister, AMQPMessagePersisterV2, AMQPMessagePersisterV3, AMQPLargeMessagePersister, AMQPLargeMessage 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalAmqp.S4Value, self).__init__(_io)
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
           AMQP 1.0 part 1 (types) and part 3 (messages); artemis-amqp-protocol: AMQPMessagePersister, AMQPMessagePersisterV2, AMQPMessagePersisterV3, AMQPLargeMessagePersister, AMQPLargeMessage 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalAmqp.S8Value, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.held = self._io.read_s8be()


        def _fetch_instances(self):
            pass


    class Saved(KaitaiStruct):
        """For a large message: the offsets of the sections in the file, and the sections before the body except the delivery annotations. An offset of -1, or a null value, means absent.
        
        .. seealso::
           AMQP 1.0 part 1 (types) and part 3 (messages); artemis-amqp-protocol: AMQPMessagePersister, AMQPMessagePersisterV2, AMQPMessagePersisterV3, AMQPLargeMessagePersister, AMQPLargeMessage 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalAmqp.Saved, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.header_at = self._io.read_s4be()
            self.header_size = self._io.read_s4be()
            self.header = JbossJournalAmqp.Value(self._io, self, self._root)
            self.delivery_annotations_at = self._io.read_s4be()
            self.delivery_annotations_size = self._io.read_s4be()
            self.message_annotations_at = self._io.read_s4be()
            self.message_annotations = JbossJournalAmqp.Value(self._io, self, self._root)
            self.properties_at = self._io.read_s4be()
            self.properties = JbossJournalAmqp.Value(self._io, self, self._root)
            self.application_properties_at = self._io.read_s4be()
            self.body_at = self._io.read_s4be()
            self.application_properties = JbossJournalAmqp.Value(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.header._fetch_instances()
            self.message_annotations._fetch_instances()
            self.properties._fetch_instances()
            self.application_properties._fetch_instances()


    class Section(KaitaiStruct):
        """A described value: a number or a name identifies the section.
        
        .. seealso::
           AMQP 1.0 part 1 (types) and part 3 (messages); artemis-amqp-protocol: AMQPMessagePersister, AMQPMessagePersisterV2, AMQPMessagePersisterV3, AMQPLargeMessagePersister, AMQPLargeMessage 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalAmqp.Section, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.mark = self._io.read_u1()
            if not self.mark == 0:
                raise kaitaistruct.ValidationNotEqualError(0, self.mark, self._io, u"/types/section/seq/0")
            self.form = self._io.read_u1()
            _on = self.form
            if _on == 128:
                pass
                self.section = JbossJournalAmqp.Ulong(self._io, self, self._root)
            elif _on == 163:
                pass
                self.section = JbossJournalAmqp.Text8(self._io, self, self._root)
            elif _on == 179:
                pass
                self.section = JbossJournalAmqp.Text32(self._io, self, self._root)
            elif _on == 83:
                pass
                self.section = JbossJournalAmqp.U1Value(self._io, self, self._root)
            self.value = JbossJournalAmqp.Value(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            _on = self.form
            if _on == 128:
                pass
                self.section._fetch_instances()
            elif _on == 163:
                pass
                self.section._fetch_instances()
            elif _on == 179:
                pass
                self.section._fetch_instances()
            elif _on == 83:
                pass
                self.section._fetch_instances()
            self.value._fetch_instances()


    class SimpleString(KaitaiStruct):
        """A text with its size in bytes.
        
        .. seealso::
           AMQP 1.0 part 1 (types) and part 3 (messages); artemis-amqp-protocol: AMQPMessagePersister, AMQPMessagePersisterV2, AMQPMessagePersisterV3, AMQPLargeMessagePersister, AMQPLargeMessage 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalAmqp.SimpleString, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.size = self._io.read_s4be()
            if self.size >= 0:
                pass
                self.value = self._io.read_bytes(self.size)



        def _fetch_instances(self):
            pass
            if self.size >= 0:
                pass



    class Text32(KaitaiStruct):
        """A string or symbol.
        
        .. seealso::
           AMQP 1.0 part 1 (types) and part 3 (messages); artemis-amqp-protocol: AMQPMessagePersister, AMQPMessagePersisterV2, AMQPMessagePersisterV3, AMQPLargeMessagePersister, AMQPLargeMessage 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalAmqp.Text32, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.size = self._io.read_u4be()
            self.value = self._io.read_bytes(self.size)


        def _fetch_instances(self):
            pass


    class Text8(KaitaiStruct):
        """A string or symbol of up to 255 bytes.
        
        .. seealso::
           AMQP 1.0 part 1 (types) and part 3 (messages); artemis-amqp-protocol: AMQPMessagePersister, AMQPMessagePersisterV2, AMQPMessagePersisterV3, AMQPLargeMessagePersister, AMQPLargeMessage 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalAmqp.Text8, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.size = self._io.read_u1()
            self.value = self._io.read_bytes(self.size)


        def _fetch_instances(self):
            pass


    class Trail(KaitaiStruct):
        """Later versions write more fields.
        
        .. seealso::
           AMQP 1.0 part 1 (types) and part 3 (messages); artemis-amqp-protocol: AMQPMessagePersister, AMQPMessagePersisterV2, AMQPMessagePersisterV3, AMQPLargeMessagePersister, AMQPLargeMessage 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalAmqp.Trail, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.expiration = self._io.read_s8be()
            if (not (self._io.is_eof())):
                pass
                self.reencoded = self._io.read_u1()



        def _fetch_instances(self):
            pass
            if (not (self._io.is_eof())):
                pass



    class TypedProperties(KaitaiStruct):
        """Properties as Core messages have them.
        
        .. seealso::
           AMQP 1.0 part 1 (types) and part 3 (messages); artemis-amqp-protocol: AMQPMessagePersister, AMQPMessagePersisterV2, AMQPMessagePersisterV3, AMQPLargeMessagePersister, AMQPLargeMessage 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalAmqp.TypedProperties, self).__init__(_io)
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
                    self.entries.append(JbossJournalAmqp.TypedProperty(self._io, self, self._root))




        def _fetch_instances(self):
            pass
            if self.present != 0:
                pass

            if  ((self.present != 0) and (self.number >= 0)) :
                pass
                for i in range(len(self.entries)):
                    pass
                    self.entries[i]._fetch_instances()




    class TypedProperty(KaitaiStruct):
        """A name and a value.
        
        .. seealso::
           AMQP 1.0 part 1 (types) and part 3 (messages); artemis-amqp-protocol: AMQPMessagePersister, AMQPMessagePersisterV2, AMQPMessagePersisterV3, AMQPLargeMessagePersister, AMQPLargeMessage 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalAmqp.TypedProperty, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.key = JbossJournalAmqp.SimpleString(self._io, self, self._root)
            self.kind = self._io.read_u1()
            _on = self.kind
            if _on == 0:
                pass
                self.value = JbossJournalAmqp.Nothing(self._io, self, self._root)
            elif _on == 10:
                pass
                self.value = JbossJournalAmqp.SimpleString(self._io, self, self._root)
            elif _on == 11:
                pass
                self.value = JbossJournalAmqp.U2Value(self._io, self, self._root)
            elif _on == 2:
                pass
                self.value = JbossJournalAmqp.BoolValue(self._io, self, self._root)
            elif _on == 3:
                pass
                self.value = JbossJournalAmqp.S1Value(self._io, self, self._root)
            elif _on == 4:
                pass
                self.value = JbossJournalAmqp.CoreBytes(self._io, self, self._root)
            elif _on == 5:
                pass
                self.value = JbossJournalAmqp.S2Value(self._io, self, self._root)
            elif _on == 6:
                pass
                self.value = JbossJournalAmqp.S4Value(self._io, self, self._root)
            elif _on == 7:
                pass
                self.value = JbossJournalAmqp.S8Value(self._io, self, self._root)
            elif _on == 8:
                pass
                self.value = JbossJournalAmqp.F4Value(self._io, self, self._root)
            elif _on == 9:
                pass
                self.value = JbossJournalAmqp.F8Value(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.key._fetch_instances()
            _on = self.kind
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


    class U1Value(KaitaiStruct):
        """A value: u1.
        
        .. seealso::
           AMQP 1.0 part 1 (types) and part 3 (messages); artemis-amqp-protocol: AMQPMessagePersister, AMQPMessagePersisterV2, AMQPMessagePersisterV3, AMQPLargeMessagePersister, AMQPLargeMessage 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalAmqp.U1Value, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.held = self._io.read_u1()


        def _fetch_instances(self):
            pass


    class U2Value(KaitaiStruct):
        """A value: u2.
        
        .. seealso::
           AMQP 1.0 part 1 (types) and part 3 (messages); artemis-amqp-protocol: AMQPMessagePersister, AMQPMessagePersisterV2, AMQPMessagePersisterV3, AMQPLargeMessagePersister, AMQPLargeMessage 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalAmqp.U2Value, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.held = self._io.read_u2be()


        def _fetch_instances(self):
            pass


    class U4Value(KaitaiStruct):
        """A value: u4.
        
        .. seealso::
           AMQP 1.0 part 1 (types) and part 3 (messages); artemis-amqp-protocol: AMQPMessagePersister, AMQPMessagePersisterV2, AMQPMessagePersisterV3, AMQPLargeMessagePersister, AMQPLargeMessage 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalAmqp.U4Value, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.held = self._io.read_u4be()


        def _fetch_instances(self):
            pass


    class Ulong(KaitaiStruct):
        """An unsigned number of 64 bits in two halves, because not every language has such numbers.
        
        .. seealso::
           AMQP 1.0 part 1 (types) and part 3 (messages); artemis-amqp-protocol: AMQPMessagePersister, AMQPMessagePersisterV2, AMQPMessagePersisterV3, AMQPLargeMessagePersister, AMQPLargeMessage 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalAmqp.Ulong, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.high = self._io.read_u4be()
            self.low = self._io.read_u4be()


        def _fetch_instances(self):
            pass


    class Value(KaitaiStruct):
        """A value of any type: its code, and the number of bytes that this code defines. Codes 0x41, 0x42: true and false; 0x43, 0x44: 0; 0x45: an empty list; 0x40: null.
        
        .. seealso::
           AMQP 1.0 part 1 (types) and part 3 (messages); artemis-amqp-protocol: AMQPMessagePersister, AMQPMessagePersisterV2, AMQPMessagePersisterV3, AMQPLargeMessagePersister, AMQPLargeMessage 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalAmqp.Value, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.code = self._io.read_u1()
            _on = self.code
            if _on == 0:
                pass
                self.value = JbossJournalAmqp.Described(self._io, self, self._root)
            elif _on == 112:
                pass
                self.value = JbossJournalAmqp.U4Value(self._io, self, self._root)
            elif _on == 113:
                pass
                self.value = JbossJournalAmqp.S4Value(self._io, self, self._root)
            elif _on == 114:
                pass
                self.value = JbossJournalAmqp.F4Value(self._io, self, self._root)
            elif _on == 115:
                pass
                self.value = JbossJournalAmqp.U4Value(self._io, self, self._root)
            elif _on == 116:
                pass
                self.value = JbossJournalAmqp.Bits4(self._io, self, self._root)
            elif _on == 128:
                pass
                self.value = JbossJournalAmqp.Ulong(self._io, self, self._root)
            elif _on == 129:
                pass
                self.value = JbossJournalAmqp.S8Value(self._io, self, self._root)
            elif _on == 130:
                pass
                self.value = JbossJournalAmqp.F8Value(self._io, self, self._root)
            elif _on == 131:
                pass
                self.value = JbossJournalAmqp.S8Value(self._io, self, self._root)
            elif _on == 132:
                pass
                self.value = JbossJournalAmqp.Bits8(self._io, self, self._root)
            elif _on == 148:
                pass
                self.value = JbossJournalAmqp.Bits16(self._io, self, self._root)
            elif _on == 152:
                pass
                self.value = JbossJournalAmqp.Bits16(self._io, self, self._root)
            elif _on == 160:
                pass
                self.value = JbossJournalAmqp.Binary8(self._io, self, self._root)
            elif _on == 161:
                pass
                self.value = JbossJournalAmqp.Text8(self._io, self, self._root)
            elif _on == 163:
                pass
                self.value = JbossJournalAmqp.Text8(self._io, self, self._root)
            elif _on == 176:
                pass
                self.value = JbossJournalAmqp.Binary32(self._io, self, self._root)
            elif _on == 177:
                pass
                self.value = JbossJournalAmqp.Text32(self._io, self, self._root)
            elif _on == 179:
                pass
                self.value = JbossJournalAmqp.Text32(self._io, self, self._root)
            elif _on == 192:
                pass
                self.value = JbossJournalAmqp.List8(self._io, self, self._root)
            elif _on == 193:
                pass
                self.value = JbossJournalAmqp.List8(self._io, self, self._root)
            elif _on == 208:
                pass
                self.value = JbossJournalAmqp.List32(self._io, self, self._root)
            elif _on == 209:
                pass
                self.value = JbossJournalAmqp.List32(self._io, self, self._root)
            elif _on == 224:
                pass
                self.value = JbossJournalAmqp.Array8(self._io, self, self._root)
            elif _on == 240:
                pass
                self.value = JbossJournalAmqp.Array32(self._io, self, self._root)
            elif _on == 64:
                pass
                self.value = JbossJournalAmqp.Nothing(self._io, self, self._root)
            elif _on == 65:
                pass
                self.value = JbossJournalAmqp.Nothing(self._io, self, self._root)
            elif _on == 66:
                pass
                self.value = JbossJournalAmqp.Nothing(self._io, self, self._root)
            elif _on == 67:
                pass
                self.value = JbossJournalAmqp.Nothing(self._io, self, self._root)
            elif _on == 68:
                pass
                self.value = JbossJournalAmqp.Nothing(self._io, self, self._root)
            elif _on == 69:
                pass
                self.value = JbossJournalAmqp.Nothing(self._io, self, self._root)
            elif _on == 80:
                pass
                self.value = JbossJournalAmqp.U1Value(self._io, self, self._root)
            elif _on == 81:
                pass
                self.value = JbossJournalAmqp.S1Value(self._io, self, self._root)
            elif _on == 82:
                pass
                self.value = JbossJournalAmqp.U1Value(self._io, self, self._root)
            elif _on == 83:
                pass
                self.value = JbossJournalAmqp.U1Value(self._io, self, self._root)
            elif _on == 84:
                pass
                self.value = JbossJournalAmqp.S1Value(self._io, self, self._root)
            elif _on == 85:
                pass
                self.value = JbossJournalAmqp.S1Value(self._io, self, self._root)
            elif _on == 86:
                pass
                self.value = JbossJournalAmqp.BoolValue(self._io, self, self._root)
            elif _on == 96:
                pass
                self.value = JbossJournalAmqp.U2Value(self._io, self, self._root)
            elif _on == 97:
                pass
                self.value = JbossJournalAmqp.S2Value(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            _on = self.code
            if _on == 0:
                pass
                self.value._fetch_instances()
            elif _on == 112:
                pass
                self.value._fetch_instances()
            elif _on == 113:
                pass
                self.value._fetch_instances()
            elif _on == 114:
                pass
                self.value._fetch_instances()
            elif _on == 115:
                pass
                self.value._fetch_instances()
            elif _on == 116:
                pass
                self.value._fetch_instances()
            elif _on == 128:
                pass
                self.value._fetch_instances()
            elif _on == 129:
                pass
                self.value._fetch_instances()
            elif _on == 130:
                pass
                self.value._fetch_instances()
            elif _on == 131:
                pass
                self.value._fetch_instances()
            elif _on == 132:
                pass
                self.value._fetch_instances()
            elif _on == 148:
                pass
                self.value._fetch_instances()
            elif _on == 152:
                pass
                self.value._fetch_instances()
            elif _on == 160:
                pass
                self.value._fetch_instances()
            elif _on == 161:
                pass
                self.value._fetch_instances()
            elif _on == 163:
                pass
                self.value._fetch_instances()
            elif _on == 176:
                pass
                self.value._fetch_instances()
            elif _on == 177:
                pass
                self.value._fetch_instances()
            elif _on == 179:
                pass
                self.value._fetch_instances()
            elif _on == 192:
                pass
                self.value._fetch_instances()
            elif _on == 193:
                pass
                self.value._fetch_instances()
            elif _on == 208:
                pass
                self.value._fetch_instances()
            elif _on == 209:
                pass
                self.value._fetch_instances()
            elif _on == 224:
                pass
                self.value._fetch_instances()
            elif _on == 240:
                pass
                self.value._fetch_instances()
            elif _on == 64:
                pass
                self.value._fetch_instances()
            elif _on == 65:
                pass
                self.value._fetch_instances()
            elif _on == 66:
                pass
                self.value._fetch_instances()
            elif _on == 67:
                pass
                self.value._fetch_instances()
            elif _on == 68:
                pass
                self.value._fetch_instances()
            elif _on == 69:
                pass
                self.value._fetch_instances()
            elif _on == 80:
                pass
                self.value._fetch_instances()
            elif _on == 81:
                pass
                self.value._fetch_instances()
            elif _on == 82:
                pass
                self.value._fetch_instances()
            elif _on == 83:
                pass
                self.value._fetch_instances()
            elif _on == 84:
                pass
                self.value._fetch_instances()
            elif _on == 85:
                pass
                self.value._fetch_instances()
            elif _on == 86:
                pass
                self.value._fetch_instances()
            elif _on == 96:
                pass
                self.value._fetch_instances()
            elif _on == 97:
                pass
                self.value._fetch_instances()
