// Generates the Kaitai parsers of every described format.
//
//   npm ci --prefix tools/kaitai
//   node tools/kaitai/generate.mjs [OUT]             Python, as committed: OUT/FORMAT/_kaitai/*.py
//   node tools/kaitai/generate.mjs --browser OUT     for the site's page that reads a file, as committed: OUT/*.js
//   node tools/kaitai/generate.mjs --packages OUT    the languages that are offered, as packages: OUT/LANGUAGE/...
//
// Without arguments all that is committed is rewritten. The same input always gives the same bytes.
// `python tools/kaitai/archives.py` makes one archive of each package.
import { cpSync, mkdirSync, readFileSync, readdirSync, existsSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

// createRequire, because plain imports would not look into NODE_PATH.
const require = createRequire(import.meta.url);
const compiler = require("kaitai-struct-compiler");
const yaml = require("js-yaml");

const here = dirname(fileURLToPath(import.meta.url));
const specs = resolve(here, "..", "..", "specs", "journalspec");

const importer = {
  importYaml(name) {
    throw new Error(`the schema imports ${name}: schemas stand alone here, so that each can be downloaded by itself`);
  },
};

// The languages whose parsers a test runs on every captured file; no others are offered.
const LANGUAGES = ["go", "java", "javascript", "python", "rust"];
// Where a language wants its files, and what it wants above them. The compiler knows neither when it is
// called as a library.
const PLACES = {
  go: { folder: (schema) => schema, head: (schema) => `package ${schema}\n` },
  java: { folder: () => "src/main/java/journalspec/parsers", head: () => "package journalspec.parsers;\n" },
  rust: { folder: () => "src", index: "src/lib.rs", mention: (schema) => `pub mod ${schema};\n` },
};

// A format that is being written says so: see journalspec/formats.py.
function isDescribed(table) {
  return existsSync(table) && !/^draft = true$/m.test(readFileSync(table, "utf8"));
}

// Packages are of formats that are described as a whole; what is committed is of all that has a schema.
function folders(whole) {
  return readdirSync(specs, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && (!whole || isDescribed(join(specs, entry.name, "format.toml"))))
    .map((entry) => entry.name)
    .sort();
}

function schemas(format, folder = "") {
  const room = join(specs, format, folder);
  if (!existsSync(room)) return [];
  return readdirSync(room).filter((name) => name.endsWith(".ksy")).sort().map((name) => join(folder, name));
}

// What the bodies of records are made of has schemas of its own.
function allSchemas(format) {
  return [...schemas(format), ...schemas(format, "contents")];
}

async function compile(language, format, name, positions = false) {
  // Read anew each time: the compiler changes what it is given.
  const schema = yaml.load(readFileSync(join(specs, format, name), "utf8"));
  try {
    return Object.entries(await compiler.compile(language, schema, importer, positions));
  } catch (error) {
    throw new Error(`${format}/${name}, ${language}: ${error.message ?? error}`);
  }
}

function write(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text.replace(/\s*$/, "\n"));
}

async function committed(out) {
  let count = 0;
  for (const format of folders(false)) {
    const names = allSchemas(format);
    if (names.length === 0) continue;
    const target = join(out, format, "_kaitai");
    write(
      join(target, "__init__.py"),
      '"""Generated from the .ksy files beside it by tools/kaitai/generate.mjs; do not edit."""',
    );
    for (const name of names) {
      for (const [path, text] of await compile("python", format, name)) write(join(target, path), text);
    }
    count += names.length;
  }
  return count;
}

// Part of the program of a worker: a page that was opened from a disk may start one of its own text only.
const inWorker = (text) => `(globalThis.journalspecCode ||= []).push(function () {\n${text.trimEnd()}\n});\n`;

// What the fields of records hold, as families: the page takes these apart, no others.
function held(format, name) {
  const fields = readFileSync(join(specs, format, "fields.toml"), "utf8");
  const family = basename(name, ".ksy").replace(`${format}_`, "");
  return dirname(name) === "." || new RegExp(`^ *\\{ of = "${family}\\.`, "m").test(fields);
}

// The runtime, and one file per format with the parsers that keep the place of every field.
async function browser(out) {
  const runtime = readFileSync(require.resolve("kaitai-struct/KaitaiStream.js"), "utf8");
  const { version } = require("kaitai-struct/package.json");
  write(
    join(out, "kaitai-struct.js"),
    `// The runtime of Kaitai Struct for JavaScript ${version}, under the Apache License 2.0: https://kaitai.io\n${inWorker(runtime)}`,
  );
  let count = 0;
  for (const format of folders(false)) {
    let text = "";
    for (const name of allSchemas(format).filter((each) => held(format, each))) {
      // Without the comments, half of the text: what they say stands in the .ksy.
      for (const [, each] of await compile("javascript", format, name, true))
        text += each.replace(/^ *\/\*\*\n( *\*.*\n)+/gm, "").replace(/\n{2,}/g, "\n");
      count += 1;
    }
    if (text) write(join(out, `${format}.js`), inWorker(text));
  }
  return count;
}

async function packages(out) {
  let count = 0;
  for (const language of LANGUAGES) {
    const place = PLACES[language] ?? { folder: () => "" };
    let index = "";
    for (const format of folders(true)) {
      for (const name of allSchemas(format)) {
        const schema = basename(name, ".ksy");
        for (const [path, text] of await compile(language, format, name)) {
          // Below the first line, which says that the file is generated.
          const whole = place.head ? text.replace("\n\n", `\n\n${place.head(schema)}\n`) : text;
          write(join(out, language, place.folder(schema), path), whole);
        }
        if (place.index) index += place.mention(schema);
        write(join(out, language, "ksy", basename(name)), readFileSync(join(specs, format, name), "utf8"));
        count += 1;
      }
    }
    if (place.index) write(join(out, language, place.index), index);
    const extra = join(here, "packages", language);
    if (existsSync(extra)) cpSync(extra, join(out, language), { recursive: true });
  }
  return count;
}

const KINDS = { "--browser": browser, "--packages": packages };
const asked = process.argv.slice(2);
const kind = KINDS[asked[0]];
if (kind ? asked.length !== 2 : asked.length > 1) {
  console.error("usage: node generate.mjs [OUT] | --browser OUT | --packages OUT");
  process.exit(2);
}
try {
  const out = resolve((kind ? asked[1] : asked[0]) ?? specs);
  const count = await (kind ?? committed)(out);
  if (asked.length === 0) await browser(resolve(here, "..", "..", "docs", "_static", "parsers"));
  console.log(`${count} schemas compiled into ${out}`);
} catch (error) {
  console.error(error.message ?? error);
  process.exit(1);
}
