// @ts-check
import { h, prose, setText } from "../../dom.js";
import { count, exactBytes, exactDifference, signedSize, size } from "../../format.js";
import { PinBar } from "../../memory/compare.js";
import { patchChildren } from "../../patch.js";
import { figures } from "../results.js";
import { timeText } from "../time.js";
import { fine } from "./bound.js";

/**
 * @import { StreamDifference, StreamComparison as Compared } from "../../../src/web/types.ts"
 * @import { StreamProgress } from "./run.js"
 */

/**
 * A pinned stream beside the one on show: the sentence and the numbers of each, with the engine's
 * differences.
 *
 * Methods `showBar`, `showProgress`, `show`. Event of its bar: `pin`: `{ act }`.
 */
export class StreamComparison extends HTMLElement {
  #bar = new PinBar();
  #said = h("span", { class: "quiet" });
  #progress = h("progress", { max: 1, value: 0, "aria-label": "Progress of A" });
  #running = h("div", { class: "pin-progress", hidden: true }, this.#progress, this.#said);
  #verdicts = h("dl", { class: "verdicts" });
  #figures = h("div");
  #body = h("details", { class: "why against", open: true, hidden: true }, h("summary", null, h("h3", null, "Against A")), this.#verdicts, this.#figures);

  connectedCallback() {
    if (this.childElementCount > 0) return;
    this.append(this.#bar, this.#running, this.#body);
  }

  /**
   * @param {boolean} pinned
   * @param {boolean} runs  whether the stream on show has an answer
   * @param {string} note
   */
  showBar(pinned, runs, note) {
    this.#bar.show(pinned, runs, note);
  }

  /** A runs, since nothing is known of it yet. @param {StreamProgress | null} progress */
  showProgress(progress) {
    this.#running.hidden = progress === null;
    if (!progress) return;
    this.#progress.max = progress.pushed;
    this.#progress.value = progress.records;
    setText(this.#said, "A is run, to have its numbers.");
  }

  /** @param {Compared | null} compared */
  show(compared) {
    this.#body.hidden = compared === null;
    if (!compared) return;
    const { verdictA, verdictB, figures: all } = compared;
    patchChildren(this.#verdicts, [
      ["A", verdictA],
      ["B", verdictB],
    ].map(([name, sentence]) => h("div", { "data-id": name }, h("dt", null, name), h("dd", null, prose(sentence)))));
    patchChildren(this.#figures, [figures("Numbers of A and B", ["What", "#A", "#B", "#Difference"], all.map(row))]);
  }
}

/** How each unit is written, alone and as a difference. @type {Record<StreamDifference["unit"], [(value: number) => Node | string, (value: number) => Node | string]>} */
const UNITS = {
  count: [count, (value) => sign(value, count(value))],
  bytes: [(value) => h("span", { title: exactBytes(value) }, size(value)), (value) => h("span", { title: exactDifference(value) }, signedSize(value))],
  share: [fine, (value) => sign(value, `${fine(value).replace("-", "\u2212")} of all`)],
  ms: [timeText, (value) => sign(value, timeText(value))],
};

/** @param {StreamDifference} figure */
function row({ name, a, b, difference, unit }) {
  const [plain, signed] = UNITS[unit];
  return { id: name, cells: [name, plain(a), plain(b), difference === 0 ? "same" : signed(difference)] };
}

/**
 * @param {number} value
 * @param {string} text
 */
function sign(value, text) {
  return value > 0 ? `+${text}` : text;
}
