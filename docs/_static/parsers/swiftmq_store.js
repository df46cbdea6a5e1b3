(globalThis.journalspecCode ||= []).push(function () {
// This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
(function (root, factory) {
  if (typeof define === 'function' && define.amd) {
    define(['exports', 'kaitai-struct/KaitaiStream'], factory);
  } else if (typeof exports === 'object' && exports !== null && typeof exports.nodeType !== 'number') {
    factory(exports, require('kaitai-struct/KaitaiStream'));
  } else {
    factory(root.SwiftmqStore || (root.SwiftmqStore = {}), root.KaitaiStream);
  }
})(typeof self !== 'undefined' ? self : this, function (SwiftmqStore_, KaitaiStream) {
var SwiftmqStore = (function() {
  SwiftmqStore.ActionKind = Object.freeze({
    INSERT: 1,
    UPDATE: 2,
    DELETE: 3,
    PORTION: 4,
    1: "INSERT",
    2: "UPDATE",
    3: "DELETE",
    4: "PORTION",
  });
  function SwiftmqStore(_io, _parent, _root, pageSize) {
    this._io = _io;
    this._parent = _parent;
    this._root = _root || this;
    this.pageSize = pageSize;
    this._debug = {};
  }
  SwiftmqStore.prototype._read = function() {
    if (this.tagged) {
      this._debug.start = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.start = new Start(this._io, this, this._root);
      this.start._read();
      this._debug.start.end = this._io.pos;
    }
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
  var Action = SwiftmqStore.Action = (function() {
    function Action(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Action.prototype._read = function() {
      this._debug.kind = { start: this._io.pos, ioOffset: this._io.byteOffset, enumName: "SwiftmqStore.ActionKind" };
      this.kind = this._io.readS4be();
      this._debug.kind.end = this._io.pos;
      this._debug.body = { start: this._io.pos, ioOffset: this._io.byteOffset };
      switch (this.kind) {
      case SwiftmqStore.ActionKind.DELETE:
        this.body = new Delete(this._io, this, this._root);
        this.body._read();
        break;
      case SwiftmqStore.ActionKind.INSERT:
        this.body = new Insert(this._io, this, this._root);
        this.body._read();
        break;
      case SwiftmqStore.ActionKind.PORTION:
        this.body = new AnyPortion(this._io, this, this._root, this._io.pos);
        this.body._read();
        break;
      case SwiftmqStore.ActionKind.UPDATE:
        this.body = new Update(this._io, this, this._root);
        this.body._read();
        break;
      }
      this._debug.body.end = this._io.pos;
    }
    return Action;
  })();
  var AnyPortion = SwiftmqStore.AnyPortion = (function() {
    function AnyPortion(_io, _parent, _root, start) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this.start = start;
      this._debug = {};
    }
    AnyPortion.prototype._read = function() {
      this._debug.body = { start: this._io.pos, ioOffset: this._io.byteOffset };
      switch (this.hasBefore) {
      case 1:
        this.body = new Portion(this._io, this, this._root);
        this.body._read();
        break;
      default:
        this.body = new NewPortion(this._io, this, this._root);
        this.body._read();
        break;
      }
      this._debug.body.end = this._io.pos;
    }
    Object.defineProperty(AnyPortion.prototype, 'hasBefore', {
      get: function() {
        if (this._m_hasBefore !== undefined)
          return this._m_hasBefore;
        if (this._io.size - this.start >= 9) {
          var _pos = this._io.pos;
          this._io.seek(this.start + 8);
          this._debug._m_hasBefore = { start: this._io.pos, ioOffset: this._io.byteOffset };
          this._m_hasBefore = this._io.readU1();
          this._debug._m_hasBefore.end = this._io.pos;
          this._io.seek(_pos);
        }
        return this._m_hasBefore;
      }
    });
    return AnyPortion;
  })();
  var Delete = SwiftmqStore.Delete = (function() {
    function Delete(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Delete.prototype._read = function() {
      this._debug.page = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.page = this._io.readS4be();
      this._debug.page.end = this._io.pos;
      if (!(this.page >= 0)) {
        var _err = new KaitaiStream.ValidationLessThanError(0, this.page, this._io, "/types/delete/seq/0");
        this._debug.page.validationError = _err;
        throw _err;
      }
      this._debug.length = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.length = this._io.readS4be();
      this._debug.length.end = this._io.pos;
      this._debug.before = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.before = this._io.readBytes(this.length);
      this._debug.before.end = this._io.pos;
    }
    return Delete;
  })();
  var IndexHeader = SwiftmqStore.IndexHeader = (function() {
    function IndexHeader(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    IndexHeader.prototype._read = function() {
      this._debug.empty = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.empty = this._io.readU1();
      this._debug.empty.end = this._io.pos;
      if (!(this.empty >= 0)) {
        var _err = new KaitaiStream.ValidationLessThanError(0, this.empty, this._io, "/types/index_header/seq/0");
        this._debug.empty.validationError = _err;
        throw _err;
      }
      if (!(this.empty <= 1)) {
        var _err = new KaitaiStream.ValidationGreaterThanError(1, this.empty, this._io, "/types/index_header/seq/0");
        this._debug.empty.validationError = _err;
        throw _err;
      }
      this._debug.prev = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.prev = this._io.readS4be();
      this._debug.prev.end = this._io.pos;
      this._debug.next = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.next = this._io.readS4be();
      this._debug.next.end = this._io.pos;
      this._debug.slots = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.slots = this._io.readS4be();
      this._debug.slots.end = this._io.pos;
      if (!(this.slots >= 0)) {
        var _err = new KaitaiStream.ValidationLessThanError(0, this.slots, this._io, "/types/index_header/seq/3");
        this._debug.slots.validationError = _err;
        throw _err;
      }
      this._debug.valid = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.valid = this._io.readS4be();
      this._debug.valid.end = this._io.pos;
      if (!(this.valid >= 0)) {
        var _err = new KaitaiStream.ValidationLessThanError(0, this.valid, this._io, "/types/index_header/seq/4");
        this._debug.valid.validationError = _err;
        throw _err;
      }
    }
    return IndexHeader;
  })();
  var Insert = SwiftmqStore.Insert = (function() {
    function Insert(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Insert.prototype._read = function() {
      this._debug.page = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.page = this._io.readS4be();
      this._debug.page.end = this._io.pos;
      if (!(this.page >= 0)) {
        var _err = new KaitaiStream.ValidationLessThanError(0, this.page, this._io, "/types/insert/seq/0");
        this._debug.page.validationError = _err;
        throw _err;
      }
    }
    return Insert;
  })();
  var MessagePage = SwiftmqStore.MessagePage = (function() {
    function MessagePage(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    MessagePage.prototype._read = function() {
      this._debug.empty = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.empty = this._io.readU1();
      this._debug.empty.end = this._io.pos;
      if (!(this.empty >= 0)) {
        var _err = new KaitaiStream.ValidationLessThanError(0, this.empty, this._io, "/types/message_page/seq/0");
        this._debug.empty.validationError = _err;
        throw _err;
      }
      if (!(this.empty <= 1)) {
        var _err = new KaitaiStream.ValidationGreaterThanError(1, this.empty, this._io, "/types/message_page/seq/0");
        this._debug.empty.validationError = _err;
        throw _err;
      }
      this._debug.prev = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.prev = this._io.readS4be();
      this._debug.prev.end = this._io.pos;
      this._debug.next = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.next = this._io.readS4be();
      this._debug.next.end = this._io.pos;
      this._debug.length = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.length = this._io.readS4be();
      this._debug.length.end = this._io.pos;
      if (!(this.length >= 13)) {
        var _err = new KaitaiStream.ValidationLessThanError(13, this.length, this._io, "/types/message_page/seq/3");
        this._debug.length.validationError = _err;
        throw _err;
      }
      this._debug.slice = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.slice = this._io.readBytes(this.length - 13);
      this._debug.slice.end = this._io.pos;
    }
    return MessagePage;
  })();
  var NewPortion = SwiftmqStore.NewPortion = (function() {
    function NewPortion(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    NewPortion.prototype._read = function() {
      this._debug.page = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.page = this._io.readS4be();
      this._debug.page.end = this._io.pos;
      if (!(this.page >= 0)) {
        var _err = new KaitaiStream.ValidationLessThanError(0, this.page, this._io, "/types/new_portion/seq/0");
        this._debug.page.validationError = _err;
        throw _err;
      }
      this._debug.offset = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.offset = this._io.readS4be();
      this._debug.offset.end = this._io.pos;
      if (!(this.offset >= 0)) {
        var _err = new KaitaiStream.ValidationLessThanError(0, this.offset, this._io, "/types/new_portion/seq/1");
        this._debug.offset.validationError = _err;
        throw _err;
      }
      this._debug.hasBefore = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.hasBefore = this._io.readU1();
      this._debug.hasBefore.end = this._io.pos;
      this._debug.afterLength = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.afterLength = this._io.readS4be();
      this._debug.afterLength.end = this._io.pos;
      this._debug.after = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.after = this._io.readBytes(this.afterLength);
      this._debug.after.end = this._io.pos;
    }
    return NewPortion;
  })();
  var Picture = SwiftmqStore.Picture = (function() {
    function Picture(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Picture.prototype._read = function() {
      this._debug.page = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.page = this._io.readS4be();
      this._debug.page.end = this._io.pos;
      if (!(this.page >= 0)) {
        var _err = new KaitaiStream.ValidationLessThanError(0, this.page, this._io, "/types/picture/seq/0");
        this._debug.page.validationError = _err;
        throw _err;
      }
      this._debug.changed = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.changed = this._io.readU1();
      this._debug.changed.end = this._io.pos;
      this._debug.empty = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.empty = this._io.readU1();
      this._debug.empty.end = this._io.pos;
      if (this.empty == 0) {
        this._debug.whole = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.whole = this._io.readBytes(this._root.pageSize);
        this._debug.whole.end = this._io.pos;
      }
    }
    return Picture;
  })();
  var Portion = SwiftmqStore.Portion = (function() {
    function Portion(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Portion.prototype._read = function() {
      this._debug.page = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.page = this._io.readS4be();
      this._debug.page.end = this._io.pos;
      if (!(this.page >= 0)) {
        var _err = new KaitaiStream.ValidationLessThanError(0, this.page, this._io, "/types/portion/seq/0");
        this._debug.page.validationError = _err;
        throw _err;
      }
      this._debug.offset = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.offset = this._io.readS4be();
      this._debug.offset.end = this._io.pos;
      if (!(this.offset >= 0)) {
        var _err = new KaitaiStream.ValidationLessThanError(0, this.offset, this._io, "/types/portion/seq/1");
        this._debug.offset.validationError = _err;
        throw _err;
      }
      this._debug.hasBefore = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.hasBefore = this._io.readU1();
      this._debug.hasBefore.end = this._io.pos;
      if (!(this.hasBefore >= 1)) {
        var _err = new KaitaiStream.ValidationLessThanError(1, this.hasBefore, this._io, "/types/portion/seq/2");
        this._debug.hasBefore.validationError = _err;
        throw _err;
      }
      if (!(this.hasBefore <= 1)) {
        var _err = new KaitaiStream.ValidationGreaterThanError(1, this.hasBefore, this._io, "/types/portion/seq/2");
        this._debug.hasBefore.validationError = _err;
        throw _err;
      }
      this._debug.beforeLength = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.beforeLength = this._io.readS4be();
      this._debug.beforeLength.end = this._io.pos;
      this._debug.before = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.before = this._io.readBytes(this.beforeLength);
      this._debug.before.end = this._io.pos;
      this._debug.afterLength = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.afterLength = this._io.readS4be();
      this._debug.afterLength.end = this._io.pos;
      this._debug.after = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.after = this._io.readBytes(this.afterLength);
      this._debug.after.end = this._io.pos;
    }
    return Portion;
  })();
  var QueueEntry = SwiftmqStore.QueueEntry = (function() {
    function QueueEntry(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    QueueEntry.prototype._read = function() {
      this._debug.valid = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.valid = this._io.readU1();
      this._debug.valid.end = this._io.pos;
      this._debug.priority = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.priority = this._io.readS4be();
      this._debug.priority.end = this._io.pos;
      this._debug.deliveries = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.deliveries = this._io.readS4be();
      this._debug.deliveries.end = this._io.pos;
      this._debug.expiration = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.expiration = this._io.readS8be();
      this._debug.expiration.end = this._io.pos;
      this._debug.key = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.key = this._io.readS8be();
      this._debug.key.end = this._io.pos;
      this._debug.page = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.page = this._io.readS4be();
      this._debug.page.end = this._io.pos;
      this._debug.padding = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.padding = this._io.readBytes(4);
      this._debug.padding.end = this._io.pos;
    }
    return QueueEntry;
  })();
  var QueuePage = SwiftmqStore.QueuePage = (function() {
    function QueuePage(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    QueuePage.prototype._read = function() {
      this._debug.header = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.header = new IndexHeader(this._io, this, this._root);
      this.header._read();
      this._debug.header.end = this._io.pos;
      this._debug.entries = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this._debug.entries.arr = [];
      this.entries = [];
      for (var i = 0; i < this.header.slots; i++) {
        this._debug.entries.arr[i] = { start: this._io.pos, ioOffset: this._io.byteOffset };
        var _t_entries = new QueueEntry(this._io, this, this._root);
        try {
          _t_entries._read();
        } finally {
          this.entries.push(_t_entries);
        }
        this._debug.entries.arr[i].end = this._io.pos;
      }
      this._debug.entries.end = this._io.pos;
      this._debug.rest = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.rest = this._io.readBytesFull();
      this._debug.rest.end = this._io.pos;
    }
    return QueuePage;
  })();
  var Record = SwiftmqStore.Record = (function() {
    function Record(_io, _parent, _root, recordKind) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this.recordKind = recordKind;
      this._debug = {};
    }
    Record.prototype._read = function() {
      this._debug.header = { start: this._io.pos, ioOffset: this._io.byteOffset };
      switch (this.form) {
      case 0:
        this.header = new UntaggedRecordHeader(this._io, this, this._root);
        this.header._read();
        break;
      case 1:
        this.header = new RecordHeader(this._io, this, this._root);
        this.header._read();
        break;
      case 2:
        this.header = new Start(this._io, this, this._root);
        this.header._read();
        break;
      }
      this._debug.header.end = this._io.pos;
      this._debug.actions = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this._debug.actions.arr = [];
      this.actions = [];
      for (var i = 0; i < (this.form != 2 ? (this.form == 1 ? this.header.number : this.header.number) : 0); i++) {
        this._debug.actions.arr[i] = { start: this._io.pos, ioOffset: this._io.byteOffset };
        var _t_actions = new Action(this._io, this, this._root);
        try {
          _t_actions._read();
        } finally {
          this.actions.push(_t_actions);
        }
        this._debug.actions.arr[i].end = this._io.pos;
      }
      this._debug.actions.end = this._io.pos;
    }
    Object.defineProperty(Record.prototype, 'form', {
      get: function() {
        if (this._m_form !== undefined)
          return this._m_form;
        this._debug._m_form = {  };
        this._m_form = (this._root.tagged ? (this.recordKind == 1 ? 2 : 1) : 0);
        return this._m_form;
      }
    });
    return Record;
  })();
  var RecordHeader = SwiftmqStore.RecordHeader = (function() {
    function RecordHeader(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    RecordHeader.prototype._read = function() {
      this._debug.code = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.code = this._io.readS4be();
      this._debug.code.end = this._io.pos;
      if (!(this.code >= 2)) {
        var _err = new KaitaiStream.ValidationLessThanError(2, this.code, this._io, "/types/record_header/seq/0");
        this._debug.code.validationError = _err;
        throw _err;
      }
      if (!(this.code <= 3)) {
        var _err = new KaitaiStream.ValidationGreaterThanError(3, this.code, this._io, "/types/record_header/seq/0");
        this._debug.code.validationError = _err;
        throw _err;
      }
      this._debug.generation = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.generation = this._io.readS8be();
      this._debug.generation.end = this._io.pos;
      this._debug.transaction = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.transaction = this._io.readS8be();
      this._debug.transaction.end = this._io.pos;
      this._debug.number = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.number = this._io.readS4be();
      this._debug.number.end = this._io.pos;
      if (!(this.number >= 0)) {
        var _err = new KaitaiStream.ValidationLessThanError(0, this.number, this._io, "/types/record_header/seq/3");
        this._debug.number.validationError = _err;
        throw _err;
      }
    }
    return RecordHeader;
  })();
  var RootEntry = SwiftmqStore.RootEntry = (function() {
    function RootEntry(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    RootEntry.prototype._read = function() {
      this._debug.valid = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.valid = this._io.readU1();
      this._debug.valid.end = this._io.pos;
      this._debug.nameLength = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.nameLength = this._io.readS4be();
      this._debug.nameLength.end = this._io.pos;
      this._debug.name = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.name = this._io.readBytes(this.nameLength);
      this._debug.name.end = this._io.pos;
      this._debug.head = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.head = this._io.readS4be();
      this._debug.head.end = this._io.pos;
      this._debug.padding = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.padding = this._io.readBytes(4);
      this._debug.padding.end = this._io.pos;
    }
    return RootEntry;
  })();
  var RootPage = SwiftmqStore.RootPage = (function() {
    function RootPage(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    RootPage.prototype._read = function() {
      this._debug.header = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.header = new IndexHeader(this._io, this, this._root);
      this.header._read();
      this._debug.header.end = this._io.pos;
      this._debug.entries = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this._debug.entries.arr = [];
      this.entries = [];
      for (var i = 0; i < this.header.slots; i++) {
        this._debug.entries.arr[i] = { start: this._io.pos, ioOffset: this._io.byteOffset };
        var _t_entries = new RootEntry(this._io, this, this._root);
        try {
          _t_entries._read();
        } finally {
          this.entries.push(_t_entries);
        }
        this._debug.entries.arr[i].end = this._io.pos;
      }
      this._debug.entries.end = this._io.pos;
      this._debug.rest = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.rest = this._io.readBytesFull();
      this._debug.rest.end = this._io.pos;
    }
    return RootPage;
  })();
  var Slot = SwiftmqStore.Slot = (function() {
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
        this.record = new Record(this._io, this, this._root, this.nextKind);
        this.record._read();
        this._debug.record.end = this._io.pos;
      }
    }
    Object.defineProperty(Slot.prototype, 'isRecord', {
      get: function() {
        if (this._m_isRecord !== undefined)
          return this._m_isRecord;
        this._debug._m_isRecord = {  };
        this._m_isRecord =  ((this.room >= 12) && ( ((this.nextKind == 2) || (this.nextKind == 3) || ( ((this.nextKind == 1) && (this._root.tagged)) )) ) && ( ((!(this._root.tagged)) || ((this.nextGeneration ^ this._root.start.generation) == 0)) )) ;
        return this._m_isRecord;
      }
    });
    Object.defineProperty(Slot.prototype, 'nextGeneration', {
      get: function() {
        if (this._m_nextGeneration !== undefined)
          return this._m_nextGeneration;
        if (this.room >= 12) {
          var _pos = this._io.pos;
          this._io.seek(this.start + 4);
          this._debug._m_nextGeneration = { start: this._io.pos, ioOffset: this._io.byteOffset };
          this._m_nextGeneration = this._io.readS8be();
          this._debug._m_nextGeneration.end = this._io.pos;
          this._io.seek(_pos);
        }
        return this._m_nextGeneration;
      }
    });
    Object.defineProperty(Slot.prototype, 'nextKind', {
      get: function() {
        if (this._m_nextKind !== undefined)
          return this._m_nextKind;
        if (this.room >= 12) {
          var _pos = this._io.pos;
          this._io.seek(this.start);
          this._debug._m_nextKind = { start: this._io.pos, ioOffset: this._io.byteOffset };
          this._m_nextKind = this._io.readS4be();
          this._debug._m_nextKind.end = this._io.pos;
          this._io.seek(_pos);
        }
        return this._m_nextKind;
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
  var Start = SwiftmqStore.Start = (function() {
    function Start(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Start.prototype._read = function() {
      this._debug.code = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.code = this._io.readS4be();
      this._debug.code.end = this._io.pos;
      if (!(this.code >= 1)) {
        var _err = new KaitaiStream.ValidationLessThanError(1, this.code, this._io, "/types/start/seq/0");
        this._debug.code.validationError = _err;
        throw _err;
      }
      if (!(this.code <= 1)) {
        var _err = new KaitaiStream.ValidationGreaterThanError(1, this.code, this._io, "/types/start/seq/0");
        this._debug.code.validationError = _err;
        throw _err;
      }
      this._debug.generation = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.generation = this._io.readS8be();
      this._debug.generation.end = this._io.pos;
    }
    return Start;
  })();
  var SwapEntry = SwiftmqStore.SwapEntry = (function() {
    function SwapEntry(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    SwapEntry.prototype._read = function() {
      this._debug.length = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.length = this._io.readS4be();
      this._debug.length.end = this._io.pos;
      if (!(this.length >= 4)) {
        var _err = new KaitaiStream.ValidationLessThanError(4, this.length, this._io, "/types/swap_entry/seq/0");
        this._debug.length.validationError = _err;
        throw _err;
      }
      this._debug.deliveries = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.deliveries = this._io.readS4be();
      this._debug.deliveries.end = this._io.pos;
      this._debug.message = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.message = this._io.readBytes(this.length - 4);
      this._debug.message.end = this._io.pos;
    }
    return SwapEntry;
  })();
  var SwapFile = SwiftmqStore.SwapFile = (function() {
    function SwapFile(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    SwapFile.prototype._read = function() {
      this._debug.entries = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this._debug.entries.arr = [];
      this.entries = [];
      var i = 0;
      while (!this._io.isEof()) {
        this._debug.entries.arr[this.entries.length] = { start: this._io.pos, ioOffset: this._io.byteOffset };
        var _t_entries = new SwapEntry(this._io, this, this._root);
        try {
          _t_entries._read();
        } finally {
          this.entries.push(_t_entries);
        }
        this._debug.entries.arr[this.entries.length - 1].end = this._io.pos;
        i++;
      }
      this._debug.entries.end = this._io.pos;
    }
    return SwapFile;
  })();
  var UntaggedRecordHeader = SwiftmqStore.UntaggedRecordHeader = (function() {
    function UntaggedRecordHeader(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    UntaggedRecordHeader.prototype._read = function() {
      this._debug.code = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.code = this._io.readS4be();
      this._debug.code.end = this._io.pos;
      if (!(this.code >= 2)) {
        var _err = new KaitaiStream.ValidationLessThanError(2, this.code, this._io, "/types/untagged_record_header/seq/0");
        this._debug.code.validationError = _err;
        throw _err;
      }
      if (!(this.code <= 3)) {
        var _err = new KaitaiStream.ValidationGreaterThanError(3, this.code, this._io, "/types/untagged_record_header/seq/0");
        this._debug.code.validationError = _err;
        throw _err;
      }
      this._debug.transaction = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.transaction = this._io.readS8be();
      this._debug.transaction.end = this._io.pos;
      this._debug.number = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.number = this._io.readS4be();
      this._debug.number.end = this._io.pos;
      if (!(this.number >= 0)) {
        var _err = new KaitaiStream.ValidationLessThanError(0, this.number, this._io, "/types/untagged_record_header/seq/2");
        this._debug.number.validationError = _err;
        throw _err;
      }
    }
    return UntaggedRecordHeader;
  })();
  var Update = SwiftmqStore.Update = (function() {
    function Update(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Update.prototype._read = function() {
      this._debug.before = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.before = new Picture(this._io, this, this._root);
      this.before._read();
      this._debug.before.end = this._io.pos;
      this._debug.after = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.after = new Picture(this._io, this, this._root);
      this.after._read();
      this._debug.after.end = this._io.pos;
    }
    return Update;
  })();
  Object.defineProperty(SwiftmqStore.prototype, 'firstType', {
    get: function() {
      if (this._m_firstType !== undefined)
        return this._m_firstType;
      if (this._io.size >= 4) {
        var _pos = this._io.pos;
        this._io.seek(0);
        this._debug._m_firstType = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this._m_firstType = this._io.readS4be();
        this._debug._m_firstType.end = this._io.pos;
        this._io.seek(_pos);
      }
      return this._m_firstType;
    }
  });
  Object.defineProperty(SwiftmqStore.prototype, 'tagged', {
    get: function() {
      if (this._m_tagged !== undefined)
        return this._m_tagged;
      this._debug._m_tagged = {  };
      this._m_tagged =  ((this._io.size >= 12) && (this.firstType == 1)) ;
      return this._m_tagged;
    }
  });
  return SwiftmqStore;
})();
SwiftmqStore_.SwiftmqStore = SwiftmqStore;
});
});
