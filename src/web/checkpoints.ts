// Shapes of the Checkpoints tool's questions. See types.ts for what all questions share.

/** How barriers pass records. */
export type CheckpointMode = "atLeastOnce" | "aligned" | "timeout" | "unaligned";

/** Params of `simulateScenario`: what a user describes. Lists are read cyclically by subtask. */
export interface CheckpointScenario {
  vertices: ScenarioVertex[];
  edges: ScenarioEdge[];
  network: ScenarioNetwork;
  checkpointing: ScenarioCheckpointing;
  recovery: ScenarioRecovery;
  runMs: number;
  seed: number;
}

/** Fields that are left out take their defaults; a vertex needs only its name. */
export interface ScenarioVertex {
  name: string;
  parallelism: number;
  source: ScenarioSource | null;
  service: ServiceTime[];
  selectivity: number;
  state: ScenarioState;
  syncMs: number;
  asyncMs: number;
  slowFirst: number;
}

export interface ScenarioSource {
  rate: number[];
  partitions: number | null;
  bursts: Bursts | null;
  lagMs: number[];
  maxRate: number | null;
}

/** At the start of every period the rate is `factor` times as high for `lengthMs`. */
export interface Bursts {
  everyMs: number;
  lengthMs: number;
  factor: number;
}

/** Time for a record [µs]. */
export type ServiceTime =
  | { kind: "constant"; meanUs: number }
  | { kind: "exponential"; meanUs: number }
  | { kind: "lognormal"; meanUs: number; sigma: number };

/** Keyed state of each subtask [B]. */
export interface ScenarioState {
  bytes: number[];
  changedBytes: number[];
}

export type ExchangeKind = "forward" | "rebalance" | "rescale" | "hash" | "broadcast";

export interface ScenarioEdge {
  from: number;
  to: number;
  exchange: ExchangeKind;
  recordBytes: number;
  skew: Skew;
}

export type Skew =
  | { kind: "even" }
  | { kind: "weights"; weights: number[] }
  | { kind: "zipf"; keys: number; exponent: number }
  | { kind: "hotKey"; share: number };

/** Where subtasks run: each on its own, all on one TaskManager, or by slots. */
export type Placement =
  | { kind: "remote" }
  | { kind: "local" }
  | { kind: "slots"; slotsPerTaskManager: number };

export interface ScenarioNetwork {
  placement: Placement;
  segmentBytes: number;
  buffersPerChannel: number;
  floatingBuffersPerGate: number;
  maxBuffersPerChannel: number;
  maxOverdraftBuffersPerGate: number;
  bufferTimeoutMs: number;
  bufferDebloat: BufferDebloat;
}

export interface BufferDebloat {
  enabled: boolean;
  targetMs: number;
  periodMs: number;
  samples: number;
  thresholdPercentages: number;
}

export interface ScenarioCheckpointing {
  mode: CheckpointMode;
  alignedCheckpointTimeoutMs: number;
  intervalMs: number;
  minPauseMs: number;
  timeoutMs: number;
  maxConcurrentCheckpoints: number;
  tolerableFailedCheckpoints: number;
  firstTriggerMs: number | null;
  incremental: "full" | "rocksdb" | "delta";
  upload: UploadLink | null;
}

export interface UploadLink {
  bytesPerSecond: number;
  per: "taskManager" | "slot";
}

export interface ScenarioRecovery {
  failures: ScenarioFailure[];
  heartbeat: Heartbeat;
  /** The same delay each time, `restartDelayMs`, if absent. */
  restartStrategy: RestartStrategy | null;
  restartDelayMs: number;
  restoreBytesPerSecond: number | null;
}

export interface ScenarioFailure {
  atMs: number;
  vertex: number;
  subtask: number;
  /** The task throws, the process of its TaskManager dies, or its TaskManager does not answer any more. */
  kind: "task" | "taskManagerLost" | "taskManagerUnreachable";
}

/** How the JobManager asks its TaskManagers whether they are there; a threshold of -1 is none. */
export interface Heartbeat {
  intervalMs: number;
  timeoutMs: number;
  rpcFailureThreshold: number;
}

