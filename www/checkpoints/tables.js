// @ts-check
/**
 * Tables of a report, with the names of Flink's REST API. Nothing here listens, so that all of it can
 * be patched.
 * @import { Checkpoint, CheckpointReport, EdgeReport, SubtaskCheckpoint } from "../../src/web/checkpoints.ts"
 * @import { Order } from "./rows.js"
 */

import { h } from "../dom.js";
import { count, exactBytes, percent, size } from "../format.js";
import { chosenRows, leftOut } from "./rows.js";

const NO_BREAK_SPACE = "\u00a0";

/**
 * Milliseconds in the unit a person would say: `8 ms`, `6.34 s`, `2 min 5 s`.
 * @param {number} ms
 */
export function duration(ms) {
  if (ms < 1000) return `${Number(ms.toFixed(ms < 10 ? 1 : 0))}${NO_BREAK_SPACE}ms`;
  if (ms < 60_000) return `${Number((ms / 1000).toPrecision(3))}${NO_BREAK_SPACE}s`;
  const seconds = Math.round(ms / 1000);
  const rest = seconds % 60;
  return `${Math.floor(seconds / 60)}${NO_BREAK_SPACE}min${rest > 0 ? ` ${rest}${NO_BREAK_SPACE}s` : ""}`;
}

/** @param {number} ms */
export function durationCell(ms) {
  return h("span", { title: `${count(Math.round(ms))}${NO_BREAK_SPACE}ms` }, duration(ms));
}

/** @param {number} bytes */
export function sizeCell(bytes) {
  return h("span", { title: exactBytes(bytes) }, size(bytes));
}

/** The fields of the REST API. @type {[string, (row: SubtaskCheckpoint) => Node | string][]} */
const SUBTASK_COLUMNS = [
  ["end_to_end_duration", (row) => durationCell(row.endToEndMs)],
  ["start_delay", (row) => durationCell(row.startDelayMs)],
  ["alignment.duration", (row) => durationCell(row.alignmentMs)],
  ["checkpoint.sync", (row) => durationCell(row.syncMs)],
  ["checkpoint.async", (row) => durationCell(row.asyncMs)],
  ["alignment.processed", (row) => sizeCell(row.processedBytes)],
  ["alignment.persisted", (row) => sizeCell(row.persistedBytes)],
  ["checkpointed_size", (row) => sizeCell(row.checkpointedSize)],
  ["state_size", (row) => sizeCell(row.stateSize)],
  ["unaligned_checkpoint", (row) => String(row.unaligned)],
  ["held back (not a REST field)", (row) => h("span", null, sizeCell(row.heldBytes), row.heldRecords > 0 ? `, ${count(row.heldRecords)}${NO_BREAK_SPACE}records` : "")],
];

/** What has not acknowledged has been waited for longer than any other. @param {SubtaskCheckpoint} row */
const isPendingRow = ({ status }) => status === "pending_or_failed";

/**
 * @param {Checkpoint} checkpoint
 * @param {Order} order
 * @param {number | null} named  the subtask that is named, a place in the report's tasks
 */
export function subtaskTable({ id, subtasks }, order, named) {
  const chosen = chosenRows(subtasks, (row) => (isPendingRow(row) ? Infinity : row.endToEndMs), order, ({ task }) => task === named);
  const rows = chosen.map((row) => {
    const isPending = isPendingRow(row);
    const cells = isPending ? SUBTASK_COLUMNS.map((_, column) => (column === 0 ? "pending_or_failed" : "–")) : SUBTASK_COLUMNS.map(([, cell]) => cell(row));
    return { id: `${row.vertex} ${row.index}`, cells: [`${row.vertex} ${row.index}`, ...cells] };
  });
  const heads = ["Subtask", ...SUBTASK_COLUMNS.map(([name]) => `#${name}`)];
  return h("div", null, figures(`Subtasks of checkpoint ${id}`, heads, rows), leftOut(subtasks.length, "that took longest"));
}

const STATUS_WORDS = { COMPLETED: "completed", FAILED: "failed", IN_PROGRESS: "in progress" };

/**
 * Every checkpoint; a button in its row puts it on show.
 * @param {CheckpointReport} report
 * @param {number | null} shown
 */
