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
  safe: SafeRange | null;
  lower: TimeoutBound[];
  upper: TimeoutBound[];
  downtimeMs: number;
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
