// @ts-check
import { emit, freshId, h, setText } from "../dom.js";
import { POSITIONS, positionOf, textAt } from "../memory/slider.js";
import { copyButton } from "./copy-button.js";

/**
 * @import { Bytes, FormField } from "../../src/web/types.ts"
 *
 * @typedef {object} FieldState
 * @property {string | undefined} value      as written; undefined when not set
 * @property {string | undefined} resetTo    what the preset says
 * @property {string} placeholder            what counts while nothing is written
 * @property {string} reading                the value as the engine read it
 * @property {Bytes | number | null} position  where the slider stands
 * @property {string[]} problems             sentences; the field turns red when there are any
 * @property {string | null} remark          a sentence that is not an error
 *
 * @typedef {{ option: string, value: string | null, settled: boolean }} FieldChange
 */

/**
 * One setting: label, option key, text, slider, what was read, hint, reset.
 *
 * Properties: `field` (once), `state`. Event `field-change`: a `FieldChange`.
 */
export class FieldInput extends HTMLElement {
  /** @type {FormField & { own?: boolean }} */
  field = /** @type {any} */ (null);
  /** @type {FieldState | null} */
  #state = null;
  #shown = "";
  #input = h("input", { type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: "false" });
  #range = h("input", { type: "range", min: 0, max: POSITIONS, step: 1 });
  #reset = h("button", { type: "button", class: "field-reset" }, "Reset");
  #reading = h("p", { class: "field-reading" });
  #problem = h("p", { class: "field-problem" });

  /** @param {FieldState} state */
  set state(state) {
    this.#state = state;
    const written = state.value ?? "";
    // Spaces someone is typing are theirs: an emptied field is not rewritten under the caret.
    if (this.#input.value !== written && !(written === "" && this.#input.value.trim() === "" && this.#hasFocus())) {
      this.#input.value = written;
    }
    const text = JSON.stringify(state);
    if (text === this.#shown) return;
    this.#shown = text;
    this.#input.placeholder = state.placeholder;
    setText(this.#reading, state.reading);
    setText(this.#problem, [...state.problems, state.remark ?? ""].join(" ").trim());
    this.#problem.classList.toggle("is-remark", state.problems.length === 0);
    this.#problem.hidden = this.#problem.textContent === "";
    this.#input.setAttribute("aria-invalid", String(state.problems.length > 0));
    this.classList.toggle("is-wrong", state.problems.length > 0);
    const changed = state.value !== state.resetTo;
    this.classList.toggle("is-changed", changed);
    this.classList.toggle("is-set", state.value !== undefined);
    this.#reset.hidden = !changed;
    if (this.field.slider) this.#placeSlider(state);
  }

  get isSet() {
    return this.#state?.value !== undefined;
  }

  get isWrong() {
    return (this.#state?.problems.length ?? 0) > 0;
  }

  connectedCallback() {
    if (this.childElementCount > 0) return;
    const { field } = this;
    const id = freshId("field");
    this.dataset.option = field.option;
    this.#input.id = id;
    this.#reading.id = `${id}-reading`;
    this.#problem.id = `${id}-problem`;
    this.#problem.hidden = true;
    this.#input.setAttribute("aria-describedby", `${id}-reading ${id}-problem`);
    this.#input.addEventListener("input", () => this.#change(this.#input.value, false));
    this.#input.addEventListener("change", () => this.#change(this.#input.value, true));
    this.#range.setAttribute("aria-label", `${field.label}, slider`);
    this.#range.addEventListener("input", () => this.#slide(false));
    this.#range.addEventListener("change", () => this.#slide(true));
    this.#reset.setAttribute("aria-label", `Reset ${field.label}`);
    this.#reset.addEventListener("click", () => {
      this.#change(this.#state?.resetTo ?? "", true);
      this.#input.focus();
    });
    this.append(
      h("div", { class: "field-head" }, h("label", { for: id }, field.label), this.#reset),
      h(
        "div",
        { class: "field-sub" },
        field.own
          ? h("span", { class: "field-own" }, "Not a Flink option")
          : copyButton(field.option, field.option, `Copy the key ${field.option}`, "key"),
      ),
      // Browsers look through the whole form for addresses and cards at each keystroke, which costs
      // more than the answer does. In a form of its own there is one field to look at.
      h("form", { class: "field-row", onsubmit: (/** @type {Event} */ event) => event.preventDefault() }, this.#input, field.slider ? this.#range : null),
      this.#reading,
      this.#problem,
      hint(field),
    );
  }

  focusInput() {
    this.#input.focus();
    this.#input.select();
  }

  #hasFocus() {
    return document.activeElement === this.#input;
  }

  /**
   * @param {string} text
   * @param {boolean} settled
   */
  #change(text, settled) {
    /** @type {FieldChange} */
    const change = { option: this.field.option, value: text.trim() === "" ? null : text, settled };
    emit(this, "field-change", change);
  }

  /** @param {boolean} settled */
  #slide(settled) {
    if (!this.field.slider) return;
    const text = textAt(this.field.slider, this.#range.valueAsNumber);
    this.#input.value = text;
    this.#change(text, settled);
  }

  /** @param {FieldState} state */
  #placeSlider(state) {
    const { slider } = this.field;
    if (!slider) return;
    if (document.activeElement !== this.#range || state.value === undefined) {
      this.#range.value = String(state.position === null ? 0 : positionOf(slider, state.position));
    }
    this.#range.setAttribute("aria-valuetext", state.value ?? (state.placeholder || "not set"));
  }
}

/** @param {FormField} field */
function hint(field) {
  const facts = /** @type {const} */ ([
    ["Default", field.default ?? "none"],
    ["Range", field.range],
    ["Source", field.source],
  ]);
  return h(
    "details",
    { class: "field-hint" },
    h("summary", { "aria-label": `About ${field.label}` }, "?"),
    h("p", null, field.hint),
    h(
      "dl",
      null,
      facts.filter(([, text]) => text !== "").flatMap(([name, text]) => [h("dt", null, name), h("dd", null, text)]),
    ),
  );
}
