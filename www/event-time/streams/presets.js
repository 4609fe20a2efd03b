// @ts-check
/**
 * Named streams: each sets the source, and the settings that show what it does.
 * @import { Settings } from "../presets.js"
 *
 * @typedef {object} StreamPreset
 * @property {string} id
 * @property {string} title
 * @property {string} look
 * @property {Settings} values    of the source
 * @property {Settings} settings  of watermarks and windows that differ from the usual
 */

/** @type {Settings} */
const USUAL = {
  source: "generated",
  events: "1000000",
  rate: "2000",
  keyCount: "1000",
  zipf: "1",
  startAt: "",
  low: "0",
  high: "9",
  topic: "4",
  delay: "none",
  longest: "5 s",
  mean: "1 s",
  median: "500 ms",
  sigma: "1",
  least: "200 ms",
  alpha: "1.5",
  cap: "10 min",
  burstEvery: "",
  burstFor: "10 s",
  burstBy: "5",
  stallAt: "",
  stallFor: "1 min",
  stallOf: "3",
  skewBy: "",
  skewOf: "1",
  twice: "",
  twiceIn: "10 s",
  replayAt: "",
  replayOf: "1 min",
  seed: "1",
  wanted: "",
};

/**
 * @param {string} id
 * @param {string} title
 * @param {string} look
 * @param {Settings} values
 * @param {Settings} [settings]
 * @returns {StreamPreset}
 */
function preset(id, title, look, values, settings = {}) {
  return { id, title, look, values: { ...USUAL, ...values }, settings: { bound: "5 s", size: "10 s", generators: "subtask", ...settings } };
}

/** @type {StreamPreset[]} */
export const STREAM_PRESETS = [
  preset("pareto", "Heavy tail of delays", "Most records come at once, a few come minutes later. No bound in reach covers all: look at what each further second of it buys.", { delay: "pareto" }),
  preset("in-order", "In order", "Nothing is out of order, so a bound of 0 ms would do. With 5 s every result is 5 s late for nothing.", {}),
  preset("uniform", "Uniform delay", "No delay is longer than 5 s, so the curve falls to zero there.", { delay: "uniform" }),
  preset("exponential", "Exponential delay", "Each further second of bound takes away the same share of what is still late.", { delay: "exponential", mean: "1 s" }),
  preset("stalled", "A partition stalls", "Nothing is read from partition 3 for a minute; then all of it arrives, late. The table of partitions names it.", { delay: "exponential", mean: "200 ms", stallAt: "2 min" }),
  preset("idle", "A silent partition and idleness", "Partition 3 is silent for a minute. After 10 s without a record it is left out of the watermark, and what it brings when it comes back is late. Without the idleness timeout all results wait for it.", { delay: "exponential", mean: "200 ms", stallAt: "2 min" }, { generators: "partition", emit: "periodic", idleness: "10 s" }),
  preset("partitions", "A watermark for each partition", "Partition 1 is 30 s ahead, and each partition has a generator of its own: the slowest of them counts, so none of the others is late.", { delay: "exponential", mean: "200 ms", skewBy: "30 s" }, { generators: "partition", readers: "2", parallelism: "4" }),
  preset("skewed", "A producer’s clock is ahead", "Partition 1 is 30 s ahead and alone moves the watermark: it makes the records of all others late.", { delay: "exponential", mean: "200 ms", skewBy: "30 s" }),
  preset("replay", "A replay", "After 5 minutes the source reads the last minute again: records that were counted come a second time, and most find their window gone.", { delay: "exponential", mean: "200 ms", replayAt: "5 min" }, { lateness: "20 s" }),
  preset("duplicates", "Records sent twice", "One record in twenty arrives a second time within 10 s. Its id is kept for a minute, so each counts once; without that field every second arrival would be in a result, too.", { delay: "exponential", mean: "200 ms", twice: "0.05" }, { dedup: "1 min" }),
  preset("zone", "Days of a time zone", "Four days in Berlin around the night in which summer time begins. The windows of 29 March are 23 hours long, and start at 23:00 UTC; those after it start at 22:00.", { events: "400000", rate: "1", keyCount: "10", startAt: "2026-03-26T23:00:00Z", delay: "exponential", mean: "30 s" }, { rule: "sql", window: "zoned", size: "1 d", zone: "Europe/Berlin", bound: "5 min" }),
  preset("dynamic", "Sessions whose gap is in the record", "Each record says after how long a silence its session ends: its value, in milliseconds. A short gap inside a long one does not end it.", { events: "200000", rate: "500", zipf: "0", delay: "exponential", mean: "200 ms", low: "100", high: "4000" }, { window: "dynamic", bound: "2 s" }),
  preset("count-windows", "Windows by count alone", "One global window a key that fires and forgets at every 100th record, as countWindow(100) does. No record is ever late; what does not make a hundred is in no result, not even at the end.", { events: "200000", rate: "500", keyCount: "100", delay: "exponential", mean: "200 ms" }, { window: "global", trigger: "count", count: "100", purge: "on" }),
  preset("early", "Early results by the clock", "A window of a minute shows what it holds every 10 s of processing time, and once more when the watermark reaches its end. Each early result is one more update for whoever reads them.", { events: "100000", rate: "500", keyCount: "20", delay: "exponential", mean: "500 ms" }, { emit: "periodic", size: "1 min", trigger: "earlyTime", step: "10 s", bound: "2 s" }),
  preset("file", "A file of yours", "CSV or JSON lines in order of arrival, with a column for the event time. It is read in this browser and goes nowhere else.", { source: "file" }),
];

/** @param {string} id */
export function streamPresetOf(id) {
  return STREAM_PRESETS.find((one) => one.id === id) ?? STREAM_PRESETS[0];
}
