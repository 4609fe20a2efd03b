// @ts-check
/**
 * The changes of a zone's offset, as the browser's own time zone database has them. The engine
 * carries none.
 */

const DAY_MS = 86_400_000;
/** Between two looks: no zone is known to change its offset twice in a week. */
const STEP_MS = 7 * DAY_MS;
/** Around the records, so that the windows at both ends are whole. */
const MARGIN_MS = 400 * DAY_MS;
/** Longer spans are looked at from their end. */
const SPAN_MS_MAX = 60 * 366 * DAY_MS;
/** What a Date can hold, and its local time, too. */
const DATE_MS_MAX = 8.64e15 - 2 * DAY_MS;

/** @typedef {{ from: number, offset: number }} Transition */

/**
 * Null where the browser does not know the zone.
 * @param {string} zone
 * @param {number} first  of the times that count [ms]
 * @param {number} last
 * @returns {Transition[] | null}
 */
export function transitionsOf(zone, first, last) {
  const offset = offsetsOf(zone);
  if (!offset) return null;
  const end = clamp(last + MARGIN_MS);
  const start = clamp(Math.max(first - MARGIN_MS, end - SPAN_MS_MAX));
  const transitions = [{ from: start, offset: offset(start) }];
  for (let at = start; at < end; at += STEP_MS) {
    const before = offset(at);
    const next = Math.min(at + STEP_MS, end);
    if (offset(next) !== before) {
      const from = changeBetween(offset, at, next);
      transitions.push({ from, offset: offset(from) });
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