/** `restart-strategy.type` with its options; `attempts` of null are any number. */
export type RestartStrategy =
  | { kind: "disable" }
  | { kind: "fixedDelay"; attempts: number | null; delayMs: number }
  | { kind: "failureRate"; maxFailuresPerInterval: number; failureRateIntervalMs: number; delayMs: number }
  | {
      kind: "exponentialDelay";
      flink: "1.18" | "1.20" | "2.2";
      initialBackoffMs: number;
      maxBackoffMs: number;
      backoffMultiplier: number;
      resetBackoffThresholdMs: number;
      jitterFactor: number;
      attemptsBeforeResetBackoff: number | null;
    };

/** Params of `restartOptions`. */
export interface RestartOptionsParams {
  version: "1.18" | "1.20" | "2.2";
}

/** Answer of `restartOptions`: `unnamed` is what a job with checkpoints gets that names no strategy. */
export interface RestartOptions {
  unnamed: RestartStrategy;
  strategies: RestartStrategy[];
  heartbeat: Heartbeat;
  /** Of channels and gates, where the version has no options for them. */
  fixedBuffers: FixedBuffers | null;
}

export interface FixedBuffers {
  buffersPerChannel: number;
  floatingBuffersPerGate: number;
  maxBuffersPerChannel: number;
  maxOverdraftBuffersPerGate: number;
}

/** Answer of `simulateScenario`. Moments count from the start of the run. */
export interface CheckpointReport {
  verdict: CheckpointVerdict;
  checkpoints: Checkpoint[];
  tasks: TaskLoad[];
  edges: EdgeReport[];
  latency: LatencyReport;
  throughput: Throughput;
  recoveries: RecoveryReport[];
  runMs: number;
  events: number;
  jobFailed: boolean;
  jobFailureMessage: string | null;
}

export type CheckpointPhase = "startDelay" | "alignment" | "sync" | "async";

/** The run in a sentence, and what it speaks of. `task` is a place in the report's tasks. */
export interface CheckpointVerdict {
  sentence: string;
  checkpoint: number | null;
  task: number | null;
  phase: CheckpointPhase | null;
  option: string | null;
  timeoutMs: number;
  marginMs: number | null;
  /** Triggered, completed, failed. */
  counts: number[];
}

/** Fields of Flink's REST API for a checkpoint. */
export interface Checkpoint {
  id: number;
  triggeredMs: number;
  latestAckMs: number | null;
  status: "IN_PROGRESS" | "COMPLETED" | "FAILED";
  endToEndMs: number;
  stateSize: number;
  checkpointedSize: number;
  processedBytes: number;
  persistedBytes: number;
  numSubtasks: number;
  numAcknowledged: number;
  failureMs: number | null;
  failureMessage: string | null;
  /** What a failure after it counts twice, at least once; no field of Flink. */
  recordsTwice: number;
  /** Every subtask, in the order of the report's tasks. */
  subtasks: SubtaskCheckpoint[];
}

/**
 * Fields of Flink's REST API for a subtask; all numbers are 0 where it is pending. Held bytes and
 * records are what waited in blocked channels at the end of the alignment, no field of Flink.
 */
export interface SubtaskCheckpoint {
  task: number;
  vertex: string;
  index: number;
  status: "completed" | "pending_or_failed";
  ackMs: number;
  endToEndMs: number;
  startDelayMs: number;
  alignmentMs: number;
  processedBytes: number;
  persistedBytes: number;
  syncMs: number;
  asyncMs: number;
  stateSize: number;
  checkpointedSize: number;
  unaligned: boolean;
  aborted: boolean;
  heldBytes: number;
  heldRecords: number;
}

export interface TaskLoad {
  vertex: string;
  index: number;
  recordsIn: number;
  recordsOut: number;
  backpressuredMs: number;
  busyMs: number;
  idleMs: number;
  /** `backpressureLevel` of the whole run. */
  level: "ok" | "low" | "high";
}

