// @ts-check
import { emit, h, prose } from "../dom.js";
import { FindingList, STALE_APPLY } from "../elements/finding-list.js";
import { SvgChart } from "../elements/svg-chart.js";
import { patchChildren } from "../patch.js";
import { checkpointTable, subtaskTable, taskTable } from "./tables.js";

/**
 * @import { Chart, Finding } from "../../src/web/types.ts"
 * @import { Checkpoint, CheckpointReport } from "../../src/web/checkpoints.ts"
 * @import { CheckpointSimulation } from "./run.js"
 */

/** How far predictions were from checkpoints of a real cluster; the README's block is made of the same run. */
const ACCURACY = "Measured on Flink 1.20.5: median error 1.9 %, all 44 runs above 150 ms within 15 % end to end. A subset was repeated on 2.2.1; nothing was measured on 1.18.";

/** What the simulation leaves out. */
const NOT_MODELLED = [
  "Messages between the JobManager and the tasks take no time here. Flink needs some 10 ms for a checkpoint with nothing in its way, so durations below 150 ms are not predicted.",
  "Keys come in turn, and a shared CPU is not simulated: a task has its thread whenever it wants it.",
];

/**
 * The parts of an answer.
 *
 * Methods `show`, `draw`. Property `stale`. Event `checkpoint-pick`: `{ id }`.
 */
export class CheckpointAnswer extends HTMLElement {
  #stale = h("p", { class: "stale-note", hidden: true }, "The last answer that worked");
  #heading = h("h3");
  #gantt = new SvgChart();
  #overview = new SvgChart();
  #checkpoints = h("div");
  #subtasks = h("div");
  #tasks = h("div");
  #findings = new FindingList();
  /** @type {CheckpointReport | null} */
  #report = null;
  /** @type {Checkpoint | null} */
  #shown = null;

  connectedCallback() {
    if (this.childElementCount > 0) return;
    this.append(
      this.#stale,
      h("section", null, this.#heading, this.#gantt),
      section("All checkpoints", this.#overview, this.#checkpoints),
      section("Subtasks", this.#subtasks),
      section("Tasks", this.#tasks),
      section("Findings", this.#findings),
      h("details", { class: "why" }, h("summary", null, h("h3", null, "How sure, and what is not modelled")), h("p", null, ACCURACY), h("ul", { class: "bullets" }, NOT_MODELLED.map((line) => h("li", null, prose(line))))),
    );
    this.#checkpoints.addEventListener("click", (event) => {
      const id = /** @type {Element} */ (event.target).closest("[data-checkpoint]")?.getAttribute("data-checkpoint");
      if (id) emit(this, "checkpoint-pick", { id: Number(id) });
    });
  }

  /** @param {boolean} stale */
  set stale(stale) {
    this.classList.toggle("is-stale", stale);
    this.#stale.hidden = !stale;
    this.#findings.blocked = stale ? STALE_APPLY : "";
  }

  /** The drawing that is exported. @returns {Chart | null} */
  get chart() {
    return this.#gantt.chart;
  }

  /** Measured while hidden a chart has no width, so it is shown for a moment, once. */
  makeRoom() {
    if (this.#gantt.isMeasured) return;
    const { hidden } = this;
    this.hidden = false;
    for (const chart of [this.#gantt, this.#overview]) chart.measure();
    this.hidden = hidden;
  }

  /**
   * @param {CheckpointReport} report
   * @param {Finding[]} findings
   * @param {number | null} picked
   */
  show(report, findings, picked) {
    this.#report = report;
    this.#shown = report.checkpoints.find(({ id }) => id === picked) ?? report.checkpoints[report.slowest] ?? report.checkpoints[0] ?? null;
    const id = this.#shown?.id ?? null;
    this.#heading.textContent = id === null ? "No checkpoint" : `Checkpoint ${id}, subtask by subtask`;
    patchChildren(this.#checkpoints, [checkpointTable(report, id)]);
    patchChildren(this.#subtasks, this.#shown ? [subtaskTable(this.#shown)] : []);
    patchChildren(this.#tasks, [taskTable(report)]);
    this.#findings.findings = findings;
  }

  /**
   * @param {CheckpointSimulation} run
   * @param {"light" | "dark"} theme
   */
  async draw(run, theme) {
    const shown = this.#shown;
    const draws = [
      { chart: this.#gantt, what: { kind: "checkpoint", id: shown?.id ?? 0 }, isShown: shown !== null },
      { chart: this.#overview, what: { kind: "checkpoints" }, isShown: (this.#report?.checkpoints.length ?? 0) > 0 },
    ];
    await Promise.all(
      draws.map(async ({ chart, what, isShown }) => {
        chart.hidden = !isShown;
        if (!isShown) return;
        const answer = await run.call("draw", { what, theme, width: chart.drawWidth });
        if (answer.ok && shown === this.#shown) chart.chart = answer.value;
      }),
    );
  }
}

/**
 * @param {string} title
 * @param {...Node} content
 */
function section(title, ...content) {
  return h("section", null, h("h3", null, title), content);
}
