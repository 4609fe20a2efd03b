// @ts-check
import { emit, h, setText } from "../dom.js";
import { FieldInput } from "../elements/field-input.js";
import { exactBytes, size } from "../format.js";

/**
 * @import { Bytes, FormField, MemorySizeReport, Problem } from "../../src/web/types.ts"
 * @import { Scenario, Preset } from "../state.js"
 *
 * @typedef {{ ok: true, value: MemorySizeReport } | { ok: false, error: Problem }} SizeReading
 *
 * @typedef {object} FormState
 * @property {Scenario} scenario
 * @property {Preset} preset
 * @property {Map<string, SizeReading>} sizes     what the engine read, by text
 * @property {Map<string, Bytes>} derived         what the answer gives a setting that is not written
 * @property {Map<string, string[]>} problems     sentences by option
 * @property {boolean} starts                     whether the last answer is one
 */

/** The container's limit stands among the options but is none of Flink's. */
export const CONTAINER_LIMIT = "containerLimit";
/** @type {FormField & { own: true }} */
const CONTAINER_FIELD = {
  option: CONTAINER_LIMIT,
  own: true,
  label: "Container memory limit",
  group: "",
  common: true,
  older: null,
  kind: "size",
  default: null,
  hint: "The memory limit of the pod or YARN container, written as Flink writes sizes. Flink never reads it; the kernel enforces it.",
  range: "",
  source: "Kubernetes resources.limits.memory, YARN container size",
  slider: { min: 512 * 1024 * 1024, max: 64 * 1024 ** 3, scale: "log", unit: "bytes" },
};
/**
 * The settings of one role and version, grouped, with the container's limit first.
 *
 * Method `build(fields)`, property `state`. Events: `field-change` from the fields, and
 * `script-change`: `{ on }`.
 */
