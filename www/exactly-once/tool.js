// @ts-check
import { emit, h, setText } from "../dom.js";
import { ControlsSheet } from "../elements/controls-sheet.js";
import { ExportBar } from "../elements/export-bar.js";
import { PresetPicker } from "../elements/preset-picker.js";
import { unsigned } from "../event-time/params.js";
import { ExactlyAnswer } from "./answer.js";
import { presetOf, scenarioOf } from "./codec.js";
import { configTexts } from "./config.js";
import { DurationReader } from "./durations.js";
import { exportAs } from "./export.js";
import { FIELDS, FIELD_OF_OPTION, VALUE_OF_OPTION } from "./fields.js";
import { ExactlyForm } from "./form.js";
import { asListed, caveatOf, fieldOf, inWords, isKafka, lintsOf, playOf, timesOf, writtenIn } from "./params.js";
import { EXACTLY_PRESETS } from "./presets.js";
import { takenOver, textParts } from "./read.js";
import { OUTCOME_WORDS } from "./tables.js";
import { transactionText } from "./texts.js";

/**
 * @import { Answer, Change, Problem } from "../../src/web/types.ts"
 * @import { LintReport, PlayParams, TimeoutReport, TransactionReport, TransactionText } from "../../src/web/transactions.ts"
 * @import { Ask } from "../tools.js"
 * @import { Shown } from "./answer.js"
 * @import { ExactlyScenario } from "./codec.js"
 * @import { Durations, Written } from "./params.js"
 */

/** Questions of the module that is fetched with this tool. @param {string} name */
const of = (name) => `transactions/${name}`;

/**
 * The Exactly-once tool: settings and faults on one side, what becomes of each record on the other.
 * Holds no rule of Flink or Kafka; every outcome is the engine's.
 *
 * Properties `ask`, `theme`, `scenario`. Events `scenario-change`: `{ scenario, settled }`, `notice`,
 * and `answered` when the engine has answered all that was asked.
 */
export class ExactlyOnceTool extends HTMLElement {
  /** @type {Ask} */
  ask = async () => ({ ok: false, error: { code: "no_engine", message: "", field: null, option: null } });
  /** @type {"light" | "dark"} */
  theme = "light";
  #scenario = scenarioOf(presetOf(""));
  #turn = 0;
  #drawTurn = 0;
  #durations = new DurationReader();
  /** @type {{ scenario: ExactlyScenario, play: PlayParams, shown: Shown } | null} */
  #last = null;
  #presets = Object.assign(new PresetPicker(), { name: "exactly-preset", presets: EXACTLY_PRESETS });
  #form = new ExactlyForm();
  #sheet = new ControlsSheet();
  #title = h("h2", { class: "answer-title", id: "exactly-once-title" }, "Exactly-once");
  #verdict = h("p", { class: "verdict", "aria-live": "polite", tabindex: -1 });
  #read = h("section", { class: "read-text", hidden: true });
  #example = h("p", { class: "read-example", hidden: true });
  #answer = new ExactlyAnswer();
  #exportBar = new ExportBar();
  #exports = h("section", { class: "exports" }, h("h3", null, "Copy and export"), this.#exportBar);
  #pane = h("section", { class: "answer", "data-behind-sheet": true, "aria-labelledby": "exactly-once-title" });

