// @ts-check
import { emit, h, prose, setText } from "../dom.js";
import { codeRow } from "../elements/code-row.js";
import { FindingList, STALE_APPLY } from "../elements/finding-list.js";
import { PlayerBar } from "../elements/player-bar.js";
import { StepList } from "../elements/step-list.js";
import { SvgChart } from "../elements/svg-chart.js";
import { count } from "../format.js";
import { patchChildren } from "../patch.js";
import { BarrierSteps } from "./barriers.js";
import { TryAllOrders } from "./explore.js";
import { StepMachine } from "./machine.js";
import { comparisonTable, knobsTable, readersTable, rulesTable, time, worthTable } from "./tables.js";

/**
 * @import { Chart, Finding } from "../../src/web/types.ts"
 * @import { LintReport, TimeoutReport, TransactionReport } from "../../src/web/transactions.ts"
 * @import { Job } from "./fault-kinds.js"
 * @import { Readers } from "./tables.js"
 *
 * @typedef {object} Shown
 * @property {TransactionReport} report
 * @property {Readers | null} readers
 * @property {TransactionReport | null} pinned
 * @property {TimeoutReport} times
 * @property {LintReport} lints
 * @property {Finding[]} findings
 * @property {Chart | null} lanes
 * @property {Chart | null} ruler
 * @property {{ name: string, text: string }[]} configs
 * @property {Job} job            as the settings have it
 * @property {boolean} isKafka   false: what is written has no timeouts and no broker
 */

const ABOUT_FINDINGS =
  "Rules and safe timeouts judge the settings. Of the faults, the longest outage counts as downtime where it is longer, checkpoints that commit nothing count as failed, and another job or sink counts by its prefix, and a rescale as planned; what else is placed does not count here.";
/** @type {Record<TransactionReport["flinkNotices"], string>} */
const NOTICES = { fails: "Flink notices it: a task fails.", logs: "Flink logs it and runs on: no task fails.", nothing: "Nothing in Flink notices it." };
const NOT_MODELLED = [
  "A real cluster: outcomes follow the source of Kafka and of the connector; none was measured on brokers.",
  "Throughput, broker load and the time that markers take; markers are written at once.",
  "Faults at other moments than the nine that a fault can be placed at; the search through all orders has them between any two steps.",
  "A job that fails over because more checkpoints in a row are declined than execution.checkpointing.tolerable-failed-checkpoints allows.",
  "Files and tables: one file of a subtask and checkpoint; no part sizes, no compaction, no conflicts of table commits.",
  "Hanging transactions (KAFKA-9144): the coordinator and the partitions always agree here.",
  "KIP-939 (two-phase commit by the broker) and FLIP-319, which no connector uses yet.",
  "Exactly-once through several topics of one sink: each subtask has one partition.",
];

/**
 * The parts of an answer, in step with the player.
 *
 * Methods `show`, `draw`. Properties `position`, `stale`. Events of its parts: `player-seek`,
 * `fault-place`, `apply-changes`, `pin-toggle`, `chart-width`, `explore-change`.
 */
export class ExactlyAnswer extends HTMLElement {
  barriers = new BarrierSteps();
  machine = new StepMachine();
  lanes = new SvgChart();
  player = new PlayerBar();
  ruler = new SvgChart();
  /** @type {TransactionReport | null} */
  #report = null;
  #stale = h("p", { class: "stale-note", hidden: true }, "The last answer that worked");
  #inequality = h("p", { class: "inequality" });
  #logs = h("div");
  #readers = h("div");
  #ids = h("p");
  #probing = h("p", { class: "quiet" });
  #pin = h("button", { type: "button", "aria-pressed": "false" }, "Pin as A");
  #comparison = h("div");
  #findings = new FindingList();
  #rulesVerdict = h("p");
  #rules = h("div");
  #steps = new StepList();
  #why = h("details", { class: "why", open: true }, h("summary", null, h("h3", null, "Why? Step by step")), this.#steps);
  #rulerVerdict = h("p");
  #worth = h("div");
  #knobs = h("div");
  #latency = h("p");
  #configs = h("div", { class: "configs" });
  /** What is only about transactions of Kafka. @type {HTMLElement[]} */
  #kafkaOnly = [];
  explore = new TryAllOrders();

