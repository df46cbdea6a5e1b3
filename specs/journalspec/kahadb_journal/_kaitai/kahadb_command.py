# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from enum import IntEnum


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KahadbCommand(KaitaiStruct):
    """The payload of one record of the KahaDB message store: the number of a command,
    the length of its message, and the message, in the wire format of Protocol
    Buffers 2. Fields of a message come in any number and order; unknown fields, and bytes after the
    message, are not described here.
    
    .. seealso::
       Source - https://github.com/apache/activemq/blob/activemq-5.17.6/activemq-kahadb-store/src/main/proto/journal-data.proto
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
        super(KahadbCommand, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._read()

    def _read(self):
        self.command = KaitaiStream.resolve_enum(KahadbCommand.Command, self._io.read_u1())
        self.size = KahadbCommand.Varint(self._io, self, self._root)
        _on = self.command
        if _on == KahadbCommand.Command.ack_message_file_map:
            pass
            self._raw_body = self._io.read_bytes(self.size.amount)
            _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
            self.body = KahadbCommand.AckMessageFileMap(_io__raw_body, self, self._root)
        elif _on == KahadbCommand.Command.add_message:
            pass
            self._raw_body = self._io.read_bytes(self.size.amount)
            _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
            self.body = KahadbCommand.AddMessage(_io__raw_body, self, self._root)
        elif _on == KahadbCommand.Command.add_scheduled_job:
            pass
            self._raw_body = self._io.read_bytes(self.size.amount)
            _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
            self.body = KahadbCommand.AddScheduledJob(_io__raw_body, self, self._root)
        elif _on == KahadbCommand.Command.commit:
            pass
            self._raw_body = self._io.read_bytes(self.size.amount)
            _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
            self.body = KahadbCommand.Commit(_io__raw_body, self, self._root)
        elif _on == KahadbCommand.Command.destroy_scheduler:
            pass
            self._raw_body = self._io.read_bytes(self.size.amount)
            _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
            self.body = KahadbCommand.DestroyScheduler(_io__raw_body, self, self._root)
        elif _on == KahadbCommand.Command.prepare:
            pass
            self._raw_body = self._io.read_bytes(self.size.amount)
            _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
            self.body = KahadbCommand.Prepare(_io__raw_body, self, self._root)
        elif _on == KahadbCommand.Command.producer_audit:
            pass
            self._raw_body = self._io.read_bytes(self.size.amount)
            _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
            self.body = KahadbCommand.ProducerAudit(_io__raw_body, self, self._root)
        elif _on == KahadbCommand.Command.remove_destination:
            pass
            self._raw_body = self._io.read_bytes(self.size.amount)
            _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
            self.body = KahadbCommand.RemoveDestination(_io__raw_body, self, self._root)
        elif _on == KahadbCommand.Command.remove_message:
            pass
            self._raw_body = self._io.read_bytes(self.size.amount)
            _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
            self.body = KahadbCommand.RemoveMessage(_io__raw_body, self, self._root)
        elif _on == KahadbCommand.Command.remove_scheduled_job:
            pass
            self._raw_body = self._io.read_bytes(self.size.amount)
            _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
            self.body = KahadbCommand.RemoveScheduledJob(_io__raw_body, self, self._root)
        elif _on == KahadbCommand.Command.remove_scheduled_jobs:
            pass
            self._raw_body = self._io.read_bytes(self.size.amount)
            _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
            self.body = KahadbCommand.RemoveScheduledJobs(_io__raw_body, self, self._root)
        elif _on == KahadbCommand.Command.reschedule_job:
            pass
            self._raw_body = self._io.read_bytes(self.size.amount)
            _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
            self.body = KahadbCommand.RescheduleJob(_io__raw_body, self, self._root)
        elif _on == KahadbCommand.Command.rewritten_data_file:
            pass
            self._raw_body = self._io.read_bytes(self.size.amount)
            _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
            self.body = KahadbCommand.RewrittenDataFile(_io__raw_body, self, self._root)
        elif _on == KahadbCommand.Command.rollback:
            pass
            self._raw_body = self._io.read_bytes(self.size.amount)
            _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
            self.body = KahadbCommand.Rollback(_io__raw_body, self, self._root)
        elif _on == KahadbCommand.Command.subscription:
            pass
            self._raw_body = self._io.read_bytes(self.size.amount)
            _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
            self.body = KahadbCommand.Subscription(_io__raw_body, self, self._root)
        elif _on == KahadbCommand.Command.trace:
            pass
            self._raw_body = self._io.read_bytes(self.size.amount)
            _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
            self.body = KahadbCommand.Trace(_io__raw_body, self, self._root)
        elif _on == KahadbCommand.Command.update_message:
            pass
            self._raw_body = self._io.read_bytes(self.size.amount)
            _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
            self.body = KahadbCommand.UpdateMessage(_io__raw_body, self, self._root)
        else:
            pass
            self.body = self._io.read_bytes(self.size.amount)


    def _fetch_instances(self):
        pass
        self.size._fetch_instances()
        _on = self.command
        if _on == KahadbCommand.Command.ack_message_file_map:
            pass
            self.body._fetch_instances()
        elif _on == KahadbCommand.Command.add_message:
            pass
            self.body._fetch_instances()
        elif _on == KahadbCommand.Command.add_scheduled_job:
            pass
            self.body._fetch_instances()
        elif _on == KahadbCommand.Command.commit:
            pass
            self.body._fetch_instances()
        elif _on == KahadbCommand.Command.destroy_scheduler:
            pass
            self.body._fetch_instances()
        elif _on == KahadbCommand.Command.prepare:
            pass
            self.body._fetch_instances()
        elif _on == KahadbCommand.Command.producer_audit:
            pass
            self.body._fetch_instances()
        elif _on == KahadbCommand.Command.remove_destination:
            pass
            self.body._fetch_instances()
        elif _on == KahadbCommand.Command.remove_message:
            pass
            self.body._fetch_instances()
        elif _on == KahadbCommand.Command.remove_scheduled_job:
            pass
            self.body._fetch_instances()
        elif _on == KahadbCommand.Command.remove_scheduled_jobs:
            pass
            self.body._fetch_instances()
        elif _on == KahadbCommand.Command.reschedule_job:
            pass
            self.body._fetch_instances()
        elif _on == KahadbCommand.Command.rewritten_data_file:
            pass
            self.body._fetch_instances()
        elif _on == KahadbCommand.Command.rollback:
            pass
            self.body._fetch_instances()
        elif _on == KahadbCommand.Command.subscription:
            pass
            self.body._fetch_instances()
        elif _on == KahadbCommand.Command.trace:
            pass
            self.body._fetch_instances()
        elif _on == KahadbCommand.Command.update_message:
            pass
            self.body._fetch_instances()
        else:
            pass

    class AckMessageFileMap(KaitaiStruct):
        """Which files acknowledgements refer to."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbCommand.AckMessageFileMap, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.fields = []
            i = 0
            while not self._io.is_eof():
                self.fields.append(KahadbCommand.AckMessageFileMapField(self._io, self, self._root))
                i += 1



        def _fetch_instances(self):
            pass
            for i in range(len(self.fields)):
                pass
                self.fields[i]._fetch_instances()



    class AckMessageFileMapField(KaitaiStruct):
        """One field of ack_message_file_map."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbCommand.AckMessageFileMapField, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.key = self._io.read_u1()
            if self.key == 10:
                pass
                self.file_map = KahadbCommand.Sized(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            if self.key == 10:
                pass
                self.file_map._fetch_instances()



    class AddMessage(KaitaiStruct):
        """A message arrives."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbCommand.AddMessage, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.fields = []
            i = 0
            while not self._io.is_eof():
                self.fields.append(KahadbCommand.AddMessageField(self._io, self, self._root))
                i += 1



        def _fetch_instances(self):
            pass
            for i in range(len(self.fields)):
                pass
                self.fields[i]._fetch_instances()



    class AddMessageField(KaitaiStruct):
        """One field of add_message."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbCommand.AddMessageField, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.key = self._io.read_u1()
            if self.key == 10:
                pass
                self.transaction = KahadbCommand.SizedTransaction(self._io, self, self._root)

            if self.key == 18:
                pass
                self.destination = KahadbCommand.SizedDestination(self._io, self, self._root)

            if self.key == 26:
                pass
                self.message_id = KahadbCommand.Sized(self._io, self, self._root)

            if self.key == 34:
                pass
                self.message = KahadbCommand.Sized(self._io, self, self._root)

            if self.key == 40:
                pass
                self.priority = KahadbCommand.Varint(self._io, self, self._root)

            if self.key == 48:
                pass
                self.priority_supported = KahadbCommand.Varint(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            if self.key == 10:
                pass
                self.transaction._fetch_instances()

            if self.key == 18:
                pass
                self.destination._fetch_instances()

            if self.key == 26:
                pass
                self.message_id._fetch_instances()

            if self.key == 34:
                pass
                self.message._fetch_instances()

            if self.key == 40:
                pass
                self.priority._fetch_instances()

            if self.key == 48:
                pass
                self.priority_supported._fetch_instances()



    class AddScheduledJob(KaitaiStruct):
        """A job of the scheduler."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbCommand.AddScheduledJob, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.fields = []
            i = 0
            while not self._io.is_eof():
                self.fields.append(KahadbCommand.AddScheduledJobField(self._io, self, self._root))
                i += 1



        def _fetch_instances(self):
            pass
            for i in range(len(self.fields)):
                pass
                self.fields[i]._fetch_instances()



    class AddScheduledJobField(KaitaiStruct):
        """One field of add_scheduled_job."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbCommand.AddScheduledJobField, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.key = self._io.read_u1()
            if self.key == 10:
                pass
                self.scheduler = KahadbCommand.Sized(self._io, self, self._root)

            if self.key == 18:
                pass
                self.job_id = KahadbCommand.Sized(self._io, self, self._root)

            if self.key == 24:
                pass
                self.start_time = KahadbCommand.Varint(self._io, self, self._root)

            if self.key == 34:
                pass
                self.cron_entry = KahadbCommand.Sized(self._io, self, self._root)

            if self.key == 40:
                pass
                self.delay = KahadbCommand.Varint(self._io, self, self._root)

            if self.key == 48:
                pass
                self.period = KahadbCommand.Varint(self._io, self, self._root)

            if self.key == 56:
                pass
                self.repeat = KahadbCommand.Varint(self._io, self, self._root)

            if self.key == 66:
                pass
                self.job = KahadbCommand.Sized(self._io, self, self._root)

            if self.key == 72:
                pass
                self.next_execution_time = KahadbCommand.Varint(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            if self.key == 10:
                pass
                self.scheduler._fetch_instances()

            if self.key == 18:
                pass
                self.job_id._fetch_instances()

            if self.key == 24:
                pass
                self.start_time._fetch_instances()

            if self.key == 34:
                pass
                self.cron_entry._fetch_instances()

            if self.key == 40:
                pass
                self.delay._fetch_instances()

            if self.key == 48:
                pass
                self.period._fetch_instances()

            if self.key == 56:
                pass
                self.repeat._fetch_instances()

            if self.key == 66:
                pass
                self.job._fetch_instances()

            if self.key == 72:
                pass
                self.next_execution_time._fetch_instances()



    class Commit(KaitaiStruct):
        """A transaction took place."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbCommand.Commit, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.fields = []
            i = 0
            while not self._io.is_eof():
                self.fields.append(KahadbCommand.CommitField(self._io, self, self._root))
                i += 1



        def _fetch_instances(self):
            pass
            for i in range(len(self.fields)):
                pass
                self.fields[i]._fetch_instances()



    class CommitField(KaitaiStruct):
        """One field of commit."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbCommand.CommitField, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.key = self._io.read_u1()
            if self.key == 10:
                pass
                self.transaction = KahadbCommand.SizedTransaction(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            if self.key == 10:
                pass
                self.transaction._fetch_instances()



    class Destination(KaitaiStruct):
        """A destination."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbCommand.Destination, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.fields = []
            i = 0
            while not self._io.is_eof():
                self.fields.append(KahadbCommand.DestinationField(self._io, self, self._root))
                i += 1



        def _fetch_instances(self):
            pass
            for i in range(len(self.fields)):
                pass
                self.fields[i]._fetch_instances()



    class DestinationField(KaitaiStruct):
        """One field of destination."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbCommand.DestinationField, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.key = self._io.read_u1()
            if self.key == 8:
                pass
                self.kind = KahadbCommand.Varint(self._io, self, self._root)

            if self.key == 18:
                pass
                self.name = KahadbCommand.Sized(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            if self.key == 8:
                pass
                self.kind._fetch_instances()

            if self.key == 18:
                pass
                self.name._fetch_instances()



    class DestroyScheduler(KaitaiStruct):
        """A scheduler is removed."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbCommand.DestroyScheduler, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.fields = []
            i = 0
            while not self._io.is_eof():
                self.fields.append(KahadbCommand.DestroySchedulerField(self._io, self, self._root))
                i += 1



        def _fetch_instances(self):
            pass
            for i in range(len(self.fields)):
                pass
                self.fields[i]._fetch_instances()



    class DestroySchedulerField(KaitaiStruct):
        """One field of destroy_scheduler."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbCommand.DestroySchedulerField, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.key = self._io.read_u1()
            if self.key == 10:
                pass
                self.scheduler = KahadbCommand.Sized(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            if self.key == 10:
                pass
                self.scheduler._fetch_instances()



    class Local(KaitaiStruct):
        """The id of a local transaction."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbCommand.Local, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.fields = []
            i = 0
            while not self._io.is_eof():
                self.fields.append(KahadbCommand.LocalField(self._io, self, self._root))
                i += 1



        def _fetch_instances(self):
            pass
            for i in range(len(self.fields)):
                pass
                self.fields[i]._fetch_instances()



    class LocalField(KaitaiStruct):
        """One field of local."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbCommand.LocalField, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.key = self._io.read_u1()
            if self.key == 10:
                pass
                self.connection = KahadbCommand.Sized(self._io, self, self._root)

            if self.key == 8:
                pass
                self.number = KahadbCommand.Varint(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            if self.key == 10:
                pass
                self.connection._fetch_instances()

            if self.key == 8:
                pass
                self.number._fetch_instances()



    class Location(KaitaiStruct):
        """A place in the journal."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbCommand.Location, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.fields = []
            i = 0
            while not self._io.is_eof():
                self.fields.append(KahadbCommand.LocationField(self._io, self, self._root))
                i += 1



        def _fetch_instances(self):
            pass
            for i in range(len(self.fields)):
                pass
                self.fields[i]._fetch_instances()



    class LocationField(KaitaiStruct):
        """One field of location."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbCommand.LocationField, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.key = self._io.read_u1()
            if self.key == 8:
                pass
                self.log_id = KahadbCommand.Varint(self._io, self, self._root)

            if self.key == 16:
                pass
                self.offset = KahadbCommand.Varint(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            if self.key == 8:
                pass
                self.log_id._fetch_instances()

            if self.key == 16:
                pass
                self.offset._fetch_instances()



    class Prepare(KaitaiStruct):
        """A transaction is in doubt."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbCommand.Prepare, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.fields = []
            i = 0
            while not self._io.is_eof():
                self.fields.append(KahadbCommand.PrepareField(self._io, self, self._root))
                i += 1



        def _fetch_instances(self):
            pass
            for i in range(len(self.fields)):
                pass
                self.fields[i]._fetch_instances()



    class PrepareField(KaitaiStruct):
        """One field of prepare."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbCommand.PrepareField, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.key = self._io.read_u1()
            if self.key == 10:
                pass
                self.transaction = KahadbCommand.SizedTransaction(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            if self.key == 10:
                pass
                self.transaction._fetch_instances()



    class ProducerAudit(KaitaiStruct):
        """The known facts about producers."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbCommand.ProducerAudit, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.fields = []
            i = 0
            while not self._io.is_eof():
                self.fields.append(KahadbCommand.ProducerAuditField(self._io, self, self._root))
                i += 1



        def _fetch_instances(self):
            pass
            for i in range(len(self.fields)):
                pass
                self.fields[i]._fetch_instances()



    class ProducerAuditField(KaitaiStruct):
        """One field of producer_audit."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbCommand.ProducerAuditField, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.key = self._io.read_u1()
            if self.key == 10:
                pass
                self.audit = KahadbCommand.Sized(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            if self.key == 10:
                pass
                self.audit._fetch_instances()



    class RemoveDestination(KaitaiStruct):
        """A destination is removed."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbCommand.RemoveDestination, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.fields = []
            i = 0
            while not self._io.is_eof():
                self.fields.append(KahadbCommand.RemoveDestinationField(self._io, self, self._root))
                i += 1



        def _fetch_instances(self):
            pass
            for i in range(len(self.fields)):
                pass
                self.fields[i]._fetch_instances()



    class RemoveDestinationField(KaitaiStruct):
        """One field of remove_destination."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbCommand.RemoveDestinationField, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.key = self._io.read_u1()
            if self.key == 10:
                pass
                self.destination = KahadbCommand.SizedDestination(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            if self.key == 10:
                pass
                self.destination._fetch_instances()



    class RemoveMessage(KaitaiStruct):
        """A message is acknowledged."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbCommand.RemoveMessage, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.fields = []
            i = 0
            while not self._io.is_eof():
                self.fields.append(KahadbCommand.RemoveMessageField(self._io, self, self._root))
                i += 1



        def _fetch_instances(self):
            pass
            for i in range(len(self.fields)):
                pass
                self.fields[i]._fetch_instances()



    class RemoveMessageField(KaitaiStruct):
        """One field of remove_message."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbCommand.RemoveMessageField, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.key = self._io.read_u1()
            if self.key == 10:
                pass
                self.transaction = KahadbCommand.SizedTransaction(self._io, self, self._root)

            if self.key == 18:
                pass
                self.destination = KahadbCommand.SizedDestination(self._io, self, self._root)

            if self.key == 26:
                pass
                self.message_id = KahadbCommand.Sized(self._io, self, self._root)

            if self.key == 34:
                pass
                self.ack = KahadbCommand.Sized(self._io, self, self._root)

            if self.key == 42:
                pass
                self.subscription_key = KahadbCommand.Sized(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            if self.key == 10:
                pass
                self.transaction._fetch_instances()

            if self.key == 18:
                pass
                self.destination._fetch_instances()

            if self.key == 26:
                pass
                self.message_id._fetch_instances()

            if self.key == 34:
                pass
                self.ack._fetch_instances()

            if self.key == 42:
                pass
                self.subscription_key._fetch_instances()



    class RemoveScheduledJob(KaitaiStruct):
        """A job is removed."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbCommand.RemoveScheduledJob, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.fields = []
            i = 0
            while not self._io.is_eof():
                self.fields.append(KahadbCommand.RemoveScheduledJobField(self._io, self, self._root))
                i += 1



        def _fetch_instances(self):
            pass
            for i in range(len(self.fields)):
                pass
                self.fields[i]._fetch_instances()



    class RemoveScheduledJobField(KaitaiStruct):
        """One field of remove_scheduled_job."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbCommand.RemoveScheduledJobField, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.key = self._io.read_u1()
            if self.key == 10:
                pass
                self.scheduler = KahadbCommand.Sized(self._io, self, self._root)

            if self.key == 18:
                pass
                self.job_id = KahadbCommand.Sized(self._io, self, self._root)

            if self.key == 24:
                pass
                self.next_execution_time = KahadbCommand.Varint(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            if self.key == 10:
                pass
                self.scheduler._fetch_instances()

            if self.key == 18:
                pass
                self.job_id._fetch_instances()

            if self.key == 24:
                pass
                self.next_execution_time._fetch_instances()



    class RemoveScheduledJobs(KaitaiStruct):
        """The jobs of a range of time are removed."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbCommand.RemoveScheduledJobs, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.fields = []
            i = 0
            while not self._io.is_eof():
                self.fields.append(KahadbCommand.RemoveScheduledJobsField(self._io, self, self._root))
                i += 1



        def _fetch_instances(self):
            pass
            for i in range(len(self.fields)):
                pass
                self.fields[i]._fetch_instances()



    class RemoveScheduledJobsField(KaitaiStruct):
        """One field of remove_scheduled_jobs."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbCommand.RemoveScheduledJobsField, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.key = self._io.read_u1()
            if self.key == 10:
                pass
                self.scheduler = KahadbCommand.Sized(self._io, self, self._root)

            if self.key == 16:
                pass
                self.start_time = KahadbCommand.Varint(self._io, self, self._root)

            if self.key == 24:
                pass
                self.end_time = KahadbCommand.Varint(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            if self.key == 10:
                pass
                self.scheduler._fetch_instances()

            if self.key == 16:
                pass
                self.start_time._fetch_instances()

            if self.key == 24:
                pass
                self.end_time._fetch_instances()



    class RescheduleJob(KaitaiStruct):
        """A job gets another time."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbCommand.RescheduleJob, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.fields = []
            i = 0
            while not self._io.is_eof():
                self.fields.append(KahadbCommand.RescheduleJobField(self._io, self, self._root))
                i += 1



        def _fetch_instances(self):
            pass
            for i in range(len(self.fields)):
                pass
                self.fields[i]._fetch_instances()



    class RescheduleJobField(KaitaiStruct):
        """One field of reschedule_job."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbCommand.RescheduleJobField, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.key = self._io.read_u1()
            if self.key == 10:
                pass
                self.scheduler = KahadbCommand.Sized(self._io, self, self._root)

            if self.key == 18:
                pass
                self.job_id = KahadbCommand.Sized(self._io, self, self._root)

            if self.key == 24:
                pass
                self.execution_time = KahadbCommand.Varint(self._io, self, self._root)

            if self.key == 32:
                pass
                self.next_execution_time = KahadbCommand.Varint(self._io, self, self._root)

            if self.key == 40:
                pass
                self.rescheduled_count = KahadbCommand.Varint(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            if self.key == 10:
                pass
                self.scheduler._fetch_instances()

            if self.key == 18:
                pass
                self.job_id._fetch_instances()

            if self.key == 24:
                pass
                self.execution_time._fetch_instances()

            if self.key == 32:
                pass
                self.next_execution_time._fetch_instances()

            if self.key == 40:
                pass
                self.rescheduled_count._fetch_instances()



    class RewrittenDataFile(KaitaiStruct):
        """The file with this record repeats another one."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbCommand.RewrittenDataFile, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.fields = []
            i = 0
            while not self._io.is_eof():
                self.fields.append(KahadbCommand.RewrittenDataFileField(self._io, self, self._root))
                i += 1



        def _fetch_instances(self):
            pass
            for i in range(len(self.fields)):
                pass
                self.fields[i]._fetch_instances()



    class RewrittenDataFileField(KaitaiStruct):
        """One field of rewritten_data_file."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbCommand.RewrittenDataFileField, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.key = self._io.read_u1()
            if self.key == 8:
                pass
                self.source_file = KahadbCommand.Varint(self._io, self, self._root)

            if self.key == 16:
                pass
                self.rewrite_type = KahadbCommand.Varint(self._io, self, self._root)

            if self.key == 24:
                pass
                self.skip_if_source_exists = KahadbCommand.Varint(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            if self.key == 8:
                pass
                self.source_file._fetch_instances()

            if self.key == 16:
                pass
                self.rewrite_type._fetch_instances()

            if self.key == 24:
                pass
                self.skip_if_source_exists._fetch_instances()



    class Rollback(KaitaiStruct):
        """A transaction did not take place."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbCommand.Rollback, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.fields = []
            i = 0
            while not self._io.is_eof():
                self.fields.append(KahadbCommand.RollbackField(self._io, self, self._root))
                i += 1



        def _fetch_instances(self):
            pass
            for i in range(len(self.fields)):
                pass
                self.fields[i]._fetch_instances()



    class RollbackField(KaitaiStruct):
        """One field of rollback."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbCommand.RollbackField, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.key = self._io.read_u1()
            if self.key == 10:
                pass
                self.transaction = KahadbCommand.SizedTransaction(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            if self.key == 10:
                pass
                self.transaction._fetch_instances()



    class Sized(KaitaiStruct):
        """Bytes with their number in front."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbCommand.Sized, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.size = KahadbCommand.Varint(self._io, self, self._root)
            self.value = self._io.read_bytes(self.size.amount)


        def _fetch_instances(self):
            pass
            self.size._fetch_instances()


    class SizedAddMessage(KaitaiStruct):
        """A message with its number of bytes in front."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbCommand.SizedAddMessage, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.size = KahadbCommand.Varint(self._io, self, self._root)
            self._raw_value = self._io.read_bytes(self.size.amount)
            _io__raw_value = KaitaiStream(BytesIO(self._raw_value))
            self.value = KahadbCommand.AddMessage(_io__raw_value, self, self._root)


        def _fetch_instances(self):
            pass
            self.size._fetch_instances()
            self.value._fetch_instances()


    class SizedDestination(KaitaiStruct):
        """A message with its number of bytes in front."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbCommand.SizedDestination, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.size = KahadbCommand.Varint(self._io, self, self._root)
            self._raw_value = self._io.read_bytes(self.size.amount)
            _io__raw_value = KaitaiStream(BytesIO(self._raw_value))
            self.value = KahadbCommand.Destination(_io__raw_value, self, self._root)


        def _fetch_instances(self):
            pass
            self.size._fetch_instances()
            self.value._fetch_instances()


    class SizedLocal(KaitaiStruct):
        """A message with its number of bytes in front."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbCommand.SizedLocal, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.size = KahadbCommand.Varint(self._io, self, self._root)
            self._raw_value = self._io.read_bytes(self.size.amount)
            _io__raw_value = KaitaiStream(BytesIO(self._raw_value))
            self.value = KahadbCommand.Local(_io__raw_value, self, self._root)


        def _fetch_instances(self):
            pass
            self.size._fetch_instances()
            self.value._fetch_instances()


    class SizedLocation(KaitaiStruct):
        """A message with its number of bytes in front."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbCommand.SizedLocation, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.size = KahadbCommand.Varint(self._io, self, self._root)
            self._raw_value = self._io.read_bytes(self.size.amount)
            _io__raw_value = KaitaiStream(BytesIO(self._raw_value))
            self.value = KahadbCommand.Location(_io__raw_value, self, self._root)


        def _fetch_instances(self):
            pass
            self.size._fetch_instances()
            self.value._fetch_instances()


    class SizedTransaction(KaitaiStruct):
        """A message with its number of bytes in front."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbCommand.SizedTransaction, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.size = KahadbCommand.Varint(self._io, self, self._root)
            self._raw_value = self._io.read_bytes(self.size.amount)
            _io__raw_value = KaitaiStream(BytesIO(self._raw_value))
            self.value = KahadbCommand.Transaction(_io__raw_value, self, self._root)


        def _fetch_instances(self):
            pass
            self.size._fetch_instances()
            self.value._fetch_instances()


    class SizedXa(KaitaiStruct):
        """A message with its number of bytes in front."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbCommand.SizedXa, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.size = KahadbCommand.Varint(self._io, self, self._root)
            self._raw_value = self._io.read_bytes(self.size.amount)
            _io__raw_value = KaitaiStream(BytesIO(self._raw_value))
            self.value = KahadbCommand.Xa(_io__raw_value, self, self._root)


        def _fetch_instances(self):
            pass
            self.size._fetch_instances()
            self.value._fetch_instances()


    class Subscription(KaitaiStruct):
        """A durable subscription begins or ends."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbCommand.Subscription, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.fields = []
            i = 0
            while not self._io.is_eof():
                self.fields.append(KahadbCommand.SubscriptionField(self._io, self, self._root))
                i += 1



        def _fetch_instances(self):
            pass
            for i in range(len(self.fields)):
                pass
                self.fields[i]._fetch_instances()



    class SubscriptionField(KaitaiStruct):
        """One field of subscription."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbCommand.SubscriptionField, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.key = self._io.read_u1()
            if self.key == 10:
                pass
                self.destination = KahadbCommand.SizedDestination(self._io, self, self._root)

            if self.key == 18:
                pass
                self.subscription_key = KahadbCommand.Sized(self._io, self, self._root)

            if self.key == 24:
                pass
                self.retroactive = KahadbCommand.Varint(self._io, self, self._root)

            if self.key == 34:
                pass
                self.subscription_info = KahadbCommand.Sized(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            if self.key == 10:
                pass
                self.destination._fetch_instances()

            if self.key == 18:
                pass
                self.subscription_key._fetch_instances()

            if self.key == 24:
                pass
                self.retroactive._fetch_instances()

            if self.key == 34:
                pass
                self.subscription_info._fetch_instances()



    class Trace(KaitaiStruct):
        """A note without effect."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbCommand.Trace, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.fields = []
            i = 0
            while not self._io.is_eof():
                self.fields.append(KahadbCommand.TraceField(self._io, self, self._root))
                i += 1



        def _fetch_instances(self):
            pass
            for i in range(len(self.fields)):
                pass
                self.fields[i]._fetch_instances()



    class TraceField(KaitaiStruct):
        """One field of trace."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbCommand.TraceField, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.key = self._io.read_u1()
            if self.key == 10:
                pass
                self.text = KahadbCommand.Sized(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            if self.key == 10:
                pass
                self.text._fetch_instances()



    class Transaction(KaitaiStruct):
        """Whose transaction a command belongs to."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbCommand.Transaction, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.fields = []
            i = 0
            while not self._io.is_eof():
                self.fields.append(KahadbCommand.TransactionField(self._io, self, self._root))
                i += 1



        def _fetch_instances(self):
            pass
            for i in range(len(self.fields)):
                pass
                self.fields[i]._fetch_instances()



    class TransactionField(KaitaiStruct):
        """One field of transaction."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbCommand.TransactionField, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.key = self._io.read_u1()
            if self.key == 10:
                pass
                self.local = KahadbCommand.SizedLocal(self._io, self, self._root)

            if self.key == 18:
                pass
                self.xa = KahadbCommand.SizedXa(self._io, self, self._root)

            if self.key == 26:
                pass
                self.previous_entry = KahadbCommand.SizedLocation(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            if self.key == 10:
                pass
                self.local._fetch_instances()

            if self.key == 18:
                pass
                self.xa._fetch_instances()

            if self.key == 26:
                pass
                self.previous_entry._fetch_instances()



    class UpdateMessage(KaitaiStruct):
        """A message changes."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbCommand.UpdateMessage, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.fields = []
            i = 0
            while not self._io.is_eof():
                self.fields.append(KahadbCommand.UpdateMessageField(self._io, self, self._root))
                i += 1



        def _fetch_instances(self):
            pass
            for i in range(len(self.fields)):
                pass
                self.fields[i]._fetch_instances()



    class UpdateMessageField(KaitaiStruct):
        """One field of update_message."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbCommand.UpdateMessageField, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.key = self._io.read_u1()
            if self.key == 10:
                pass
                self.add = KahadbCommand.SizedAddMessage(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            if self.key == 10:
                pass
                self.add._fetch_instances()



    class Varint(KaitaiStruct):
        """An unsigned number, seven bits in each byte, the lowest first."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbCommand.Varint, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.groups = []
            i = 0
            while True:
                _ = self._io.read_u1()
                self.groups.append(_)
                if _ < 128:
                    break
                i += 1


        def _fetch_instances(self):
            pass
            for i in range(len(self.groups)):
                pass


        @property
        def amount(self):
            """The number, 64 bits in two's complement."""
            if hasattr(self, '_m_amount'):
                return self._m_amount

            self._m_amount = ((((((((((self.high * 128) + ((self.groups[4] & 127) if len(self.groups) > 4 else 0)) * 128) + ((self.groups[3] & 127) if len(self.groups) > 3 else 0)) * 128) + ((self.groups[2] & 127) if len(self.groups) > 2 else 0)) * 128) + ((self.groups[1] & 127) if len(self.groups) > 1 else 0)) * 128) + ((self.groups[0] & 127) if len(self.groups) > 0 else 0))
            return getattr(self, '_m_amount', None)

        @property
        def high(self):
            """The number without its lowest 35 bits, in two's complement."""
            if hasattr(self, '_m_high'):
                return self._m_high

            self._m_high = (((((((((((self.groups[9] & 1) * -1) if len(self.groups) > 9 else 0) * 128) + ((self.groups[8] & 127) if len(self.groups) > 8 else 0)) * 128) + ((self.groups[7] & 127) if len(self.groups) > 7 else 0)) * 128) + ((self.groups[6] & 127) if len(self.groups) > 6 else 0)) * 128) + ((self.groups[5] & 127) if len(self.groups) > 5 else 0))
            return getattr(self, '_m_high', None)


    class Xa(KaitaiStruct):
        """The id of an XA transaction."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbCommand.Xa, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.fields = []
            i = 0
            while not self._io.is_eof():
                self.fields.append(KahadbCommand.XaField(self._io, self, self._root))
                i += 1



        def _fetch_instances(self):
            pass
            for i in range(len(self.fields)):
                pass
                self.fields[i]._fetch_instances()



    class XaField(KaitaiStruct):
        """One field of xa."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KahadbCommand.XaField, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.key = self._io.read_u1()
            if self.key == 8:
                pass
                self.format_id = KahadbCommand.Varint(self._io, self, self._root)

            if self.key == 18:
                pass
                self.bqual = KahadbCommand.Sized(self._io, self, self._root)

            if self.key == 26:
                pass
                self.gtrid = KahadbCommand.Sized(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            if self.key == 8:
                pass
                self.format_id._fetch_instances()

            if self.key == 18:
                pass
                self.bqual._fetch_instances()

            if self.key == 26:
                pass
                self.gtrid._fetch_instances()
