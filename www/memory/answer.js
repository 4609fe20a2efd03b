// @ts-check
import { h, setText } from "../dom.js";
import { codeRow } from "../elements/code-row.js";
import { ComponentTable } from "../elements/component-table.js";
import { FindingList, STALE_APPLY } from "../elements/finding-list.js";
import { StepList } from "../elements/step-list.js";
import { SvgChart } from "../elements/svg-chart.js";
import { count, exactBytes, exactDifference, signedSize, size } from "../format.js";
import { patchChildren, patchList } from "../patch.js";

/**
 * @import { Chart, Finding, JobManagerReport, MemoryComparison, SizeDifference, SlotShare, TaskManagerReport } from "../../src/web/types.ts"
 *
 * @typedef {TaskManagerReport | JobManagerReport} Report
 */

const ROUTES = {
  fineGrained: "from task heap and managed memory",
  totalFlink: "from total Flink memory",
  totalProcess: "from total process memory",
  heap: "from the heap size",
};

/** The parts of an answer that works, in the order they are read. */
export class MemoryAnswer extends HTMLElement {
  chart = new SvgChart();
  #stale = h("p", { class: "stale-note", hidden: true }, "The last answer that worked");
  #table = new ComponentTable();
  #jvmArgs = codeRow("JVM arguments");
  #dynamicArgs = codeRow("dynamic properties");
  #flags = h("ul", { class: "flag-differences", hidden: true });
  #dynamicTitle = h("summary");
  #dynamic = h("details", { class: "dynamic" }, this.#dynamicTitle, this.#dynamicArgs);
  #slotTitle = h("h3");
  #slotList = h("dl", { class: "slot-list" });
  #slots = h("section", { class: "slots" }, this.#slotTitle, this.#slotList);
  #findings = new FindingList();
  #steps = new StepList();
  #findingPart = section("Findings", this.#findings);
  #basis = h("p", { class: "quiet" });
  #components = section("Components", this.#basis, scroller("Memory components", this.#table));
  /** What stays in reach when the answer is stale. @type {Element[]} */
  #read = [this.#stale, this.chart, this.#components, this.#findingPart];

  connectedCallback() {
    if (this.childElementCount > 0) return;
    this.#jvmArgs.classList.add("jvm");
    this.append(
      this.#stale,
      this.chart,
      this.#components,
      section("JVM arguments", this.#jvmArgs, this.#flags, this.#dynamic),
      this.#slots,
      this.#findingPart,
      h("details", { class: "why", open: true }, h("summary", null, h("h3", null, "Why? Step by step")), this.#steps),
    );
  }

  /**
   * A stale answer can be read, but what it proposes was meant for other settings.
   * @param {boolean} stale
   */
  set stale(stale) {
    this.classList.toggle("is-stale", stale);
    this.#stale.hidden = !stale;
    this.#findings.blocked = stale ? STALE_APPLY : "";
    for (const part of this.children) part.toggleAttribute("inert", stale && !this.#read.includes(part));
  }

  /**
   * @param {Report} report
   * @param {Finding[]} findings
   * @param {Chart | null} chart
   * @param {MemoryComparison | null} comparison  with the settings pinned as A
   */
  show(report, findings, chart, comparison) {
    if (chart) this.chart.chart = chart;
    this.#table.show(report.components, comparison?.components);
    this.#flags.hidden = comparison === null;
    patchChildren(this.#flags, comparison?.flags.map(flagItem) ?? []);
    setText(this.#basis, basis(report));
    this.#showJvm(report);
    this.#showSlots(report);
    this.#findings.findings = findings;
    this.#steps.steps = report.steps;
  }

  /** @param {Report} report */
  #showJvm(report) {
    const dynamic = "dynamicConfigs" in report ? report.dynamicConfigs : [];
    const text = dynamic.map((config) => (config.startsWith("-D") ? config : `-D ${config}`)).join("\n");
    this.#jvmArgs.text = report.jvmArgs;
    this.#dynamic.hidden = dynamic.length === 0;
    setText(this.#dynamicTitle, `${count(dynamic.length)} dynamic properties the start script passes on`);
    this.#dynamicArgs.text = text;
  }

  /** @param {Report} report */
  #showSlots(report) {
    const slots = "slots" in report ? report.slots : [];
    this.#slots.hidden = slots.length === 0;
    if (!("numSlots" in report)) return;
    setText(this.#slotTitle, report.numSlots === 1 ? "The one slot" : `Each of ${count(report.numSlots)} slots`);
    patchList(this.#slotList, slots, slotItem);
  }
}

/** @param {Report} report */
function basis(report) {
  const limit = report.container.named ? `container limit ${size(report.container.limit)}` : "without a container limit";
  return `Derived ${ROUTES[report.route]}; ${limit}. Flink ${report.version}, numbers checked on ${report.checkedOn}.`;
}

/** @param {SizeDifference} flag */
function flagItem({ name, a, b, difference }) {
  const [from, to] = [a, b].map((bytes) => (bytes === null ? "not set" : size(bytes)));
  const change = difference === null ? "" : ` (${signedSize(difference)})`;
  const title = difference === null ? null : exactDifference(difference);
  return h("li", { "data-id": name, title }, h("code", null, name), `: ${from} → ${to}${change}`);
}

/** @param {SlotShare} slot */
function slotItem({ id, name, perSlot, remainder }) {
  const left = BigInt(remainder) > 0n ? `${exactBytes(remainder)} left over` : "";
  return h(
    "div",
    { "data-id": id },
    h("dt", null, name),
    h("dd", { title: exactBytes(perSlot) }, size(perSlot), left ? h("span", { class: "quiet" }, left) : null),
  );
}

/**
 * @param {string} title
 * @param {...Node} content
 */
function section(title, ...content) {
  return h("section", null, h("h3", null, title), content);
}

/**
 * @param {string} label
 * @param {Node} content
 */
function scroller(label, content) {
  return h("div", { class: "scroller", tabindex: 0, role: "region", "aria-label": label }, content);
}
