# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class DerbyLogRow(KaitaiStruct):
    """A row or a part of a row, as stored on a page and in the data of a log record. The sequence is: A row. If a row continues elsewhere, this is its first part. If it has the number of its first column, it is a later part, or was the first row of its page.
    
    .. seealso::
       Apache Derby, trunk of August 2019 (4253dcf4): org.apache.derby.impl.store.raw.data StoredRecordHeader, StoredFieldHeader, OverflowInfo; the same bytes from 10.1 to 10.16
    """
    def __init__(self, _io, _parent=None, _root=None):
        super(DerbyLogRow, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._read()

    def _read(self):
        self.status = self._io.read_u1()
        if not self.status <= 7:
            raise kaitaistruct.ValidationGreaterThanError(7, self.status, self._io, u"/seq/0")
        self.record_id = DerbyLogRow.Cint(self._io, self, self._root)
        if self.status & 2 != 0:
            pass
            self.rest = DerbyLogRow.Pointer(self._io, self, self._root)

        if self.status & 4 != 0:
            pass
            self.first = DerbyLogRow.Cint(self._io, self, self._root)

        _on = self.status
        if _on == 2:
            pass
            self.columns = DerbyLogRow.Perhaps(self._io, self, self._root)
        elif _on == 3:
            pass
            self.columns = DerbyLogRow.Perhaps(self._io, self, self._root)
        else:
            pass
            self.columns = DerbyLogRow.Present(self._io, self, self._root)


    def _fetch_instances(self):
        pass
        self.record_id._fetch_instances()
        if self.status & 2 != 0:
            pass
            self.rest._fetch_instances()

        if self.status & 4 != 0:
            pass
            self.first._fetch_instances()

        _on = self.status
        if _on == 2:
            pass
            self.columns._fetch_instances()
        elif _on == 3:
            pass
            self.columns._fetch_instances()
        else:
            pass
            self.columns._fetch_instances()

    class Cint(KaitaiStruct):
        """A compressed int; the first two bits give its length.
        
        .. seealso::
           Apache Derby, trunk of August 2019 (4253dcf4): org.apache.derby.impl.store.raw.data StoredRecordHeader, StoredFieldHeader, OverflowInfo; the same bytes from 10.1 to 10.16
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(DerbyLogRow.Cint, self).__init__(_io)
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
        def amount(self):
            """The number."""
            if hasattr(self, '_m_amount'):
                return self._m_amount

            self._m_amount = (self.first if self.first < 64 else (((self.first & 63) * 256 + self.second) if self.first < 128 else (((self.first & 127) * 16777216 + self.second * 65536) + self.third)))
            return getattr(self, '_m_amount', None)


    class Clong(KaitaiStruct):
        """A compressed long; the first two bits give its length.
        
        .. seealso::
           Apache Derby, trunk of August 2019 (4253dcf4): org.apache.derby.impl.store.raw.data StoredRecordHeader, StoredFieldHeader, OverflowInfo; the same bytes from 10.1 to 10.16
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(DerbyLogRow.Clong, self).__init__(_io)
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
            """The number without its last 32 bits."""
            if hasattr(self, '_m_high'):
                return self._m_high

            self._m_high = ((self.first * 0) if self.first < 32768 else ((self.first & 32767) * 65536 + self.second))
            return getattr(self, '_m_high', None)

        @property
        def low(self):
            """The last 32 bits of the number."""
            if hasattr(self, '_m_low'):
                return self._m_low

            self._m_low = (self.first if self.first < 16384 else (((self.first & 16383) * 65536 + self.second) if self.first < 32768 else self.third))
            return getattr(self, '_m_low', None)


    class Field(KaitaiStruct):
        """One column. In a part of a long value, the first column contains its bytes, the second the location of the next part.
        
        .. seealso::
           StoredFieldHeader (write, readFieldDataLength)
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(DerbyLogRow.Field, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.status = self._io.read_u1()
            _on = self.status
            if _on == 0:
                pass
                self.content = DerbyLogRow.Value(self._io, self, self._root)
            elif _on == 1:
                pass
                self.content = DerbyLogRow.Nothing(self._io, self, self._root)
            elif _on == 2:
                pass
                self.content = DerbyLogRow.Value(self._io, self, self._root)
            elif _on == 32:
                pass
                self.content = DerbyLogRow.Fixed(self._io, self, self._root)
            elif _on == 33:
                pass
                self.content = DerbyLogRow.Nothing(self._io, self, self._root)
            elif _on == 34:
                pass
                self.content = DerbyLogRow.Fixed(self._io, self, self._root)
            elif _on == 36:
                pass
                self.content = DerbyLogRow.Fixed(self._io, self, self._root)
            elif _on == 37:
                pass
                self.content = DerbyLogRow.Nothing(self._io, self, self._root)
            elif _on == 4:
                pass
                self.content = DerbyLogRow.Value(self._io, self, self._root)
            elif _on == 5:
                pass
                self.content = DerbyLogRow.Nothing(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            _on = self.status
            if _on == 0:
                pass
                self.content._fetch_instances()
            elif _on == 1:
                pass
                self.content._fetch_instances()
            elif _on == 2:
                pass
                self.content._fetch_instances()
            elif _on == 32:
                pass
                self.content._fetch_instances()
            elif _on == 33:
                pass
                self.content._fetch_instances()
            elif _on == 34:
                pass
                self.content._fetch_instances()
            elif _on == 36:
                pass
                self.content._fetch_instances()
            elif _on == 37:
                pass
                self.content._fetch_instances()
            elif _on == 4:
                pass
                self.content._fetch_instances()
            elif _on == 5:
                pass
                self.content._fetch_instances()


    class Fixed(KaitaiStruct):
        """A value with a length of two bytes.
        
        .. seealso::
           Apache Derby, trunk of August 2019 (4253dcf4): org.apache.derby.impl.store.raw.data StoredRecordHeader, StoredFieldHeader, OverflowInfo; the same bytes from 10.1 to 10.16
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(DerbyLogRow.Fixed, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.length = self._io.read_u2be()
            self.data = self._io.read_bytes(self.length)


        def _fetch_instances(self):
            pass


    class Nothing(KaitaiStruct):
        """No bytes.
        
        .. seealso::
           Apache Derby, trunk of August 2019 (4253dcf4): org.apache.derby.impl.store.raw.data StoredRecordHeader, StoredFieldHeader, OverflowInfo; the same bytes from 10.1 to 10.16
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(DerbyLogRow.Nothing, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            pass


        def _fetch_instances(self):
            pass


    class Perhaps(KaitaiStruct):
        """The columns of the part. A part that only refers to the next part has no columns; no open-source release of Derby writes such a part.
        
        .. seealso::
           Apache Derby, trunk of August 2019 (4253dcf4): org.apache.derby.impl.store.raw.data StoredRecordHeader, StoredFieldHeader, OverflowInfo; the same bytes from 10.1 to 10.16
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(DerbyLogRow.Perhaps, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            if (not (self._io.is_eof())):
                pass
                self.columns = DerbyLogRow.Present(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            if (not (self._io.is_eof())):
                pass
                self.columns._fetch_instances()



    class Pointer(KaitaiStruct):
        """The location at which a row continues, or a long value begins or continues.
        
        .. seealso::
           OverflowInfo; StoredPage (logOverflowField)
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(DerbyLogRow.Pointer, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.page = DerbyLogRow.Clong(self._io, self, self._root)
            self.record_id = DerbyLogRow.Cint(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.page._fetch_instances()
            self.record_id._fetch_instances()


    class Present(KaitaiStruct):
        """The columns in this part.
        
        .. seealso::
           Apache Derby, trunk of August 2019 (4253dcf4): org.apache.derby.impl.store.raw.data StoredRecordHeader, StoredFieldHeader, OverflowInfo; the same bytes from 10.1 to 10.16
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(DerbyLogRow.Present, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.number = DerbyLogRow.Cint(self._io, self, self._root)
            self.fields = []
            for i in range(self.number.amount):
                self.fields.append(DerbyLogRow.Field(self._io, self, self._root))



        def _fetch_instances(self):
            pass
            self.number._fetch_instances()
            for i in range(len(self.fields)):
                pass
                self.fields[i]._fetch_instances()



    class Value(KaitaiStruct):
        """A value with a compressed length.
        
        .. seealso::
           Apache Derby, trunk of August 2019 (4253dcf4): org.apache.derby.impl.store.raw.data StoredRecordHeader, StoredFieldHeader, OverflowInfo; the same bytes from 10.1 to 10.16
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(DerbyLogRow.Value, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.length = DerbyLogRow.Cint(self._io, self, self._root)
            self.data = self._io.read_bytes(self.length.amount)


        def _fetch_instances(self):
            pass
            self.length._fetch_instances()
