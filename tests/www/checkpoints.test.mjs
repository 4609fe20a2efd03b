import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeWith, encodeWith } from "../../www/codec.js";
import { CHECKPOINTS, pinnedOf, presetOf, scenarioOf } from "../../www/checkpoints/codec.js";
import { FIELDS, apiOf } from "../../www/checkpoints/fields.js";
import { settingsFrom } from "../../www/checkpoints/from.js";
import { changeGraph } from "../../www/checkpoints/graph.js";
import { fieldAt, placeProblem, questionOf, readTexts } from "../../www/checkpoints/params.js";
import { chosenRows } from "../../www/checkpoints/rows.js";
import { CHECKPOINT_PRESETS, USUAL } from "../../www/checkpoints/presets.js";
import { duration } from "../../www/checkpoints/tables.js";

const DURATIONS = { ns: 1, µs: 1e3, ms: 1e6, s: 1e9, min: 6e10 };
const SIZES = { b: 1, kb: 1024, mb: 1024 ** 2, gb: 1024 ** 3 };
/** The engine's answer for 1.20; that it is Flink's is tested there. */
const RESTARTS = {
  unnamed: { kind: "disable" },
  strategies: [
    { kind: "fixedDelay", attempts: 1, delayMs: 1000 },
    { kind: "failureRate", maxFailuresPerInterval: 1, failureRateIntervalMs: 60_000, delayMs: 1000 },
    { kind: "exponentialDelay", flink: "1.20", initialBackoffMs: 1000, maxBackoffMs: 60_000, backoffMultiplier: 1.5, resetBackoffThresholdMs: 3_600_000, jitterFactor: 0.1, attemptsBeforeResetBackoff: null },
    { kind: "disable" },
  ],
  heartbeat: { intervalMs: 10_000, timeoutMs: 50_000, rpcFailureThreshold: 2 },
};
/** Reads plain texts as the engine does; the engine's own reading has tests of its own. */
const ask = async (question, { text }) => {
  if (question === "checkpoints/restartOptions") return { ok: true, value: RESTARTS, findings: [] };
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
  const long = await asked({ interval: "1".repeat(100_000), segment: "2".repeat(100_000), rate: "x".repeat(100_000) });
  for (const [id, sentence] of long.problems) assert.ok(sentence.length < 200, `${id}: ${sentence.length} characters`);
  assert.equal(long.problems.size, 3);
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
});

test("where a version fixes the buffers of channels and gates, what is written of them does not count", async () => {
  const fixedBuffers = { buffersPerChannel: 2, floatingBuffersPerGate: 8, maxBuffersPerChannel: 10, maxOverdraftBuffersPerGate: 20 };
  const fixing = async (question, params) => (question === "checkpoints/restartOptions" ? { ok: true, value: { ...RESTARTS, fixedBuffers }, findings: [] } : ask(question, params));
  const scenario = { ...scenarioWith({ exclusive: "many", floating: "3" }), flink: "2.2" };
  const { params, problems } = questionOf(scenario, (await readTexts(fixing, scenario)).texts);
  assert.deepEqual([params.network.buffersPerChannel, params.network.floatingBuffersPerGate, params.network.maxOverdraftBuffersPerGate], [2, 8, 20]);
  assert.deepEqual([...problems], []);
  assert.equal((await asked({ floating: "3" })).params.network.floatingBuffersPerGate, 3);
});

test("seed, spread, storage by slot, debloating, and who fails are asked and come back as texts", async () => {
  const given = { seed: "7", spread: "lognormal", sigma: "0.5", upload: "10 mb", uploadPer: "slot", debloat: "on", debloatPeriod: "100 ms", debloatSamples: "5", debloatThreshold: "50", failAt: "12 s", failPart: "source", failSubtask: "1", failKind: "taskManagerLost", rpcThreshold: "-1" };
  const { params, problems } = await asked(given);
  assert.deepEqual([...problems], []);
  assert.equal(params.seed, 7);
  assert.deepEqual(params.vertices[1].service, [{ kind: "lognormal", meanUs: 1000, sigma: 0.5 }]);
  assert.equal(params.checkpointing.upload.per, "slot");
  assert.deepEqual(params.network.bufferDebloat, { enabled: true, targetMs: 1000, periodMs: 100, samples: 5, thresholdPercentages: 50 });
  assert.deepEqual(params.recovery.failures, [{ atMs: 12_000, vertex: 0, subtask: 1, kind: "taskManagerLost" }]);
  assert.equal(params.recovery.heartbeat.rpcFailureThreshold, -1);
  const settings = settingsFrom(params);
  for (const [id, text] of Object.entries(given)) assert.equal(settings[id], text, id);
});