export class MemoryForm extends HTMLElement {
  /** @type {Map<string, FieldInput>} */
  #inputs = new Map();
  #script = h("input", { type: "checkbox", id: "start-script" });
  #scriptRow = h(
    "div",
    { class: "switch-row" },
    this.#script,
    h("label", { for: "start-script" }, "Map legacy heap keys as the start scripts do"),
  );

  /** @type {{ details: HTMLDetailsElement, note: HTMLElement, inputs: FieldInput[] }[]} */
  #groups = [];

  connectedCallback() {
    this.#script.addEventListener("change", () => emit(this, "script-change", { on: this.#script.checked }));
  }

  /** @param {FormField[]} fields */
  build(fields) {
    this.#inputs.clear();
    this.#groups = [];
    const groups = new Map([["", [/** @type {FormField} */ (CONTAINER_FIELD)]]]);
    for (const field of fields) groups.set(field.group, [...(groups.get(field.group) ?? []), field]);
    const [own, first, ...others] = [...groups];
    this.replaceChildren(
      first ? this.#section(first[0], first[1].concat(own[1])) : "",
      this.#scriptRow,
      ...others.map(([name, members]) => this.#foldable(name, members)),
    );
  }

  /** Every option that has a field. */
  get options() {
    return new Set(this.#inputs.keys());
  }

  /** @returns {Iterable<FormField>} */
  get fields() {
    return [...this.#inputs.values()].map(({ field }) => field);
  }

  /** @param {FormState} state */
  set state(state) {
    for (const input of this.#inputs.values()) {
      const own = fieldState(input.field, state);
      input.state = own;
      // A key of former days is no choice to make, but one that is there can be changed.
      const isAbsent = own.value === undefined && own.resetTo === undefined;
      if (input.field.older) input.hidden = isAbsent && !input.contains(document.activeElement);
    }
    const mapped = [...this.#inputs.values()].filter(({ field, isSet }) => isSet && field.older === "mapped");
    this.#scriptRow.hidden = mapped.length === 0;
    this.#script.checked = state.scenario.startScript;
    for (const { details, note, inputs } of this.#groups) {
      const set = inputs.filter(({ isSet }) => isSet).length;
      setText(note, set > 0 ? `${set} set` : "");
      const isEmpty = inputs.every(({ hidden }) => hidden);
      if (details.hidden !== isEmpty) details.hidden = isEmpty;
      if (!details.open && inputs.some(({ isWrong }) => isWrong)) details.open = true;
    }
  }

  /** Opens the group of a setting written by the scenario, once, when it is loaded. */
  revealSet() {
    for (const { details, inputs } of this.#groups) {
      details.open = inputs.some(({ field, isSet }) => field.common || isSet);
    }
  }

  /** @param {string} option */
  focusOption(option) {
    const input = this.#inputs.get(option);
    if (!input) return false;
    const group = input.closest("details");
    if (group) group.open = true;
    input.focusInput();
    return true;
  }

  /**
   * @param {string} name
   * @param {FormField[]} fields
   */
  #section(name, fields) {
    return h("section", { class: "field-group" }, h("h3", null, name), fields.map((field) => this.#input(field)));
  }

  /**
   * Common settings stay in sight, the others open when one is set.
   * @param {string} name
   * @param {FormField[]} fields
   */
  #foldable(name, fields) {
    const inputs = fields.map((field) => this.#input(field));
    const note = h("span", { class: "group-note" });
    const open = fields.some(({ common }) => common);
    const details = h("details", { class: "field-group", open }, h("summary", null, h("span", null, name), note), inputs);
    this.#groups.push({ details, note, inputs });
    return details;
  }

  /** @param {FormField} field */
  #input(field) {
    const input = new FieldInput();
    input.field = field;
    this.#inputs.set(field.option, input);
    return input;
  }
}

/**
 * @param {FormField} field
 * @param {FormState} state
 * @returns {import("../elements/field-input.js").FieldState}
 */
function fieldState(field, state) {
  const own = field.option === CONTAINER_LIMIT;
  const { scenario, preset } = state;
  const value = own ? (scenario.limit ?? undefined) : valueOf(scenario.config, field.option);
  const resetTo = own ? (preset.containerLimit ?? undefined) : valueOf(preset.config, field.option);
  const reading = value !== undefined && field.kind === "size" ? state.sizes.get(value) : undefined;
  const fallback = state.derived.get(field.option) ?? null;
  const problems = own ? limitProblems(reading) : (state.problems.get(field.option) ?? []);
  return {
    value,
    resetTo,
    placeholder: field.default ?? ("not set"),
    reading: readingText(field, value, reading, fallback),
    position: positionValue(field, value, reading, fallback),
    problems,
    remark: problems.length === 0 && reading && !reading.ok && state.starts ? `${reading.error.message} Flink does not read it here.` : null,
  };
}

/**
 * A limit that cannot be read is left out of the answer, so no refusal names it.
 * @param {SizeReading | undefined} reading
 */
function limitProblems(reading) {
  if (!reading || reading.ok) return [];
  return [`Not used, since it is not a size: ${reading.error.message.replace(/\.$/, "")}. Write a size such as 4g or 1728m.`];
}

/**
 * @param {Record<string, string>} config
 * @param {string} key
 */
function valueOf(config, key) {
  return Object.hasOwn(config, key) ? config[key] : undefined;
}

/**
 * @param {FormField} field
 * @param {string | undefined} value
 * @param {SizeReading | undefined} reading
 * @param {Bytes | null} fallback
 */
function readingText(field, value, reading, fallback) {
  if (reading?.ok) return `${size(reading.value.bytes)} · ${exactBytes(reading.value.bytes)}`;
  if (value === undefined && field.kind === "size" && fallback !== null) return `not set, comes to ${size(fallback)}`;
  if (value === undefined && field.option === CONTAINER_LIMIT) return "not set, as large as the process";
  return "";
}

/**
 * @param {FormField} field
 * @param {string | undefined} value
 * @param {SizeReading | undefined} reading
 * @param {Bytes | null} fallback
 * @returns {Bytes | number | null}
 */
function positionValue(field, value, reading, fallback) {
  if (field.kind === "size") return reading?.ok ? reading.value.bytes : value === undefined ? fallback : null;
  const number = Number.parseFloat(value ?? field.default ?? "");
  return Number.isFinite(number) ? number : null;
}
