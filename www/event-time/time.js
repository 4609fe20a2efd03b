// @ts-check
/**
 * Times as they are written and as they read. Milliseconds stay milliseconds; what is a date is
 * written as one.
 * @import { EventTime } from "../../src/web/types.ts"
 */

import { count } from "../format.js";

/** From here on a number of milliseconds is taken for a date: March 1973. */
const DATE_FROM_MS = 1e11;
const DATE_MS_MAX = 8.64e15;
const ISO = /^[+-]?\d{4,6}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/i;

/**
 * Null for what is no time. A date without a zone is UTC.
 * @param {string} text
 * @returns {number | string | null}
 */
export function readTime(text) {
  const plain = text.trim().replace(/^−/, "-");
  if (/^-?\d[\d\s_\u202f]*$/.test(plain)) {
    const digits = plain.replace(/[\s_\u202f]/g, "");
    return Number.isSafeInteger(Number(digits)) ? Number(digits) : digits;
  }
  if (!ISO.test(plain)) return null;
  const iso = plain.replace(" ", "T");
  const ms = Date.parse(/T/i.test(iso) && !/(?:Z|[+-]\d{2}:?\d{2})$/i.test(iso) ? `${iso}Z` : iso);
  return Number.isNaN(ms) ? null : ms;
}

/**
 * A point in event time, or what stands for its two ends.
 * @param {EventTime} time
 */
export function timeText(time) {
  if (time === null) return "no watermark yet";
  if (time === "endOfInput") return "end of input";
  const ms = Number(time);
  return Math.abs(ms) >= DATE_FROM_MS && Math.abs(ms) <= DATE_MS_MAX ? dateText(ms) : count(time);
}

/**
 * @param {{ start: EventTime, end: EventTime }} window
 */
export function windowText({ start, end }) {
  if (start === null && end === "endOfInput") return "global window";
  return `[${timeText(start)}, ${timeText(end)})`;
}

/** @param {number} ms */
function dateText(ms) {
  const [date, time] = new Date(ms).toISOString().split("T");
  return `${date} ${time.replace(/(?:\.000)?Z$/, "").replace(/Z$/, "")}`;
}
