// @ts-check
/**
 * Named situations: each sets every field and every fault, and says what to look at.
 * @import { Fault } from "./fault-kinds.js"
 *
 * @typedef {Record<string, string>} Settings   a text for every field
 *
 * @typedef {object} ExactlyPreset
 * @property {string} id
 * @property {string} title
 * @property {string} look
 * @property {Settings} settings
 * @property {Fault[]} faults
 * @property {string} [barriers]   the run of the stepper before the sink, where it is what is looked at
 */

import { CLASSIC_RUN } from "./classic-run.js";

/** Every field at its usual value. @type {Settings} */
export const USUAL = {
  timeoutMs: "15 min",
  brokerMaxMs: "15 min",
  intervalMs: "1 min",
  durationMs: "5 s",
  notifyMs: "200 ms",
  failures: "0",
  patienceMs: "",
  detectionMs: "50 s",
  restartDelayMs: "10 s",
  schedulingMs: "30 s",
  restoreMs: "25 s",
  probingMs: "5 s",
  sink: "kafkaSink",
  guarantee: "exactlyOnce",
  connector: "",
  naming: "incrementing",
  transactionVersion: "tv1",
  prefix: "app",
  parallelism: "1",
  isolation: "read_committed",
  recordsPerInterval: "100",
  intervals: "6",
  firstRecordMs: "100 ms",
  lastRecordMs: "",
  idleTail: "off",
  layout: "one_per_subtask",
  observeMs: "0 s",
  judge: "A",
  otherWriter: "",
  maxAutoRestarts: "",
  abortScanMs: "10 s",
  idExpirationMs: "7 d",
  checkpointTimeoutMs: "10 min",
  broker: "4.1",
  committerRetries: "10",
  maxBlockMs: "60 s",
  maxConcurrentCheckpoints: "1",
  poolSize: "5",
  idsInRotation: "2",
  checkpointing: "on",
  bounded: "no",
  checkpointsAfterTasksFinish: "on",
  otherPrefixes: "",
  sharedTopic: "no",
  prefixChanged: "no",
  stateRestored: "yes",
  previousNaming: "",
  plannedParallelism: "",
  firstCheckpointDone: "yes",
  restart: "exponentialDelay",
  canDescribeTopics: "yes",
  canWriteTransactionalId: "yes",
  dynamicTopics: "no",
  savepointAgeMs: "",
  stop: "stopWithSavepoint",
  otherTimeoutMs: "",
};

/** POOLING is in connectors from 4.0 on; 5.0 is the one of the newest Flink in the header. */
const POOLED = { connector: "5.0", naming: "pooling" };
/** Restore after 20 minutes. */
const LONG_MS = 1_200_000;

/**
 * @param {string} id
 * @param {string} title
 * @param {string} look
 * @param {Partial<Settings>} settings
 * @param {Fault[]} faults
 * @returns {ExactlyPreset}
 */
const preset = (id, title, look, settings, faults) => ({ id, title, look, settings: /** @type {Settings} */ ({ ...USUAL, ...settings }), faults });

