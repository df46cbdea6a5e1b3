// A harness for @FORMAT@: it answers the questions of `journalspec run`, one JSON object per line.
// Then: journalspec run --impl 'node harness.js' --format @FORMAT@
import { createInterface } from "node:readline";

const hello = {
  protocol: 1,
  impl: { name: "my-@FORMAT@", version: "0" },
  formats: { "@FORMAT@": @CLAIMS@ },
};

// What the files in `request.dir` hold: integers as decimal strings, bytes as hex digits.
//   return { ok: { verdict: "clean", records: [...] } };
function read(request) {
  return { unsupported: { what: "read" } };
}

// What recovery keeps under `request.policy`.
function recover(request) {
  return { unsupported: { what: "recover" } };
}

const answers = { hello: () => hello, read, recover };
for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  const request = JSON.parse(line);
  if (request.cmd === "bye") break;
  process.stdout.write(JSON.stringify({ seq: request.seq, ...answers[request.cmd](request) }) + "\n");
}
