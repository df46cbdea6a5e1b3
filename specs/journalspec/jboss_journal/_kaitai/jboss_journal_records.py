# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class JbossJournalRecords(KaitaiStruct):
    """Bodies of records of a journal of messages, by user type. New versions append fields, so unknown bytes may follow. The sequence is: A queue contains the message of this id (32), or has acknowledged it (33).
    
    .. seealso::
       HornetQ 2.2.14, 2.3.25, 2.4.9 and Artemis 1.0.0 to 2.56.0: JournalStorageManager, AbstractJournalStorageManager, classes of persistence.impl.journal.codec, XidCodecSupport; read at their tags, and tried on stores of HornetQ 2.4.9, Artemis 1.5.6 and 2.44.0
    """
    def __init__(self, _io, _parent=None, _root=None):
        super(JbossJournalRecords, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._read()

    def _read(self):
        self.queue = self._io.read_s8be()
        if (not (self._io.is_eof())):
            pass
            self.more = self._io.read_bytes_full()



    def _fetch_instances(self):
        pass
        if (not (self._io.is_eof())):
            pass


    class Counter(KaitaiStruct):
        """The number of paged messages of a queue (40).
        
        .. seealso::
           HornetQ 2.2.14, 2.3.25, 2.4.9 and Artemis 1.0.0 to 2.56.0: JournalStorageManager, AbstractJournalStorageManager, classes of persistence.impl.journal.codec, XidCodecSupport; read at their tags, and tried on stores of HornetQ 2.4.9, Artemis 1.5.6 and 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalRecords.Counter, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.queue = self._io.read_s8be()
            self.value = self._io.read_s8be()
            if (not (self._io.is_eof())):
                pass
                self.bytes = self._io.read_s8be()

            if (not (self._io.is_eof())):
                pass
                self.more = self._io.read_bytes_full()



        def _fetch_instances(self):
            pass
            if (not (self._io.is_eof())):
                pass

            if (not (self._io.is_eof())):
                pass



    class CounterPending(KaitaiStruct):
        """Messages of a page were not counted when the broker stopped (43).
        
        .. seealso::
           HornetQ 2.2.14, 2.3.25, 2.4.9 and Artemis 1.0.0 to 2.56.0: JournalStorageManager, AbstractJournalStorageManager, classes of persistence.impl.journal.codec, XidCodecSupport; read at their tags, and tried on stores of HornetQ 2.4.9, Artemis 1.5.6 and 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalRecords.CounterPending, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.queue = self._io.read_s8be()
            self.page = self._io.read_s8be()
            if (not (self._io.is_eof())):
                pass
                self.more = self._io.read_bytes_full()



        def _fetch_instances(self):
            pass
            if (not (self._io.is_eof())):
                pass



    class CursorAck(KaitaiStruct):
        """A queue has acknowledged a paged message (39).
        
        .. seealso::
           HornetQ 2.2.14, 2.3.25, 2.4.9 and Artemis 1.0.0 to 2.56.0: JournalStorageManager, AbstractJournalStorageManager, classes of persistence.impl.journal.codec, XidCodecSupport; read at their tags, and tried on stores of HornetQ 2.4.9, Artemis 1.5.6 and 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalRecords.CursorAck, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.queue = self._io.read_s8be()
            self.page = self._io.read_s8be()
            self.message = self._io.read_s4be()
            if (not (self._io.is_eof())):
                pass
                self.more = self._io.read_bytes_full()



        def _fetch_instances(self):
            pass
            if (not (self._io.is_eof())):
                pass



    class Data(KaitaiStruct):
        """A byte array, preceded by its length.
        
        .. seealso::
           HornetQ 2.2.14, 2.3.25, 2.4.9 and Artemis 1.0.0 to 2.56.0: JournalStorageManager, AbstractJournalStorageManager, classes of persistence.impl.journal.codec, XidCodecSupport; read at their tags, and tried on stores of HornetQ 2.4.9, Artemis 1.5.6 and 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalRecords.Data, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.size = self._io.read_s4be()
            if not self.size >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.size, self._io, u"/types/data/seq/0")
            if self.size >= 0:
                pass
                self.value = self._io.read_bytes(self.size)



        def _fetch_instances(self):
            pass
            if self.size >= 0:
                pass



    class DeliveryCount(KaitaiStruct):
        """The number of times that a queue has delivered the message (34); the last record is valid.
        
        .. seealso::
           HornetQ 2.2.14, 2.3.25, 2.4.9 and Artemis 1.0.0 to 2.56.0: JournalStorageManager, AbstractJournalStorageManager, classes of persistence.impl.journal.codec, XidCodecSupport; read at their tags, and tried on stores of HornetQ 2.4.9, Artemis 1.5.6 and 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalRecords.DeliveryCount, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.queue = self._io.read_s8be()
            self.count = self._io.read_s4be()
            if (not (self._io.is_eof())):
                pass
                self.more = self._io.read_bytes_full()



        def _fetch_instances(self):
            pass
            if (not (self._io.is_eof())):
                pass



    class Duplicate(KaitaiStruct):
        """The id of a message that the broker does not accept again (37).
        
        .. seealso::
           HornetQ 2.2.14, 2.3.25, 2.4.9 and Artemis 1.0.0 to 2.56.0: JournalStorageManager, AbstractJournalStorageManager, classes of persistence.impl.journal.codec, XidCodecSupport; read at their tags, and tried on stores of HornetQ 2.4.9, Artemis 1.5.6 and 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalRecords.Duplicate, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.address = JbossJournalRecords.SimpleString(self._io, self, self._root)
            self.ident = JbossJournalRecords.Data(self._io, self, self._root)
            if (not (self._io.is_eof())):
                pass
                self.more = self._io.read_bytes_full()



        def _fetch_instances(self):
            pass
            self.address._fetch_instances()
            self.ident._fetch_instances()
            if (not (self._io.is_eof())):
                pass



    class Heuristic(KaitaiStruct):
        """A prepared transaction was completed by hand (38).
        
        .. seealso::
           HornetQ 2.2.14, 2.3.25, 2.4.9 and Artemis 1.0.0 to 2.56.0: JournalStorageManager, AbstractJournalStorageManager, classes of persistence.impl.journal.codec, XidCodecSupport; read at their tags, and tried on stores of HornetQ 2.4.9, Artemis 1.5.6 and 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalRecords.Heuristic, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.xid = JbossJournalRecords.Xid(self._io, self, self._root)
            self.committed = self._io.read_u1()
            if (not (self._io.is_eof())):
                pass
                self.more = self._io.read_bytes_full()



        def _fetch_instances(self):
            pass
            self.xid._fetch_instances()
            if (not (self._io.is_eof())):
                pass



    class Increment(KaitaiStruct):
        """The change of the number of paged messages of a queue (41).
        
        .. seealso::
           HornetQ 2.2.14, 2.3.25, 2.4.9 and Artemis 1.0.0 to 2.56.0: JournalStorageManager, AbstractJournalStorageManager, classes of persistence.impl.journal.codec, XidCodecSupport; read at their tags, and tried on stores of HornetQ 2.4.9, Artemis 1.5.6 and 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalRecords.Increment, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.queue = self._io.read_s8be()
            self.value = self._io.read_s4be()
            if (not (self._io.is_eof())):
                pass
                self.bytes = self._io.read_s8be()

            if (not (self._io.is_eof())):
                pass
                self.more = self._io.read_bytes_full()



        def _fetch_instances(self):
            pass
            if (not (self._io.is_eof())):
                pass

            if (not (self._io.is_eof())):
                pass



    class LargePending(KaitaiStruct):
        """The file of a large message that is being received (29); a start deletes it.
        
        .. seealso::
           HornetQ 2.2.14, 2.3.25, 2.4.9 and Artemis 1.0.0 to 2.56.0: JournalStorageManager, AbstractJournalStorageManager, classes of persistence.impl.journal.codec, XidCodecSupport; read at their tags, and tried on stores of HornetQ 2.4.9, Artemis 1.5.6 and 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalRecords.LargePending, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.message = self._io.read_s8be()
            if (not (self._io.is_eof())):
                pass
                self.more = self._io.read_bytes_full()



        def _fetch_instances(self):
            pass
            if (not (self._io.is_eof())):
                pass



    class PageComplete(KaitaiStruct):
        """A queue has acknowledged all of a page (42).
        
        .. seealso::
           HornetQ 2.2.14, 2.3.25, 2.4.9 and Artemis 1.0.0 to 2.56.0: JournalStorageManager, AbstractJournalStorageManager, classes of persistence.impl.journal.codec, XidCodecSupport; read at their tags, and tried on stores of HornetQ 2.4.9, Artemis 1.5.6 and 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalRecords.PageComplete, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.queue = self._io.read_s8be()
            self.page = self._io.read_s8be()
            if (not (self._io.is_eof())):
                pass
                self.number = self._io.read_s4be()

            if (not (self._io.is_eof())):
                pass
                self.more = self._io.read_bytes_full()



        def _fetch_instances(self):
            pass
            if (not (self._io.is_eof())):
                pass

            if (not (self._io.is_eof())):
                pass



    class PageTransaction(KaitaiStruct):
        """A transaction of paged messages is committed (35). If the record is an UPDATE, some of these messages are acknowledged.
        
        .. seealso::
           HornetQ 2.2.14, 2.3.25, 2.4.9 and Artemis 1.0.0 to 2.56.0: JournalStorageManager, AbstractJournalStorageManager, classes of persistence.impl.journal.codec, XidCodecSupport; read at their tags, and tried on stores of HornetQ 2.4.9, Artemis 1.5.6 and 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalRecords.PageTransaction, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.transaction = self._io.read_s8be()
            self.number = self._io.read_s4be()
            if (not (self._io.is_eof())):
                pass
                self.more = self._io.read_bytes_full()



        def _fetch_instances(self):
            pass
            if (not (self._io.is_eof())):
                pass



    class Scheduled(KaitaiStruct):
        """When a queue delivers the message (36); the last record is valid.
        
        .. seealso::
           HornetQ 2.2.14, 2.3.25, 2.4.9 and Artemis 1.0.0 to 2.56.0: JournalStorageManager, AbstractJournalStorageManager, classes of persistence.impl.journal.codec, XidCodecSupport; read at their tags, and tried on stores of HornetQ 2.4.9, Artemis 1.5.6 and 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalRecords.Scheduled, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.queue = self._io.read_s8be()
            self.time = self._io.read_s8be()
            if (not (self._io.is_eof())):
                pass
                self.more = self._io.read_bytes_full()



        def _fetch_instances(self):
            pass
            if (not (self._io.is_eof())):
                pass



    class SimpleString(KaitaiStruct):
        """A text (SimpleString): UTF-16, the low byte first.
        
        .. seealso::
           HornetQ 2.2.14, 2.3.25, 2.4.9 and Artemis 1.0.0 to 2.56.0: JournalStorageManager, AbstractJournalStorageManager, classes of persistence.impl.journal.codec, XidCodecSupport; read at their tags, and tried on stores of HornetQ 2.4.9, Artemis 1.5.6 and 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalRecords.SimpleString, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.size = self._io.read_s4be()
            if not self.size >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.size, self._io, u"/types/simple_string/seq/0")
            if self.size >= 0:
                pass
                self.value = self._io.read_bytes(self.size)



        def _fetch_instances(self):
            pass
            if self.size >= 0:
                pass



    class Xid(KaitaiStruct):
        """The id of a distributed transaction; the extra data of a PREPARE. The branch comes first.
        
        .. seealso::
           HornetQ 2.2.14, 2.3.25, 2.4.9 and Artemis 1.0.0 to 2.56.0: JournalStorageManager, AbstractJournalStorageManager, classes of persistence.impl.journal.codec, XidCodecSupport; read at their tags, and tried on stores of HornetQ 2.4.9, Artemis 1.5.6 and 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalRecords.Xid, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.format_id = self._io.read_s4be()
            self.branch = JbossJournalRecords.Data(self._io, self, self._root)
            self.global_id = JbossJournalRecords.Data(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.branch._fetch_instances()
            self.global_id._fetch_instances()
