// @ts-check
/**
 * The rows of the log: what each record met and what it changed.
 * @import { FiringReport, RecordReport, EventTimeReport, EventTimeRow } from "../../src/web/types.ts"
 * @import { Column } from "../elements/virtual-table.js"
 */

import { h } from "../dom.js";
import { count, size } from "../format.js";
import { timeText, windowText } from "./time.js";

/** @type {Column[]} */
export const LOG_COLUMNS = [
  { id: "id", head: "Event" },
  { id: "time", head: "Event time", class: "number" },
  { id: "arrival", head: "Arrival", class: "number" },
  { id: "watermark", head: "Watermark then", class: "number" },
  { id: "outcome", head: "Outcome", class: "wide" },
  { id: "state", head: "State impact", class: "wide" },
];

/** One meaning, one mark: the chart draws the same. @type {Record<string, [string, string]>} */
const OUTCOMES = {
  onTime: ["on-time", "on time"],
  late: ["late", "late but counted"],
  dropped: ["dropped", "dropped"],
  ignored: ["ignored", "in no window"],
  duplicate: ["ignored", "duplicate, left out"],
};

/** @param {EventTimeRow} row */
export function logRow(row) {
  const { record } = row;
  const outcome = record ? recordOutcome(record) : row.item === null ? clockOutcome(row) : h("span", { class: "quiet" }, "signal");
  return {
    class: record ? `is-${OUTCOMES[record.outcome ?? ""]?.[0] ?? "failed"}` : "is-signal",
    cells: [
      record ? h("span", { title: keyText(record) }, record.id, h("span", { class: "quiet" }, ` ${record.key}`)) : nameOf(row),
      record ? timeText(record.time) : "–",
      timeText(row.at),
      timeText(row.watermarkBefore),
      twoLines(outcome, effectText(row), textOf(row)),
      twoLines(takenText(row), stateText(row), ""),
    ],
  };
}

/** Where the key goes. @param {RecordReport} record */
function keyText({ key, keyGroup, subtask }) {
  return `key ${key}: key group ${count(keyGroup)}, window subtask ${count(subtask)}`;
}

/** @param {EventTimeRow} row */
function nameOf(row) {
  if (row.item !== null) return h("span", null, "signal", h("span", { class: "quiet" }, row.sent.map(({ subtask }) => ` of source subtask ${subtask}`)[0] ?? " without effect"));
  return clockName(row);
}

/** @param {EventTimeRow} row */
function clockName(row) {
  if (row.restored) return "restore";
  return row.watermarkAfter === "endOfInput" ? "end of input" : "clock";
}

/** @param {EventTimeRow} row */
function clockOutcome(row) {
  if (row.restored) return h("span", { class: "holds-back" }, "from its savepoint");
  return h("span", { class: "quiet" }, row.watermarkAfter === "endOfInput" ? "the input ends" : "periodic call");
}

/** @param {RecordReport} record */
export function recordOutcome(record) {
  const [mark, words] = OUTCOMES[record.outcome ?? ""] ?? ["failed", "the job failed"];
  return h("span", { class: `outcome is-${mark}` }, `${words}${record.partial ? " by some windows" : ""}`);
}

/**
 * @param {Node | string} first
 * @param {string} second
 * @param {string} whole  where the lines may be cut
 */
function twoLines(first, second, whole) {
  return h("div", { class: "lines", title: whole || second }, h("div", null, first), h("div", { class: "quiet" }, second));
}

/**
 * What followed in one line: where it went, what fired, how the watermark moved.
 * @param {EventTimeRow} row
 */
function effectText(row) {
  const parts = [];
  if (row.record?.destination === "sideOutput") parts.push("to the side output");
  if (row.record?.destination === "counter") parts.push("numLateRecordsDropped");
  const firings = firingsOf(row);
  if (firings.length > 0) parts.push(`fires ${firings.slice(0, 3).map(firingText).join(", ")}${firings.length > 3 ? ` and ${count(firings.length - 3)} more` : ""}`);
  for (const { subtask, signal } of row.sent) {
    if (signal.kind === "status") parts.push(`source subtask ${subtask} is ${signal.status}`);
  }
  if (row.watermarkAfter !== row.watermarkBefore) parts.push(row.watermarkAfter === null ? timeText(null) : `watermark ${timeText(row.watermarkAfter)}`);
  if (row.error) parts.push(row.error);
  return parts.join(" · ");
}

/** @param {EventTimeRow} row */
export function textOf(row) {
  const { record } = row;
  const place = record ? keyText(record) : "";
  const windows = record?.windows.map((window) => `${windowText(window)} ${STATUS[window.status]}`) ?? [];
  return [record?.outcome ? OUTCOMES[record.outcome][1] : "", effectText(row), ...windows, place].filter(Boolean).join("; ");
}

/** @type {Record<string, string>} */
export const STATUS = { open: "open", keptForLateness: "fired, kept for lateness", expired: "expired" };

/** @param {FiringReport} firing */
function firingText({ key, start, end, count: records, refire }) {
  return `${windowText({ start, end })} ${key}: ${count(records)}${refire ? ", again" : ""}`;
}

/** @param {EventTimeRow} row */
export function firingsOf(row) {
  return [...(row.record?.firings ?? []), ...row.firings];
}

/** @param {EventTimeRow} row */
function takenText(row) {
  const into = row.record?.windows.filter(({ status }) => status !== "expired") ?? [];
  if (into.length === 0) return "nothing taken";
  return into.length === 1 ? `into ${windowText(into[0])}` : `into ${many(into.length, "window")}`;
}

/** @param {EventTimeRow} row */
function stateText(row) {
  return `${count(row.openWindows)}\u00a0open · ${many(row.elements, "copy", "copies")} · ${many(row.timers, "timer")} · ${size(row.kept.heap)}`;
}

/**
 * @param {number} number
 * @param {string} one
 * @param {string} [more]
 */
export function many(number, one, more = `${one}s`) {
  return `${count(number)}\u00a0${number === 1 ? one : more}`;
}

/**
 * The words for a place of the player.
 * @param {EventTimeReport | null} report
 * @param {number} position
 */
export function placeText(report, position) {
  if (!report || report.rows.length === 0) return "No steps.";
  const row = report.rows[position - 1];
  const name = row.record ? `${row.record.id} (event time ${timeText(row.record.time)})` : row.item === null ? clockName(row) : "signal";
  return `Step ${count(position)} of ${count(report.rows.length)}: ${name} – ${textOf(row) || "nothing follows"}`;
}
