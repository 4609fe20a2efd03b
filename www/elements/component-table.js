// @ts-check
import { breakable, emit, h, prose } from "../dom.js";
import { exactBytes, exactDifference, percent, signedPercent, signedSize, size } from "../format.js";
import { patchChildren } from "../patch.js";

/** @import { Component, SizeDifference } from "../../src/web/types.ts" */

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
 * The memory table; rows are nested as the boxes are. Compared with A it has A, B and the difference.
 *
 * Method `show`. Event `go-to-option`: `{ option }`.
 */
export class ComponentTable extends HTMLElement {
  #head = h("tr");
  #body = h("tbody");
  #table = h(
    "table",
    { class: "components" },
    h("caption", { class: "off-screen" }, "Memory components, outermost first"),
    h("thead", null, this.#head),
    this.#body,
  );
  #shown = "";

  connectedCallback() {
    if (this.childElementCount > 0) return;
    this.addEventListener("click", (event) => {
      const option = /** @type {Element} */ (event.target).closest("[data-go]")?.getAttribute("data-go");
      if (option) emit(this, "go-to-option", { option });
    });
    this.append(this.#table);
  }

  /**
   * @param {Component[]} components
   * @param {SizeDifference[]} [differences]  from A, where there is one
   */
  show(components, differences = []) {
    const text = JSON.stringify([components, differences]);
    if (text === this.#shown) return;
    this.#shown = text;
    const isCompared = differences.length > 0;
    const heads = ["Memory component", ...(isCompared ? ["A", "B", "B − A"] : ["Allocation"]), "Location", "Engineering recommendation"];
    this.#table.classList.toggle("is-compared", isCompared);
    patchChildren(this.#head, heads.map((head) => h("th", { scope: "col", "data-id": head }, head)));
    const parents = new Map(components.map(({ id, parent }) => [id, parent]));
    const byId = new Map(differences.map((difference) => [difference.id, difference]));
    patchChildren(this.#body, components.map((component) => row(component, depthOf(component.id, parents), byId.get(component.id))));
  }
}

/**
 * @param {Component} component
 * @param {number} depth
 * @param {SizeDifference | undefined} difference
 */
function row(component, depth, difference) {
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
    ...(difference ? comparedCells(component, difference) : [allocationCell(component, "Allocation", percent(component.share))]),
    h(
      "td",
      { class: "location", "data-label": "Location" },
      h("div", null, component.location, component.cap ? h("span", { class: "cap" }, prose(component.cap)) : null),
    ),
    h("td", { class: "advice", "data-label": "Recommendation" }, h("div", null, prose(component.recommendation))),
  );
}

/**
 * @param {Component} component
 * @param {string} label
 * @param {string} share
 */
function allocationCell({ bytes, origin: of }, label, share) {
  const [origin, meaning] = ORIGINS[of];
  return h(
    "td",
    { class: "allocation", "data-label": label },
    h("span", { class: "bytes", title: exactBytes(bytes) }, size(bytes)),
    share ? h("span", { class: "share" }, share) : null,
    h("span", { class: `origin is-${of}`, title: meaning }, origin),
  );
}

/**
 * @param {Component} component
 * @param {SizeDifference} row
 */
function comparedCells(component, { a, difference, relative }) {
  const sign = difference === null || BigInt(difference) === 0n ? "same" : BigInt(difference) > 0n ? "more" : "less";
  return [
    h("td", { class: "allocation-a", "data-label": "A" }, a === null ? "–" : h("span", { title: exactBytes(a) }, size(a))),
    allocationCell(component, "B", ""),
    h(
      "td",
      { class: `difference is-${sign}`, "data-label": "B − A" },
      difference === null ? "–" : h("span", { title: exactDifference(difference) }, signedSize(difference)),
      relative ? h("span", { class: "share" }, signedPercent(relative)) : null,
    ),
  ];
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
