// Shapes of the Exactly-once tool's questions. See types.ts for what all questions share.

/** Params of `transactionTimeouts`; times in milliseconds, null where not set or not known. */
export interface TimeoutParams {
  timeoutMs: number | null;
  brokerMaxMs: number | null;
  intervalMs: number;
  durationMs: number;
  notifyMs: number;
  failures: number;
  detectionMs: number | null;
  restartDelayMs: number | null;
  schedulingMs: number | null;
  restoreMs: number | null;
  probingMs: number | null;
  abortScanMs: number;
  patienceMs: number | null;
  checkpointTimeoutMs: number;
  /** An outage counts as downtime where it is longer than the parts say. */
  faults: Fault[];
}

/** Params of `drawTimeouts`. */
export interface DrawTimeoutsParams {
  times: TimeoutParams;
  theme: "light" | "dark";
  width: number;
}

export type TimeoutState = "safe" | "refused" | "tooShortToRun" | "tooShortToRecover" | "tooLongForReaders";

/** Answer of `transactionTimeouts`. */
export interface TimeoutReport {
  verdict: string;
  state: TimeoutState;
  timeoutMs: number;
  isPreset: boolean;
  brokerMaxMs: number;
  safe: SafeRange | null;
  lower: TimeoutBound[];
  upper: TimeoutBound[];
  /** What counts: its parts, or the longest outage. */
  downtimeMs: number;
  partsMs: number;
  /** The longest outage of the faults, where it counts. */
  outageMs: number | null;
  downtimeSurvivedMs: number | null;
  marginMs: number;
  blame: TimeoutBlame | null;
  knobs: TimeoutKnob[];
  worth: TimeoutWorth[];
  latency: ReaderLatency;
  steps: TimeoutStep[];
}

export interface TimeoutStep {
  what: string;
  formula: string;
  values: string;
  source: string;
}

export interface SafeRange {
  fromMs: number;
  toMs: number;
}

export interface TimeoutBound {
  /** `int` is the type of the setting. */
  id: "E1" | "E2" | "E3" | "E5" | "int";
  beyond: string;
  timeoutMs: number;
  formula: string;
  numbers: string;
  field: string;
  source: string;
}

export interface TimeoutBlame {
  upper: string;
  lower: string;
  gapMs: number;
  mends: TimeoutMend[];
}

/** A single change that gives a safe value. */
export interface TimeoutMend {
  field: string;
  name: string;
  option: string | null;
  value: number;
  isMost: boolean;
}

/** The values of a knob that keep the present timeout safe. */
export interface TimeoutKnob {
  field: string;
  name: string;
  option: string | null;
  isCount: boolean;
  present: number | null;
  from: number | null;
  to: number | null;
  possible: boolean;
}

/** What a timeout buys and costs. */
export interface TimeoutWorth {
  timeoutMs: number;
  isPresent: boolean;
  starts: boolean;
  downtimeSurvivedMs: number | null;
  failuresSurvived: number | null;
  stallMaxMs: number;
}

export interface ReaderLatency {
  bestMs: number;
  worstMs: number;
  worstAfterFailuresMs: number;
}

export type Connector = "3.2" | "3.3" | "3.4" | "4.0" | "5.0";

