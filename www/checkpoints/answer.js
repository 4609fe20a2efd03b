// @ts-check
import { emit, h, prose } from "../dom.js";
import { FindingList, STALE_APPLY } from "../elements/finding-list.js";
import { SvgChart } from "../elements/svg-chart.js";
import { patchChildren } from "../patch.js";
import { RunComparison } from "./compare.js";
import { PromisePanel } from "./promise.js";
import { RunSeries } from "./series.js";
import { CheckpointSteps } from "./steps.js";
import { OrderPick } from "./rows.js";
import { checkpointTable, edgeTable, latencyTable, recoveryTable, subtaskTable, taskTable } from "./tables.js";
import { WhyForms } from "./why.js";

/**
 * @import { Chart, Finding } from "../../src/web/types.ts"
 * @import { Checkpoint, CheckpointFacts, CheckpointReport } from "../../src/web/checkpoints.ts"
 * @import { CheckpointSimulation } from "./run.js"
 * @import { Order } from "./rows.js"
 */

/** How far predictions were from checkpoints of a real cluster; tests/checkpoint_fit.rs fails where it is worse. */
const ACCURACY = "Measured on Flink 1.20.5: the median error of the end-to-end duration is 1.9 %, and all 44 runs above 150 ms are within 15 %. A subset was repeated on 2.2.1; nothing was measured on 1.18.";

/** Drawings out of sight follow when nothing has changed for so long. */
const REST_MS = 200;

/** What the simulation leaves out. */
const NOT_MODELLED = [
  "Messages between the JobManager and the tasks take no time here. Flink needs some 10 ms for a checkpoint with nothing in its way, so durations below 150 ms are not predicted.",
  "A task has its thread whenever it wants it: a shared CPU, garbage collection and the network's own speed are not simulated.",
  "Keys come in turn, in the shares that are given.",
];

/**
 * The parts of an answer.
 *
 * Methods `show`, `draw`. Property `stale`. Events `checkpoint-pick`: `{ id }`,
 * `order-pick`: `{ order }`, and those of its steps.
 */
