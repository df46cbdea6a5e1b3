(globalThis.journalspecCode ||= []).push(function () {
// This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
(function (root, factory) {
  if (typeof define === 'function' && define.amd) {
    define(['exports', 'kaitai-struct/KaitaiStream'], factory);
  } else if (typeof exports === 'object' && exports !== null && typeof exports.nodeType !== 'number') {
    factory(exports, require('kaitai-struct/KaitaiStream'));
  } else {
    factory(root.DerbyBody || (root.DerbyBody = {}), root.KaitaiStream);
  }
})(typeof self !== 'undefined' ? self : this, function (DerbyBody_, KaitaiStream) {
var DerbyBody = (function() {
  DerbyBody.OperationCode = Object.freeze({
    CHAIN_ALLOC_PAGE: 97,
    DELETE: 101,
    END: 102,
    INSERT: 103,
    LOGICAL_UNDO: 104,
    PHYSICAL_UNDO: 105,
    PURGE: 106,
    CONTAINER_UNDO: 107,
    UPDATE: 108,
    UPDATE_FIELD: 109,
    ALLOC_PAGE: 111,
    INVALIDATE_PAGE: 113,
    BEGIN: 169,
    COPY_ROWS: 210,
    INIT_PAGE: 241,
    CONTAINER: 242,
    CHECKPOINT: 263,
    SET_RESERVED_SPACE: 287,
    REMOVE_FILE: 291,
    CHECKSUM: 453,
    COMPRESS_SPACE_10_2: 454,
    ENCRYPT_CONTAINER: 459,
    ENCRYPT_CONTAINER_UNDO: 460,
    COMPRESS_SPACE: 465,
    97: "CHAIN_ALLOC_PAGE",
    101: "DELETE",
    102: "END",
    103: "INSERT",
    104: "LOGICAL_UNDO",
    105: "PHYSICAL_UNDO",
    106: "PURGE",
    107: "CONTAINER_UNDO",
    108: "UPDATE",
    109: "UPDATE_FIELD",
    111: "ALLOC_PAGE",
    113: "INVALIDATE_PAGE",
    169: "BEGIN",
    210: "COPY_ROWS",
    241: "INIT_PAGE",
    242: "CONTAINER",
    263: "CHECKPOINT",
    287: "SET_RESERVED_SPACE",
    291: "REMOVE_FILE",
    453: "CHECKSUM",
    454: "COMPRESS_SPACE_10_2",
    459: "ENCRYPT_CONTAINER",
    460: "ENCRYPT_CONTAINER_UNDO",
    465: "COMPRESS_SPACE",
  });
  function DerbyBody(_io, _parent, _root) {
    this._io = _io;
    this._parent = _parent;
    this._root = _root || this;
    this._debug = {};
  }
  DerbyBody.prototype._read = function() {
    this._debug.logRecordId = { start: this._io.pos, ioOffset: this._io.byteOffset };
    this.logRecordId = this._io.readU2be();
    this._debug.logRecordId.end = this._io.pos;
    if (!(this.logRecordId >= 129)) {
      var _err = new KaitaiStream.ValidationLessThanError(129, this.logRecordId, this._io, "/seq/0");
      this._debug.logRecordId.validationError = _err;
      throw _err;
    }
    if (!(this.logRecordId <= 129)) {
      var _err = new KaitaiStream.ValidationGreaterThanError(129, this.logRecordId, this._io, "/seq/0");
      this._debug.logRecordId.validationError = _err;
      throw _err;
    }
    this._debug.group = { start: this._io.pos, ioOffset: this._io.byteOffset };
    this.group = new Cint(this._io, this, this._root);
    this.group._read();
    this._debug.group.end = this._io.pos;
    this._debug.transaction = { start: this._io.pos, ioOffset: this._io.byteOffset };
    this.transaction = new TransactionIdOrNothing(this._io, this, this._root);
    this.transaction._read();
    this._debug.transaction.end = this._io.pos;
    this._debug.operationId = { start: this._io.pos, ioOffset: this._io.byteOffset, enumName: "DerbyBody.OperationCode" };
    this.operationId = this._io.readU2be();
    this._debug.operationId.end = this._io.pos;
    this._debug.operation = { start: this._io.pos, ioOffset: this._io.byteOffset };
    switch (this.operationId) {
    case DerbyBody.OperationCode.ALLOC_PAGE:
      this.operation = new AllocPage(this._io, this, this._root);
      this.operation._read();
      break;
    case DerbyBody.OperationCode.BEGIN:
      this.operation = new Begin(this._io, this, this._root);
      this.operation._read();
      break;
    case DerbyBody.OperationCode.CHAIN_ALLOC_PAGE:
      this.operation = new ChainAllocPage(this._io, this, this._root);
      this.operation._read();
      break;
    case DerbyBody.OperationCode.CHECKPOINT:
      this.operation = new Checkpoint(this._io, this, this._root);
      this.operation._read();
      break;
    case DerbyBody.OperationCode.CHECKSUM:
      this.operation = new Checksum(this._io, this, this._root);
      this.operation._read();
      break;
    case DerbyBody.OperationCode.COMPRESS_SPACE:
      this.operation = new CompressSpace(this._io, this, this._root);
      this.operation._read();
      break;
    case DerbyBody.OperationCode.COMPRESS_SPACE_10_2:
      this.operation = new CompressSpace102(this._io, this, this._root);
      this.operation._read();
      break;
    case DerbyBody.OperationCode.CONTAINER:
      this.operation = new Container(this._io, this, this._root);
      this.operation._read();
      break;
    case DerbyBody.OperationCode.CONTAINER_UNDO:
      this.operation = new ContainerUndo(this._io, this, this._root);
      this.operation._read();
      break;
    case DerbyBody.OperationCode.COPY_ROWS:
      this.operation = new CopyRows(this._io, this, this._root);
      this.operation._read();
      break;
    case DerbyBody.OperationCode.DELETE:
      this.operation = new Delete(this._io, this, this._root);
      this.operation._read();
      break;
    case DerbyBody.OperationCode.ENCRYPT_CONTAINER:
      this.operation = new EncryptContainer(this._io, this, this._root);
      this.operation._read();
      break;
    case DerbyBody.OperationCode.ENCRYPT_CONTAINER_UNDO:
      this.operation = new EncryptContainerUndo(this._io, this, this._root);
      this.operation._read();
      break;
    case DerbyBody.OperationCode.END:
      this.operation = new End(this._io, this, this._root);
      this.operation._read();
      break;
    case DerbyBody.OperationCode.INIT_PAGE:
      this.operation = new InitPage(this._io, this, this._root);
      this.operation._read();
      break;
    case DerbyBody.OperationCode.INSERT:
      this.operation = new Insert(this._io, this, this._root);
      this.operation._read();
      break;
    case DerbyBody.OperationCode.INVALIDATE_PAGE:
      this.operation = new InvalidatePage(this._io, this, this._root);
      this.operation._read();
      break;
    case DerbyBody.OperationCode.LOGICAL_UNDO:
      this.operation = new LogicalUndo(this._io, this, this._root);
      this.operation._read();
      break;
    case DerbyBody.OperationCode.PHYSICAL_UNDO:
      this.operation = new PhysicalUndo(this._io, this, this._root);
      this.operation._read();
      break;
    case DerbyBody.OperationCode.PURGE:
      this.operation = new Purge(this._io, this, this._root);
      this.operation._read();
      break;
    case DerbyBody.OperationCode.REMOVE_FILE:
      this.operation = new RemoveFile(this._io, this, this._root);
      this.operation._read();
      break;
    case DerbyBody.OperationCode.SET_RESERVED_SPACE:
      this.operation = new SetReservedSpace(this._io, this, this._root);
      this.operation._read();
      break;
    case DerbyBody.OperationCode.UPDATE:
      this.operation = new Update(this._io, this, this._root);
      this.operation._read();
      break;
    case DerbyBody.OperationCode.UPDATE_FIELD:
      this.operation = new UpdateField(this._io, this, this._root);
      this.operation._read();
      break;
    }
    this._debug.operation.end = this._io.pos;
    if ((this.group.value & 2052) == 4) {
      this._debug.undone = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.undone = this._io.readS8be();
      this._debug.undone.end = this._io.pos;
    }
    if ((this.group.value & 2052) == 0) {
      this._debug.dataLength = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.dataLength = this._io.readS4be();
      this._debug.dataLength.end = this._io.pos;
    }
    if ((this.group.value & 2052) == 0) {
      this._debug.data = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.data = this._io.readBytes(this.dataLength);
      this._debug.data.end = this._io.pos;
    }
  }
  var AllocPage = DerbyBody.AllocPage = (function() {
    function AllocPage(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    AllocPage.prototype._read = function() {
      this._debug.segment = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.segment = new Clong(this._io, this, this._root);
      this.segment._read();
      this._debug.segment.end = this._io.pos;
      this._debug.container = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.container = new Clong(this._io, this, this._root);
      this.container._read();
      this._debug.container.end = this._io.pos;
      this._debug.page = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.page = new Clong(this._io, this, this._root);
      this.page._read();
      this._debug.page.end = this._io.pos;
      this._debug.pageVersion = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.pageVersion = new Clong(this._io, this, this._root);
      this.pageVersion._read();
      this._debug.pageVersion.end = this._io.pos;
      this._debug.newPage = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.newPage = new Clong(this._io, this, this._root);
      this.newPage._read();
      this._debug.newPage.end = this._io.pos;
      this._debug.doStatus = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.doStatus = new Cint(this._io, this, this._root);
      this.doStatus._read();
      this._debug.doStatus.end = this._io.pos;
      this._debug.undoStatus = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.undoStatus = new Cint(this._io, this, this._root);
      this.undoStatus._read();
      this._debug.undoStatus.end = this._io.pos;
    }
    return AllocPage;
  })();
  var Begin = DerbyBody.Begin = (function() {
    function Begin(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Begin.prototype._read = function() {
      this._debug.status = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.status = this._io.readS4be();
      this._debug.status.end = this._io.pos;
      this._debug.globalId = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.globalId = new GlobalIdOrNothing(this._io, this, this._root);
      this.globalId._read();
      this._debug.globalId.end = this._io.pos;
    }
    return Begin;
  })();
  var ChainAllocPage = DerbyBody.ChainAllocPage = (function() {
    function ChainAllocPage(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    ChainAllocPage.prototype._read = function() {
      this._debug.segment = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.segment = new Clong(this._io, this, this._root);
      this.segment._read();
      this._debug.segment.end = this._io.pos;
      this._debug.container = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.container = new Clong(this._io, this, this._root);
      this.container._read();
      this._debug.container.end = this._io.pos;
      this._debug.page = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.page = new Clong(this._io, this, this._root);
      this.page._read();
      this._debug.page.end = this._io.pos;
      this._debug.pageVersion = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.pageVersion = new Clong(this._io, this, this._root);
      this.pageVersion._read();
      this._debug.pageVersion.end = this._io.pos;
      this._debug.newPage = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.newPage = new Clong(this._io, this, this._root);
      this.newPage._read();
      this._debug.newPage.end = this._io.pos;
      this._debug.newPageOffset = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.newPageOffset = new Clong(this._io, this, this._root);
      this.newPageOffset._read();
      this._debug.newPageOffset.end = this._io.pos;
    }
    return ChainAllocPage;
  })();
  var Checkpoint = DerbyBody.Checkpoint = (function() {
    function Checkpoint(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Checkpoint.prototype._read = function() {
      this._debug.redoFrom = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.redoFrom = new Clong(this._io, this, this._root);
      this.redoFrom._read();
      this._debug.redoFrom.end = this._io.pos;
      this._debug.undoFrom = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.undoFrom = new Clong(this._io, this, this._root);
      this.undoFrom._read();
      this._debug.undoFrom.end = this._io.pos;
      this._debug.truncations = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.truncations = new Cint(this._io, this, this._root);
      this.truncations._read();
      this._debug.truncations.end = this._io.pos;
      this._debug.hasTable = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.hasTable = new Cint(this._io, this, this._root);
      this.hasTable._read();
      this._debug.hasTable.end = this._io.pos;
      if (this.hasTable.value == 1) {
        this._debug.table = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.table = new TransactionTableObject(this._io, this, this._root);
        this.table._read();
        this._debug.table.end = this._io.pos;
      }
    }
    return Checkpoint;
  })();
  var Checksum = DerbyBody.Checksum = (function() {
    function Checksum(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Checksum.prototype._read = function() {
      this._debug.algorithm = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.algorithm = this._io.readU1();
      this._debug.algorithm.end = this._io.pos;
      this._debug.dataLength = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.dataLength = this._io.readS4be();
      this._debug.dataLength.end = this._io.pos;
      this._debug.checksum = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.checksum = this._io.readS8be();
      this._debug.checksum.end = this._io.pos;
    }
    return Checksum;
  })();
  var Cint = DerbyBody.Cint = (function() {
    function Cint(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Cint.prototype._read = function() {
      this._debug.first = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.first = this._io.readU1();
      this._debug.first.end = this._io.pos;
      if (this.first >= 64) {
        this._debug.second = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.second = this._io.readU1();
        this._debug.second.end = this._io.pos;
      }
      if (this.first >= 128) {
        this._debug.third = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.third = this._io.readU2be();
        this._debug.third.end = this._io.pos;
      }
    }
    Object.defineProperty(Cint.prototype, 'value', {
      get: function() {
        if (this._m_value !== undefined)
          return this._m_value;
        this._debug._m_value = {  };
        this._m_value = (this.first < 64 ? this.first : (this.first < 128 ? ((this.first & 63) * 256 + this.second) : (((this.first & 127) * 16777216 + this.second * 65536) + this.third)));
        return this._m_value;
      }
    });
    return Cint;
  })();
  var Clong = DerbyBody.Clong = (function() {
    function Clong(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Clong.prototype._read = function() {
      this._debug.first = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.first = this._io.readU2be();
      this._debug.first.end = this._io.pos;
      if (this.first >= 16384) {
        this._debug.second = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.second = this._io.readU2be();
        this._debug.second.end = this._io.pos;
      }
      if (this.first >= 32768) {
        this._debug.third = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.third = this._io.readU4be();
        this._debug.third.end = this._io.pos;
      }
    }
    Object.defineProperty(Clong.prototype, 'high', {
      get: function() {
        if (this._m_high !== undefined)
          return this._m_high;
        this._debug._m_high = {  };
        this._m_high = (this.first < 32768 ? (this.first * 0) : ((this.first & 32767) * 65536 + this.second));
        return this._m_high;
      }
    });
    Object.defineProperty(Clong.prototype, 'low', {
      get: function() {
        if (this._m_low !== undefined)
          return this._m_low;
        this._debug._m_low = {  };
        this._m_low = (this.first < 16384 ? this.first : (this.first < 32768 ? ((this.first & 16383) * 65536 + this.second) : this.third));
        return this._m_low;
      }
    });
    return Clong;
  })();
  var CompressSpace = DerbyBody.CompressSpace = (function() {
    function CompressSpace(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    CompressSpace.prototype._read = function() {
      this._debug.segment = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.segment = new Clong(this._io, this, this._root);
      this.segment._read();
      this._debug.segment.end = this._io.pos;
      this._debug.container = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.container = new Clong(this._io, this, this._root);
      this.container._read();
      this._debug.container.end = this._io.pos;
      this._debug.page = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.page = new Clong(this._io, this, this._root);
      this.page._read();
      this._debug.page.end = this._io.pos;
      this._debug.pageVersion = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.pageVersion = new Clong(this._io, this, this._root);
      this.pageVersion._read();
      this._debug.pageVersion.end = this._io.pos;
      this._debug.highestPage = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.highestPage = this._io.readS4be();
      this._debug.highestPage.end = this._io.pos;
      this._debug.pagesTruncated = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.pagesTruncated = new Cint(this._io, this, this._root);
      this.pagesTruncated._read();
      this._debug.pagesTruncated.end = this._io.pos;
    }
    return CompressSpace;
  })();
  var CompressSpace102 = DerbyBody.CompressSpace102 = (function() {
    function CompressSpace102(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    CompressSpace102.prototype._read = function() {
      this._debug.segment = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.segment = new Clong(this._io, this, this._root);
      this.segment._read();
      this._debug.segment.end = this._io.pos;
      this._debug.container = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.container = new Clong(this._io, this, this._root);
      this.container._read();
      this._debug.container.end = this._io.pos;
      this._debug.page = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.page = new Clong(this._io, this, this._root);
      this.page._read();
      this._debug.page.end = this._io.pos;
      this._debug.pageVersion = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.pageVersion = new Clong(this._io, this, this._root);
      this.pageVersion._read();
      this._debug.pageVersion.end = this._io.pos;
      this._debug.highestPage = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.highestPage = new Cint(this._io, this, this._root);
      this.highestPage._read();
      this._debug.highestPage.end = this._io.pos;
      this._debug.pagesTruncated = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.pagesTruncated = new Cint(this._io, this, this._root);
      this.pagesTruncated._read();
      this._debug.pagesTruncated.end = this._io.pos;
    }
    return CompressSpace102;
  })();
  var Container = DerbyBody.Container = (function() {
    function Container(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Container.prototype._read = function() {
      this._debug.segment = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.segment = new Clong(this._io, this, this._root);
      this.segment._read();
      this._debug.segment.end = this._io.pos;
      this._debug.container = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.container = new Clong(this._io, this, this._root);
      this.container._read();
      this._debug.container.end = this._io.pos;
      this._debug.containerVersion = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.containerVersion = new Clong(this._io, this, this._root);
      this.containerVersion._read();
      this._debug.containerVersion.end = this._io.pos;
      this._debug.action = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.action = this._io.readU1();
      this._debug.action.end = this._io.pos;
      if (this.action == 1) {
        this._debug.headerLength = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.headerLength = this._io.readS4be();
        this._debug.headerLength.end = this._io.pos;
      }
      if (this.action == 1) {
        this._debug.header = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.header = this._io.readBytes(this.headerLength);
        this._debug.header.end = this._io.pos;
      }
    }
    return Container;
  })();
  var ContainerUndo = DerbyBody.ContainerUndo = (function() {
    function ContainerUndo(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    ContainerUndo.prototype._read = function() {
      this._debug.segment = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.segment = new Clong(this._io, this, this._root);
      this.segment._read();
      this._debug.segment.end = this._io.pos;
      this._debug.container = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.container = new Clong(this._io, this, this._root);
      this.container._read();
      this._debug.container.end = this._io.pos;
      this._debug.containerVersion = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.containerVersion = new Clong(this._io, this, this._root);
      this.containerVersion._read();
      this._debug.containerVersion.end = this._io.pos;
    }
    return ContainerUndo;
  })();
  var CopyRows = DerbyBody.CopyRows = (function() {
    function CopyRows(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    CopyRows.prototype._read = function() {
      this._debug.segment = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.segment = new Clong(this._io, this, this._root);
      this.segment._read();
      this._debug.segment.end = this._io.pos;
      this._debug.container = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.container = new Clong(this._io, this, this._root);
      this.container._read();
      this._debug.container.end = this._io.pos;
      this._debug.page = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.page = new Clong(this._io, this, this._root);
      this.page._read();
      this._debug.page.end = this._io.pos;
      this._debug.pageVersion = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.pageVersion = new Clong(this._io, this, this._root);
      this.pageVersion._read();
      this._debug.pageVersion.end = this._io.pos;
      this._debug.count = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.count = new Cint(this._io, this, this._root);
      this.count._read();
      this._debug.count.end = this._io.pos;
      this._debug.slot = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.slot = new Cint(this._io, this, this._root);
      this.slot._read();
      this._debug.slot.end = this._io.pos;
      this._debug.rows = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this._debug.rows.arr = [];
      this.rows = [];
      for (var i = 0; i < this.count.value; i++) {
        this._debug.rows.arr[i] = { start: this._io.pos, ioOffset: this._io.byteOffset };
        var _t_rows = new CopyRowsRows(this._io, this, this._root);
        try {
          _t_rows._read();
        } finally {
          this.rows.push(_t_rows);
        }
        this._debug.rows.arr[i].end = this._io.pos;
      }
      this._debug.rows.end = this._io.pos;
    }
    return CopyRows;
  })();
  var CopyRowsRows = DerbyBody.CopyRowsRows = (function() {
    function CopyRowsRows(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    CopyRowsRows.prototype._read = function() {
      this._debug.recordId = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.recordId = new Cint(this._io, this, this._root);
      this.recordId._read();
      this._debug.recordId.end = this._io.pos;
      this._debug.reserved = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.reserved = new Cint(this._io, this, this._root);
      this.reserved._read();
      this._debug.reserved.end = this._io.pos;
    }
    return CopyRowsRows;
  })();
  var Delete = DerbyBody.Delete = (function() {
    function Delete(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Delete.prototype._read = function() {
      this._debug.segment = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.segment = new Clong(this._io, this, this._root);
      this.segment._read();
      this._debug.segment.end = this._io.pos;
      this._debug.container = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.container = new Clong(this._io, this, this._root);
      this.container._read();
      this._debug.container.end = this._io.pos;
      this._debug.page = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.page = new Clong(this._io, this, this._root);
      this.page._read();
      this._debug.page.end = this._io.pos;
      this._debug.pageVersion = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.pageVersion = new Clong(this._io, this, this._root);
      this.pageVersion._read();
      this._debug.pageVersion.end = this._io.pos;
      this._debug.recordId = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.recordId = new Cint(this._io, this, this._root);
      this.recordId._read();
      this._debug.recordId.end = this._io.pos;
      this._debug.undo = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.undo = new IndexUndoOrNothing(this._io, this, this._root);
      this.undo._read();
      this._debug.undo.end = this._io.pos;
      this._debug.slot = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.slot = new Cint(this._io, this, this._root);
      this.slot._read();
      this._debug.slot.end = this._io.pos;
      this._debug.deleted = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.deleted = this._io.readU1();
      this._debug.deleted.end = this._io.pos;
    }
    return Delete;
  })();
  var EncryptContainer = DerbyBody.EncryptContainer = (function() {
    function EncryptContainer(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    EncryptContainer.prototype._read = function() {
      this._debug.segment = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.segment = new Clong(this._io, this, this._root);
      this.segment._read();
      this._debug.segment.end = this._io.pos;
      this._debug.container = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.container = new Clong(this._io, this, this._root);
      this.container._read();
      this._debug.container.end = this._io.pos;
    }
    return EncryptContainer;
  })();
  var EncryptContainerUndo = DerbyBody.EncryptContainerUndo = (function() {
    function EncryptContainerUndo(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    EncryptContainerUndo.prototype._read = function() {
    }
    return EncryptContainerUndo;
  })();
  var End = DerbyBody.End = (function() {
    function End(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    End.prototype._read = function() {
      this._debug.globalId = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.globalId = new GlobalIdOrNothing(this._io, this, this._root);
      this.globalId._read();
      this._debug.globalId.end = this._io.pos;
      this._debug.status = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.status = new Cint(this._io, this, this._root);
      this.status._read();
      this._debug.status.end = this._io.pos;
    }
    return End;
  })();
  var GlobalId = DerbyBody.GlobalId = (function() {
    function GlobalId(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    GlobalId.prototype._read = function() {
      this._debug.formatId = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.formatId = this._io.readS4be();
      this._debug.formatId.end = this._io.pos;
      this._debug.gtridLength = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.gtridLength = this._io.readU1();
      this._debug.gtridLength.end = this._io.pos;
      this._debug.gtrid = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.gtrid = this._io.readBytes(this.gtridLength);
      this._debug.gtrid.end = this._io.pos;
      this._debug.bqualLength = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.bqualLength = this._io.readU1();
      this._debug.bqualLength.end = this._io.pos;
      this._debug.bqual = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.bqual = this._io.readBytes(this.bqualLength);
      this._debug.bqual.end = this._io.pos;
    }
    return GlobalId;
  })();
  var GlobalIdOrNothing = DerbyBody.GlobalIdOrNothing = (function() {
    function GlobalIdOrNothing(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    GlobalIdOrNothing.prototype._read = function() {
      this._debug.objectId = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.objectId = this._io.readU2be();
      this._debug.objectId.end = this._io.pos;
      if (!( ((this.objectId == 0) || (this.objectId == 328)) )) {
        var _err = new KaitaiStream.ValidationNotAnyOfError(this.objectId, this._io, "/types/global_id_or_nothing/seq/0");
        this._debug.objectId.validationError = _err;
        throw _err;
      }
      if (this.objectId != 0) {
        this._debug.globalId = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.globalId = new GlobalId(this._io, this, this._root);
        this.globalId._read();
        this._debug.globalId.end = this._io.pos;
      }
    }
    return GlobalIdOrNothing;
  })();
  var IndexUndo = DerbyBody.IndexUndo = (function() {
    function IndexUndo(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    IndexUndo.prototype._read = function() {
    }
    return IndexUndo;
  })();
  var IndexUndoOrNothing = DerbyBody.IndexUndoOrNothing = (function() {
    function IndexUndoOrNothing(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    IndexUndoOrNothing.prototype._read = function() {
      this._debug.objectId = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.objectId = this._io.readU2be();
      this._debug.objectId.end = this._io.pos;
      if (!( ((this.objectId == 0) || (this.objectId == 95)) )) {
        var _err = new KaitaiStream.ValidationNotAnyOfError(this.objectId, this._io, "/types/index_undo_or_nothing/seq/0");
        this._debug.objectId.validationError = _err;
        throw _err;
      }
      if (this.objectId != 0) {
        this._debug.indexUndo = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.indexUndo = new IndexUndo(this._io, this, this._root);
        this.indexUndo._read();
        this._debug.indexUndo.end = this._io.pos;
      }
    }
    return IndexUndoOrNothing;
  })();
  var InitPage = DerbyBody.InitPage = (function() {
    function InitPage(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    InitPage.prototype._read = function() {
      this._debug.segment = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.segment = new Clong(this._io, this, this._root);
      this.segment._read();
      this._debug.segment.end = this._io.pos;
      this._debug.container = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.container = new Clong(this._io, this, this._root);
      this.container._read();
      this._debug.container.end = this._io.pos;
      this._debug.page = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.page = new Clong(this._io, this, this._root);
      this.page._read();
      this._debug.page.end = this._io.pos;
      this._debug.pageVersion = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.pageVersion = new Clong(this._io, this, this._root);
      this.pageVersion._read();
      this._debug.pageVersion.end = this._io.pos;
      this._debug.nextRecordId = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.nextRecordId = new Cint(this._io, this, this._root);
      this.nextRecordId._read();
      this._debug.nextRecordId.end = this._io.pos;
      this._debug.initFlags = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.initFlags = new Cint(this._io, this, this._root);
      this.initFlags._read();
      this._debug.initFlags.end = this._io.pos;
      this._debug.pageOffset = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.pageOffset = new Clong(this._io, this, this._root);
      this.pageOffset._read();
      this._debug.pageOffset.end = this._io.pos;
      this._debug.pageFormat = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.pageFormat = this._io.readS4be();
      this._debug.pageFormat.end = this._io.pos;
    }
    return InitPage;
  })();
  var Insert = DerbyBody.Insert = (function() {
    function Insert(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Insert.prototype._read = function() {
      this._debug.segment = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.segment = new Clong(this._io, this, this._root);
      this.segment._read();
      this._debug.segment.end = this._io.pos;
      this._debug.container = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.container = new Clong(this._io, this, this._root);
      this.container._read();
      this._debug.container.end = this._io.pos;
      this._debug.page = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.page = new Clong(this._io, this, this._root);
      this.page._read();
      this._debug.page.end = this._io.pos;
      this._debug.pageVersion = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.pageVersion = new Clong(this._io, this, this._root);
      this.pageVersion._read();
      this._debug.pageVersion.end = this._io.pos;
      this._debug.recordId = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.recordId = new Cint(this._io, this, this._root);
      this.recordId._read();
      this._debug.recordId.end = this._io.pos;
      this._debug.undo = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.undo = new IndexUndoOrNothing(this._io, this, this._root);
      this.undo._read();
      this._debug.undo.end = this._io.pos;
      this._debug.slot = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.slot = new Cint(this._io, this, this._root);
      this.slot._read();
      this._debug.slot.end = this._io.pos;
      this._debug.insertFlags = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.insertFlags = this._io.readU1();
      this._debug.insertFlags.end = this._io.pos;
    }
    return Insert;
  })();
  var InvalidatePage = DerbyBody.InvalidatePage = (function() {
    function InvalidatePage(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    InvalidatePage.prototype._read = function() {
      this._debug.segment = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.segment = new Clong(this._io, this, this._root);
      this.segment._read();
      this._debug.segment.end = this._io.pos;
      this._debug.container = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.container = new Clong(this._io, this, this._root);
      this.container._read();
      this._debug.container.end = this._io.pos;
      this._debug.page = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.page = new Clong(this._io, this, this._root);
      this.page._read();
      this._debug.page.end = this._io.pos;
      this._debug.pageVersion = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.pageVersion = new Clong(this._io, this, this._root);
      this.pageVersion._read();
      this._debug.pageVersion.end = this._io.pos;
    }
    return InvalidatePage;
  })();
  var LogCounter = DerbyBody.LogCounter = (function() {
    function LogCounter(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    LogCounter.prototype._read = function() {
      this._debug.file = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.file = new Clong(this._io, this, this._root);
      this.file._read();
      this._debug.file.end = this._io.pos;
      this._debug.position = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.position = new Clong(this._io, this, this._root);
      this.position._read();
      this._debug.position.end = this._io.pos;
    }
    return LogCounter;
  })();
  var LogCounterOrNothing = DerbyBody.LogCounterOrNothing = (function() {
    function LogCounterOrNothing(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    LogCounterOrNothing.prototype._read = function() {
      this._debug.objectId = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.objectId = this._io.readU2be();
      this._debug.objectId.end = this._io.pos;
      if (!( ((this.objectId == 0) || (this.objectId == 130)) )) {
        var _err = new KaitaiStream.ValidationNotAnyOfError(this.objectId, this._io, "/types/log_counter_or_nothing/seq/0");
        this._debug.objectId.validationError = _err;
        throw _err;
      }
      if (this.objectId != 0) {
        this._debug.logCounter = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.logCounter = new LogCounter(this._io, this, this._root);
        this.logCounter._read();
        this._debug.logCounter.end = this._io.pos;
      }
    }
    return LogCounterOrNothing;
  })();
  var LogicalUndo = DerbyBody.LogicalUndo = (function() {
    function LogicalUndo(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    LogicalUndo.prototype._read = function() {
      this._debug.segment = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.segment = new Clong(this._io, this, this._root);
      this.segment._read();
      this._debug.segment.end = this._io.pos;
      this._debug.container = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.container = new Clong(this._io, this, this._root);
      this.container._read();
      this._debug.container.end = this._io.pos;
      this._debug.page = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.page = new Clong(this._io, this, this._root);
      this.page._read();
      this._debug.page.end = this._io.pos;
      this._debug.pageVersion = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.pageVersion = new Clong(this._io, this, this._root);
      this.pageVersion._read();
      this._debug.pageVersion.end = this._io.pos;
      this._debug.recordId = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.recordId = new Cint(this._io, this, this._root);
      this.recordId._read();
      this._debug.recordId.end = this._io.pos;
    }
    return LogicalUndo;
  })();
  var PhysicalUndo = DerbyBody.PhysicalUndo = (function() {
    function PhysicalUndo(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    PhysicalUndo.prototype._read = function() {
      this._debug.segment = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.segment = new Clong(this._io, this, this._root);
      this.segment._read();
      this._debug.segment.end = this._io.pos;
      this._debug.container = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.container = new Clong(this._io, this, this._root);
      this.container._read();
      this._debug.container.end = this._io.pos;
      this._debug.page = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.page = new Clong(this._io, this, this._root);
      this.page._read();
      this._debug.page.end = this._io.pos;
      this._debug.pageVersion = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.pageVersion = new Clong(this._io, this, this._root);
      this.pageVersion._read();
      this._debug.pageVersion.end = this._io.pos;
    }
    return PhysicalUndo;
  })();
  var Purge = DerbyBody.Purge = (function() {
    function Purge(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Purge.prototype._read = function() {
      this._debug.segment = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.segment = new Clong(this._io, this, this._root);
      this.segment._read();
      this._debug.segment.end = this._io.pos;
      this._debug.container = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.container = new Clong(this._io, this, this._root);
      this.container._read();
      this._debug.container.end = this._io.pos;
      this._debug.page = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.page = new Clong(this._io, this, this._root);
      this.page._read();
      this._debug.page.end = this._io.pos;
      this._debug.pageVersion = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.pageVersion = new Clong(this._io, this, this._root);
      this.pageVersion._read();
      this._debug.pageVersion.end = this._io.pos;
      this._debug.slot = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.slot = new Cint(this._io, this, this._root);
      this.slot._read();
      this._debug.slot.end = this._io.pos;
      this._debug.count = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.count = new Cint(this._io, this, this._root);
      this.count._read();
      this._debug.count.end = this._io.pos;
      this._debug.rows = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this._debug.rows.arr = [];
      this.rows = [];
      for (var i = 0; i < this.count.value; i++) {
        this._debug.rows.arr[i] = { start: this._io.pos, ioOffset: this._io.byteOffset };
        var _t_rows = new PurgeRows(this._io, this, this._root);
        try {
          _t_rows._read();
        } finally {
          this.rows.push(_t_rows);
        }
        this._debug.rows.arr[i].end = this._io.pos;
      }
      this._debug.rows.end = this._io.pos;
    }
    return Purge;
  })();
  var PurgeRows = DerbyBody.PurgeRows = (function() {
    function PurgeRows(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    PurgeRows.prototype._read = function() {
      this._debug.recordId = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.recordId = new Cint(this._io, this, this._root);
      this.recordId._read();
      this._debug.recordId.end = this._io.pos;
    }
    return PurgeRows;
  })();
  var RemoveFile = DerbyBody.RemoveFile = (function() {
    function RemoveFile(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    RemoveFile.prototype._read = function() {
      this._debug.fileName = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.fileName = new Utf(this._io, this, this._root);
      this.fileName._read();
      this._debug.fileName.end = this._io.pos;
      this._debug.generation = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.generation = this._io.readS8be();
      this._debug.generation.end = this._io.pos;
      this._debug.atOnce = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.atOnce = this._io.readU1();
      this._debug.atOnce.end = this._io.pos;
    }
    return RemoveFile;
  })();
  var SetReservedSpace = DerbyBody.SetReservedSpace = (function() {
    function SetReservedSpace(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    SetReservedSpace.prototype._read = function() {
      this._debug.segment = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.segment = new Clong(this._io, this, this._root);
      this.segment._read();
      this._debug.segment.end = this._io.pos;
      this._debug.container = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.container = new Clong(this._io, this, this._root);
      this.container._read();
      this._debug.container.end = this._io.pos;
      this._debug.page = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.page = new Clong(this._io, this, this._root);
      this.page._read();
      this._debug.page.end = this._io.pos;
      this._debug.pageVersion = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.pageVersion = new Clong(this._io, this, this._root);
      this.pageVersion._read();
      this._debug.pageVersion.end = this._io.pos;
      this._debug.slot = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.slot = new Cint(this._io, this, this._root);
      this.slot._read();
      this._debug.slot.end = this._io.pos;
      this._debug.recordId = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.recordId = new Cint(this._io, this, this._root);
      this.recordId._read();
      this._debug.recordId.end = this._io.pos;
      this._debug.newReserved = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.newReserved = new Cint(this._io, this, this._root);
      this.newReserved._read();
      this._debug.newReserved.end = this._io.pos;
      this._debug.oldReserved = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.oldReserved = new Cint(this._io, this, this._root);
      this.oldReserved._read();
      this._debug.oldReserved.end = this._io.pos;
    }
    return SetReservedSpace;
  })();
  var TransactionEntry = DerbyBody.TransactionEntry = (function() {
    function TransactionEntry(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    TransactionEntry.prototype._read = function() {
      this._debug.transaction = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.transaction = new TransactionIdOrNothing(this._io, this, this._root);
      this.transaction._read();
      this._debug.transaction.end = this._io.pos;
      this._debug.globalId = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.globalId = new GlobalIdOrNothing(this._io, this, this._root);
      this.globalId._read();
      this._debug.globalId.end = this._io.pos;
      this._debug.first = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.first = new LogCounterOrNothing(this._io, this, this._root);
      this.first._read();
      this._debug.first.end = this._io.pos;
      this._debug.last = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.last = new LogCounterOrNothing(this._io, this, this._root);
      this.last._read();
      this._debug.last.end = this._io.pos;
      this._debug.status = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.status = this._io.readS4be();
      this._debug.status.end = this._io.pos;
    }
    return TransactionEntry;
  })();
  var TransactionEntryObject = DerbyBody.TransactionEntryObject = (function() {
    function TransactionEntryObject(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    TransactionEntryObject.prototype._read = function() {
      this._debug.objectId = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.objectId = this._io.readU2be();
      this._debug.objectId.end = this._io.pos;
      if (!( ((this.objectId == 261)) )) {
        var _err = new KaitaiStream.ValidationNotAnyOfError(this.objectId, this._io, "/types/transaction_entry_object/seq/0");
        this._debug.objectId.validationError = _err;
        throw _err;
      }
      this._debug.transactionEntry = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.transactionEntry = new TransactionEntry(this._io, this, this._root);
      this.transactionEntry._read();
      this._debug.transactionEntry.end = this._io.pos;
    }
    return TransactionEntryObject;
  })();
  var TransactionId = DerbyBody.TransactionId = (function() {
    function TransactionId(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    TransactionId.prototype._read = function() {
      this._debug.number = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.number = new Clong(this._io, this, this._root);
      this.number._read();
      this._debug.number.end = this._io.pos;
    }
    return TransactionId;
  })();
  var TransactionIdOrNothing = DerbyBody.TransactionIdOrNothing = (function() {
    function TransactionIdOrNothing(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    TransactionIdOrNothing.prototype._read = function() {
      this._debug.objectId = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.objectId = this._io.readU2be();
      this._debug.objectId.end = this._io.pos;
      if (!( ((this.objectId == 0) || (this.objectId == 147)) )) {
        var _err = new KaitaiStream.ValidationNotAnyOfError(this.objectId, this._io, "/types/transaction_id_or_nothing/seq/0");
        this._debug.objectId.validationError = _err;
        throw _err;
      }
      if (this.objectId != 0) {
        this._debug.transactionId = { start: this._io.pos, ioOffset: this._io.byteOffset };
        this.transactionId = new TransactionId(this._io, this, this._root);
        this.transactionId._read();
        this._debug.transactionId.end = this._io.pos;
      }
    }
    return TransactionIdOrNothing;
  })();
  var TransactionTable = DerbyBody.TransactionTable = (function() {
    function TransactionTable(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    TransactionTable.prototype._read = function() {
      this._debug.count = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.count = new Cint(this._io, this, this._root);
      this.count._read();
      this._debug.count.end = this._io.pos;
      this._debug.entries = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this._debug.entries.arr = [];
      this.entries = [];
      for (var i = 0; i < this.count.value; i++) {
        this._debug.entries.arr[i] = { start: this._io.pos, ioOffset: this._io.byteOffset };
        var _t_entries = new TransactionTableEntries(this._io, this, this._root);
        try {
          _t_entries._read();
        } finally {
          this.entries.push(_t_entries);
        }
        this._debug.entries.arr[i].end = this._io.pos;
      }
      this._debug.entries.end = this._io.pos;
    }
    return TransactionTable;
  })();
  var TransactionTableEntries = DerbyBody.TransactionTableEntries = (function() {
    function TransactionTableEntries(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    TransactionTableEntries.prototype._read = function() {
      this._debug.entry = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.entry = new TransactionEntryObject(this._io, this, this._root);
      this.entry._read();
      this._debug.entry.end = this._io.pos;
    }
    return TransactionTableEntries;
  })();
  var TransactionTableObject = DerbyBody.TransactionTableObject = (function() {
    function TransactionTableObject(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    TransactionTableObject.prototype._read = function() {
      this._debug.objectId = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.objectId = this._io.readU2be();
      this._debug.objectId.end = this._io.pos;
      if (!( ((this.objectId == 262)) )) {
        var _err = new KaitaiStream.ValidationNotAnyOfError(this.objectId, this._io, "/types/transaction_table_object/seq/0");
        this._debug.objectId.validationError = _err;
        throw _err;
      }
      this._debug.transactionTable = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.transactionTable = new TransactionTable(this._io, this, this._root);
      this.transactionTable._read();
      this._debug.transactionTable.end = this._io.pos;
    }
    return TransactionTableObject;
  })();
  var Update = DerbyBody.Update = (function() {
    function Update(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    Update.prototype._read = function() {
      this._debug.segment = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.segment = new Clong(this._io, this, this._root);
      this.segment._read();
      this._debug.segment.end = this._io.pos;
      this._debug.container = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.container = new Clong(this._io, this, this._root);
      this.container._read();
      this._debug.container.end = this._io.pos;
      this._debug.page = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.page = new Clong(this._io, this, this._root);
      this.page._read();
      this._debug.page.end = this._io.pos;
      this._debug.pageVersion = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.pageVersion = new Clong(this._io, this, this._root);
      this.pageVersion._read();
      this._debug.pageVersion.end = this._io.pos;
      this._debug.slot = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.slot = new Cint(this._io, this, this._root);
      this.slot._read();
      this._debug.slot.end = this._io.pos;
      this._debug.recordId = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.recordId = new Cint(this._io, this, this._root);
      this.recordId._read();
      this._debug.recordId.end = this._io.pos;
    }
    return Update;
  })();
  var UpdateField = DerbyBody.UpdateField = (function() {
    function UpdateField(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    UpdateField.prototype._read = function() {
      this._debug.segment = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.segment = new Clong(this._io, this, this._root);
      this.segment._read();
      this._debug.segment.end = this._io.pos;
      this._debug.container = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.container = new Clong(this._io, this, this._root);
      this.container._read();
      this._debug.container.end = this._io.pos;
      this._debug.page = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.page = new Clong(this._io, this, this._root);
      this.page._read();
      this._debug.page.end = this._io.pos;
      this._debug.pageVersion = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.pageVersion = new Clong(this._io, this, this._root);
      this.pageVersion._read();
      this._debug.pageVersion.end = this._io.pos;
      this._debug.recordId = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.recordId = new Cint(this._io, this, this._root);
      this.recordId._read();
      this._debug.recordId.end = this._io.pos;
      this._debug.undo = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.undo = new IndexUndoOrNothing(this._io, this, this._root);
      this.undo._read();
      this._debug.undo.end = this._io.pos;
      this._debug.slot = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.slot = new Cint(this._io, this, this._root);
      this.slot._read();
      this._debug.slot.end = this._io.pos;
      this._debug.column = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.column = new Cint(this._io, this, this._root);
      this.column._read();
      this._debug.column.end = this._io.pos;
    }
    return UpdateField;
  })();
  var Utf = DerbyBody.Utf = (function() {
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
  return DerbyBody;
})();
DerbyBody_.DerbyBody = DerbyBody;
});
// This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
(function (root, factory) {
  if (typeof define === 'function' && define.amd) {
    define(['exports', 'kaitai-struct/KaitaiStream'], factory);
  } else if (typeof exports === 'object' && exports !== null && typeof exports.nodeType !== 'number') {
    factory(exports, require('kaitai-struct/KaitaiStream'));
  } else {
    factory(root.DerbyLog || (root.DerbyLog = {}), root.KaitaiStream);
  }
})(typeof self !== 'undefined' ? self : this, function (DerbyLog_, KaitaiStream) {
var DerbyLog = (function() {
  function DerbyLog(_io, _parent, _root) {
    this._io = _io;
    this._parent = _parent;
    this._root = _root || this;
    this._debug = {};
  }
  DerbyLog.prototype._read = function() {
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
    if (this._io.size - this._io.pos >= 4) {
      this._debug.endMarker = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.endMarker = this._io.readS4be();
      this._debug.endMarker.end = this._io.pos;
      if (!(this.endMarker == 0)) {
        var _err = new KaitaiStream.ValidationNotEqualError(0, this.endMarker, this._io, "/seq/2");
        this._debug.endMarker.validationError = _err;
        throw _err;
      }
    }
    this._debug.rest = { start: this._io.pos, ioOffset: this._io.byteOffset };
    this.rest = this._io.readBytesFull();
    this._debug.rest.end = this._io.pos;
  }
  var ControlFile = DerbyLog.ControlFile = (function() {
    function ControlFile(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    ControlFile.prototype._read = function() {
      this._debug.formatId = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.formatId = this._io.readS4be();
      this._debug.formatId.end = this._io.pos;
      if (!(this.formatId >= 128)) {
        var _err = new KaitaiStream.ValidationLessThanError(128, this.formatId, this._io, "/types/control_file/seq/0");
        this._debug.formatId.validationError = _err;
        throw _err;
      }
      if (!(this.formatId <= 128)) {
        var _err = new KaitaiStream.ValidationGreaterThanError(128, this.formatId, this._io, "/types/control_file/seq/0");
        this._debug.formatId.validationError = _err;
        throw _err;
      }
      this._debug.version = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.version = this._io.readS4be();
      this._debug.version.end = this._io.pos;
      this._debug.checkpoint = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.checkpoint = this._io.readS8be();
      this._debug.checkpoint.end = this._io.pos;
      this._debug.major = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.major = this._io.readS4be();
      this._debug.major.end = this._io.pos;
      this._debug.minor = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.minor = this._io.readS4be();
      this._debug.minor.end = this._io.pos;
      this._debug.build = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.build = this._io.readS4be();
      this._debug.build.end = this._io.pos;
      this._debug.flags = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.flags = this._io.readU1();
      this._debug.flags.end = this._io.pos;
      this._debug.spare = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.spare = this._io.readBytes(11);
      this._debug.spare.end = this._io.pos;
      this._debug.checksum = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.checksum = this._io.readS8be();
      this._debug.checksum.end = this._io.pos;
    }
    return ControlFile;
  })();
  var ControlFileOf2005 = DerbyLog.ControlFileOf2005 = (function() {
    function ControlFileOf2005(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    ControlFileOf2005.prototype._read = function() {
      this._debug.formatId = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.formatId = this._io.readS4be();
      this._debug.formatId.end = this._io.pos;
      this._debug.version = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.version = this._io.readS4be();
      this._debug.version.end = this._io.pos;
      this._debug.checkpoint = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.checkpoint = this._io.readS8be();
      this._debug.checkpoint.end = this._io.pos;
      this._debug.jbmsVersion = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.jbmsVersion = this._io.readS4be();
      this._debug.jbmsVersion.end = this._io.pos;
      this._debug.checkpointInterval = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.checkpointInterval = this._io.readS4be();
      this._debug.checkpointInterval.end = this._io.pos;
      this._debug.spare = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.spare = this._io.readBytes(24);
      this._debug.spare.end = this._io.pos;
    }
    return ControlFileOf2005;
  })();
  var FileHeader = DerbyLog.FileHeader = (function() {
    function FileHeader(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._debug = {};
    }
    FileHeader.prototype._read = function() {
      this._debug.formatId = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.formatId = this._io.readS4be();
      this._debug.formatId.end = this._io.pos;
      if (!(this.formatId >= 128)) {
        var _err = new KaitaiStream.ValidationLessThanError(128, this.formatId, this._io, "/types/file_header/seq/0");
        this._debug.formatId.validationError = _err;
        throw _err;
      }
      if (!(this.formatId <= 128)) {
        var _err = new KaitaiStream.ValidationGreaterThanError(128, this.formatId, this._io, "/types/file_header/seq/0");
        this._debug.formatId.validationError = _err;
        throw _err;
      }
      this._debug.version = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.version = this._io.readS4be();
      this._debug.version.end = this._io.pos;
      this._debug.number = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.number = this._io.readS8be();
      this._debug.number.end = this._io.pos;
      if (!(this.number >= 1)) {
        var _err = new KaitaiStream.ValidationLessThanError(1, this.number, this._io, "/types/file_header/seq/2");
        this._debug.number.validationError = _err;
        throw _err;
      }
      this._debug.previous = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.previous = this._io.readS8be();
      this._debug.previous.end = this._io.pos;
    }
    return FileHeader;
  })();
  var Record = DerbyLog.Record = (function() {
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
      if (!(this.length >= 1)) {
        var _err = new KaitaiStream.ValidationLessThanError(1, this.length, this._io, "/types/record/seq/0");
        this._debug.length.validationError = _err;
        throw _err;
      }
      this._debug.instant = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.instant = this._io.readS8be();
      this._debug.instant.end = this._io.pos;
      this._debug.body = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.body = this._io.readBytes(this.length);
      this._debug.body.end = this._io.pos;
      this._debug.lengthAgain = { start: this._io.pos, ioOffset: this._io.byteOffset };
      this.lengthAgain = this._io.readS4be();
      this._debug.lengthAgain.end = this._io.pos;
      if (!(this.lengthAgain == this.length)) {
        var _err = new KaitaiStream.ValidationNotEqualError(this.length, this.lengthAgain, this._io, "/types/record/seq/3");
        this._debug.lengthAgain.validationError = _err;
        throw _err;
      }
    }
    return Record;
  })();
  var Slot = DerbyLog.Slot = (function() {
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
    Object.defineProperty(Slot.prototype, 'isRecord', {
      get: function() {
        if (this._m_isRecord !== undefined)
          return this._m_isRecord;
        this._debug._m_isRecord = {  };
        this._m_isRecord =  ((this.room >= 4) && (this.nextLength != 0)) ;
        return this._m_isRecord;
      }
    });
    Object.defineProperty(Slot.prototype, 'nextLength', {
      get: function() {
        if (this._m_nextLength !== undefined)
          return this._m_nextLength;
        if (this.room >= 4) {
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
  return DerbyLog;
})();
DerbyLog_.DerbyLog = DerbyLog;
});
});
