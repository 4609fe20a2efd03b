// @ts-check
/**
 * The changes of a zone's offset, as the browser's own time zone database has them. The engine
 * carries none.
 */

const DAY_MS = 86_400_000;
/** Between two looks: no zone is known to change its offset twice in a week. */
const STEP_MS = 7 * DAY_MS;
/** Around a record, beside the length of its window: local time is at most a day off. */
const MARGIN_MS = 2 * DAY_MS;
/** Always looked up, since watermarks and whole streams are not known here. */
const USUAL = { start: 0, end: Date.UTC(2100, 0, 1) };
/** More than this is not looked up: some 300 years in all. */
const LOOKED_MS_MAX = 300 * 366 * DAY_MS;
/** What a Date can hold, and its local time, too. */
const DATE_MS_MAX = 8.64e15 - 2 * DAY_MS;

/** @typedef {{ from: number, offset: number }} Transition */

/** @typedef {{ start: number, end: number }} Span */

/** The last answer: while records are dragged the same is asked again and again. */
let last = { key: "", transitions: /** @type {Transition[] | "too many" | null} */ (null) };

/**
 * The changes of offset in the usual years and around the windows of every record, however far from
 * these. Null where the browser does not know the zone.
 * @param {string} zone
 * @param {number[]} times  of the records [ms]
 * @param {number} size     of the windows [ms]
 * @returns {Transition[] | "too many" | null}
 */
export function transitionsOf(zone, times, size) {
  const spans = spansOf(times, Math.abs(size) + MARGIN_MS);
  const key = JSON.stringify([zone, spans]);
  if (last.key !== key) last = { key, transitions: lookUp(zone, spans) };
  return last.transitions;
}

/**
 * The years to look at, in order and apart from each other.
 * @param {number[]} times
 * @param {number} around
 */
function spansOf(times, around) {
  const spans = [USUAL, ...times.map((time) => ({ start: clamp(time - around), end: clamp(time + around) }))].sort((a, b) => a.start - b.start);
  /** @type {Span[]} */
  const apart = [];
  for (const { start, end } of spans) {
    const before = apart[apart.length - 1];
    if (before && start <= before.end) before.end = Math.max(before.end, end);
    else apart.push({ start, end });
  }
  return apart;
}

/**
 * @param {string} zone
 * @param {Span[]} spans
 */
function lookUp(zone, spans) {
  const offset = offsetsOf(zone);
  if (!offset) return null;
  if (spans.reduce((sum, { start, end }) => sum + end - start, 0) > LOOKED_MS_MAX) return "too many";
  /** @type {Transition[]} */
  const transitions = [];
  for (const { start, end } of spans) {
    let now = offset(start);
    if (transitions[transitions.length - 1]?.offset !== now) transitions.push({ from: start, offset: now });
    for (let at = start; at < end; at += STEP_MS) {
      const next = Math.min(at + STEP_MS, end);
      const then = offset(next);
      if (then === now) continue;
      const from = changeBetween(offset, at, next);
      now = offset(from);
      transitions.push({ from, offset: now });
    }
  }
  return transitions;
}

/** @param {number} ms */
function clamp(ms) {
  return Math.min(DATE_MS_MAX, Math.max(-DATE_MS_MAX, ms));
}

/**
 * The first moment of the new offset.
 * @param {(ms: number) => number} offset
 * @param {number} low
 * @param {number} high
 */
function changeBetween(offset, low, high) {
  const before = offset(low);
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offset(middle) === before) low = middle;
    else high = middle;
  }
  return high;
}

/**
 * @param {string} zone
 * @returns {((ms: number) => number) | null}
 */
function offsetsOf(zone) {
  try {
    const format = new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      hourCycle: "h23",
      era: "short",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
    return (ms) => {
      const whole = Math.floor(ms / 1000) * 1000;
      const part = Object.fromEntries(format.formatToParts(whole).map(({ type, value }) => [type, value]));
      const year = part.era === "BC" ? 1 - Number(part.year) : Number(part.year);
      const local = new Date(0);
      local.setUTCFullYear(year, Number(part.month) - 1, Number(part.day));
      local.setUTCHours(Number(part.hour), Number(part.minute), Number(part.second));
      return local.getTime() - whole;
    };
  } catch {
    return null;
  }
}
