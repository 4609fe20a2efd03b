// @ts-check
/**
 * Named situations: each sets every field and says what to look at. Durations are written as Flink
 * reads them, times as milliseconds or ISO 8601.
 */

/**
 * @typedef {object} EventRow   one record, as written
 * @property {string} id
 * @property {string} time      event time
 * @property {string} arrival   when it reaches the source
 * @property {string} key
 * @property {string} partition
 * @property {string} value     the gap of a dynamic session [ms]
 *
 * @typedef {Record<string, string>} Settings   a text for every field
 *
 * @typedef {object} EventPreset
 * @property {string} id
 * @property {string} title
 * @property {string} look
 * @property {Settings} settings
 * @property {EventRow[]} events
 */

/** Every field at its usual value. @type {Settings} */
export const USUAL = {
  rule: "bounded",
  bound: "2 s",
  emit: "perEvent",
  every: "3",
  interval: "200 ms",
  idleness: "",
  window: "tumbling",
  size: "10 s",
  slide: "5 s",
  gap: "5 s",
  offset: "",
  zone: "UTC",
  trigger: "eventTime",
  count: "3",
  step: "2 s",
  purge: "off",
  lateness: "",
  side: "off",
  partitions: "1",
  readers: "1",
  generators: "partition",
  parallelism: "1",
  maxParallelism: "",
  keyType: "string",
  dedup: "",
  end: "off",
  function: "incremental",
  stateKey: "string",
  keyChars: "8",
  accumulator: "long",
  accumulatorLength: "20",
  element: "pojo",
  elementLength: "20",
  oops: "on",
  emptyState: "",
};

/**
 * Rows from `time key`, `time key @arrival`, `time key /partition`, `time key =value`, `#id`.
 * Left out, a record arrives one second after the one before it, at partition 0.
 * @param {string} text
 * @returns {EventRow[]}
 */
export function rowsOf(text) {
  let last = 0;
  return text
    .trim()
    .split(/\s*\n\s*/)
    .map((line, index) => {
      const [time, key, ...rest] = line.split(/\s+/);
      /** @param {string} sign */
      const part = (sign) => rest.find((word) => word.startsWith(sign))?.slice(1);
      const arrival = part("@") ?? String(last + 1000);
      last = Number(arrival);
      return { id: part("#") ?? `e${index + 1}`, time, arrival, key, partition: part("/") ?? "0", value: part("=") ?? "" };
    });
}

/** The record every minute that a window of an hour holds. */
function everyMinute() {
  return Array.from({ length: 75 }, (_, minute) => ({
    id: `m${minute}`,
    time: String(minute * 60_000),
    arrival: String(minute * 60_000 + 500),
    key: "a",
    partition: "0",
    value: "",
  }));
}

/** After a restart the producer sends r2 and r3 once more. */
const SENT_AGAIN = rowsOf(`
  1000 a #r1
  4000 a #r2
  8000 a #r3
  4000 a #r2
  8000 a #r3
  12500 a #r4
  8000 a #r3
  12500 a #r4
  24000 a #r5`);

