import assert from "node:assert/strict";
import { test } from "node:test";
import { PRESETS } from "../../www/presets.js";
import { DECODED_BYTES_MAX, decode, encode, pinOf, scenarioOf, withChanges } from "../../www/state.js";

const presets = PRESETS.memory;
const stock = () => scenarioOf(presets[0]);

async function roundTrip(scenario) {
  const hash = await encode("memory", scenario, presets);
  const decoded = await decode(hash, presets);
  assert.deepEqual(decoded.scenario, scenario, hash);
  assert.deepEqual(decoded.problems, []);
  assert.equal(decoded.tool, "memory");
  return hash;
}

test("the first preset needs nothing but the version of the format", async () => {
  assert.equal(await roundTrip(stock()), "#/memory?v=1");
});

test("an address holds what differs, readably", async () => {
  const scenario = { ...stock(), flink: "2.2", limit: "2g", theme: "dark" };
  scenario.config = withChanges(scenario.config, [["taskmanager.memory.process.size", "4g"]]);
  assert.equal(
    await roundTrip(scenario),
    "#/memory?v=1&flink=2.2&taskmanager.memory.process.size=4g&limit=2g&theme=dark",
  );
});

test("every preset comes back, as it is and without its first setting", async () => {
  for (const preset of presets) {
    const scenario = scenarioOf(preset);
    await roundTrip(scenario);
    const [first] = Object.keys(preset.config);
    const hash = await roundTrip({ ...scenario, config: withChanges(scenario.config, [[first, null]]), limit: null });
    assert.match(hash, new RegExp(`[&]-${first.replace(/\./g, "\\.")}=`));
  }
});

test("keys and values of any text come back", async () => {
  for (const key of ["plain", "-dash.ed", ".dotted", "v", "preset", "__proto__", "a b.c&d=e#f", "ключ.é", "%41.%"]) {
    for (const value of ["", " 4g ", "a+b", "50%", "x=y&z", "<img src=x>", "\u{1f600}\n\t"]) {
      await roundTrip({ ...stock(), config: withChanges(stock().config, [[key, value]]) });
    }
  }
});

test("a panel and its workload are written where they differ", async () => {
  const scenario = { ...stock(), panel: "heap", workload: { keys: "5000", "assume.heap.x": "2" } };
  assert.equal(await roundTrip(scenario), "#/memory?v=1&panel=heap&w.keys=5000&w.assume.heap.x=2");
  const preset = presets.find(({ workload }) => workload);
  assert.match(await roundTrip({ ...scenarioOf(preset), panel: "pools", workload: {} }), /&panel=pools&w\.\w+=&/);
  const { scenario: read, problems } = await decode("#/memory?v=1&panel=nothing", presets);
  assert.equal(read.panel, "pools");
  assert.equal(problems.length, 1);
});

test("a pinned scenario is an address in the address, and has none of its own", async () => {
  const config = withChanges(stock().config, [["taskmanager.memory.process.size", "4g"], ["a.b&c=d", "%26 é"]]);
  for (const pinned of [stock(), { ...stock(), flink: "2.2", role: "jobmanager", limit: "2g", startScript: false, config }]) {
    await roundTrip({ ...stock(), pinned: pinOf(pinned) });
  }
  for (const preset of presets) await roundTrip({ ...stock(), pinned: pinOf(scenarioOf(preset)) });
  const inner = `#/memory?v=1&flink=0.9&pin=${encodeURIComponent("#/memory?v=1")}`;
  const { scenario, problems } = await decode(`#/memory?v=1&pin=${encodeURIComponent(inner)}`, presets);
  assert.equal(scenario.pinned.pinned, null);
  assert.match(problems[0], /^Pinned as A: “0\.9”/);
});

test("an option that looks like a workload stays an option", async () => {
  await roundTrip({ ...stock(), config: withChanges(stock().config, [["w.keys", "1"]]) });
});

test("a long configuration travels compressed", async () => {
  const many = Array.from({ length: 200 }, (_, index) => [`some.long.option.number-${index}`, `value ${index}`]);
  const scenario = { ...stock(), config: withChanges(stock().config, many) };
  const hash = await roundTrip(scenario);
  assert.match(hash, /[?&]z=[\w-]+$/);
  assert.ok(hash.length < 2000, String(hash.length));
});

test("what unpacks to more than the cap is refused with a sentence", async () => {
  const scenario = { ...stock(), config: withChanges(stock().config, [["a.b", "x".repeat(DECODED_BYTES_MAX)]]) };
  const decoded = await decode(await encode("memory", scenario, presets), presets);
  assert.deepEqual(decoded.scenario, stock());
  assert.match(decoded.problems.join(), /more than 256 KiB/);
});

test("bad values fall back to the default and are named", async () => {
  const decoded = await decode("#/memory?v=9&flink=0.9&role=boss&theme=pink&script=maybe&preset=nope&z=%%%", presets);
  assert.deepEqual(decoded.scenario, stock());
  assert.equal(decoded.problems.length, 7);
});

test("parameters of nobody are kept and reported", async () => {
  const decoded = await decode("#/memory?v=1&colour=blue", presets);
  assert.deepEqual(decoded.unknown, [["colour", "blue"]]);
  assert.match(decoded.problems.join(), /colour/);
  assert.equal(await encode("memory", decoded.scenario, presets, decoded.unknown), "#/memory?v=1&colour=blue");
});

test("garbage never throws", async () => {
  let seed = 7;
  const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
  const alphabet = ["%", "&", "=", "?", "/", "#", "-", ".", "z=", "v=", "flink=", "limit=", "\ud800", "é", "A", "\0"];
  for (let round = 0; round < 500; round += 1) {
    const text = Array.from({ length: 24 }, () => alphabet[Math.floor(random() * alphabet.length)]).join("");
    const decoded = await decode(`#/memory?${text}`, presets);
    await encode("memory", decoded.scenario, presets, decoded.unknown);
  }
});

test("no change reaches the prototype", () => {
  const config = withChanges({}, [["__proto__", "x"]]);
  assert.deepEqual(Object.entries(config), [["__proto__", "x"]]);
  assert.equal(Object.getPrototypeOf(config), Object.prototype);
});

test("an empty version reads as a sentence, and the same damage is told once", async () => {
  const { problems } = await decode("#/memory?v=&z=%25&z=!", presets);
  assert.deepEqual(problems, [
    "The address names no version of the link format; this page reads version 1.",
    "The compressed part of the address was not used: it is damaged.",
  ]);
});
