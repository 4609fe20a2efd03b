// @ts-check
import { h, prose, setProse } from "../dom.js";
import { amount, exactBytes, exactDifference, signedAmount, signedPercent } from "../format.js";
import { patchChildren } from "../patch.js";
import { section, table } from "./parts.js";

/**
 * @import { Answer, FigureDifference, PanelComparison } from "../../src/web/types.ts"
 * @import { Field, Values } from "./field.js"
 */

/** What a panel says of the settings pinned as A, beside what it says now. */
export class Against {
  element = h("section", { class: "against", hidden: true });
  #verdict = h("p");
  #own = h("p", { class: "quiet" });
  #inputs = h("ul", { class: "pin-settings" });
  #rows = h("div");

  constructor() {
    this.element.append(h("h3", null, "Against A"), this.#verdict, this.#own, this.#inputs, this.#rows);
  }

  /**
   * @param {Answer<PanelComparison> | null} answer  null where nothing is pinned
   * @param {Field[]} fields
   * @param {Values} a  what the fields of the panel have in A
   * @param {Values} b
   */
  show(answer, fields, a, b) {
    this.element.hidden = answer === null || (!answer.ok && answer.error.field === "b");
    if (answer === null) return;
    setProse(this.#verdict, answer.ok ? answer.value.verdict : `This panel has no answer for A: ${answer.error.message}`);
    setProse(this.#own, answer.ok ? `A: ${answer.value.aVerdict}` : "");
    const shown = (/** @type {Field} */ { shown: isShown }) => (isShown?.(a) ?? true) || (isShown?.(b) ?? true);
    const changed = fields.filter((field) => a[field.id] !== b[field.id] && shown(field));
    this.#inputs.hidden = changed.length === 0;
    patchChildren(this.#inputs, changed.map((field) => h("li", { "data-id": field.id }, `${field.label}: `, text(field, a), " → ", text(field, b))));
    const differing = answer.ok ? answer.value.figures.filter(differs) : [];
    patchChildren(this.#rows, differing.length > 0 && answer.ok ? [differences(differing, answer.value.equal)] : []);
  }
}

/**
 * @param {FigureDifference[]} figures
 * @param {number} equal
 */
function differences(figures, equal) {
  return section(
    "What differs",
    h("div", { class: "tall" }, table("What differs from A", ["Figure", "#B − A", "#A", "#B"], figures.map((figure) => ({ id: figure.id, cells: cells(figure) })))),
    h("p", { class: "quiet" }, equal === 1 ? "One more figure is the same in both." : `${equal} more figures are the same in both.`),
  );
}

/** @param {FigureDifference} figure */
function differs({ a, b, difference }) {
  return a === null || b === null || difference === null || String(difference) !== "0";
}

/** @param {FigureDifference} figure */
function cells(figure) {
  const { name, group, unit, a, b } = figure;
  return [[...prose(name), group ? h("span", { class: "of-group" }, prose(group)) : null], difference(figure), cell(unit, a), cell(unit, b)];
}

/**
 * @param {FigureDifference["unit"]} unit
 * @param {FigureDifference["a"]} value
 */
function cell(unit, value) {
  if (value === null) return h("span", { class: "quiet" }, "–");
  return h("span", { title: unit === "bytes" ? exactBytes(value) : null }, amount(value, unit));
}

/** @param {FigureDifference} figure */
function difference({ unit, difference, relative }) {
  if (difference === null) return h("span", { class: "quiet" }, "–");
  const title = unit === "bytes" ? exactDifference(difference) : null;
  return [h("span", { class: "difference", title }, signedAmount(difference, unit)), h("span", { class: "quiet" }, ` ${signedPercent(relative)}`)];
}

/**
 * @param {Field} field
 * @param {Values} values
 */
function text({ id, choices, placeholder }, values) {
  const value = values[id];
  const name = choices?.find(([choice]) => choice === value)?.[1];
  return h("code", null, name ?? (value === "" ? (placeholder ?? "nothing") : value));
}