/** @type {EventPreset[]} */
export const EVENT_TIME_PRESETS = [
  {
    id: "in-order",
    title: "In order: when does a window fire?",
    look: "The window from 0 to 10 s fires at the record with event time 12 s, not at the one of 10.5 s: the watermark trails the largest timestamp by the bound and 1 ms.",
    settings: USUAL,
    events: rowsOf(`
      1000 a
      3500 b
      6000 a
      9000 b
      10500 a
      12000 b
      15000 a
      19000 b
      22500 a`),
  },
  {
    id: "boundary",
    title: "Boundary timestamps: 9.999 s and 10 s",
    look: "A window ends before its end: 10 s belongs to the next one. Two records with the same timestamp in a row are both on time, and the record that moves the watermark is judged by the one before.",
    settings: { ...USUAL, rule: "ascending", bound: "0 s" },
    events: rowsOf(`
      0 a
      5000 a
      9999 a
      9999 a
      10000 a
      9999 a
      10000 a
      20000 a
      19999 a`),
  },
  {
    id: "late-counted",
    title: "Late but counted",
    look: "Lateness holds nothing back: the window fires on time, and again at once for every late record, each time with all it holds. Once the watermark is at 14.999 s it is gone.",
    settings: { ...USUAL, lateness: "5 s", side: "on" },
    events: rowsOf(`
      2000 a
      7000 a
      12500 a
      8000 a
      9500 a
      16000 a
      6000 a
      17500 a
      4000 a
      23000 a`),
  },
  {
    id: "dropped",
    title: "Dropped: no lateness, no side output",
    look: "Two records come after their window was cleaned. They leave no trace but numLateRecordsDropped. Turn the side output on, and that counter stays at 0.",
    settings: { ...USUAL, side: "off" },
    events: rowsOf(`
      1000 a
      4000 b
      8000 a
      12500 a
      6500 b
      11000 a
      9999 a
      18000 b
      24000 a`),
  },
  {
    id: "far-future",
    title: "One record from the future",
    look: "A producer whose clock is an hour ahead pushes the watermark for everyone: every record after it is dropped, whatever its key.",
    settings: { ...USUAL, side: "on" },
    events: rowsOf(`
      1000 a
      3000 b
      5000 a
      3605000 c
      6000 a
      8000 b
      11000 a
      14000 b`),
  },
  {
    id: "sliding-partly-late",
    title: "Sliding: late for one window, on time for another",
    look: "The record of 9 s comes when its older window is gone and its younger one is open. It counts in the younger one, and is in no side output: that is only for records late for all.",
    settings: { ...USUAL, window: "sliding", size: "10 s", slide: "5 s", side: "on" },
    events: rowsOf(`
      1000 a
      6000 a
      8000 a
      12500 a
      9000 a
      14000 a
      3000 a
      17500 a
      23000 a`),
  },
  {
    id: "session-bridge",
    title: "Sessions: a record that bridges two",
    look: "Two sessions stand apart until the record of 9 s touches both; the first has fired already. Sessions merge first and are judged after, so the merged one waits for the new end and fires with all records.",
    settings: { ...USUAL, window: "session", gap: "5 s", bound: "6 s", lateness: "4 s" },
    events: rowsOf(`
      1000 a
      5000 a
      13000 a
      16000 a
      9000 a
      21500 a
      30000 a
      38000 a`),
  },
  {
    id: "idle-partition",
    title: "A silent partition stops the clock",
    look: "Partition 1 has sent nothing since 3 s, so the watermark stays behind it and nothing fires. Set an idleness timeout of 3 s and watch it come free.",
    settings: { ...USUAL, partitions: "2", readers: "2", emit: "periodic", interval: "1 s" },
    events: rowsOf(`
      1000 a /0
      3000 b /1
      6000 a /0
      10000 a /0
      13000 a /0
      17000 a /0
      21000 a /0
      26000 a /0
      31000 a /0`),
  },
  {
    id: "more-subtasks",
    title: "More subtasks than partitions",
    look: "Two of four source subtasks read nothing. Without idleness they never announce a watermark, and the window operator waits for them for ever.",
    settings: { ...USUAL, partitions: "2", readers: "4" },
    events: rowsOf(`
      1000 a /0
      2000 b /1
      6000 a /0
      7000 b /1
      13000 a /0
      14000 b /1
      25000 a /0
      26000 b /1`),
  },
  {
    id: "daily-zone",
    title: "Days of a time zone, with 23 hours",
    look: "On 8 March 2026 clocks in Los Angeles go forward, and the window of that day is an hour shorter. In UTC the same records fall into other days.",
    settings: { ...USUAL, rule: "sql", window: "zoned", size: "1 d", zone: "America/Los_Angeles", bound: "5 min" },
    events: rowsOf(`
      2026-03-07T20:00:00Z a @1000
      2026-03-08T07:30:00Z a @2000
      2026-03-08T08:10:00Z a @3000
      2026-03-08T18:00:00Z a @4000
      2026-03-09T06:30:00Z a @5000
      2026-03-09T07:20:00Z a @6000
      2026-03-09T19:00:00Z a @7000
      2026-03-10T07:30:00Z a @8000`),
  },
  {
    id: "replay-once",
    title: "Duplicates left out by id",
    look: "The same records sent again, behind a process function that keeps each id for 5 s of processing time. What comes again within them is left out; r3 comes once more after that, and counts again, or is dropped.",
    settings: { ...USUAL, side: "on", dedup: "5 s" },
    events: SENT_AGAIN,
  },
  {
    id: "replay",
    title: "Duplicates: a producer sends again",
    look: "After a restart the producer sends r2 and r3 again. Windows count records, not ids: what comes again while its window is open is counted twice, what comes after is dropped.",
    settings: { ...USUAL, side: "on" },
    events: SENT_AGAIN,
  },
  {
    id: "sliding-explosion",
    title: "1 h every 5 min: each record twelve times",
    look: "Each record is in twelve windows, so state holds twelve copies of it. See how many windows are open at once, for a single key.",
    settings: { ...USUAL, window: "sliding", size: "1 h", slide: "5 min", bound: "0 s", rule: "ascending" },
    events: everyMinute(),
  },
  {
    id: "early-firing",
    title: "Early results every two seconds",
    look: "The continuous trigger fires at every two seconds of event time. A watermark that jumps fires once for each step it passed, with the same contents.",
    settings: { ...USUAL, trigger: "continuous", step: "2 s", bound: "0 s", rule: "ascending" },
    events: rowsOf(`
      500 a
      1500 a
      2500 a
      3000 a
      8500 a
      9500 a
      12000 a
      21000 a`),
  },
  {
    id: "count-trigger",
    title: "A count trigger forgets the rest",
    look: "A trigger of your own replaces the event-time trigger: three records fire, and what is left when the window ends is emitted by nobody.",
    settings: { ...USUAL, trigger: "count", count: "3" },
    events: rowsOf(`
      1000 a
      2000 a
      3000 a
      5000 a
      7000 a
      12500 a
      14000 a
      23000 a`),
  },
];
