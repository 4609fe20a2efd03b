// @ts-check
import { breakable, emit, h, prose } from "../dom.js";
import { exactBytes, percent, size } from "../format.js";
import { patchList } from "../patch.js";

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
    patchList(
      this.#body,
      components.map(({ id, color }) => ({ "data-id": id, class: color === "total" ? "is-total" : null })),
      (row) => h("tr", row),
    );
    // Cell by cell, since most of what a row says stays as it is.
    components.forEach((component, index) => {
      patchList(this.#body.children[index], cellsOf(component, depthOf(component.id, parents)), ({ build }) => build());
    });
  }
}

/**
 * The four cells of a row: what each shows, and how it is made.
 * @param {Component} component
 * @param {number} depth
 */
function cellsOf({ name, option, color, bytes, share, origin, location, cap, recommendation }, depth) {
  return [
    { shows: [name, option, color, depth], build: () => nameCell(name, option, color, depth) },
    { shows: [bytes, share, origin], build: () => allocationCell(bytes, share, origin) },
    { shows: [location, cap], build: () => locationCell(location, cap) },
    { shows: [recommendation], build: () => adviceCell(recommendation) },
  ];
}

/**
 * @param {string} name
 * @param {string} option
 * @param {Component["color"]} color
 * @param {number} depth
 */
function nameCell(name, option, color, depth) {
  return h(
    "th",
    { scope: "row", class: `depth-${Math.min(depth, 3)}` },
    h("span", { class: `swatch is-${color}`, "aria-hidden": "true" }),
    h("span", { class: "component-name" }, name),
    h("button", { type: "button", class: "key", title: "Go to the setting", "data-go": option }, breakable(option)),
  );
}

/**
 * @param {Component["bytes"]} bytes
 * @param {number} share
 * @param {Component["origin"]} origin
 */
function allocationCell(bytes, share, origin) {
  const [word, meaning] = ORIGINS[origin];
  return h(
    "td",
    { class: "allocation", "data-label": "Allocation" },
    h("span", { class: "bytes", title: exactBytes(bytes) }, size(bytes)),
    h("span", { class: "share" }, percent(share)),
    h("span", { class: `origin is-${origin}`, title: meaning }, word),
  );
}

/**
 * @param {string} location
 * @param {string} cap
 */
function locationCell(location, cap) {
  return h(
    "td",
    { class: "location", "data-label": "Location" },
    h("div", null, location, cap ? h("span", { class: "cap" }, prose(cap)) : null),
  );
}

/** @param {string} recommendation */
function adviceCell(recommendation) {
  return h("td", { class: "advice", "data-label": "Recommendation" }, h("div", null, prose(recommendation)));
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
