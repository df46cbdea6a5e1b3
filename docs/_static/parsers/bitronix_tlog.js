(globalThis.journalspecCode ||= []).push(function () {
// This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
(function (root, factory) {
  if (typeof define === 'function' && define.amd) {
    define(['exports', 'kaitai-struct/KaitaiStream'], factory);
  } else if (typeof exports === 'object' && exports !== null && typeof exports.nodeType !== 'number') {
    factory(exports, require('kaitai-struct/KaitaiStream'));
  } else {
    factory(root.BitronixNioJournal || (root.BitronixNioJournal = {}), root.KaitaiStream);
  }
})(typeof self !== 'undefined' ? self : this, function (BitronixNioJournal_, KaitaiStream) {
var BitronixNioJournal = (function() {
  BitronixNioJournal.Status = Object.freeze({
    ACTIVE: 0,
    MARKED_ROLLBACK: 1,
    PREPARED: 2,
    COMMITTED: 3,
    ROLLEDBACK: 4,
    UNKNOWN_OUTCOME: 5,
    NO_TRANSACTION: 6,
    PREPARING: 7,
    COMMITTING: 8,
    ROLLING_BACK: 9,
    0: "ACTIVE",
    1: "MARKED_ROLLBACK",
    2: "PREPARED",
    3: "COMMITTED",
    4: "ROLLEDBACK",
    5: "UNKNOWN_OUTCOME",
    6: "NO_TRANSACTION",
    7: "PREPARING",
    8: "COMMITTING",
    9: "ROLLING_BACK",
  });
  function BitronixNioJournal(_io, _parent, _root) {
    this._io = _io;
    this._parent = _parent;
    this._root = _root || this;
    this._debug = {};
  }
  BitronixNioJournal.prototype._read = function() {
    this._debug.header = { start: this._io.pos, ioOffset: this._io.byteOffset };
    this.header = new FileHeader(this._io, this, this._root);
    this.header._read();
    this._debug.header.end = this._io.pos;
    if (this._io.size >= 1024) {
      this._debug.reserved = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.reserved = this._io.readBytes(582);
      this._debug.reserved.end = this._io.pos;
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
    } while (!(!(_.isFrame)));
    this._debug.slots.end = this._io.pos;
    this._debug.rest = { start: this._io.pos, ioOffset: this._io.byteOffset };
    this.rest = this._io.readBytesFull();
    this._debug.rest.end = this._io.pos;
  }
  var FileHeader = BitronixNioJournal.FileHeader = (function() {
    function FileHeader(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    FileHeader.prototype._read = function() {
      this._debug.banner = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.banner = this._io.readBytes(406);
      this._debug.banner.end = this._io.pos;
      if (!((KaitaiStream.byteArrayCompare(this.banner, new Uint8Array([66, 84, 77, 45, 78, 84, 74, 45, 91, 86, 101, 114, 115, 105, 111, 110, 32, 49, 46, 48, 93, 13, 10, 13, 10, 45, 45, 45, 45, 45, 45, 45, 45, 45, 32, 66, 105, 116, 114, 111, 110, 105, 120, 32, 84, 114, 97, 110, 115, 97, 99, 116, 105, 111, 110, 32, 77, 97, 110, 97, 103, 101, 114, 32, 58, 58, 32, 78, 105, 111, 32, 84, 114, 97, 110, 115, 97, 99, 116, 105, 111, 110, 32, 74, 111, 117, 114, 110, 97, 108, 32, 70, 105, 108, 101, 32, 45, 45, 45, 45, 45, 45, 45, 45, 45, 13, 10, 13, 10, 32, 32, 32, 32, 84, 104, 105, 115, 32, 105, 115, 32, 97, 32, 100, 101, 108, 105, 109, 105, 116, 101, 114, 32, 98, 97, 115, 101, 100, 32, 114, 111, 108, 108, 105, 110, 103, 32, 98, 105, 110, 97, 114, 121, 32, 102, 105, 108, 101, 32, 102, 111, 114, 109, 97, 116, 32, 98, 101, 108, 111, 110, 103, 105, 110, 103, 32, 116, 111, 32, 66, 84, 77, 46, 13, 10, 32, 32, 32, 32, 84, 104, 101, 32, 112, 117, 114, 112, 111, 115, 101, 32, 111, 102, 32, 116, 104, 105, 115, 32, 102, 105, 108, 101, 32, 105, 115, 32, 116, 111, 32, 112, 101, 114, 115, 105, 115, 116, 32, 74, 84, 65, 32, 116, 114, 97, 110, 115, 97, 99, 116, 105, 111, 110, 32, 115, 116, 97, 116, 101, 115, 32, 102, 111, 114, 32, 13, 10, 32, 32, 32, 32, 112, 114, 111, 118, 105, 100, 105, 110, 103, 32, 99, 114, 97, 115, 104, 32, 114, 101, 99, 111, 118, 101, 114, 121, 32, 111, 110, 32, 98, 114, 111, 107, 101, 110, 32, 99, 111, 109, 109, 105, 116, 115, 32, 97, 110, 100, 32, 114, 111, 108, 108, 98, 97, 99, 107, 115, 46, 13, 10, 13, 10, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 13, 10, 13, 10])) == 0))) {
        var _err = new KaitaiStream.ValidationNotEqualError(new Uint8Array([66, 84, 77, 45, 78, 84, 74, 45, 91, 86, 101, 114, 115, 105, 111, 110, 32, 49, 46, 48, 93, 13, 10, 13, 10, 45, 45, 45, 45, 45, 45, 45, 45, 45, 32, 66, 105, 116, 114, 111, 110, 105, 120, 32, 84, 114, 97, 110, 115, 97, 99, 116, 105, 111, 110, 32, 77, 97, 110, 97, 103, 101, 114, 32, 58, 58, 32, 78, 105, 111, 32, 84, 114, 97, 110, 115, 97, 99, 116, 105, 111, 110, 32, 74, 111, 117, 114, 110, 97, 108, 32, 70, 105, 108, 101, 32, 45, 45, 45, 45, 45, 45, 45, 45, 45, 13, 10, 13, 10, 32, 32, 32, 32, 84, 104, 105, 115, 32, 105, 115, 32, 97, 32, 100, 101, 108, 105, 109, 105, 116, 101, 114, 32, 98, 97, 115, 101, 100, 32, 114, 111, 108, 108, 105, 110, 103, 32, 98, 105, 110, 97, 114, 121, 32, 102, 105, 108, 101, 32, 102, 111, 114, 109, 97, 116, 32, 98, 101, 108, 111, 110, 103, 105, 110, 103, 32, 116, 111, 32, 66, 84, 77, 46, 13, 10, 32, 32, 32, 32, 84, 104, 101, 32, 112, 117, 114, 112, 111, 115, 101, 32, 111, 102, 32, 116, 104, 105, 115, 32, 102, 105, 108, 101, 32, 105, 115, 32, 116, 111, 32, 112, 101, 114, 115, 105, 115, 116, 32, 74, 84, 65, 32, 116, 114, 97, 110, 115, 97, 99, 116, 105, 111, 110, 32, 115, 116, 97, 116, 101, 115, 32, 102, 111, 114, 32, 13, 10, 32, 32, 32, 32, 112, 114, 111, 118, 105, 100, 105, 110, 103, 32, 99, 114, 97, 115, 104, 32, 114, 101, 99, 111, 118, 101, 114, 121, 32, 111, 110, 32, 98, 114, 111, 107, 101, 110, 32, 99, 111, 109, 109, 105, 116, 115, 32, 97, 110, 100, 32, 114, 111, 108, 108, 98, 97, 99, 107, 115, 46, 13, 10, 13, 10, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 45, 13, 10, 13, 10]), this.banner, this._io, "/types/file_header/seq/0");
        this._debug.banner.validationError = _err;
        throw _err;
      }
      this._debug.previousDelimiter = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.previousDelimiter = this._io.readBytes(16);
      this._debug.previousDelimiter.end = this._io.pos;
      this._debug.currentDelimiter = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.currentDelimiter = this._io.readBytes(16);
      this._debug.currentDelimiter.end = this._io.pos;
      this._debug.separator = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.separator = this._io.readBytes(4);
      this._debug.separator.end = this._io.pos;
      if (!((KaitaiStream.byteArrayCompare(this.separator, new Uint8Array([13, 10, 13, 10])) == 0))) {
        var _err = new KaitaiStream.ValidationNotEqualError(new Uint8Array([13, 10, 13, 10]), this.separator, this._io, "/types/file_header/seq/3");
        this._debug.separator.validationError = _err;
        throw _err;
      }
    }
    return FileHeader;
  })();
  var Frame = BitronixNioJournal.Frame = (function() {
    function Frame(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Frame.prototype._read = function() {
      this._debug.frameStart = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.frameStart = this._io.readBytes(5);
      this._debug.frameStart.end = this._io.pos;
      if (!((KaitaiStream.byteArrayCompare(this.frameStart, new Uint8Array([13, 10, 76, 82, 91])) == 0))) {
        var _err = new KaitaiStream.ValidationNotEqualError(new Uint8Array([13, 10, 76, 82, 91]), this.frameStart, this._io, "/types/frame/seq/0");
        this._debug.frameStart.validationError = _err;
        throw _err;
      }
      this._debug.delimiter = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.delimiter = this._io.readBytes(16);
      this._debug.delimiter.end = this._io.pos;
      this._debug.payloadLength = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.payloadLength = this._io.readU4be();
      this._debug.payloadLength.end = this._io.pos;
      if (!(this.payloadLength <= 65536)) {
        var _err = new KaitaiStream.ValidationGreaterThanError(65536, this.payloadLength, this._io, "/types/frame/seq/2");
        this._debug.payloadLength.validationError = _err;
        throw _err;
      }
      this._debug.crc32 = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.crc32 = this._io.readU4be();
      this._debug.crc32.end = this._io.pos;
      this._debug.separator = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.separator = this._io.readBytes(2);
      this._debug.separator.end = this._io.pos;
      if (!((KaitaiStream.byteArrayCompare(this.separator, new Uint8Array([93, 91])) == 0))) {
        var _err = new KaitaiStream.ValidationNotEqualError(new Uint8Array([93, 91]), this.separator, this._io, "/types/frame/seq/4");
        this._debug.separator.validationError = _err;
        throw _err;
      }
      this._debug.payload = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this._raw_payload = this._io.readBytes(this.payloadLength);
      var _io__raw_payload = new KaitaiStream(this._raw_payload);
      this.payload = new Payload(_io__raw_payload, this, this._root);
      this.payload._read();
      this._debug.payload.end = this._io.pos;
      this._debug.trailer = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.trailer = this._io.readBytes(2);
      this._debug.trailer.end = this._io.pos;
      if (!((KaitaiStream.byteArrayCompare(this.trailer, new Uint8Array([93, 45])) == 0))) {
        var _err = new KaitaiStream.ValidationNotEqualError(new Uint8Array([93, 45]), this.trailer, this._io, "/types/frame/seq/6");
        this._debug.trailer.validationError = _err;
        throw _err;
      }
      this._debug.trailerDelimiter = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.trailerDelimiter = this._io.readBytes(16);
      this._debug.trailerDelimiter.end = this._io.pos;
      if (!((KaitaiStream.byteArrayCompare(this.trailerDelimiter, this.delimiter) == 0))) {
        var _err = new KaitaiStream.ValidationNotEqualError(this.delimiter, this.trailerDelimiter, this._io, "/types/frame/seq/7");
        this._debug.trailerDelimiter.validationError = _err;
        throw _err;
      }
    }
    return Frame;
  })();
  var Payload = BitronixNioJournal.Payload = (function() {
    function Payload(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Payload.prototype._read = function() {
      this._debug.tag = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.tag = this._io.readBytes(6);
      this._debug.tag.end = this._io.pos;
      this._debug.status = { start: this._io.pos, ioOffset: this._io.byteOffset, enumName: "BitronixNioJournal.Status" };
      this.status = this._io.readS4be();
      this._debug.status.end = this._io.pos;
      this._debug.recordLength = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.recordLength = this._io.readS4be();
      this._debug.recordLength.end = this._io.pos;
      this._debug.time = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.time = this._io.readS8be();
      this._debug.time.end = this._io.pos;
      this._debug.sequenceNumber = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.sequenceNumber = this._io.readS8be();
      this._debug.sequenceNumber.end = this._io.pos;
      this._debug.rolledOver = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.rolledOver = this._io.readU1();
      this._debug.rolledOver.end = this._io.pos;
      this._debug.gtridLength = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.gtridLength = this._io.readU1();
      this._debug.gtridLength.end = this._io.pos;
      this._debug.gtrid = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.gtrid = this._io.readBytes(this.gtridLength);
      this._debug.gtrid.end = this._io.pos;
      this._debug.namesCount = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.namesCount = this._io.readS2be();
      this._debug.namesCount.end = this._io.pos;
      if (!(this.namesCount >= 0)) {
        var _err = new KaitaiStream.ValidationLessThanError(0, this.namesCount, this._io, "/types/payload/seq/8");
        this._debug.namesCount.validationError = _err;
        throw _err;
      }
      this._debug.names = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this._debug.names.arr = [];
      this.names = [];
      for (var i = 0; i < this.namesCount; i++) {
        this._debug.names.arr[i] = { start: this._io.pos, ioOffset: this._io.byteOffset };
        var _t_names = new UniqueName(this._io, this, this._root);
        try {
          _t_names._read();
        } finally {
          this.names.push(_t_names);
        }
        this._debug.names.arr[i].end = this._io.pos;
      }
      this._debug.names.end = this._io.pos;
      this._debug.padding = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.padding = this._io.readBytesFull();
      this._debug.padding.end = this._io.pos;
    }
    return Payload;
  })();
  var Slot = BitronixNioJournal.Slot = (function() {
    function Slot(_io, _parent, _root, start) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this.start = start;
      this._debug = {};
    }
    Slot.prototype._read = function() {
      if (this.isFrame) {
        this._debug.frame = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.frame = new Frame(this._io, this, this._root);
        this.frame._read();
        this._debug.frame.end = this._io.pos;
      }
    }
    Object.defineProperty(Slot.prototype, 'head', {
      get: function() {
        if (this._m_head !== undefined)
          return this._m_head;
        if (this.room >= 5) {
          var _pos = this._io.pos;
          this._io.seek(this.start);
          this._debug._m_head = { start: this._io.pos, ioOffset: this._io.byteOffset };
          this._m_head = this._io.readBytes(5);
          this._debug._m_head.end = this._io.pos;
          this._io.seek(_pos);
        }
        return this._m_head;
      }
    });
    Object.defineProperty(Slot.prototype, 'isFrame', {
      get: function() {
        if (this._m_isFrame !== undefined)
          return this._m_isFrame;
        this._debug._m_isFrame = {  };
        this._m_isFrame =  ((this.room >= 5) && ((KaitaiStream.byteArrayCompare(this.head, new Uint8Array([13, 10, 76, 82, 91])) == 0))) ;
        return this._m_isFrame;
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
  var UniqueName = BitronixNioJournal.UniqueName = (function() {
    function UniqueName(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    UniqueName.prototype._read = function() {
      this._debug.length = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.length = this._io.readU2be();
      this._debug.length.end = this._io.pos;
      if (!(this.length <= 32767)) {
        var _err = new KaitaiStream.ValidationGreaterThanError(32767, this.length, this._io, "/types/unique_name/seq/0");
        this._debug.length.validationError = _err;
        throw _err;
      }
      this._debug.name = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.name = KaitaiStream.bytesToStr(this._io.readBytes(this.length), "ISO-8859-1");
      this._debug.name.end = this._io.pos;
    }
    return UniqueName;
  })();
  return BitronixNioJournal;
})();
BitronixNioJournal_.BitronixNioJournal = BitronixNioJournal;
});
// This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
(function (root, factory) {
  if (typeof define === 'function' && define.amd) {
    define(['exports', 'kaitai-struct/KaitaiStream'], factory);
  } else if (typeof exports === 'object' && exports !== null && typeof exports.nodeType !== 'number') {
    factory(exports, require('kaitai-struct/KaitaiStream'));
  } else {
    factory(root.BitronixTlog || (root.BitronixTlog = {}), root.KaitaiStream);
  }
})(typeof self !== 'undefined' ? self : this, function (BitronixTlog_, KaitaiStream) {
var BitronixTlog = (function() {
  BitronixTlog.State = Object.freeze({
    CLEAN: 0,
    UNCLEAN: 255,
    0: "CLEAN",
    255: "UNCLEAN",
  });
  BitronixTlog.Status = Object.freeze({
    ACTIVE: 0,
    MARKED_ROLLBACK: 1,
    PREPARED: 2,
    COMMITTED: 3,
    ROLLEDBACK: 4,
    UNKNOWN_OUTCOME: 5,
    NO_TRANSACTION: 6,
    PREPARING: 7,
    COMMITTING: 8,
    ROLLING_BACK: 9,
    0: "ACTIVE",
    1: "MARKED_ROLLBACK",
    2: "PREPARED",
    3: "COMMITTED",
    4: "ROLLEDBACK",
    5: "UNKNOWN_OUTCOME",
    6: "NO_TRANSACTION",
    7: "PREPARING",
    8: "COMMITTING",
    9: "ROLLING_BACK",
  });
  function BitronixTlog(_io, _parent, _root) {
    this._io = _io;
    this._parent = _parent;
    this._root = _root || this;
    this._debug = {};
  }
  BitronixTlog.prototype._read = function() {
    this._debug.header = { start: this._io.pos, ioOffset: this._io.byteOffset };
    this.header = new FileHeader(this._io, this, this._root);
    this.header._read();
    this._debug.header.end = this._io.pos;
    this._debug.log = { start: this._io.pos, ioOffset: this._io.byteOffset };
    this._raw_log = this._io.readBytes(this.header.position - 21);
    var _io__raw_log = new KaitaiStream(this._raw_log);
    this.log = new Log(_io__raw_log, this, this._root);
    this.log._read();
    this._debug.log.end = this._io.pos;
  }
  var FileHeader = BitronixTlog.FileHeader = (function() {
    function FileHeader(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    FileHeader.prototype._read = function() {
      this._debug.formatId = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.formatId = this._io.readBytes(4);
      this._debug.formatId.end = this._io.pos;
      if (!((KaitaiStream.byteArrayCompare(this.formatId, new Uint8Array([66, 116, 110, 120])) == 0))) {
        var _err = new KaitaiStream.ValidationNotEqualError(new Uint8Array([66, 116, 110, 120]), this.formatId, this._io, "/types/file_header/seq/0");
        this._debug.formatId.validationError = _err;
        throw _err;
      }
      this._debug.timestamp = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.timestamp = this._io.readS8be();
      this._debug.timestamp.end = this._io.pos;
      this._debug.state = { start: this._io.pos, ioOffset: this._io.byteOffset, enumName: "BitronixTlog.State" };
      this.state = this._io.readU1();
      this._debug.state.end = this._io.pos;
      this._debug.position = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.position = this._io.readS8be();
      this._debug.position.end = this._io.pos;
      if (!(this.position >= 21)) {
        var _err = new KaitaiStream.ValidationLessThanError(21, this.position, this._io, "/types/file_header/seq/3");
        this._debug.position.validationError = _err;
        throw _err;
      }
      if (!(this.position <= this._io.size)) {
        var _err = new KaitaiStream.ValidationGreaterThanError(this._io.size, this.position, this._io, "/types/file_header/seq/3");
        this._debug.position.validationError = _err;
        throw _err;
      }
    }
    return FileHeader;
  })();
  var Log = BitronixTlog.Log = (function() {
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
        var _t_records = new Record(this._io, this, this._root);
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
  var Payload = BitronixTlog.Payload = (function() {
    function Payload(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Payload.prototype._read = function() {
      this._debug.gtridLength = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.gtridLength = this._io.readU1();
      this._debug.gtridLength.end = this._io.pos;
      if (!(this.gtridLength <= 127)) {
        var _err = new KaitaiStream.ValidationGreaterThanError(127, this.gtridLength, this._io, "/types/payload/seq/0");
        this._debug.gtridLength.validationError = _err;
        throw _err;
      }
      this._debug.gtrid = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.gtrid = this._io.readBytes(this.gtridLength);
      this._debug.gtrid.end = this._io.pos;
      this._debug.namesCount = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.namesCount = this._io.readS4be();
      this._debug.namesCount.end = this._io.pos;
      if (!(this.namesCount >= 0)) {
        var _err = new KaitaiStream.ValidationLessThanError(0, this.namesCount, this._io, "/types/payload/seq/2");
        this._debug.namesCount.validationError = _err;
        throw _err;
      }
      this._debug.names = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this._debug.names.arr = [];
      this.names = [];
      for (var i = 0; i < this.namesCount; i++) {
        this._debug.names.arr[i] = { start: this._io.pos, ioOffset: this._io.byteOffset };
        var _t_names = new UniqueName(this._io, this, this._root);
        try {
          _t_names._read();
        } finally {
          this.names.push(_t_names);
        }
        this._debug.names.arr[i].end = this._io.pos;
      }
      this._debug.names.end = this._io.pos;
      this._debug.surplus = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.surplus = this._io.readBytesFull();
      this._debug.surplus.end = this._io.pos;
      if (!((KaitaiStream.byteArrayCompare(this.surplus, new Uint8Array([])) == 0))) {
        var _err = new KaitaiStream.ValidationNotEqualError(new Uint8Array([]), this.surplus, this._io, "/types/payload/seq/4");
        this._debug.surplus.validationError = _err;
        throw _err;
      }
    }
    return Payload;
  })();
  var Record = BitronixTlog.Record = (function() {
    function Record(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Record.prototype._read = function() {
      this._debug.status = { start: this._io.pos, ioOffset: this._io.byteOffset, enumName: "BitronixTlog.Status" };
      this.status = this._io.readS4be();
      this._debug.status.end = this._io.pos;
      this._debug.recordLength = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.recordLength = this._io.readS4be();
      this._debug.recordLength.end = this._io.pos;
      if (!(this.recordLength >= 29)) {
        var _err = new KaitaiStream.ValidationLessThanError(29, this.recordLength, this._io, "/types/record/seq/1");
        this._debug.recordLength.validationError = _err;
        throw _err;
      }
      this._debug.headerLength = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.headerLength = this._io.readS4be();
      this._debug.headerLength.end = this._io.pos;
      this._debug.time = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.time = this._io.readS8be();
      this._debug.time.end = this._io.pos;
      this._debug.sequenceNumber = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.sequenceNumber = this._io.readS4be();
      this._debug.sequenceNumber.end = this._io.pos;
      this._debug.crc32 = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.crc32 = this._io.readU4be();
      this._debug.crc32.end = this._io.pos;
      this._debug.payload = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this._raw_payload = this._io.readBytes(this.recordLength - 24);
      var _io__raw_payload = new KaitaiStream(this._raw_payload);
      this.payload = new Payload(_io__raw_payload, this, this._root);
      this.payload._read();
      this._debug.payload.end = this._io.pos;
      this._debug.endRecord = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.endRecord = this._io.readBytes(4);
      this._debug.endRecord.end = this._io.pos;
      if (!((KaitaiStream.byteArrayCompare(this.endRecord, new Uint8Array([120, 110, 116, 66])) == 0))) {
        var _err = new KaitaiStream.ValidationNotEqualError(new Uint8Array([120, 110, 116, 66]), this.endRecord, this._io, "/types/record/seq/7");
        this._debug.endRecord.validationError = _err;
        throw _err;
      }
    }
    Object.defineProperty(Record.prototype, 'lenTotal', {
      get: function() {
        if (this._m_lenTotal !== undefined)
          return this._m_lenTotal;
        this._debug._m_lenTotal = {  };
        this._m_lenTotal = this.recordLength + 8;
        return this._m_lenTotal;
      }
    });
    return Record;
  })();
  var UniqueName = BitronixTlog.UniqueName = (function() {
    function UniqueName(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    UniqueName.prototype._read = function() {
      this._debug.length = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.length = this._io.readU2be();
      this._debug.length.end = this._io.pos;
      if (!(this.length <= 32767)) {
        var _err = new KaitaiStream.ValidationGreaterThanError(32767, this.length, this._io, "/types/unique_name/seq/0");
        this._debug.length.validationError = _err;
        throw _err;
      }
      this._debug.name = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.name = this._io.readBytes(this.length);
      this._debug.name.end = this._io.pos;
    }
    return UniqueName;
  })();
  Object.defineProperty(BitronixTlog.prototype, 'stale', {
    get: function() {
      if (this._m_stale !== undefined)
        return this._m_stale;
      var _pos = this._io.pos;
      this._io.seek(this.header.position);
      this._debug._m_stale = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this._m_stale = this._io.readBytesFull();
      this._debug._m_stale.end = this._io.pos;
      this._io.seek(_pos);
      return this._m_stale;
    }
  });
  return BitronixTlog;
})();
BitronixTlog_.BitronixTlog = BitronixTlog;
});
// This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
(function (root, factory) {
  if (typeof define === 'function' && define.amd) {
    define(['exports', 'kaitai-struct/KaitaiStream'], factory);
  } else if (typeof exports === 'object' && exports !== null && typeof exports.nodeType !== 'number') {
    factory(exports, require('kaitai-struct/KaitaiStream'));
  } else {
    factory(root.BitronixTlogSeed || (root.BitronixTlogSeed = {}), root.KaitaiStream);
  }
})(typeof self !== 'undefined' ? self : this, function (BitronixTlogSeed_, KaitaiStream) {
var BitronixTlogSeed = (function() {
  BitronixTlogSeed.Status = Object.freeze({
    ACTIVE: 0,
    MARKED_ROLLBACK: 1,
    PREPARED: 2,
    COMMITTED: 3,
    ROLLEDBACK: 4,
    UNKNOWN_OUTCOME: 5,
    NO_TRANSACTION: 6,
    PREPARING: 7,
    COMMITTING: 8,
    ROLLING_BACK: 9,
    0: "ACTIVE",
    1: "MARKED_ROLLBACK",
    2: "PREPARED",
    3: "COMMITTED",
    4: "ROLLEDBACK",
    5: "UNKNOWN_OUTCOME",
    6: "NO_TRANSACTION",
    7: "PREPARING",
    8: "COMMITTING",
    9: "ROLLING_BACK",
  });
  function BitronixTlogSeed(_io, _parent, _root) {
    this._io = _io;
    this._parent = _parent;
    this._root = _root || this;
    this._debug = {};
  }
  BitronixTlogSeed.prototype._read = function() {
    this._debug.records = { start: this._io.pos, ioOffset: this._io.byteOffset };
    this._debug.records.arr = [];
    this.records = [];
    var i = 0;
    while (!this._io.isEof()) {
      this._debug.records.arr[this.records.length] = { start: this._io.pos, ioOffset: this._io.byteOffset };
      var _t_records = new Record(this._io, this, this._root);
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
  var Payload = BitronixTlogSeed.Payload = (function() {
    function Payload(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Payload.prototype._read = function() {
      this._debug.gtridLength = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.gtridLength = this._io.readU1();
      this._debug.gtridLength.end = this._io.pos;
      if (!(this.gtridLength <= 127)) {
        var _err = new KaitaiStream.ValidationGreaterThanError(127, this.gtridLength, this._io, "/types/payload/seq/0");
        this._debug.gtridLength.validationError = _err;
        throw _err;
      }
      this._debug.gtrid = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.gtrid = this._io.readBytes(this.gtridLength);
      this._debug.gtrid.end = this._io.pos;
      this._debug.namesCount = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.namesCount = this._io.readS4be();
      this._debug.namesCount.end = this._io.pos;
      if (!(this.namesCount >= 0)) {
        var _err = new KaitaiStream.ValidationLessThanError(0, this.namesCount, this._io, "/types/payload/seq/2");
        this._debug.namesCount.validationError = _err;
        throw _err;
      }
      this._debug.names = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this._debug.names.arr = [];
      this.names = [];
      for (var i = 0; i < this.namesCount; i++) {
        this._debug.names.arr[i] = { start: this._io.pos, ioOffset: this._io.byteOffset };
        var _t_names = new UniqueName(this._io, this, this._root);
        try {
          _t_names._read();
        } finally {
          this.names.push(_t_names);
        }
        this._debug.names.arr[i].end = this._io.pos;
      }
      this._debug.names.end = this._io.pos;
      this._debug.surplus = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.surplus = this._io.readBytesFull();
      this._debug.surplus.end = this._io.pos;
      if (!((KaitaiStream.byteArrayCompare(this.surplus, new Uint8Array([])) == 0))) {
        var _err = new KaitaiStream.ValidationNotEqualError(new Uint8Array([]), this.surplus, this._io, "/types/payload/seq/4");
        this._debug.surplus.validationError = _err;
        throw _err;
      }
    }
    return Payload;
  })();
  var Record = BitronixTlogSeed.Record = (function() {
    function Record(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Record.prototype._read = function() {
      this._debug.status = { start: this._io.pos, ioOffset: this._io.byteOffset, enumName: "BitronixTlogSeed.Status" };
      this.status = this._io.readS4be();
      this._debug.status.end = this._io.pos;
      this._debug.recordLength = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.recordLength = this._io.readS4be();
      this._debug.recordLength.end = this._io.pos;
      if (!(this.recordLength >= 29)) {
        var _err = new KaitaiStream.ValidationLessThanError(29, this.recordLength, this._io, "/types/record/seq/1");
        this._debug.recordLength.validationError = _err;
        throw _err;
      }
      this._debug.headerLength = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.headerLength = this._io.readS4be();
      this._debug.headerLength.end = this._io.pos;
      if (!(this.headerLength >= 16)) {
        var _err = new KaitaiStream.ValidationLessThanError(16, this.headerLength, this._io, "/types/record/seq/2");
        this._debug.headerLength.validationError = _err;
        throw _err;
      }
      if (!(this.headerLength <= this.recordLength - 13)) {
        var _err = new KaitaiStream.ValidationGreaterThanError(this.recordLength - 13, this.headerLength, this._io, "/types/record/seq/2");
        this._debug.headerLength.validationError = _err;
        throw _err;
      }
      this._debug.time = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.time = this._io.readS8be();
      this._debug.time.end = this._io.pos;
      this._debug.sequenceNumber = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.sequenceNumber = this._io.readS4be();
      this._debug.sequenceNumber.end = this._io.pos;
      this._debug.crc32 = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.crc32 = this._io.readU4be();
      this._debug.crc32.end = this._io.pos;
      this._debug.extension = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.extension = this._io.readBytes(this.headerLength - 16);
      this._debug.extension.end = this._io.pos;
      this._debug.payload = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this._raw_payload = this._io.readBytes((this.recordLength - this.headerLength) - 8);
      var _io__raw_payload = new KaitaiStream(this._raw_payload);
      this.payload = new Payload(_io__raw_payload, this, this._root);
      this.payload._read();
      this._debug.payload.end = this._io.pos;
      this._debug.endRecord = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.endRecord = this._io.readBytes(4);
      this._debug.endRecord.end = this._io.pos;
      if (!((KaitaiStream.byteArrayCompare(this.endRecord, new Uint8Array([120, 110, 116, 66])) == 0))) {
        var _err = new KaitaiStream.ValidationNotEqualError(new Uint8Array([120, 110, 116, 66]), this.endRecord, this._io, "/types/record/seq/8");
        this._debug.endRecord.validationError = _err;
        throw _err;
      }
    }
    Object.defineProperty(Record.prototype, 'lenTotal', {
      get: function() {
        if (this._m_lenTotal !== undefined)
          return this._m_lenTotal;
        this._debug._m_lenTotal = {  };
        this._m_lenTotal = this.recordLength + 8;
        return this._m_lenTotal;
      }
    });
    return Record;
  })();
  var UniqueName = BitronixTlogSeed.UniqueName = (function() {
    function UniqueName(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    UniqueName.prototype._read = function() {
      this._debug.length = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.length = this._io.readU2be();
      this._debug.length.end = this._io.pos;
      if (!(this.length <= 32767)) {
        var _err = new KaitaiStream.ValidationGreaterThanError(32767, this.length, this._io, "/types/unique_name/seq/0");
        this._debug.length.validationError = _err;
        throw _err;
      }
      this._debug.name = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.name = this._io.readBytes(this.length);
      this._debug.name.end = this._io.pos;
    }
    return UniqueName;
  })();
  return BitronixTlogSeed;
})();
BitronixTlogSeed_.BitronixTlogSeed = BitronixTlogSeed;
});
});
