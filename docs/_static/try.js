// The page that reads a file: it gives files to a worker and shows what that finds, as tables.
//
// Nothing is sent anywhere. Which parser an edition has, and what its records are called, is in
// `journalspecFormats`, which the page brings along (see try_page.py); the worker's program is in
// `journalspecCode` (try-reader.js and the parsers).
"use strict";

(function () {
  /** Rows that are drawn at once: a browser is slow with more. */
  const ROWS = 500;

  /** What the worker does, after its parts: it reads one file and reports records as it comes to them. */
  function work() {
    onmessage = async ({ data: { file, formats, asked } }) => {
      const { LARGEST, read } = journalspecReader;
      if (file.size > LARGEST) return postMessage({ done: { size: file.size, isLarge: true } });
      let some = [];
      const send = () => {
        postMessage({ records: some });
        some = [];
      };
      try {
        const bytes = new Uint8Array(await file.arrayBuffer());
        const told = (record) => some.push(record) === 500 && send();
        const done = read(bytes, formats, asked, file.name, told, (at) => postMessage({ at }));
        send();
        postMessage({ done });
      } catch (error) {
        postMessage({ error: error.message });
      }
      return undefined;
    };
  }

  let running;

  /** Read one file in a worker of its own; `walked(at)` is progress. */
  function read(file, asked, walked) {
    // A page that was opened from a disk may not start a worker from a file.
    const program = [...journalspecCode, work].map((each) => `(${each})();`).join("\n");
    const address = URL.createObjectURL(new Blob([program], { type: "text/javascript" }));
    const worker = new Worker(address);
    const records = [];
    return new Promise((resolve, reject) => {
      running = { worker, stop: () => reject(new Error("stopped")) };
      worker.onerror = (event) => reject(new Error(event.message || "the worker failed"));
      worker.onmessage = ({ data }) => {
        if (data.records) records.push(...data.records);
        else if (data.done) resolve({ ...data.done, records });
        else if (data.error) reject(new Error(data.error));
        else walked(data.at);
      };
      worker.postMessage({ file, formats: journalspecFormats, asked });
    }).finally(() => {
      worker.terminate();
      URL.revokeObjectURL(address);
    });
  }

  function element(name, content, attributes = {}) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...[content].flat());
    return made;
  }

  function fieldTable(values) {
    const rows = values.map((field) =>
      element("tr", [
        element("td", element("code", field.name)),
        element("td", `${field.off}, ${field.len}`),
        element("td", [field.value, " ", element("code", field.hex), " ", element("code", field.text)]),
      ]));
    const heads = ["Field", "Offset, length", "Value, bytes, text"].map((head) => Object.assign(element("th", head), { scope: "col" }));
    const table = element("table", [element("thead", element("tr", heads)), element("tbody", rows)],
      { class: "docutils jspec-table" });
    return element("div", table, { class: "table-wrapper" });
  }

  /** A box that makes its content when it is opened. */
  function box(head, make, attributes = {}) {
    const made = element("details", element("summary", head), attributes);
    made.addEventListener("toggle", () => {
      if (made.open && made.children.length === 1) made.append(make());
    });
    return made;
  }

  /** What an answer says in sentences: [text, whether it is a problem]. */
  function* sentences(found) {
    if (found.isLarge) {
      yield [`${found.size} bytes: use the command line for a file of this size.`, true];
      return;
    }
    if (!found.format) {
      const name = found.byName.length ? ` Its name is that of a file of ${found.byName.join(" or ")}.` : "";
      yield found.isOther
        ? [`${found.size} bytes.${name} This page reads logs only: use the command line for this file.`, true]
        : [`${found.size} bytes: none of the five formats was found.${name} For a damaged start of a file, use the command line.`, true];
      return;
    }
    const same = found.alike.length ? ` The same is read as ${found.alike.join(", ")}.` : "";
    const count = `${found.count} record${found.count === 1 ? "" : "s"}`;
    yield [`${found.size} bytes, read as ${found.format}, edition ${found.edition}: ${count}.${same}`, false];
    for (const { off, why } of found.damage) yield [`Damaged here: offset ${off}: ${why}.`, true];
    if (found.faults > found.damage.length) yield [`${found.faults - found.damage.length} more places are damaged.`, true];
    if (found.isLong) yield [`Not read to its end: ${found.problem}. Use the command line.`, true];
    else if (found.problem)
      yield ["The parser stopped there. It does not look for records after damage; the command line does.", true];
    const sums = found.matching === 0 ? "No checksum was found that could be verified."
      : `${found.matching} checksum${found.matching === 1 ? " matches" : "s match"}.`;
    const rest = found.size - found.stopped;
    yield [`${sums} The records that follow each other end at offset ${found.stopped}` +
      (rest > 0 ? `; the ${rest} bytes after that were not read.` : "."), false];
    if (found.count > found.listed)
      yield [`The first ${found.listed} records are listed; the command line lists all.`, false];
  }

  function show(file, found) {
    const out = [element("h3", file)];
    for (const [sentence, isProblem] of sentences(found))
      out.push(element("p", sentence, isProblem ? { class: "jspec-problem" } : {}));
    if (found.header?.length) out.push(box("header", () => fieldTable(found.header)));
    const draw = (from) => {
      const some = found.records.slice(from, from + ROWS).map((record) =>
        box(`${record.type || "record"} · ${record.len} bytes at ${record.off}`, () => fieldTable(record.fields),
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
      const state = element("p", `${file.name} is read …`);
      output.append(state);
      const found = await read(file, asked, (at) => {
        state.textContent = `${file.name} is read: ${Math.floor((100 * at) / file.size)} %`;
      });
      state.replaceWith(show(file.name, found));
      said.push({ file: file.name, ...found });
    }
    output.dataset.files = String(files.length);
  }

  document.addEventListener("DOMContentLoaded", () => {
    const area = document.getElementById("try-here");
    const output = document.getElementById("try-found");
    const chosen = document.getElementById("try-file");
    const edition = document.getElementById("try-edition");
    const said = (globalThis.journalspecFound = []);
    for (const format of journalspecFormats)
      edition.append(element("optgroup", Object.keys(format.editions).map((name) =>
        element("option", name, { value: `${format.id} ${name}` })), { label: format.title }));
    let turn = 0;
    const start = (files) => {
      const [format, name] = edition.value.split(" ");
      const mine = (turn += 1);
      running?.stop();
      delete output.dataset.files;
      take([...files], { format, edition: name }, output, said).catch((error) => {
        if (mine !== turn) return; // another file was chosen
        output.append(element("p", `This page failed: ${error.message}`));
        output.dataset.files = "0";
      });
    };
    chosen.addEventListener("change", () => start(chosen.files));
    edition.addEventListener("change", () => chosen.files.length && start(chosen.files));
    for (const name of ["dragenter", "dragover"])
      area.addEventListener(name, (event) => {
        event.preventDefault();
        area.classList.add("over");
      });
    area.addEventListener("dragleave", () => area.classList.remove("over"));
    area.addEventListener("drop", (event) => {
      event.preventDefault();
      area.classList.remove("over");
      chosen.files = event.dataTransfer.files;
      start(chosen.files);
    });
    document.documentElement.classList.add("jspec-ready");
  });
})();
