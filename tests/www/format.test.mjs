import assert from "node:assert/strict";
import { test } from "node:test";
import { count, duration, exactBytes, figure, inOneUnit, percent, range, seconds, size } from "../../www/format.js";

const MIB = 1024 * 1024;

/** Spaces of any kind read as one plain space here. */
const plain = (text) => text.replace(/[\u00a0\u202f]/g, " ");

test("sizes read in three figures, in the unit a person would say", () => {
  for (const [bytes, text] of [
    [0, "0 B"],
    [1, "1 B"],
    [1023, "1023 B"],
    [1024, "1 KiB"],
    [32768, "32 KiB"],
    [402653174, "384 MiB"],
    [134217730, "128 MiB"],
    [1811939328, "1.69 GiB"],
    [1207959552, "1.12 GiB"],
    [1.375 * 1024 * MIB, "1.38 GiB"],
    [100 * MIB, "100 MiB"],
    [16 * 1024 * MIB, "16 GiB"],
    [1023 * MIB, "1023 MiB"],
    [-512 * MIB, "−512 MiB"],
    [9.996 * 1024 * MIB, "10 GiB"],
    [99.96 * 1024 * MIB, "100 GiB"],
    [2 ** 50, "1 PiB"],
    [2000 * 2 ** 40, "1.95 PiB"],
    [720897 * 2 ** 40, "704 PiB"],
    ["9223372036854775807", "8 EiB"],
  ]) {
    assert.equal(plain(size(typeof bytes === "number" ? Math.round(bytes) : bytes)), text, String(bytes));
  }
});

test("exact bytes keep every digit, also above 2^53", () => {
  assert.equal(exactBytes(1811939328), "1\u202f811\u202f939\u202f328\u00a0bytes");
  assert.equal(plain(exactBytes("9007199254740993")), "9 007 199 254 740 993 bytes");
  assert.equal(plain(exactBytes(-1024)), "−1 024 bytes");
  assert.equal(count(999), "999");
});

test("shares have one decimal and never a bare NaN", () => {
  assert.equal(plain(percent(0.2222)), "22.2 %");
  assert.equal(plain(percent(0)), "0.0 %");
  assert.equal(plain(percent(0.0001)), "< 0.1 %");
  assert.equal(percent(Number.NaN), "–");
});

test("figures, ranges and times read as a person would say them", () => {
  assert.equal(plain(figure(8.17512)), "8.175");
  assert.equal(plain(figure(1234567.8)), "1 234 568");
  assert.equal(figure(Number.NaN), "–");
  assert.equal(plain(range([1.5, 2000], "B")), "1.5 to 2 000 B");
  assert.equal(range([3, 3]), "3");
  for (const [value, text] of [[0, "0 s"], [59.5, "59.5 s"], [5400, "1.5 h"], [90, "1.5 min"], [172800, "2 d"]]) assert.equal(plain(seconds(value)), text);
});

test("milliseconds in parts, as the engine says them", () => {
  for (const [value, text] of [[0, "0 s"], [200, "200 ms"], [65_200, "1 min 5.2 s"], [900_000, "15 min"], [774_999, "12 min 54.999 s"], [604_800_001, "7 d 0.001 s"], [-185_000, "−3 min 5 s"]]) assert.equal(duration(value), text);
});

test("milliseconds in one unit, as Flink reads them back", () => {
  for (const [value, text] of [[0, "0 ms"], [90_000, "90 s"], [1_200_000, "20 min"], [691_200_000, "8 d"], [185_001, "185001 ms"], [7_200_000, "2 h"]]) assert.equal(inOneUnit(value), text);
});
