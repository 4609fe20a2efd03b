// @ts-check
/**
 * The worker's half of long runs. A run is driven in slices of some 30 ms; between two of them the
 * worker takes other messages, so questions are answered and a run can be cancelled meanwhile.
 *
 * Messages: `start` (params, and columns if it has them), `push` (more columns), `end`, `rows`,
 * `outcomes`, `samples`, `free`. Firings travel with the progress that made them, their buffers
 * moved, not copied.
 */

import { nextTask } from "../next-task.js";
import * as streams from "./streams/worker.js";

/** How long a slice should take. */
const SLICE_MS = 30;
const RECORDS_MIN = 1 << 10;
const RECORDS_MAX = 1 << 24;
/** Records that a push hands to the engine at once. */
const PUSH_RECORDS = 1 << 20;

/**
 * @typedef {import("../../src/web/types.ts").EventTimeRun} EventTimeRun
 * @typedef {import("../../src/web/types.ts").RunColumns} RunColumns
 * @typedef {{ run: EventTimeRun, records: number, isDriven: boolean }} Live
 * @typedef {{ id: number, type: string, params?: object, columns?: RunColumns, isLast?: boolean,
 *   ask?: number, from?: number, count?: number }} Message
 */

/** @type {Map<number, Live>} */
const live = new Map();
/** Runs that wait for the module; one that is freed meanwhile is not started. @type {Set<number>} */
const starting = new Set();

/**
 * @param {Message} message
 * @param {(module: string) => Promise<Record<string, any>>} fetched
 */
export async function receive(message, fetched) {
  try {
    await handle(message, fetched);
  } catch (error) {
    // The instance may have trapped, and then every run in it is lost.
    self.postMessage({ answers: [], fault: String(error) });
  }
}

/** @type {typeof receive} */
async function handle(message, fetched) {
  if (streams.isStream(message)) return streams.handle(message, fetched);
  const { id, type, ask } = message;
  if (type === "start") {
    starting.add(id);
    const { EventTimeRun } = await fetched("event_time");
    if (!starting.delete(id)) return;
    const answer = EventTimeRun.create(message.params);
    if (!answer.ok) return post({ id, ask, answer });
    live.set(id, { run: answer.value, records: RECORDS_MIN, isDriven: false });
    return post({ id, ask, answer: { ok: true, value: null, findings: [] } });
  }
  if (type === "free") starting.delete(id);
  const state = live.get(id);
  if (!state) return;
  const { run } = state;
  if (type === "push" && message.columns) {
    const answer = append(run, message.columns);
    post({ id, ask, answer });
    if (answer.ok) await drive(id, state);
  } else if (type === "end") {
    run.end();
    await drive(id, state);
  } else if (type === "rows") {
    post({ id, ask, answer: plain(run.rows(message.from ?? 0, message.count ?? 0)) });
  } else if (type === "outcomes") {
    const from = message.from ?? 0;
    const outcomes = run.outcomes(from, from + (message.count ?? 0));
    post({ id, ask, answer: plain(outcomes) }, [outcomes.buffer]);
  } else if (type === "samples") {
    post({ id, ask, answer: plain(run.samples()) });
  } else if (type === "free") {
    live.delete(id);
    run.free();
  }
}

/**
 * @param {EventTimeRun} run
 * @param {RunColumns} columns
 */
function append(run, { time, key, value }) {
  let answer = run.push(time.subarray(0, PUSH_RECORDS), key.subarray(0, PUSH_RECORDS), value.subarray(0, PUSH_RECORDS));
  for (let from = PUSH_RECORDS; answer.ok && from < time.length; from += PUSH_RECORDS) {
    const to = from + PUSH_RECORDS;
    answer = run.push(time.subarray(from, to), key.subarray(from, to), value.subarray(from, to));
  }
  return answer;
}

/**
 * Runs until nothing is left to do or the run is gone.
 * @param {number} id
 * @param {Live} state
 */
async function drive(id, state) {
  if (state.isDriven) return;
  state.isDriven = true;
  while (live.get(id) === state) {
    const start = performance.now();
    const progress = state.run.advance(state.records);
    const results = state.run.results();
    const ms = performance.now() - start;
    post({ id, progress, results }, Object.values(results).map((column) => column.buffer));
    if (progress.isDone || progress.records === progress.pushed) break;
    const wanted = (state.records * SLICE_MS) / Math.max(ms, 1);
    state.records = Math.round(Math.min(Math.max(wanted, RECORDS_MIN), RECORDS_MAX, state.records * 4));
    await nextTask();
  }
  state.isDriven = false;
}

/** @param {unknown} value */
function plain(value) {
  return { ok: true, value, findings: [] };
}

/**
 * @param {object} report
 * @param {Transferable[]} [transfer]
 */
function post(report, transfer = []) {
  self.postMessage({ run: report }, { transfer });
}
