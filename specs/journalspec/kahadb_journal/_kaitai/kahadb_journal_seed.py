# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KahadbJournalSeed(KaitaiStruct):
    """One journal data file as the seed document describes it: batches of records
    up to the end of the file.
    
    This describes an undamaged file. It finds every fault in a length or a
    constant, but it does not verify the checksum of a batch, does not look for batches after damage,
    and does not give the effect of the commands.
    
    .. seealso::
       Source - https://activemq.apache.org/components/classic/documentation/kahadb
    """
    def __init__(self, _io, _parent=None, _root=None):
        super(KahadbJournalSeed, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._read()

    def _read(self):
        self.batches = []
        i = 0
        while not self._io.is_eof():
            self.batches.append(KahadbJournalSeed.Batch(self._io, self, self._root))
            i += 1



    def _fetch_instances(self):
        pass
        for i in range(len(self.batches)):
            pass
            self.batches[i]._fetch_instances()


    class Batch(KaitaiStruct):
        """Records that were written together, after a control record."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbJournalSeed.Batch, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.control = KahadbJournalSeed.ControlRecord(self._io, self, self._root)
            self._raw_log = self._io.read_bytes(self.control.batch_size)
            _io__raw_log = KaitaiStream(BytesIO(self._raw_log))
            self.log = KahadbJournalSeed.Log(_io__raw_log, self, self._root)


        def _fetch_instances(self):
            pass
            self.control._fetch_instances()
            self.log._fetch_instances()


    class ControlRecord(KaitaiStruct):
        """The 28 bytes in front of each batch. No checksum covers them."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbJournalSeed.ControlRecord, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.length = self._io.read_s4be()
            if not self.length >= 28:
                raise kaitaistruct.ValidationLessThanError(28, self.length, self._io, u"/types/control_record/seq/0")
            if not self.length <= 28:
                raise kaitaistruct.ValidationGreaterThanError(28, self.length, self._io, u"/types/control_record/seq/0")
            self.record_type = self._io.read_bytes(1)
            if not self.record_type == b"\x02":
                raise kaitaistruct.ValidationNotEqualError(b"\x02", self.record_type, self._io, u"/types/control_record/seq/1")
            self.magic = self._io.read_bytes(11)
            if not self.magic == b"\x57\x52\x49\x54\x45\x5F\x42\x41\x54\x43\x48":
                raise kaitaistruct.ValidationNotEqualError(b"\x57\x52\x49\x54\x45\x5F\x42\x41\x54\x43\x48", self.magic, self._io, u"/types/control_record/seq/2")
            self.batch_size = self._io.read_s4be()
            if not self.batch_size >= 5:
                raise kaitaistruct.ValidationLessThanError(5, self.batch_size, self._io, u"/types/control_record/seq/3")
            self.checksum = self._io.read_s8be()


        def _fetch_instances(self):
            pass


    class Entry(KaitaiStruct):
        """A record, or one of an unknown type, which readers skip by its length."""
        def __init__(self, start, _io, _parent=None, _root=None):
            super(KahadbJournalSeed.Entry, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self.start = start
            self._read()

        def _read(self):
            if  ((self.entry_type == 1) or (self.entry_type == 2)) :
                pass
                self.user = KahadbJournalSeed.Record(self._io, self, self._root)

            if  ((self.entry_type != 1) and (self.entry_type != 2)) :
                pass
                self.other = KahadbJournalSeed.UnknownRecord(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            if  ((self.entry_type == 1) or (self.entry_type == 2)) :
                pass
                self.user._fetch_instances()

            if  ((self.entry_type != 1) and (self.entry_type != 2)) :
                pass
                self.other._fetch_instances()

            _ = self.entry_type
            if hasattr(self, '_m_entry_type'):
                pass


        @property
        def entry_type(self):
            """The type of the record that begins here."""
            if hasattr(self, '_m_entry_type'):
                return self._m_entry_type

            if self._io.size() - self.start >= 5:
                pass
                _pos = self._io.pos()
                self._io.seek(self.start + 4)
                self._m_entry_type = self._io.read_u1()
                self._io.seek(_pos)

            return getattr(self, '_m_entry_type', None)


    class Log(KaitaiStruct):
        """The records of one batch, one after the other."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbJournalSeed.Log, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.records = []
            i = 0
            while not self._io.is_eof():
                self.records.append(KahadbJournalSeed.Entry(self._io.pos(), self._io, self, self._root))
                i += 1



        def _fetch_instances(self):
            pass
            for i in range(len(self.records)):
                pass
                self.records[i]._fetch_instances()



    class Record(KaitaiStruct):
        """One record."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbJournalSeed.Record, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.length = self._io.read_s4be()
            if not self.length >= 5:
                raise kaitaistruct.ValidationLessThanError(5, self.length, self._io, u"/types/record/seq/0")
            self.record_type = self._io.read_bytes(1)
            if not self.record_type == b"\x01":
                raise kaitaistruct.ValidationNotEqualError(b"\x01", self.record_type, self._io, u"/types/record/seq/1")
            self.payload = self._io.read_bytes(self.length - 5)


        def _fetch_instances(self):
            pass


    class UnknownRecord(KaitaiStruct):
        """A record of an unknown type. It has no meaning."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbJournalSeed.UnknownRecord, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.length = self._io.read_s4be()
            if not self.length >= 5:
                raise kaitaistruct.ValidationLessThanError(5, self.length, self._io, u"/types/unknown_record/seq/0")
            self.unknown_type = self._io.read_u1()
            self.ignored = self._io.read_bytes(self.length - 5)


        def _fetch_instances(self):
            pass
