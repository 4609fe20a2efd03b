// @ts-check
import { h } from "../dom.js";
import { OptionField } from "../elements/option-field.js";
import { FaultList } from "./faults.js";
import { GROUPS } from "./fields.js";

/**
 * @import { Situation } from "./codec.js"
 * @import { Written } from "./params.js"
 * @import { ExactlyPreset } from "./presets.js"
 */

/**
 * Faults and settings. Groups that only some questions need are folded away, unless a field in them
 * is changed or refused.
 *
 * Method `show`. Events of its parts: `setting-change`, `faults-change`.
 */
export class ExactlyForm extends HTMLElement {
  faults = new FaultList();
  /** @type {OptionField[]} */
  #fields = [];
  /** @type {[HTMLDetailsElement, string[]][]} */
  #folded = [];

  connectedCallback() {
    if (this.childElementCount > 0) return;
    this.append(
      h("section", { class: "field-group" }, h("h3", null, "Faults, in their order"), this.faults),
      ...GROUPS.map(({ name, isMore, fields }) => {
        const elements = fields.map((field) => Object.assign(new OptionField(), { field }));
        this.#fields.push(...elements);
        if (!isMore) return h("section", { class: "field-group" }, h("h3", null, name), elements);
        const details = h("details", { class: "field-group" }, h("summary", null, h("h3", null, name)), elements);
        this.#folded.push([details, fields.map(({ id }) => id)]);
        return details;
      }),
    );
  }

  /**
   * @param {Situation} situation
   * @param {ExactlyPreset} preset
   * @param {Map<string, string>} readings  by field
   * @param {Map<string, string>} problems  by field
   * @param {Written | null} written        what was read of the faults
   */
  show({ settings, faults }, preset, readings, problems, written) {
    this.faults.show(faults, written, settings.sink);
    for (const element of this.#fields) {
      const { id, shown } = element.field;
      const problem = problems.get(id) ?? "";
      // A field that is refused has to be seen to be mended.
      element.hidden = problem === "" && !(shown?.(settings) ?? true);
      element.state = { value: settings[id], resetTo: preset.settings[id], reading: readings.get(id) ?? "", problem };
    }
    for (const [details, ids] of this.#folded) {
      details.hidden = this.#fields.every((element) => element.hidden || !ids.includes(element.field.id));
      if (ids.some((id) => problems.has(id) || settings[id] !== preset.settings[id])) details.open = true;
    }
  }

  /** @param {string} id */
  focusField(id) {
    this.#fields.find(({ field }) => field.id === id)?.focusInput();
  }
}
