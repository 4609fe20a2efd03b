// @ts-check
import { emit, h, setText } from "../dom.js";
import { OptionField } from "./field.js";
import { GROUPS } from "./fields.js";
import { EVENT_TIME_PRESETS } from "./presets.js";

/**
 * @import { EventScenario } from "./codec.js"
 * @import { EventPreset } from "./presets.js"
 */

/** Named situations: event `event-preset`, `{ preset }`. */
export class EventPresets extends HTMLElement {
  #select = h(
    "select",
    { id: "event-preset" },
    EVENT_TIME_PRESETS.map(({ id, title }) => h("option", { value: id }, title)),
  );
  #look = h("p", { class: "preset-look" });
  #reset = h("button", { type: "button", class: "field-reset", hidden: true }, "Reset all");

  connectedCallback() {
    if (this.childElementCount > 0) return;
    this.#select.addEventListener("change", () => this.#pick());
    this.#reset.addEventListener("click", () => {
      this.#pick();
      this.#select.focus();
    });
    this.append(h("div", { class: "field-head" }, h("label", { for: "event-preset" }, "Example"), this.#reset), this.#select, this.#look);
  }

  /**
   * @param {EventPreset} preset
   * @param {boolean} changed
   */
  show(preset, changed) {
    this.#select.value = preset.id;
    setText(this.#look, preset.look);
    this.#reset.hidden = !changed;
  }

  #pick() {
    const preset = EVENT_TIME_PRESETS.find(({ id }) => id === this.#select.value);
    if (preset) emit(this, "event-preset", { preset });
  }
}

/**
 * The settings of watermarks and windows. Fields that do not count for a choice are not shown.
 *
 * Method `show`. Event of its fields: `setting-change`.
 */
export class EventForm extends HTMLElement {
  /** @type {OptionField[]} */
  #fields = [];

  connectedCallback() {
    if (this.childElementCount > 0) return;
    this.append(
      ...GROUPS.map(({ name, fields }) => {
        const elements = fields.map((field) => Object.assign(new OptionField(), { field }));
        this.#fields.push(...elements);
        return h("section", { class: "field-group" }, h("h3", null, name), elements);
      }),
    );
  }

  /**
   * @param {EventScenario} scenario
   * @param {EventPreset} preset
   * @param {Map<string, string>} readings  by field
   * @param {Map<string, string>} problems  by field
   */
  show({ settings }, preset, readings, problems) {
    for (const element of this.#fields) {
      const { id, shown } = element.field;
      const problem = problems.get(id) ?? "";
      // A field that is refused has to be seen to be mended.
      element.hidden = problem === "" && !(shown?.(settings) ?? true);
      element.state = { value: settings[id], resetTo: preset.settings[id], reading: readings.get(id) ?? "", problem };
    }
  }

  /** @param {string} id */
  focusField(id) {
    this.#fields.find(({ field }) => field.id === id)?.focusInput();
  }
}
