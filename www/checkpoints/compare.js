// @ts-check
import { h, prose } from "../dom.js";
import { count, signedSize } from "../format.js";
import { patchChildren } from "../patch.js";
import { RunBar } from "./run-bar.js";
import { CheckpointSimulation } from "./run.js";
import { duration, durationCell, figures, sizeCell } from "./tables.js";

/**
 * @import { CheckpointScenario as Scenario, Measure } from "../../src/web/checkpoints.ts"
 * @import { Engine } from "../engine.js"
 *
 * A run beside the one on show.
 * @typedef {object} Side
 * @property {string} id
 * @property {string} name
 * @property {boolean} isShown            whether it is the run on show
 * @property {Scenario | null} params     what is simulated; null where the run is there already
 * @property {CheckpointSimulation | null} run
 * @property {Measure[] | null} measures  null while it runs
 * @property {string} problem             why it does not run; empty when it does
 */

const MINUS = "\u2212";
/** Settings that change under the hand are not compared at once. */
const AFTER_MS = 300;
/** What runs of so many events cost nobody notices, so they start by themselves. */
export const EVENTS_BY_ITSELF = 150_000;

/** @type {[Scenario["checkpointing"]["mode"], string][]} */
export const MODES = [
  ["aligned", "aligned"],
  ["timeout", "with a timeout"],
  ["unaligned", "unaligned"],
  ["atLeastOnce", "at least once"],
];

/**
 * The same scenario in every mode, each simulated.
 * @param {CheckpointSimulation} live  the run on show
 * @param {Scenario} scenario
 * @param {number} alignedTimeoutMs  of the mode that has one
 * @returns {Side[]}
 */
export function modesOf(live, scenario, alignedTimeoutMs) {
  return MODES.map(([mode, name]) => {
    const isShown = mode === scenario.checkpointing.mode;
    // Flink refuses concurrent unaligned checkpoints.
    const isOne = mode === "unaligned" || mode === "timeout";
    const { maxConcurrentCheckpoints: given } = scenario.checkpointing;
    const maxConcurrentCheckpoints = isOne ? 1 : given;
    const checkpointing = { ...scenario.checkpointing, mode, maxConcurrentCheckpoints, alignedCheckpointTimeoutMs: mode === "timeout" ? alignedTimeoutMs : 0 };
    const words = `${mode === "timeout" ? `after ${duration(alignedTimeoutMs)} unaligned` : name}${!isShown && maxConcurrentCheckpoints < given ? ", one at a time" : ""}`;
    return { id: mode, name: words, isShown, params: isShown ? null : { ...scenario, checkpointing }, run: isShown ? live : null, measures: null, problem: "" };
  });
}

/**
 * Runs side by side: a measure a row, a run a column. The run on show is not simulated again; the
 * others are, one after the other, with their progress and a way to cancel them, and freed when their
 * measures are known. Where that takes long it begins when the reader says so.
 *
 * Methods `show`, `wait`, `stop`. Property `note`.
 */
export class RunComparison extends HTMLElement {
  #note = h("p", { class: "quiet" });
  #table = h("div");
  #start = h("button", { type: "button", hidden: true, onclick: () => this.#begin() }, "Simulate the others");
  #bar = new RunBar("Compared so far", () => this.#cancel());
  /** What is compared, until it is. @type {() => void} */
  #begin = () => {};
  /** @type {(() => void) | null} */
  #cancelled = null;
  /** @type {CheckpointSimulation | null} */
  #running = null;
  #timer = 0;
  #turn = 0;
  caption = "Runs side by side";

