# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from enum import IntEnum


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class JbossJournalS2(KaitaiStruct):
    """One file of the circular journal from July 2009 to April 2010: a COMMIT counts
    the records of its transaction in its own file only.
    
    This describes an undamaged file with one record after another, from the header to the first place
    where no record of this file starts. This language cannot express the rest: records after padding
    or a hole have to be searched for (use the type `record` at the places found), which records are
    live is decided over all files and transactions together, and no byte of a body is protected.
    
    .. seealso::
       Source - https://github.com/hornetq/hornetq/blob/HornetQ_2_0_0_GA/src/main/org/hornetq/core/journal/impl/JournalImpl.java
    """

    class RecordType(IntEnum):
        event = 10
        add = 11
        update = 12
        add_tx = 13
        update_tx = 14
        delete_tx = 15
        delete = 16
        prepare = 17
        commit = 18
        rollback = 19
    def __init__(self, _io, _parent=None, _root=None):
        super(JbossJournalS2, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._read()

    def _read(self):
        self.header = JbossJournalS2.FileHeader(self._io, self, self._root)
        self.slots = []
        i = 0
        while True:
            _ = JbossJournalS2.Slot(self._io.pos(), self._io, self, self._root)
            self.slots.append(_)
            if (not (_.is_record)):
                break
            i += 1
        self.rest = self._io.read_bytes_full()


    def _fetch_instances(self):
        pass
        self.header._fetch_instances()
        for i in range(len(self.slots)):
            pass
            self.slots[i]._fetch_instances()


    class Completion(KaitaiStruct):
        """COMMIT."""
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalS2.Completion, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.tx = self._io.read_s8be()
            self.count = self._io.read_s4be()
            self.check_size = self._io.read_s4be()
            if not self.check_size == 21:
                raise kaitaistruct.ValidationNotEqualError(21, self.check_size, self._io, u"/types/completion/seq/2")


        def _fetch_instances(self):
            pass


    class Deletion(KaitaiStruct):
        """DELETE."""
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalS2.Deletion, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.id = self._io.read_s8be()
            self.check_size = self._io.read_s4be()
            if not self.check_size == 17:
                raise kaitaistruct.ValidationNotEqualError(17, self.check_size, self._io, u"/types/deletion/seq/1")


        def _fetch_instances(self):
            pass


    class DeletionTx(KaitaiStruct):
        """DELETE_TX, with a body and without a user type."""
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalS2.DeletionTx, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.tx = self._io.read_s8be()
            self.id = self._io.read_s8be()
            self.body_size = self._io.read_s4be()
            if not self.body_size >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.body_size, self._io, u"/types/deletion_tx/seq/2")
            self.body = self._io.read_bytes(self.body_size)
            self.check_size = self._io.read_s4be()
            if not self.check_size == 29 + self.body_size:
                raise kaitaistruct.ValidationNotEqualError(29 + self.body_size, self.check_size, self._io, u"/types/deletion_tx/seq/4")


        def _fetch_instances(self):
            pass


    class Entry(KaitaiStruct):
        """ADD and UPDATE."""
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalS2.Entry, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.id = self._io.read_s8be()
            self.body_size = self._io.read_s4be()
            if not self.body_size >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.body_size, self._io, u"/types/entry/seq/1")
            self.user_type = self._io.read_u1()
            self.body = self._io.read_bytes(self.body_size)
            self.check_size = self._io.read_s4be()
            if not self.check_size == 22 + self.body_size:
                raise kaitaistruct.ValidationNotEqualError(22 + self.body_size, self.check_size, self._io, u"/types/entry/seq/4")


        def _fetch_instances(self):
            pass


    class EntryTx(KaitaiStruct):
        """ADD_TX and UPDATE_TX."""
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalS2.EntryTx, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.tx = self._io.read_s8be()
            self.id = self._io.read_s8be()
            self.body_size = self._io.read_s4be()
            if not self.body_size >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.body_size, self._io, u"/types/entry_tx/seq/2")
            self.user_type = self._io.read_u1()
            self.body = self._io.read_bytes(self.body_size)
            self.check_size = self._io.read_s4be()
            if not self.check_size == 30 + self.body_size:
                raise kaitaistruct.ValidationNotEqualError(30 + self.body_size, self.check_size, self._io, u"/types/entry_tx/seq/5")


        def _fetch_instances(self):
            pass


    class FileHeader(KaitaiStruct):
        """The 4 bytes at the start of each file."""
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalS2.FileHeader, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.file_id = self._io.read_s4be()


        def _fetch_instances(self):
            pass

        @property
        def stamp(self):
            """What the records of this file carry, its whole id."""
            if hasattr(self, '_m_stamp'):
                return self._m_stamp

            self._m_stamp = self.file_id
            return getattr(self, '_m_stamp', None)


    class Preparation(KaitaiStruct):
        """PREPARE."""
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalS2.Preparation, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.tx = self._io.read_s8be()
            self.count = self._io.read_s4be()
            self.extra_size = self._io.read_s4be()
            if not self.extra_size >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.extra_size, self._io, u"/types/preparation/seq/2")
            self.extra = self._io.read_bytes(self.extra_size)
            self.check_size = self._io.read_s4be()
            if not self.check_size == 25 + self.extra_size:
                raise kaitaistruct.ValidationNotEqualError(25 + self.extra_size, self.check_size, self._io, u"/types/preparation/seq/4")


        def _fetch_instances(self):
            pass


    class Record(KaitaiStruct):
        """One record, at any offset. It lies in one file and has no gaps."""
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalS2.Record, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.record_type = KaitaiStream.resolve_enum(JbossJournalS2.RecordType, self._io.read_u1())
            self.file_id = self._io.read_s4be()
            _on = self.record_type
            if _on == JbossJournalS2.RecordType.add:
                pass
                self.content = JbossJournalS2.Entry(self._io, self, self._root)
            elif _on == JbossJournalS2.RecordType.add_tx:
                pass
                self.content = JbossJournalS2.EntryTx(self._io, self, self._root)
            elif _on == JbossJournalS2.RecordType.commit:
                pass
                self.content = JbossJournalS2.Completion(self._io, self, self._root)
            elif _on == JbossJournalS2.RecordType.delete:
                pass
                self.content = JbossJournalS2.Deletion(self._io, self, self._root)
            elif _on == JbossJournalS2.RecordType.delete_tx:
                pass
                self.content = JbossJournalS2.DeletionTx(self._io, self, self._root)
            elif _on == JbossJournalS2.RecordType.prepare:
                pass
                self.content = JbossJournalS2.Preparation(self._io, self, self._root)
            elif _on == JbossJournalS2.RecordType.rollback:
                pass
                self.content = JbossJournalS2.Rollback(self._io, self, self._root)
            elif _on == JbossJournalS2.RecordType.update:
                pass
                self.content = JbossJournalS2.Entry(self._io, self, self._root)
            elif _on == JbossJournalS2.RecordType.update_tx:
                pass
                self.content = JbossJournalS2.EntryTx(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            _on = self.record_type
            if _on == JbossJournalS2.RecordType.add:
                pass
                self.content._fetch_instances()
            elif _on == JbossJournalS2.RecordType.add_tx:
                pass
                self.content._fetch_instances()
            elif _on == JbossJournalS2.RecordType.commit:
                pass
                self.content._fetch_instances()
            elif _on == JbossJournalS2.RecordType.delete:
                pass
                self.content._fetch_instances()
            elif _on == JbossJournalS2.RecordType.delete_tx:
                pass
                self.content._fetch_instances()
            elif _on == JbossJournalS2.RecordType.prepare:
                pass
                self.content._fetch_instances()
            elif _on == JbossJournalS2.RecordType.rollback:
                pass
                self.content._fetch_instances()
            elif _on == JbossJournalS2.RecordType.update:
                pass
                self.content._fetch_instances()
            elif _on == JbossJournalS2.RecordType.update_tx:
                pass
                self.content._fetch_instances()


    class Rollback(KaitaiStruct):
        """ROLLBACK."""
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalS2.Rollback, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.tx = self._io.read_s8be()
            self.check_size = self._io.read_s4be()
            if not self.check_size == 17:
                raise kaitaistruct.ValidationNotEqualError(17, self.check_size, self._io, u"/types/rollback/seq/1")


        def _fetch_instances(self):
            pass


    class Slot(KaitaiStruct):
        """A place where a record may start."""
        def __init__(self, start, _io, _parent=None, _root=None):
            super(JbossJournalS2.Slot, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self.start = start
            self._read()

        def _read(self):
            if self.is_record:
                pass
                self.record = JbossJournalS2.Record(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            if self.is_record:
                pass
                self.record._fetch_instances()

            _ = self.first
            if hasattr(self, '_m_first'):
                pass

            _ = self.stamp
            if hasattr(self, '_m_stamp'):
                pass


        @property
        def first(self):
            if hasattr(self, '_m_first'):
                return self._m_first

            if self.room >= 17:
                pass
                _pos = self._io.pos()
                self._io.seek(self.start)
                self._m_first = self._io.read_u1()
                self._io.seek(_pos)

            return getattr(self, '_m_first', None)

        @property
        def is_record(self):
            if hasattr(self, '_m_is_record'):
                return self._m_is_record

            self._m_is_record =  ((self.room >= 17) and (self.first >= 11) and (self.first <= 19) and (self.stamp ^ self._root.header.stamp == 0)) 
            return getattr(self, '_m_is_record', None)

        @property
        def room(self):
            if hasattr(self, '_m_room'):
                return self._m_room

            self._m_room = self._io.size() - self.start
            return getattr(self, '_m_room', None)

        @property
        def stamp(self):
            if hasattr(self, '_m_stamp'):
                return self._m_stamp

            if self.room >= 17:
                pass
                _pos = self._io.pos()
                self._io.seek(self.start + 1)
                self._m_stamp = self._io.read_s4be()
                self._io.seek(_pos)

            return getattr(self, '_m_stamp', None)
