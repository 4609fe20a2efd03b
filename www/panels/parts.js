// @ts-check
/** What panels are made of. Nothing here listens, so that all of it can be patched. */

import { h, prose } from "../dom.js";
import { exactBytes, size } from "../format.js";

/**
 * @import { Bytes } from "../../src/web/types.ts"
 * @import { Child } from "../dom.js"
 */

/** What is there at all is seen as a line. */
const LEAST_SEEN = 0.004;

/**
 * A size with its exact bytes on hover.
 * @param {Bytes | null} bytes
 */
export function bytes(bytes) {
  if (bytes === null) return h("span", { class: "quiet" }, "–");
  return h("span", { class: "bytes", title: exactBytes(bytes) }, size(bytes));
}

/**
 * A bar whose width the view sets, since the policy allows no style attribute.
 * @param {Bytes} value
 * @param {Bytes} most
 * @param {string} [kind]  its colour
 */
export function bar(value, most, kind = "managed") {
  const share = Number(most) > 0 && Number(value) > 0 ? Math.min(1, Math.max(LEAST_SEEN, Number(value) / Number(most))) : 0;
  return h("div", { class: "bar", "aria-hidden": "true" }, h("div", { class: `bar-fill is-${kind}`, "data-width": share.toFixed(4) }));
}

/**
 * Gives the bars in `root` their widths.
 * @param {Element} root
 */
export function sizeBars(root) {
  for (const fill of root.querySelectorAll("[data-width]")) {
    const { style, dataset } = /** @type {HTMLElement} */ (fill);
    style.width = `${Number(dataset.width) * 100}%`;
  }
}

/**
 * @typedef {Child | Child[]} Cell
 * @typedef {{ id: string, cells: Cell[], class?: string }} Row  the first cell heads the row
 */

/**
 * A table that scrolls by itself where it does not fit.
 * @param {string} caption
 * @param {string[]} heads   a leading `#` marks a column of numbers, `~` one of sentences
 * @param {Row[]} rows
 */
export function table(caption, heads, rows) {
  /** @param {number} column */
  const kind = (column) => (heads[column].startsWith("#") ? "number" : heads[column].startsWith("~") ? "sentences" : null);
  return h(
    "div",
    { class: "scroller", tabindex: 0, role: "region", "aria-label": caption, "data-id": caption },
    h(
      "table",
      { class: "figures" },
      h("caption", { class: "off-screen" }, caption),
      h("thead", null, h("tr", null, heads.map((head, column) => h("th", { scope: "col", class: kind(column) }, head.replace(/^[#~]/, ""))))),
      h(
        "tbody",
        null,
        rows.map((row) =>
          h(
            "tr",
            { "data-id": row.id, class: row.class },
            row.cells.map((cell, column) =>
              column === 0 ? h("th", { scope: "row" }, cell) : h("td", { class: kind(column) }, cell),
            ),
          ),
        ),
      ),
    ),
  );
}

/**
 * @param {string} title
 * @param {...Child} content
 */
export function section(title, ...content) {
  return h("section", { "data-id": title }, h("h3", null, title), content);
}

/** @param {string} text */
export function note(text) {
  return h("p", { class: "quiet" }, prose(text));
}

/**
 * Flink's own words.
 * @param {string | null} text
 */
export function quoted(text) {
  return text ? h("pre", { class: "flink-text" }, text) : null;
}

/**
 * Whether something holds, in words.
 * @param {boolean} holds
 * @param {string} yes
 * @param {string} no
 */
export function mark(holds, yes, no) {
  return h("span", { class: holds ? "mark is-good" : "mark is-bad" }, holds ? yes : no);
}

/** @param {import("../../src/web/types.ts").Knob | null} knob */
export function knobText(knob) {
  return knob ? h("code", null, `${knob.option}: ${knob.text}`) : h("span", { class: "quiet" }, "no single option");
}
