// @ts-check
import { emit, freshId, h, setText } from "../dom.js";
import { copyButton } from "./copy-button.js";
import { placeOf, textOf } from "./field-slider.js";
import { POSITIONS } from "../memory/slider.js";

/**
 * @import { Slider } from "./field-slider.js"
 *
 * @typedef {object} Field         what the element shows of a tool's field
 * @property {string} id
 * @property {string} label
 * @property {unknown} api         what it is called; where it is no text, `state` says it
 * @property {boolean} [own]       that is no name of Flink's
 * @property {[string, string][]} [choices]  values and their names
 * @property {string} [empty]      what counts while nothing is written
 * @property {Slider} [slider]
 * @property {(settings: any) => boolean} [shown]
 * @property {string} hint
 *
 * @typedef {object} FieldState
 * @property {string} value
 * @property {string} resetTo   what the preset says
 * @property {string} reading   the value as the engine read it
 * @property {string} problem   a sentence; the field turns red when there is one
 * @property {string} [api]     what it is called in this version of Flink
 * @property {number | null} [number]  where the slider stands, in its unit; null for nowhere
 */

/**
 * One field: label, what it is called in Flink, text or choice, slider, what was read, hint, reset.
 *
 * Properties: `field` (once), `state`. Event `setting-change`: `{ id, value, settled }`.
 */
export class OptionField extends HTMLElement {
  /** @type {Field} */
  field = /** @type {any} */ (null);
  #resetTo = "";
  #api = "";
  #input = h("input", { type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: "false" });
  #select = h("select");
  #range = h("input", { type: "range", min: 0, max: POSITIONS, step: 1 });
  #sub = h("div", { class: "field-sub" });
  #reset = h("button", { type: "button", class: "field-reset" }, "Reset");
  #reading = h("p", { class: "field-reading" });
  #problem = h("p", { class: "field-problem", hidden: true });

  connectedCallback() {
    if (this.childElementCount > 0) return;
    const { field } = this;
    const id = freshId("option");
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
    this.#name(typeof field.api === "string" ? field.api : "");
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

  /** @param {FieldState} state */
  set state({ value, resetTo, reading, problem, api, number = null }) {
    this.#resetTo = resetTo;
    if (api !== undefined) this.#name(api);
    const control = this.#control;
    if (control.value !== value) control.value = value;
    setText(this.#reading, problem ? "" : reading);
    setText(this.#problem, problem);
    this.#problem.hidden = problem === "";
    control.setAttribute("aria-invalid", String(problem !== ""));
    this.classList.toggle("is-wrong", problem !== "");
    this.classList.toggle("is-changed", value !== resetTo);
    this.#reset.hidden = value === resetTo;
    if (this.field.slider) this.#place(this.field.slider, number, reading || value);
  }

  /** @param {string} api */
  #name(api) {
    if (api === this.#api) return;
    this.#api = api;
    this.#sub.replaceChildren(this.field.own ? h("span", { class: "field-own" }, api) : copyButton(api, api.split(" ")[0], `Copy ${api}`, "key"));
  }

  /**
   * A list has no place on a slider.
   * @param {Slider} slider
   * @param {number | null} number
   * @param {string} said
   */
  #place(slider, number, said) {
    this.#range.disabled = number === null;
    if (number === null) return;
    // While it is dragged it stands where the hand is.
    if (document.activeElement !== this.#range) this.#range.value = String(placeOf(slider, number));
    this.#range.setAttribute("aria-valuetext", said);
  }

  /** @param {boolean} settled */
  #slide(settled) {
    const { slider } = this.field;
    if (slider) this.#change(textOf(slider, this.#range.valueAsNumber), settled);
  }

  focusInput() {
    this.#control.focus();
  }

  /**
   * @param {string} value
   * @param {boolean} settled
   */
  #change(value, settled) {
    emit(this, "setting-change", { id: this.field.id, value, settled });
  }
}
