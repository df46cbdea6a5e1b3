# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from enum import IntEnum


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class HornetqJournal(KaitaiStruct):
    """One file of the journal of HornetQ 2.1 (format version 1), and of HornetQ 2.2
    and later and ActiveMQ Artemis (format version 2): a longer header, and from
    version 2 on a compact count in every record.
    
    This describes an undamaged file with one record after another, from the header to the first place
    where no record of this file starts. This language cannot express the rest: records after padding
    or a hole have to be searched for (use the type `record` at the places found), which records are
    live is decided over all files and transactions together, and no byte of a body is protected.
    
    .. seealso::
       Source - https://github.com/apache/activemq-artemis/blob/2.44.0/artemis-journal/src/main/java/org/apache/activemq/artemis/core/journal/impl/JournalImpl.java
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
        super(HornetqJournal, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._read()

    def _read(self):
        self.header = HornetqJournal.FileHeader(self._io, self, self._root)
        self.slots = []
        i = 0
        while True:
            _ = HornetqJournal.Slot(self._io.pos(), self._io, self, self._root)
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
            super(HornetqJournal.Completion, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.tx = self._io.read_s8be()
            self.count = self._io.read_s4be()
            self.check_size = self._io.read_s4be()
            if not self.check_size == self._parent.len_start + 16:
                raise kaitaistruct.ValidationNotEqualError(self._parent.len_start + 16, self.check_size, self._io, u"/types/completion/seq/2")


        def _fetch_instances(self):
            pass


    class ControlLists(KaitaiStruct):
        """The body of the one record of a control file (file id 0, in s2 -1): what an interrupted compaction has
        left to do.
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(HornetqJournal.ControlLists, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.num_old = self._io.read_s4be()
            self.old_names = []
            for i in range(self.num_old):
                self.old_names.append(HornetqJournal.FileName(self._io, self, self._root))

            self.num_new = self._io.read_s4be()
            self.new_names = []
            for i in range(self.num_new):
                self.new_names.append(HornetqJournal.FileName(self._io, self, self._root))

            self.num_renames = self._io.read_s4be()
            self.renames = []
            for i in range(self.num_renames):
                self.renames.append(HornetqJournal.Rename(self._io, self, self._root))

            self.slack = self._io.read_bytes_full()


        def _fetch_instances(self):
            pass
            for i in range(len(self.old_names)):
                pass
                self.old_names[i]._fetch_instances()

            for i in range(len(self.new_names)):
                pass
                self.new_names[i]._fetch_instances()

            for i in range(len(self.renames)):
                pass
                self.renames[i]._fetch_instances()



    class Deletion(KaitaiStruct):
        """DELETE."""
        def __init__(self, _io, _parent=None, _root=None):
            super(HornetqJournal.Deletion, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.id = self._io.read_s8be()
            self.check_size = self._io.read_s4be()
            if not self.check_size == self._parent.len_start + 12:
                raise kaitaistruct.ValidationNotEqualError(self._parent.len_start + 12, self.check_size, self._io, u"/types/deletion/seq/1")


        def _fetch_instances(self):
            pass


    class DeletionTx(KaitaiStruct):
        """DELETE_TX, with a body and without a user type."""
        def __init__(self, _io, _parent=None, _root=None):
            super(HornetqJournal.DeletionTx, self).__init__(_io)
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
            if not self.check_size == (self._parent.len_start + 24) + self.body_size:
                raise kaitaistruct.ValidationNotEqualError((self._parent.len_start + 24) + self.body_size, self.check_size, self._io, u"/types/deletion_tx/seq/4")


        def _fetch_instances(self):
            pass


    class Entry(KaitaiStruct):
        """ADD and UPDATE, and EVENT."""
        def __init__(self, _io, _parent=None, _root=None):
            super(HornetqJournal.Entry, self).__init__(_io)
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
            if not self.check_size == (self._parent.len_start + 17) + self.body_size:
                raise kaitaistruct.ValidationNotEqualError((self._parent.len_start + 17) + self.body_size, self.check_size, self._io, u"/types/entry/seq/4")


        def _fetch_instances(self):
            pass


    class EntryTx(KaitaiStruct):
        """ADD_TX and UPDATE_TX."""
        def __init__(self, _io, _parent=None, _root=None):
            super(HornetqJournal.EntryTx, self).__init__(_io)
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
            if not self.check_size == (self._parent.len_start + 25) + self.body_size:
                raise kaitaistruct.ValidationNotEqualError((self._parent.len_start + 25) + self.body_size, self.check_size, self._io, u"/types/entry_tx/seq/5")


        def _fetch_instances(self):
            pass


    class FileHeader(KaitaiStruct):
        """The 16 bytes at the start of each file."""
        def __init__(self, _io, _parent=None, _root=None):
            super(HornetqJournal.FileHeader, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.format_version = self._io.read_s4be()
            if not  ((self.format_version == 1) or (self.format_version == 2)) :
                raise kaitaistruct.ValidationNotAnyOfError(self.format_version, self._io, u"/types/file_header/seq/0")
            self.user_version = self._io.read_s4be()
            self.file_id = self._io.read_s8be()


        def _fetch_instances(self):
            pass

        @property
        def stamp(self):
            """What the records of this file carry, the low 31 bits of its id."""
            if hasattr(self, '_m_stamp'):
                return self._m_stamp

            self._m_stamp = (self.file_id & 2147483647)
            return getattr(self, '_m_stamp', None)


    class FileName(KaitaiStruct):
        """A name in Java's modified UTF-8."""
        def __init__(self, _io, _parent=None, _root=None):
            super(HornetqJournal.FileName, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.length = self._io.read_u2be()
            self.name = self._io.read_bytes(self.length)


        def _fetch_instances(self):
            pass


    class Preparation(KaitaiStruct):
        """PREPARE."""
        def __init__(self, _io, _parent=None, _root=None):
            super(HornetqJournal.Preparation, self).__init__(_io)
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
            if not self.check_size == (self._parent.len_start + 20) + self.extra_size:
                raise kaitaistruct.ValidationNotEqualError((self._parent.len_start + 20) + self.extra_size, self.check_size, self._io, u"/types/preparation/seq/4")


        def _fetch_instances(self):
            pass


    class Record(KaitaiStruct):
        """One record, at any offset. It lies in one file and has no gaps."""
        def __init__(self, format_version, _io, _parent=None, _root=None):
            super(HornetqJournal.Record, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self.format_version = format_version
            self._read()

        def _read(self):
            self.record_type = KaitaiStream.resolve_enum(HornetqJournal.RecordType, self._io.read_u1())
            self.file_id = self._io.read_s4be()
            if self.format_version >= 2:
                pass
                self.compact_count = self._io.read_s1()

            _on = self.record_type
            if _on == HornetqJournal.RecordType.add:
                pass
                self.content = HornetqJournal.Entry(self._io, self, self._root)
            elif _on == HornetqJournal.RecordType.add_tx:
                pass
                self.content = HornetqJournal.EntryTx(self._io, self, self._root)
            elif _on == HornetqJournal.RecordType.commit:
                pass
                self.content = HornetqJournal.Completion(self._io, self, self._root)
            elif _on == HornetqJournal.RecordType.delete:
                pass
                self.content = HornetqJournal.Deletion(self._io, self, self._root)
            elif _on == HornetqJournal.RecordType.delete_tx:
                pass
                self.content = HornetqJournal.DeletionTx(self._io, self, self._root)
            elif _on == HornetqJournal.RecordType.event:
                pass
                self.content = HornetqJournal.Entry(self._io, self, self._root)
            elif _on == HornetqJournal.RecordType.prepare:
                pass
                self.content = HornetqJournal.Preparation(self._io, self, self._root)
            elif _on == HornetqJournal.RecordType.rollback:
                pass
                self.content = HornetqJournal.Rollback(self._io, self, self._root)
            elif _on == HornetqJournal.RecordType.update:
                pass
                self.content = HornetqJournal.Entry(self._io, self, self._root)
            elif _on == HornetqJournal.RecordType.update_tx:
                pass
                self.content = HornetqJournal.EntryTx(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            if self.format_version >= 2:
                pass

            _on = self.record_type
            if _on == HornetqJournal.RecordType.add:
                pass
                self.content._fetch_instances()
            elif _on == HornetqJournal.RecordType.add_tx:
                pass
                self.content._fetch_instances()
            elif _on == HornetqJournal.RecordType.commit:
                pass
                self.content._fetch_instances()
            elif _on == HornetqJournal.RecordType.delete:
                pass
                self.content._fetch_instances()
            elif _on == HornetqJournal.RecordType.delete_tx:
                pass
                self.content._fetch_instances()
            elif _on == HornetqJournal.RecordType.event:
                pass
                self.content._fetch_instances()
            elif _on == HornetqJournal.RecordType.prepare:
                pass
                self.content._fetch_instances()
            elif _on == HornetqJournal.RecordType.rollback:
                pass
                self.content._fetch_instances()
            elif _on == HornetqJournal.RecordType.update:
                pass
                self.content._fetch_instances()
            elif _on == HornetqJournal.RecordType.update_tx:
                pass
                self.content._fetch_instances()

        @property
        def len_start(self):
            """Bytes before the body."""
            if hasattr(self, '_m_len_start'):
                return self._m_len_start

            self._m_len_start = (6 if self.format_version >= 2 else 5)
            return getattr(self, '_m_len_start', None)


    class Rename(KaitaiStruct):
        """One file that gets another name."""
        def __init__(self, _io, _parent=None, _root=None):
            super(HornetqJournal.Rename, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.source = HornetqJournal.FileName(self._io, self, self._root)
            self.target = HornetqJournal.FileName(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.source._fetch_instances()
            self.target._fetch_instances()


    class Rollback(KaitaiStruct):
        """ROLLBACK."""
        def __init__(self, _io, _parent=None, _root=None):
            super(HornetqJournal.Rollback, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.tx = self._io.read_s8be()
            self.check_size = self._io.read_s4be()
            if not self.check_size == self._parent.len_start + 12:
                raise kaitaistruct.ValidationNotEqualError(self._parent.len_start + 12, self.check_size, self._io, u"/types/rollback/seq/1")


        def _fetch_instances(self):
            pass


    class Slot(KaitaiStruct):
        """A place where a record may start."""
        def __init__(self, start, _io, _parent=None, _root=None):
            super(HornetqJournal.Slot, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self.start = start
            self._read()

        def _read(self):
            if self.is_record:
                pass
                self.record = HornetqJournal.Record(self._root.header.format_version, self._io, self, self._root)



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

            self._m_is_record =  ((self.room >= 17) and (self.first >= 10) and (self.first <= 19) and (self.stamp ^ self._root.header.stamp == 0)) 
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
