// The stream of the event-time bench, the same here and in examples/bench_event_time.rs: 10 records
// a millisecond, most of them up to 2 s late, one in a hundred up to 12 s.

/** What each kind of window is asked for; times in ms. */
export const CASES = {
  tumbling: { assigner: { kind: "tumbling", size: 60_000, offset: 0 } },
  sliding: { assigner: { kind: "sliding", size: 60_000, slide: 10_000, offset: 0 } },
  session: { assigner: { kind: "session", gap: 3_000 } },
};
export const BOUND = 2_000;

/** Params of a run of one case. */
export function paramsOf(name, keys) {
  return {
    windows: { ...CASES[name], trigger: { kind: "eventTime" }, allowedLateness: 0, sideOutput: true },
    watermarks: {
      rule: { kind: "boundedOutOfOrderness", outOfOrderness: BOUND },
      emission: { kind: "perEvent", every: 1 },
      idleTimeout: null,
    },
    keys,
  };
}

/** A generator of 32-bit numbers: xorshift. */
function xorshift(seed) {
  let x = seed;
  return () => {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    return x >>> 0;
  };
}

/** Columns of `records` records over `keys` keys. */
export function events(records, keys) {
  const next = xorshift(0x2545f491);
  const time = new Float64Array(records);
  const key = new Uint32Array(records);
  const value = new Int32Array(records);
  for (let n = 0; n < records; n += 1) {
    const delay = next() % 100 === 0 ? next() % 12_000 : next() % 2_000;
    time[n] = Math.floor(n / 10) - delay;
    key[n] = next() % keys;
    value[n] = next() % 100;
  }
  return { time, key, value };
}

const COLUMNS = {
  key: Uint32Array,
  start: Float64Array,
  end: Float64Array,
  count: Uint32Array,
  sum: Float64Array,
  nth: Uint32Array,
  watermark: Float64Array,
  record: Uint32Array,
};

/** Room for results, as a run gives them. */
export function resultArrays(length) {
  return Object.fromEntries(Object.entries(COLUMNS).map(([name, Column]) => [name, new Column(length)]));
}

/** A number that differs when outcomes or results do: FNV-1a over all of them. */
export function digest(outcomes, results, length) {
  let hash = 0x811c9dc5;
  const put = (word) => (hash = Math.imul(hash ^ word, 0x01000193));
  for (const outcome of outcomes) put(outcome);
  for (let n = 0; n < length; n += 1) {
    put(results.key[n]);
    put(results.start[n] | 0);
    put(results.end[n] | 0);
    put(results.count[n]);
    put(results.sum[n] | 0);
    put(results.nth[n]);
    put(results.watermark[n] === Infinity ? -1 : results.watermark[n] | 0);
    put(results.record[n]);
  }
  return hash >>> 0;
}
