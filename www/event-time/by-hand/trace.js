// @ts-check
import { emit, h, setText } from "../../dom.js";
import { download } from "../../download.js";
import { patchChildren } from "../../patch.js";
import { line } from "../csv.js";
import { many } from "../log.js";
import { figures } from "../results.js";
import { timeText } from "../time.js";
import { EXAMPLES, KINDS, SYNTAX, countOf, doneText, signalsText, stepsOf } from "./script.js";

/**
 * @import { FlinkVersion, TraceStep, WatermarkRule } from "../../../src/web/types.ts"
 * @import { Ask } from "../../tools.js"
 * @import { Hand, HandKind } from "./script.js"
 *
 * @typedef {{ version: FlinkVersion, rule: WatermarkRule, idleTimeout: number | null }} Settings  of the page
 * @typedef {{ line: number, text: string, step: TraceStep, other: TraceStep | null }} Row
 */

/** Rows that are shown; the file has all. */
const ROWS_MAX = 500;
/** Releases on either side of the difference in what all-idle parts do. @type {Record<FlinkVersion, FlinkVersion>} */
const OTHER = { "1.18": "2.2", "1.20": "2.2", "2.2": "1.20" };

/**
 * One part of Flink's watermark machinery, stepped by a script of signals: what it sends after each.
 *
 * Properties `ask`, `settings`, `hand`. Event `hand-change`: `{ hand, settled }`.
 */
export class WatermarksByHand extends HTMLElement {
  /** @type {Ask} */
  ask = async () => ({ ok: false, error: { code: "no_engine", message: "", field: null, option: null } });
  /** @type {Settings | null} */
  #settings = null;
  /** @type {Hand} */
  #hand = EXAMPLES.inputs;
  /** @type {Row[]} */
  #rows = [];
  #turn = 0;
  #kind = h("select", { id: "hand-kind" }, KINDS.map(([value, name]) => h("option", { value }, name)));
  #count = h("input", { type: "text", id: "hand-count", inputmode: "numeric", autocomplete: "off", "aria-describedby": "hand-problem" });
  #countLabel = h("label", { for: "hand-count" });
  #script = h("textarea", { id: "hand-script", rows: 10, spellcheck: "false", "aria-describedby": "hand-help hand-problem" });
  #help = h("p", { class: "quiet", id: "hand-help" });
  #problem = h("p", { class: "field-problem", id: "hand-problem", role: "status" });
  #verdict = h("p", { class: "hand-verdict", "aria-live": "polite" });
  #table = h("div");
  #save = h("button", { type: "button", onclick: () => this.#export() }, "Download CSV");
  #example = h("button", { type: "button", onclick: () => this.#change({ ...EXAMPLES[this.#hand.kind] }, true) }, "Back to the example");

