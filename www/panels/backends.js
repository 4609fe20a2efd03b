// @ts-check
import { h } from "../dom.js";
import { count, figure, percent, range, seconds } from "../format.js";
import { number, optional } from "./field.js";
import { STATE_FIELDS, stateWorkload } from "./heap.js";
import { bar, bytes, note, section, table } from "./parts.js";

/**
 * @import { AccessCost, BackendSide, ComparisonReport, Incremental } from "../../src/web/types.ts"
 * @import { Panel } from "./view.js"
 */

const NAMES = { hashmap: "HashMap", rocksdb: "RocksDB" };
const RESIDENCES = { blockCache: "in the block cache", pageCache: "in the page cache", disk: "on disk", indexThrash: "with the index evicted" };
const OPERATIONS = { read: "Read", readMissing: "Read of a missing key", update: "Update", readModifyWrite: "Read, change, write" };
const REGIMES = {
  everyFourth: "Every fourth checkpoint uploads the state again.",
  sooner: "A checkpoint uploads the state again before the fourth.",
  always: "Every checkpoint uploads the state again.",
  deepLevels: "The state lies in deep levels; only the mean is known.",
};

/** @type {Panel} */
export const backends = {
  question: "compareBackends",
  look: "The same state on both backends: memory, disk, checkpoints, the cost of an access, restore.",
  fields: [
    ...STATE_FIELDS,
    { id: "updates", label: "Updates", unit: "per checkpoint", path: "changes.updates", kind: "count", initial: "200000" },
    { id: "distinct", label: "Distinct entries", unit: "among them", path: "changes.distinct", kind: "count", initial: "", placeholder: "spread evenly" },
    {
      id: "chartOf",
      label: "Drawn by number of keys",
      path: "measure",
      kind: "choice",
      initial: "memory",
      choices: [
        ["memory", "memory"],
        ["disk", "disk"],
        ["fullCheckpoint", "full checkpoint"],
        ["meanUpload", "mean upload"],
      ],
    },
  ],
  measure: ({ chartOf }) => chartOf,
  params: (values, memory, assumptions) => ({
    ...memory,
    workload: stateWorkload(values),
    changes: { updates: number(values.updates), distinct: optional(values.distinct), sstBytesPerEntry: null },
    assumptions,
  }),
  body,
};

/** @param {ComparisonReport} report */
function body(report) {
  return [
    sidesPart(report),
    clusterPart(report),
    ...(report.incremental ? [incrementalPart(report.incremental)] : []),
    accessPart(report),
    ...(report.collections.length > 0 ? [collectionsPart(report)] : []),
    restorePart(report),
    sizesPart(report),
  ];
}

/** @param {ComparisonReport} report */
function sidesPart({ hashmap, rocksdb, better, changesAtKeys }) {
  /** @type {[string, string, (side: BackendSide) => Node][]} */
  const rows = [
    ["memory", "Memory on one TaskManager, during a snapshot", ({ memory }) => bytes(memory)],
    ["pool", "Its pool", ({ pool, poolBytes }) => h("span", null, `${pool}, `, bytes(poolBytes))],
    ["disk", "Disk on one TaskManager", ({ disk }) => bytes(disk)],
    ["full", "Full checkpoint", ({ fullCheckpoint }) => bytes(fullCheckpoint)],
    ["savepoint", "Canonical savepoint", ({ canonicalSavepoint }) => bytes(canonicalSavepoint)],
    ["upload", "Mean upload of a checkpoint", ({ meanUpload }) => bytes(meanUpload)],
  ];
  /** @param {"hashmap" | "rocksdb"} side */
  const head = (side) => `${NAMES[side]}${side === better ? ", better here" : ""}`;
  return section(
    "Side by side",
    table(
      "Both backends side by side",
      ["Measure", head("hashmap"), head("rocksdb")],
      rows.map(([id, name, cell]) => ({ id, cells: [name, cell(hashmap), cell(rocksdb)] })),
    ),
    note(`HashMap holds at most ${count(changesAtKeys)} keys on these TaskManagers.`),
  );
}

/** @param {ComparisonReport} report */
function clusterPart({ cluster, better }) {
  const { taskManagers, taskHeap, managed, serialised, hashmap } = cluster;
  const rows = /** @type {const} */ ([
    ["serialised", "Keys and values, serialised", serialised],
    ["hashmap", "Heap that HashMap needs, with a snapshot running", hashmap],
    ["taskHeap", "Task heap there is", taskHeap],
    ["managed", "Managed memory there is, for RocksDB to cache and write into", managed],
  ]);
  return section(
    "All TaskManagers together",
    table(
      "All TaskManagers together",
      ["Measure", "#Size"],
      rows.map(([id, name, value]) => ({ id, cells: [name, bytes(value)] })),
    ),
    note(`${count(taskManagers)} ${taskManagers === 1 ? "TaskManager" : "TaskManagers"}, one subtask in each slot. ${better === "hashmap" ? "HashMap fits." : "HashMap does not fit; RocksDB keeps the state on disk."}`),
  );
}

