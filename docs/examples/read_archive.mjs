// Looks through an unpacked archive of cases with nothing but Node.js: node read_archive.mjs DIR
import { readFileSync, readdirSync } from "node:fs";
const [directory] = process.argv.slice(2);
const json = (name) => JSON.parse(readFileSync(`${directory}/${name}`));
const fail = (text) => { throw new Error(text); };
const counts = {};
for (const { id, format, directory: place, files } of json("index.json")) {
  const item = json(`${place}/case.json`), names = json(`names/${format}.json`);
  if (item.id !== id) fail(`${place} holds ${item.id}`);
  const there = readdirSync(`${directory}/${place}/files`, { recursive: true, withFileTypes: true });
  if (there.filter((entry) => entry.isFile()).length !== files.length) fail(`${id}: more or fewer files`);
  for (const { path, size, fill, extents } of item.input.files) {
    const made = Buffer.alloc(Number(size), parseInt(fill, 16));
    for (const [off, hex] of extents) Buffer.from(hex, "hex").copy(made, Number(off));
    if (!made.equals(readFileSync(`${directory}/${place}/files/${path}`))) fail(`${id}: ${path} differs`);
  }
  const questions = new Set();
  for (const { when, records = [] } of item.expect) {
    questions.add(when.op === "recover" ? `recover ${when.policy}` : when.op);
    for (const { type } of records) if (type && !(type in names.record_types)) fail(`${id}: type ${type}`);
  }
  for (const question of questions) {
    const kind = `${format} ${question}`;
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
}
for (const kind of Object.keys(counts).sort()) console.log(kind, counts[kind]);
