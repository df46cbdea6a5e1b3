# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from enum import IntEnum


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class BitronixTlogSeed(KaitaiStruct):
    """The record format that the comment of the class TransactionLogRecord
    describes, read literally. No product writes such files: the products put a
    header before the records, and store 28 where this text says 16. It is kept
    apart so that nothing of the text has to be bent to fit the products' bytes.
    
    Byte order and the value of the end indicator are not in that text; they are
    taken from the products.
    
    .. seealso::
       Javadoc of bitronix.tm.journal.TransactionLogRecord, as published with mule-btm 3.0.0
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
        super(BitronixTlogSeed, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._read()

    def _read(self):
        self.records = []
        i = 0
        while not self._io.is_eof():
            self.records.append(BitronixTlogSeed.Record(self._io, self, self._root))
            i += 1



    def _fetch_instances(self):
        pass
        for i in range(len(self.records)):
            pass
            self.records[i]._fetch_instances()


    class Payload(KaitaiStruct):
        """The transaction's id and the names of its data sources."""
        def __init__(self, _io, _parent=None, _root=None):
            super(BitronixTlogSeed.Payload, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.gtrid_length = self._io.read_u1()
            if not self.gtrid_length <= 127:
                raise kaitaistruct.ValidationGreaterThanError(127, self.gtrid_length, self._io, u"/types/payload/seq/0")
            self.gtrid = self._io.read_bytes(self.gtrid_length)
            self.names_count = self._io.read_s4be()
            if not self.names_count >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.names_count, self._io, u"/types/payload/seq/2")
            self.names = []
            for i in range(self.names_count):
                self.names.append(BitronixTlogSeed.UniqueName(self._io, self, self._root))

            self.surplus = self._io.read_bytes_full()
            if not self.surplus == b"":
                raise kaitaistruct.ValidationNotEqualError(b"", self.surplus, self._io, u"/types/payload/seq/4")


        def _fetch_instances(self):
            pass
            for i in range(len(self.names)):
                pass
                self.names[i]._fetch_instances()



    class Record(KaitaiStruct):
        """A log record whose header may grow in later editions."""
        def __init__(self, _io, _parent=None, _root=None):
            super(BitronixTlogSeed.Record, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.status = KaitaiStream.resolve_enum(BitronixTlogSeed.Status, self._io.read_s4be())
            self.record_length = self._io.read_s4be()
            if not self.record_length >= 29:
                raise kaitaistruct.ValidationLessThanError(29, self.record_length, self._io, u"/types/record/seq/1")
            self.header_length = self._io.read_s4be()
            if not self.header_length >= 16:
                raise kaitaistruct.ValidationLessThanError(16, self.header_length, self._io, u"/types/record/seq/2")
            if not self.header_length <= self.record_length - 13:
                raise kaitaistruct.ValidationGreaterThanError(self.record_length - 13, self.header_length, self._io, u"/types/record/seq/2")
            self.time = self._io.read_s8be()
            self.sequence_number = self._io.read_s4be()
            self.crc32 = self._io.read_u4be()
            self.extension = self._io.read_bytes(self.header_length - 16)
            self._raw_payload = self._io.read_bytes((self.record_length - self.header_length) - 8)
            _io__raw_payload = KaitaiStream(BytesIO(self._raw_payload))
            self.payload = BitronixTlogSeed.Payload(_io__raw_payload, self, self._root)
            self.end_record = self._io.read_bytes(4)
            if not self.end_record == b"\x78\x6E\x74\x42":
                raise kaitaistruct.ValidationNotEqualError(b"\x78\x6E\x74\x42", self.end_record, self._io, u"/types/record/seq/8")


        def _fetch_instances(self):
            pass
            self.payload._fetch_instances()

        @property
        def len_total(self):
            """Bytes that the record occupies in the file."""
            if hasattr(self, '_m_len_total'):
                return self._m_len_total

            self._m_len_total = self.record_length + 8
            return getattr(self, '_m_len_total', None)


    class UniqueName(KaitaiStruct):
        """The name of an XA data source."""
        def __init__(self, _io, _parent=None, _root=None):
            super(BitronixTlogSeed.UniqueName, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.length = self._io.read_u2be()
            if not self.length <= 32767:
                raise kaitaistruct.ValidationGreaterThanError(32767, self.length, self._io, u"/types/unique_name/seq/0")
            self.name = self._io.read_bytes(self.length)


        def _fetch_instances(self):
            pass
