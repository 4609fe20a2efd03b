// @ts-check
import { emit, h, prose, setText } from "../../dom.js";
import { FindingList } from "../../elements/finding-list.js";
import { SvgChart } from "../../elements/svg-chart.js";
import { count, figure } from "../../format.js";
import { patchChildren } from "../../patch.js";
import { table } from "../../panels/parts.js";
import { timeText } from "../time.js";

/**
 * @import { Answer, BoundChart, BoundPoint, StreamBound } from "../../../src/web/types.ts"
 * @import { StreamRun } from "./run.js"
 */

const KEYS_SHOWN = 20;

/**
 * The choice of the bound: the curve, a bound to move along it, and what it costs. Every number is
 * asked of the engine, which has them all from one pass over the stream.
 *
 * Methods `show`, `paint`. Properties `theme`, `wanted`. Event `bound-apply`: `{ boundMs }`.
 */
export class BoundChoice extends HTMLElement {
  /** @type {"light" | "dark"} */
  theme = "light";
  /** @type {StreamRun | null} */
  #run = null;
  /** @type {number[]} */
  #wanted = [];
  #boundMs = 0;
  /** @type {BoundChart | null} */
  #drawn = null;
  #isAsking = false;
  #isDue = false;
  #chart = new SvgChart();
  #slider = h("input", { type: "range", id: "bound-slider", min: 0, max: 1, step: 1, value: 0 });
  #now = h("output", { for: "bound-slider" });
  #facts = h("dl", { class: "totals", "aria-live": "polite" });
  #apply = h("button", { type: "button", class: "primary" }, "Use this bound");
  #verdict = h("p", { class: "bound-verdict" });
  #tables = h("div", { class: "bound-tables" });
  #culprits = h("div", { class: "bound-tables" });
  #findings = new FindingList();
  #not = h("ul", { class: "bullets" });

  connectedCallback() {
    if (this.childElementCount > 0) return;
    this.append(
      this.#verdict,
      this.#chart,
      h("div", { class: "bound-row" }, h("label", { for: "bound-slider" }, "Bound"), this.#slider, this.#now, this.#apply),
      this.#facts,
      this.#tables,
      this.#culprits,
      this.#findings,
      h("details", { class: "why" }, h("summary", null, h("h4", null, "What the choice of the bound leaves out")), this.#not),
    );
    this.#slider.addEventListener("input", () => this.#moveTo(Number(this.#slider.value)));
    this.#chart.addEventListener("pointerdown", (event) => this.#point(event));
    this.#chart.addEventListener("pointermove", (event) => event.buttons === 1 && this.#point(event));
    this.#chart.addEventListener("chart-width", (event) => {
      event.stopPropagation();
      this.#ask();
    });
    this.addEventListener("click", (event) => {
      const button = /** @type {HTMLElement} */ (event.target).closest("button");
      if (!button) return;
      const boundMs = button === this.#apply ? this.#boundMs : Number(button.dataset.bound);
      emit(this, "bound-apply", { boundMs });
    });
  }