export function checkpointTable({ checkpoints }, shown) {
  if (checkpoints.length === 0) return h("p", { class: "quiet" }, "No checkpoint was triggered in the simulated time.");
  const hasFailed = checkpoints.some(({ failureMessage }) => failureMessage !== null);
  const rows = chosenRows(checkpoints, ({ endToEndMs }) => endToEndMs, "given", ({ id }) => id === shown).map((row) => ({
    id: String(row.id),
    class: row.id === shown ? "is-current" : null,
    cells: [
      h("button", { type: "button", class: "checkpoint-pick", "data-checkpoint": row.id, "aria-pressed": String(row.id === shown) }, `Checkpoint ${count(row.id)}`),
      h("span", { class: `checkpoint-status is-${row.status.toLowerCase()}` }, STATUS_WORDS[row.status]),
      durationCell(row.triggeredMs),
      durationCell(row.endToEndMs),
      sizeCell(row.checkpointedSize),
      sizeCell(row.stateSize),
      sizeCell(row.processedBytes),
      sizeCell(row.persistedBytes),
      `${count(row.numAcknowledged)} of ${count(row.numSubtasks)}`,
      ...(hasFailed ? [row.failureMs === null ? "–" : durationCell(row.failureMs), h("span", { class: "sentences" }, row.failureMessage ?? "–")] : []),
    ],
  }));
  const failure = hasFailed ? ["#failed at", "failure_message"] : [];
  const heads = ["Checkpoint", "status", "#triggered at", "#end_to_end_duration", "#checkpointed_size", "#state_size", "#processed_data", "#persisted_data", "#acknowledged", ...failure];
  return h("div", null, figures("All checkpoints", heads, rows), leftOut(checkpoints.length, "that took longest"));
}

/**
 * @param {CheckpointReport} report
 */
export function taskTable({ tasks, runMs, verdict }) {
  /** @param {number} ms */
  const share = (ms) => h("span", { title: `${count(Math.round(ms))}${NO_BREAK_SPACE}ms` }, percent(ms / Math.max(runMs, 1)));
  const chosen = chosenRows(tasks, ({ busyMs }) => busyMs, "given", (row) => tasks[verdict.task ?? -1] === row);
  const rows = chosen.map((row) => ({
    id: `${row.vertex} ${row.index}`,
    cells: [
      `${row.vertex} ${row.index}`,
      h("span", { class: `pressure is-${row.level}` }, row.level),
      share(row.backpressuredMs),
      share(row.busyMs),
      share(row.idleMs),
      count(row.recordsIn),
      count(row.recordsOut),
    ],
  }));
  const heads = ["Subtask", "backpressureLevel", "#backpressured", "#busy", "#idle", "#numRecordsIn", "#numRecordsOut"];
  return h("div", null, figures("Tasks over the run", heads, rows), leftOut(tasks.length, "that were busiest"));
}

/** @type {Record<EdgeReport["passing"], string>} */
const PASSING = {
  aligned: "aligned: they block the channels that are early",
  forcedAligned: "stay aligned, whatever the mode",
  alignedThenOvertaking: "aligned, and overtake after the timeout",
  overtaking: "overtake at once",
  blockNothing: "block nothing",
};

/**
 * How barriers pass each edge, and how much may be in flight on it.
 * @param {CheckpointReport} report
 */
export function edgeTable({ edges }) {
  /** @param {number} buffers @param {number} bytes */
  const held = (buffers, bytes) => h("span", null, sizeCell(bytes), `, ${count(buffers)}${NO_BREAK_SPACE}buffers`);
  const rows = edges.map((it, at) => ({
    id: `edge ${at}`,
    cells: [
      `${it.from} → ${it.to}`,
      it.exchange,
      h("span", { class: `passing is-${it.passing}` }, PASSING[it.passing]),
      `${count(it.channels)}${it.remoteChannels < it.channels ? `, ${count(it.remoteChannels)} remote` : ""}`,
      count(it.gateBuffers),
      held(it.inputBuffers, it.inputBytes),
      held(it.outputBuffers, it.outputBytes),
    ],
  }));
  return figures("Edges", ["Edge", "exchange", "Barriers", "#Channels", "#Buffers of the largest input gate", "#All input gates hold", "#Senders’ pools hold"], rows);
}

/**
 * Records at both ends of the job, while a checkpoint ran and otherwise.
 * @param {CheckpointReport} report
 */
