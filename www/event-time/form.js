// @ts-check
import { h } from "../dom.js";
import { OptionField } from "../elements/option-field.js";
import { GROUPS } from "./fields.js";

/**
 * @import { EventScenario } from "./codec.js"
 * @import { EventPreset } from "./presets.js"
 */

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
