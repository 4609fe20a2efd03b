// @ts-check
/**
 * Watermarks and statuses among the records: rows whose id is the name of a signal. Their partition is
 * the source subtask that sends them, and the event time of a watermark is the watermark.
 * @import { EventRow } from "./presets.js"
 */

/** @type {[string, string][]} */
export const SIGNALS = [
  ["!watermark", "watermark"],
  ["!idle", "idle"],
  ["!active", "active"],
];

/** @param {EventRow} row */
export function isSignal({ id }) {
  return SIGNALS.some(([name]) => name === id);
}

/** A status has no time of its own. @param {EventRow} row */
export function isStatus(row) {
  return isSignal(row) && row.id !== "!watermark";
}

/**
 * A signal after the last row.
 * @param {EventRow[]} events
 * @param {string} id
 * @returns {EventRow}
 */
export function signalAfter(events, id) {
  const last = events[events.length - 1];
  return { id, time: last?.time ?? "0", arrival: last?.arrival ?? "0", key: "", partition: "0", value: "" };
}
