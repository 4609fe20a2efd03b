import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeWith, encodeWith } from "../../www/codec.js";
import { CHECKPOINTS, pinnedOf, presetOf, scenarioOf } from "../../www/checkpoints/codec.js";
import { FIELDS, apiOf } from "../../www/checkpoints/fields.js";
import { settingsFrom } from "../../www/checkpoints/from.js";
import { fieldAt, placeProblem, questionOf, readTexts } from "../../www/checkpoints/params.js";
import { CHECKPOINT_PRESETS, USUAL } from "../../www/checkpoints/presets.js";
import { duration } from "../../www/checkpoints/tables.js";

const DURATIONS = { ns: 1, µs: 1e3, ms: 1e6, s: 1e9, min: 6e10 };
const SIZES = { b: 1, kb: 1024, mb: 1024 ** 2, gb: 1024 ** 3 };
/** Reads plain texts as the engine does; the engine's own reading has tests of its own. */
const ask = async (question, { text }) => {
  const [, number, unit] = /^([\d.]+) ?(\S+)$/.exec(text) ?? [];
  const units = question === "parseDuration" ? DURATIONS : SIZES;
  if (!(unit in units)) return { ok: false, error: { code: "bad", message: `Cannot read “${text}”.`, field: null, option: null } };
  const value = Number(number) * units[unit];
  const report = question === "parseDuration" ? { seconds: Math.floor(value / 1e9), nanos: value % 1e9, formatted: text } : { bytes: value, text };
  return { ok: true, value: report, findings: [] };
};
const scenarioWith = (settings, preset = "") => {
  const scenario = scenarioOf(presetOf(preset));
  return { ...scenario, settings: { ...scenario.settings, ...settings } };
};
const asked = async (settings, preset) => {
  const scenario = scenarioWith(settings, preset);
  return questionOf(scenario, (await readTexts(ask, scenario)).texts);
};

test("an address holds the whole scenario and gives it back", async () => {
  for (const preset of CHECKPOINT_PRESETS) {
    const scenario = { ...scenarioOf(preset), flink: "2.2", theme: "dark", checkpoint: 3, at: 12 };
    scenario.settings = { ...scenario.settings, interval: "7 s", weights: "9, 1" };
    scenario.pinned = pinnedOf(scenarioWith({ mode: "unaligned" }, "chain"));
    const hash = await encodeWith(CHECKPOINTS, scenario);
    const { scenario: read, problems, unknown } = await decodeWith(CHECKPOINTS, hash);
    assert.deepEqual(read, scenario, preset.id);
    assert.deepEqual([problems, unknown], [[], []]);
  }
  assert.equal(await encodeWith(CHECKPOINTS, scenarioOf(CHECKPOINT_PRESETS[0])), "#/checkpoints?v=1");
});

test("what an address cannot mean is said, and what is unknown is kept", async () => {
  const { scenario, problems, unknown } = await decodeWith(CHECKPOINTS, "#/checkpoints?v=1&mode=sideways&show=0&colour=red");
  assert.equal(scenario.settings.mode, USUAL.mode);
  assert.match(problems[0], /“sideways” is not a value of “mode”/);
  assert.deepEqual(unknown, [["show", "0"], ["colour", "red"]]);
});

test("every preset sets every field, says what to look at and can be asked", async () => {
  const names = FIELDS.map(({ id }) => id).sort();
  const looks = new Set();
  for (const preset of CHECKPOINT_PRESETS) {
    assert.deepEqual(Object.keys(preset.settings).sort(), names, preset.id);
    looks.add(preset.look);
    const { problems, params } = await asked({}, preset.id);
    assert.deepEqual([...problems], [], preset.id);
    assert.doesNotMatch(JSON.stringify(params), /null,"upload":NaN|NaN/);
  }
  assert.equal(looks.size, CHECKPOINT_PRESETS.length);
  assert.ok(looks.size >= 12);
});

