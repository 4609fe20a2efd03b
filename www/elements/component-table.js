// @ts-check
import { breakable, emit, h, prose } from "../dom.js";
import { exactBytes, exactDifference, percent, signedPercent, signedSize, size } from "../format.js";
import { patchChildren, patchList } from "../patch.js";

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
    patchList(
      this.#body,
      components.map(({ id, color }) => ({ "data-id": id, class: color === "total" ? "is-total" : null })),
      (row) => h("tr", row),
    );
    // Cell by cell, since most of what a row says stays as it is.
    components.forEach((component, index) => {
      const cells = cellsOf(component, depthOf(component.id, parents), byId.get(component.id));
      patchList(this.#body.children[index], cells, ({ build }) => build());
    });
  }
}

/**
 * The four cells of a row: what each shows, and how it is made.
 * @param {Component} component
 * @param {number} depth
 * @param {SizeDifference | undefined} difference
 */
function cellsOf({ name, option, color, bytes, share, origin, location, cap, recommendation }, depth, difference) {
  const allocation = { shows: ["Allocation", bytes, share, origin], build: () => allocationCell(bytes, "Allocation", percent(share), origin) };
  return [
    { shows: [name, option, color, depth], build: () => nameCell(name, option, color, depth) },
    ...(difference ? comparedCells(bytes, origin, difference) : [allocation]),
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
 * @param {string} label
 * @param {string} share
 * @param {Component["origin"]} origin
 */
function allocationCell(bytes, label, share, origin) {
  const [word, meaning] = ORIGINS[origin];
  return h(
    "td",
    { class: "allocation", "data-label": label },
    h("span", { class: "bytes", title: exactBytes(bytes) }, size(bytes)),
    share ? h("span", { class: "share" }, share) : null,
    h("span", { class: `origin is-${origin}`, title: meaning }, word),
  );
}

/**
 * @param {Component["bytes"]} bytes
 * @param {Component["origin"]} origin
 * @param {SizeDifference} row
 */
function comparedCells(bytes, origin, { a, difference, relative }) {
  const sign = difference === null || BigInt(difference) === 0n ? "same" : BigInt(difference) > 0n ? "more" : "less";
  return [
    {
      shows: ["A", a],
      build: () => h("td", { class: "allocation-a", "data-label": "A" }, a === null ? "–" : h("span", { title: exactBytes(a) }, size(a))),
    },
    { shows: ["B", bytes, origin], build: () => allocationCell(bytes, "B", "", origin) },
    {
      shows: ["B − A", difference, relative],
      build: () => h(
        "td",
        { class: `difference is-${sign}`, "data-label": "B − A" },
        difference === null ? "–" : h("span", { title: exactDifference(difference) }, signedSize(difference)),
        relative ? h("span", { class: "share" }, signedPercent(relative)) : null,
      ),
    },
  ];
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