/** How barriers pass an edge, and what may be in flight on it: at most what an unaligned checkpoint stores of it. */
export interface EdgeReport {
  from: string;
  to: string;
  exchange: "forward" | "rebalance" | "hash" | "broadcast";
  passing: "aligned" | "forcedAligned" | "alignedThenOvertaking" | "overtaking" | "blockNothing";
  channels: number;
  remoteChannels: number;
  /** Of the largest of its input gates. */
  gateBuffers: number;
  inputBuffers: number;
  inputBytes: number;
  outputBuffers: number;
  outputBytes: number;
}

/** A failure and what followed; moments count from the start of the run. */
export interface RecoveryReport {
  failedMs: number;
  task: number | null;
  /** When the JobManager knew, and by what. */
  noticedMs: number;
  noticedBy: "taskFailure" | "connectionClosed" | "heartbeatRpcFailures" | "heartbeatTimeout" | "checkpointFailures";
  /** The delay before the last restart, by the restart strategy. */
  restartDelayMs: number;
  /** Restarts that failed, into a TaskManager that was not known to be lost. */
  failedRestarts: number;
  /** Flink's words where the restart strategy allows no other restart. */
  suppressed: string | null;
  restoredCheckpoint: number | null;
  recoveryPointMs: number;
  restartedMs: number | null;
  restoreMs: number;
  recordsReplayed: number;
  /** Of them, those that the restored state has already, at least once. */
  recordsTwice: number;
  caughtUpMs: number | null;
}

/** Source to sink, of records that arrived while a checkpoint ran, and of the others. */
export interface LatencyReport {
  during: LatencyPercentiles | null;
  without: LatencyPercentiles | null;
}

export interface LatencyPercentiles {
  records: number;
  p50Ms: number;
  p95Ms: number;
  p99Ms: number;
  maxMs: number;
}

/** Records a second of all sources and all sinks. */
export interface Throughput {
  sourceDuring: number | null;
  sourceWithout: number | null;
  sinkDuring: number | null;
  sinkWithout: number | null;
}

/** A long column: a typed array from a class that lives between calls. */
export type Column = ArrayLike<number>;

/** Samples of a run, one array a column; times count from the start of the run. */
export interface CheckpointSeries {
  timeMs: Column;
  /** Checkpoints in progress. */
  running: Column;
  sourceRecords: Column;
  sinkRecords: Column;
  /** The longest of the timed records that arrived since the sample before; no number where none did. */
  latencyMs: Column;
  /** In the order of the report's tasks. */
  tasks: TaskSeries[];
}

/** Milliseconds a second, records a second, and levels. Credits are no metric of Flink. */
export interface TaskSeries {
  busy: Column;
  backpressured: Column;
  idle: Column;
  recordsIn: Column;
  recordsOut: Column;
  outputBuffers: Column;
  outputBytes: Column;
  inputBuffers: Column;
  inputBytes: Column;
  credits: Column;
  behindMs: Column;
  bufferBytes: Column;
}

/**
 * What happened, in order, one array a column; -1 is none. Three columns give each channel's ends and
 * edge, the last, for each checkpoint, the row behind which it waited longest.
 */
export interface CheckpointFacts {
  timeMs: Column;
  kind: Column;
  checkpoint: Column;
  task: Column;
  channel: Column;
  dropped: number;
  kinds: string[];
  channelFrom: Column;
  channelTo: Column;
  channelEdge: Column;
  longestWait: Column;
}

/** What a subtask did during a span. */
export type Phase =
  | "startDelay"
  | "alignment"
  | "overtaking"
  | "sync"
  | "async"
  | "rest"
  | "pending";

/** A checkpoint by subtask, under a time axis that begins at its trigger. */
export interface Timeline {
  rows: TimelineRow[];
  marks: TimelineMark[];
}

/** A subtask; `overtaking` lies inside `async`. */
export interface TimelineRow {
  id: string;
  group: string;
  name: string;
  spans: Span[];
  isSlowest: boolean;
}

export interface Span {
  phase: Phase;
  startMs: number;
  endMs: number;
}

/** A moment that all rows share. */
export interface TimelineMark {
  atMs: number;
  name: string;
  isDanger: boolean;
}

