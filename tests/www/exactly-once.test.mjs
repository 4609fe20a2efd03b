// The Exactly-once tool's texts: addresses there and back, what is asked, what is taken from a paste.
import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeWith, encodeWith } from "../../www/codec.js";
import { EXACTLY_ONCE, scenarioOf } from "../../www/exactly-once/codec.js";
import { configTexts } from "../../www/exactly-once/config.js";
import { boundsIn, guaranteeText, outcomeOf, searchOf } from "../../www/exactly-once/bounds.js";
import { EVENTS, FAULT_KINDS, canMeet, controlOf, fieldsOf, reshaped } from "../../www/exactly-once/fault-kinds.js";
import { FIELDS } from "../../www/exactly-once/fields.js";
import { asListed, caveatOf, durationTexts, fieldOf, lintsOf, playOf, timesOf, writtenIn } from "../../www/exactly-once/params.js";
import { EXACTLY_PRESETS, USUAL } from "../../www/exactly-once/presets.js";
import { takenOver } from "../../www/exactly-once/read.js";
import { transactionText } from "../../www/exactly-once/texts.js";

const UNITS = { ms: 1, s: 1000, min: 60_000, h: 3_600_000, d: 86_400_000 };

/** What the engine would read of these durations. */
function durationsOf(situation) {
  return new Map(
    durationTexts(situation).map((text) => {
      const [, number, unit] = /^(\d+) (ms|s|min|h|d)$/.exec(text);
      const ms = Number(number) * UNITS[unit];
      return [text, { ok: true, value: { seconds: String(Math.floor(ms / 1000)), nanos: (ms % 1000) * 1_000_000 } }];
    }),
  );
}

const written = (settings, faults = []) => writtenIn({ settings, faults }, durationsOf({ settings, faults }));

test("every example sets every field, and says so in its address", async () => {
  assert.ok(EXACTLY_PRESETS.length >= 13);
  for (const preset of EXACTLY_PRESETS) {
    assert.deepEqual(Object.keys(preset.settings).sort(), FIELDS.map(({ id }) => id).sort(), preset.id);
    for (const { id, choices } of FIELDS) {
      if (choices) assert.ok(choices.some(([value]) => value === preset.settings[id]), `${preset.id} ${id}`);
    }
    assert.deepEqual([...written(preset.settings, preset.faults).problems], [], preset.id);
    const decoded = await decodeWith(EXACTLY_ONCE, await encodeWith(EXACTLY_ONCE, scenarioOf(preset)));
    assert.deepEqual(decoded.scenario, scenarioOf(preset));
    assert.deepEqual(decoded.problems, []);
  }
});

test("the whole scenario is in the address", async () => {
  const faults = [{ ev: "crash", at: "after_complete", checkpoint: 2 }, { ev: "restore", afterMs: 5, from: "latest" }];
  const scenario = {
    ...scenarioOf(EXACTLY_PRESETS[2]),
    settings: { ...EXACTLY_PRESETS[2].settings, intervalMs: "2 min", prefix: "a&b=c #é" },
    faults,
    at: 7,
    pinned: { settings: { ...USUAL, timeoutMs: "" }, faults: [] },
    barriers: null,
    explored: { bounds: boundsIn({ sink: "file", zombies: true, secondPrefix: "own", rescales: 1, crashes: "many" }), way: "nothing is lost", step: 4 },
  };
  const decoded = await decodeWith(EXACTLY_ONCE, await encodeWith(EXACTLY_ONCE, scenario));
  assert.deepEqual(decoded.scenario, scenario);
  const many = { ...scenario, faults: Array.from({ length: 60 }, () => faults[1]) };
  assert.deepEqual((await decodeWith(EXACTLY_ONCE, await encodeWith(EXACTLY_ONCE, many))).scenario.faults, many.faults);
});

test("a damaged address says what was not used", async () => {
  for (const part of ["faults=%5B1%5D", "faults=x", "x=y", "z=AAAA", "a=AAAA", "naming=other"]) {
    const { problems } = await decodeWith(EXACTLY_ONCE, `#/exactly-once?v=1&${part}`);
    assert.equal(problems.length, 1, part);
  }
});

