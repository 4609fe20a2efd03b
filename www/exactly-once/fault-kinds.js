// @ts-check
/**
 * What can happen to the job, the broker or the network: words, parts, and where each is placed. What
 * it does is the engine's.
 *
 * Something that happens, as the engine takes it; times may be texts such as `90 s`.
 * @typedef {{ ev: string, at?: string, checkpoint?: number | string, [field: string]: unknown }} Fault
 *
 * @typedef {"begin" | "preCommit" | "complete" | "commit"} StepId
 *
 * @typedef {object} FaultKind
 * @property {string} word
 * @property {StepId} step                   where it is placed
 * @property {(checkpoint: number, job?: Job) => Fault[]} make
 * @property {string[]} sinks                those that it can happen to
 *
 * @typedef {object} Job           what a fault has to differ from
 * @property {number} sinks
 * @property {string} prefix
 * @property {string} sink        as the form names it
 *
 * @typedef {object} Control
 * @property {"choice" | "flag" | "number" | "text" | "time"} kind
 * @property {[string, string][]} choices
 * @property {string} [empty]   what counts where nothing is written
 */

/** A crash needs a restore; its time is the downtime of the settings, unless one is written. */
const RESTORE = { ev: "restore", from: "latest" };

/** @type {Job} */
const USUAL_JOB = { sinks: 1, prefix: "app", sink: "kafkaSink" };

/** With transactional ids; with a broker; whose subtasks commit each by itself; any. */
const IDS = ["kafkaSink", "flinkKafkaProducer"];
const BROKER = [...IDS, "upsert"];
const APART = [...IDS, "file"];
const ANY = [...BROKER, "file", "table"];

/** @type {(word: string, step: StepId, make: (checkpoint: number, job: Job) => Fault[], sinks?: string[]) => FaultKind} */
const kind = (word, step, make, sinks = ANY) => ({ word, step, make: (checkpoint, job = USUAL_JOB) => make(checkpoint, job), sinks });

/** @type {FaultKind[]} */
export const FAULT_KINDS = [
  kind("Crash while writing", "begin", (checkpoint) => [{ ev: "crash", at: "mid_interval", checkpoint }, RESTORE]),
  kind("Crash, restored under another prefix", "begin", (checkpoint, { prefix }) => [{ ev: "crash", at: "mid_interval", checkpoint }, { ...RESTORE, prefix: `${prefix}2` }], IDS),
  kind("Crash, restored without state", "begin", (checkpoint) => [{ ev: "crash", at: "mid_interval", checkpoint }, { ...RESTORE, from: "none" }]),
  kind("Crash, rescaled", "begin", (checkpoint, { sinks }) => [{ ev: "crash", at: "mid_interval", checkpoint }, { ...RESTORE, parallelism: sinks === 2 ? 1 : 2 }]),
  kind("TaskManager cut off, comes back", "begin", (checkpoint) => [{ ev: "tm_partition", checkpoint }, RESTORE, { ev: "zombie_send" }]),
  kind("Rival with the same prefix", "begin", (checkpoint) => [{ ev: "second_job_starts", at: "mid_interval", checkpoint, state: "none" }], IDS),
  kind("Second sink in the same JVM", "begin", () => [{ ev: "second_sink_same_jvm" }], ["kafkaSink"]),
  kind("Broker’s maximum lowered to 5 min", "begin", (checkpoint) => [{ ev: "broker_max_lowered", at: "mid_interval", checkpoint, toMs: 300_000 }], IDS),
  kind("Input ends, no final checkpoint", "begin", (checkpoint) => [{ ev: "end_of_input", afterInterval: checkpoint, finalCheckpoint: false }]),
  kind("initTransactions is refused (ACL)", "begin", () => [{ ev: "acl_denied", op: "initTransactions" }], IDS),
  kind("Input for 20 min", "begin", () => [{ ev: "run", forMs: 1_200_000 }]),
  kind("Crash after the pre-commit", "preCommit", (checkpoint) => [{ ev: "crash", at: "after_precommit", checkpoint }, RESTORE]),
  kind("Checkpoint declined", "preCommit", (checkpoint) => [{ ev: "checkpoint_declined", checkpoint }]),
  kind("JobManager lost before it is stored", "preCommit", (checkpoint) => [{ ev: "jm_crash", at: "after_precommit", checkpoint }, RESTORE]),
  kind("Crash before the commit", "complete", (checkpoint) => [{ ev: "crash", at: "after_complete", checkpoint }, RESTORE]),
  kind("Notification lost", "complete", (checkpoint) => [{ ev: "notify_lost", checkpoint }]),
  kind("JobManager lost after it is stored", "complete", (checkpoint) => [{ ev: "jm_crash", at: "after_complete", checkpoint }, RESTORE]),
  kind("It is an intermediate savepoint", "complete", (checkpoint) => [{ ev: "savepoint", checkpoint, stop: false }]),
  kind("Stopped with a savepoint, restored", "complete", (checkpoint) => [{ ev: "savepoint", checkpoint, stop: true }, { ev: "crash", at: "after_commit", checkpoint }, { ...RESTORE, from: checkpoint }]),
  kind("Crash during the commit", "commit", (checkpoint) => [{ ev: "crash", at: "during_commit", checkpoint }, RESTORE]),
  kind("Crash, one subtask has committed", "commit", (checkpoint) => [{ ev: "crash", at: "partial_commit", checkpoint, committedSubtasks: 1 }, RESTORE], APART),
  kind("Crash after the commit", "commit", (checkpoint) => [{ ev: "crash", at: "after_commit", checkpoint }, RESTORE]),
  kind("Crash, older checkpoint restored", "commit", (checkpoint) => [{ ev: "crash", at: "after_commit", checkpoint }, { ...RESTORE, from: Math.max(1, checkpoint - 1) }]),
  kind("TaskManager cut off, it commits later too", "commit", (checkpoint) => [{ ev: "tm_partition", at: "after_complete", checkpoint }, RESTORE, { ev: "zombie_commit", checkpoint }]),
  kind("Legacy sink ignores late commits", "commit", () => [{ ev: "set", option: "ignoreFailuresAfterTransactionTimeout", value: true }], ["flinkKafkaProducer"]),
  kind("Coordinator’s broker fails over", "commit", (checkpoint) => [{ ev: "broker_coordinator_failover", at: "prepare_commit", checkpoint }], IDS),
  kind("Broker unreachable for 5 min", "commit", (checkpoint) => [{ ev: "broker_unreachable", at: "after_complete", checkpoint, forMs: 300_000 }], BROKER),
];