/** Params of `lintTransactions`; null where not set or not known. */
export interface LintParams {
  flink: "1.18" | "1.20" | "2.2";
  connector: Connector;
  sink: "kafkaSink" | "flinkKafkaProducer" | "rawProducer";
  guarantee: "exactlyOnce" | "atLeastOnce" | "none" | null;
  times: TimeoutParams;
  checkpointing: boolean;
  bounded: boolean;
  checkpointsAfterTasksFinish: boolean;
  readers: ("read_committed" | "read_uncommitted" | null)[];
  prefix: string | null;
  otherPrefixes: string[];
  sharedTopic: boolean;
  prefixChanged: boolean;
  stateRestored: boolean;
  naming: "incrementing" | "pooling";
  previousNaming: "incrementing" | "pooling" | "connector3" | null;
  parallelism: number;
  plannedParallelism: number | null;
  firstCheckpointDone: boolean;
  idExpirationMs: number;
  restart: "none" | "fixedDelay" | "failureRate" | "exponentialDelay";
  restartAttempts: number | null;
  /** Written like `3.7`. */
  broker: string | null;
  transactionVersion: "tv1" | "tv2";
  canDescribeTopics: boolean | null;
  canWriteTransactionalId: boolean | null;
  dynamicTopics: boolean;
  idsInRotation: number;
  savepointAgeMs: number | null;
  stop: "stopWithSavepoint" | "cancelWithSavepoint" | null;
  otherTimeoutsMs: number[];
  poolSize: number;
  maxConcurrentCheckpoints: number;
  committerRetries: number;
  maxBlockMs: number;
}

/** Answer of `lintTransactions`; what fires is in the findings too. */
export interface LintReport {
  verdict: string;
  rules: LintRow[];
  idsKept: number;
  rolloverMs: number | null;
  poolNeeded: number;
  /** For each subtask after the restart, of the first 16. */
  probing: Probing[];
  probesSecondAttempt: number;
}

export interface Probing {
  subtask: number;
  subtasks: number[];
}

export interface LintRow {
  id: string;
  severity: "error" | "warning" | "note";
  knob: string;
  condition: string;
  numbers: string;
  outcome: "fires" | "holds" | "unknown" | "doesNotApply";
  price: string;
}

/** Params of `readTransactionText`. */
export interface ReadTransactionParams {
  version: "1.18" | "1.20" | "2.2";
  text: string;
}

/** Answer of `readTransactionText`. */
export interface TransactionText {
  kind: "message" | "properties" | "transactionList" | "transactionDescription" | "producers" | "hanging";
  recognised: string;
  cause: TransactionCause | null;
  also: AlsoSeen[];
  facts: TextFact[];
  settings: TextSetting[];
  situation: TextSituation | null;
  used: UsedLine[];
  usedCount: number;
  ignored: IgnoredLine[];
  ignoredCount: number;
}

export interface TransactionCause {
  code: string;
  title: string;
  reason: string;
  /** What became of the records. */
  fate: "lost" | "kept" | "depends" | "nothing";
  tell: string[];
  action: string;
  decidedBy: string;
  knob: string | null;
  source: string;
}

export interface AlsoSeen {
  code: string;
  title: string;
  lines: number;
}

export interface TextFact {
  name: string;
  value: string;
}

export interface TextSetting {
  /** The field of the scenario. */
  field: string;
  option: string;
  /** As the field takes it. */
  value: string;
}

export interface TextSituation {
  preset: string;
  openMs: number | null;
  /** In place of the example's, where its transactions would not live until their checkpoint. */
  checkpoints: { intervalMs: number; durationMs: number } | null;
}

export interface UsedLine {
  line: number;
  text: string;
  what: string;
}

export interface IgnoredLine {
  line: number;
  text: string;
  reason: string;
}

/** The settings of job, sink and broker; each has the default of the reference scenario. */
export interface ScenarioParams {
  sink: "kafka_sink" | "legacy" | "upsert" | "file" | "table";
  deliveryGuarantee: "exactly_once" | "at_least_once" | "none";
  naming: "incrementing" | "pooling";
  txnProtocol: "tv1" | "tv2";
  checkpointIntervalMs: number;
  checkpointDurationMs: number;
  notifyDelayMs: number;
  firstRecordOffsetMs: number;
  lastRecordOffsetMs: number | null;
  idleTail: boolean;
  txnTimeoutMs: number;
  brokerMaxTxnTimeoutMs: number;
  brokerMaxTxnTimeoutAfterMs: number | null;
  brokerAbortScanMs: number;
  txnIdExpirationMs: number;
  downtimeMs: number;
  autoRestartDelayMs: number;
  maxAutoRestarts: number;
  isolation: "read_committed" | "read_uncommitted";
  prefix: string;
  prefixUnique: boolean;
  newPrefix: string | null;
  parallelism: number;
  parallelismAfter: number | null;
  partitionLayout: "one_per_subtask" | "shared";
  recordsPerInterval: number;
  intervals: number;
  observeExtraMs: number;
  /** Readers that wait longer are stuck; null: twice the interval and the duration together. */
  patienceMs: number | null;
  judge: "A" | "B";
  otherWriter: "exactly_once" | "at_least_once" | "none" | null;
  poolSize: number;
  connector: string | null;
}