test("texts become numbers in the engine's units", async () => {
  const { params, problems } = await asked({ lag: "2 s", service: "5 ms, 200 µs", bufferTimeout: "", state: "2 gb", upload: "100 mb", bursts: "5, 2 s, 20 s", objective: "" });
  assert.deepEqual([...problems], []);
  const [source, operator] = params.vertices;
  assert.deepEqual(source.source.lagMs, [2000, 0], "one time is subtask 0's alone");
  assert.deepEqual(operator.service.map(({ meanUs }) => meanUs), [5000, 200]);
  assert.deepEqual(operator.state.bytes, [2 * 1024 ** 3]);
  assert.deepEqual(source.source.bursts, { factor: 5, lengthMs: 2000, everyMs: 20_000 });
  assert.equal(params.network.bufferTimeoutMs, -1, "never flushed");
  assert.equal(params.checkpointing.upload.bytesPerSecond, 100 * 1024 ** 2);
  assert.equal((await asked({ objective: "" })).objectiveMs, null);
});

test("two inputs are two sources, a chain has a sink, and a hidden field does not count", async () => {
  const two = (await asked({ shape: "twoInputs", rate: "10000, 10", sources: "x" })).params;
  assert.deepEqual(two.vertices.map(({ name }) => name), ["Source 1", "Source 2", "Operator"]);
  assert.deepEqual(two.vertices.slice(0, 2).map(({ source }) => source.rate), [[10_000], [10]]);
  assert.deepEqual(two.edges.map(({ from, to }) => [from, to]), [[0, 2], [1, 2]]);
  const chain = (await asked({ shape: "chain" })).params;
  assert.deepEqual(chain.edges.map(({ from, to }) => [from, to]), [[0, 1], [1, 2]]);
});

test("what cannot be read is said at its field", async () => {
  const { problems } = await asked({ interval: "soon", sources: "many", rate: "10, fast", weights: "9,,1", bursts: "5, 2 s", timeout: "" });
  assert.deepEqual([...problems.keys()].sort(), ["bursts", "interval", "rate", "sources", "timeout"]);
  assert.match(problems.get("interval"), /soon/);
});

test("a refusal of the engine finds its field by path and by option", () => {
  const question = { problems: new Map() };
  const settings = USUAL;
  const refuse = (field, option = null) => placeProblem(question, settings, { code: "x", message: field ?? option, field, option });
  refuse("checkpointing.maxConcurrentCheckpoints");
  refuse("vertices[1].service[0]");
  refuse("network.floatingBuffersPerGate");
  refuse("edges[0].skew.weights");
  assert.deepEqual([...question.problems.keys()], ["concurrent", "service", "floating", "weights"]);
  assert.equal(fieldAt("scenario.nothing", settings), undefined);
});

test("option keys are those of the version", () => {
  const keyOf = (id, flink) => apiOf(FIELDS.find((field) => field.id === id), flink);
  assert.equal(keyOf("incremental", "1.18"), "state.backend.incremental");
  assert.equal(keyOf("incremental", "2.2"), "execution.checkpointing.incremental");
  assert.match(keyOf("exclusive", "2.2"), /no option in 2\.2/);
});

test("durations read as a person would say them", () => {
  const plain = (ms) => duration(ms).replace(/\u00a0/g, " ");
  assert.deepEqual([0, 8.4, 999, 6340, 59_990, 60_000, 125_000].map(plain), ["0 ms", "8.4 ms", "999 ms", "6.34 s", "60 s", "1 min", "2 min 5 s"]);
});

test("a scenario of the engine's becomes the texts of the form and back", async () => {
  for (const preset of CHECKPOINT_PRESETS) {
    const { params } = await asked({}, preset.id);
    const settings = settingsFrom(params);
    assert.deepEqual(Object.keys(settings).sort(), Object.keys(USUAL).filter((id) => id !== "objective").concat("objective").sort());
    const again = await asked(settings, preset.id);
    assert.deepEqual([...again.problems], [], preset.id);
    const named = ({ vertices, ...rest }) => ({ ...rest, vertices: vertices.map(({ name, ...vertex }) => vertex) });
    assert.deepEqual(named(again.params), named(params), preset.id);
  }
  const { params } = await asked({ service: "5 ms, 200 µs", lag: "0 s, 2 s", bursts: "5, 2 s, 20 s", weights: "9, 1", restore: "10 mb", failAt: "12 s" });
  assert.deepEqual((await asked(settingsFrom(params))).params, params);
});

test("a job that the form has no shape for is no settings", async () => {
  const { params } = await asked({}, "chain");
  params.vertices.push({ ...params.vertices[2], name: "More" });
  params.edges.push({ ...params.edges[1], from: 2, to: 3 });
  assert.equal(settingsFrom(params), null);
});
