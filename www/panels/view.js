// @ts-check
import { emit, h, prose, setProse } from "../dom.js";
import { FindingList, STALE_APPLY } from "../elements/finding-list.js";
import { SvgChart } from "../elements/svg-chart.js";
import { csvOfReport } from "../memory/export.js";
import { patchChildren } from "../patch.js";
import { AssumptionTable } from "./assumptions.js";
import { WorkloadField, number } from "./field.js";
import { PANELS, valuesOf } from "./panels.js";
import { sizeBars } from "./parts.js";

/**
 * @import { Answer, Finding, MemoryParams, Problem, Role } from "../../src/web/types.ts"
 * @import { Scenario } from "../state.js"
 * @import { Ask } from "../tools.js"
 * @import { Field, Values } from "./field.js"
 *
 * @typedef {import("./assumptions.js").Line} Line
 *
 * @typedef {object} Panel
 * @property {string} question
 * @property {string} look                what the panel is for, in a sentence
 * @property {Field[]} fields
 * @property {boolean} [plain]             there is nothing to find beside the numbers
 * @property {boolean} [wholeAssumptions]  the engine takes all assumptions or none
 * @property {(values: Values, memory: MemoryParams, assumptions: Record<string, any> | null, role: Role) => object} params
 * @property {(values: Values, memory: MemoryParams) => object} [draw]  what of it is drawn
 * @property {(report: any, values: Values) => Node[]} body
 */

/**
 * One panel: its workload, the verdict, the numbers, findings, assumptions, what is not modelled.
 *
 * Property `ask`. Events of its parts: `workload-change`, `apply-changes`.
 */
