// @ts-check
/**
 * The worker's half of a search through all orders: it is driven in slices of some 30 ms, and between
 * two of them other messages are taken, so that questions are answered and a search can be cancelled.
 *
 * Messages: `start` (params), `free`.
 */

import { nextTask } from "../next-task.js";

/** How long a slice should take. */
const SLICE_MS = 30;
const STATES_MIN = 1 << 8;
const STATES_MAX = 1 << 20;
/** Slices between two reports of progress. */
const REPORT_EVERY = 4;

/** @typedef {{ advance(states: number): any, report(): any, free(): void }} Search */
/** @typedef {{ id: number, type: string, params?: object }} Message */

/** @type {Map<number, Search>} */
const live = new Map();
/** Searches that wait for the module; one that is freed meanwhile is not started. @type {Set<number>} */
const starting = new Set();

/**
 * @param {Message} message
 * @param {(module: string) => Promise<Record<string, any>>} fetched
 */
export async function receive(message, fetched) {
  try {
    await handle(message, fetched);
  } catch (error) {
    // The instance may have trapped, and then every search in it is lost.
    self.postMessage({ answers: [], fault: String(error) });
  }
}

/** @type {typeof receive} */
async function handle({ id, type, params }, fetched) {
  if (type === "start") {
    starting.add(id);
    const { TransactionSearch } = await fetched("transactions");
    if (!starting.delete(id)) return;
    const created = TransactionSearch.create(params);
    if (!created.ok) return post({ id, answer: created, progress: over(null) });
    live.set(id, created.value);
    await drive(id, created.value);
  } else if (type === "free") {
    starting.delete(id);
    live.get(id)?.free();
    live.delete(id);
  }
}

/**
 * @param {number} id
 * @param {Search} search
 */
async function drive(id, search) {
  let states = STATES_MIN;
  for (let slice = 0; live.get(id) === search; slice += 1) {
    const start = performance.now();
    const { value: known } = search.advance(states);
    const ms = performance.now() - start;
    if (known.done) {
      post({ id, answer: search.report(), progress: over(known) });
      return;
    }
    if (slice % REPORT_EVERY === 0) post({ id, progress: { records: 0, pushed: 1, known } });
    states = Math.round(Math.min(Math.max((states * SLICE_MS) / Math.max(ms, 1), STATES_MIN), STATES_MAX, states * 4));
    await nextTask();
  }
}

/** The engine's client waits for reports while fewer records are done than there are. @param {unknown} known */
function over(known) {
  return { records: 1, pushed: 1, known };
}

/** @param {object} report */
function post(report) {
  self.postMessage({ run: report });
}