  connectedCallback() {
    if (this.childElementCount > 0) return;
    this.player.say = (position) => {
      const step = this.#report?.trace[position - 1];
      return step ? `Step ${position} of ${this.#report?.trace.length}, ${time(step.atMs)}: ${step.text}` : "Nothing happens in this scenario.";
    };
    this.#pin.addEventListener("click", () => emit(this, "pin-toggle", null));
    this.lanes.addEventListener("click", (event) => this.#pick(event));
    this.#inequality.addEventListener("click", (event) => {
      const position = /** @type {Element} */ (event.target).closest("button")?.dataset.position;
      if (position) this.#goTo(Number(position));
    });
    const about = h("p", { class: "quiet" }, ABOUT_FINDINGS);
    const rules = h("details", { class: "why" }, h("summary", null, h("h4", null, "All 33 rules with their numbers")), this.#rules);
    const timeouts = section("Safe timeouts", this.#rulerVerdict, this.ruler, this.#latency, h("h4", null, "What a minute more buys and costs"), this.#worth, h("h4", null, "Boundaries of the other knobs"), this.#knobs);
    this.#kafkaOnly = [about, this.#rulesVerdict, rules, timeouts];
    this.append(
      this.#stale,
      this.#inequality,
      this.barriers,
      section("The four steps of a transaction", this.machine),
      section("Swim-lane", this.lanes, this.player),
      section("What readers see", this.#readers, this.#ids, this.#probing, h("div", { class: "pin-row" }, this.#pin), this.#comparison),
      section("What the logs say", this.#logs),
      section("Findings", about, this.#rulesVerdict, this.#findings, rules),
      timeouts,
      this.#why,
      section("Try all orders", this.explore),
      section("The settings that result", this.#configs),
      h("details", { class: "why" }, h("summary", null, h("h3", null, "What is not modelled")), h("ul", { class: "bullets" }, NOT_MODELLED.map((line) => h("li", null, prose(line))))),
    );
  }

  /** @param {boolean} stale */
  set stale(stale) {
    this.classList.toggle("is-stale", stale);
    this.#stale.hidden = !stale;
    this.#findings.blocked = stale ? STALE_APPLY : "";
    if (stale) this.player.pause();
  }

  /**
   * @param {Shown} shown
   * @param {number | null} at   where the player stands; null at the end
   */
  show(shown, at) {
    const { report, readers, pinned, times, lints, findings, configs, isKafka } = shown;
    for (const part of this.#kafkaOnly) part.hidden = !isKafka;
    this.#report = report;
    this.#showVerdict(report);
    this.draw(shown.lanes, shown.ruler);
    this.machine.show(report, shown.job);
    this.player.length = report.trace.length;
    if (!this.player.isPlaying) this.player.position = at ?? report.trace.length;
    this.position = this.player.position;
    patchChildren(this.#readers, readers ? [readersTable(readers, shown.job.sink)] : []);
    setText(this.#ids, idsText(report));
    this.#ids.hidden = !hasIds(report);
    setText(this.#probing, hasIds(report) && lints.probing.length !== shown.job.sinks ? probingText(lints) : "");
    this.#pin.setAttribute("aria-pressed", String(pinned !== null));
    setText(this.#pin, pinned ? "Unpin A" : "Pin as A");
    patchChildren(this.#comparison, pinned ? [comparisonTable(pinned, report)] : []);
    patchChildren(this.#logs, logLines(report));
    setText(this.#rulesVerdict, lints.verdict);
    this.#findings.findings = findings;
    patchChildren(this.#rules, [rulesTable(lints)]);
    setText(this.#rulerVerdict, times.verdict.replaceAll("`", ""));
    setText(
      this.#latency,
      `A read_committed reader sees a record ${time(times.latency.bestMs)} to ${time(times.latency.worstMs)} after it was written, and after the failed checkpoints that are given up to ${time(times.latency.worstAfterFailuresMs)}.`,
    );
    patchChildren(this.#worth, [worthTable(times)]);
    patchChildren(this.#knobs, [...mends(times), knobsTable(times)]);
    this.#why.hidden = !isKafka && decided(report).length === 0;
    this.#steps.steps = [...decided(report), ...(isKafka ? times.steps : []).map(({ what, formula, values, source }) => ({ title: what, formula, numbers: values, result: null, source }))];
    this.#showConfigs(configs);
  }

  /**
   * @param {Chart | null} lanes
   * @param {Chart | null} ruler
   */
  draw(lanes, ruler) {
    this.lanes.hidden = lanes === null;
    if (lanes) this.lanes.chart = lanes;
    if (ruler) this.ruler.chart = ruler;
  }

  /** @param {TransactionReport} report */
  #showVerdict({ inequality, firstViolation, flinkNotices, outcome, trace }) {
    const notices = outcome === "exactly_once" ? "" : NOTICES[flinkNotices];
    const first = firstViolation ? brokenAt(firstViolation, trace) : [];
    const decided = inequality ? `${inequality.id}${inequality.holds ? "" : ", broken"}: ${inequality.text} ` : "";
    patchChildren(this.#inequality, [decided, ...first, notices]);
    this.#inequality.hidden = this.#inequality.textContent === "";
  }

  /** @param {Shown["configs"]} configs */
  #showConfigs(configs) {
    while (this.#configs.childElementCount < configs.length * 2) this.#configs.append(h("h4"), codeRow("settings"));
    configs.forEach(({ name, text }, at) => {
      setText(this.#configs.children[at * 2], name);
      const row = /** @type {import("../elements/code-row.js").CodeRow} */ (this.#configs.children[at * 2 + 1]);
      row.name = name;
      row.text = text;
    });
  }

  /** What is on show up to a place of the player. */
  set position(/** @type {number} */ position) {
    this.machine.mark(position);
  }

  /** A row of the picture moves the player there. @param {Event} event */
  #pick(event) {
    const step = /^step(\d+)$/.exec(this.lanes.picked ?? "");
    if (!step || !(/** @type {Element} */ (event.target).closest(".chart-stage"))) return;
    this.#goTo(Number(step[1]) + 1);
  }

  /** @param {number} position */
  #goTo(position) {
    this.player.pause();
    this.player.position = position;
    emit(this.player, "player-seek", { position });
  }
}

/**
 * @param {NonNullable<TransactionReport["firstViolation"]>} violation
 * @param {TransactionReport["trace"]} trace
 */
function brokenAt({ atMs, step, traceIndex }, trace) {
  const said = traceIndex === null ? null : trace[traceIndex];
  const code = h("code", null, step);
  if (!said) return [`The promise breaks first at ${time(atMs)}: `, code, ". "];
  const go = h("button", { type: "button", class: "inline-button", "data-position": Number(traceIndex) + 1 }, `step ${Number(traceIndex) + 1}`);
  return [`The promise breaks first at ${time(atMs)}, `, go, `: ${said.text.replace(/\.$/, "")} (`, code, "). "];
}

/** Whether there were transactional ids at all. @param {TransactionReport} report */
function hasIds({ transactions, probeCallsPerAttempt }) {
  return transactions.some(({ transactionalId }) => transactionalId !== null) || probeCallsPerAttempt.some((calls) => calls > 0);
}

/** What the clean-up of each attempt asked, and what the broker keeps. @param {TransactionReport} report */
function idsText({ probeCallsPerAttempt: calls, retainedTransactionalIds: kept }) {
  const shown = calls.slice(0, 12).map((it) => count(it));
  const more = calls.length > shown.length ? ", …" : "";
  return `The clean-up of ${calls.length === 1 ? "the attempt" : `the ${count(calls.length)} attempts`} took ${shown.join(", ")}${more} initTransactions calls. At the end the broker keeps ${count(kept)} transactional ids.`;
}

/** Which subtask of the next start asks for whose ids. @param {LintReport} lints */
function probingText({ probing }) {
  const asks = probing.map(({ subtask, subtasks }) => `subtask ${subtask} asks for the ids of ${subtasks.join(", ")}`);
  return asks.length === 0 ? "" : `PROBING after the rescale: ${asks.join("; ")}. Each ends at a subtask that never used an id.`;
}

/** @param {TransactionReport} report */
function decided({ inequality }) {
  if (!inequality) return [];
  return [{ title: `What decides this scenario (${inequality.id})`, formula: inequality.formula, numbers: inequality.text, result: null, source: "Kafka 4.0, TransactionStateManager; flink-connector-kafka, KafkaCommitter" }];
}

/** @param {TransactionReport} report */
function logLines({ logLines: lines, alarm }) {
  if (lines.length === 0) return [h("p", { class: "quiet" }, alarm ?? "Nothing is logged.")];
  const rows = lines.slice(0, 50).map((line) =>
    h(
      "li",
      { "data-id": `${line.atMs} ${line.logger}` },
      h("code", null, `${time(line.atMs)} ${line.level} ${line.logger}`),
      " ",
      line.isQuoted ? h("q", null, line.text) : `${line.text} (told in our words)`,
      line.note === "" ? "" : h("span", { class: "quiet" }, ` ${line.note}`),
      line.isFalseAlarm ? h("strong", null, " A false alarm: nothing is lost.") : "",
    ),
  );
  const more = lines.length > 50 ? [h("li", { class: "quiet" }, `and ${count(lines.length - 50)} more`)] : [];
  return [h("ul", { class: "log-lines" }, rows, more)];
}

/** @param {TimeoutReport} report */
function mends({ blame }) {
  if (!blame) return [];
  const words = blame.mends.map((mend) => h("li", { "data-id": mend.field }, `${mend.name}: ${mend.isMost ? "at most" : "at least"} ${mend.field === "failures" ? count(mend.value) : time(mend.value)}`));
  return [h("p", null, words.length > 0 ? "No timeout is safe. Any one of these changes makes one:" : "No timeout is safe, and no single change makes one."), h("ul", { class: "bullets" }, words)];
}

/**
 * @param {string} title
 * @param {...Node} content
 */
function section(title, ...content) {
  return h("section", null, h("h3", null, title), content);
}
