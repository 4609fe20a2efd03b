// @ts-check
/**
 * Named situations: each sets every field and says what to look at. Durations and sizes are written
 * as Flink reads them.
 * @import { Settings } from "./fields.js"
 *
 * @typedef {object} CheckpointPreset
 * @property {string} id
 * @property {string} title
 * @property {string} look
 * @property {Settings} settings
 */

/** Every field at Flink's default, or at what a small job has. @type {Settings} */
export const USUAL = {
  mode: "aligned",
  alignedTimeout: "1 s",
  interval: "15 s",
  first: "10 s",
  minPause: "",
  timeout: "10 min",
  concurrent: "1",
  tolerable: "0",
  run: "54 s",
  seed: "1",
  objective: "5 s",
  allowed: "",
  shape: "fanIn",
  sources: "2",
  rate: "10000",
  lag: "",
  bursts: "",
  exchange: "hash",
  recordBytes: "96 b",
  operators: "1",
  service: "1 ms",
  spread: "constant",
  sigma: "1",
  weights: "",
  sinks: "1",
  sinkService: "5 ms",
  state: "",
  incremental: "full",
  changed: "",
  upload: "",
  uploadPer: "taskManager",
  sync: "",
  async: "",
  slowFirst: "0",
  failAt: "",
  failPart: "operator",
  failSubtask: "0",
  failKind: "task",
  heartbeatInterval: "10 s",
  heartbeatTimeout: "50 s",
  rpcThreshold: "",
  restart: "delay",
  restartAttempts: "",
  restartRate: "",
  restartInterval: "",
  restartMost: "",
  restartFactor: "",
  restartReset: "",
  restartJitter: "",
  restartDelay: "1 s",
  restore: "",
  placement: "remote",
  slots: "2",
  segment: "32 kb",
  exclusive: "2",
  floating: "8",
  maxPerChannel: "10",
  overdraft: "5",
  bufferTimeout: "100 ms",
  debloat: "off",
  debloatTarget: "1 s",
  debloatPeriod: "200 ms",
  debloatSamples: "20",
  debloatThreshold: "25",
};

/**
 * @param {string} id
 * @param {string} title
 * @param {Settings} settings  what differs from the usual
 * @param {string} look
 * @returns {CheckpointPreset}
 */
function preset(id, title, settings, look) {
  return { id, title, look, settings: { ...USUAL, ...settings } };
}

/** @type {CheckpointPreset[]} */
export const CHECKPOINT_PRESETS = [
  preset("slow-sink", "Slow operator, full queues", {}, "The barrier waits in its queue: nearly all of the time is start delay, though the snapshot itself takes none. The task that looks guilty in the web UI is the source."),
  preset("even", "No skew", { operators: "2", rate: "1000", service: "200 µs", interval: "10 s", first: "", run: "30 s" }, "No queue stands in front of the barriers, so every phase is next to nothing. What Flink itself needs for a checkpoint is not modelled."),
  preset("late-channel", "One channel 2 s late", { rate: "1000", service: "100 µs", lag: "2 s", interval: "10 s", run: "39 s" }, "The early channel is blocked until the late barrier comes: alignment is the lag. Unaligned barriers do not help, since the late one has not left its source yet."),
  preset("lab", "10 000 records/s beside a channel 2 s late", { rate: "10000", service: "20 µs", lag: "2 s", interval: "10 s", run: "25 s" }, "While the late barrier is awaited, the other channel is blocked, its buffers fill and its source is held back. Compare the modes: at least once blocks nothing."),
  preset("hot-key", "Hot key", { operators: "2", service: "500 µs", weights: "9, 1", segment: "4 kb", rate: "5000" }, "The hot subtask's subpartition is full and stops the whole source. The other subtask has its barrier at once, and waits."),
  preset("chain", "Three-stage chain", { shape: "chain", operators: "2", service: "0 ms", segment: "4 kb", interval: "30 s", run: "69 s" }, "The barrier waits in one queue after the other, each drained at the speed of the sink. The end-to-end time is the sum."),
  preset("two-inputs", "A nearly idle channel beside a full one", { shape: "twoInputs", rate: "10000, 10", service: "5 ms", segment: "4 kb" }, "The idle input has its barrier at once and is blocked for as long as the other queue takes to drain: alignment, not start delay."),
  preset("timeout-1s", "Switch to unaligned after 1 s", { mode: "timeout", service: "10 ms", segment: "4 kb", sources: "1" }, "Aligned for one second, then barriers overtake what is still in front of them. That is written into the checkpoint: look at alignment.persisted."),
  preset("unaligned", "Unaligned under full queues", { mode: "unaligned", service: "10 ms", segment: "4 kb", sources: "1" }, "The checkpoint no longer depends on the queue. The queue is in the checkpoint instead, at the sender and at the receiver."),
  preset("slow-storage", "Large state on slow storage", { rate: "1000", service: "100 µs", state: "2 gb", upload: "100 mb", interval: "10 s" }, "The upload is longer than the interval. Records go on meanwhile, but the next checkpoint can start only when this one is done."),
  preset("thrash", "Expire, trigger, expire", { service: "10 ms", segment: "4 kb", sources: "1", interval: "2 s", timeout: "4 s", tolerable: "99", objective: "4 s" }, "The queue takes longer than the timeout. An expired checkpoint leaves its barrier in the queue, and the next is triggered at once: min-pause counts from completed ones only."),
  preset("min-pause", "Back to back, and a minimum pause", { rate: "200", service: "0 ms", async: "2300 ms", interval: "1 s", minPause: "500 ms", run: "30 s" }, "Checkpoints are longer than the interval. Without a pause they run back to back; with it, the time between them is the duration and the pause."),
  preset("concurrent", "Concurrent checkpoints", { rate: "200", service: "0 ms", async: "2300 ms", interval: "1 s", concurrent: "2", run: "30 s", objective: "3 s" }, "Two at a time do not finish sooner: the asynchronous parts of one task run one after another, so each takes twice as long."),
  preset("debloat", "Buffer debloating", { sources: "1", debloat: "on", debloatTarget: "1 s" }, "With smaller buffers less waits in front of the barrier. The number of buffers stays."),
  preset("ticks", "A burst of missed ticks", { rate: "200", service: "0 ms", async: "2300 ms", slowFirst: "4", interval: "1 s", run: "30 s", objective: "" }, "The timer ticks on while slow checkpoints run, and missed ticks wait in a queue. When checkpoints are quick again they come one right after the other."),
  preset("failure", "A failure between two checkpoints", { rate: "1000", service: "500 µs", sources: "1", interval: "10 s", failAt: "28 s", state: "500 mb", upload: "100 mb", restore: "100 mb" }, "The job goes back to its newest completed checkpoint: look at how many records are read again, and how long it takes to catch up."),
  preset("local", "The same queue within one TaskManager", { placement: "local" }, "A local channel has no buffers at the receiver: less than half of the records wait, and the checkpoint takes less than half of the time."),
  preset("large", "200 × 200 subtasks, 40 000 channels", { sources: "200", operators: "200", rate: "10000", recordBytes: "100 b", service: "60 µs", state: "1 mb", interval: "10 s", first: "5 s", run: "10 s" }, "Some seconds of work: the progress is shown and can be cancelled. The other modes and the search for what breaks the promise begin when you say so. Of 400 subtasks the slowest are drawn."),
];
