// Fields, from where they stand to what they are and back: a dump's line, the box in the diagram, the row of the
// table; by pointer and by keyboard. Without this script nothing is lost but the way from one to the other, and
// what a link to a requirement says before one follows it.
"use strict";

(function () {
  const root = document.currentScript.src.replace(/[^/]*$/, "");

  /** A line of a dump: offset, bytes, the same as text, name, value, with stops of the tabulator between. */
  const NAME = 3;
  const dumps = new WeakMap();

  /** The bytes of a dump, each run with the name of its field: [[element, name]]. */
  function bytes(pre) {
    if (dumps.has(pre)) return dumps.get(pre);
    const found = [];
    let line = "", run = null, name = "";
    const end = () => {
      const note = (line.split(/\t+/)[NAME] || "").trim();
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

  /** Go from the bytes of a field to what it is. */
  function follow(target) {
    const name = target.nodeName === "B" && isFields(target) && schemas() ? nameOf(target) : "";
    if (name) location.href = `${schemas()}#f-${name}`;
    return name;
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

  /** What links to requirements say, loaded when somebody first points at one. */
  let hints = null, asking = null;
  window.journalspecHints = (found) => {
    hints = found;
    if (asking) hint(asking);
  };
  function hint(link) {
    asking = link;
    if (hints) {
      link.title = hints[link.hash.slice(1)] || "";
    } else if (hints === null) {
      hints = undefined;
      document.head.append(Object.assign(document.createElement("script"), { src: `${root}hints.js` }));
    }
  }

  /** Of several links to one target only the first has a hint; the others take it over. */
  function repeat(link) {
    const first = document.querySelector(`a.jspec-ref[href="${link.getAttribute("href")}"][title]`);
    if (first) link.title = first.title;
  }

  /**
   * Boxes of many things: each is one stop of the tabulator key, and arrows lead through it. `walk` are the keys
   * for the next and the last one; a dump, which is wide, is scrolled by the others.
   */
  const UP_DOWN = ["ArrowDown", "ArrowUp"], LEFT_RIGHT = ["ArrowRight", "ArrowLeft"];
  const BOXES = [
    { box: "pre.jspec-hex-fields", things: (box) => bytes(box).map(([run]) => run), walk: UP_DOWN },
    { box: ".jspec-diagram svg", things: (box) => box.querySelectorAll("g[data-f]"), walk: [...UP_DOWN, ...LEFT_RIGHT] },
    { box: "table.jspec-fields", things: (box) => box.querySelectorAll("tbody tr"), walk: UP_DOWN },
    { box: ".jspec-strip", things: (box) => box.querySelectorAll("a"), walk: [...UP_DOWN, ...LEFT_RIGHT] },
  ];
  const kindOf = (node) => BOXES.find(({ box }) => node.matches(box));
  const current = new WeakMap();

  function walk(event, box) {
    const { things, walk: keys } = kindOf(box);
    const all = [...things(box)], at = all.indexOf(current.get(box)), way = keys.indexOf(event.key);
    let next = at;
    if (way >= 0) next = way % 2 ? Math.max(at - 1, 0) : Math.min(at + 1, all.length - 1);
    else if (event.key === "Home") next = 0;
    else if (event.key === "End") next = all.length - 1;
    else {
      if (event.key === "Enter" && at >= 0 && follow(all[at])) event.preventDefault();
      return;
    }
    event.preventDefault();
    event.stopPropagation();
    if (!all.length) return;
    current.set(box, all[next]);
    if (box.matches(".jspec-strip")) enter(box, all);
    else light(all[next]);
    all[next].scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  /** Of the links of a strip one is reached by the tabulator key: that of the current column. */
  function enter(box, all) {
    for (const link of all) link.tabIndex = link === current.get(box) ? 0 : -1;
    if (box.contains(document.activeElement)) current.get(box).focus();
  }

  /** What scrolls sideways is reached by keyboard, and arrows scroll it instead of turning the page. */
  const SCROLLS = ".jspec-scroll, .table-wrapper, .highlight pre";
  function reach() {
    for (const box of document.querySelectorAll(SCROLLS))
      if (box.scrollWidth > box.clientWidth + 1 && !box.querySelector("[tabindex]")) box.tabIndex = 0;
  }

  document.addEventListener("pointerover", (event) => {
    const target = event.target;
    if (!target.closest) return;
    light(target);
    const link = target.closest("a[href*='#req-']");
    if (link && !link.title) hint(link);
    const again = target.closest("a.jspec-ref:not([title])");
    if (again) repeat(again);
  });
  document.addEventListener("focusin", (event) => {
    if (event.target.matches("a[href*='#req-']:not([title])")) hint(event.target);
    if (event.target.matches("a.jspec-ref:not([title])")) repeat(event.target);
  });
  document.addEventListener("click", (event) => {
    if (!String(getSelection())) follow(event.target);
  });
  // Before the theme, which takes arrows for the way to the next page.
  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const box = event.target.closest(BOXES.map(({ box }) => box).join());
    if (box) walk(event, box);
    if (LEFT_RIGHT.includes(event.key) && event.target.closest(SCROLLS)) event.stopPropagation();
  }, true);
  addEventListener("hashchange", land);
  addEventListener("resize", reach);
  document.addEventListener("toggle", reach, true);
  document.addEventListener("DOMContentLoaded", () => {
    // A column of a strip is called what the first cells of its row say.
    for (const column of document.querySelectorAll(".jspec-strip a")) {
      const row = document.getElementById(column.hash.slice(1));
      column.title = Array.from(row.cells).slice(0, 2).map((cell) => cell.textContent).join(": ");
    }
    for (const head of document.querySelectorAll('h3[id^="case-"]')) {
      const link = head.appendChild(document.createElement("a"));
      [link.className, link.href, link.textContent] = ["headerlink", `#${head.id}`, "\u00b6"];
    }
    for (const link of document.querySelectorAll("a.headerlink")) link.title = "Link to this heading";
    for (const { box, things } of BOXES)
      for (const node of document.querySelectorAll(box)) {
        if (!node.matches(".jspec-strip")) node.tabIndex = 0;
        else if (things(node).length) {
          current.set(node, things(node)[0]);
          enter(node, things(node));
        }
      }
    reach();
    land();
  });
})();
