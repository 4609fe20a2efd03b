// @ts-check
/**
 * The fields of the form: their names in Flink, what they take, and when they count.
 * @import { Settings } from "./presets.js"
 *
 * @typedef {object} EventField
 * @property {string} id           its name in the address
 * @property {string} label
 * @property {string} api          what it is called in Flink: a method, a clause or an option key
 * @property {"duration" | "count" | "choice" | "text"} kind
 * @property {[string, string][]} [choices]  values and their names
 * @property {string} [empty]      what counts while nothing is written; without it, something must be
 * @property {(settings: Settings) => boolean} [shown]
 * @property {string} path         where the engine finds it in the params
 * @property {string} hint
 *
 * @typedef {object} FieldGroup
 * @property {string} name
 * @property {EventField[]} fields
 */

/** @type {[string, string][]} */
const ON_OFF = [
  ["off", "off"],
  ["on", "on"],
];

/** Types of what is kept. @type {[string, string][]} */
const TYPES = [
  ["long", "Long"],
  ["double", "Double"],
  ["tuple2", "Tuple2<Long, Long>"],
  ["pojo", "POJO of a long, a double and a String"],
  ["string", "String"],
  ["bytes", "byte[]"],
];

/** @param {string} type */
function isLong(type) {
  return type === "pojo" || type === "string" || type === "bytes";
}

/** @param {string} id @param {...string} values @returns {(settings: Settings) => boolean} */
const when = (id, ...values) => (settings) => values.includes(settings[id]);