/** @type {Record<string, string>} */
export const EVENTS = {
  crash: "Crash",
  jm_crash: "JobManager lost",
  tm_partition: "TaskManager cut off",
  restore: "Restore",
  notify_lost: "Notification lost",
  checkpoint_declined: "Checkpoint declined",
  savepoint: "Savepoint",
  zombie_send: "The zombie sends",
  zombie_commit: "The zombie commits",
  second_job_starts: "A second job starts",
  second_sink_same_jvm: "A second sink in the same JVM",
  broker_max_lowered: "The broker’s maximum is lowered",
  broker_coordinator_failover: "The coordinator fails over",
  broker_unreachable: "The broker is unreachable",
  acl_denied: "A call is refused",
  set: "Setting",
  run: "Runs on",
  end_of_input: "The input ends",
};

/** Where not every sink can meet it. @type {Record<string, string[]>} */
const MET_BY = {
  second_job_starts: IDS,
  second_sink_same_jvm: ["kafkaSink"],
  broker_max_lowered: IDS,
  broker_coordinator_failover: IDS,
  broker_unreachable: BROKER,
  acl_denied: IDS,
  set: IDS,
};

/** Whether a sink can meet a kind of fault. @param {string} ev @param {string} sink */
export function canMeet(ev, sink) {
  return (MET_BY[ev] ?? ANY).includes(sink);
}

/** The parts of each kind with what they are at first; null: left out at first. @type {Record<string, Record<string, unknown>>} */
const PARTS = {
  crash: { at: "mid_interval", checkpoint: 3, committedSubtasks: null, job: null },
  jm_crash: { at: "after_complete", checkpoint: 3 },
  tm_partition: { at: null, checkpoint: 3 },
  restore: { afterMs: null, from: "latest", parallelism: null, prefix: null, naming: null, txnTimeoutMs: null, sourcePos: null, job: null },
  notify_lost: { checkpoint: 3 },
  checkpoint_declined: { checkpoint: 3 },
  savepoint: { checkpoint: 3, stop: false },
  zombie_send: {},
  zombie_commit: { checkpoint: 3 },
  second_job_starts: { at: "mid_interval", checkpoint: 3, prefix: null, state: "none" },
  second_sink_same_jvm: {},
  broker_max_lowered: { at: "mid_interval", checkpoint: 3, toMs: 300_000 },
  broker_coordinator_failover: { at: "prepare_commit", checkpoint: 3 },
  broker_unreachable: { at: "after_complete", checkpoint: 3, forMs: 300_000 },
  acl_denied: { op: "describeProducers/listTransactions" },
  set: { option: "sink.committer.retries", value: 10, producerEpoch: null },
  run: { forMs: 300_000 },
  end_of_input: { afterInterval: 3, finalCheckpoint: false },
};
/** Parts that are shown only where they are written: most people need none of them. */
const RARE = ["committedSubtasks", "naming", "txnTimeoutMs", "sourcePos", "job", "state", "producerEpoch"];

