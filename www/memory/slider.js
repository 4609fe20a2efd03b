// @ts-check
/**
 * Where a slider stands and what text a position writes: a mapping for the hand, not arithmetic of
 * Flink. Sizes are written as whole MiB, everything else with at most two decimals.
 * @import { Bytes, FormField } from "../../src/web/types.ts"
 */

/** Positions run from 0 to this. */
export const POSITIONS = 1000;
const MIB = 1024 * 1024;

/** @typedef {NonNullable<FormField["slider"]>} Range */

/**
 * @param {Range} range
 * @param {number} position
 * @returns {string} the text Flink takes
 */
export function textAt(range, position) {
  const value = valueAt(range, position / POSITIONS);
  if (range.unit === "bytes") return `${Math.round(value / MIB)}m`;
  if (Number.isInteger(range.min) && range.max - range.min > 2) return String(Math.round(value));
  return String(Math.round(value * 100) / 100);
}

/**
 * @param {Range} range
 * @param {number} part  0 to 1
 */
function valueAt({ min, max, scale, unit }, part) {
  if (scale === "linear") return min + (max - min) * part;
  // A logarithm has no zero: the left end stands for it.
  const low = Math.max(min, unit === "bytes" ? MIB : 1);
  if (part === 0) return min;
  return low * (max / low) ** part;
}

/**
 * @param {Range} range
 * @param {Bytes} value
 * @returns {number}
 */
export function positionOf({ min, max, scale, unit }, value) {
  const number = Number(value);
  if (!(number > min)) return 0;
  if (number >= max) return POSITIONS;
  if (scale === "linear") return Math.round(((number - min) / (max - min)) * POSITIONS);
  const low = Math.max(min, unit === "bytes" ? MIB : 1);
  return Math.max(0, Math.round((Math.log(number / low) / Math.log(max / low)) * POSITIONS));
}
