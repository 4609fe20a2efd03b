// @ts-check
import { emit, freshId, h, setText } from "../dom.js";
import { copyButton } from "../elements/copy-button.js";
import { POSITIONS, positionOf, textAt } from "../memory/slider.js";

/**
 * @import { FlinkVersion } from "../../src/web/types.ts"
 * @import { CheckpointField } from "./fields.js"
 *
 * @typedef {object} CheckpointFieldState
 * @property {string} value     as written
 * @property {string} resetTo   what the preset says
 * @property {string} reading   the value as the engine read it
 * @property {number | null} number  where the slider stands; null for nowhere
 * @property {string} api
 * @property {string} problem   a sentence; empty when there is none
 */

/**
 * One setting: label, key, text or choice, slider, what was read, hint, reset.
 *
 * Properties `field` (once), `state`. Event `setting-change`: `{ id, value, settled }`.
 */
export class CheckpointInput extends HTMLElement {
  /** @type {CheckpointField} */
  field = /** @type {any} */ (null);
  #resetTo = "";
  #api = "";
  #input = h("input", { type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: "false" });
  #select = h("select");
  #range = h("input", { type: "range", min: 0, max: POSITIONS, step: 1 });
  #reset = h("button", { type: "button", class: "field-reset", hidden: true }, "Reset");
  #sub = h("div", { class: "field-sub" });
  #reading = h("p", { class: "field-reading" });
  #problem = h("p", { class: "field-problem", hidden: true });

  connectedCallback() {
    if (this.childElementCount > 0) return;
    const { field } = this;
    const id = freshId("checkpoint");
    const control = this.#control;
    control.id = id;
    this.dataset.field = field.id;
    this.#reading.id = `${id}-reading`;
    this.#problem.id = `${id}-problem`;
    control.setAttribute("aria-describedby", `${id}-reading ${id}-problem`);
    this.#input.placeholder = field.empty ?? "";
    this.#select.append(...(field.choices ?? []).map(([value, name]) => h("option", { value }, name)));
    control.addEventListener("input", () => !field.choices && this.#change(control.value, false));
    control.addEventListener("change", () => this.#change(control.value, true));
    this.#range.setAttribute("aria-label", `${field.label}, slider`);
    this.#range.addEventListener("input", () => this.#slide(false));
    this.#range.addEventListener("change", () => this.#slide(true));
    this.#reset.setAttribute("aria-label", `Reset ${field.label}`);
    this.#reset.addEventListener("click", () => {
      this.#change(this.#resetTo, true);
      control.focus();
    });
    this.append(
      h("div", { class: "field-head" }, h("label", { for: id }, field.label), this.#reset),
      this.#sub,
      // A form of its own, for the reason `FieldInput` gives.
      h("form", { class: field.slider ? "field-row" : "option-row", onsubmit: (/** @type {Event} */ event) => event.preventDefault() }, control, field.slider ? this.#range : null),
      this.#reading,
      this.#problem,
      h("details", { class: "field-hint" }, h("summary", { "aria-label": `About ${field.label}` }, "?"), h("p", null, field.hint)),
    );
  }

  get #control() {
    return this.field.choices ? this.#select : this.#input;
  }

  /** @param {CheckpointFieldState} state */
  set state({ value, resetTo, reading, number, api, problem }) {
    this.#resetTo = resetTo;
    const control = this.#control;
    if (control.value !== value) control.value = value;
    if (api !== this.#api) {
      this.#api = api;
      this.#sub.replaceChildren(this.field.own ? h("span", { class: "field-own" }, api) : copyButton(api, api.split(" ")[0], `Copy ${api}`, "key"));
    }
    setText(this.#reading, problem ? "" : reading);
    setText(this.#problem, problem);
    this.#problem.hidden = problem === "";
    control.setAttribute("aria-invalid", String(problem !== ""));
    this.classList.toggle("is-wrong", problem !== "");
    this.classList.toggle("is-changed", value !== resetTo);
    this.#reset.hidden = value === resetTo;
    if (this.field.slider) this.#place(number, reading || value);
  }

  focusInput() {
    this.#control.focus();
  }

  /**
   * A list has no place on a slider.
   * @param {number | null} number
   * @param {string} said
   */
  #place(number, said) {
    const { slider } = this.field;
    this.#range.disabled = number === null;
    if (!slider || number === null) return;
    // While it is dragged it stands where the hand is.
    if (document.activeElement !== this.#range) this.#range.value = String(positionOf(rangeOf(slider), number));
    this.#range.setAttribute("aria-valuetext", said);
  }

  /** @param {boolean} settled */
  #slide(settled) {
    const { slider } = this.field;
    if (!slider) return;
    this.#change(textOf(slider, this.#range.valueAsNumber), settled);
  }

  /**
   * @param {string} value
   * @param {boolean} settled
   */
  #change(value, settled) {
    emit(this, "setting-change", { id: this.field.id, value, settled });
  }
}

/**
 * Sizes below a MiB are usual here, so bytes are placed as plain numbers.
 * @param {NonNullable<CheckpointField["slider"]>} slider
 * @returns {import("../memory/slider.js").Range}
 */
function rangeOf({ min, max, scale }) {
  return /** @type {any} */ ({ min, max, scale, unit: "" });
}

/**
 * @param {NonNullable<CheckpointField["slider"]>} slider
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