/** @type {ExactlyPreset[]} */
export const EXACTLY_PRESETS = [
  preset("clean", "A run without faults", "Follow one transaction: begin, pre-commit with the barrier, checkpoint complete, commit. Readers see its records only when the last stable offset passes them.", {}, []),
  {
    ...preset(
      "classic",
      "Barriers meet transactions, step by step",
      "Two channels: A:50, A:25 and B:80 come before the barriers, A:100 is held back behind the one of channel 0, and the snapshot says 75. Pre-commit shows nothing, the commit shows the records; the live sum is 175. 999 arrives, the worker dies: the sum is 75 again, and transaction 2 is aborted.",
      {},
      [],
    ),
    barriers: CLASSIC_RUN,
  },
  preset(
    "fast-restart",
    "Crash before the commit, fast restart",
    "The checkpoint is complete and nobody has committed. The restored committer commits the transaction under its old epoch: nothing is lost, nothing comes twice.",
    {},
    [
      { ev: "crash", at: "after_complete", checkpoint: 3 },
      { ev: "restore", afterMs: 120_000, from: 3 },
    ],
  ),
  preset(
    "long-outage",
    "Long outage: longer than the timeout",
    "The same crash, but the job is down for 20 min. The coordinator aborts the transaction after 15 min, the restored commit is fenced and dropped, and the job runs on: 100 records are lost and no task fails.",
    {},
    [
      { ev: "crash", at: "after_complete", checkpoint: 3 },
      { ev: "restore", afterMs: LONG_MS, from: 3 },
    ],
  ),
  preset("above-maximum", "Timeout above the broker’s maximum", "Flink presets an hour, a broker of defaults takes 15 min: the job does not start. The ruler shows what a lower timeout costs.", { timeoutMs: "", brokerMaxMs: "15 min" }, []),
  preset(
    "lost-notification",
    "The completion message is lost",
    "With an interval of 10 min one lost notification makes the transaction more than 20 min old at the next commit. The timeout of 15 min is shorter: data loss without any crash.",
    { intervalMs: "10 min" },
    [{ ev: "notify_lost", checkpoint: 3 }],
  ),
  preset(
    "declined",
    "Declined checkpoints",
    "Two checkpoints in a row are declined, as many as the job tolerates. Their transactions stay open and grow older; at an interval of 320 s the oldest is 16 min old at the next commit, and died after 15.",
    { intervalMs: "320 s", failures: "2" },
    [
      { ev: "checkpoint_declined", checkpoint: 3 },
      { ev: "checkpoint_declined", checkpoint: 4 },
    ],
  ),
  preset(
    "restore-twice",
    "Restored twice from one checkpoint",
    "The second restore commits again what the first one committed. The coordinator answers a repeated commit with success, so the log is right.",
    {},
    [
      { ev: "crash", at: "after_complete", checkpoint: 3 },
      { ev: "restore", afterMs: 60_000, from: 3 },
      { ev: "crash", at: "mid_interval", checkpoint: "first_of_attempt_2" },
      { ev: "restore", afterMs: 60_000, from: 3 },
    ],
  ),
  preset(
    "same-prefix",
    "The same prefix twice",
    "A second job with this prefix starts and probes: it aborts the transaction that the first job has open. The first job writes nothing more, so nothing notices until its commit is dropped.",
    { idleTail: "on" },
    [{ ev: "second_job_starts", at: "mid_interval", checkpoint: 3, state: "none" }],
  ),
  preset("same-jvm", "Two sinks with one prefix in a JVM", "Writer and committer of a sink find each other by prefix, subtask and attempt, so a second sink of the same TaskManager with the same prefix is refused: the job does not start.", { connector: "5.0" }, [
    { ev: "second_sink_same_jvm" },
  ]),
  preset(
    "prefix-changed",
    "The prefix changed, with state",
    "The restored state names the old prefix, and the sink cleans up under both: app-0-3 is aborted at the restore. The next example restores without state.",
    { prefixChanged: "yes" },
    [
      { ev: "crash", at: "mid_interval", checkpoint: 3 },
      { ev: "restore", afterMs: 60_000, from: 2, prefix: "app2" },
    ],
  ),
  preset(
    "prefix-changed-no-state",
    "The prefix changed, without state",
    "Nobody knows the old ids, so nobody aborts app-0-3. What the new attempt commits under app2 stays behind it on the partition until it times out.",
    { prefixChanged: "yes", stateRestored: "no", layout: "shared", observeMs: "15 min" },
    [
      { ev: "crash", at: "mid_interval", checkpoint: 3 },
      { ev: "restore", afterMs: 60_000, from: "none", sourcePos: 200, prefix: "app2" },
    ],
  ),
  preset(
    "zombie",
    "A zombie returns",
    "A TaskManager is cut off and lives on while its successor starts. Its send is refused with INVALID_PRODUCER_EPOCH, because the successor moved the epoch on.",
    {},
    [{ ev: "tm_partition", checkpoint: 3 }, { ev: "restore", afterMs: 60_000, from: 2 }, { ev: "zombie_send" }],
  ),
  preset(
    "scale-down",
    "Scale down with pooled ids",
    "From 2 subtasks to 1 after a failure that used a pre-committed id again: LISTING skips the id, the committer is fenced, and on the shared partition the open transaction holds readers back until it times out.",
    { ...POOLED, parallelism: "2", plannedParallelism: "1", layout: "shared", observeMs: "15 min" },
    [
      { ev: "crash", at: "after_precommit", checkpoint: 3 },
      { ev: "restore", afterMs: 60_000, from: 2, parallelism: 1 },
    ],
  ),
  preset(
    "old-savepoint",
    "An old savepoint is restored",
    "The job ran on to checkpoint 5 after savepoint 3. What was committed stays committed, and what follows the savepoint is replayed: the 200 records of checkpoints 4 and 5 are there twice.",
    {},
    [
      { ev: "savepoint", checkpoint: 3, stop: false },
      { ev: "crash", at: "after_commit", checkpoint: 5 },
      { ev: "restore", afterMs: 120_000, from: 3 },
    ],
  ),
  preset(
    "blocked-reader",
    "A reader is blocked by another job",
    "Job A dies with an open transaction and never comes back. Job B is healthy and commits, but on the shared partition its records stay behind the last stable offset until A’s transaction times out.",
    { layout: "shared", judge: "B", intervals: "20", observeMs: "15 min", patienceMs: "2 min" },
    [{ ev: "crash", at: "mid_interval", checkpoint: 3, job: "A" }],
  ),
  preset(
    "idle-writer",
    "Idle writer with too short a timeout",
    "An interval of 5 min and checkpoints of 280 s make each transaction 9 min 40 s old at its commit, and the timeout is 8 min 20 s. Nothing is sent late in the interval, so no send fails: every checkpoint is green and every commit is dropped.",
    { intervalMs: "5 min", durationMs: "280 s", timeoutMs: "500 s", idleTail: "on" },
    [],
  ),
  preset("busy-writer", "Busy writer with too short a timeout", "An interval of 30 min and a timeout of 15 min: the second half of each interval is refused, the job restarts, and never gets to a checkpoint.", { intervalMs: "30 min" }, []),
  preset(
    "false-alarm",
    "A false alarm of protocol 2",
    "The job dies right after a commit. The restored commit speaks the old protocol and is fenced: the log says that data is lost, and it is all there.",
    { transactionVersion: "tv2" },
    [
      { ev: "crash", at: "after_commit", checkpoint: 3 },
      { ev: "restore", afterMs: 120_000, from: 3 },
    ],
  ),
  preset(
    "expired-ids",
    "Restored after the ids expired",
    "Stopped with a savepoint, all committed, restored after 8 days. The broker forgot the transactional id after 7: the commit fails for a reason the committer does not know, and so does each attempt after it. Nothing is lost, and the job never starts again.",
    { savepointAgeMs: "8 d" },
    [
      { ev: "savepoint", checkpoint: 3, stop: true },
      { ev: "crash", at: "after_commit", checkpoint: 3 },
      { ev: "restore", afterMs: 691_200_000, from: 3 },
    ],
  ),
  preset(
    "naming-back",
    "Pooled ids, restored with INCREMENTING",
    "The writer’s state says that ids were pooled. INCREMENTING would not clean those up, so the sink refuses to start: nothing is lost, and POOLING starts.",
    { ...POOLED, previousNaming: "pooling" },
    [
      { ev: "crash", at: "after_commit", checkpoint: 3 },
      { ev: "restore", afterMs: 60_000, from: 3, naming: "incrementing" },
    ],
  ),
  preset(
    "from-3x",
    "State of a 3.x connector, restored with POOLING",
    "State of 3.x does not say who owns which id, and POOLING needs that: the job does not start. One checkpoint with 4.x and INCREMENTING writes it down; then POOLING starts.",
    { connector: "5.0", previousNaming: "connector3" },
    [
      { ev: "crash", at: "after_commit", checkpoint: 3 },
      { ev: "restore", afterMs: 60_000, from: 3, naming: "pooling" },
    ],
  ),
  preset(
    "pool-empty",
    "The legacy sink’s pool is empty",
    "Checkpoints take 6 min and six may run at once, at an interval of 1 min. Each keeps one of the five producers until it is committed, so the fifth barrier finds none left for the next transaction: the job fails, restarts, and fails again.",
    { sink: "flinkKafkaProducer", connector: "3.4", durationMs: "6 min", maxConcurrentCheckpoints: "6" },
    [],
  ),
  preset("not-authorized", "The ids are not allowed", "The broker refuses initTransactions, because nobody allowed WRITE on the transactional ids of the prefix: the job does not start. Nothing was written.", { canWriteTransactionalId: "no" }, [
    { ev: "acl_denied", op: "initTransactions" },
  ]),
  preset(
    "commit-retried",
    "A commit is retried for 5 min",
    "The broker does not answer as checkpoint 3 is committed. Each try blocks for 60 s, and eleven are made before the job fails; the broker is back after 5 min, and the commit is accepted. The transaction is 6 min 5 s old by then, and its timeout is longer.",
    {},
    [{ ev: "broker_unreachable", at: "after_complete", checkpoint: 3, forMs: 300_000 }],
  ),
  preset(
    "uncommitted-reader",
    "A reader of defaults",
    "The sink is exactly-once, the reader is read_uncommitted: it reads records of the aborted transaction, and their replay.",
    { isolation: "" },
    [
      { ev: "crash", at: "mid_interval", checkpoint: 3 },
      { ev: "restore", afterMs: 120_000, from: 2 },
    ],
  ),
];
