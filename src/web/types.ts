/** A size in bytes: a number up to 2^53 - 1, its exact decimal text above. */
export type Bytes = number | string;

/** The Flink release lines the engine answers for. */
export type FlinkVersion = "1.18" | "1.20" | "2.2";

/** Which process a memory question is about. */
export type Role = "taskmanager" | "jobmanager";

/** What every question returns. Bad input is an answer, never an exception. */
export type Answer<T> =
  | { ok: true; value: T; findings: Finding[] }
  | { ok: false; error: Problem };

/** Why a question was refused. `field` is a path into the params, `option` a Flink key. */
export interface Problem {
  code: string;
  message: string;
  field: string | null;
  option: string | null;
}

/** Something noticed beside the value: what, why, which knob, at what price. */
export interface Finding {
  code: string;
  severity: "error" | "warning" | "note";
  title: string;
  reason: string;
  option: string | null;
  price: string | null;
  apply: Change[];
  source: string;
}

/** One change of the configuration; null removes the key. */
export interface Change {
  option: string;
  value: string | null;
}

/** Params of `deriveTaskManager`, `deriveJobManager` and `diagnose`. */
export interface MemoryParams {
  version: FlinkVersion;
  /** Option key to text, exactly as a user wrote it. */
  config: Record<string, string>;
  /** Map legacy heap keys first, as the start scripts of 1.18 and 1.20 do. */
  startScript: boolean;
  /**
   * Memory limit of the container, as Flink writes sizes; null takes the total process memory, and so
   * does a text that is no size, with a finding.
   */
  containerLimit: string | null;
}

/** One row of the memory table and one box of the bar, outermost first. */
export interface Component {
  /** For example `taskHeap`; totals are `totalProcess` and `totalFlink`. */
  id: string;
  /** Flink's name, for example `Task Heap`. */
  name: string;
  /** The id of the box this one lies in; null for the outermost. */
  parent: string | null;
  bytes: Bytes;
  /** Share of the total process memory, 0 to 1. */
  share: number;
  /** What decided the size. */
  origin: "configured" | "default" | "fraction" | "clampedToMin" | "clampedToMax" | "remainder" | "sum";
  /** The option key that sets it. */
  option: string;
  /** Palette name: heap, offHeap, managed, network or jvm; total for sums. */
  color: "heap" | "offHeap" | "managed" | "network" | "jvm" | "total";
  /** Where the bytes live, for example `JVM heap`. */
  location: string;
  /** What caps it, for example `-Xmx`; or that nothing in the JVM does. */
  cap: string;
  recommendation: string;
}

/** One step of a derivation. */
export interface Step {
  title: string;
  /** Flink's formula in words. */
  formula: string;
  /** The formula with the values put in. */
  numbers: string;
  result: Bytes | null;
  /** Class and method, or option key, with the version. */
  source: string;
}

/** The container around the process. */
export interface Container {
  limit: Bytes;
  /** True when the reader named the limit; otherwise it is the total process memory. */
  named: boolean;
  /** Limit minus total process memory; negative when the container is too small. */
  headroom: Bytes;
}

/** One pool of a TaskManager divided by its slots. */
export interface SlotShare {
  id: string;
  name: string;
  perSlot: Bytes;
  /** Bytes that integer division leaves over. */
  remainder: Bytes;
}

/** Answer of `deriveTaskManager`. */
export interface TaskManagerReport {
  version: FlinkVersion;
  checkedOn: string;
  route: "fineGrained" | "totalFlink" | "totalProcess";
  verdict: string;
  frameworkHeap: Bytes;
  frameworkOffHeap: Bytes;
  taskHeap: Bytes;
  taskOffHeap: Bytes;
  network: Bytes;
  managed: Bytes;
  totalFlink: Bytes;
  metaspace: Bytes;
  jvmOverhead: Bytes;
  totalProcess: Bytes;
  jvmHeap: Bytes;
  jvmDirect: Bytes;
  numSlots: number;
  cpuCores: number;
  jvmArgs: string;
  dynamicConfigs: string[];
  components: Component[];
  slots: SlotShare[];
  container: Container;
  steps: Step[];
}

/** Answer of `deriveJobManager`. */
export interface JobManagerReport {
  version: FlinkVersion;
  checkedOn: string;
  route: "heap" | "totalFlink" | "totalProcess";
  verdict: string;
  jvmHeap: Bytes;
  offHeap: Bytes;
  totalFlink: Bytes;
  metaspace: Bytes;
  jvmOverhead: Bytes;
  totalProcess: Bytes;
  jvmArgs: string;
  components: Component[];
  container: Container;
  steps: Step[];
}

/** Params of `diagnose` and of `drawMemory`'s first part. */
export interface DiagnoseParams extends MemoryParams {
  role: Role;
}

/** Answer of `diagnose`: what Flink says, how far it came, and changes that were tried and start. */
export interface Diagnosis {
  /** Null when the process starts. */
  failure: Failure | null;
  /** Steps up to the failure. */
  steps: Step[];
}

export interface Failure {
  kind: string;
  /** Flink's text, word for word. */
  message: string;
  causes: string[];
  option: string | null;
  /** One sentence in plain words: which setting, by how much. */
  verdict: string;
}

/** Params of `drawMemory`. */
export interface DrawMemoryParams extends DiagnoseParams {
  /** Settings of the same process to draw above it on the same scale; regions are then `a.…` and `b.…`. */
  pinned?: MemoryParams | null;
  theme: "light" | "dark";
  /** Width in CSS pixels, 280 to 2000. */
  width: number;
}

/** Params of `compareMemory`: what B differs in from A. */
export interface CompareMemoryParams {
  a: { settings: MemoryParams } | { observed: ObservedSize[] };
  b: DiagnoseParams;
}

/** A size that a text shows, by the name of a field of the memory report. */
export interface ObservedSize {
  id: string;
  bytes: Bytes;
  exact: boolean;
}

/** Answer of `compareMemory`. A refusal names the side, `a` or `b`, as its field. */
export interface MemoryComparison {
  verdict: string;
  /** None where A is a text. */
  settings: SettingDifference[];
  /** Every component, outermost first. */
  components: SizeDifference[];
  /** Flags of the JVM; where A is a text, those that are no component too. */
  flags: SizeDifference[];
  /** Sizes of A that were compared, and those of them that equal B's. */
  compared: number;
  equal: number;
}

/** A setting that is not the same on both sides; null where it is not set. */
export interface SettingDifference {
  option: string;
  a: string | null;
  b: string | null;
}

/** One size on both sides; null where a side does not have or show it. */
export interface SizeDifference {
  id: string;
  name: string;
  a: Bytes | null;
  b: Bytes | null;
  /** B minus A. */
  difference: Bytes | null;
  /** The difference as a share of A. */
  relative: number | null;
  /** False where A is rounded. */
  exact: boolean;
}

/** An SVG drawing and where its parts lie, in the drawing's own pixels. */
export interface Chart {
  svg: string;
  width: number;
  height: number;
  /** One sentence that says what the drawing shows. */
  description: string;
  regions: Region[];
}

