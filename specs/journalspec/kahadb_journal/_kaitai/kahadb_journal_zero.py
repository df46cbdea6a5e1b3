# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from enum import IntEnum


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KahadbJournalZero(KaitaiStruct):
    """One data file of the journal of ActiveMQ's message store KahaDB before 5.14:
    batches of records, and zeros after them.
    
    This describes an undamaged file. It finds faults in the lengths and constants
    of batches and records. The log ends at the first place that does not begin with the length of a
    control record; this schema does not decide whether an end marker or damage is there. Nor does it
    verify checksums, look for batches after damage, or give the effect of the commands.
    
    .. seealso::
       Source - https://github.com/apache/activemq/blob/activemq-5.13.5/activemq-kahadb-store/src/main/java/org/apache/activemq/store/kahadb/disk/journal/Journal.java
    """

    class Command(IntEnum):
        trace = 0
        add_message = 1
        remove_message = 2
        prepare = 3
        commit = 4
        rollback = 5
        remove_destination = 6
        subscription = 7
        producer_audit = 8
        ack_message_file_map = 9
        update_message = 10
        add_scheduled_job = 11
        reschedule_job = 12
        remove_scheduled_job = 13
        remove_scheduled_jobs = 14
        destroy_scheduler = 15
        rewritten_data_file = 16
    def __init__(self, _io, _parent=None, _root=None):
        super(KahadbJournalZero, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._read()

    def _read(self):
        self.slots = []
        i = 0
        while True:
            _ = KahadbJournalZero.Slot(self._io.pos(), self._io, self, self._root)
            self.slots.append(_)
            if (not (_.is_batch)):
                break
            i += 1
        if self._io.size() - self._io.pos() >= 5:
            pass
            self.end_marker = self._io.read_bytes(5)

        self.rest = self._io.read_bytes_full()


    def _fetch_instances(self):
        pass
        for i in range(len(self.slots)):
            pass
            self.slots[i]._fetch_instances()

        if self._io.size() - self._io.pos() >= 5:
            pass


    class Batch(KaitaiStruct):
        """Records that were written together, after a control record."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbJournalZero.Batch, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.control = KahadbJournalZero.ControlRecord(self._io, self, self._root)
            self._raw_log = self._io.read_bytes(self.control.batch_size)
            _io__raw_log = KaitaiStream(BytesIO(self._raw_log))
            self.log = KahadbJournalZero.Log(_io__raw_log, self, self._root)


        def _fetch_instances(self):
            pass
            self.control._fetch_instances()
            self.log._fetch_instances()


    class ControlRecord(KaitaiStruct):
        """The 28 bytes in front of each batch. No checksum covers them."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbJournalZero.ControlRecord, self).__init__(_io)
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
            if not self.magic == b"\x57\x52\x49\x54\x45\x20\x42\x41\x54\x43\x48":
                raise kaitaistruct.ValidationNotEqualError(b"\x57\x52\x49\x54\x45\x20\x42\x41\x54\x43\x48", self.magic, self._io, u"/types/control_record/seq/2")
            self.batch_size = self._io.read_s4be()
            if not self.batch_size >= 5:
                raise kaitaistruct.ValidationLessThanError(5, self.batch_size, self._io, u"/types/control_record/seq/3")
            self.checksum = self._io.read_s8be()


        def _fetch_instances(self):
            pass


    class Entry(KaitaiStruct):
        """A record, or one of an unknown type, which readers skip by its length."""
        def __init__(self, start, _io, _parent=None, _root=None):
            super(KahadbJournalZero.Entry, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self.start = start
            self._read()

        def _read(self):
            if  ((self.entry_type == 1) or (self.entry_type == 2)) :
                pass
                self.user = KahadbJournalZero.Record(self._io, self, self._root)

            if  ((self.entry_type != 1) and (self.entry_type != 2)) :
                pass
                self.other = KahadbJournalZero.UnknownRecord(self._io, self, self._root)



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
            super(KahadbJournalZero.Log, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.records = []
            i = 0
            while not self._io.is_eof():
                self.records.append(KahadbJournalZero.Entry(self._io.pos(), self._io, self, self._root))
                i += 1



        def _fetch_instances(self):
            pass
            for i in range(len(self.records)):
                pass
                self.records[i]._fetch_instances()



    class Record(KaitaiStruct):
        """One record."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbJournalZero.Record, self).__init__(_io)
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
            if self.length >= 6:
                pass
                self.command = KaitaiStream.resolve_enum(KahadbJournalZero.Command, self._io.read_u1())

            if self.length >= 6:
                pass
                self.frame = self._io.read_bytes(self.length - 6)



        def _fetch_instances(self):
            pass
            if self.length >= 6:
                pass

            if self.length >= 6:
                pass



    class Slot(KaitaiStruct):
        """A place where a batch would begin. One of no bytes, with the checksum 0 or 1, is the end of the log; with any other checksum it is a fault."""
        def __init__(self, start, _io, _parent=None, _root=None):
            super(KahadbJournalZero.Slot, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self.start = start
            self._read()

        def _read(self):
            if self.is_batch:
                pass
                self.batch = KahadbJournalZero.Batch(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            if self.is_batch:
                pass
                self.batch._fetch_instances()

            _ = self.next_checksum
            if hasattr(self, '_m_next_checksum'):
                pass

            _ = self.next_length
            if hasattr(self, '_m_next_length'):
                pass

            _ = self.next_size
            if hasattr(self, '_m_next_size'):
                pass


        @property
        def is_batch(self):
            """Whether a batch begins here."""
            if hasattr(self, '_m_is_batch'):
                return self._m_is_batch

            self._m_is_batch =  ((self.room >= 28) and (self.next_length == 28) and ( ((self.next_size != 0) or ( ((self.next_checksum != 0) and (self.next_checksum != 1)) )) )) 
            return getattr(self, '_m_is_batch', None)

        @property
        def next_checksum(self):
            """The checksum here."""
            if hasattr(self, '_m_next_checksum'):
                return self._m_next_checksum

            if self.room >= 28:
                pass
                _pos = self._io.pos()
                self._io.seek(self.start + 20)
                self._m_next_checksum = self._io.read_s8be()
                self._io.seek(_pos)

            return getattr(self, '_m_next_checksum', None)

        @property
        def next_length(self):
            """The length of the control record here, if there is room for one."""
            if hasattr(self, '_m_next_length'):
                return self._m_next_length

            if self.room >= 28:
                pass
                _pos = self._io.pos()
                self._io.seek(self.start)
                self._m_next_length = self._io.read_s4be()
                self._io.seek(_pos)

            return getattr(self, '_m_next_length', None)

        @property
        def next_size(self):
            """The batch size here."""
            if hasattr(self, '_m_next_size'):
                return self._m_next_size

            if self.room >= 28:
                pass
                _pos = self._io.pos()
                self._io.seek(self.start + 16)
                self._m_next_size = self._io.read_s4be()
                self._io.seek(_pos)

            return getattr(self, '_m_next_size', None)

        @property
        def room(self):
            """The bytes up to the end of the file."""
            if hasattr(self, '_m_room'):
                return self._m_room

            self._m_room = self._io.size() - self.start
            return getattr(self, '_m_room', None)


    class UnknownRecord(KaitaiStruct):
        """A record of an unknown type. It has no meaning."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbJournalZero.UnknownRecord, self).__init__(_io)
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
