// Shapes of the Exactly-once tool's questions. See types.ts for what all questions share.

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

/** A line that the logs show, in our words. */
export interface TransactionLogLine {
  atMs: number;
  level: "ERROR" | "WARN" | "INFO";
  logger: string;
  text: string;
  job: "A" | "B";
  /** It speaks of loss where there is none. */
  isFalseAlarm: boolean;
}

/** An inequality with its numbers. */
export interface Inequality {
  id: "E1" | "E2" | "E3" | "E4" | "E5" | "E6";
  formula: string;
  leftMs: number;
  rightMs: number;
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
  flinkNotices: boolean;
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

/** What is explored, and how far; each field has a default. */
export interface ExploreParams {
  sink: "kafka_sink" | "legacy" | "upsert" | "file" | "table";
  isTransactional: boolean;
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
  /** Tasks that crash live on beside those that replace them. */
  zombies: boolean;
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
  number: number;
  epoch: number;
  state: string;
}

/** A transaction as it stands. */
export interface TxnView {
  records: number[];
  checkpoint: number | null;
  fate: "open" | "prepareCommit" | "prepareAbort" | "committed" | "aborted";
  isPending: boolean;
  isOwned: boolean;
}

/** One subtask as it stands. */
export interface LaneView {
  phase: "down" | "recommitting" | "cleaningUp" | "running";
  position: number;
  ids: IdView[];
  transactions: TxnView[];
}

/** A state as it stands. */
export interface StateView {
  isUp: boolean;
  completed: number;
  lanes: LaneView[];
}

/** A step of a way, and where it leads. */
export interface ExploreStep {
  kind: string;
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
  stateBytes: number;
  text: string;
  properties: PropertyReport[];
}
