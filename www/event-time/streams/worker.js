// @ts-check
/**
 * The worker's half of whole streams. The engine generates the records, or is handed the bytes of a
 * file piece by piece; the file itself is never held. Between two slices of some 30 ms other messages
 * are taken.
 *
 * Messages: `stream` (params, and a file where it is one), `streamCall` (a method of the stream and
 * its arguments), `free`.
 */

import { nextTask } from "../../next-task.js";

const SLICE_MS = 30;
const RECORDS_MIN = 1 << 10;
const RECORDS_MAX = 1 << 22;
/** Bytes that are handed to the engine at once. */
const PIECE_BYTES = 1 << 20;

/**
 * @typedef {import("../../../src/web/types.ts").EventStream} EventStream
 * @typedef {{ stream: EventStream | null }} Live
 * @typedef {{ id: number, type: string, ask?: number, params?: object, file?: File, method?: string, args?: unknown[] }} Message
 */

/** @type {Map<number, Live>} */
const live = new Map();

/** @param {{ id: number, type: string }} message */
export function isStream({ id, type }) {
  return type.startsWith("stream") || live.has(id);
}

/**
 * @param {Message} message
 * @param {(module: string) => Promise<Record<string, any>>} fetched
 */
export async function handle(message, fetched) {
  const { id, type, ask } = message;
  if (type === "stream") {
    const answer = await start(message, fetched);
    if (answer) post({ id, ask, answer });
  } else if (type === "streamCall") {
    const stream = /** @type {any} */ (live.get(id)?.stream);
    if (!stream || !message.method) return;
    const value = stream[message.method](...(message.args ?? []));
    post({ id, ask, answer: typeof value.ok === "boolean" ? value : { ok: true, value, findings: [] } });
  } else if (type === "free") {
    live.get(id)?.stream?.free();
    live.delete(id);
  }
}

/**
 * The report, or why there is none; nothing for a stream that was freed meanwhile.
 * @type {(message: Message, fetched: (module: string) => Promise<Record<string, any>>) => Promise<any>}
 */
async function start({ id, params, file }, fetched) {
  /** @type {Live} */
  const state = { stream: null };
  live.set(id, state);
  const { EventStream } = await fetched("event_time");
  if (live.get(id) !== state) return null;
  const created = EventStream.create(params);
  if (!created.ok) return created;
  state.stream = created.value;
  const refused = file ? await read(id, state, created.value, file) : null;
  if (refused) return refused;
  return drive(id, state, created.value);
}

/**
 * Nothing when all of the file is read.
 * @param {number} id
 * @param {Live} state
 * @param {EventStream} stream
 * @param {File} file
 */
async function read(id, state, stream, file) {
  const reader = file.stream().getReader();
  let bytes = 0;
  let since = performance.now();
  for (;;) {
    const { done, value } = await reader.read();
    if (live.get(id) !== state) return void reader.cancel();
    if (done) break;
    for (let from = 0; from < value.length; from += PIECE_BYTES) {
      const answer = stream.push(value.subarray(from, from + PIECE_BYTES));
      if (!answer.ok) {
        reader.cancel();
        return answer;
      }
    }
    bytes += value.length;
    if (performance.now() - since > SLICE_MS) {
      post({ id, progress: { phase: "reading", records: bytes, pushed: file.size, isDone: false } });
      await nextTask();
      if (live.get(id) !== state) return void reader.cancel();
      since = performance.now();
    }
  }
  const answer = stream.finish();
  return answer.ok ? null : answer;
}

/**
 * @param {number} id
 * @param {Live} state
 * @param {EventStream} stream
 */
async function drive(id, state, stream) {
  let records = RECORDS_MIN;
  while (live.get(id) === state) {
    const start = performance.now();
    const answer = stream.advance(records);
    const ms = performance.now() - start;
    if (!answer.ok) return answer;
    const { value } = answer;
    if (value.isDone) return stream.report();
    post({ id, progress: { phase: "running", records: value.records, pushed: value.expected, isDone: false, totals: value.totals } });
    const wanted = (records * SLICE_MS) / Math.max(ms, 1);
    records = Math.round(Math.min(Math.max(wanted, RECORDS_MIN), RECORDS_MAX, records * 4));
    await nextTask();
  }
  return null;
}

/** @param {object} report */
function post(report) {
  self.postMessage({ run: report });
}
