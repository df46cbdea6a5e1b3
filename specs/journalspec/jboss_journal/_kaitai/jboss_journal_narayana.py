# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class JbossJournalNarayana(KaitaiStruct):
    """The content of a record of jbossts-N.txlog: an object of the store. If the object is a transaction, its state is also described. The sequence is: An object of the store. The state is a transaction if the type is /StateManager/BasicAction/TwoPhaseCoordinator/AtomicAction; for a transaction from another server, /SubordinateAtomicAction follows.
    
    .. seealso::
       narayana 7: HornetqJournalStore, OutputBuffer, UidHelper, StateManager, BasicAction, SubordinateAtomicAction (JCA), XAResourceRecord, CommitMarkableResourceRecord, XidImple
    """
    def __init__(self, _io, _parent=None, _root=None):
        super(JbossJournalNarayana, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._read()

    def _read(self):
        self.header = JbossJournalNarayana.Header(self._io, self, self._root)
        self.uid = JbossJournalNarayana.Uid(self._io, self, self._root)
        self.kind = JbossJournalNarayana.Padded(self._io, self, self._root)
        self.state = JbossJournalNarayana.Padded(self._io, self, self._root)


    def _fetch_instances(self):
        pass
        self.header._fetch_instances()
        self.uid._fetch_instances()
        self.kind._fetch_instances()
        self.state._fetch_instances()

    class Action(KaitaiStruct):
        """The participants to commit, the participants that decided by themselves, and the status.
        
        .. seealso::
           narayana 7: HornetqJournalStore, OutputBuffer, UidHelper, StateManager, BasicAction, SubordinateAtomicAction (JCA), XAResourceRecord, CommitMarkableResourceRecord, XidImple
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalNarayana.Action, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.begin = JbossJournalNarayana.Begin(self._io, self, self._root)
            self.past_first_participant = JbossJournalNarayana.Flag(self._io, self, self._root)
            self.participants = JbossJournalNarayana.Participants(self._io, self, self._root)
            self.heuristic_count = self._io.read_s4be()
            if self.heuristic_count != 0:
                pass
                self.heuristics = JbossJournalNarayana.Participants(self._io, self, self._root)

            self.status = self._io.read_s4be()
            self.action_type = self._io.read_s4be()
            self.decision = self._io.read_s4be()


        def _fetch_instances(self):
            pass
            self.begin._fetch_instances()
            self.past_first_participant._fetch_instances()
            self.participants._fetch_instances()
            if self.heuristic_count != 0:
                pass
                self.heuristics._fetch_instances()



    class AnyXid(KaitaiStruct):
        """An XID of Narayana's class, or a serialised one.
        
        .. seealso::
           narayana 7: HornetqJournalStore, OutputBuffer, UidHelper, StateManager, BasicAction, SubordinateAtomicAction (JCA), XAResourceRecord, CommitMarkableResourceRecord, XidImple
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalNarayana.AnyXid, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.padding = self._io.read_bytes(3)
            self.known = self._io.read_u1()
            if self.known != 0:
                pass
                self.xid = JbossJournalNarayana.Xid(self._io, self, self._root)

            if self.known == 0:
                pass
                self.serialised = JbossJournalNarayana.Padded(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            if self.known != 0:
                pass
                self.xid._fetch_instances()

            if self.known == 0:
                pass
                self.serialised._fetch_instances()



    class Begin(KaitaiStruct):
        """The beginning of a transaction and of a subordinate transaction.
        
        .. seealso::
           narayana 7: HornetqJournalStore, OutputBuffer, UidHelper, StateManager, BasicAction, SubordinateAtomicAction (JCA), XAResourceRecord, CommitMarkableResourceRecord, XidImple
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalNarayana.Begin, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.size = self._io.read_s4be()
            if not self.size == 9:
                raise kaitaistruct.ValidationNotEqualError(9, self.size, self._io, u"/types/begin/seq/0")
            self.mark = self._io.read_bytes(8)
            if not self.mark == b"\x23\x41\x52\x4A\x55\x4E\x41\x23":
                raise kaitaistruct.ValidationNotEqualError(b"\x23\x41\x52\x4A\x55\x4E\x41\x23", self.mark, self._io, u"/types/begin/seq/1")
            self.zero = self._io.read_bytes(4)
            self.uid = JbossJournalNarayana.Uid(self._io, self, self._root)
            self.process = JbossJournalNarayana.Uid(self._io, self, self._root)
            self.created = self._io.read_s8be()


        def _fetch_instances(self):
            pass
            self.uid._fetch_instances()
            self.process._fetch_instances()


    class CommitMarkable(KaitaiStruct):
        """A one-phase resource that stores the XIDs that it has committed.
        
        .. seealso::
           narayana 7: HornetqJournalStore, OutputBuffer, UidHelper, StateManager, BasicAction, SubordinateAtomicAction (JCA), XAResourceRecord, CommitMarkableResourceRecord, XidImple
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalNarayana.CommitMarkable, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.jndi_name = JbossJournalNarayana.Padded(self._io, self, self._root)
            self.xid = JbossJournalNarayana.AnyXid(self._io, self, self._root)
            self.padding = self._io.read_bytes(3)
            self.completed = self._io.read_u1()
            if self.completed != 0:
                pass
                self.committed = JbossJournalNarayana.Flag(self._io, self, self._root)

            self.product = JbossJournalNarayana.Padded(self._io, self, self._root)
            self.product_version = JbossJournalNarayana.Padded(self._io, self, self._root)
            self.uid = JbossJournalNarayana.Uid(self._io, self, self._root)
            self.type_name = JbossJournalNarayana.Padded(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.jndi_name._fetch_instances()
            self.xid._fetch_instances()
            if self.completed != 0:
                pass
                self.committed._fetch_instances()

            self.product._fetch_instances()
            self.product_version._fetch_instances()
            self.uid._fetch_instances()
            self.type_name._fetch_instances()


    class Flag(KaitaiStruct):
        """A boolean in four bytes.
        
        .. seealso::
           narayana 7: HornetqJournalStore, OutputBuffer, UidHelper, StateManager, BasicAction, SubordinateAtomicAction (JCA), XAResourceRecord, CommitMarkableResourceRecord, XidImple
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalNarayana.Flag, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.padding = self._io.read_bytes(3)
            self.value = self._io.read_u1()


        def _fetch_instances(self):
            pass


    class Header(KaitaiStruct):
        """The beginning of each buffer.
        
        .. seealso::
           narayana 7: HornetqJournalStore, OutputBuffer, UidHelper, StateManager, BasicAction, SubordinateAtomicAction (JCA), XAResourceRecord, CommitMarkableResourceRecord, XidImple
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalNarayana.Header, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.mark = self._io.read_bytes(4)
            if not self.mark == b"\x23\x42\x45\x01":
                raise kaitaistruct.ValidationNotEqualError(b"\x23\x42\x45\x01", self.mark, self._io, u"/types/header/seq/0")
            self.widths = self._io.read_bytes(4)


        def _fetch_instances(self):
            pass


    class Nothing(KaitaiStruct):
        """No bytes.
        
        .. seealso::
           narayana 7: HornetqJournalStore, OutputBuffer, UidHelper, StateManager, BasicAction, SubordinateAtomicAction (JCA), XAResourceRecord, CommitMarkableResourceRecord, XidImple
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalNarayana.Nothing, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            pass


        def _fetch_instances(self):
            pass


    class Padded(KaitaiStruct):
        """Bytes, padded to a multiple of four after `size` bytes. The last byte of a text is zero; a null text has no bytes.
        
        .. seealso::
           narayana 7: HornetqJournalStore, OutputBuffer, UidHelper, StateManager, BasicAction, SubordinateAtomicAction (JCA), XAResourceRecord, CommitMarkableResourceRecord, XidImple
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalNarayana.Padded, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.size = self._io.read_s4be()
            if not self.size >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.size, self._io, u"/types/padded/seq/0")
            if self.size // 4 >= 0:
                pass
                self.quads = []
                for i in range(self.size // 4):
                    self.quads.append(JbossJournalNarayana.Quad(self._io, self, self._root))


            if self.size & 3 != 0:
                pass
                self.last = JbossJournalNarayana.Quad(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            if self.size // 4 >= 0:
                pass
                for i in range(len(self.quads)):
                    pass
                    self.quads[i]._fetch_instances()


            if self.size & 3 != 0:
                pass
                self.last._fetch_instances()



    class Participants(KaitaiStruct):
        """The first participant of a list and the others; the type 463 ends the list. Other kinds have other layouts.
        
        .. seealso::
           narayana 7: HornetqJournalStore, OutputBuffer, UidHelper, StateManager, BasicAction, SubordinateAtomicAction (JCA), XAResourceRecord, CommitMarkableResourceRecord, XidImple
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalNarayana.Participants, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.kind = self._io.read_s4be()
            _on = self.kind
            if _on == 171:
                pass
                self.participant = JbossJournalNarayana.XaResource(self._io, self, self._root)
            elif _on == 463:
                pass
                self.participant = JbossJournalNarayana.Nothing(self._io, self, self._root)
            elif _on == 50:
                pass
                self.participant = JbossJournalNarayana.CommitMarkable(self._io, self, self._root)
            if self.kind != 463:
                pass
                self.more = JbossJournalNarayana.Participants(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            _on = self.kind
            if _on == 171:
                pass
                self.participant._fetch_instances()
            elif _on == 463:
                pass
                self.participant._fetch_instances()
            elif _on == 50:
                pass
                self.participant._fetch_instances()
            if self.kind != 463:
                pass
                self.more._fetch_instances()



    class Quad(KaitaiStruct):
        """Four bytes.
        
        .. seealso::
           narayana 7: HornetqJournalStore, OutputBuffer, UidHelper, StateManager, BasicAction, SubordinateAtomicAction (JCA), XAResourceRecord, CommitMarkableResourceRecord, XidImple
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalNarayana.Quad, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.value = self._io.read_bytes(4)


        def _fetch_instances(self):
            pass


    class Subordinate(KaitaiStruct):
        """A transaction that another server decides: its XID on that server, and a transaction.
        
        .. seealso::
           narayana 7: HornetqJournalStore, OutputBuffer, UidHelper, StateManager, BasicAction, SubordinateAtomicAction (JCA), XAResourceRecord, CommitMarkableResourceRecord, XidImple
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalNarayana.Subordinate, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.header = JbossJournalNarayana.Header(self._io, self, self._root)
            self.begin = JbossJournalNarayana.Begin(self._io, self, self._root)
            self.padding = self._io.read_bytes(3)
            self.imported = self._io.read_u1()
            if self.imported != 0:
                pass
                self.given = JbossJournalNarayana.Xid(self._io, self, self._root)

            if self.imported != 0:
                pass
                self.given_by = JbossJournalNarayana.Padded(self._io, self, self._root)

            self.action = JbossJournalNarayana.Action(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.header._fetch_instances()
            self.begin._fetch_instances()
            if self.imported != 0:
                pass
                self.given._fetch_instances()

            if self.imported != 0:
                pass
                self.given_by._fetch_instances()

            self.action._fetch_instances()


    class Transaction(KaitaiStruct):
        """A transaction that this server decides.
        
        .. seealso::
           narayana 7: HornetqJournalStore, OutputBuffer, UidHelper, StateManager, BasicAction, SubordinateAtomicAction (JCA), XAResourceRecord, CommitMarkableResourceRecord, XidImple
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalNarayana.Transaction, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.header = JbossJournalNarayana.Header(self._io, self, self._root)
            self.action = JbossJournalNarayana.Action(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.header._fetch_instances()
            self.action._fetch_instances()


    class Uid(KaitaiStruct):
        """Printed as five hexadecimal numbers.
        
        .. seealso::
           narayana 7: HornetqJournalStore, OutputBuffer, UidHelper, StateManager, BasicAction, SubordinateAtomicAction (JCA), XAResourceRecord, CommitMarkableResourceRecord, XidImple
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalNarayana.Uid, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.size = self._io.read_s4be()
            if not self.size == 28:
                raise kaitaistruct.ValidationNotEqualError(28, self.size, self._io, u"/types/uid/seq/0")
            self.host_high = self._io.read_s8be()
            self.host_low = self._io.read_s8be()
            self.process = self._io.read_s4be()
            self.started = self._io.read_s4be()
            self.counter = self._io.read_s4be()


        def _fetch_instances(self):
            pass


    class XaResource(KaitaiStruct):
        """An XA resource: its branch, and how recovery finds it again.
        
        .. seealso::
           narayana 7: HornetqJournalStore, OutputBuffer, UidHelper, StateManager, BasicAction, SubordinateAtomicAction (JCA), XAResourceRecord, CommitMarkableResourceRecord, XidImple
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalNarayana.XaResource, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.outcome = self._io.read_s4be()
            self.committed = JbossJournalNarayana.Flag(self._io, self, self._root)
            self.xid = JbossJournalNarayana.AnyXid(self._io, self, self._root)
            self.recovery = self._io.read_s4be()
            if not self.recovery == 1:
                raise kaitaistruct.ValidationNotEqualError(1, self.recovery, self._io, u"/types/xa_resource/seq/3")
            self.product = JbossJournalNarayana.Padded(self._io, self, self._root)
            self.product_version = JbossJournalNarayana.Padded(self._io, self, self._root)
            self.jndi_name = JbossJournalNarayana.Padded(self._io, self, self._root)
            self.padding = self._io.read_bytes(3)
            self.has_resource = self._io.read_u1()
            if self.has_resource != 0:
                pass
                self.class_name = JbossJournalNarayana.Padded(self._io, self, self._root)

            if self.has_resource != 0:
                pass
                self.resource = JbossJournalNarayana.Padded(self._io, self, self._root)

            self.uid = JbossJournalNarayana.Uid(self._io, self, self._root)
            self.type_name = JbossJournalNarayana.Padded(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.committed._fetch_instances()
            self.xid._fetch_instances()
            self.product._fetch_instances()
            self.product_version._fetch_instances()
            self.jndi_name._fetch_instances()
            if self.has_resource != 0:
                pass
                self.class_name._fetch_instances()

            if self.has_resource != 0:
                pass
                self.resource._fetch_instances()

            self.uid._fetch_instances()
            self.type_name._fetch_instances()


    class Xid(KaitaiStruct):
        """An XID, with its parts in 128 bytes.
        
        .. seealso::
           narayana 7: HornetqJournalStore, OutputBuffer, UidHelper, StateManager, BasicAction, SubordinateAtomicAction (JCA), XAResourceRecord, CommitMarkableResourceRecord, XidImple
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(JbossJournalNarayana.Xid, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.format_id = self._io.read_s4be()
            self.global_size = self._io.read_s4be()
            if not self.global_size >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.global_size, self._io, u"/types/xid/seq/1")
            if not self.global_size <= 64:
                raise kaitaistruct.ValidationGreaterThanError(64, self.global_size, self._io, u"/types/xid/seq/1")
            self.branch_size = self._io.read_s4be()
            if not self.branch_size >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.branch_size, self._io, u"/types/xid/seq/2")
            if not self.branch_size <= 64:
                raise kaitaistruct.ValidationGreaterThanError(64, self.branch_size, self._io, u"/types/xid/seq/2")
            self.size = self._io.read_s4be()
            if not self.size == 128:
                raise kaitaistruct.ValidationNotEqualError(128, self.size, self._io, u"/types/xid/seq/3")
            self.data = self._io.read_bytes(128)


        def _fetch_instances(self):
            pass
