// @ts-check
import { emit, h, setProse } from "../dom.js";
import { ControlsSheet } from "../elements/controls-sheet.js";
import { ExportBar } from "../elements/export-bar.js";
import { PresetPicker } from "../elements/preset-picker.js";
import { PinBar } from "../memory/compare.js";
import { engine } from "../start.js";
import { CheckpointAnswer } from "./answer.js";
import { modesOf } from "./compare.js";
import { pinnedOf, presetOf, scenarioOf } from "./codec.js";
import { saveAs } from "./export.js";
import { FIELDS } from "./fields.js";
import { CheckpointForm } from "./form.js";
import { appliedTo, settingsText, takenSettings } from "./from.js";
import { changeGraph, isGraph } from "./graph.js";
import { withGraph } from "./graph-params.js";
import { knownTexts, placeProblem, problemSentence, questionOf, readTexts } from "./params.js";
import { PinnedRun } from "./pinned.js";
import { CHECKPOINT_PRESETS } from "./presets.js";
import { RunBar } from "./run-bar.js";
import { CheckpointSimulation } from "./run.js";
import { checkpointAnswers } from "./texts.js";
import { Views } from "./views.js";

/**
 * @import { Ask } from "../tools.js"
 * @import { CheckpointScenario } from "./codec.js"
 * @import { Shown } from "./export.js"
 * @import { Question } from "./params.js"
 */

/** A run that takes longer shows how far it is. */
const PROGRESS_AFTER_MS = 150;

/**
 * The Checkpoints tool: a job, its network and its coordinator on one side, what its checkpoints
 * meet on the other. Holds no rule of Flink; every number is the engine's.
 *
 * Properties `ask`, `theme`, `scenario`. Events `scenario-change`: `{ scenario, settled }`, `notice`,
 * and `answered` when the engine has answered all that was asked.
 */
export class CheckpointsTool extends HTMLElement {
  /** @type {Ask} */
  ask = async () => ({ ok: false, error: { code: "no_engine", message: "", field: null, option: null } });
  /** @type {"light" | "dark"} */
  theme = "light";
  /** @type {CheckpointScenario} */
  #scenario = scenarioOf(presetOf(""));
  #turn = 0;
  /** What the last simulation was asked, as a text. */
  #asked = "";
  /** @type {CheckpointSimulation | null} */
  #running = null;
  #timer = 0;
  /** @type {Shown | null} */
  #last = null;
  /** The newest settings that could be read. @type {Question | null} */
  #question = null;
  #a = new PinnedRun();
  /** What `#a` is the run of. @type {CheckpointScenario["pinned"]} */
  #aOf = null;
  #presets = Object.assign(new PresetPicker(), { name: "checkpoint-preset", presets: CHECKPOINT_PRESETS });
  #form = new CheckpointForm();
  #sheet = new ControlsSheet();
  #title = h("h2", { class: "answer-title", id: "checkpoints-title" }, "Checkpoints");
  #verdict = h("p", { class: "verdict", "aria-live": "polite", tabindex: -1 });
  #runBar = new RunBar("Simulated so far", () => this.#cancel());
  #pins = new PinBar();
  #answer = new CheckpointAnswer();
  #exportBar = new ExportBar();
  #exports = h("section", { class: "exports" }, h("h3", null, "Copy and export"), this.#exportBar);
  #views = new Views();
  #pane = h("section", { class: "answer", "data-behind-sheet": true, "aria-labelledby": "checkpoints-title" });