test("what is asked is what is written", () => {
  const scenario = scenarioOf(EXACTLY_PRESETS[0]);
  const numbers = written(scenario.settings);
  assert.equal(timesOf(numbers).timeoutMs, 900_000);
  const lints = lintsOf(scenario, numbers);
  assert.deepEqual([lints.connector, lints.readers, lints.savepointAgeMs], ["3.4", ["read_committed"], null]);
  assert.equal(lintsOf({ ...scenario, flink: "2.2" }, numbers).connector, "5.0");
  const play = playOf(scenario, numbers, { timeoutMs: 1, brokerMaxMs: 2, partsMs: 3, downtimeMs: 4 });
  assert.deepEqual([play.settings.txnTimeoutMs, play.settings.brokerMaxTxnTimeoutMs, play.settings.downtimeMs], [1, 2, 3]);
  assert.equal(fieldOf("times.intervalMs"), "intervalMs");
  assert.equal(fieldOf("settings.checkpointIntervalMs"), "intervalMs");
  assert.equal(fieldOf("faults[0]"), null);
});

test("times of faults are written as in Flink, and asked in milliseconds", () => {
  const faults = [{ ev: "crash", at: "after_complete", checkpoint: 3 }, { ev: "restore", afterMs: "2 min", from: 3 }, { ev: "run", forMs: 5 }];
  const scenario = { ...scenarioOf(EXACTLY_PRESETS[0]), faults };
  const numbers = written(scenario.settings, faults);
  assert.deepEqual(numbers.faults.map(({ afterMs, forMs }) => afterMs ?? forMs), [undefined, 120_000, 5]);
  assert.deepEqual([timesOf(numbers).faults, playOf(scenario, numbers, {}).faults], [numbers.faults, numbers.faults]);
  const { faultProblems } = writtenIn({ settings: USUAL, faults: [{ ev: "restore", afterMs: "soon" }, { ev: "run", forMs: "-5 s" }] }, durationsOf({ settings: USUAL, faults: [] }));
  assert.deepEqual([...faultProblems.keys()], ["0 afterMs", "1 forMs"]);
});

test("a fault becomes another kind and keeps what both have", () => {
  const restore = { ev: "restore", afterMs: 90_000, from: 3 };
  assert.deepEqual(reshaped({ ev: "crash", at: "after_commit", checkpoint: 4 }, "jm_crash"), { ev: "jm_crash", at: "after_commit", checkpoint: 4 });
  assert.deepEqual(reshaped(restore, "broker_unreachable"), { ev: "broker_unreachable", at: "after_complete", checkpoint: 3, forMs: 300_000 });
  assert.deepEqual(reshaped({ ev: "zombie_send" }, "restore"), { ev: "restore", from: "latest" });
  for (const kind of FAULT_KINDS) for (const fault of kind.make(3)) assert.ok(EVENTS[fault.ev] && Object.keys(fault).every((name) => ["ev", "state", ...fieldsOf(fault, "kafkaSink")].includes(name)), kind.word);
});

test("bad input is told by field", () => {
  const settings = { ...USUAL, intervalMs: "", failures: "many" };
  assert.deepEqual([...written(settings).problems.keys()], ["intervalMs", "failures"]);
});

