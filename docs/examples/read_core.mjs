// Reads a core tier with nothing but Node.js: node read_core.mjs DIR
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
const [directory] = process.argv.slice(2);
const manifest = JSON.parse(readFileSync(`${directory}/manifest.json`));
const packed = readFileSync(`${directory}/cases.jsonl.gz`);
if (createHash("sha256").update(packed).digest("hex") !== manifest.cases.files["cases.jsonl.gz"].sha256) {
  throw new Error("cases.jsonl.gz is not the file of the manifest");
}
const data = gunzipSync(packed), counts = {};
let contents = {}, used = false;
for (let start = 0, end; (end = data.indexOf("\n", start)) >= 0; start = end + 1) {
  const line = JSON.parse(data.subarray(start, end));
  if (!line.id) {
    if (used) [contents, used] = [{}, false];
    if (line.permitted) continue; // permitted answers, for readers that are judged
    const file = (contents[line.content] = Buffer.alloc(Number(line.size), line.fill, "hex"));
    for (const [off, hex] of line.extents) Buffer.from(hex, "hex").copy(file, Number(off));
    continue;
  }
  used = true;
  const files = new Map(line.input.files.map(({ path, content }) => [path, contents[content]]));
  if ([...files.values()].includes(undefined)) throw new Error(`${line.id}: a content is not there`);
  const kind = `${line.stratum} ${line.category}`;
  counts[kind] = (counts[kind] ?? 0) + 1;
}
for (const name of Object.keys(counts).sort()) console.log(name, counts[name]);
