(globalThis.journalspecCode ||= []).push(function () {
// This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
(function (root, factory) {
  if (typeof define === 'function' && define.amd) {
    define(['exports', 'kaitai-struct/KaitaiStream'], factory);
  } else if (typeof exports === 'object' && exports !== null && typeof exports.nodeType !== 'number') {
    factory(exports, require('kaitai-struct/KaitaiStream'));
  } else {
    factory(root.KahadbCommand || (root.KahadbCommand = {}), root.KaitaiStream);
  }
})(typeof self !== 'undefined' ? self : this, function (KahadbCommand_, KaitaiStream) {
var KahadbCommand = (function() {
  KahadbCommand.Command = Object.freeze({
    TRACE: 0,
    ADD_MESSAGE: 1,
    REMOVE_MESSAGE: 2,
    PREPARE: 3,
    COMMIT: 4,
    ROLLBACK: 5,
    REMOVE_DESTINATION: 6,
    SUBSCRIPTION: 7,
    PRODUCER_AUDIT: 8,
    ACK_MESSAGE_FILE_MAP: 9,
    UPDATE_MESSAGE: 10,
    ADD_SCHEDULED_JOB: 11,
    RESCHEDULE_JOB: 12,
    REMOVE_SCHEDULED_JOB: 13,
    REMOVE_SCHEDULED_JOBS: 14,
    DESTROY_SCHEDULER: 15,
    REWRITTEN_DATA_FILE: 16,
    0: "TRACE",
    1: "ADD_MESSAGE",
    2: "REMOVE_MESSAGE",
    3: "PREPARE",
    4: "COMMIT",
    5: "ROLLBACK",
    6: "REMOVE_DESTINATION",
    7: "SUBSCRIPTION",
    8: "PRODUCER_AUDIT",
    9: "ACK_MESSAGE_FILE_MAP",
    10: "UPDATE_MESSAGE",
    11: "ADD_SCHEDULED_JOB",
    12: "RESCHEDULE_JOB",
    13: "REMOVE_SCHEDULED_JOB",
    14: "REMOVE_SCHEDULED_JOBS",
    15: "DESTROY_SCHEDULER",
    16: "REWRITTEN_DATA_FILE",
  });
  function KahadbCommand(_io, _parent, _root) {
    this._io = _io;
    this._parent = _parent;
    this._root = _root || this;
    this._debug = {};
  }
  KahadbCommand.prototype._read = function() {
    this._debug.command = { start: this._io.pos, ioOffset: this._io.byteOffset, enumName: "KahadbCommand.Command" };
    this.command = this._io.readU1();
    this._debug.command.end = this._io.pos;
    this._debug.size = { start: this._io.pos, ioOffset: this._io.byteOffset };
    this.size = new Varint(this._io, this, this._root);
    this.size._read();
    this._debug.size.end = this._io.pos;
    this._debug.body = { start: this._io.pos, ioOffset: this._io.byteOffset };
    switch (this.command) {
    case KahadbCommand.Command.ACK_MESSAGE_FILE_MAP:
      this._raw_body = this._io.readBytes(this.size.amount);
      var _io__raw_body = new KaitaiStream(this._raw_body);
      this.body = new AckMessageFileMap(_io__raw_body, this, this._root);
      this.body._read();
      break;
    case KahadbCommand.Command.ADD_MESSAGE:
      this._raw_body = this._io.readBytes(this.size.amount);
      var _io__raw_body = new KaitaiStream(this._raw_body);
      this.body = new AddMessage(_io__raw_body, this, this._root);
      this.body._read();
      break;
    case KahadbCommand.Command.ADD_SCHEDULED_JOB:
      this._raw_body = this._io.readBytes(this.size.amount);
      var _io__raw_body = new KaitaiStream(this._raw_body);
      this.body = new AddScheduledJob(_io__raw_body, this, this._root);
      this.body._read();
      break;
    case KahadbCommand.Command.COMMIT:
      this._raw_body = this._io.readBytes(this.size.amount);
      var _io__raw_body = new KaitaiStream(this._raw_body);
      this.body = new Commit(_io__raw_body, this, this._root);
      this.body._read();
      break;
    case KahadbCommand.Command.DESTROY_SCHEDULER:
      this._raw_body = this._io.readBytes(this.size.amount);
      var _io__raw_body = new KaitaiStream(this._raw_body);
      this.body = new DestroyScheduler(_io__raw_body, this, this._root);
      this.body._read();
      break;
    case KahadbCommand.Command.PREPARE:
      this._raw_body = this._io.readBytes(this.size.amount);
      var _io__raw_body = new KaitaiStream(this._raw_body);
      this.body = new Prepare(_io__raw_body, this, this._root);
      this.body._read();
      break;
    case KahadbCommand.Command.PRODUCER_AUDIT:
      this._raw_body = this._io.readBytes(this.size.amount);
      var _io__raw_body = new KaitaiStream(this._raw_body);
      this.body = new ProducerAudit(_io__raw_body, this, this._root);
      this.body._read();
      break;
    case KahadbCommand.Command.REMOVE_DESTINATION:
      this._raw_body = this._io.readBytes(this.size.amount);
      var _io__raw_body = new KaitaiStream(this._raw_body);
      this.body = new RemoveDestination(_io__raw_body, this, this._root);
      this.body._read();
      break;
    case KahadbCommand.Command.REMOVE_MESSAGE:
      this._raw_body = this._io.readBytes(this.size.amount);
      var _io__raw_body = new KaitaiStream(this._raw_body);
      this.body = new RemoveMessage(_io__raw_body, this, this._root);
      this.body._read();
      break;
    case KahadbCommand.Command.REMOVE_SCHEDULED_JOB:
      this._raw_body = this._io.readBytes(this.size.amount);
      var _io__raw_body = new KaitaiStream(this._raw_body);
      this.body = new RemoveScheduledJob(_io__raw_body, this, this._root);
      this.body._read();
      break;
    case KahadbCommand.Command.REMOVE_SCHEDULED_JOBS:
      this._raw_body = this._io.readBytes(this.size.amount);
      var _io__raw_body = new KaitaiStream(this._raw_body);
      this.body = new RemoveScheduledJobs(_io__raw_body, this, this._root);
      this.body._read();
      break;
    case KahadbCommand.Command.RESCHEDULE_JOB:
      this._raw_body = this._io.readBytes(this.size.amount);
      var _io__raw_body = new KaitaiStream(this._raw_body);
      this.body = new RescheduleJob(_io__raw_body, this, this._root);
      this.body._read();
      break;
    case KahadbCommand.Command.REWRITTEN_DATA_FILE:
      this._raw_body = this._io.readBytes(this.size.amount);
      var _io__raw_body = new KaitaiStream(this._raw_body);
      this.body = new RewrittenDataFile(_io__raw_body, this, this._root);
      this.body._read();
      break;
    case KahadbCommand.Command.ROLLBACK:
      this._raw_body = this._io.readBytes(this.size.amount);
      var _io__raw_body = new KaitaiStream(this._raw_body);
      this.body = new Rollback(_io__raw_body, this, this._root);
      this.body._read();
      break;
    case KahadbCommand.Command.SUBSCRIPTION:
      this._raw_body = this._io.readBytes(this.size.amount);
      var _io__raw_body = new KaitaiStream(this._raw_body);
      this.body = new Subscription(_io__raw_body, this, this._root);
      this.body._read();
      break;
    case KahadbCommand.Command.TRACE:
      this._raw_body = this._io.readBytes(this.size.amount);
      var _io__raw_body = new KaitaiStream(this._raw_body);
      this.body = new Trace(_io__raw_body, this, this._root);
      this.body._read();
      break;
    case KahadbCommand.Command.UPDATE_MESSAGE:
      this._raw_body = this._io.readBytes(this.size.amount);
      var _io__raw_body = new KaitaiStream(this._raw_body);
      this.body = new UpdateMessage(_io__raw_body, this, this._root);
      this.body._read();
      break;
    default:
      this.body = this._io.readBytes(this.size.amount);
      break;
    }
    this._debug.body.end = this._io.pos;
  }
  var AckMessageFileMap = KahadbCommand.AckMessageFileMap = (function() {
    function AckMessageFileMap(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    AckMessageFileMap.prototype._read = function() {
      this._debug.fields = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this._debug.fields.arr = [];
      this.fields = [];
      var i = 0;
      while (!this._io.isEof()) {
        this._debug.fields.arr[this.fields.length] = { start: this._io.pos, ioOffset: this._io.byteOffset };
        var _t_fields = new AckMessageFileMapField(this._io, this, this._root);
        try {
          _t_fields._read();
        } finally {
          this.fields.push(_t_fields);
        }
        this._debug.fields.arr[this.fields.length - 1].end = this._io.pos;
        i++;
      }
      this._debug.fields.end = this._io.pos;
    }
    return AckMessageFileMap;
  })();
  var AckMessageFileMapField = KahadbCommand.AckMessageFileMapField = (function() {
    function AckMessageFileMapField(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    AckMessageFileMapField.prototype._read = function() {
      this._debug.key = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.key = this._io.readU1();
      this._debug.key.end = this._io.pos;
      if (this.key == 10) {
        this._debug.fileMap = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.fileMap = new Sized(this._io, this, this._root);
        this.fileMap._read();
        this._debug.fileMap.end = this._io.pos;
      }
    }
    return AckMessageFileMapField;
  })();
  var AddMessage = KahadbCommand.AddMessage = (function() {
    function AddMessage(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    AddMessage.prototype._read = function() {
      this._debug.fields = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this._debug.fields.arr = [];
      this.fields = [];
      var i = 0;
      while (!this._io.isEof()) {
        this._debug.fields.arr[this.fields.length] = { start: this._io.pos, ioOffset: this._io.byteOffset };
        var _t_fields = new AddMessageField(this._io, this, this._root);
        try {
          _t_fields._read();
        } finally {
          this.fields.push(_t_fields);
        }
        this._debug.fields.arr[this.fields.length - 1].end = this._io.pos;
        i++;
      }
      this._debug.fields.end = this._io.pos;
    }
    return AddMessage;
  })();
  var AddMessageField = KahadbCommand.AddMessageField = (function() {
    function AddMessageField(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    AddMessageField.prototype._read = function() {
      this._debug.key = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.key = this._io.readU1();
      this._debug.key.end = this._io.pos;
      if (this.key == 10) {
        this._debug.transaction = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.transaction = new SizedTransaction(this._io, this, this._root);
        this.transaction._read();
        this._debug.transaction.end = this._io.pos;
      }
      if (this.key == 18) {
        this._debug.destination = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.destination = new SizedDestination(this._io, this, this._root);
        this.destination._read();
        this._debug.destination.end = this._io.pos;
      }
      if (this.key == 26) {
        this._debug.messageId = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.messageId = new Sized(this._io, this, this._root);
        this.messageId._read();
        this._debug.messageId.end = this._io.pos;
      }
      if (this.key == 34) {
        this._debug.message = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.message = new Sized(this._io, this, this._root);
        this.message._read();
        this._debug.message.end = this._io.pos;
      }
      if (this.key == 40) {
        this._debug.priority = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.priority = new Varint(this._io, this, this._root);
        this.priority._read();
        this._debug.priority.end = this._io.pos;
      }
      if (this.key == 48) {
        this._debug.prioritySupported = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.prioritySupported = new Varint(this._io, this, this._root);
        this.prioritySupported._read();
        this._debug.prioritySupported.end = this._io.pos;
      }
    }
    return AddMessageField;
  })();
  var AddScheduledJob = KahadbCommand.AddScheduledJob = (function() {
    function AddScheduledJob(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    AddScheduledJob.prototype._read = function() {
      this._debug.fields = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this._debug.fields.arr = [];
      this.fields = [];
      var i = 0;
      while (!this._io.isEof()) {
        this._debug.fields.arr[this.fields.length] = { start: this._io.pos, ioOffset: this._io.byteOffset };
        var _t_fields = new AddScheduledJobField(this._io, this, this._root);
        try {
          _t_fields._read();
        } finally {
          this.fields.push(_t_fields);
        }
        this._debug.fields.arr[this.fields.length - 1].end = this._io.pos;
        i++;
      }
      this._debug.fields.end = this._io.pos;
    }
    return AddScheduledJob;
  })();
  var AddScheduledJobField = KahadbCommand.AddScheduledJobField = (function() {
    function AddScheduledJobField(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    AddScheduledJobField.prototype._read = function() {
      this._debug.key = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.key = this._io.readU1();
      this._debug.key.end = this._io.pos;
      if (this.key == 10) {
        this._debug.scheduler = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.scheduler = new Sized(this._io, this, this._root);
        this.scheduler._read();
        this._debug.scheduler.end = this._io.pos;
      }
      if (this.key == 18) {
        this._debug.jobId = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.jobId = new Sized(this._io, this, this._root);
        this.jobId._read();
        this._debug.jobId.end = this._io.pos;
      }
      if (this.key == 24) {
        this._debug.startTime = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.startTime = new Varint(this._io, this, this._root);
        this.startTime._read();
        this._debug.startTime.end = this._io.pos;
      }
      if (this.key == 34) {
        this._debug.cronEntry = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.cronEntry = new Sized(this._io, this, this._root);
        this.cronEntry._read();
        this._debug.cronEntry.end = this._io.pos;
      }
      if (this.key == 40) {
        this._debug.delay = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.delay = new Varint(this._io, this, this._root);
        this.delay._read();
        this._debug.delay.end = this._io.pos;
      }
      if (this.key == 48) {
        this._debug.period = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.period = new Varint(this._io, this, this._root);
        this.period._read();
        this._debug.period.end = this._io.pos;
      }
      if (this.key == 56) {
        this._debug.repeat = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.repeat = new Varint(this._io, this, this._root);
        this.repeat._read();
        this._debug.repeat.end = this._io.pos;
      }
      if (this.key == 66) {
        this._debug.job = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.job = new Sized(this._io, this, this._root);
        this.job._read();
        this._debug.job.end = this._io.pos;
      }
      if (this.key == 72) {
        this._debug.nextExecutionTime = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.nextExecutionTime = new Varint(this._io, this, this._root);
        this.nextExecutionTime._read();
        this._debug.nextExecutionTime.end = this._io.pos;
      }
    }
    return AddScheduledJobField;
  })();
  var Commit = KahadbCommand.Commit = (function() {
    function Commit(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Commit.prototype._read = function() {
      this._debug.fields = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this._debug.fields.arr = [];
      this.fields = [];
      var i = 0;
      while (!this._io.isEof()) {
        this._debug.fields.arr[this.fields.length] = { start: this._io.pos, ioOffset: this._io.byteOffset };
        var _t_fields = new CommitField(this._io, this, this._root);
        try {
          _t_fields._read();
        } finally {
          this.fields.push(_t_fields);
        }
        this._debug.fields.arr[this.fields.length - 1].end = this._io.pos;
        i++;
      }
      this._debug.fields.end = this._io.pos;
    }
    return Commit;
  })();
  var CommitField = KahadbCommand.CommitField = (function() {
    function CommitField(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    CommitField.prototype._read = function() {
      this._debug.key = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.key = this._io.readU1();
      this._debug.key.end = this._io.pos;
      if (this.key == 10) {
        this._debug.transaction = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.transaction = new SizedTransaction(this._io, this, this._root);
        this.transaction._read();
        this._debug.transaction.end = this._io.pos;
      }
    }
    return CommitField;
  })();
  var Destination = KahadbCommand.Destination = (function() {
    function Destination(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Destination.prototype._read = function() {
      this._debug.fields = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this._debug.fields.arr = [];
      this.fields = [];
      var i = 0;
      while (!this._io.isEof()) {
        this._debug.fields.arr[this.fields.length] = { start: this._io.pos, ioOffset: this._io.byteOffset };
        var _t_fields = new DestinationField(this._io, this, this._root);
        try {
          _t_fields._read();
        } finally {
          this.fields.push(_t_fields);
        }
        this._debug.fields.arr[this.fields.length - 1].end = this._io.pos;
        i++;
      }
      this._debug.fields.end = this._io.pos;
    }
    return Destination;
  })();
  var DestinationField = KahadbCommand.DestinationField = (function() {
    function DestinationField(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    DestinationField.prototype._read = function() {
      this._debug.key = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.key = this._io.readU1();
      this._debug.key.end = this._io.pos;
      if (this.key == 8) {
        this._debug.kind = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.kind = new Varint(this._io, this, this._root);
        this.kind._read();
        this._debug.kind.end = this._io.pos;
      }
      if (this.key == 18) {
        this._debug.name = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.name = new Sized(this._io, this, this._root);
        this.name._read();
        this._debug.name.end = this._io.pos;
      }
    }
    return DestinationField;
  })();
  var DestroyScheduler = KahadbCommand.DestroyScheduler = (function() {
    function DestroyScheduler(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    DestroyScheduler.prototype._read = function() {
      this._debug.fields = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this._debug.fields.arr = [];
      this.fields = [];
      var i = 0;
      while (!this._io.isEof()) {
        this._debug.fields.arr[this.fields.length] = { start: this._io.pos, ioOffset: this._io.byteOffset };
        var _t_fields = new DestroySchedulerField(this._io, this, this._root);
        try {
          _t_fields._read();
        } finally {
          this.fields.push(_t_fields);
        }
        this._debug.fields.arr[this.fields.length - 1].end = this._io.pos;
        i++;
      }
      this._debug.fields.end = this._io.pos;
    }
    return DestroyScheduler;
  })();
  var DestroySchedulerField = KahadbCommand.DestroySchedulerField = (function() {
    function DestroySchedulerField(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    DestroySchedulerField.prototype._read = function() {
      this._debug.key = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.key = this._io.readU1();
      this._debug.key.end = this._io.pos;
      if (this.key == 10) {
        this._debug.scheduler = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.scheduler = new Sized(this._io, this, this._root);
        this.scheduler._read();
        this._debug.scheduler.end = this._io.pos;
      }
    }
    return DestroySchedulerField;
  })();
  var Local = KahadbCommand.Local = (function() {
    function Local(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Local.prototype._read = function() {
      this._debug.fields = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this._debug.fields.arr = [];
      this.fields = [];
      var i = 0;
      while (!this._io.isEof()) {
        this._debug.fields.arr[this.fields.length] = { start: this._io.pos, ioOffset: this._io.byteOffset };
        var _t_fields = new LocalField(this._io, this, this._root);
        try {
          _t_fields._read();
        } finally {
          this.fields.push(_t_fields);
        }
        this._debug.fields.arr[this.fields.length - 1].end = this._io.pos;
        i++;
      }
      this._debug.fields.end = this._io.pos;
    }
    return Local;
  })();
  var LocalField = KahadbCommand.LocalField = (function() {
    function LocalField(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    LocalField.prototype._read = function() {
      this._debug.key = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.key = this._io.readU1();
      this._debug.key.end = this._io.pos;
      if (this.key == 10) {
        this._debug.connection = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.connection = new Sized(this._io, this, this._root);
        this.connection._read();
        this._debug.connection.end = this._io.pos;
      }
      if (this.key == 8) {
        this._debug.number = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.number = new Varint(this._io, this, this._root);
        this.number._read();
        this._debug.number.end = this._io.pos;
      }
    }
    return LocalField;
  })();
  var Location = KahadbCommand.Location = (function() {
    function Location(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Location.prototype._read = function() {
      this._debug.fields = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this._debug.fields.arr = [];
      this.fields = [];
      var i = 0;
      while (!this._io.isEof()) {
        this._debug.fields.arr[this.fields.length] = { start: this._io.pos, ioOffset: this._io.byteOffset };
        var _t_fields = new LocationField(this._io, this, this._root);
        try {
          _t_fields._read();
        } finally {
          this.fields.push(_t_fields);
        }
        this._debug.fields.arr[this.fields.length - 1].end = this._io.pos;
        i++;
      }
      this._debug.fields.end = this._io.pos;
    }
    return Location;
  })();
  var LocationField = KahadbCommand.LocationField = (function() {
    function LocationField(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    LocationField.prototype._read = function() {
      this._debug.key = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.key = this._io.readU1();
      this._debug.key.end = this._io.pos;
      if (this.key == 8) {
        this._debug.logId = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.logId = new Varint(this._io, this, this._root);
        this.logId._read();
        this._debug.logId.end = this._io.pos;
      }
      if (this.key == 16) {
        this._debug.offset = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.offset = new Varint(this._io, this, this._root);
        this.offset._read();
        this._debug.offset.end = this._io.pos;
      }
    }
    return LocationField;
  })();
  var Prepare = KahadbCommand.Prepare = (function() {
    function Prepare(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Prepare.prototype._read = function() {
      this._debug.fields = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this._debug.fields.arr = [];
      this.fields = [];
      var i = 0;
      while (!this._io.isEof()) {
        this._debug.fields.arr[this.fields.length] = { start: this._io.pos, ioOffset: this._io.byteOffset };
        var _t_fields = new PrepareField(this._io, this, this._root);
        try {
          _t_fields._read();
        } finally {
          this.fields.push(_t_fields);
        }
        this._debug.fields.arr[this.fields.length - 1].end = this._io.pos;
        i++;
      }
      this._debug.fields.end = this._io.pos;
    }
    return Prepare;
  })();
  var PrepareField = KahadbCommand.PrepareField = (function() {
    function PrepareField(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    PrepareField.prototype._read = function() {
      this._debug.key = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.key = this._io.readU1();
      this._debug.key.end = this._io.pos;
      if (this.key == 10) {
        this._debug.transaction = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.transaction = new SizedTransaction(this._io, this, this._root);
        this.transaction._read();
        this._debug.transaction.end = this._io.pos;
      }
    }
    return PrepareField;
  })();
  var ProducerAudit = KahadbCommand.ProducerAudit = (function() {
    function ProducerAudit(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    ProducerAudit.prototype._read = function() {
      this._debug.fields = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this._debug.fields.arr = [];
      this.fields = [];
      var i = 0;
      while (!this._io.isEof()) {
        this._debug.fields.arr[this.fields.length] = { start: this._io.pos, ioOffset: this._io.byteOffset };
        var _t_fields = new ProducerAuditField(this._io, this, this._root);
        try {
          _t_fields._read();
        } finally {
          this.fields.push(_t_fields);
        }
        this._debug.fields.arr[this.fields.length - 1].end = this._io.pos;
        i++;
      }
      this._debug.fields.end = this._io.pos;
    }
    return ProducerAudit;
  })();
  var ProducerAuditField = KahadbCommand.ProducerAuditField = (function() {
    function ProducerAuditField(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    ProducerAuditField.prototype._read = function() {
      this._debug.key = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.key = this._io.readU1();
      this._debug.key.end = this._io.pos;
      if (this.key == 10) {
        this._debug.audit = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.audit = new Sized(this._io, this, this._root);
        this.audit._read();
        this._debug.audit.end = this._io.pos;
      }
    }
    return ProducerAuditField;
  })();
  var RemoveDestination = KahadbCommand.RemoveDestination = (function() {
    function RemoveDestination(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    RemoveDestination.prototype._read = function() {
      this._debug.fields = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this._debug.fields.arr = [];
      this.fields = [];
      var i = 0;
      while (!this._io.isEof()) {
        this._debug.fields.arr[this.fields.length] = { start: this._io.pos, ioOffset: this._io.byteOffset };
        var _t_fields = new RemoveDestinationField(this._io, this, this._root);
        try {
          _t_fields._read();
        } finally {
          this.fields.push(_t_fields);
        }
        this._debug.fields.arr[this.fields.length - 1].end = this._io.pos;
        i++;
      }
      this._debug.fields.end = this._io.pos;
    }
    return RemoveDestination;
  })();
  var RemoveDestinationField = KahadbCommand.RemoveDestinationField = (function() {
    function RemoveDestinationField(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    RemoveDestinationField.prototype._read = function() {
      this._debug.key = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.key = this._io.readU1();
      this._debug.key.end = this._io.pos;
      if (this.key == 10) {
        this._debug.destination = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.destination = new SizedDestination(this._io, this, this._root);
        this.destination._read();
        this._debug.destination.end = this._io.pos;
      }
    }
    return RemoveDestinationField;
  })();
  var RemoveMessage = KahadbCommand.RemoveMessage = (function() {
    function RemoveMessage(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    RemoveMessage.prototype._read = function() {
      this._debug.fields = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this._debug.fields.arr = [];
      this.fields = [];
      var i = 0;
      while (!this._io.isEof()) {
        this._debug.fields.arr[this.fields.length] = { start: this._io.pos, ioOffset: this._io.byteOffset };
        var _t_fields = new RemoveMessageField(this._io, this, this._root);
        try {
          _t_fields._read();
        } finally {
          this.fields.push(_t_fields);
        }
        this._debug.fields.arr[this.fields.length - 1].end = this._io.pos;
        i++;
      }
      this._debug.fields.end = this._io.pos;
    }
    return RemoveMessage;
  })();
  var RemoveMessageField = KahadbCommand.RemoveMessageField = (function() {
    function RemoveMessageField(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    RemoveMessageField.prototype._read = function() {
      this._debug.key = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.key = this._io.readU1();
      this._debug.key.end = this._io.pos;
      if (this.key == 10) {
        this._debug.transaction = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.transaction = new SizedTransaction(this._io, this, this._root);
        this.transaction._read();
        this._debug.transaction.end = this._io.pos;
      }
      if (this.key == 18) {
        this._debug.destination = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.destination = new SizedDestination(this._io, this, this._root);
        this.destination._read();
        this._debug.destination.end = this._io.pos;
      }
      if (this.key == 26) {
        this._debug.messageId = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.messageId = new Sized(this._io, this, this._root);
        this.messageId._read();
        this._debug.messageId.end = this._io.pos;
      }
      if (this.key == 34) {
        this._debug.ack = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.ack = new Sized(this._io, this, this._root);
        this.ack._read();
        this._debug.ack.end = this._io.pos;
      }
      if (this.key == 42) {
        this._debug.subscriptionKey = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.subscriptionKey = new Sized(this._io, this, this._root);
        this.subscriptionKey._read();
        this._debug.subscriptionKey.end = this._io.pos;
      }
    }
    return RemoveMessageField;
  })();
  var RemoveScheduledJob = KahadbCommand.RemoveScheduledJob = (function() {
    function RemoveScheduledJob(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    RemoveScheduledJob.prototype._read = function() {
      this._debug.fields = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this._debug.fields.arr = [];
      this.fields = [];
      var i = 0;
      while (!this._io.isEof()) {
        this._debug.fields.arr[this.fields.length] = { start: this._io.pos, ioOffset: this._io.byteOffset };
        var _t_fields = new RemoveScheduledJobField(this._io, this, this._root);
        try {
          _t_fields._read();
        } finally {
          this.fields.push(_t_fields);
        }
        this._debug.fields.arr[this.fields.length - 1].end = this._io.pos;
        i++;
      }
      this._debug.fields.end = this._io.pos;
    }
    return RemoveScheduledJob;
  })();
  var RemoveScheduledJobField = KahadbCommand.RemoveScheduledJobField = (function() {
    function RemoveScheduledJobField(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    RemoveScheduledJobField.prototype._read = function() {
      this._debug.key = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.key = this._io.readU1();
      this._debug.key.end = this._io.pos;
      if (this.key == 10) {
        this._debug.scheduler = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.scheduler = new Sized(this._io, this, this._root);
        this.scheduler._read();
        this._debug.scheduler.end = this._io.pos;
      }
      if (this.key == 18) {
        this._debug.jobId = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.jobId = new Sized(this._io, this, this._root);
        this.jobId._read();
        this._debug.jobId.end = this._io.pos;
      }
      if (this.key == 24) {
        this._debug.nextExecutionTime = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.nextExecutionTime = new Varint(this._io, this, this._root);
        this.nextExecutionTime._read();
        this._debug.nextExecutionTime.end = this._io.pos;
      }
    }
    return RemoveScheduledJobField;
  })();
  var RemoveScheduledJobs = KahadbCommand.RemoveScheduledJobs = (function() {
    function RemoveScheduledJobs(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    RemoveScheduledJobs.prototype._read = function() {
      this._debug.fields = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this._debug.fields.arr = [];
      this.fields = [];
      var i = 0;
      while (!this._io.isEof()) {
        this._debug.fields.arr[this.fields.length] = { start: this._io.pos, ioOffset: this._io.byteOffset };
        var _t_fields = new RemoveScheduledJobsField(this._io, this, this._root);
        try {
          _t_fields._read();
        } finally {
          this.fields.push(_t_fields);
        }
        this._debug.fields.arr[this.fields.length - 1].end = this._io.pos;
        i++;
      }
      this._debug.fields.end = this._io.pos;
    }
    return RemoveScheduledJobs;
  })();
  var RemoveScheduledJobsField = KahadbCommand.RemoveScheduledJobsField = (function() {
    function RemoveScheduledJobsField(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    RemoveScheduledJobsField.prototype._read = function() {
      this._debug.key = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.key = this._io.readU1();
      this._debug.key.end = this._io.pos;
      if (this.key == 10) {
        this._debug.scheduler = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.scheduler = new Sized(this._io, this, this._root);
        this.scheduler._read();
        this._debug.scheduler.end = this._io.pos;
      }
      if (this.key == 16) {
        this._debug.startTime = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.startTime = new Varint(this._io, this, this._root);
        this.startTime._read();
        this._debug.startTime.end = this._io.pos;
      }
      if (this.key == 24) {
        this._debug.endTime = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.endTime = new Varint(this._io, this, this._root);
        this.endTime._read();
        this._debug.endTime.end = this._io.pos;
      }
    }
    return RemoveScheduledJobsField;
  })();
  var RescheduleJob = KahadbCommand.RescheduleJob = (function() {
    function RescheduleJob(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    RescheduleJob.prototype._read = function() {
      this._debug.fields = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this._debug.fields.arr = [];
      this.fields = [];
      var i = 0;
      while (!this._io.isEof()) {
        this._debug.fields.arr[this.fields.length] = { start: this._io.pos, ioOffset: this._io.byteOffset };
        var _t_fields = new RescheduleJobField(this._io, this, this._root);
        try {
          _t_fields._read();
        } finally {
          this.fields.push(_t_fields);
        }
        this._debug.fields.arr[this.fields.length - 1].end = this._io.pos;
        i++;
      }
      this._debug.fields.end = this._io.pos;
    }
    return RescheduleJob;
  })();
  var RescheduleJobField = KahadbCommand.RescheduleJobField = (function() {
    function RescheduleJobField(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    RescheduleJobField.prototype._read = function() {
      this._debug.key = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.key = this._io.readU1();
      this._debug.key.end = this._io.pos;
      if (this.key == 10) {
        this._debug.scheduler = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.scheduler = new Sized(this._io, this, this._root);
        this.scheduler._read();
        this._debug.scheduler.end = this._io.pos;
      }
      if (this.key == 18) {
        this._debug.jobId = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.jobId = new Sized(this._io, this, this._root);
        this.jobId._read();
        this._debug.jobId.end = this._io.pos;
      }
      if (this.key == 24) {
        this._debug.executionTime = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.executionTime = new Varint(this._io, this, this._root);
        this.executionTime._read();
        this._debug.executionTime.end = this._io.pos;
      }
      if (this.key == 32) {
        this._debug.nextExecutionTime = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.nextExecutionTime = new Varint(this._io, this, this._root);
        this.nextExecutionTime._read();
        this._debug.nextExecutionTime.end = this._io.pos;
      }
      if (this.key == 40) {
        this._debug.rescheduledCount = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.rescheduledCount = new Varint(this._io, this, this._root);
        this.rescheduledCount._read();
        this._debug.rescheduledCount.end = this._io.pos;
      }
    }
    return RescheduleJobField;
  })();
  var RewrittenDataFile = KahadbCommand.RewrittenDataFile = (function() {
    function RewrittenDataFile(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    RewrittenDataFile.prototype._read = function() {
      this._debug.fields = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this._debug.fields.arr = [];
      this.fields = [];
      var i = 0;
      while (!this._io.isEof()) {
        this._debug.fields.arr[this.fields.length] = { start: this._io.pos, ioOffset: this._io.byteOffset };
        var _t_fields = new RewrittenDataFileField(this._io, this, this._root);
        try {
          _t_fields._read();
        } finally {
          this.fields.push(_t_fields);
        }
        this._debug.fields.arr[this.fields.length - 1].end = this._io.pos;
        i++;
      }
      this._debug.fields.end = this._io.pos;
    }
    return RewrittenDataFile;
  })();
  var RewrittenDataFileField = KahadbCommand.RewrittenDataFileField = (function() {
    function RewrittenDataFileField(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    RewrittenDataFileField.prototype._read = function() {
      this._debug.key = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.key = this._io.readU1();
      this._debug.key.end = this._io.pos;
      if (this.key == 8) {
        this._debug.sourceFile = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.sourceFile = new Varint(this._io, this, this._root);
        this.sourceFile._read();
        this._debug.sourceFile.end = this._io.pos;
      }
      if (this.key == 16) {
        this._debug.rewriteType = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.rewriteType = new Varint(this._io, this, this._root);
        this.rewriteType._read();
        this._debug.rewriteType.end = this._io.pos;
      }
      if (this.key == 24) {
        this._debug.skipIfSourceExists = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.skipIfSourceExists = new Varint(this._io, this, this._root);
        this.skipIfSourceExists._read();
        this._debug.skipIfSourceExists.end = this._io.pos;
      }
    }
    return RewrittenDataFileField;
  })();
  var Rollback = KahadbCommand.Rollback = (function() {
    function Rollback(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Rollback.prototype._read = function() {
      this._debug.fields = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this._debug.fields.arr = [];
      this.fields = [];
      var i = 0;
      while (!this._io.isEof()) {
        this._debug.fields.arr[this.fields.length] = { start: this._io.pos, ioOffset: this._io.byteOffset };
        var _t_fields = new RollbackField(this._io, this, this._root);
        try {
          _t_fields._read();
        } finally {
          this.fields.push(_t_fields);
        }
        this._debug.fields.arr[this.fields.length - 1].end = this._io.pos;
        i++;
      }
      this._debug.fields.end = this._io.pos;
    }
    return Rollback;
  })();
  var RollbackField = KahadbCommand.RollbackField = (function() {
    function RollbackField(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    RollbackField.prototype._read = function() {
      this._debug.key = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.key = this._io.readU1();
      this._debug.key.end = this._io.pos;
      if (this.key == 10) {
        this._debug.transaction = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.transaction = new SizedTransaction(this._io, this, this._root);
        this.transaction._read();
        this._debug.transaction.end = this._io.pos;
      }
    }
    return RollbackField;
  })();
  var Sized = KahadbCommand.Sized = (function() {
    function Sized(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Sized.prototype._read = function() {
      this._debug.size = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.size = new Varint(this._io, this, this._root);
      this.size._read();
      this._debug.size.end = this._io.pos;
      this._debug.value = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.value = this._io.readBytes(this.size.amount);
      this._debug.value.end = this._io.pos;
    }
    return Sized;
  })();
  var SizedAddMessage = KahadbCommand.SizedAddMessage = (function() {
    function SizedAddMessage(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    SizedAddMessage.prototype._read = function() {
      this._debug.size = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.size = new Varint(this._io, this, this._root);
      this.size._read();
      this._debug.size.end = this._io.pos;
      this._debug.value = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this._raw_value = this._io.readBytes(this.size.amount);
      var _io__raw_value = new KaitaiStream(this._raw_value);
      this.value = new AddMessage(_io__raw_value, this, this._root);
      this.value._read();
      this._debug.value.end = this._io.pos;
    }
    return SizedAddMessage;
  })();
  var SizedDestination = KahadbCommand.SizedDestination = (function() {
    function SizedDestination(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    SizedDestination.prototype._read = function() {
      this._debug.size = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.size = new Varint(this._io, this, this._root);
      this.size._read();
      this._debug.size.end = this._io.pos;
      this._debug.value = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this._raw_value = this._io.readBytes(this.size.amount);
      var _io__raw_value = new KaitaiStream(this._raw_value);
      this.value = new Destination(_io__raw_value, this, this._root);
      this.value._read();
      this._debug.value.end = this._io.pos;
    }
    return SizedDestination;
  })();
  var SizedLocal = KahadbCommand.SizedLocal = (function() {
    function SizedLocal(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    SizedLocal.prototype._read = function() {
      this._debug.size = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.size = new Varint(this._io, this, this._root);
      this.size._read();
      this._debug.size.end = this._io.pos;
      this._debug.value = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this._raw_value = this._io.readBytes(this.size.amount);
      var _io__raw_value = new KaitaiStream(this._raw_value);
      this.value = new Local(_io__raw_value, this, this._root);
      this.value._read();
      this._debug.value.end = this._io.pos;
    }
    return SizedLocal;
  })();
  var SizedLocation = KahadbCommand.SizedLocation = (function() {
    function SizedLocation(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    SizedLocation.prototype._read = function() {
      this._debug.size = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.size = new Varint(this._io, this, this._root);
      this.size._read();
      this._debug.size.end = this._io.pos;
      this._debug.value = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this._raw_value = this._io.readBytes(this.size.amount);
      var _io__raw_value = new KaitaiStream(this._raw_value);
      this.value = new Location(_io__raw_value, this, this._root);
      this.value._read();
      this._debug.value.end = this._io.pos;
    }
    return SizedLocation;
  })();
  var SizedTransaction = KahadbCommand.SizedTransaction = (function() {
    function SizedTransaction(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    SizedTransaction.prototype._read = function() {
      this._debug.size = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.size = new Varint(this._io, this, this._root);
      this.size._read();
      this._debug.size.end = this._io.pos;
      this._debug.value = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this._raw_value = this._io.readBytes(this.size.amount);
      var _io__raw_value = new KaitaiStream(this._raw_value);
      this.value = new Transaction(_io__raw_value, this, this._root);
      this.value._read();
      this._debug.value.end = this._io.pos;
    }
    return SizedTransaction;
  })();
  var SizedXa = KahadbCommand.SizedXa = (function() {
    function SizedXa(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    SizedXa.prototype._read = function() {
      this._debug.size = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.size = new Varint(this._io, this, this._root);
      this.size._read();
      this._debug.size.end = this._io.pos;
      this._debug.value = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this._raw_value = this._io.readBytes(this.size.amount);
      var _io__raw_value = new KaitaiStream(this._raw_value);
      this.value = new Xa(_io__raw_value, this, this._root);
      this.value._read();
      this._debug.value.end = this._io.pos;
    }
    return SizedXa;
  })();
  var Subscription = KahadbCommand.Subscription = (function() {
    function Subscription(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Subscription.prototype._read = function() {
      this._debug.fields = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this._debug.fields.arr = [];
      this.fields = [];
      var i = 0;
      while (!this._io.isEof()) {
        this._debug.fields.arr[this.fields.length] = { start: this._io.pos, ioOffset: this._io.byteOffset };
        var _t_fields = new SubscriptionField(this._io, this, this._root);
        try {
          _t_fields._read();
        } finally {
          this.fields.push(_t_fields);
        }
        this._debug.fields.arr[this.fields.length - 1].end = this._io.pos;
        i++;
      }
      this._debug.fields.end = this._io.pos;
    }
    return Subscription;
  })();
  var SubscriptionField = KahadbCommand.SubscriptionField = (function() {
    function SubscriptionField(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    SubscriptionField.prototype._read = function() {
      this._debug.key = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.key = this._io.readU1();
      this._debug.key.end = this._io.pos;
      if (this.key == 10) {
        this._debug.destination = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.destination = new SizedDestination(this._io, this, this._root);
        this.destination._read();
        this._debug.destination.end = this._io.pos;
      }
      if (this.key == 18) {
        this._debug.subscriptionKey = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.subscriptionKey = new Sized(this._io, this, this._root);
        this.subscriptionKey._read();
        this._debug.subscriptionKey.end = this._io.pos;
      }
      if (this.key == 24) {
        this._debug.retroactive = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.retroactive = new Varint(this._io, this, this._root);
        this.retroactive._read();
        this._debug.retroactive.end = this._io.pos;
      }
      if (this.key == 34) {
        this._debug.subscriptionInfo = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.subscriptionInfo = new Sized(this._io, this, this._root);
        this.subscriptionInfo._read();
        this._debug.subscriptionInfo.end = this._io.pos;
      }
    }
    return SubscriptionField;
  })();
  var Trace = KahadbCommand.Trace = (function() {
    function Trace(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Trace.prototype._read = function() {
      this._debug.fields = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this._debug.fields.arr = [];
      this.fields = [];
      var i = 0;
      while (!this._io.isEof()) {
        this._debug.fields.arr[this.fields.length] = { start: this._io.pos, ioOffset: this._io.byteOffset };
        var _t_fields = new TraceField(this._io, this, this._root);
        try {
          _t_fields._read();
        } finally {
          this.fields.push(_t_fields);
        }
        this._debug.fields.arr[this.fields.length - 1].end = this._io.pos;
        i++;
      }
      this._debug.fields.end = this._io.pos;
    }
    return Trace;
  })();
  var TraceField = KahadbCommand.TraceField = (function() {
    function TraceField(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    TraceField.prototype._read = function() {
      this._debug.key = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.key = this._io.readU1();
      this._debug.key.end = this._io.pos;
      if (this.key == 10) {
        this._debug.text = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.text = new Sized(this._io, this, this._root);
        this.text._read();
        this._debug.text.end = this._io.pos;
      }
    }
    return TraceField;
  })();
  var Transaction = KahadbCommand.Transaction = (function() {
    function Transaction(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Transaction.prototype._read = function() {
      this._debug.fields = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this._debug.fields.arr = [];
      this.fields = [];
      var i = 0;
      while (!this._io.isEof()) {
        this._debug.fields.arr[this.fields.length] = { start: this._io.pos, ioOffset: this._io.byteOffset };
        var _t_fields = new TransactionField(this._io, this, this._root);
        try {
          _t_fields._read();
        } finally {
          this.fields.push(_t_fields);
        }
        this._debug.fields.arr[this.fields.length - 1].end = this._io.pos;
        i++;
      }
      this._debug.fields.end = this._io.pos;
    }
    return Transaction;
  })();
  var TransactionField = KahadbCommand.TransactionField = (function() {
    function TransactionField(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    TransactionField.prototype._read = function() {
      this._debug.key = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.key = this._io.readU1();
      this._debug.key.end = this._io.pos;
      if (this.key == 10) {
        this._debug.local = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.local = new SizedLocal(this._io, this, this._root);
        this.local._read();
        this._debug.local.end = this._io.pos;
      }
      if (this.key == 18) {
        this._debug.xa = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.xa = new SizedXa(this._io, this, this._root);
        this.xa._read();
        this._debug.xa.end = this._io.pos;
      }
      if (this.key == 26) {
        this._debug.previousEntry = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.previousEntry = new SizedLocation(this._io, this, this._root);
        this.previousEntry._read();
        this._debug.previousEntry.end = this._io.pos;
      }
    }
    return TransactionField;
  })();
  var UpdateMessage = KahadbCommand.UpdateMessage = (function() {
    function UpdateMessage(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    UpdateMessage.prototype._read = function() {
      this._debug.fields = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this._debug.fields.arr = [];
      this.fields = [];
      var i = 0;
      while (!this._io.isEof()) {
        this._debug.fields.arr[this.fields.length] = { start: this._io.pos, ioOffset: this._io.byteOffset };
        var _t_fields = new UpdateMessageField(this._io, this, this._root);
        try {
          _t_fields._read();
        } finally {
          this.fields.push(_t_fields);
        }
        this._debug.fields.arr[this.fields.length - 1].end = this._io.pos;
        i++;
      }
      this._debug.fields.end = this._io.pos;
    }
    return UpdateMessage;
  })();
  var UpdateMessageField = KahadbCommand.UpdateMessageField = (function() {
    function UpdateMessageField(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    UpdateMessageField.prototype._read = function() {
      this._debug.key = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.key = this._io.readU1();
      this._debug.key.end = this._io.pos;
      if (this.key == 10) {
        this._debug.add = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.add = new SizedAddMessage(this._io, this, this._root);
        this.add._read();
        this._debug.add.end = this._io.pos;
      }
    }
    return UpdateMessageField;
  })();
  var Varint = KahadbCommand.Varint = (function() {
    function Varint(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Varint.prototype._read = function() {
      this._debug.groups = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this._debug.groups.arr = [];
      this.groups = [];
      var i = 0;
      do {
        this._debug.groups.arr[this.groups.length] = { start: this._io.pos, ioOffset: this._io.byteOffset };
        var _ = this._io.readU1();
        this.groups.push(_);
        this._debug.groups.arr[this.groups.length - 1].end = this._io.pos;
        i++;
      } while (!(_ < 128));
      this._debug.groups.end = this._io.pos;
    }
    Object.defineProperty(Varint.prototype, 'amount', {
      get: function() {
        if (this._m_amount !== undefined)
          return this._m_amount;
        this._debug._m_amount = {  };
        this._m_amount = ((((((((((this.high * 128) + (this.groups.length > 4 ? (this.groups[4] & 127) : 0)) * 128) + (this.groups.length > 3 ? (this.groups[3] & 127) : 0)) * 128) + (this.groups.length > 2 ? (this.groups[2] & 127) : 0)) * 128) + (this.groups.length > 1 ? (this.groups[1] & 127) : 0)) * 128) + (this.groups.length > 0 ? (this.groups[0] & 127) : 0));
        return this._m_amount;
      }
    });
    Object.defineProperty(Varint.prototype, 'high', {
      get: function() {
        if (this._m_high !== undefined)
          return this._m_high;
        this._debug._m_high = {  };
        this._m_high = (((((((((this.groups.length > 9 ? ((this.groups[9] & 1) * -1) : 0) * 128) + (this.groups.length > 8 ? (this.groups[8] & 127) : 0)) * 128) + (this.groups.length > 7 ? (this.groups[7] & 127) : 0)) * 128) + (this.groups.length > 6 ? (this.groups[6] & 127) : 0)) * 128) + (this.groups.length > 5 ? (this.groups[5] & 127) : 0));
        return this._m_high;
      }
    });
    return Varint;
  })();
  var Xa = KahadbCommand.Xa = (function() {
    function Xa(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Xa.prototype._read = function() {
      this._debug.fields = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this._debug.fields.arr = [];
      this.fields = [];
      var i = 0;
      while (!this._io.isEof()) {
        this._debug.fields.arr[this.fields.length] = { start: this._io.pos, ioOffset: this._io.byteOffset };
        var _t_fields = new XaField(this._io, this, this._root);
        try {
          _t_fields._read();
        } finally {
          this.fields.push(_t_fields);
        }
        this._debug.fields.arr[this.fields.length - 1].end = this._io.pos;
        i++;
      }
      this._debug.fields.end = this._io.pos;
    }
    return Xa;
  })();
  var XaField = KahadbCommand.XaField = (function() {
    function XaField(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    XaField.prototype._read = function() {
      this._debug.key = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.key = this._io.readU1();
      this._debug.key.end = this._io.pos;
      if (this.key == 8) {
        this._debug.formatId = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.formatId = new Varint(this._io, this, this._root);
        this.formatId._read();
        this._debug.formatId.end = this._io.pos;
      }
      if (this.key == 18) {
        this._debug.bqual = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.bqual = new Sized(this._io, this, this._root);
        this.bqual._read();
        this._debug.bqual.end = this._io.pos;
      }
      if (this.key == 26) {
        this._debug.gtrid = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.gtrid = new Sized(this._io, this, this._root);
        this.gtrid._read();
        this._debug.gtrid.end = this._io.pos;
      }
    }
    return XaField;
  })();
  return KahadbCommand;
})();
KahadbCommand_.KahadbCommand = KahadbCommand;
});
// This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
(function (root, factory) {
  if (typeof define === 'function' && define.amd) {
    define(['exports', 'kaitai-struct/KaitaiStream'], factory);
  } else if (typeof exports === 'object' && exports !== null && typeof exports.nodeType !== 'number') {
    factory(exports, require('kaitai-struct/KaitaiStream'));
  } else {
    factory(root.KahadbJournal || (root.KahadbJournal = {}), root.KaitaiStream);
  }
})(typeof self !== 'undefined' ? self : this, function (KahadbJournal_, KaitaiStream) {
var KahadbJournal = (function() {
  KahadbJournal.Command = Object.freeze({
    TRACE: 0,
    ADD_MESSAGE: 1,
    REMOVE_MESSAGE: 2,
    PREPARE: 3,
    COMMIT: 4,
    ROLLBACK: 5,
    REMOVE_DESTINATION: 6,
    SUBSCRIPTION: 7,
    PRODUCER_AUDIT: 8,
    ACK_MESSAGE_FILE_MAP: 9,
    UPDATE_MESSAGE: 10,
    ADD_SCHEDULED_JOB: 11,
    RESCHEDULE_JOB: 12,
    REMOVE_SCHEDULED_JOB: 13,
    REMOVE_SCHEDULED_JOBS: 14,
    DESTROY_SCHEDULER: 15,
    REWRITTEN_DATA_FILE: 16,
    0: "TRACE",
    1: "ADD_MESSAGE",
    2: "REMOVE_MESSAGE",
    3: "PREPARE",
    4: "COMMIT",
    5: "ROLLBACK",
    6: "REMOVE_DESTINATION",
    7: "SUBSCRIPTION",
    8: "PRODUCER_AUDIT",
    9: "ACK_MESSAGE_FILE_MAP",
    10: "UPDATE_MESSAGE",
    11: "ADD_SCHEDULED_JOB",
    12: "RESCHEDULE_JOB",
    13: "REMOVE_SCHEDULED_JOB",
    14: "REMOVE_SCHEDULED_JOBS",
    15: "DESTROY_SCHEDULER",
    16: "REWRITTEN_DATA_FILE",
  });
  function KahadbJournal(_io, _parent, _root) {
    this._io = _io;
    this._parent = _parent;
    this._root = _root || this;
    this._debug = {};
  }
  KahadbJournal.prototype._read = function() {
    this._debug.slots = { start: this._io.pos, ioOffset: this._io.byteOffset };
    this._debug.slots.arr = [];
    this.slots = [];
    var i = 0;
    do {
      this._debug.slots.arr[this.slots.length] = { start: this._io.pos, ioOffset: this._io.byteOffset };
      var _t_slots = new Slot(this._io, this, this._root, this._io.pos);
      try {
        _t_slots._read();
      } finally {
        var _ = _t_slots;
        this.slots.push(_);
      }
      this._debug.slots.arr[this.slots.length - 1].end = this._io.pos;
      i++;
    } while (!(!(_.isBatch)));
    this._debug.slots.end = this._io.pos;
    if (this._io.size - this._io.pos >= 5) {
      this._debug.endMarker = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.endMarker = this._io.readBytes(5);
      this._debug.endMarker.end = this._io.pos;
    }
    this._debug.rest = { start: this._io.pos, ioOffset: this._io.byteOffset };
    this.rest = this._io.readBytesFull();
    this._debug.rest.end = this._io.pos;
  }
  var Batch = KahadbJournal.Batch = (function() {
    function Batch(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Batch.prototype._read = function() {
      this._debug.control = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.control = new ControlRecord(this._io, this, this._root);
      this.control._read();
      this._debug.control.end = this._io.pos;
      this._debug.log = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this._raw_log = this._io.readBytes(this.control.batchSize);
      var _io__raw_log = new KaitaiStream(this._raw_log);
      this.log = new Log(_io__raw_log, this, this._root);
      this.log._read();
      this._debug.log.end = this._io.pos;
    }
    return Batch;
  })();
  var ControlRecord = KahadbJournal.ControlRecord = (function() {
    function ControlRecord(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    ControlRecord.prototype._read = function() {
      this._debug.length = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.length = this._io.readS4be();
      this._debug.length.end = this._io.pos;
      if (!(this.length >= 28)) {
        var _err = new KaitaiStream.ValidationLessThanError(28, this.length, this._io, "/types/control_record/seq/0");
        this._debug.length.validationError = _err;
        throw _err;
      }
      if (!(this.length <= 28)) {
        var _err = new KaitaiStream.ValidationGreaterThanError(28, this.length, this._io, "/types/control_record/seq/0");
        this._debug.length.validationError = _err;
        throw _err;
      }
      this._debug.recordType = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.recordType = this._io.readBytes(1);
      this._debug.recordType.end = this._io.pos;
      if (!((KaitaiStream.byteArrayCompare(this.recordType, new Uint8Array([2])) == 0))) {
        var _err = new KaitaiStream.ValidationNotEqualError(new Uint8Array([2]), this.recordType, this._io, "/types/control_record/seq/1");
        this._debug.recordType.validationError = _err;
        throw _err;
      }
      this._debug.magic = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.magic = this._io.readBytes(11);
      this._debug.magic.end = this._io.pos;
      if (!((KaitaiStream.byteArrayCompare(this.magic, new Uint8Array([87, 82, 73, 84, 69, 32, 66, 65, 84, 67, 72])) == 0))) {
        var _err = new KaitaiStream.ValidationNotEqualError(new Uint8Array([87, 82, 73, 84, 69, 32, 66, 65, 84, 67, 72]), this.magic, this._io, "/types/control_record/seq/2");
        this._debug.magic.validationError = _err;
        throw _err;
      }
      this._debug.batchSize = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.batchSize = this._io.readS4be();
      this._debug.batchSize.end = this._io.pos;
      if (!(this.batchSize >= 5)) {
        var _err = new KaitaiStream.ValidationLessThanError(5, this.batchSize, this._io, "/types/control_record/seq/3");
        this._debug.batchSize.validationError = _err;
        throw _err;
      }
      this._debug.checksum = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.checksum = this._io.readS8be();
      this._debug.checksum.end = this._io.pos;
    }
    return ControlRecord;
  })();
  var Entry = KahadbJournal.Entry = (function() {
    function Entry(_io, _parent, _root, start) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this.start = start;
      this._debug = {};
    }
    Entry.prototype._read = function() {
      if ( ((this.entryType == 1) || (this.entryType == 2)) ) {
        this._debug.user = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.user = new Record(this._io, this, this._root);
        this.user._read();
        this._debug.user.end = this._io.pos;
      }
      if ( ((this.entryType != 1) && (this.entryType != 2)) ) {
        this._debug.other = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.other = new UnknownRecord(this._io, this, this._root);
        this.other._read();
        this._debug.other.end = this._io.pos;
      }
    }
    Object.defineProperty(Entry.prototype, 'entryType', {
      get: function() {
        if (this._m_entryType !== undefined)
          return this._m_entryType;
        if (this._io.size - this.start >= 5) {
          var _pos = this._io.pos;
          this._io.seek(this.start + 4);
          this._debug._m_entryType = { start: this._io.pos, ioOffset: this._io.byteOffset };
          this._m_entryType = this._io.readU1();
          this._debug._m_entryType.end = this._io.pos;
          this._io.seek(_pos);
        }
        return this._m_entryType;
      }
    });
    return Entry;
  })();
  var Log = KahadbJournal.Log = (function() {
    function Log(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Log.prototype._read = function() {
      this._debug.records = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this._debug.records.arr = [];
      this.records = [];
      var i = 0;
      while (!this._io.isEof()) {
        this._debug.records.arr[this.records.length] = { start: this._io.pos, ioOffset: this._io.byteOffset };
        var _t_records = new Entry(this._io, this, this._root, this._io.pos);
        try {
          _t_records._read();
        } finally {
          this.records.push(_t_records);
        }
        this._debug.records.arr[this.records.length - 1].end = this._io.pos;
        i++;
      }
      this._debug.records.end = this._io.pos;
    }
    return Log;
  })();
  var Record = KahadbJournal.Record = (function() {
    function Record(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Record.prototype._read = function() {
      this._debug.length = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.length = this._io.readS4be();
      this._debug.length.end = this._io.pos;
      if (!(this.length >= 5)) {
        var _err = new KaitaiStream.ValidationLessThanError(5, this.length, this._io, "/types/record/seq/0");
        this._debug.length.validationError = _err;
        throw _err;
      }
      this._debug.recordType = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.recordType = this._io.readBytes(1);
      this._debug.recordType.end = this._io.pos;
      if (!((KaitaiStream.byteArrayCompare(this.recordType, new Uint8Array([1])) == 0))) {
        var _err = new KaitaiStream.ValidationNotEqualError(new Uint8Array([1]), this.recordType, this._io, "/types/record/seq/1");
        this._debug.recordType.validationError = _err;
        throw _err;
      }
      if (this.length >= 6) {
        this._debug.command = { start: this._io.pos, ioOffset: this._io.byteOffset, enumName: "KahadbJournal.Command" };
        this.command = this._io.readU1();
        this._debug.command.end = this._io.pos;
      }
      if (this.length >= 6) {
        this._debug.frame = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.frame = this._io.readBytes(this.length - 6);
        this._debug.frame.end = this._io.pos;
      }
    }
    return Record;
  })();
  var Slot = KahadbJournal.Slot = (function() {
    function Slot(_io, _parent, _root, start) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this.start = start;
      this._debug = {};
    }
    Slot.prototype._read = function() {
      if (this.isBatch) {
        this._debug.batch = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.batch = new Batch(this._io, this, this._root);
        this.batch._read();
        this._debug.batch.end = this._io.pos;
      }
    }
    Object.defineProperty(Slot.prototype, 'isBatch', {
      get: function() {
        if (this._m_isBatch !== undefined)
          return this._m_isBatch;
        this._debug._m_isBatch = {  };
        this._m_isBatch =  ((this.room >= 28) && (this.nextLength == 28) && ( ((this.nextSize != 0) || ( ((this.nextChecksum != 0) && (this.nextChecksum != 1)) )) )) ;
        return this._m_isBatch;
      }
    });
    Object.defineProperty(Slot.prototype, 'nextChecksum', {
      get: function() {
        if (this._m_nextChecksum !== undefined)
          return this._m_nextChecksum;
        if (this.room >= 28) {
          var _pos = this._io.pos;
          this._io.seek(this.start + 20);
          this._debug._m_nextChecksum = { start: this._io.pos, ioOffset: this._io.byteOffset };
          this._m_nextChecksum = this._io.readS8be();
          this._debug._m_nextChecksum.end = this._io.pos;
          this._io.seek(_pos);
        }
        return this._m_nextChecksum;
      }
    });
    Object.defineProperty(Slot.prototype, 'nextLength', {
      get: function() {
        if (this._m_nextLength !== undefined)
          return this._m_nextLength;
        if (this.room >= 28) {
          var _pos = this._io.pos;
          this._io.seek(this.start);
          this._debug._m_nextLength = { start: this._io.pos, ioOffset: this._io.byteOffset };
          this._m_nextLength = this._io.readS4be();
          this._debug._m_nextLength.end = this._io.pos;
          this._io.seek(_pos);
        }
        return this._m_nextLength;
      }
    });
    Object.defineProperty(Slot.prototype, 'nextSize', {
      get: function() {
        if (this._m_nextSize !== undefined)
          return this._m_nextSize;
        if (this.room >= 28) {
          var _pos = this._io.pos;
          this._io.seek(this.start + 16);
          this._debug._m_nextSize = { start: this._io.pos, ioOffset: this._io.byteOffset };
          this._m_nextSize = this._io.readS4be();
          this._debug._m_nextSize.end = this._io.pos;
          this._io.seek(_pos);
        }
        return this._m_nextSize;
      }
    });
    Object.defineProperty(Slot.prototype, 'room', {
      get: function() {
        if (this._m_room !== undefined)
          return this._m_room;
        this._debug._m_room = {  };
        this._m_room = this._io.size - this.start;
        return this._m_room;
      }
    });
    return Slot;
  })();
  var UnknownRecord = KahadbJournal.UnknownRecord = (function() {
    function UnknownRecord(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    UnknownRecord.prototype._read = function() {
      this._debug.length = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.length = this._io.readS4be();
      this._debug.length.end = this._io.pos;
      if (!(this.length >= 5)) {
        var _err = new KaitaiStream.ValidationLessThanError(5, this.length, this._io, "/types/unknown_record/seq/0");
        this._debug.length.validationError = _err;
        throw _err;
      }
      this._debug.unknownType = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.unknownType = this._io.readU1();
      this._debug.unknownType.end = this._io.pos;
      this._debug.ignored = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.ignored = this._io.readBytes(this.length - 5);
      this._debug.ignored.end = this._io.pos;
    }
    return UnknownRecord;
  })();
  return KahadbJournal;
})();
KahadbJournal_.KahadbJournal = KahadbJournal;
});
// This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
(function (root, factory) {
  if (typeof define === 'function' && define.amd) {
    define(['exports', 'kaitai-struct/KaitaiStream'], factory);
  } else if (typeof exports === 'object' && exports !== null && typeof exports.nodeType !== 'number') {
    factory(exports, require('kaitai-struct/KaitaiStream'));
  } else {
    factory(root.KahadbJournalSeed || (root.KahadbJournalSeed = {}), root.KaitaiStream);
  }
})(typeof self !== 'undefined' ? self : this, function (KahadbJournalSeed_, KaitaiStream) {
var KahadbJournalSeed = (function() {
  function KahadbJournalSeed(_io, _parent, _root) {
    this._io = _io;
    this._parent = _parent;
    this._root = _root || this;
    this._debug = {};
  }
  KahadbJournalSeed.prototype._read = function() {
    this._debug.batches = { start: this._io.pos, ioOffset: this._io.byteOffset };
    this._debug.batches.arr = [];
    this.batches = [];
    var i = 0;
    while (!this._io.isEof()) {
      this._debug.batches.arr[this.batches.length] = { start: this._io.pos, ioOffset: this._io.byteOffset };
      var _t_batches = new Batch(this._io, this, this._root);
      try {
        _t_batches._read();
      } finally {
        this.batches.push(_t_batches);
      }
      this._debug.batches.arr[this.batches.length - 1].end = this._io.pos;
      i++;
    }
    this._debug.batches.end = this._io.pos;
  }
  var Batch = KahadbJournalSeed.Batch = (function() {
    function Batch(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Batch.prototype._read = function() {
      this._debug.control = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.control = new ControlRecord(this._io, this, this._root);
      this.control._read();
      this._debug.control.end = this._io.pos;
      this._debug.log = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this._raw_log = this._io.readBytes(this.control.batchSize);
      var _io__raw_log = new KaitaiStream(this._raw_log);
      this.log = new Log(_io__raw_log, this, this._root);
      this.log._read();
      this._debug.log.end = this._io.pos;
    }
    return Batch;
  })();
  var ControlRecord = KahadbJournalSeed.ControlRecord = (function() {
    function ControlRecord(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    ControlRecord.prototype._read = function() {
      this._debug.length = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.length = this._io.readS4be();
      this._debug.length.end = this._io.pos;
      if (!(this.length >= 28)) {
        var _err = new KaitaiStream.ValidationLessThanError(28, this.length, this._io, "/types/control_record/seq/0");
        this._debug.length.validationError = _err;
        throw _err;
      }
      if (!(this.length <= 28)) {
        var _err = new KaitaiStream.ValidationGreaterThanError(28, this.length, this._io, "/types/control_record/seq/0");
        this._debug.length.validationError = _err;
        throw _err;
      }
      this._debug.recordType = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.recordType = this._io.readBytes(1);
      this._debug.recordType.end = this._io.pos;
      if (!((KaitaiStream.byteArrayCompare(this.recordType, new Uint8Array([2])) == 0))) {
        var _err = new KaitaiStream.ValidationNotEqualError(new Uint8Array([2]), this.recordType, this._io, "/types/control_record/seq/1");
        this._debug.recordType.validationError = _err;
        throw _err;
      }
      this._debug.magic = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.magic = this._io.readBytes(11);
      this._debug.magic.end = this._io.pos;
      if (!((KaitaiStream.byteArrayCompare(this.magic, new Uint8Array([87, 82, 73, 84, 69, 95, 66, 65, 84, 67, 72])) == 0))) {
        var _err = new KaitaiStream.ValidationNotEqualError(new Uint8Array([87, 82, 73, 84, 69, 95, 66, 65, 84, 67, 72]), this.magic, this._io, "/types/control_record/seq/2");
        this._debug.magic.validationError = _err;
        throw _err;
      }
      this._debug.batchSize = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.batchSize = this._io.readS4be();
      this._debug.batchSize.end = this._io.pos;
      if (!(this.batchSize >= 5)) {
        var _err = new KaitaiStream.ValidationLessThanError(5, this.batchSize, this._io, "/types/control_record/seq/3");
        this._debug.batchSize.validationError = _err;
        throw _err;
      }
      this._debug.checksum = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.checksum = this._io.readS8be();
      this._debug.checksum.end = this._io.pos;
    }
    return ControlRecord;
  })();
  var Entry = KahadbJournalSeed.Entry = (function() {
    function Entry(_io, _parent, _root, start) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this.start = start;
      this._debug = {};
    }
    Entry.prototype._read = function() {
      if ( ((this.entryType == 1) || (this.entryType == 2)) ) {
        this._debug.user = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.user = new Record(this._io, this, this._root);
        this.user._read();
        this._debug.user.end = this._io.pos;
      }
      if ( ((this.entryType != 1) && (this.entryType != 2)) ) {
        this._debug.other = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.other = new UnknownRecord(this._io, this, this._root);
        this.other._read();
        this._debug.other.end = this._io.pos;
      }
    }
    Object.defineProperty(Entry.prototype, 'entryType', {
      get: function() {
        if (this._m_entryType !== undefined)
          return this._m_entryType;
        if (this._io.size - this.start >= 5) {
          var _pos = this._io.pos;
          this._io.seek(this.start + 4);
          this._debug._m_entryType = { start: this._io.pos, ioOffset: this._io.byteOffset };
          this._m_entryType = this._io.readU1();
          this._debug._m_entryType.end = this._io.pos;
          this._io.seek(_pos);
        }
        return this._m_entryType;
      }
    });
    return Entry;
  })();
  var Log = KahadbJournalSeed.Log = (function() {
    function Log(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Log.prototype._read = function() {
      this._debug.records = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this._debug.records.arr = [];
      this.records = [];
      var i = 0;
      while (!this._io.isEof()) {
        this._debug.records.arr[this.records.length] = { start: this._io.pos, ioOffset: this._io.byteOffset };
        var _t_records = new Entry(this._io, this, this._root, this._io.pos);
        try {
          _t_records._read();
        } finally {
          this.records.push(_t_records);
        }
        this._debug.records.arr[this.records.length - 1].end = this._io.pos;
        i++;
      }
      this._debug.records.end = this._io.pos;
    }
    return Log;
  })();
  var Record = KahadbJournalSeed.Record = (function() {
    function Record(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Record.prototype._read = function() {
      this._debug.length = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.length = this._io.readS4be();
      this._debug.length.end = this._io.pos;
      if (!(this.length >= 5)) {
        var _err = new KaitaiStream.ValidationLessThanError(5, this.length, this._io, "/types/record/seq/0");
        this._debug.length.validationError = _err;
        throw _err;
      }
      this._debug.recordType = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.recordType = this._io.readBytes(1);
      this._debug.recordType.end = this._io.pos;
      if (!((KaitaiStream.byteArrayCompare(this.recordType, new Uint8Array([1])) == 0))) {
        var _err = new KaitaiStream.ValidationNotEqualError(new Uint8Array([1]), this.recordType, this._io, "/types/record/seq/1");
        this._debug.recordType.validationError = _err;
        throw _err;
      }
      this._debug.payload = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.payload = this._io.readBytes(this.length - 5);
      this._debug.payload.end = this._io.pos;
    }
    return Record;
  })();
  var UnknownRecord = KahadbJournalSeed.UnknownRecord = (function() {
    function UnknownRecord(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    UnknownRecord.prototype._read = function() {
      this._debug.length = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.length = this._io.readS4be();
      this._debug.length.end = this._io.pos;
      if (!(this.length >= 5)) {
        var _err = new KaitaiStream.ValidationLessThanError(5, this.length, this._io, "/types/unknown_record/seq/0");
        this._debug.length.validationError = _err;
        throw _err;
      }
      this._debug.unknownType = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.unknownType = this._io.readU1();
      this._debug.unknownType.end = this._io.pos;
      this._debug.ignored = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.ignored = this._io.readBytes(this.length - 5);
      this._debug.ignored.end = this._io.pos;
    }
    return UnknownRecord;
  })();
  return KahadbJournalSeed;
})();
KahadbJournalSeed_.KahadbJournalSeed = KahadbJournalSeed;
});
// This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
(function (root, factory) {
  if (typeof define === 'function' && define.amd) {
    define(['exports', 'kaitai-struct/KaitaiStream'], factory);
  } else if (typeof exports === 'object' && exports !== null && typeof exports.nodeType !== 'number') {
    factory(exports, require('kaitai-struct/KaitaiStream'));
  } else {
    factory(root.KahadbJournalZero || (root.KahadbJournalZero = {}), root.KaitaiStream);
  }
})(typeof self !== 'undefined' ? self : this, function (KahadbJournalZero_, KaitaiStream) {
var KahadbJournalZero = (function() {
  KahadbJournalZero.Command = Object.freeze({
    TRACE: 0,
    ADD_MESSAGE: 1,
    REMOVE_MESSAGE: 2,
    PREPARE: 3,
    COMMIT: 4,
    ROLLBACK: 5,
    REMOVE_DESTINATION: 6,
    SUBSCRIPTION: 7,
    PRODUCER_AUDIT: 8,
    ACK_MESSAGE_FILE_MAP: 9,
    UPDATE_MESSAGE: 10,
    ADD_SCHEDULED_JOB: 11,
    RESCHEDULE_JOB: 12,
    REMOVE_SCHEDULED_JOB: 13,
    REMOVE_SCHEDULED_JOBS: 14,
    DESTROY_SCHEDULER: 15,
    REWRITTEN_DATA_FILE: 16,
    0: "TRACE",
    1: "ADD_MESSAGE",
    2: "REMOVE_MESSAGE",
    3: "PREPARE",
    4: "COMMIT",
    5: "ROLLBACK",
    6: "REMOVE_DESTINATION",
    7: "SUBSCRIPTION",
    8: "PRODUCER_AUDIT",
    9: "ACK_MESSAGE_FILE_MAP",
    10: "UPDATE_MESSAGE",
    11: "ADD_SCHEDULED_JOB",
    12: "RESCHEDULE_JOB",
    13: "REMOVE_SCHEDULED_JOB",
    14: "REMOVE_SCHEDULED_JOBS",
    15: "DESTROY_SCHEDULER",
    16: "REWRITTEN_DATA_FILE",
  });
  function KahadbJournalZero(_io, _parent, _root) {
    this._io = _io;
    this._parent = _parent;
    this._root = _root || this;
    this._debug = {};
  }
  KahadbJournalZero.prototype._read = function() {
    this._debug.slots = { start: this._io.pos, ioOffset: this._io.byteOffset };
    this._debug.slots.arr = [];
    this.slots = [];
    var i = 0;
    do {
      this._debug.slots.arr[this.slots.length] = { start: this._io.pos, ioOffset: this._io.byteOffset };
      var _t_slots = new Slot(this._io, this, this._root, this._io.pos);
      try {
        _t_slots._read();
      } finally {
        var _ = _t_slots;
        this.slots.push(_);
      }
      this._debug.slots.arr[this.slots.length - 1].end = this._io.pos;
      i++;
    } while (!(!(_.isBatch)));
    this._debug.slots.end = this._io.pos;
    if (this._io.size - this._io.pos >= 5) {
      this._debug.endMarker = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.endMarker = this._io.readBytes(5);
      this._debug.endMarker.end = this._io.pos;
    }
    this._debug.rest = { start: this._io.pos, ioOffset: this._io.byteOffset };
    this.rest = this._io.readBytesFull();
    this._debug.rest.end = this._io.pos;
  }
  var Batch = KahadbJournalZero.Batch = (function() {
    function Batch(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Batch.prototype._read = function() {
      this._debug.control = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.control = new ControlRecord(this._io, this, this._root);
      this.control._read();
      this._debug.control.end = this._io.pos;
      this._debug.log = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this._raw_log = this._io.readBytes(this.control.batchSize);
      var _io__raw_log = new KaitaiStream(this._raw_log);
      this.log = new Log(_io__raw_log, this, this._root);
      this.log._read();
      this._debug.log.end = this._io.pos;
    }
    return Batch;
  })();
  var ControlRecord = KahadbJournalZero.ControlRecord = (function() {
    function ControlRecord(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    ControlRecord.prototype._read = function() {
      this._debug.length = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.length = this._io.readS4be();
      this._debug.length.end = this._io.pos;
      if (!(this.length >= 28)) {
        var _err = new KaitaiStream.ValidationLessThanError(28, this.length, this._io, "/types/control_record/seq/0");
        this._debug.length.validationError = _err;
        throw _err;
      }
      if (!(this.length <= 28)) {
        var _err = new KaitaiStream.ValidationGreaterThanError(28, this.length, this._io, "/types/control_record/seq/0");
        this._debug.length.validationError = _err;
        throw _err;
      }
      this._debug.recordType = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.recordType = this._io.readBytes(1);
      this._debug.recordType.end = this._io.pos;
      if (!((KaitaiStream.byteArrayCompare(this.recordType, new Uint8Array([2])) == 0))) {
        var _err = new KaitaiStream.ValidationNotEqualError(new Uint8Array([2]), this.recordType, this._io, "/types/control_record/seq/1");
        this._debug.recordType.validationError = _err;
        throw _err;
      }
      this._debug.magic = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.magic = this._io.readBytes(11);
      this._debug.magic.end = this._io.pos;
      if (!((KaitaiStream.byteArrayCompare(this.magic, new Uint8Array([87, 82, 73, 84, 69, 32, 66, 65, 84, 67, 72])) == 0))) {
        var _err = new KaitaiStream.ValidationNotEqualError(new Uint8Array([87, 82, 73, 84, 69, 32, 66, 65, 84, 67, 72]), this.magic, this._io, "/types/control_record/seq/2");
        this._debug.magic.validationError = _err;
        throw _err;
      }
      this._debug.batchSize = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.batchSize = this._io.readS4be();
      this._debug.batchSize.end = this._io.pos;
      if (!(this.batchSize >= 5)) {
        var _err = new KaitaiStream.ValidationLessThanError(5, this.batchSize, this._io, "/types/control_record/seq/3");
        this._debug.batchSize.validationError = _err;
        throw _err;
      }
      this._debug.checksum = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.checksum = this._io.readS8be();
      this._debug.checksum.end = this._io.pos;
    }
    return ControlRecord;
  })();
  var Entry = KahadbJournalZero.Entry = (function() {
    function Entry(_io, _parent, _root, start) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this.start = start;
      this._debug = {};
    }
    Entry.prototype._read = function() {
      if ( ((this.entryType == 1) || (this.entryType == 2)) ) {
        this._debug.user = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.user = new Record(this._io, this, this._root);
        this.user._read();
        this._debug.user.end = this._io.pos;
      }
      if ( ((this.entryType != 1) && (this.entryType != 2)) ) {
        this._debug.other = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.other = new UnknownRecord(this._io, this, this._root);
        this.other._read();
        this._debug.other.end = this._io.pos;
      }
    }
    Object.defineProperty(Entry.prototype, 'entryType', {
      get: function() {
        if (this._m_entryType !== undefined)
          return this._m_entryType;
        if (this._io.size - this.start >= 5) {
          var _pos = this._io.pos;
          this._io.seek(this.start + 4);
          this._debug._m_entryType = { start: this._io.pos, ioOffset: this._io.byteOffset };
          this._m_entryType = this._io.readU1();
          this._debug._m_entryType.end = this._io.pos;
          this._io.seek(_pos);
        }
        return this._m_entryType;
      }
    });
    return Entry;
  })();
  var Log = KahadbJournalZero.Log = (function() {
    function Log(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Log.prototype._read = function() {
      this._debug.records = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this._debug.records.arr = [];
      this.records = [];
      var i = 0;
      while (!this._io.isEof()) {
        this._debug.records.arr[this.records.length] = { start: this._io.pos, ioOffset: this._io.byteOffset };
        var _t_records = new Entry(this._io, this, this._root, this._io.pos);
        try {
          _t_records._read();
        } finally {
          this.records.push(_t_records);
        }
        this._debug.records.arr[this.records.length - 1].end = this._io.pos;
        i++;
      }
      this._debug.records.end = this._io.pos;
    }
    return Log;
  })();
  var Record = KahadbJournalZero.Record = (function() {
    function Record(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Record.prototype._read = function() {
      this._debug.length = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.length = this._io.readS4be();
      this._debug.length.end = this._io.pos;
      if (!(this.length >= 5)) {
        var _err = new KaitaiStream.ValidationLessThanError(5, this.length, this._io, "/types/record/seq/0");
        this._debug.length.validationError = _err;
        throw _err;
      }
      this._debug.recordType = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.recordType = this._io.readBytes(1);
      this._debug.recordType.end = this._io.pos;
      if (!((KaitaiStream.byteArrayCompare(this.recordType, new Uint8Array([1])) == 0))) {
        var _err = new KaitaiStream.ValidationNotEqualError(new Uint8Array([1]), this.recordType, this._io, "/types/record/seq/1");
        this._debug.recordType.validationError = _err;
        throw _err;
      }
      if (this.length >= 6) {
        this._debug.command = { start: this._io.pos, ioOffset: this._io.byteOffset, enumName: "KahadbJournalZero.Command" };
        this.command = this._io.readU1();
        this._debug.command.end = this._io.pos;
      }
      if (this.length >= 6) {
        this._debug.frame = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.frame = this._io.readBytes(this.length - 6);
        this._debug.frame.end = this._io.pos;
      }
    }
    return Record;
  })();
  var Slot = KahadbJournalZero.Slot = (function() {
    function Slot(_io, _parent, _root, start) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this.start = start;
      this._debug = {};
    }
    Slot.prototype._read = function() {
      if (this.isBatch) {
        this._debug.batch = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.batch = new Batch(this._io, this, this._root);
        this.batch._read();
        this._debug.batch.end = this._io.pos;
      }
    }
    Object.defineProperty(Slot.prototype, 'isBatch', {
      get: function() {
        if (this._m_isBatch !== undefined)
          return this._m_isBatch;
        this._debug._m_isBatch = {  };
        this._m_isBatch =  ((this.room >= 28) && (this.nextLength == 28) && ( ((this.nextSize != 0) || ( ((this.nextChecksum != 0) && (this.nextChecksum != 1)) )) )) ;
        return this._m_isBatch;
      }
    });
    Object.defineProperty(Slot.prototype, 'nextChecksum', {
      get: function() {
        if (this._m_nextChecksum !== undefined)
          return this._m_nextChecksum;
        if (this.room >= 28) {
          var _pos = this._io.pos;
          this._io.seek(this.start + 20);
          this._debug._m_nextChecksum = { start: this._io.pos, ioOffset: this._io.byteOffset };
          this._m_nextChecksum = this._io.readS8be();
          this._debug._m_nextChecksum.end = this._io.pos;
          this._io.seek(_pos);
        }
        return this._m_nextChecksum;
      }
    });
    Object.defineProperty(Slot.prototype, 'nextLength', {
      get: function() {
        if (this._m_nextLength !== undefined)
          return this._m_nextLength;
        if (this.room >= 28) {
          var _pos = this._io.pos;
          this._io.seek(this.start);
          this._debug._m_nextLength = { start: this._io.pos, ioOffset: this._io.byteOffset };
          this._m_nextLength = this._io.readS4be();
          this._debug._m_nextLength.end = this._io.pos;
          this._io.seek(_pos);
        }
        return this._m_nextLength;
      }
    });
    Object.defineProperty(Slot.prototype, 'nextSize', {
      get: function() {
        if (this._m_nextSize !== undefined)
          return this._m_nextSize;
        if (this.room >= 28) {
          var _pos = this._io.pos;
          this._io.seek(this.start + 16);
          this._debug._m_nextSize = { start: this._io.pos, ioOffset: this._io.byteOffset };
          this._m_nextSize = this._io.readS4be();
          this._debug._m_nextSize.end = this._io.pos;
          this._io.seek(_pos);
        }
        return this._m_nextSize;
      }
    });
    Object.defineProperty(Slot.prototype, 'room', {
      get: function() {
        if (this._m_room !== undefined)
          return this._m_room;
        this._debug._m_room = {  };
        this._m_room = this._io.size - this.start;
        return this._m_room;
      }
    });
    return Slot;
  })();
  var UnknownRecord = KahadbJournalZero.UnknownRecord = (function() {
    function UnknownRecord(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    UnknownRecord.prototype._read = function() {
      this._debug.length = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.length = this._io.readS4be();
      this._debug.length.end = this._io.pos;
      if (!(this.length >= 5)) {
        var _err = new KaitaiStream.ValidationLessThanError(5, this.length, this._io, "/types/unknown_record/seq/0");
        this._debug.length.validationError = _err;
        throw _err;
      }
      this._debug.unknownType = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.unknownType = this._io.readU1();
      this._debug.unknownType.end = this._io.pos;
      this._debug.ignored = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.ignored = this._io.readBytes(this.length - 5);
      this._debug.ignored.end = this._io.pos;
    }
    return UnknownRecord;
  })();
  return KahadbJournalZero;
})();
KahadbJournalZero_.KahadbJournalZero = KahadbJournalZero;
});
// This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
(function (root, factory) {
  if (typeof define === 'function' && define.amd) {
    define(['exports', 'kaitai-struct/KaitaiStream'], factory);
  } else if (typeof exports === 'object' && exports !== null && typeof exports.nodeType !== 'number') {
    factory(exports, require('kaitai-struct/KaitaiStream'));
  } else {
    factory(root.KahadbJournalOpenwire || (root.KahadbJournalOpenwire = {}), root.KaitaiStream);
  }
})(typeof self !== 'undefined' ? self : this, function (KahadbJournalOpenwire_, KaitaiStream) {
var KahadbJournalOpenwire = (function() {
  function KahadbJournalOpenwire(_io, _parent, _root, version) {
    this._io = _io;
    this._parent = _parent;
    this._root = _root || this;
    this.version = version;
    this._debug = {};
  }
  KahadbJournalOpenwire.prototype._read = function() {
    this._debug.size = { start: this._io.pos, ioOffset: this._io.byteOffset };
    this.size = this._io.readS4be();
    this._debug.size.end = this._io.pos;
    if (!(this.size >= 0)) {
      var _err = new KaitaiStream.ValidationLessThanError(0, this.size, this._io, "/seq/0");
      this._debug.size.validationError = _err;
      throw _err;
    }
    if (this.size >= 0) {
      this._debug.object = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this._raw_object = this._io.readBytes(this.size);
      var _io__raw_object = new KaitaiStream(this._raw_object);
      this.object = new Command(_io__raw_object, this, this._root, this.version);
      this.object._read();
      this._debug.object.end = this._io.pos;
    }
  }
  var Ack = KahadbJournalOpenwire.Ack = (function() {
    function Ack(_io, _parent, _root, version) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this.version = version;
      this._debug = {};
    }
    Ack.prototype._read = function() {
      this._debug.commandId = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.commandId = this._io.readS4be();
      this._debug.commandId.end = this._io.pos;
      this._debug.responseRequired = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.responseRequired = this._io.readU1();
      this._debug.responseRequired.end = this._io.pos;
      this._debug.destination = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.destination = new Destination(this._io, this, this._root);
      this.destination._read();
      this._debug.destination.end = this._io.pos;
      this._debug.transaction = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.transaction = new Transaction(this._io, this, this._root);
      this.transaction._read();
      this._debug.transaction.end = this._io.pos;
      this._debug.consumer = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.consumer = new ConsumerOrNull(this._io, this, this._root);
      this.consumer._read();
      this._debug.consumer.end = this._io.pos;
      this._debug.ackType = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.ackType = this._io.readS1();
      this._debug.ackType.end = this._io.pos;
      this._debug.first = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.first = new MessageIdOrNull(this._io, this, this._root, this.version);
      this.first._read();
      this._debug.first.end = this._io.pos;
      this._debug.last = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.last = new MessageIdOrNull(this._io, this, this._root, this.version);
      this.last._read();
      this._debug.last.end = this._io.pos;
      this._debug.count = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.count = this._io.readS4be();
      this._debug.count.end = this._io.pos;
      if (this.version >= 7) {
        this._debug.poisonCause = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.poisonCause = new Throwable(this._io, this, this._root);
        this.poisonCause._read();
        this._debug.poisonCause.end = this._io.pos;
      }
    }
    return Ack;
  })();
  var Binary = KahadbJournalOpenwire.Binary = (function() {
    function Binary(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Binary.prototype._read = function() {
      this._debug.size = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.size = this._io.readS4be();
      this._debug.size.end = this._io.pos;
      if (!(this.size >= 0)) {
        var _err = new KaitaiStream.ValidationLessThanError(0, this.size, this._io, "/types/binary/seq/0");
        this._debug.size.validationError = _err;
        throw _err;
      }
      if (this.size >= 0) {
        this._debug.data = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.data = this._io.readBytes(this.size);
        this._debug.data.end = this._io.pos;
      }
    }
    return Binary;
  })();
  var Blob = KahadbJournalOpenwire.Blob = (function() {
    function Blob(_io, _parent, _root, version) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this.version = version;
      this._debug = {};
    }
    Blob.prototype._read = function() {
      this._debug.message = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.message = new Message(this._io, this, this._root, this.version);
      this.message._read();
      this._debug.message.end = this._io.pos;
      this._debug.url = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.url = new TextOrNull(this._io, this, this._root);
      this.url._read();
      this._debug.url.end = this._io.pos;
      this._debug.mimeType = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.mimeType = new TextOrNull(this._io, this, this._root);
      this.mimeType._read();
      this._debug.mimeType.end = this._io.pos;
      this._debug.deletedByBroker = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.deletedByBroker = this._io.readU1();
      this._debug.deletedByBroker.end = this._io.pos;
    }
    return Blob;
  })();
  var BoolValue = KahadbJournalOpenwire.BoolValue = (function() {
    function BoolValue(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    BoolValue.prototype._read = function() {
      this._debug.held = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.held = this._io.readU1();
      this._debug.held.end = this._io.pos;
    }
    return BoolValue;
  })();
  var Broker = KahadbJournalOpenwire.Broker = (function() {
    function Broker(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Broker.prototype._read = function() {
      this._debug.there = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.there = this._io.readU1();
      this._debug.there.end = this._io.pos;
      if (this.there != 0) {
        this._debug.kind = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.kind = this._io.readU1();
        this._debug.kind.end = this._io.pos;
        if (!(this.kind == 124)) {
          var _err = new KaitaiStream.ValidationNotEqualError(124, this.kind, this._io, "/types/broker/seq/1");
          this._debug.kind.validationError = _err;
          throw _err;
        }
      }
      if (this.there != 0) {
        this._debug.value = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.value = new TextOrNull(this._io, this, this._root);
        this.value._read();
        this._debug.value.end = this._io.pos;
      }
    }
    return Broker;
  })();
  var Brokers = KahadbJournalOpenwire.Brokers = (function() {
    function Brokers(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Brokers.prototype._read = function() {
      this._debug.there = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.there = this._io.readU1();
      this._debug.there.end = this._io.pos;
      if (this.there != 0) {
        this._debug.count = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.count = this._io.readS2be();
        this._debug.count.end = this._io.pos;
        if (!(this.count >= 0)) {
          var _err = new KaitaiStream.ValidationLessThanError(0, this.count, this._io, "/types/brokers/seq/1");
          this._debug.count.validationError = _err;
          throw _err;
        }
      }
      if ( ((this.there != 0) && (this.count >= 0)) ) {
        this._debug.items = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this._debug.items.arr = [];
        this.items = [];
        for (var i = 0; i < this.count; i++) {
          this._debug.items.arr[i] = { start: this._io.pos, ioOffset: this._io.byteOffset };
          var _t_items = new Broker(this._io, this, this._root);
          try {
            _t_items._read();
          } finally {
            this.items.push(_t_items);
          }
          this._debug.items.arr[i].end = this._io.pos;
        }
        this._debug.items.end = this._io.pos;
      }
    }
    return Brokers;
  })();
  var BytesOrNull = KahadbJournalOpenwire.BytesOrNull = (function() {
    function BytesOrNull(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    BytesOrNull.prototype._read = function() {
      this._debug.there = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.there = this._io.readU1();
      this._debug.there.end = this._io.pos;
      if (this.there != 0) {
        this._debug.size = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.size = this._io.readS4be();
        this._debug.size.end = this._io.pos;
        if (!(this.size >= 0)) {
          var _err = new KaitaiStream.ValidationLessThanError(0, this.size, this._io, "/types/bytes_or_null/seq/1");
          this._debug.size.validationError = _err;
          throw _err;
        }
      }
      if ( ((this.there != 0) && (this.size >= 0)) ) {
        this._debug.data = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.data = this._io.readBytes(this.size);
        this._debug.data.end = this._io.pos;
      }
    }
    return BytesOrNull;
  })();
  var Command = KahadbJournalOpenwire.Command = (function() {
    function Command(_io, _parent, _root, version) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this.version = version;
      this._debug = {};
    }
    Command.prototype._read = function() {
      this._debug.kind = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.kind = this._io.readU1();
      this._debug.kind.end = this._io.pos;
      this._debug.body = { start: this._io.pos, ioOffset: this._io.byteOffset };
      switch (this.kind) {
      case 0:
        this.body = new Nothing(this._io, this, this._root);
        this.body._read();
        break;
      case 22:
        this.body = new Ack(this._io, this, this._root, this.version);
        this.body._read();
        break;
      case 23:
        this.body = new Message(this._io, this, this._root, this.version);
        this.body._read();
        break;
      case 24:
        this.body = new Message(this._io, this, this._root, this.version);
        this.body._read();
        break;
      case 25:
        this.body = new Message(this._io, this, this._root, this.version);
        this.body._read();
        break;
      case 26:
        this.body = new Message(this._io, this, this._root, this.version);
        this.body._read();
        break;
      case 27:
        this.body = new Message(this._io, this, this._root, this.version);
        this.body._read();
        break;
      case 28:
        this.body = new Message(this._io, this, this._root, this.version);
        this.body._read();
        break;
      case 29:
        this.body = new Blob(this._io, this, this._root, this.version);
        this.body._read();
        break;
      case 55:
        this.body = new Subscription(this._io, this, this._root, this.version);
        this.body._read();
        break;
      }
      this._debug.body.end = this._io.pos;
    }
    return Command;
  })();
  var Consumer = KahadbJournalOpenwire.Consumer = (function() {
    function Consumer(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Consumer.prototype._read = function() {
      this._debug.connection = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.connection = new TextOrNull(this._io, this, this._root);
      this.connection._read();
      this._debug.connection.end = this._io.pos;
      this._debug.session = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.session = this._io.readS8be();
      this._debug.session.end = this._io.pos;
      this._debug.value = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.value = this._io.readS8be();
      this._debug.value.end = this._io.pos;
    }
    return Consumer;
  })();
  var ConsumerOrNull = KahadbJournalOpenwire.ConsumerOrNull = (function() {
    function ConsumerOrNull(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    ConsumerOrNull.prototype._read = function() {
      this._debug.there = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.there = this._io.readU1();
      this._debug.there.end = this._io.pos;
      if (this.there != 0) {
        this._debug.kind = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.kind = this._io.readU1();
        this._debug.kind.end = this._io.pos;
        if (!(this.kind == 122)) {
          var _err = new KaitaiStream.ValidationNotEqualError(122, this.kind, this._io, "/types/consumer_or_null/seq/1");
          this._debug.kind.validationError = _err;
          throw _err;
        }
      }
      if (this.there != 0) {
        this._debug.value = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.value = new Consumer(this._io, this, this._root);
        this.value._read();
        this._debug.value.end = this._io.pos;
      }
    }
    return ConsumerOrNull;
  })();
  var Destination = KahadbJournalOpenwire.Destination = (function() {
    function Destination(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Destination.prototype._read = function() {
      this._debug.there = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.there = this._io.readU1();
      this._debug.there.end = this._io.pos;
      if (this.there != 0) {
        this._debug.kind = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.kind = this._io.readU1();
        this._debug.kind.end = this._io.pos;
        if (!(this.kind >= 100)) {
          var _err = new KaitaiStream.ValidationLessThanError(100, this.kind, this._io, "/types/destination/seq/1");
          this._debug.kind.validationError = _err;
          throw _err;
        }
        if (!(this.kind <= 103)) {
          var _err = new KaitaiStream.ValidationGreaterThanError(103, this.kind, this._io, "/types/destination/seq/1");
          this._debug.kind.validationError = _err;
          throw _err;
        }
      }
      if (this.there != 0) {
        this._debug.name = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.name = new TextOrNull(this._io, this, this._root);
        this.name._read();
        this._debug.name.end = this._io.pos;
      }
    }
    return Destination;
  })();
  var Entry = KahadbJournalOpenwire.Entry = (function() {
    function Entry(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Entry.prototype._read = function() {
      this._debug.name = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.name = new Utf(this._io, this, this._root);
      this.name._read();
      this._debug.name.end = this._io.pos;
      this._debug.value = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.value = new TypedValue(this._io, this, this._root);
      this.value._read();
      this._debug.value.end = this._io.pos;
    }
    return Entry;
  })();
  var F4Value = KahadbJournalOpenwire.F4Value = (function() {
    function F4Value(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    F4Value.prototype._read = function() {
      this._debug.held = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.held = this._io.readF4be();
      this._debug.held.end = this._io.pos;
    }
    return F4Value;
  })();
  var F8Value = KahadbJournalOpenwire.F8Value = (function() {
    function F8Value(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    F8Value.prototype._read = function() {
      this._debug.held = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.held = this._io.readF8be();
      this._debug.held.end = this._io.pos;
    }
    return F8Value;
  })();
  var Local = KahadbJournalOpenwire.Local = (function() {
    function Local(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Local.prototype._read = function() {
      this._debug.value = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.value = this._io.readS8be();
      this._debug.value.end = this._io.pos;
      this._debug.there = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.there = this._io.readU1();
      this._debug.there.end = this._io.pos;
      if (this.there != 0) {
        this._debug.kind = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.kind = this._io.readU1();
        this._debug.kind.end = this._io.pos;
        if (!(this.kind == 120)) {
          var _err = new KaitaiStream.ValidationNotEqualError(120, this.kind, this._io, "/types/local/seq/2");
          this._debug.kind.validationError = _err;
          throw _err;
        }
      }
      if (this.there != 0) {
        this._debug.connection = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.connection = new TextOrNull(this._io, this, this._root);
        this.connection._read();
        this._debug.connection.end = this._io.pos;
      }
    }
    return Local;
  })();
  var LongText = KahadbJournalOpenwire.LongText = (function() {
    function LongText(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    LongText.prototype._read = function() {
      this._debug.size = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.size = this._io.readS4be();
      this._debug.size.end = this._io.pos;
      if (this.size >= 0) {
        this._debug.text = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.text = this._io.readBytes(this.size);
        this._debug.text.end = this._io.pos;
      }
    }
    return LongText;
  })();
  var Message = KahadbJournalOpenwire.Message = (function() {
    function Message(_io, _parent, _root, version) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this.version = version;
      this._debug = {};
    }
    Message.prototype._read = function() {
      this._debug.commandId = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.commandId = this._io.readS4be();
      this._debug.commandId.end = this._io.pos;
      this._debug.responseRequired = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.responseRequired = this._io.readU1();
      this._debug.responseRequired.end = this._io.pos;
      this._debug.producer = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.producer = new ProducerOrNull(this._io, this, this._root);
      this.producer._read();
      this._debug.producer.end = this._io.pos;
      this._debug.destination = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.destination = new Destination(this._io, this, this._root);
      this.destination._read();
      this._debug.destination.end = this._io.pos;
      this._debug.transaction = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.transaction = new Transaction(this._io, this, this._root);
      this.transaction._read();
      this._debug.transaction.end = this._io.pos;
      this._debug.originalDestination = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.originalDestination = new Destination(this._io, this, this._root);
      this.originalDestination._read();
      this._debug.originalDestination.end = this._io.pos;
      this._debug.messageId = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.messageId = new MessageIdOrNull(this._io, this, this._root, this.version);
      this.messageId._read();
      this._debug.messageId.end = this._io.pos;
      this._debug.originalTransaction = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.originalTransaction = new Transaction(this._io, this, this._root);
      this.originalTransaction._read();
      this._debug.originalTransaction.end = this._io.pos;
      this._debug.groupId = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.groupId = new TextOrNull(this._io, this, this._root);
      this.groupId._read();
      this._debug.groupId.end = this._io.pos;
      this._debug.groupSequence = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.groupSequence = this._io.readS4be();
      this._debug.groupSequence.end = this._io.pos;
      this._debug.correlationId = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.correlationId = new TextOrNull(this._io, this, this._root);
      this.correlationId._read();
      this._debug.correlationId.end = this._io.pos;
      this._debug.persistent = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.persistent = this._io.readU1();
      this._debug.persistent.end = this._io.pos;
      this._debug.expiration = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.expiration = this._io.readS8be();
      this._debug.expiration.end = this._io.pos;
      this._debug.priority = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.priority = this._io.readS1();
      this._debug.priority.end = this._io.pos;
      this._debug.replyTo = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.replyTo = new Destination(this._io, this, this._root);
      this.replyTo._read();
      this._debug.replyTo.end = this._io.pos;
      this._debug.timestamp = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.timestamp = this._io.readS8be();
      this._debug.timestamp.end = this._io.pos;
      this._debug.jmsType = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.jmsType = new TextOrNull(this._io, this, this._root);
      this.jmsType._read();
      this._debug.jmsType.end = this._io.pos;
      this._debug.content = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.content = new BytesOrNull(this._io, this, this._root);
      this.content._read();
      this._debug.content.end = this._io.pos;
      this._debug.properties = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.properties = new BytesOrNull(this._io, this, this._root);
      this.properties._read();
      this._debug.properties.end = this._io.pos;
      this._debug.structureThere = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.structureThere = this._io.readU1();
      this._debug.structureThere.end = this._io.pos;
      if (this.structureThere != 0) {
        this._debug.structure = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.structure = new Command(this._io, this, this._root, this.version);
        this.structure._read();
        this._debug.structure.end = this._io.pos;
      }
      this._debug.targetConsumer = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.targetConsumer = new ConsumerOrNull(this._io, this, this._root);
      this.targetConsumer._read();
      this._debug.targetConsumer.end = this._io.pos;
      this._debug.compressed = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.compressed = this._io.readU1();
      this._debug.compressed.end = this._io.pos;
      this._debug.redeliveryCounter = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.redeliveryCounter = this._io.readS4be();
      this._debug.redeliveryCounter.end = this._io.pos;
      this._debug.brokerPath = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.brokerPath = new Brokers(this._io, this, this._root);
      this.brokerPath._read();
      this._debug.brokerPath.end = this._io.pos;
      this._debug.arrival = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.arrival = this._io.readS8be();
      this._debug.arrival.end = this._io.pos;
      this._debug.userId = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.userId = new TextOrNull(this._io, this, this._root);
      this.userId._read();
      this._debug.userId.end = this._io.pos;
      this._debug.receivedByBridge = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.receivedByBridge = this._io.readU1();
      this._debug.receivedByBridge.end = this._io.pos;
      if (this.version >= 2) {
        this._debug.droppable = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.droppable = this._io.readU1();
        this._debug.droppable.end = this._io.pos;
      }
      if (this.version >= 3) {
        this._debug.cluster = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.cluster = new Brokers(this._io, this, this._root);
        this.cluster._read();
        this._debug.cluster.end = this._io.pos;
      }
      if (this.version >= 3) {
        this._debug.brokerInTime = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.brokerInTime = this._io.readS8be();
        this._debug.brokerInTime.end = this._io.pos;
      }
      if (this.version >= 3) {
        this._debug.brokerOutTime = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.brokerOutTime = this._io.readS8be();
        this._debug.brokerOutTime.end = this._io.pos;
      }
      if (this.version >= 10) {
        this._debug.firstForConsumer = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.firstForConsumer = this._io.readU1();
        this._debug.firstForConsumer.end = this._io.pos;
      }
    }
    return Message;
  })();
  var MessageId = KahadbJournalOpenwire.MessageId = (function() {
    function MessageId(_io, _parent, _root, version) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this.version = version;
      this._debug = {};
    }
    MessageId.prototype._read = function() {
      if (this.version >= 10) {
        this._debug.view = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.view = new TextOrNull(this._io, this, this._root);
        this.view._read();
        this._debug.view.end = this._io.pos;
      }
      this._debug.producer = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.producer = new ProducerOrNull(this._io, this, this._root);
      this.producer._read();
      this._debug.producer.end = this._io.pos;
      this._debug.sequence = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.sequence = this._io.readS8be();
      this._debug.sequence.end = this._io.pos;
      this._debug.brokerSequence = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.brokerSequence = this._io.readS8be();
      this._debug.brokerSequence.end = this._io.pos;
    }
    return MessageId;
  })();
  var MessageIdOrNull = KahadbJournalOpenwire.MessageIdOrNull = (function() {
    function MessageIdOrNull(_io, _parent, _root, version) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this.version = version;
      this._debug = {};
    }
    MessageIdOrNull.prototype._read = function() {
      this._debug.there = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.there = this._io.readU1();
      this._debug.there.end = this._io.pos;
      if (this.there != 0) {
        this._debug.kind = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.kind = this._io.readU1();
        this._debug.kind.end = this._io.pos;
        if (!(this.kind == 110)) {
          var _err = new KaitaiStream.ValidationNotEqualError(110, this.kind, this._io, "/types/message_id_or_null/seq/1");
          this._debug.kind.validationError = _err;
          throw _err;
        }
      }
      if (this.there != 0) {
        this._debug.value = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.value = new MessageId(this._io, this, this._root, this.version);
        this.value._read();
        this._debug.value.end = this._io.pos;
      }
    }
    return MessageIdOrNull;
  })();
  var Nothing = KahadbJournalOpenwire.Nothing = (function() {
    function Nothing(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Nothing.prototype._read = function() {
    }
    return Nothing;
  })();
  var Producer = KahadbJournalOpenwire.Producer = (function() {
    function Producer(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Producer.prototype._read = function() {
      this._debug.connection = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.connection = new TextOrNull(this._io, this, this._root);
      this.connection._read();
      this._debug.connection.end = this._io.pos;
      this._debug.value = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.value = this._io.readS8be();
      this._debug.value.end = this._io.pos;
      this._debug.session = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.session = this._io.readS8be();
      this._debug.session.end = this._io.pos;
    }
    return Producer;
  })();
  var ProducerOrNull = KahadbJournalOpenwire.ProducerOrNull = (function() {
    function ProducerOrNull(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    ProducerOrNull.prototype._read = function() {
      this._debug.there = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.there = this._io.readU1();
      this._debug.there.end = this._io.pos;
      if (this.there != 0) {
        this._debug.kind = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.kind = this._io.readU1();
        this._debug.kind.end = this._io.pos;
        if (!(this.kind == 123)) {
          var _err = new KaitaiStream.ValidationNotEqualError(123, this.kind, this._io, "/types/producer_or_null/seq/1");
          this._debug.kind.validationError = _err;
          throw _err;
        }
      }
      if (this.there != 0) {
        this._debug.value = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.value = new Producer(this._io, this, this._root);
        this.value._read();
        this._debug.value.end = this._io.pos;
      }
    }
    return ProducerOrNull;
  })();
  var S1Value = KahadbJournalOpenwire.S1Value = (function() {
    function S1Value(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    S1Value.prototype._read = function() {
      this._debug.held = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.held = this._io.readS1();
      this._debug.held.end = this._io.pos;
    }
    return S1Value;
  })();
  var S2Value = KahadbJournalOpenwire.S2Value = (function() {
    function S2Value(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    S2Value.prototype._read = function() {
      this._debug.held = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.held = this._io.readS2be();
      this._debug.held.end = this._io.pos;
    }
    return S2Value;
  })();
  var S4Value = KahadbJournalOpenwire.S4Value = (function() {
    function S4Value(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    S4Value.prototype._read = function() {
      this._debug.held = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.held = this._io.readS4be();
      this._debug.held.end = this._io.pos;
    }
    return S4Value;
  })();
  var S8Value = KahadbJournalOpenwire.S8Value = (function() {
    function S8Value(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    S8Value.prototype._read = function() {
      this._debug.held = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.held = this._io.readS8be();
      this._debug.held.end = this._io.pos;
    }
    return S8Value;
  })();
  var Subscription = KahadbJournalOpenwire.Subscription = (function() {
    function Subscription(_io, _parent, _root, version) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this.version = version;
      this._debug = {};
    }
    Subscription.prototype._read = function() {
      this._debug.clientId = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.clientId = new TextOrNull(this._io, this, this._root);
      this.clientId._read();
      this._debug.clientId.end = this._io.pos;
      this._debug.destination = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.destination = new Destination(this._io, this, this._root);
      this.destination._read();
      this._debug.destination.end = this._io.pos;
      this._debug.selector = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.selector = new TextOrNull(this._io, this, this._root);
      this.selector._read();
      this._debug.selector.end = this._io.pos;
      this._debug.name = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.name = new TextOrNull(this._io, this, this._root);
      this.name._read();
      this._debug.name.end = this._io.pos;
      if (this.version >= 3) {
        this._debug.subscribedDestination = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.subscribedDestination = new Destination(this._io, this, this._root);
        this.subscribedDestination._read();
        this._debug.subscribedDestination.end = this._io.pos;
      }
      if (this.version >= 11) {
        this._debug.noLocal = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.noLocal = this._io.readU1();
        this._debug.noLocal.end = this._io.pos;
      }
    }
    return Subscription;
  })();
  var TextOrNull = KahadbJournalOpenwire.TextOrNull = (function() {
    function TextOrNull(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    TextOrNull.prototype._read = function() {
      this._debug.there = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.there = this._io.readU1();
      this._debug.there.end = this._io.pos;
      if (this.there != 0) {
        this._debug.size = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.size = this._io.readU2be();
        this._debug.size.end = this._io.pos;
      }
      if (this.there != 0) {
        this._debug.text = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.text = this._io.readBytes(this.size);
        this._debug.text.end = this._io.pos;
      }
    }
    return TextOrNull;
  })();
  var Throwable = KahadbJournalOpenwire.Throwable = (function() {
    function Throwable(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Throwable.prototype._read = function() {
      this._debug.there = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.there = this._io.readU1();
      this._debug.there.end = this._io.pos;
      if (this.there != 0) {
        this._debug.className = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.className = new TextOrNull(this._io, this, this._root);
        this.className._read();
        this._debug.className.end = this._io.pos;
      }
      if (this.there != 0) {
        this._debug.message = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.message = new TextOrNull(this._io, this, this._root);
        this.message._read();
        this._debug.message.end = this._io.pos;
      }
    }
    return Throwable;
  })();
  var Transaction = KahadbJournalOpenwire.Transaction = (function() {
    function Transaction(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Transaction.prototype._read = function() {
      this._debug.there = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.there = this._io.readU1();
      this._debug.there.end = this._io.pos;
      if (this.there != 0) {
        this._debug.kind = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.kind = this._io.readU1();
        this._debug.kind.end = this._io.pos;
        if (!(this.kind >= 111)) {
          var _err = new KaitaiStream.ValidationLessThanError(111, this.kind, this._io, "/types/transaction/seq/1");
          this._debug.kind.validationError = _err;
          throw _err;
        }
        if (!(this.kind <= 112)) {
          var _err = new KaitaiStream.ValidationGreaterThanError(112, this.kind, this._io, "/types/transaction/seq/1");
          this._debug.kind.validationError = _err;
          throw _err;
        }
      }
      if (this.there != 0) {
        this._debug.value = { start: this._io.pos, ioOffset: this._io.byteOffset };
        switch (this.kind) {
        case 111:
          this.value = new Local(this._io, this, this._root);
          this.value._read();
          break;
        case 112:
          this.value = new Xa(this._io, this, this._root);
          this.value._read();
          break;
        }
        this._debug.value.end = this._io.pos;
      }
    }
    return Transaction;
  })();
  var TypedValue = KahadbJournalOpenwire.TypedValue = (function() {
    function TypedValue(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    TypedValue.prototype._read = function() {
      this._debug.tag = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.tag = this._io.readU1();
      this._debug.tag.end = this._io.pos;
      this._debug.value = { start: this._io.pos, ioOffset: this._io.byteOffset };
      switch (this.tag) {
      case 0:
        this.value = new Nothing(this._io, this, this._root);
        this.value._read();
        break;
      case 1:
        this.value = new BoolValue(this._io, this, this._root);
        this.value._read();
        break;
      case 10:
        this.value = new Binary(this._io, this, this._root);
        this.value._read();
        break;
      case 11:
        this.value = new ValueMap(this._io, this, this._root);
        this.value._read();
        break;
      case 12:
        this.value = new ValueList(this._io, this, this._root);
        this.value._read();
        break;
      case 13:
        this.value = new LongText(this._io, this, this._root);
        this.value._read();
        break;
      case 2:
        this.value = new S1Value(this._io, this, this._root);
        this.value._read();
        break;
      case 3:
        this.value = new U2Value(this._io, this, this._root);
        this.value._read();
        break;
      case 4:
        this.value = new S2Value(this._io, this, this._root);
        this.value._read();
        break;
      case 5:
        this.value = new S4Value(this._io, this, this._root);
        this.value._read();
        break;
      case 6:
        this.value = new S8Value(this._io, this, this._root);
        this.value._read();
        break;
      case 7:
        this.value = new F8Value(this._io, this, this._root);
        this.value._read();
        break;
      case 8:
        this.value = new F4Value(this._io, this, this._root);
        this.value._read();
        break;
      case 9:
        this.value = new Utf(this._io, this, this._root);
        this.value._read();
        break;
      }
      this._debug.value.end = this._io.pos;
    }
    return TypedValue;
  })();
  var U2Value = KahadbJournalOpenwire.U2Value = (function() {
    function U2Value(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    U2Value.prototype._read = function() {
      this._debug.held = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.held = this._io.readU2be();
      this._debug.held.end = this._io.pos;
    }
    return U2Value;
  })();
  var Utf = KahadbJournalOpenwire.Utf = (function() {
    function Utf(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Utf.prototype._read = function() {
      this._debug.size = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.size = this._io.readU2be();
      this._debug.size.end = this._io.pos;
      this._debug.text = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.text = this._io.readBytes(this.size);
      this._debug.text.end = this._io.pos;
    }
    return Utf;
  })();
  var ValueList = KahadbJournalOpenwire.ValueList = (function() {
    function ValueList(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    ValueList.prototype._read = function() {
      this._debug.count = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.count = this._io.readS4be();
      this._debug.count.end = this._io.pos;
      if (this.count >= 0) {
        this._debug.values = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this._debug.values.arr = [];
        this.values = [];
        for (var i = 0; i < this.count; i++) {
          this._debug.values.arr[i] = { start: this._io.pos, ioOffset: this._io.byteOffset };
          var _t_values = new TypedValue(this._io, this, this._root);
          try {
            _t_values._read();
          } finally {
            this.values.push(_t_values);
          }
          this._debug.values.arr[i].end = this._io.pos;
        }
        this._debug.values.end = this._io.pos;
      }
    }
    return ValueList;
  })();
  var ValueMap = KahadbJournalOpenwire.ValueMap = (function() {
    function ValueMap(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    ValueMap.prototype._read = function() {
      this._debug.count = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.count = this._io.readS4be();
      this._debug.count.end = this._io.pos;
      if (this.count >= 0) {
        this._debug.entries = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this._debug.entries.arr = [];
        this.entries = [];
        for (var i = 0; i < this.count; i++) {
          this._debug.entries.arr[i] = { start: this._io.pos, ioOffset: this._io.byteOffset };
          var _t_entries = new Entry(this._io, this, this._root);
          try {
            _t_entries._read();
          } finally {
            this.entries.push(_t_entries);
          }
          this._debug.entries.arr[i].end = this._io.pos;
        }
        this._debug.entries.end = this._io.pos;
      }
    }
    return ValueMap;
  })();
  var ValueStream = KahadbJournalOpenwire.ValueStream = (function() {
    function ValueStream(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    ValueStream.prototype._read = function() {
      this._debug.values = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this._debug.values.arr = [];
      this.values = [];
      var i = 0;
      while (!this._io.isEof()) {
        this._debug.values.arr[this.values.length] = { start: this._io.pos, ioOffset: this._io.byteOffset };
        var _t_values = new TypedValue(this._io, this, this._root);
        try {
          _t_values._read();
        } finally {
          this.values.push(_t_values);
        }
        this._debug.values.arr[this.values.length - 1].end = this._io.pos;
        i++;
      }
      this._debug.values.end = this._io.pos;
    }
    return ValueStream;
  })();
  var Xa = KahadbJournalOpenwire.Xa = (function() {
    function Xa(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Xa.prototype._read = function() {
      this._debug.formatId = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.formatId = this._io.readS4be();
      this._debug.formatId.end = this._io.pos;
      this._debug.gtrid = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.gtrid = new BytesOrNull(this._io, this, this._root);
      this.gtrid._read();
      this._debug.gtrid.end = this._io.pos;
      this._debug.bqual = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.bqual = new BytesOrNull(this._io, this, this._root);
      this.bqual._read();
      this._debug.bqual.end = this._io.pos;
    }
    return Xa;
  })();
  return KahadbJournalOpenwire;
})();
KahadbJournalOpenwire_.KahadbJournalOpenwire = KahadbJournalOpenwire;
});
});