export function latencyTable({ latency, throughput }) {
  /** @param {number | null} rate */
  const perSecond = (rate) => (rate === null ? "–" : `${count(Math.round(rate))}/s`);
  /** @param {import("../../src/web/checkpoints.ts").LatencyPercentiles | null} of */
  const times = (of) => (of ? [of.p50Ms, of.p95Ms, of.p99Ms, of.maxMs].map(durationCell) : ["–", "–", "–", "–"]);
  const rows = [
    { id: "during", cells: ["While a checkpoint ran", perSecond(throughput.sourceDuring), perSecond(throughput.sinkDuring), ...times(latency.during)] },
    { id: "without", cells: ["Otherwise", perSecond(throughput.sourceWithout), perSecond(throughput.sinkWithout), ...times(latency.without)] },
  ];
  return figures("Throughput and latency", ["When", "#Sources", "#Last vertex", "#Latency: median", "#95 %", "#99 %", "#most"], rows);
}

/** @type {Record<import("../../src/web/checkpoints.ts").RecoveryReport["noticedBy"], string>} */
const NOTICED = {
  taskFailure: "the task itself",
  connectionClosed: "a connection closed",
  heartbeatRpcFailures: "heartbeats that fail",
  heartbeatTimeout: "heartbeat.timeout",
  checkpointFailures: "too many failed checkpoints",
};

/**
 * Failures, and what followed; moments count from the start of the run.
 * @param {CheckpointReport} report
 */
export function recoveryTable({ recoveries, tasks }) {
  const shown = chosenRows(recoveries, ({ failedMs, caughtUpMs }) => (caughtUpMs === null ? Infinity : caughtUpMs - failedMs));
  /** @param {number | null} ms @param {string} none */
  const moment = (ms, none) => (ms === null ? none : durationCell(ms));
  const rows = shown.map((it, at) => ({
    id: String(at),
    cells: [
      durationCell(it.failedMs),
      it.task === null || !tasks[it.task] ? "–" : `${tasks[it.task].vertex} ${tasks[it.task].index}`,
      h("span", null, durationCell(it.noticedMs), `, by ${NOTICED[it.noticedBy]}`),
      it.suppressed !== null ? it.suppressed : it.restoredCheckpoint === null ? "none: it begins anew" : `checkpoint ${count(it.restoredCheckpoint)}`,
      durationCell(it.recoveryPointMs),
      it.failedRestarts === 0 ? moment(it.restartedMs, "not in this run") : h("span", null, moment(it.restartedMs, "not in this run"), `, failed restarts before: ${count(it.failedRestarts)}`),
      durationCell(it.restoreMs),
      count(it.recordsReplayed),
      count(it.recordsTwice),
      moment(it.caughtUpMs, "not in this run"),
    ],
  }));
  const heads = ["Failed at", "Subtask", "Noticed at", "Restored from", "#Recovery point", "#Runs again at", "#State read for", "#Records read again", "#Counted twice", "#Caught up at"];
  return h("div", null, figures("Failures and recoveries", heads, rows), leftOut(recoveries.length, "that took longest"));
}

/**
 * @param {string} caption
 * @param {string[]} heads   a leading `#` marks a column of numbers
 * @param {{ id: string, class?: string | null, cells: (Node | string)[] }[]} rows
 * @param {boolean} [isWhole]  not scrolled, since its rows are few and belong together
 */
export function figures(caption, heads, rows, isWhole = false) {
  const kinds = heads.map((head) => (head.startsWith("#") ? "number" : null));
  return h(
    "div",
    { class: isWhole ? "scroller" : "scroller tall-scroller", tabindex: 0, role: "region", "aria-label": caption },
    h(
      "table",
      { class: "figures" },
      h("caption", { class: "off-screen" }, caption),
      h("thead", null, h("tr", null, heads.map((head, column) => h("th", { scope: "col", class: kinds[column] }, head.replace(/^#/, ""))))),
      h(
        "tbody",
        null,
        rows.map((row) =>
          h("tr", { "data-id": row.id, class: row.class }, row.cells.map((cell, column) => (column === 0 ? h("th", { scope: "row" }, cell) : h("td", { class: kinds[column], "data-head": isWhole ? heads[column].replace(/^#/, "") : null }, cell)))),
        ),
      ),
    ),
  );
}