/** @param {Incremental} incremental */
function incrementalPart({ regime, state, flushed, pattern, mean, meanShare, error }) {
  const most = pattern.reduce((largest, value) => (Number(value) > Number(largest) ? value : largest), /** @type {import("../../src/web/types.ts").Bytes} */ (0));
  return section(
    "Incremental checkpoints of RocksDB",
    note(`${REGIMES[regime]} The mean was off by ${error}, where it was measured.`),
    pattern.length > 0
      ? table(
          "New bytes of consecutive checkpoints, largest subtask",
          ["Checkpoint", "#New bytes", "To scale"],
          pattern.map((value, at) => ({ id: String(at), cells: [count(at + 1), bytes(value), bar(value, most)] })),
        )
      : null,
    h("p", { class: "quiet" }, "State in files ", bytes(state), ", flushed between checkpoints ", bytes(flushed), ", mean upload ", bytes(mean), `, ${percent(meanShare)} of the state.`),
  );
}

/** @param {ComparisonReport} report */
function accessPart({ access, residence }) {
  const where = residence.map((place) => RESIDENCES[place]).join(" or ");
  return section(
    "One access",
    note(`Measured on one machine: read the nanoseconds as ratios.${where ? ` This state lies ${where}.` : ""}`),
    table(
      "Cost of one access, ranges as measured",
      ["Operation", "RocksDB’s data", "#HashMap, ns", "#RocksDB, ns", "#Ratio"],
      access.map((line) => ({ id: accessId(line), class: line.applies ? "is-chosen" : undefined, cells: accessCells(line) })),
    ),
  );
}

/** @param {AccessCost} line */
function accessId({ operation, residence }) {
  return `${operation} ${residence}`;
}

/** @param {AccessCost} line */
function accessCells({ operation, residence, hashmap, rocksdb, ratio, applies }) {
  return [
    OPERATIONS[operation],
    [RESIDENCES[residence], applies ? h("span", { class: "remark" }, "applies") : null],
    range(hashmap),
    range(rocksdb),
    `${range(ratio)} ×`,
  ];
}

/** @param {ComparisonReport} report */
function collectionsPart({ collections }) {
  const isOne = collections.some(({ atElements }) => atElements !== null);
  return section(
    "Collections",
    note("Microseconds of one access, measured with 10, 100 and 1000 elements of 16 B."),
    table(
      "Cost of an access to a collection, microseconds",
      ["Operation", "Backend", "#10", "#100", "#1000", ...(isOne ? ["#This state"] : [])],
      collections.map(({ backend, operation, measured, atElements, extrapolated }) => ({
        id: `${backend} ${operation}`,
        cells: [operation, NAMES[backend], ...measured.map(figure), ...(isOne ? [atElements === null ? "–" : `${figure(atElements)}${extrapolated ? ", extrapolated" : ""}`] : [])],
      })),
    ),
  );
}

/** @param {ComparisonReport} report */
function sizesPart({ sizes, keys, changesAtKeys }) {
  const remark = (/** @type {number} */ at) => (at === keys ? "this state" : at === changesAtKeys ? "HashMap is full above" : "");
  return section(
    "By number of keys",
    h("div", { class: "tall" }, table(
      "Both backends by number of keys",
      ["Keys", "#HashMap, heap", "#RocksDB, disk", "#HashMap, checkpoint", "#RocksDB, checkpoint", "#RocksDB, mean upload"],
      sizes.map((point) => ({
        id: String(point.keys),
        class: point.keys === keys ? "is-chosen" : point.keys === changesAtKeys ? "is-broken" : undefined,
        cells: [
          [count(point.keys), remark(point.keys) ? h("span", { class: "remark" }, remark(point.keys)) : null],
          bytes(point.hashmapMemory),
          bytes(point.rocksdbDisk),
          bytes(point.hashmapCheckpoint),
          bytes(point.rocksdbCheckpoint),
          bytes(point.rocksdbUpload),
        ],
      })),
    )),
    note("Heap and disk are those of one TaskManager, checkpoints those of all subtasks."),
  );
}

/** @param {ComparisonReport} report */
function restorePart({ restore }) {
  return section(
    "Restore",
    note("The largest subtask, from a local disk."),
    table(
      "Time to restore",
      ["Way", "Backend", "#Takes", "#Range"],
      restore.map(({ backend, id, title, seconds: takes, range: [low, high] }) => ({
        id: `${backend} ${id}`,
        cells: [title, NAMES[backend], seconds(takes), `${seconds(low)} to ${seconds(high)}`],
      })),
    ),
  );
}
