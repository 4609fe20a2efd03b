// @ts-check
/**
 * Tables of a report: windows with their results, late records, sources. Nothing here listens, so that
 * all of it can be patched.
 * @import { EventTimeReport, WindowLife } from "../../src/web/types.ts"
 */

import { h } from "../dom.js";
import { count } from "../format.js";
import { table } from "../panels/parts.js";
import { many, recordOutcome } from "./log.js";
import { timeText, windowText } from "./time.js";

const ROWS_MAX = 200;

/**
 * The windows as they are at a place of the player.
 * @param {EventTimeReport} report
 * @param {number} position
 */
export function windowTable(report, position) {
  const seen = report.windows.filter(({ opened }) => opened < position);
  if (seen.length === 0) return h("p", { class: "quiet" }, "No window is open yet.");
  const rows = seen.slice(0, ROWS_MAX).map((window) => {
    const fired = window.fired.filter((row) => row < position);
    const last = firingAt(report, window, fired[fired.length - 1]);
    return {
      id: `${window.key} ${windowText(window)} ${window.opened}`,
      cells: [
        h("span", null, windowText(window), h("span", { class: "quiet" }, ` ${window.key}`)),
        stateOf(window, fired.length, position),
        count(fired.length),
        last ? count(last.count) : "–",
        last ? count(last.sum) : "–",
        timeText(window.cleanup) === "end of input" ? "never" : timeText(window.cleanup),
        count(window.takenLate),
      ],
    };
  });
  const table = figures("Windows and their results", ["Window, key", "State", "#Firings", "#Records in the last", "#Sum", "#Cleaned at watermark", "#Taken late, in all"], rows);
  const omitted = report.windowsOmitted > 0 ? h("p", { class: "quiet" }, `${count(report.windowsOmitted)} more windows are counted and not listed.`) : "";
  return h("div", null, table, more(seen.length), omitted);
}

/**
 * @param {EventTimeReport} report
 * @param {WindowLife} window
 * @param {number | undefined} row
 */
function firingAt(report, { key, start, end }, row) {
  if (row === undefined) return null;
  const { record, firings } = report.rows[row];
  const all = [...(record?.firings ?? []), ...firings];
  return all.reverse().find((firing) => firing.key === key && firing.start === start && firing.end === end) ?? null;
}

/**
 * The life of a window as people name it.
 * @param {WindowLife} window
 * @param {number} fired
 * @param {number} position
 */
function stateOf({ closed, mergedAway }, fired, position) {
  const isClosed = closed !== null && closed < position;
  if (isClosed) return h("span", { class: "window-state is-closed" }, mergedAway ? "merged into another" : "expired");
  if (fired > 0) return h("span", { class: "window-state is-kept" }, "fired, still kept");
  return h("span", { class: "window-state is-open" }, "open");
}

/**
 * Records that no window counted.
 * @param {EventTimeReport} report
 * @param {number} position
 */
export function lateTable(report, position) {
  const lost = report.rows.slice(0, position).flatMap((row, index) => (row.record?.destination ? [{ row, record: row.record, index }] : []));
  if (lost.length === 0) return h("p", { class: "quiet" }, "None so far.");
  const rows = lost.slice(0, ROWS_MAX).map(({ row, record, index }) => ({
    id: String(index),
    cells: [
      record.id,
      record.key,
      timeText(record.time),
      timeText(row.watermarkBefore),
      h("span", null, recordOutcome(record), ` ${record.destination === "sideOutput" ? "to the side output" : "numLateRecordsDropped"}`),
    ],
  }));
  return h("div", null, figures("Side output and dropped records", ["Event id", "Key", "#Event time", "#Watermark at arrival", "Where it went"], rows), more(lost.length));
}

/**
 * Who holds the watermark.
 * @param {EventTimeReport} report
 */
export function sourceTable({ sources, subtasks }) {
  const rows = sources.slice(0, ROWS_MAX).map(({ subtask, partitions, events, watermark, idle, holdsBack, lastSent, parts }) => ({
    id: String(subtask),
    cells: [
      count(subtask),
      partitions.length === 0 ? "none" : partitions.slice(0, 20).join(", "),
      count(events),
      timeText(watermark),
      lastSent === null ? "never" : `step ${count(lastSent + 1)}`,
      h("span", { class: holdsBack ? "holds-back" : "quiet" }, idle ? "idle, left out" : holdsBack ? `holds the watermark back${heldBy(parts)}` : "does not hold it back"),
    ],
  }));
  const spread = subtasks.slice(0, ROWS_MAX).map(({ subtask, events, keys }) => `${count(subtask)}: ${many(events, "record")} of ${many(keys, "key")}`);
  return h(
    "div",
    null,
    figures("Source subtasks at the end", ["Source subtask", "Partitions", "#Records", "#Last watermark", "#Last sent at", "Part in the minimum"], rows),
    more(sources.length),
    subtasks.length > 1 ? h("p", { class: "quiet" }, `Window subtasks by key group: ${spread.join("; ")}.`) : null,
  );
}

/** Which of several partitions it is. @param {EventTimeReport["sources"][number]["parts"]} parts */
function heldBy(parts) {
  const held = parts.filter(({ holdsBack }) => holdsBack).map(({ partition }) => count(partition));
  return parts.length > 1 && held.length > 0 ? `: ${held.length === 1 ? "partition" : "partitions"} ${held.slice(0, 20).join(", ")}` : "";
}

/** @param {number} length */
function more(length) {
  return length > ROWS_MAX ? h("p", { class: "quiet" }, `and ${count(length - ROWS_MAX)} more; the JSON has all.`) : null;
}

/**
 * @param {string} caption
 * @param {string[]} heads   a leading `#` marks a column of numbers
 * @param {{ id: string, cells: (Node | string)[] }[]} rows
 */
export function figures(caption, heads, rows) {
  const scroller = table(caption, heads, rows);
  scroller.classList.add("tall-scroller");
  return scroller;
}
