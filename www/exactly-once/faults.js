// @ts-check
import { emit, h, setText } from "../dom.js";
import { duration, inOneUnit } from "../format.js";
import { patchChildren } from "../patch.js";
import { EVENTS, FIELD_WORDS, canMeet, controlOf, fieldsOf, reshaped } from "./fault-kinds.js";

/**
 * @import { Fault } from "./fault-kinds.js"
 * @import { Written } from "./params.js"
 */

/**
 * The faults, in their order: the kind and the parts of each can be changed; it can be moved up and
 * taken away. Times are written as in Flink, `90 s`, and kept as written.
 *
 * Method `show`. Property `problem`. Event `faults-change`: `{ faults }`.
 */
export class FaultList extends HTMLElement {
  /** @type {Fault[]} */
  #faults = [];
  #sink = "kafkaSink";
  #list = h("ol", { class: "faults" });
  #none = h("p", { class: "quiet" }, "No fault is placed. Choose a step of the transaction in the answer to place one.");
  #problem = h("p", { class: "field-problem", hidden: true });

  connectedCallback() {
    if (this.childElementCount > 0) return;
    this.append(this.#none, this.#list, this.#problem);
    this.addEventListener("click", (event) => {
      const { remove, up } = /** @type {Element} */ (event.target).closest("button")?.dataset ?? {};
      if (remove) this.#change(this.#faults.filter((_, index) => index !== Number(remove)));
      if (up) this.#change(movedUp(this.#faults, Number(up)));
      // The button that was pressed may be gone.
      if (remove || up) this.querySelector("select")?.focus();
    });
    this.addEventListener("change", (event) => {
      const { value, dataset } = /** @type {HTMLInputElement} */ (event.target);
      const at = Number(dataset.fault ?? NaN);
      if (!this.#faults[at]) return;
      const fault = dataset.name === "ev" ? reshaped(this.#faults[at], value) : edited(this.#faults[at], dataset.name ?? "", value);
      this.#change(this.#faults.map((old, index) => (index === at ? fault : old)));
    });
  }

  /**
   * @param {Fault[]} faults
   * @param {Pick<Written, "faults" | "faultProblems"> | null} written   what was read of them
   * @param {string} [sink]   that they happen to
   */
  show(faults, written, sink = this.#sink) {
    this.#sink = sink;
    const isNew = JSON.stringify(faults) !== JSON.stringify(this.#faults);
    this.#faults = faults;
    this.#none.hidden = faults.length > 0;
    patchChildren(this.#list, faults.map((fault, at) => item(fault, at, written, sink)));
    if (isNew) this.#settle();
  }

  /** A control that was used shows what was chosen in it last, whatever its attributes say. */
  #settle() {
    for (const input of this.#list.querySelectorAll("input")) input.value = input.defaultValue;
    for (const option of this.#list.querySelectorAll("option")) option.selected = option.defaultSelected;
  }

  /** @param {string} sentence */
  set problem(sentence) {
    setText(this.#problem, sentence);
    this.#problem.hidden = sentence === "";
  }

  /**
   * The list shows a change before it is answered: the next one, however fast, starts from it.
   * @param {Fault[]} faults
   */
  #change(faults) {
    this.show(faults, null);
    emit(this, "faults-change", { faults });
  }
}

/**
 * @param {Fault[]} faults
 * @param {number} at
 */
function movedUp(faults, at) {
  return [...faults.slice(0, at - 1), faults[at], faults[at - 1], ...faults.slice(at + 1)];
}

/**
 * @param {Fault} fault
 * @param {string} name
 * @param {string} value
 * @returns {Fault}
 */
function edited(fault, name, value) {
  const { [name]: _, ...rest } = fault;
  const text = value.trim();
  if (text === "") return /** @type {Fault} */ (rest);
  const { kind } = controlOf(name);
  if (kind === "flag") return { ...fault, [name]: text === "true" };
  // A number of a checkpoint may be a name too, such as `latest`; the engine says which it knows.
  if (kind === "number" && /^\d{1,15}$/.test(text)) return { ...fault, [name]: Number(text) };
  if (name === "value" && /^(true|false)$/.test(text)) return { ...fault, [name]: text === "true" };
  return { ...fault, [name]: text };
}

/**
 * @param {Fault} fault
 * @param {number} at
 * @param {Pick<Written, "faults" | "faultProblems"> | null} written
 * @param {string} sink
 */
function item(fault, at, written, sink) {
  const name = EVENTS[fault.ev] ?? fault.ev.slice(0, 40);
  const isMet = canMeet(fault.ev, sink) || !EVENTS[fault.ev];
  const offered = Object.entries(EVENTS).filter(([ev]) => ev === fault.ev || canMeet(ev, sink));
  const kinds = offered.map(([ev, words]) => h("option", { value: ev, selected: ev === fault.ev }, words));
  if (!EVENTS[fault.ev]) kinds.unshift(h("option", { value: fault.ev, selected: true }, name));
  return h(
    "li",
    { class: "fault" },
    h(
      "div",
      { class: "fault-head" },
      h("select", { "aria-label": `Fault ${at + 1}`, "data-fault": at, "data-name": "ev" }, kinds),
      at > 0 ? h("button", { type: "button", "data-up": at, "aria-label": `Move fault ${at + 1} up: ${name}` }, "↑") : null,
      h("button", { type: "button", "data-remove": at, "aria-label": `Remove fault ${at + 1}: ${name}` }, "Remove"),
    ),
    h("div", { class: "fault-fields" }, fieldsOf(fault, sink).map((key) => part(fault, at, key, name, written, sink))),
    isMet ? null : h("p", { class: "field-problem" }, "This sink cannot meet it: it changes nothing here."),
  );
}

/**
 * @param {Fault} fault
 * @param {number} at
 * @param {string} key
 * @param {string} name   of the fault
 * @param {Pick<Written, "faults" | "faultProblems"> | null} written
 * @param {string} sink
 */
function part(fault, at, key, name, written, sink) {
  const control = controlOf(key, sink);
  const value = fault[key];
  const words = FIELD_WORDS[key] ?? key;
  const problem = written?.faultProblems.get(`${at} ${key}`) ?? "";
  const about = { "aria-label": `${name}, ${words}`, "aria-invalid": problem === "" ? null : "true", "data-fault": at, "data-name": key };
  if (control.kind === "choice" || control.kind === "flag") {
    const text = String(value ?? "");
    const known = control.choices.some(([choice]) => choice === text) ? control.choices : [...control.choices, /** @type {[string, string]} */ ([text, text.slice(0, 40)])];
    return h("label", null, `${words} `, h("select", about, known.map(([choice, word]) => h("option", { value: choice, selected: choice === text }, word))));
  }
  const isTime = control.kind === "time";
  const text = isTime && typeof value === "number" ? inOneUnit(value) : String(value ?? "");
  const read = written?.faults[at]?.[key];
  const said = isTime && typeof read === "number" ? duration(read) : "";
  return h(
    "label",
    null,
    `${words} `,
    h("input", { type: "text", value: text, size: isTime ? 10 : 8, autocomplete: "off", spellcheck: "false", placeholder: control.empty ?? "", ...about }),
    said !== "" && said !== text ? h("span", { class: "fault-read" }, ` = ${said}`) : null,
    problem === "" ? null : h("span", { class: "field-problem" }, problem),
  );
}