/** How rows follow each other: as they are given, or the slowest first. */
export type RowOrder = "given" | "slowest";

/** Params of `drawTimeline`. */
export interface DrawTimelineParams {
  timeline: Timeline;
  order: RowOrder;
  theme: "light" | "dark";
  width: number;
}

/** How barriers pass records in the stepper. */
export type StepMode = "atLeastOnce" | "aligned" | "timeout" | "unaligned";

/** A job that is small enough to follow by hand. */
export interface StepperScenario {
  mode: StepMode;
  sink: "none" | "twoPhaseCommit";
  /** By task, by channel: records such as `A:50`, and `|` for a barrier. */
  tasks: string[][];
}

/** What can happen in it. */
export type Step =
  | { kind: "deliver"; channel: number }
  | { kind: "overtake"; channel: number }
  | { kind: "timeout" }
  | { kind: "notify" }
  | { kind: "fail" }
  | { kind: "restore" };

/** Params of `stepBarriers`. */
export interface StepperParams {
  scenario: StepperScenario;
  steps: Step[];
}

/** Params of `exploreBarriers`. */
export interface ExploreBarriersParams {
  scenario: StepperScenario;
  failures: number;
}

/** Answer of `stepBarriers`. */
export interface StepperReport {
  verdict: string;
  tasks: TaskView[];
  channels: ChannelView[];
  completed: CheckpointView | null;
  pending: CheckpointView | null;
  visible: string[];
  isDown: boolean;
  log: string[];
  steps: StepView[];
}

export interface TaskView {
  sums: SumView[];
  transactions: TransactionView[];
}

export interface SumView {
  key: string;
  sum: number;
}

export interface TransactionView {
  number: number;
  status: "open" | "preCommitted" | "committed" | "aborted";
  results: string[];
}

export interface ChannelView {
  task: number;
  isBlocked: boolean;
  items: ItemView[];
}

export interface ItemView {
  text: string;
  isBarrier: boolean;
  place: "delivered" | "next" | "held" | "queued";
  isInFlight: boolean;
  counted: number;
  step: Step | null;
}

export interface CheckpointView {
  id: number;
  parts: PartView[];
  isSwitched: boolean;
  isNotified: boolean;
}

export interface PartView {
  hasSnapshot: boolean;
  sums: SumView[];
  inFlight: string[];
  barriers: number[];
}

export interface StepView {
  step: Step;
  says: string;
  obstacle: string | null;
}

/** Answer of `exploreBarriers`. */
export interface ExploreBarriersReport {
  verdict: string;
  states: number;
  transitions: number;
  depth: number;
  isComplete: boolean;
  limit: number;
  properties: Property[];
}

/** A promise, or something that should occur at all. */
export interface Property {
  id: string;
  kind: "always" | "sometimes";
  says: string;
  holds: boolean;
  run: Step[] | null;
  reason: string | null;
}

/** An example of the stepper. */
export interface StepperPreset {
  id: string;
  title: string;
  look: string;
  scenario: StepperScenario;
  steps: Step[];
}

/** How far a run is. */
export interface CheckpointProgress {
  nowMs: number;
  events: number;
  done: boolean;
}

/** What runs are compared by; `difference` is to the run it is compared with. */
export interface Measure {
  id: string;
  name: string;
  unit: "ms" | "bytes" | "count" | "perSecond";
  value: number | null;
  difference: number | null;
}

/** What of a run is drawn; `told` is a number of facts. */
export type RunDrawing =
  | { kind: "checkpoint"; id: number; order: RowOrder }
  | { kind: "checkpoints" }
  | { kind: "queues" }
  | { kind: "throughput" }
  | { kind: "latency" }
  | { kind: "behind" }
  | { kind: "moment"; told: number; focus: number | null };

/** Params of `CheckpointRun.draw`, and of `overlay`, which also takes a run that is pinned as A. */
export interface DrawRunParams {
  what: RunDrawing;
  theme: "light" | "dark";
  width: number;
}

/** A pasted text or a dropped file. */
export interface ImportFile {
  name: string | null;
  text: string;
}

