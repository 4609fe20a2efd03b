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
  /** Memory limit of the container, as Flink writes sizes; null takes the total process memory. */
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
  theme: "light" | "dark";
  /** Width in CSS pixels, 280 to 2000. */
  width: number;
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
