(globalThis.journalspecCode ||= []).push(function () {
// This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
(function (root, factory) {
  if (typeof define === 'function' && define.amd) {
    define(['exports', 'kaitai-struct/KaitaiStream'], factory);
  } else if (typeof exports === 'object' && exports !== null && typeof exports.nodeType !== 'number') {
    factory(exports, require('kaitai-struct/KaitaiStream'));
  } else {
    factory(root.HornetqJournal || (root.HornetqJournal = {}), root.KaitaiStream);
  }
})(typeof self !== 'undefined' ? self : this, function (HornetqJournal_, KaitaiStream) {
var HornetqJournal = (function() {
  HornetqJournal.RecordType = Object.freeze({
    EVENT: 10,
    ADD: 11,
    UPDATE: 12,
    ADD_TX: 13,
    UPDATE_TX: 14,
    DELETE_TX: 15,
    DELETE: 16,
    PREPARE: 17,
    COMMIT: 18,
    ROLLBACK: 19,
    10: "EVENT",
    11: "ADD",
    12: "UPDATE",
    13: "ADD_TX",
    14: "UPDATE_TX",
    15: "DELETE_TX",
    16: "DELETE",
    17: "PREPARE",
    18: "COMMIT",
    19: "ROLLBACK",
  });
  function HornetqJournal(_io, _parent, _root) {
    this._io = _io;
    this._parent = _parent;
    this._root = _root || this;
    this._debug = {};
  }
  HornetqJournal.prototype._read = function() {
    this._debug.header = { start: this._io.pos, ioOffset: this._io.byteOffset };
    this.header = new FileHeader(this._io, this, this._root);
    this.header._read();
    this._debug.header.end = this._io.pos;
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
    } while (!(!(_.isRecord)));
    this._debug.slots.end = this._io.pos;
    this._debug.rest = { start: this._io.pos, ioOffset: this._io.byteOffset };
    this.rest = this._io.readBytesFull();
    this._debug.rest.end = this._io.pos;
  }
  var Completion = HornetqJournal.Completion = (function() {
    function Completion(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Completion.prototype._read = function() {
      this._debug.tx = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.tx = this._io.readS8be();
      this._debug.tx.end = this._io.pos;
      this._debug.count = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.count = this._io.readS4be();
      this._debug.count.end = this._io.pos;
      this._debug.checkSize = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.checkSize = this._io.readS4be();
      this._debug.checkSize.end = this._io.pos;
      if (!(this.checkSize == this._parent.lenStart + 16)) {
        var _err = new KaitaiStream.ValidationNotEqualError(this._parent.lenStart + 16, this.checkSize, this._io, "/types/completion/seq/2");
        this._debug.checkSize.validationError = _err;
        throw _err;
      }
    }
    return Completion;
  })();
  var ControlLists = HornetqJournal.ControlLists = (function() {
    function ControlLists(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    ControlLists.prototype._read = function() {
      this._debug.numOld = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.numOld = this._io.readS4be();
      this._debug.numOld.end = this._io.pos;
      this._debug.oldNames = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this._debug.oldNames.arr = [];
      this.oldNames = [];
      for (var i = 0; i < this.numOld; i++) {
        this._debug.oldNames.arr[i] = { start: this._io.pos, ioOffset: this._io.byteOffset };
        var _t_oldNames = new FileName(this._io, this, this._root);
        try {
          _t_oldNames._read();
        } finally {
          this.oldNames.push(_t_oldNames);
        }
        this._debug.oldNames.arr[i].end = this._io.pos;
      }
      this._debug.oldNames.end = this._io.pos;
      this._debug.numNew = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.numNew = this._io.readS4be();
      this._debug.numNew.end = this._io.pos;
      this._debug.newNames = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this._debug.newNames.arr = [];
      this.newNames = [];
      for (var i = 0; i < this.numNew; i++) {
        this._debug.newNames.arr[i] = { start: this._io.pos, ioOffset: this._io.byteOffset };
        var _t_newNames = new FileName(this._io, this, this._root);
        try {
          _t_newNames._read();
        } finally {
          this.newNames.push(_t_newNames);
        }
        this._debug.newNames.arr[i].end = this._io.pos;
      }
      this._debug.newNames.end = this._io.pos;
      this._debug.numRenames = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.numRenames = this._io.readS4be();
      this._debug.numRenames.end = this._io.pos;
      this._debug.renames = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this._debug.renames.arr = [];
      this.renames = [];
      for (var i = 0; i < this.numRenames; i++) {
        this._debug.renames.arr[i] = { start: this._io.pos, ioOffset: this._io.byteOffset };
        var _t_renames = new Rename(this._io, this, this._root);
        try {
          _t_renames._read();
        } finally {
          this.renames.push(_t_renames);
        }
        this._debug.renames.arr[i].end = this._io.pos;
      }
      this._debug.renames.end = this._io.pos;
      this._debug.slack = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.slack = this._io.readBytesFull();
      this._debug.slack.end = this._io.pos;
    }
    return ControlLists;
  })();
  var Deletion = HornetqJournal.Deletion = (function() {
    function Deletion(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Deletion.prototype._read = function() {
      this._debug.id = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.id = this._io.readS8be();
      this._debug.id.end = this._io.pos;
      this._debug.checkSize = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.checkSize = this._io.readS4be();
      this._debug.checkSize.end = this._io.pos;
      if (!(this.checkSize == this._parent.lenStart + 12)) {
        var _err = new KaitaiStream.ValidationNotEqualError(this._parent.lenStart + 12, this.checkSize, this._io, "/types/deletion/seq/1");
        this._debug.checkSize.validationError = _err;
        throw _err;
      }
    }
    return Deletion;
  })();
  var DeletionTx = HornetqJournal.DeletionTx = (function() {
    function DeletionTx(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    DeletionTx.prototype._read = function() {
      this._debug.tx = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.tx = this._io.readS8be();
      this._debug.tx.end = this._io.pos;
      this._debug.id = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.id = this._io.readS8be();
      this._debug.id.end = this._io.pos;
      this._debug.bodySize = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.bodySize = this._io.readS4be();
      this._debug.bodySize.end = this._io.pos;
      if (!(this.bodySize >= 0)) {
        var _err = new KaitaiStream.ValidationLessThanError(0, this.bodySize, this._io, "/types/deletion_tx/seq/2");
        this._debug.bodySize.validationError = _err;
        throw _err;
      }
      this._debug.body = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.body = this._io.readBytes(this.bodySize);
      this._debug.body.end = this._io.pos;
      this._debug.checkSize = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.checkSize = this._io.readS4be();
      this._debug.checkSize.end = this._io.pos;
      if (!(this.checkSize == (this._parent.lenStart + 24) + this.bodySize)) {
        var _err = new KaitaiStream.ValidationNotEqualError((this._parent.lenStart + 24) + this.bodySize, this.checkSize, this._io, "/types/deletion_tx/seq/4");
        this._debug.checkSize.validationError = _err;
        throw _err;
      }
    }
    return DeletionTx;
  })();
  var Entry = HornetqJournal.Entry = (function() {
    function Entry(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Entry.prototype._read = function() {
      this._debug.id = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.id = this._io.readS8be();
      this._debug.id.end = this._io.pos;
      this._debug.bodySize = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.bodySize = this._io.readS4be();
      this._debug.bodySize.end = this._io.pos;
      if (!(this.bodySize >= 0)) {
        var _err = new KaitaiStream.ValidationLessThanError(0, this.bodySize, this._io, "/types/entry/seq/1");
        this._debug.bodySize.validationError = _err;
        throw _err;
      }
      this._debug.userType = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.userType = this._io.readU1();
      this._debug.userType.end = this._io.pos;
      this._debug.body = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.body = this._io.readBytes(this.bodySize);
      this._debug.body.end = this._io.pos;
      this._debug.checkSize = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.checkSize = this._io.readS4be();
      this._debug.checkSize.end = this._io.pos;
      if (!(this.checkSize == (this._parent.lenStart + 17) + this.bodySize)) {
        var _err = new KaitaiStream.ValidationNotEqualError((this._parent.lenStart + 17) + this.bodySize, this.checkSize, this._io, "/types/entry/seq/4");
        this._debug.checkSize.validationError = _err;
        throw _err;
      }
    }
    return Entry;
  })();
  var EntryTx = HornetqJournal.EntryTx = (function() {
    function EntryTx(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    EntryTx.prototype._read = function() {
      this._debug.tx = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.tx = this._io.readS8be();
      this._debug.tx.end = this._io.pos;
      this._debug.id = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.id = this._io.readS8be();
      this._debug.id.end = this._io.pos;
      this._debug.bodySize = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.bodySize = this._io.readS4be();
      this._debug.bodySize.end = this._io.pos;
      if (!(this.bodySize >= 0)) {
        var _err = new KaitaiStream.ValidationLessThanError(0, this.bodySize, this._io, "/types/entry_tx/seq/2");
        this._debug.bodySize.validationError = _err;
        throw _err;
      }
      this._debug.userType = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.userType = this._io.readU1();
      this._debug.userType.end = this._io.pos;
      this._debug.body = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.body = this._io.readBytes(this.bodySize);
      this._debug.body.end = this._io.pos;
      this._debug.checkSize = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.checkSize = this._io.readS4be();
      this._debug.checkSize.end = this._io.pos;
      if (!(this.checkSize == (this._parent.lenStart + 25) + this.bodySize)) {
        var _err = new KaitaiStream.ValidationNotEqualError((this._parent.lenStart + 25) + this.bodySize, this.checkSize, this._io, "/types/entry_tx/seq/5");
        this._debug.checkSize.validationError = _err;
        throw _err;
      }
    }
    return EntryTx;
  })();
  var FileHeader = HornetqJournal.FileHeader = (function() {
    function FileHeader(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    FileHeader.prototype._read = function() {
      this._debug.formatVersion = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.formatVersion = this._io.readS4be();
      this._debug.formatVersion.end = this._io.pos;
      if (!( ((this.formatVersion == 1) || (this.formatVersion == 2)) )) {
        var _err = new KaitaiStream.ValidationNotAnyOfError(this.formatVersion, this._io, "/types/file_header/seq/0");
        this._debug.formatVersion.validationError = _err;
        throw _err;
      }
      this._debug.userVersion = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.userVersion = this._io.readS4be();
      this._debug.userVersion.end = this._io.pos;
      this._debug.fileId = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.fileId = this._io.readS8be();
      this._debug.fileId.end = this._io.pos;
    }
    Object.defineProperty(FileHeader.prototype, 'stamp', {
      get: function() {
        if (this._m_stamp !== undefined)
          return this._m_stamp;
        this._debug._m_stamp = {  };
        this._m_stamp = (this.fileId & 2147483647);
        return this._m_stamp;
      }
    });
    return FileHeader;
  })();
  var FileName = HornetqJournal.FileName = (function() {
    function FileName(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    FileName.prototype._read = function() {
      this._debug.length = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.length = this._io.readU2be();
      this._debug.length.end = this._io.pos;
      this._debug.name = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.name = this._io.readBytes(this.length);
      this._debug.name.end = this._io.pos;
    }
    return FileName;
  })();
  var Preparation = HornetqJournal.Preparation = (function() {
    function Preparation(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Preparation.prototype._read = function() {
      this._debug.tx = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.tx = this._io.readS8be();
      this._debug.tx.end = this._io.pos;
      this._debug.count = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.count = this._io.readS4be();
      this._debug.count.end = this._io.pos;
      this._debug.extraSize = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.extraSize = this._io.readS4be();
      this._debug.extraSize.end = this._io.pos;
      if (!(this.extraSize >= 0)) {
        var _err = new KaitaiStream.ValidationLessThanError(0, this.extraSize, this._io, "/types/preparation/seq/2");
        this._debug.extraSize.validationError = _err;
        throw _err;
      }
      this._debug.extra = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.extra = this._io.readBytes(this.extraSize);
      this._debug.extra.end = this._io.pos;
      this._debug.checkSize = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.checkSize = this._io.readS4be();
      this._debug.checkSize.end = this._io.pos;
      if (!(this.checkSize == (this._parent.lenStart + 20) + this.extraSize)) {
        var _err = new KaitaiStream.ValidationNotEqualError((this._parent.lenStart + 20) + this.extraSize, this.checkSize, this._io, "/types/preparation/seq/4");
        this._debug.checkSize.validationError = _err;
        throw _err;
      }
    }
    return Preparation;
  })();
  var Record = HornetqJournal.Record = (function() {
    function Record(_io, _parent, _root, formatVersion) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this.formatVersion = formatVersion;
      this._debug = {};
    }
    Record.prototype._read = function() {
      this._debug.recordType = { start: this._io.pos, ioOffset: this._io.byteOffset, enumName: "HornetqJournal.RecordType" };
      this.recordType = this._io.readU1();
      this._debug.recordType.end = this._io.pos;
      this._debug.fileId = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.fileId = this._io.readS4be();
      this._debug.fileId.end = this._io.pos;
      if (this.formatVersion >= 2) {
        this._debug.compactCount = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.compactCount = this._io.readS1();
        this._debug.compactCount.end = this._io.pos;
      }
      this._debug.content = { start: this._io.pos, ioOffset: this._io.byteOffset };
      switch (this.recordType) {
      case HornetqJournal.RecordType.ADD:
        this.content = new Entry(this._io, this, this._root);
        this.content._read();
        break;
      case HornetqJournal.RecordType.ADD_TX:
        this.content = new EntryTx(this._io, this, this._root);
        this.content._read();
        break;
      case HornetqJournal.RecordType.COMMIT:
        this.content = new Completion(this._io, this, this._root);
        this.content._read();
        break;
      case HornetqJournal.RecordType.DELETE:
        this.content = new Deletion(this._io, this, this._root);
        this.content._read();
        break;
      case HornetqJournal.RecordType.DELETE_TX:
        this.content = new DeletionTx(this._io, this, this._root);
        this.content._read();
        break;
      case HornetqJournal.RecordType.EVENT:
        this.content = new Entry(this._io, this, this._root);
        this.content._read();
        break;
      case HornetqJournal.RecordType.PREPARE:
        this.content = new Preparation(this._io, this, this._root);
        this.content._read();
        break;
      case HornetqJournal.RecordType.ROLLBACK:
        this.content = new Rollback(this._io, this, this._root);
        this.content._read();
        break;
      case HornetqJournal.RecordType.UPDATE:
        this.content = new Entry(this._io, this, this._root);
        this.content._read();
        break;
      case HornetqJournal.RecordType.UPDATE_TX:
        this.content = new EntryTx(this._io, this, this._root);
        this.content._read();
        break;
      }
      this._debug.content.end = this._io.pos;
    }
    Object.defineProperty(Record.prototype, 'lenStart', {
      get: function() {
        if (this._m_lenStart !== undefined)
          return this._m_lenStart;
        this._debug._m_lenStart = {  };
        this._m_lenStart = (this.formatVersion >= 2 ? 6 : 5);
        return this._m_lenStart;
      }
    });
    return Record;
  })();
  var Rename = HornetqJournal.Rename = (function() {
    function Rename(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Rename.prototype._read = function() {
      this._debug.source = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.source = new FileName(this._io, this, this._root);
      this.source._read();
      this._debug.source.end = this._io.pos;
      this._debug.target = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.target = new FileName(this._io, this, this._root);
      this.target._read();
      this._debug.target.end = this._io.pos;
    }
    return Rename;
  })();
  var Rollback = HornetqJournal.Rollback = (function() {
    function Rollback(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Rollback.prototype._read = function() {
      this._debug.tx = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.tx = this._io.readS8be();
      this._debug.tx.end = this._io.pos;
      this._debug.checkSize = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.checkSize = this._io.readS4be();
      this._debug.checkSize.end = this._io.pos;
      if (!(this.checkSize == this._parent.lenStart + 12)) {
        var _err = new KaitaiStream.ValidationNotEqualError(this._parent.lenStart + 12, this.checkSize, this._io, "/types/rollback/seq/1");
        this._debug.checkSize.validationError = _err;
        throw _err;
      }
    }
    return Rollback;
  })();
  var Slot = HornetqJournal.Slot = (function() {
    function Slot(_io, _parent, _root, start) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this.start = start;
      this._debug = {};
    }
    Slot.prototype._read = function() {
      if (this.isRecord) {
        this._debug.record = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.record = new Record(this._io, this, this._root, this._root.header.formatVersion);
        this.record._read();
        this._debug.record.end = this._io.pos;
      }
    }
    Object.defineProperty(Slot.prototype, 'first', {
      get: function() {
        if (this._m_first !== undefined)
          return this._m_first;
        if (this.room >= 17) {
          var _pos = this._io.pos;
          this._io.seek(this.start);
          this._debug._m_first = { start: this._io.pos, ioOffset: this._io.byteOffset };
          this._m_first = this._io.readU1();
          this._debug._m_first.end = this._io.pos;
          this._io.seek(_pos);
        }
        return this._m_first;
      }
    });
    Object.defineProperty(Slot.prototype, 'isRecord', {
      get: function() {
        if (this._m_isRecord !== undefined)
          return this._m_isRecord;
        this._debug._m_isRecord = {  };
        this._m_isRecord =  ((this.room >= 17) && (this.first >= 10) && (this.first <= 19) && ((this.stamp ^ this._root.header.stamp) == 0)) ;
        return this._m_isRecord;
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
    Object.defineProperty(Slot.prototype, 'stamp', {
      get: function() {
        if (this._m_stamp !== undefined)
          return this._m_stamp;
        if (this.room >= 17) {
          var _pos = this._io.pos;
          this._io.seek(this.start + 1);
          this._debug._m_stamp = { start: this._io.pos, ioOffset: this._io.byteOffset };
          this._m_stamp = this._io.readS4be();
          this._debug._m_stamp.end = this._io.pos;
          this._io.seek(_pos);
        }
        return this._m_stamp;
      }
    });
    return Slot;
  })();
  return HornetqJournal;
})();
HornetqJournal_.HornetqJournal = HornetqJournal;
});
// This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
(function (root, factory) {
  if (typeof define === 'function' && define.amd) {
    define(['exports', 'kaitai-struct/KaitaiStream'], factory);
  } else if (typeof exports === 'object' && exports !== null && typeof exports.nodeType !== 'number') {
    factory(exports, require('kaitai-struct/KaitaiStream'));
  } else {
    factory(root.JbossJournalS1 || (root.JbossJournalS1 = {}), root.KaitaiStream);
  }
})(typeof self !== 'undefined' ? self : this, function (JbossJournalS1_, KaitaiStream) {
var JbossJournalS1 = (function() {
  JbossJournalS1.RecordType = Object.freeze({
    EVENT: 10,
    ADD: 11,
    UPDATE: 12,
    ADD_TX: 13,
    UPDATE_TX: 14,
    DELETE_TX: 15,
    DELETE: 16,
    PREPARE: 17,
    COMMIT: 18,
    ROLLBACK: 19,
    10: "EVENT",
    11: "ADD",
    12: "UPDATE",
    13: "ADD_TX",
    14: "UPDATE_TX",
    15: "DELETE_TX",
    16: "DELETE",
    17: "PREPARE",
    18: "COMMIT",
    19: "ROLLBACK",
  });
  function JbossJournalS1(_io, _parent, _root) {
    this._io = _io;
    this._parent = _parent;
    this._root = _root || this;
    this._debug = {};
  }
  JbossJournalS1.prototype._read = function() {
    this._debug.header = { start: this._io.pos, ioOffset: this._io.byteOffset };
    this.header = new FileHeader(this._io, this, this._root);
    this.header._read();
    this._debug.header.end = this._io.pos;
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
    } while (!(!(_.isRecord)));
    this._debug.slots.end = this._io.pos;
    this._debug.rest = { start: this._io.pos, ioOffset: this._io.byteOffset };
    this.rest = this._io.readBytesFull();
    this._debug.rest.end = this._io.pos;
  }
  var Completion = JbossJournalS1.Completion = (function() {
    function Completion(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Completion.prototype._read = function() {
      this._debug.tx = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.tx = this._io.readS8be();
      this._debug.tx.end = this._io.pos;
      this._debug.numFiles = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.numFiles = this._io.readS4be();
      this._debug.numFiles.end = this._io.pos;
      if (!(this.numFiles >= 0)) {
        var _err = new KaitaiStream.ValidationLessThanError(0, this.numFiles, this._io, "/types/completion/seq/1");
        this._debug.numFiles.validationError = _err;
        throw _err;
      }
      this._debug.pairs = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this._debug.pairs.arr = [];
      this.pairs = [];
      for (var i = 0; i < this.numFiles; i++) {
        this._debug.pairs.arr[i] = { start: this._io.pos, ioOffset: this._io.byteOffset };
        var _t_pairs = new FileCount(this._io, this, this._root);
        try {
          _t_pairs._read();
        } finally {
          this.pairs.push(_t_pairs);
        }
        this._debug.pairs.arr[i].end = this._io.pos;
      }
      this._debug.pairs.end = this._io.pos;
      this._debug.checkSize = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.checkSize = this._io.readS4be();
      this._debug.checkSize.end = this._io.pos;
      if (!(this.checkSize == 21 + 8 * this.numFiles)) {
        var _err = new KaitaiStream.ValidationNotEqualError(21 + 8 * this.numFiles, this.checkSize, this._io, "/types/completion/seq/3");
        this._debug.checkSize.validationError = _err;
        throw _err;
      }
    }
    return Completion;
  })();
  var Deletion = JbossJournalS1.Deletion = (function() {
    function Deletion(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Deletion.prototype._read = function() {
      this._debug.id = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.id = this._io.readS8be();
      this._debug.id.end = this._io.pos;
      this._debug.checkSize = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.checkSize = this._io.readS4be();
      this._debug.checkSize.end = this._io.pos;
      if (!(this.checkSize == 17)) {
        var _err = new KaitaiStream.ValidationNotEqualError(17, this.checkSize, this._io, "/types/deletion/seq/1");
        this._debug.checkSize.validationError = _err;
        throw _err;
      }
    }
    return Deletion;
  })();
  var DeletionTx = JbossJournalS1.DeletionTx = (function() {
    function DeletionTx(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    DeletionTx.prototype._read = function() {
      this._debug.tx = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.tx = this._io.readS8be();
      this._debug.tx.end = this._io.pos;
      this._debug.id = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.id = this._io.readS8be();
      this._debug.id.end = this._io.pos;
      this._debug.bodySize = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.bodySize = this._io.readS4be();
      this._debug.bodySize.end = this._io.pos;
      if (!(this.bodySize >= 0)) {
        var _err = new KaitaiStream.ValidationLessThanError(0, this.bodySize, this._io, "/types/deletion_tx/seq/2");
        this._debug.bodySize.validationError = _err;
        throw _err;
      }
      this._debug.body = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.body = this._io.readBytes(this.bodySize);
      this._debug.body.end = this._io.pos;
      this._debug.checkSize = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.checkSize = this._io.readS4be();
      this._debug.checkSize.end = this._io.pos;
      if (!(this.checkSize == 29 + this.bodySize)) {
        var _err = new KaitaiStream.ValidationNotEqualError(29 + this.bodySize, this.checkSize, this._io, "/types/deletion_tx/seq/4");
        this._debug.checkSize.validationError = _err;
        throw _err;
      }
    }
    return DeletionTx;
  })();
  var Entry = JbossJournalS1.Entry = (function() {
    function Entry(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Entry.prototype._read = function() {
      this._debug.id = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.id = this._io.readS8be();
      this._debug.id.end = this._io.pos;
      this._debug.bodySize = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.bodySize = this._io.readS4be();
      this._debug.bodySize.end = this._io.pos;
      if (!(this.bodySize >= 0)) {
        var _err = new KaitaiStream.ValidationLessThanError(0, this.bodySize, this._io, "/types/entry/seq/1");
        this._debug.bodySize.validationError = _err;
        throw _err;
      }
      this._debug.userType = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.userType = this._io.readU1();
      this._debug.userType.end = this._io.pos;
      this._debug.body = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.body = this._io.readBytes(this.bodySize);
      this._debug.body.end = this._io.pos;
      this._debug.checkSize = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.checkSize = this._io.readS4be();
      this._debug.checkSize.end = this._io.pos;
      if (!(this.checkSize == 22 + this.bodySize)) {
        var _err = new KaitaiStream.ValidationNotEqualError(22 + this.bodySize, this.checkSize, this._io, "/types/entry/seq/4");
        this._debug.checkSize.validationError = _err;
        throw _err;
      }
    }
    return Entry;
  })();
  var EntryTx = JbossJournalS1.EntryTx = (function() {
    function EntryTx(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    EntryTx.prototype._read = function() {
      this._debug.tx = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.tx = this._io.readS8be();
      this._debug.tx.end = this._io.pos;
      this._debug.id = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.id = this._io.readS8be();
      this._debug.id.end = this._io.pos;
      this._debug.bodySize = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.bodySize = this._io.readS4be();
      this._debug.bodySize.end = this._io.pos;
      if (!(this.bodySize >= 0)) {
        var _err = new KaitaiStream.ValidationLessThanError(0, this.bodySize, this._io, "/types/entry_tx/seq/2");
        this._debug.bodySize.validationError = _err;
        throw _err;
      }
      this._debug.userType = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.userType = this._io.readU1();
      this._debug.userType.end = this._io.pos;
      this._debug.body = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.body = this._io.readBytes(this.bodySize);
      this._debug.body.end = this._io.pos;
      this._debug.checkSize = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.checkSize = this._io.readS4be();
      this._debug.checkSize.end = this._io.pos;
      if (!(this.checkSize == 30 + this.bodySize)) {
        var _err = new KaitaiStream.ValidationNotEqualError(30 + this.bodySize, this.checkSize, this._io, "/types/entry_tx/seq/5");
        this._debug.checkSize.validationError = _err;
        throw _err;
      }
    }
    return EntryTx;
  })();
  var FileCount = JbossJournalS1.FileCount = (function() {
    function FileCount(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    FileCount.prototype._read = function() {
      this._debug.fileId = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.fileId = this._io.readS4be();
      this._debug.fileId.end = this._io.pos;
      this._debug.count = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.count = this._io.readS4be();
      this._debug.count.end = this._io.pos;
    }
    return FileCount;
  })();
  var FileHeader = JbossJournalS1.FileHeader = (function() {
    function FileHeader(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    FileHeader.prototype._read = function() {
      this._debug.fileId = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.fileId = this._io.readS4be();
      this._debug.fileId.end = this._io.pos;
    }
    Object.defineProperty(FileHeader.prototype, 'stamp', {
      get: function() {
        if (this._m_stamp !== undefined)
          return this._m_stamp;
        this._debug._m_stamp = {  };
        this._m_stamp = this.fileId;
        return this._m_stamp;
      }
    });
    return FileHeader;
  })();
  var Preparation = JbossJournalS1.Preparation = (function() {
    function Preparation(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Preparation.prototype._read = function() {
      this._debug.tx = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.tx = this._io.readS8be();
      this._debug.tx.end = this._io.pos;
      this._debug.extraSize = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.extraSize = this._io.readS4be();
      this._debug.extraSize.end = this._io.pos;
      if (!(this.extraSize >= 0)) {
        var _err = new KaitaiStream.ValidationLessThanError(0, this.extraSize, this._io, "/types/preparation/seq/1");
        this._debug.extraSize.validationError = _err;
        throw _err;
      }
      this._debug.numFiles = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.numFiles = this._io.readS4be();
      this._debug.numFiles.end = this._io.pos;
      if (!(this.numFiles >= 0)) {
        var _err = new KaitaiStream.ValidationLessThanError(0, this.numFiles, this._io, "/types/preparation/seq/2");
        this._debug.numFiles.validationError = _err;
        throw _err;
      }
      this._debug.extra = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.extra = this._io.readBytes(this.extraSize);
      this._debug.extra.end = this._io.pos;
      this._debug.pairs = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this._debug.pairs.arr = [];
      this.pairs = [];
      for (var i = 0; i < this.numFiles; i++) {
        this._debug.pairs.arr[i] = { start: this._io.pos, ioOffset: this._io.byteOffset };
        var _t_pairs = new FileCount(this._io, this, this._root);
        try {
          _t_pairs._read();
        } finally {
          this.pairs.push(_t_pairs);
        }
        this._debug.pairs.arr[i].end = this._io.pos;
      }
      this._debug.pairs.end = this._io.pos;
      this._debug.checkSize = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.checkSize = this._io.readS4be();
      this._debug.checkSize.end = this._io.pos;
      if (!(this.checkSize == (25 + this.extraSize) + 8 * this.numFiles)) {
        var _err = new KaitaiStream.ValidationNotEqualError((25 + this.extraSize) + 8 * this.numFiles, this.checkSize, this._io, "/types/preparation/seq/5");
        this._debug.checkSize.validationError = _err;
        throw _err;
      }
    }
    return Preparation;
  })();
  var Record = JbossJournalS1.Record = (function() {
    function Record(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Record.prototype._read = function() {
      this._debug.recordType = { start: this._io.pos, ioOffset: this._io.byteOffset, enumName: "JbossJournalS1.RecordType" };
      this.recordType = this._io.readU1();
      this._debug.recordType.end = this._io.pos;
      this._debug.fileId = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.fileId = this._io.readS4be();
      this._debug.fileId.end = this._io.pos;
      this._debug.content = { start: this._io.pos, ioOffset: this._io.byteOffset };
      switch (this.recordType) {
      case JbossJournalS1.RecordType.ADD:
        this.content = new Entry(this._io, this, this._root);
        this.content._read();
        break;
      case JbossJournalS1.RecordType.ADD_TX:
        this.content = new EntryTx(this._io, this, this._root);
        this.content._read();
        break;
      case JbossJournalS1.RecordType.COMMIT:
        this.content = new Completion(this._io, this, this._root);
        this.content._read();
        break;
      case JbossJournalS1.RecordType.DELETE:
        this.content = new Deletion(this._io, this, this._root);
        this.content._read();
        break;
      case JbossJournalS1.RecordType.DELETE_TX:
        this.content = new DeletionTx(this._io, this, this._root);
        this.content._read();
        break;
      case JbossJournalS1.RecordType.PREPARE:
        this.content = new Preparation(this._io, this, this._root);
        this.content._read();
        break;
      case JbossJournalS1.RecordType.ROLLBACK:
        this.content = new Rollback(this._io, this, this._root);
        this.content._read();
        break;
      case JbossJournalS1.RecordType.UPDATE:
        this.content = new Entry(this._io, this, this._root);
        this.content._read();
        break;
      case JbossJournalS1.RecordType.UPDATE_TX:
        this.content = new EntryTx(this._io, this, this._root);
        this.content._read();
        break;
      }
      this._debug.content.end = this._io.pos;
    }
    return Record;
  })();
  var Rollback = JbossJournalS1.Rollback = (function() {
    function Rollback(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Rollback.prototype._read = function() {
      this._debug.tx = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.tx = this._io.readS8be();
      this._debug.tx.end = this._io.pos;
      this._debug.checkSize = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.checkSize = this._io.readS4be();
      this._debug.checkSize.end = this._io.pos;
      if (!(this.checkSize == 17)) {
        var _err = new KaitaiStream.ValidationNotEqualError(17, this.checkSize, this._io, "/types/rollback/seq/1");
        this._debug.checkSize.validationError = _err;
        throw _err;
      }
    }
    return Rollback;
  })();
  var Slot = JbossJournalS1.Slot = (function() {
    function Slot(_io, _parent, _root, start) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this.start = start;
      this._debug = {};
    }
    Slot.prototype._read = function() {
      if (this.isRecord) {
        this._debug.record = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.record = new Record(this._io, this, this._root);
        this.record._read();
        this._debug.record.end = this._io.pos;
      }
    }
    Object.defineProperty(Slot.prototype, 'first', {
      get: function() {
        if (this._m_first !== undefined)
          return this._m_first;
        if (this.room >= 17) {
          var _pos = this._io.pos;
          this._io.seek(this.start);
          this._debug._m_first = { start: this._io.pos, ioOffset: this._io.byteOffset };
          this._m_first = this._io.readU1();
          this._debug._m_first.end = this._io.pos;
          this._io.seek(_pos);
        }
        return this._m_first;
      }
    });
    Object.defineProperty(Slot.prototype, 'isRecord', {
      get: function() {
        if (this._m_isRecord !== undefined)
          return this._m_isRecord;
        this._debug._m_isRecord = {  };
        this._m_isRecord =  ((this.room >= 17) && (this.first >= 11) && (this.first <= 19) && ((this.stamp ^ this._root.header.stamp) == 0)) ;
        return this._m_isRecord;
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
    Object.defineProperty(Slot.prototype, 'stamp', {
      get: function() {
        if (this._m_stamp !== undefined)
          return this._m_stamp;
        if (this.room >= 17) {
          var _pos = this._io.pos;
          this._io.seek(this.start + 1);
          this._debug._m_stamp = { start: this._io.pos, ioOffset: this._io.byteOffset };
          this._m_stamp = this._io.readS4be();
          this._debug._m_stamp.end = this._io.pos;
          this._io.seek(_pos);
        }
        return this._m_stamp;
      }
    });
    return Slot;
  })();
  return JbossJournalS1;
})();
JbossJournalS1_.JbossJournalS1 = JbossJournalS1;
});
// This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
(function (root, factory) {
  if (typeof define === 'function' && define.amd) {
    define(['exports', 'kaitai-struct/KaitaiStream'], factory);
  } else if (typeof exports === 'object' && exports !== null && typeof exports.nodeType !== 'number') {
    factory(exports, require('kaitai-struct/KaitaiStream'));
  } else {
    factory(root.JbossJournalS2 || (root.JbossJournalS2 = {}), root.KaitaiStream);
  }
})(typeof self !== 'undefined' ? self : this, function (JbossJournalS2_, KaitaiStream) {
var JbossJournalS2 = (function() {
  JbossJournalS2.RecordType = Object.freeze({
    EVENT: 10,
    ADD: 11,
    UPDATE: 12,
    ADD_TX: 13,
    UPDATE_TX: 14,
    DELETE_TX: 15,
    DELETE: 16,
    PREPARE: 17,
    COMMIT: 18,
    ROLLBACK: 19,
    10: "EVENT",
    11: "ADD",
    12: "UPDATE",
    13: "ADD_TX",
    14: "UPDATE_TX",
    15: "DELETE_TX",
    16: "DELETE",
    17: "PREPARE",
    18: "COMMIT",
    19: "ROLLBACK",
  });
  function JbossJournalS2(_io, _parent, _root) {
    this._io = _io;
    this._parent = _parent;
    this._root = _root || this;
    this._debug = {};
  }
  JbossJournalS2.prototype._read = function() {
    this._debug.header = { start: this._io.pos, ioOffset: this._io.byteOffset };
    this.header = new FileHeader(this._io, this, this._root);
    this.header._read();
    this._debug.header.end = this._io.pos;
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
    } while (!(!(_.isRecord)));
    this._debug.slots.end = this._io.pos;
    this._debug.rest = { start: this._io.pos, ioOffset: this._io.byteOffset };
    this.rest = this._io.readBytesFull();
    this._debug.rest.end = this._io.pos;
  }
  var Completion = JbossJournalS2.Completion = (function() {
    function Completion(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Completion.prototype._read = function() {
      this._debug.tx = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.tx = this._io.readS8be();
      this._debug.tx.end = this._io.pos;
      this._debug.count = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.count = this._io.readS4be();
      this._debug.count.end = this._io.pos;
      this._debug.checkSize = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.checkSize = this._io.readS4be();
      this._debug.checkSize.end = this._io.pos;
      if (!(this.checkSize == 21)) {
        var _err = new KaitaiStream.ValidationNotEqualError(21, this.checkSize, this._io, "/types/completion/seq/2");
        this._debug.checkSize.validationError = _err;
        throw _err;
      }
    }
    return Completion;
  })();
  var Deletion = JbossJournalS2.Deletion = (function() {
    function Deletion(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Deletion.prototype._read = function() {
      this._debug.id = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.id = this._io.readS8be();
      this._debug.id.end = this._io.pos;
      this._debug.checkSize = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.checkSize = this._io.readS4be();
      this._debug.checkSize.end = this._io.pos;
      if (!(this.checkSize == 17)) {
        var _err = new KaitaiStream.ValidationNotEqualError(17, this.checkSize, this._io, "/types/deletion/seq/1");
        this._debug.checkSize.validationError = _err;
        throw _err;
      }
    }
    return Deletion;
  })();
  var DeletionTx = JbossJournalS2.DeletionTx = (function() {
    function DeletionTx(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    DeletionTx.prototype._read = function() {
      this._debug.tx = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.tx = this._io.readS8be();
      this._debug.tx.end = this._io.pos;
      this._debug.id = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.id = this._io.readS8be();
      this._debug.id.end = this._io.pos;
      this._debug.bodySize = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.bodySize = this._io.readS4be();
      this._debug.bodySize.end = this._io.pos;
      if (!(this.bodySize >= 0)) {
        var _err = new KaitaiStream.ValidationLessThanError(0, this.bodySize, this._io, "/types/deletion_tx/seq/2");
        this._debug.bodySize.validationError = _err;
        throw _err;
      }
      this._debug.body = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.body = this._io.readBytes(this.bodySize);
      this._debug.body.end = this._io.pos;
      this._debug.checkSize = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.checkSize = this._io.readS4be();
      this._debug.checkSize.end = this._io.pos;
      if (!(this.checkSize == 29 + this.bodySize)) {
        var _err = new KaitaiStream.ValidationNotEqualError(29 + this.bodySize, this.checkSize, this._io, "/types/deletion_tx/seq/4");
        this._debug.checkSize.validationError = _err;
        throw _err;
      }
    }
    return DeletionTx;
  })();
  var Entry = JbossJournalS2.Entry = (function() {
    function Entry(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Entry.prototype._read = function() {
      this._debug.id = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.id = this._io.readS8be();
      this._debug.id.end = this._io.pos;
      this._debug.bodySize = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.bodySize = this._io.readS4be();
      this._debug.bodySize.end = this._io.pos;
      if (!(this.bodySize >= 0)) {
        var _err = new KaitaiStream.ValidationLessThanError(0, this.bodySize, this._io, "/types/entry/seq/1");
        this._debug.bodySize.validationError = _err;
        throw _err;
      }
      this._debug.userType = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.userType = this._io.readU1();
      this._debug.userType.end = this._io.pos;
      this._debug.body = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.body = this._io.readBytes(this.bodySize);
      this._debug.body.end = this._io.pos;
      this._debug.checkSize = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.checkSize = this._io.readS4be();
      this._debug.checkSize.end = this._io.pos;
      if (!(this.checkSize == 22 + this.bodySize)) {
        var _err = new KaitaiStream.ValidationNotEqualError(22 + this.bodySize, this.checkSize, this._io, "/types/entry/seq/4");
        this._debug.checkSize.validationError = _err;
        throw _err;
      }
    }
    return Entry;
  })();
  var EntryTx = JbossJournalS2.EntryTx = (function() {
    function EntryTx(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    EntryTx.prototype._read = function() {
      this._debug.tx = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.tx = this._io.readS8be();
      this._debug.tx.end = this._io.pos;
      this._debug.id = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.id = this._io.readS8be();
      this._debug.id.end = this._io.pos;
      this._debug.bodySize = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.bodySize = this._io.readS4be();
      this._debug.bodySize.end = this._io.pos;
      if (!(this.bodySize >= 0)) {
        var _err = new KaitaiStream.ValidationLessThanError(0, this.bodySize, this._io, "/types/entry_tx/seq/2");
        this._debug.bodySize.validationError = _err;
        throw _err;
      }
      this._debug.userType = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.userType = this._io.readU1();
      this._debug.userType.end = this._io.pos;
      this._debug.body = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.body = this._io.readBytes(this.bodySize);
      this._debug.body.end = this._io.pos;
      this._debug.checkSize = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.checkSize = this._io.readS4be();
      this._debug.checkSize.end = this._io.pos;
      if (!(this.checkSize == 30 + this.bodySize)) {
        var _err = new KaitaiStream.ValidationNotEqualError(30 + this.bodySize, this.checkSize, this._io, "/types/entry_tx/seq/5");
        this._debug.checkSize.validationError = _err;
        throw _err;
      }
    }
    return EntryTx;
  })();
  var FileHeader = JbossJournalS2.FileHeader = (function() {
    function FileHeader(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    FileHeader.prototype._read = function() {
      this._debug.fileId = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.fileId = this._io.readS4be();
      this._debug.fileId.end = this._io.pos;
    }
    Object.defineProperty(FileHeader.prototype, 'stamp', {
      get: function() {
        if (this._m_stamp !== undefined)
          return this._m_stamp;
        this._debug._m_stamp = {  };
        this._m_stamp = this.fileId;
        return this._m_stamp;
      }
    });
    return FileHeader;
  })();
  var Preparation = JbossJournalS2.Preparation = (function() {
    function Preparation(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Preparation.prototype._read = function() {
      this._debug.tx = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.tx = this._io.readS8be();
      this._debug.tx.end = this._io.pos;
      this._debug.count = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.count = this._io.readS4be();
      this._debug.count.end = this._io.pos;
      this._debug.extraSize = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.extraSize = this._io.readS4be();
      this._debug.extraSize.end = this._io.pos;
      if (!(this.extraSize >= 0)) {
        var _err = new KaitaiStream.ValidationLessThanError(0, this.extraSize, this._io, "/types/preparation/seq/2");
        this._debug.extraSize.validationError = _err;
        throw _err;
      }
      this._debug.extra = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.extra = this._io.readBytes(this.extraSize);
      this._debug.extra.end = this._io.pos;
      this._debug.checkSize = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.checkSize = this._io.readS4be();
      this._debug.checkSize.end = this._io.pos;
      if (!(this.checkSize == 25 + this.extraSize)) {
        var _err = new KaitaiStream.ValidationNotEqualError(25 + this.extraSize, this.checkSize, this._io, "/types/preparation/seq/4");
        this._debug.checkSize.validationError = _err;
        throw _err;
      }
    }
    return Preparation;
  })();
  var Record = JbossJournalS2.Record = (function() {
    function Record(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Record.prototype._read = function() {
      this._debug.recordType = { start: this._io.pos, ioOffset: this._io.byteOffset, enumName: "JbossJournalS2.RecordType" };
      this.recordType = this._io.readU1();
      this._debug.recordType.end = this._io.pos;
      this._debug.fileId = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.fileId = this._io.readS4be();
      this._debug.fileId.end = this._io.pos;
      this._debug.content = { start: this._io.pos, ioOffset: this._io.byteOffset };
      switch (this.recordType) {
      case JbossJournalS2.RecordType.ADD:
        this.content = new Entry(this._io, this, this._root);
        this.content._read();
        break;
      case JbossJournalS2.RecordType.ADD_TX:
        this.content = new EntryTx(this._io, this, this._root);
        this.content._read();
        break;
      case JbossJournalS2.RecordType.COMMIT:
        this.content = new Completion(this._io, this, this._root);
        this.content._read();
        break;
      case JbossJournalS2.RecordType.DELETE:
        this.content = new Deletion(this._io, this, this._root);
        this.content._read();
        break;
      case JbossJournalS2.RecordType.DELETE_TX:
        this.content = new DeletionTx(this._io, this, this._root);
        this.content._read();
        break;
      case JbossJournalS2.RecordType.PREPARE:
        this.content = new Preparation(this._io, this, this._root);
        this.content._read();
        break;
      case JbossJournalS2.RecordType.ROLLBACK:
        this.content = new Rollback(this._io, this, this._root);
        this.content._read();
        break;
      case JbossJournalS2.RecordType.UPDATE:
        this.content = new Entry(this._io, this, this._root);
        this.content._read();
        break;
      case JbossJournalS2.RecordType.UPDATE_TX:
        this.content = new EntryTx(this._io, this, this._root);
        this.content._read();
        break;
      }
      this._debug.content.end = this._io.pos;
    }
    return Record;
  })();
  var Rollback = JbossJournalS2.Rollback = (function() {
    function Rollback(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Rollback.prototype._read = function() {
      this._debug.tx = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.tx = this._io.readS8be();
      this._debug.tx.end = this._io.pos;
      this._debug.checkSize = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.checkSize = this._io.readS4be();
      this._debug.checkSize.end = this._io.pos;
      if (!(this.checkSize == 17)) {
        var _err = new KaitaiStream.ValidationNotEqualError(17, this.checkSize, this._io, "/types/rollback/seq/1");
        this._debug.checkSize.validationError = _err;
        throw _err;
      }
    }
    return Rollback;
  })();
  var Slot = JbossJournalS2.Slot = (function() {
    function Slot(_io, _parent, _root, start) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this.start = start;
      this._debug = {};
    }
    Slot.prototype._read = function() {
      if (this.isRecord) {
        this._debug.record = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.record = new Record(this._io, this, this._root);
        this.record._read();
        this._debug.record.end = this._io.pos;
      }
    }
    Object.defineProperty(Slot.prototype, 'first', {
      get: function() {
        if (this._m_first !== undefined)
          return this._m_first;
        if (this.room >= 17) {
          var _pos = this._io.pos;
          this._io.seek(this.start);
          this._debug._m_first = { start: this._io.pos, ioOffset: this._io.byteOffset };
          this._m_first = this._io.readU1();
          this._debug._m_first.end = this._io.pos;
          this._io.seek(_pos);
        }
        return this._m_first;
      }
    });
    Object.defineProperty(Slot.prototype, 'isRecord', {
      get: function() {
        if (this._m_isRecord !== undefined)
          return this._m_isRecord;
        this._debug._m_isRecord = {  };
        this._m_isRecord =  ((this.room >= 17) && (this.first >= 11) && (this.first <= 19) && ((this.stamp ^ this._root.header.stamp) == 0)) ;
        return this._m_isRecord;
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
    Object.defineProperty(Slot.prototype, 'stamp', {
      get: function() {
        if (this._m_stamp !== undefined)
          return this._m_stamp;
        if (this.room >= 17) {
          var _pos = this._io.pos;
          this._io.seek(this.start + 1);
          this._debug._m_stamp = { start: this._io.pos, ioOffset: this._io.byteOffset };
          this._m_stamp = this._io.readS4be();
          this._debug._m_stamp.end = this._io.pos;
          this._io.seek(_pos);
        }
        return this._m_stamp;
      }
    });
    return Slot;
  })();
  return JbossJournalS2;
})();
JbossJournalS2_.JbossJournalS2 = JbossJournalS2;
});
// This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
(function (root, factory) {
  if (typeof define === 'function' && define.amd) {
    define(['exports', 'kaitai-struct/KaitaiStream'], factory);
  } else if (typeof exports === 'object' && exports !== null && typeof exports.nodeType !== 'number') {
    factory(exports, require('kaitai-struct/KaitaiStream'));
  } else {
    factory(root.JbossJournalSeed || (root.JbossJournalSeed = {}), root.KaitaiStream);
  }
})(typeof self !== 'undefined' ? self : this, function (JbossJournalSeed_, KaitaiStream) {
var JbossJournalSeed = (function() {
  JbossJournalSeed.SeedRecordType = Object.freeze({
    ADD: 11,
    UPDATE: 12,
    ADD_TX: 13,
    UPDATE_TX: 14,
    DELETE: 15,
    DELETE_TX: 16,
    PREPARE: 17,
    COMMIT: 18,
    ROLLBACK: 19,
    11: "ADD",
    12: "UPDATE",
    13: "ADD_TX",
    14: "UPDATE_TX",
    15: "DELETE",
    16: "DELETE_TX",
    17: "PREPARE",
    18: "COMMIT",
    19: "ROLLBACK",
  });
  function JbossJournalSeed(_io, _parent, _root, hashed) {
    this._io = _io;
    this._parent = _parent;
    this._root = _root || this;
    this.hashed = hashed;
    this._debug = {};
  }
  JbossJournalSeed.prototype._read = function() {
    this._debug.header = { start: this._io.pos, ioOffset: this._io.byteOffset };
    this.header = new FileHeader(this._io, this, this._root);
    this.header._read();
    this._debug.header.end = this._io.pos;
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
    } while (!(!(_.isRecord)));
    this._debug.slots.end = this._io.pos;
    this._debug.rest = { start: this._io.pos, ioOffset: this._io.byteOffset };
    this.rest = this._io.readBytesFull();
    this._debug.rest.end = this._io.pos;
  }
  var Completion = JbossJournalSeed.Completion = (function() {
    function Completion(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Completion.prototype._read = function() {
      this._debug.tx = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.tx = this._io.readS8be();
      this._debug.tx.end = this._io.pos;
      this._debug.numFiles = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.numFiles = this._io.readS4be();
      this._debug.numFiles.end = this._io.pos;
      if (!(this.numFiles >= 0)) {
        var _err = new KaitaiStream.ValidationLessThanError(0, this.numFiles, this._io, "/types/completion/seq/1");
        this._debug.numFiles.validationError = _err;
        throw _err;
      }
      this._debug.pairs = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this._debug.pairs.arr = [];
      this.pairs = [];
      for (var i = 0; i < this.numFiles; i++) {
        this._debug.pairs.arr[i] = { start: this._io.pos, ioOffset: this._io.byteOffset };
        var _t_pairs = new FileCount(this._io, this, this._root);
        try {
          _t_pairs._read();
        } finally {
          this.pairs.push(_t_pairs);
        }
        this._debug.pairs.arr[i].end = this._io.pos;
      }
      this._debug.pairs.end = this._io.pos;
      if (!(this._parent.hashed)) {
        this._debug.checkSize = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.checkSize = this._io.readS4be();
        this._debug.checkSize.end = this._io.pos;
        if (!(this.checkSize == 21 + 8 * this.numFiles)) {
          var _err = new KaitaiStream.ValidationNotEqualError(21 + 8 * this.numFiles, this.checkSize, this._io, "/types/completion/seq/3");
          this._debug.checkSize.validationError = _err;
          throw _err;
        }
      }
      if (this._parent.hashed) {
        this._debug.hash = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.hash = this._io.readU4be();
        this._debug.hash.end = this._io.pos;
      }
    }
    return Completion;
  })();
  var Deletion = JbossJournalSeed.Deletion = (function() {
    function Deletion(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Deletion.prototype._read = function() {
      this._debug.id = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.id = this._io.readS8be();
      this._debug.id.end = this._io.pos;
      if (!(this._parent.hashed)) {
        this._debug.checkSize = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.checkSize = this._io.readS4be();
        this._debug.checkSize.end = this._io.pos;
        if (!(this.checkSize == 17)) {
          var _err = new KaitaiStream.ValidationNotEqualError(17, this.checkSize, this._io, "/types/deletion/seq/1");
          this._debug.checkSize.validationError = _err;
          throw _err;
        }
      }
      if (this._parent.hashed) {
        this._debug.hash = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.hash = this._io.readU4be();
        this._debug.hash.end = this._io.pos;
      }
    }
    return Deletion;
  })();
  var DeletionTx = JbossJournalSeed.DeletionTx = (function() {
    function DeletionTx(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    DeletionTx.prototype._read = function() {
      this._debug.tx = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.tx = this._io.readS8be();
      this._debug.tx.end = this._io.pos;
      this._debug.id = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.id = this._io.readS8be();
      this._debug.id.end = this._io.pos;
      if (!(this._parent.hashed)) {
        this._debug.checkSize = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.checkSize = this._io.readS4be();
        this._debug.checkSize.end = this._io.pos;
        if (!(this.checkSize == 25)) {
          var _err = new KaitaiStream.ValidationNotEqualError(25, this.checkSize, this._io, "/types/deletion_tx/seq/2");
          this._debug.checkSize.validationError = _err;
          throw _err;
        }
      }
      if (this._parent.hashed) {
        this._debug.hash = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.hash = this._io.readU4be();
        this._debug.hash.end = this._io.pos;
      }
    }
    return DeletionTx;
  })();
  var Entry = JbossJournalSeed.Entry = (function() {
    function Entry(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Entry.prototype._read = function() {
      this._debug.id = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.id = this._io.readS8be();
      this._debug.id.end = this._io.pos;
      this._debug.bodySize = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.bodySize = this._io.readS4be();
      this._debug.bodySize.end = this._io.pos;
      if (!(this.bodySize >= 0)) {
        var _err = new KaitaiStream.ValidationLessThanError(0, this.bodySize, this._io, "/types/entry/seq/1");
        this._debug.bodySize.validationError = _err;
        throw _err;
      }
      this._debug.userType = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.userType = this._io.readU1();
      this._debug.userType.end = this._io.pos;
      this._debug.body = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.body = this._io.readBytes(this.bodySize);
      this._debug.body.end = this._io.pos;
      if (!(this._parent.hashed)) {
        this._debug.checkSize = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.checkSize = this._io.readS4be();
        this._debug.checkSize.end = this._io.pos;
        if (!(this.checkSize == 22 + this.bodySize)) {
          var _err = new KaitaiStream.ValidationNotEqualError(22 + this.bodySize, this.checkSize, this._io, "/types/entry/seq/4");
          this._debug.checkSize.validationError = _err;
          throw _err;
        }
      }
      if (this._parent.hashed) {
        this._debug.hash = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.hash = this._io.readU4be();
        this._debug.hash.end = this._io.pos;
      }
    }
    return Entry;
  })();
  var EntryTx = JbossJournalSeed.EntryTx = (function() {
    function EntryTx(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    EntryTx.prototype._read = function() {
      this._debug.tx = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.tx = this._io.readS8be();
      this._debug.tx.end = this._io.pos;
      this._debug.id = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.id = this._io.readS8be();
      this._debug.id.end = this._io.pos;
      this._debug.bodySize = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.bodySize = this._io.readS4be();
      this._debug.bodySize.end = this._io.pos;
      if (!(this.bodySize >= 0)) {
        var _err = new KaitaiStream.ValidationLessThanError(0, this.bodySize, this._io, "/types/entry_tx/seq/2");
        this._debug.bodySize.validationError = _err;
        throw _err;
      }
      this._debug.userType = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.userType = this._io.readU1();
      this._debug.userType.end = this._io.pos;
      this._debug.body = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.body = this._io.readBytes(this.bodySize);
      this._debug.body.end = this._io.pos;
      if (!(this._parent.hashed)) {
        this._debug.checkSize = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.checkSize = this._io.readS4be();
        this._debug.checkSize.end = this._io.pos;
        if (!(this.checkSize == 30 + this.bodySize)) {
          var _err = new KaitaiStream.ValidationNotEqualError(30 + this.bodySize, this.checkSize, this._io, "/types/entry_tx/seq/5");
          this._debug.checkSize.validationError = _err;
          throw _err;
        }
      }
      if (this._parent.hashed) {
        this._debug.hash = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.hash = this._io.readU4be();
        this._debug.hash.end = this._io.pos;
      }
    }
    return EntryTx;
  })();
  var FileCount = JbossJournalSeed.FileCount = (function() {
    function FileCount(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    FileCount.prototype._read = function() {
      this._debug.fileId = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.fileId = this._io.readS4be();
      this._debug.fileId.end = this._io.pos;
      this._debug.count = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.count = this._io.readS4be();
      this._debug.count.end = this._io.pos;
    }
    return FileCount;
  })();
  var FileHeader = JbossJournalSeed.FileHeader = (function() {
    function FileHeader(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    FileHeader.prototype._read = function() {
      this._debug.fileId = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.fileId = this._io.readS4be();
      this._debug.fileId.end = this._io.pos;
    }
    Object.defineProperty(FileHeader.prototype, 'stamp', {
      get: function() {
        if (this._m_stamp !== undefined)
          return this._m_stamp;
        this._debug._m_stamp = {  };
        this._m_stamp = this.fileId;
        return this._m_stamp;
      }
    });
    return FileHeader;
  })();
  var Record = JbossJournalSeed.Record = (function() {
    function Record(_io, _parent, _root, hashed) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this.hashed = hashed;
      this._debug = {};
    }
    Record.prototype._read = function() {
      this._debug.recordType = { start: this._io.pos, ioOffset: this._io.byteOffset, enumName: "JbossJournalSeed.SeedRecordType" };
      this.recordType = this._io.readU1();
      this._debug.recordType.end = this._io.pos;
      this._debug.fileId = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.fileId = this._io.readS4be();
      this._debug.fileId.end = this._io.pos;
      this._debug.content = { start: this._io.pos, ioOffset: this._io.byteOffset };
      switch (this.recordType) {
      case JbossJournalSeed.SeedRecordType.ADD:
        this.content = new Entry(this._io, this, this._root);
        this.content._read();
        break;
      case JbossJournalSeed.SeedRecordType.ADD_TX:
        this.content = new EntryTx(this._io, this, this._root);
        this.content._read();
        break;
      case JbossJournalSeed.SeedRecordType.COMMIT:
        this.content = new Completion(this._io, this, this._root);
        this.content._read();
        break;
      case JbossJournalSeed.SeedRecordType.DELETE:
        this.content = new Deletion(this._io, this, this._root);
        this.content._read();
        break;
      case JbossJournalSeed.SeedRecordType.DELETE_TX:
        this.content = new DeletionTx(this._io, this, this._root);
        this.content._read();
        break;
      case JbossJournalSeed.SeedRecordType.PREPARE:
        this.content = new Completion(this._io, this, this._root);
        this.content._read();
        break;
      case JbossJournalSeed.SeedRecordType.ROLLBACK:
        this.content = new Rollback(this._io, this, this._root);
        this.content._read();
        break;
      case JbossJournalSeed.SeedRecordType.UPDATE:
        this.content = new Entry(this._io, this, this._root);
        this.content._read();
        break;
      case JbossJournalSeed.SeedRecordType.UPDATE_TX:
        this.content = new EntryTx(this._io, this, this._root);
        this.content._read();
        break;
      }
      this._debug.content.end = this._io.pos;
    }
    return Record;
  })();
  var Rollback = JbossJournalSeed.Rollback = (function() {
    function Rollback(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Rollback.prototype._read = function() {
      this._debug.tx = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.tx = this._io.readS8be();
      this._debug.tx.end = this._io.pos;
      if (!(this._parent.hashed)) {
        this._debug.checkSize = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.checkSize = this._io.readS4be();
        this._debug.checkSize.end = this._io.pos;
        if (!(this.checkSize == 17)) {
          var _err = new KaitaiStream.ValidationNotEqualError(17, this.checkSize, this._io, "/types/rollback/seq/1");
          this._debug.checkSize.validationError = _err;
          throw _err;
        }
      }
      if (this._parent.hashed) {
        this._debug.hash = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.hash = this._io.readU4be();
        this._debug.hash.end = this._io.pos;
      }
    }
    return Rollback;
  })();
  var Slot = JbossJournalSeed.Slot = (function() {
    function Slot(_io, _parent, _root, start) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this.start = start;
      this._debug = {};
    }
    Slot.prototype._read = function() {
      if (this.isRecord) {
        this._debug.record = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.record = new Record(this._io, this, this._root, this._root.hashed);
        this.record._read();
        this._debug.record.end = this._io.pos;
      }
    }
    Object.defineProperty(Slot.prototype, 'first', {
      get: function() {
        if (this._m_first !== undefined)
          return this._m_first;
        if (this.room >= 17) {
          var _pos = this._io.pos;
          this._io.seek(this.start);
          this._debug._m_first = { start: this._io.pos, ioOffset: this._io.byteOffset };
          this._m_first = this._io.readU1();
          this._debug._m_first.end = this._io.pos;
          this._io.seek(_pos);
        }
        return this._m_first;
      }
    });
    Object.defineProperty(Slot.prototype, 'isRecord', {
      get: function() {
        if (this._m_isRecord !== undefined)
          return this._m_isRecord;
        this._debug._m_isRecord = {  };
        this._m_isRecord =  ((this.room >= 17) && (this.first >= 11) && (this.first <= 19) && ((this.stamp ^ this._root.header.stamp) == 0)) ;
        return this._m_isRecord;
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
    Object.defineProperty(Slot.prototype, 'stamp', {
      get: function() {
        if (this._m_stamp !== undefined)
          return this._m_stamp;
        if (this.room >= 17) {
          var _pos = this._io.pos;
          this._io.seek(this.start + 1);
          this._debug._m_stamp = { start: this._io.pos, ioOffset: this._io.byteOffset };
          this._m_stamp = this._io.readS4be();
          this._debug._m_stamp.end = this._io.pos;
          this._io.seek(_pos);
        }
        return this._m_stamp;
      }
    });
    return Slot;
  })();
  return JbossJournalSeed;
})();
JbossJournalSeed_.JbossJournalSeed = JbossJournalSeed;
});
});
