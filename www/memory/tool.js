// @ts-check
import { emit, h, setProse, setText } from "../dom.js";
import { ControlsSheet } from "../elements/controls-sheet.js";
import { ExportBar } from "../elements/export-bar.js";
import { PresetPicker } from "../elements/preset-picker.js";
import { PRESETS } from "../presets.js";
import { pinOf, scenarioOf, withChanges } from "../state.js";
import { MemoryAnswer } from "./answer.js";
import { Comparison, pinnedParams } from "./compare.js";
import { csvOf } from "./export.js";
import { exportAnswer, exportConfig } from "./exporter.js";
import { FailureReport } from "./failure.js";
import { FormFeed, formKey } from "./form-feed.js";
import { CONTAINER_LIMIT, MemoryForm } from "./form.js";
import { PanelHost } from "./panel-host.js";
import { AlsoSet, RoleSwitch } from "./picker.js";

/**
 * @import { Answer, Bytes, Chart, Change, Diagnosis, FormField, MemoryComparison, Problem, Role } from "../../src/web/types.ts"
 * @import { Scenario } from "../state.js"
 * @import { Report } from "./answer.js"
 * @import { Ask } from "../tools.js"
 */

const DERIVE = { taskmanager: "deriveTaskManager", jobmanager: "deriveJobManager" };
const TITLES = { taskmanager: "TaskManager memory", jobmanager: "JobManager memory" };

/**
 * The Memory tool: settings on one side, the answer on the other. Holds no arithmetic; every number
 * is the engine's.
 *
 * Properties `ask`, `theme`, `scenario`. Events `scenario-change`: `{ scenario, settled }`, and
 * `answered` when the engine has answered all that was asked, be it with a refusal.
 */
export class MemoryTool extends HTMLElement {
  /** @type {Ask} */
  ask = async () => ({ ok: false, error: { code: "no_engine", message: "", field: null, option: null } });
  /** @type {"light" | "dark"} */
  theme = "light";
  /** @type {Scenario} */
  #scenario = scenarioOf(PRESETS.memory[0]);
  #turn = 0;
  #feed = new FormFeed();
  /** @type {Map<string, Bytes>} */
  #derived = new Map();
  /** @type {{ scenario: Scenario, report: Report, findings: any[], chart: Chart | null, comparison: MemoryComparison | null } | null} */
  #last = null;
  #reveal = true;
  #roles = new RoleSwitch();
  #presets = Object.assign(new PresetPicker(), { presets: PRESETS.memory });
  #form = new MemoryForm();
  #alsoSet = new AlsoSet();
  #sheet = new ControlsSheet();
  #title = h("h2", { class: "answer-title" });
  #verdict = h("p", { class: "verdict", "aria-live": "polite", tabindex: -1 });
  /** The answer's own verdict, below that of the comparison. */
  #own = h("p", { class: "own-verdict", hidden: true });
  #compare = new Comparison();
  #failure = new FailureReport();
  #answer = new MemoryAnswer();
  #exportBar = new ExportBar();
  #exports = h("section", { class: "exports" }, h("h3", null, "Copy and export"), this.#exportBar);
  #panels = new PanelHost();
  #pane = h("section", { class: "answer", "data-behind-sheet": true, "aria-labelledby": "answer-title" });

