// What the page unpacks is what zlib packed, in every kind of block.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { constants, deflateRawSync } from "node:zlib";

import { inflate } from "../../../parser/render/html/page/unpack.js";

const report = readFileSync(
  fileURLToPath(new URL("../../golden/expected/finished-report.json", import.meta.url)),
);
/** Bytes that no code makes shorter. */
const noise = Buffer.from(
  Uint32Array.from({ length: 20000 }, (_, i) => Math.imul(i + 1, 2654435761) ^ Math.imul(i, i))
    .buffer,
);
const contents = {
  nothing: Buffer.alloc(0),
  "one byte": Buffer.from("a"),
  "a report": report,
  "a run of one byte": Buffer.alloc(100000, 97),
  noise: noise,
  "far copies": Buffer.concat([noise.subarray(0, 32000), noise.subarray(0, 32000)]),
  "many blocks": Buffer.concat(Array.from({ length: 20 }, () => report)),
};
const ways = {
  best: { level: 9 },
  quick: { level: 1 },
  stored: { level: 0 },
  "fixed code": { strategy: constants.Z_FIXED },
  "own code without copies": { strategy: constants.Z_HUFFMAN_ONLY },
  "small blocks": { level: 9, memLevel: 1 },
};

for (const [content, bytes] of Object.entries(contents)) {
  for (const [way, options] of Object.entries(ways)) {
    test(`${content}, ${way}`, () =>
      assert.ok(bytes.equals(inflate(deflateRawSync(bytes, options)))));
  }
}

test("a stream that is cut off is refused", () => {
  const packed = deflateRawSync(report);
  assert.throws(() => inflate(packed.subarray(0, packed.length / 2)), /ends too early/);
  assert.throws(() => inflate(new Uint8Array()), /ends too early/);
});
