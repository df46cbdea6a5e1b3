// The page that reads a file: the parsers made from the .ksy files, and what they say, as tables.
//
// Nothing is sent anywhere. Which parser an edition has, and what its records are called, stands in
// `journalspecFormats`, which the page brings along (see try_page.py).
"use strict";

(function () {
  /** Rows that are drawn at once: a browser is slow with more. */
  const ROWS = 500;
  /** Larger files are not for a browser. */
  const LARGEST = 256 * 1024 * 1024;
  /** Bytes of a value that are shown. */
  const SHOWN = 32;

  const camel = (name) => name.replace(/_([a-z0-9])/g, (_, letter) => letter.toUpperCase());
  const snake = (name) => name.replace(/[A-Z]/g, (letter) => "_" + letter.toLowerCase());
  const pascal = (name) => camel("_" + name);
  const isTree = (value) => value !== null && typeof value === "object" && "_io" in value;

  function hex(bytes) {
    const shown = Array.from(bytes.subarray(0, SHOWN), (byte) => byte.toString(16).padStart(2, "0")).join(" ");
    return bytes.length > SHOWN ? `${shown} … (${bytes.length} bytes)` : shown;
  }

  function text(bytes) {
    const shown = Array.from(bytes.subarray(0, SHOWN), (byte) =>
      byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : ".").join("");
    return bytes.length > SHOWN ? `${shown}…` : shown;
  }

  /** A number as it is stored: the runtime rounds those of 8 bytes. */
  function integer(value, bytes) {
    if (bytes.length !== 8 || Number.isSafeInteger(value)) return String(value);
    let exact = 0n;
    for (const byte of bytes) exact = (exact << 8n) | BigInt(byte);
    return String(value < 0 ? BigInt.asIntN(64, exact) : exact);
  }

  /** Call `visit(name, value, start, end)` for what a tree read, in the order in which it was read. */
  function parts(tree, visit) {
    for (const [name, place] of Object.entries(tree._debug)) {
      const value = tree[name];
      if (name.startsWith("_") || value === undefined || !tree._debug[name].arr && place.end === undefined) continue;
      if (Array.isArray(value) && place.arr) {
        value.forEach((each, index) => {
          const at = place.arr[index];
          if (at && at.end !== undefined) visit(`${name}[${index}]`, each, at.ioOffset + at.start, at.ioOffset + at.end);
        });
      } else {
        visit(name, value, place.ioOffset + place.start, place.ioOffset + place.end);
      }
    }
  }

  /** The fields of a record, those of its parts among them: [{name, off, len, value}]. */
  function fields(tree, bytes, names, before = "") {
    const found = [];
    parts(tree, (own, value, off, end) => {
      const plain = own.replace(/\[.*/, "");
      const path = before + (names[plain] || snake(plain)) + own.slice(plain.length);
      if (isTree(value)) {
        // A part is nothing to people, an element of a list is.
        found.push(...fields(value, bytes, names, own.includes("[") ? path + "." : before));
      } else {
        const raw = bytes.subarray(off, end);
        const told = typeof value === "number" ? integer(value, raw) : typeof value === "string" ? value : "";
        found.push({ name: path, off, len: end - off, value: told });
      }
    });
    return found;
  }

  const named = (names) => Object.fromEntries(Object.entries(names).map(([ksy, name]) => [camel(ksy), name]));

  /** The fields of a record, and those of its bytes that have a parser of their own, if that makes sense of them. */
  function allFields(tree, bytes, entry) {
    const values = fields(tree, bytes, named(entry.names));
    const at = values.findIndex((field) => field.name === entry.inner.field);
    if (at < 0) return values;
    const { off, len } = values[at];
    const inner = new globalThis[pascal(entry.inner.ksy)][pascal(entry.inner.ksy)](
      new KaitaiStream(bytes.slice(off, off + len)));
    try {
      inner._read();
    } catch {
      return values;
    }
    const own = fields(inner, bytes.subarray(off, off + len), named(entry.inner.names));
    own.forEach((field) => { field.off += off; });
    return [...values.slice(0, at), ...own, ...values.slice(at + 1)];
  }

  /** All records below a tree, those of several kinds, and where each stands. */
  function records(tree, kinds, found) {
    const pending = [[tree, 0, 0]];
    while (pending.length) {
      const [node, off, end] = pending.pop();
      if (kinds.some((kind) => node instanceof kind)) {
        found.push({ off, len: end - off, tree: node });
        continue;
      }
      parts(node, (_, value, start, stop) => {
        if (isTree(value)) pending.push([value, start, stop]);
      });
    }
    found.sort((one, other) => one.off - other.off);
    return found;
  }

  /** What the parser of an edition makes of a file. A parser stops at the first fault: what it has read counts. */
  function read(bytes, format, edition) {
    const entry = format.editions[edition];
    const whole = globalThis[pascal(entry.ksy)][pascal(entry.ksy)];
    const stream = new KaitaiStream(bytes);
    const tree = new whole(stream, null, null, ...entry.params);
    let problem = "";
    try {
      tree._read();
    } catch (error) {
      problem = error instanceof RangeError || error.name === "EOFError" ? "the file ends too early" : error.message;
    }
    const kinds = entry.records.map((name) => whole[pascal(name)]);
    const found = records(tree, kinds, []).map(({ off, len, tree: record }) => {
      const values = allFields(record, bytes, entry);
      const number = values.find((field) => field.name === entry.type_field);
      // Where no parser of the record sees the number, or the format has no numbers, no type is said.
      const told = number && Object.keys(entry.types).length > 0;
      const type = told ? entry.types[number.value] || "OTHER" : "";
      return { type, off, len, fields: values };
    });
    let head = [];
    parts(tree, (name, value, off, end) => {
      if (isTree(value) && name === "header") head = fields(value, bytes, named(entry.names));
    });
    return { format: format.id, edition, records: found, header: head, problem, stopped: stream.pos };
  }

  /** Whether a file has one of the names that a format's files have, if they have names. */
  function isCalled(file, patterns) {
    return patterns.length === 0 || patterns.some((pattern) => {
      const [before, behind] = pattern.split("*");
      return behind === undefined ? file === pattern : file.startsWith(before) && file.endsWith(behind);
    });
  }

  /**
   * The parses worth showing. The format in whose records the most bytes stand comes first: a few bytes look like a
   * record of another one now and then. Of its editions those without a fault, then those with more records.
   */
  function best(bytes, formats, asked, file) {
    const tried = [];
    for (const format of formats) {
      if (asked.format ? asked.format !== format.id : !isCalled(file, format.called)) continue;
      for (const edition of Object.keys(format.editions)) {
        if (asked.edition && asked.edition !== edition) continue;
        tried.push(read(bytes, format, edition));
      }
    }
    const most = {};
    for (const one of tried) {
      const bytes = one.records.reduce((sum, record) => sum + record.len, 0);
      most[one.format] = Math.max(most[one.format] || 0, bytes);
    }
    const rank = (one) =>
      [most[one.format], one.records.length > 0 && !one.problem, one.records.length, !one.problem];
    tried.sort((one, other) => {
      const [a, b] = [rank(one), rank(other)];
      for (let at = 0; at < a.length; at += 1) if (a[at] !== b[at]) return b[at] - a[at];
      return 0;
    });
    return tried;
  }

  function element(name, content, attributes = {}) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...[content].flat());
    return made;
  }

  function fieldTable(values, bytes) {
    const rows = values.map((field) => {
      const raw = bytes.subarray(field.off, field.off + field.len);
      return element("tr", [
        element("td", element("code", field.name)),
        element("td", `${field.off}, ${field.len}`),
        element("td", [field.value, " ", element("code", hex(raw)), " ", element("code", text(raw))]),
      ]);
    });
    const heads = ["Field", "Offset, length", "Value, bytes, text"].map((head) => Object.assign(element("th", head), { scope: "col" }));
    const table = element("table", [element("thead", element("tr", heads)), element("tbody", rows)],
      { class: "docutils jspec-table" });
    return element("div", table, { class: "table-wrapper" });
  }

  /** A box that makes its content when it is opened. */
  function box(head, make, attributes = {}) {
    const made = element("details", element("summary", head), { class: "jspec-details", ...attributes });
    made.addEventListener("toggle", () => {
      if (made.open && made.children.length === 1) made.append(make());
    });
    return made;
  }

  function show(file, bytes, tried) {
    const found = tried[0];
    const again = tried.slice(1).filter((one) => one.format === found.format &&
      one.records.length === found.records.length && one.problem === found.problem).map((one) => one.edition);
    const out = [element("h3", file)];
    const count = `${found.records.length} record${found.records.length === 1 ? "" : "s"}`;
    const same = again.length ? ` Read alike as ${again.join(", ")}.` : "";
    out.push(element("p", `${bytes.length} bytes, read as ${found.format}, edition ${found.edition}: ${count}.${same}`));
    if (found.problem)
      out.push(element("p", `The parser stopped: ${found.problem}. What it had read until then is below. ` +
        "That is not yet damage: behind a gap, a parser does not look for records. Ask the command line.",
        { class: "jspec-problem" }));
    if (found.header.length) out.push(box("header", () => fieldTable(found.header, bytes)));
    const draw = (from) => {
      const some = found.records.slice(from, from + ROWS).map((record) =>
        box(`${record.type || "record"} · ${record.len} bytes at ${record.off}`, () => fieldTable(record.fields, bytes),
          { "data-type": record.type, "data-off": record.off, "data-len": record.len }));
      const left = found.records.length - from - some.length;
      if (left > 0) {
        const more = element("button", `${left} more`, { type: "button" });
        more.addEventListener("click", () => more.replaceWith(...draw(from + ROWS)));
        some.push(more);
      }
      return some;
    };
    out.push(...draw(0));
    return element("section", out);
  }

  async function take(files, asked, output, said) {
    output.replaceChildren();
    said.length = 0;
    for (const file of files) {
      if (file.size > LARGEST) {
        output.append(element("p", `${file.name} has ${file.size} bytes: that is for the command line.`));
        continue;
      }
      const bytes = new Uint8Array(await file.arrayBuffer());
      const tried = best(bytes, journalspecFormats, asked, file.name);
      output.append(show(file.name, bytes, tried));
      said.push({ file: file.name, ...tried[0] });
    }
    output.dataset.files = String(files.length);
  }

  document.addEventListener("DOMContentLoaded", () => {
    const place = document.getElementById("try-here");
    const output = document.getElementById("try-found");
    const chosen = document.getElementById("try-file");
    const edition = document.getElementById("try-edition");
    const said = (globalThis.journalspecFound = []);
    for (const format of journalspecFormats)
      edition.append(element("optgroup", Object.keys(format.editions).map((name) =>
        element("option", name, { value: `${format.id} ${name}` })), { label: format.title }));
    const start = (files) => {
      const [format, name] = edition.value.split(" ");
      delete output.dataset.files;
      take([...files], { format, edition: name }, output, said).catch((error) => {
        output.append(element("p", `This page failed: ${error.message}`));
        output.dataset.files = "0";
      });
    };
    chosen.addEventListener("change", () => start(chosen.files));
    edition.addEventListener("change", () => chosen.files.length && start(chosen.files));
    for (const name of ["dragenter", "dragover"])
      place.addEventListener(name, (event) => {
        event.preventDefault();
        place.classList.add("over");
      });
    place.addEventListener("dragleave", () => place.classList.remove("over"));
    place.addEventListener("drop", (event) => {
      event.preventDefault();
      place.classList.remove("over");
      chosen.files = event.dataTransfer.files;
      start(chosen.files);
    });
    document.documentElement.classList.add("jspec-ready");
  });
})();