/** Params of `importCheckpoints`. */
export interface ImportParams {
  files: ImportFile[];
  /** The one to look at; null for the newest whose subtasks are known. */
  checkpoint: number | null;
}

/** Answer of `importCheckpoints`. */
export interface ImportReport {
  verdict: string;
  pieces: Piece[];
  missing: string[];
  checkpoints: CheckpointRow[];
  shown: Shown | null;
  fitted: Fitted | null;
}

/** A piece of what was given. */
export interface Piece {
  from: string;
  what: string;
  isUsed: boolean;
  says: string;
}

/** A checkpoint of a real job; null where its answer did not say. */
export interface CheckpointRow {
  id: number;
  status: string;
  checkpointType: string;
  triggeredMs: number | null;
  endToEndMs: number | null;
  stateSize: number | null;
  checkpointedSize: number | null;
  persistedBytes: number | null;
  acknowledged: number | null;
  subtasks: number | null;
  failure: string | null;
}

/** A subtask of a real job; null where it did not acknowledge. */
export interface SubtaskRow {
  vertex: string;
  index: number;
  status: string;
  startDelayMs: number | null;
  alignmentMs: number | null;
  insideAsyncMs: number | null;
  syncMs: number | null;
  asyncMs: number | null;
  restMs: number | null;
  endToEndMs: number | null;
  checkpointedSize: number | null;
  processedBytes: number | null;
  persistedBytes: number | null;
  unaligned: boolean | null;
}

export interface Shown {
  id: number;
  timeline: Timeline;
  subtasks: SubtaskRow[];
}

/** A scenario that was fitted to real numbers. */
export interface Fitted {
  scenario: CheckpointScenario;
  rules: FitRule[];
  predictions: Prediction[];
  /** Of the slowest subtasks, the slowest one first. */
  subtasks: SubtaskPrediction[];
  /** How much was simulated for the predictions, and how much is at most; empty where nothing was. */
  reach: string;
  refusal: string | null;
}

/** A subtask of the fitted scenario beside the real one. */
export interface SubtaskPrediction {
  vertex: string;
  index: number;
  real: SubtaskMeans;
  predicted: SubtaskMeans;
}

/** What a subtask reports, the mean over completed checkpoints; null where nothing was said. */
export interface SubtaskMeans {
  endToEndMs: number | null;
  startDelayMs: number | null;
  alignmentMs: number | null;
  syncMs: number | null;
  asyncMs: number | null;
  processedBytes: number | null;
  persistedBytes: number | null;
}

export interface FitRule {
  of: string;
  value: string;
  from: string;
  isAssumed: boolean;
}

export interface Prediction {
  name: string;
  real: number | null;
  predicted: number | null;
  unit: "ms" | "bytes";
}

/** A closed form: of a lag, of full channels, of a chain of them, of a timeout, of one slow subtask, of overtaking. */
export type ClosedFormKind = "sourceLag" | "saturatedFanIn" | "chainShare" | "alignedTimeout" | "skewedSubtask" | "unaligned";

/** Answer of `closedForm`, which takes a scenario. */
export interface ClosedFormReport {
  verdict: string;
  endToEndMs: number | null;
  applies: ClosedFormKind | null;
  forms: FormOutcome[];
}

/**
 * `whyNot` is null where the form applies; then it has steps. A single checkpoint may be off by
 * `phaseMs`, by how much of the buffers being read is left at its trigger.
 */
export interface FormOutcome {
  form: ClosedFormKind;
  title: string;
  endToEndMs: number | null;
  phaseMs: number;
  /** What is written of the records in front of the barriers, where the form says so. */
  persistedBytes: number | null;
  whyNot: string | null;
  steps: FormStep[];
}

/** A formula, the values put in, and what it comes to. */
export interface FormStep {
  title: string;
  formula: string;
  numbers: string;
  result: number;
  unit: string;
  source: string;
}

export type WhatIfKnob =
  | "lag"
  | "skew"
  | "serviceTime"
  | "sourceRate"
  | "stateBytes"
  | "uploadBandwidth"
  | "interval";

