# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from enum import IntEnum


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class SwiftmqStore(KaitaiStruct):
    """The log of a SwiftMQ file store, tagged or untagged: records up to the first bytes that begin no
    record, and the bytes after them. In a tagged log those are records
    of older generations.
    
    This describes an undamaged log. Nothing says how long a record is, so a
    record that is not whole is a fault here, where a start of the store takes it
    for the end. It does not hold images against the size of a page. Pages of page.db, whose type only
    a reference shows, and swap files are types.
    
    .. seealso::
       Source - https://github.com/iitsoftware/swiftmq-ce/tree/develop/swiftlets/sys_store/src/main/java/com/swiftmq/impl/store/standard/log
    """

    class ActionKind(IntEnum):
        insert = 1
        update = 2
        delete = 3
        portion = 4
    def __init__(self, page_size, _io, _parent=None, _root=None):
        super(SwiftmqStore, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.page_size = page_size
        self._read()

    def _read(self):
        if self.tagged:
            pass
            self.start = SwiftmqStore.Start(self._io, self, self._root)

        self.slots = []
        i = 0
        while True:
            _ = SwiftmqStore.Slot(self._io.pos(), self._io, self, self._root)
            self.slots.append(_)
            if (not (_.is_record)):
                break
            i += 1
        self.rest = self._io.read_bytes_full()


    def _fetch_instances(self):
        pass
        if self.tagged:
            pass
            self.start._fetch_instances()

        for i in range(len(self.slots)):
            pass
            self.slots[i]._fetch_instances()

        _ = self.first_type
        if hasattr(self, '_m_first_type'):
            pass


    class Action(KaitaiStruct):
        """What was done to one page."""
        def __init__(self, _io, _parent=None, _root=None):
            super(SwiftmqStore.Action, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.kind = KaitaiStream.resolve_enum(SwiftmqStore.ActionKind, self._io.read_s4be())
            _on = self.kind
            if _on == SwiftmqStore.ActionKind.delete:
                pass
                self.body = SwiftmqStore.Delete(self._io, self, self._root)
            elif _on == SwiftmqStore.ActionKind.insert:
                pass
                self.body = SwiftmqStore.Insert(self._io, self, self._root)
            elif _on == SwiftmqStore.ActionKind.portion:
                pass
                self.body = SwiftmqStore.AnyPortion(self._io.pos(), self._io, self, self._root)
            elif _on == SwiftmqStore.ActionKind.update:
                pass
                self.body = SwiftmqStore.Update(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            _on = self.kind
            if _on == SwiftmqStore.ActionKind.delete:
                pass
                self.body._fetch_instances()
            elif _on == SwiftmqStore.ActionKind.insert:
                pass
                self.body._fetch_instances()
            elif _on == SwiftmqStore.ActionKind.portion:
                pass
                self.body._fetch_instances()
            elif _on == SwiftmqStore.ActionKind.update:
                pass
                self.body._fetch_instances()


    class AnyPortion(KaitaiStruct):
        """Bytes of a page change."""
        def __init__(self, start, _io, _parent=None, _root=None):
            super(SwiftmqStore.AnyPortion, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self.start = start
            self._read()

        def _read(self):
            _on = self.has_before
            if _on == 1:
                pass
                self.body = SwiftmqStore.Portion(self._io, self, self._root)
            else:
                pass
                self.body = SwiftmqStore.NewPortion(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            _on = self.has_before
            if _on == 1:
                pass
                self.body._fetch_instances()
            else:
                pass
                self.body._fetch_instances()
            _ = self.has_before
            if hasattr(self, '_m_has_before'):
                pass


        @property
        def has_before(self):
            """Whether the old bytes are stored."""
            if hasattr(self, '_m_has_before'):
                return self._m_has_before

            if self._io.size() - self.start >= 9:
                pass
                _pos = self._io.pos()
                self._io.seek(self.start + 8)
                self._m_has_before = self._io.read_u1()
                self._io.seek(_pos)

            return getattr(self, '_m_has_before', None)


    class Delete(KaitaiStruct):
        """A page is given back."""
        def __init__(self, _io, _parent=None, _root=None):
            super(SwiftmqStore.Delete, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.page = self._io.read_s4be()
            if not self.page >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.page, self._io, u"/types/delete/seq/0")
            self.length = self._io.read_s4be()
            self.before = self._io.read_bytes(self.length)


        def _fetch_instances(self):
            pass


    class IndexHeader(KaitaiStruct):
        """How a page of an index begins."""
        def __init__(self, _io, _parent=None, _root=None):
            super(SwiftmqStore.IndexHeader, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.empty = self._io.read_u1()
            if not self.empty >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.empty, self._io, u"/types/index_header/seq/0")
            if not self.empty <= 1:
                raise kaitaistruct.ValidationGreaterThanError(1, self.empty, self._io, u"/types/index_header/seq/0")
            self.prev = self._io.read_s4be()
            self.next = self._io.read_s4be()
            self.slots = self._io.read_s4be()
            if not self.slots >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.slots, self._io, u"/types/index_header/seq/3")
            self.valid = self._io.read_s4be()
            if not self.valid >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.valid, self._io, u"/types/index_header/seq/4")


        def _fetch_instances(self):
            pass


    class Insert(KaitaiStruct):
        """A page is taken into use."""
        def __init__(self, _io, _parent=None, _root=None):
            super(SwiftmqStore.Insert, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.page = self._io.read_s4be()
            if not self.page >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.page, self._io, u"/types/insert/seq/0")


        def _fetch_instances(self):
            pass


    class MessagePage(KaitaiStruct):
        """A page of a message. The bytes after those in use can be anything."""
        def __init__(self, _io, _parent=None, _root=None):
            super(SwiftmqStore.MessagePage, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.empty = self._io.read_u1()
            if not self.empty >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.empty, self._io, u"/types/message_page/seq/0")
            if not self.empty <= 1:
                raise kaitaistruct.ValidationGreaterThanError(1, self.empty, self._io, u"/types/message_page/seq/0")
            self.prev = self._io.read_s4be()
            self.next = self._io.read_s4be()
            self.length = self._io.read_s4be()
            if not self.length >= 13:
                raise kaitaistruct.ValidationLessThanError(13, self.length, self._io, u"/types/message_page/seq/3")
            self.slice = self._io.read_bytes(self.length - 13)


        def _fetch_instances(self):
            pass


    class NewPortion(KaitaiStruct):
        """Bytes of a page that had none before."""
        def __init__(self, _io, _parent=None, _root=None):
            super(SwiftmqStore.NewPortion, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.page = self._io.read_s4be()
            if not self.page >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.page, self._io, u"/types/new_portion/seq/0")
            self.offset = self._io.read_s4be()
            if not self.offset >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.offset, self._io, u"/types/new_portion/seq/1")
            self.has_before = self._io.read_u1()
            self.after_length = self._io.read_s4be()
            self.after = self._io.read_bytes(self.after_length)


        def _fetch_instances(self):
            pass


    class Picture(KaitaiStruct):
        """A whole page."""
        def __init__(self, _io, _parent=None, _root=None):
            super(SwiftmqStore.Picture, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.page = self._io.read_s4be()
            if not self.page >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.page, self._io, u"/types/picture/seq/0")
            self.changed = self._io.read_u1()
            self.empty = self._io.read_u1()
            if self.empty == 0:
                pass
                self.whole = self._io.read_bytes(self._root.page_size)



        def _fetch_instances(self):
            pass
            if self.empty == 0:
                pass



    class Portion(KaitaiStruct):
        """Bytes of a page change, and the old bytes are stored."""
        def __init__(self, _io, _parent=None, _root=None):
            super(SwiftmqStore.Portion, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.page = self._io.read_s4be()
            if not self.page >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.page, self._io, u"/types/portion/seq/0")
            self.offset = self._io.read_s4be()
            if not self.offset >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.offset, self._io, u"/types/portion/seq/1")
            self.has_before = self._io.read_u1()
            if not self.has_before >= 1:
                raise kaitaistruct.ValidationLessThanError(1, self.has_before, self._io, u"/types/portion/seq/2")
            if not self.has_before <= 1:
                raise kaitaistruct.ValidationGreaterThanError(1, self.has_before, self._io, u"/types/portion/seq/2")
            self.before_length = self._io.read_s4be()
            self.before = self._io.read_bytes(self.before_length)
            self.after_length = self._io.read_s4be()
            self.after = self._io.read_bytes(self.after_length)


        def _fetch_instances(self):
            pass


    class QueueEntry(KaitaiStruct):
        """A message of a queue."""
        def __init__(self, _io, _parent=None, _root=None):
            super(SwiftmqStore.QueueEntry, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.valid = self._io.read_u1()
            self.priority = self._io.read_s4be()
            self.deliveries = self._io.read_s4be()
            self.expiration = self._io.read_s8be()
            self.key = self._io.read_s8be()
            self.page = self._io.read_s4be()
            self.padding = self._io.read_bytes(4)


        def _fetch_instances(self):
            pass


    class QueuePage(KaitaiStruct):
        """A page of the index of a queue."""
        def __init__(self, _io, _parent=None, _root=None):
            super(SwiftmqStore.QueuePage, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.header = SwiftmqStore.IndexHeader(self._io, self, self._root)
            self.entries = []
            for i in range(self.header.slots):
                self.entries.append(SwiftmqStore.QueueEntry(self._io, self, self._root))

            self.rest = self._io.read_bytes_full()


        def _fetch_instances(self):
            pass
            self.header._fetch_instances()
            for i in range(len(self.entries)):
                pass
                self.entries[i]._fetch_instances()



    class Record(KaitaiStruct):
        """A COMMIT or an ABORT, or START once more."""
        def __init__(self, record_kind, _io, _parent=None, _root=None):
            super(SwiftmqStore.Record, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self.record_kind = record_kind
            self._read()

        def _read(self):
            _on = self.form
            if _on == 0:
                pass
                self.header = SwiftmqStore.UntaggedRecordHeader(self._io, self, self._root)
            elif _on == 1:
                pass
                self.header = SwiftmqStore.RecordHeader(self._io, self, self._root)
            elif _on == 2:
                pass
                self.header = SwiftmqStore.Start(self._io, self, self._root)
            self.actions = []
            for i in range(((self.header.number if self.form == 1 else self.header.number) if self.form != 2 else 0)):
                self.actions.append(SwiftmqStore.Action(self._io, self, self._root))



        def _fetch_instances(self):
            pass
            _on = self.form
            if _on == 0:
                pass
                self.header._fetch_instances()
            elif _on == 1:
                pass
                self.header._fetch_instances()
            elif _on == 2:
                pass
                self.header._fetch_instances()
            for i in range(len(self.actions)):
                pass
                self.actions[i]._fetch_instances()


        @property
        def form(self):
            """How it begins, untagged (0), tagged (1), or as START (2)."""
            if hasattr(self, '_m_form'):
                return self._m_form

            self._m_form = ((2 if self.record_kind == 1 else 1) if self._root.tagged else 0)
            return getattr(self, '_m_form', None)


    class RecordHeader(KaitaiStruct):
        """How a record of a tagged log begins."""
        def __init__(self, _io, _parent=None, _root=None):
            super(SwiftmqStore.RecordHeader, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.code = self._io.read_s4be()
            if not self.code >= 2:
                raise kaitaistruct.ValidationLessThanError(2, self.code, self._io, u"/types/record_header/seq/0")
            if not self.code <= 3:
                raise kaitaistruct.ValidationGreaterThanError(3, self.code, self._io, u"/types/record_header/seq/0")
            self.generation = self._io.read_s8be()
            self.transaction = self._io.read_s8be()
            self.number = self._io.read_s4be()
            if not self.number >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.number, self._io, u"/types/record_header/seq/3")


        def _fetch_instances(self):
            pass


    class RootEntry(KaitaiStruct):
        """A queue."""
        def __init__(self, _io, _parent=None, _root=None):
            super(SwiftmqStore.RootEntry, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.valid = self._io.read_u1()
            self.name_length = self._io.read_s4be()
            self.name = self._io.read_bytes(self.name_length)
            self.head = self._io.read_s4be()
            self.padding = self._io.read_bytes(4)


        def _fetch_instances(self):
            pass


    class RootPage(KaitaiStruct):
        """A page of the root index."""
        def __init__(self, _io, _parent=None, _root=None):
            super(SwiftmqStore.RootPage, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.header = SwiftmqStore.IndexHeader(self._io, self, self._root)
            self.entries = []
            for i in range(self.header.slots):
                self.entries.append(SwiftmqStore.RootEntry(self._io, self, self._root))

            self.rest = self._io.read_bytes_full()


        def _fetch_instances(self):
            pass
            self.header._fetch_instances()
            for i in range(len(self.entries)):
                pass
                self.entries[i]._fetch_instances()



    class Slot(KaitaiStruct):
        """A place where a record would begin."""
        def __init__(self, start, _io, _parent=None, _root=None):
            super(SwiftmqStore.Slot, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self.start = start
            self._read()

        def _read(self):
            if self.is_record:
                pass
                self.record = SwiftmqStore.Record(self.next_kind, self._io, self, self._root)



        def _fetch_instances(self):
            pass
            if self.is_record:
                pass
                self.record._fetch_instances()

            _ = self.next_generation
            if hasattr(self, '_m_next_generation'):
                pass

            _ = self.next_kind
            if hasattr(self, '_m_next_kind'):
                pass


        @property
        def is_record(self):
            """Whether a record of this generation begins here."""
            if hasattr(self, '_m_is_record'):
                return self._m_is_record

            self._m_is_record =  ((self.room >= 12) and ( ((self.next_kind == 2) or (self.next_kind == 3) or ( ((self.next_kind == 1) and (self._root.tagged)) )) ) and ( (((not (self._root.tagged))) or ((self.next_generation ^ self._root.start.generation) == 0)) )) 
            return getattr(self, '_m_is_record', None)

        @property
        def next_generation(self):
            """Its generation, if the log is tagged."""
            if hasattr(self, '_m_next_generation'):
                return self._m_next_generation

            if self.room >= 12:
                pass
                _pos = self._io.pos()
                self._io.seek(self.start + 4)
                self._m_next_generation = self._io.read_s8be()
                self._io.seek(_pos)

            return getattr(self, '_m_next_generation', None)

        @property
        def next_kind(self):
            """The type of the record here."""
            if hasattr(self, '_m_next_kind'):
                return self._m_next_kind

            if self.room >= 12:
                pass
                _pos = self._io.pos()
                self._io.seek(self.start)
                self._m_next_kind = self._io.read_s4be()
                self._io.seek(_pos)

            return getattr(self, '_m_next_kind', None)

        @property
        def room(self):
            """The bytes up to the end of the file."""
            if hasattr(self, '_m_room'):
                return self._m_room

            self._m_room = self._io.size() - self.start
            return getattr(self, '_m_room', None)


    class Start(KaitaiStruct):
        """What a tagged log begins with."""
        def __init__(self, _io, _parent=None, _root=None):
            super(SwiftmqStore.Start, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.code = self._io.read_s4be()
            if not self.code >= 1:
                raise kaitaistruct.ValidationLessThanError(1, self.code, self._io, u"/types/start/seq/0")
            if not self.code <= 1:
                raise kaitaistruct.ValidationGreaterThanError(1, self.code, self._io, u"/types/start/seq/0")
            self.generation = self._io.read_s8be()


        def _fetch_instances(self):
            pass


    class SwapEntry(KaitaiStruct):
        """A message that was swapped out."""
        def __init__(self, _io, _parent=None, _root=None):
            super(SwiftmqStore.SwapEntry, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.length = self._io.read_s4be()
            if not self.length >= 4:
                raise kaitaistruct.ValidationLessThanError(4, self.length, self._io, u"/types/swap_entry/seq/0")
            self.deliveries = self._io.read_s4be()
            self.message = self._io.read_bytes(self.length - 4)


        def _fetch_instances(self):
            pass


    class SwapFile(KaitaiStruct):
        """A swap file, entry by entry."""
        def __init__(self, _io, _parent=None, _root=None):
            super(SwiftmqStore.SwapFile, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.entries = []
            i = 0
            while not self._io.is_eof():
                self.entries.append(SwiftmqStore.SwapEntry(self._io, self, self._root))
                i += 1



        def _fetch_instances(self):
            pass
            for i in range(len(self.entries)):
                pass
                self.entries[i]._fetch_instances()



    class UntaggedRecordHeader(KaitaiStruct):
        """How a record of an untagged log begins."""
        def __init__(self, _io, _parent=None, _root=None):
            super(SwiftmqStore.UntaggedRecordHeader, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.code = self._io.read_s4be()
            if not self.code >= 2:
                raise kaitaistruct.ValidationLessThanError(2, self.code, self._io, u"/types/untagged_record_header/seq/0")
            if not self.code <= 3:
                raise kaitaistruct.ValidationGreaterThanError(3, self.code, self._io, u"/types/untagged_record_header/seq/0")
            self.transaction = self._io.read_s8be()
            self.number = self._io.read_s4be()
            if not self.number >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.number, self._io, u"/types/untagged_record_header/seq/2")


        def _fetch_instances(self):
            pass


    class Update(KaitaiStruct):
        """A whole page is replaced. No known writer does so."""
        def __init__(self, _io, _parent=None, _root=None):
            super(SwiftmqStore.Update, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.before = SwiftmqStore.Picture(self._io, self, self._root)
            self.after = SwiftmqStore.Picture(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.before._fetch_instances()
            self.after._fetch_instances()


    @property
    def first_type(self):
        """The number that the log begins with."""
        if hasattr(self, '_m_first_type'):
            return self._m_first_type

        if self._io.size() >= 4:
            pass
            _pos = self._io.pos()
            self._io.seek(0)
            self._m_first_type = self._io.read_s4be()
            self._io.seek(_pos)

        return getattr(self, '_m_first_type', None)

    @property
    def tagged(self):
        """Whether records have a generation."""
        if hasattr(self, '_m_tagged'):
            return self._m_tagged

        self._m_tagged =  ((self._io.size() >= 12) and (self.first_type == 1)) 
        return getattr(self, '_m_tagged', None)
