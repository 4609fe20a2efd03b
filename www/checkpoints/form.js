// @ts-check
import { h } from "../dom.js";
import { OptionField } from "../elements/option-field.js";
import { GROUPS, apiOf } from "./fields.js";
import { GraphEditor } from "./graph-editor.js";

/**
 * @import { CheckpointField } from "./fields.js"
 * @import { CheckpointScenario } from "./codec.js"
 * @import { Question } from "./params.js"
 * @import { CheckpointPreset } from "./presets.js"
 */

/**
 * The job, its network and its coordinator. Fields that do not count for a choice are not shown.
 *
 * Method `show`. Events of its parts: `setting-change`, `graph-change`.
 */
export class CheckpointForm extends HTMLElement {
  /** @type {OptionField[]} */
  #fields = [];
  #graph = new GraphEditor();

  connectedCallback() {
    if (this.childElementCount > 0) return;
    this.append(
      ...GROUPS.map(({ name, fields }) => {
        const elements = fields.map((field) => Object.assign(new OptionField(), { field }));
        this.#fields.push(...elements);
        return h("section", { class: "field-group" }, h("h3", null, name), elements, name === "Job" ? this.#graph : null);
      }),
    );
  }

  /**
   * @param {CheckpointScenario} scenario
   * @param {CheckpointPreset} preset
   * @param {Question} question
   */
  show(scenario, preset, question) {
    const fill = filler(scenario, preset, question);
    this.#fields.forEach(fill);
    this.#graph.show(scenario.settings, fill);
  }

  /** @param {string} id */
  focusField(id) {
    this.#fields.find(({ field }) => field.id === id)?.focusInput();
  }
}

/**
 * Puts what is written, and what was read of it, into a field.
 * @param {CheckpointScenario} scenario
 * @param {CheckpointPreset} preset
 * @param {Question} question
 * @returns {(element: OptionField) => void}
 */
function filler({ flink, settings }, preset, { problems, readings, numbers }) {
  return (element) => {
    const field = /** @type {CheckpointField} */ (element.field);
    const problem = problems.get(field.id) ?? "";
    // A field that is refused has to be seen to be mended.
    element.hidden = problem === "" && !(field.shown?.(settings) ?? true);
    element.state = {
      value: settings[field.id] ?? "",
      resetTo: preset.settings[field.id] ?? field.initial ?? "",
      reading: readings.get(field.id) ?? "",
      number: numbers.get(field.id) ?? null,
      api: apiOf(field, flink),
      problem,
    };
  };
}
