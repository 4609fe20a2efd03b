// @ts-check
import { h, setText } from "../dom.js";
import { OptionField } from "../elements/option-field.js";
import { GROUPS, apiOf } from "./fields.js";
import { GraphEditor } from "./graph-editor.js";

/**
 * @import { CheckpointField, FieldGroup } from "./fields.js"
 * @import { CheckpointScenario } from "./codec.js"
 * @import { Question } from "./params.js"
 * @import { CheckpointPreset } from "./presets.js"
 *
 * What a group folds away: shown while one of its fields counts, and opened where one is refused.
 * @typedef {{ fold: HTMLDetailsElement, fields: OptionField[] }} Fold
 */

/**
 * The job, its network and its coordinator. Fields that do not count for a choice are not shown;
 * those that few need are folded away at the end of their group.
 *
 * Method `show`. Events of its parts: `setting-change`, `graph-change`.
 */
export class CheckpointForm extends HTMLElement {
  /** @type {OptionField[]} */
  #fields = [];
  /** @type {Fold[]} */
  #folds = [];
  /** What a version fixes that others have options for. */
  #gone = h("p", { class: "quiet", hidden: true });
  #graph = new GraphEditor();

  connectedCallback() {
    if (this.childElementCount > 0) return;
    this.append(...GROUPS.map((group) => this.#section(group)));
  }

  /** @param {FieldGroup} group */
  #section({ name, fields }) {
    const elements = fields.map((field) => Object.assign(new OptionField(), { field }));
    this.#fields.push(...elements);
    const [plain, folded] = [false, true].map((isFolded) => elements.filter(({ field }) => Boolean(/** @type {CheckpointField} */ (field).isFolded) === isFolded));
    const fold = h("details", { class: "more-fields" }, h("summary", null, `More of ${name.toLowerCase()}`), folded);
    if (folded.length > 0) this.#folds.push({ fold, fields: folded });
    return h("section", { class: "field-group" }, h("h3", null, name), plain, fields.some(({ goneIn }) => goneIn) ? this.#gone : null, folded.length > 0 ? fold : null, name === "Job" ? this.#graph : null);
  }

  /**
   * @param {CheckpointScenario} scenario
   * @param {CheckpointPreset} preset
   * @param {Question} question
   */
  show(scenario, preset, question) {
    const fill = filler(scenario, preset, question);
    this.#fields.forEach(fill);
    for (const { fold, fields } of this.#folds) {
      fold.hidden = fields.every(({ hidden }) => hidden);
      if (fields.some(({ classList }) => classList.contains("is-wrong"))) fold.open = true;
    }
    this.#tellGone(scenario, question);
    this.#graph.show(scenario.settings, fill);
  }

  /**
   * @param {CheckpointScenario} scenario
   * @param {Question} question
   */
  #tellGone({ flink }, { params: { network } }) {
    this.#gone.hidden = this.#fields.every(({ field }) => /** @type {CheckpointField} */ (field).goneIn !== flink);
    if (this.#gone.hidden) return;
    setText(this.#gone, `Flink ${flink} has no options for the buffers of channels and gates: ${network.buffersPerChannel} exclusive ones a channel, ${network.floatingBuffersPerGate} floating ones a gate, at most ${network.maxBuffersPerChannel} a channel, ${network.maxOverdraftBuffersPerGate} for overdraft.`);
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
    element.hidden = problem === "" && (field.goneIn === flink || !(field.shown?.(settings) ?? true));
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
