# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class DerbyLog(KaitaiStruct):
    """One file of the write-ahead log of Apache Derby: a header, records one after the other, and a
    length of 0 or the end of the file. The bodies of records are
    described in derby_body.ksy; the type control_file is log.ctrl, or its mirror.
    
    This describes an undamaged file. It finds faults in constants and in the two
    lengths of a record. It does not hold instants against offsets, verify
    checksums, or go on in the next file.
    
    .. seealso::
       Source - https://github.com/apache/derby/blob/trunk/java/org.apache.derby.engine/org/apache/derby/impl/store/raw/log/LogToFile.java
    """
    def __init__(self, _io, _parent=None, _root=None):
        super(DerbyLog, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._read()

    def _read(self):
        self.header = DerbyLog.FileHeader(self._io, self, self._root)
        self.slots = []
        i = 0
        while True:
            _ = DerbyLog.Slot(self._io.pos(), self._io, self, self._root)
            self.slots.append(_)
            if (not (_.is_record)):
                break
            i += 1
        if self._io.size() - self._io.pos() >= 4:
            pass
            self.end_marker = self._io.read_s4be()
            if not self.end_marker == 0:
                raise kaitaistruct.ValidationNotEqualError(0, self.end_marker, self._io, u"/seq/2")

        self.rest = self._io.read_bytes_full()


    def _fetch_instances(self):
        pass
        self.header._fetch_instances()
        for i in range(len(self.slots)):
            pass
            self.slots[i]._fetch_instances()

        if self._io.size() - self._io.pos() >= 4:
            pass


    class ControlFile(KaitaiStruct):
        """The 48 bytes of log.ctrl and logmirror.ctrl."""
        def __init__(self, _io, _parent=None, _root=None):
            super(DerbyLog.ControlFile, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.format_id = self._io.read_s4be()
            if not self.format_id >= 128:
                raise kaitaistruct.ValidationLessThanError(128, self.format_id, self._io, u"/types/control_file/seq/0")
            if not self.format_id <= 128:
                raise kaitaistruct.ValidationGreaterThanError(128, self.format_id, self._io, u"/types/control_file/seq/0")
            self.version = self._io.read_s4be()
            self.checkpoint = self._io.read_s8be()
            self.major = self._io.read_s4be()
            self.minor = self._io.read_s4be()
            self.build = self._io.read_s4be()
            self.flags = self._io.read_u1()
            self.spare = self._io.read_bytes(11)
            self.checksum = self._io.read_s8be()


        def _fetch_instances(self):
            pass


    class ControlFileOf2005(KaitaiStruct):
        """The control file as the document of 2005 describes it."""
        def __init__(self, _io, _parent=None, _root=None):
            super(DerbyLog.ControlFileOf2005, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.format_id = self._io.read_s4be()
            self.version = self._io.read_s4be()
            self.checkpoint = self._io.read_s8be()
            self.jbms_version = self._io.read_s4be()
            self.checkpoint_interval = self._io.read_s4be()
            self.spare = self._io.read_bytes(24)


        def _fetch_instances(self):
            pass


    class FileHeader(KaitaiStruct):
        """The first 24 bytes of a log file."""
        def __init__(self, _io, _parent=None, _root=None):
            super(DerbyLog.FileHeader, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.format_id = self._io.read_s4be()
            if not self.format_id >= 128:
                raise kaitaistruct.ValidationLessThanError(128, self.format_id, self._io, u"/types/file_header/seq/0")
            if not self.format_id <= 128:
                raise kaitaistruct.ValidationGreaterThanError(128, self.format_id, self._io, u"/types/file_header/seq/0")
            self.version = self._io.read_s4be()
            self.number = self._io.read_s8be()
            if not self.number >= 1:
                raise kaitaistruct.ValidationLessThanError(1, self.number, self._io, u"/types/file_header/seq/2")
            self.previous = self._io.read_s8be()


        def _fetch_instances(self):
            pass


    class Record(KaitaiStruct):
        """One record."""
        def __init__(self, _io, _parent=None, _root=None):
            super(DerbyLog.Record, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.length = self._io.read_s4be()
            if not self.length >= 1:
                raise kaitaistruct.ValidationLessThanError(1, self.length, self._io, u"/types/record/seq/0")
            self.instant = self._io.read_s8be()
            self.body = self._io.read_bytes(self.length)
            self.length_again = self._io.read_s4be()
            if not self.length_again == self.length:
                raise kaitaistruct.ValidationNotEqualError(self.length, self.length_again, self._io, u"/types/record/seq/3")


        def _fetch_instances(self):
            pass


    class Slot(KaitaiStruct):
        """A place where a record would begin."""
        def __init__(self, start, _io, _parent=None, _root=None):
            super(DerbyLog.Slot, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self.start = start
            self._read()

        def _read(self):
            if self.is_record:
                pass
                self.record = DerbyLog.Record(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            if self.is_record:
                pass
                self.record._fetch_instances()

            _ = self.next_length
            if hasattr(self, '_m_next_length'):
                pass


        @property
        def is_record(self):
            """Whether a record begins here."""
            if hasattr(self, '_m_is_record'):
                return self._m_is_record

            self._m_is_record =  ((self.room >= 4) and (self.next_length != 0)) 
            return getattr(self, '_m_is_record', None)

        @property
        def next_length(self):
            """The length of the record here; 0 ends the log."""
            if hasattr(self, '_m_next_length'):
                return self._m_next_length

            if self.room >= 4:
                pass
                _pos = self._io.pos()
                self._io.seek(self.start)
                self._m_next_length = self._io.read_s4be()
                self._io.seek(_pos)

            return getattr(self, '_m_next_length', None)

        @property
        def room(self):
            """The bytes up to the end of the file."""
            if hasattr(self, '_m_room'):
                return self._m_room

            self._m_room = self._io.size() - self.start
            return getattr(self, '_m_room', None)
