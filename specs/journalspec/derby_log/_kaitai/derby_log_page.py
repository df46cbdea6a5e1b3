# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class DerbyLogPage(KaitaiStruct):
    """Container files (seg0/c*.dat): the first page with the description of the container, pages of rows, and their slots. The sequence is: A page of rows, or the part of a first page that all pages have.
    
    .. seealso::
       Apache Derby, trunk of August 2019 (4253dcf4): org.apache.derby.impl.store.raw.data FileContainer, AllocPage, AllocExtent, CachedPage, StoredPage; the same bytes from 10.1 to 10.16
    """
    def __init__(self, _io, _parent=None, _root=None):
        super(DerbyLogPage, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._read()

    def _read(self):
        self.header = DerbyLogPage.PageHeader(self._io, self, self._root)
        self.records = self._io.read_bytes_full()


    def _fetch_instances(self):
        pass
        self.header._fetch_instances()

    class AllocationPage(KaitaiStruct):
        """The first page of a container, or a further allocation page after the pages that the previous one lists. The checksum covers the page with zeros in place of the info.
        
        .. seealso::
           AllocPage (writeHeader, createPage), AllocExtent (writeExternal)
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(DerbyLogPage.AllocationPage, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.header = DerbyLogPage.PageHeader(self._io, self, self._root)
            self.next_page = self._io.read_s8be()
            self.next_offset = self._io.read_s8be()
            self.reserved = []
            for i in range(4):
                self.reserved.append(self._io.read_s8be())

            self.info_length = self._io.read_u1()
            self.info = self._io.read_bytes(self.info_length)
            self.extent = DerbyLogPage.Extent(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.header._fetch_instances()
            for i in range(len(self.reserved)):
                pass

            self.extent._fetch_instances()


    class ContainerInfo(KaitaiStruct):
        """The description of a container (80 bytes), on its first page and in the log record that creates the container.
        
        .. seealso::
           FileContainer (writeHeaderToArray)
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(DerbyLogPage.ContainerInfo, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.format = self._io.read_s4be()
            self.status = self._io.read_s4be()
            self.page_size = self._io.read_s4be()
            self.spare_space = self._io.read_s4be()
            self.minimum_record_size = self._io.read_s4be()
            self.initial_pages = self._io.read_s2be()
            self.preallocated = self._io.read_s2be()
            self.first_allocation_page = self._io.read_s8be()
            self.first_allocation_offset = self._io.read_s8be()
            self.container_version = self._io.read_s8be()
            self.estimated_rows = self._io.read_s8be()
            self.reusable_sequence = self._io.read_s8be()
            self.spare = self._io.read_s8be()
            self.checksum = self._io.read_u8be()


        def _fetch_instances(self):
            pass


    class Extent(KaitaiStruct):
        """Pages that follow one another.
        
        .. seealso::
           AllocExtent
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(DerbyLogPage.Extent, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.extent_offset = self._io.read_s8be()
            self.first_page = self._io.read_s8be()
            self.last_page = self._io.read_s8be()
            self.pages = self._io.read_s4be()
            self.status = self._io.read_s4be()
            self.preallocated = self._io.read_s4be()
            self.reserved = self._io.read_s4be()
            self.reserved_one = self._io.read_s8be()
            self.reserved_two = self._io.read_s8be()
            self.maps = self._io.read_bytes_full()


        def _fetch_instances(self):
            pass


    class PageHeader(KaitaiStruct):
        """The 60 bytes at the beginning of a page.
        
        .. seealso::
           Apache Derby, trunk of August 2019 (4253dcf4): org.apache.derby.impl.store.raw.data FileContainer, AllocPage, AllocExtent, CachedPage, StoredPage; the same bytes from 10.1 to 10.16
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(DerbyLogPage.PageHeader, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.format = self._io.read_u2be()
            self.unused = self._io.read_u2be()
            self.overflow = self._io.read_u1()
            self.status = self._io.read_u1()
            self.page_version = self._io.read_u8be()
            self.slots = self._io.read_u2be()
            self.next_record_id = self._io.read_u4be()
            self.generation = self._io.read_u4be()
            self.previous_generation = self._io.read_u4be()
            self.before_image = self._io.read_u8be()
            self.deleted = self._io.read_u2be()
            self.spare = self._io.read_u2be()
            self.random = self._io.read_u4be()
            self.spare_one = self._io.read_u8be()
            self.spare_two = self._io.read_u8be()


        def _fetch_instances(self):
            pass


    class Slot(KaitaiStruct):
        """The position of a row on its page: slot i is 6 * (i + 1) bytes before the checksum. The slots are in the order of the rows.
        
        .. seealso::
           StoredPage (recordPortionLengthInfo, writeSlots)
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(DerbyLogPage.Slot, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.row_offset = self._io.read_u2be()
            self.length = self._io.read_u2be()
            self.reserved = self._io.read_u2be()


        def _fetch_instances(self):
            pass