export class PanelView extends HTMLElement {
  /** @type {Ask} */
  ask = async () => ({ ok: false, error: { code: "no_engine", message: "", field: null, option: null } });
  /** @type {"light" | "dark"} */
  theme = "light";
  #chart = new SvgChart();
  /** Draws once more, for a width that is new. */
  #redraw = async () => {};
  #name = "";
  #turn = 0;
  /** @type {{ scenario: Scenario, report: any, findings: Finding[] } | null} */
  #last = null;
  /** Defaults of assumptions, by panel. @type {Map<string, Line[]>} */
  #lines = new Map();
  /** @type {WorkloadField[]} */
  #fields = [];
  #form = h("div", { class: "workload", role: "group", "aria-label": "Workload" });
  #look = h("p", { class: "quiet" });
  #verdict = h("p", { class: "verdict", "aria-live": "polite", tabindex: -1 });
  #stale = h("p", { class: "stale-note", hidden: true }, "The last answer that worked");
  #body = h("div", { class: "panel-body" });
  #findings = new FindingList();
  #assumptions = new AssumptionTable();
  #assumptionPart = h("details", { class: "why" }, h("summary", null, h("h3", null, "Assumptions")), this.#assumptions.element);
  #notModelled = h("ul", { class: "bullets" });
  #notPart = h("details", { class: "why" }, h("summary", null, h("h3", null, "What is not modelled")), this.#notModelled);
  #findingPart = h("section", null, h("h3", null, "Findings"), this.#findings);
  #result = h(
    "div",
    { class: "panel-result", hidden: true },
    this.#stale,
    this.#chart,
    this.#body,
    this.#findingPart,
    this.#assumptionPart,
    this.#notPart,
  );

  connectedCallback() {
    if (this.childElementCount > 0) return;
    this.append(this.#look, this.#form, this.#verdict, this.#result);
    this.#chart.addEventListener("chart-width", (event) => {
      // The tool draws the pools anew on this.
      event.stopPropagation();
      this.#redraw();
    });
    // What is patched has no listeners of its own.
    this.#body.addEventListener("click", (event) => {
      const { option, value } = /** @type {HTMLElement} */ (event.target).closest("button")?.dataset ?? {};
      if (option && value) emit(this, "apply-changes", { changes: [{ option, value }] });
    });
  }

  /** The last answer as files. @returns {import("../memory/exporter.js").Exportable | null} */
  get exportable() {
    if (!this.#last) return null;
    const { scenario, report, findings } = this.#last;
    return { scenario, subject: scenario.panel, csv: csvOfReport(report), answer: { panel: scenario.panel, workload: scenario.workload, report, findings }, chart: this.#chart.hidden ? null : this.#chart.chart };
  }

  focusVerdict() {
    this.#verdict.focus();
  }

  /**
   * @param {Scenario} scenario
   * @param {MemoryParams} memory
   */
  async show(scenario, memory) {
    const turn = (this.#turn += 1);
    const panel = PANELS[scenario.panel];
    const values = valuesOf(scenario.workload);
    if (scenario.panel !== this.#name) this.#build(scenario.panel, panel);
    this.#showFields(values);
    if (!this.#chart.isMeasured) this.#chart.measure(this.clientWidth);
    this.#redraw = () => this.#draw(panel, values, memory, turn);
    const [answer] = await Promise.all([this.#answer(panel, scenario, memory, values), this.#redraw()]);
    if (turn !== this.#turn || (!answer.ok && answer.error.code === "superseded")) return;
    if (answer.ok) {
      this.#showReport(panel, scenario, values, answer.value, answer.findings);
      this.#last = { scenario, report: answer.value, findings: answer.findings };
    } else this.#showProblem(panel, scenario, values, answer.error);
    this.dataset.state = answer.ok ? "answered" : "failed";
    this.dataset.panel = scenario.panel;
    emit(this, "panel-shown");
  }

  /**
   * @param {string} name
   * @param {Panel} panel
   */
  #build(name, panel) {
    this.#name = name;
    delete this.dataset.state;
    this.#last = null;
    this.#form.hidden = panel.fields.length === 0;
        this.#look.textContent = panel.look;
    this.#fields = panel.fields.map((field) => Object.assign(new WorkloadField(), { field }));
    this.#form.replaceChildren(...this.#fields);
    this.#result.hidden = true;
    this.#verdict.classList.remove("is-wrong");
    this.#verdict.replaceChildren();
    this.#body.replaceChildren();
  }

  /**
   * @param {Panel} panel
   * @param {Values} values
   * @param {MemoryParams} memory
   * @param {number} turn
   */
  async #draw(panel, values, memory, turn) {
    this.#chart.hidden = !panel.draw;
    if (!panel.draw) return;
    const params = { of: panel.draw(values, memory), theme: this.theme, width: this.#chart.drawWidth };
    const answer = await this.ask("drawState", params, "panel chart");
    if (turn === this.#turn && answer.ok) this.#chart.chart = answer.value;
  }

  /** @param {Values} values */
  #showFields(values) {
    for (const element of this.#fields) {
      element.hidden = !(element.field.shown?.(values) ?? true);
      element.value = values[element.field.id];
    }
  }

  /**
   * @param {Panel} panel
   * @param {Scenario} scenario
   * @param {MemoryParams} memory
   * @param {Values} values
   * @returns {Promise<Answer<any>>}
   */
  async #answer(panel, scenario, memory, values) {
    const prefix = prefixOf(scenario.panel);
    const replaced = Object.entries(scenario.workload)
      .filter(([key]) => key.startsWith(prefix))
      .map(([key, text]) => /** @type {const} */ ([key.slice(prefix.length), number(text)]));
    /** @param {[string, any][]} defaults */
    const ask = (defaults) => {
      const pairs = [...defaults, ...replaced];
      return this.ask(panel.question, panel.params(values, memory, replaced.length > 0 ? Object.fromEntries(pairs) : null, scenario.role), "panel");
    };
    if (!panel.wholeAssumptions || replaced.length === 0) return ask([]);
    if (!this.#lines.has(scenario.panel)) {
      const first = await this.ask(panel.question, panel.params(values, memory, null, scenario.role), "panel");
      if (!first.ok) return first;
      this.#lines.set(scenario.panel, first.value.assumptions);
    }
    const lines = this.#lines.get(scenario.panel) ?? [];
    return ask(lines.map((line) => [line.id, line.default]));
  }

  /**
   * @param {Panel} panel
   * @param {Scenario} scenario
   * @param {Values} values
   * @param {any} report
   * @param {Finding[]} findings
   */
  #showReport(panel, scenario, values, report, findings) {
    setProse(this.#verdict, report.verdict);
    this.#verdict.classList.remove("is-wrong");
    for (const element of this.#fields) element.problem = "";
    this.#result.hidden = false;
    this.#markStale(false);
    patchChildren(this.#body, panel.body(report, values));
    sizeBars(this.#body);
    this.#findings.findings = findings;
    this.#findingPart.hidden = panel.plain ?? false;
    const lines = report.assumptions ?? [];
    this.#assumptionPart.hidden = lines.length === 0;
    this.#assumptions.show(prefixOf(scenario.panel), lines, scenario.workload);
    const notModelled = report.notModelled ?? [];
    this.#notPart.hidden = notModelled.length === 0;
    patchChildren(this.#notModelled, notModelled.map((/** @type {string} */ line) => h("li", null, prose(line))));
  }

  /**
   * @param {Panel} panel
   * @param {Scenario} scenario
   * @param {Values} values
   * @param {Problem} problem
   */
  #showProblem(panel, scenario, values, problem) {
    const wrong = wrongFields(panel, values, problem);
    const assumption = /^assumptions\b/.test(problem.field ?? "") ? assumptionOf(problem) : "";
    const badText = assumption ? (scenario.workload[prefixOf(scenario.panel) + assumption] ?? "") : "";
    const message = (/** @type {Field | undefined} */ field) => sentence(problem, field, field ? values[field.id] : badText);
    for (const element of this.#fields) element.problem = wrong.includes(element.field) ? message(element.field) : "";
    this.#assumptions.problem(assumption, assumption ? message(undefined) : "");
    setProse(this.#verdict, message(wrong[0]));
    this.#verdict.classList.add("is-wrong");
    this.#markStale(true);
  }

  /**
   * A stale answer can be read, but what it proposes was meant for other settings. Its assumptions
   * stay editable: one of them may be what is wrong.
   * @param {boolean} stale
   */
  #markStale(stale) {
    this.#stale.hidden = !stale;
    this.#result.classList.toggle("is-stale", stale);
    this.#findings.blocked = stale ? STALE_APPLY : "";
  }
}

/** @param {string} panel */
function prefixOf(panel) {
  return `assume.${panel}.`;
}

/** @param {Problem} problem */
function assumptionOf({ field, message }) {
  const id = field?.split(".")[1];
  return id ?? message.split(" ", 1)[0];
}

/**
 * The fields a refusal is about: those whose text is no number, else the one nearest to the path.
 * @param {Panel} panel
 * @param {Values} values
 * @param {Problem} problem
 * @returns {Field[]}
 */
function wrongFields({ fields }, values, { code, field: path }) {
  if (path === null || path.startsWith("assumptions")) return [];
  const shown = fields.filter((field) => field.shown?.(values) ?? true);
  if (code === "bad_params") {
    const texts = shown.filter((field) => isUnreadable(field, values[field.id]));
    if (texts.length > 0) return texts;
  }
  const near = shown.filter((field) => path.startsWith(field.path) || field.path.startsWith(path));
  return near.sort((a, b) => common(b.path, path) - common(a.path, path)).slice(0, 1);
}

/**
 * @param {Field} field
 * @param {string} text
 */
function isUnreadable({ kind }, text) {
  if ((kind !== "count" && kind !== "number") || text.trim() === "") return false;
  const value = number(text);
  return typeof value !== "number" || (kind === "count" && !(Number.isSafeInteger(value) && value >= 0));
}

/**
 * @param {string} a
 * @param {string} b
 */
function common(a, b) {
  return a === b ? Number.POSITIVE_INFINITY : Math.min(a.length, b.length);
}

/**
 * @param {Problem} problem
 * @param {Field | undefined} field
 * @param {string} text
 */
function sentence({ code, message, field: path }, field, text) {
  if (code === "bad_params" && (field || text)) {
    const wanted = field?.kind === "count" ? "a whole number that can be counted with" : "a number";
    return `${field ? `${field.label}: ` : ""}“${text.slice(0, 60)}” is not ${wanted}.`;
  }
  if (!field) return message;
  return path && message.includes(path) ? message.replace(path, field.label) : `${field.label}: ${message}`;
}
