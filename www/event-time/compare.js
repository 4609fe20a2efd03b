// @ts-check
import { h, prose } from "../dom.js";
import { SvgChart } from "../elements/svg-chart.js";
import { count, exactDifference, signedSize, size } from "../format.js";
import { PinBar } from "../memory/compare.js";
import { patchChildren } from "../patch.js";
import { figures } from "./results.js";
import { windowText } from "./time.js";
import { problemSentence } from "./words.js";

const COMPARE = "event_time/compareEventTime";
const DRAW = "event_time/drawEventTime";

/**
 * @import { Answer, EventTimeComparison, LanesChart, TotalDifference, WindowDifference, WindowResult } from "../../src/web/types.ts"
 * @import { Ask } from "../tools.js"
 * @import { EventScenario } from "./codec.js"
 * @import { Question } from "./params.js"
 *
 * @typedef {{ compared: Answer<EventTimeComparison>, lanes: Answer<LanesChart> }} Against
 */

/**
 * A pinned scenario beside the one on show: totals, results and the sentence of each, with the
 * engine's differences, and the lanes of A below.
 *
 * Method `compare`. Events of its bar: `pin`: `{ act }`; `pin-width` when the lanes of A have other room.
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

  /**
   * Asks what differs from A, and shows it.
   * @param {object} asked
   * @param {EventScenario | null} asked.pinned
   * @param {() => Promise<Question>} asked.a
   * @param {any} asked.b  what the scenario on show was asked; null where it has no answer
   * @param {Ask} asked.ask
   * @param {"light" | "dark"} asked.theme
   * @param {() => boolean} asked.isLate  whether something else is shown by now
   */
  async compare({ pinned, a: questionA, b, ask, theme, isLate }) {
    this.hidden = false;
    this.#bar.show(pinned !== null, b !== null, pinned ? "A is pinned; what you change now is B." : "");
    if (!pinned || b === null) return this.#show(null);
    if (pinned.stream) {
      this.#bar.show(true, true, "A is a whole stream; it is compared with one only.");
      return this.#show(null);
    }
    const a = await questionA();
    if (isLate()) return;
    if (a.problems.size + a.rows.size > 0) {
      this.#bar.show(true, true, `A does not run: ${problemSentence(a)}`);
      return this.#show(null);
    }
    const draw = { job: a.params, upto: null, theme, width: this.#lanes.drawWidth };
    const [compared, lanes] = await Promise.all([ask(COMPARE, { a: a.params, b }, "comparison with A"), ask(DRAW, draw, "lanes of A")]);
    if (isLate() || (!compared.ok && compared.error.code === "superseded")) return;
    if (!compared.ok) this.#bar.show(true, true, `A is not compared: ${compared.error.message}`);
    this.#show({ compared, lanes });
  }

  /** @param {Against | null} against */
  #show(against) {
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
