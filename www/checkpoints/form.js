// @ts-check
import { emit, h, setText } from "../dom.js";
import { CheckpointInput } from "./field.js";
import { GROUPS, apiOf } from "./fields.js";
import { CHECKPOINT_PRESETS } from "./presets.js";

/**
 * @import { CheckpointScenario } from "./codec.js"
 * @import { Question } from "./params.js"
 * @import { CheckpointPreset } from "./presets.js"
 */

/** Named situations: event `checkpoint-preset`, `{ preset }`. */
export class CheckpointPresets extends HTMLElement {
  #select = h(
    "select",
    { id: "checkpoint-preset" },
    CHECKPOINT_PRESETS.map(({ id, title }) => h("option", { value: id }, title)),
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
    this.append(h("div", { class: "field-head" }, h("label", { for: "checkpoint-preset" }, "Example"), this.#reset), this.#select, this.#look);
  }

  /**
   * @param {CheckpointPreset} preset
   * @param {boolean} changed
   */
  show(preset, changed) {
    this.#select.value = preset.id;
    setText(this.#look, preset.look);
    this.#reset.hidden = !changed;
  }

  #pick() {
    const preset = CHECKPOINT_PRESETS.find(({ id }) => id === this.#select.value);
    if (preset) emit(this, "checkpoint-preset", { preset });
  }
}

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
