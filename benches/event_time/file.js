// A file of records that is made as it is read: it exists only a piece at a time, so what is held
// afterwards is the engine's. Runs in a worker of the page, with an engine of its own.
const PIECE_BYTES = 1 << 20;
/** Records that the engine is told to process at once. */
const SLICE = 1 << 20;
const KEYS = 100_000;
const HEAD = "event_time,user_id,amount,page,referrer\n";

const PARAMS = {
  source: {
    kind: "file",
    reader: {
      format: { kind: "csv", delimiter: "comma", header: true, columns: null },
      time: "event_time",
      timeFormat: "epochMillis",
      key: "user_id",
      partition: null,
    },
  },
  windows: { assigner: { kind: "tumbling", size: 60_000, offset: 0 }, trigger: { kind: "eventTime" }, allowedLateness: 0, sideOutput: false },
  watermarks: { rule: { kind: "boundedOutOfOrderness", outOfOrderness: 2_000 }, emission: { kind: "perEvent", every: 1 }, idleTimeout: null },
  endOfInput: true,
};

const encoder = new TextEncoder();
let weir = null;
let stream = null;
let memory = null;
let [row, written, ms] = [0, 0, 0];

self.onmessage = async ({ data: { id, act, args } }) => {
  try {
    self.postMessage({ id, value: await ACTS[act](...args) });
  } catch (error) {
    self.postMessage({ id, error: String(error.stack ?? error) });
  }
};

/** Whole lines, about as many bytes as a browser reads of a file at once. */
function piece() {
  const lines = row === 0 ? [HEAD] : [];
  for (let length = 0; length < PIECE_BYTES; row += 1) {
    const time = 1_700_000_000_000 + row * 2 - ((row * 7919) % 3000);
    const line = `${time},user-${(row * 31) % KEYS},${row % 97}.25,/shop/item/${row % 9973},https://example.org/\n`;
    lines.push(line);
    length += line.length;
  }
  return encoder.encode(lines.join(""));
}

/** Times only what the engine does. */
function timed(act) {
  const start = performance.now();
  const answer = act();
  ms += performance.now() - start;
  if (!answer.ok) throw new Error(answer.error.message);
  return answer.value;
}

const told = () => ({ written, rows: row, ms, wasm: memory.buffer.byteLength });

const ACTS = {
  async start() {
    weir = await import(new URL("../../weir_event_time.js", import.meta.url).href);
    ({ memory } = await weir.default());
    stream = timed(() => weir.EventStream.create(PARAMS));
    return told();
  },
  /** Makes and pushes so many bytes more. */
  push(bytes) {
    for (const end = written + bytes; written < end; ) {
      const bytes = piece();
      timed(() => stream.push(bytes));
      written += bytes.length;
    }
    return told();
  },
  finish() {
    timed(() => stream.finish());
    return told();
  },
  advance() {
    const { isDone, totals } = timed(() => stream.advance(SLICE));
    return { ...told(), isDone, totals };
  },
};
