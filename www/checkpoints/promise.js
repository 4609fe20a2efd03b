// @ts-check
import { emit, h, prose, setText } from "../dom.js";
import { count, figure, percent } from "../format.js";
import { patchChildren } from "../patch.js";
import { EVENTS_BY_ITSELF } from "./compare.js";
import { RunBar } from "./run-bar.js";
import { CheckpointSimulation } from "./run.js";
import { durationCell, figures, sizeCell } from "./tables.js";

/**
 * @import { ChangeOutcome, Margin, RunFigures, WhatIfProgress, WhatIfReport } from "../../src/web/checkpoints.ts"
 * @import { FlinkVersion } from "../../src/web/types.ts"
 * @import { Engine } from "../engine.js"
 * @import { Question } from "./params.js"
 */

const AFTER_MS = 600;

/** @type {Record<Margin["knob"], string>} */
const KNOBS = {
  lag: "Lag of a source",
  skew: "Skew",
  serviceTime: "Service time",
  sourceRate: "Source rate",
  stateBytes: "State",
  uploadBandwidth: "Storage bandwidth",
  interval: "Interval",
};

/**
 * Whether the promise is kept, by how much, at which value of each knob it breaks, and what changes
 * would gain: each value was simulated.
 *
 * Methods `show`, `stop`. Event `try-scenario`: `{ scenario, isChange }`.
 */
export class PromisePanel extends HTMLElement {
  #verdict = h("p", { class: "promise-verdict", "aria-live": "polite" });
  #start = h("button", { type: "button" }, "Find where it breaks");
  #bar = new RunBar("Searched so far", () => {
    this.stop();
    this.#start.hidden = false;
  });
  #sla = h("div");
  #margins = h("div");
  #changes = h("div");
  /** @type {CheckpointSimulation | null} */
  #running = null;
  #timer = 0;
  /** @type {(() => void) | null} */
  #begin = null;
  /** @type {ChangeOutcome[]} */
  #shown = [];

  connectedCallback() {
    if (this.childElementCount > 0) return;
    this.append(this.#verdict, this.#start, this.#bar.element, this.#sla, this.#margins, this.#changes);
    this.#start.addEventListener("click", () => this.#begin?.());
    this.#changes.addEventListener("click", (event) => {
      const at = /** @type {HTMLElement} */ (event.target).closest("button")?.dataset.change;
      const change = at === undefined ? undefined : this.#shown[Number(at)];
      if (change?.scenario) emit(this, "try-scenario", { scenario: change.scenario, isChange: true });
    });
  }

  stop() {
    clearTimeout(this.#timer);
    this.#running?.close();
    this.#running = null;
    this.#bar.hide();
  }

  /**
   * @param {Engine} engine
   * @param {Question} question  without an objective only the checkpoint timeout is promised
   * @param {FlinkVersion} flink  whose options a change may set
   * @param {number} events      of the run on show, for how long a search may take
   */
  show(engine, { params: scenario, objectiveMs, allowedShare }, flink, events) {
    this.stop();
    this.dataset.state = "waiting";
    setText(this.#verdict, "Every knob is searched for the value at which the promise breaks, by simulating the job again and again.");
    for (const part of [this.#sla, this.#margins, this.#changes]) part.replaceChildren();
    this.#begin = () => this.#run(engine, { scenario, flink, objectiveMs, allowedShare, parts: ["changes", "margins"] });
    this.#start.hidden = events <= EVENTS_BY_ITSELF;
    if (this.#start.hidden) this.#timer = window.setTimeout(this.#begin, AFTER_MS);
  }

  /**
   * @param {Engine} engine
   * @param {object} params
   */
  async #run(engine, params) {
    this.stop();
    this.#start.hidden = true;
    this.#bar.show();
    this.dataset.state = "running";
    const run = new CheckpointSimulation(engine, "CheckpointWhatIf", params, (progress) => {
      const { itemsDone, items, doing } = /** @type {WhatIfProgress} */ (/** @type {unknown} */ (progress));
      this.#bar.tell(itemsDone, items, doing);
    });
    this.#running = run;
    const answer = await run.done;
    if (this.#running !== run) return;
    this.stop();
    this.dataset.state = "done";
    if (answer.ok) this.#render(answer.value);
    else setText(this.#verdict, answer.error.message);
  }

  /** @param {WhatIfReport} report */
  #render({ verdict, sla, thrashing, margins, changes, before, tolerance }) {
    this.#verdict.replaceChildren(...prose(verdict));
    patchChildren(this.#sla, [sla, thrashing].flatMap((one) => (one ? [h("p", null, prose(one.says))] : [])));
    const known = margins.filter(({ outcome }) => outcome !== "notApplicable");
    const others = margins.filter(({ outcome }) => outcome === "notApplicable");
    patchChildren(this.#margins, [
      h("h4", null, "Where the promise breaks"),
      figures("Where the promise breaks", ["Knob", "#now", "#holds at", "#breaks at", "In words"], known.map(marginRow), true),
      others.length > 0 ? h("p", { class: "quiet" }, "Knobs that do not apply here: ", others.map(({ knob, says }, at) => h("span", { "data-id": knob }, `${at > 0 ? " " : ""}${KNOBS[knob] ?? knob}: ${says}`))) : "",
      h("p", { class: "quiet" }, `The two values lie within ${percent(tolerance)} of each other.`),
    ]);
    this.#shown = changes;
    patchChildren(this.#changes, [
      h("h4", null, "What a change would do"),
      figures("What a change would do", ["Change", "#end_to_end_duration", "#persisted_data", "#records/s at the end", "Gain and price", "Try it"], [
        ...(before ? [{ id: "before", cells: ["As it is", ...figureCells(before), "", ""] }] : []),
        ...changes.map(changeRow),
      ], true),
    ]);
  }
}

/** @param {Margin} margin */
function marginRow({ knob, current, holdsAt, breaksAt, unit, says }) {
  /** @param {number | null} value */
  const cell = (value) => (value === null ? "–" : valueCell(value, unit));
  return { id: knob, cells: [KNOBS[knob] ?? knob, cell(current), cell(holdsAt), cell(breaksAt), h("span", { class: "sentences" }, prose(says))] };
}

/**
 * @param {number} value
 * @param {string} unit
 */
function valueCell(value, unit) {
  if (unit === "ms") return durationCell(value);
  if (unit === "µs") return durationCell(value / 1000);
  if (unit === "B") return sizeCell(Math.round(value));
  if (unit === "B/s") return h("span", null, sizeCell(Math.round(value)), "/s");
  if (unit === "share") return percent(value);
  return `${figure(value)} ${unit}`;
}

/** @param {RunFigures} run */
function figureCells({ endToEndMs, persistedBytes, sinkRecordsPerSecond }) {
  return [
    endToEndMs === null ? "none completed" : durationCell(endToEndMs),
    persistedBytes === null ? "–" : sizeCell(Math.round(persistedBytes)),
    `${count(Math.round(sinkRecordsPerSecond))}/s`,
  ];
}

/**
 * @param {ChangeOutcome} change
 * @param {number} index
 */
function changeRow({ kind, title, refused, after, gain, price, note, scenario }, index) {
  const words = [gain, price, note].filter((text) => text).join(" ");
  return {
    id: kind,
    cells: [
      title,
      ...(after ? figureCells(after) : ["–", "–", "–"]),
      h("span", { class: "sentences" }, prose(refused ?? words)),
      scenario && !refused ? h("button", { type: "button", "data-change": index, "aria-label": `Apply: ${title}` }, "Apply") : "",
    ],
  };
}