export class CheckpointAnswer extends HTMLElement {
  steps = new CheckpointSteps();
  #stale = h("p", { class: "stale-note", hidden: true }, "The last answer that worked");
  #heading = h("h3");
  #failure = h("p", { class: "checkpoint-failure", hidden: true });
  #gantt = new SvgChart();
  #overview = new SvgChart();
  #queues = new SvgChart();
  #throughput = new SvgChart();
  #latencyChart = new SvgChart();
  #behind = new SvgChart();
  #series = new RunSeries();
  #stepsHeading = h("h3");
  #checkpoints = h("div");
  #subtasks = h("div");
  #tasks = h("div");
  #edges = h("div");
  #pick = new OrderPick();
  /** @type {Order} */
  #order = "given";
  #latency = h("div");
  #recoveries = h("div");
  #recovered = section("Failures and recoveries", h("p", { class: "quiet" }, "The job goes back to its newest completed checkpoint, and reads again what came after its recovery point."), this.#recoveries);
  #findings = new FindingList();
  #noticed = section("Findings", this.#findings);
  /** Drawings in sight. @type {Set<Element>} */
  #inSight = new Set();
  #observer = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) this.#inSight[isIntersecting ? "add" : "delete"](target);
    if (entries.some(({ isIntersecting }) => isIntersecting)) void this.#drawRest();
  });
  #timer = 0;
  /** What is still to be drawn of the run on show. @type {(() => Promise<void>)[]} */
  #rest = [];
  /** @type {CheckpointReport | null} */
  #report = null;
  /** @type {Checkpoint | null} */
  #shown = null;
  modes = Object.assign(new RunComparison(), { caption: "The same scenario in every mode" });
  promise = new PromisePanel();
  why = new WhyForms();
  pinned = Object.assign(new RunComparison(), { caption: "Pinned as A, and what is on show" });
  #pinnedSection = section("Against A", this.pinned);

  connectedCallback() {
    if (this.childElementCount > 0) return;
    this.append(
      this.#stale,
      this.#pinnedSection,
      h("section", null, this.#heading, this.#failure, this.#pick.element, this.#gantt, h("h4", null, "Its subtasks"), this.#subtasks),
      this.#noticed,
      section("All checkpoints over the run", this.#overview, h("h4", null, "Queues"), this.#queues, this.#checkpoints),
      this.#recovered,
      h("section", null, this.#stepsHeading, this.steps),
      section("Throughput and latency", this.#throughput, h("h4", null, "How long records take from a source to a sink"), this.#latencyChart, this.#latency, h("h4", null, "How far sources are behind what they are offered"), this.#behind, this.#series),
      section("Tasks over the run", h("p", { class: "quiet" }, "Back pressure is measured at the output: the slow task itself reports ok. Look for the first task downstream of those that report high."), this.#tasks),
      section("Edges, and what may be in flight", h("p", { class: "quiet" }, "What the input gates and the senders’ pools of an edge hold is the most that an unaligned checkpoint stores of it. An input gate has its exclusive buffers for each remote channel, and its floating ones; overdraft buffers come on top. ", h("a", { href: "#/memory?v=1" }, "The Memory tool"), " counts them against the network memory of a TaskManager."), this.#edges),
      section("The promise, and where it breaks", this.promise),
      section("The same scenario in every mode", this.modes),
      h("details", { class: "why", open: true }, h("summary", null, h("h3", null, "Why? The duration by a formula")), this.why),
      h("details", { class: "why" }, h("summary", null, h("h3", null, "How sure, and what is not modelled")), h("p", null, ACCURACY), h("ul", { class: "bullets" }, NOT_MODELLED.map((line) => h("li", null, prose(line))))),
    );
    for (const chart of this.#charts) this.#observer.observe(chart);
    this.modes.note = "Each mode is simulated with the same job, network, coordinator and seed. A failure goes back to the newest completed checkpoint and replays what came after it; at least once, records that passed a barrier that was still awaited are in the restored state already and count twice. What unaligned barriers persisted is read back first.";
    this.#checkpoints.addEventListener("click", (event) => {
      const id = /** @type {Element} */ (event.target).closest("[data-checkpoint]")?.getAttribute("data-checkpoint");
      if (id) emit(this, "checkpoint-pick", { id: Number(id) });
    });
    this.#overview.addEventListener("click", () => {
      const id = /^checkpoint-(\d+)$/.exec(this.#overview.picked ?? "")?.[1];
      if (id) emit(this, "checkpoint-pick", { id: Number(id) });
    });
  }

  /** @param {boolean} isPinned */
  set hasPinned(isPinned) {
    this.#pinnedSection.hidden = !isPinned;
    if (!isPinned) this.pinned.stop();
  }

  /** @param {boolean} stale */
  set stale(stale) {
    this.classList.toggle("is-stale", stale);
    this.#stale.hidden = !stale;
    this.#findings.blocked = stale ? STALE_APPLY : "";
    if (stale) this.steps.player.pause();
  }

  /** The drawing that is exported. @returns {Chart | null} */
  get chart() {
    return this.#gantt.chart;
  }

  get #charts() {
    return [this.#gantt, this.#overview, this.#queues, this.#throughput, this.#latencyChart, this.#behind, this.steps.picture];
  }

  /** Measured while hidden a chart has no width, so it is shown for a moment, once. */
  makeRoom() {
    if (this.#gantt.isMeasured) return;
    const { hidden } = this;
    this.hidden = false;
    for (const chart of this.#charts) chart.measure(this.clientWidth);
    this.hidden = hidden;
  }

  /**
   * @param {CheckpointReport} report
   * @param {CheckpointFacts} facts
   * @param {Finding[]} findings
   * @param {number | null} picked
   * @param {number | null} at   where the player stands; null where it opens
   * @param {Order} order        of the subtasks
   */
  show(report, facts, findings, picked, at, order) {
    const { checkpoints, verdict } = report;
    this.#report = report;
    this.#shown = checkpoints.find(({ id }) => id === picked) ?? checkpoints.find(({ id }) => id === verdict.checkpoint) ?? checkpoints[0] ?? null;
    const shown = this.#shown;
    const id = shown?.id ?? null;
    // It measures its rows, which is cheap only before anything else has changed.
    this.steps.show(report, facts, id ?? 0, at);
    this.#heading.textContent = id === null ? "No checkpoint was triggered" : `Checkpoint ${id}, subtask by subtask`;
    this.#stepsHeading.textContent = id === null ? "The job" : `Checkpoint ${id}, step by step`;
    this.#failure.hidden = !shown?.failureMessage;
    this.#failure.textContent = shown?.failureMessage ?? "";
    patchChildren(this.#checkpoints, [checkpointTable(report, id)]);
    this.#order = this.#pick.order = order;
    this.#pick.element.hidden = (shown?.subtasks.length ?? 0) < 3;
    patchChildren(this.#subtasks, shown ? [subtaskTable(shown, order, this.#slowest())] : []);
    patchChildren(this.#edges, [edgeTable(report)]);
    patchChildren(this.#tasks, [taskTable(report)]);
    patchChildren(this.#latency, [latencyTable(report)]);
    this.#recovered.hidden = report.recoveries.length === 0;
    patchChildren(this.#recoveries, [recoveryTable(report)]);
    this.#noticed.hidden = findings.length === 0;
    this.#findings.findings = findings;
  }

  /**
   * @param {CheckpointSimulation} run
   * @param {"light" | "dark"} theme
   * @param {CheckpointSimulation | null} pinned  A, which lies behind it
   */
  async draw(run, theme, pinned) {
    if (this.#report) this.#series.show(run, this.#report);
    const shown = this.#shown;
    const hasAny = shown !== null;
    const draws = [
      { chart: this.#gantt, what: { kind: "checkpoint", id: shown?.id ?? 0, order: this.#order }, isShown: hasAny },
      { chart: this.#overview, what: { kind: "checkpoints" }, isShown: hasAny },
      { chart: this.#queues, what: { kind: "queues" }, isShown: true },
      { chart: this.#throughput, what: { kind: "throughput" }, isShown: true },
      { chart: this.#latencyChart, what: { kind: "latency" }, isShown: true },
      { chart: this.#behind, what: { kind: "behind" }, isShown: true },
    ];
    const drawings = draws.map(({ chart, what, isShown }) => ({
      chart,
      draw: async () => {
        chart.hidden = !isShown;
        if (!isShown) return;
        const params = { what, theme, width: chart.drawWidth };
        const answer = await (pinned ? run.callWith(pinned, "overlay", params) : run.call("draw", params));
        // A run that was closed meanwhile has nothing to say about the one that took its place.
        if (shown !== this.#shown || (!answer.ok && answer.error.code === "cancelled")) return;
        // Nothing to draw is no fault: a run may be too short for a sample.
        chart.hidden = !answer.ok;
        if (answer.ok) chart.chart = answer.value;
      },
    }));
    const slowest = this.#slowest();
    drawings.push({ chart: this.steps.picture, draw: () => this.steps.draw(run, theme, slowest) });
    // What nobody sees waits, so that a slider under the hand is answered at once.
    const isNow = (/** @type {SvgChart} */ chart) => this.#inSight.has(chart) || !chart.chart;
    this.#rest = drawings.filter(({ chart }) => !isNow(chart)).map(({ draw }) => draw);
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => void this.#drawRest(), REST_MS);
    await Promise.all(drawings.filter(({ chart }) => isNow(chart)).map(({ draw }) => draw()));
  }

  async #drawRest() {
    await Promise.all(this.#rest.splice(0).map((draw) => draw()));
  }

  /** The subtask that the checkpoint on show waited for, a place in the report's tasks. */
  #slowest() {
    const { subtasks = [], id } = this.#shown ?? {};
    if (this.#report?.verdict.checkpoint === id) return this.#report?.verdict.task ?? null;
    const slowest = subtasks.reduce((/** @type {typeof subtasks[number] | null} */ most, one) => (most === null || one.endToEndMs > most.endToEndMs ? one : most), null);
    return slowest?.task ?? null;
  }
}

/**
 * @param {string} title
 * @param {...Node} content
 */
function section(title, ...content) {
  return h("section", null, h("h3", null, title), content);
}
