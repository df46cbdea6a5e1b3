# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from enum import IntEnum


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class DerbyBody(KaitaiStruct):
    """The body of one record of the write-ahead log of Apache Derby: its group, its
    transaction, the operation, and what follows that. An operation that is not
    known cannot be passed over: nothing says how long it is.
    
    .. seealso::
       Source - https://github.com/apache/derby/blob/trunk/java/org.apache.derby.engine/org/apache/derby/impl/store/raw/log/LogRecord.java
    """

    class OperationCode(IntEnum):
        chain_alloc_page = 97
        delete = 101
        end = 102
        insert = 103
        logical_undo = 104
        physical_undo = 105
        purge = 106
        container_undo = 107
        update = 108
        update_field = 109
        alloc_page = 111
        invalidate_page = 113
        begin = 169
        copy_rows = 210
        init_page = 241
        container = 242
        checkpoint = 263
        set_reserved_space = 287
        remove_file = 291
        checksum = 453
        compress_space_10_2 = 454
        encrypt_container = 459
        encrypt_container_undo = 460
        compress_space = 465
    def __init__(self, _io, _parent=None, _root=None):
        super(DerbyBody, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._read()

    def _read(self):
        self.log_record_id = self._io.read_u2be()
        if not self.log_record_id >= 129:
            raise kaitaistruct.ValidationLessThanError(129, self.log_record_id, self._io, u"/seq/0")
        if not self.log_record_id <= 129:
            raise kaitaistruct.ValidationGreaterThanError(129, self.log_record_id, self._io, u"/seq/0")
        self.group = DerbyBody.Cint(self._io, self, self._root)
        self.transaction = DerbyBody.TransactionIdOrNothing(self._io, self, self._root)
        self.operation_id = KaitaiStream.resolve_enum(DerbyBody.OperationCode, self._io.read_u2be())
        _on = self.operation_id
        if _on == DerbyBody.OperationCode.alloc_page:
            pass
            self.operation = DerbyBody.AllocPage(self._io, self, self._root)
        elif _on == DerbyBody.OperationCode.begin:
            pass
            self.operation = DerbyBody.Begin(self._io, self, self._root)
        elif _on == DerbyBody.OperationCode.chain_alloc_page:
            pass
            self.operation = DerbyBody.ChainAllocPage(self._io, self, self._root)
        elif _on == DerbyBody.OperationCode.checkpoint:
            pass
            self.operation = DerbyBody.Checkpoint(self._io, self, self._root)
        elif _on == DerbyBody.OperationCode.checksum:
            pass
            self.operation = DerbyBody.Checksum(self._io, self, self._root)
        elif _on == DerbyBody.OperationCode.compress_space:
            pass
            self.operation = DerbyBody.CompressSpace(self._io, self, self._root)
        elif _on == DerbyBody.OperationCode.compress_space_10_2:
            pass
            self.operation = DerbyBody.CompressSpace102(self._io, self, self._root)
        elif _on == DerbyBody.OperationCode.container:
            pass
            self.operation = DerbyBody.Container(self._io, self, self._root)
        elif _on == DerbyBody.OperationCode.container_undo:
            pass
            self.operation = DerbyBody.ContainerUndo(self._io, self, self._root)
        elif _on == DerbyBody.OperationCode.copy_rows:
            pass
            self.operation = DerbyBody.CopyRows(self._io, self, self._root)
        elif _on == DerbyBody.OperationCode.delete:
            pass
            self.operation = DerbyBody.Delete(self._io, self, self._root)
        elif _on == DerbyBody.OperationCode.encrypt_container:
            pass
            self.operation = DerbyBody.EncryptContainer(self._io, self, self._root)
        elif _on == DerbyBody.OperationCode.encrypt_container_undo:
            pass
            self.operation = DerbyBody.EncryptContainerUndo(self._io, self, self._root)
        elif _on == DerbyBody.OperationCode.end:
            pass
            self.operation = DerbyBody.End(self._io, self, self._root)
        elif _on == DerbyBody.OperationCode.init_page:
            pass
            self.operation = DerbyBody.InitPage(self._io, self, self._root)
        elif _on == DerbyBody.OperationCode.insert:
            pass
            self.operation = DerbyBody.Insert(self._io, self, self._root)
        elif _on == DerbyBody.OperationCode.invalidate_page:
            pass
            self.operation = DerbyBody.InvalidatePage(self._io, self, self._root)
        elif _on == DerbyBody.OperationCode.logical_undo:
            pass
            self.operation = DerbyBody.LogicalUndo(self._io, self, self._root)
        elif _on == DerbyBody.OperationCode.physical_undo:
            pass
            self.operation = DerbyBody.PhysicalUndo(self._io, self, self._root)
        elif _on == DerbyBody.OperationCode.purge:
            pass
            self.operation = DerbyBody.Purge(self._io, self, self._root)
        elif _on == DerbyBody.OperationCode.remove_file:
            pass
            self.operation = DerbyBody.RemoveFile(self._io, self, self._root)
        elif _on == DerbyBody.OperationCode.set_reserved_space:
            pass
            self.operation = DerbyBody.SetReservedSpace(self._io, self, self._root)
        elif _on == DerbyBody.OperationCode.update:
            pass
            self.operation = DerbyBody.Update(self._io, self, self._root)
        elif _on == DerbyBody.OperationCode.update_field:
            pass
            self.operation = DerbyBody.UpdateField(self._io, self, self._root)
        if self.group.value & 2052 == 4:
            pass
            self.undone = self._io.read_s8be()

        if self.group.value & 2052 == 0:
            pass
            self.data_length = self._io.read_s4be()

        if self.group.value & 2052 == 0:
            pass
            self.data = self._io.read_bytes(self.data_length)



    def _fetch_instances(self):
        pass
        self.group._fetch_instances()
        self.transaction._fetch_instances()
        _on = self.operation_id
        if _on == DerbyBody.OperationCode.alloc_page:
            pass
            self.operation._fetch_instances()
        elif _on == DerbyBody.OperationCode.begin:
            pass
            self.operation._fetch_instances()
        elif _on == DerbyBody.OperationCode.chain_alloc_page:
            pass
            self.operation._fetch_instances()
        elif _on == DerbyBody.OperationCode.checkpoint:
            pass
            self.operation._fetch_instances()
        elif _on == DerbyBody.OperationCode.checksum:
            pass
            self.operation._fetch_instances()
        elif _on == DerbyBody.OperationCode.compress_space:
            pass
            self.operation._fetch_instances()
        elif _on == DerbyBody.OperationCode.compress_space_10_2:
            pass
            self.operation._fetch_instances()
        elif _on == DerbyBody.OperationCode.container:
            pass
            self.operation._fetch_instances()
        elif _on == DerbyBody.OperationCode.container_undo:
            pass
            self.operation._fetch_instances()
        elif _on == DerbyBody.OperationCode.copy_rows:
            pass
            self.operation._fetch_instances()
        elif _on == DerbyBody.OperationCode.delete:
            pass
            self.operation._fetch_instances()
        elif _on == DerbyBody.OperationCode.encrypt_container:
            pass
            self.operation._fetch_instances()
        elif _on == DerbyBody.OperationCode.encrypt_container_undo:
            pass
            self.operation._fetch_instances()
        elif _on == DerbyBody.OperationCode.end:
            pass
            self.operation._fetch_instances()
        elif _on == DerbyBody.OperationCode.init_page:
            pass
            self.operation._fetch_instances()
        elif _on == DerbyBody.OperationCode.insert:
            pass
            self.operation._fetch_instances()
        elif _on == DerbyBody.OperationCode.invalidate_page:
            pass
            self.operation._fetch_instances()
        elif _on == DerbyBody.OperationCode.logical_undo:
            pass
            self.operation._fetch_instances()
        elif _on == DerbyBody.OperationCode.physical_undo:
            pass
            self.operation._fetch_instances()
        elif _on == DerbyBody.OperationCode.purge:
            pass
            self.operation._fetch_instances()
        elif _on == DerbyBody.OperationCode.remove_file:
            pass
            self.operation._fetch_instances()
        elif _on == DerbyBody.OperationCode.set_reserved_space:
            pass
            self.operation._fetch_instances()
        elif _on == DerbyBody.OperationCode.update:
            pass
            self.operation._fetch_instances()
        elif _on == DerbyBody.OperationCode.update_field:
            pass
            self.operation._fetch_instances()
        if self.group.value & 2052 == 4:
            pass

        if self.group.value & 2052 == 0:
            pass

        if self.group.value & 2052 == 0:
            pass


    class AllocPage(KaitaiStruct):
        """A page is taken into use, or given back."""
        def __init__(self, _io, _parent=None, _root=None):
            super(DerbyBody.AllocPage, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.segment = DerbyBody.Clong(self._io, self, self._root)
            self.container = DerbyBody.Clong(self._io, self, self._root)
            self.page = DerbyBody.Clong(self._io, self, self._root)
            self.page_version = DerbyBody.Clong(self._io, self, self._root)
            self.new_page = DerbyBody.Clong(self._io, self, self._root)
            self.do_status = DerbyBody.Cint(self._io, self, self._root)
            self.undo_status = DerbyBody.Cint(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.segment._fetch_instances()
            self.container._fetch_instances()
            self.page._fetch_instances()
            self.page_version._fetch_instances()
            self.new_page._fetch_instances()
            self.do_status._fetch_instances()
            self.undo_status._fetch_instances()


    class Begin(KaitaiStruct):
        """A transaction begins."""
        def __init__(self, _io, _parent=None, _root=None):
            super(DerbyBody.Begin, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.status = self._io.read_s4be()
            self.global_id = DerbyBody.GlobalIdOrNothing(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.global_id._fetch_instances()


    class ChainAllocPage(KaitaiStruct):
        """An allocation page gets a successor."""
        def __init__(self, _io, _parent=None, _root=None):
            super(DerbyBody.ChainAllocPage, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.segment = DerbyBody.Clong(self._io, self, self._root)
            self.container = DerbyBody.Clong(self._io, self, self._root)
            self.page = DerbyBody.Clong(self._io, self, self._root)
            self.page_version = DerbyBody.Clong(self._io, self, self._root)
            self.new_page = DerbyBody.Clong(self._io, self, self._root)
            self.new_page_offset = DerbyBody.Clong(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.segment._fetch_instances()
            self.container._fetch_instances()
            self.page._fetch_instances()
            self.page_version._fetch_instances()
            self.new_page._fetch_instances()
            self.new_page_offset._fetch_instances()


    class Checkpoint(KaitaiStruct):
        """A checkpoint: where redo and undo begin."""
        def __init__(self, _io, _parent=None, _root=None):
            super(DerbyBody.Checkpoint, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.redo_from = DerbyBody.Clong(self._io, self, self._root)
            self.undo_from = DerbyBody.Clong(self._io, self, self._root)
            self.truncations = DerbyBody.Cint(self._io, self, self._root)
            self.has_table = DerbyBody.Cint(self._io, self, self._root)
            if self.has_table.value == 1:
                pass
                self.table = DerbyBody.TransactionTableObject(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            self.redo_from._fetch_instances()
            self.undo_from._fetch_instances()
            self.truncations._fetch_instances()
            self.has_table._fetch_instances()
            if self.has_table.value == 1:
                pass
                self.table._fetch_instances()



    class Checksum(KaitaiStruct):
        """The checksum of the records after it."""
        def __init__(self, _io, _parent=None, _root=None):
            super(DerbyBody.Checksum, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.algorithm = self._io.read_u1()
            self.data_length = self._io.read_s4be()
            self.checksum = self._io.read_s8be()


        def _fetch_instances(self):
            pass


    class Cint(KaitaiStruct):
        """A compressed int, whose first two bits give its length."""
        def __init__(self, _io, _parent=None, _root=None):
            super(DerbyBody.Cint, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.first = self._io.read_u1()
            if self.first >= 64:
                pass
                self.second = self._io.read_u1()

            if self.first >= 128:
                pass
                self.third = self._io.read_u2be()



        def _fetch_instances(self):
            pass
            if self.first >= 64:
                pass

            if self.first >= 128:
                pass


        @property
        def value(self):
            """The number."""
            if hasattr(self, '_m_value'):
                return self._m_value

            self._m_value = (self.first if self.first < 64 else (((self.first & 63) * 256 + self.second) if self.first < 128 else (((self.first & 127) * 16777216 + self.second * 65536) + self.third)))
            return getattr(self, '_m_value', None)


    class Clong(KaitaiStruct):
        """A compressed long, whose first two bits give its length."""
        def __init__(self, _io, _parent=None, _root=None):
            super(DerbyBody.Clong, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.first = self._io.read_u2be()
            if self.first >= 16384:
                pass
                self.second = self._io.read_u2be()

            if self.first >= 32768:
                pass
                self.third = self._io.read_u4be()



        def _fetch_instances(self):
            pass
            if self.first >= 16384:
                pass

            if self.first >= 32768:
                pass


        @property
        def high(self):
            """The number without its last 32 bits; there are languages here whose computed numbers have no more than 32."""
            if hasattr(self, '_m_high'):
                return self._m_high

            self._m_high = ((self.first * 0) if self.first < 32768 else ((self.first & 32767) * 65536 + self.second))
            return getattr(self, '_m_high', None)

        @property
        def low(self):
            """The last 32 bits of the number, which is high * 2 ** 32 + low."""
            if hasattr(self, '_m_low'):
                return self._m_low

            self._m_low = (self.first if self.first < 16384 else (((self.first & 16383) * 65536 + self.second) if self.first < 32768 else self.third))
            return getattr(self, '_m_low', None)


    class CompressSpace(KaitaiStruct):
        """Pages at the end of a container are cut off."""
        def __init__(self, _io, _parent=None, _root=None):
            super(DerbyBody.CompressSpace, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.segment = DerbyBody.Clong(self._io, self, self._root)
            self.container = DerbyBody.Clong(self._io, self, self._root)
            self.page = DerbyBody.Clong(self._io, self, self._root)
            self.page_version = DerbyBody.Clong(self._io, self, self._root)
            self.highest_page = self._io.read_s4be()
            self.pages_truncated = DerbyBody.Cint(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.segment._fetch_instances()
            self.container._fetch_instances()
            self.page._fetch_instances()
            self.page_version._fetch_instances()
            self.pages_truncated._fetch_instances()


    class CompressSpace102(KaitaiStruct):
        """Pages at the end of a container are cut off, as 10.2 wrote it."""
        def __init__(self, _io, _parent=None, _root=None):
            super(DerbyBody.CompressSpace102, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.segment = DerbyBody.Clong(self._io, self, self._root)
            self.container = DerbyBody.Clong(self._io, self, self._root)
            self.page = DerbyBody.Clong(self._io, self, self._root)
            self.page_version = DerbyBody.Clong(self._io, self, self._root)
            self.highest_page = DerbyBody.Cint(self._io, self, self._root)
            self.pages_truncated = DerbyBody.Cint(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.segment._fetch_instances()
            self.container._fetch_instances()
            self.page._fetch_instances()
            self.page_version._fetch_instances()
            self.highest_page._fetch_instances()
            self.pages_truncated._fetch_instances()


    class Container(KaitaiStruct):
        """A container is created (1), dropped (2) or removed (4)."""
        def __init__(self, _io, _parent=None, _root=None):
            super(DerbyBody.Container, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.segment = DerbyBody.Clong(self._io, self, self._root)
            self.container = DerbyBody.Clong(self._io, self, self._root)
            self.container_version = DerbyBody.Clong(self._io, self, self._root)
            self.action = self._io.read_u1()
            if self.action == 1:
                pass
                self.header_length = self._io.read_s4be()

            if self.action == 1:
                pass
                self.header = self._io.read_bytes(self.header_length)



        def _fetch_instances(self):
            pass
            self.segment._fetch_instances()
            self.container._fetch_instances()
            self.container_version._fetch_instances()
            if self.action == 1:
                pass

            if self.action == 1:
                pass



    class ContainerUndo(KaitaiStruct):
        """Compensates the creation, drop or removal of a container."""
        def __init__(self, _io, _parent=None, _root=None):
            super(DerbyBody.ContainerUndo, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.segment = DerbyBody.Clong(self._io, self, self._root)
            self.container = DerbyBody.Clong(self._io, self, self._root)
            self.container_version = DerbyBody.Clong(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.segment._fetch_instances()
            self.container._fetch_instances()
            self.container_version._fetch_instances()


    class CopyRows(KaitaiStruct):
        """Rows come from another page."""
        def __init__(self, _io, _parent=None, _root=None):
            super(DerbyBody.CopyRows, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.segment = DerbyBody.Clong(self._io, self, self._root)
            self.container = DerbyBody.Clong(self._io, self, self._root)
            self.page = DerbyBody.Clong(self._io, self, self._root)
            self.page_version = DerbyBody.Clong(self._io, self, self._root)
            self.count = DerbyBody.Cint(self._io, self, self._root)
            self.slot = DerbyBody.Cint(self._io, self, self._root)
            self.rows = []
            for i in range(self.count.value):
                self.rows.append(DerbyBody.CopyRowsRows(self._io, self, self._root))



        def _fetch_instances(self):
            pass
            self.segment._fetch_instances()
            self.container._fetch_instances()
            self.page._fetch_instances()
            self.page_version._fetch_instances()
            self.count._fetch_instances()
            self.slot._fetch_instances()
            for i in range(len(self.rows)):
                pass
                self.rows[i]._fetch_instances()



    class CopyRowsRows(KaitaiStruct):
        """One element of the list."""
        def __init__(self, _io, _parent=None, _root=None):
            super(DerbyBody.CopyRowsRows, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.record_id = DerbyBody.Cint(self._io, self, self._root)
            self.reserved = DerbyBody.Cint(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.record_id._fetch_instances()
            self.reserved._fetch_instances()


    class Delete(KaitaiStruct):
        """A row is marked as deleted, or no longer."""
        def __init__(self, _io, _parent=None, _root=None):
            super(DerbyBody.Delete, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.segment = DerbyBody.Clong(self._io, self, self._root)
            self.container = DerbyBody.Clong(self._io, self, self._root)
            self.page = DerbyBody.Clong(self._io, self, self._root)
            self.page_version = DerbyBody.Clong(self._io, self, self._root)
            self.record_id = DerbyBody.Cint(self._io, self, self._root)
            self.undo = DerbyBody.IndexUndoOrNothing(self._io, self, self._root)
            self.slot = DerbyBody.Cint(self._io, self, self._root)
            self.deleted = self._io.read_u1()


        def _fetch_instances(self):
            pass
            self.segment._fetch_instances()
            self.container._fetch_instances()
            self.page._fetch_instances()
            self.page_version._fetch_instances()
            self.record_id._fetch_instances()
            self.undo._fetch_instances()
            self.slot._fetch_instances()


    class EncryptContainer(KaitaiStruct):
        """A container is encrypted anew."""
        def __init__(self, _io, _parent=None, _root=None):
            super(DerbyBody.EncryptContainer, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.segment = DerbyBody.Clong(self._io, self, self._root)
            self.container = DerbyBody.Clong(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.segment._fetch_instances()
            self.container._fetch_instances()


    class EncryptContainerUndo(KaitaiStruct):
        """Compensates that."""
        def __init__(self, _io, _parent=None, _root=None):
            super(DerbyBody.EncryptContainerUndo, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            pass


        def _fetch_instances(self):
            pass


    class End(KaitaiStruct):
        """A transaction commits, is rolled back, or is prepared."""
        def __init__(self, _io, _parent=None, _root=None):
            super(DerbyBody.End, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.global_id = DerbyBody.GlobalIdOrNothing(self._io, self, self._root)
            self.status = DerbyBody.Cint(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.global_id._fetch_instances()
            self.status._fetch_instances()


    class GlobalId(KaitaiStruct):
        """The XA id of a branch."""
        def __init__(self, _io, _parent=None, _root=None):
            super(DerbyBody.GlobalId, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.format_id = self._io.read_s4be()
            self.gtrid_length = self._io.read_u1()
            self.gtrid = self._io.read_bytes(self.gtrid_length)
            self.bqual_length = self._io.read_u1()
            self.bqual = self._io.read_bytes(self.bqual_length)


        def _fetch_instances(self):
            pass


    class GlobalIdOrNothing(KaitaiStruct):
        """Its format id, which is 0 if there is no id, and the id itself."""
        def __init__(self, _io, _parent=None, _root=None):
            super(DerbyBody.GlobalIdOrNothing, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.object_id = self._io.read_u2be()
            if not  ((self.object_id == 0) or (self.object_id == 328)) :
                raise kaitaistruct.ValidationNotAnyOfError(self.object_id, self._io, u"/types/global_id_or_nothing/seq/0")
            if self.object_id != 0:
                pass
                self.global_id = DerbyBody.GlobalId(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            if self.object_id != 0:
                pass
                self.global_id._fetch_instances()



    class IndexUndo(KaitaiStruct):
        """Says that the row belongs to an index: it may have moved to another page when it is undone."""
        def __init__(self, _io, _parent=None, _root=None):
            super(DerbyBody.IndexUndo, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            pass


        def _fetch_instances(self):
            pass


    class IndexUndoOrNothing(KaitaiStruct):
        """Its format id, which is 0 if there is no id, and the id itself."""
        def __init__(self, _io, _parent=None, _root=None):
            super(DerbyBody.IndexUndoOrNothing, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.object_id = self._io.read_u2be()
            if not  ((self.object_id == 0) or (self.object_id == 95)) :
                raise kaitaistruct.ValidationNotAnyOfError(self.object_id, self._io, u"/types/index_undo_or_nothing/seq/0")
            if self.object_id != 0:
                pass
                self.index_undo = DerbyBody.IndexUndo(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            if self.object_id != 0:
                pass
                self.index_undo._fetch_instances()



    class InitPage(KaitaiStruct):
        """A page is made empty."""
        def __init__(self, _io, _parent=None, _root=None):
            super(DerbyBody.InitPage, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.segment = DerbyBody.Clong(self._io, self, self._root)
            self.container = DerbyBody.Clong(self._io, self, self._root)
            self.page = DerbyBody.Clong(self._io, self, self._root)
            self.page_version = DerbyBody.Clong(self._io, self, self._root)
            self.next_record_id = DerbyBody.Cint(self._io, self, self._root)
            self.init_flags = DerbyBody.Cint(self._io, self, self._root)
            self.page_offset = DerbyBody.Clong(self._io, self, self._root)
            self.page_format = self._io.read_s4be()


        def _fetch_instances(self):
            pass
            self.segment._fetch_instances()
            self.container._fetch_instances()
            self.page._fetch_instances()
            self.page_version._fetch_instances()
            self.next_record_id._fetch_instances()
            self.init_flags._fetch_instances()
            self.page_offset._fetch_instances()


    class Insert(KaitaiStruct):
        """A row is added to a page."""
        def __init__(self, _io, _parent=None, _root=None):
            super(DerbyBody.Insert, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.segment = DerbyBody.Clong(self._io, self, self._root)
            self.container = DerbyBody.Clong(self._io, self, self._root)
            self.page = DerbyBody.Clong(self._io, self, self._root)
            self.page_version = DerbyBody.Clong(self._io, self, self._root)
            self.record_id = DerbyBody.Cint(self._io, self, self._root)
            self.undo = DerbyBody.IndexUndoOrNothing(self._io, self, self._root)
            self.slot = DerbyBody.Cint(self._io, self, self._root)
            self.insert_flags = self._io.read_u1()


        def _fetch_instances(self):
            pass
            self.segment._fetch_instances()
            self.container._fetch_instances()
            self.page._fetch_instances()
            self.page_version._fetch_instances()
            self.record_id._fetch_instances()
            self.undo._fetch_instances()
            self.slot._fetch_instances()


    class InvalidatePage(KaitaiStruct):
        """A page holds nothing any more."""
        def __init__(self, _io, _parent=None, _root=None):
            super(DerbyBody.InvalidatePage, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.segment = DerbyBody.Clong(self._io, self, self._root)
            self.container = DerbyBody.Clong(self._io, self, self._root)
            self.page = DerbyBody.Clong(self._io, self, self._root)
            self.page_version = DerbyBody.Clong(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.segment._fetch_instances()
            self.container._fetch_instances()
            self.page._fetch_instances()
            self.page_version._fetch_instances()


    class LogCounter(KaitaiStruct):
        """An instant inside an object: not packed as elsewhere."""
        def __init__(self, _io, _parent=None, _root=None):
            super(DerbyBody.LogCounter, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.file = DerbyBody.Clong(self._io, self, self._root)
            self.position = DerbyBody.Clong(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.file._fetch_instances()
            self.position._fetch_instances()


    class LogCounterOrNothing(KaitaiStruct):
        """Its format id, which is 0 if there is no id, and the id itself."""
        def __init__(self, _io, _parent=None, _root=None):
            super(DerbyBody.LogCounterOrNothing, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.object_id = self._io.read_u2be()
            if not  ((self.object_id == 0) or (self.object_id == 130)) :
                raise kaitaistruct.ValidationNotAnyOfError(self.object_id, self._io, u"/types/log_counter_or_nothing/seq/0")
            if self.object_id != 0:
                pass
                self.log_counter = DerbyBody.LogCounter(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            if self.object_id != 0:
                pass
                self.log_counter._fetch_instances()



    class LogicalUndo(KaitaiStruct):
        """Compensates the change of a row that may have moved."""
        def __init__(self, _io, _parent=None, _root=None):
            super(DerbyBody.LogicalUndo, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.segment = DerbyBody.Clong(self._io, self, self._root)
            self.container = DerbyBody.Clong(self._io, self, self._root)
            self.page = DerbyBody.Clong(self._io, self, self._root)
            self.page_version = DerbyBody.Clong(self._io, self, self._root)
            self.record_id = DerbyBody.Cint(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.segment._fetch_instances()
            self.container._fetch_instances()
            self.page._fetch_instances()
            self.page_version._fetch_instances()
            self.record_id._fetch_instances()


    class PhysicalUndo(KaitaiStruct):
        """Compensates a change where it took place."""
        def __init__(self, _io, _parent=None, _root=None):
            super(DerbyBody.PhysicalUndo, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.segment = DerbyBody.Clong(self._io, self, self._root)
            self.container = DerbyBody.Clong(self._io, self, self._root)
            self.page = DerbyBody.Clong(self._io, self, self._root)
            self.page_version = DerbyBody.Clong(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.segment._fetch_instances()
            self.container._fetch_instances()
            self.page._fetch_instances()
            self.page_version._fetch_instances()


    class Purge(KaitaiStruct):
        """Rows leave a page."""
        def __init__(self, _io, _parent=None, _root=None):
            super(DerbyBody.Purge, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.segment = DerbyBody.Clong(self._io, self, self._root)
            self.container = DerbyBody.Clong(self._io, self, self._root)
            self.page = DerbyBody.Clong(self._io, self, self._root)
            self.page_version = DerbyBody.Clong(self._io, self, self._root)
            self.slot = DerbyBody.Cint(self._io, self, self._root)
            self.count = DerbyBody.Cint(self._io, self, self._root)
            self.rows = []
            for i in range(self.count.value):
                self.rows.append(DerbyBody.PurgeRows(self._io, self, self._root))



        def _fetch_instances(self):
            pass
            self.segment._fetch_instances()
            self.container._fetch_instances()
            self.page._fetch_instances()
            self.page_version._fetch_instances()
            self.slot._fetch_instances()
            self.count._fetch_instances()
            for i in range(len(self.rows)):
                pass
                self.rows[i]._fetch_instances()



    class PurgeRows(KaitaiStruct):
        """One element of the list."""
        def __init__(self, _io, _parent=None, _root=None):
            super(DerbyBody.PurgeRows, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.record_id = DerbyBody.Cint(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.record_id._fetch_instances()


    class RemoveFile(KaitaiStruct):
        """A file next to the database will be removed."""
        def __init__(self, _io, _parent=None, _root=None):
            super(DerbyBody.RemoveFile, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.file_name = DerbyBody.Utf(self._io, self, self._root)
            self.generation = self._io.read_s8be()
            self.at_once = self._io.read_u1()


        def _fetch_instances(self):
            pass
            self.file_name._fetch_instances()


    class SetReservedSpace(KaitaiStruct):
        """The reserved bytes after a row change."""
        def __init__(self, _io, _parent=None, _root=None):
            super(DerbyBody.SetReservedSpace, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.segment = DerbyBody.Clong(self._io, self, self._root)
            self.container = DerbyBody.Clong(self._io, self, self._root)
            self.page = DerbyBody.Clong(self._io, self, self._root)
            self.page_version = DerbyBody.Clong(self._io, self, self._root)
            self.slot = DerbyBody.Cint(self._io, self, self._root)
            self.record_id = DerbyBody.Cint(self._io, self, self._root)
            self.new_reserved = DerbyBody.Cint(self._io, self, self._root)
            self.old_reserved = DerbyBody.Cint(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.segment._fetch_instances()
            self.container._fetch_instances()
            self.page._fetch_instances()
            self.page_version._fetch_instances()
            self.slot._fetch_instances()
            self.record_id._fetch_instances()
            self.new_reserved._fetch_instances()
            self.old_reserved._fetch_instances()


    class TransactionEntry(KaitaiStruct):
        """A transaction of the transaction table."""
        def __init__(self, _io, _parent=None, _root=None):
            super(DerbyBody.TransactionEntry, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.transaction = DerbyBody.TransactionIdOrNothing(self._io, self, self._root)
            self.global_id = DerbyBody.GlobalIdOrNothing(self._io, self, self._root)
            self.first = DerbyBody.LogCounterOrNothing(self._io, self, self._root)
            self.last = DerbyBody.LogCounterOrNothing(self._io, self, self._root)
            self.status = self._io.read_s4be()


        def _fetch_instances(self):
            pass
            self.transaction._fetch_instances()
            self.global_id._fetch_instances()
            self.first._fetch_instances()
            self.last._fetch_instances()


    class TransactionEntryObject(KaitaiStruct):
        """Its format id, and what it is."""
        def __init__(self, _io, _parent=None, _root=None):
            super(DerbyBody.TransactionEntryObject, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.object_id = self._io.read_u2be()
            if not  ((self.object_id == 261)) :
                raise kaitaistruct.ValidationNotAnyOfError(self.object_id, self._io, u"/types/transaction_entry_object/seq/0")
            self.transaction_entry = DerbyBody.TransactionEntry(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.transaction_entry._fetch_instances()


    class TransactionId(KaitaiStruct):
        """The number of a transaction."""
        def __init__(self, _io, _parent=None, _root=None):
            super(DerbyBody.TransactionId, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.number = DerbyBody.Clong(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.number._fetch_instances()


    class TransactionIdOrNothing(KaitaiStruct):
        """Its format id, which is 0 if there is no id, and the id itself."""
        def __init__(self, _io, _parent=None, _root=None):
            super(DerbyBody.TransactionIdOrNothing, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.object_id = self._io.read_u2be()
            if not  ((self.object_id == 0) or (self.object_id == 147)) :
                raise kaitaistruct.ValidationNotAnyOfError(self.object_id, self._io, u"/types/transaction_id_or_nothing/seq/0")
            if self.object_id != 0:
                pass
                self.transaction_id = DerbyBody.TransactionId(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            if self.object_id != 0:
                pass
                self.transaction_id._fetch_instances()



    class TransactionTable(KaitaiStruct):
        """The transactions that are open at a checkpoint."""
        def __init__(self, _io, _parent=None, _root=None):
            super(DerbyBody.TransactionTable, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.count = DerbyBody.Cint(self._io, self, self._root)
            self.entries = []
            for i in range(self.count.value):
                self.entries.append(DerbyBody.TransactionTableEntries(self._io, self, self._root))



        def _fetch_instances(self):
            pass
            self.count._fetch_instances()
            for i in range(len(self.entries)):
                pass
                self.entries[i]._fetch_instances()



    class TransactionTableEntries(KaitaiStruct):
        """One element of the list."""
        def __init__(self, _io, _parent=None, _root=None):
            super(DerbyBody.TransactionTableEntries, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.entry = DerbyBody.TransactionEntryObject(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.entry._fetch_instances()


    class TransactionTableObject(KaitaiStruct):
        """Its format id, and what it is."""
        def __init__(self, _io, _parent=None, _root=None):
            super(DerbyBody.TransactionTableObject, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.object_id = self._io.read_u2be()
            if not  ((self.object_id == 262)) :
                raise kaitaistruct.ValidationNotAnyOfError(self.object_id, self._io, u"/types/transaction_table_object/seq/0")
            self.transaction_table = DerbyBody.TransactionTable(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.transaction_table._fetch_instances()


    class Update(KaitaiStruct):
        """A row is replaced."""
        def __init__(self, _io, _parent=None, _root=None):
            super(DerbyBody.Update, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.segment = DerbyBody.Clong(self._io, self, self._root)
            self.container = DerbyBody.Clong(self._io, self, self._root)
            self.page = DerbyBody.Clong(self._io, self, self._root)
            self.page_version = DerbyBody.Clong(self._io, self, self._root)
            self.slot = DerbyBody.Cint(self._io, self, self._root)
            self.record_id = DerbyBody.Cint(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.segment._fetch_instances()
            self.container._fetch_instances()
            self.page._fetch_instances()
            self.page_version._fetch_instances()
            self.slot._fetch_instances()
            self.record_id._fetch_instances()


    class UpdateField(KaitaiStruct):
        """One column of a row is replaced."""
        def __init__(self, _io, _parent=None, _root=None):
            super(DerbyBody.UpdateField, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.segment = DerbyBody.Clong(self._io, self, self._root)
            self.container = DerbyBody.Clong(self._io, self, self._root)
            self.page = DerbyBody.Clong(self._io, self, self._root)
            self.page_version = DerbyBody.Clong(self._io, self, self._root)
            self.record_id = DerbyBody.Cint(self._io, self, self._root)
            self.undo = DerbyBody.IndexUndoOrNothing(self._io, self, self._root)
            self.slot = DerbyBody.Cint(self._io, self, self._root)
            self.column = DerbyBody.Cint(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.segment._fetch_instances()
            self.container._fetch_instances()
            self.page._fetch_instances()
            self.page_version._fetch_instances()
            self.record_id._fetch_instances()
            self.undo._fetch_instances()
            self.slot._fetch_instances()
            self.column._fetch_instances()


    class Utf(KaitaiStruct):
        """Text in modified UTF-8."""
        def __init__(self, _io, _parent=None, _root=None):
            super(DerbyBody.Utf, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.size = self._io.read_u2be()
            self.text = self._io.read_bytes(self.size)


        def _fetch_instances(self):
            pass
