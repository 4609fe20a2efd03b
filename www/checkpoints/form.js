// @ts-check
import { h } from "../dom.js";
import { CheckpointInput } from "./field.js";
import { GROUPS, apiOf } from "./fields.js";

/**
 * @import { CheckpointScenario } from "./codec.js"
 * @import { Question } from "./params.js"
 * @import { CheckpointPreset } from "./presets.js"
 */

/**
 * The job, its network and its coordinator. Fields that do not count for a choice are not shown.
 *
 * Method `show`. Event of its fields: `setting-change`.
 */
export class CheckpointForm extends HTMLElement {
  /** @type {CheckpointInput[]} */
  #fields = [];

  connectedCallback() {
    if (this.childElementCount > 0) return;
    this.append(
      ...GROUPS.map(({ name, fields }) => {
        const elements = fields.map((field) => Object.assign(new CheckpointInput(), { field }));
        this.#fields.push(...elements);
        return h("section", { class: "field-group" }, h("h3", null, name), elements);
      }),
    );
  }

  /**
   * @param {CheckpointScenario} scenario
   * @param {CheckpointPreset} preset
   * @param {Question} question
   */
  show({ flink, settings }, preset, { problems, readings, numbers }) {
    for (const element of this.#fields) {
      const { field } = element;
      const problem = problems.get(field.id) ?? "";
      // A field that is refused has to be seen to be mended.
      element.hidden = problem === "" && !(field.shown?.(settings) ?? true);
      element.state = {
        value: settings[field.id],
        resetTo: preset.settings[field.id],
        reading: readings.get(field.id) ?? "",
        number: numbers.get(field.id) ?? null,
        api: apiOf(field, flink),
        problem,
      };
    }
  }

  /** @param {string} id */
  focusField(id) {
    this.#fields.find(({ field }) => field.id === id)?.focusInput();
  }
}
