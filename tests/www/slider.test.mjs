import assert from "node:assert/strict";
import { test } from "node:test";
import { POSITIONS, positionOf, textAt } from "../../www/memory/slider.js";

const SIZE = { min: 256 * 1024 ** 2, max: 64 * 1024 ** 3, scale: "log", unit: "bytes" };
const FROM_ZERO = { min: 0, max: 16 * 1024 ** 3, scale: "log", unit: "bytes" };
const FRACTION = { min: 0, max: 0.95, scale: "linear", unit: "none" };
const SLOTS = { min: 1, max: 32, scale: "linear", unit: "none" };

test("sizes are whole MiB and the ends are the ends", () => {
  assert.equal(textAt(SIZE, 0), "256m");
  assert.equal(textAt(SIZE, POSITIONS), "65536m");
  assert.equal(textAt(SIZE, 500), "4096m");
  assert.equal(textAt(FROM_ZERO, 0), "0m");
  assert.equal(textAt(FROM_ZERO, POSITIONS), "16384m");
});

test("a text's position writes the text again, to the width of a step", () => {
  for (const range of [SIZE, FROM_ZERO]) {
    for (let position = 0; position <= POSITIONS; position += 50) {
      const mib = Number.parseInt(textAt(range, position), 10);
      const back = Number.parseInt(textAt(range, positionOf(range, mib * 1024 ** 2)), 10);
      assert.ok(Math.abs(back - mib) <= Math.max(1, mib * 0.01), `${position}: ${mib} and ${back}`);
    }
  }
});

test("fractions have two decimals, counts none", () => {
  assert.equal(textAt(FRACTION, positionOf(FRACTION, 0.4)), "0.4");
  assert.equal(textAt(SLOTS, positionOf(SLOTS, 4)), "4");
});

test("values beyond the ends stand at the ends", () => {
  assert.equal(positionOf(SIZE, 1), 0);
  assert.equal(positionOf(SIZE, "9223372036854775807"), POSITIONS);
  assert.equal(positionOf(FRACTION, Number.NaN), 0);
});
