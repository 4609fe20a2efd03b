// @ts-check
/**
 * Records and signals moved, added and removed in the picture. Lists in, lists out; what they lead to
 * is asked of the engine.
 * @import { EventTimeRow } from "../../src/web/types.ts"
 * @import { EventRow } from "./presets.js"
 */

import { freshName } from "./csv.js";
import { isSignal, isStatus } from "./signals.js";
import { readTime } from "./time.js";

/**
 * What the picture shows: a report's rows and which record of the list each item is.
 * @typedef {object} Shown
 * @property {EventTimeRow[]} rows
 * @property {number[]} order      places in the list by item
 * @property {EventRow[]} events   the list
 */

/**
 * The place in the list of a row's record or signal; -1 where the row has none.
 * @param {Shown} shown
 * @param {number} row
 */
export function placeOf({ rows, order }, row) {
  const item = rows[row]?.item ?? null;
  return item === null ? -1 : (order[item] ?? -1);
}

/**
 * The list with the record of a row at another time, and at the place in the order of another row.
 * @param {Shown} shown
 * @param {number} row
 * @param {number} time
 * @param {number} to
 */
export function moved(shown, row, time, to) {
  const place = placeOf(shown, row);
  if (place < 0) return shown.events;
  const old = shown.events[place];
  const record = isStatus(old) ? { ...old } : { ...old, time: String(time) };
  const beside = to === row ? -1 : nearestRecord(shown, to, row);
  if (beside < 0) return shown.events.map((other, index) => (index === place ? record : other));
  // With the arrival of the one it comes to stand beside, and listed on its far side.
  record.arrival = shown.events[beside].arrival;
  const others = shown.events.filter((_, index) => index !== place);
  const at = others.indexOf(shown.events[beside]) + (to > row ? 1 : 0);
  return [...others.slice(0, at), record, ...others.slice(at)];
}

/**
 * The list with one record more, that arrives right after a row.
 * @param {Shown} shown
 * @param {number} time
 * @param {number} after
 */
export function added(shown, time, after) {
  const { events } = shown;
  const beside = nearestRecord(shown, after, -1);
  const near = events[beside];
  // A signal has a source subtask in the place of the partition, and neither key nor value.
  const model = near && !isSignal(near) ? near : { key: "a", partition: "0", value: "", arrival: near?.arrival ?? "0" };
  const record = { ...model, id: freshName(events), time: String(time) };
  return [...events.slice(0, beside + 1), record, ...events.slice(beside + 1)];
}

/**
 * The row that a record or signal stands at some places further on in the order.
 * @param {Shown} shown
 * @param {number} row
 * @param {number} places  1 or -1
 */
export function nextRecord({ rows }, row, places) {
  for (let at = row + places; at >= 0 && at < rows.length; at += places) if (rows[at].item !== null) return at;
  return row;
}

/**
 * A time moved by some milliseconds.
 * @param {string} text
 * @param {number} by
 */
export function later(text, by) {
  return Number(readTime(text) ?? 0) + by;
}

/**
 * The place in the list of what the input has at a row or, for a row without, at the last before it.
 * @param {Shown} shown
 * @param {number} row
 * @param {number} except
 */
function nearestRecord(shown, row, except) {
  for (let at = row; at >= 0; at -= 1) if (at !== except && placeOf(shown, at) >= 0) return placeOf(shown, at);
  return -1;
}
