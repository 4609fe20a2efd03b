// @ts-check
/**
 * The fields of a stream: how it is generated, or that it is a file's. Times count from its start.
 * @import { EventField } from "../fields.js"
 * @import { Settings } from "../presets.js"
 *
 * @typedef {EventField & { number?: boolean, list?: boolean, path: string }} StreamField
 *   `number`: a decimal; `list`: several with commas
 */

/** @param {string} id @param {...string} values @returns {(settings: Settings) => boolean} */
const when = (id, ...values) => (settings) => settings.source === "generated" && values.includes(settings[id]);
/** @param {string} id @returns {(settings: Settings) => boolean} */
const given = (id) => (settings) => settings.source === "generated" && settings[id].trim() !== "";
const made = when("source", "generated");

/** @type {{ name: string, fields: StreamField[] }[]} */
export const STREAM_GROUPS = [
  {
    name: "Stream",
    fields: [
      { id: "source", label: "Source", api: "source", kind: "choice", choices: [["generated", "generated here"], ["file", "a file of yours"]], path: "source", hint: "A file is read in this browser and goes nowhere else." },
      { id: "events", label: "Records", api: "events", kind: "count", shown: made, path: "source.generator.events", hint: "At most 10 million. Duplicates and replays come on top." },
      { id: "rate", label: "Rate, per second", api: "ratePerSecond", kind: "count", number: true, shown: made, path: "source.generator.ratePerSecond", hint: "Records created in a second, evenly spaced." },
      { id: "keyCount", label: "Keys", api: "keys.count", kind: "count", shown: made, path: "source.generator.keys.count", hint: "At most 1 million." },
      { id: "zipf", label: "Skew of the keys", api: "keys.zipfExponent", kind: "count", number: true, shown: made, path: "source.generator.keys.zipfExponent", hint: "Exponent of Zipf’s law: 0 makes all keys alike, 1 makes the first twice as frequent as the second." },
      { id: "startAt", label: "The first record is created at", api: "startMs", kind: "text", empty: "0", shown: made, path: "source.generator.startMs", hint: "A date such as 2026-03-28T12:00:00Z, or milliseconds since 1970. Windows of a time zone need a date." },
      { id: "low", label: "Least value", api: "values.min", kind: "count", shown: made, path: "source.generator.values.min", hint: "What windows sum up is drawn between the two. With a gap by record it is the gap in milliseconds." },
      { id: "high", label: "Greatest value", api: "values.max", kind: "count", shown: made, path: "source.generator.values.max", hint: "Each value from the least to this is as likely." },
      { id: "topic", label: "Partitions", api: "partitions", kind: "count", shown: made, path: "source.generator.partitions", hint: "Each has a producer of its own. Whether each has a generator of watermarks too is said under Source and parallelism." },
    ],
  },
  {
    name: "Delay",
    fields: [
      {
        id: "delay",
        label: "Law",
        api: "delay",
        kind: "choice",
        choices: [["none", "none"], ["uniform", "uniform"], ["exponential", "exponential"], ["lognormal", "lognormal"], ["pareto", "Pareto, a heavy tail"]],
        shown: made,
        path: "source.generator.delay",
        hint: "How long a record travels from its creation to the source.",
      },
      { id: "longest", label: "Longest delay", api: "delay.maxMs", kind: "duration", shown: when("delay", "uniform"), path: "source.generator.delay.maxMs", hint: "Every delay up to it is as likely." },
      { id: "mean", label: "Mean delay", api: "delay.meanMs", kind: "duration", shown: when("delay", "exponential"), path: "source.generator.delay.meanMs", hint: "Many are shorter, few much longer." },
      { id: "median", label: "Median delay", api: "delay.medianMs", kind: "duration", shown: when("delay", "lognormal"), path: "source.generator.delay.medianMs", hint: "Half are shorter." },
      { id: "sigma", label: "Sigma", api: "delay.sigma", kind: "count", number: true, shown: when("delay", "lognormal"), path: "source.generator.delay.sigma", hint: "Standard deviation of the natural logarithm, 0 to 10." },
      { id: "least", label: "Shortest delay", api: "delay.minMs", kind: "duration", shown: when("delay", "pareto"), path: "source.generator.delay.minMs", hint: "No delay is shorter." },
      { id: "alpha", label: "Alpha", api: "delay.alpha", kind: "count", number: true, shown: when("delay", "pareto"), path: "source.generator.delay.alpha", hint: "Exponent of the tail: the lower, the heavier; up to 1 there is no mean." },
      { id: "cap", label: "Cap", api: "delayCapMs", kind: "duration", shown: when("delay", "exponential", "lognormal", "pareto", "uniform"), path: "source.generator.delayCapMs", hint: "What the law puts above it is cut to it." },
    ],
  },
  {
    name: "Mishaps",
    fields: [
      { id: "burstEvery", label: "A burst every", api: "bursts.everyMs", kind: "duration", empty: "never", shown: made, path: "source.generator.bursts.everyMs", hint: "A higher rate for the first while of every period but the first." },
      { id: "burstFor", label: "Burst length", api: "bursts.lengthMs", kind: "duration", shown: given("burstEvery"), path: "source.generator.bursts.lengthMs", hint: "How long each burst is." },
      { id: "burstBy", label: "Burst factor", api: "bursts.factor", kind: "count", number: true, shown: given("burstEvery"), path: "source.generator.bursts.factor", hint: "By what the rate is multiplied." },
      { id: "stallAt", label: "A partition stalls after", api: "stalls.fromMs", kind: "duration", list: true, empty: "never", shown: made, path: "source.generator.stalls[0].fromMs", hint: "Nothing is read from it for a while; what would arrive arrives at the end of it. Several: with commas, as in 1 min, 3 min." },
      { id: "stallFor", label: "It stalls for", api: "stalls.lengthMs", kind: "duration", list: true, shown: given("stallAt"), path: "source.generator.stalls[0].lengthMs", hint: "How long nothing is read. One for all, or one for each with commas." },
      { id: "stallOf", label: "Which partition stalls", api: "stalls.partition", kind: "count", list: true, shown: given("stallAt"), path: "source.generator.stalls[0].partition", hint: "From 0. One for all, or one for each with commas." },
      { id: "skewBy", label: "A producer’s clock is ahead by", api: "skews.skewMs", kind: "duration", list: true, empty: "right", shown: made, path: "source.generator.skews[0].skewMs", hint: "Event times of its partition are off. With a minus it is behind. Several: with commas." },
      { id: "skewOf", label: "Which partition’s producer", api: "skews.partition", kind: "count", list: true, shown: given("skewBy"), path: "source.generator.skews[0].partition", hint: "From 0. One for each clock, with commas." },
      { id: "twice", label: "Share sent twice", api: "duplicates.share", kind: "count", number: true, empty: "none", shown: made, path: "source.generator.duplicates.share", hint: "0 to 1. The same record arrives a second time." },
      { id: "twiceIn", label: "Second arrival within", api: "duplicates.withinMs", kind: "duration", shown: given("twice"), path: "source.generator.duplicates.withinMs", hint: "1 ms to this long after the first." },
      { id: "replayAt", label: "A restart after", api: "replays.atMs", kind: "duration", list: true, empty: "never", shown: made, path: "source.generator.replays[0].atMs", hint: "The source goes back and reads records again, at once. Several: with commas, in order of time." },
      { id: "replayOf", label: "It reads again the last", api: "replays.lastMs", kind: "duration", list: true, shown: given("replayAt"), path: "source.generator.replays[0].lastMs", hint: "How far back it goes. One for all, or one for each with commas." },
      { id: "seed", label: "Seed", api: "seed", kind: "count", shown: made, path: "source.generator.seed", hint: "The same seed gives the same stream on every machine." },
    ],
  },
  {
    name: "Completeness",
    fields: [{ id: "wanted", label: "Wanted share on time", api: "completeness", kind: "count", number: true, empty: "none", path: "completeness", hint: "0 to 1. The smallest bound for it stands beside those for 99, 99.9 and 99.99 %." }],
  },
];

/** @type {StreamField[]} */
export const STREAM_FIELDS = STREAM_GROUPS.flatMap(({ fields }) => fields);
