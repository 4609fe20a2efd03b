import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeWith, encodeWith } from "../../www/codec.js";
import { EVENT_TIME, scenarioOf, streamFrom } from "../../www/event-time/codec.js";
import { csvOf, csvWithHead, looksLikeRecords, rowsIn } from "../../www/event-time/csv.js";
import { FIELDS } from "../../www/event-time/fields.js";
import { added, moved, nextRecord } from "../../www/event-time/moves.js";
import { questionOf } from "../../www/event-time/params.js";
import { EVENT_TIME_PRESETS, USUAL } from "../../www/event-time/presets.js";
import { readTime, timeText, windowText } from "../../www/event-time/time.js";
import { transitionsOf } from "../../www/event-time/zone.js";
import { stepsOf } from "../../www/event-time/by-hand/script.js";

const first = () => scenarioOf(EVENT_TIME_PRESETS[0]);

async function roundTrip(scenario) {
  const hash = await encodeWith(EVENT_TIME, scenario);
  const decoded = await decodeWith(EVENT_TIME, hash);
  assert.deepEqual(decoded.scenario, scenario, hash);
  assert.deepEqual(decoded.problems, []);
  return hash;
}

test("an address holds what differs from the preset, readably", async () => {
  assert.equal(await roundTrip(first()), "#/event-time?v=1");
  const scenario = { ...first(), flink: "2.2", at: 3, settings: { ...USUAL, window: "sliding", size: "1 h", slide: "5 min" } };
  assert.equal(await roundTrip(scenario), "#/event-time?v=1&flink=2.2&window=sliding&size=1+h&slide=5+min&at=3");
});

test("records travel in the address, the many compressed", async () => {
  const few = { ...first(), events: [{ id: "a,b", time: "1", arrival: "2", key: "x\"y", partition: "0", value: "" }] };
  assert.match(await roundTrip(few), /&events=/);
  const many = { ...first(), events: EVENT_TIME_PRESETS.find(({ id }) => id === "sliding-explosion").events };
  assert.match(await roundTrip(many), /&z=[\w-]+$/);
});

test("every preset sets every field, and comes back", async () => {
  assert.ok(EVENT_TIME_PRESETS.length >= 10);
  const ids = FIELDS.map(({ id }) => id).sort();
  for (const preset of EVENT_TIME_PRESETS) {
    assert.deepEqual(Object.keys(preset.settings).sort(), ids, preset.id);
    for (const { id, choices } of FIELDS) {
      if (choices) assert.ok(choices.some(([value]) => value === preset.settings[id]), `${preset.id} ${id}`);
    }
    assert.ok(preset.look.length > 40 && preset.events.length > 3, preset.id);
    await roundTrip(scenarioOf(preset));
  }
});

test("bad values in an address are named and leave the preset's", async () => {
  const { scenario, problems, unknown } = await decodeWith(EVENT_TIME, "#/event-time?v=1&window=round&colour=blue&at=-1&z=!!");
  assert.equal(scenario.settings.window, "tumbling");
  assert.deepEqual(scenario.events, first().events);
  assert.deepEqual(unknown.map(([key]) => key), ["colour", "at"]);
  assert.equal(problems.length, 3);
});

test("records are read by name or by place, with any of three separators", () => {
  const row = { id: "r1", time: "1000", arrival: "5", key: "k", partition: "0", value: "" };
  assert.deepEqual(rowsIn("r1,1000,5,k"), [row]);
  assert.deepEqual(rowsIn("key;Event-Time;arrival;ID\nk;1000;5;r1\n\n"), [row]);
  assert.deepEqual(rowsIn("\ufeffrowtime\tkey\r\n1000\tk\r\n"), [{ ...row, id: "e1", arrival: "1000" }]);
  assert.deepEqual(rowsIn('"a,b""c",1,2,k'), [{ ...row, id: 'a,b"c', time: "1", arrival: "2" }]);
  assert.deepEqual(rowsIn("  \n"), []);
  const rows = EVENT_TIME_PRESETS.flatMap(({ events }) => events);
  assert.deepEqual(rowsIn(csvWithHead(rows)), rows);
  assert.deepEqual(rowsIn(csvOf(rows)), rows);
});