  connectedCallback() {
    if (this.childElementCount > 0) return;
    this.#sheet.className = "controls";
    this.#sheet.setAttribute("aria-label", "Settings");
    this.#sheet.append(h("h2", { class: "off-screen" }, "Settings"), this.#presets, this.#form);
    this.#answer.hidden = true;
    this.#exportBar.only = ["svg", "png", "csv", "json", "config"];
    this.#exports.hidden = true;
    this.#pane.append(this.#title, this.#read, this.#example, this.#verdict, this.#answer, this.#exports);
    this.append(this.#sheet, this.#pane);
    this.#listen();
  }

  #listen() {
    /**
     * @param {string} type
     * @param {(detail: any) => void} act
     */
    const on = (type, act) => this.addEventListener(type, (event) => act(/** @type {CustomEvent} */ (event).detail));
    on("setting-change", ({ id, value, settled }) => this.#change({ settings: { ...this.#scenario.settings, [id]: value }, at: null }, settled));
    on("faults-change", ({ faults }) => this.#change({ faults, at: null }, true));
    on("fault-place", ({ faults }) => this.#change({ faults: [...this.#scenario.faults, ...faults], at: null }, true));
    on("preset-pick", ({ preset }) => {
      const { flink, theme, pinned } = this.#scenario;
      this.#example.hidden = true;
      this.#change({ ...scenarioOf(preset), flink, theme, pinned }, true);
    });
    on("pin-toggle", () => {
      const { pinned, settings, faults } = this.#scenario;
      this.#change({ pinned: pinned ? null : { settings, faults } }, true);
    });
    on("explore-change", ({ explored, settled }) => {
      this.#scenario = { ...this.#scenario, explored };
      emit(this, "scenario-change", { scenario: this.#scenario, settled });
      this.#answer.explore.show(this.#scenario.settings, explored);
    });
    on("stepper-change", ({ value, settled }) => {
      this.#scenario = { ...this.#scenario, barriers: value };
      emit(this, "scenario-change", { scenario: this.#scenario, settled });
    });
    on("apply-changes", ({ changes }) => this.#apply(changes));
    on("player-seek", ({ position }) => this.#seek(position));
    on("chart-width", () => this.#redraw());
    on("export", ({ kind }) => this.#last && exportAs(kind, this.#last));
    this.#pane.addEventListener("keydown", (event) => {
      // What scrolls or plays by itself has its own use for the arrow keys.
      if (!(/** @type {Element} */ (event.target).closest(".scroller, pre, .chart-stage, barrier-steps, try-all-orders"))) this.#answer.player.key(event);
    });
  }

  get scenario() {
    return this.#scenario;
  }

  /** Shows another scenario as a whole: an address, a paste, Back. */
  set scenario(scenario) {
    this.#scenario = scenario;
    this.#example.hidden = true;
    this.#answer.player.pause();
    this.#update();
  }

  /** Asks again, for a theme or an engine that is new. */
  refresh() {
    return this.#update();
  }

  focusAnswer() {
    this.#verdict.focus();
  }

  /** Logs, exceptions, properties and the tables of Kafka's tool. @type {import("../tools.js").OwnTexts} */
  own = {
    word: "Use it here",
    recognise: transactionText,
    take: (text) => this.#readText(text),
  };

  /** @param {string} text */
  async #readText(text) {
    /** @type {Answer<TransactionText>} */
    const answer = await this.ask(of("readTransactionText"), { version: this.#scenario.flink, text });
    const parts = answer.ok ? textParts(answer.value) : [h("p", { class: "is-wrong" }, answer.error.message)];
    this.#read.replaceChildren(h("h3", null, "The pasted text"), ...parts);
    this.#read.hidden = false;
    if (!answer.ok) return;
    const { settings, situation } = answer.value;
    setText(this.#example, situation ? `Below is an example of what the text speaks of, “${presetOf(situation.preset).title}”. Its numbers are its own until you set those of your job.` : "");
    this.#example.hidden = !situation;
    this.#change(takenOver(this.#scenario, answer.value), true);
    emit(this, "notice", { text: settings.length === 0 ? "The text is explained above the answer." : settings.length === 1 ? "One setting taken over." : `${settings.length} settings taken over.` });
  }

  /**
   * @param {Partial<ExactlyScenario>} part
   * @param {boolean} settled
   */
  #change(part, settled) {
    this.#scenario = { ...this.#scenario, ...part };
    emit(this, "scenario-change", { scenario: this.#scenario, settled });
    return this.#update();
  }

  /** @param {Change[]} changes */
  #apply(changes) {
    const settings = { ...this.#scenario.settings };
    for (const { option, value } of changes) {
      const field = FIELDS.find(({ id }) => id === FIELD_OF_OPTION[option]);
      if (!field) continue;
      const text = value ?? "";
      settings[field.id] = field.kind === "duration" && /^\d+$/.test(text) ? `${text} ms` : (VALUE_OF_OPTION[text] ?? text);
      if (option === "execution.checkpointing.interval") settings.checkpointing = "on";
    }
    this.#change({ settings, at: null }, true);
    // The button that was pressed goes away with its finding.
    this.focusAnswer();
  }

  async #update() {
    const turn = (this.#turn += 1);
    const scenario = this.#scenario;
    const { durations, fault } = await this.#durations.read(this.ask, scenario.flink, [scenario, scenario.pinned]);
    if (turn !== this.#turn) return;
    if (fault) return this.#showProblem(scenario, fault);
    const written = writtenIn(scenario, durations);
    const readings = readingsOf(scenario, durations);
    if (written.problems.size > 0) {
      const [[id, sentence]] = written.problems;
      this.#showInput(scenario, readings, written.problems, written);
      return this.#showProblem(scenario, `${FIELDS.find((field) => field.id === id)?.label}: ${sentence}`);
    }
    for (const [place, sentence] of written.faultProblems) {
      this.#showInput(scenario, readings, written.problems, written);
      return this.#showProblem(scenario, `Fault ${Number.parseInt(place) + 1}: ${sentence}`);
    }
    this.#makeRoom();
    const times = timesOf(written);
    const [range, lints, ruler] = await Promise.all([
      this.ask(of("transactionTimeouts"), times),
      this.ask(of("lintTransactions"), lintsOf(scenario, written)),
      this.ask(of("drawTimeouts"), { times, theme: this.theme, width: this.#answer.ruler.drawWidth }),
    ]);
    if (turn !== this.#turn || [range, lints].some(isOvertaken)) return;
    const refused = !range.ok ? range.error : !lints.ok ? lints.error : null;
    if (refused || !range.ok || !lints.ok) return this.#refuse(scenario, readings, /** @type {Problem} */ (refused), written);
    await this.#play(turn, { scenario, written, durations, readings, range: range.value, lints: lints.value, findings: lints.findings, ruler: ruler.ok ? ruler.value : null });
  }

  /**
   * @param {number} turn
   * @param {{ scenario: ExactlyScenario, written: Written, durations: Durations, readings: Map<string, string>, range: TimeoutReport, lints: LintReport, findings: any[], ruler: any }} known
   */
  async #play(turn, { scenario, written, durations, readings, range, lints, findings, ruler }) {
    const play = playOf(scenario, written, range);
    const { pinned } = scenario;
    const [report, committed, uncommitted, before, lanes] = await Promise.all([
      this.ask(of("playTransactions"), play),
      this.ask(of("playTransactions"), playOf(scenario, written, range, "read_committed"), "by read_committed"),
      this.ask(of("playTransactions"), playOf(scenario, written, range, "read_uncommitted"), "by read_uncommitted"),
      pinned ? this.#playPinned(pinned, durations) : null,
      this.ask(of("drawTransactions"), this.#drawParams(play, scenario.at)),
    ]);
    if (turn !== this.#turn || isOvertaken(report)) return;
    const own = play.faults.length - written.faults.length;
    if (!report.ok) {
      const { field, message } = report.error;
      return this.#refuse(scenario, readings, { ...report.error, field: field && asListed(field, own), message: asListed(message, own) }, written);
    }
    const ofRun = report.findings.map((finding) => ({ ...finding, title: asListed(finding.title, own) }));
    this.#showInput(scenario, readings, written.problems, written);
    const shown = {
      report: /** @type {TransactionReport} */ (report.value),
      readers: committed.ok && uncommitted.ok ? { committed: committed.value, uncommitted: uncommitted.value } : null,
      pinned: before?.ok ? before.value : null,
      times: range,
      lints,
      findings: isKafka(scenario.settings) ? [...ofRun, ...findings] : ofRun,
      lanes: lanes.ok ? lanes.value : isOvertaken(lanes) ? (this.#last?.shown.lanes ?? null) : null,
      ruler,
      configs: configTexts(scenario, written),
      job: { sinks: play.settings.parallelism ?? 1, prefix: play.settings.prefix ?? "", sink: scenario.settings.sink },
      isKafka: isKafka(scenario.settings),
    };
    this.#last = { scenario, play, shown };
    const caveat = caveatOf(scenario.settings);
    setText(this.#verdict, `${caveat}${OUTCOME_WORDS[shown.report.outcome]}. ${shown.report.because}`);
    this.#verdict.classList.toggle("is-wrong", caveat !== "");
    this.#answer.hidden = this.#exports.hidden = false;
    this.#answer.stale = false;
    this.#answer.show(shown, scenario.at);
    this.#answer.explore.ask = this.ask;
    this.#answer.explore.theme = this.theme;
    this.#answer.explore.show(scenario.settings, scenario.explored);
    this.#answer.barriers.ask = this.ask;
    this.#answer.barriers.show(scenario.barriers);
    this.dataset.state = "answered";
    emit(this, "answered", null);
  }

  /**
   * What is pinned may hold durations that nobody has read yet.
   * @param {NonNullable<ExactlyScenario["pinned"]>} pinned
   * @param {Durations} durations
   */
  async #playPinned(pinned, durations) {
    const written = writtenIn(pinned, durations);
    const range = written.problems.size === 0 ? await this.ask(of("transactionTimeouts"), timesOf(written), "timeouts of A") : null;
    return range?.ok ? this.ask(of("playTransactions"), playOf(pinned, written, range.value), "A") : null;
  }

  /** Measured while hidden a chart has no width, so it is shown for a moment, once. */
  #makeRoom() {
    const { lanes, ruler } = this.#answer;
    if (lanes.isMeasured) return;
    this.#answer.hidden = false;
    lanes.measure();
    ruler.measure();
    this.#answer.hidden = this.#last === null;
  }

  /**
   * @param {PlayParams} play
   * @param {number | null} at
   */
  #drawParams(play, at) {
    return { play, upto: at === null ? null : at - 1, theme: this.theme, width: this.#answer.lanes.drawWidth };
  }

  /**
   * @param {ExactlyScenario} scenario
   * @param {Map<string, string>} readings
   * @param {Map<string, string>} problems
   * @param {Written} written
   */
  #showInput(scenario, readings, problems, written) {
    const { settings, faults, preset: id } = scenario;
    const preset = presetOf(id);
    const isChanged = FIELDS.some((field) => settings[field.id] !== preset.settings[field.id]) || JSON.stringify(faults) !== JSON.stringify(preset.faults);
    this.#presets.show(preset, isChanged);
    this.#form.show(scenario, preset, readings, problems, written);
    this.#form.faults.problem = "";
  }

  /**
   * @param {ExactlyScenario} scenario
   * @param {Map<string, string>} readings
   * @param {Problem} problem
   * @param {Written} written
   */
  #refuse(scenario, readings, { code, field, message }, written) {
    const id = fieldOf(field);
    const sentence = inWords(message, field ?? "");
    this.#showInput(scenario, readings, new Map(id ? [[id, sentence]] : []), written);
    if (!id && field?.includes("faults")) this.#form.faults.problem = sentence;
    this.#showProblem(scenario, sentence);
    if (code !== "engine_fault") emit(this, "answered", null);
  }

  /**
   * @param {ExactlyScenario} scenario
   * @param {string} sentence
   */
  #showProblem({ preset }, sentence) {
    // The last answer says nothing about another example.
    if (this.#last && this.#last.scenario.preset !== preset) this.#last = null;
    setText(this.#verdict, sentence);
    this.#verdict.classList.add("is-wrong");
    this.#answer.hidden = this.#exports.hidden = this.#last === null;
    this.#answer.stale = true;
    this.dataset.state = "failed";
  }

  /** @param {number} position */
  #seek(position) {
    this.#answer.position = position;
    const isEnd = position === this.#last?.shown.report.trace.length;
    this.#scenario = { ...this.#scenario, at: isEnd ? null : position };
    // While it plays nothing is settled, and nothing is written to the address.
    if (!this.#answer.player.isPlaying) emit(this, "scenario-change", { scenario: this.#scenario, settled: false });
    this.#redraw();
  }

  async #redraw() {
    if (!this.#last || this.dataset.state !== "answered") return;
    const turn = this.#turn;
    const mine = (this.#drawTurn += 1);
    const { play, shown, scenario } = this.#last;
    const { durations } = await this.#durations.read(this.ask, scenario.flink, [scenario]);
    const times = timesOf(writtenIn(scenario, durations));
    const [lanes, ruler] = await Promise.all([
      this.ask(of("drawTransactions"), this.#drawParams(play, this.#scenario.at)),
      this.ask(of("drawTimeouts"), { times, theme: this.theme, width: this.#answer.ruler.drawWidth }),
    ]);
    if (turn !== this.#turn || mine !== this.#drawTurn) return;
    if (lanes.ok) shown.lanes = lanes.value;
    if (ruler.ok) shown.ruler = ruler.value;
    this.#answer.draw(shown.lanes, shown.ruler);
  }
}

/** @param {Answer<any>} answer */
function isOvertaken(answer) {
  return !answer.ok && answer.error.code === "superseded";
}

/**
 * Durations as the engine read them, where they were written in another way.
 * @param {ExactlyScenario} scenario
 * @param {Durations} durations
 */
function readingsOf({ settings }, durations) {
  /** @type {Map<string, string>} */
  const readings = new Map();
  for (const { id, kind } of FIELDS) {
    const reading = kind === "duration" ? durations.get(unsigned(settings[id])) : undefined;
    const text = reading?.ok ? (reading.value.formatted ?? "") : "";
    if (text !== "" && text !== unsigned(settings[id])) readings.set(id, text);
  }
  return readings;
}
