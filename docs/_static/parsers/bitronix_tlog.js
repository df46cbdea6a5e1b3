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
/**
 * The single file of an experimental journal that was removed before any
 * release. It is written round and round; every lap has a random delimiter, and
 * a record belongs to the lap whose delimiter it carries. There is no tail.
 * 
 * This describes the header, and the records that follow it without a gap. What
 * stands behind them (the rest of the lap before, cut anywhere, and fill) has to
 * be searched for the start of a frame, and checksums have to be verified, both
 * of which is beyond this language: use the type `frame` at the places found.
 * @see {@link https://github.com/bitronix/btm/tree/497e884f1b8d7a3ac72d76b9ee422fcf0be6c04b/btm-nio-journal|Source}
 */

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
      var _t_slots = new Slot(this._io, this, this._root);
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

  /**
   * The banner is compared byte for byte when the file is opened.
   */

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

    /**
     * 406 bytes of text.
     */

    /**
     * The delimiter of the lap before (a random UUID).
     */

    /**
     * The delimiter of this lap (a random UUID).
     */

    /**
     * CR LF CR LF.
     */

    return FileHeader;
  })();

  /**
   * A record in its frame; 49 bytes longer than its payload.
   */

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

    /**
     * CR LF and the text `LR[`, by which a reader finds frames.
     */

    /**
     * The delimiter that was current when the frame was written.
     */

    /**
     * Length of the payload.
     */

    /**
     * CRC-32 of the payload and of nothing else.
     */

    /**
     * Ends the frame's head.
     */

    /**
     * The record itself.
     */

    /**
     * Begins the frame's tail.
     */

    /**
     * The same delimiter as at the start.
     */

    return Frame;
  })();

  /**
   * One change of state of one transaction.
   */

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

    /**
     * The status for human eyes, such as `8-COM:`; ignored.
     */

    /**
     * The record's type, a constant of javax.transaction.Status.
     */

    /**
     * Length of the payload when it was first written; not corrected when names were taken away.
     */

    /**
     * Milliseconds since 1970.
     */

    /**
     * Counts the records of one run of the writer.
     */

    /**
     * 1 in a record that was carried over into a new lap.
     */

    /**
     * Length of the global transaction id.
     */

    /**
     * Global transaction id.
     */

    /**
     * Number of names that follow.
     */

    /**
     * The resources, in no particular order.
     */

    /**
     * Where names were taken away, what is left of the old length.
     */

    return Payload;
  })();

  /**
   * A place where a frame may start.
   */

  var Slot = BitronixNioJournal.Slot = (function() {
    function Slot(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
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
    Object.defineProperty(Slot.prototype, 'isFrame', {
      get: function() {
        if (this._m_isFrame !== undefined)
          return this._m_isFrame;
        this._debug._m_isFrame = {  };
        this._m_isFrame =  ((this.room >= 5) && ((KaitaiStream.byteArrayCompare(this.start, new Uint8Array([13, 10, 76, 82, 91])) == 0))) ;
        return this._m_isFrame;
      }
    });
    Object.defineProperty(Slot.prototype, 'room', {
      get: function() {
        if (this._m_room !== undefined)
          return this._m_room;
        this._debug._m_room = {  };
        this._m_room = this._io.size - this._io.pos;
        return this._m_room;
      }
    });
    Object.defineProperty(Slot.prototype, 'start', {
      get: function() {
        if (this._m_start !== undefined)
          return this._m_start;
        if (this.room >= 5) {
          var _pos = this._io.pos;
          this._io.seek(this._io.pos);
          this._debug._m_start = { start: this._io.pos, ioOffset: this._io.byteOffset };
          this._m_start = this._io.readBytes(5);
          this._debug._m_start.end = this._io.pos;
          this._io.seek(_pos);
        }
        return this._m_start;
      }
    });

    /**
     * The frame, if one starts here.
     */

    return Slot;
  })();

  /**
   * The name under which a resource was registered with the transaction manager.
   */

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

    /**
     * Length of the name.
     */

    /**
     * Every byte is one character.
     */

    return UniqueName;
  })();

  /**
   * The 442 bytes that are used of the 1024 reserved.
   */

  /**
   * Never written; zeros in a new file. Not there where the file ends before the first frame.
   */

  /**
   * Frames without a gap; the last slot is empty and stands where no frame starts.
   */

  /**
   * What is left of the lap before, and fill (zeros, or spaces once the file has wrapped).
   */

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
/**
 * One file of the pair in which the Bitronix transaction manager keeps the fate
 * of distributed transactions: a header, records back to back up to the tail
 * that the header names, and behind the tail whatever an earlier life of the
 * file has left there.
 * 
 * This describes an undamaged file. It finds every fault in a length, a marker
 * or a bound, but it does not verify the checksum of a record (which runs over
 * decoded, sorted and de-duplicated names), does not say which file of the pair
 * counts, and does not recover anything.
 * @see {@link https://github.com/bitronix/btm/blob/master/btm/src/main/java/bitronix/tm/journal/TransactionLogHeader.java|Source}
 * @see {@link https://github.com/bitronix/btm/blob/master/btm/src/main/java/bitronix/tm/journal/TransactionLogRecord.java|Source}
 */

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

  /**
   * The 21 bytes at the start of each file. No checksum covers them.
   */

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

    /**
     * The format id; also the format id of Bitronix's XA transaction ids.
     */

    /**
     * The file's generation: of the two files the one with the larger value
     * is active. Milliseconds of a clock that differs between versions.
     */

    /**
     * Whether a writer has the file open. Says nothing about its records.
     */

    /**
     * Offset in the file just behind the last record; 21 in an empty log.
     */

    return FileHeader;
  })();

  /**
   * Records back to back; the last one ends at the tail.
   */

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

    /**
     * In the order in which they were written.
     */

    return Log;
  })();

  /**
   * The transaction's id and the names of the resources that the record is about.
   */

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

    /**
     * Not covered by the checksum. The products read it as a signed byte.
     */

    /**
     * Global transaction id, opaque to the journal. BTM makes it of the
     * server's id, a time (8 bytes) and a counter (4 bytes).
     */

    /**
     * Number of names that follow.
     */

    /**
     * The resources, ascending and without duplicates.
     */

    /**
     * Nothing may be left between the last name and the end marker.
     */

    return Payload;
  })();

  /**
   * One change of state of one transaction.
   */

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

    /**
     * Bytes that the record occupies in the file; the next one starts behind them.
     */
    Object.defineProperty(Record.prototype, 'lenTotal', {
      get: function() {
        if (this._m_lenTotal !== undefined)
          return this._m_lenTotal;
        this._debug._m_lenTotal = {  };
        this._m_lenTotal = this.recordLength + 8;
        return this._m_lenTotal;
      }
    });

    /**
     * The record's type, a constant of javax.transaction.Status. Any other value is tolerated and ignored.
     */

    /**
     * Number of bytes behind this field, the end marker included. The record occupies 8 bytes more.
     */

    /**
     * Always written as 28, the number of bytes before the payload. Nothing is located by it.
     */

    /**
     * Milliseconds of the writer's clock, which differs between versions.
     */

    /**
     * Counts the records of one run of the writer; wraps, and starts again in the next run.
     */

    /**
     * CRC-32 of the record without this field and without gtrid_length, the
     * names taken as a sorted set of US-ASCII text.
     */

    /**
     * Which transaction, and which of its resources.
     */

    /**
     * The format id backwards. Found through record_length, never by searching.
     */

    return Record;
  })();

  /**
   * The name under which a resource was registered with the transaction manager.
   */

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

    /**
     * Length of the name. The products read it as a signed number.
     */

    /**
     * Printable US-ASCII. Kept as bytes here, because some versions store other charsets that no reader can undo.
     */

    return UniqueName;
  })();

  /**
   * Bytes behind the tail. They are no part of the log, even where they look
   * like records: a file that is used a second time still holds its first life.
   */
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

  /**
   * What the file is, how old it is, and where its log ends.
   */

  /**
   * The records, from behind the header to the tail.
   */

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
/**
 * The record format that the comment of the class TransactionLogRecord
 * describes, read literally. No product writes such files: the products put a
 * header before the records, and store 28 where this text says 16. It is kept
 * apart so that nothing of the text has to be bent to fit the products' bytes.
 * 
 * Byte order and the value of the end indicator are not in that text; they are
 * taken from the products.
 * @see Javadoc of bitronix.tm.journal.TransactionLogRecord, as published with mule-btm 3.0.0
 */

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

  /**
   * The transaction's id and the names of its data sources.
   */

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

    /**
     * Length of the global transaction id.
     */

    /**
     * Global transaction id.
     */

    /**
     * Number of names that follow.
     */

    /**
     * Names of the XA data sources used in the transaction.
     */

    /**
     * Nothing may be left between the last name and the end indicator.
     */

    return Payload;
  })();

  /**
   * A log record whose header may grow in later editions.
   */

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

    /**
     * Bytes that the record occupies in the file.
     */
    Object.defineProperty(Record.prototype, 'lenTotal', {
      get: function() {
        if (this._m_lenTotal !== undefined)
          return this._m_lenTotal;
        this._debug._m_lenTotal = {  };
        this._m_lenTotal = this.recordLength + 8;
        return this._m_lenTotal;
      }
    });

    /**
     * Passed in by the transaction manager.
     */

    /**
     * Length of the record without this field and the one before.
     */

    /**
     * Length of the rest of the header, behind this field.
     */

    /**
     * Milliseconds since 1970.
     */

    /**
     * From a generator that is unique to the process and only rises.
     */

    /**
     * Optional for the paranoid, says the text, and not over what.
     */

    /**
     * Header fields of an edition yet to come; skipped.
     */

    /**
     * Which transaction, and which of its resources.
     */

    /**
     * An extra detector of corruption, with suspenders and belt.
     */

    return Record;
  })();

  /**
   * The name of an XA data source.
   */

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

    /**
     * Length of the name; the text counts characters.
     */

    /**
     * The text names no charset; US-ASCII, one byte for a character.
     */

    return UniqueName;
  })();

  /**
   * Back to back from the first byte of the file to its last.
   */

  return BitronixTlogSeed;
})();
BitronixTlogSeed_.BitronixTlogSeed = BitronixTlogSeed;
});