/** @type {FieldGroup[]} */
export const GROUPS = [
  {
    name: "Watermarks",
    fields: [
      {
        id: "rule",
        label: "Rule",
        api: "WatermarkStrategy",
        kind: "choice",
        choices: [
          ["bounded", "bounded out-of-orderness"],
          ["ascending", "ascending timestamps"],
          ["sql", "SQL: ts - INTERVAL …, in the source"],
          ["sqlAssigner", "SQL: ts - INTERVAL …, in an operator"],
          ["explicit", "none: as the rows say"],
        ],
        path: "watermarks.rule",
        hint: "The DataStream rules take 1 ms more off than the bound, since a record with the same timestamp may still come. SQL takes the bound alone, and drops a row whose window has fired. Where the connector takes the expression over, as Kafka’s does, it is evaluated for each partition; else WatermarkAssignerOperator starts at 0 and does not wait for the clock after a step of more than its interval.",
      },
      {
        id: "bound",
        label: "Bound",
        api: "maxOutOfOrderness",
        kind: "duration",
        shown: when("rule", "bounded", "sql", "sqlAssigner"),
        path: "watermarks.rule.outOfOrderness",
        hint: "How far behind the largest timestamp a record may be and still be waited for.",
      },
      {
        id: "emit",
        label: "Emitted",
        api: "pipeline.auto-watermark-interval",
        kind: "choice",
        choices: [
          ["perEvent", "after each record"],
          ["everyN", "after every n-th record"],
          ["periodic", "by the clock"],
        ],
        path: "watermarks.emission",
        hint: "Flink asks its generators for a watermark by the clock, every 200 ms by default. After each record shows the rules at their plainest.",
      },
      { id: "every", label: "n", api: "onPeriodicEmit after n records", kind: "count", shown: when("emit", "everyN"), path: "watermarks.emission.every", hint: "A watermark after every n-th record of a partition’s source." },
      { id: "interval", label: "Interval", api: "pipeline.auto-watermark-interval", kind: "duration", shown: when("emit", "periodic"), path: "watermarks.emission.interval", hint: "Flink’s default is 200 ms." },
      { id: "idleness", label: "Idleness timeout", api: "withIdleness", kind: "duration", empty: "none", path: "watermarks.idleTimeout", hint: "A partition without records for longer than this is left out of the watermark. It is looked at in the periodic call only, and comes back with its next watermark that advances." },
    ],
  },
  {
    name: "Windows",
    fields: [
      {
        id: "window",
        label: "Assigner",
        api: "WindowAssigner",
        kind: "choice",
        choices: [
          ["tumbling", "tumbling"],
          ["sliding", "sliding"],
          ["session", "session"],
          ["dynamic", "session, gap by record"],
          ["global", "global"],
          ["zoned", "tumbling, in a time zone (SQL)"],
        ],
        path: "windows.assigner",
        hint: "Which windows a record belongs to.",
      },
      { id: "size", label: "Size", api: "size", kind: "duration", shown: when("window", "tumbling", "sliding", "zoned"), path: "windows.assigner.size", hint: "A window holds its start and not its end: [start, end)." },
      { id: "slide", label: "Slide", api: "slide", kind: "duration", shown: when("window", "sliding"), path: "windows.assigner.slide", hint: "Distance of the starts. Each record is in size / slide windows." },
      { id: "gap", label: "Gap", api: "EventTimeSessionWindows.withGap", kind: "duration", shown: when("window", "session"), path: "windows.assigner.gap", hint: "Records exactly a gap apart are one session; a millisecond more makes two." },
      { id: "offset", label: "Offset", api: "offset", kind: "duration", empty: "0 s", shown: when("window", "tumbling", "sliding"), path: "windows.assigner.offset", hint: "Where the first window starts, counted from the epoch. May be negative, as in -8 h." },
      { id: "zone", label: "Time zone", api: "table.local-time-zone", kind: "text", shown: when("window", "zoned"), path: "windows.assigner.transitions", hint: "A zone of the IANA database, such as Europe/Berlin. Its changes of offset are those your browser knows." },
      {
        id: "trigger",
        label: "Trigger",
        api: "trigger",
        kind: "choice",
        choices: [
          ["eventTime", "event time"],
          ["count", "count"],
          ["continuous", "continuous event time"],
          ["earlyCount", "event time, and early by count"],
          ["earlyTime", "event time, and early by the clock"],
        ],
        path: "windows.trigger",
        hint: "A trigger of your own replaces the event-time trigger. The two early ones are compositions that Flink leaves to you to write.",
      },
      { id: "count", label: "Count", api: "CountTrigger.of", kind: "count", shown: when("trigger", "count", "earlyCount"), path: "windows.trigger.count", hint: "Fires at every n-th record of a key and window." },
      { id: "step", label: "Interval of the trigger", api: "ContinuousEventTimeTrigger.of", kind: "duration", shown: when("trigger", "continuous", "earlyTime"), path: "windows.trigger.interval", hint: "Fires at every multiple of it that the watermark, or the clock, passes." },
      { id: "purge", label: "Purging", api: "PurgingTrigger.of", kind: "choice", choices: ON_OFF, path: "windows.trigger.of", hint: "With purging a window forgets its contents at each firing; a late firing then holds only what is new." },
    ],
  },
  {
    name: "Late records",
    fields: [
      { id: "lateness", label: "Allowed lateness", api: "allowedLateness", kind: "duration", empty: "0 s", path: "windows.allowedLateness", hint: "How long a window is kept after its end. The first firing is not held back; a late record fires at once, again, with all that the window holds." },
      { id: "side", label: "Side output", api: "sideOutputLateData", kind: "choice", choices: ON_OFF, path: "windows.sideOutput", hint: "Where it is on, a record late for all its windows goes there and is not counted in numLateRecordsDropped." },
    ],
  },
  {
    name: "Bytes kept",
    fields: [
      {
        id: "function",
        label: "Window function",
        api: "WindowedStream",
        kind: "choice",
        choices: [
          ["incremental", "incremental: reduce, aggregate"],
          ["full", "all records: process, apply"],
        ],
        path: "kept.function",
        hint: "An incremental function keeps one accumulator for each key and window. One that needs all records keeps every record, a copy in each sliding window.",
      },
      { id: "stateKey", label: "Key in state", api: "keyBy", kind: "choice", choices: [["string", "String"], ["long", "Long"], ["integer", "Integer"]], path: "kept.key", hint: "Each key and window has an entry with its key." },
      { id: "keyChars", label: "Characters of a key", api: "String.length", kind: "count", shown: when("stateKey", "string"), path: "kept.key.chars", hint: "ASCII: one byte each." },
      { id: "accumulator", label: "Accumulator", api: "AggregateFunction<IN, ACC, OUT>", kind: "choice", choices: TYPES, shown: when("function", "incremental"), path: "kept.accumulator", hint: "What reduce or aggregate keeps. A sum is a Long; a mean needs a Tuple2 of sum and count." },
      { id: "accumulatorLength", label: "Its length", api: "length", kind: "count", shown: (settings) => settings.function === "incremental" && isLong(settings.accumulator), path: "kept.accumulator.length", hint: "Characters of its String, or bytes of its array." },
      { id: "element", label: "Record", api: "ListState<IN>", kind: "choice", choices: TYPES, shown: when("function", "full"), path: "kept.element", hint: "What the stream carries." },
      { id: "elementLength", label: "Its length", api: "length", kind: "count", shown: (settings) => settings.function === "full" && isLong(settings.element), path: "kept.element.length", hint: "Characters of its String, or bytes of its array." },
      { id: "oops", label: "Compressed references", api: "-XX:+UseCompressedOops", kind: "choice", choices: ON_OFF, path: "kept.compressedOops", hint: "On in a JVM with less than 32 GB of heap." },
      { id: "emptyState", label: "Empty state, bytes a key group", api: "emptyStatePerKeyGroup", kind: "count", empty: "as measured on Flink 1.20.5", path: "kept.emptyStatePerKeyGroup", hint: "Heap of a registered state without a key. It is told apart, since it does not change." },
    ],
  },
  {
    name: "Source and parallelism",
    fields: [
      { id: "partitions", label: "Partitions", api: "partitions of the topic", kind: "count", path: "source.partitions", hint: "What the source reads. Each partition is in order of its own. A whole stream has those of its source." },
      { id: "readers", label: "Source subtasks", api: "source.setParallelism", kind: "count", path: "source.parallelism", hint: "Partition p is read by subtask p modulo this number. A subtask without a partition sends no watermark until it is idle." },
      {
        id: "generators",
        label: "Watermarks made",
        api: "WatermarkStrategy",
        kind: "choice",
        choices: [
          ["partition", "in the source, for each partition"],
          ["subtask", "on the stream, for each subtask"],
        ],
        path: "source.perPartition",
        hint: "With fromSource(…, strategy, …) each partition has a generator, and the subtask takes the minimum. With assignTimestampsAndWatermarks on the stream, all records of a subtask share one.",
      },
      { id: "parallelism", label: "Window subtasks", api: "parallelism.default", kind: "count", path: "parallelism", hint: "Subtasks of the window operator. Each has the same watermark, the minimum over all source subtasks, and the keys of its key groups." },
      { id: "maxParallelism", label: "Maximum parallelism", api: "pipeline.max-parallelism", kind: "count", empty: "Flink’s default for the parallelism", path: "maxParallelism", hint: "Key groups. The default is 1.5 times the parallelism up to the next power of two, at least 128." },
      {
        id: "keyType",
        label: "Keys are",
        api: "hashCode of the key",
        kind: "choice",
        choices: [
          ["string", "String"],
          ["integer", "Integer"],
          ["long", "Long"],
          ["boolean", "Boolean"],
          ["double", "Double"],
        ],
        path: "keyType",
        hint: "The type decides the hash, and with it the key group and the subtask.",
      },
      { id: "dedup", label: "Leave out duplicate ids for", api: "StateTtlConfig", kind: "duration", empty: "off", path: "dedupTtl", hint: "A process function ahead of the windows, keyed by the id, keeps each id in state with this TTL of processing time. Duplicates still move the watermark: it is made in the source. Of a file choose the column of the id; without one for the arrival an id that is kept never expires." },
      {
        id: "end",
        label: "End of input",
        api: "Watermark.MAX_WATERMARK",
        kind: "choice",
        choices: [
          ["off", "the stream goes on"],
          ["on", "a bounded source ends"],
        ],
        path: "endOfInput",
        hint: "A bounded source ends with a last watermark that fires all that has not fired yet, once.",
      },
    ],
  },
];

/** @type {EventField[]} */
export const FIELDS = GROUPS.flatMap(({ fields }) => fields);