  connectedCallback() {
    if (this.childElementCount === 0) this.append(this.#note, this.#start, this.#bar.element, this.#table);
  }

  /** @param {string} note */
  set note(note) {
    this.#note.replaceChildren(...prose(note));
  }

  stop() {
    this.#turn += 1;
    clearTimeout(this.#timer);
    this.#running?.close();
    this.#running = null;
    this.#cancelled = null;
    this.#start.hidden = true;
    this.#bar.hide();
  }

  /** Ends what is simulated; it can be begun again. */
  #cancel() {
    const cancelled = this.#cancelled;
    this.stop();
    this.dataset.state = "waiting";
    this.#start.hidden = false;
    cancelled?.();
  }

  /**
   * @param {Engine} engine
   * @param {Side[]} sides
   * @param {{ hasDifferences?: boolean, events?: number }} [how]  whether the differences of the run
   *   on show to the other are told, and how many events it had, for how long the others may take
   */
  show(engine, sides, { hasDifferences = false, events = 0 } = {}) {
    this.stop();
    this.#begin = () => void this.#run(engine, sides, hasDifferences);
    if (events > EVENTS_BY_ITSELF) {
      this.dataset.state = "waiting";
      this.#start.hidden = false;
      this.#table.replaceChildren();
      return;
    }
    this.dataset.state = "running";
    this.#timer = window.setTimeout(this.#begin, AFTER_MS);
    // What was compared before is replaced when there is something to replace it by.
    if (this.#table.childElementCount === 0) this.#render(sides);
  }

  /**
   * Shows how far a run is that has to be there before it can be compared.
   * @param {string} name
   * @param {() => void} again   begins it once more, after it was cancelled
   * @param {() => void} cancel
   * @returns {(progress: { nowMs: number }, endMs: number) => void}
   */
  wait(name, again, cancel) {
    this.stop();
    this.dataset.state = "running";
    this.#begin = again;
    this.#cancelled = cancel;
    this.#timer = window.setTimeout(() => this.#bar.show(), AFTER_MS);
    return ({ nowMs }, endMs) => this.#bar.tell(nowMs, endMs, name);
  }

  /**
   * @param {Engine} engine
   * @param {Side[]} sides
   * @param {boolean} hasDifferences
   */
  async #run(engine, sides, hasDifferences) {
    this.stop();
    const turn = this.#turn;
    this.dataset.state = "running";
    if (sides.some(({ params }) => params)) this.#bar.show();
    for (const [place, side] of sides.entries()) {
      await this.#fill(engine, side, (part) => turn === this.#turn && this.#bar.tell(place + part, sides.length, side.name));
      if (turn !== this.#turn) return;
      this.#render(sides);
    }
    if (hasDifferences) await this.#compare(sides);
    if (turn !== this.#turn) return;
    this.#render(sides);
    this.#bar.hide();
    this.dataset.state = "done";
  }

  /**
   * @param {Engine} engine
   * @param {Side} side
   * @param {(part: number) => void} tell  how much of it is done
   */
  async #fill(engine, side, tell) {
    if (side.problem !== "") return;
    if (side.run) {
      const answer = await side.run.call("measures");
      if (answer.ok) side.measures = answer.value;
      return;
    }
    if (!side.params) return;
    const { runMs } = side.params;
    tell(0);
    const run = new CheckpointSimulation(engine, "CheckpointRun", side.params, ({ nowMs }) => tell(nowMs / runMs));
    this.#running = run;
    const done = await run.done;
    const answer = done.ok ? await run.call("measures") : done;
    if (answer.ok) side.measures = answer.value;
    else side.problem = answer.error.code === "cancelled" ? "" : answer.error.message;
    run.close();
    if (this.#running === run) this.#running = null;
  }

  /** @param {Side[]} sides */
  async #compare(sides) {
    const shown = sides.find(({ isShown }) => isShown);
    const other = sides.find(({ isShown, run }) => !isShown && run);
    if (!shown?.run || !other?.run) return;
    const answer = await shown.run.callWith(other.run, "compare");
    if (answer.ok) shown.measures = answer.value;
  }

  /** @param {Side[]} sides */
  #render(sides) {
    const first = sides.find(({ measures }) => measures)?.measures ?? [];
    const problems = sides.filter(({ problem }) => problem !== "");
    const hasDifference = sides.some(({ measures }) => measures?.some(({ difference }) => difference !== null));
    const heads = ["Measure", ...sides.map(({ name, isShown }) => `#${name}${isShown ? " (on show)" : ""}`), ...(hasDifference ? ["#Difference"] : [])];
    const rows = first.map(({ id, name }, row) => {
      const of = sides.map(({ measures }) => measures?.[row] ?? null);
      const difference = of.find((measure) => measure && measure.difference !== null);
      return {
        id,
        cells: [
          h("span", null, name),
          ...sides.map(({ measures, problem }) => (measures ? valueCell(measures[row]) : problem ? "refused" : "…")),
          ...(hasDifference ? [difference ? differenceText(difference) : "–"] : []),
        ],
      };
    });
    patchChildren(this.#table, [
      figures(this.caption, heads, rows, true),
      ...problems.map(({ name, problem }) => h("p", { class: "quiet" }, `${name}: ${problem}`)),
    ]);
  }
}

/** @param {Measure} measure */
function valueCell({ value, unit }) {
  if (value === null) return "–";
  if (unit === "ms") return durationCell(value);
  if (unit === "bytes") return sizeCell(value);
  return unit === "perSecond" ? `${count(Math.round(value))}/s` : count(value);
}

/** @param {Measure} measure */
function differenceText({ difference, unit }) {
  if (difference === null) return "–";
  const whole = Math.round(difference);
  if (whole === 0) return "same";
  if (unit === "bytes") return signedSize(whole);
  const sign = difference > 0 ? "+" : MINUS;
  const size = Math.abs(difference);
  if (unit === "ms") return `${sign}${duration(size)}`;
  return `${sign}${count(Math.round(size))}${unit === "perSecond" ? "/s" : ""}`;
}
