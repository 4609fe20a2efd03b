// @ts-check
import { h } from "../dom.js";
import { count, figure, percent } from "../format.js";
import { number, optional } from "./field.js";
import { bar, bytes, knobText, mark, note, quoted, section, table } from "./parts.js";

/**
 * @import { ManagedConsumer, MemtableGoal, RocksdbReport, RocksdbWorkload } from "../../src/web/types.ts"
 * @import { Values } from "./field.js"
 * @import { Panel } from "./view.js"
 */

const CONSUMERS = { STATE_BACKEND: "RocksDB", PYTHON: "Python", OPERATOR: "Operators" };
const SOURCES = {
  managed: "One memory for the slot, out of managed memory.",
  fixedPerSlot: "One memory of a fixed size for each slot.",
  fixedPerTaskManager: "One memory of a fixed size for the whole TaskManager.",
  unshared: "No shared memory: every state has a cache and write buffers of its own.",
};
const GOALS = { arenas: "An arena block of each state", oneEach: "One full memtable of each state", all: "All memtables at once" };

/** @type {Panel} */
export const rocksdb = {
  question: "rocksdbMemory",
  look: "What RocksDB gets in one slot, what memtables and the block cache want of it, and what lies outside every pool.",
  wholeAssumptions: true,
  fields: [
    { id: "states", label: "States per slot", unit: "column families", path: "workload.columnFamilies", kind: "count", initial: "4" },
    { id: "slotKeys", label: "Entries per slot", unit: "over all states", path: "workload.keysPerSlot", kind: "count", initial: "10000000" },
    { id: "keyBytes", label: "Key", unit: "bytes", path: "workload.keyBytes", kind: "count", initial: "16" },
    { id: "valueBytes", label: "Value", unit: "bytes", path: "workload.valueBytes", kind: "count", initial: "100" },
    { id: "hot", label: "Hot share", unit: "0 to 1", path: "workload.hotShare", kind: "number", initial: "0.2" },
    { id: "iterators", label: "Open iterators", unit: "per slot", path: "workload.iterators", kind: "count", initial: "0" },
    { id: "bufferSize", label: "Write buffer size", unit: "set in code", path: "workload.writeBufferSize", kind: "text", initial: "", placeholder: "as configured" },
    { id: "bufferCount", label: "Write buffers", unit: "set in code", path: "workload.writeBufferCount", kind: "count", initial: "", placeholder: "as configured" },
    {
      id: "consumers",
      label: "Managed memory goes to",
      path: "workload.consumers",
      kind: "choice",
      initial: "state",
      choices: [
        ["state", "RocksDB"],
        ["python", "RocksDB and Python"],
        ["operator", "RocksDB and operators"],
      ],
    },
    { id: "inCode", label: "The job’s code sets RocksDB", path: "workload.backendInCode", kind: "flag", initial: "on" },
  ],
  params: (values, memory, assumptions) => ({ ...memory, workload: rocksdbWorkload(values), assumptions }),
  body,
};

/**
 * @param {Values} values
 * @returns {RocksdbWorkload}
 */
export function rocksdbWorkload(values) {
  /** @type {Record<string, ManagedConsumer[]>} */
  const others = { python: [{ useCase: "PYTHON", share: 1 }], operator: [{ useCase: "OPERATOR", share: 1 }] };
  return {
    backendInCode: values.inCode === "on",
    consumers: [{ useCase: "STATE_BACKEND", share: 1 }, ...(others[values.consumers] ?? [])],
    columnFamilies: number(values.states),
    writeBufferSize: values.bufferSize.trim() === "" ? null : values.bufferSize,
    writeBufferCount: optional(values.bufferCount),
    blockCacheSize: null,
    arenaBlockSize: 0,
    keyBytes: number(values.keyBytes),
    valueBytes: number(values.valueBytes),
    keysPerSlot: number(values.slotKeys),
    hotShare: number(values.hot),
    iterators: number(values.iterators),
  };
}

/** @param {RocksdbReport} report */
function body(report) {
  return [
    memoryPart(report),
    cachePart(report),
    section("Memtables", memtables(report), ...(goals(report.goals) ?? [])),
    ...(report.outside ? [outsidePart(report)] : []),
    consumersPart(report),
  ];
}

