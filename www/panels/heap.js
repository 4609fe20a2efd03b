// @ts-check
import { h } from "../dom.js";
import { count, figure, percent } from "../format.js";
import { number, optional } from "./field.js";
import { bar, bytes, note, section, table } from "./parts.js";

/**
 * @import { HeapReport, Scalar, StateShape, ValueType, Workload } from "../../src/web/types.ts"
 * @import { Field, Values } from "./field.js"
 * @import { Panel } from "./view.js"
 */

/** @type {Field[]} */
export const STATE_FIELDS = [
  { id: "keys", label: "Keys", unit: "over all subtasks", path: "workload.keys", kind: "count", initial: "2000000" },
  {
    id: "key",
    label: "Key type",
    path: "workload.key",
    kind: "choice",
    initial: "long",
    choices: [
      ["long", "Long"],
      ["integer", "Integer"],
      ["string", "String"],
    ],
  },
  { id: "keyChars", label: "Key length", unit: "characters", path: "workload.key.chars", kind: "count", initial: "16", shown: ({ key }) => key === "string" },
  {
    id: "shape",
    label: "State",
    path: "workload.state",
    kind: "choice",
    initial: "value",
    choices: [
      ["value", "ValueState"],
      ["map", "MapState, Long keys"],
      ["list", "ListState"],
    ],
  },
  { id: "elements", label: "Elements per key", path: "workload.state.e", kind: "count", initial: "10", shown: ({ shape }) => shape === "map" || shape === "list" },
  {
    id: "value",
    label: "Value type",
    path: "workload.state.value",
    kind: "choice",
    initial: "long",
    choices: [
      ["long", "Long"],
      ["integer", "Integer"],
      ["double", "Double"],
      ["string", "String"],
      ["bytes", "byte[]"],
      ["pojo", "POJO: long, double, String of 20"],
      ["tuple", "Tuple2: Long, Long"],
    ],
  },
  { id: "length", label: "Value length", unit: "chars or bytes", path: "workload.state.value.", kind: "count", initial: "100", shown: ({ value }) => value === "string" || value === "bytes" },
  { id: "parallelism", label: "Parallelism", path: "workload.parallelism", kind: "count", initial: "1" },
  { id: "maxParallelism", label: "Max parallelism", path: "workload.maxParallelism", kind: "count", initial: "", placeholder: "Flink’s default" },
  { id: "updated", label: "Written in a snapshot", unit: "share", path: "workload.updatedShare", kind: "number", initial: "0.1" },
  { id: "read", label: "Only read in it", unit: "share", path: "workload.readShare", kind: "number", initial: "0.2" },
  { id: "ttl", label: "With TTL", path: "workload.ttl", kind: "flag", initial: "off" },
];

/**
 * @param {Values} values
 * @returns {Workload}
 */
export function stateWorkload(values) {
  return {
    keys: number(values.keys),
    key: /** @type {Scalar} */ (values.key === "string" ? { kind: "string", chars: number(values.keyChars) } : { kind: values.key }),
    state: shapeOf(values),
    ttl: values.ttl === "on",
    parallelism: number(values.parallelism),
    maxParallelism: optional(values.maxParallelism),
    compressedOops: null,
    rehashPending: true,
    updatedShare: number(values.updated),
    readShare: number(values.read),
  };
}

/**
 * @param {Values} values
 * @returns {StateShape}
 */
function shapeOf(values) {
  const value = typeOf(values);
  const many = number(values.elements);
  if (values.shape === "map") return { kind: "map", entries: many, key: { kind: "long" }, value };
  if (values.shape === "list") return { kind: "list", elements: many, element: value };
  return { kind: "value", value };
}

/**
 * @param {Values} values
 * @returns {ValueType}
 */
function typeOf({ value, length }) {
  if (value === "string") return { kind: "string", chars: number(length) };
  if (value === "bytes") return { kind: "bytes", length: number(length) };
  if (value === "pojo") return { kind: "pojo", fields: [{ kind: "long" }, { kind: "double" }, { kind: "string", chars: 20 }] };
  if (value === "tuple") return { kind: "tuple", fields: [{ kind: "long" }, { kind: "long" }] };
  return /** @type {Scalar} */ ({ kind: value });
}

/** @type {Panel} */
export const heap = {
  question: "heapState",
  look: "What keyed state costs as objects on the heap, at rest and while a snapshot runs, and how many keys fit.",
  fields: STATE_FIELDS,
  params: (values, memory, assumptions) => ({ ...memory, workload: stateWorkload(values), assumptions }),
  body,
};

/** @param {HeapReport} report */
function body(report) {
  return [perKeyPart(report), totalsPart(report), boundariesPart(report)];
}

/** @param {HeapReport} report */
function perKeyPart(report) {
  const { parts } = report;
  const most = parts.reduce((largest, { perKey }) => (perKey > largest ? perKey : largest), 0);
  return section(
    "One key",
    table(
      "Heap of each key, by part",
      ["Part", "#Bytes per key", "To scale", "#One subtask", "~Source"],
      [
        ...parts.map(({ id, name, bytes: all, perKey, source }) => ({
          id,
          cells: [name, figure(perKey), bar(perKey, most, "heap"), bytes(all), h("span", { class: "quiet" }, source)],
        })),
        { id: "all", class: "is-total", cells: ["Together", figure(report.bytesPerKey), "", "", `${figure(report.heapOverSerialised)} times the ${figure(report.serialisedPerKey)} bytes it takes serialised`] },
      ],
    ),
    note(
      `The largest subtask has ${count(report.keysPerSubtask)} keys in ${count(report.keyGroups)} key groups. During a snapshot a key that is written copies ${figure(report.copiedOnUpdate)} bytes, one that is only read ${figure(report.copiedOnRead)}. Compressed references are ${report.compressedOops ? "on" : "off"}.`,
    ),
  );
}

/** @param {HeapReport} report */
function totalsPart(report) {
  const rows = /** @type {const} */ ([
    ["rest", "State at rest", report.bytes, percent(report.share)],
    ["slots", "Copied tables of a snapshot", report.snapshotSlots, ""],
    ["copies", "Copied entries of a snapshot", report.snapshotCopies, ""],
    ["during", "State during a snapshot", report.duringSnapshot, percent(report.shareDuringSnapshot)],
    ["pressure", "Garbage collection presses from", report.gcPressureFrom, ""],
    ["capacity", "What this state may fill", report.capacity, ""],
    ["taskHeap", "Task heap", report.taskHeap, ""],
  ]);
  const most = Number(report.duringSnapshot) > Number(report.taskHeap) ? report.duringSnapshot : report.taskHeap;
  const full = report.status === "full" || report.status === "fullDuringSnapshot";
  return section(
    "One TaskManager",
    table(
      "State against the heap of one TaskManager",
      ["Heap", "#Size", "#Of task heap", "To scale"],
      rows.map(([id, name, value, share]) => ({
        id,
        cells: [name, bytes(value), share, bar(value, most, full && id === "during" ? "danger" : ["pressure", "capacity", "taskHeap"].includes(id) ? "jvm" : "heap")],
      })),
    ),
  );
}

/** @param {HeapReport} report */
function boundariesPart({ boundaries }) {
  return section(
    "How many keys",
    table(
      "The most keys before something begins",
      ["Boundary", "#Keys, all subtasks", "#Limit", "~Source"],
      boundaries.map(({ id, title, keys, limit, source }) => ({ id, cells: [title, count(keys), bytes(limit), h("span", { class: "quiet" }, source)] })),
    ),
  );
}
