// @ts-check
import { emit, h, setText } from "../dom.js";
import { OptionField } from "../elements/option-field.js";
import { EDGES_MAX, FAILING, VERTICES_MAX, edgeFields, isGraph, isSource, sizeOf, vertexFields } from "./graph.js";

/**
 * @import { CheckpointField, Settings } from "./fields.js"
 */

/**
 * A job graph, vertex by vertex and edge by edge: each is folded away behind what it is.
 *
 * Method `show`. Events: `graph-change`, `{ act, at }`, and `setting-change` of its fields.
 */
export class GraphEditor extends HTMLElement {
  /** @type {OptionField[]} */
  #fields = [];
  /** @type {HTMLElement[]} */
  #heads = [];
  #size = "";
  #parts = h("div");
  #addSource = button("addSource", "Add a source");
  #addVertex = button("addVertex", "Add a vertex at the end");
  #addEdge = button("addEdge", "Add an edge");

  connectedCallback() {
    if (this.childElementCount > 0) return;
    this.append(this.#parts, h("div", { class: "graph-buttons" }, this.#addSource, this.#addVertex, this.#addEdge));
    this.addEventListener("click", (event) => {
      const { act, at } = /** @type {HTMLElement} */ (event.target).closest("button")?.dataset ?? {};
      if (act) emit(this, "graph-change", { act, at: Number(at) });
    });
  }

  /**
   * @param {Settings} settings
   * @param {(element: OptionField) => void} fill
   */
  show(settings, fill) {
    this.hidden = !isGraph(settings);
    if (this.hidden) return;
    const [vertices, edges] = sizeOf(settings);
    if (this.#size !== `${vertices} ${edges}`) this.#build(vertices, edges);
    const names = Array.from({ length: vertices }, (_, at) => settings[`v${at}.name`]);
    this.#heads.forEach((head, at) => setText(head, at < vertices ? vertexHead(settings, at) : edgeHead(settings, at - vertices, names)));
    for (const element of this.#fields) {
      fill(element);
      const { id } = element.field;
      if (/\.(?:from|to)$/.test(id) || id === FAILING.id) nameVertices(element, names);
      const fold = element.closest("details");
      if (fold && element.classList.contains("is-wrong")) fold.open = true;
    }
    this.#addVertex.disabled = this.#addSource.disabled = vertices >= VERTICES_MAX || edges >= EDGES_MAX;
    this.#addEdge.disabled = vertices < 2 || edges >= EDGES_MAX;
  }

  /**
   * @param {number} vertices
   * @param {number} edges
   */
  #build(vertices, edges) {
    this.#size = `${vertices} ${edges}`;
    this.#fields = [];
    this.#heads = [];
    const part = (/** @type {CheckpointField[]} */ fields, /** @type {HTMLElement | null} */ remove) => {
      const elements = fields.map((field) => Object.assign(new OptionField(), { field }));
      this.#fields.push(...elements);
      const head = h("summary");
      this.#heads.push(head);
      return h("details", { class: "graph-part" }, head, elements, remove);
    };
    const parts = [
      h("h4", null, "Vertices, in the order of the flow"),
      ...numbers(vertices).map((at) => part(vertexFields(at), vertices > 1 ? button("removeVertex", "Remove this vertex and its edges", at) : null)),
      h("h4", null, "Edges"),
      ...numbers(edges).map((at) => part(edgeFields(at), button("removeEdge", "Remove this edge", at))),
    ];
    const failing = Object.assign(new OptionField(), { field: FAILING });
    this.#fields.push(failing);
    this.#parts.replaceChildren(...parts, failing);
  }
}

/** @param {number} length */
function numbers(length) {
  return Array.from({ length }, (_, at) => at);
}

/**
 * @param {string} act
 * @param {string} text
 * @param {number} [at]
 */
function button(act, text, at) {
  return h("button", { type: "button", "data-act": act, "data-at": at }, text);
}

/** @param {Settings} settings @param {number} at */
function vertexHead(settings, at) {
  const subtasks = settings[`v${at}.parallelism`].trim();
  return `${at} ${settings[`v${at}.name`]}: ${isSource(settings, at) ? "source, " : ""}${subtasks} ${subtasks === "1" ? "subtask" : "subtasks"}`;
}

/** @param {Settings} settings @param {number} at @param {string[]} names */
function edgeHead(settings, at, names) {
  const [from, to] = [settings[`e${at}.from`], settings[`e${at}.to`]];
  return `${from} ${names[Number(from)] ?? "none"} → ${to} ${names[Number(to)] ?? "none"}: ${settings[`e${at}.exchange`]}`;
}

/**
 * @param {OptionField} element
 * @param {string[]} names
 */
function nameVertices(element, names) {
  for (const option of element.querySelectorAll("option")) {
    const name = names[Number(option.value)];
    setText(option, name === undefined ? `${option.value} (no such vertex)` : `${option.value} ${name}`);
    // What is chosen stays in sight, so that it can be seen to be wrong.
    option.hidden = name === undefined && !option.selected;
  }
}
