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
});
