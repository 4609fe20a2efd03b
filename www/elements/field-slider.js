// @ts-check
/**
 * What a position of a field's slider writes, and where a value stands: a mapping for the hand.
 *
 * @typedef {object} Slider
 * @property {number} min
 * @property {number} max
 * @property {"linear" | "log"} scale
 * @property {"" | "µs" | "ms" | "bytes"} unit
 */

import { positionOf, textAt } from "../memory/slider.js";

/**
 * Sizes below a MiB are usual here, so bytes are placed as plain numbers.
 * @param {Slider} slider
 * @returns {import("../memory/slider.js").Range}
 */
function rangeOf({ min, max, scale }) {
  return /** @type {any} */ ({ min, max, scale, unit: "" });
}

/**
 * @param {Slider} slider
 * @param {number} value  in the slider's unit
 */
export function placeOf(slider, value) {
  return positionOf(rangeOf(slider), value);
}

/**
 * @param {Slider} slider
 * @param {number} position
 */
export function textOf(slider, position) {
  const text = textAt(rangeOf(slider), position);
  // Two figures are what a hand can tell apart.
  const number = Number(Number(text).toPrecision(2));
  if (slider.unit === "") return String(number);
  if (slider.unit === "bytes") return number % 1024 === 0 || number < 8192 ? `${number} b` : `${Math.round(number / 1024)} kb`;
  const units = slider.unit === "µs" ? /** @type {const} */ ([[1000, "ms"], [1, "µs"]]) : /** @type {const} */ ([[60_000, "min"], [1000, "s"], [1, "ms"]]);
  const [length, unit] = units.find(([length]) => number > 0 && number % length === 0) ?? [1, slider.unit];
  return `${number / length} ${unit}`;
}
