// Runs in a worker of the page: a loop of JavaScript and the engine, turn about, over the same
// records, and fails where what they write is not the same.
import { BOUND, CASES, digest, events, paramsOf, resultArrays } from "./events.js";
import * as loops from "./loops.js";

const RESULTS_MAX = 4_000_000;
/** Records that the engine is handed, and told to process, at once. */
const SLICE = 1 << 20;

let weir = null;

self.onmessage = async ({ data: { id, act, args } }) => {
  try {
    weir ??= await load();
    self.postMessage({ id, value: ACTS[act](...args) });
  } catch (error) {
    self.postMessage({ id, error: String(error.stack ?? error) });
  }
};

async function load() {
  const weir = await import(new URL("../../weir_event_time.js", import.meta.url).href);
  await weir.default();
  return weir;
}

/** The columns of the last call, since making them takes longer than using them. */
let made = { records: 0, keys: 0, columns: null };

function columnsOf(records, keys) {
  if (made.records !== records || made.keys !== keys) made = { records, keys, columns: events(records, keys) };
  return made.columns;
}

/** Room that is made once, so that neither side pays for it. */
let room = null;

const ACTS = {
  /** Milliseconds of the loop, and a digest of what it wrote. */
  script(name, records, keys) {
    const columns = columnsOf(records, keys);
    room ??= { results: resultArrays(RESULTS_MAX), outcomes: new Uint8Array(records) };
    const outcomes = room.outcomes.subarray(0, records);
    const start = performance.now();
    const length = loops[name](columns, CASES[name].assigner, BOUND + 1, outcomes, room.results);
    const ms = performance.now() - start;
    return { ms, results: length, digest: digest(outcomes, room.results, length) };
  },

  /** The same of the engine, from typed arrays to typed arrays, and what it holds at its largest. */
  engine(name, records, keys, withDigest) {
    const { time, key, value } = columnsOf(records, keys);
    const parts = [];
    let [state, results] = [0, 0];
    const take = () => {
      const part = run.results();
      results += part.key.length;
      if (withDigest) parts.push(part);
    };
    const start = performance.now();
    const answer = weir.EventTimeRun.create(paramsOf(name, keys));
    if (!answer.ok) throw new Error(answer.error.message);
    const run = answer.value;
    for (let from = 0; from < records; from += SLICE) {
      const to = from + SLICE;
      const pushed = run.push(time.subarray(from, to), key.subarray(from, to), value.subarray(from, to));
      if (!pushed.ok) throw new Error(pushed.error.message);
      run.advance(SLICE);
      take();
      state = Math.max(state, run.bytes().state);
    }
    run.end();
    run.advance(SLICE);
    take();
    const outcomes = run.outcomes(0, records);
    const ms = performance.now() - start;
    const held = run.bytes().records;
    run.free();
    if (!withDigest) return { ms, results, state, held };
    const all = resultArrays(results);
    for (const name of Object.keys(all)) {
      let at = 0;
      for (const part of parts) {
        all[name].set(part[name], at);
        at += part[name].length;
      }
    }
    return { ms, results, digest: digest(outcomes, all, results) };
  },
};
