// @ts-check
/**
 * What was read from Flink's REST answers. Nothing here listens, so that all of it can be patched.
 * @import { CheckpointRow, Fitted, Piece, Prediction, SubtaskMeans, SubtaskPrediction, SubtaskRow } from "../../../src/web/checkpoints.ts"
 * @import { Child } from "../../dom.js"
 * @import { Order } from "../rows.js"
 */

import { h, prose } from "../../dom.js";
import { count, exactBytes, size } from "../../format.js";
import { chosenRows, leftOut } from "../rows.js";

const NO_BREAK_SPACE = "\u00a0";
const UNKNOWN = "–";
/** Pieces of what was given that are listed. */
const PIECES_MAX = 300;

/** The most characters of a text of the user's that are shown in one place. */
const TEXT_MAX = 600;

/** A message may hold a stack trace. @param {string} text */
export function cut(text) {
  return text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)}… (cut)` : text;
}

/** @param {number | null} ms */
export function duration(ms) {
  if (ms === null) return UNKNOWN;
  if (Math.abs(ms) < 1000) return `${Math.round(ms)}${NO_BREAK_SPACE}ms`;
  if (Math.abs(ms) < 60_000) return `${Number((ms / 1000).toPrecision(3))}${NO_BREAK_SPACE}s`;
  return `${Math.floor(ms / 60_000)}${NO_BREAK_SPACE}min ${Math.round((ms % 60_000) / 1000)}${NO_BREAK_SPACE}s`;
}

/** @param {number | null} bytes */
function bytes(bytes) {
  return bytes === null ? UNKNOWN : h("span", { title: exactBytes(Math.round(bytes)) }, size(Math.round(bytes)));
}

/** @param {number | null} ms */
function time(ms) {
  return ms === null ? UNKNOWN : h("span", { title: `${count(Math.round(ms))}${NO_BREAK_SPACE}ms` }, duration(ms));
}

/**
 * @param {string} caption
 * @param {string[]} heads
 * @param {Child[][]} rows
 * @param {number} [of]  how many there are of which these took longest
 */
function table(caption, heads, rows, of = rows.length) {
  const body = rows.map((cells) => h("tr", null, cells.map((cell, column) => (column === 0 ? h("th", { scope: "row" }, cell) : h("td", null, cell)))));
  return [
    h("div", { class: "scroller", tabindex: 0, role: "region", "aria-label": caption },
      h("table", { class: "figures" }, h("caption", { class: "off-screen" }, caption), h("thead", null, h("tr", null, heads.map((head) => h("th", { scope: "col" }, head)))), h("tbody", null, body))),
    leftOut(of, "that took longest"),
  ];
}

/** @param {Piece[]} pieces */
export function pieceList(pieces) {
  return h("ul", { class: "import-pieces" }, pieces.slice(0, PIECES_MAX).map(({ from, what, isUsed, says }) =>
    h("li", { class: isUsed ? null : "is-ignored" }, h("code", null, from), h("span", null, what === "" ? " not recognised. " : ` ${what}${isUsed ? "" : ", not used"}. `), says)));
}

/**
 * @param {CheckpointRow[]} rows
 * @param {number | null} shown
 */
export function checkpointTable(rows, shown) {
  const heads = ["Checkpoint", "status", "end_to_end_duration", "checkpointed_size", "state_size", "persisted_data", "acknowledged", "failure_message"];
  return table("Checkpoints, the newest first", heads, chosenRows(rows, ({ endToEndMs }) => endToEndMs ?? 0, "given", ({ id }) => id === shown).map((row) => [
    h("button", { type: "button", class: "checkpoint-pick", "data-checkpoint": row.id, "aria-pressed": String(row.id === shown) }, row.id),
    row.status,
    time(row.endToEndMs),
    bytes(row.checkpointedSize),
    bytes(row.stateSize),
    bytes(row.persistedBytes),
    row.acknowledged === null ? UNKNOWN : `${row.acknowledged} of ${row.subtasks ?? UNKNOWN}`,
    h("span", { class: "sentences" }, cut(row.failure ?? "")),
  ]), rows.length);
}

/**
 * @param {number} id
 * @param {SubtaskRow[]} rows
 * @param {Order} order
 */
export function subtaskTable(id, rows, order) {
  const heads = ["Subtask", "end_to_end_duration", "start_delay", "alignment.duration", "of it inside async", "checkpoint.sync", "checkpoint.async", "messages", "alignment.processed", "alignment.persisted", "checkpointed_size", "unaligned_checkpoint"];
  return table(`Subtasks of checkpoint ${id}`, heads, chosenRows(rows, ({ endToEndMs }) => endToEndMs ?? Infinity, order).map((row) => [
    `${row.vertex} ${row.index}`,
    row.endToEndMs === null ? row.status || UNKNOWN : time(row.endToEndMs),
    time(row.startDelayMs),
    time(row.alignmentMs),
    time(row.insideAsyncMs),
    time(row.syncMs),
    time(row.asyncMs),
    time(row.restMs),
    bytes(row.processedBytes),
    bytes(row.persistedBytes),
    bytes(row.checkpointedSize),
    row.unaligned === null ? UNKNOWN : String(row.unaligned),
  ]), rows.length);
}

/** @param {Prediction} prediction @param {number | null} value */
function figure({ unit }, value) {
  return unit === "ms" ? time(value) : bytes(value);
}

/**
 * Two rows for each subtask, what Flink said and what the simulation says.
 * @param {SubtaskPrediction[]} subtasks
 */
function subtaskPredictions(subtasks) {
  const heads = ["Slowest subtasks", "Values", "end_to_end_duration", "start_delay", "alignment.duration", "checkpoint.sync", "checkpoint.async", "alignment.processed", "alignment.persisted"];
  /** @param {SubtaskMeans} it */
  const cells = (it) => [time(it.endToEndMs), time(it.startDelayMs), time(it.alignmentMs), time(it.syncMs), time(it.asyncMs), bytes(it.processedBytes), bytes(it.persistedBytes)];
  return table("Subtasks of the fitted scenario beside the real ones", heads, subtasks.flatMap(({ vertex, index, real, predicted }) => [
    [`${vertex} ${index}`, "real, mean", ...cells(real)],
    [`${vertex} ${index}`, "simulated", ...cells(predicted)],
  ]));
}

/** @param {Fitted} fitted */
export function fittedView({ rules, predictions, subtasks, reach, refusal }) {
  return [
    refusal ? h("p", null, prose(refusal)) : null,
    predictions.length > 0
      ? table("The fitted scenario beside the real job", ["Measure", "real, mean", "simulated"], predictions.map((it) => [it.name, figure(it, it.real), figure(it, it.predicted)]))
      : null,
    subtasks.length > 0 ? subtaskPredictions(subtasks) : null,
    subtasks.length > 0 ? h("p", { class: "quiet" }, "Of a simulated subtask the asynchronous part holds what no phase explains of the real one: messages take no time here.") : null,
    reach === "" ? null : h("p", { class: "quiet" }, prose(reach)),
    h("details", null, h("summary", null, "How each value was inferred"),
      table("Rules of inference", ["Value", "is", "from"], rules.map((rule) => [rule.of, rule.value, h("span", null, rule.isAssumed ? h("strong", null, "assumed: ") : null, rule.from)]))),
  ];
}