test("a share is read in per cent too, and what is none is said", async () => {
  const share = async (allowed) => (await asked({ allowed })).allowedShare;
  assert.deepEqual([await share(""), await share("5 %"), await share("0.05"), await share("100%")], [0, 0.05, 0.05, 1]);
  for (const text of ["5", "-1 %", "101 %", "NaN", ".", "1e9"]) assert.deepEqual([...(await asked({ allowed: text })).problems.keys()], ["allowed"], text);
});

test("of many rows those that took longest are shown, and the named one in any case", () => {
  const rows = Array.from({ length: 400 }, (_, index) => ({ index }));
  const chosen = (order) => chosenRows(rows, ({ index }) => index, order, ({ index }) => index === 0).map(({ index }) => index);
  assert.deepEqual(chosen("given"), [0, ...Array.from({ length: 199 }, (_, at) => 201 + at)]);
  assert.deepEqual(chosen("slowest").slice(0, 3), [399, 398, 397]);
  assert.equal(chosen("slowest").at(-1), 0);
  const pending = chosenRows([{ ms: 3 }, { ms: Infinity }, { ms: 9 }, { ms: Infinity }], ({ ms }) => ms, "slowest");
  assert.deepEqual(pending.map(({ ms }) => ms), [Infinity, Infinity, 9, 3]);
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

test("failures and a restart strategy become texts and back, and what is left empty is Flink's default", async () => {
  const lost = { failAt: "12 s, 30 s", failKind: "taskManagerLost", restartDelay: "3 s" };
  const strategy = async (settings) => (await asked({ ...lost, ...settings })).params.recovery.restartStrategy;
  assert.equal(await strategy({ restart: "delay" }), null);
  assert.deepEqual(await strategy({ restart: "fixedDelay" }), { kind: "fixedDelay", attempts: 1, delayMs: 3000 });
  assert.deepEqual(await strategy({ restart: "failureRate", restartRate: "2", restartInterval: "5 min" }), { kind: "failureRate", maxFailuresPerInterval: 2, failureRateIntervalMs: 300_000, delayMs: 3000 });
  const usual = RESTARTS.strategies[2];
  assert.deepEqual(await strategy({ restart: "exponentialDelay", restartFactor: "2" }), { ...usual, initialBackoffMs: 3000, backoffMultiplier: 2 });
  assert.equal((await asked({ restart: "fixedDelay", failAt: "" })).params.recovery.restartStrategy, null);
  assert.deepEqual((await asked(lost)).params.recovery.failures, [12_000, 30_000].map((atMs) => ({ atMs, vertex: 1, subtask: 0, kind: "taskManagerLost" })));
  for (const restart of ["delay", "fixedDelay", "failureRate", "exponentialDelay", "disable"]) {
    const { params } = await asked({ ...lost, restart });
    assert.deepEqual((await asked(settingsFrom(params))).params, params, restart);
  }
  assert.deepEqual([...(await asked({ ...lost, restart: "fixedDelay", restartAttempts: "-1" })).problems.keys()], ["restartAttempts"]);
});

/** Four vertices: two sources of which one branches, a join and a sink, with all that a vertex can have. */
const BRANCHING = {
  vertices: [
    { name: "Source: a, b", parallelism: 3, source: { rate: [9219.861234, 10], partitions: 6, bursts: { factor: 5, lengthMs: 2000, everyMs: 20_000 }, lagMs: [8], maxRate: 5000 }, service: [{ kind: "constant", meanUs: 0 }], selectivity: 1, state: { bytes: [100], changedBytes: [0] }, syncMs: 3, asyncMs: 7, slowFirst: 0 },
    { name: "Source: c", parallelism: 1, source: { rate: [100], partitions: null, bursts: null, lagMs: [0, 2000], maxRate: null }, service: [{ kind: "constant", meanUs: 0 }], selectivity: 1, state: { bytes: [0], changedBytes: [0] }, syncMs: 0, asyncMs: 0, slowFirst: 2 },
    { name: "join", parallelism: 2, source: null, service: [{ kind: "exponential", meanUs: 49.768 }, { kind: "exponential", meanUs: 100 }], selectivity: 0.25, state: { bytes: [2010, 1 << 20], changedBytes: [7, 8] }, syncMs: 1, asyncMs: 0, slowFirst: 0 },
    { name: "sink -> Writer", parallelism: 2, source: null, service: [{ kind: "lognormal", meanUs: 5336, sigma: 1 }], selectivity: 0, state: { bytes: [0], changedBytes: [0] }, syncMs: 0, asyncMs: 4, slowFirst: 0 },
  ],
  edges: [
    { from: 0, to: 2, exchange: "hash", recordBytes: 96, skew: { kind: "weights", weights: [9, 1] } },
    { from: 1, to: 2, exchange: "hash", recordBytes: 4096, skew: { kind: "zipf", keys: 1000, exponent: 1.1 } },
    { from: 0, to: 3, exchange: "broadcast", recordBytes: 10, skew: { kind: "even" } },
    { from: 2, to: 3, exchange: "hash", recordBytes: 40, skew: { kind: "hotKey", share: 0.3 } },
  ],
};

test("any graph becomes fields and back, and loses nothing", async () => {
  const { params } = await asked({ failAt: "12 s" });
  const scenario = { ...params, ...BRANCHING, recovery: { ...params.recovery, failures: [{ ...params.recovery.failures[0], vertex: 3 }] } };
  const settings = settingsFrom(scenario);
  assert.equal(settings.shape, "graph");
  const again = await asked(settings);
  assert.deepEqual([...again.problems], []);
  assert.deepEqual(again.params, scenario);
  const written = scenarioWith(settings);
  const { scenario: read, problems, unknown } = await decodeWith(CHECKPOINTS, await encodeWith(CHECKPOINTS, written));
  assert.deepEqual([problems, unknown], [[], []]);
  assert.deepEqual(read.settings, written.settings);
});

test("a fixed shape whose source or sink has times of its own is a graph, so that they stay", async () => {
  const { params } = await asked({}, "chain");
  assert.equal(settingsFrom(params).shape, "chain");
  params.vertices[2].asyncMs = 8;
  params.vertices[0].source.lagMs = [0];
  const settings = settingsFrom(params);
  assert.equal(settings.shape, "graph");
  assert.deepEqual((await asked(settings)).params, params);
});

test("vertices and edges come and go, and edges keep their ends", async () => {
  const { params } = await asked({});
  let settings = settingsFrom({ ...params, ...BRANCHING });
  const flow = () => Array.from({ length: Number(settings.edges) }, (_, at) => `${settings[`v${settings[`e${at}.from`]}.name`]} > ${settings[`v${settings[`e${at}.to`]}.name`]}`);
  const all = flow();
  settings = changeGraph(settings, "addSource", 0);
  assert.deepEqual(flow(), [...all, "Vertex > join"]);
  settings = changeGraph(settings, "removeVertex", 0);
  assert.deepEqual(flow(), all);
  settings = changeGraph(settings, "addVertex", 0);
  assert.deepEqual(flow(), [...all, "sink -> Writer > Vertex"]);
  settings = changeGraph(settings, "removeVertex", 2);
  assert.deepEqual(flow(), ["Source: a, b > sink -> Writer", "sink -> Writer > Vertex"]);
  settings = changeGraph(settings, "removeEdge", 0);
  assert.deepEqual(flow(), ["sink -> Writer > Vertex"]);
  assert.equal(settings["e1.to"], undefined);
  for (let more = 0; more < 100; more += 1) settings = changeGraph(settings, "addVertex", 0);
  assert.equal(settings.vertices, "20");
  for (let less = 0; less < 100; less += 1) settings = changeGraph(settings, "removeVertex", 0);
  assert.equal(settings.vertices, "1");
  assert.deepEqual([...(await asked(settings)).problems], []);
});

test("what is wrong in a graph is said at its field, and what an address cannot mean is said", async () => {
  const { params } = await asked({});
  const settings = { ...settingsFrom({ ...params, ...BRANCHING }), "v2.selectivity": "some", "v0.name": " ", "e1.zipf": "many", "v3.service": "soon" };
  const question = await asked(settings);
  assert.deepEqual([...question.problems.keys()].sort(), ["e1.zipf", "v0.name", "v2.selectivity", "v3.service"]);
  placeProblem(question, settings, { code: "x", message: "too many", field: "vertices[2].parallelism", option: null });
  assert.equal(question.problems.get("v2.parallelism"), "too many");
  const { scenario, problems, unknown } = await decodeWith(CHECKPOINTS, "#/checkpoints?v=1&shape=graph&vertices=999&edges=x&e0.to=77&v0.nothing=1&v1.name=%3Cb%3E");
  assert.equal(scenario.settings.vertices, "20");
  assert.equal(scenario.settings.edges, "0");
  assert.equal(scenario.settings["v1.name"], "<b>");
  assert.match(problems.join(" "), /“v0.nothing”/);
  assert.deepEqual(unknown, [["v0.nothing", "1"]]);
  const plain = await decodeWith(CHECKPOINTS, "#/checkpoints?v=1&v0.name=x");
  assert.deepEqual(plain.unknown, [["v0.name", "x"]], "a fixed shape has no such field");
});
