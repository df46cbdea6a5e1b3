// Reads a core tier with nothing but Node.js: node read_core.mjs DIR
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
const [directory] = process.argv.slice(2);
const sha256 = (data) => createHash("sha256").update(data).digest("hex");
const manifest = JSON.parse(readFileSync(`${directory}/manifest.json`));
const lines = {}, shared = {}, counts = {};
for (const [name, { sha256: expected }] of Object.entries(manifest.cases.files)) {
  const data = readFileSync(`${directory}/${name}`);
  if (sha256(data) !== expected) throw new Error(`${name} is not the file of the manifest`);
  lines[name] = gunzipSync(data).toString().trim().split("\n").map((line) => JSON.parse(line));
}
for (const line of lines["shared.jsonl.gz"]) shared[line.group ?? line.base ?? "head"] = line;
for (const item of lines["cases.jsonl.gz"]) {
  const base = shared[shared[item.group].base], files = new Map();
  for (const [name, size] of base.layouts[item.layout]) {
    files.set(name, Buffer.alloc(Number(size)));
    Buffer.from(base.files[name] ?? "", "hex").copy(files.get(name));
  }
  for (const [number, length] of item.put.map((put) => [put].flat())) {
    const [name, off, hex] = base.pieces[number];
    Buffer.from(hex, "hex").subarray(0, length).copy(files.get(name), Number(off));
  }
  const text = [...files].map(([name, data]) => `${name} ${data.length} ${sha256(data)}\n`).join("");
  if (sha256(text).slice(0, 32) !== item.digest) throw new Error(`${item.id}: another input`);
  const kind = `${item.stratum} ${item.category}`;
  counts[kind] = (counts[kind] ?? 0) + 1;
}
for (const name of Object.keys(counts).sort()) console.log(name, counts[name]);
