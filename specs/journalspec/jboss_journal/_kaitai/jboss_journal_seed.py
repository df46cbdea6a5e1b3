# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from enum import IntEnum


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class JbossJournalSeed(KaitaiStruct):
    """One file of the circular journal in its first published form. A COMMIT lists
    every file that holds records of its transaction, and how many. Numbers of
    DELETE and DELETE_TX are the other way round than in every later edition. With
    the parameter `hashed` the last field of a record is the calculated hash that
    the document proposes and that no product has; this description does not
    verify it.
    
    This describes an undamaged file with one record after another, from the header to the first place
    where no record of this file starts. This language cannot express the rest: records after padding
    or a hole have to be searched for (use the type `record` at the places found), which records are
    live is decided over all files and transactions together, and no byte of a body is protected.
    
    .. seealso::
       Source - https://developer.jboss.org/docs/DOC-10560
    """

    class SeedRecordType(IntEnum):
        add = 11
        update = 12
        add_tx = 13
        update_tx = 14
        delete = 15
        delete_tx = 16
        prepare = 17
        commit = 18
        rollback = 19
    def __init__(self, hashed, _io, _parent=None, _root=None):
        super(JbossJournalSeed, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.hashed = hashed
        self._read()

    def _read(self):
        self.header = JbossJournalSeed.FileHeader(self._io, self, self._root)
        self.slots = []
        i = 0
        while True:
            _ = JbossJournalSeed.Slot(self._io.pos(), self._io, self, self._root)
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
        """COMMIT and PREPARE."""
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalSeed.Completion, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.tx = self._io.read_s8be()
            self.num_files = self._io.read_s4be()
            if not self.num_files >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.num_files, self._io, u"/types/completion/seq/1")
            self.pairs = []
            for i in range(self.num_files):
                self.pairs.append(JbossJournalSeed.FileCount(self._io, self, self._root))

            if (not (self._parent.hashed)):
                pass
                self.check_size = self._io.read_s4be()
                if not self.check_size == 21 + 8 * self.num_files:
                    raise kaitaistruct.ValidationNotEqualError(21 + 8 * self.num_files, self.check_size, self._io, u"/types/completion/seq/3")

            if self._parent.hashed:
                pass
                self.hash = self._io.read_u4be()



        def _fetch_instances(self):
            pass
            for i in range(len(self.pairs)):
                pass
                self.pairs[i]._fetch_instances()

            if (not (self._parent.hashed)):
                pass

            if self._parent.hashed:
                pass



    class Deletion(KaitaiStruct):
        """DELETE."""
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalSeed.Deletion, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.id = self._io.read_s8be()
            if (not (self._parent.hashed)):
                pass
                self.check_size = self._io.read_s4be()
                if not self.check_size == 17:
                    raise kaitaistruct.ValidationNotEqualError(17, self.check_size, self._io, u"/types/deletion/seq/1")

            if self._parent.hashed:
                pass
                self.hash = self._io.read_u4be()



        def _fetch_instances(self):
            pass
            if (not (self._parent.hashed)):
                pass

            if self._parent.hashed:
                pass



    class DeletionTx(KaitaiStruct):
        """DELETE_TX, without a body."""
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalSeed.DeletionTx, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.tx = self._io.read_s8be()
            self.id = self._io.read_s8be()
            if (not (self._parent.hashed)):
                pass
                self.check_size = self._io.read_s4be()
                if not self.check_size == 25:
                    raise kaitaistruct.ValidationNotEqualError(25, self.check_size, self._io, u"/types/deletion_tx/seq/2")

            if self._parent.hashed:
                pass
                self.hash = self._io.read_u4be()



        def _fetch_instances(self):
            pass
            if (not (self._parent.hashed)):
                pass

            if self._parent.hashed:
                pass



    class Entry(KaitaiStruct):
        """ADD and UPDATE."""
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalSeed.Entry, self).__init__(_io)
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
            if (not (self._parent.hashed)):
                pass
                self.check_size = self._io.read_s4be()
                if not self.check_size == 22 + self.body_size:
                    raise kaitaistruct.ValidationNotEqualError(22 + self.body_size, self.check_size, self._io, u"/types/entry/seq/4")

            if self._parent.hashed:
                pass
                self.hash = self._io.read_u4be()



        def _fetch_instances(self):
            pass
            if (not (self._parent.hashed)):
                pass

            if self._parent.hashed:
                pass



    class EntryTx(KaitaiStruct):
        """ADD_TX and UPDATE_TX."""
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalSeed.EntryTx, self).__init__(_io)
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
            if (not (self._parent.hashed)):
                pass
                self.check_size = self._io.read_s4be()
                if not self.check_size == 30 + self.body_size:
                    raise kaitaistruct.ValidationNotEqualError(30 + self.body_size, self.check_size, self._io, u"/types/entry_tx/seq/5")

            if self._parent.hashed:
                pass
                self.hash = self._io.read_u4be()



        def _fetch_instances(self):
            pass
            if (not (self._parent.hashed)):
                pass

            if self._parent.hashed:
                pass



    class FileCount(KaitaiStruct):
        """One file of a transaction."""
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalSeed.FileCount, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.file_id = self._io.read_s4be()
            self.count = self._io.read_s4be()


        def _fetch_instances(self):
            pass


    class FileHeader(KaitaiStruct):
        """The 4 bytes at the start of each file."""
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalSeed.FileHeader, self).__init__(_io)
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


    class Record(KaitaiStruct):
        """One record, at any offset. It lies in one file and has no gaps."""
        def __init__(self, hashed, _io, _parent=None, _root=None):
            super(JbossJournalSeed.Record, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self.hashed = hashed
            self._read()

        def _read(self):
            self.record_type = KaitaiStream.resolve_enum(JbossJournalSeed.SeedRecordType, self._io.read_u1())
            self.file_id = self._io.read_s4be()
            _on = self.record_type
            if _on == JbossJournalSeed.SeedRecordType.add:
                pass
                self.content = JbossJournalSeed.Entry(self._io, self, self._root)
            elif _on == JbossJournalSeed.SeedRecordType.add_tx:
                pass
                self.content = JbossJournalSeed.EntryTx(self._io, self, self._root)
            elif _on == JbossJournalSeed.SeedRecordType.commit:
                pass
                self.content = JbossJournalSeed.Completion(self._io, self, self._root)
            elif _on == JbossJournalSeed.SeedRecordType.delete:
                pass
                self.content = JbossJournalSeed.Deletion(self._io, self, self._root)
            elif _on == JbossJournalSeed.SeedRecordType.delete_tx:
                pass
                self.content = JbossJournalSeed.DeletionTx(self._io, self, self._root)
            elif _on == JbossJournalSeed.SeedRecordType.prepare:
                pass
                self.content = JbossJournalSeed.Completion(self._io, self, self._root)
            elif _on == JbossJournalSeed.SeedRecordType.rollback:
                pass
                self.content = JbossJournalSeed.Rollback(self._io, self, self._root)
            elif _on == JbossJournalSeed.SeedRecordType.update:
                pass
                self.content = JbossJournalSeed.Entry(self._io, self, self._root)
            elif _on == JbossJournalSeed.SeedRecordType.update_tx:
                pass
                self.content = JbossJournalSeed.EntryTx(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            _on = self.record_type
            if _on == JbossJournalSeed.SeedRecordType.add:
                pass
                self.content._fetch_instances()
            elif _on == JbossJournalSeed.SeedRecordType.add_tx:
                pass
                self.content._fetch_instances()
            elif _on == JbossJournalSeed.SeedRecordType.commit:
                pass
                self.content._fetch_instances()
            elif _on == JbossJournalSeed.SeedRecordType.delete:
                pass
                self.content._fetch_instances()
            elif _on == JbossJournalSeed.SeedRecordType.delete_tx:
                pass
                self.content._fetch_instances()
            elif _on == JbossJournalSeed.SeedRecordType.prepare:
                pass
                self.content._fetch_instances()
            elif _on == JbossJournalSeed.SeedRecordType.rollback:
                pass
                self.content._fetch_instances()
            elif _on == JbossJournalSeed.SeedRecordType.update:
                pass
                self.content._fetch_instances()
            elif _on == JbossJournalSeed.SeedRecordType.update_tx:
                pass
                self.content._fetch_instances()


    class Rollback(KaitaiStruct):
        """ROLLBACK."""
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalSeed.Rollback, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.tx = self._io.read_s8be()
            if (not (self._parent.hashed)):
                pass
                self.check_size = self._io.read_s4be()
                if not self.check_size == 17:
                    raise kaitaistruct.ValidationNotEqualError(17, self.check_size, self._io, u"/types/rollback/seq/1")

            if self._parent.hashed:
                pass
                self.hash = self._io.read_u4be()



        def _fetch_instances(self):
            pass
            if (not (self._parent.hashed)):
                pass

            if self._parent.hashed:
                pass



    class Slot(KaitaiStruct):
        """A place where a record may start."""
        def __init__(self, start, _io, _parent=None, _root=None):
            super(JbossJournalSeed.Slot, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self.start = start
            self._read()

        def _read(self):
            if self.is_record:
                pass
                self.record = JbossJournalSeed.Record(self._root.hashed, self._io, self, self._root)



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