/** @param {RocksdbReport} report */
function memoryPart(report) {
  const { shared } = report;
  const where = `${SOURCES[report.source]} ${report.sharers > 1 ? `${count(report.sharers)} slots share it.` : ""}`.trim();
  if (!shared) return section("The memory of RocksDB", note(where), quoted(report.ratioRefusal));
  const rows = /** @type {const} */ ([
    ["memory", "Memory", shared.memory],
    ["cache", "Block cache", shared.cacheCapacity],
    ["manager", "Write buffer manager", shared.writeBufferManagerCapacity],
    ["mutable", "Flush from", shared.mutableLimit],
    ["arena", report.arenaFits ? "Arena block" : "Arena block, too large: Flink warns", report.arenaBlock],
  ]);
  return section(
    "The memory of RocksDB",
    note(where),
    table(
      "The shared memory as Flink divides it",
      ["Part", "#Size", "To scale"],
      rows.map(([id, name, value]) => ({ id, cells: [name, bytes(value), bar(value, shared.memory)] })),
    ),
    note(`Write buffer ratio ${figure(report.writeBufferRatio)}, high-priority pool ratio ${figure(report.highPriorityPoolRatio)}, partitioned index and filters ${report.partitionedIndexFilters ? "on" : "off"}.`),
    quoted(report.ratioRefusal),
  );
}

/** @param {RocksdbReport} report */
function cachePart({ cache }) {
  const rows = /** @type {const} */ ([
    ["memtables", "Memtables", cache.memtables],
    ["index", "Index", cache.index],
    ["filters", "Filters", cache.filters],
    ["iterators", "Iterators", cache.iterators],
    ["data", "Left for data blocks", cache.data],
  ]);
  return section(
    "The block cache",
    table(
      "What is in the block cache",
      ["Part", "#Size", "Of the cache"],
      [
        ...rows.map(([id, name, value]) => ({ id, cells: [name, bytes(value), bar(value, cache.capacity)] })),
        { id: "capacity", class: "is-total", cells: ["Capacity", bytes(cache.capacity), ""] },
      ],
    ),
    h(
      "p",
      { class: "quiet", "data-id": "working-set" },
      "State in files ",
      bytes(cache.state),
      ", working set ",
      bytes(cache.workingSet),
      `, of which ${percent(cache.cachedShare)} fits.`,
    ),
  );
}

/** @param {RocksdbReport} report */
function memtables({ memtables: use }) {
  const rows = /** @type {const} */ ([
    ["buffer", "One memtable, when full", use.writeBuffer],
    ["arenas", "An arena block of each", use.arenas],
    ["oneEach", "One full memtable of each", use.oneEach],
    ["all", "All that want to live at once", use.all],
  ]);
  return table(
    "What memtables want",
    ["Memtables", "#Size", "To scale"],
    rows.map(([id, name, value]) => ({ id, cells: [name, bytes(value), bar(value, use.all)] })),
  );
}

/** @param {MemtableGoal[]} goals */
function goals(goals) {
  if (goals.length === 0) return null;
  const title = h("h4", null, "From which memory on they fit");
  const rows = table(
    "From which memory on the memtables fit",
    ["Goal", "Fits", "#Needs", "#Room", "#Memory of RocksDB", "#Managed memory", "~Smallest setting"],
    goals.map((goal) => ({
      id: goal.id,
      cells: [GOALS[goal.id], mark(goal.fits, "fits", "does not fit"), bytes(goal.need), bytes(goal.room), bytes(goal.memory), bytes(goal.managed), knobText(goal.knob)],
    })),
  );
  return [title, rows];
}

/** @param {RocksdbReport} report */
function outsidePart({ outside }) {
  if (!outside) return section("Outside every pool");
  const rows = /** @type {const} */ ([
    ["native", "Native memory of RocksDB", outside.native, outside.crosses ? "danger" : "managed"],
    ["idle", "Managed memory that lies idle", outside.idleManaged, "jvm"],
    ["headroom", "Room up to the container’s limit", outside.headroom, "jvm"],
    ["kill", "The container is killed above", outside.killLine, "jvm"],
  ]);
  const most = Number(outside.native) > Number(outside.killLine) ? outside.native : outside.killLine;
  return section(
    "Outside every pool",
    table(
      "Native memory against the container's limit",
      ["Memory", "#Size", "To scale"],
      rows.map(([id, name, value, kind]) => ({ id, cells: [name, bytes(value), bar(value, most, kind)] })),
    ),
    h("p", null, mark(!outside.crosses, "It stays under the line.", "It crosses the line: the container is killed.")),
  );
}

/** @param {RocksdbReport} report */
function consumersPart({ consumers, slots, slotManaged }) {
  return section(
    "Managed memory of a slot",
    h("p", { class: "quiet" }, `${count(slots)} ${slots === 1 ? "slot" : "slots"} of `, bytes(slotManaged), slots === 1 ? "" : " each", "."),
    table(
      "Who gets managed memory",
      ["Consumer", "#Share", "#Size", "#Pages", "~Flink says"],
      consumers.map(({ useCase, fractionOfSlot, bytes: size, pages, error }) => ({
        id: useCase,
        cells: [CONSUMERS[useCase], percent(fractionOfSlot), bytes(size), pages === null ? "–" : count(pages), error ?? ""],
      })),
    ),
  );
}
