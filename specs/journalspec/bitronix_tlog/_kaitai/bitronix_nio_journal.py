# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from enum import IntEnum


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class BitronixNioJournal(KaitaiStruct):
    """The single file of an experimental journal that was removed before any
    release. It is written round and round; every generation has a random delimiter, and
    a record belongs to the generation whose delimiter it carries. There is no tail.
    
    This describes the header, and the records that follow it without a gap. The bytes after them (the
    rest of the previous generation, cut anywhere, and fill) have to be searched for the start of a frame,
    and checksums have to be verified. This language can express neither: use the type `frame` at the
    places found.
    
    .. seealso::
       Source - https://github.com/bitronix/btm/tree/497e884f1b8d7a3ac72d76b9ee422fcf0be6c04b/btm-nio-journal
    """

    class Status(IntEnum):
        active = 0
        marked_rollback = 1
        prepared = 2
        committed = 3
        rolledback = 4
        unknown_outcome = 5
        no_transaction = 6
        preparing = 7
        committing = 8
        rolling_back = 9
    def __init__(self, _io, _parent=None, _root=None):
        super(BitronixNioJournal, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._read()

    def _read(self):
        self.header = BitronixNioJournal.FileHeader(self._io, self, self._root)
        if self._io.size() >= 1024:
            pass
            self.reserved = self._io.read_bytes(582)

        self.slots = []
        i = 0
        while True:
            _ = BitronixNioJournal.Slot(self._io.pos(), self._io, self, self._root)
            self.slots.append(_)
            if (not (_.is_frame)):
                break
            i += 1
        self.rest = self._io.read_bytes_full()


    def _fetch_instances(self):
        pass
        self.header._fetch_instances()
        if self._io.size() >= 1024:
            pass

        for i in range(len(self.slots)):
            pass
            self.slots[i]._fetch_instances()


    class FileHeader(KaitaiStruct):
        """The banner is compared byte for byte when the file is opened."""
        def __init__(self, _io, _parent=None, _root=None):
            super(BitronixNioJournal.FileHeader, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.banner = self._io.read_bytes(406)
            if not self.banner == b"\x42\x54\x4D\x2D\x4E\x54\x4A\x2D\x5B\x56\x65\x72\x73\x69\x6F\x6E\x20\x31\x2E\x30\x5D\x0D\x0A\x0D\x0A\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x20\x42\x69\x74\x72\x6F\x6E\x69\x78\x20\x54\x72\x61\x6E\x73\x61\x63\x74\x69\x6F\x6E\x20\x4D\x61\x6E\x61\x67\x65\x72\x20\x3A\x3A\x20\x4E\x69\x6F\x20\x54\x72\x61\x6E\x73\x61\x63\x74\x69\x6F\x6E\x20\x4A\x6F\x75\x72\x6E\x61\x6C\x20\x46\x69\x6C\x65\x20\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x0D\x0A\x0D\x0A\x20\x20\x20\x20\x54\x68\x69\x73\x20\x69\x73\x20\x61\x20\x64\x65\x6C\x69\x6D\x69\x74\x65\x72\x20\x62\x61\x73\x65\x64\x20\x72\x6F\x6C\x6C\x69\x6E\x67\x20\x62\x69\x6E\x61\x72\x79\x20\x66\x69\x6C\x65\x20\x66\x6F\x72\x6D\x61\x74\x20\x62\x65\x6C\x6F\x6E\x67\x69\x6E\x67\x20\x74\x6F\x20\x42\x54\x4D\x2E\x0D\x0A\x20\x20\x20\x20\x54\x68\x65\x20\x70\x75\x72\x70\x6F\x73\x65\x20\x6F\x66\x20\x74\x68\x69\x73\x20\x66\x69\x6C\x65\x20\x69\x73\x20\x74\x6F\x20\x70\x65\x72\x73\x69\x73\x74\x20\x4A\x54\x41\x20\x74\x72\x61\x6E\x73\x61\x63\x74\x69\x6F\x6E\x20\x73\x74\x61\x74\x65\x73\x20\x66\x6F\x72\x20\x0D\x0A\x20\x20\x20\x20\x70\x72\x6F\x76\x69\x64\x69\x6E\x67\x20\x63\x72\x61\x73\x68\x20\x72\x65\x63\x6F\x76\x65\x72\x79\x20\x6F\x6E\x20\x62\x72\x6F\x6B\x65\x6E\x20\x63\x6F\x6D\x6D\x69\x74\x73\x20\x61\x6E\x64\x20\x72\x6F\x6C\x6C\x62\x61\x63\x6B\x73\x2E\x0D\x0A\x0D\x0A\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x0D\x0A\x0D\x0A":
                raise kaitaistruct.ValidationNotEqualError(b"\x42\x54\x4D\x2D\x4E\x54\x4A\x2D\x5B\x56\x65\x72\x73\x69\x6F\x6E\x20\x31\x2E\x30\x5D\x0D\x0A\x0D\x0A\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x20\x42\x69\x74\x72\x6F\x6E\x69\x78\x20\x54\x72\x61\x6E\x73\x61\x63\x74\x69\x6F\x6E\x20\x4D\x61\x6E\x61\x67\x65\x72\x20\x3A\x3A\x20\x4E\x69\x6F\x20\x54\x72\x61\x6E\x73\x61\x63\x74\x69\x6F\x6E\x20\x4A\x6F\x75\x72\x6E\x61\x6C\x20\x46\x69\x6C\x65\x20\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x0D\x0A\x0D\x0A\x20\x20\x20\x20\x54\x68\x69\x73\x20\x69\x73\x20\x61\x20\x64\x65\x6C\x69\x6D\x69\x74\x65\x72\x20\x62\x61\x73\x65\x64\x20\x72\x6F\x6C\x6C\x69\x6E\x67\x20\x62\x69\x6E\x61\x72\x79\x20\x66\x69\x6C\x65\x20\x66\x6F\x72\x6D\x61\x74\x20\x62\x65\x6C\x6F\x6E\x67\x69\x6E\x67\x20\x74\x6F\x20\x42\x54\x4D\x2E\x0D\x0A\x20\x20\x20\x20\x54\x68\x65\x20\x70\x75\x72\x70\x6F\x73\x65\x20\x6F\x66\x20\x74\x68\x69\x73\x20\x66\x69\x6C\x65\x20\x69\x73\x20\x74\x6F\x20\x70\x65\x72\x73\x69\x73\x74\x20\x4A\x54\x41\x20\x74\x72\x61\x6E\x73\x61\x63\x74\x69\x6F\x6E\x20\x73\x74\x61\x74\x65\x73\x20\x66\x6F\x72\x20\x0D\x0A\x20\x20\x20\x20\x70\x72\x6F\x76\x69\x64\x69\x6E\x67\x20\x63\x72\x61\x73\x68\x20\x72\x65\x63\x6F\x76\x65\x72\x79\x20\x6F\x6E\x20\x62\x72\x6F\x6B\x65\x6E\x20\x63\x6F\x6D\x6D\x69\x74\x73\x20\x61\x6E\x64\x20\x72\x6F\x6C\x6C\x62\x61\x63\x6B\x73\x2E\x0D\x0A\x0D\x0A\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x2D\x0D\x0A\x0D\x0A", self.banner, self._io, u"/types/file_header/seq/0")
            self.previous_delimiter = self._io.read_bytes(16)
            self.current_delimiter = self._io.read_bytes(16)
            self.separator = self._io.read_bytes(4)
            if not self.separator == b"\x0D\x0A\x0D\x0A":
                raise kaitaistruct.ValidationNotEqualError(b"\x0D\x0A\x0D\x0A", self.separator, self._io, u"/types/file_header/seq/3")


        def _fetch_instances(self):
            pass


    class Frame(KaitaiStruct):
        """A record in its frame; 49 bytes longer than its payload."""
        def __init__(self, _io, _parent=None, _root=None):
            super(BitronixNioJournal.Frame, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.frame_start = self._io.read_bytes(5)
            if not self.frame_start == b"\x0D\x0A\x4C\x52\x5B":
                raise kaitaistruct.ValidationNotEqualError(b"\x0D\x0A\x4C\x52\x5B", self.frame_start, self._io, u"/types/frame/seq/0")
            self.delimiter = self._io.read_bytes(16)
            self.payload_length = self._io.read_u4be()
            if not self.payload_length <= 65536:
                raise kaitaistruct.ValidationGreaterThanError(65536, self.payload_length, self._io, u"/types/frame/seq/2")
            self.crc32 = self._io.read_u4be()
            self.separator = self._io.read_bytes(2)
            if not self.separator == b"\x5D\x5B":
                raise kaitaistruct.ValidationNotEqualError(b"\x5D\x5B", self.separator, self._io, u"/types/frame/seq/4")
            self._raw_payload = self._io.read_bytes(self.payload_length)
            _io__raw_payload = KaitaiStream(BytesIO(self._raw_payload))
            self.payload = BitronixNioJournal.Payload(_io__raw_payload, self, self._root)
            self.trailer = self._io.read_bytes(2)
            if not self.trailer == b"\x5D\x2D":
                raise kaitaistruct.ValidationNotEqualError(b"\x5D\x2D", self.trailer, self._io, u"/types/frame/seq/6")
            self.trailer_delimiter = self._io.read_bytes(16)
            if not self.trailer_delimiter == self.delimiter:
                raise kaitaistruct.ValidationNotEqualError(self.delimiter, self.trailer_delimiter, self._io, u"/types/frame/seq/7")


        def _fetch_instances(self):
            pass
            self.payload._fetch_instances()


    class Payload(KaitaiStruct):
        """One change of state of one transaction."""
        def __init__(self, _io, _parent=None, _root=None):
            super(BitronixNioJournal.Payload, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.tag = self._io.read_bytes(6)
            self.status = KaitaiStream.resolve_enum(BitronixNioJournal.Status, self._io.read_s4be())
            self.record_length = self._io.read_s4be()
            self.time = self._io.read_s8be()
            self.sequence_number = self._io.read_s8be()
            self.rolled_over = self._io.read_u1()
            self.gtrid_length = self._io.read_u1()
            self.gtrid = self._io.read_bytes(self.gtrid_length)
            self.names_count = self._io.read_s2be()
            if not self.names_count >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.names_count, self._io, u"/types/payload/seq/8")
            self.names = []
            for i in range(self.names_count):
                self.names.append(BitronixNioJournal.UniqueName(self._io, self, self._root))

            self.padding = self._io.read_bytes_full()


        def _fetch_instances(self):
            pass
            for i in range(len(self.names)):
                pass
                self.names[i]._fetch_instances()



    class Slot(KaitaiStruct):
        """A place where a frame may start."""
        def __init__(self, start, _io, _parent=None, _root=None):
            super(BitronixNioJournal.Slot, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self.start = start
            self._read()

        def _read(self):
            if self.is_frame:
                pass
                self.frame = BitronixNioJournal.Frame(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            if self.is_frame:
                pass
                self.frame._fetch_instances()

            _ = self.head
            if hasattr(self, '_m_head'):
                pass


        @property
        def head(self):
            if hasattr(self, '_m_head'):
                return self._m_head

            if self.room >= 5:
                pass
                _pos = self._io.pos()
                self._io.seek(self.start)
                self._m_head = self._io.read_bytes(5)
                self._io.seek(_pos)

            return getattr(self, '_m_head', None)

        @property
        def is_frame(self):
            if hasattr(self, '_m_is_frame'):
                return self._m_is_frame

            self._m_is_frame =  ((self.room >= 5) and (self.head == b"\x0D\x0A\x4C\x52\x5B")) 
            return getattr(self, '_m_is_frame', None)

        @property
        def room(self):
            if hasattr(self, '_m_room'):
                return self._m_room

            self._m_room = self._io.size() - self.start
            return getattr(self, '_m_room', None)


    class UniqueName(KaitaiStruct):
        """The name under which a resource was registered with the transaction manager."""
        def __init__(self, _io, _parent=None, _root=None):
            super(BitronixNioJournal.UniqueName, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.length = self._io.read_u2be()
            if not self.length <= 32767:
                raise kaitaistruct.ValidationGreaterThanError(32767, self.length, self._io, u"/types/unique_name/seq/0")
            self.name = (self._io.read_bytes(self.length)).decode(u"ISO-8859-1")


        def _fetch_instances(self):
            pass
