// @ts-check
/**
 * The fields of the form: what they are called in Flink, what they take, and when they count.
 * @import { FlinkVersion } from "../../src/web/types.ts"
 * @import { Slider } from "../elements/field-slider.js"
 *
 * @typedef {Record<string, string>} Settings   a text for every field
 *
 * @typedef {object} CheckpointField
 * @property {string} id           its name in the address
 * @property {string} label
 * @property {string | ((flink: FlinkVersion) => string)} api  its option key, or what it is
 * @property {boolean} [own]       not an option of Flink
 * @property {"duration" | "durations" | "bursts" | "count" | "integer" | "number" | "share" | "rates" | "weights" | "size" | "sizes" | "text" | "choice"} kind
 *   the plural ones take a list by subtask, which is repeated where it is too short
 * @property {[string, string][]} [choices]  values and their names
 * @property {string} [initial]    of a field that no preset sets
 * @property {string} [empty]      what counts while nothing is written; without it, something must be
 * @property {(settings: Settings) => boolean} [shown]
 * @property {true} [isFolded]     few need it: it lies behind what the group folds away
 * @property {string} [goneIn]     the version of Flink that has no such option, and a number of its own
 * @property {Slider} [slider]
 * @property {string} path         where the engine finds it in the params
 * @property {string} hint
 *
 * @typedef {object} FieldGroup
 * @property {string} name
 * @property {CheckpointField[]} fields
 */

import { FAILURE_FIELDS } from "./failure.js";
import { ALIGNED_HINT, EXCHANGES, SIGMA_HINT, graphFields, isGraph } from "./graph.js";

/** @type {[string, string][]} */
const ON_OFF = [
  ["off", "off"],
  ["on", "on"],
];

/** @param {string} id @param {...string} values @returns {(settings: Settings) => boolean} */
const when = (id, ...values) => (settings) => values.includes(settings[id]);

/** A field of the fixed shapes. @type {(settings: Settings) => boolean} */
const inShape = (settings) => !isGraph(settings);

/** The version without options for the buffers of channels and gates. */
const GONE_IN = "2.2";

