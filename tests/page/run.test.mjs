import assert from "node:assert/strict";
import { test } from "node:test";
import { answered, studio } from "./support.mjs";

const { visit } = studio();
const PARAMS = {
  windows: {
    assigner: { kind: "tumbling", size: 10_000, offset: 0 },
    trigger: { kind: "eventTime" },
    allowedLateness: 0,
    sideOutput: true,
  },
  watermarks: {
    rule: { kind: "boundedOutOfOrderness", outOfOrderness: 100 },
    emission: { kind: "perEvent", every: 1 },
    idleTimeout: null,
  },
  keys: 1000,
};

/** What `act` gives when it runs in the page, with what it needs for long runs in `window.testing`. */
async function inPage(act) {
  let got;
  await visit({}, async (page) => {
    await answered(page);
    await page.evaluate(async (params) => {
      const { LongRun } = await import(new URL("event-time/run.js", location.href).href);
      const { engine } = await import(new URL("start.js", location.href).href);
      const columns = (records) => ({
        time: Float64Array.from({ length: records }, (_, n) => n - ((n * 7919) % 200)),
        key: Uint32Array.from({ length: records }, (_, n) => (n * 31) % params.keys),
        value: Int32Array.from({ length: records }, (_, n) => n % 10),
      });
      window.testing = { LongRun, engine, params, columns };
    }, PARAMS);
    got = await page.evaluate(act);
  });
  return got;
}

test("a long run reports progress, lets questions through, and gives firings and rows", async () => {
  const got = await inPage(async () => {
    const { LongRun, engine, params, columns } = window.testing;
    const records = 3_000_000;
    let [reports, count, sum, between] = [0, 0, 0, 0];
    const run = new LongRun(engine, {
      onProgress: (progress) => {
        reports += 1;
        if (progress.records > 0 && !progress.isDone && between === 0) {
          between = -1;
          engine.ask("parseMemorySize", { text: "1g", version: "1.20" }, "between").then(() => (between = run.isOver ? 2 : 1));
        }
      },
      onResults: (results) => {
        for (const one of results.count) count += one;
        for (const one of results.sum) sum += one;
      },
    });
    const started = await run.start(params);
    await run.push(columns(records));
    run.end();
    const done = await run.done;
    run.isOver = true;
    const rows = await run.rows(1_999_999, 3);
    const outcomes = await run.outcomes(0, records);
    const samples = await run.samples();
    run.close();
    const kinds = [0, 0, 0, 0];
    for (const outcome of outcomes.value) kinds[outcome & 3] += 1;
    return { started, totals: done.value.totals, reports, count, sum, between, rows: rows.value, kinds, samples: samples.value.records.length };
  });
  assert.equal(got.started.ok, true);
  assert.ok(got.reports > 3, `${got.reports} reports`);
  assert.equal(got.between, 1, "a question was answered before the run was over");
  assert.equal(got.totals.records, 3_000_000);
  assert.ok(got.totals.dropped > 0);
  assert.equal(got.count, 3_000_000 - got.totals.dropped, "every record that was not dropped was counted once");
  assert.deepEqual(got.kinds, [got.totals.onTime, 0, got.totals.dropped, 0]);
  assert.deepEqual(got.rows.map((row) => row.record), [1_999_999, 2_000_000, 2_000_001]);
  const [row] = got.rows;
  assert.equal(row.time, 1_999_999 - ((1_999_999 * 7919) % 200));
  assert.ok(row.watermarkBefore <= 1_999_998 - 101);
  assert.equal(row.windows.length, 1);
  assert.ok(got.samples > 20);
});

test("a run that is cancelled ends, and the next one runs", async () => {
  const got = await inPage(async () => {
    const { LongRun, engine, params, columns } = window.testing;
    const controller = new AbortController();
    const first = new LongRun(engine, { signal: controller.signal, onProgress: () => controller.abort() });
    await first.start(params);
    first.push(columns(3_000_000));
    const cancelled = await first.done;
    const second = new LongRun(engine);
    await second.start(params);
    second.push(columns(1000));
    second.end();
    const done = await second.done;
    second.close();
    return { cancelled, records: done.value.records };
  });
  assert.equal(got.cancelled.error.code, "cancelled");
  assert.equal(got.records, 1000);
});

test("params and records that cannot be run are answers with the field", async () => {
  const got = await inPage(async () => {
    const { LongRun, engine, params, columns } = window.testing;
    const run = new LongRun(engine);
    const refused = await run.start({ ...params, windows: { ...params.windows, assigner: { kind: "tumbling", size: 10, offset: 10 } } });
    const unknown = await run.start({ ...params, latenes: 1 });
    await run.start(params);
    const bad = columns(10);
    bad.time[4] = 1.5;
    const fraction = await run.push(bad);
    const far = columns(10);
    far.key[3] = params.keys;
    const key = await run.push(far);
    run.close();
    return [refused, unknown, fraction, key].map((answer) => answer.error);
  });
  assert.equal(got[0].message, "TumblingEventTimeWindows parameters must satisfy abs(offset) < size");
  assert.equal(got[0].field, "windows.assigner.size");
  assert.equal(got[1].code, "bad_params");
  assert.match(got[2].message, /^Record 4 /);
  assert.equal(got[3].message, "Record 3 has the key 1000; it must be between 0 and 999.");
});
