# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class JbossJournalBindings(KaitaiStruct):
    """Bodies of records of a bindings journal, by user type. New versions append fields: fields at the end may be missing, and unknown bytes may follow. The sequence is: A queue (21): the id of the record is the id of the queue.
    
    .. seealso::
       HornetQ 2.2.14, 2.3.25, 2.4.9 and Artemis 1.0.0 to 2.56.0: PersistentQueueBindingEncoding, PersistentAddressBindingEncoding, PersistedSecuritySetting, PersistedDivertConfiguration and others of persistence.config; read at their tags, and tried on stores of HornetQ 2.4.9, Artemis 1.5.6 and 2.44.0
    """
    def __init__(self, _io, _parent=None, _root=None):
        super(JbossJournalBindings, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._read()

    def _read(self):
        self.name = JbossJournalBindings.SimpleString(self._io, self, self._root)
        self.address = JbossJournalBindings.SimpleString(self._io, self, self._root)
        self.filter = JbossJournalBindings.OptionalString(self._io, self, self._root)
        if (not (self._io.is_eof())):
            pass
            self.metadata = JbossJournalBindings.OptionalString(self._io, self, self._root)

        if (not (self._io.is_eof())):
            pass
            self.auto_created = self._io.read_u1()

        if (not (self._io.is_eof())):
            pass
            self.max_consumers = self._io.read_s4be()

        if (not (self._io.is_eof())):
            pass
            self.purge_on_no_consumers = self._io.read_u1()

        if (not (self._io.is_eof())):
            pass
            self.routing_type = self._io.read_s1()

        if (not (self._io.is_eof())):
            pass
            self.exclusive = self._io.read_u1()

        if (not (self._io.is_eof())):
            pass
            self.last_value = self._io.read_u1()

        if (not (self._io.is_eof())):
            pass
            self.configuration_managed = self._io.read_u1()

        if (not (self._io.is_eof())):
            pass
            self.consumers_before_dispatch = self._io.read_s4be()

        if (not (self._io.is_eof())):
            pass
            self.delay_before_dispatch = self._io.read_s8be()

        if (not (self._io.is_eof())):
            pass
            self.last_value_key = JbossJournalBindings.OptionalString(self._io, self, self._root)

        if (not (self._io.is_eof())):
            pass
            self.non_destructive = self._io.read_u1()

        if (not (self._io.is_eof())):
            pass
            self.group_rebalance = self._io.read_u1()

        if (not (self._io.is_eof())):
            pass
            self.group_buckets = self._io.read_s4be()

        if (not (self._io.is_eof())):
            pass
            self.auto_delete = self._io.read_u1()

        if (not (self._io.is_eof())):
            pass
            self.auto_delete_delay = self._io.read_s8be()

        if (not (self._io.is_eof())):
            pass
            self.auto_delete_message_count = self._io.read_s8be()

        if (not (self._io.is_eof())):
            pass
            self.group_first_key = JbossJournalBindings.OptionalString(self._io, self, self._root)

        if (not (self._io.is_eof())):
            pass
            self.ring_size = self._io.read_s8be()

        if (not (self._io.is_eof())):
            pass
            self.enabled = self._io.read_u1()

        if (not (self._io.is_eof())):
            pass
            self.group_rebalance_pause_dispatch = self._io.read_u1()

        if (not (self._io.is_eof())):
            pass
            self.internal = self._io.read_u1()

        if (not (self._io.is_eof())):
            pass
            self.more = self._io.read_bytes_full()



    def _fetch_instances(self):
        pass
        self.name._fetch_instances()
        self.address._fetch_instances()
        self.filter._fetch_instances()
        if (not (self._io.is_eof())):
            pass
            self.metadata._fetch_instances()

        if (not (self._io.is_eof())):
            pass

        if (not (self._io.is_eof())):
            pass

        if (not (self._io.is_eof())):
            pass

        if (not (self._io.is_eof())):
            pass

        if (not (self._io.is_eof())):
            pass

        if (not (self._io.is_eof())):
            pass

        if (not (self._io.is_eof())):
            pass

        if (not (self._io.is_eof())):
            pass

        if (not (self._io.is_eof())):
            pass

        if (not (self._io.is_eof())):
            pass
            self.last_value_key._fetch_instances()

        if (not (self._io.is_eof())):
            pass

        if (not (self._io.is_eof())):
            pass

        if (not (self._io.is_eof())):
            pass

        if (not (self._io.is_eof())):
            pass

        if (not (self._io.is_eof())):
            pass

        if (not (self._io.is_eof())):
            pass

        if (not (self._io.is_eof())):
            pass
            self.group_first_key._fetch_instances()

        if (not (self._io.is_eof())):
            pass

        if (not (self._io.is_eof())):
            pass

        if (not (self._io.is_eof())):
            pass

        if (not (self._io.is_eof())):
            pass

        if (not (self._io.is_eof())):
            pass


    class Address(KaitaiStruct):
        """An address (44, Artemis 2): the id of the record is the id of the address.
        
        .. seealso::
           HornetQ 2.2.14, 2.3.25, 2.4.9 and Artemis 1.0.0 to 2.56.0: PersistentQueueBindingEncoding, PersistentAddressBindingEncoding, PersistedSecuritySetting, PersistedDivertConfiguration and others of persistence.config; read at their tags, and tried on stores of HornetQ 2.4.9, Artemis 1.5.6 and 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalBindings.Address, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.name = JbossJournalBindings.SimpleString(self._io, self, self._root)
            self.number = self._io.read_s4be()
            if self.number >= 0:
                pass
                self.routing_types = []
                for i in range(self.number):
                    self.routing_types.append(JbossJournalBindings.Routing(self._io, self, self._root))


            self.auto_created = self._io.read_u1()
            if (not (self._io.is_eof())):
                pass
                self.internal = self._io.read_u1()

            if (not (self._io.is_eof())):
                pass
                self.more = self._io.read_bytes_full()



        def _fetch_instances(self):
            pass
            self.name._fetch_instances()
            if self.number >= 0:
                pass
                for i in range(len(self.routing_types)):
                    pass
                    self.routing_types[i]._fetch_instances()


            if (not (self._io.is_eof())):
                pass

            if (not (self._io.is_eof())):
                pass



    class Connector(KaitaiStruct):
        """A connector (51, Artemis 2.29).
        
        .. seealso::
           HornetQ 2.2.14, 2.3.25, 2.4.9 and Artemis 1.0.0 to 2.56.0: PersistentQueueBindingEncoding, PersistentAddressBindingEncoding, PersistedSecuritySetting, PersistedDivertConfiguration and others of persistence.config; read at their tags, and tried on stores of HornetQ 2.4.9, Artemis 1.5.6 and 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalBindings.Connector, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.name = JbossJournalBindings.LongString(self._io, self, self._root)
            self.url = JbossJournalBindings.LongString(self._io, self, self._root)
            if (not (self._io.is_eof())):
                pass
                self.more = self._io.read_bytes_full()



        def _fetch_instances(self):
            pass
            self.name._fetch_instances()
            self.url._fetch_instances()
            if (not (self._io.is_eof())):
                pass



    class Divert(KaitaiStruct):
        """A divert (27, Artemis 2.16).
        
        .. seealso::
           HornetQ 2.2.14, 2.3.25, 2.4.9 and Artemis 1.0.0 to 2.56.0: PersistentQueueBindingEncoding, PersistentAddressBindingEncoding, PersistedSecuritySetting, PersistedDivertConfiguration and others of persistence.config; read at their tags, and tried on stores of HornetQ 2.4.9, Artemis 1.5.6 and 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalBindings.Divert, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.name = JbossJournalBindings.OptionalLongString(self._io, self, self._root)
            self.address = JbossJournalBindings.OptionalLongString(self._io, self, self._root)
            self.forwarding_address = JbossJournalBindings.OptionalLongString(self._io, self, self._root)
            self.routing_name = JbossJournalBindings.OptionalLongString(self._io, self, self._root)
            self.exclusive = self._io.read_u1()
            self.filter = JbossJournalBindings.OptionalLongString(self._io, self, self._root)
            self.routing_type = self._io.read_u1()
            if (not (self._io.is_eof())):
                pass
                self.transformer = JbossJournalBindings.Transformer(self._io, self, self._root)

            if (not (self._io.is_eof())):
                pass
                self.more = self._io.read_bytes_full()



        def _fetch_instances(self):
            pass
            self.name._fetch_instances()
            self.address._fetch_instances()
            self.forwarding_address._fetch_instances()
            self.routing_name._fetch_instances()
            self.filter._fetch_instances()
            if (not (self._io.is_eof())):
                pass
                self.transformer._fetch_instances()

            if (not (self._io.is_eof())):
                pass



    class Grouping(KaitaiStruct):
        """A group of messages and the node that it belongs to (20).
        
        .. seealso::
           HornetQ 2.2.14, 2.3.25, 2.4.9 and Artemis 1.0.0 to 2.56.0: PersistentQueueBindingEncoding, PersistentAddressBindingEncoding, PersistedSecuritySetting, PersistedDivertConfiguration and others of persistence.config; read at their tags, and tried on stores of HornetQ 2.4.9, Artemis 1.5.6 and 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalBindings.Grouping, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.group = JbossJournalBindings.SimpleString(self._io, self, self._root)
            self.cluster = JbossJournalBindings.SimpleString(self._io, self, self._root)
            if (not (self._io.is_eof())):
                pass
                self.more = self._io.read_bytes_full()



        def _fetch_instances(self):
            pass
            self.group._fetch_instances()
            self.cluster._fetch_instances()
            if (not (self._io.is_eof())):
                pass



    class IdCounter(KaitaiStruct):
        """The id at which ids continue after a start (24). A running broker has reserved the ids below it; a stopped broker has used them.
        
        .. seealso::
           HornetQ 2.2.14, 2.3.25, 2.4.9 and Artemis 1.0.0 to 2.56.0: PersistentQueueBindingEncoding, PersistentAddressBindingEncoding, PersistedSecuritySetting, PersistedDivertConfiguration and others of persistence.config; read at their tags, and tried on stores of HornetQ 2.4.9, Artemis 1.5.6 and 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalBindings.IdCounter, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.ident = self._io.read_s8be()
            if (not (self._io.is_eof())):
                pass
                self.more = self._io.read_bytes_full()



        def _fetch_instances(self):
            pass
            if (not (self._io.is_eof())):
                pass



    class KeyValue(KaitaiStruct):
        """A value that a component of the broker stores (50, Artemis 2.23).
        
        .. seealso::
           HornetQ 2.2.14, 2.3.25, 2.4.9 and Artemis 1.0.0 to 2.56.0: PersistentQueueBindingEncoding, PersistentAddressBindingEncoding, PersistedSecuritySetting, PersistedDivertConfiguration and others of persistence.config; read at their tags, and tried on stores of HornetQ 2.4.9, Artemis 1.5.6 and 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalBindings.KeyValue, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.map = JbossJournalBindings.LongString(self._io, self, self._root)
            self.key = JbossJournalBindings.LongString(self._io, self, self._root)
            self.value = JbossJournalBindings.LongString(self._io, self, self._root)
            if (not (self._io.is_eof())):
                pass
                self.more = self._io.read_bytes_full()



        def _fetch_instances(self):
            pass
            self.map._fetch_instances()
            self.key._fetch_instances()
            self.value._fetch_instances()
            if (not (self._io.is_eof())):
                pass



    class LongString(KaitaiStruct):
        """A text (String) in one of three forms, by its number of characters.
        
        .. seealso::
           HornetQ 2.2.14, 2.3.25, 2.4.9 and Artemis 1.0.0 to 2.56.0: PersistentQueueBindingEncoding, PersistentAddressBindingEncoding, PersistedSecuritySetting, PersistedDivertConfiguration and others of persistence.config; read at their tags, and tried on stores of HornetQ 2.4.9, Artemis 1.5.6 and 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalBindings.LongString, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.length = self._io.read_s4be()
            if not self.length >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.length, self._io, u"/types/long_string/seq/0")
            if  ((self.length < 9) and (self.length * 2 >= 0)) :
                pass
                self.units = self._io.read_bytes(self.length * 2)

            if  ((self.length >= 9) and (self.length <= 4094)) :
                pass
                self.utf = JbossJournalBindings.Utf(self._io, self, self._root)

            if self.length >= 4095:
                pass
                self.wide = JbossJournalBindings.SimpleString(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            if  ((self.length < 9) and (self.length * 2 >= 0)) :
                pass

            if  ((self.length >= 9) and (self.length <= 4094)) :
                pass
                self.utf._fetch_instances()

            if self.length >= 4095:
                pass
                self.wide._fetch_instances()



    class OptionalLongString(KaitaiStruct):
        """A text (String) that may be missing.
        
        .. seealso::
           HornetQ 2.2.14, 2.3.25, 2.4.9 and Artemis 1.0.0 to 2.56.0: PersistentQueueBindingEncoding, PersistentAddressBindingEncoding, PersistedSecuritySetting, PersistedDivertConfiguration and others of persistence.config; read at their tags, and tried on stores of HornetQ 2.4.9, Artemis 1.5.6 and 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalBindings.OptionalLongString, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.present = self._io.read_u1()
            if self.present != 0:
                pass
                self.string = JbossJournalBindings.LongString(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            if self.present != 0:
                pass
                self.string._fetch_instances()



    class OptionalString(KaitaiStruct):
        """A text that may be missing.
        
        .. seealso::
           HornetQ 2.2.14, 2.3.25, 2.4.9 and Artemis 1.0.0 to 2.56.0: PersistentQueueBindingEncoding, PersistentAddressBindingEncoding, PersistedSecuritySetting, PersistedDivertConfiguration and others of persistence.config; read at their tags, and tried on stores of HornetQ 2.4.9, Artemis 1.5.6 and 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalBindings.OptionalString, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.present = self._io.read_u1()
            if self.present != 0:
                pass
                self.string = JbossJournalBindings.SimpleString(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            if self.present != 0:
                pass
                self.string._fetch_instances()



    class Pair(KaitaiStruct):
        """A property of a transformer.
        
        .. seealso::
           HornetQ 2.2.14, 2.3.25, 2.4.9 and Artemis 1.0.0 to 2.56.0: PersistentQueueBindingEncoding, PersistentAddressBindingEncoding, PersistedSecuritySetting, PersistedDivertConfiguration and others of persistence.config; read at their tags, and tried on stores of HornetQ 2.4.9, Artemis 1.5.6 and 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalBindings.Pair, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.key = JbossJournalBindings.OptionalLongString(self._io, self, self._root)
            self.value = JbossJournalBindings.OptionalLongString(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.key._fetch_instances()
            self.value._fetch_instances()


    class Role(KaitaiStruct):
        """Roles of a user (48, Artemis 2.16).
        
        .. seealso::
           HornetQ 2.2.14, 2.3.25, 2.4.9 and Artemis 1.0.0 to 2.56.0: PersistentQueueBindingEncoding, PersistentAddressBindingEncoding, PersistedSecuritySetting, PersistedDivertConfiguration and others of persistence.config; read at their tags, and tried on stores of HornetQ 2.4.9, Artemis 1.5.6 and 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalBindings.Role, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.user = JbossJournalBindings.LongString(self._io, self, self._root)
            self.number = self._io.read_s4be()
            if self.number >= 0:
                pass
                self.roles = []
                for i in range(self.number):
                    self.roles.append(JbossJournalBindings.LongString(self._io, self, self._root))


            if (not (self._io.is_eof())):
                pass
                self.more = self._io.read_bytes_full()



        def _fetch_instances(self):
            pass
            self.user._fetch_instances()
            if self.number >= 0:
                pass
                for i in range(len(self.roles)):
                    pass
                    self.roles[i]._fetch_instances()


            if (not (self._io.is_eof())):
                pass



    class Routing(KaitaiStruct):
        """How messages of an address are routed.
        
        .. seealso::
           HornetQ 2.2.14, 2.3.25, 2.4.9 and Artemis 1.0.0 to 2.56.0: PersistentQueueBindingEncoding, PersistentAddressBindingEncoding, PersistedSecuritySetting, PersistedDivertConfiguration and others of persistence.config; read at their tags, and tried on stores of HornetQ 2.4.9, Artemis 1.5.6 and 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalBindings.Routing, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.kind = self._io.read_s1()


        def _fetch_instances(self):
            pass


    class Security(KaitaiStruct):
        """The roles that have permissions for addresses (26), as lists with commas.
        
        .. seealso::
           HornetQ 2.2.14, 2.3.25, 2.4.9 and Artemis 1.0.0 to 2.56.0: PersistentQueueBindingEncoding, PersistentAddressBindingEncoding, PersistedSecuritySetting, PersistedDivertConfiguration and others of persistence.config; read at their tags, and tried on stores of HornetQ 2.4.9, Artemis 1.5.6 and 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalBindings.Security, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.addresses = JbossJournalBindings.SimpleString(self._io, self, self._root)
            if (not (self._io.is_eof())):
                pass
                self.send = JbossJournalBindings.OptionalString(self._io, self, self._root)

            if (not (self._io.is_eof())):
                pass
                self.consume = JbossJournalBindings.OptionalString(self._io, self, self._root)

            if (not (self._io.is_eof())):
                pass
                self.create_durable = JbossJournalBindings.OptionalString(self._io, self, self._root)

            if (not (self._io.is_eof())):
                pass
                self.delete_durable = JbossJournalBindings.OptionalString(self._io, self, self._root)

            if (not (self._io.is_eof())):
                pass
                self.create_non_durable = JbossJournalBindings.OptionalString(self._io, self, self._root)

            if (not (self._io.is_eof())):
                pass
                self.delete_non_durable = JbossJournalBindings.OptionalString(self._io, self, self._root)

            if (not (self._io.is_eof())):
                pass
                self.manage = JbossJournalBindings.OptionalString(self._io, self, self._root)

            if (not (self._io.is_eof())):
                pass
                self.browse = JbossJournalBindings.OptionalString(self._io, self, self._root)

            if (not (self._io.is_eof())):
                pass
                self.create_address = JbossJournalBindings.OptionalString(self._io, self, self._root)

            if (not (self._io.is_eof())):
                pass
                self.delete_address = JbossJournalBindings.OptionalString(self._io, self, self._root)

            if (not (self._io.is_eof())):
                pass
                self.view = JbossJournalBindings.OptionalString(self._io, self, self._root)

            if (not (self._io.is_eof())):
                pass
                self.edit = JbossJournalBindings.OptionalString(self._io, self, self._root)

            if (not (self._io.is_eof())):
                pass
                self.more = self._io.read_bytes_full()



        def _fetch_instances(self):
            pass
            self.addresses._fetch_instances()
            if (not (self._io.is_eof())):
                pass
                self.send._fetch_instances()

            if (not (self._io.is_eof())):
                pass
                self.consume._fetch_instances()

            if (not (self._io.is_eof())):
                pass
                self.create_durable._fetch_instances()

            if (not (self._io.is_eof())):
                pass
                self.delete_durable._fetch_instances()

            if (not (self._io.is_eof())):
                pass
                self.create_non_durable._fetch_instances()

            if (not (self._io.is_eof())):
                pass
                self.delete_non_durable._fetch_instances()

            if (not (self._io.is_eof())):
                pass
                self.manage._fetch_instances()

            if (not (self._io.is_eof())):
                pass
                self.browse._fetch_instances()

            if (not (self._io.is_eof())):
                pass
                self.create_address._fetch_instances()

            if (not (self._io.is_eof())):
                pass
                self.delete_address._fetch_instances()

            if (not (self._io.is_eof())):
                pass
                self.view._fetch_instances()

            if (not (self._io.is_eof())):
                pass
                self.edit._fetch_instances()

            if (not (self._io.is_eof())):
                pass



    class Setting(KaitaiStruct):
        """Settings of addresses in binary form (25, up to Artemis 2.31): about 60 fields in a fixed order, which are not described here.
        
        .. seealso::
           HornetQ 2.2.14, 2.3.25, 2.4.9 and Artemis 1.0.0 to 2.56.0: PersistentQueueBindingEncoding, PersistentAddressBindingEncoding, PersistedSecuritySetting, PersistedDivertConfiguration and others of persistence.config; read at their tags, and tried on stores of HornetQ 2.4.9, Artemis 1.5.6 and 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalBindings.Setting, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.addresses = JbossJournalBindings.SimpleString(self._io, self, self._root)
            if (not (self._io.is_eof())):
                pass
                self.more = self._io.read_bytes_full()



        def _fetch_instances(self):
            pass
            self.addresses._fetch_instances()
            if (not (self._io.is_eof())):
                pass



    class SettingJson(KaitaiStruct):
        """Settings of addresses (52, Artemis 2.32).
        
        .. seealso::
           HornetQ 2.2.14, 2.3.25, 2.4.9 and Artemis 1.0.0 to 2.56.0: PersistentQueueBindingEncoding, PersistentAddressBindingEncoding, PersistedSecuritySetting, PersistedDivertConfiguration and others of persistence.config; read at their tags, and tried on stores of HornetQ 2.4.9, Artemis 1.5.6 and 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalBindings.SettingJson, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.addresses = JbossJournalBindings.SimpleString(self._io, self, self._root)
            self.json = JbossJournalBindings.SimpleString(self._io, self, self._root)
            if (not (self._io.is_eof())):
                pass
                self.more = self._io.read_bytes_full()



        def _fetch_instances(self):
            pass
            self.addresses._fetch_instances()
            self.json._fetch_instances()
            if (not (self._io.is_eof())):
                pass



    class SimpleString(KaitaiStruct):
        """A text (SimpleString): UTF-16, the low byte first, although all other fields have the high byte first.
        
        .. seealso::
           HornetQ 2.2.14, 2.3.25, 2.4.9 and Artemis 1.0.0 to 2.56.0: PersistentQueueBindingEncoding, PersistentAddressBindingEncoding, PersistedSecuritySetting, PersistedDivertConfiguration and others of persistence.config; read at their tags, and tried on stores of HornetQ 2.4.9, Artemis 1.5.6 and 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalBindings.SimpleString, self).__init__(_io)
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



    class Status(KaitaiStruct):
        """A queue (22) or an address (46) is paused or running.
        
        .. seealso::
           HornetQ 2.2.14, 2.3.25, 2.4.9 and Artemis 1.0.0 to 2.56.0: PersistentQueueBindingEncoding, PersistentAddressBindingEncoding, PersistedSecuritySetting, PersistedDivertConfiguration and others of persistence.config; read at their tags, and tried on stores of HornetQ 2.4.9, Artemis 1.5.6 and 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalBindings.Status, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.of = self._io.read_s8be()
            self.status = self._io.read_s2be()
            if (not (self._io.is_eof())):
                pass
                self.more = self._io.read_bytes_full()



        def _fetch_instances(self):
            pass
            if (not (self._io.is_eof())):
                pass



    class Transformer(KaitaiStruct):
        """The class that changes diverted messages.
        
        .. seealso::
           HornetQ 2.2.14, 2.3.25, 2.4.9 and Artemis 1.0.0 to 2.56.0: PersistentQueueBindingEncoding, PersistentAddressBindingEncoding, PersistedSecuritySetting, PersistedDivertConfiguration and others of persistence.config; read at their tags, and tried on stores of HornetQ 2.4.9, Artemis 1.5.6 and 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalBindings.Transformer, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.present = self._io.read_u1()
            if self.present != 0:
                pass
                self.name = JbossJournalBindings.LongString(self._io, self, self._root)

            if self.present != 0:
                pass
                self.number = self._io.read_s4be()

            if  ((self.present != 0) and (self.number >= 0)) :
                pass
                self.properties = []
                for i in range(self.number):
                    self.properties.append(JbossJournalBindings.Pair(self._io, self, self._root))




        def _fetch_instances(self):
            pass
            if self.present != 0:
                pass
                self.name._fetch_instances()

            if self.present != 0:
                pass

            if  ((self.present != 0) and (self.number >= 0)) :
                pass
                for i in range(len(self.properties)):
                    pass
                    self.properties[i]._fetch_instances()




    class User(KaitaiStruct):
        """A user (47, Artemis 2.16).
        
        .. seealso::
           HornetQ 2.2.14, 2.3.25, 2.4.9 and Artemis 1.0.0 to 2.56.0: PersistentQueueBindingEncoding, PersistentAddressBindingEncoding, PersistedSecuritySetting, PersistedDivertConfiguration and others of persistence.config; read at their tags, and tried on stores of HornetQ 2.4.9, Artemis 1.5.6 and 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalBindings.User, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.name = JbossJournalBindings.LongString(self._io, self, self._root)
            self.password = JbossJournalBindings.LongString(self._io, self, self._root)
            if (not (self._io.is_eof())):
                pass
                self.more = self._io.read_bytes_full()



        def _fetch_instances(self):
            pass
            self.name._fetch_instances()
            self.password._fetch_instances()
            if (not (self._io.is_eof())):
                pass



    class Utf(KaitaiStruct):
        """A text in modified UTF-8.
        
        .. seealso::
           HornetQ 2.2.14, 2.3.25, 2.4.9 and Artemis 1.0.0 to 2.56.0: PersistentQueueBindingEncoding, PersistentAddressBindingEncoding, PersistedSecuritySetting, PersistedDivertConfiguration and others of persistence.config; read at their tags, and tried on stores of HornetQ 2.4.9, Artemis 1.5.6 and 2.44.0
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalBindings.Utf, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.size = self._io.read_u2be()
            self.value = self._io.read_bytes(self.size)


        def _fetch_instances(self):
            pass
