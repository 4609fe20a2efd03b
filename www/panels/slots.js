// @ts-check
import { h, prose } from "../dom.js";
import { count } from "../format.js";
import { number } from "./field.js";
import { networkJob } from "./network.js";
import { bytes, note, section, table } from "./parts.js";
import { rocksdbWorkload } from "./rocksdb.js";

/**
 * @import { SlotProblem, SlotsReport, SlotsRow } from "../../src/web/types.ts"
 * @import { Panel } from "./view.js"
 */

const WORDS = { error: "✕ ", warning: "▲ ", note: "○ " };

/** @type {Panel} */
export const slots = {
  question: "slotsSweep",
  look: "One TaskManager divided by more and more slots: what each gets, and the first number of slots at which something breaks.",
  fields: [
    { id: "maxSlots", label: "Up to", unit: "slots, at most 256", path: "maxSlots", kind: "count", initial: "16" },
    {
      id: "slotsRocksdb",
      label: "The workload of the RocksDB panel",
      path: "workload",
      kind: "choice",
      initial: "configured",
      choices: [
        ["configured", "where RocksDB is configured"],
        ["on", "always: the job’s code sets RocksDB"],
        ["off", "left out"],
      ],
    },
    { id: "slotsNetwork", label: "With the job of the Network panel", path: "job", kind: "flag", initial: "on" },
  ],
  params,
  body,
};

/**
 * @param {import("./field.js").Values} values
 * @param {import("../../src/web/types.ts").MemoryParams} memory
 */
function params(values, memory) {
  return {
    ...memory,
    maxSlots: number(values.maxSlots),
    // Which backend is configured, the engine knows; the RocksDB panel's own word on it is for that panel.
    workload: values.slotsRocksdb === "off" ? null : { ...rocksdbWorkload(values), backendInCode: values.slotsRocksdb === "on" },
    assumptions: null,
    job: values.slotsNetwork === "on" ? networkJob(values) : null,
  };
}

/** @param {SlotsReport} report */
function body(report) {
  const { configured, firstBroken, rows } = report;
  return [
    section(
      "By number of slots",
      table(
        "What each slot gets, by number of slots",
        ["Slots", "#Task heap", "#Managed", "#Network", "#RocksDB", "#Its cache", "#Buffers", "#Required", "~What breaks"],
        rows.map((row) => ({
          id: String(row.slots),
          class: row.slots === firstBroken ? "is-broken" : row.problems.some(({ severity }) => severity === "error") ? "is-past" : undefined,
          cells: cells(row, configured, firstBroken),
        })),
      ),
      note("Sizes are those of one slot; buffers those of the TaskManager."),
    ),
  ];
}

/**
 * @param {SlotsRow} row
 * @param {number | null} configured
 * @param {number | null} firstBroken
 */
function cells(row, configured, firstBroken) {
  const remarks = [row.slots === configured ? "configured" : "", row.slots === firstBroken ? "first to break" : ""].filter(Boolean);
  /** @param {number | null} value */
  const whole = (value) => (value === null ? "–" : count(value));
  return [
    [count(row.slots), ...remarks.map((remark) => h("span", { class: "remark" }, remark))],
    bytes(row.taskHeap),
    bytes(row.managed),
    bytes(row.network),
    bytes(row.rocksdb),
    bytes(row.cache),
    whole(row.buffers),
    whole(row.buffersRequired),
    row.problems.map(problem),
  ];
}

/** @param {SlotProblem} problem */
function problem({ severity, title }) {
  return h("div", { class: `slot-problem is-${severity}` }, WORDS[severity], prose(title));
}
