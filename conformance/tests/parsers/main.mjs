// Prints every field that the generated JavaScript parsers find in the files named on standard input.
// The form of a line is told in test_parsers.py. Arguments: the parsers' folder, that of node_modules.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const [packages, modules] = process.argv.slice(2);
process.env.NODE_PATH = modules;
const require = createRequire(import.meta.url);
require("node:module").Module._initPaths();
const KaitaiStream = require("kaitai-struct/KaitaiStream");

function raw(data) {
  const hex = (part) => Buffer.from(part).toString("hex");
  if (data.length === 0) return "";
  if (data.length <= 64) return `x${hex(data)}`;
  return `x${data.length}:${hex(data.slice(0, 16))}:${hex(data.slice(-16))}`;
}

function dump(value) {
  if (value === undefined || value === null) return "";
  if (value instanceof Uint8Array) return raw(value);
  if (typeof value === "string") return raw(Buffer.from(value, "utf8"));
  // A number of 64 bits is rounded in JavaScript; BigInt shows what is left of it.
  if (typeof value === "number" && !Number.isInteger(value)) return `~${Math.trunc(value)}`;
  if (typeof value !== "object") return Number(value) === 0 ? "" : BigInt(Number(value)).toString();
  if (Array.isArray(value)) return value.length ? `[${value.map(dump).join(",")}]` : "";
  const parts = Object.entries(value)
    .filter(([name]) => !name.startsWith("_"))
    .map(([name, item]) => [name.toLowerCase(), dump(item)])
    .filter(([, text]) => text !== "")
    .map(([name, text]) => `${name}=${text}`);
  return `{${parts.sort().join(" ")}}`;
}

for (const line of readFileSync(0, "utf8").split("\n").filter(Boolean)) {
  const [path, , name, parameter] = line.split("\t");
  const data = readFileSync(path);
  const stream = new KaitaiStream(data.buffer.slice(data.byteOffset, data.byteOffset + data.length));
  const [file, part] = name.split(".");
  const module = require(join(packages, `${file}.js`));
  const whole = module[file] ?? module;
  const parameters = parameter === "" ? [] : [JSON.parse(parameter)];
  try {
    console.log(dump(new (part ? whole[part] : whole)(stream, null, null, ...parameters)));
  } catch (error) {
    console.log(`error ${error.message ?? error}`);
  }
}
