// Reads files as the worker of the page that reads a file does; prints a JSON object for each.
// Arguments: a JSON file with the page's table of formats, the wanted format and edition or "", files.
import { readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { runInThisContext } from "node:vm";

const STATIC = join(dirname(fileURLToPath(import.meta.url)), "..", "_static");
const [table, wanted, ...files] = process.argv.slice(2);
const formats = JSON.parse(readFileSync(table, "utf8"));
globalThis.self = globalThis;
for (const name of ["parsers/kaitai-struct", ...formats.map(({ id }) => `parsers/${id}`), "try-reader"])
  runInThisContext(readFileSync(join(STATIC, `${name}.js`), "utf8"), { filename: name });
for (const part of journalspecCode) part();
const [format, edition] = wanted.split(" ");
for (const file of files) {
  const records = [];
  let steps = 0;
  const began = performance.now();
  const bytes = new Uint8Array(readFileSync(file)); // of its own buffer, as in a browser
  const found = journalspecReader.read(bytes, formats, { format, edition }, basename(file), (each) => records.push(each), () => {
    steps += 1;
  });
  const milliseconds = Math.round(performance.now() - began);
  console.log(JSON.stringify({ ...found, records, steps, milliseconds, memory: process.memoryUsage.rss() }));
}
