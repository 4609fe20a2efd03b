// @ts-check
/** Which rows of a long list are shown. Pure. */

import { h } from "../dom.js";
import { count } from "../format.js";

/** @typedef {"given" | "slowest"} Order  as they are, or the heaviest first */

/** The most rows of a table. */
export const ROWS_MAX = 200;

/**
 * Of more rows than there is room for, the heaviest are taken: the slow subtask is what is looked for.
 * @template T
 * @param {T[]} rows
 * @param {(row: T) => number} weight
 * @param {Order} [order]
 * @param {(row: T) => boolean} [isNamed]  taken whatever it weighs
 * @returns {T[]}
 */
export function chosenRows(rows, weight, order = "given", isNamed = () => false) {
  if (rows.length <= ROWS_MAX && order === "given") return rows;
  const ranked = rows.map((row, place) => ({ row, place, weight: weight(row), isNamed: isNamed(row) }));
  ranked.sort((a, b) => Number(b.isNamed) - Number(a.isNamed) || heavier(a, b) || a.place - b.place);
  const taken = ranked.slice(0, ROWS_MAX);
  // The named one is kept, but it stands where it belongs.
  taken.sort(order === "given" ? (a, b) => a.place - b.place : (a, b) => heavier(a, b) || a.place - b.place);
  return taken.map(({ row }) => row);
}

/**
 * How many are left out.
 * @param {number} length
 * @param {string} which   what those that are shown have in common, as in `that took longest`
 */
export function leftOut(length, which) {
  return length > ROWS_MAX ? h("p", { class: "quiet rows-left-out" }, `The ${count(ROWS_MAX)} ${which}; ${count(length - ROWS_MAX)} are left out.`) : null;
}

/** Also of two that weigh without end. @param {{ weight: number }} a @param {{ weight: number }} b */
function heavier(a, b) {
  return a.weight === b.weight ? 0 : b.weight - a.weight;
}

/** @type {[Order, string][]} */
const ORDERS = [
  ["given", "by task"],
  ["slowest", "the slowest first"],
];

/** A choice of the order. Event `order-pick`: `{ order }`. */
export class OrderPick {
  #select = h("select", { class: "order-select" }, ORDERS.map(([value, name]) => h("option", { value }, name)));
  element = h("label", { class: "order-pick" }, "Subtasks ", this.#select);

  constructor() {
    this.#select.addEventListener("change", () => {
      const order = /** @type {Order} */ (this.#select.value);
      this.element.dispatchEvent(new CustomEvent("order-pick", { bubbles: true, detail: { order } }));
    });
  }

  /** @param {Order} order */
  set order(order) {
    this.#select.value = order;
  }
}