  connectedCallback() {
    if (this.childElementCount > 0) return;
    this.append(
      h("div", { class: "hand-row" }, h("div", null, h("label", { for: "hand-kind" }, "Signals go to"), this.#kind), h("div", null, this.#countLabel, this.#count)),
      h("label", { for: "hand-script" }, "Script"),
      this.#script,
      this.#help,
      this.#problem,
      this.#verdict,
      this.#table,
      h("div", { class: "records-actions" }, this.#save, this.#example),
    );
    this.#kind.addEventListener("change", () => this.#change({ ...EXAMPLES[/** @type {HandKind} */ (this.#kind.value)] }, true));
    for (const type of ["input", "change"]) {
      const settled = type === "change";
      this.#count.addEventListener(type, () => this.#change({ ...this.#hand, count: this.#count.value }, settled));
      this.#script.addEventListener(type, () => this.#change({ ...this.#hand, script: this.#script.value }, settled));
    }
    this.#show();
  }

  /** @param {Hand} hand */
  set hand(hand) {
    if (hand === this.#hand) return;
    this.#hand = hand;
    this.#show();
  }

  /** @param {Settings} settings */
  set settings(settings) {
    if (JSON.stringify(settings) === JSON.stringify(this.#settings)) return;
    this.#settings = settings;
    this.#update();
  }

  /**
   * @param {Hand} hand
   * @param {boolean} settled
   */
  #change(hand, settled) {
    this.hand = hand;
    emit(this, "hand-change", { hand, settled });
  }

  #show() {
    const { kind, count, script } = this.#hand;
    this.#kind.value = kind;
    const counts = kind === "inputs" || kind === "channels";
    /** @type {HTMLElement} */ (this.#count.parentElement ?? this.#count).hidden = !counts;
    setText(this.#countLabel, kind === "inputs" ? "Inputs" : "Channels");
    if (this.#count.value !== count) this.#count.value = count;
    // The text of a box never has a carriage return.
    if (this.#script.value !== script.replace(/\r\n?/g, "\n")) this.#script.value = script;
    setText(this.#help, SYNTAX[kind]);
    this.#update();
  }

  /** @param {FlinkVersion} version */
  #paramsFor(version) {
    const { kind } = this.#hand;
    const { steps } = stepsOf(this.#hand);
    const count = countOf(this.#hand);
    if (kind === "splits") return { kind, version, steps };
    if (kind === "channels") return { kind, channels: count, steps };
    if (kind === "inputs") return { kind, version, inputs: count, timerDelay: 0, steps };
    return { kind, rule: this.#settings?.rule, idleTimeout: this.#settings?.idleTimeout ?? null, clock: 0, steps };
  }

  async #update() {
    if (!this.#settings) return;
    const turn = (this.#turn += 1);
    const { kind, script } = this.#hand;
    const { version } = this.#settings;
    const { lines, problem } = stepsOf(this.#hand);
    const count = countOf(this.#hand);
    if (typeof count === "string") return this.#refuse(`${this.#countLabel.textContent}: ${count}`, this.#count);
    if (problem) return this.#refuse(problem.line > 0 ? `Line ${problem.line}: ${problem.sentence}` : problem.sentence, this.#script);
    const versioned = kind === "splits" || kind === "inputs";
    const [answer, other] = await Promise.all([
      this.ask("event_time/traceWatermarks", this.#paramsFor(version), "watermarks by hand"),
      versioned ? this.ask("event_time/traceWatermarks", this.#paramsFor(OTHER[version]), "watermarks by hand, other release") : null,
    ]);
    if (turn !== this.#turn) return;
    if (!answer.ok) {
      const item = /^input\[(\d+)\]/.exec(answer.error.field ?? "")?.[1];
      const at = item === undefined ? "" : `Line ${lines[Number(item)]}: `;
      return this.#refuse(`${at}${answer.error.message}`, answer.error.field === "channels" ? this.#count : this.#script);
    }
    this.#refuse("", null);
    const texts = script.split(/\r\n|\n|\r/);
    const others = other?.ok ? /** @type {TraceStep[]} */ (other.value.steps) : null;
    this.#rows = /** @type {TraceStep[]} */ (answer.value.steps).map((step, index) => ({ line: lines[index], text: texts[lines[index] - 1].trim(), step, other: others?.[index] ?? null }));
    this.#draw(version);
  }

  /** @param {FlinkVersion} version */
  #draw(version) {
    const rows = this.#rows;
    const differing = rows.filter(differs).length;
    const last = rows[rows.length - 1]?.step.watermark ?? null;
    const hasOther = rows.some(({ other }) => other !== null);
    const difference = !hasOther ? "1.18, 1.20 and 2.2 agree here." : differing === 0 ? `Flink ${version} and ${OTHER[version]} agree in every step.` : `Flink ${version} and ${OTHER[version]} differ in ${many(differing, "step")}: when all parts are idle, 2.x first goes to the maximum over all of them.`;
    setText(this.#verdict, rows.length === 0 ? "No step yet." : `After ${many(rows.length, "step")}: ${last === null ? "no watermark yet" : `watermark ${timeText(last)}`}. ${difference}`);
    const heads = ["Line", "Step", "Goes on", "Beside it", "#Watermark", ...(hasOther ? [`On Flink ${OTHER[version]}`] : [])];
    const table = rows.slice(0, ROWS_MAX).map((row) => ({ id: String(row.line), cells: cellsOf(row, hasOther) }));
    patchChildren(this.#table, rows.length === 0 ? [] : [figures("Steps and what goes on", heads, table), ...(rows.length > ROWS_MAX ? [h("p", { class: "quiet" }, `and ${rows.length - ROWS_MAX} more; the file has all.`)] : [])]);
    this.#save.disabled = rows.length === 0;
  }

  /**
   * @param {string} sentence
   * @param {HTMLElement | null} at
   */
  #refuse(sentence, at) {
    setText(this.#problem, sentence);
    this.#problem.hidden = sentence === "";
    for (const field of [this.#count, this.#script]) field.setAttribute("aria-invalid", String(field === at));
    this.#table.classList.toggle("is-stale", sentence !== "");
    if (sentence !== "") setText(this.#verdict, "");
  }

  #export() {
    const heads = ["line", "step", "goes on", "beside it", "watermark", "watermark on the other release"];
    const cells = this.#rows.map(({ line: at, text, step, other }) => [String(at), text, signalsText(step.down), doneText(step), String(step.watermark ?? ""), other ? String(other.watermark ?? "") : ""]);
    download("weir-watermarks-by-hand.csv", new Blob([[heads, ...cells].map((row) => `${line(row)}\r\n`).join("")], { type: "text/csv" }));
  }
}

/** @param {Row} row */
function differs({ step, other }) {
  return other !== null && (step.watermark !== other.watermark || signalsText(step.down) !== signalsText(other.down) || doneText(step) !== doneText(other));
}

/**
 * @param {Row} row
 * @param {boolean} hasOther
 */
function cellsOf(row, hasOther) {
  const { line: at, text, step, other } = row;
  const all = [String(at), h("code", null, text.slice(0, 120)), signalsText(step.down) || h("span", { class: "quiet" }, "nothing"), doneText(step), timeText(step.watermark)];
  if (!hasOther) return all;
  const there = other && differs(row) ? h("span", { class: "holds-back" }, [signalsText(other.down) || "nothing", doneText(other), `watermark after it ${timeText(other.watermark)}`].filter(Boolean).join("; ")) : h("span", { class: "quiet" }, "the same");
  return [...all, there];
}
