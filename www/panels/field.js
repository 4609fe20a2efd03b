// @ts-check
import { emit, freshId, h, setText } from "../dom.js";

/**
 * @typedef {Record<string, string>} Values  a text for every field of every panel
 *
 * @typedef {object} Field
 * @property {string} id           its name in the address, after `w.`
 * @property {string} label
 * @property {string} [unit]
 * @property {string} path         where the engine finds it in the params
 * @property {"count" | "number" | "text" | "choice" | "flag"} kind
 * @property {string} initial      the text of the worked example
 * @property {string} [placeholder]
 * @property {[string, string][]} [choices]  values and their names
 * @property {(values: Values) => boolean} [shown]
 */

/**
 * One field of a workload: label, text or choice, unit, and what the engine says against it.
 *
 * Properties `field` (once), `value`, `problem`. Event `workload-change`: `{ key, value, settled }`,
 * where null is the worked example's value.
 */
export class WorkloadField extends HTMLElement {
  /** @type {Field} */
  field = /** @type {any} */ (null);
  #input = h("input", { type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: "false" });
  #check = h("input", { type: "checkbox" });
  #select = h("select");
  #problem = h("p", { class: "field-problem", hidden: true });

  connectedCallback() {
    if (this.childElementCount > 0) return;
    const { field } = this;
    const id = freshId("workload");
    const control = this.#control();
    control.id = id;
    this.dataset.field = field.id;
    this.dataset.kind = field.kind;
    this.#problem.id = `${id}-problem`;
    control.setAttribute("aria-describedby", this.#problem.id);
    this.#input.placeholder = field.placeholder ?? field.initial;
    this.#select.append(...(field.choices ?? []).map(([value, name]) => h("option", { value }, name)));
    const isText = control === this.#input;
    control.addEventListener("input", () => isText && this.#change(false));
    control.addEventListener("change", () => this.#change(true));
    this.append(
      h("label", { for: id }, field.label, field.unit ? h("span", { class: "unit" }, ` ${field.unit}`) : null),
      // A form of its own, for the reason `FieldInput` gives.
      isText ? h("form", { onsubmit: (/** @type {Event} */ event) => event.preventDefault() }, control) : control,
      this.#problem,
    );
  }

  #control() {
    if (this.field.kind === "flag") return this.#check;
    return this.field.kind === "choice" ? this.#select : this.#input;
  }

  /** @param {string} value */
  set value(value) {
    if (this.field.kind === "flag") this.#check.checked = value === "on";
    else if (this.field.kind === "choice") this.#select.value = this.#known(value);
    else if (this.#input.value !== value && !(document.activeElement === this.#input && this.#input.value.trim() === "")) this.#input.value = value;
  }

  /** @param {string} value */
  #known(value) {
    return this.field.choices?.some(([choice]) => choice === value) ? value : this.field.initial;
  }

  /** @param {string} text */
  set problem(text) {
    setText(this.#problem, text);
    this.#problem.hidden = text === "";
    this.#control().setAttribute("aria-invalid", String(text !== ""));
    this.classList.toggle("is-wrong", text !== "");
  }

  /** @param {boolean} settled */
  #change(settled) {
    const { field } = this;
    const text = field.kind === "flag" ? (this.#check.checked ? "on" : "off") : field.kind === "choice" ? this.#select.value : this.#input.value;
    const value = text.trim() === "" || text === field.initial ? null : text;
    emit(this, "workload-change", { key: field.id, value, settled });
    // Left empty, it shows again what counts.
    if (settled && field.kind !== "flag" && text.trim() === "") this.#input.value = field.initial;
  }
}

/**
 * The number a text stands for, and the text itself where it stands for none: the engine refuses it
 * and names the field.
 * @param {string} text
 * @returns {any}
 */
export function number(text) {
  const plain = text.replace(/[\s_]/g, "");
  const value = Number(plain);
  return plain !== "" && Number.isFinite(value) ? value : text;
}

/**
 * Null where nothing is written.
 * @param {string} text
 */
export function optional(text) {
  return text.trim() === "" ? null : number(text);
}
