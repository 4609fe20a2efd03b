// @ts-check
/**
 * The worker's half of a simulation: it is driven in slices of some 30 ms, and between two of them
 * other messages are taken, so that questions are answered and a run can be cancelled meanwhile.
 *
 * Messages: `start` (the class of the engine's, and its params), `call` (a method and its
 * arguments, and the id of a run that is the last of them), `free`. A class has `create(params)`,
 * `advance(events)` with `done` in what it gives back, and `report()`.
 */

import { nextTask } from "../next-task.js";

/** How long a slice should take. */
const SLICE_MS = 30;
const EVENTS_MIN = 1 << 12;
const EVENTS_MAX = 1 << 26;
/** The answer where a run that is compared with is no more. @type {any} */
const GONE = { ok: false, error: { code: "cancelled", message: "The run that this one is compared with was closed.", field: null, option: null } };

/**
 * @typedef {{ advance(events: number): any, report(): any, free(): void, [method: string]: any }} Run
 * @typedef {{ run: Run | null }} Live
 * @typedef {{ id: number, type: string, ask?: number, kind?: string, params?: object, method?: string, args?: unknown[], other?: number }} Message
 */

/** @type {Map<number, Live>} */
const live = new Map();

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
  const { id, type, ask } = message;
  if (type === "start") {
    const answer = await start(message, fetched);
    if (answer) post({ id, ask, answer, progress: null });
  } else if (type === "call") {
    const run = live.get(id)?.run;
    if (!run || !message.method) return;
    const other = message.other === undefined ? null : (live.get(message.other)?.run ?? GONE);
    // The other run may have been freed while this one waited for its turn.
    const value = other === GONE ? GONE : run[message.method](...(message.args ?? []), ...(other ? [other] : []));
    post({ id, ask, answer: typeof value?.ok === "boolean" ? value : { ok: true, value, findings: [] } });
  } else if (type === "free") {
    live.get(id)?.run?.free();
    live.delete(id);
  }
}

/**
 * The report, or why there is none; nothing for a run that was freed meanwhile.
 * @type {(message: Message, fetched: (module: string) => Promise<Record<string, any>>) => Promise<any>}
 */
async function start({ id, kind, params }, fetched) {
  /** @type {Live} */
  const state = { run: null };
  live.set(id, state);
  const module = await fetched("checkpoints");
  if (live.get(id) !== state) return null;
  const created = module[kind ?? ""].create(params);
  if (!created.ok) return created;
  state.run = created.value;
  return drive(id, state, created.value);
}

/**
 * @param {number} id
 * @param {Live} state
 * @param {Run} run
 */
async function drive(id, state, run) {
  let events = EVENTS_MIN;
  while (live.get(id) === state) {
    const start = performance.now();
    const progress = run.advance(events);
    const ms = performance.now() - start;
    if (progress.done) return run.report();
    post({ id, progress: { ...progress, records: 0, pushed: 1 } });
    const wanted = (events * SLICE_MS) / Math.max(ms, 1);
    events = Math.round(Math.min(Math.max(wanted, EVENTS_MIN), EVENTS_MAX, events * 4));
    await nextTask();
  }
  return null;
}

/** @param {object} report */
function post(report) {
  self.postMessage({ run: report });
}
