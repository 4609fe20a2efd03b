// @ts-check
import { h, prose, setProse, setText } from "../dom.js";
import { FindingList } from "../elements/finding-list.js";
import { count } from "../format.js";
import { patchChildren } from "../patch.js";
import { millis } from "./params.js";
import { figures } from "./results.js";
import { timeText, windowText } from "./time.js";

/**
 * @import { FlinkVersion, WatermarkRule, WhyReport, WindowAssigner } from "../../src/web/types.ts"
 * @import { Ask } from "../tools.js"
 *
 * @typedef {{ version: FlinkVersion, assigner: WindowAssigner, rule: WatermarkRule }} Waiting  what a job waits with
 */

const INPUTS_MAX = 200;

/**
 * From watermarks as a running job shows them to the input that holds it, and to what is still needed
 * for the next firing of windows like those on this page.
 *
 * Properties `ask`, `waiting`.
 */
export class WhyNoOutput extends HTMLElement {
  /** @type {Ask} */
  ask = async () => ({ ok: false, error: { code: "no_engine", message: "", field: null, option: null } });
  /** @type {Waiting | null} */
  #waiting = null;
  #turn = 0;
  #text = h("textarea", { id: "why-text", rows: 6, spellcheck: "false", "aria-describedby": "why-help", placeholder: "0 No Watermark\n1 1772964000000" });
  #drift = h("input", { type: "text", id: "why-drift", autocomplete: "off", placeholder: "none", "aria-describedby": "why-drift-help why-drift-problem" });
  #driftProblem = h("p", { class: "field-problem", id: "why-drift-problem", role: "status", hidden: true });
  #verdict = h("p", { class: "why-verdict", "aria-live": "polite" });
  #body = h("div");
  #findings = new FindingList();
  #result = h("div", { hidden: true }, this.#body, this.#findings);

  connectedCallback() {
    if (this.childElementCount > 0) return;
    this.append(
      h("label", { for: "why-text" }, "Watermarks of your job’s subtasks"),
      this.#text,
      h("p", { class: "quiet", id: "why-help" }, "One a line, as the watermarks tab of the web UI shows them, as metrics, or the answer of the REST API. “No Watermark” and Long.MIN_VALUE are understood. Windows and rule are those of the settings on this page."),
      h("label", { for: "why-drift" }, "Watermark alignment: largest drift"),
      this.#drift,
      h("p", { class: "quiet", id: "why-drift-help" }, "The second argument of withWatermarkAlignment, such as 20 s. Empty where sources are not aligned."),
      this.#driftProblem,
      this.#verdict,
      this.#result,
    );
    this.#text.addEventListener("input", () => this.#update());
    this.#drift.addEventListener("input", () => this.#update());
  }

  /** @param {Waiting} waiting */
  set waiting(waiting) {
    if (JSON.stringify(waiting) === JSON.stringify(this.#waiting)) return;
    this.#waiting = waiting;
    this.#update();
  }

  async #update() {
    const turn = (this.#turn += 1);
    const text = this.#text.value;
    if (!this.#waiting || text.trim() === "") {
      this.#verdict.replaceChildren();
      this.#result.hidden = true;
      return;
    }
    const maxDrift = await this.#readDrift();
    if (turn !== this.#turn || maxDrift === undefined) return;
    const answer = await this.ask("event_time/whyNoOutput", { ...this.#waiting, text, maxDrift });
    if (turn !== this.#turn) return;
    setProse(this.#verdict, answer.ok ? answer.value.verdict : answer.error.message);
    this.#verdict.classList.toggle("is-wrong", !answer.ok);
    this.#result.hidden = !answer.ok;
    if (!answer.ok) return;
    patchChildren(this.#body, parts(answer.value));
    this.#findings.findings = answer.findings;
  }

  /** The drift in ms, null for none, undefined where it cannot be read. */
  async #readDrift() {
    const text = this.#drift.value.trim();
    const answer = text === "" ? null : await this.ask("parseDuration", { version: this.#waiting?.version, text }, "parseDuration of the drift");
    const sentence = answer && !answer.ok && answer.error.code !== "superseded" ? answer.error.message : "";
    this.#drift.setAttribute("aria-invalid", String(sentence !== ""));
    this.#driftProblem.hidden = sentence === "";
    setText(this.#driftProblem, sentence);
    if (answer === null) return null;
    return answer.ok ? millis(answer.value, false) : undefined;
  }
}

/** @param {WhyReport} report */
function parts({ inputs, ignored, next, whyNoNext, watermark, maxAllowed }) {
  const rows = inputs.slice(0, INPUTS_MAX).map(({ name, watermark: own, idle, holdsBack, behind }, index) => ({
    id: String(index),
    cells: [name, timeText(own), behind === null ? "–" : timeText(behind), h("span", { class: holdsBack ? "holds-back" : "quiet" }, idle ? "idle, left out" : holdsBack ? "holds the watermark back" : "does not hold it back")],
  }));
  return [
    rows.length > 0 ? figures("Inputs as shown", ["Input", "#Watermark", "#Behind the furthest", "Part in the minimum"], rows) : h("p", { class: "quiet" }, "No watermark was found in the text."),
    inputs.length > INPUTS_MAX ? h("p", { class: "quiet" }, `and ${count(inputs.length - INPUTS_MAX)} more.`) : "",
    ignored > 0 ? h("p", { class: "quiet" }, `Lines not understood: ${count(ignored)}.`) : "",
    h("p", null, prose(`The operator’s watermark is ${timeText(watermark)}.`)),
    next
      ? h("p", null, `The next window, ${windowText(next.window)}, fires at watermark ${timeText(next.needsWatermark)}${next.needsTimestamp === null ? "" : `; each input that holds back needs a record of ${timeText(next.needsTimestamp)} or later`}.`)
      : "",
    whyNoNext === null ? "" : h("p", { class: "why-no-next" }, prose(whyNoNext)),
    maxAllowed === null ? "" : h("p", null, `With this alignment a source that is ahead of ${timeText(maxAllowed)} pauses.`),
  ];
}