test("a configuration is not taken for records, and records are", () => {
  for (const text of ["taskmanager.memory.process.size: 4g", "-Xmx1g -Xms1g", "a,b\nc,d", `{"jobs": [], "id": 1}`, `{\n"ts": 1000}`, "state.backend: rocksdb\nx: 1,2", ""]) {
    assert.equal(looksLikeRecords(text), false, text);
  }
  for (const text of [`{"ts": 1000, "key": "a"}\n{"ts": 2000, "key": "b"}`, "e1,1000,5,k", "id,event time,key\n", "e1;2026-03-08T10:00:00Z;0;a\ne2;2026-03-08T10:00:01Z;0;a"]) {
    assert.equal(looksLikeRecords(text), true, text);
  }
});

test("times are milliseconds or dates, and UTC without a zone", () => {
  for (const [text, ms] of [["0", 0], ["-5", -5], ["12 500", 12500], ["2026-03-08T10:00:00Z", 1772964000000], ["2026-03-08 10:00", 1772964000000], ["2026-03-08T10:00:00+02:00", 1772956800000], ["2026-03-08", 1772928000000]]) {
    assert.equal(readTime(text), ms, text);
  }
  assert.equal(readTime("9223372036854775806"), "9223372036854775806");
  for (const text of ["", "soon", "1.5", "12:00", "2026-13-01", "1e3", "2026"]) assert.equal(readTime(text) === null, text !== "2026", text);
});

test("the two ends of event time are never numbers", () => {
  assert.equal(timeText(null), "no watermark yet");
  assert.equal(timeText("endOfInput"), "end of input");
  // As the engine's sentences write them: src/event_time/text.rs.
  for (const [ms, text] of [[0, "0 s"], [250, "250 ms"], [-1, "\u22121 ms"], [14999, "14.999 s"], [61000, "61 s"], [300000, "5 min"], [9000000, "2 h 30 min"], [86400000, "1 d"]]) {
    assert.equal(timeText(ms).replace(/\u00a0/g, " "), text);
  }
  assert.equal(timeText(1772964000000), "2026-03-08 10:00:00");
  assert.equal(timeText(1772963999999), "2026-03-08 09:59:59.999");
  assert.equal(windowText({ start: null, end: "endOfInput" }), "global window");
});

test("a zone's changes are found to the millisecond", () => {
  const march = Date.parse("2021-03-14T10:00:00Z");
  const november = Date.parse("2021-11-07T09:00:00Z");
  const day = 86_400_000;
  const found = transitionsOf("America/Los_Angeles", [march, november], day);
  assert.deepEqual(
    found.filter(({ from }) => from === march || from === november),
    [{ from: march, offset: -7 * 3600000 }, { from: november, offset: -8 * 3600000 }],
  );
  assert.ok(found.every(({ from }, at) => at === 0 || from > found[at - 1].from));
  const kolkata = transitionsOf("Asia/Kolkata", [march, november], day);
  assert.deepEqual(kolkata.map(({ offset }) => offset), [19800000]);
  assert.equal(transitionsOf("Mars/Olympus", [march, november], day), null);
});

test("the years of a record far away are looked up, too, in order and once", () => {
  const day = 86_400_000;
  // Summer time of 1916 began in Berlin on 30 April at 22:00 UTC, that of 2150 ends on 25 October.
  const [far, near, later] = ["1916-05-01T10:00:00Z", "2026-03-29T12:00:00Z", "2150-10-25T12:00:00Z"].map((text) => Date.parse(text));
  const found = transitionsOf("Europe/Berlin", [near, far, later], day);
  const at = (text) => found.find(({ from }) => from === Date.parse(text))?.offset;
  assert.equal(at("1916-04-30T22:00:00Z"), 7_200_000);
  assert.equal(at("2026-03-29T01:00:00Z"), 7_200_000);
  assert.equal(at("2150-10-25T01:00:00Z"), 3_600_000);
  assert.ok(found.every(({ from }, index) => index === 0 || from > found[index - 1].from));
  assert.ok(found.length < 1000, "what the engine takes");
  assert.equal(transitionsOf("Europe/Berlin", [near], 1e15), "too many");
});