/** A moment in the life of a checkpoint. */
export type Moment =
  | "before_first_checkpoint"
  | "mid_interval"
  | "after_precommit"
  | "after_complete"
  | "during_commit"
  | "prepare_commit"
  | "partial_commit"
  | "after_commit"
  | "right_after_init";

/** The number of a checkpoint, or the first one after the last restore. */
export type CheckpointRef = number | "first_of_attempt_2";

/** Something that happens; faults happen in the order in which they are given. */
export type Fault =
  | { ev: "crash"; at: Moment; checkpoint?: CheckpointRef; job?: "A" | "B"; committedSubtasks?: number }
  | { ev: "jm_crash"; at: Moment; checkpoint?: CheckpointRef }
  | { ev: "tm_partition"; at?: Moment; checkpoint?: CheckpointRef }
  | {
      ev: "restore";
      afterMs?: number;
      from?: number | "latest" | "none";
      sourcePos?: number;
      prefix?: string;
      naming?: "incrementing" | "pooling";
      parallelism?: number;
      txnTimeoutMs?: number;
      job?: "A" | "B";
    }
  | { ev: "notify_lost"; checkpoint: CheckpointRef }
  | { ev: "checkpoint_declined"; checkpoint: CheckpointRef }
  | { ev: "savepoint"; checkpoint: CheckpointRef; stop?: boolean }
  | { ev: "zombie_send" }
  | { ev: "zombie_commit"; checkpoint: CheckpointRef }
  | { ev: "second_job_starts"; at?: Moment; checkpoint?: CheckpointRef; prefix?: string; state?: "none" }
  | { ev: "second_sink_same_jvm" }
  | { ev: "broker_max_lowered"; at?: Moment; checkpoint?: CheckpointRef; toMs?: number }
  | { ev: "broker_coordinator_failover"; at?: Moment; checkpoint?: CheckpointRef }
  | { ev: "broker_unreachable"; at?: Moment; checkpoint?: CheckpointRef; forMs: number }
  | { ev: "acl_denied"; op: string }
  | { ev: "set"; option?: string; value?: boolean | number; producerEpoch?: number }
  | { ev: "run"; forMs: number }
  | { ev: "end_of_input"; afterInterval: number; finalCheckpoint?: boolean };

/** A scenario. */
export interface PlayParams {
  settings: Partial<ScenarioParams>;
  faults: Fault[];
}

/** What became of the promise. */
export type TransactionOutcome =
  | "job_fails_to_start"
  | "restart_loop"
  | "data_loss"
  | "duplicates"
  | "stuck_consumers"
  | "exactly_once";

/** Records that a reader has got. */
export interface VisibleRecords {
  readCommitted: number;
  readUncommitted: number;
}

/** The first step that breaks the promise. */
export interface Violation {
  /** Such as `recommit@cp3:PRODUCER_FENCED`. */
  step: string;
  atMs: number;
  traceIndex: number | null;
}

/** A line that the logs show. */
export interface TransactionLogLine {
  atMs: number;
  level: "ERROR" | "WARN" | "INFO";
  logger: string;
  text: string;
  /** These are Flink's or Kafka's own words; otherwise it is told in ours. */
  isQuoted: boolean;
  /** What is to be known of it beside; may be empty. */
  note: string;
  job: "A" | "B";
  /** It speaks of loss where there is none. */
  isFalseAlarm: boolean;
}

