// @ts-check
import { h, prose } from "../dom.js";
import { SvgChart } from "../elements/svg-chart.js";
import { count, exactDifference, signedSize, size } from "../format.js";
import { PinBar } from "../memory/compare.js";
import { patchChildren } from "../patch.js";
import { figures } from "./results.js";
import { windowText } from "./time.js";

/**
 * @import { Answer, EventTimeComparison, LanesChart, TotalDifference, WindowDifference, WindowResult } from "../../src/web/types.ts"
 *
 * @typedef {{ compared: Answer<EventTimeComparison>, lanes: Answer<LanesChart> }} Against
 */

/**
 * A pinned scenario beside the one on show: totals, results and the sentence of each, with the
 * engine's differences, and the lanes of A below.
 *
 * Methods `showBar`, `show`. Property `drawWidth`. Events of its bar: `pin`: `{ act }`; `pin-width`
 * when the lanes of A have other room.
 */
export class EventComparison extends HTMLElement {
  #bar = new PinBar();
  #verdicts = h("dl", { class: "verdicts" });
  #totals = h("div");
  #windows = h("div");
  #lanes = new SvgChart();
  #body = h("details", { class: "why against", open: true, hidden: true });

  connectedCallback() {
    if (this.childElementCount > 0) return;
    this.#lanes.addEventListener("chart-width", (event) => {
      event.stopPropagation();
      this.dispatchEvent(new CustomEvent("pin-width", { bubbles: true }));
    });
    this.#body.append(
      h("summary", null, h("h3", null, "Against A")),
      this.#verdicts,
      h("h4", null, "Totals"),
      this.#totals,
      h("h4", null, "Results that differ"),
      this.#windows,
      h("h4", null, "The lanes of A"),
      this.#lanes,
    );
    this.append(this.#bar, this.#body);
  }

  get drawWidth() {
    return this.#lanes.drawWidth;
  }

  /**
   * @param {boolean} pinned
   * @param {boolean} runs  whether the scenario on show has an answer
   * @param {string} note
   */
  showBar(pinned, runs, note) {
    this.#bar.show(pinned, runs, note);
    if (!pinned) this.#body.hidden = true;
  }

  /** @param {Against | null} against */
  show(against) {
    this.#body.hidden = against === null || !against.compared.ok;
    if (!against?.compared.ok) return;
    const { verdictA, verdictB, totals, windows, windowsOmitted, same } = against.compared.value;
    patchChildren(this.#verdicts, [
      ["A", verdictA],
      ["B", verdictB],
    ].map(([name, sentence]) => h("div", { "data-id": name }, h("dt", null, name), h("dd", null, prose(sentence)))));
    patchChildren(this.#totals, [figures("Totals of A and B", ["Total", "#A", "#B", "#Difference"], totals.map(totalRow))]);
    const rest = windowsOmitted > 0 ? ` ${count(windowsOmitted)} more differ and are not listed.` : "";
    const note = h("p", { class: "quiet" }, `${count(same)} windows have the same results in both.${rest}`);
    const heads = ["Window, key", "#Records in A", "#Records in B", "#Difference", "#Sum in A", "#Sum in B", "#Difference", "#Firings in A", "#Firings in B"];
    patchChildren(this.#windows, [note, ...(windows.length > 0 ? [figures("Results that differ", heads, windows.map(windowRow))] : [])]);
    this.#lanes.hidden = !against.lanes.ok;
    if (!against.lanes.ok) return;
    if (!this.#lanes.isMeasured) this.#lanes.measure();
    this.#lanes.chart = against.lanes.value;
  }
}

/** @param {TotalDifference} total */
function totalRow({ name, a, b, difference, isBytes }) {
  const text = isBytes ? size : count;
  const sign = isBytes ? h("span", { title: exactDifference(difference) }, signedSize(difference)) : signed(difference);
  return { id: name, cells: [name, text(a), text(b), difference === 0 ? "same" : sign] };
}

/** @param {WindowDifference} row */
function windowRow({ key, start, end, a, b, countDifference, sumDifference }) {
  const name = windowText({ start, end });
  return {
    id: `${key} ${name}`,
    cells: [
      h("span", null, name, h("span", { class: "quiet" }, ` ${key}`)),
      part(a, "count"),
      part(b, "count"),
      signed(countDifference),
      part(a, "sum"),
      part(b, "sum"),
      signed(sumDifference),
      part(a, "firings"),
      part(b, "firings"),
    ],
  };
}

/**
 * @param {WindowResult | null} result
 * @param {keyof WindowResult} field
 */
function part(result, field) {
  const number = result?.[field] ?? null;
  return number === null ? "–" : count(number);
}

/** @param {number} difference */
function signed(difference) {
  if (difference === 0) return "same";
  return difference > 0 ? `+${count(difference)}` : count(difference);
}
