// @ts-check
/**
 * How values read: sizes to three figures, exact bytes, shares. Pure; knows no Flink.
 * Sizes above 2^53 arrive as decimal text, so all of it is BigInt arithmetic.
 * @import { Bytes } from "../src/web/types.ts"
 */

const NARROW_SPACE = "\u202f";
const NO_BREAK_SPACE = "\u00a0";
const MINUS = "\u2212";
const UNITS = /** @type {const} */ ([
  ["EiB", 1n << 60n],
  ["PiB", 1n << 50n],
  ["TiB", 1n << 40n],
  ["GiB", 1n << 30n],
  ["MiB", 1n << 20n],
  ["KiB", 1n << 10n],
]);

/**
 * `402653174` → `384 MiB`.
 * @param {Bytes} bytes
 */
export function size(bytes) {
  const exact = BigInt(bytes);
  const magnitude = exact < 0n ? -exact : exact;
  const sign = exact < 0n ? MINUS : "";
  for (const [name, unit] of UNITS) {
    if (magnitude >= unit) return `${sign}${threeFigures(magnitude, unit)}${NO_BREAK_SPACE}${name}`;
  }
  return `${sign}${magnitude}${NO_BREAK_SPACE}B`;
}

/**
 * @param {bigint} value
 * @param {bigint} unit
 */
function threeFigures(value, unit) {
  for (const decimals of [2, 1, 0]) {
    const scale = 10n ** BigInt(decimals);
    const rounded = divideToEven(value * scale, unit);
    if (decimals > 0 && rounded >= 1000n) continue;
    const digits = rounded.toString().padStart(decimals + 1, "0");
    return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`.replace(/\.?0+$/, "");
  }
  return value.toString();
}

/**
 * Ties go to the even digit, as in the engine's own sentences.
 * @param {bigint} value
 * @param {bigint} by
 */
function divideToEven(value, by) {
  const quotient = value / by;
  const twice = (value % by) * 2n;
  return twice > by || (twice === by && quotient % 2n === 1n) ? quotient + 1n : quotient;
}

/**
 * `1811939328` → `1 811 939 328 bytes`, with narrow no-break spaces.
 * @param {Bytes} bytes
 */
export function exactBytes(bytes) {
  return `${count(bytes)}${NO_BREAK_SPACE}${BigInt(bytes) === 1n ? "byte" : "bytes"}`;
}

/**
 * A difference with its sign: `+1 GiB`, `−384 MiB`, `same`.
 * @param {Bytes} bytes
 */
export function signedSize(bytes) {
  const exact = BigInt(bytes);
  if (exact === 0n) return "same";
  return exact > 0n ? `+${size(bytes)}` : size(bytes);
}

/**
 * The same to the byte.
 * @param {Bytes} bytes
 */
export function exactDifference(bytes) {
  return BigInt(bytes) > 0n ? `+${exactBytes(bytes)}` : exactBytes(bytes);
}

/**
 * A share with its sign; nothing where there is none.
 * @param {number | null} share
 */
export function signedPercent(share) {
  if (share === null || share === 0) return "";
  return share > 0 ? `+${percent(share)}` : percent(share).replace("-", MINUS);
}

/**
 * A whole number with thin separators.
 * @param {number | string | bigint} value
 */
export function count(value) {
  const text = BigInt(value).toString();
  return text.replace("-", MINUS).replace(/\B(?=(\d{3})+$)/g, NARROW_SPACE);
}

/**
 * A share of one as a percentage with one decimal.
 * @param {number} share
 */
export function percent(share) {
  if (!Number.isFinite(share)) return "–";
  if (share > 0 && share < 0.0005) return `<${NO_BREAK_SPACE}0.1${NO_BREAK_SPACE}%`;
  return `${(share * 100).toFixed(1)}${NO_BREAK_SPACE}%`;
}

/**
 * A number to four figures, whole from a thousand on.
 * @param {number} value
 */
export function figure(value) {
  if (!Number.isFinite(value)) return "–";
  if (Math.abs(value) >= 1000) return count(Math.round(value));
  return String(Number(value.toPrecision(4))).replace("-", MINUS);
}

/**
 * Two ends of a range.
 * @param {readonly [number, number]} ends
 * @param {string} [unit]
 */
export function range([low, high], unit = "") {
  const ends = low === high ? figure(low) : `${figure(low)} to ${figure(high)}`;
  return unit ? `${ends}${NO_BREAK_SPACE}${unit}` : ends;
}

const TIMES = /** @type {const} */ ([
  [86400, "d"],
  [3600, "h"],
  [60, "min"],
]);

/**
 * Seconds in the unit a person would say.
 * @param {number} value
 */
export function seconds(value) {
  const [length, unit] = TIMES.find(([least]) => value >= least) ?? [1, "s"];
  return `${Number((value / length).toPrecision(3))}${NO_BREAK_SPACE}${unit}`;
}

/** @type {[number, string][]} */
const PARTS = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "min"],
];

/**
 * Milliseconds in parts, as the engine's own sentences say them: `774999` → `12 min 54.999 s`.
 * @param {number} ms
 */
export function duration(ms) {
  let rest = Math.abs(ms);
  const words = PARTS.flatMap(([length, unit]) => {
    const whole = Math.floor(rest / length);
    rest %= length;
    return whole > 0 ? [`${whole} ${unit}`] : [];
  });
  if (rest > 0 && rest < 1000 && words.length === 0) words.push(`${rest} ms`);
  else if (rest > 0 || words.length === 0) words.push(`${rest / 1000} s`);
  return (ms < 0 ? MINUS : "") + words.join(" ");
}

/**
 * Milliseconds as Flink reads them back, in the largest unit that gives a whole number: `1200000` →
 * `20 min`.
 * @param {number} ms
 */
export function inOneUnit(ms) {
  const [length, unit] = [...PARTS, /** @type {const} */ ([1000, "s"])].find(([size]) => ms > 0 && ms % size === 0) ?? [1, "ms"];
  return `${ms / length} ${unit}`;
}

/** @typedef {"bytes" | "count" | "number" | "share" | "seconds"} AmountUnit */

/**
 * A number by what it measures.
 * @param {Bytes} value
 * @param {AmountUnit} unit
 */
export function amount(value, unit) {
  if (unit === "bytes") return size(value);
  if (unit === "count") return count(value);
  if (unit === "share") return percent(Number(value));
  return unit === "seconds" ? seconds(Number(value)) : figure(Number(value));
}

/**
 * A difference by what it measures, with its sign; a share's is in percentage points.
 * @param {Bytes} value
 * @param {AmountUnit} unit
 */
export function signedAmount(value, unit) {
  const isNegative = String(value).startsWith("-");
  const magnitude = typeof value === "string" ? value.replace("-", "") : Math.abs(value);
  const text = amount(/** @type {Bytes} */ (magnitude), unit).replace(/%$/, "points");
  if (Number(magnitude) === 0) return "same";
  return `${isNegative ? MINUS : "+"}${text}`;
}

/**
 * A short length of text or file, for sentences about limits.
 * @param {number} bytes
 */
export function fileSize(bytes) {
  return size(Math.round(bytes));
}
