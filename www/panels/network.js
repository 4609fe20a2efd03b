// @ts-check
import { h } from "../dom.js";
import { count } from "../format.js";
import { number } from "./field.js";
import { bar, bytes, knobText, mark, note, quoted, section, table } from "./parts.js";

/**
 * @import { JobExchange, NetworkGate, NetworkJob, NetworkReport, NetworkTask, PartitionBuffers } from "../../src/web/types.ts"
 * @import { Field, Values } from "./field.js"
 * @import { Panel } from "./view.js"
 */

/** @type {[string, string][]} */
const PATTERNS = [
  ["hash", "hash (keyBy)"],
  ["rebalance", "rebalance"],
  ["rescale", "rescale"],
  ["broadcast", "broadcast"],
  ["forward", "forward"],
];
/** @type {[string, string][]} */
const TYPES = [
  ["PIPELINED_BOUNDED", "pipelined, bounded"],
  ["PIPELINED", "pipelined"],
  ["PIPELINED_APPROXIMATE", "pipelined, approximate"],
  ["BLOCKING", "blocking"],
  ["BLOCKING_PERSISTENT", "blocking, persistent"],
  ["HYBRID_FULL", "hybrid, full"],
  ["HYBRID_SELECTIVE", "hybrid, selective"],
];

/** @param {Values} values */
const three = ({ stages }) => stages !== "2";
/**
 * @param {number} at
 * @returns {Field[]}
 */
const edge = (at) => [
  { id: `pattern${at}`, label: `Exchange ${at} to ${at + 1}`, path: `job.exchanges[${at - 1}].pattern`, kind: "choice", initial: "hash", choices: PATTERNS, shown: at === 2 ? three : undefined },
  { id: `type${at}`, label: "Its type", path: `job.exchanges[${at - 1}].type`, kind: "choice", initial: "PIPELINED_BOUNDED", choices: TYPES, shown: at === 2 ? three : undefined },
];
/**
 * @param {number} at
 * @returns {Field}
 */
const stage = (at) => ({
  id: `parallelism${at}`,
  label: `Stage ${at}`,
  unit: "parallelism",
  path: `job.stages[${at - 1}].parallelism`,
  kind: "count",
  initial: "8",
  shown: at === 3 ? three : undefined,
});

/** @type {Panel} */
export const network = {
  question: "networkBuffers",
  look: "How many network buffers a job needs on the fullest TaskManager, how many are there, and what Flink says when they run out.",
  fields: [
    { id: "stages", label: "Stages", path: "job.stages", kind: "choice", initial: "3", choices: [["2", "2"], ["3", "3"]] },
    stage(1),
    ...edge(1),
    stage(2),
    ...edge(2),
    stage(3),
  ],
  params: (values, memory) => ({ ...memory, job: networkJob(values) }),
  body,
};

/**
 * @param {Values} values
 * @returns {NetworkJob}
 */
export function networkJob(values) {
  const stages = three(values) ? [1, 2, 3] : [1, 2];
  return {
    stages: stages.map((at) => ({ name: `Stage ${at}`, parallelism: number(values[`parallelism${at}`]), slotSharingGroup: "default" })),
    exchanges: stages.slice(1).map((to) => /** @type {JobExchange} */ ({ from: to - 2, to: to - 1, pattern: values[`pattern${to - 1}`], type: values[`type${to - 1}`] })),
    tasks: [],
    requests: [],
    tieredExclusiveBuffers: null,
  };
}

/** @param {NetworkReport} report */
function body(report) {
  return [totalsPart(report), tasksPart(report)];
}

/** @param {NetworkReport} report */
function totalsPart(report) {
  const most = report.required > report.total ? report.required : report.total;
  const rows = /** @type {const} */ ([
    ["total", "There are", report.total, "network"],
    ["required", "Required to start", report.required, report.fits ? "network" : "danger"],
    ["wanted", report.unlimited ? "Wanted, and some take all that is left" : "Wanted", report.wanted, "network"],
  ]);
  return section(
    "Buffers of one TaskManager",
    table(
      "Network buffers",
      ["Buffers", "#Number", "To scale"],
      rows.map(([id, name, value, kind]) => ({ id, cells: [name, count(value), bar(value, report.wanted > most ? report.wanted : most, kind)] })),
    ),
    h("p", null, mark(report.fits, "The job starts.", "The job does not start."), " Network memory ", bytes(report.network), " in buffers of ", bytes(report.segment), "; the smallest with which it starts is ", bytes(report.smallestNetwork), "."),
    report.failure ? h("h4", null, "What Flink says") : null,
    quoted(report.failure),
    report.smallestTotal ? h("p", null, "Smallest setting: ", knobText(report.smallestTotal)) : null,
    note(`${count(report.jobSlots)} slots for the job, ${count(report.slots)} on each of ${count(report.taskManagers)} TaskManagers.`),
  );
}

/** @param {NetworkReport} report */
function tasksPart({ tasks }) {
  return section(
    "By task",
    table(
      "Buffers of each task on the fullest TaskManager",
      ["Task", "#Subtasks", "#Required", "#Wanted", "#Announced", "~Gates", "~Partitions"],
      tasks.map((task) => ({
        id: task.name,
        cells: [task.name, count(task.subtasks), count(task.required), count(task.wanted), announced(task), task.gates.map(gate), task.partitions.map(partition)],
      })),
    ),
  );
}

/** @param {NetworkTask} task */
function announced({ announced: buffers, announceError }) {
  return buffers === null ? h("span", { class: "quiet" }, announceError ?? "–") : count(buffers);
}

/** @param {NetworkGate} gate */
function gate({ count: many, buffers }) {
  return h(
    "div",
    null,
    `${many > 1 ? `${count(many)} × ` : ""}${count(buffers.channels)} channels: ${count(buffers.exclusivePerChannel)} exclusive each, ${count(buffers.requiredFloating)} of ${count(buffers.totalFloating)} floating required`,
  );
}

/** @param {PartitionBuffers} partition */
function partition({ subpartitions, min, max }) {
  return h("div", null, `${count(subpartitions)} subpartitions: ${count(min)} to ${max === null ? "all that is left" : count(max)}`);
}