test("JSON lines give the same records as CSV", () => {
  const csv = rowsIn("id,event time,arrival,key,partition,value\nr1,1000,5,a,1,7");
  assert.deepEqual(rowsIn('{"id":"r1","eventTime":1000,"arrival":5,"key":"a","partition":1,"value":7,"other":{"a":1}}'), csv);
  assert.deepEqual(rowsIn('[\n{"id":"r1","ts":1000,"arrival":5,"user_id":"a","split":1,"gap":7},\n{"ts":2}\n]').length, 2);
  assert.equal(rowsIn('{"ts":1}\nnot json')[1].time, "not json");
  assert.equal(rowsIn('{"constructor":1,"toString":2,"ts":3}')[0].time, "3");
});

test("a script names the line that it cannot read", () => {
  const steps = (kind, script) => stepsOf({ kind, count: "2", script });
  assert.deepEqual(steps("channels", "0: 5000\n1 watermark 2026-03-08 10:00:00Z # comment\n0 end").steps.map(({ watermark }) => watermark), [5000, Date.parse("2026-03-08T10:00:00Z"), "endOfInput"]);
  assert.deepEqual(steps("splits", "register a\na 5 deferred\nperiodic").steps[1], { kind: "watermark", id: "a", watermark: 5, deferred: true });
  for (const script of ["0", "x 5", "0 watermark", "0 NaN", "0 watermark 1e308", "-1 5", "\u202e 5"]) assert.equal(steps("channels", `0 5\n${script}`).problem?.line, 2, script);
  for (const script of ["advance -1", "event", "tick"]) assert.equal(steps("generator", script).problem?.line, 1, script);
});

test("the engine is asked in order of arrival, and bad cells and fields are named", () => {
  const read = new Map(["2 s", "10 s"].map((text) => [text, { ok: true, value: { seconds: Number.parseInt(text, 10), nanos: 0 } }]));
  const events = rowsIn("late,1,30,a\nearly,2,10,a\nsame,3,30,a");
  const { params, order, problems, rows } = questionOf({ ...first(), events }, read);
  assert.deepEqual(order, [1, 0, 2]);
  assert.deepEqual(params.input.map(({ id }) => id), ["early", "late", "same"]);
  assert.deepEqual(params.watermarks.rule, { kind: "boundedOutOfOrderness", outOfOrderness: 2000 });
  assert.deepEqual([problems.size, rows.size], [0, 0]);

  const bad = { ...USUAL, bound: "much", offset: "- 10 s", parallelism: "two" };
  const wrong = questionOf({ ...first(), settings: bad, events: rowsIn("x,soon,0,a") }, new Map([...read, ["much", { ok: false, error: { message: "Flink says no" } }]]));
  assert.equal(wrong.problems.get("bound"), "Flink says no");
  assert.match(wrong.problems.get("parallelism"), /“two” is not a whole number/);
  assert.equal(wrong.params.windows.assigner.offset, -10000);
  assert.deepEqual(wrong.rows.get(0)[0], "time");
});