/** Parts and moments that only some sinks have. @type {Record<string, string[]>} */
const PART_OF = { prefix: IDS, naming: ["kafkaSink"], txnTimeoutMs: IDS };
/** @type {Record<string, string[]>} */
const MOMENT_OF = { prepare_commit: IDS, right_after_init: IDS, partial_commit: APART };

/** Parts that are times. */
export const FAULT_TIMES = ["afterMs", "forMs", "toMs", "txnTimeoutMs"];

/** @type {Record<string, string>} */
export const FIELD_WORDS = {
  at: "moment",
  checkpoint: "checkpoint",
  afterMs: "after",
  forMs: "for",
  toMs: "to",
  txnTimeoutMs: "timeout",
  from: "from checkpoint",
  prefix: "prefix",
  parallelism: "subtasks",
  naming: "naming",
  stop: "stops the job",
  op: "call",
  job: "job",
  state: "state",
  committedSubtasks: "subtasks that committed",
  sourcePos: "source at",
  option: "setting",
  value: "value",
  producerEpoch: "epoch of the ids",
  afterInterval: "after interval",
  finalCheckpoint: "final checkpoint",
};

const MOMENTS = ["before_first_checkpoint", "mid_interval", "after_precommit", "after_complete", "during_commit", "prepare_commit", "partial_commit", "after_commit", "right_after_init"];
/** @type {[string, string][]} */
const YES_NO = [
  ["true", "yes"],
  ["false", "no"],
];
/** @type {(values: string[]) => [string, string][]} */
const same = (values) => values.map((value) => [value, value]);

/** @type {Record<string, Partial<Control>>} */
const CONTROLS = {
  at: { kind: "choice", choices: MOMENTS.map((moment) => [moment, moment.replaceAll("_", " ")]) },
  naming: { kind: "choice", choices: [["", "as before"], ["incrementing", "INCREMENTING"], ["pooling", "POOLING"]] },
  job: { kind: "choice", choices: same(["A", "B"]) },
  option: { kind: "choice", choices: same(["sink.committer.retries", "max.block.ms", "ignoreFailuresAfterTransactionTimeout"]) },
  op: { kind: "choice", choices: same(["describeProducers/listTransactions", "describeProducers", "listTransactions", "initTransactions"]) },
  stop: { kind: "flag", choices: YES_NO },
  finalCheckpoint: { kind: "flag", choices: YES_NO },
  afterMs: { kind: "time", empty: "the downtime" },
  forMs: { kind: "time" },
  toMs: { kind: "time" },
  txnTimeoutMs: { kind: "time", empty: "as before" },
  prefix: { kind: "text", empty: "the same" },
  state: { kind: "text" },
  parallelism: { kind: "number", empty: "as before" },
  from: { kind: "number", empty: "latest" },
};

/** @param {string} name @param {string} [sink] @returns {Control} */
export function controlOf(name, sink) {
  const control = /** @type {Control} */ ({ kind: "number", choices: [], ...CONTROLS[name] });
  if (name !== "at" || sink === undefined) return control;
  return { ...control, choices: control.choices.filter(([moment]) => (MOMENT_OF[moment] ?? ANY).includes(sink)) };
}

/** The parts of a fault that are shown. @param {Fault} fault @param {string} sink */
export function fieldsOf(fault, sink) {
  const known = PARTS[fault.ev] ?? {};
  const isWritten = (/** @type {string} */ name) => fault[name] !== undefined && fault[name] !== known[name];
  const isUsual = (/** @type {string} */ name) => !RARE.includes(name) && (PART_OF[name] ?? ANY).includes(sink);
  const shown = Object.keys(known).filter((name) => isUsual(name) || isWritten(name));
  // What the engine will refuse has to be seen to be mended.
  const others = Object.keys(fault).filter((name) => name !== "ev" && !(name in known));
  return [...shown, ...others];
}

/**
 * The same fault as another kind: what both have stays.
 * @param {Fault} fault
 * @param {string} ev
 * @returns {Fault}
 */
export function reshaped(fault, ev) {
  /** @type {Fault} */
  const other = { ev };
  for (const [name, first] of Object.entries(PARTS[ev] ?? {})) {
    const value = fault[name] ?? first;
    if (value !== null) other[name] = value;
  }
  return other;
}
