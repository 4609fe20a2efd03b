// @ts-check
/**
 * Times as they are written and as they read. Milliseconds stay milliseconds; what is a date is
 * written as one.
 * @import { EventTime } from "../../src/web/types.ts"
 */

import { count } from "../format.js";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Times closer to the epoch than this are read as a count, not as a date. */
const COUNTED_MAX = 366 * DAY;
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
  const [year, month, day] = (/^([+-]?\d+)-(\d+)-(\d+)/.exec(iso) ?? []).slice(1).map(Number);
  // A Date takes the 30th of February for a day of March.
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return null;
  const ms = Date.parse(/T/i.test(iso) && !/(?:Z|[+-]\d{2}:?\d{2})$/i.test(iso) ? `${iso}Z` : iso);
  return Number.isNaN(ms) ? null : ms;
}

/**
 * A point in event time, or what stands for its two ends, as the engine's sentences write it.
 * @param {EventTime} time
 */
export function timeText(time) {
  if (time === null) return "no watermark yet";
  if (time === "endOfInput") return "end of input";
  const ms = Number(time);
  if (!Number.isSafeInteger(ms)) return `${count(time)}\u00a0ms`;
  if (Math.abs(ms) < COUNTED_MAX) return spanText(ms);
  return Math.abs(ms) <= DATE_MS_MAX ? dateText(ms) : `${count(ms)}\u00a0ms`;
}

/**
 * Whether a time is written as a date.
 * @param {EventTime} time
 */
export function isDate(time) {
  return typeof time === "number" && Math.abs(time) >= COUNTED_MAX;
}

/**
 * A span in the unit a person would say: `250 ms`, `14.999 s`, `5 min`, `2 h 30 min`.
 * @param {number} ms
 */
function spanText(ms) {
  const rest = Math.abs(ms);
  const sign = ms < 0 ? "\u2212" : "";
  /** @param {number} number @param {string} unit */
  const of = (number, unit) => `${sign}${number}\u00a0${unit}`;
  if (rest > 0 && rest < SECOND) return of(rest, "ms");
  if (rest === 0) return of(0, "s");
  if (rest % DAY === 0) return of(rest / DAY, "d");
  if (rest % HOUR === 0) return of(rest / HOUR, "h");
  if (rest % MINUTE === 0 && rest > HOUR) return `${of(Math.floor(rest / HOUR), "h")} ${(rest % HOUR) / MINUTE}\u00a0min`;
  if (rest % MINUTE === 0) return of(rest / MINUTE, "min");
  return of(rest / SECOND, "s");
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
