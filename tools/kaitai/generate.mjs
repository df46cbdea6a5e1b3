// Generates the Kaitai parsers of every described format: FORMAT/*.ksy -> FORMAT/_kaitai/*.py.
//
//   npm ci --prefix tools/kaitai
//   node tools/kaitai/generate.mjs [OUT]
//
// OUT is the directory that holds the formats' folders; without it the parsers
// of the checkout are rewritten. The same input always gives the same bytes.
import { mkdirSync, readFileSync, readdirSync, existsSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

// createRequire, because plain imports would not look into NODE_PATH.
const require = createRequire(import.meta.url);
const compiler = require("kaitai-struct-compiler");
const yaml = require("js-yaml");

const here = dirname(fileURLToPath(import.meta.url));
const specs = resolve(here, "..", "..", "specs", "journalspec");
const out = resolve(process.argv[2] ?? specs);

const importer = {
  importYaml(name) {
    throw new Error(`the schema imports ${name}: schemas stand alone here, so that each can be downloaded by itself`);
  },
};

function folders() {
  return readdirSync(specs, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(specs, entry.name, "format.toml")))
    .map((entry) => entry.name)
    .sort();
}

async function generate(format) {
  const schemas = readdirSync(join(specs, format)).filter((name) => name.endsWith(".ksy")).sort();
  if (schemas.length === 0) return 0;
  const target = join(out, format, "_kaitai");
  mkdirSync(target, { recursive: true });
  writeFileSync(
    join(target, "__init__.py"),
    '"""Generated from the .ksy files beside it by tools/kaitai/generate.mjs; do not edit."""\n',
  );
  for (const name of schemas) {
    const schema = yaml.load(readFileSync(join(specs, format, name), "utf8"));
    const files = await compiler.compile("python", schema, importer, false);
    for (const [path, text] of Object.entries(files)) {
      writeFileSync(join(target, path), text.replace(/\s*$/, "\n"));
    }
  }
  return schemas.length;
}

let count = 0;
for (const format of folders()) {
  try {
    count += await generate(format);
  } catch (error) {
    console.error(`${format}: ${error.message ?? error}`);
    process.exit(1);
  }
}
console.log(`${count} schemas compiled into ${out}`);
