// @ts-check
import { emit, h } from "../dom.js";

/**
 * @import { Role } from "../../src/web/types.ts"
 * @import { Scenario } from "../state.js"
 */

const ROLES = /** @type {const} */ ([
  ["taskmanager", "TaskManager"],
  ["jobmanager", "JobManager"],
]);

/** Which process: event `role-change`, `{ role }`. */
export class RoleSwitch extends HTMLElement {
  /** @type {Map<Role, HTMLInputElement>} */
  #inputs = new Map();

  connectedCallback() {
    if (this.childElementCount > 0) return;
    this.append(
      h(
        "fieldset",
        { class: "segmented is-wide" },
        h("legend", { class: "off-screen" }, "Process"),
        ROLES.map(([role, name]) => {
          const input = h("input", { type: "radio", name: "role", value: role, onchange: () => emit(this, "role-change", { role }) });
          this.#inputs.set(role, input);
          return h("label", null, input, h("span", null, name));
        }),
      ),
    );
  }

  /** @param {Role} role */
  set role(role) {
    const input = this.#inputs.get(role);
    if (input) input.checked = true;
  }
}

/** Settings without a field: kept, listed, removable. Event `remove-options`, `{ options }`. */
export class AlsoSet extends HTMLElement {
  #shown = "";

  /**
   * @param {Scenario} scenario
   * @param {Set<string>} own      options with a field
   * @param {Set<string>} others   options with a field of the other process
   * @param {string | null} wrong  the option Flink refuses
   */
  show({ config, role }, own, others, wrong) {
    const rest = Object.entries(config).filter(([key]) => !own.has(key));
    const text = JSON.stringify([rest, role, wrong]);
    if (text === this.#shown) return;
    this.#shown = text;
    this.hidden = rest.length === 0;
    const listed = rest.filter(([key]) => !others.has(key));
    const theirs = rest.filter(([key]) => others.has(key));
    const other = role === "taskmanager" ? "JobManager" : "TaskManager";
    this.replaceChildren(
      listed.length > 0 ? this.#group("Also set, kept in the configuration", listed, wrong) : "",
      theirs.length > 0 ? this.#group(`Set for the ${other}`, theirs, wrong) : "",
    );
  }

  /**
   * @param {string} title
   * @param {[string, string][]} entries
   * @param {string | null} wrong
   */
  #group(title, entries, wrong) {
    const keys = entries.map(([key]) => key);
    return h(
      "details",
      { class: "field-group", open: keys.includes(wrong ?? "") },
      h("summary", null, h("span", null, title), h("span", { class: "group-note" }, entries.length)),
      h(
        "ul",
        { class: "also-set" },
        entries.slice(0, 300).map(([key, value]) =>
          h(
            "li",
            { class: key === wrong ? "is-wrong" : null },
            h("code", null, `${key}: ${value.length > 200 ? `${value.slice(0, 200)}…` : value}`),
            h("button", { type: "button", "aria-label": `Remove ${key}`, onclick: () => emit(this, "remove-options", { options: [key] }) }, "Remove"),
          ),
        ),
      ),
      entries.length > 1
        ? h("button", { type: "button", onclick: () => emit(this, "remove-options", { options: keys }) }, `Remove all ${entries.length}`)
        : null,
    );
  }
}