/**
 * Params of `CheckpointWhatIf.create`. Without an objective only the checkpoint timeout counts. Of what
 * is left out, all is asked.
 */
export interface WhatIfParams {
  scenario: CheckpointScenario;
  /** Whose options a change may set. */
  flink: "1.18" | "1.20" | "2.2";
  objectiveMs: number | null;
  allowedShare: number;
  parts: ("modes" | "changes" | "margins")[];
  knobs: WhatIfKnob[];
}

/** What `CheckpointWhatIf.advance` gives back; its `report()` can be asked for at any time. */
export interface WhatIfProgress {
  events: number;
  runs: number;
  itemsDone: number;
  items: number;
  doing: string;
  done: boolean;
}

/** Answer of `CheckpointWhatIf.report`; what is not asked for, or not there yet, is empty. */
export interface WhatIfReport {
  verdict: string;
  before: RunFigures | null;
  sla: Sla | null;
  thrashing: Thrashing | null;
  modes: ModeOutcome[];
  changes: ChangeOutcome[];
  margins: Margin[];
  tolerance: number;
  runs: number;
  events: number;
  maxEvents: number;
  isComplete: boolean;
}

/** A run in numbers; means are over completed checkpoints. */
export interface RunFigures {
  triggered: number;
  completed: number;
  expired: number;
  endToEndMs: number | null;
  longestMs: number | null;
  persistedBytes: number | null;
  checkpointedBytes: number | null;
  sourceRecordsPerSecond: number;
  sinkRecordsPerSecond: number;
  latencyP99Ms: number | null;
  replayMs: number;
  duplicates: number;
  jobFailed: boolean;
}

/** How checkpoints keep the promise; `isKept` is null where none was judged. */
export interface Sla {
  objectiveMs: number | null;
  allowedShare: number;
  timeoutMs: number;
  judged: number;
  over: number;
  expired: number;
  share: number;
  longestMs: number | null;
  longestId: number | null;
  marginToTimeoutMs: number | null;
  isKept: boolean | null;
  says: string;
}

/** Checkpoints that expire one after the other. */
export interface Thrashing {
  first: number;
  last: number;
  inARow: number;
  expired: number;
  completed: number;
  timeoutMs: number;
  minPauseMs: number;
  gapMs: number;
  wastedMs: number;
  runMs: number;
  neededMs: number | null;
  says: string;
}

/** An option and the text to set it to. */
export interface ConfigChange {
  option: string;
  value: string | null;
}

/** The scenario with another way of barriers, simulated. */
export interface ModeOutcome {
  mode: CheckpointMode;
  title: string;
  isCurrent: boolean;
  figures: RunFigures;
  note: string | null;
  apply: ConfigChange[];
  scenario: CheckpointScenario;
}

export type ChangeKind =
  | "unaligned"
  | "alignedTimeout"
  | "bufferDebloat"
  | "minPause"
  | "halfTheBuffers"
  | "fasterStorage"
  | "longerTimeout"
  | "smallerSegments"
  | "atLeastOnce"
  | "moreTolerable";

/** The scenario with a change, simulated; or `refused`, why it was not. */
export interface ChangeOutcome {
  kind: ChangeKind;
  title: string;
  refused: string | null;
  after: RunFigures | null;
  gain: string | null;
  price: string | null;
  note: string | null;
  apply: ConfigChange[];
  scenario: CheckpointScenario | null;
}

/**
 * The limit of a knob. `holdsAt` and `breaksAt` were both simulated and lie no further apart than the
 * tolerance; `scenario` is at the one that ends the margin, or at `searchedTo`.
 */
export interface Margin {
  knob: WhatIfKnob;
  what: string | null;
  option: string | null;
  unit: "ms" | "share" | "µs" | "records/s" | "B" | "B/s";
  current: number | null;
  outcome: "breaks" | "mends" | "neverBreaks" | "neverMends" | "notApplicable";
  holdsAt: number | null;
  breaksAt: number | null;
  searchedTo: number | null;
  times: number | null;
  breach: "objective" | "timeout" | null;
  scenario: CheckpointScenario | null;
  runs: number;
  says: string;
}