  /** Shares beside the usual ones. @param {number[]} wanted */
  set wanted(wanted) {
    if (String(wanted) === String(this.#wanted)) return;
    this.#wanted = wanted;
    this.#ask();
  }

  /** Draws again, for another theme. @param {"light" | "dark"} theme */
  paint(theme) {
    this.theme = theme;
    this.#ask();
  }

  /**
   * @param {StreamRun} run
   * @param {number} boundMs   the bound of the run
   * @param {number[]} wanted  shares beside the usual ones
   */
  show(run, boundMs, wanted) {
    this.#run = run;
    this.#boundMs = boundMs;
    this.#wanted = wanted;
    if (!this.#chart.isMeasured) this.#chart.measure(this.clientWidth);
    return this.#ask();
  }

  /** @param {number} at  a stop of the drawing */
  #moveTo(at) {
    const stop = this.#drawn?.stops[at];
    if (!stop) return;
    this.#boundMs = stop.boundMs;
    this.#say(stop.text);
    this.#ask();
  }

  /** @param {string} text */
  #say(text) {
    setText(this.#now, text);
    this.#slider.setAttribute("aria-valuetext", text);
  }

  /** The stop nearest to the pointer. @param {PointerEvent} event */
  #point(event) {
    const stage = /** @type {Element} */ (event.target).closest(".chart-stage");
    if (!this.#drawn || !stage) return;
    const box = stage.getBoundingClientRect();
    const x = ((event.clientX - box.left) * this.#drawn.width) / box.width;
    const { stops } = this.#drawn;
    const next = stops.findIndex((stop) => stop.x >= x);
    const at = next < 0 ? stops.length - 1 : next;
    const isLower = at > 0 && x - stops[at - 1].x < stops[at].x - x;
    this.#slider.value = String(isLower ? at - 1 : at);
    this.#moveTo(Number(this.#slider.value));
    event.preventDefault();
  }

  /** One question at a time; what changes meanwhile is asked when it is answered. */
  async #ask() {
    this.#isDue = true;
    if (this.#isAsking) return;
    this.#isAsking = true;
    while (this.#isDue && this.#run) {
      this.#isDue = false;
      const run = this.#run;
      const boundMs = this.#boundMs;
      /** @type {[Answer<StreamBound>, Answer<BoundChart>]} */
      const [bound, drawn] = await Promise.all([
        run.call("bound", { completeness: this.#wanted, boundMs, topKeys: KEYS_SHOWN }),
        run.call("curve", { boundMs, theme: this.theme, width: this.#chart.drawWidth }),
      ]);
      if (run !== this.#run || !bound.ok || !drawn.ok) continue;
      this.#draw(drawn.value);
      this.#tell(bound.value);
      this.#findings.hidden = bound.findings.length === 0;
      this.#findings.findings = bound.findings;
    }
    this.#isAsking = false;
  }

  /** @param {BoundChart} drawn */
  #draw(drawn) {
    this.#drawn = drawn;
    this.#chart.chart = drawn;
    this.#slider.max = String(drawn.stops.length - 1);
    // While a thumb is dragged on, it stands where the hand is.
    if (this.#isDue) return;
    const at = drawn.chosen ?? 0;
    this.#slider.value = String(at);
    this.#say(timeText(this.#boundMs));
  }

  /** @param {StreamBound} report */
  #tell(report) {
    const { chosen } = report;
    setText(this.#verdict, report.verdict);
    this.dataset.bound = String(chosen?.boundMs ?? "");
    patchChildren(this.#facts, chosen ? facts(chosen) : []);
    patchChildren(this.#tables, [wantedTable(report)]);
    patchChildren(this.#culprits, [partitionTable(report), keyTable(report)]);
    patchChildren(this.#not, report.notModelled.map((line) => h("li", null, prose(line))));
  }
}

/** @param {number | null} share  to four decimals of a percent, as the drawing says it */
export function fine(share) {
  return share === null ? "–" : `${(share * 100).toFixed(4).replace(/\.?0+$/, "")}\u00a0%`;
}

/** @param {BoundPoint} point */
function facts({ behindWatermark, behindWatermarkShare, dropped, droppedShare, latencyMs, openSpanMs, openRecords }) {
  /** @type {[string, string][]} */
  const rows = [
    ["Behind the watermark", `${count(behindWatermark)} (${fine(behindWatermarkShare)})`],
    ["Would be dropped", dropped === null ? "–" : `${count(dropped)} (${fine(droppedShare)})`],
    ["Each result is later by", timeText(latencyMs)],
    ["A window is kept for", openSpanMs === null ? "no fixed time" : `${timeText(openSpanMs)} of event time`],
    ["Records in open windows", openRecords === null ? "–" : `at most ${figure(openRecords)}`],
  ];
  return rows.map(([name, text]) => h("div", { "data-id": name }, h("dt", null, name), h("dd", null, text)));
}

/** @param {StreamBound} report */
function wantedTable({ wanted }) {
  return table(
    "The smallest bound for a completeness",
    ["Share of records", "#Ahead of the watermark", "#Not dropped", "#Then dropped"],
    wanted.map(({ completeness, onTime, notDropped }) => ({
      id: String(completeness),
      cells: [fine(completeness), use(onTime), notDropped ? use(notDropped) : "–", notDropped ? count(notDropped.dropped ?? 0) : "–"],
    })),
  );
}

/** @param {BoundPoint} point */
function use({ boundMs }) {
  const text = timeText(boundMs);
  return [text, " ", h("button", { type: "button", class: "bound-use", "data-bound": boundMs, "aria-label": `Use the bound ${text}` }, "Use")];
}

/** A table of a fixed height. @type {typeof table} */
function tall(caption, heads, rows) {
  return h("div", { class: "tall" }, table(caption, heads, rows));
}

/** @param {StreamBound} report */
function partitionTable({ partitions, partitionNames }) {
  return tall(
    "Partitions, the one with the most records behind the watermark first",
    ["Partition", "#Records", "#Out of order", "#Behind the watermark", "#Share of those behind", "#Half need a bound of", "#All need"],
    partitions.map((it, at) => ({
      id: String(it.partition),
      cells: [partitionNames[at], count(it.records), count(it.outOfOrder), count(it.behindWatermark), fine(it.shareOfBehind), timeText(it.medianMs), timeText(it.worstMs)],
    })),
  );
}

/** @param {StreamBound} report */
function keyTable({ keys, keyNames }) {
  if (keys.length === 0) return h("p", { class: "quiet" }, "No key has a record out of order.");
  return tall(
    "Keys, the one with the most lag in sum first",
    ["Key", "#Records", "#Out of order", "#Mean lag [ms]", "#All need a bound of"],
    keys.map((it, at) => ({ id: String(it.key), cells: [keyNames[at], count(it.records), count(it.outOfOrder), figure(it.meanMs), timeText(it.worstMs)] })),
  );
}
