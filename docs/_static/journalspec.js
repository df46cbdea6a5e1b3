// Fields, from where they stand to what they are and back: a dump's line, the box in the diagram, the row of the
// table. Without this script nothing is lost but the way from one to the other.
"use strict";

(function () {
  /** Where the name of a field stands in a line of a dump: offset, 8 bytes, the same as text, with blanks between. */
  const NOTE_AT = 45;
  const dumps = new WeakMap();

  /** The bytes of a dump, each run with the name of its field: [[element, name]]. */
  function bytes(pre) {
    if (dumps.has(pre)) return dumps.get(pre);
    const found = [];
    let line = "", run = null, name = "";
    const end = () => {
      const note = line.slice(NOTE_AT).split(" ")[0];
      if (note) name = note;
      if (run) found.push([run, name]);
      [line, run] = ["", null];
    };
    for (const node of pre.childNodes) {
      const [first, ...others] = node.textContent.split("\n");
      line += first;
      if (node.nodeName === "B") run = node;
      if (node.nodeName === "U") [line, name] = ["", ""];
      for (const other of others) {
        end();
        line = other;
      }
    }
    end();
    dumps.set(pre, found);
    return found;
  }

  const plain = (name) => name.replace(/\[\d+\]/g, "");
  const isFields = (node) => node.closest("pre.jspec-hex-fields");

  /** The name of the field that an element is about; empty if it is about none. */
  function nameOf(target) {
    const pre = isFields(target);
    if (pre) return plain((bytes(pre).find(([run]) => run === target) || [null, ""])[1]);
    const box = target.closest("g[data-f]");
    if (box) return box.dataset.f;
    const row = target.closest("table.jspec-fields tbody tr");
    return row ? row.querySelector("td:nth-child(2) code").textContent : "";
  }

  /** Elements about a field within a section, or within one dump. */
  function* about(name, scope) {
    for (const pre of scope.matches("pre") ? [scope] : scope.querySelectorAll("pre.jspec-hex-fields"))
      for (const [run, own] of bytes(pre)) if (plain(own) === name || plain(own).split(".").includes(name)) yield run;
    for (const box of scope.querySelectorAll("g[data-f]")) if (box.dataset.f === name) yield box;
    for (const row of scope.querySelectorAll("table.jspec-fields tbody tr"))
      if (row.querySelector("td:nth-child(2) code").textContent === name) yield row;
  }

  let lit = [];
  function light(target) {
    for (const node of lit) node.classList.remove("jspec-on");
    lit = [];
    const name = nameOf(target);
    if (!name) return;
    const pre = isFields(target);
    const section = target.closest("section");
    const scope = section && section.querySelector("g[data-f]") ? section : pre || section;
    lit = [...about(name, scope)];
    for (const node of lit) node.classList.add("jspec-on");
    if (pre && !target.title) target.title = `${name}: click for what it is`;
  }

  /** Where the fields of the format that a page is about are told. */
  function schemas() {
    const found = location.href.match(/^(.*\/formats\/[^/]+)\//);
    return found && `${found[1]}/schemas.html`;
  }

  /** A name of a dump has an anchor under it, its last or its first part. */
  function land() {
    const asked = decodeURIComponent(location.hash.slice(1));
    if (!asked.startsWith("f-") || document.getElementById(asked)) return;
    const parts = asked.slice(2).split(".");
    for (const part of [parts[parts.length - 1], parts[0]]) {
      const found = document.getElementById(`f-${part}`);
      if (found) {
        location.replace(`#f-${part}`);
        return;
      }
    }
  }

  document.addEventListener("pointerover", (event) => event.target.closest && light(event.target));
  document.addEventListener("click", (event) => {
    const target = event.target;
    if (target.nodeName !== "B" || !isFields(target) || !schemas() || String(getSelection())) return;
    const name = nameOf(target);
    if (name) location.href = `${schemas()}#f-${name}`;
  });
  /** A column of a strip is called what the first cells of its row say. */
  function nameColumns() {
    for (const column of document.querySelectorAll(".jspec-strip a")) {
      const row = document.getElementById(column.hash.slice(1));
      column.title = Array.from(row.cells).slice(0, 2).map((cell) => cell.textContent).join(": ");
    }
  }

  addEventListener("hashchange", land);
  document.addEventListener("DOMContentLoaded", nameColumns);
  document.addEventListener("DOMContentLoaded", land);
})();
