// @ts-check
/**
 * The two panels by hand in the address: `hand`, `handCount` and `script`; `times`, `keys` and
 * `recordGap`. Only what differs from the examples is written.
 * @import { Param } from "../../codec.js"
 * @import { Hand, HandKind, Values } from "./script.js"
 */

import { EXAMPLES, KINDS, VALUES } from "./script.js";

/** @type {string[]} */
export const VALUE_KEYS = Object.keys(VALUES);

/** @param {Hand} hand @returns {Param[]} */
export function writeHand({ kind, count, script }) {
  const example = EXAMPLES[kind];
  return [
    ...(kind === EXAMPLES.inputs.kind ? [] : [/** @type {Param} */ (["hand", kind])]),
    ...(count === example.count ? [] : [/** @type {Param} */ (["handCount", count])]),
    ...(script === example.script ? [] : [/** @type {Param} */ (["script", script])]),
  ];
}

/** @param {Values} values @returns {Param[]} */
export function writeValues(values) {
  const keys = /** @type {(keyof Values)[]} */ (VALUE_KEYS);
  return keys.filter((key) => values[key] !== VALUES[key]).map((key) => [key, values[key]]);
}

/**
 * Whether a part of the address is of the script.
 * @param {string} key
 * @param {string} value
 */
export function isOfHand(key, value) {
  return key === "handCount" || key === "script" || (key === "hand" && KINDS.some(([kind]) => kind === value));
}

/**
 * The script with one part of the address read. What it is about is written first.
 * @param {Hand} hand
 * @param {string} key
 * @param {string} value
 * @returns {Hand}
 */
export function readHand(hand, key, value) {
  if (key === "hand") return EXAMPLES[/** @type {HandKind} */ (value)];
  return { ...hand, [key === "script" ? "script" : "count"]: value };
}
