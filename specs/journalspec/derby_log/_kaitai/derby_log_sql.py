# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class DerbyLogSql(KaitaiStruct):
    """The bytes of a field by the type of its column, and the stored forms of the descriptions of the catalogue and of heaps. The sequence is: The only field of the first row on a heap's first page. It shows the types of the columns without the catalogue.
    
    .. seealso::
       Apache Derby, trunk of August 2019 (4253dcf4): org.apache.derby.iapi.types (SQLChar, SQLClob, SQLDecimal, SQLBinary, SQLDate, SQLTime, SQLTimestamp, XML), org.apache.derby.catalog.types.TypeDescriptorImpl, org.apache.derby.impl.store.access.heap.Heap, ...btree.index.B2I; seen in databases of 10.1 to 10.16
    """
    def __init__(self, _io, _parent=None, _root=None):
        super(DerbyLogSql, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._read()

    def _read(self):
        self.format = self._io.read_u2be()
        self.segment = self._io.read_s4be()
        self.container = self._io.read_s8be()
        self.number = self._io.read_s4be()
        if not self.number >= 0:
            raise kaitaistruct.ValidationLessThanError(0, self.number, self._io, u"/seq/3")
        if self.number >= 0:
            pass
            self.columns = []
            for i in range(self.number):
                self.columns.append(self._io.read_u2be())


        if self.format == 467:
            pass
            self.collations = DerbyLogSql.Collations(self._io, self, self._root)



    def _fetch_instances(self):
        pass
        if self.number >= 0:
            pass
            for i in range(len(self.columns)):
                pass


        if self.format == 467:
            pass
            self.collations._fetch_instances()


    class Bigint(KaitaiStruct):
        """A BIGINT.
        
        .. seealso::
           Apache Derby, trunk of August 2019 (4253dcf4): org.apache.derby.iapi.types (SQLChar, SQLClob, SQLDecimal, SQLBinary, SQLDate, SQLTime, SQLTimestamp, XML), org.apache.derby.catalog.types.TypeDescriptorImpl, org.apache.derby.impl.store.access.heap.Heap, ...btree.index.B2I; seen in databases of 10.1 to 10.16
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(DerbyLogSql.Bigint, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.value = self._io.read_s8be()


        def _fetch_instances(self):
            pass


    class Binary(KaitaiStruct):
        """A BLOB, or CHAR, VARCHAR, LONG VARCHAR FOR BIT DATA.
        
        .. seealso::
           SQLBinary (writeLength, readBinaryLength)
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(DerbyLogSql.Binary, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.start = self._io.read_u1()
            if self.start == 160:
                pass
                self.wide = self._io.read_u2be()

            if self.start == 192:
                pass
                self.wider = self._io.read_s4be()
                if not self.wider >= 0:
                    raise kaitaistruct.ValidationLessThanError(0, self.wider, self._io, u"/types/binary/seq/2")

            if self.start < 128:
                pass
                self.bits = self._io.read_bytes(3)

            self.data = self._io.read_bytes_full()


        def _fetch_instances(self):
            pass
            if self.start == 160:
                pass

            if self.start == 192:
                pass

            if self.start < 128:
                pass



    class Characters(KaitaiStruct):
        """A CHAR, VARCHAR or LONG VARCHAR, and a CLOB before 10.5. A CHAR is padded with spaces to its length.
        
        .. seealso::
           SQLChar (writeExternal, readExternal)
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(DerbyLogSql.Characters, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.length = self._io.read_u2be()
            if self.length != 0:
                pass
                self.value = self._io.read_bytes(self.length)

            if self.length == 0:
                pass
                self.unmeasured = self._io.read_bytes_full()



        def _fetch_instances(self):
            pass
            if self.length != 0:
                pass

            if self.length == 0:
                pass



    class Cint(KaitaiStruct):
        """A compressed int; the first two bits give its length.
        
        .. seealso::
           Apache Derby, trunk of August 2019 (4253dcf4): org.apache.derby.iapi.types (SQLChar, SQLClob, SQLDecimal, SQLBinary, SQLDate, SQLTime, SQLTimestamp, XML), org.apache.derby.catalog.types.TypeDescriptorImpl, org.apache.derby.impl.store.access.heap.Heap, ...btree.index.B2I; seen in databases of 10.1 to 10.16
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(DerbyLogSql.Cint, self).__init__(_io)
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


    class Clob(KaitaiStruct):
        """A CLOB since 10.5.
        
        .. seealso::
           SQLClob, ClobStreamHeaderGenerator
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(DerbyLogSql.Clob, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.high = self._io.read_u2be()
            self.magic = self._io.read_u1()
            if not self.magic == 240:
                raise kaitaistruct.ValidationNotEqualError(240, self.magic, self._io, u"/types/clob/seq/1")
            self.low = self._io.read_u2be()
            self.value = self._io.read_bytes_full()


        def _fetch_instances(self):
            pass


    class Collation(KaitaiStruct):
        """One of these columns.
        
        .. seealso::
           Apache Derby, trunk of August 2019 (4253dcf4): org.apache.derby.iapi.types (SQLChar, SQLClob, SQLDecimal, SQLBinary, SQLDate, SQLTime, SQLTimestamp, XML), org.apache.derby.catalog.types.TypeDescriptorImpl, org.apache.derby.impl.store.access.heap.Heap, ...btree.index.B2I; seen in databases of 10.1 to 10.16
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(DerbyLogSql.Collation, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.column = DerbyLogSql.Cint(self._io, self, self._root)
            self.collation = DerbyLogSql.Cint(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.column._fetch_instances()
            self.collation._fetch_instances()


    class Collations(KaitaiStruct):
        """Columns with another collation than that of the database.
        
        .. seealso::
           Apache Derby, trunk of August 2019 (4253dcf4): org.apache.derby.iapi.types (SQLChar, SQLClob, SQLDecimal, SQLBinary, SQLDate, SQLTime, SQLTimestamp, XML), org.apache.derby.catalog.types.TypeDescriptorImpl, org.apache.derby.impl.store.access.heap.Heap, ...btree.index.B2I; seen in databases of 10.1 to 10.16
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(DerbyLogSql.Collations, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.number = DerbyLogSql.Cint(self._io, self, self._root)
            self.entries = []
            for i in range(self.number.amount):
                self.entries.append(DerbyLogSql.Collation(self._io, self, self._root))



        def _fetch_instances(self):
            pass
            self.number._fetch_instances()
            for i in range(len(self.entries)):
                pass
                self.entries[i]._fetch_instances()



    class Day(KaitaiStruct):
        """A DATE.
        
        .. seealso::
           SQLDate (writeExternal)
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(DerbyLogSql.Day, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.year = self._io.read_u2be()
            self.month = self._io.read_u1()
            self.day = self._io.read_u1()


        def _fetch_instances(self):
            pass


    class Decimal(KaitaiStruct):
        """A DECIMAL or NUMERIC.
        
        .. seealso::
           SQLDecimal (writeExternal)
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(DerbyLogSql.Decimal, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.scale = self._io.read_u1()
            self.length = self._io.read_u1()
            self.unscaled = self._io.read_bytes(self.length)


        def _fetch_instances(self):
            pass


    class Declared(KaitaiStruct):
        """The numeric attributes of a type.
        
        .. seealso::
           Apache Derby, trunk of August 2019 (4253dcf4): org.apache.derby.iapi.types (SQLChar, SQLClob, SQLDecimal, SQLBinary, SQLDate, SQLTime, SQLTimestamp, XML), org.apache.derby.catalog.types.TypeDescriptorImpl, org.apache.derby.impl.store.access.heap.Heap, ...btree.index.B2I; seen in databases of 10.1 to 10.16
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(DerbyLogSql.Declared, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.precision = self._io.read_s4be()
            self.scale = self._io.read_s4be()
            self.nullable = self._io.read_u1()
            self.width = self._io.read_s4be()


        def _fetch_instances(self):
            pass


    class DoublePrecision(KaitaiStruct):
        """A DOUBLE.
        
        .. seealso::
           Apache Derby, trunk of August 2019 (4253dcf4): org.apache.derby.iapi.types (SQLChar, SQLClob, SQLDecimal, SQLBinary, SQLDate, SQLTime, SQLTimestamp, XML), org.apache.derby.catalog.types.TypeDescriptorImpl, org.apache.derby.impl.store.access.heap.Heap, ...btree.index.B2I; seen in databases of 10.1 to 10.16
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(DerbyLogSql.DoublePrecision, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.value = self._io.read_f8be()


        def _fetch_instances(self):
            pass


    class JavaObject(KaitaiStruct):
        """A value of a user's type or of an internal type of the engine: its format and its content. A reader never creates a Java object from it, and reports only the class.
        
        .. seealso::
           FormatIdOutputStream (writeObject)
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(DerbyLogSql.JavaObject, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.format = self._io.read_u2be()
            if self.format == 1:
                pass
                self.value = DerbyLogSql.Utf(self._io, self, self._root)

            if self.format != 1:
                pass
                self.stream = self._io.read_bytes_full()



        def _fetch_instances(self):
            pass
            if self.format == 1:
                pass
                self.value._fetch_instances()

            if self.format != 1:
                pass



    class ObjectType(KaitaiStruct):
        """The type of objects. If the preceding name is a schema in quotes, the name of the type (utf) comes first. The class (utf) and the fields of the other types follow.
        
        .. seealso::
           Apache Derby, trunk of August 2019 (4253dcf4): org.apache.derby.iapi.types (SQLChar, SQLClob, SQLDecimal, SQLBinary, SQLDate, SQLTime, SQLTimestamp, XML), org.apache.derby.catalog.types.TypeDescriptorImpl, org.apache.derby.impl.store.access.heap.Heap, ...btree.index.B2I; seen in databases of 10.1 to 10.16
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(DerbyLogSql.ObjectType, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.names = self._io.read_bytes_full()


        def _fetch_instances(self):
            pass


    class Real(KaitaiStruct):
        """A REAL.
        
        .. seealso::
           Apache Derby, trunk of August 2019 (4253dcf4): org.apache.derby.iapi.types (SQLChar, SQLClob, SQLDecimal, SQLBinary, SQLDate, SQLTime, SQLTimestamp, XML), org.apache.derby.catalog.types.TypeDescriptorImpl, org.apache.derby.impl.store.access.heap.Heap, ...btree.index.B2I; seen in databases of 10.1 to 10.16
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(DerbyLogSql.Real, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.value = self._io.read_f4be()


        def _fetch_instances(self):
            pass


    class Smallint(KaitaiStruct):
        """A SMALLINT.
        
        .. seealso::
           Apache Derby, trunk of August 2019 (4253dcf4): org.apache.derby.iapi.types (SQLChar, SQLClob, SQLDecimal, SQLBinary, SQLDate, SQLTime, SQLTimestamp, XML), org.apache.derby.catalog.types.TypeDescriptorImpl, org.apache.derby.impl.store.access.heap.Heap, ...btree.index.B2I; seen in databases of 10.1 to 10.16
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(DerbyLogSql.Smallint, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.value = self._io.read_s2be()


        def _fetch_instances(self):
            pass


    class TimeOfDay(KaitaiStruct):
        """A TIME.
        
        .. seealso::
           SQLTime (writeExternal)
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(DerbyLogSql.TimeOfDay, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.unused = self._io.read_u1()
            self.hour = self._io.read_u1()
            self.minute = self._io.read_u1()
            self.second = self._io.read_u1()
            self.fraction = self._io.read_s4be()


        def _fetch_instances(self):
            pass


    class Timestamp(KaitaiStruct):
        """A TIMESTAMP.
        
        .. seealso::
           SQLTimestamp (writeExternal)
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(DerbyLogSql.Timestamp, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.year = self._io.read_u2be()
            self.month = self._io.read_u1()
            self.day = self._io.read_u1()
            self.unused = self._io.read_u1()
            self.hour = self._io.read_u1()
            self.minute = self._io.read_u1()
            self.second = self._io.read_u1()
            self.nanoseconds = self._io.read_s4be()


        def _fetch_instances(self):
            pass


    class Tinyint(KaitaiStruct):
        """A TINYINT: not a type of SQL, but old databases contain it.
        
        .. seealso::
           Apache Derby, trunk of August 2019 (4253dcf4): org.apache.derby.iapi.types (SQLChar, SQLClob, SQLDecimal, SQLBinary, SQLDate, SQLTime, SQLTimestamp, XML), org.apache.derby.catalog.types.TypeDescriptorImpl, org.apache.derby.impl.store.access.heap.Heap, ...btree.index.B2I; seen in databases of 10.1 to 10.16
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(DerbyLogSql.Tinyint, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.value = self._io.read_s1()


        def _fetch_instances(self):
            pass


    class Truth(KaitaiStruct):
        """A BOOLEAN.
        
        .. seealso::
           Apache Derby, trunk of August 2019 (4253dcf4): org.apache.derby.iapi.types (SQLChar, SQLClob, SQLDecimal, SQLBinary, SQLDate, SQLTime, SQLTimestamp, XML), org.apache.derby.catalog.types.TypeDescriptorImpl, org.apache.derby.impl.store.access.heap.Heap, ...btree.index.B2I; seen in databases of 10.1 to 10.16
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(DerbyLogSql.Truth, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.value = self._io.read_u1()


        def _fetch_instances(self):
            pass


    class TypeDescriptor(KaitaiStruct):
        """A COLUMNDATATYPE of SYS.SYSCOLUMNS: the declared type of a column.
        
        .. seealso::
           TypeDescriptorImpl, BaseTypeIdImpl, UserDefinedTypeIdImpl, DecimalTypeIdImpl (writeExternal)
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(DerbyLogSql.TypeDescriptor, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.format = self._io.read_u2be()
            if not self.format == 14:
                raise kaitaistruct.ValidationNotEqualError(14, self.format, self._io, u"/types/type_descriptor/seq/0")
            self.kind = self._io.read_u2be()
            if self.kind == 198:
                pass
                self.numeric = self._io.read_u1()

            self.name = DerbyLogSql.Utf(self._io, self, self._root)
            _on = self.kind
            if _on == 264:
                pass
                self.declared = DerbyLogSql.ObjectType(self._io, self, self._root)
            else:
                pass
                self.declared = DerbyLogSql.Declared(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            if self.kind == 198:
                pass

            self.name._fetch_instances()
            _on = self.kind
            if _on == 264:
                pass
                self.declared._fetch_instances()
            else:
                pass
                self.declared._fetch_instances()


    class Utf(KaitaiStruct):
        """A text with its length in bytes.
        
        .. seealso::
           Apache Derby, trunk of August 2019 (4253dcf4): org.apache.derby.iapi.types (SQLChar, SQLClob, SQLDecimal, SQLBinary, SQLDate, SQLTime, SQLTimestamp, XML), org.apache.derby.catalog.types.TypeDescriptorImpl, org.apache.derby.impl.store.access.heap.Heap, ...btree.index.B2I; seen in databases of 10.1 to 10.16
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(DerbyLogSql.Utf, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.length = self._io.read_u2be()
            self.value = self._io.read_bytes(self.length)


        def _fetch_instances(self):
            pass


    class Whole(KaitaiStruct):
        """An INTEGER.
        
        .. seealso::
           Apache Derby, trunk of August 2019 (4253dcf4): org.apache.derby.iapi.types (SQLChar, SQLClob, SQLDecimal, SQLBinary, SQLDate, SQLTime, SQLTimestamp, XML), org.apache.derby.catalog.types.TypeDescriptorImpl, org.apache.derby.impl.store.access.heap.Heap, ...btree.index.B2I; seen in databases of 10.1 to 10.16
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(DerbyLogSql.Whole, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.value = self._io.read_s4be()


        def _fetch_instances(self):
            pass


    class Xml(KaitaiStruct):
        """An XML: its text.
        
        .. seealso::
           XML (writeExternal)
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(DerbyLogSql.Xml, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.implementation = self._io.read_u2be()
            self.value = DerbyLogSql.Characters(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.value._fetch_instances()