  connectedCallback() {
    if (this.childElementCount > 0) return;
    this.#title.id = "answer-title";
    this.#sheet.className = "controls";
    this.#sheet.setAttribute("aria-label", "Settings");
    this.#sheet.append(h("h2", { class: "off-screen" }, "Settings"), this.#roles, this.#presets, this.#form, this.#alsoSet);
    this.#failure.hidden = true;
    this.#answer.hidden = true;
    this.#panels.side.append(this.#verdict, this.#own, this.#compare.bar, this.#failure, this.#compare.log, this.#answer, this.#exports);
    this.#pane.append(this.#title, this.#panels.tabs, this.#panels.side);
    this.append(this.#sheet, this.#pane);
    this.#listen();
  }

  #listen() {
    /**
     * @param {string} type
     * @param {(detail: any) => void} act
     */
    const on = (type, act) => this.addEventListener(type, (event) => act(/** @type {CustomEvent} */ (event).detail));
    on("field-change", ({ option, value, settled }) => {
      if (option === CONTAINER_LIMIT) this.#change({ limit: value }, settled);
      else this.#change({ config: withChanges(this.#scenario.config, [[option, value]]) }, settled);
    });
    on("panel-change", ({ panel }) => this.#change({ panel }, true));
    on("workload-change", ({ key, value, settled }) => {
      this.#change({ workload: withChanges(this.#scenario.workload, [[key, value]]) }, settled);
    });
    on("apply-changes", ({ changes }) => this.#apply(changes));
    on("role-change", ({ role }) => this.#change({ role }, true));
    on("script-change", ({ on: startScript }) => this.#change({ startScript }, true));
    on("preset-pick", ({ preset }) => {
      const { flink, theme, panel, pinned } = this.#scenario;
      this.#reveal = true;
      this.#compare.observed = [];
      this.#change({ ...scenarioOf(preset), flink, theme, panel: preset.panel ?? panel, pinned }, true);
    });
    on("pin", ({ act }) => this.#pin(act));
    on("forget-text", () => (this.observed = []));
    on("panel-shown", () => (this.#exportBar.kinds = this.#panels.view?.exportable ?? null));
    on("remove-options", ({ options }) => {
      this.#change({ config: withChanges(this.#scenario.config, options.map((/** @type {string} */ o) => [o, null])) }, true);
    });
    on("go-to-option", ({ option }) => {
      this.#sheet.show();
      this.#form.focusOption(option);
    });
    on("chart-width", () => this.#redraw());
    on("export", ({ kind }) => this.#export(kind));
  }

  /** @returns {Scenario} */
  get scenario() {
    return this.#scenario;
  }

  /** Shows another scenario as a whole: an address, a paste, Back. */
  set scenario(scenario) {
    this.#reveal ||= scenario.preset !== this.#scenario.preset;
    this.#scenario = scenario;
    this.#update();
  }

  /** Sizes of a pasted text, to hold against what its settings derive. @param {import("../../src/web/types.ts").Observed[]} observed */
  set observed(observed) {
    this.#compare.observed = observed;
    this.#update();
  }

  /** Asks again, for a theme or an engine that is new. */
  refresh() {
    return this.#update();
  }

  focusAnswer() {
    if (this.#verdict.hidden) this.#panels.view?.focusVerdict();
    else this.#verdict.focus();
  }

  /**
   * @param {Partial<Scenario>} part
   * @param {boolean} settled
   */
  #change(part, settled) {
    this.#scenario = { ...this.#scenario, ...part };
    emit(this, "scenario-change", { scenario: this.#scenario, settled });
    this.#update();
  }

  /** @param {Change[]} changes */
  #apply(changes) {
    const pairs = changes.map(({ option, value }) => /** @type {const} */ ([option, value]));
    this.#change({ config: withChanges(this.#scenario.config, pairs) }, true);
    // The button that was pressed goes away with its finding.
    this.focusAnswer();
  }

  /** @param {string} act */
  #pin(act) {
    const { pinned, panel, theme } = this.#scenario;
    const now = pinOf(this.#scenario);
    if (act === "swap" && pinned) this.#change({ ...pinned, panel, theme, pinned: now }, true);
    else this.#change({ pinned: act === "pin" ? now : null }, true);
    // The button that was pressed is gone.
    this.focusAnswer();
  }

  get #params() {
    const { flink: version, config, startScript, limit: containerLimit } = this.#scenario;
    return { version, config, startScript, containerLimit };
  }

  get #drawParams() {
    const { role } = this.#scenario;
    return { ...this.#params, role, pinned: pinnedParams(this.#scenario), theme: this.theme, width: this.#answer.chart.drawWidth };
  }

  /** Everything an answer needs is asked in one turn, and so in one message. */
  async #update() {
    const turn = (this.#turn += 1);
    const scenario = this.#scenario;
    this.#makeRoom();
    const [answer, chart, fields, , compared] = await Promise.all([
      this.ask(DERIVE[scenario.role], this.#params, "derive"),
      this.ask("drawMemory", this.#drawParams),
      this.#feed.newFields(this.ask, scenario),
      this.#feed.readSizes(this.ask, scenario, this.#form.fields),
      this.#compare.ask(this.ask, scenario, this.#params),
    ]);
    if (turn !== this.#turn) return;
    const diagnosis = answer.ok || isFault(answer) ? null : await this.ask("diagnose", { ...this.#params, role: scenario.role });
    if (turn !== this.#turn) return;
    if (fields) this.#build(scenario, fields);
    setText(this.#title, TITLES[scenario.role]);
    this.#verdict.hidden = this.#panels.show(scenario, answer.ok);
    if (!this.#verdict.hidden && this.#compare.bar.parentElement !== this.#panels.side) this.#failure.before(this.#compare.bar);
    const pinned = answer.ok && compared.pinned?.ok ? compared.pinned : null;
    const findings = answer.ok ? [...(pinned?.findings ?? []), ...answer.findings] : [];
    if (answer.ok) this.#showAnswer(scenario, answer.value, findings, chart.ok ? chart.value : null, pinned?.value ?? null);
    else this.#showFailure(scenario, answer.error, diagnosis);
    this.#compare.show(scenario, compared, !this.#verdict.hidden, answer.ok);
    this.#compare.bar.settings = pinned?.value.settings ?? [];
    this.#exportBar.kinds = answer.ok && !this.#verdict.hidden ? { chart: this.#answer.chart.chart } : null;
    this.#showForm(scenario, answer.ok ? null : answer.error, diagnosis);
    this.dataset.state = answer.ok ? "answered" : "failed";
    if (![answer, chart].some(isFault)) emit(this, "answered", null);
    if (this.#verdict.hidden) this.#panels.answer(this.ask, scenario, this.#params, this.theme, this.#compare.bar);
    if (fields || !this.#feed.knowsOthers(scenario)) this.#complete(turn, scenario, answer.ok ? null : answer.error, diagnosis);
  }

  /** Measured while hidden a chart has no width, so it is shown for a moment, once. */
  #makeRoom() {
    if (this.#answer.chart.isMeasured) return;
    this.#answer.hidden = false;
    this.#answer.chart.measure();
    this.#answer.hidden = this.#last === null || this.#verdict.hidden;
  }

  /**
   * @param {Scenario} scenario
   * @param {FormField[]} fields
   */
  #build(scenario, fields) {
    this.#feed.formOf = formKey(scenario);
    this.#form.build(fields);
    this.#derived.clear();
    this.#reveal = true;
  }

  /**
   * What the first sight of a form can do without.
   * @param {number} turn
   * @param {Scenario} scenario
   * @param {Problem | null} error
   * @param {Answer<Diagnosis> | null} diagnosis
   */
  async #complete(turn, scenario, error, diagnosis) {
    await this.#feed.complete(this.ask, scenario, this.#form.fields, () => turn === this.#turn);
    if (turn === this.#turn) this.#showForm(scenario, error, diagnosis);
  }

  /**
   * @param {Scenario} scenario
   * @param {Report} report
   * @param {any[]} findings
   * @param {Chart | null} chart
   * @param {MemoryComparison | null} comparison
   */
  #showAnswer(scenario, report, findings, chart, comparison) {
    this.#last = { scenario, report, findings, chart, comparison };
    this.#derived = new Map(report.components.map(({ option, bytes }) => [option, bytes]));
    setProse(this.#verdict, comparison?.verdict ?? report.verdict);
    setProse(this.#own, comparison ? report.verdict : "");
    this.#own.hidden = comparison === null || this.#verdict.hidden;
    this.#verdict.classList.remove("is-wrong");
    this.#failure.diagnosis = null;
    this.#answer.hidden = this.#verdict.hidden;
    this.#answer.stale = false;
    this.#answer.show(report, findings, chart, comparison);
  }

  /**
   * @param {Scenario} scenario
   * @param {Problem} error
   * @param {Answer<Diagnosis> | null} diagnosis
   */
  #showFailure({ preset, role }, error, diagnosis) {
    // The last answer that worked says nothing about another preset or the other process.
    if (this.#last && (this.#last.scenario.preset !== preset || this.#last.scenario.role !== role)) {
      this.#last = null;
      this.#derived = new Map();
    }
    const failure = diagnosis?.ok ? diagnosis.value.failure : null;
    setProse(this.#verdict, failure?.verdict ?? error.message);
    this.#verdict.classList.add("is-wrong");
    this.#own.hidden = true;
    this.#failure.diagnosis =
      diagnosis?.ok && failure && !this.#verdict.hidden ? { failure, steps: diagnosis.value.steps, findings: diagnosis.findings } : null;
    this.#answer.hidden = this.#last === null || this.#verdict.hidden;
    this.#answer.stale = true;
  }

  /**
   * @param {Scenario} scenario
   * @param {Problem | null} error
   * @param {Answer<Diagnosis> | null} diagnosis
   */
  #showForm(scenario, error, diagnosis) {
    const preset = PRESETS.memory.find(({ id }) => id === scenario.preset) ?? PRESETS.memory[0];
    const failure = diagnosis?.ok ? diagnosis.value.failure : null;
    this.#roles.role = scenario.role;
    this.#presets.show(preset, isChanged(scenario, scenarioOf(preset)));
    this.#form.state = {
      scenario,
      preset,
      sizes: this.#feed.sizes,
      derived: this.#derived,
      problems: problemsOf(error, failure?.verdict),
      starts: error === null,
    };
    if (this.#reveal) this.#form.revealSet();
    this.#reveal = false;
    // At the foot of the settings, so that it moves nothing when it comes a moment later.
    if (this.#feed.knowsOthers(scenario)) {
      this.#alsoSet.show(scenario, this.#form.options, this.#feed.otherOptions, error?.option ?? null);
    }
  }

  async #redraw() {
    if (!this.#last || this.dataset.state !== "answered") return;
    const turn = this.#turn;
    const chart = await this.ask("drawMemory", this.#drawParams);
    if (turn !== this.#turn || !chart.ok) return;
    this.#last.chart = chart.value;
    this.#answer.chart.chart = chart.value;
  }

  /** @param {import("../elements/export-bar.js").ExportKind} kind */
  async #export(kind) {
    if (kind === "config") {
      const text = await exportConfig(this.ask, this.#scenario);
      if (text) emit(this, "notice", { text });
      return;
    }
    const shown = this.#verdict.hidden ? this.#panels.view?.exportable : this.#exportable;
    if (shown) await exportAnswer(kind, shown);
  }

  /** @returns {import("./exporter.js").Exportable | null} */
  get #exportable() {
    if (!this.#last) return null;
    const { scenario, report, findings, chart, comparison } = this.#last;
    const answer = comparison ? { report, comparison, findings } : { report, findings };
    return { scenario, subject: scenario.role, csv: csvOf(report.components, comparison), answer, chart };
  }
}

/** @param {Answer<any>} answer */
function isFault(answer) {
  return !answer.ok && answer.error.code === "engine_fault";
}

/**
 * @param {Problem | null} error
 * @param {string | undefined} verdict
 * @returns {Map<string, string[]>}
 */
function problemsOf(error, verdict) {
  if (!error?.option) return new Map();
  return new Map([[error.option, verdict && verdict !== error.message ? [error.message, verdict] : [error.message]]]);
}

/**
 * @param {Scenario} scenario
 * @param {Scenario} base
 */
function isChanged(scenario, base) {
  return scenario.limit !== base.limit || differs(scenario.config, base.config) || differs(scenario.workload, base.workload);
}

/**
 * @param {Record<string, string>} texts
 * @param {Record<string, string>} base
 */
function differs(texts, base) {
  return [...Object.keys(texts), ...Object.keys(base)].some((key) => texts[key] !== base[key]);
}
