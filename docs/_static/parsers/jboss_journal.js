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
// This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
(function (root, factory) {
  if (typeof define === 'function' && define.amd) {
    define(['exports', 'kaitai-struct/KaitaiStream'], factory);
  } else if (typeof exports === 'object' && exports !== null && typeof exports.nodeType !== 'number') {
    factory(exports, require('kaitai-struct/KaitaiStream'));
  } else {
    factory(root.JbossJournalAmqp || (root.JbossJournalAmqp = {}), root.KaitaiStream);
  }
})(typeof self !== 'undefined' ? self : this, function (JbossJournalAmqp_, KaitaiStream) {
var JbossJournalAmqp = (function() {
  function JbossJournalAmqp(_io, _parent, _root) {
    this._io = _io;
    this._parent = _parent;
    this._root = _root || this;
    this._debug = {};
  }
  JbossJournalAmqp.prototype._read = function() {
    this._debug.persister = { start: this._io.pos, ioOffset: this._io.byteOffset };
    this.persister = this._io.readU1();
    this._debug.persister.end = this._io.pos;
    if (!(this.persister >= 2)) {
      var _err = new KaitaiStream.ValidationLessThanError(2, this.persister, this._io, "/seq/0");
      this._debug.persister.validationError = _err;
      throw _err;
    }
    if (!(this.persister <= 5)) {
      var _err = new KaitaiStream.ValidationGreaterThanError(5, this.persister, this._io, "/seq/0");
      this._debug.persister.validationError = _err;
      throw _err;
    }
    this._debug.ident = { start: this._io.pos, ioOffset: this._io.byteOffset };
    this.ident = this._io.readS8be();
    this._debug.ident.end = this._io.pos;
    if (this.persister == 4) {
      this._debug.durable = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.durable = this._io.readU1();
      this._debug.durable.end = this._io.pos;
    }
    this._debug.messageFormat = { start: this._io.pos, ioOffset: this._io.byteOffset };
    this.messageFormat = this._io.readS8be();
    this._debug.messageFormat.end = this._io.pos;
    this._debug.hasAddress = { start: this._io.pos, ioOffset: this._io.byteOffset };
    this.hasAddress = this._io.readU1();
    this._debug.hasAddress.end = this._io.pos;
    if (this.hasAddress != 0) {
      this._debug.address = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.address = new SimpleString(this._io, this, this._root);
      this.address._read();
      this._debug.address.end = this._io.pos;
    }
    if (this.persister != 4) {
      this._debug.size = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.size = this._io.readS4be();
      this._debug.size.end = this._io.pos;
    }
    if ( ((this.persister != 4) && (this.size >= 0)) ) {
      this._debug.encoded = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this._raw_encoded = this._io.readBytes(this.size);
      var _io__raw_encoded = new KaitaiStream(this._raw_encoded);
      this.encoded = new Message(_io__raw_encoded, this, this._root);
      this.encoded._read();
      this._debug.encoded.end = this._io.pos;
    }
    if (this.persister >= 3) {
      this._debug.extraSize = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.extraSize = this._io.readS4be();
      this._debug.extraSize.end = this._io.pos;
    }
    if ( ((this.persister >= 3) && (this.extraSize >= 0)) ) {
      this._debug.extra = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this._raw_extra = this._io.readBytes(this.extraSize);
      var _io__raw_extra = new KaitaiStream(this._raw_extra);
      this.extra = new Extra(_io__raw_extra, this, this._root);
      this.extra._read();
      this._debug.extra.end = this._io.pos;
    }
    if (this.persister == 5) {
      this._debug.expiration = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.expiration = this._io.readS8be();
      this._debug.expiration.end = this._io.pos;
    }
    if (this.persister == 4) {
      this._debug.saved = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.saved = new Saved(this._io, this, this._root);
      this.saved._read();
      this._debug.saved.end = this._io.pos;
    }
    if ( ((this.persister == 4) && (!(this._io.isEof()))) ) {
      this._debug.trail = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.trail = new Trail(this._io, this, this._root);
      this.trail._read();
      this._debug.trail.end = this._io.pos;
    }
  }
  var Array32 = JbossJournalAmqp.Array32 = (function() {
    function Array32(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Array32.prototype._read = function() {
      this._debug.size = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.size = this._io.readU4be();
      this._debug.size.end = this._io.pos;
      this._debug.elements = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this._raw_elements = this._io.readBytes(this.size);
      var _io__raw_elements = new KaitaiStream(this._raw_elements);
      this.elements = new Elements32(_io__raw_elements, this, this._root);
      this.elements._read();
      this._debug.elements.end = this._io.pos;
    }
    return Array32;
  })();
  var Array8 = JbossJournalAmqp.Array8 = (function() {
    function Array8(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Array8.prototype._read = function() {
      this._debug.size = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.size = this._io.readU1();
      this._debug.size.end = this._io.pos;
      this._debug.elements = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this._raw_elements = this._io.readBytes(this.size);
      var _io__raw_elements = new KaitaiStream(this._raw_elements);
      this.elements = new Elements8(_io__raw_elements, this, this._root);
      this.elements._read();
      this._debug.elements.end = this._io.pos;
    }
    return Array8;
  })();
  var Binary32 = JbossJournalAmqp.Binary32 = (function() {
    function Binary32(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Binary32.prototype._read = function() {
      this._debug.size = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.size = this._io.readU4be();
      this._debug.size.end = this._io.pos;
      this._debug.value = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.value = this._io.readBytes(this.size);
      this._debug.value.end = this._io.pos;
    }
    return Binary32;
  })();
  var Binary8 = JbossJournalAmqp.Binary8 = (function() {
    function Binary8(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Binary8.prototype._read = function() {
      this._debug.size = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.size = this._io.readU1();
      this._debug.size.end = this._io.pos;
      this._debug.value = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.value = this._io.readBytes(this.size);
      this._debug.value.end = this._io.pos;
    }
    return Binary8;
  })();
  var Bits16 = JbossJournalAmqp.Bits16 = (function() {
    function Bits16(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Bits16.prototype._read = function() {
      this._debug.bits = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.bits = this._io.readBytes(16);
      this._debug.bits.end = this._io.pos;
    }
    return Bits16;
  })();
  var Bits4 = JbossJournalAmqp.Bits4 = (function() {
    function Bits4(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Bits4.prototype._read = function() {
      this._debug.bits = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.bits = this._io.readBytes(4);
      this._debug.bits.end = this._io.pos;
    }
    return Bits4;
  })();
  var Bits8 = JbossJournalAmqp.Bits8 = (function() {
    function Bits8(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Bits8.prototype._read = function() {
      this._debug.bits = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.bits = this._io.readBytes(8);
      this._debug.bits.end = this._io.pos;
    }
    return Bits8;
  })();
  var BoolValue = JbossJournalAmqp.BoolValue = (function() {
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
  var CoreBytes = JbossJournalAmqp.CoreBytes = (function() {
    function CoreBytes(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    CoreBytes.prototype._read = function() {
      this._debug.size = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.size = this._io.readS4be();
      this._debug.size.end = this._io.pos;
      if (this.size >= 0) {
        this._debug.value = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.value = this._io.readBytes(this.size);
        this._debug.value.end = this._io.pos;
      }
    }
    return CoreBytes;
  })();
  var Described = JbossJournalAmqp.Described = (function() {
    function Described(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Described.prototype._read = function() {
      this._debug.descriptor = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.descriptor = new Value(this._io, this, this._root);
      this.descriptor._read();
      this._debug.descriptor.end = this._io.pos;
      this._debug.content = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.content = new Value(this._io, this, this._root);
      this.content._read();
      this._debug.content.end = this._io.pos;
    }
    return Described;
  })();
  var DescribedElements = JbossJournalAmqp.DescribedElements = (function() {
    function DescribedElements(_io, _parent, _root, outerNumber) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this.outerNumber = outerNumber;
      this._debug = {};
    }
    DescribedElements.prototype._read = function() {
      this._debug.descriptor = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.descriptor = new Value(this._io, this, this._root);
      this.descriptor._read();
      this._debug.descriptor.end = this._io.pos;
      this._debug.code = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.code = this._io.readU1();
      this._debug.code.end = this._io.pos;
      if (this.outerNumber >= 0) {
        this._debug.elements = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this._debug.elements.arr = [];
        this.elements = [];
        for (var i = 0; i < this.outerNumber; i++) {
          this._debug.elements.arr[i] = { start: this._io.pos, ioOffset: this._io.byteOffset };
          var _t_elements = new Element(this._io, this, this._root, this.code);
          try {
            _t_elements._read();
          } finally {
            this.elements.push(_t_elements);
          }
          this._debug.elements.arr[i].end = this._io.pos;
        }
        this._debug.elements.end = this._io.pos;
      }
    }
    return DescribedElements;
  })();
  var Element = JbossJournalAmqp.Element = (function() {
    function Element(_io, _parent, _root, outerCode) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this.outerCode = outerCode;
      this._debug = {};
    }
    Element.prototype._read = function() {
      this._debug.value = { start: this._io.pos, ioOffset: this._io.byteOffset };
      switch (this.outerCode) {
      case 112:
        this.value = new U4Value(this._io, this, this._root);
        this.value._read();
        break;
      case 113:
        this.value = new S4Value(this._io, this, this._root);
        this.value._read();
        break;
      case 114:
        this.value = new F4Value(this._io, this, this._root);
        this.value._read();
        break;
      case 115:
        this.value = new U4Value(this._io, this, this._root);
        this.value._read();
        break;
      case 116:
        this.value = new Bits4(this._io, this, this._root);
        this.value._read();
        break;
      case 128:
        this.value = new Ulong(this._io, this, this._root);
        this.value._read();
        break;
      case 129:
        this.value = new S8Value(this._io, this, this._root);
        this.value._read();
        break;
      case 130:
        this.value = new F8Value(this._io, this, this._root);
        this.value._read();
        break;
      case 131:
        this.value = new S8Value(this._io, this, this._root);
        this.value._read();
        break;
      case 132:
        this.value = new Bits8(this._io, this, this._root);
        this.value._read();
        break;
      case 148:
        this.value = new Bits16(this._io, this, this._root);
        this.value._read();
        break;
      case 152:
        this.value = new Bits16(this._io, this, this._root);
        this.value._read();
        break;
      case 160:
        this.value = new Binary8(this._io, this, this._root);
        this.value._read();
        break;
      case 161:
        this.value = new Text8(this._io, this, this._root);
        this.value._read();
        break;
      case 163:
        this.value = new Text8(this._io, this, this._root);
        this.value._read();
        break;
      case 176:
        this.value = new Binary32(this._io, this, this._root);
        this.value._read();
        break;
      case 177:
        this.value = new Text32(this._io, this, this._root);
        this.value._read();
        break;
      case 179:
        this.value = new Text32(this._io, this, this._root);
        this.value._read();
        break;
      case 192:
        this.value = new List8(this._io, this, this._root);
        this.value._read();
        break;
      case 193:
        this.value = new List8(this._io, this, this._root);
        this.value._read();
        break;
      case 208:
        this.value = new List32(this._io, this, this._root);
        this.value._read();
        break;
      case 209:
        this.value = new List32(this._io, this, this._root);
        this.value._read();
        break;
      case 224:
        this.value = new Array8(this._io, this, this._root);
        this.value._read();
        break;
      case 240:
        this.value = new Array32(this._io, this, this._root);
        this.value._read();
        break;
      case 64:
        this.value = new Nothing(this._io, this, this._root);
        this.value._read();
        break;
      case 65:
        this.value = new Nothing(this._io, this, this._root);
        this.value._read();
        break;
      case 66:
        this.value = new Nothing(this._io, this, this._root);
        this.value._read();
        break;
      case 67:
        this.value = new Nothing(this._io, this, this._root);
        this.value._read();
        break;
      case 68:
        this.value = new Nothing(this._io, this, this._root);
        this.value._read();
        break;
      case 69:
        this.value = new Nothing(this._io, this, this._root);
        this.value._read();
        break;
      case 80:
        this.value = new U1Value(this._io, this, this._root);
        this.value._read();
        break;
      case 81:
        this.value = new S1Value(this._io, this, this._root);
        this.value._read();
        break;
      case 82:
        this.value = new U1Value(this._io, this, this._root);
        this.value._read();
        break;
      case 83:
        this.value = new U1Value(this._io, this, this._root);
        this.value._read();
        break;
      case 84:
        this.value = new S1Value(this._io, this, this._root);
        this.value._read();
        break;
      case 85:
        this.value = new S1Value(this._io, this, this._root);
        this.value._read();
        break;
      case 86:
        this.value = new BoolValue(this._io, this, this._root);
        this.value._read();
        break;
      case 96:
        this.value = new U2Value(this._io, this, this._root);
        this.value._read();
        break;
      case 97:
        this.value = new S2Value(this._io, this, this._root);
        this.value._read();
        break;
      }
      this._debug.value.end = this._io.pos;
    }
    return Element;
  })();
  var Elements32 = JbossJournalAmqp.Elements32 = (function() {
    function Elements32(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Elements32.prototype._read = function() {
      this._debug.number = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.number = this._io.readU4be();
      this._debug.number.end = this._io.pos;
      this._debug.code = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.code = this._io.readU1();
      this._debug.code.end = this._io.pos;
      if (this.code != 0) {
        this._debug.elements = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this._debug.elements.arr = [];
        this.elements = [];
        for (var i = 0; i < this.number; i++) {
          this._debug.elements.arr[i] = { start: this._io.pos, ioOffset: this._io.byteOffset };
          var _t_elements = new Element(this._io, this, this._root, this.code);
          try {
            _t_elements._read();
          } finally {
            this.elements.push(_t_elements);
          }
          this._debug.elements.arr[i].end = this._io.pos;
        }
        this._debug.elements.end = this._io.pos;
      }
      if (this.code == 0) {
        this._debug.described = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.described = new DescribedElements(this._io, this, this._root, this.number);
        this.described._read();
        this._debug.described.end = this._io.pos;
      }
    }
    return Elements32;
  })();
  var Elements8 = JbossJournalAmqp.Elements8 = (function() {
    function Elements8(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Elements8.prototype._read = function() {
      this._debug.number = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.number = this._io.readU1();
      this._debug.number.end = this._io.pos;
      this._debug.code = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.code = this._io.readU1();
      this._debug.code.end = this._io.pos;
      if (this.code != 0) {
        this._debug.elements = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this._debug.elements.arr = [];
        this.elements = [];
        for (var i = 0; i < this.number; i++) {
          this._debug.elements.arr[i] = { start: this._io.pos, ioOffset: this._io.byteOffset };
          var _t_elements = new Element(this._io, this, this._root, this.code);
          try {
            _t_elements._read();
          } finally {
            this.elements.push(_t_elements);
          }
          this._debug.elements.arr[i].end = this._io.pos;
        }
        this._debug.elements.end = this._io.pos;
      }
      if (this.code == 0) {
        this._debug.described = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.described = new DescribedElements(this._io, this, this._root, this.number);
        this.described._read();
        this._debug.described.end = this._io.pos;
      }
    }
    return Elements8;
  })();
  var Extra = JbossJournalAmqp.Extra = (function() {
    function Extra(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Extra.prototype._read = function() {
      if (!(this._io.isEof())) {
        this._debug.properties = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.properties = new TypedProperties(this._io, this, this._root);
        this.properties._read();
        this._debug.properties.end = this._io.pos;
      }
    }
    return Extra;
  })();
  var F4Value = JbossJournalAmqp.F4Value = (function() {
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
  var F8Value = JbossJournalAmqp.F8Value = (function() {
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
  var Items32 = JbossJournalAmqp.Items32 = (function() {
    function Items32(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Items32.prototype._read = function() {
      this._debug.number = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.number = this._io.readU4be();
      this._debug.number.end = this._io.pos;
      this._debug.items = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this._debug.items.arr = [];
      this.items = [];
      for (var i = 0; i < this.number; i++) {
        this._debug.items.arr[i] = { start: this._io.pos, ioOffset: this._io.byteOffset };
        var _t_items = new Value(this._io, this, this._root);
        try {
          _t_items._read();
        } finally {
          this.items.push(_t_items);
        }
        this._debug.items.arr[i].end = this._io.pos;
      }
      this._debug.items.end = this._io.pos;
    }
    return Items32;
  })();
  var Items8 = JbossJournalAmqp.Items8 = (function() {
    function Items8(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Items8.prototype._read = function() {
      this._debug.number = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.number = this._io.readU1();
      this._debug.number.end = this._io.pos;
      this._debug.items = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this._debug.items.arr = [];
      this.items = [];
      for (var i = 0; i < this.number; i++) {
        this._debug.items.arr[i] = { start: this._io.pos, ioOffset: this._io.byteOffset };
        var _t_items = new Value(this._io, this, this._root);
        try {
          _t_items._read();
        } finally {
          this.items.push(_t_items);
        }
        this._debug.items.arr[i].end = this._io.pos;
      }
      this._debug.items.end = this._io.pos;
    }
    return Items8;
  })();
  var List32 = JbossJournalAmqp.List32 = (function() {
    function List32(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    List32.prototype._read = function() {
      this._debug.size = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.size = this._io.readU4be();
      this._debug.size.end = this._io.pos;
      this._debug.items = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this._raw_items = this._io.readBytes(this.size);
      var _io__raw_items = new KaitaiStream(this._raw_items);
      this.items = new Items32(_io__raw_items, this, this._root);
      this.items._read();
      this._debug.items.end = this._io.pos;
    }
    return List32;
  })();
  var List8 = JbossJournalAmqp.List8 = (function() {
    function List8(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    List8.prototype._read = function() {
      this._debug.size = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.size = this._io.readU1();
      this._debug.size.end = this._io.pos;
      this._debug.items = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this._raw_items = this._io.readBytes(this.size);
      var _io__raw_items = new KaitaiStream(this._raw_items);
      this.items = new Items8(_io__raw_items, this, this._root);
      this.items._read();
      this._debug.items.end = this._io.pos;
    }
    return List8;
  })();
  var Message = JbossJournalAmqp.Message = (function() {
    function Message(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Message.prototype._read = function() {
      this._debug.sections = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this._debug.sections.arr = [];
      this.sections = [];
      var i = 0;
      while (!this._io.isEof()) {
        this._debug.sections.arr[this.sections.length] = { start: this._io.pos, ioOffset: this._io.byteOffset };
        var _t_sections = new Section(this._io, this, this._root);
        try {
          _t_sections._read();
        } finally {
          this.sections.push(_t_sections);
        }
        this._debug.sections.arr[this.sections.length - 1].end = this._io.pos;
        i++;
      }
      this._debug.sections.end = this._io.pos;
    }
    return Message;
  })();
  var Nothing = JbossJournalAmqp.Nothing = (function() {
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
  var S1Value = JbossJournalAmqp.S1Value = (function() {
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
  var S2Value = JbossJournalAmqp.S2Value = (function() {
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
  var S4Value = JbossJournalAmqp.S4Value = (function() {
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
  var S8Value = JbossJournalAmqp.S8Value = (function() {
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
  var Saved = JbossJournalAmqp.Saved = (function() {
    function Saved(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Saved.prototype._read = function() {
      this._debug.headerAt = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.headerAt = this._io.readS4be();
      this._debug.headerAt.end = this._io.pos;
      this._debug.headerSize = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.headerSize = this._io.readS4be();
      this._debug.headerSize.end = this._io.pos;
      this._debug.header = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.header = new Value(this._io, this, this._root);
      this.header._read();
      this._debug.header.end = this._io.pos;
      this._debug.deliveryAnnotationsAt = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.deliveryAnnotationsAt = this._io.readS4be();
      this._debug.deliveryAnnotationsAt.end = this._io.pos;
      this._debug.deliveryAnnotationsSize = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.deliveryAnnotationsSize = this._io.readS4be();
      this._debug.deliveryAnnotationsSize.end = this._io.pos;
      this._debug.messageAnnotationsAt = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.messageAnnotationsAt = this._io.readS4be();
      this._debug.messageAnnotationsAt.end = this._io.pos;
      this._debug.messageAnnotations = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.messageAnnotations = new Value(this._io, this, this._root);
      this.messageAnnotations._read();
      this._debug.messageAnnotations.end = this._io.pos;
      this._debug.propertiesAt = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.propertiesAt = this._io.readS4be();
      this._debug.propertiesAt.end = this._io.pos;
      this._debug.properties = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.properties = new Value(this._io, this, this._root);
      this.properties._read();
      this._debug.properties.end = this._io.pos;
      this._debug.applicationPropertiesAt = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.applicationPropertiesAt = this._io.readS4be();
      this._debug.applicationPropertiesAt.end = this._io.pos;
      this._debug.bodyAt = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.bodyAt = this._io.readS4be();
      this._debug.bodyAt.end = this._io.pos;
      this._debug.applicationProperties = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.applicationProperties = new Value(this._io, this, this._root);
      this.applicationProperties._read();
      this._debug.applicationProperties.end = this._io.pos;
    }
    return Saved;
  })();
  var Section = JbossJournalAmqp.Section = (function() {
    function Section(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Section.prototype._read = function() {
      this._debug.mark = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.mark = this._io.readU1();
      this._debug.mark.end = this._io.pos;
      if (!(this.mark == 0)) {
        var _err = new KaitaiStream.ValidationNotEqualError(0, this.mark, this._io, "/types/section/seq/0");
        this._debug.mark.validationError = _err;
        throw _err;
      }
      this._debug.form = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.form = this._io.readU1();
      this._debug.form.end = this._io.pos;
      this._debug.section = { start: this._io.pos, ioOffset: this._io.byteOffset };
      switch (this.form) {
      case 128:
        this.section = new Ulong(this._io, this, this._root);
        this.section._read();
        break;
      case 163:
        this.section = new Text8(this._io, this, this._root);
        this.section._read();
        break;
      case 179:
        this.section = new Text32(this._io, this, this._root);
        this.section._read();
        break;
      case 83:
        this.section = new U1Value(this._io, this, this._root);
        this.section._read();
        break;
      }
      this._debug.section.end = this._io.pos;
      this._debug.value = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.value = new Value(this._io, this, this._root);
      this.value._read();
      this._debug.value.end = this._io.pos;
    }
    return Section;
  })();
  var SimpleString = JbossJournalAmqp.SimpleString = (function() {
    function SimpleString(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    SimpleString.prototype._read = function() {
      this._debug.size = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.size = this._io.readS4be();
      this._debug.size.end = this._io.pos;
      if (this.size >= 0) {
        this._debug.value = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.value = this._io.readBytes(this.size);
        this._debug.value.end = this._io.pos;
      }
    }
    return SimpleString;
  })();
  var Text32 = JbossJournalAmqp.Text32 = (function() {
    function Text32(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Text32.prototype._read = function() {
      this._debug.size = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.size = this._io.readU4be();
      this._debug.size.end = this._io.pos;
      this._debug.value = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.value = this._io.readBytes(this.size);
      this._debug.value.end = this._io.pos;
    }
    return Text32;
  })();
  var Text8 = JbossJournalAmqp.Text8 = (function() {
    function Text8(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Text8.prototype._read = function() {
      this._debug.size = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.size = this._io.readU1();
      this._debug.size.end = this._io.pos;
      this._debug.value = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.value = this._io.readBytes(this.size);
      this._debug.value.end = this._io.pos;
    }
    return Text8;
  })();
  var Trail = JbossJournalAmqp.Trail = (function() {
    function Trail(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Trail.prototype._read = function() {
      this._debug.expiration = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.expiration = this._io.readS8be();
      this._debug.expiration.end = this._io.pos;
      if (!(this._io.isEof())) {
        this._debug.reencoded = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.reencoded = this._io.readU1();
        this._debug.reencoded.end = this._io.pos;
      }
    }
    return Trail;
  })();
  var TypedProperties = JbossJournalAmqp.TypedProperties = (function() {
    function TypedProperties(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    TypedProperties.prototype._read = function() {
      this._debug.present = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.present = this._io.readU1();
      this._debug.present.end = this._io.pos;
      if (this.present != 0) {
        this._debug.number = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.number = this._io.readS4be();
        this._debug.number.end = this._io.pos;
      }
      if ( ((this.present != 0) && (this.number >= 0)) ) {
        this._debug.entries = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this._debug.entries.arr = [];
        this.entries = [];
        for (var i = 0; i < this.number; i++) {
          this._debug.entries.arr[i] = { start: this._io.pos, ioOffset: this._io.byteOffset };
          var _t_entries = new TypedProperty(this._io, this, this._root);
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
    return TypedProperties;
  })();
  var TypedProperty = JbossJournalAmqp.TypedProperty = (function() {
    function TypedProperty(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    TypedProperty.prototype._read = function() {
      this._debug.key = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.key = new SimpleString(this._io, this, this._root);
      this.key._read();
      this._debug.key.end = this._io.pos;
      this._debug.kind = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.kind = this._io.readU1();
      this._debug.kind.end = this._io.pos;
      this._debug.value = { start: this._io.pos, ioOffset: this._io.byteOffset };
      switch (this.kind) {
      case 0:
        this.value = new Nothing(this._io, this, this._root);
        this.value._read();
        break;
      case 10:
        this.value = new SimpleString(this._io, this, this._root);
        this.value._read();
        break;
      case 11:
        this.value = new U2Value(this._io, this, this._root);
        this.value._read();
        break;
      case 2:
        this.value = new BoolValue(this._io, this, this._root);
        this.value._read();
        break;
      case 3:
        this.value = new S1Value(this._io, this, this._root);
        this.value._read();
        break;
      case 4:
        this.value = new CoreBytes(this._io, this, this._root);
        this.value._read();
        break;
      case 5:
        this.value = new S2Value(this._io, this, this._root);
        this.value._read();
        break;
      case 6:
        this.value = new S4Value(this._io, this, this._root);
        this.value._read();
        break;
      case 7:
        this.value = new S8Value(this._io, this, this._root);
        this.value._read();
        break;
      case 8:
        this.value = new F4Value(this._io, this, this._root);
        this.value._read();
        break;
      case 9:
        this.value = new F8Value(this._io, this, this._root);
        this.value._read();
        break;
      }
      this._debug.value.end = this._io.pos;
    }
    return TypedProperty;
  })();
  var U1Value = JbossJournalAmqp.U1Value = (function() {
    function U1Value(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    U1Value.prototype._read = function() {
      this._debug.held = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.held = this._io.readU1();
      this._debug.held.end = this._io.pos;
    }
    return U1Value;
  })();
  var U2Value = JbossJournalAmqp.U2Value = (function() {
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
  var U4Value = JbossJournalAmqp.U4Value = (function() {
    function U4Value(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    U4Value.prototype._read = function() {
      this._debug.held = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.held = this._io.readU4be();
      this._debug.held.end = this._io.pos;
    }
    return U4Value;
  })();
  var Ulong = JbossJournalAmqp.Ulong = (function() {
    function Ulong(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Ulong.prototype._read = function() {
      this._debug.high = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.high = this._io.readU4be();
      this._debug.high.end = this._io.pos;
      this._debug.low = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.low = this._io.readU4be();
      this._debug.low.end = this._io.pos;
    }
    return Ulong;
  })();
  var Value = JbossJournalAmqp.Value = (function() {
    function Value(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Value.prototype._read = function() {
      this._debug.code = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.code = this._io.readU1();
      this._debug.code.end = this._io.pos;
      this._debug.value = { start: this._io.pos, ioOffset: this._io.byteOffset };
      switch (this.code) {
      case 0:
        this.value = new Described(this._io, this, this._root);
        this.value._read();
        break;
      case 112:
        this.value = new U4Value(this._io, this, this._root);
        this.value._read();
        break;
      case 113:
        this.value = new S4Value(this._io, this, this._root);
        this.value._read();
        break;
      case 114:
        this.value = new F4Value(this._io, this, this._root);
        this.value._read();
        break;
      case 115:
        this.value = new U4Value(this._io, this, this._root);
        this.value._read();
        break;
      case 116:
        this.value = new Bits4(this._io, this, this._root);
        this.value._read();
        break;
      case 128:
        this.value = new Ulong(this._io, this, this._root);
        this.value._read();
        break;
      case 129:
        this.value = new S8Value(this._io, this, this._root);
        this.value._read();
        break;
      case 130:
        this.value = new F8Value(this._io, this, this._root);
        this.value._read();
        break;
      case 131:
        this.value = new S8Value(this._io, this, this._root);
        this.value._read();
        break;
      case 132:
        this.value = new Bits8(this._io, this, this._root);
        this.value._read();
        break;
      case 148:
        this.value = new Bits16(this._io, this, this._root);
        this.value._read();
        break;
      case 152:
        this.value = new Bits16(this._io, this, this._root);
        this.value._read();
        break;
      case 160:
        this.value = new Binary8(this._io, this, this._root);
        this.value._read();
        break;
      case 161:
        this.value = new Text8(this._io, this, this._root);
        this.value._read();
        break;
      case 163:
        this.value = new Text8(this._io, this, this._root);
        this.value._read();
        break;
      case 176:
        this.value = new Binary32(this._io, this, this._root);
        this.value._read();
        break;
      case 177:
        this.value = new Text32(this._io, this, this._root);
        this.value._read();
        break;
      case 179:
        this.value = new Text32(this._io, this, this._root);
        this.value._read();
        break;
      case 192:
        this.value = new List8(this._io, this, this._root);
        this.value._read();
        break;
      case 193:
        this.value = new List8(this._io, this, this._root);
        this.value._read();
        break;
      case 208:
        this.value = new List32(this._io, this, this._root);
        this.value._read();
        break;
      case 209:
        this.value = new List32(this._io, this, this._root);
        this.value._read();
        break;
      case 224:
        this.value = new Array8(this._io, this, this._root);
        this.value._read();
        break;
      case 240:
        this.value = new Array32(this._io, this, this._root);
        this.value._read();
        break;
      case 64:
        this.value = new Nothing(this._io, this, this._root);
        this.value._read();
        break;
      case 65:
        this.value = new Nothing(this._io, this, this._root);
        this.value._read();
        break;
      case 66:
        this.value = new Nothing(this._io, this, this._root);
        this.value._read();
        break;
      case 67:
        this.value = new Nothing(this._io, this, this._root);
        this.value._read();
        break;
      case 68:
        this.value = new Nothing(this._io, this, this._root);
        this.value._read();
        break;
      case 69:
        this.value = new Nothing(this._io, this, this._root);
        this.value._read();
        break;
      case 80:
        this.value = new U1Value(this._io, this, this._root);
        this.value._read();
        break;
      case 81:
        this.value = new S1Value(this._io, this, this._root);
        this.value._read();
        break;
      case 82:
        this.value = new U1Value(this._io, this, this._root);
        this.value._read();
        break;
      case 83:
        this.value = new U1Value(this._io, this, this._root);
        this.value._read();
        break;
      case 84:
        this.value = new S1Value(this._io, this, this._root);
        this.value._read();
        break;
      case 85:
        this.value = new S1Value(this._io, this, this._root);
        this.value._read();
        break;
      case 86:
        this.value = new BoolValue(this._io, this, this._root);
        this.value._read();
        break;
      case 96:
        this.value = new U2Value(this._io, this, this._root);
        this.value._read();
        break;
      case 97:
        this.value = new S2Value(this._io, this, this._root);
        this.value._read();
        break;
      }
      this._debug.value.end = this._io.pos;
    }
    return Value;
  })();
  return JbossJournalAmqp;
})();
JbossJournalAmqp_.JbossJournalAmqp = JbossJournalAmqp;
});
// This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
(function (root, factory) {
  if (typeof define === 'function' && define.amd) {
    define(['exports', 'kaitai-struct/KaitaiStream'], factory);
  } else if (typeof exports === 'object' && exports !== null && typeof exports.nodeType !== 'number') {
    factory(exports, require('kaitai-struct/KaitaiStream'));
  } else {
    factory(root.JbossJournalBindings || (root.JbossJournalBindings = {}), root.KaitaiStream);
  }
})(typeof self !== 'undefined' ? self : this, function (JbossJournalBindings_, KaitaiStream) {
var JbossJournalBindings = (function() {
  function JbossJournalBindings(_io, _parent, _root) {
    this._io = _io;
    this._parent = _parent;
    this._root = _root || this;
    this._debug = {};
  }
  JbossJournalBindings.prototype._read = function() {
    this._debug.name = { start: this._io.pos, ioOffset: this._io.byteOffset };
    this.name = new SimpleString(this._io, this, this._root);
    this.name._read();
    this._debug.name.end = this._io.pos;
    this._debug.address = { start: this._io.pos, ioOffset: this._io.byteOffset };
    this.address = new SimpleString(this._io, this, this._root);
    this.address._read();
    this._debug.address.end = this._io.pos;
    this._debug.filter = { start: this._io.pos, ioOffset: this._io.byteOffset };
    this.filter = new OptionalString(this._io, this, this._root);
    this.filter._read();
    this._debug.filter.end = this._io.pos;
    if (!(this._io.isEof())) {
      this._debug.metadata = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.metadata = new OptionalString(this._io, this, this._root);
      this.metadata._read();
      this._debug.metadata.end = this._io.pos;
    }
    if (!(this._io.isEof())) {
      this._debug.autoCreated = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.autoCreated = this._io.readU1();
      this._debug.autoCreated.end = this._io.pos;
    }
    if (!(this._io.isEof())) {
      this._debug.maxConsumers = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.maxConsumers = this._io.readS4be();
      this._debug.maxConsumers.end = this._io.pos;
    }
    if (!(this._io.isEof())) {
      this._debug.purgeOnNoConsumers = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.purgeOnNoConsumers = this._io.readU1();
      this._debug.purgeOnNoConsumers.end = this._io.pos;
    }
    if (!(this._io.isEof())) {
      this._debug.routingType = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.routingType = this._io.readS1();
      this._debug.routingType.end = this._io.pos;
    }
    if (!(this._io.isEof())) {
      this._debug.exclusive = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.exclusive = this._io.readU1();
      this._debug.exclusive.end = this._io.pos;
    }
    if (!(this._io.isEof())) {
      this._debug.lastValue = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.lastValue = this._io.readU1();
      this._debug.lastValue.end = this._io.pos;
    }
    if (!(this._io.isEof())) {
      this._debug.configurationManaged = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.configurationManaged = this._io.readU1();
      this._debug.configurationManaged.end = this._io.pos;
    }
    if (!(this._io.isEof())) {
      this._debug.consumersBeforeDispatch = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.consumersBeforeDispatch = this._io.readS4be();
      this._debug.consumersBeforeDispatch.end = this._io.pos;
    }
    if (!(this._io.isEof())) {
      this._debug.delayBeforeDispatch = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.delayBeforeDispatch = this._io.readS8be();
      this._debug.delayBeforeDispatch.end = this._io.pos;
    }
    if (!(this._io.isEof())) {
      this._debug.lastValueKey = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.lastValueKey = new OptionalString(this._io, this, this._root);
      this.lastValueKey._read();
      this._debug.lastValueKey.end = this._io.pos;
    }
    if (!(this._io.isEof())) {
      this._debug.nonDestructive = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.nonDestructive = this._io.readU1();
      this._debug.nonDestructive.end = this._io.pos;
    }
    if (!(this._io.isEof())) {
      this._debug.groupRebalance = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.groupRebalance = this._io.readU1();
      this._debug.groupRebalance.end = this._io.pos;
    }
    if (!(this._io.isEof())) {
      this._debug.groupBuckets = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.groupBuckets = this._io.readS4be();
      this._debug.groupBuckets.end = this._io.pos;
    }
    if (!(this._io.isEof())) {
      this._debug.autoDelete = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.autoDelete = this._io.readU1();
      this._debug.autoDelete.end = this._io.pos;
    }
    if (!(this._io.isEof())) {
      this._debug.autoDeleteDelay = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.autoDeleteDelay = this._io.readS8be();
      this._debug.autoDeleteDelay.end = this._io.pos;
    }
    if (!(this._io.isEof())) {
      this._debug.autoDeleteMessageCount = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.autoDeleteMessageCount = this._io.readS8be();
      this._debug.autoDeleteMessageCount.end = this._io.pos;
    }
    if (!(this._io.isEof())) {
      this._debug.groupFirstKey = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.groupFirstKey = new OptionalString(this._io, this, this._root);
      this.groupFirstKey._read();
      this._debug.groupFirstKey.end = this._io.pos;
    }
    if (!(this._io.isEof())) {
      this._debug.ringSize = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.ringSize = this._io.readS8be();
      this._debug.ringSize.end = this._io.pos;
    }
    if (!(this._io.isEof())) {
      this._debug.enabled = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.enabled = this._io.readU1();
      this._debug.enabled.end = this._io.pos;
    }
    if (!(this._io.isEof())) {
      this._debug.groupRebalancePauseDispatch = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.groupRebalancePauseDispatch = this._io.readU1();
      this._debug.groupRebalancePauseDispatch.end = this._io.pos;
    }
    if (!(this._io.isEof())) {
      this._debug.internal = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.internal = this._io.readU1();
      this._debug.internal.end = this._io.pos;
    }
    if (!(this._io.isEof())) {
      this._debug.more = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.more = this._io.readBytesFull();
      this._debug.more.end = this._io.pos;
    }
  }
  var Address = JbossJournalBindings.Address = (function() {
    function Address(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Address.prototype._read = function() {
      this._debug.name = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.name = new SimpleString(this._io, this, this._root);
      this.name._read();
      this._debug.name.end = this._io.pos;
      this._debug.number = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.number = this._io.readS4be();
      this._debug.number.end = this._io.pos;
      if (this.number >= 0) {
        this._debug.routingTypes = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this._debug.routingTypes.arr = [];
        this.routingTypes = [];
        for (var i = 0; i < this.number; i++) {
          this._debug.routingTypes.arr[i] = { start: this._io.pos, ioOffset: this._io.byteOffset };
          var _t_routingTypes = new Routing(this._io, this, this._root);
          try {
            _t_routingTypes._read();
          } finally {
            this.routingTypes.push(_t_routingTypes);
          }
          this._debug.routingTypes.arr[i].end = this._io.pos;
        }
        this._debug.routingTypes.end = this._io.pos;
      }
      this._debug.autoCreated = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.autoCreated = this._io.readU1();
      this._debug.autoCreated.end = this._io.pos;
      if (!(this._io.isEof())) {
        this._debug.internal = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.internal = this._io.readU1();
        this._debug.internal.end = this._io.pos;
      }
      if (!(this._io.isEof())) {
        this._debug.more = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.more = this._io.readBytesFull();
        this._debug.more.end = this._io.pos;
      }
    }
    return Address;
  })();
  var Connector = JbossJournalBindings.Connector = (function() {
    function Connector(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Connector.prototype._read = function() {
      this._debug.name = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.name = new LongString(this._io, this, this._root);
      this.name._read();
      this._debug.name.end = this._io.pos;
      this._debug.url = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.url = new LongString(this._io, this, this._root);
      this.url._read();
      this._debug.url.end = this._io.pos;
      if (!(this._io.isEof())) {
        this._debug.more = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.more = this._io.readBytesFull();
        this._debug.more.end = this._io.pos;
      }
    }
    return Connector;
  })();
  var Divert = JbossJournalBindings.Divert = (function() {
    function Divert(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Divert.prototype._read = function() {
      this._debug.name = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.name = new OptionalLongString(this._io, this, this._root);
      this.name._read();
      this._debug.name.end = this._io.pos;
      this._debug.address = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.address = new OptionalLongString(this._io, this, this._root);
      this.address._read();
      this._debug.address.end = this._io.pos;
      this._debug.forwardingAddress = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.forwardingAddress = new OptionalLongString(this._io, this, this._root);
      this.forwardingAddress._read();
      this._debug.forwardingAddress.end = this._io.pos;
      this._debug.routingName = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.routingName = new OptionalLongString(this._io, this, this._root);
      this.routingName._read();
      this._debug.routingName.end = this._io.pos;
      this._debug.exclusive = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.exclusive = this._io.readU1();
      this._debug.exclusive.end = this._io.pos;
      this._debug.filter = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.filter = new OptionalLongString(this._io, this, this._root);
      this.filter._read();
      this._debug.filter.end = this._io.pos;
      this._debug.routingType = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.routingType = this._io.readU1();
      this._debug.routingType.end = this._io.pos;
      if (!(this._io.isEof())) {
        this._debug.transformer = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.transformer = new Transformer(this._io, this, this._root);
        this.transformer._read();
        this._debug.transformer.end = this._io.pos;
      }
      if (!(this._io.isEof())) {
        this._debug.more = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.more = this._io.readBytesFull();
        this._debug.more.end = this._io.pos;
      }
    }
    return Divert;
  })();
  var Grouping = JbossJournalBindings.Grouping = (function() {
    function Grouping(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Grouping.prototype._read = function() {
      this._debug.group = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.group = new SimpleString(this._io, this, this._root);
      this.group._read();
      this._debug.group.end = this._io.pos;
      this._debug.cluster = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.cluster = new SimpleString(this._io, this, this._root);
      this.cluster._read();
      this._debug.cluster.end = this._io.pos;
      if (!(this._io.isEof())) {
        this._debug.more = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.more = this._io.readBytesFull();
        this._debug.more.end = this._io.pos;
      }
    }
    return Grouping;
  })();
  var IdCounter = JbossJournalBindings.IdCounter = (function() {
    function IdCounter(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    IdCounter.prototype._read = function() {
      this._debug.ident = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.ident = this._io.readS8be();
      this._debug.ident.end = this._io.pos;
      if (!(this._io.isEof())) {
        this._debug.more = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.more = this._io.readBytesFull();
        this._debug.more.end = this._io.pos;
      }
    }
    return IdCounter;
  })();
  var KeyValue = JbossJournalBindings.KeyValue = (function() {
    function KeyValue(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    KeyValue.prototype._read = function() {
      this._debug.map = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.map = new LongString(this._io, this, this._root);
      this.map._read();
      this._debug.map.end = this._io.pos;
      this._debug.key = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.key = new LongString(this._io, this, this._root);
      this.key._read();
      this._debug.key.end = this._io.pos;
      this._debug.value = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.value = new LongString(this._io, this, this._root);
      this.value._read();
      this._debug.value.end = this._io.pos;
      if (!(this._io.isEof())) {
        this._debug.more = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.more = this._io.readBytesFull();
        this._debug.more.end = this._io.pos;
      }
    }
    return KeyValue;
  })();
  var LongString = JbossJournalBindings.LongString = (function() {
    function LongString(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    LongString.prototype._read = function() {
      this._debug.length = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.length = this._io.readS4be();
      this._debug.length.end = this._io.pos;
      if (!(this.length >= 0)) {
        var _err = new KaitaiStream.ValidationLessThanError(0, this.length, this._io, "/types/long_string/seq/0");
        this._debug.length.validationError = _err;
        throw _err;
      }
      if ( ((this.length < 9) && (this.length * 2 >= 0)) ) {
        this._debug.units = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.units = this._io.readBytes(this.length * 2);
        this._debug.units.end = this._io.pos;
      }
      if ( ((this.length >= 9) && (this.length <= 4094)) ) {
        this._debug.utf = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.utf = new Utf(this._io, this, this._root);
        this.utf._read();
        this._debug.utf.end = this._io.pos;
      }
      if (this.length >= 4095) {
        this._debug.wide = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.wide = new SimpleString(this._io, this, this._root);
        this.wide._read();
        this._debug.wide.end = this._io.pos;
      }
    }
    return LongString;
  })();
  var OptionalLongString = JbossJournalBindings.OptionalLongString = (function() {
    function OptionalLongString(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    OptionalLongString.prototype._read = function() {
      this._debug.present = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.present = this._io.readU1();
      this._debug.present.end = this._io.pos;
      if (this.present != 0) {
        this._debug.string = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.string = new LongString(this._io, this, this._root);
        this.string._read();
        this._debug.string.end = this._io.pos;
      }
    }
    return OptionalLongString;
  })();
  var OptionalString = JbossJournalBindings.OptionalString = (function() {
    function OptionalString(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    OptionalString.prototype._read = function() {
      this._debug.present = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.present = this._io.readU1();
      this._debug.present.end = this._io.pos;
      if (this.present != 0) {
        this._debug.string = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.string = new SimpleString(this._io, this, this._root);
        this.string._read();
        this._debug.string.end = this._io.pos;
      }
    }
    return OptionalString;
  })();
  var Pair = JbossJournalBindings.Pair = (function() {
    function Pair(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Pair.prototype._read = function() {
      this._debug.key = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.key = new OptionalLongString(this._io, this, this._root);
      this.key._read();
      this._debug.key.end = this._io.pos;
      this._debug.value = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.value = new OptionalLongString(this._io, this, this._root);
      this.value._read();
      this._debug.value.end = this._io.pos;
    }
    return Pair;
  })();
  var Role = JbossJournalBindings.Role = (function() {
    function Role(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Role.prototype._read = function() {
      this._debug.user = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.user = new LongString(this._io, this, this._root);
      this.user._read();
      this._debug.user.end = this._io.pos;
      this._debug.number = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.number = this._io.readS4be();
      this._debug.number.end = this._io.pos;
      if (this.number >= 0) {
        this._debug.roles = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this._debug.roles.arr = [];
        this.roles = [];
        for (var i = 0; i < this.number; i++) {
          this._debug.roles.arr[i] = { start: this._io.pos, ioOffset: this._io.byteOffset };
          var _t_roles = new LongString(this._io, this, this._root);
          try {
            _t_roles._read();
          } finally {
            this.roles.push(_t_roles);
          }
          this._debug.roles.arr[i].end = this._io.pos;
        }
        this._debug.roles.end = this._io.pos;
      }
      if (!(this._io.isEof())) {
        this._debug.more = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.more = this._io.readBytesFull();
        this._debug.more.end = this._io.pos;
      }
    }
    return Role;
  })();
  var Routing = JbossJournalBindings.Routing = (function() {
    function Routing(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Routing.prototype._read = function() {
      this._debug.kind = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.kind = this._io.readS1();
      this._debug.kind.end = this._io.pos;
    }
    return Routing;
  })();
  var Security = JbossJournalBindings.Security = (function() {
    function Security(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Security.prototype._read = function() {
      this._debug.addresses = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.addresses = new SimpleString(this._io, this, this._root);
      this.addresses._read();
      this._debug.addresses.end = this._io.pos;
      if (!(this._io.isEof())) {
        this._debug.send = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.send = new OptionalString(this._io, this, this._root);
        this.send._read();
        this._debug.send.end = this._io.pos;
      }
      if (!(this._io.isEof())) {
        this._debug.consume = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.consume = new OptionalString(this._io, this, this._root);
        this.consume._read();
        this._debug.consume.end = this._io.pos;
      }
      if (!(this._io.isEof())) {
        this._debug.createDurable = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.createDurable = new OptionalString(this._io, this, this._root);
        this.createDurable._read();
        this._debug.createDurable.end = this._io.pos;
      }
      if (!(this._io.isEof())) {
        this._debug.deleteDurable = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.deleteDurable = new OptionalString(this._io, this, this._root);
        this.deleteDurable._read();
        this._debug.deleteDurable.end = this._io.pos;
      }
      if (!(this._io.isEof())) {
        this._debug.createNonDurable = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.createNonDurable = new OptionalString(this._io, this, this._root);
        this.createNonDurable._read();
        this._debug.createNonDurable.end = this._io.pos;
      }
      if (!(this._io.isEof())) {
        this._debug.deleteNonDurable = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.deleteNonDurable = new OptionalString(this._io, this, this._root);
        this.deleteNonDurable._read();
        this._debug.deleteNonDurable.end = this._io.pos;
      }
      if (!(this._io.isEof())) {
        this._debug.manage = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.manage = new OptionalString(this._io, this, this._root);
        this.manage._read();
        this._debug.manage.end = this._io.pos;
      }
      if (!(this._io.isEof())) {
        this._debug.browse = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.browse = new OptionalString(this._io, this, this._root);
        this.browse._read();
        this._debug.browse.end = this._io.pos;
      }
      if (!(this._io.isEof())) {
        this._debug.createAddress = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.createAddress = new OptionalString(this._io, this, this._root);
        this.createAddress._read();
        this._debug.createAddress.end = this._io.pos;
      }
      if (!(this._io.isEof())) {
        this._debug.deleteAddress = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.deleteAddress = new OptionalString(this._io, this, this._root);
        this.deleteAddress._read();
        this._debug.deleteAddress.end = this._io.pos;
      }
      if (!(this._io.isEof())) {
        this._debug.view = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.view = new OptionalString(this._io, this, this._root);
        this.view._read();
        this._debug.view.end = this._io.pos;
      }
      if (!(this._io.isEof())) {
        this._debug.edit = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.edit = new OptionalString(this._io, this, this._root);
        this.edit._read();
        this._debug.edit.end = this._io.pos;
      }
      if (!(this._io.isEof())) {
        this._debug.more = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.more = this._io.readBytesFull();
        this._debug.more.end = this._io.pos;
      }
    }
    return Security;
  })();
  var Setting = JbossJournalBindings.Setting = (function() {
    function Setting(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Setting.prototype._read = function() {
      this._debug.addresses = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.addresses = new SimpleString(this._io, this, this._root);
      this.addresses._read();
      this._debug.addresses.end = this._io.pos;
      if (!(this._io.isEof())) {
        this._debug.more = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.more = this._io.readBytesFull();
        this._debug.more.end = this._io.pos;
      }
    }
    return Setting;
  })();
  var SettingJson = JbossJournalBindings.SettingJson = (function() {
    function SettingJson(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    SettingJson.prototype._read = function() {
      this._debug.addresses = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.addresses = new SimpleString(this._io, this, this._root);
      this.addresses._read();
      this._debug.addresses.end = this._io.pos;
      this._debug.json = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.json = new SimpleString(this._io, this, this._root);
      this.json._read();
      this._debug.json.end = this._io.pos;
      if (!(this._io.isEof())) {
        this._debug.more = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.more = this._io.readBytesFull();
        this._debug.more.end = this._io.pos;
      }
    }
    return SettingJson;
  })();
  var SimpleString = JbossJournalBindings.SimpleString = (function() {
    function SimpleString(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    SimpleString.prototype._read = function() {
      this._debug.size = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.size = this._io.readS4be();
      this._debug.size.end = this._io.pos;
      if (!(this.size >= 0)) {
        var _err = new KaitaiStream.ValidationLessThanError(0, this.size, this._io, "/types/simple_string/seq/0");
        this._debug.size.validationError = _err;
        throw _err;
      }
      if (this.size >= 0) {
        this._debug.value = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.value = this._io.readBytes(this.size);
        this._debug.value.end = this._io.pos;
      }
    }
    return SimpleString;
  })();
  var Status = JbossJournalBindings.Status = (function() {
    function Status(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Status.prototype._read = function() {
      this._debug.of = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.of = this._io.readS8be();
      this._debug.of.end = this._io.pos;
      this._debug.status = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.status = this._io.readS2be();
      this._debug.status.end = this._io.pos;
      if (!(this._io.isEof())) {
        this._debug.more = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.more = this._io.readBytesFull();
        this._debug.more.end = this._io.pos;
      }
    }
    return Status;
  })();
  var Transformer = JbossJournalBindings.Transformer = (function() {
    function Transformer(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Transformer.prototype._read = function() {
      this._debug.present = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.present = this._io.readU1();
      this._debug.present.end = this._io.pos;
      if (this.present != 0) {
        this._debug.name = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.name = new LongString(this._io, this, this._root);
        this.name._read();
        this._debug.name.end = this._io.pos;
      }
      if (this.present != 0) {
        this._debug.number = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.number = this._io.readS4be();
        this._debug.number.end = this._io.pos;
      }
      if ( ((this.present != 0) && (this.number >= 0)) ) {
        this._debug.properties = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this._debug.properties.arr = [];
        this.properties = [];
        for (var i = 0; i < this.number; i++) {
          this._debug.properties.arr[i] = { start: this._io.pos, ioOffset: this._io.byteOffset };
          var _t_properties = new Pair(this._io, this, this._root);
          try {
            _t_properties._read();
          } finally {
            this.properties.push(_t_properties);
          }
          this._debug.properties.arr[i].end = this._io.pos;
        }
        this._debug.properties.end = this._io.pos;
      }
    }
    return Transformer;
  })();
  var User = JbossJournalBindings.User = (function() {
    function User(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    User.prototype._read = function() {
      this._debug.name = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.name = new LongString(this._io, this, this._root);
      this.name._read();
      this._debug.name.end = this._io.pos;
      this._debug.password = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.password = new LongString(this._io, this, this._root);
      this.password._read();
      this._debug.password.end = this._io.pos;
      if (!(this._io.isEof())) {
        this._debug.more = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.more = this._io.readBytesFull();
        this._debug.more.end = this._io.pos;
      }
    }
    return User;
  })();
  var Utf = JbossJournalBindings.Utf = (function() {
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
      this._debug.value = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.value = this._io.readBytes(this.size);
      this._debug.value.end = this._io.pos;
    }
    return Utf;
  })();
  return JbossJournalBindings;
})();
JbossJournalBindings_.JbossJournalBindings = JbossJournalBindings;
});
// This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
(function (root, factory) {
  if (typeof define === 'function' && define.amd) {
    define(['exports', 'kaitai-struct/KaitaiStream'], factory);
  } else if (typeof exports === 'object' && exports !== null && typeof exports.nodeType !== 'number') {
    factory(exports, require('kaitai-struct/KaitaiStream'));
  } else {
    factory(root.JbossJournalCore || (root.JbossJournalCore = {}), root.KaitaiStream);
  }
})(typeof self !== 'undefined' ? self : this, function (JbossJournalCore_, KaitaiStream) {
var JbossJournalCore = (function() {
  function JbossJournalCore(_io, _parent, _root) {
    this._io = _io;
    this._parent = _parent;
    this._root = _root || this;
    this._debug = {};
  }
  JbossJournalCore.prototype._read = function() {
    this._debug.persister = { start: this._io.pos, ioOffset: this._io.byteOffset };
    this.persister = this._io.readU1();
    this._debug.persister.end = this._io.pos;
    this._debug.stored = { start: this._io.pos, ioOffset: this._io.byteOffset };
    switch (this.persister) {
    case 1:
      this.stored = new CoreMessage(this._io, this, this._root);
      this.stored._read();
      break;
    case 2:
      this.stored = new AmqpMessage(this._io, this, this._root);
      this.stored._read();
      break;
    case 3:
      this.stored = new AmqpMessage2(this._io, this, this._root);
      this.stored._read();
      break;
    case 4:
      this.stored = new AmqpLargeMessage(this._io, this, this._root);
      this.stored._read();
      break;
    case 5:
      this.stored = new AmqpMessage3(this._io, this, this._root);
      this.stored._read();
      break;
    }
    this._debug.stored.end = this._io.pos;
  }
  var AmqpLargeMessage = JbossJournalCore.AmqpLargeMessage = (function() {
    function AmqpLargeMessage(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    AmqpLargeMessage.prototype._read = function() {
      this._debug.ident = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.ident = this._io.readS8be();
      this._debug.ident.end = this._io.pos;
      this._debug.durable = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.durable = this._io.readU1();
      this._debug.durable.end = this._io.pos;
      this._debug.messageFormat = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.messageFormat = this._io.readS8be();
      this._debug.messageFormat.end = this._io.pos;
      this._debug.address = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.address = new OptionalString(this._io, this, this._root);
      this.address._read();
      this._debug.address.end = this._io.pos;
      this._debug.extraSize = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.extraSize = this._io.readS4be();
      this._debug.extraSize.end = this._io.pos;
      if (!(this.extraSize >= 0)) {
        var _err = new KaitaiStream.ValidationLessThanError(0, this.extraSize, this._io, "/types/amqp_large_message/seq/4");
        this._debug.extraSize.validationError = _err;
        throw _err;
      }
      if ( ((this.extraSize != 0) && (this.extraSize >= 0)) ) {
        this._debug.extra = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this._raw_extra = this._io.readBytes(this.extraSize);
        var _io__raw_extra = new KaitaiStream(this._raw_extra);
        this.extra = new Properties(_io__raw_extra, this, this._root);
        this.extra._read();
        this._debug.extra.end = this._io.pos;
      }
      this._debug.saved = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.saved = this._io.readBytesFull();
      this._debug.saved.end = this._io.pos;
    }
    return AmqpLargeMessage;
  })();
  var AmqpMessage = JbossJournalCore.AmqpMessage = (function() {
    function AmqpMessage(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    AmqpMessage.prototype._read = function() {
      this._debug.ident = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.ident = this._io.readS8be();
      this._debug.ident.end = this._io.pos;
      this._debug.messageFormat = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.messageFormat = this._io.readS8be();
      this._debug.messageFormat.end = this._io.pos;
      this._debug.address = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.address = new OptionalString(this._io, this, this._root);
      this.address._read();
      this._debug.address.end = this._io.pos;
      this._debug.size = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.size = this._io.readS4be();
      this._debug.size.end = this._io.pos;
      if (!(this.size >= 0)) {
        var _err = new KaitaiStream.ValidationLessThanError(0, this.size, this._io, "/types/amqp_message/seq/3");
        this._debug.size.validationError = _err;
        throw _err;
      }
      if (this.size >= 0) {
        this._debug.sections = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.sections = this._io.readBytes(this.size);
        this._debug.sections.end = this._io.pos;
      }
    }
    return AmqpMessage;
  })();
  var AmqpMessage2 = JbossJournalCore.AmqpMessage2 = (function() {
    function AmqpMessage2(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    AmqpMessage2.prototype._read = function() {
      this._debug.message = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.message = new AmqpMessage(this._io, this, this._root);
      this.message._read();
      this._debug.message.end = this._io.pos;
      this._debug.extraSize = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.extraSize = this._io.readS4be();
      this._debug.extraSize.end = this._io.pos;
      if (!(this.extraSize >= 0)) {
        var _err = new KaitaiStream.ValidationLessThanError(0, this.extraSize, this._io, "/types/amqp_message_2/seq/1");
        this._debug.extraSize.validationError = _err;
        throw _err;
      }
      if ( ((this.extraSize != 0) && (this.extraSize >= 0)) ) {
        this._debug.extra = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this._raw_extra = this._io.readBytes(this.extraSize);
        var _io__raw_extra = new KaitaiStream(this._raw_extra);
        this.extra = new Properties(_io__raw_extra, this, this._root);
        this.extra._read();
        this._debug.extra.end = this._io.pos;
      }
    }
    return AmqpMessage2;
  })();
  var AmqpMessage3 = JbossJournalCore.AmqpMessage3 = (function() {
    function AmqpMessage3(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    AmqpMessage3.prototype._read = function() {
      this._debug.message = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.message = new AmqpMessage2(this._io, this, this._root);
      this.message._read();
      this._debug.message.end = this._io.pos;
      this._debug.expiration = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.expiration = this._io.readS8be();
      this._debug.expiration.end = this._io.pos;
    }
    return AmqpMessage3;
  })();
  var BoolValue = JbossJournalCore.BoolValue = (function() {
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
  var Core = JbossJournalCore.Core = (function() {
    function Core(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Core.prototype._read = function() {
      this._debug.bodyEnd = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.bodyEnd = this._io.readS4be();
      this._debug.bodyEnd.end = this._io.pos;
      if (!(this.bodyEnd >= 13)) {
        var _err = new KaitaiStream.ValidationLessThanError(13, this.bodyEnd, this._io, "/types/core/seq/0");
        this._debug.bodyEnd.validationError = _err;
        throw _err;
      }
      if (this.bodyEnd - 13 >= 0) {
        this._debug.body = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.body = this._io.readBytes(this.bodyEnd - 13);
        this._debug.body.end = this._io.pos;
      }
      this._debug.headers = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.headers = new Headers(this._io, this, this._root);
      this.headers._read();
      this._debug.headers.end = this._io.pos;
    }
    return Core;
  })();
  var CoreMessage = JbossJournalCore.CoreMessage = (function() {
    function CoreMessage(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    CoreMessage.prototype._read = function() {
      this._debug.ident = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.ident = this._io.readS8be();
      this._debug.ident.end = this._io.pos;
      this._debug.address = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.address = new OptionalString(this._io, this, this._root);
      this.address._read();
      this._debug.address.end = this._io.pos;
      this._debug.size = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.size = this._io.readS4be();
      this._debug.size.end = this._io.pos;
      if (!(this.size >= 0)) {
        var _err = new KaitaiStream.ValidationLessThanError(0, this.size, this._io, "/types/core_message/seq/2");
        this._debug.size.validationError = _err;
        throw _err;
      }
      if (this.size >= 0) {
        this._debug.core = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this._raw_core = this._io.readBytes(this.size);
        var _io__raw_core = new KaitaiStream(this._raw_core);
        this.core = new Core(_io__raw_core, this, this._root);
        this.core._read();
        this._debug.core.end = this._io.pos;
      }
    }
    return CoreMessage;
  })();
  var Data = JbossJournalCore.Data = (function() {
    function Data(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Data.prototype._read = function() {
      this._debug.size = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.size = this._io.readS4be();
      this._debug.size.end = this._io.pos;
      if (!(this.size >= 0)) {
        var _err = new KaitaiStream.ValidationLessThanError(0, this.size, this._io, "/types/data/seq/0");
        this._debug.size.validationError = _err;
        throw _err;
      }
      if (this.size >= 0) {
        this._debug.value = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.value = this._io.readBytes(this.size);
        this._debug.value.end = this._io.pos;
      }
    }
    return Data;
  })();
  var Element = JbossJournalCore.Element = (function() {
    function Element(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Element.prototype._read = function() {
      this._debug.tag = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.tag = this._io.readU1();
      this._debug.tag.end = this._io.pos;
      this._debug.value = { start: this._io.pos, ioOffset: this._io.byteOffset };
      switch (this.tag) {
      case 0:
        this.value = new Nothing(this._io, this, this._root);
        this.value._read();
        break;
      case 10:
        this.value = new OptionalLongString(this._io, this, this._root);
        this.value._read();
        break;
      case 11:
        this.value = new U2Value(this._io, this, this._root);
        this.value._read();
        break;
      case 2:
        this.value = new BoolValue(this._io, this, this._root);
        this.value._read();
        break;
      case 3:
        this.value = new S1Value(this._io, this, this._root);
        this.value._read();
        break;
      case 4:
        this.value = new Data(this._io, this, this._root);
        this.value._read();
        break;
      case 5:
        this.value = new S2Value(this._io, this, this._root);
        this.value._read();
        break;
      case 6:
        this.value = new S4Value(this._io, this, this._root);
        this.value._read();
        break;
      case 7:
        this.value = new S8Value(this._io, this, this._root);
        this.value._read();
        break;
      case 8:
        this.value = new F4Value(this._io, this, this._root);
        this.value._read();
        break;
      case 9:
        this.value = new F8Value(this._io, this, this._root);
        this.value._read();
        break;
      }
      this._debug.value.end = this._io.pos;
    }
    return Element;
  })();
  var F4Value = JbossJournalCore.F4Value = (function() {
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
  var F8Value = JbossJournalCore.F8Value = (function() {
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
  var Headers = JbossJournalCore.Headers = (function() {
    function Headers(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Headers.prototype._read = function() {
      this._debug.ident = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.ident = this._io.readS8be();
      this._debug.ident.end = this._io.pos;
      this._debug.address = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.address = new OptionalString(this._io, this, this._root);
      this.address._read();
      this._debug.address.end = this._io.pos;
      this._debug.hasUserId = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.hasUserId = this._io.readU1();
      this._debug.hasUserId.end = this._io.pos;
      if (this.hasUserId == 1) {
        this._debug.userId = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.userId = this._io.readBytes(16);
        this._debug.userId.end = this._io.pos;
      }
      this._debug.kind = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.kind = this._io.readS1();
      this._debug.kind.end = this._io.pos;
      this._debug.durable = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.durable = this._io.readU1();
      this._debug.durable.end = this._io.pos;
      this._debug.expiration = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.expiration = this._io.readS8be();
      this._debug.expiration.end = this._io.pos;
      this._debug.timestamp = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.timestamp = this._io.readS8be();
      this._debug.timestamp.end = this._io.pos;
      this._debug.priority = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.priority = this._io.readS1();
      this._debug.priority.end = this._io.pos;
      this._debug.properties = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.properties = new Properties(this._io, this, this._root);
      this.properties._read();
      this._debug.properties.end = this._io.pos;
    }
    return Headers;
  })();
  var LargeMessage = JbossJournalCore.LargeMessage = (function() {
    function LargeMessage(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    LargeMessage.prototype._read = function() {
      this._debug.headers = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.headers = new Headers(this._io, this, this._root);
      this.headers._read();
      this._debug.headers.end = this._io.pos;
    }
    return LargeMessage;
  })();
  var LongString = JbossJournalCore.LongString = (function() {
    function LongString(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    LongString.prototype._read = function() {
      this._debug.length = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.length = this._io.readS4be();
      this._debug.length.end = this._io.pos;
      if (!(this.length >= 0)) {
        var _err = new KaitaiStream.ValidationLessThanError(0, this.length, this._io, "/types/long_string/seq/0");
        this._debug.length.validationError = _err;
        throw _err;
      }
      if ( ((this.length < 9) && (this.length * 2 >= 0)) ) {
        this._debug.units = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.units = this._io.readBytes(this.length * 2);
        this._debug.units.end = this._io.pos;
      }
      if ( ((this.length >= 9) && (this.length <= 4094)) ) {
        this._debug.utf = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.utf = new Utf(this._io, this, this._root);
        this.utf._read();
        this._debug.utf.end = this._io.pos;
      }
      if (this.length >= 4095) {
        this._debug.wide = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.wide = new SimpleString(this._io, this, this._root);
        this.wide._read();
        this._debug.wide.end = this._io.pos;
      }
    }
    return LongString;
  })();
  var MapBody = JbossJournalCore.MapBody = (function() {
    function MapBody(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    MapBody.prototype._read = function() {
      if (!(this._io.isEof())) {
        this._debug.map = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.map = new Properties(this._io, this, this._root);
        this.map._read();
        this._debug.map.end = this._io.pos;
      }
    }
    return MapBody;
  })();
  var Nothing = JbossJournalCore.Nothing = (function() {
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
  var ObjectBody = JbossJournalCore.ObjectBody = (function() {
    function ObjectBody(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    ObjectBody.prototype._read = function() {
      if (!(this._io.isEof())) {
        this._debug.object = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.object = new Data(this._io, this, this._root);
        this.object._read();
        this._debug.object.end = this._io.pos;
      }
    }
    return ObjectBody;
  })();
  var OldMessage = JbossJournalCore.OldMessage = (function() {
    function OldMessage(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    OldMessage.prototype._read = function() {
      this._debug.bodyEnd = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.bodyEnd = this._io.readS4be();
      this._debug.bodyEnd.end = this._io.pos;
      if (!(this.bodyEnd >= 17)) {
        var _err = new KaitaiStream.ValidationLessThanError(17, this.bodyEnd, this._io, "/types/old_message/seq/0");
        this._debug.bodyEnd.validationError = _err;
        throw _err;
      }
      if (this.bodyEnd - 17 >= 0) {
        this._debug.body = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.body = this._io.readBytes(this.bodyEnd - 17);
        this._debug.body.end = this._io.pos;
      }
      this._debug.end = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.end = this._io.readS4be();
      this._debug.end.end = this._io.pos;
      this._debug.headers = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.headers = new Headers(this._io, this, this._root);
      this.headers._read();
      this._debug.headers.end = this._io.pos;
    }
    return OldMessage;
  })();
  var OptionalLongString = JbossJournalCore.OptionalLongString = (function() {
    function OptionalLongString(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    OptionalLongString.prototype._read = function() {
      this._debug.present = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.present = this._io.readU1();
      this._debug.present.end = this._io.pos;
      if (this.present != 0) {
        this._debug.string = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.string = new LongString(this._io, this, this._root);
        this.string._read();
        this._debug.string.end = this._io.pos;
      }
    }
    return OptionalLongString;
  })();
  var OptionalString = JbossJournalCore.OptionalString = (function() {
    function OptionalString(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    OptionalString.prototype._read = function() {
      this._debug.present = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.present = this._io.readU1();
      this._debug.present.end = this._io.pos;
      if (this.present != 0) {
        this._debug.string = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.string = new SimpleString(this._io, this, this._root);
        this.string._read();
        this._debug.string.end = this._io.pos;
      }
    }
    return OptionalString;
  })();
  var PageEntry = JbossJournalCore.PageEntry = (function() {
    function PageEntry(_io, _parent, _root, version) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this.version = version;
      this._debug = {};
    }
    PageEntry.prototype._read = function() {
      this._debug.start = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.start = this._io.readU1();
      this._debug.start.end = this._io.pos;
      if (!(this.start == 123)) {
        var _err = new KaitaiStream.ValidationNotEqualError(123, this.start, this._io, "/types/page_entry/seq/0");
        this._debug.start.validationError = _err;
        throw _err;
      }
      this._debug.size = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.size = this._io.readS4be();
      this._debug.size.end = this._io.pos;
      if (!(this.size >= 0)) {
        var _err = new KaitaiStream.ValidationLessThanError(0, this.size, this._io, "/types/page_entry/seq/1");
        this._debug.size.validationError = _err;
        throw _err;
      }
      if (this.size >= 0) {
        this._debug.paged = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this._raw_paged = this._io.readBytes(this.size);
        var _io__raw_paged = new KaitaiStream(this._raw_paged);
        this.paged = new Paged(_io__raw_paged, this, this._root, this.version);
        this.paged._read();
        this._debug.paged.end = this._io.pos;
      }
      this._debug.end = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.end = this._io.readU1();
      this._debug.end.end = this._io.pos;
      if (!(this.end == 125)) {
        var _err = new KaitaiStream.ValidationNotEqualError(125, this.end, this._io, "/types/page_entry/seq/3");
        this._debug.end.validationError = _err;
        throw _err;
      }
    }
    return PageEntry;
  })();
  var Paged = JbossJournalCore.Paged = (function() {
    function Paged(_io, _parent, _root, version) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this.version = version;
      this._debug = {};
    }
    Paged.prototype._read = function() {
      this._debug.transaction = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.transaction = this._io.readS8be();
      this._debug.transaction.end = this._io.pos;
      this._debug.large = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.large = this._io.readU1();
      this._debug.large.end = this._io.pos;
      if (this.version <= 1) {
        this._debug.oldSize = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.oldSize = this._io.readS4be();
        this._debug.oldSize.end = this._io.pos;
        if (!(this.oldSize >= 0)) {
          var _err = new KaitaiStream.ValidationLessThanError(0, this.oldSize, this._io, "/types/paged/seq/2");
          this._debug.oldSize.validationError = _err;
          throw _err;
        }
      }
      if ( ((this.large == 0) && (this.version <= 1)) ) {
        this._debug.oldMessage = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.oldMessage = new OldMessage(this._io, this, this._root);
        this.oldMessage._read();
        this._debug.oldMessage.end = this._io.pos;
      }
      if ( ((this.large != 0) && (this.version <= 1) && (this.oldSize >= 0)) ) {
        this._debug.oldLargeMessage = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this._raw_oldLargeMessage = this._io.readBytes(this.oldSize);
        var _io__raw_oldLargeMessage = new KaitaiStream(this._raw_oldLargeMessage);
        this.oldLargeMessage = new LargeMessage(_io__raw_oldLargeMessage, this, this._root);
        this.oldLargeMessage._read();
        this._debug.oldLargeMessage.end = this._io.pos;
      }
      if ( (( ((this.large == 1) || (this.large == 255)) ) && (this.version >= 2)) ) {
        this._debug.largeSize = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.largeSize = this._io.readS4be();
        this._debug.largeSize.end = this._io.pos;
        if (!(this.largeSize >= 0)) {
          var _err = new KaitaiStream.ValidationLessThanError(0, this.largeSize, this._io, "/types/paged/seq/5");
          this._debug.largeSize.validationError = _err;
          throw _err;
        }
      }
      if ( (( ((this.large == 1) || (this.large == 255)) ) && (this.version >= 2) && (this.largeSize >= 0)) ) {
        this._debug.largeMessage = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this._raw_largeMessage = this._io.readBytes(this.largeSize);
        var _io__raw_largeMessage = new KaitaiStream(this._raw_largeMessage);
        this.largeMessage = new LargeMessage(_io__raw_largeMessage, this, this._root);
        this.largeMessage._read();
        this._debug.largeMessage.end = this._io.pos;
      }
      if ( (( ((this.large == 0) || ( ((this.large >= 2) && (this.large <= 254)) )) ) && (this.version >= 2)) ) {
        this._debug.message = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.message = new JbossJournalCore(this._io, this, this._root);
        this.message._read();
        this._debug.message.end = this._io.pos;
      }
      if (!(this._io.isEof())) {
        this._debug.routed = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.routed = new Routed(this._io, this, this._root);
        this.routed._read();
        this._debug.routed.end = this._io.pos;
      }
    }
    return Paged;
  })();
  var Properties = JbossJournalCore.Properties = (function() {
    function Properties(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Properties.prototype._read = function() {
      this._debug.present = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.present = this._io.readU1();
      this._debug.present.end = this._io.pos;
      if (this.present != 0) {
        this._debug.number = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.number = this._io.readS4be();
        this._debug.number.end = this._io.pos;
      }
      if ( ((this.present != 0) && (this.number >= 0)) ) {
        this._debug.entries = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this._debug.entries.arr = [];
        this.entries = [];
        for (var i = 0; i < this.number; i++) {
          this._debug.entries.arr[i] = { start: this._io.pos, ioOffset: this._io.byteOffset };
          var _t_entries = new Property(this._io, this, this._root);
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
    return Properties;
  })();
  var Property = JbossJournalCore.Property = (function() {
    function Property(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Property.prototype._read = function() {
      this._debug.key = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.key = new SimpleString(this._io, this, this._root);
      this.key._read();
      this._debug.key.end = this._io.pos;
      this._debug.tag = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.tag = this._io.readU1();
      this._debug.tag.end = this._io.pos;
      this._debug.value = { start: this._io.pos, ioOffset: this._io.byteOffset };
      switch (this.tag) {
      case 0:
        this.value = new Nothing(this._io, this, this._root);
        this.value._read();
        break;
      case 10:
        this.value = new SimpleString(this._io, this, this._root);
        this.value._read();
        break;
      case 11:
        this.value = new U2Value(this._io, this, this._root);
        this.value._read();
        break;
      case 2:
        this.value = new BoolValue(this._io, this, this._root);
        this.value._read();
        break;
      case 3:
        this.value = new S1Value(this._io, this, this._root);
        this.value._read();
        break;
      case 4:
        this.value = new Data(this._io, this, this._root);
        this.value._read();
        break;
      case 5:
        this.value = new S2Value(this._io, this, this._root);
        this.value._read();
        break;
      case 6:
        this.value = new S4Value(this._io, this, this._root);
        this.value._read();
        break;
      case 7:
        this.value = new S8Value(this._io, this, this._root);
        this.value._read();
        break;
      case 8:
        this.value = new F4Value(this._io, this, this._root);
        this.value._read();
        break;
      case 9:
        this.value = new F8Value(this._io, this, this._root);
        this.value._read();
        break;
      }
      this._debug.value.end = this._io.pos;
    }
    return Property;
  })();
  var QueueId = JbossJournalCore.QueueId = (function() {
    function QueueId(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    QueueId.prototype._read = function() {
      this._debug.queue = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.queue = this._io.readS8be();
      this._debug.queue.end = this._io.pos;
    }
    return QueueId;
  })();
  var Routed = JbossJournalCore.Routed = (function() {
    function Routed(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Routed.prototype._read = function() {
      this._debug.number = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.number = this._io.readS4be();
      this._debug.number.end = this._io.pos;
      if (!(this.number >= 0)) {
        var _err = new KaitaiStream.ValidationLessThanError(0, this.number, this._io, "/types/routed/seq/0");
        this._debug.number.validationError = _err;
        throw _err;
      }
      if (this.number >= 0) {
        this._debug.queues = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this._debug.queues.arr = [];
        this.queues = [];
        for (var i = 0; i < this.number; i++) {
          this._debug.queues.arr[i] = { start: this._io.pos, ioOffset: this._io.byteOffset };
          var _t_queues = new QueueId(this._io, this, this._root);
          try {
            _t_queues._read();
          } finally {
            this.queues.push(_t_queues);
          }
          this._debug.queues.arr[i].end = this._io.pos;
        }
        this._debug.queues.end = this._io.pos;
      }
    }
    return Routed;
  })();
  var S1Value = JbossJournalCore.S1Value = (function() {
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
  var S2Value = JbossJournalCore.S2Value = (function() {
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
  var S4Value = JbossJournalCore.S4Value = (function() {
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
  var S8Value = JbossJournalCore.S8Value = (function() {
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
  var SimpleString = JbossJournalCore.SimpleString = (function() {
    function SimpleString(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    SimpleString.prototype._read = function() {
      this._debug.size = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.size = this._io.readS4be();
      this._debug.size.end = this._io.pos;
      if (!(this.size >= 0)) {
        var _err = new KaitaiStream.ValidationLessThanError(0, this.size, this._io, "/types/simple_string/seq/0");
        this._debug.size.validationError = _err;
        throw _err;
      }
      if (this.size >= 0) {
        this._debug.value = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.value = this._io.readBytes(this.size);
        this._debug.value.end = this._io.pos;
      }
    }
    return SimpleString;
  })();
  var StreamBody = JbossJournalCore.StreamBody = (function() {
    function StreamBody(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    StreamBody.prototype._read = function() {
      this._debug.elements = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this._debug.elements.arr = [];
      this.elements = [];
      var i = 0;
      while (!this._io.isEof()) {
        this._debug.elements.arr[this.elements.length] = { start: this._io.pos, ioOffset: this._io.byteOffset };
        var _t_elements = new Element(this._io, this, this._root);
        try {
          _t_elements._read();
        } finally {
          this.elements.push(_t_elements);
        }
        this._debug.elements.arr[this.elements.length - 1].end = this._io.pos;
        i++;
      }
      this._debug.elements.end = this._io.pos;
    }
    return StreamBody;
  })();
  var TextBody = JbossJournalCore.TextBody = (function() {
    function TextBody(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    TextBody.prototype._read = function() {
      if (!(this._io.isEof())) {
        this._debug.present = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.present = this._io.readU1();
        this._debug.present.end = this._io.pos;
      }
      if (!(this._io.isEof())) {
        this._debug.string = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.string = new SimpleString(this._io, this, this._root);
        this.string._read();
        this._debug.string.end = this._io.pos;
      }
    }
    return TextBody;
  })();
  var U2Value = JbossJournalCore.U2Value = (function() {
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
  var Utf = JbossJournalCore.Utf = (function() {
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
      this._debug.value = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.value = this._io.readBytes(this.size);
      this._debug.value.end = this._io.pos;
    }
    return Utf;
  })();
  return JbossJournalCore;
})();
JbossJournalCore_.JbossJournalCore = JbossJournalCore;
});
// This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
(function (root, factory) {
  if (typeof define === 'function' && define.amd) {
    define(['exports', 'kaitai-struct/KaitaiStream'], factory);
  } else if (typeof exports === 'object' && exports !== null && typeof exports.nodeType !== 'number') {
    factory(exports, require('kaitai-struct/KaitaiStream'));
  } else {
    factory(root.JbossJournalNarayana || (root.JbossJournalNarayana = {}), root.KaitaiStream);
  }
})(typeof self !== 'undefined' ? self : this, function (JbossJournalNarayana_, KaitaiStream) {
var JbossJournalNarayana = (function() {
  function JbossJournalNarayana(_io, _parent, _root) {
    this._io = _io;
    this._parent = _parent;
    this._root = _root || this;
    this._debug = {};
  }
  JbossJournalNarayana.prototype._read = function() {
    this._debug.header = { start: this._io.pos, ioOffset: this._io.byteOffset };
    this.header = new Header(this._io, this, this._root);
    this.header._read();
    this._debug.header.end = this._io.pos;
    this._debug.uid = { start: this._io.pos, ioOffset: this._io.byteOffset };
    this.uid = new Uid(this._io, this, this._root);
    this.uid._read();
    this._debug.uid.end = this._io.pos;
    this._debug.kind = { start: this._io.pos, ioOffset: this._io.byteOffset };
    this.kind = new Padded(this._io, this, this._root);
    this.kind._read();
    this._debug.kind.end = this._io.pos;
    this._debug.state = { start: this._io.pos, ioOffset: this._io.byteOffset };
    this.state = new Padded(this._io, this, this._root);
    this.state._read();
    this._debug.state.end = this._io.pos;
  }
  var Action = JbossJournalNarayana.Action = (function() {
    function Action(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Action.prototype._read = function() {
      this._debug.begin = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.begin = new Begin(this._io, this, this._root);
      this.begin._read();
      this._debug.begin.end = this._io.pos;
      this._debug.pastFirstParticipant = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.pastFirstParticipant = new Flag(this._io, this, this._root);
      this.pastFirstParticipant._read();
      this._debug.pastFirstParticipant.end = this._io.pos;
      this._debug.participants = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.participants = new Participants(this._io, this, this._root);
      this.participants._read();
      this._debug.participants.end = this._io.pos;
      this._debug.heuristicCount = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.heuristicCount = this._io.readS4be();
      this._debug.heuristicCount.end = this._io.pos;
      if (this.heuristicCount != 0) {
        this._debug.heuristics = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.heuristics = new Participants(this._io, this, this._root);
        this.heuristics._read();
        this._debug.heuristics.end = this._io.pos;
      }
      this._debug.status = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.status = this._io.readS4be();
      this._debug.status.end = this._io.pos;
      this._debug.actionType = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.actionType = this._io.readS4be();
      this._debug.actionType.end = this._io.pos;
      this._debug.decision = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.decision = this._io.readS4be();
      this._debug.decision.end = this._io.pos;
    }
    return Action;
  })();
  var AnyXid = JbossJournalNarayana.AnyXid = (function() {
    function AnyXid(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    AnyXid.prototype._read = function() {
      this._debug.padding = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.padding = this._io.readBytes(3);
      this._debug.padding.end = this._io.pos;
      this._debug.known = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.known = this._io.readU1();
      this._debug.known.end = this._io.pos;
      if (this.known != 0) {
        this._debug.xid = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.xid = new Xid(this._io, this, this._root);
        this.xid._read();
        this._debug.xid.end = this._io.pos;
      }
      if (this.known == 0) {
        this._debug.serialised = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.serialised = new Padded(this._io, this, this._root);
        this.serialised._read();
        this._debug.serialised.end = this._io.pos;
      }
    }
    return AnyXid;
  })();
  var Begin = JbossJournalNarayana.Begin = (function() {
    function Begin(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Begin.prototype._read = function() {
      this._debug.size = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.size = this._io.readS4be();
      this._debug.size.end = this._io.pos;
      if (!(this.size == 9)) {
        var _err = new KaitaiStream.ValidationNotEqualError(9, this.size, this._io, "/types/begin/seq/0");
        this._debug.size.validationError = _err;
        throw _err;
      }
      this._debug.mark = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.mark = this._io.readBytes(8);
      this._debug.mark.end = this._io.pos;
      if (!((KaitaiStream.byteArrayCompare(this.mark, new Uint8Array([35, 65, 82, 74, 85, 78, 65, 35])) == 0))) {
        var _err = new KaitaiStream.ValidationNotEqualError(new Uint8Array([35, 65, 82, 74, 85, 78, 65, 35]), this.mark, this._io, "/types/begin/seq/1");
        this._debug.mark.validationError = _err;
        throw _err;
      }
      this._debug.zero = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.zero = this._io.readBytes(4);
      this._debug.zero.end = this._io.pos;
      this._debug.uid = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.uid = new Uid(this._io, this, this._root);
      this.uid._read();
      this._debug.uid.end = this._io.pos;
      this._debug.process = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.process = new Uid(this._io, this, this._root);
      this.process._read();
      this._debug.process.end = this._io.pos;
      this._debug.created = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.created = this._io.readS8be();
      this._debug.created.end = this._io.pos;
    }
    return Begin;
  })();
  var CommitMarkable = JbossJournalNarayana.CommitMarkable = (function() {
    function CommitMarkable(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    CommitMarkable.prototype._read = function() {
      this._debug.jndiName = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.jndiName = new Padded(this._io, this, this._root);
      this.jndiName._read();
      this._debug.jndiName.end = this._io.pos;
      this._debug.xid = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.xid = new AnyXid(this._io, this, this._root);
      this.xid._read();
      this._debug.xid.end = this._io.pos;
      this._debug.padding = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.padding = this._io.readBytes(3);
      this._debug.padding.end = this._io.pos;
      this._debug.completed = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.completed = this._io.readU1();
      this._debug.completed.end = this._io.pos;
      if (this.completed != 0) {
        this._debug.committed = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.committed = new Flag(this._io, this, this._root);
        this.committed._read();
        this._debug.committed.end = this._io.pos;
      }
      this._debug.product = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.product = new Padded(this._io, this, this._root);
      this.product._read();
      this._debug.product.end = this._io.pos;
      this._debug.productVersion = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.productVersion = new Padded(this._io, this, this._root);
      this.productVersion._read();
      this._debug.productVersion.end = this._io.pos;
      this._debug.uid = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.uid = new Uid(this._io, this, this._root);
      this.uid._read();
      this._debug.uid.end = this._io.pos;
      this._debug.typeName = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.typeName = new Padded(this._io, this, this._root);
      this.typeName._read();
      this._debug.typeName.end = this._io.pos;
    }
    return CommitMarkable;
  })();
  var Flag = JbossJournalNarayana.Flag = (function() {
    function Flag(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Flag.prototype._read = function() {
      this._debug.padding = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.padding = this._io.readBytes(3);
      this._debug.padding.end = this._io.pos;
      this._debug.value = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.value = this._io.readU1();
      this._debug.value.end = this._io.pos;
    }
    return Flag;
  })();
  var Header = JbossJournalNarayana.Header = (function() {
    function Header(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Header.prototype._read = function() {
      this._debug.mark = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.mark = this._io.readBytes(4);
      this._debug.mark.end = this._io.pos;
      if (!((KaitaiStream.byteArrayCompare(this.mark, new Uint8Array([35, 66, 69, 1])) == 0))) {
        var _err = new KaitaiStream.ValidationNotEqualError(new Uint8Array([35, 66, 69, 1]), this.mark, this._io, "/types/header/seq/0");
        this._debug.mark.validationError = _err;
        throw _err;
      }
      this._debug.widths = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.widths = this._io.readBytes(4);
      this._debug.widths.end = this._io.pos;
    }
    return Header;
  })();
  var Nothing = JbossJournalNarayana.Nothing = (function() {
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
  var Padded = JbossJournalNarayana.Padded = (function() {
    function Padded(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Padded.prototype._read = function() {
      this._debug.size = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.size = this._io.readS4be();
      this._debug.size.end = this._io.pos;
      if (!(this.size >= 0)) {
        var _err = new KaitaiStream.ValidationLessThanError(0, this.size, this._io, "/types/padded/seq/0");
        this._debug.size.validationError = _err;
        throw _err;
      }
      if (Math.floor(this.size / 4) >= 0) {
        this._debug.quads = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this._debug.quads.arr = [];
        this.quads = [];
        for (var i = 0; i < Math.floor(this.size / 4); i++) {
          this._debug.quads.arr[i] = { start: this._io.pos, ioOffset: this._io.byteOffset };
          var _t_quads = new Quad(this._io, this, this._root);
          try {
            _t_quads._read();
          } finally {
            this.quads.push(_t_quads);
          }
          this._debug.quads.arr[i].end = this._io.pos;
        }
        this._debug.quads.end = this._io.pos;
      }
      if ((this.size & 3) != 0) {
        this._debug.last = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.last = new Quad(this._io, this, this._root);
        this.last._read();
        this._debug.last.end = this._io.pos;
      }
    }
    return Padded;
  })();
  var Participants = JbossJournalNarayana.Participants = (function() {
    function Participants(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Participants.prototype._read = function() {
      this._debug.kind = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.kind = this._io.readS4be();
      this._debug.kind.end = this._io.pos;
      this._debug.participant = { start: this._io.pos, ioOffset: this._io.byteOffset };
      switch (this.kind) {
      case 171:
        this.participant = new XaResource(this._io, this, this._root);
        this.participant._read();
        break;
      case 463:
        this.participant = new Nothing(this._io, this, this._root);
        this.participant._read();
        break;
      case 50:
        this.participant = new CommitMarkable(this._io, this, this._root);
        this.participant._read();
        break;
      }
      this._debug.participant.end = this._io.pos;
      if (this.kind != 463) {
        this._debug.more = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.more = new Participants(this._io, this, this._root);
        this.more._read();
        this._debug.more.end = this._io.pos;
      }
    }
    return Participants;
  })();
  var Quad = JbossJournalNarayana.Quad = (function() {
    function Quad(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Quad.prototype._read = function() {
      this._debug.value = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.value = this._io.readBytes(4);
      this._debug.value.end = this._io.pos;
    }
    return Quad;
  })();
  var Subordinate = JbossJournalNarayana.Subordinate = (function() {
    function Subordinate(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Subordinate.prototype._read = function() {
      this._debug.header = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.header = new Header(this._io, this, this._root);
      this.header._read();
      this._debug.header.end = this._io.pos;
      this._debug.begin = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.begin = new Begin(this._io, this, this._root);
      this.begin._read();
      this._debug.begin.end = this._io.pos;
      this._debug.padding = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.padding = this._io.readBytes(3);
      this._debug.padding.end = this._io.pos;
      this._debug.imported = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.imported = this._io.readU1();
      this._debug.imported.end = this._io.pos;
      if (this.imported != 0) {
        this._debug.given = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.given = new Xid(this._io, this, this._root);
        this.given._read();
        this._debug.given.end = this._io.pos;
      }
      if (this.imported != 0) {
        this._debug.givenBy = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.givenBy = new Padded(this._io, this, this._root);
        this.givenBy._read();
        this._debug.givenBy.end = this._io.pos;
      }
      this._debug.action = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.action = new Action(this._io, this, this._root);
      this.action._read();
      this._debug.action.end = this._io.pos;
    }
    return Subordinate;
  })();
  var Transaction = JbossJournalNarayana.Transaction = (function() {
    function Transaction(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Transaction.prototype._read = function() {
      this._debug.header = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.header = new Header(this._io, this, this._root);
      this.header._read();
      this._debug.header.end = this._io.pos;
      this._debug.action = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.action = new Action(this._io, this, this._root);
      this.action._read();
      this._debug.action.end = this._io.pos;
    }
    return Transaction;
  })();
  var Uid = JbossJournalNarayana.Uid = (function() {
    function Uid(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Uid.prototype._read = function() {
      this._debug.size = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.size = this._io.readS4be();
      this._debug.size.end = this._io.pos;
      if (!(this.size == 28)) {
        var _err = new KaitaiStream.ValidationNotEqualError(28, this.size, this._io, "/types/uid/seq/0");
        this._debug.size.validationError = _err;
        throw _err;
      }
      this._debug.hostHigh = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.hostHigh = this._io.readS8be();
      this._debug.hostHigh.end = this._io.pos;
      this._debug.hostLow = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.hostLow = this._io.readS8be();
      this._debug.hostLow.end = this._io.pos;
      this._debug.process = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.process = this._io.readS4be();
      this._debug.process.end = this._io.pos;
      this._debug.started = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.started = this._io.readS4be();
      this._debug.started.end = this._io.pos;
      this._debug.counter = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.counter = this._io.readS4be();
      this._debug.counter.end = this._io.pos;
    }
    return Uid;
  })();
  var XaResource = JbossJournalNarayana.XaResource = (function() {
    function XaResource(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    XaResource.prototype._read = function() {
      this._debug.outcome = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.outcome = this._io.readS4be();
      this._debug.outcome.end = this._io.pos;
      this._debug.committed = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.committed = new Flag(this._io, this, this._root);
      this.committed._read();
      this._debug.committed.end = this._io.pos;
      this._debug.xid = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.xid = new AnyXid(this._io, this, this._root);
      this.xid._read();
      this._debug.xid.end = this._io.pos;
      this._debug.recovery = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.recovery = this._io.readS4be();
      this._debug.recovery.end = this._io.pos;
      if (!(this.recovery == 1)) {
        var _err = new KaitaiStream.ValidationNotEqualError(1, this.recovery, this._io, "/types/xa_resource/seq/3");
        this._debug.recovery.validationError = _err;
        throw _err;
      }
      this._debug.product = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.product = new Padded(this._io, this, this._root);
      this.product._read();
      this._debug.product.end = this._io.pos;
      this._debug.productVersion = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.productVersion = new Padded(this._io, this, this._root);
      this.productVersion._read();
      this._debug.productVersion.end = this._io.pos;
      this._debug.jndiName = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.jndiName = new Padded(this._io, this, this._root);
      this.jndiName._read();
      this._debug.jndiName.end = this._io.pos;
      this._debug.padding = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.padding = this._io.readBytes(3);
      this._debug.padding.end = this._io.pos;
      this._debug.hasResource = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.hasResource = this._io.readU1();
      this._debug.hasResource.end = this._io.pos;
      if (this.hasResource != 0) {
        this._debug.className = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.className = new Padded(this._io, this, this._root);
        this.className._read();
        this._debug.className.end = this._io.pos;
      }
      if (this.hasResource != 0) {
        this._debug.resource = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.resource = new Padded(this._io, this, this._root);
        this.resource._read();
        this._debug.resource.end = this._io.pos;
      }
      this._debug.uid = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.uid = new Uid(this._io, this, this._root);
      this.uid._read();
      this._debug.uid.end = this._io.pos;
      this._debug.typeName = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.typeName = new Padded(this._io, this, this._root);
      this.typeName._read();
      this._debug.typeName.end = this._io.pos;
    }
    return XaResource;
  })();
  var Xid = JbossJournalNarayana.Xid = (function() {
    function Xid(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Xid.prototype._read = function() {
      this._debug.formatId = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.formatId = this._io.readS4be();
      this._debug.formatId.end = this._io.pos;
      this._debug.globalSize = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.globalSize = this._io.readS4be();
      this._debug.globalSize.end = this._io.pos;
      if (!(this.globalSize >= 0)) {
        var _err = new KaitaiStream.ValidationLessThanError(0, this.globalSize, this._io, "/types/xid/seq/1");
        this._debug.globalSize.validationError = _err;
        throw _err;
      }
      if (!(this.globalSize <= 64)) {
        var _err = new KaitaiStream.ValidationGreaterThanError(64, this.globalSize, this._io, "/types/xid/seq/1");
        this._debug.globalSize.validationError = _err;
        throw _err;
      }
      this._debug.branchSize = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.branchSize = this._io.readS4be();
      this._debug.branchSize.end = this._io.pos;
      if (!(this.branchSize >= 0)) {
        var _err = new KaitaiStream.ValidationLessThanError(0, this.branchSize, this._io, "/types/xid/seq/2");
        this._debug.branchSize.validationError = _err;
        throw _err;
      }
      if (!(this.branchSize <= 64)) {
        var _err = new KaitaiStream.ValidationGreaterThanError(64, this.branchSize, this._io, "/types/xid/seq/2");
        this._debug.branchSize.validationError = _err;
        throw _err;
      }
      this._debug.size = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.size = this._io.readS4be();
      this._debug.size.end = this._io.pos;
      if (!(this.size == 128)) {
        var _err = new KaitaiStream.ValidationNotEqualError(128, this.size, this._io, "/types/xid/seq/3");
        this._debug.size.validationError = _err;
        throw _err;
      }
      this._debug.data = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.data = this._io.readBytes(128);
      this._debug.data.end = this._io.pos;
    }
    return Xid;
  })();
  return JbossJournalNarayana;
})();
JbossJournalNarayana_.JbossJournalNarayana = JbossJournalNarayana;
});
// This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
(function (root, factory) {
  if (typeof define === 'function' && define.amd) {
    define(['exports', 'kaitai-struct/KaitaiStream'], factory);
  } else if (typeof exports === 'object' && exports !== null && typeof exports.nodeType !== 'number') {
    factory(exports, require('kaitai-struct/KaitaiStream'));
  } else {
    factory(root.JbossJournalRecords || (root.JbossJournalRecords = {}), root.KaitaiStream);
  }
})(typeof self !== 'undefined' ? self : this, function (JbossJournalRecords_, KaitaiStream) {
var JbossJournalRecords = (function() {
  function JbossJournalRecords(_io, _parent, _root) {
    this._io = _io;
    this._parent = _parent;
    this._root = _root || this;
    this._debug = {};
  }
  JbossJournalRecords.prototype._read = function() {
    this._debug.queue = { start: this._io.pos, ioOffset: this._io.byteOffset };
    this.queue = this._io.readS8be();
    this._debug.queue.end = this._io.pos;
    if (!(this._io.isEof())) {
      this._debug.more = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.more = this._io.readBytesFull();
      this._debug.more.end = this._io.pos;
    }
  }
  var Counter = JbossJournalRecords.Counter = (function() {
    function Counter(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Counter.prototype._read = function() {
      this._debug.queue = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.queue = this._io.readS8be();
      this._debug.queue.end = this._io.pos;
      this._debug.value = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.value = this._io.readS8be();
      this._debug.value.end = this._io.pos;
      if (!(this._io.isEof())) {
        this._debug.bytes = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.bytes = this._io.readS8be();
        this._debug.bytes.end = this._io.pos;
      }
      if (!(this._io.isEof())) {
        this._debug.more = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.more = this._io.readBytesFull();
        this._debug.more.end = this._io.pos;
      }
    }
    return Counter;
  })();
  var CounterPending = JbossJournalRecords.CounterPending = (function() {
    function CounterPending(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    CounterPending.prototype._read = function() {
      this._debug.queue = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.queue = this._io.readS8be();
      this._debug.queue.end = this._io.pos;
      this._debug.page = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.page = this._io.readS8be();
      this._debug.page.end = this._io.pos;
      if (!(this._io.isEof())) {
        this._debug.more = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.more = this._io.readBytesFull();
        this._debug.more.end = this._io.pos;
      }
    }
    return CounterPending;
  })();
  var CursorAck = JbossJournalRecords.CursorAck = (function() {
    function CursorAck(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    CursorAck.prototype._read = function() {
      this._debug.queue = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.queue = this._io.readS8be();
      this._debug.queue.end = this._io.pos;
      this._debug.page = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.page = this._io.readS8be();
      this._debug.page.end = this._io.pos;
      this._debug.message = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.message = this._io.readS4be();
      this._debug.message.end = this._io.pos;
      if (!(this._io.isEof())) {
        this._debug.more = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.more = this._io.readBytesFull();
        this._debug.more.end = this._io.pos;
      }
    }
    return CursorAck;
  })();
  var Data = JbossJournalRecords.Data = (function() {
    function Data(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Data.prototype._read = function() {
      this._debug.size = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.size = this._io.readS4be();
      this._debug.size.end = this._io.pos;
      if (!(this.size >= 0)) {
        var _err = new KaitaiStream.ValidationLessThanError(0, this.size, this._io, "/types/data/seq/0");
        this._debug.size.validationError = _err;
        throw _err;
      }
      if (this.size >= 0) {
        this._debug.value = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.value = this._io.readBytes(this.size);
        this._debug.value.end = this._io.pos;
      }
    }
    return Data;
  })();
  var DeliveryCount = JbossJournalRecords.DeliveryCount = (function() {
    function DeliveryCount(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    DeliveryCount.prototype._read = function() {
      this._debug.queue = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.queue = this._io.readS8be();
      this._debug.queue.end = this._io.pos;
      this._debug.count = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.count = this._io.readS4be();
      this._debug.count.end = this._io.pos;
      if (!(this._io.isEof())) {
        this._debug.more = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.more = this._io.readBytesFull();
        this._debug.more.end = this._io.pos;
      }
    }
    return DeliveryCount;
  })();
  var Duplicate = JbossJournalRecords.Duplicate = (function() {
    function Duplicate(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Duplicate.prototype._read = function() {
      this._debug.address = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.address = new SimpleString(this._io, this, this._root);
      this.address._read();
      this._debug.address.end = this._io.pos;
      this._debug.ident = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.ident = new Data(this._io, this, this._root);
      this.ident._read();
      this._debug.ident.end = this._io.pos;
      if (!(this._io.isEof())) {
        this._debug.more = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.more = this._io.readBytesFull();
        this._debug.more.end = this._io.pos;
      }
    }
    return Duplicate;
  })();
  var Heuristic = JbossJournalRecords.Heuristic = (function() {
    function Heuristic(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Heuristic.prototype._read = function() {
      this._debug.xid = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.xid = new Xid(this._io, this, this._root);
      this.xid._read();
      this._debug.xid.end = this._io.pos;
      this._debug.committed = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.committed = this._io.readU1();
      this._debug.committed.end = this._io.pos;
      if (!(this._io.isEof())) {
        this._debug.more = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.more = this._io.readBytesFull();
        this._debug.more.end = this._io.pos;
      }
    }
    return Heuristic;
  })();
  var Increment = JbossJournalRecords.Increment = (function() {
    function Increment(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Increment.prototype._read = function() {
      this._debug.queue = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.queue = this._io.readS8be();
      this._debug.queue.end = this._io.pos;
      this._debug.value = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.value = this._io.readS4be();
      this._debug.value.end = this._io.pos;
      if (!(this._io.isEof())) {
        this._debug.bytes = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.bytes = this._io.readS8be();
        this._debug.bytes.end = this._io.pos;
      }
      if (!(this._io.isEof())) {
        this._debug.more = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.more = this._io.readBytesFull();
        this._debug.more.end = this._io.pos;
      }
    }
    return Increment;
  })();
  var LargePending = JbossJournalRecords.LargePending = (function() {
    function LargePending(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    LargePending.prototype._read = function() {
      this._debug.message = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.message = this._io.readS8be();
      this._debug.message.end = this._io.pos;
      if (!(this._io.isEof())) {
        this._debug.more = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.more = this._io.readBytesFull();
        this._debug.more.end = this._io.pos;
      }
    }
    return LargePending;
  })();
  var PageComplete = JbossJournalRecords.PageComplete = (function() {
    function PageComplete(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    PageComplete.prototype._read = function() {
      this._debug.queue = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.queue = this._io.readS8be();
      this._debug.queue.end = this._io.pos;
      this._debug.page = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.page = this._io.readS8be();
      this._debug.page.end = this._io.pos;
      if (!(this._io.isEof())) {
        this._debug.number = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.number = this._io.readS4be();
        this._debug.number.end = this._io.pos;
      }
      if (!(this._io.isEof())) {
        this._debug.more = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.more = this._io.readBytesFull();
        this._debug.more.end = this._io.pos;
      }
    }
    return PageComplete;
  })();
  var PageTransaction = JbossJournalRecords.PageTransaction = (function() {
    function PageTransaction(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    PageTransaction.prototype._read = function() {
      this._debug.transaction = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.transaction = this._io.readS8be();
      this._debug.transaction.end = this._io.pos;
      this._debug.number = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.number = this._io.readS4be();
      this._debug.number.end = this._io.pos;
      if (!(this._io.isEof())) {
        this._debug.more = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.more = this._io.readBytesFull();
        this._debug.more.end = this._io.pos;
      }
    }
    return PageTransaction;
  })();
  var Scheduled = JbossJournalRecords.Scheduled = (function() {
    function Scheduled(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Scheduled.prototype._read = function() {
      this._debug.queue = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.queue = this._io.readS8be();
      this._debug.queue.end = this._io.pos;
      this._debug.time = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.time = this._io.readS8be();
      this._debug.time.end = this._io.pos;
      if (!(this._io.isEof())) {
        this._debug.more = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.more = this._io.readBytesFull();
        this._debug.more.end = this._io.pos;
      }
    }
    return Scheduled;
  })();
  var SimpleString = JbossJournalRecords.SimpleString = (function() {
    function SimpleString(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    SimpleString.prototype._read = function() {
      this._debug.size = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.size = this._io.readS4be();
      this._debug.size.end = this._io.pos;
      if (!(this.size >= 0)) {
        var _err = new KaitaiStream.ValidationLessThanError(0, this.size, this._io, "/types/simple_string/seq/0");
        this._debug.size.validationError = _err;
        throw _err;
      }
      if (this.size >= 0) {
        this._debug.value = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.value = this._io.readBytes(this.size);
        this._debug.value.end = this._io.pos;
      }
    }
    return SimpleString;
  })();
  var Xid = JbossJournalRecords.Xid = (function() {
    function Xid(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Xid.prototype._read = function() {
      this._debug.formatId = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.formatId = this._io.readS4be();
      this._debug.formatId.end = this._io.pos;
      this._debug.branch = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.branch = new Data(this._io, this, this._root);
      this.branch._read();
      this._debug.branch.end = this._io.pos;
      this._debug.globalId = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.globalId = new Data(this._io, this, this._root);
      this.globalId._read();
      this._debug.globalId.end = this._io.pos;
    }
    return Xid;
  })();
  return JbossJournalRecords;
})();
JbossJournalRecords_.JbossJournalRecords = JbossJournalRecords;
});
});