test("a record moved in the picture keeps its name and takes the place it was moved to", () => {
  const events = rowsIn("a,1000,10,k\nb,2000,20,k\nc,3000,30,k");
  const record = { id: "" };
  // A call of the clock stands between the second and the third.
  const rows = [{ item: 0, record }, { item: 1, record }, { item: null, record: null }, { item: 2, record }];
  const shown = { rows, order: [0, 1, 2], events };
  const ids = (list) => list.map(({ id, time, arrival }) => `${id} ${time} ${arrival}`);
  assert.deepEqual(ids(moved(shown, 0, 1500, 0)), ["a 1500 10", "b 2000 20", "c 3000 30"]);
  assert.deepEqual(ids(moved(shown, 0, 1000, 3)), ["b 2000 20", "c 3000 30", "a 1000 30"]);
  assert.deepEqual(ids(moved(shown, 0, 1000, 2)), ["b 2000 20", "a 1000 20", "c 3000 30"]);
  assert.deepEqual(ids(moved(shown, 3, 3000, 0)), ["c 3000 10", "a 1000 10", "b 2000 20"]);
  assert.deepEqual(ids(moved(shown, 2, 9, 0)), ids(events), "the clock is no record");
  assert.deepEqual(ids(added(shown, 7, 2)), ["a 1000 10", "b 2000 20", "e4 7 20", "c 3000 30"]);
  assert.deepEqual([nextRecord(shown, 1, 1), nextRecord(shown, 3, -1), nextRecord(shown, 0, -1)], [3, 1, 0]);
});

test("a signal moved in the picture keeps what it is, and a status has no time", () => {
  const events = rowsIn("a,1000,10,k\n!watermark,2000,20,,1\n!idle,,30,,1\nb,9000,40,k");
  const rows = [{ item: 0, record: {} }, { item: 1, record: null }, { item: 2, record: null }, { item: 3, record: {} }];
  const shown = { rows, order: [0, 1, 2, 3], events };
  const list = (all) => all.map(({ id, time, arrival, partition }) => `${id} ${time} ${arrival} ${partition}`);
  assert.deepEqual(list(moved(shown, 1, 2500, 3)), ["a 1000 10 0", "!idle  30 1", "b 9000 40 0", "!watermark 2500 40 1"]);
  assert.deepEqual(list(moved(shown, 2, 777, 0)), ["!idle  10 1", "a 1000 10 0", "!watermark 2000 20 1", "b 9000 40 0"]);
  // A record that is added beside a signal is a record.
  assert.deepEqual(added(shown, 7, 2)[3], { id: "e5", time: "7", arrival: "30", key: "a", partition: "0", value: "" });
});

test("signals are rows of the text, with a subtask and an arrival", async () => {
  const events = rowsIn("e1,1000,1000,a,0\n!watermark,9999,2000,,1\n!idle,,3000,,1");
  const { params, rows } = questionOf({ ...first(), events }, new Map());
  assert.equal(rows.size, 0);
  assert.deepEqual(params.input.slice(1), [
    { kind: "watermark", watermark: 9999, subtask: 1, arrival: 2000 },
    { kind: "status", status: "idle", subtask: 1, arrival: 3000 },
  ]);
  await roundTrip({ ...first(), events });
});

test("a pinned scenario travels as an address in the address, without one of its own", async () => {
  const pinned = { ...first(), settings: { ...USUAL, bound: "7 s" } };
  const hash = await roundTrip({ ...first(), pinned });
  assert.match(decodeURIComponent(hash), /pin=#\/event-time\?v=1&bound=7\+s/);
  const nested = await encodeWith(EVENT_TIME, { ...first(), pinned: { ...pinned, pinned } });
  const { scenario } = await decodeWith(EVENT_TIME, nested);
  assert.equal(scenario.pinned.pinned, null);
  const stream = streamFrom({ ...first(), pinned: null }, "pareto");
  const b = { ...stream, pinned: { ...stream, stream: { ...stream.stream, values: { ...stream.stream.values, events: "77" } } } };
  assert.match(decodeURIComponent(decodeURIComponent(await roundTrip(b))), /stream=pareto&pin=.*stream=pareto&stream\.events=77/);
});

test("types of what is kept are asked with their lengths", () => {
  const settings = { ...USUAL, function: "full", element: "bytes", elementLength: "64", stateKey: "long" };
  const { params, problems } = questionOf({ ...first(), settings }, new Map());
  assert.ok(!problems.has("accumulatorLength"));
  assert.deepEqual([params.kept.key, params.kept.element], [{ kind: "long" }, { kind: "bytes", length: 64 }]);
});
