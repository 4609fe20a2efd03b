// @ts-check
/** @import { FormField } from "../../src/web/types.ts" */
/** @import { Scenario } from "../state.js" */
/** @import { Ask } from "../tools.js" */
/** @import { SizeReading } from "./form.js" */

const OTHER = /** @type {const} */ ({ taskmanager: "jobmanager", jobmanager: "taskmanager" });
const SIZES_KEPT_MAX = 2000;
/** Before the form says which settings are sizes, this many texts are tried. */
const SIZES_GUESSED_MAX = 24;

/**
 * Whose form it is: each process of each version has its own.
 * @param {Pick<Scenario, "flink" | "role">} scenario
 */
export function formKey({ flink, role }) {
  return `${flink} ${role}`;
}

/** What the form is told of the engine beside the answer: its fields, and how sizes read. */
export class FormFeed {
  /** Whose form is on show. */
  formOf = "";
  /** Options that belong to the other process. @type {Set<string>} */
  otherOptions = new Set();
  /** @type {Map<string, SizeReading>} */
  sizes = new Map();
  #othersOf = "";

  /**
   * The fields of a form that is not on show yet.
   * @param {Ask} ask
   * @param {Scenario} scenario
   * @returns {Promise<FormField[] | null>}
   */
  async newFields(ask, scenario) {
    if (formKey(scenario) === this.formOf) return null;
    const answer = await ask("memoryForm", { version: scenario.flink, role: scenario.role });
    return answer.ok ? answer.value : null;
  }

  /**
   * What the first sight of a form can do without: sizes that were not guessed, and which of the
   * other settings belong to the other process.
   * @param {Ask} ask
   * @param {Scenario} scenario
   * @param {Iterable<FormField>} fields
   * @param {() => boolean} isCurrent
   */
  async complete(ask, scenario, fields, isCurrent) {
    const params = { version: scenario.flink, role: OTHER[scenario.role] };
    const [others] = await Promise.all([ask("memoryForm", params, "memoryForm of the other"), this.readSizes(ask, scenario, fields)]);
    if (!others.ok || !isCurrent()) return;
    this.#othersOf = formKey(scenario);
    this.otherOptions = new Set(others.value.map((/** @type {FormField} */ { option }) => option));
  }

  /** @param {Scenario} scenario */
  knowsOthers(scenario) {
    return this.#othersOf === formKey(scenario);
  }

  /**
   * @param {Ask} ask
   * @param {Scenario} scenario
   * @param {Iterable<FormField>} fields  of the form on show
   */
  async readSizes(ask, scenario, fields) {
    if (this.sizes.size > SIZES_KEPT_MAX) this.sizes.clear();
    const texts = [...this.#sizeTexts(scenario, fields)].filter((text) => !this.sizes.has(text));
    await Promise.all(
      texts.map(async (text) => {
        const reading = await ask("parseMemorySize", { text }, `parseMemorySize ${text}`);
        if (reading.ok || !["engine_fault", "superseded"].includes(reading.error.code)) this.sizes.set(text, reading);
      }),
    );
  }

  /**
   * @param {Scenario} scenario
   * @param {Iterable<FormField>} fields
   */
  #sizeTexts({ flink, role, config, limit }, fields) {
    const texts = new Set(limit === null ? [] : [limit]);
    if (formKey({ flink, role }) !== this.formOf) {
      return new Set([...texts, ...Object.values(config).slice(0, SIZES_GUESSED_MAX)]);
    }
    for (const { option, kind } of fields) {
      if (kind === "size" && Object.hasOwn(config, option)) texts.add(config[option]);
    }
    return texts;
  }
}
