// What reads a file on the page that reads files: the parsers made from the .ksy files, in a worker.
//
// A function in `journalspecCode` is part of the worker's program (see try.js), after the parsers there.
// A file is walked through once, record by record; what was walked through is forgotten, so memory does
// not grow with the file. Of its records the first ROWS are kept with their fields.
(globalThis.journalspecCode ||= []).push(function () {
  "use strict";
  /** Records that are listed, and fields of one record. */
  const ROWS = 2000;
  const FIELDS = 1000;
  /** Parts that a record may have, and bytes of its content, or it is for the command line. */
  const PARTS = 100000;
  const CONTENT = 1 << 20;
  /** Bytes of a message, and of all in a file, that are taken apart: a long list of small parts takes time. */
  const MESSAGE = 1 << 16;
  const MESSAGES = 4 << 20;
  /** Records after which an edition has been tried. */
  const TRIED = 300;
  /** Larger files are not for a browser. */
  const LARGEST = 256 * 1024 * 1024;
  /** Bytes of a value that are shown. */
  const SHOWN = 32;
  /** Damaged places that are listed. */
  const PLACES = 20;

  const camel = (name) => name.replace(/_([a-z0-9])/g, (_, letter) => letter.toUpperCase());
  const snake = (name) => name.replace(/[A-Z]/g, (letter) => "_" + letter.toLowerCase());
  const pascal = (name) => camel("_" + name);
  const isTree = (value) => value !== null && typeof value === "object" && "_io" in value;
  const GARBAGE = Uint8Array.from({ length: 2048 }, (_, index) => 165 + index * 83);
  const TOO_LONG = new Error("too many parts");
  const ENOUGH = new Error("enough records");

  function hex(bytes) {
    const shown = Array.from(bytes.subarray(0, SHOWN), (byte) => byte.toString(16).padStart(2, "0")).join(" ");
    return bytes.length > SHOWN ? `${shown} … (${bytes.length} bytes)` : shown;
  }

  function text(bytes) {
    const shown = Array.from(bytes.subarray(0, SHOWN), (byte) =>
      byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : ".").join("");
    return bytes.length > SHOWN ? `${shown}…` : shown;
  }

  function unsigned(bytes) {
    let value = 0n;
    for (const byte of bytes) value = (value << 8n) | BigInt(byte);
    return value;
  }

  /** A number of seven bits in each byte, the lowest first. */
  const varint = (bytes) => bytes.reduceRight((value, byte) => (value << 7n) | BigInt(byte & 0x7f), 0n);

  /** A number as it is stored: the runtime rounds those of 8 bytes, and some negative ones are wrong there. */
  const integer = (value, bytes) =>
    bytes.length === 8 ? String(BigInt.asIntN(64, unsigned(bytes))) : String(value);

  // --- checksums -------------------------------------------------------------------------------------------

  const TABLE = Uint32Array.from({ length: 256 }, (_, value) => {
    for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
    return value;
  });

  function crc32(...parts) {
    let crc = 0xffffffff;
    for (const part of parts) for (const byte of part) crc = TABLE[(crc ^ byte) & 0xff] ^ (crc >>> 8);
    return (crc ^ 0xffffffff) >>> 0;
  }

  function adler32(bytes) {
    let [low, high] = [1, 0];
    for (const byte of bytes) {
      low = (low + byte) % 65521;
      high = (high + low) % 65521;
    }
    return high * 65536 + low;
  }

  /** Where a part of a tree is: [start, end]; `path` is `part.field`. */
  function place(tree, path) {
    const names = path.split(".").map(camel);
    for (const name of names.slice(0, -1)) tree = tree[name];
    const at = tree._debug[names.at(-1)];
    return [at.ioOffset + at.start, at.ioOffset + at.end];
  }

  const numberBytes = (value, size) =>
    Uint8Array.from({ length: size }, (_, index) => (value >>> (8 * (size - 1 - index))) & 0xff);

  /** Rules by name: (tree, bytes, rule, [start, end]) -> whether the checksum matches; undefined: there is none. */
  const RULES = {
    /** The CRC-32 of a field, or of all before the checksum. */
    crc32(tree, bytes, rule, [start]) {
      if (rule.where && !tree[camel(rule.where)]) return undefined;
      const own = place(tree, rule.field);
      const covered = rule.covers ? place(tree, rule.covers) : [start, own[0]];
      return unsigned(bytes.subarray(...own)) === BigInt(crc32(bytes.subarray(...covered)));
    },
    adler32(tree, bytes, rule) {
      const stored = unsigned(bytes.subarray(...place(tree, rule.field)));
      return stored === 0n ? undefined : stored === BigInt(adler32(bytes.subarray(...place(tree, rule.covers))));
    },
    /** The record says how many bytes after it its checksum covers. */
    crc32_of_next(tree, bytes, rule, [, end]) {
      const [size, stored] = [tree[camel(rule.size)], tree[camel(rule.field)]];
      if (size < 0 || end + size > bytes.length) return false;
      return stored === crc32(bytes.subarray(end, end + size));
    },
    /** Names go in once each, sorted; the checksum itself and the length of gtrid do not. */
    names_as_set(tree, bytes, rule, [start]) {
      const { payload } = tree;
      const plain = payload.names.map((each) => Array.from(each.name, (byte) =>
        byte < 0x80 ? String.fromCharCode(byte) : "�").join(""));
      const names = [...new Set(plain)].sort().map((name) =>
        Uint8Array.from(name, (letter) => letter === "�" ? 0x3f : letter.charCodeAt(0)));
      const [crc, after] = place(tree, "crc32");
      const covered = [bytes.subarray(start, crc), bytes.subarray(after, place(tree, "payload")[0]), payload.gtrid,
        numberBytes(names.length, 4), ...names.flatMap((name) => [numberBytes(name.length, 2), name]), tree.endRecord];
      return unsigned(bytes.subarray(crc, after)) === BigInt(crc32(...covered));
    },
  };

  // --- fields ----------------------------------------------------------------------------------------------

  /** Call `visit(name, value, start, end)` for what a tree read, in the order in which it was read. */
  function parts(tree, visit) {
    for (const [name, at] of Object.entries(tree._debug)) {
      const value = tree[name];
      if (name.startsWith("_") || value === undefined || (!at.arr && at.end === undefined)) continue;
      if (Array.isArray(value) && at.arr) {
        value.forEach((each, index) => {
          const own = at.arr[index];
          if (own && own.end !== undefined) visit(`${name}[${index}]`, each, own.ioOffset + own.start, own.ioOffset + own.end);
        });
      } else {
        visit(name, value, at.ioOffset + at.start, at.ioOffset + at.end);
      }
    }
  }

  /**
   * Put the fields of a record into `found`, those of its parts among them: {name, off, len, value, hex, text}.
   * A name has those of list elements before it, and of parts too if `every` is to be there.
   */
  function fields(tree, bytes, names, found = [], before = "", every = false) {
    parts(tree, (own, value, off, end) => {
      if (found.length >= FIELDS) return;
      const plain = own.replace(/\[.*/, "");
      const path = before + (names[plain] || snake(plain)) + own.slice(plain.length);
      if (isTree(value) && value._debug.groups) {
        const raw = bytes.subarray(off, end);
        found.push({ name: path, off, len: end - off, value: String(varint(raw)), hex: hex(raw), text: text(raw) });
      } else if (isTree(value)) {
        fields(value, bytes, names, found, every || own.includes("[") ? path + "." : before, every);
      } else {
        const raw = bytes.subarray(off, end);
        const shown = typeof value === "number" ? integer(value, raw) : typeof value === "string" ? value : "";
        found.push({ name: path, off, len: end - off, value: shown, hex: hex(raw), text: text(raw) });
      }
    });
    return found;
  }

  /** Tell whether a parser knew the types of all fields: where it does not, what follows is in the wrong place. */
  function isKnown(tree) {
    return Object.entries(tree._debug).every(([name, at]) => {
      if (name.startsWith("_")) return true;
      const values = at.arr ? tree[name] : [tree[name]];
      return values.every((value) => value !== undefined && (!isTree(value) || isKnown(value)));
    });
  }

  const named = (names) => Object.fromEntries(Object.entries(names).map(([ksy, name]) => [camel(ksy), name]));

  /** What the parser of a record's content makes of it: {tree, at}; undefined: nothing. */
  function innerOf(tree, entry, bytes) {
    if (!entry.inner.ksy) return undefined;
    let start, end;
    parts(tree, (name, _, off, until) => {
      if (name === camel(entry.inner.from ?? entry.inner.field)) start = off;
      if (name === camel(entry.inner.field)) end = until;
    });
    if (end === undefined || end - start > CONTENT) return undefined;
    const kind = globalThis[pascal(entry.inner.ksy)][pascal(entry.inner.ksy)];
    const inner = new kind(new KaitaiStream(bytes.slice(start, end)));
    try {
      inner._read();
    } catch {
      return undefined;
    }
    return { tree: inner, off: start, end };
  }

  /** What the parsers of contents make of a field that lies beside `values`: its fields; [] if no row applies. */
  function contentsOf(field, values, bytes, rows) {
    const data = bytes.slice(field.off, field.off + field.len);
    const row = rows.find((each) => each.field === field.name &&
      Object.entries(each.on).every(([name, number]) => values.some((one) => one.name === name && one.value === String(number))) &&
      each.starts.some((start) => hex(data).replaceAll(" ", "").startsWith(start)));
    for (const given of row?.given ?? []) {
      const whole = globalThis[pascal(row.ksy)][pascal(row.ksy)];
      const stream = new KaitaiStream(data);
      const tree = new (row.type ? whole[pascal(row.type)] : whole)(stream, null, null, ...given);
      try {
        tree._read();
      } catch {
        continue;
      }
      if (!stream.isEof() || !isKnown(tree)) continue;
      const found = fields(tree, data, {}, [], "", true).filter((each) => each.len > 0);
      for (const each of found) {
        // As in a hexdump: the last two names say what it is. `held` is what another field has chosen the type of.
        each.name = [field.name, ...each.name.replace(/\.held$/, "").split(".").slice(-2)].join(".");
        each.off += field.off;
      }
      return found;
    }
    return [];
  }

  function row(tree, inner, bytes, entry, off, end) {
    let values = fields(tree, bytes, named(entry.names));
    if (inner) {
      const { field: last, from = last, names = {}, without, hidden = [] } = entry.inner;
      const [at, to] = [from, last].map((name) => values.findIndex((field) => field.name === name));
      let own = fields(inner.tree, bytes.subarray(inner.off, inner.end), named(names), [], "", without !== undefined);
      own.forEach((field) => {
        field.off += inner.off;
        field.name = field.name.split(".").filter((part) => !without?.includes(part.replace(/\[.*/, ""))).join(".");
      });
      own = own.filter((field) => !hidden.includes(field.name.split(".").at(-1)));
      values = values.slice(0, at).concat(own, values.slice(to + 1));
    }
    const number = values.find((field) => field.name === entry.type_field);
    // Where no parser of the record sees the number, or the format has no numbers, no type is said.
    const type = number && Object.keys(entry.types).length > 0 ? entry.types[number.value] || "OTHER" : "";
    return { type, off, len: end - off, fields: values };
  }

  // --- the walk --------------------------------------------------------------------------------------------

  /** Leave of the lists of a tree only what is being read: all before it was seen. */
  function forget(tree) {
    for (const [name, at] of Object.entries(tree._debug)) {
      if (!at.arr || at.arr.length < 2) continue;
      const read = at.arr.length - 1;
      at.arr.splice(0, read);
      tree[name].splice(0, read);
    }
  }

  /**
   * What the parser of an edition makes of a file, up to `most` records. It stops at the first fault in a length, a
   * marker or a bound; after a wrong checksum it goes on. `told(record)` gets what is listed, `walked(off)` is progress.
   */
  function walk(bytes, format, edition, part, most, told = () => {}, walked = () => {}) {
    const entry = format.editions[edition];
    const whole = globalThis[pascal(entry.ksy)][pascal(entry.ksy)];
    const kinds = entry.records.map((name) => whole[pascal(name)]);
    const sums = new Map();
    for (const rule of format.sums) if (whole[pascal(rule.of)]) sums.set(whole[pascal(rule.of)], rule);
    const out = { format: format.id, edition, count: 0, covered: 0, listed: 0, matching: 0, header: [], damage: [], faults: 0, problem: "" };
    const damaged = (off, why) => {
      out.faults += 1;
      if (out.damage.length < PLACES) out.damage.push({ off, why });
    };
    const check = (rule, tree, at) => {
      const matches = RULES[rule.rule](tree, bytes, rule, at);
      if (matches) out.matching += 1;
      else if (matches === false) damaged(at[0], "the checksum does not match");
    };
    let [inside, open, left, room] = [false, 0, PARTS, MESSAGES];
    const undo = [];
    for (const kind of Object.values(whole).filter((each) => each.prototype?._read)) {
      const own = kind.prototype._read;
      undo.push(() => { kind.prototype._read = own; });
      kind.prototype._read = function () {
        if (inside) {
          left -= 1;
          if (left < 0) throw TOO_LONG;
          return own.call(this);
        }
        left = PARTS;
        const start = this._io.byteOffset + this._io.pos;
        if (this._parent) forget(this._parent);
        open = start;
        inside = kinds.includes(kind);
        try {
          own.call(this);
        } finally {
          inside = false;
        }
        const end = this._io.byteOffset + this._io.pos;
        if (sums.has(kind)) check(sums.get(kind), this, [start, end]);
        if (kinds.includes(kind)) {
          const inner = out.listed < ROWS || format.inner_sums.length ? innerOf(this, entry, bytes) : undefined;
          for (const rule of inner ? format.inner_sums : [])
            if (inner.tree[camel(rule.in)] instanceof inner.tree.constructor[pascal(rule.of)])
              check(rule, inner.tree[camel(rule.in)], [start, end]);
          out.count += 1;
          out.covered += end - start;
          if (out.listed < ROWS) {
            out.listed += 1;
            const found = row(this, inner, bytes, entry, start, end);
            found.fields = found.fields.flatMap((field) => {
              if (field.len > Math.min(room, MESSAGE) || !format.contents.some((each) => each.field === field.name)) return [field];
              room -= field.len;
              return [field, ...contentsOf(field, found.fields, bytes, format.contents)];
            });
            told(found);
          }
          if (out.count % 5000 === 0) walked(end);
          if (out.count >= most) throw ENOUGH;
        }
        open = end;
        return undefined;
      };
    }
    const stream = new KaitaiStream(bytes);
    const type = part ? whole[pascal(part)] : whole;
    const tree = new type(stream, null, null, ...(part ? [] : entry.params));
    try {
      tree._read();
      const end = format.end?.[entry.ksy] && tree[camel(format.end.field)];
      if (end && format.end[entry.ksy].includes(hex(end))) out.isEnded = true;
      else if (end) damaged(open, "neither a record nor an end of the log");
    } catch (error) {
      if (error === TOO_LONG) {
        out.isLong = true;
        out.problem = `the record at offset ${open} has too many parts for this page`;
      } else if (error !== ENOUGH) {
        out.problem = error instanceof RangeError || error.name === "EOFError" || /EndOfStream|requested/.test(error.message)
          ? "the file ends too early" : error.message;
        damaged(open, out.problem);
      }
    } finally {
      undo.forEach((each) => each());
    }
    parts(tree, (name, value) => {
      if (isTree(value) && name === "header") out.header = fields(value, bytes, named(entry.names));
    });
    if (part && !out.problem) out.header = fields(tree, bytes, {});
    return { ...out, stopped: open };
  }

  /** The part of a schema that a file with this name is: "" the whole; undefined: the name says nothing. */
  function partOf(file, names) {
    const found = Object.entries(names).find(([pattern]) => {
      const [before, after] = pattern.split("*");
      return after === undefined ? file === pattern
        : file.length >= before.length + after.length && file.startsWith(before) && file.endsWith(after);
    });
    return found?.[1];
  }

  /**
   * The parses worth showing. The format in whose records the most bytes are comes first: a few bytes look like a
   * record of another one now and then. Of its editions those without a fault, then those with more records.
   */
  function tries(bytes, formats, asked, file) {
    const byName = formats.filter((format) => partOf(file, format.named) !== undefined);
    const others = formats.filter((format) => !byName.includes(format));
    const groups = asked.format ? [formats.filter((format) => format.id === asked.format)] : [byName, others];
    let known = [];
    for (const format of groups[0].concat(groups[1] ?? [])) {
      if (known.length && groups[1]?.includes(format) && byName.length) break; // its name says what it is, and it is that
      const part = partOf(file, format.named) ?? "";
      for (const edition of part === "-" ? [] : Object.keys(format.editions)) {
        if (asked.edition && asked.edition !== edition) continue;
        const one = { ...walk(bytes, format, edition, part, TRIED), part, isDefault: edition === format.default };
        // Without a record, a header or an end is evidence only where the name says the same, and garbage has none.
        const isEvidence = one.isEnded || (one.header.length > 0 && walk(GARBAGE, format, edition, part, 1).header.length === 0);
        if (one.count > 0 || (isEvidence && (asked.format || byName.includes(format)))) known.push(one);
      }
    }
    const most = {};
    for (const one of known) most[one.format] = Math.max(most[one.format] || 0, one.covered);
    const rank = (one) => [most[one.format], -one.faults, one.count, one.header.length > 0, one.isDefault];
    known.sort((one, other) => {
      const [a, b] = [rank(one), rank(other)];
      for (let at = 0; at < a.length; at += 1) if (a[at] !== b[at]) return b[at] - a[at];
      return 0;
    });
    const other = byName.find((format) => partOf(file, format.named) === "-");
    return { known, byName: byName.map((format) => format.title), isOther: other !== undefined };
  }

  /** Read a file; `told(record)` gets each record that is listed, `walked(off)` how far it has come. */
  function read(bytes, formats, asked, file, told, walked) {
    const { known, byName, isOther } = tries(bytes, formats, asked, file);
    if (known.length === 0) return { size: bytes.length, byName, isOther, count: 0, damage: [], faults: 0 };
    const [first] = known;
    const alike = known.filter((one) => one !== first && one.format === first.format && one.count === first.count &&
      one.problem === first.problem && one.faults === first.faults).map((one) => one.edition);
    const format = formats.find((each) => each.id === first.format);
    return { size: bytes.length, alike, byName, ...walk(bytes, format, first.edition, first.part, Infinity, told, walked) };
  }

  globalThis.journalspecReader = { LARGEST, read };
});