/** An inequality with its numbers. */
export interface Inequality {
  /** The last four compare no times. */
  id: "E1" | "E2" | "E3" | "E4" | "E5" | "E6" | "rewind" | "replay" | "isolation" | "uniqueness";
  formula: string;
  leftMs: number | null;
  rightMs: number | null;
  holds: boolean;
  text: string;
}

/** One step of the swim-lane. */
export interface TransactionStep {
  atMs: number;
  actor: "job" | "sink" | "coordinator" | "partition" | "readers";
  /** append, ongoing, sendRefused, preCommit, nothingToCommit, acknowledge, complete, notifyLost,
   * savepoint, declined, probe, begin, commit, recommit, zombieCommit, prepareCommit, timeout,
   * abortedByInit, abortedByClose, commitMarker, abortMarker, failed, crash, restore, running,
   * finished, expired, failover, stableOffset. */
  kind: string;
  job: "A" | "B" | null;
  subtask: number | null;
  checkpoint: number | null;
  transactionalId: string | null;
  epoch: number | null;
  /** An index into `transactions`. */
  transaction: number | null;
  records: number | null;
  stableOffset: number | null;
  text: string;
}

/** A transaction from begin to end; for a sink without transactions, what one attempt wrote. */
export interface TransactionLife {
  job: "A" | "B";
  subtask: number;
  transactionalId: string | null;
  epoch: number | null;
  records: number;
  startedMs: number;
  timeoutMs: number | null;
  checkpoint: number | null;
  preCommittedMs: number | null;
  decidedMs: number | null;
  markedMs: number | null;
  fate: "open" | "committed" | "aborted";
  abortCause: "timeout" | "initTransactions" | "close" | null;
  stableMs: number | null;
}

/** A piece of a partition's log. */
export interface TapeEntry {
  atMs: number;
  partition: number;
  offset: number;
  records: number;
  transaction: number | null;
  kind: "data" | "commitMarker" | "abortMarker";
  stableMs: number | null;
}

/** The last stable offset of a partition from a time on. */
export interface StableMove {
  atMs: number;
  partition: number;
  offset: number;
}

/** What became of a scenario. */
export interface TransactionReport {
  outcome: TransactionOutcome;
  because: string;
  inputRecords: number;
  committedRecords: number;
  duplicates: number;
  lost: number;
  undelivered: number;
  consumerVisible: VisibleRecords;
  lsoBlockedMs: number;
  firstViolation: Violation | null;
  alarm: string | null;
  /** What Flink does because of it: a task fails, a line in the log, nothing. */
  flinkNotices: "fails" | "logs" | "nothing";
  logLines: TransactionLogLine[];
  inequality: Inequality | null;
  autoRestarts: number;
  probeCallsPerAttempt: number[];
  retainedTransactionalIds: number;
  skippedIntervals: number;
  endMs: number;
  trace: TransactionStep[];
  transactions: TransactionLife[];
  tape: TapeEntry[];
  stableOffsets: StableMove[];
}

/** Params of `drawTransactions`. */
export interface DrawTransactionsParams {
  play: PlayParams;
  /** The last step that has happened; null draws all. */
  upto: number | null;
  theme: "light" | "dark";
  width: number;
}

/** A way that a search has found. */
export interface WayParams {
  search: ExploreParams;
  /** The place of each step among those that could happen, from the reports of the search. */
  choices: number[];
  /** How the transactional ids of the judged job begin. */
  prefix: string;
  /** Its last step breaks a property. */
  breaks: boolean;
}

export interface DrawWayParams {
  way: WayParams;
  /** The last of its steps that has happened, from 1; null draws all. */
  upto: number | null;
  theme: "light" | "dark";
  width: number;
}

