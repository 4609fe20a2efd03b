// @ts-check
import { h } from "../dom.js";
import { download } from "../download.js";
import { VirtualTable } from "../elements/virtual-table.js";
import { count, size } from "../format.js";
import { seriesCsv } from "./export.js";
import { duration } from "./tables.js";

/**
 * @import { CheckpointReport, CheckpointSeries, Column, TaskSeries } from "../../src/web/checkpoints.ts"
 * @import { CheckpointSimulation } from "./run.js"
 *
 * @typedef {{ id: string, head: string, cell: (value: number) => string }} SeriesColumn
 */

const whole = (/** @type {number} */ value) => count(Math.round(value));
const ms = (/** @type {number} */ value) => (Number.isNaN(value) ? "–" : duration(value));
const perSecond = (/** @type {number} */ value) => `${whole(value)}/s`;
const share = (/** @type {number} */ value) => `${whole(value)} ms/s`;

/** @type {{ id: Exclude<keyof CheckpointSeries, "timeMs" | "tasks">, head: string, cell: (value: number) => string }[]} */
const JOB = [
  { id: "running", head: "Checkpoints in progress", cell: whole },
  { id: "sourceRecords", head: "Made by sources", cell: perSecond },
  { id: "sinkRecords", head: "Taken by sinks", cell: perSecond },
  { id: "latencyMs", head: "Longest latency", cell: ms },
];

/** @type {{ id: keyof TaskSeries, head: string, cell: (value: number) => string }[]} */
const TASK = [
  { id: "busy", head: "busyTime", cell: share },
  { id: "backpressured", head: "backPressured", cell: share },
  { id: "idle", head: "idleTime", cell: share },
  { id: "recordsIn", head: "numRecordsIn", cell: perSecond },
  { id: "recordsOut", head: "numRecordsOut", cell: perSecond },
  { id: "outputBuffers", head: "outputQueueLength", cell: whole },
  { id: "outputBytes", head: "outputQueueSize", cell: size },
  { id: "inputBuffers", head: "inputQueueLength", cell: whole },
  { id: "inputBytes", head: "inputQueueSize", cell: size },
  { id: "credits", head: "credits (no metric)", cell: whole },
  { id: "behindMs", head: "behind (no metric)", cell: ms },
  { id: "bufferBytes", head: "debloatedBufferSize", cell: size },
];

/**
 * The samples of a run, of the job or of one subtask: the table twin of the charts over time. They are
 * fetched when it is opened.
 *
 * Method `show`.
 */
export class RunSeries extends HTMLElement {
  #pick = h("select", { "aria-label": "Samples of" });
  #save = h("button", { type: "button" }, "All samples as CSV");
  #table = new VirtualTable();
  #details = h("details", null, h("summary", null, "The samples as a table"), h("div", { class: "series-bar" }, this.#pick, this.#save), this.#table);
  /** @type {CheckpointSimulation | null} */
  #run = null;
  /** @type {CheckpointReport | null} */
  #report = null;
  /** @type {CheckpointSeries | null} */
  #series = null;

  connectedCallback() {
    if (this.childElementCount > 0) return;
    this.append(this.#details);
    this.#details.addEventListener("toggle", () => this.#details.open && this.#load());
    this.#pick.addEventListener("change", () => this.#render());
    this.#save.addEventListener("click", () => {
      if (this.#series && this.#report) download("weir-checkpoints-samples.csv", new Blob([seriesCsv(this.#series, this.#report)], { type: "text/csv" }));
    });
  }

  /**
   * @param {CheckpointSimulation} run
   * @param {CheckpointReport} report
   */
  show(run, report) {
    if (run === this.#run) return;
    this.#run = run;
    this.#report = report;
    this.#series = null;
    if (this.#details.open) void this.#load();
  }

  async #load() {
    const run = this.#run;
    if (this.#series || !run || !this.#report) return;
    const answer = await run.call("series");
    if (!answer.ok || run !== this.#run) return;
    this.#series = answer.value;
    const before = this.#pick.value;
    this.#pick.replaceChildren(h("option", { value: "" }, "the job"), ...this.#report.tasks.map(({ vertex, index }, at) => h("option", { value: at }, `${vertex} ${index}`)));
    this.#pick.value = before;
    if (this.#pick.selectedIndex < 0) this.#pick.value = "";
    this.#render();
  }

  #render() {
    const series = this.#series;
    if (!series) return;
    const task = this.#pick.value === "" ? null : series.tasks[Number(this.#pick.value)];
    /** @type {[string, (value: number) => string, Column][]} */
    const columns = task ? TASK.map(({ id, head, cell }) => [head, cell, task[id]]) : JOB.map(({ id, head, cell }) => [head, cell, series[id]]);
    this.#table.look = task ? "is-task" : "";
    this.#table.build(
      "Samples over the run",
      [{ id: "time", head: "Time", class: "number" }, ...columns.map(([head], at) => ({ id: String(at), head, class: "number" }))],
      (row) => ({ cells: [duration(series.timeMs[row]), ...columns.map(([, cell, values]) => cell(values[row]))] }),
    );
    this.#table.count = series.timeMs.length;
  }
}
