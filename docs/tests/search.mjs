// What the site's search finds first: node search.mjs STATIC SEARCHINDEX WORD... prints one "page#anchor" per word.
import { readFileSync } from "node:fs";
import vm from "node:vm";

const [root, index, ...words] = process.argv.slice(2);
const element = () => ({ innerText: "", dataset: {}, classList: { add() {} }, replaceChildren() {} });
const page = { ...element(), addEventListener() {}, readyState: "loading", documentElement: element() };
const context = vm.createContext({
  document: { ...page, getElementById: () => null, querySelector: () => null, body: element() },
  location: { search: "" },
  setTimeout() {},
  localStorage: { setItem() {} },
  SPHINX_HIGHLIGHT_ENABLED: false,
  DOCUMENTATION_OPTIONS: { SHOW_SEARCH_SUMMARY: false },
  URLSearchParams,
  console,
  _ready() {},
  _: (text) => text,
});
context.window = context;
context._.ngettext = (one) => one;
for (const name of [`${root}/language_data.js`, `${root}/searchtools.js`, index])
  vm.runInContext(readFileSync(name, "utf8"), context, { filename: name });
const found = words.map((word) => {
  context.location.search = `?q=${word}`;
  context.word = word;
  return vm.runInContext("Search._performSearch(...Search._parseQuery(word)).at(-1)", context);
});
console.log(found.map((hit) => hit[0] + hit[2]).join("\n"));
