// @ts-check
/**
 * How far all orders are tried.
 * @typedef {Record<string, number>} Bounds
 * @typedef {{ bounds: Bounds, way: string | null, step: number }} Explored   what was searched, and the way that is open
 */

/** The bounds that the reader sets; the engine says which are too large. @type {[string, string, number][]} */
export const BOUNDS = [
  ["sinks", "Sink subtasks", 2],
  ["records", "Records of each", 2],
  ["checkpoints", "Checkpoints", 2],
  ["crashes", "Crashes", 1],
  ["timeouts", "Transaction timeouts", 1],
  ["lostNotifications", "Lost notifications", 0],
  ["declines", "Declined checkpoints", 0],
  ["expiries", "Expired ids", 0],
  ["olderRestores", "Restores of older state", 0],
];

/** @param {unknown} bounds @returns {Bounds} */
export function boundsIn(bounds) {
  const given = /** @type {Record<string, unknown>} */ (bounds ?? {});
  return Object.fromEntries(BOUNDS.map(([id, , usual]) => [id, Number.isInteger(given[id]) ? Number(given[id]) : usual]));
}