/** What is explored, and how far; each field has a default. */
export interface ExploreParams {
  sink: "kafka_sink" | "legacy" | "upsert" | "file" | "table";
  isTransactional: boolean;
  /** It flushes at a checkpoint; false is the guarantee none. */
  flushes: boolean;
  naming: "incrementing" | "pooling";
  txnProtocol: "tv1" | "tv2";
  /** 1 to 4. */
  sinks: number;
  /** Of each subtask, 1 to 12. */
  records: number;
  /** 1 to 8. */
  checkpoints: number;
  /** Faults: 0 to 3 of each kind. */
  crashes: number;
  timeouts: number;
  lostNotifications: number;
  declines: number;
  expiries: number;
  olderRestores: number;
  /** Tasks that crash live on beside those that replace them. Not together with `rescales`. */
  zombies: boolean;
  /** Starts without state though a checkpoint is complete; the source goes on behind the newest one. */
  freshStarts: number;
  /** Restores with another prefix, with the other way of naming, with another number of subtasks. */
  prefixChanges: number;
  namingChanges: number;
  rescales: number;
  /** That number, 1 to 4. Where it differs from `sinks`, `sinks` times `records` is at most 12. */
  sinksAfter: number;
  /** 0 or 1: the broker's limit is lowered below the job's transaction timeout. */
  limitLowered: number;
  /** Starts of a second job, whose ids begin with the same prefix, with its beginning, or with another. */
  secondStarts: number;
  secondPrefix: "same" | "shorter" | "own";
  /** Records of each of the second job's subtasks, 0 to 4; without any it only starts. */
  secondRecords: number;
  /** All write to one partition, in which the order of records is followed. */
  isPartitionShared: boolean;
  /** States that differ only in the order of their subtasks are one. */
  isSymmetric: boolean;
  /** Names of the properties that end the search; none: those of the promise. */
  stopAt: string[];
  maxBytes: number;
}

/** How far a search is. */
export interface ExploreProgress {
  generated: number;
  distinct: number;
  waiting: number;
  depth: number;
  bytes: number;
  done: boolean;
}

/** A transactional id as it stands. */
export interface IdView {
  prefix: "own" | "changed" | "second";
  number: number;
  epoch: number;
  state: string;
}

/** A transaction as it stands. */
export interface TxnView {
  isSecond: boolean;
  records: number[];
  /** Of its first and its last record in a shared partition. */
  offsets: [number, number] | null;
  checkpoint: number | null;
  fate: "open" | "prepareCommit" | "prepareAbort" | "committed" | "aborted";
  isPending: boolean;
  isOwned: boolean;
}

/** One subtask as it stands. */
export interface LaneView {
  phase: "down" | "recommitting" | "cleaningUp" | "running";
  /** Of the second job's subtask; null where there is no second job. */
  secondPhase: "down" | "recommitting" | "cleaningUp" | "running" | null;
  position: number;
  ids: IdView[];
  transactions: TxnView[];
}

/** A state as it stands. */
export interface StateView {
  isUp: boolean;
  completed: number;
  parallelism: number;
  lanes: LaneView[];
}

/** A step of a way, and where it leads. */
export interface ExploreStep {
  kind: string;
  /** Which of the steps that could happen there. */
  choice: number;
  subtask: number | null;
  text: string;
  after: StateView;
}

/** A property, and how it was decided. */
export interface PropertyReport {
  name: string;
  text: string;
  kind: "always" | "sometimes";
  isPromise: boolean;
  holds: boolean;
  /** The shortest way to the state that breaks it, or that shows it. */
  steps: ExploreStep[] | null;
}

/** What a search has found. */
export interface ExploreReport {
  progress: ExploreProgress;
  isComplete: boolean;
  isCut: boolean;
  /** Of a packed state, on average. */
  stateBytes: number;
  text: string;
  properties: PropertyReport[];
}