test("settings are written as each version reads them", () => {
  const scenario = scenarioOf({ ...EXACTLY_PRESETS[0], settings: { ...USUAL, prefix: "it's" } });
  const texts = (flink) => configTexts({ ...scenario, flink }, written(scenario.settings)).map(({ name, text }) => `${name}\n${text}`).join("\n");
  assert.match(texts("1.18"), /flink-conf\.yaml\n[^]*\nrestart-strategy: exponential-delay/);
  assert.match(texts("2.2"), /config\.yaml\n[^]*\nrestart-strategy\.type: exponential-delay/);
  assert.match(texts("2.2"), /naming-strategy' = 'INCREMENTING'/);
  assert.doesNotMatch(texts("1.20"), /naming-strategy/);
  assert.match(texts("1.20"), /sink\.committer\.retries: 10/);
  assert.doesNotMatch(texts("1.18"), /sink\.committer\.retries/);
  assert.match(texts("1.20"), /'sink\.transactional-id-prefix' = 'it''s'/);
});

test("the rival of an example takes the prefix that a text gives", () => {
  const scenario = takenOver(scenarioOf(EXACTLY_PRESETS[0]), { settings: [{ field: "prefix", value: "kafka-sink" }], situation: { preset: "same-prefix", openMs: null, checkpoints: null } });
  const lints = lintsOf(scenario, written(scenario.settings, scenario.faults));
  // Where the fault names no prefix, the engine takes that of the settings.
  assert.deepEqual([lints.prefix, lints.otherPrefixes, scenario.faults[0].prefix], ["kafka-sink", ["kafka-sink"], undefined]);
  const other = { ...scenario, faults: [{ ...scenario.faults[0], prefix: "b" }], settings: { ...scenario.settings, otherPrefixes: "c" } };
  assert.deepEqual(lintsOf(other, written(other.settings, other.faults)).otherPrefixes, ["c", "b"]);
  const rescaled = { ...scenario, faults: [{ ev: "crash", at: "mid_interval", checkpoint: 3 }, { ev: "restore", parallelism: 4 }] };
  const planned = (settings) => lintsOf({ ...rescaled, settings }, written(settings, rescaled.faults)).plannedParallelism;
  assert.deepEqual([planned(USUAL), planned({ ...USUAL, plannedParallelism: "3" })], [4, 3]);
});

test("an example with the timeout of a text lives until its checkpoint", () => {
  const { settings, faults } = takenOver(scenarioOf(EXACTLY_PRESETS[0]), { settings: [{ field: "timeoutMs", value: "10000 ms" }], situation: { preset: "long-outage", openMs: 42_551_680, checkpoints: { intervalMs: 2500, durationMs: 500 } } });
  assert.deepEqual([settings.timeoutMs, settings.intervalMs, settings.durationMs, faults[1].afterMs], ["10000 ms", "2500 ms", "500 ms", 42_551_680]);
});

test("only texts about transactions are taken", () => {
  for (const text of ["transaction.timeout.ms=1", "ERROR KafkaCommitter - x", "InvalidPidMappingException"]) assert.ok(transactionText(text), text);
  for (const text of ["taskmanager.memory.process.size: 4g", "execution.checkpointing.interval: 1 min", "id,key,time\n1,a,5"]) assert.equal(transactionText(text), null, text);
});

test("all orders are tried with the sink of the settings, unless another is chosen", () => {
  const sinks = FIELDS.find(({ id }) => id === "sink").choices.map(([sink]) => searchOf({ ...USUAL, sink }, boundsIn(null)).sink);
  assert.deepEqual(sinks, ["kafka_sink", "legacy", "upsert", "file", "table"]);
  assert.equal(searchOf({ ...USUAL, sink: "table" }, boundsIn({ sink: "file" })).sink, "file");
});

test("a search that saw a part says so of what it did not decide", () => {
  const word = (kind, holds, steps, isComplete) => outcomeOf({ kind, holds, steps }, { isComplete }).word;
  assert.deepEqual([word("always", true, null, true), word("always", true, null, false)], ["holds", "holds so far"]);
  assert.deepEqual([word("sometimes", false, null, true), word("sometimes", false, null, false)], ["never seen", "not seen so far"]);
  assert.deepEqual([word("always", false, [], false), word("sometimes", true, [], false)], ["broken", "holds"]);
  assert.equal(outcomeOf({ kind: "sometimes", holds: false, steps: null }, { isComplete: false }).isFailed, false);
});

test("no guarantee is tried as itself, and the search says so", () => {
  for (const guarantee of ["none", ""]) {
    assert.equal(searchOf({ ...USUAL, guarantee }, boundsIn(null)).isTransactional, false);
    assert.equal(searchOf({ ...USUAL, guarantee }, boundsIn(null)).flushes, false);
    assert.match(guaranteeText({ ...USUAL, guarantee }, boundsIn(null)), /does not flush at a checkpoint/);
    for (const sink of ["upsert", "file", "table"]) assert.equal(guaranteeText({ ...USUAL, guarantee, sink }, boundsIn(null)), "");
  }
  for (const guarantee of ["exactlyOnce", "atLeastOnce"]) assert.equal(guaranteeText({ ...USUAL, guarantee }, boundsIn(null)), "");
});

test("a fault that changes something differs from the settings, and a rival has their prefix", () => {
  const last = (word, job) => FAULT_KINDS.find((kind) => kind.word === word).make(3, job).at(-1);
  for (const sinks of [1, 2, 3]) assert.notEqual(last("Crash, rescaled", { sinks, prefix: "app" }).parallelism, sinks);
  for (const prefix of ["app", "app2"]) assert.notEqual(last("Crash, restored under another prefix", { sinks: 1, prefix }).prefix, prefix);
  // The engine takes the prefix of the settings where the fault names none.
  assert.equal("prefix" in last("Rival with the same prefix"), false);
  assert.equal("prefix" in reshaped({ ev: "crash", at: "mid_interval", checkpoint: 3 }, "second_job_starts"), false);
});

test("only faults that a sink can meet are offered", () => {
  const words = (sink) => FAULT_KINDS.filter((kind) => kind.sinks.includes(sink)).map(({ word }) => word);
  for (const kind of FAULT_KINDS) for (const sink of kind.sinks) for (const { ev } of kind.make(3)) assert.ok(canMeet(ev, sink), `${kind.word} ${sink}`);
  assert.ok(words("file").includes("Crash, one subtask has committed") && !words("table").includes("Crash, one subtask has committed"));
  for (const sink of ["file", "table"]) {
    assert.doesNotMatch(words(sink).join(), /prefix|ACL|Coordinator|JVM|Legacy|Broker/);
    assert.ok(!controlOf("at", sink).choices.some(([moment]) => moment === "prepare_commit"));
    assert.deepEqual(fieldsOf({ ev: "restore" }, sink), ["afterMs", "from", "parallelism"]);
    // What is written is shown all the same, so that it can be taken away.
    assert.ok(fieldsOf({ ev: "restore", prefix: "b" }, sink).includes("prefix"));
    const hidden = FIELDS.filter(({ shown }) => shown && !shown({ ...USUAL, sink })).map(({ id }) => id);
    for (const id of ["timeoutMs", "prefix", "naming", "isolation", "maxBlockMs"]) assert.ok(hidden.includes(id), id);
  }
});

test("files and tables commit whatever guarantee is set for Kafka", () => {
  const settings = { ...USUAL, sink: "file", guarantee: "none", isolation: "", layout: "shared" };
  const { settings: played } = playOf({ settings }, written(settings), {});
  assert.deepEqual([played.deliveryGuarantee, played.isolation, played.partitionLayout], ["exactly_once", "read_committed", "one_per_subtask"]);
  assert.equal(searchOf(settings, boundsIn(null)).isTransactional, true);
});

test("a guarantee that is not set is the sink's own", () => {
  const played = (sink) => playOf({ settings: { ...USUAL, sink, guarantee: "" } }, written(USUAL), {}).settings.deliveryGuarantee;
  assert.deepEqual([played("kafkaSink"), played("flinkKafkaProducer")], ["none", "at_least_once"]);
  assert.equal(searchOf({ ...USUAL, sink: "flinkKafkaProducer", guarantee: "" }, boundsIn(null)).flushes, true);
});

test("every kind of fault can be placed", () => {
  const placed = new Set(FAULT_KINDS.flatMap((kind) => kind.make(3).map(({ ev }) => ev)));
  assert.deepEqual(Object.keys(EVENTS).filter((ev) => !placed.has(ev)), []);
});

test("settings of the committer, the restarts and the end of the input are played", () => {
  const played = (settings, faults = []) => playOf({ settings: { ...USUAL, ...settings } }, written({ ...USUAL, ...settings }, faults), {});
  assert.deepEqual(played({}).faults, []);
  const crash = { ev: "crash", at: "mid_interval", checkpoint: 3 };
  assert.deepEqual(played({ committerRetries: "2", maxBlockMs: "5 s", bounded: "yes", checkpointsAfterTasksFinish: "off" }, [crash]).faults, [
    { ev: "set", option: "sink.committer.retries", value: 2 },
    { ev: "set", option: "max.block.ms", value: 5000 },
    { ev: "end_of_input", afterInterval: 6, finalCheckpoint: false },
    crash,
  ]);
  const end = { ev: "end_of_input", afterInterval: 2, finalCheckpoint: true };
  assert.deepEqual(played({ bounded: "yes", checkpointsAfterTasksFinish: "off" }, [end]).faults, [end]);
  const restarts = (settings) => played(settings).settings.maxAutoRestarts;
  assert.deepEqual([restarts({}), restarts({ maxAutoRestarts: "7" }), restarts({ restart: "none" })], [undefined, 7, 0]);
  const judged = (settings) => lintsOf({ ...scenarioOf(EXACTLY_PRESETS[0]), settings: { ...USUAL, ...settings } }, written({ ...USUAL, ...settings })).restartAttempts;
  assert.deepEqual([judged({ maxAutoRestarts: "7" }), judged({ restart: "fixedDelay", maxAutoRestarts: "7" }), judged({ restart: "fixedDelay" })], [null, 7, null]);
  assert.deepEqual([asListed("faults[3].from is 9", 2), asListed("Fault 3 never happens.", 2), asListed("Exactly 3", 2)], ["faults[1].from is 9", "Fault 1 never happens.", "Exactly 3"]);
});

test("without checkpoints no verdict stands alone", () => {
  assert.equal(caveatOf(USUAL), "");
  assert.match(caveatOf({ ...USUAL, checkpointing: "off" }), /^Checkpointing is off.*nothing is ever committed.*L10/);
  assert.match(caveatOf({ ...USUAL, checkpointing: "off", guarantee: "atLeastOnce" }), /no position of the source/);
  assert.match(caveatOf({ ...USUAL, checkpointing: "off", sink: "file" }), /ever committed/);
  assert.match(caveatOf({ ...USUAL, checkpointing: "off", bounded: "yes" }), /committed when the input ends[^]*fit into its timeout/);
  assert.match(caveatOf({ ...USUAL, checkpointing: "off", sink: "flinkKafkaProducer" }), /falls back to no guarantee/);
});