  connectedCallback() {
    if (this.childElementCount > 0) return;
    this.#sheet.className = "controls";
    this.#sheet.setAttribute("aria-label", "Settings");
    this.#sheet.append(h("h2", { class: "off-screen" }, "Settings"), this.#presets, this.#form);
    this.#answer.hidden = true;
    this.#exportBar.only = ["svg", "png", "csv", "json"];
    this.#exports.hidden = true;
    this.#pane.append(this.#title, this.#views.switch, this.#views.host, this.#verdict, this.#runBar.element, this.#pins, this.#answer, this.#exports);
    this.append(this.#sheet, this.#pane);
    this.#listen();
  }

  #listen() {
    /**
     * @param {string} type
     * @param {(detail: any) => void} act
     */
    const on = (type, act) => this.addEventListener(type, (event) => act(/** @type {CustomEvent} */ (event).detail));
    on("setting-change", ({ id, value, settled }) => this.#set(id, value, settled));
    on("graph-change", ({ act, at }) => {
      this.#change({ settings: changeGraph(this.#scenario.settings, act, at) }, true);
      // At once, since a second change would mean another row of a list that is not shown any more.
      this.#showInput(questionOf(this.#scenario, knownTexts(this.#scenario)));
    });
    on("preset-pick", ({ preset }) => {
      const { flink, theme, pinned } = this.#scenario;
      this.#change({ ...scenarioOf(preset), flink, theme, pinned }, true);
    });
    on("checkpoint-pick", ({ id }) => this.#pick(id));
    on("order-pick", ({ order }) => this.#change({ order }, true));
    on("apply-changes", ({ changes }) => {
      this.#change({ settings: appliedTo(this.#scenario.settings, changes, this.#scenario.flink) }, true);
      // The button that was pressed goes away with its finding.
      this.focusAnswer();
    });
    on("player-seek", ({ position }) => this.#seek(position));
    on("view-pick", ({ view }) => this.#change({ view }, true));
    on("stepper-change", ({ value, settled }) => {
      this.#scenario = { ...this.#scenario, steps: value };
      emit(this, "scenario-change", { scenario: this.#scenario, settled });
    });
    on("try-scenario", ({ scenario, isChange }) => this.#take(scenario, isChange === true));
    on("pin", ({ act }) => this.#pin(act));
    on("chart-width", () => this.#draw());
    on("export", ({ kind }) => this.#last && saveAs(kind, this.#last, this.#answer.chart));
  }

  /** @returns {CheckpointScenario} */
  get scenario() {
    return this.#scenario;
  }

  /** Shows another scenario as a whole: an address, a paste, Back. */
  set scenario(scenario) {
    this.#answer.steps.player.pause();
    this.#scenario = scenario;
    this.#update();
  }

  /** Asks again, for a theme or an engine that is new. */
  refresh() {
    if (this.#last && !this.#last.run.isOpen) this.#asked = "";
    return this.#update();
  }

  focusAnswer() {
    this.#verdict.focus();
  }

  /**
   * @param {Partial<CheckpointScenario>} part
   * @param {boolean} settled
   */
  #change(part, settled) {
    this.#scenario = { ...this.#scenario, ...part };
    emit(this, "scenario-change", { scenario: this.#scenario, settled });
    return this.#update();
  }

  /**
   * @param {string} id
   * @param {string} value
   * @param {boolean} settled
   */
  #set(id, value, settled) {
    const settings = { ...this.#scenario.settings, [id]: value };
    return this.#change({ settings: id === "shape" ? withGraph(settings, this.#question) : settings }, settled);
  }

  /** @param {number | null} id */
  #pick(id) {
    this.#answer.steps.player.pause();
    this.#scenario = { ...this.#scenario, checkpoint: id, at: null };
    emit(this, "scenario-change", { scenario: this.#scenario, settled: true });
    this.#show();
  }

  /** @param {number} position */
  #seek(position) {
    const { player, opening } = this.#answer.steps;
    this.#scenario = { ...this.#scenario, at: position === opening ? null : position };
    // While it plays nothing is settled, and nothing is written to the address.
    if (!player.isPlaying) emit(this, "scenario-change", { scenario: this.#scenario, settled: false });
  }

  /** @param {string} act */
  #pin(act) {
    const { pinned } = this.#scenario;
    if (act === "swap" && pinned) this.#change({ ...pinned, pinned: pinnedOf(this.#scenario) }, true);
    else this.#change({ pinned: act === "pin" ? pinnedOf(this.#scenario) : null }, true);
  }

  /**
   * A scenario that was fitted to a real checkpoint, or a change of the one on show.
   * @param {import("../../src/web/checkpoints.ts").CheckpointScenario} scenario
   * @param {boolean} isChange
   */
  #take(scenario, isChange) {
    const settings = takenSettings(scenario, isChange ? this.#last?.question.params : undefined, this.#scenario.settings);
    if (!settings) {
      emit(this, "notice", { text: "The form has no text for this job: it takes up to 20 vertices with one kind of service time each." });
      return;
    }
    this.#change({ settings, view: "simulate", checkpoint: null, at: null }, true);
    this.focusAnswer();
  }

  /** Texts of Flink's REST API go to the view that reads them. @type {import("../tools.js").OwnTexts} */
  own = {
    word: "Read it here",
    recognise: checkpointAnswers,
    take: async (text) => {
      this.#change({ view: "import" }, true);
      const reader = await this.#views.reader();
      await reader.take([{ name: null, text }]);
    },
  };

  async #update() {
    const turn = (this.#turn += 1);
    const scenario = this.#scenario;
    const isSimulated = scenario.view === "simulate";
    this.classList.toggle("has-view", !isSimulated);
    void this.#views.show(scenario, this.ask, this.theme);
    if (!isSimulated) {
      this.#stop();
      this.dataset.state = "answered";
      emit(this, "answered", null);
      return;
    }
    const { texts, fault } = await readTexts(this.ask, scenario);
    if (turn !== this.#turn) return;
    const question = questionOf(scenario, texts);
    this.#showInput(question);
    if (fault || question.problems.size > 0) {
      this.#stop();
      this.#showProblem(scenario, fault ?? problemSentence(question, scenario.settings));
      return;
    }
    this.#question = question;
    // The promise is no part of the run, but of what is searched beside it.
    const asked = JSON.stringify(question.params);
    if (this.#last && asked === this.#asked && !this.#running && isOtherPromise(this.#last.question, question)) {
      this.#last = { ...this.#last, question };
      this.#answer.promise.show(engine, question, this.#last.scenario.flink, this.#last.report.events);
    }
    if (asked === this.#asked && (this.#running || this.#last)) {
      // The run is the same: only what of it is shown differs.
      if (this.#last && !this.#running) {
        this.#show();
        if (this.#last.scenario.pinned !== scenario.pinned) this.#comparePinned();
      }
      return;
    }
    this.#start(turn, scenario, question, asked);
  }

  /**
   * @param {number} turn
   * @param {CheckpointScenario} scenario
   * @param {Question} question
   * @param {string} asked
   */
  async #start(turn, scenario, question, asked) {
    this.#stop();
    this.#asked = asked;
    this.#answer.makeRoom();
    const endMs = question.params.runMs;
    const run = new CheckpointSimulation(engine, "CheckpointRun", question.params, ({ nowMs }) => this.#runBar.tell(nowMs, endMs, ""));
    this.#running = run;
    this.#timer = window.setTimeout(() => this.#showRunning(), PROGRESS_AFTER_MS);
    const [answer, facts] = await Promise.all([run.done, run.done.then(({ ok }) => (ok ? run.call("facts") : null))]);
    if (this.#running !== run) return;
    this.#running = null;
    clearTimeout(this.#timer);
    this.#runBar.hide();
    if (answer.ok && facts?.ok) {
      this.#last?.run.close();
      this.#last = { run, asked, scenario, question, report: answer.value, facts: facts.value, findings: answer.findings };
      await this.#show();
      this.#compare();
      if (turn === this.#turn) emit(this, "answered", null);
    } else {
      const failed = answer.ok ? facts : answer;
      run.close();
      this.#asked = "";
      if (!failed || failed.ok) return;
      const said = placeProblem(question, scenario.settings, failed.error);
      this.#showInput(question);
      this.#showProblem(scenario, said);
      if (failed.error.code !== "engine_fault") emit(this, "answered", null);
    }
  }

  /** What stands beside the run on show, each simulated after it. */
  #compare() {
    if (!this.#last) return;
    const { run, question } = this.#last;
    const { events } = this.#last.report;
    this.#answer.modes.show(engine, modesOf(run, question.params, question.alignedTimeoutMs), { events });
    this.#answer.promise.show(engine, question, this.#last.scenario.flink, events);
    void this.#answer.why.show(this.ask, question.params);
    void this.#comparePinned();
  }

  async #comparePinned() {
    const last = this.#last;
    const { pinned } = this.#scenario;
    this.#answer.hasPinned = pinned !== null;
    if (!pinned) this.#a.close();
    if (!last) return;
    last.scenario = { ...last.scenario, pinned };
    if (!pinned) return this.#draw();
    const isOld = () => last !== this.#last || pinned !== this.#scenario.pinned;
    const a = { ...this.#scenario, ...pinned };
    const { texts } = await readTexts(this.ask, a);
    if (isOld()) return;
    const question = questionOf(a, texts);
    const unread = problemSentence(question, a.settings);
    const { params } = question;
    const tell = unread || this.#a.has(params) ? () => {} : this.#answer.pinned.wait("A", () => void this.#comparePinned(), () => this.#a.cancel());
    const problem = unread || (await this.#a.start(engine, params, (progress) => tell(progress, params.runMs)));
    if (isOld()) return;
    this.#aOf = pinned;
    this.#answer.pinned.note = settingsText(pinned.settings, this.#scenario.settings);
    this.#answer.pinned.show(
      engine,
      [
        { id: "a", name: "A", isShown: false, params: null, run: problem ? null : this.#a.run, measures: null, problem },
        { id: "b", name: "B", isShown: true, params: null, run: last.run, measures: null, problem: "" },
      ],
      { hasDifferences: true },
    );
    await this.#draw();
  }

  /** Until the new answer is there, the last one stays, and says that it is the last. */
  #showRunning() {
    this.#runBar.show();
    this.dataset.state = "running";
    this.#answer.stale = this.#last !== null;
  }

  #stop() {
    this.#answer.modes.stop();
    this.#answer.pinned.stop();
    this.#answer.promise.stop();
    clearTimeout(this.#timer);
    // What did not come to its end was not answered.
    if (this.#running) this.#asked = this.#last?.asked ?? "";
    this.#running?.close();
    this.#running = null;
    this.#runBar.hide();
  }

  #cancel() {
    this.#stop();
    this.#asked = "";
    this.#showProblem(this.#scenario, this.#last ? "The simulation was cancelled; what is shown is the one before." : "The simulation was cancelled. Change a setting to start it again.");
  }

  /** @param {Question} question */
  #showInput(question) {
    const { settings, preset: id } = this.#scenario;
    const preset = presetOf(id);
    this.#presets.show(preset, isGraph(settings) || FIELDS.some((field) => settings[field.id] !== preset.settings[field.id]));
    this.#form.show(this.#scenario, preset, question);
  }

  async #show() {
    if (!this.#last) return;
    const { report, facts, findings } = this.#last;
    const { checkpoint, order, at, pinned } = this.#scenario;
    this.#answer.hidden = false;
    this.#exports.hidden = false;
    this.#answer.stale = false;
    setProse(this.#verdict, report.verdict.sentence);
    this.#verdict.classList.remove("is-wrong");
    this.#pins.hidden = false;
    this.#pins.show(pinned !== null, true, pinned ? "A is pinned; what you change now is B." : "");
    this.#answer.show(report, facts, findings, checkpoint, at, order);
    await this.#draw();
    this.dataset.state = "answered";
  }

  /** The run draws what it has simulated. */
  async #draw() {
    const { pinned } = this.#scenario;
    const a = pinned && pinned === this.#aOf ? this.#a.run : null;
    if (this.#last) await this.#answer.draw(this.#last.run, this.theme, a);
  }

  /**
   * @param {CheckpointScenario} scenario
   * @param {string} sentence
   */
  #showProblem({ preset }, sentence) {
    // The last answer says nothing about another example.
    if (this.#last && this.#last.scenario.preset !== preset) {
      this.#last.run.close();
      this.#last = null;
      this.#asked = "";
    }
    setProse(this.#verdict, sentence);
    this.#verdict.classList.add("is-wrong");
    this.#answer.hidden = this.#last === null;
    this.#exports.hidden = this.#last === null;
    this.#pins.show(this.#scenario.pinned !== null, false, "");
    this.#answer.stale = true;
    this.dataset.state = "failed";
  }
}

/**
 * Whether another promise is made of the same run.
 * @param {Question} a
 * @param {Question} b
 */
function isOtherPromise(a, b) {
  return a.objectiveMs !== b.objectiveMs || a.allowedShare !== b.allowedShare;
}