/** @type {FieldGroup[]} */
export const GROUPS = [
  {
    name: "Checkpointing",
    fields: [
      {
        id: "mode",
        label: "Barriers",
        api: "execution.checkpointing.unaligned.enabled",
        kind: "choice",
        choices: [
          ["aligned", "aligned"],
          ["timeout", "aligned, then unaligned after a timeout"],
          ["unaligned", "unaligned"],
          ["atLeastOnce", "at least once"],
        ],
        path: "checkpointing.mode",
        hint: "Aligned barriers wait in their queue, and block the channels that are early. Unaligned ones overtake what is queued and write it into the checkpoint. At least once, nothing is blocked and records can count twice after a failure (execution.checkpointing.mode).",
      },
      { id: "alignedTimeout", label: "Aligned checkpoint timeout", api: "execution.checkpointing.aligned-checkpoint-timeout", kind: "duration", shown: when("mode", "timeout"), slider: { min: 0, max: 60_000, scale: "log", unit: "ms" }, path: "checkpointing.alignedCheckpointTimeoutMs", hint: "Counts from the trigger, for all tasks alike. What is aligned by then stays aligned; after it, barriers overtake what is still in front of them." },
      { id: "interval", label: "Interval", api: "execution.checkpointing.interval", kind: "duration", slider: { min: 100, max: 600_000, scale: "log", unit: "ms" }, path: "checkpointing.intervalMs", hint: "The timer ticks whether or not a checkpoint is still running; ticks that are missed wait in a queue." },
      { id: "first", label: "First trigger at", api: "CheckpointCoordinator", own: true, kind: "duration", empty: "drawn, as Flink does", path: "checkpointing.firstTriggerMs", hint: "Flink draws it between the minimum pause and the interval. Set it to see the same checkpoint under other settings." },
      { id: "minPause", label: "Minimum pause", api: "execution.checkpointing.min-pause", kind: "duration", empty: "0 ms", slider: { min: 0, max: 60_000, scale: "log", unit: "ms" }, path: "checkpointing.minPauseMs", hint: "From the end of a completed checkpoint to the next trigger. A failed one does not count." },
      { id: "timeout", label: "Checkpoint timeout", api: "execution.checkpointing.timeout", kind: "duration", slider: { min: 100, max: 1_800_000, scale: "log", unit: "ms" }, path: "checkpointing.timeoutMs", hint: "A checkpoint that takes longer expires. Flink’s default is 10 min." },
      { id: "concurrent", label: "Concurrent checkpoints", api: "execution.checkpointing.max-concurrent-checkpoints", kind: "count", path: "checkpointing.maxConcurrentCheckpoints", hint: "Flink’s default is 1, and with unaligned checkpoints it refuses more." },
      { id: "tolerable", label: "Tolerable failures", api: "execution.checkpointing.tolerable-failed-checkpoints", kind: "count", path: "checkpointing.tolerableFailedCheckpoints", hint: "The job fails with one more failure in a row than this. Flink’s default is 0." },
      { id: "run", label: "Simulated time", api: "length of the run", own: true, kind: "duration", slider: { min: 1000, max: 600_000, scale: "log", unit: "ms" }, path: "runMs", hint: "How long the job is watched, from its start." },
      { id: "seed", label: "Seed", api: "random numbers of the run", own: true, isFolded: true, kind: "count", path: "seed", hint: "For service times that vary, the phases of flush timers and heartbeats, and the first trigger where none is set. The same settings with the same seed give the same run; another seed shows how much hangs on chance." },
    ],
  },
  {
    name: "Promise",
    fields: [
      { id: "objective", label: "A checkpoint takes at most", api: "service level objective", own: true, kind: "duration", empty: "no promise", slider: { min: 100, max: 600_000, scale: "log", unit: "ms" }, path: "objectiveMs", hint: "The end-to-end duration that is promised. Checkpoints over it are counted, and each knob is searched for the value at which the promise breaks." },
      { id: "allowed", label: "Checkpoints that may take longer", api: "share of all", own: true, kind: "share", empty: "none", path: "allowedShare", hint: "As a share, such as 1 % or 0.01. An expired checkpoint breaks the promise whatever is allowed." },
    ],
  },
  {
    name: "Job",
    fields: [
      {
        id: "shape",
        label: "Shape",
        api: "the job graph",
        own: true,
        kind: "choice",
        choices: [
          ["fanIn", "sources, then a keyed operator"],
          ["twoInputs", "two sources, each to its own input"],
          ["chain", "sources, operator, sink"],
          ["graph", "any graph, vertex by vertex"],
        ],
        path: "vertices",
        hint: "Within an input, channels take turns by buffer. Two inputs of an operator take turns by record. As a graph, each vertex and each edge has fields of its own.",
      },
      { id: "sources", label: "Source subtasks", api: "setParallelism of the source", own: true, kind: "count", shown: when("shape", "fanIn", "chain"), path: "vertices[0].parallelism", hint: "Each has a channel to each subtask of the operator." },
      { id: "rate", label: "Records a source subtask offers", api: "records/s", own: true, kind: "rates", shown: inShape, slider: { min: 1, max: 100_000, scale: "log", unit: "" }, path: "vertices[0].source.rate", hint: "What it would emit if nothing held it back. A list, such as 10000, 10, is by subtask." },
      { id: "lag", label: "A source subtask blocks for", api: "time in one poll", own: true, kind: "durations", shown: inShape, empty: "0 s", slider: { min: 0, max: 60_000, scale: "log", unit: "ms" }, path: "vertices[0].source.lagMs", hint: "Its thread is busy for so long, beginning just before each trigger, as in a poll that does not return. A barrier leaves a source between two records only. A list, such as 2 s, 0 s, 1 s, is by subtask; one time is subtask 0’s alone." },
      { id: "bursts", label: "Bursts", api: "times the rate, for, every", own: true, kind: "bursts", shown: inShape, empty: "none", path: "vertices[0].source.bursts", hint: "The factor, how long, and how often: 5, 2 s, 20 s offers five times the rate for two seconds of every twenty." },
      {
        id: "exchange",
        label: "Exchange to the operator",
        shown: inShape,
        api: "keyBy, rebalance, rescale, broadcast, forward",
        own: true,
        kind: "choice",
        choices: EXCHANGES,
        path: "edges[0].exchange",
        hint: ALIGNED_HINT,
      },
      { id: "recordBytes", label: "Bytes of a record on the wire", api: "serialised record", own: true, kind: "size", shown: inShape, slider: { min: 0, max: 1_048_576, scale: "log", unit: "bytes" }, path: "edges[0].recordBytes", hint: "Length 4, tag 1, timestamp 8, and what your serialiser writes." },
      { id: "operators", label: "Operator subtasks", api: "setParallelism of the operator", own: true, kind: "count", shown: inShape, path: "vertices[1].parallelism", hint: "The keyed operator behind the sources." },
      { id: "service", label: "Operator’s time for a record", api: "service time", own: true, kind: "durations", shown: inShape, slider: { min: 0, max: 100_000, scale: "log", unit: "µs" }, path: "vertices[1].service", hint: "How long a record keeps the thread. Whole milliseconds or microseconds, such as 5 ms or 200 µs; a list is by subtask." },
      {
        id: "spread",
        label: "How much it varies",
        shown: inShape,
        api: "distribution of the service time",
        own: true,
        kind: "choice",
        choices: [
          ["constant", "not: every record the same"],
          ["exponential", "exponential, around that mean"],
          ["lognormal", "lognormal, around that mean"],
        ],
        path: "vertices[1].spread",
        hint: "Drawn from a seeded generator, so that the same settings give the same run.",
      },
      { id: "sigma", label: "σ of the lognormal distribution", api: "spread of the logarithm", own: true, kind: "number", shown: (settings) => inShape(settings) && settings.spread === "lognormal", path: "vertices[1].sigma", hint: SIGMA_HINT },
      { id: "weights", label: "Share of the records by subtask", api: "keys", own: true, kind: "weights", empty: "even", path: "edges[0].skew", shown: (settings) => inShape(settings) && settings.exchange === "hash", hint: "A hot key sends its subtask more than its share: 9, 1 sends nine of ten to the first." },
      { id: "sinks", label: "Sink subtasks", api: "setParallelism of the sink", own: true, kind: "count", shown: when("shape", "chain"), path: "vertices[2].parallelism", hint: "The last stage. A barrier waits in each queue on its way." },
      { id: "sinkService", label: "Sink’s time for a record", api: "service time", own: true, kind: "durations", shown: when("shape", "chain"), slider: { min: 0, max: 100_000, scale: "log", unit: "µs" }, path: "vertices[2].service", hint: "As for the operator." },
    ],
  },
  {
    name: "State and storage",
    fields: [
      { id: "state", label: "State of an operator subtask", api: "state_size", own: true, kind: "sizes", shown: inShape, empty: "none", slider: { min: 0, max: 1_099_511_627_776, scale: "log", unit: "bytes" }, path: "vertices[1].state.bytes", hint: "What a full checkpoint writes. A list, such as 8 gb, 1 gb, is by subtask." },
      {
        id: "incremental",
        label: "Incremental checkpoints",
        api: (flink) => (flink === "1.18" ? "state.backend.incremental" : "execution.checkpointing.incremental"),
        kind: "choice",
        choices: [
          ["full", "off: the whole state each time"],
          ["delta", "on: what is new since the last one"],
          ["rocksdb", "on, with RocksDB's files"],
        ],
        path: "checkpointing.incremental",
        hint: "RocksDB uploads new files only; now and then compaction makes files new that hold old state.",
      },
      { id: "changed", label: "New since the last checkpoint", api: "checkpointed_size", own: true, kind: "sizes", empty: "none", shown: (settings) => inShape(settings) && settings.incremental !== "full", slider: { min: 0, max: 1_099_511_627_776, scale: "log", unit: "bytes" }, path: "vertices[1].state.changedBytes", hint: "What an incremental checkpoint of a subtask writes." },
      { id: "upload", label: "Storage takes, in a second", api: "bytes/s of a TaskManager", own: true, kind: "size", empty: "no limit", slider: { min: 1_048_576, max: 10_737_418_240, scale: "log", unit: "bytes" }, path: "checkpointing.upload", hint: "How fast a TaskManager writes to the checkpoint storage. Its subtasks share it. Without a limit writing takes no time." },
      { id: "uploadPer", label: "That is shared by the subtasks of", api: "the link to the storage", own: true, isFolded: true, kind: "choice", choices: [["taskManager", "a TaskManager"], ["slot", "a slot"]], shown: (settings) => settings.upload.trim() !== "", path: "checkpointing.upload.per", hint: "By slot, every slot of a TaskManager writes as fast as is given." },
      { id: "sync", label: "Synchronous part", api: "checkpoint.sync", own: true, kind: "duration", shown: inShape, empty: "0 ms", slider: { min: 0, max: 10_000, scale: "log", unit: "ms" }, path: "vertices[1].syncMs", hint: "What the operator’s thread does for a snapshot; no record is processed meanwhile." },
      { id: "async", label: "Asynchronous part beside the upload", api: "checkpoint.async", own: true, kind: "duration", shown: inShape, empty: "0 ms", slider: { min: 0, max: 60_000, scale: "log", unit: "ms" }, path: "vertices[1].asyncMs", hint: "What runs beside the thread. The parts of concurrent checkpoints in one task run one after another." },
      { id: "slowFirst", label: "Only the first checkpoints have these parts", api: "snapshots", own: true, kind: "count", shown: inShape, path: "vertices[1].slowFirst", hint: "0 is all. With a number the later ones are quick, and the missed ticks of the timer come to light." },
    ],
  },
  { name: "Failure", fields: FAILURE_FIELDS },
  {
    name: "Network",
    fields: [
      {
        id: "placement",
        label: "Exchange",
        api: "slots and TaskManagers",
        own: true,
        kind: "choice",
        choices: [
          ["remote", "remote: over TCP, with credits"],
          ["local", "local: within one TaskManager"],
          ["slots", "by slots of a TaskManager"],
        ],
        path: "network.placement",
        hint: "A local channel has no buffers at the receiver, and holds less than half of what a remote one does.",
      },
      { id: "slots", label: "Slots of a TaskManager", api: "taskmanager.numberOfTaskSlots", kind: "count", shown: when("placement", "slots"), path: "network.placement.slotsPerTaskManager", hint: "Subtask i of each vertex runs in slot i, and slots are filled TaskManager by TaskManager." },
      { id: "segment", label: "Segment size", api: "taskmanager.memory.segment-size", kind: "size", slider: { min: 4096, max: 1_048_576, scale: "log", unit: "bytes" }, path: "network.segmentBytes", hint: "The size of a network buffer. Flink’s default is 32 kb." },
      { id: "exclusive", label: "Exclusive buffers of a channel", api: "taskmanager.network.memory.buffers-per-channel", goneIn: GONE_IN, kind: "count", path: "network.buffersPerChannel", hint: "Flink’s default is 2." },
      { id: "floating", label: "Floating buffers of a gate", api: "taskmanager.network.memory.floating-buffers-per-gate", goneIn: GONE_IN, kind: "count", path: "network.floatingBuffersPerGate", hint: "Shared by the channels of a gate. Flink’s default is 8; at least 1 is needed." },
      { id: "maxPerChannel", label: "Most buffers of a channel", api: "taskmanager.network.memory.max-buffers-per-channel", goneIn: GONE_IN, kind: "count", path: "network.maxBuffersPerChannel", hint: "One subpartition that is this full stops its whole task. Flink’s default is 10." },
      { id: "overdraft", label: "Overdraft buffers", api: "taskmanager.network.memory.max-overdraft-buffers-per-gate", goneIn: GONE_IN, kind: "count", path: "network.maxOverdraftBuffersPerGate", hint: "What a record may still take where it would not fit. Flink’s default is 5." },
      { id: "bufferTimeout", label: "Buffer timeout", api: "execution.buffer-timeout.interval", kind: "duration", empty: "never flushed", slider: { min: 0, max: 1000, scale: "linear", unit: "ms" }, path: "network.bufferTimeoutMs", hint: "How often what is written so far is sent on. Flink’s default is 100 ms; 0 ms flushes after each record." },
      { id: "debloat", label: "Buffer debloating", api: "taskmanager.network.memory.buffer-debloat.enabled", kind: "choice", choices: ON_OFF, path: "network.bufferDebloat.enabled", hint: "Makes buffers smaller until what waits takes about the target time." },
      { id: "debloatTarget", label: "Debloating target", api: "taskmanager.network.memory.buffer-debloat.target", kind: "duration", shown: when("debloat", "on"), slider: { min: 10, max: 10_000, scale: "log", unit: "ms" }, path: "network.bufferDebloat.targetMs", hint: "Flink’s default is 1 s." },
      { id: "debloatPeriod", label: "Debloating period", api: "taskmanager.network.memory.buffer-debloat.period", isFolded: true, kind: "duration", shown: when("debloat", "on"), path: "network.bufferDebloat.periodMs", hint: "How often throughput is measured and sizes are decided anew. Flink’s default is 200 ms." },
      { id: "debloatSamples", label: "Debloating samples", api: "taskmanager.network.memory.buffer-debloat.samples", isFolded: true, kind: "count", shown: when("debloat", "on"), path: "network.bufferDebloat.samples", hint: "Over how many of the last periods the size is smoothed. Flink’s default is 20." },
      { id: "debloatThreshold", label: "Debloating threshold", api: "taskmanager.network.memory.buffer-debloat.threshold-percentages", isFolded: true, kind: "count", shown: when("debloat", "on"), path: "network.bufferDebloat.thresholdPercentages", hint: "A size is announced when it differs by so many percent. Flink’s default is 25." },
    ],
  },
];

/** @type {CheckpointField[]} */
export const FIELDS = GROUPS.flatMap(({ fields }) => fields);

/**
 * Those of the form, and those of its graph.
 * @param {Settings} settings
 * @returns {CheckpointField[]}
 */
export function fieldsOf(settings) {
  return isGraph(settings) ? [...FIELDS, ...graphFields(settings)] : FIELDS;
}

/**
 * What a field is called in a version of Flink.
 * @param {CheckpointField} field
 * @param {FlinkVersion} flink
 */
export function apiOf({ api }, flink) {
  return typeof api === "string" ? api : api(flink);
}
