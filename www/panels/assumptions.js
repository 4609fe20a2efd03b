// @ts-check
import { emit, h } from "../dom.js";
import { figure, range } from "../format.js";
import { patchChildren } from "../patch.js";

/**
 * @import { Assumption, RocksdbAssumption } from "../../src/web/types.ts"
 *
 * @typedef {Assumption | RocksdbAssumption} Line
 */

/**
 * The numbers an answer assumes: each can be changed and taken back.
 * Sends `workload-change` for the key `prefix` + id.
 */
export class AssumptionTable {
  element = h("div", { class: "assumptions" });
  #prefix = "";

  constructor() {
    this.element.addEventListener("input", (event) => this.#edit(event, false));
    this.element.addEventListener("change", (event) => this.#edit(event, true));
    this.element.addEventListener("submit", (event) => event.preventDefault());
    this.element.addEventListener("click", (event) => {
      const id = /** @type {Element} */ (event.target).closest("[data-reset]")?.getAttribute("data-reset");
      if (!id) return;
      const input = this.#input(id);
      emit(this.element, "workload-change", { key: this.#prefix + id, value: null, settled: true });
      input?.focus();
    });
  }

  /**
   * @param {string} prefix
   * @param {Line[]} lines
   * @param {Record<string, string>} workload
   */
  show(prefix, lines, workload) {
    this.#prefix = prefix;
    patchChildren(this.element, lines.map((line) => item(line, Object.hasOwn(workload, prefix + line.id))));
    for (const line of lines) {
      const input = this.#input(line.id);
      if (input && document.activeElement !== input) input.value = workload[prefix + line.id] ?? String(line.value);
    }
    this.problem("", "");
  }

  /**
   * Marks one line, or none.
   * @param {string} id
   * @param {string} text
   */
  problem(id, text) {
    for (const input of this.element.querySelectorAll("input")) {
      const wrong = text !== "" && input.name === id;
      input.setAttribute("aria-invalid", String(wrong));
      const says = input.closest("[data-id]")?.querySelector(".field-problem");
      if (says) says.textContent = wrong ? text : "";
    }
  }

  /** @param {string} id */
  #input(id) {
    return /** @type {HTMLInputElement | null} */ (this.element.querySelector(`input[name="${CSS.escape(id)}"]`));
  }

  /**
   * @param {Event} event
   * @param {boolean} settled
   */
  #edit(event, settled) {
    const { name, value } = /** @type {HTMLInputElement} */ (event.target);
    emit(this.element, "workload-change", { key: this.#prefix + name, value: value.trim() === "" ? null : value, settled });
  }
}

/**
 * @param {Line} line
 * @param {boolean} changed
 */
function item(line, changed) {
  const title = "title" in line ? line.title : line.label;
  const ends = /** @type {[number, number]} */ ("range" in line ? line.range : [line.low, line.high]);
  const footing = "footing" in line ? line.footing : line.label;
  const id = `assumption-${line.id}`;
  return h(
    "div",
    { class: `assumption ${changed ? "is-changed" : ""}`, "data-id": line.id },
    h(
      "div",
      { class: "assumption-head" },
      h("label", { for: id }, title, line.unit ? h("span", { class: "unit" }, ` ${line.unit}`) : null),
      changed ? h("button", { type: "button", class: "field-reset", "data-reset": line.id, "aria-label": `Reset ${title}` }, "Reset") : null,
    ),
    h("form", null, h("input", { type: "text", id, name: line.id, autocomplete: "off", spellcheck: "false", "aria-describedby": `${id}-about` })),
    h(
      "p",
      { class: "quiet", id: `${id}-about` },
      h("span", { class: `footing is-${footing}` }, footing),
      ` default ${figure(line.default)}, range ${range(ends)}. `,
      line.source,
    ),
    h("p", { class: "field-problem" }),
  );
}
