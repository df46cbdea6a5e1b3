# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from enum import IntEnum


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class BitronixTlog(KaitaiStruct):
    """One file of the pair in which the Bitronix transaction manager keeps the fate
    of distributed transactions: a header, records without gaps up to the tail that the header names,
    and after the tail the rest of an earlier generation of the file.
    
    This describes an undamaged file. It finds every fault in a length, a marker
    or a bound, but it does not verify the checksum of a record (which runs over
    decoded, sorted and de-duplicated names), does not say which file of the pair
    counts, and does not recover anything.
    
    .. seealso::
       Source - https://github.com/bitronix/btm/blob/master/btm/src/main/java/bitronix/tm/journal/TransactionLogHeader.java
    
    
    .. seealso::
       Source - https://github.com/bitronix/btm/blob/master/btm/src/main/java/bitronix/tm/journal/TransactionLogRecord.java
    """

    class State(IntEnum):
        clean = 0
        unclean = 255

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
        super(BitronixTlog, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._read()

    def _read(self):
        self.header = BitronixTlog.FileHeader(self._io, self, self._root)
        self._raw_log = self._io.read_bytes(self.header.position - 21)
        _io__raw_log = KaitaiStream(BytesIO(self._raw_log))
        self.log = BitronixTlog.Log(_io__raw_log, self, self._root)


    def _fetch_instances(self):
        pass
        self.header._fetch_instances()
        self.log._fetch_instances()
        _ = self.stale
        if hasattr(self, '_m_stale'):
            pass


    class FileHeader(KaitaiStruct):
        """The 21 bytes at the start of each file. No checksum covers them."""
        def __init__(self, _io, _parent=None, _root=None):
            super(BitronixTlog.FileHeader, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.format_id = self._io.read_bytes(4)
            if not self.format_id == b"\x42\x74\x6E\x78":
                raise kaitaistruct.ValidationNotEqualError(b"\x42\x74\x6E\x78", self.format_id, self._io, u"/types/file_header/seq/0")
            self.timestamp = self._io.read_s8be()
            self.state = KaitaiStream.resolve_enum(BitronixTlog.State, self._io.read_u1())
            self.position = self._io.read_s8be()
            if not self.position >= 21:
                raise kaitaistruct.ValidationLessThanError(21, self.position, self._io, u"/types/file_header/seq/3")
            if not self.position <= self._io.size():
                raise kaitaistruct.ValidationGreaterThanError(self._io.size(), self.position, self._io, u"/types/file_header/seq/3")


        def _fetch_instances(self):
            pass


    class Log(KaitaiStruct):
        """Records back to back; the last one ends at the tail."""
        def __init__(self, _io, _parent=None, _root=None):
            super(BitronixTlog.Log, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.records = []
            i = 0
            while not self._io.is_eof():
                self.records.append(BitronixTlog.Record(self._io, self, self._root))
                i += 1



        def _fetch_instances(self):
            pass
            for i in range(len(self.records)):
                pass
                self.records[i]._fetch_instances()



    class Payload(KaitaiStruct):
        """The transaction's id and the names of the resources that the record is about."""
        def __init__(self, _io, _parent=None, _root=None):
            super(BitronixTlog.Payload, self).__init__(_io)
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
                self.names.append(BitronixTlog.UniqueName(self._io, self, self._root))

            self.surplus = self._io.read_bytes_full()
            if not self.surplus == b"":
                raise kaitaistruct.ValidationNotEqualError(b"", self.surplus, self._io, u"/types/payload/seq/4")


        def _fetch_instances(self):
            pass
            for i in range(len(self.names)):
                pass
                self.names[i]._fetch_instances()



    class Record(KaitaiStruct):
        """One change of state of one transaction."""
        def __init__(self, _io, _parent=None, _root=None):
            super(BitronixTlog.Record, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.status = KaitaiStream.resolve_enum(BitronixTlog.Status, self._io.read_s4be())
            self.record_length = self._io.read_s4be()
            if not self.record_length >= 29:
                raise kaitaistruct.ValidationLessThanError(29, self.record_length, self._io, u"/types/record/seq/1")
            self.header_length = self._io.read_s4be()
            self.time = self._io.read_s8be()
            self.sequence_number = self._io.read_s4be()
            self.crc32 = self._io.read_u4be()
            self._raw_payload = self._io.read_bytes(self.record_length - 24)
            _io__raw_payload = KaitaiStream(BytesIO(self._raw_payload))
            self.payload = BitronixTlog.Payload(_io__raw_payload, self, self._root)
            self.end_record = self._io.read_bytes(4)
            if not self.end_record == b"\x78\x6E\x74\x42":
                raise kaitaistruct.ValidationNotEqualError(b"\x78\x6E\x74\x42", self.end_record, self._io, u"/types/record/seq/7")


        def _fetch_instances(self):
            pass
            self.payload._fetch_instances()

        @property
        def len_total(self):
            """Bytes that the record occupies in the file; the next one starts after them."""
            if hasattr(self, '_m_len_total'):
                return self._m_len_total

            self._m_len_total = self.record_length + 8
            return getattr(self, '_m_len_total', None)


    class UniqueName(KaitaiStruct):
        """The name under which a resource was registered with the transaction manager."""
        def __init__(self, _io, _parent=None, _root=None):
            super(BitronixTlog.UniqueName, self).__init__(_io)
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


    @property
    def stale(self):
        """Bytes after the tail. They are no part of the log, even where they look
        like records: a file that is used a second time still holds its first life.
        """
        if hasattr(self, '_m_stale'):
            return self._m_stale

        _pos = self._io.pos()
        self._io.seek(self.header.position)
        self._m_stale = self._io.read_bytes_full()
        self._io.seek(_pos)
        return getattr(self, '_m_stale', None)
