// @ts-check
import { emit, h, prose, setProse } from "../dom.js";
import { FindingList, STALE_APPLY } from "../elements/finding-list.js";
import { SvgChart } from "../elements/svg-chart.js";
import { pinnedParams } from "../memory/compare.js";
import { csvOfReport } from "../memory/export.js";
import { patchChildren } from "../patch.js";
import { Against } from "./against.js";
import { AssumptionTable } from "./assumptions.js";
import { WorkloadField, number } from "./field.js";
import { PANELS, valuesOf } from "./panels.js";
import { sizeBars } from "./parts.js";
import { Questions, prefixOf } from "./questions.js";

/**
 * @import { Answer, Finding, MemoryParams, PanelComparison, Problem, Role } from "../../src/web/types.ts"
 * @import { Scenario } from "../state.js"
 * @import { Ask } from "../tools.js"
 * @import { Field, Values } from "./field.js"
 *
 * @typedef {object} Panel
 * @property {string} question
 * @property {string} look                what the panel is for, in a sentence
 * @property {Field[]} fields
 * @property {boolean} [plain]             there is nothing to find beside the numbers
 * @property {boolean} [wholeAssumptions]  the engine takes all assumptions or none
 * @property {(values: Values, memory: MemoryParams, assumptions: Record<string, any> | null, role: Role) => object} params
 * @property {(values: Values) => string} [measure]  what of it is drawn, where there is a choice
 * @property {string} [caption]            how its drawing is read
 * @property {(report: any, values: Values) => Node[]} body
 */

/** From here on the settings stand beside the answer. */
const WIDE = "(min-width: 900px)";

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
  /** @type {{ scenario: Scenario, report: any, findings: Finding[], comparison: PanelComparison | null } | null} */
  #last = null;
  #questions = new Questions();
  /** @type {WorkloadField[]} */
  #fields = [];
  #form = h("div", { class: "workload", role: "group", "aria-label": "Workload" });
  /** Folded on a phone, where it would push the answer off the screen. */
  #formPart = h("details", { class: "why workload-part", open: matchMedia(WIDE).matches }, h("summary", null, h("h3", null, "Workload")), this.#form);
  /** Where the tool puts what pins and lets go. */
  pinPlace = h("div");
  #look = h("p", { class: "quiet" });
  #verdict = h("p", { class: "verdict", "aria-live": "polite", tabindex: -1 });
  #stale = h("p", { class: "stale-note", hidden: true }, "The last answer that worked");
  #caption = h("p", { class: "quiet" });
  #against = new Against();
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
    this.#caption,
    this.#against.element,
    this.#body,
    this.#findingPart,
    this.#assumptionPart,
    this.#notPart,
  );

  connectedCallback() {
    if (this.childElementCount > 0) return;
    this.append(this.#verdict, this.pinPlace, this.#look, this.#formPart, this.#result);
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
    const { scenario, report, findings, comparison } = this.#last;
    const { panel, workload } = scenario;
    const csv = csvOfReport(comparison ? { ...report, figures: comparison.figures } : report);
    return { scenario, subject: panel, csv, answer: { panel, workload, report, findings, ...(comparison ? { comparison } : {}) }, chart: this.#chart.chart };
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
    const pinnedMemory = pinnedParams(scenario);
    const pinned = pinnedMemory ? scenario.pinned : null;
    const pinnedValues = pinned ? valuesOf(pinned.workload) : values;
    const [of, ofA] = await Promise.all([
      this.#questions.params(this.ask, scenario.panel, panel, scenario, memory, values),
      pinned && pinnedMemory ? this.#questions.params(this.ask, scenario.panel, panel, pinned, pinnedMemory, pinnedValues) : null,
    ]);
    if (turn !== this.#turn) return;
    const { question } = panel;
    const a = ofA?.ok ? { [question]: ofA.value } : null;
    this.#redraw = async () => {
      if (of.ok) await this.#draw(panel, values, { [question]: of.value }, a, turn);
    };
    const [answer, compared] = await Promise.all([
      of.ok ? this.ask(question, of.value, "panel") : of,
      of.ok && a ? this.ask("comparePanels", { a, b: { [question]: of.value } }, "panel comparison") : ofA && !ofA.ok ? ofA : null,
      this.#redraw(),
    ]);
    if (turn !== this.#turn || (!answer.ok && answer.error.code === "superseded")) return;
    if (answer.ok) {
      this.#showReport(panel, scenario, values, answer.value, answer.findings);
      this.#against.show(compared, panel.fields, pinnedValues, values);
      this.#last = { scenario, report: answer.value, findings: answer.findings, comparison: compared?.ok ? compared.value : null };
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
    this.#formPart.hidden = panel.fields.length === 0;
    this.#look.textContent = panel.look;
    setProse(this.#caption, panel.caption ?? "");
    this.#caption.hidden = !panel.caption;
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
   * @param {object} of
   * @param {object | null} pinned
   * @param {number} turn
   */
  async #draw({ measure }, values, of, pinned, turn) {
    const params = { of, pinned, ...(measure ? { measure: measure(values) } : {}), theme: this.theme, width: this.#chart.drawWidth };
    const answer = await this.ask("drawState", params, "panel chart");
    if (turn !== this.#turn) return;
    // What is refused is said in words; a report of nothing has no drawing either.
    this.#chart.hidden = !answer.ok && answer.error.code === "chart.nothingToDraw";
    if (answer.ok) this.#chart.chart = answer.value;
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
    if (wrong.length > 0) this.#formPart.open = true;
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