export interface Region {
  id: string;
  label: string;
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Params of `memoryForm`. */
export interface FormParams {
  version: FlinkVersion;
  role: Role;
}

/** A field of the form, from the engine's option table. */
export interface FormField {
  option: string;
  label: string;
  group: string;
  /** Whether it is changed often enough to stay in sight. */
  common: boolean;
  /** What becomes of a key of before Flink 1.10: the start scripts map it, or Flink still reads it; null for today's keys. */
  older: "mapped" | "read" | null;
  kind: "size" | "fraction" | "integer" | "double" | "flag";
  /** The default as Flink writes it; null when the option has none. */
  default: string | null;
  hint: string;
  range: string;
  source: string;
  /** Ends of the slider in bytes or as a number; null where a slider makes no sense. */
  slider: { min: number; max: number; scale: "log" | "linear"; unit: "bytes" | "none" } | null;
}

/** Params of `parseMemorySize`. */
export interface MemorySizeParams {
  text: string;
}

export interface MemorySizeReport {
  bytes: Bytes;
  /** As Flink's `MemorySize.toString`, for example `64 mb`. */
  text: string;
  /** As Flink's messages, for example `1.250gb (1342177280 bytes)`. */
  human: string;
}

/** Params of `parseDuration`. */
export interface DurationParams {
  version: FlinkVersion;
  text: string;
}

export interface DurationReport {
  /** Whole seconds; text above 2^53 - 1. */
  seconds: number | string;
  nanos: number;
  /** As Flink's `TimeUtils.formatWithHighestUnit`; null where Flink itself overflows. */
  formatted: string | null;
  formatError: string | null;
}

/** Params of `readConfig`: a configuration folder. */
export interface ConfigFilesParams {
  version: FlinkVersion;
  /** File name (`flink-conf.yaml`, `config.yaml`) to text. */
  files: Record<string, string>;
}

/** What a Flink of that version loads from the folder. */
export interface ConfigReport {
  /** The file that was read. */
  file: string;
  entries: ConfigEntry[];
  /** Lines the old parser drops, with the reason. */
  skipped: SkippedLine[];
}

export interface ConfigEntry {
  key: string;
  value: string;
  /** Line of the value, from 1. */
  line: number;
}

export interface SkippedLine {
  line: number;
  text: string;
  reason: string;
}

/** Params of `readPaste`: anything from the clipboard. */
export interface PasteParams {
  version: FlinkVersion;
  text: string;
  /** A file name, when the text came from a file or the reader chose a format; null to recognise it. */
  fileName: string | null;
}

/** What a pasted text is, the settings it stands for, the facts in it and the cause it names. */
export interface PasteReport {
  kind:
    | "flinkConf"
    | "configYaml"
    | "dynamicProperties"
    | "jvmArguments"
    | "startupLog"
    | "exception"
    | "killLine";
  /** One sentence: what it was recognised as, and why. */
  recognised: string;
  /** The process the text is about; null where it does not say, or speaks of both. */
  role: Role | null;
  /** Settings to use: those of the text, or those that give exactly what it shows. */
  entries: PastedEntry[];
  skipped: SkippedLine[];
  /** Facts read from the text, in its order. */
  observed: Observed[];
  cause: Cause | null;
  /** The container's limit where the text gives it to the byte, as Flink writes sizes. */
  containerLimit: string | null;
}

export interface PastedEntry extends ConfigEntry {
  /** `used` by the memory tool, `other` (a Flink option of another subject), `unknown` in this version. */
  status: "used" | "other" | "unknown";
  /** Why, for example `not a key of Flink 2.2; it was removed after 1.20`. */
  note: string | null;
}

/** Params of `exportConfig`. */
export interface ExportParams {
  version: FlinkVersion;
  config: Record<string, string>;
}

export interface ExportReport {
  fileName: string;
  text: string;
}

/** Answer of `about`. */
export interface About {
  version: string;
  flink: { line: FlinkVersion; checkedOn: string }[];
}

// ---- RocksDB's memory, network buffers, slots ----

/** Params of `rocksdbMemory`. */
export interface RocksdbParams extends MemoryParams {
  workload: RocksdbWorkload;
  /** Null takes the defaults. */
  assumptions: RocksdbAssumptions | null;
}

/** What lives in RocksDB in one slot. */
export interface RocksdbWorkload {
  /** The job's code sets RocksDB, whatever `state.backend.type` says. */
  backendInCode: boolean;
  /** What uses managed memory in the slot. */
  consumers: ManagedConsumer[];
  /** Written column families: one for each registered state, timers included. */
  columnFamilies: number;
  /** Set by the job's code, as Flink writes sizes; null takes the configuration. */
  writeBufferSize: string | null;
  writeBufferCount: number | null;
  blockCacheSize: string | null;
  /** Set by the job's code, in bytes; RocksDB's own up to 0. */
  arenaBlockSize: number;
  keyBytes: number;
  valueBytes: number;
  /** Entries in the slot, over all states. */
  keysPerSlot: number;
  /** Share of the entries that are read again and again, 0 to 1. */
  hotShare: number;
  /** Iterators open at once in the slot. */
  iterators: number;
}

/** A consumer of managed memory; `share` is 1 for the state backend and Python. */
export interface ManagedConsumer {
  useCase: ManagedUseCase;
  share: number;
}

export type ManagedUseCase = "OPERATOR" | "STATE_BACKEND" | "PYTHON";

/** Constants of the estimate; the report gives their ranges. */
export interface RocksdbAssumptions {
  entryOverhead: number;
  compression: number;
  indexShare: number;
  arenaBlocks: number;
  sortedRuns: number;
}

/** Answer of `rocksdbMemory`. Sizes of `memtables` and `cache` are those of one memory. */
export interface RocksdbReport {
  version: FlinkVersion;
  checkedOn: string;
  verdict: string;
  slots: number;
  slotTaskHeap: Bytes;
  slotNetwork: Bytes;
  slotManaged: Bytes;
  backendUsesManaged: boolean;
  consumers: ConsumerShare[];
  source: "managed" | "fixedPerSlot" | "fixedPerTaskManager" | "unshared";
  usesManaged: boolean;
  fixedPerSlot: Bytes | null;
  fixedPerTaskManager: Bytes | null;
  writeBufferRatio: number;
  highPriorityPoolRatio: number;
  partitionedIndexFilters: boolean;
  /** Flink's refusal of the two ratios, when the job opens its state. */
  ratioRefusal: string | null;
  /** Null where each column family has a cache and write buffers of its own. */
  shared: SharedMemory | null;
  /** Slots that share one memory. */
  sharers: number;
  defaultArenaBlock: Bytes;
  arenaBlock: Bytes;
  /** False where Flink warns. */
  arenaFits: boolean;
  memtables: Memtables;
  cache: CacheUse;
  /** Null where RocksDB lives in managed memory. */
  outside: OutsideMemory | null;
  goals: MemtableGoal[];
  assumptions: RocksdbAssumption[];
  notModelled: string[];
}

/** What a consumer gets of a slot's managed memory, or Flink's refusal. */
export interface ConsumerShare {
  useCase: ManagedUseCase;
  fractionOfSlot: number;
  bytes: Bytes | null;
  pages: number | null;
  error: string | null;
}

/** One memory as Flink divides it. */
export interface SharedMemory {
  memory: Bytes;
  cacheCapacity: Bytes;
  writeBufferManagerCapacity: Bytes;
  /** Bytes of memtables from which on RocksDB flushes. */
  mutableLimit: Bytes;
}

/** What memtables want. */
export interface Memtables {
  columnFamilies: number;
  writeBuffer: Bytes;
  count: number;
  /** One arena block of each column family. */
  arenas: Bytes;
  /** One full memtable of each column family. */
  oneEach: Bytes;
  /** All memtables that want to live at once. */
  all: Bytes;
}

/** The block cache: `memtables`, `index`, `filters` and `iterators` are in it, `data` is left. */
export interface CacheUse {
  capacity: Bytes;
  memtables: Bytes;
  index: Bytes;
  filters: Bytes;
  highPriority: Bytes;
  iterators: Bytes;
  data: Bytes;
  /** Bytes in files. */
  state: Bytes;
  workingSet: Bytes;
  /** Share of the working set that fits, 0 to 1. */
  cachedShare: number;
}

/** Native bytes outside every pool; the container is killed when they pass `killLine`. */
export interface OutsideMemory {
  native: Bytes;
  idleManaged: Bytes;
  headroom: Bytes;
  killLine: Bytes;
  crosses: boolean;
}

/** What of the memtables fits, and from which memory on. */
export interface MemtableGoal {
  id: "arenas" | "oneEach" | "all";
  need: Bytes;
  room: Bytes;
  fits: boolean;
  /** The smallest memory of RocksDB; null with no share for write buffers. */
  memory: Bytes | null;
  /** The smallest managed memory of the TaskManager. */
  managed: Bytes | null;
  /** The option to move and its smallest value; null where no single one does. */
  knob: Knob | null;
}

/** The smallest value of an option that does; `text` in whole MiB where that does too. */
export interface Knob {
  option: string;
  bytes: Bytes;
  text: string;
}

/** A constant of the estimate with the range it was measured in. */
export interface RocksdbAssumption {
  id: string;
  label: string;
  unit: string;
  value: number;
  default: number;
  low: number;
  high: number;
  footing: "measured" | "inferred";
  source: string;
}

/** Flink's `ResultPartitionType`. */
export type PartitionType =
  | "PIPELINED"
  | "PIPELINED_BOUNDED"
  | "PIPELINED_APPROXIMATE"
  | "BLOCKING"
  | "BLOCKING_PERSISTENT"
  | "HYBRID_FULL"
  | "HYBRID_SELECTIVE";

/** Params of `networkBuffers`. */
export interface NetworkParams extends MemoryParams {
  job: NetworkJob;
}

/** A job as its exchanges see it; lists may be empty. */
export interface NetworkJob {
  /** Job vertices, that is chains of operators. */
  stages: JobStage[];
  exchanges: JobExchange[];
  /** Tasks on the TaskManager whose gates and partitions are known already. */
  tasks: JobTask[];
  /** Requests put to an untouched pool of that size, one after the other. */
  requests: PoolRequest[];
  /** Exclusive buffers of tiered storage; null takes the version's own. */
  tieredExclusiveBuffers: number | null;
}

export interface JobStage {
  name: string;
  parallelism: number;
  slotSharingGroup: string;
}

/** One result partition of `from`, one gate of `to`; both are places in `stages`. */
export interface JobExchange {
  from: number;
  to: number;
  pattern: "forward" | "rescale" | "rebalance" | "hash" | "broadcast";
  type: PartitionType;
}

export interface JobTask {
  name: string;
  /** Subtasks on the TaskManager. */
  subtasks: number;
  gates: { channels: number; count: number; type: PartitionType }[];
  partitions: { subpartitions: number; type: PartitionType }[];
}

export type PoolRequest =
  | { kind: "pool"; required: number; max: number | null }
  | { kind: "unpooled"; count: number };

/** Answer of `networkBuffers`, for the fullest TaskManager the scheduler can make. */
export interface NetworkReport {
  version: FlinkVersion;
  checkedOn: string;
  verdict: string;
  network: Bytes;
  segment: Bytes;
  total: number;
  required: number;
  wanted: number;
  /** Some partition takes whatever is left beyond `wanted`. */
  unlimited: boolean;
  fits: boolean;
  /** Flink's message for the first request that fails. */
  failure: string | null;
  smallestNetwork: Bytes;
  /** The smallest total with which it fits, the other settings unchanged. */
  smallestTotal: Knob | null;
  slots: number;
  jobSlots: number;
  taskManagers: number;
  tasks: NetworkTask[];
  requests: PoolAnswer[];
  notModelled: string[];
}

export interface NetworkTask {
  name: string;
  /** Subtasks on the fullest TaskManager. */
  subtasks: number;
  gates: NetworkGate[];
  partitions: PartitionBuffers[];
  required: number;
  wanted: number;
  /** Announced under fine-grained resource management; null where Flink refuses. */
  announced: number | null;
  announceError: string | null;
}

export interface NetworkGate {
  count: number;
  buffers: GateBuffers;
}

export interface GateBuffers {
  channels: number;
  type: PartitionType;
  exclusivePerChannel: number;
  requiredFloating: number;
  totalFloating: number;
  required: number;
  target: number;
}

export interface PartitionBuffers {
  subpartitions: number;
  type: PartitionType;
  min: number;
  /** Null has no limit. */
  max: number | null;
}

/** What the pool granted, or Flink's message. */
export interface PoolAnswer {
  granted: number | null;
  error: string | null;
}

/** Params of `slotsSweep`. */
export interface SlotsParams extends MemoryParams {
  /** 1 to 256. */
  maxSlots: number;
  /** Looked at where RocksDB is configured or the job's code sets it. Null leaves RocksDB out. */
  workload: RocksdbWorkload | null;
  assumptions: RocksdbAssumptions | null;
  /** Null leaves the network out. */
  job: NetworkJob | null;
}

/** Answer of `slotsSweep`. */
export interface SlotsReport {
  version: FlinkVersion;
  checkedOn: string;
  verdict: string;
  /** The slots of the configuration, if they can be read. */
  configured: number | null;
  /** The first number of slots at which something breaks that did not at one less. */
  firstBroken: number | null;
  rows: SlotsRow[];
  notModelled: string[];
}

/** One number of slots; null where it does not start or was not asked for. */
export interface SlotsRow {
  slots: number;
  taskHeap: Bytes | null;
  managed: Bytes | null;
  network: Bytes | null;
  rocksdb: Bytes | null;
  cache: Bytes | null;
  buffers: number | null;
  buffersRequired: number | null;
  problems: SlotProblem[];
}

export interface SlotProblem {
  code: string;
  severity: "error" | "warning" | "note";
  title: string;
}

// State: what keyed state costs on either backend.

/** A type without fields of its own; strings are ASCII. */
export type Scalar =
  | { kind: "long" }
  | { kind: "integer" }
  | { kind: "double" }
  | { kind: "string"; chars: number }
  | { kind: "bytes"; length: number };

/** The type of a value. Numbers are primitive in a POJO and boxed in a tuple. */
export type ValueType =
  | Scalar
  | { kind: "pojo"; fields: Scalar[] }
  | { kind: "tuple"; fields: Scalar[] };

/** What a state holds for each key. */
export type StateShape =
  | { kind: "value"; value: ValueType }
  | { kind: "map"; entries: number; key: Scalar; value: ValueType }
  | { kind: "list"; elements: number; element: ValueType };

/** Keyed state of one operator. */
export interface Workload {
  /** Distinct keys in state, over all subtasks; at most 2^53 - 1. */
  keys: number;
  /** `long`, `integer` or `string`. */
  key: Scalar;
  state: StateShape;
  /** Not offered for lists. */
  ttl: boolean;
  parallelism: number;
  /** Null takes Flink's default for the parallelism. */
  maxParallelism: number | null;
  /** Null takes the JVM's choice: on below 32 GiB of heap. */
  compressedOops: boolean | null;
  /** Whether tables are still half moved, as right after a load. */
  rehashPending: boolean;
  /** Share of keys written while a snapshot runs, 0 to 1. */
  updatedShare: number;
  /** Share of keys only read meanwhile; both together at most 1. */
  readShare: number;
}

/** Numbers to use in place of the measured ones, by the ids of `Assumption`. */
export type Assumptions = Record<string, number>;

/** Params of `heapState`. */
export interface HeapParams extends MemoryParams {
  workload: Workload;
  assumptions: Assumptions | null;
}

/** A number that is not derived, with the range that was seen. */
export interface Assumption {
  id: string;
  title: string;
  /** Empty for shares. */
  unit: string;
  value: number;
  default: number;
  range: [number, number];
  label: "measured" | "inferred" | "chosen";
  source: string;
}

/** Answer of `heapState`. */
export interface HeapReport {
  version: FlinkVersion;
  checkedOn: string;
  verdict: string;
  status: "fits" | "gcPressure" | "fullDuringSnapshot" | "full";
  compressedOops: boolean;
  /** Of the subtask with the most key groups, as are the next lines. */
  keyGroups: number;
  keysPerSubtask: number;
  subtasksPerTaskManager: number;
  /** Heap of one subtask. */
  parts: HeapPart[];
  bytesPerKey: number;
  serialisedPerKey: number;
  heapOverSerialised: number;
  /** New heap for a key that is written, or only read, while a snapshot runs. */
  copiedOnUpdate: number;
  copiedOnRead: number;
  slots: number;
  mapsRehashing: number;
  /** On one TaskManager, as are the next lines. */
  bytes: Bytes;
  duringSnapshot: Bytes;
  snapshotSlots: Bytes;
  snapshotCopies: Bytes;
  taskHeap: Bytes;
  /** The part of task heap that this state may fill; all, by assumption. */
  capacity: Bytes;
  jvmHeap: Bytes;
  gcPressureFrom: Bytes;
  /** Shares of task heap. */
  share: number;
  shareDuringSnapshot: number;
  boundaries: KeyBoundary[];
  assumptions: Assumption[];
  notModelled: string[];
}

export interface HeapPart {
  /** `entry`, `key`, `value`, `ttl`, `tablePrimary`, `tableRehash` or `empty`. */
  id: string;
  name: string;
  /** In one subtask. */
  bytes: Bytes;
  onTaskManager: Bytes;
  perKey: number;
  source: string;
}

/** A number of keys at which something begins. */
export interface KeyBoundary {
  id: string;
  title: string;
  /** The most keys, over all subtasks, before it does. */
  keys: number;
  limit: Bytes;
  source: string;
}

/** Params of `compareBackends`. */
export interface CompareParams extends HeapParams {
  changes: Changes;
}

/** What changes between two checkpoints, over all subtasks. */
export interface Changes {
  /** An update of a map is one entry. */
  updates: number;
  /** Distinct entries among them; null spreads the updates evenly. */
  distinct: number | null;
  /** As read from a checkpoint; null derives it. */
  sstBytesPerEntry: number | null;
}

/** Answer of `compareBackends`. */
export interface ComparisonReport {
  version: FlinkVersion;
  checkedOn: string;
  verdict: string;
  /** Of the workload, over all subtasks. */
  keys: number;
  better: "hashmap" | "rocksdb";
  /** The most keys, over all subtasks, that HashMap holds on these TaskManagers. */
  changesAtKeys: number;
  hashmap: BackendSide;
  rocksdb: BackendSide;
  cluster: ClusterTotals;
  sstBytesPerEntry: number | null;
  distinctUpdated: number;
  /** Uploads of the largest subtask; null for lists. */
  incremental: Incremental | null;
  /** Of one slot; null when RocksDB has no managed memory. */
  blockCache: Bytes | null;
  residence: Residence[];
  access: AccessCost[];
  collections: CollectionCost[];
  /** For the largest subtask, local disk. */
  restore: RestoreCost[];
  /** Both at other numbers of keys, ascending. */
  sizes: SizePoint[];
  assumptions: Assumption[];
  notModelled: string[];
}

/** Both backends at one number of keys; null where it is not known. */
export interface SizePoint {
  keys: number;
  /** On one TaskManager, while a snapshot runs. */
  hashmapMemory: Bytes;
  /** On one TaskManager. */
  rocksdbDisk: Bytes | null;
  /** All subtasks, as are the next lines. */
  hashmapCheckpoint: Bytes | null;
  rocksdbCheckpoint: Bytes | null;
  rocksdbUpload: Bytes | null;
}

/** What all TaskManagers that the operator runs on hold together. */
export interface ClusterTotals {
  taskManagers: number;
  taskHeap: Bytes;
  managed: Bytes;
  /** Keys and values serialised, without what a backend adds. */
  serialised: Bytes;
  /** Heap that HashMap needs while a snapshot runs, as much on each as on the fullest. */
  hashmap: Bytes;
}

export interface BackendSide {
  backend: "hashmap" | "rocksdb";
  /** On one TaskManager, while a snapshot runs. */
  memory: Bytes;
  pool: string;
  poolBytes: Bytes;
  /** On one TaskManager; null where it is not known. */
  disk: Bytes | null;
  /** All subtasks, as are the next lines; null where it was not measured. */
  fullCheckpoint: Bytes | null;
  canonicalSavepoint: Bytes | null;
  meanUpload: Bytes | null;
}

export interface Incremental {
  regime: "everyFourth" | "sooner" | "always" | "deepLevels";
  state: Bytes;
  flushed: Bytes;
  memtable: Bytes;
  files: number;
  mean: Bytes;
  /** New bytes of consecutive checkpoints; empty where only the mean is known. */
  pattern: Bytes[];
  meanShare: number;
  /** How far the mean was off where it was measured. */
  error: string;
}

export type Residence = "blockCache" | "pageCache" | "disk" | "indexThrash";

/** Nanoseconds as measured on one machine; read them as ratios. */
export interface AccessCost {
  operation: "read" | "readMissing" | "update" | "readModifyWrite";
  residence: Residence;
  hashmap: [number, number];
  rocksdb: [number, number];
  /** RocksDB over HashMap. */
  ratio: [number, number];
  applies: boolean;
}

/** Microseconds of an access to a collection. */
export interface CollectionCost {
  backend: "hashmap" | "rocksdb";
  operation: string;
  /** With 10, 100 and 1000 elements of 16 B. */
  measured: [number, number, number];
  /** By a line through them, up to 20 % off; null when the state is no collection. */
  atElements: number | null;
  extrapolated: boolean;
}

export interface RestoreCost {
  backend: "hashmap" | "rocksdb";
  id: string;
  title: string;
  seconds: number;
  range: [number, number];
}

/** How expired entries are removed. */
export type CleanUp =
  | "none"
  | "fullSnapshot"
  | "incremental1"
  | "incremental5"
  | "incremental10EveryRecord"
  | "compactionFilter";

/** Params of `ttlGrowth`. */
export interface TtlParams {
  version: FlinkVersion;
  /** More than one entry when some keys are hotter than others. */
  keySpaces: { keys: number; updatesPerSecond: number }[];
  /** Renewed by each write. */
  ttlSeconds: number;
  cleanUp: CleanUp;
  horizonSeconds: number;
}

/** Answer of `ttlGrowth`. */
export interface TtlReport {
  version: FlinkVersion;
  checkedOn: string;
  verdict: string;
  keys: number;
  /** In the long run. */
  live: number;
  /** At the end, under the clean-up asked for. */
  stored: number;
  cleanUp: CleanUp;
  steadyFromSeconds: number;
  series: TtlPoint[];
  /** Every clean-up at the end of the series. */
  strategies: CleanUpCost[];
  notModelled: string[];
}

/** Params of `localMemory`; neither script nor container is looked at. */
export interface LocalParams extends MemoryParams {
  /** `-Xmx` of the program; null where it is not given. */
  jvmHeap: string | null;
  /** `-XX:MaxDirectMemorySize` of the program; null where it is not given. */
  maxDirectMemory: string | null;
}

/** Answer of `localMemory`: a TaskManager inside the program's own JVM. */
export interface LocalReport {
  version: FlinkVersion;
  verdict: string;
  /** Whether the network pool is within direct memory; null where its limit is not known. */
  fits: boolean | null;
  pools: LocalPool[];
  network: Bytes;
  segment: Bytes;
  /** All of them are allocated at the start. */
  segments: number;
  directLimit: Bytes | null;
  directLimitFrom: "maxDirectMemorySize" | "jvmHeap" | "unknown";
  segmentsAtMost: number | null;
  missingAtLeast: Bytes | null;
  ignored: IgnoredOption[];
  notModelled: string[];
}

export interface LocalPool {
  id: string;
  name: string;
  /** Null where Flink sets no limit. */
  bytes: Bytes | null;
  origin: "configured" | "default";
  option: string;
  limitedBy: string;
}

/** A setting without effect. */
export interface IgnoredOption {
  option: string;
  value: string;
  /** Whether Flink logs that it has none. */
  warned: boolean;
}

/** A panel's question by name, with its params. */
export type PanelQuestion =
  | { memoryBoundaries: DiagnoseParams }
  | { rocksdbMemory: RocksdbParams }
  | { heapState: HeapParams }
  | { compareBackends: CompareParams }
  | { ttlGrowth: TtlParams }
  | { slotsSweep: SlotsParams }
  | { networkBuffers: NetworkParams }
  | { localMemory: LocalParams };

/** Params of `comparePanels`: the same question of two scenarios. */
export interface ComparePanelsParams {
  a: PanelQuestion;
  b: PanelQuestion;
}

/** Answer of `comparePanels`. */
export interface PanelComparison {
  verdict: string;
  /** What A's own answer says. */
  aVerdict: string;
  figures: FigureDifference[];
  /** Those of them that do not differ. */
  equal: number;
}

/** One figure on both sides; null where a side has none. */
export interface FigureDifference {
  id: string;
  /** What it belongs to where several are alike; empty for the whole. */
  group: string;
  name: string;
  unit: "bytes" | "count" | "number" | "share" | "seconds";
  a: Bytes | null;
  b: Bytes | null;
  /** B minus A. */
  difference: Bytes | null;
  /** The difference as a share of A. */
  relative: number | null;
}

/** Params of `drawState`. */
export interface DrawStateParams {
  of: PanelQuestion;
  /** The same question of the settings pinned as A. */
  pinned?: PanelQuestion | null;
  /** What is drawn of `compareBackends`. */
  measure?: "memory" | "disk" | "fullCheckpoint" | "meanUpload";
  theme: "light" | "dark";
  /** Width in CSS pixels, 280 to 2000. */
  width: number;
}

export interface TtlPoint {
  seconds: number;
  live: number;
  stored: number;
  withoutCleanUp: number;
}

export interface CleanUpCost {
  cleanUp: CleanUp;
  /** Its call on `StateTtlConfig.Builder`. */
  call: string;
  backend: "both" | "hashmap" | "rocksdb";
  stored: number;
  /** Expired entries over live ones. */
  residue: number;
  basis: "derived" | "measured" | "interpolated" | "beyond";
  snapshots: string;
}

/** A fact read from a pasted text: a size or a number. */
export interface Observed {
  /** A stable name; that of the field of the memory report where it is one, such as `taskHeap`. */
  id: string;
  name: string;
  /** Its line, from 1. */
  line: number;
  bytes: Bytes | null;
  number: number | null;
  /** False where the text rounds it, as in `4.2 GB`. */
  exact: boolean;
}

/** What went wrong, where a pasted text says so. */
export interface Cause {
  /** That of the refusal of a memory question where it is one. */
  code: string;
  /** One sentence: which limit was hit. */
  title: string;
  /** Why, with the numbers of the text. */
  reason: string;
  /** The option to move first; null where no option of Flink mends it. */
  knob: string | null;
  /** All options involved and the way to move each. */
  options: Involved[];
  /** Pools that no flag of the JVM caps, where the question is who used the memory. */
  uncapped: string[];
  /** The question to ask next. */
  next: string;
  source: string;
}

export interface Involved {
  option: string;
  direction: "raise" | "lower" | "set" | "remove";
}

/** Answer of `memoryBoundaries`: from which value to which each knob starts, all else as it is. */
export interface BoundariesReport {
  starts: boolean;
  verdict: string;
  /** The smallest total process memory that starts with the other settings; null where none does. */
  smallestProcess: RangeEnd | null;
  /** The smallest that leaves room to work in, and what counts as that. */
  sensibleProcess: RangeEnd | null;
  sensibleMeans: string;
  knobs: KnobRange[];
}

export interface KnobRange {
  option: string;
  kind: "size" | "fraction";
  /** The text it has, of itself or by default; null where it is not set. */
  now: string | null;
  /** Whether any value of it starts. */
  possible: boolean;
  /** Null when every smaller value starts too. */
  lowest: RangeEnd | null;
  /** Null when every larger value starts too. */
  highest: RangeEnd | null;
}

/** A value that starts while its neighbour beyond does not: to the byte, or to a millionth. */
export interface RangeEnd {
  text: string;
  bytes: Bytes | null;
  /** The nearest whole MiB, or thousandth, inside the range. */
  whole: string | null;
}

/**
 * A point in event time [ms since the epoch]. `null` is before any watermark (`Long.MIN_VALUE`),
 * `"endOfInput"` is `Long.MAX_VALUE`; beyond 2^53 a decimal text.
 */
export type EventTime = number | string | null;

export type WatermarkRule =
  | { kind: "boundedOutOfOrderness"; outOfOrderness: number }
  | { kind: "ascending" }
  | { kind: "sql"; outOfOrderness: number }
  /** `WatermarkAssignerOperator`. */
  | { kind: "sqlAssigner"; outOfOrderness: number }
  | { kind: "explicit" };

/** The types of what a window operator keeps. */
export interface KeptParams {
  /** `reduce` and `aggregate` keep an accumulator, `process` and `apply` all records. */
  function: "incremental" | "full";
  key: Scalar;
  accumulator: ValueType;
  element: ValueType;
  compressedOops: boolean;
  /** Heap of a registered state without keys, a key group [B]; the measured one where it is left out. */
  emptyStatePerKeyGroup: number | null;
}

/** Bytes on either backend; beyond 2^53 a decimal text. */
export interface KeptBytes {
  heap: Bytes;
  rocksdb: Bytes;
}

/** Bytes kept over a run. */
export interface KeptReport {
  function: "incremental" | "full";
  /** One key and window with one record. */
  oneWindow: KeptBytes;
  /** What the second record of it adds. */
  secondRecord: KeptBytes;
  oneTimer: KeptBytes;
  /** The most at one time. */
  peak: KeptBytes;
  /** The most that the rules allow for these keys; null where no formula says it. */
  predicted: KeptBytes | null;
  /** Where that holds for records that come evenly, and not by the rules alone: how many a second. */
  predictedRatePerSecond: number | null;
  /** By how much the allowed lateness raises the peak. */
  latenessAdds: KeptBytes;
  /** Heap of the registered states without a key, which comes on top. */
  empty: Bytes;
  assumptions: string[];
}

/** When the sources are asked for a watermark: after every n-th record, or by the clock [ms]. */
export type EmissionTime = { kind: "perEvent"; every: number } | { kind: "periodic"; interval: number };

export type WindowAssigner =
  | { kind: "tumbling"; size: number; offset: number }
  | { kind: "sliding"; size: number; slide: number; offset: number }
  | { kind: "session"; gap: number }
  | { kind: "dynamicSession" }
  | { kind: "global" }
  /** The zone's name goes into the job as SQL. */
  | { kind: "zoned"; size: number; transitions: ZoneTransition[]; zone?: string | null };

/** From this moment on local time is UTC plus the offset [ms]. */
export interface ZoneTransition {
  from: number;
  offset: number;
}

export type WindowTrigger =
  | { kind: "eventTime" }
  | { kind: "count"; count: number }
  | { kind: "continuous"; interval: number }
  | { kind: "earlyCount"; count: number }
  | { kind: "earlyProcessingTime"; interval: number }
  | { kind: "purging"; of: WindowTrigger };

export type StreamStatus = "active" | "idle";

export type KeyType = "string" | "integer" | "long" | "boolean" | "double";

/** One item of an input, in order of arrival. */
export type InputItem =
  | {
      kind: "event";
      id?: string | null;
      key: string;
      time: EventTime;
      /** 1 where it is left out; the gap of a dynamic session [ms]. */
      value?: number;
      /** Processing time at the source [ms]; that of the item before where it is left out. */
      arrival?: number | null;
      partition?: number;
    }
  /** Of a source subtask, whatever its rule; `arrival` as of an event. */
  | { kind: "watermark"; watermark: EventTime; subtask?: number; arrival?: number | null }
  | { kind: "status"; status: StreamStatus; subtask?: number; arrival?: number | null };

/** Params of `runEventTime`: a job with one window operator, and at most 5000 items of input. */
export interface EventTimeParams {
  version: FlinkVersion;
  watermarks: {
    rule: WatermarkRule;
    emission: EmissionTime;
    /** `withIdleness` [ms]. */
    idleTimeout: number | null;
  };
  source: {
    partitions: number;
    /** Partition p is read by subtask p modulo this. */
    parallelism: number;
    /** A generator for each partition, and not for each subtask. */
    perPartition: boolean;
  };
  windows: {
    assigner: WindowAssigner;
    trigger: WindowTrigger;
    /** [ms] */
    allowedLateness: EventTime;
    sideOutput: boolean;
  };
  /** Leaves out a record whose id came before, while state with this TTL keeps the id [ms]. */
  dedupTtl?: number | null;
  parallelism: number;
  maxParallelism?: number | null;
  keyType?: KeyType;
  input: InputItem[];
  /** After so many rows it is stopped with a savepoint and started from it at once. */
  restoreAfter?: number | null;
  /** Whether a last watermark of `Long.MAX_VALUE` ends it. */
  endOfInput: boolean;
  /** A `Long` for each window where it is left out. */
  kept?: KeptParams;
  /** Every row lists the open windows, and every firing all of its records. */
  withOpen?: boolean;
}

export type WindowStatus = "open" | "keptForLateness" | "expired";
export type RecordOutcome = "onTime" | "late" | "dropped" | "ignored" | "duplicate";
export type Signal = { kind: "watermark"; watermark: EventTime } | { kind: "status"; status: StreamStatus };
export type FiringCause =
  | { kind: "element" }
  | { kind: "timer"; timer: EventTime }
  | { kind: "processingTimer"; timer: EventTime };

export interface WindowBounds {
  start: EventTime;
  end: EventTime;
}

export interface AssignedWindow extends WindowBounds {
  status: WindowStatus;
}

export interface OpenWindow extends WindowBounds {
  key: string;
  elements: number;
}

export interface FiringReport extends WindowBounds {
  key: string;
  subtask: number;
  count: number;
  sum: number;
  /** Places in the input, at most 200 of them. */
  records: number[];
  watermark: EventTime;
  cause: FiringCause;
  /** The n-th firing of this key and window, from 1. */
  nth: number;
  /** Whether it repeats something that was emitted before. */
  refire: boolean;
}

export interface RecordReport {
  id: string;
  key: string;
  time: EventTime;
  value: number;
  partition: number;
  sourceSubtask: number;
  keyGroup: number;
  subtask: number;
  /** At or behind the watermark; that alone does not make it late. */
  behindWatermark: boolean;
  windows: AssignedWindow[];
  mergedFrom: WindowBounds[];
  /** Null where the job failed on it. */
  outcome: RecordOutcome | null;
  /** Some windows took it, others had expired. */
  partial: boolean;
  destination: "sideOutput" | "counter" | null;
  firings: FiringReport[];
  /** Open windows after it, before the watermark that it causes. */
  openAfter: number;
}

/** What one item led to, or one call of the clock, or the end of input. */
export interface EventTimeRow {
  /** Its place in the input; null for a call of the clock and for the end. */
  item: number | null;
  /** Processing time [ms]. */
  at: number;
  /** The job was restored here. */
  restored: boolean;
  record: RecordReport | null;
  /** What the input has a source subtask send here, if it is no record. */
  signal: { subtask: number; signal: Signal } | null;
  watermarkBefore: EventTime;
  /** What the source subtasks sent after it. */
  sent: { subtask: number; signal: Signal }[];
  /** What reached the window operator of that. */
  received: Signal[];
  watermarkAfter: EventTime;
  /** Firings of timers. */
  firings: FiringReport[];
  /** Watermarks and statuses that left the window operator. */
  forwarded: Signal[];
  openWindows: number;
  open: OpenWindow[] | null;
  /** Copies of records in state, one for each window. */
  elements: number;
  stateEntries: number;
  timers: number;
  kept: KeptBytes;
  error: string | null;
}

export interface WindowLife extends WindowBounds {
  key: string;
  subtask: number;
  /** From this watermark on it takes nothing more. */
  cleanup: EventTime;
  /** The row of its first record. */
  opened: number;
  /** Rows in which it fired. */
  fired: number[];
  closed: number | null;
  mergedAway: boolean;
  taken: number;
  takenLate: number;
  lastCount: number | null;
  lastSum: number | null;
}

export interface EventTimeTotals {
  events: number;
  onTime: number;
  late: number;
  dropped: number;
  ignored: number;
  duplicates: number;
  partial: number;
  behindWatermark: number;
  sideOutput: number;
  numLateRecordsDropped: number;
  firings: number;
  refires: number;
  openWindowsMax: number;
  elementsMax: number;
  timersMax: number;
  idsKept: number;
}

/** A point of a run: the row from 0, or of a stream the records read up to then; and the clock [ms]. */
export interface Moment {
  place: number;
  at: number;
}

export interface EventTimeSource {
  subtask: number;
  partitions: number[];
  events: number;
  watermark: EventTime;
  /** Since when that has not moved; null where it never has. */
  since: Moment | null;
  idle: boolean;
  /** Whether it, alone or with others, holds the watermark back. */
  holdsBack: boolean;
  /** The place at which it sent something last; null where it never did. */
  lastSent: number | null;
  parts: SourcePartition[];
}

/** One partition of a source subtask. */
export interface SourcePartition {
  partition: number;
  events: number;
  /** The highest timestamp that was read of it. */
  highest: EventTime;
  highestAt: Moment | null;
  lastAt: Moment | null;
  /** Whether it has a generator to itself; only then it has a watermark, and can be idle. */
  hasOwn: boolean;
  watermark: EventTime;
  /** Since when that has not moved; null where it never has. */
  since: Moment | null;
  idle: boolean;
  holdsBack: boolean;
}

export interface WindowSubtask {
  subtask: number;
  events: number;
  keys: number;
}

/** A rule with the values put in. */
export interface RuleStep {
  what: string;
  formula: string;
  values: string;
  source: string;
}

/** Answer of `runEventTime`. */
export interface EventTimeReport {
  version: FlinkVersion;
  checkedOn: string;
  verdict: string;
  rows: EventTimeRow[];
  /** At most 20 000. */
  windows: WindowLife[];
  /** How many more there were. */
  windowsOmitted: number;
  totals: EventTimeTotals;
  sources: EventTimeSource[];
  subtasks: WindowSubtask[];
  watermark: EventTime;
  kept: KeptReport;
  /** The job in Java. */
  dataStream: string;
  /** The windows in SQL; null where SQL has none like them. */
  sql: string | null;
  steps: RuleStep[];
  notModelled: string[];
}

/** Params of `compareEventTime`. */
export interface CompareEventTimeParams {
  /** The pinned one. */
  a: EventTimeParams;
  b: EventTimeParams;
}

export interface TotalDifference {
  name: string;
  a: number;
  b: number;
  /** B less A. */
  difference: number;
  /** Bytes, and not a count. */
  isBytes: boolean;
}

export interface WindowResult {
  firings: number;
  /** Of the last firing; null where it never fired. */
  count: number | null;
  sum: number | null;
}

/** A window whose results differ, or that only one of the two has. */
export interface WindowDifference {
  key: string;
  start: EventTime;
  end: EventTime;
  a: WindowResult | null;
  b: WindowResult | null;
  countDifference: number;
  sumDifference: number;
}

/** Answer of `compareEventTime`. */
export interface EventTimeComparison {
  verdictA: string;
  verdictB: string;
  totals: TotalDifference[];
  /** At most 500. */
  windows: WindowDifference[];
  windowsOmitted: number;
  /** Windows with the same results in both. */
  same: number;
}

/** Params of `drawEventTime`; regions of the chart are `row-0`, `row-1` and so on. */
export interface DrawEventTimeParams {
  job: EventTimeParams;
  /** The last row that is drawn; null draws all. */
  upto: number | null;
  theme: "light" | "dark";
  /** [px] */
  width: number;
}

/** Answer of `drawEventState`: entries of window state and the bytes they take, step by step. */
export interface EventStateCharts {
  open: Chart;
  kept: Chart;
}

/** Params of `drawEventState`. */
export interface DrawEventStateParams {
  job: EventTimeParams;
  theme: "light" | "dark";
  /** [px] */
  width: number;
}

/** Answer of `drawEventTime`. */
export interface LanesChart extends Chart {
  timeAxis: TimeAxis;
}

/** The ends of a linear axis, in pixels of the drawing and as times; the later the higher. */
export interface TimeAxis {
  top: number;
  bottom: number;
  low: EventTime;
  high: EventTime;
}

/** Params of `eventTimeAt`: a job, and after how many rows of its report. */
export interface EventTimeAtParams {
  job: EventTimeParams;
  upto: number;
}

/** Answer of `eventTimeAt`. */
export interface EventTimeAtReport {
  rows: number;
  /** Processing time [ms]. */
  at: number;
  verdict: string;
  watermark: EventTime;
  sources: SourceAt[];
  /** What fires next if only the watermark moves. */
  next: NextResult | null;
  whyNone: string | null;
  /** What a savepoint taken here would hold. */
  stored: Stored;
}

export interface SourceAt {
  subtask: number;
  partitions: number[];
  watermark: EventTime;
  idle: boolean;
  holdsBack: boolean;
  /** Its partitions that do so, where each has a generator of its own. */
  heldBy: number[];
  /** The row since which it has held the watermark back; null where it does not. */
  since: number | null;
  /** What each of its partitions still has to reach for the next result. */
  needsTimestamp: EventTime;
}

export interface NextResult extends WindowBounds {
  key: string;
  records: number;
  needsWatermark: EventTime;
}

/** The first 200 of each kind, and how many there are. */
export interface Stored {
  windows: OpenWindow[];
  windowCount: number;
  timers: TimerAt[];
  timerCount: number;
  ids: KeptId[];
  idCount: number;
  offsets: PartitionOffset[];
  /** That of the window operator where it is stored; null where it is not, or there is none. */
  watermark: EventTime;
  leftOut: string[];
}

export interface TimerAt extends WindowBounds {
  at: EventTime;
  /** It waits for processing time. */
  processing: boolean;
  key: string;
}

export interface KeptId {
  id: string;
  /** From this processing time on it is forgotten [ms]. */
  until: number;
}

export interface PartitionOffset {
  partition: number;
  records: number;
}

/** Params of `whyNoOutput`. */
export interface WhyParams {
  version: FlinkVersion;
  /** Watermarks as the web UI, the REST API or a metrics page shows them. */
  text: string;
  assigner: WindowAssigner | null;
  rule: WatermarkRule | null;
  /** The drift of watermark alignment [ms]. */
  maxDrift: number | null;
}

/** Answer of `whyNoOutput`. */
export interface WhyReport {
  version: FlinkVersion;
  verdict: string;
  inputs: WhyInput[];
  /** Lines that were not understood. */
  ignored: number;
  watermark: EventTime;
  next: NextFiring | null;
  /** Why no next firing is named. */
  whyNoNext: string | null;
  /** With watermark alignment, sources ahead of this pause. */
  maxAllowed: EventTime;
}

export interface WhyInput {
  name: string;
  watermark: EventTime;
  idle: boolean;
  holdsBack: boolean;
  /** How far it is behind the one furthest ahead [ms]. */
  behind: EventTime;
}

export interface NextFiring {
  window: WindowBounds;
  needsWatermark: EventTime;
  /** What each input that holds back still has to see. */
  needsTimestamp: EventTime;
}

export type ChannelStep =
  | { kind: "event"; channel: number; key: string; time: EventTime }
  | { kind: "watermark"; channel: number; watermark: EventTime }
  | { kind: "status"; channel: number; status: StreamStatus };

/** Params of `traceWatermarks`. */
export type TraceParams =
  | {
      kind: "generator";
      rule: WatermarkRule;
      idleTimeout: number | null;
      clock: number;
      steps: ({ kind: "event"; time: EventTime } | { kind: "periodic" } | { kind: "advance"; ms: number })[];
    }
  | {
      kind: "splits";
      version: FlinkVersion;
      steps: (
        | { kind: "register" | "unregister"; id: string }
        | { kind: "watermark"; id: string; watermark: EventTime; deferred: boolean }
        | { kind: "status"; id: string; status: StreamStatus; deferred: boolean }
        | { kind: "periodic" }
      )[];
    }
  | { kind: "channels"; channels: number; steps: ChannelStep[] }
  | { kind: "inputs"; version: FlinkVersion; inputs: number; timerDelay: number; steps: ChannelStep[] };

/** Answer of `traceWatermarks`. */
export interface TraceReport {
  steps: TraceStep[];
}

export interface TraceStep {
  /** What was said to the output, before it decided what passes. */
  raw: Signal[];
  down: Signal[];
  splits: { id: string; watermark: EventTime }[];
  operator: InputOutput[];
  watermark: EventTime;
}

/** What an operator of several inputs does. */
export type InputOutput =
  | { kind: "element"; input: number; key: string; time: EventTime; watermark: EventTime }
  | { kind: "timer"; key: string; time: EventTime; watermark: EventTime }
  | { kind: "signal"; signal: Signal };

/** Params of `assignWindows`. */
export interface AssignParams {
  assigner: WindowAssigner;
  times: EventTime[];
  /** The gap of a dynamic session [ms]. */
  value: number;
}

/** Answer of `assignWindows`, one a time. */
export interface Assignment {
  time: EventTime;
  windows: WindowBounds[];
  /** Why the job would fail on it. */
  error: string | null;
}

/** Params of `assignKeyGroups`. */
export interface KeyGroupParams {
  parallelism: number;
  maxParallelism: number | null;
  keyType: KeyType;
  keys: string[];
}

/** Answer of `assignKeyGroups`. */
export interface KeyGroupReport {
  maxParallelism: number;
  places: KeyPlace[];
  subtasks: SubtaskShare[];
}

export interface KeyPlace {
  key: string;
  hashCode: number;
  murmur: number;
  keyGroup: number;
  operatorIndex: number;
}

export interface SubtaskShare {
  operatorIndex: number;
  range: KeyGroupRange;
  keys: number;
}

/** Both ends inclusive. */
export interface KeyGroupRange {
  start: number;
  end: number;
  count: number;
}

/** Params of `EventTimeRun.create`: of windows and watermarks what long runs offer. */
export interface RunParams {
  windows: EventTimeParams["windows"];
  watermarks: EventTimeParams["watermarks"];
  /** How many keys there are; a record names one by its index. */
  keys: number;
  /** The source subtasks and their partitions; null is one generator for all records. */
  source: RunSource | null;
}

/** What reads the records of a run. */
export interface RunSource {
  version: FlinkVersion;
  /** At most 256. */
  partitions: number;
  parallelism: number;
  perPartition: boolean;
}

/** Records in order of arrival, one typed array a column. */
export interface RunColumns {
  /** Event time, whole ms. */
  time: Float64Array<ArrayBuffer>;
  key: Uint32Array<ArrayBuffer>;
  value: Int32Array<ArrayBuffer>;
}

/** How far a long run has come. */
export interface RunProgress {
  records: number;
  pushed: number;
  /** The input has ended and everything is processed. */
  isDone: boolean;
  totals: RunTotals;
}

export interface RunTotals {
  records: number;
  onTime: number;
  /** Taken by a window that had fired, within the lateness. */
  late: number;
  /** Taken by some of its windows, past the clean-up of others. */
  partly: number;
  /** To the side output where there is one, else counted by `numLateRecordsDropped`. */
  dropped: number;
  /** Between windows, and not late. */
  ignored: number;
  /** Left out since an earlier one had the same id. */
  duplicates: number;
  /** Not above the watermark, which alone does not make it late. */
  behind: number;
  results: number;
  refired: number;
}

/** Firings in order. Watermarks: `Infinity` is the end of the input. */
export interface RunResults {
  key: Uint32Array<ArrayBuffer>;
  start: Float64Array<ArrayBuffer>;
  end: Float64Array<ArrayBuffer>;
  count: Uint32Array<ArrayBuffer>;
  sum: Float64Array<ArrayBuffer>;
  nth: Uint32Array<ArrayBuffer>;
  watermark: Float64Array<ArrayBuffer>;
  /** The record that caused it; at the end of the input the number of records. */
  record: Uint32Array<ArrayBuffer>;
}

/** Entries of keyed window state over time, one for each key and window. */
export interface RunSamples {
  records: Float64Array<ArrayBuffer>;
  /** `-Infinity` is no watermark yet. */
  watermark: Float64Array<ArrayBuffer>;
  /** Not fired yet. */
  waiting: Float64Array<ArrayBuffer>;
  /** Fired, and kept for late records. */
  held: Float64Array<ArrayBuffer>;
  windows: Float64Array<ArrayBuffer>;
}

/** One record with all that it did. */
export interface RunRow {
  record: number;
  time: number;
  key: number;
  value: number;
  watermarkBefore: number;
  watermarkAfter: number;
  /** Low two bits: 0 on time, 1 late but counted, 2 dropped, 3 ignored; 4: partly; 8: behind the watermark; 16: left out by its id. */
  outcome: number;
  /** Null where nothing says it. */
  partition: number | null;
  /** [ms]; null where nothing says it. */
  arrival: number | null;
  /** In the order of the assigner; of a session what it became by merging. */
  windows: RunWindow[];
  /** Sessions that were merged into it, as start and end. */
  mergedFrom: [number, number][];
  resultsBefore: number;
  results: RunResults;
}

export interface RunWindow {
  start: EventTime;
  end: EventTime;
  status: WindowStatus;
}

/** A long run in the engine; free it when it is no longer needed. */
export interface EventTimeRun {
  push(time: Float64Array, key: Uint32Array, value: Int32Array): Answer<RunProgress>;
  end(): void;
  advance(records: number): RunProgress;
  results(): RunResults;
  outcomes(from: number, to: number): Uint8Array<ArrayBuffer>;
  samples(): RunSamples;
  rows(from: number, count: number): RunRow[];
  bytes(): { state: number; records: number };
  free(): void;
}

/** Params of `EventStream.create`: a stream, and the operator that it goes through. */
export interface WholeParams {
  source: StreamSource;
  windows: EventTimeParams["windows"];
  watermarks: EventTimeParams["watermarks"];
  /** Whether a bounded source ends it. */
  endOfInput: boolean;
  job: JobShape;
}

/** Subtasks, keys and types of a job. */
export interface JobShape {
  version: FlinkVersion;
  sourceParallelism: number;
  perPartition: boolean;
  parallelism: number;
  maxParallelism: number | null;
  keyType: KeyType;
  /** Records are left out whose id came before, kept with this TTL [ms]; of a file where a column is the id. */
  dedupTtl: number | null;
  kept: KeptParams;
}

/** One subtask of the window operator of a stream. */
export interface WindowShare {
  subtask: number;
  records: number;
  keys: number;
}

export type StreamSource = { kind: "generated"; generator: GeneratorParams } | { kind: "file"; reader: ReaderParams };

/** A stream made from a seed. Times but `startMs` count from its start. */
export interface GeneratorParams {
  seed: number;
  /** Records that producers create; duplicates and replays come on top. */
  events: number;
  /** [ms since the epoch] */
  startMs: number;
  ratePerSecond: number;
  partitions: number;
  spread: "roundRobin" | "byKey";
  keys: { count: number; zipfExponent: number };
  delay: StreamDelay;
  delayCapMs: number;
  bursts: { everyMs: number; lengthMs: number; factor: number } | null;
  stalls: { partition: number; fromMs: number; lengthMs: number }[];
  skews: { partition: number; skewMs: number }[];
  duplicates: { share: number; withinMs: number } | null;
  replays: { atMs: number; lastMs: number }[];
  values: { min: number; max: number };
}

/** How long a record travels [ms]. */
export type StreamDelay =
  | { kind: "none" }
  | { kind: "uniform"; maxMs: number }
  | { kind: "exponential"; meanMs: number }
  | { kind: "lognormal"; medianMs: number; sigma: number }
  | { kind: "pareto"; minMs: number; alpha: number };

/** How a file is read. */
export interface ReaderParams {
  format: RecordFormat;
  time: RecordField;
  timeFormat: TimeFormat;
  key: RecordField | null;
  partition: RecordField | null;
  /** Whole numbers; without it each record has the value 1. */
  value: RecordField | null;
  /** What is the same for a record that comes again. */
  id: RecordField | null;
  arrival: RecordField | null;
  /** Null: as the event time. */
  arrivalFormat: TimeFormat | null;
}

export type RecordFormat =
  | { kind: "csv"; delimiter: "comma" | "semicolon" | "tab"; header: boolean; columns: number | null }
  | { kind: "jsonLines" };

/** A column of CSV by its number, from 0, or by its name; a field of an object by its name. */
export type RecordField = number | string;

export type TimeFormat = "epochSeconds" | "epochMillis" | "epochMicros" | "epochNanos" | "iso8601";

/** Answer of `sniffRecords`, which takes the first bytes of a file. */
export interface SniffReport {
  format: RecordFormat;
  /** Rows that were looked at. */
  rows: number;
  columns: RecordColumn[];
  time: number | null;
  key: number | null;
  partition: number | null;
  value: number | null;
  id: number | null;
  arrival: number | null;
  /** The proposal; null where no column looks like an event time. */
  params: ReaderParams | null;
}

export interface RecordColumn {
  /** Whether each text is a whole number of 32 bits, so that it can be a value. */
  isWhole: boolean;
  name: string;
  kind: "empty" | "time" | "integer" | "decimal" | "text";
  timeFormat: TimeFormat | null;
  /** Its first texts. */
  samples: string[];
  /** Different texts. */
  distinct: number;
  /** Rows without a text. */
  empty: number;
}

export interface ReadProgress {
  records: number;
  bad: number;
}

export interface ReadReport {
  verdict: string;
  bytes: number;
  records: number;
  bad: number;
  badByReason: { reason: string; count: number }[];
  /** The first of them. */
  badRows: BadRow[];
  keys: number;
  partitions: string[];
  /** [ms since the epoch] */
  firstTime: number | null;
  lastTime: number | null;
  withoutZone: number;
  /** Records that name an arrival before that of the record ahead. */
  arrivalsBack: number;
  bytesHeld: number;
}

export interface BadRow {
  /** From 1. */
  line: number;
  reason: string;
  message: string;
}

export interface WholeProgress {
  records: number;
  /** Of a generated stream without duplicates and replays. */
  expected: number;
  isDone: boolean;
  totals: RunTotals;
}

/** Counts of a generated stream. */
export interface GeneratorReport {
  events: number;
  created: number;
  duplicates: number;
  replayed: number;
  capped: number;
  stalled: number;
  inFlight: number;
  mostInFlight: number;
}

export interface WholeReport {
  verdict: string;
  totals: RunTotals;
  droppedShare: number;
  lateShare: number;
  /** From this bound on no record is dropped [ms]; for sessions it may be less. */
  noDropBoundMs: number;
  /** The most entries of window state open at one time. */
  openMax: number;
  /** Results that can be looked at. */
  resultsKept: number;
  /** Kept to leave duplicates out, when the last record came. */
  idsKept: number;
  keys: number;
  firstTime: number | null;
  lastTime: number | null;
  /** Empty where a key is none of its type. */
  subtasks: WindowShare[];
  kept: KeptReport;
  /** Bytes that this tab holds. */
  recordBytes: number;
  stateBytes: number;
  generated: GeneratorReport | null;
  read: ReadReport | null;
  dataStream: string;
  /** Null where SQL has no such window. */
  sql: string | null;
  notModelled: string[];
}

export interface StreamFigure {
  name: string;
  value: number;
  unit: "count" | "bytes" | "share" | "ms";
}

/** What is kept of a stream to compare others with it. */
export interface StreamFigures {
  verdict: string;
  figures: StreamFigure[];
}

export interface StreamDifference {
  name: string;
  a: number;
  b: number;
  /** B less A. */
  difference: number;
  unit: StreamFigure["unit"];
}

/** Answer of `EventStream.compare`. */
export interface StreamComparison {
  verdictA: string;
  verdictB: string;
  figures: StreamDifference[];
}

/** Params of the choice of a bound. */
export interface BoundParams {
  /** Shares beside 99, 99.9 and 99.99 %. */
  completeness: number[];
  boundMs: number | null;
  topKeys: number;
}

export interface BoundReport {
  verdict: string;
  records: number;
  /** Behind the event time that the watermark follows. */
  outOfOrder: number;
  /** The least bound that no record is late for. */
  worstMs: number;
  /** Of bounds from 2^20 ms on; null if all are exact. */
  relativeError: number | null;
  firstTime: number | null;
  lastTime: number | null;
  ratePerSecond: number | null;
  curve: BoundPoint[];
  wanted: WantedBound[];
  chosen: BoundPoint | null;
  partitions: PartitionDisorder[];
  keys: KeyDisorder[];
  droppedIsExact: boolean | null;
  notModelled: string[];
}

export interface BoundPoint {
  boundMs: number;
  behindWatermark: number;
  behindWatermarkShare: number;
  dropped: number | null;
  droppedShare: number | null;
  latencyMs: number;
  openSpanMs: number | null;
  openRecords: number | null;
}

export interface WantedBound {
  completeness: number;
  onTime: BoundPoint;
  notDropped: BoundPoint | null;
}

export interface PartitionDisorder {
  partition: number;
  records: number;
  outOfOrder: number;
  behindWatermark: number;
  shareOfBehind: number;
  raised: number;
  worstMs: number;
  medianMs: number;
}

export interface KeyDisorder {
  key: number;
  records: number;
  outOfOrder: number;
  /** Null for another bound than the one of the run. */
  behindWatermark: number | null;
  worstMs: number;
  meanMs: number;
}

/** Answer of `EventStream.bound`. */
export interface StreamBound extends BoundReport {
  partitionNames: string[];
  keyNames: string[];
}

export interface DrawOpenParams {
  theme: "light" | "dark";
  /** [px] */
  width: number;
}

export interface DrawBoundParams extends DrawOpenParams {
  boundMs: number;
}

/** The choice of a bound, with the bounds that can be chosen on it. */
export interface BoundChart extends Chart {
  stops: BoundStop[];
  /** Which of them is chosen, or the next one below it. */
  chosen: number | null;
}

export interface BoundStop {
  boundMs: number;
  text: string;
  /** [px] */
  x: number;
}

/** A row of the log, with its key as the file has it. */
export interface StreamRow extends RunRow {
  keyName: string;
  /** As the file has it, or its number; null where nothing says it. */
  partitionName: string | null;
}

/** The open state over time, with the bytes that it takes. */
export interface StreamSamples extends RunSamples {
  heap: Float64Array<ArrayBuffer>;
  rocksdb: Float64Array<ArrayBuffer>;
}

/** Params of a stream's `why`: after how many records; null is after all of them. */
export interface StreamWhyParams {
  records: number | null;
}

/** Why there is no output, after any record of a stream. */
export interface StreamWhy {
  verdict: string;
  records: number;
  /** When the last of them arrived [ms]; null where nothing says it. */
  arrival: number | null;
  watermark: EventTime;
  since: Moment | null;
  /** Whether arrivals are known, so that the clocks of moments say something. */
  hasClock: boolean;
  next: NextFiring | null;
  /** Pairs of key and window that wait for their end. */
  waiting: number;
  /** Of these, the ones that the source furthest ahead has passed. */
  passed: number;
  /** Pairs of key and window that have fired and are kept for late records. */
  held: number;
  sources: EventTimeSource[];
  /** By number. */
  partitionNames: string[];
}

/** Which late or dropped records of a stream, by their place in the list. */
export interface SideParams {
  which: "dropped" | "late";
  from: number;
  count: number;
}

/** A late or dropped record of a stream. */
export interface SideRecord {
  /** Its place in the stream, from 0. */
  record: number;
  time: number;
  key: number;
  value: number;
  partition: number | null;
  arrival: number | null;
  /** As in `RunRow`. */
  outcome: number;
  /** By which it was judged. */
  watermark: number;
  /** So much more allowed lateness, and it had been counted [ms]; null for one that was. */
  missedBy: number | null;
  keyName: string;
  /** As the file has it, or its number; null where nothing says it. */
  partitionName: string | null;
}

/** Some of them as CSV. */
export interface SideText {
  text: string;
  records: number;
}

/** A whole stream in the engine; free it when it is no longer needed. */
export interface EventStream {
  push(chunk: Uint8Array): Answer<ReadProgress>;
  finish(): Answer<ReadReport>;
  advance(records: number): Answer<WholeProgress>;
  report(): Answer<WholeReport>;
  figures(): Answer<StreamFigures>;
  compare(a: StreamFigures): Answer<StreamComparison>;
  bound(params: BoundParams): Answer<StreamBound>;
  why(params: StreamWhyParams): Answer<StreamWhy>;
  side(params: SideParams): Answer<SideRecord[]>;
  csv(params: SideParams): Answer<SideText>;
  curve(params: DrawBoundParams): Answer<BoundChart>;
  open(params: DrawOpenParams): Answer<Chart>;
  kept(params: DrawOpenParams): Answer<Chart>;
  samples(): StreamSamples;
  results(): RunResults;
  names(keys: Uint32Array): string[];
  rows(from: number, count: number): StreamRow[];
  free(): void;
}
