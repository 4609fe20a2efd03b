// @ts-check
import { breakable, emit, h, prose } from "../dom.js";
import { exactBytes, percent, size } from "../format.js";
import { patchChildren } from "../patch.js";

/** @import { Component } from "../../src/web/types.ts" */

const ORIGINS = {
  configured: ["configured", "The configuration names this size."],
  default: ["default", "The option’s default."],
  fraction: ["fraction", "A fraction of a larger pool, inside its range."],
  clampedToMin: ["at minimum", "The fraction gave less than the minimum."],
  clampedToMax: ["at maximum", "The fraction gave more than the maximum."],
  remainder: ["remainder", "What the other components left over."],
  sum: ["sum", "The sum of the components inside."],
};

/**
 * The memory table; rows are nested as the boxes are.
 *
 * Property `components`. Event `go-to-option`: `{ option }`.
 */
export class ComponentTable extends HTMLElement {
  #body = h("tbody");
  #shown = "";

  connectedCallback() {
    if (this.childElementCount > 0) return;
    this.addEventListener("click", (event) => {
      const option = /** @type {Element} */ (event.target).closest("[data-go]")?.getAttribute("data-go");
      if (option) emit(this, "go-to-option", { option });
    });
    const heads = ["Memory component", "Allocation", "Location", "Engineering recommendation"];
    this.append(
      h(
        "table",
        { class: "components" },
        h("caption", { class: "off-screen" }, "Memory components, outermost first"),
        h("thead", null, h("tr", null, heads.map((head) => h("th", { scope: "col" }, head)))),
        this.#body,
      ),
    );
  }

  /** @param {Component[]} components */
  set components(components) {
    const text = JSON.stringify(components);
    if (text === this.#shown) return;
    this.#shown = text;
    const parents = new Map(components.map(({ id, parent }) => [id, parent]));
    patchChildren(this.#body, components.map((component) => row(component, depthOf(component.id, parents))));
  }
}

/**
 * @param {Component} component
 * @param {number} depth
 */
function row(component, depth) {
  const [origin, meaning] = ORIGINS[component.origin];
  const exact = exactBytes(component.bytes);
  return h(
    "tr",
    { "data-id": component.id, class: component.color === "total" ? "is-total" : null },
    h(
      "th",
      { scope: "row", class: `depth-${Math.min(depth, 3)}` },
      h("span", { class: `swatch is-${component.color}`, "aria-hidden": "true" }),
      h("span", { class: "component-name" }, component.name),
      h(
        "button",
        { type: "button", class: "key", title: "Go to the setting", "data-go": component.option },
        breakable(component.option),
      ),
    ),
    h(
      "td",
      { class: "allocation", "data-label": "Allocation" },
      h("span", { class: "bytes", title: exact }, size(component.bytes)),
      h("span", { class: "share" }, percent(component.share)),
      h("span", { class: `origin is-${component.origin}`, title: meaning }, origin),
    ),
    h(
      "td",
      { class: "location", "data-label": "Location" },
      h("div", null, component.location, component.cap ? h("span", { class: "cap" }, prose(component.cap)) : null),
    ),
    h("td", { class: "advice", "data-label": "Recommendation" }, h("div", null, prose(component.recommendation))),
  );
}

/**
 * @param {string} id
 * @param {Map<string, string | null>} parents
 */
function depthOf(id, parents) {
  let depth = 0;
  for (let at = parents.get(id) ?? null; at !== null && depth < parents.size; at = parents.get(at) ?? null) depth += 1;
  return depth;
}
