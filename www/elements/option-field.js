// @ts-check
import { emit, freshId, h, setText } from "../dom.js";
import { copyButton } from "./copy-button.js";

/**
 * @import { EventField } from "../event-time/fields.js"
 *
 * @typedef {object} EventFieldState
 * @property {string} value
 * @property {string} resetTo   what the preset says
 * @property {string} reading   the value as the engine read it
 * @property {string} problem   a sentence; the field turns red when there is one
 */

/**
 * One field: label, what it is called in Flink, text or choice, what was read, hint, reset.
 *
 * Properties: `field` (once), `state`. Event `setting-change`: `{ id, value, settled }`.
 */
export class OptionField extends HTMLElement {
  /** @type {EventField} */
  field = /** @type {any} */ (null);
  #resetTo = "";
  #input = h("input", { type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: "false" });
  #select = h("select");
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
    this.#reset.setAttribute("aria-label", `Reset ${field.label}`);
    this.#reset.addEventListener("click", () => {
      this.#change(this.#resetTo, true);
      control.focus();
    });
    this.append(
      h("div", { class: "field-head" }, h("label", { for: id }, field.label), this.#reset),
      h("div", { class: "field-sub" }, copyButton(field.api, field.api, `Copy ${field.api}`, "key")),
      // A form of its own, for the reason `FieldInput` gives.
      h("form", { class: "option-row", onsubmit: (/** @type {Event} */ event) => event.preventDefault() }, control),
      this.#reading,
      this.#problem,
      h("details", { class: "field-hint" }, h("summary", { "aria-label": `About ${field.label}` }, "?"), h("p", null, field.hint)),
    );
  }

  get #control() {
    return this.field.choices ? this.#select : this.#input;
  }

  /** @param {EventFieldState} state */
  set state({ value, resetTo, reading, problem }) {
    this.#resetTo = resetTo;
    const control = this.#control;
    if (control.value !== value) control.value = value;
    setText(this.#reading, problem ? "" : reading);
    setText(this.#problem, problem);
    this.#problem.hidden = problem === "";
    control.setAttribute("aria-invalid", String(problem !== ""));
    this.classList.toggle("is-wrong", problem !== "");
    this.classList.toggle("is-changed", value !== resetTo);
    this.#reset.hidden = value === resetTo;
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
