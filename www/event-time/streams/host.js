// @ts-check
import { emit, h } from "../../dom.js";
import { engine } from "../../start.js";
import { streamFrom } from "../codec.js";
import { unsigned } from "../params.js";
import { inWords, placeProblem } from "../words.js";
import { STREAM_FIELDS } from "./fields.js";
import { StreamForm } from "./form.js";
import { StreamPanel } from "./panel.js";
import { wantedOf, wholeOf } from "./params.js";
import { BOTH_RECORDS_MAX, PinnedStream } from "./pinned.js";
import { StreamRun } from "./run.js";

/**
 * @import { Answer, Problem, ReaderParams, SniffReport, WholeParams } from "../../../src/web/types.ts"
 * @import { Ask } from "../../tools.js"
 * @import { EventScenario } from "../codec.js"
 * @import { Durations, Question } from "../params.js"
 * @import { StreamField } from "./fields.js"
 *
 * @typedef {object} Owner  what the tool does for its streams
 * @property {() => EventScenario} scenario
 * @property {(part: Partial<EventScenario>, settled: boolean) => void} change
 * @property {() => void} answered
 * @property {(scenario: EventScenario) => Promise<Durations>} durations
 */

const SNIFFED_BYTES = 64 * 1024;
/** A key pressed is not a run started. */
const RUN_AFTER_MS = 250;

/** Whole streams in the tool: the switch, the form, the panel, and the run behind them. */
export class StreamHost {
  form = new StreamForm();
  panel = new StreamPanel();
  switch = h(
    "fieldset",
    { class: "stream-switch" },
    h("legend", { class: "off-screen" }, "What is run"),
    radio("records", "Record by record"),
    radio("streams", "Whole streams"),
  );
  #owner;
  /** @type {StreamRun | null} */
  #shown = null;
  /** @type {StreamRun | null} */
  #running = null;
  /** What the last run was asked, as a text. */
  #asked = "";
  #records = 0;
  /** Shares of completeness that are asked for. @type {number[]} */
  #wanted = [];
  #timer = 0;
  /** @type {File | null} */
  #file = null;
  /** @type {SniffReport | null} */
  #sniffed = null;
  /** @type {ReaderParams | null} */
  #reader = null;
  #pinned;
  /** What was left on the other side of the switch. @type {Partial<EventScenario> | null} */
  #left = null;

  /** @param {Owner} owner */
  constructor(owner) {
    this.#owner = owner;
    this.#pinned = new PinnedStream(this.panel.comparison, owner.durations);
    this.switch.addEventListener("change", (event) => this.#switchTo(/** @type {HTMLInputElement} */ (event.target).value));
    /**
     * @param {EventTarget} target
     * @param {string} type
     * @param {(detail: any) => void} act
     */
    const on = (target, type, act) => target.addEventListener(type, (event) => act(/** @type {CustomEvent} */ (event).detail));
    on(this.form, "stream-preset", ({ id }) => owner.change(streamFrom(owner.scenario(), id), true));
    on(this.form, "stream-change", ({ id, value, settled }) => this.#changeValue(id, value, settled));
    on(this.form, "stream-file", ({ file }) => this.#takeFile(file));
    on(this.form, "stream-reader", ({ reader }) => {
      this.#reader = reader;
      this.#changeValue("source", "file", true);
    });
    on(this.panel, "run-cancel", () => this.#cancel());
    on(this.panel, "run-again", () => owner.change({}, false));
    for (const target of [this.form, this.panel]) {
      target.addEventListener("dragover", (event) => event.preventDefault());
      target.addEventListener("drop", (event) => {
        event.preventDefault();
        event.stopPropagation();
        const file = event.dataTransfer?.files[0];
        if (file) this.#takeFile(file);
      });
    }
    on(this.panel, "bound-apply", ({ boundMs }) => {
      const changes = [{ option: "Bound", value: `${boundMs} ms` }];
      if (owner.scenario().settings.rule === "ascending") changes.push({ option: "Rule", value: "bounded" });
      emit(this.panel, "apply-changes", { changes });
    });
  }

  /**
   * @param {string} id
   * @param {string} value
   * @param {boolean} settled
   */
  #changeValue(id, value, settled) {
    const { stream } = this.#owner.scenario();
    if (stream) this.#owner.change({ stream: { ...stream, values: { ...stream.values, [id]: value } } }, settled);
  }

  /** @param {string} mode */
  #switchTo(mode) {
    const scenario = this.#owner.scenario();
    const { settings, stream, preset, events, at } = scenario;
    const left = this.#left;
    this.#left = { settings, stream, preset, events, at };
    if (mode === "streams") this.#owner.change(left?.stream ? left : streamFrom(scenario, ""), true);
    else this.#owner.change(left && !left.stream ? left : streamFrom(scenario, null), true);
  }

  /** @param {File} file */
  async #takeFile(file) {
    const head = new Uint8Array(await file.slice(0, SNIFFED_BYTES).arrayBuffer());
    /** @type {Answer<SniffReport>} */
    const answer = await engine.ask("event_time/sniffRecords", head, "sniff");
    if (!answer.ok) return this.panel.showProblem(answer.error.message);
    this.#file = file;
    this.#sniffed = answer.value;
    this.#reader = answer.value.params;
    this.#asked = "";
    this.form.showFile(file, answer.value, this.#reader);
    this.#changeValue("source", "file", true);
  }

  /**
   * Shows the side of the switch that is on; the other one leaves nothing on the page.
   * @param {boolean} isStream
   * @param {Element} presets  the form stands before them
   */
  place(isStream, presets) {
    for (const input of this.switch.querySelectorAll("input")) input.checked = (input.value === "streams") === isStream;
    if (!isStream) {
      this.#stop();
      this.#asked = "";
      this.form.remove();
      this.panel.remove();
    } else if (!this.panel.isConnected) {
      presets.before(this.form);
      this.switch.after(this.panel);
    }
  }

  #stop() {
    clearTimeout(this.#timer);
    this.#running?.close();
    this.#running = null;
    this.panel.showProgress(null);
    this.#pinned.stop();
  }

  #cancel() {
    this.#stop();
    this.#asked = "";
    this.panel.showCancelled(this.#shown?.isOpen ? "Cancelled. Below is the last run." : "Cancelled.");
    if (!this.#shown?.isOpen) this.panel.clear();
    this.#settle("cancelled");
  }

  /** @param {string} state */
  #settle(state) {
    this.panel.dataset.state = state;
    this.#compare();
    this.#owner.answered();
  }

  /** Puts A beside the stream on show. */
  #compare() {
    const shown = this.panel.dataset.state === "answered" ? this.#shown : null;
    const source = { file: this.#file, reader: this.#reader };
    return this.#pinned.compare(this.#owner.scenario(), shown, this.#records, source);
  }

  /**
   * Runs what the scenario says, unless it is what runs or is shown already.
   * @param {EventScenario} scenario
   * @param {Question} question         the job, from the same settings as record by record
   * @param {Durations} durations
   * @param {"light" | "dark"} theme
   * @param {(problems: Map<string, string>) => void} showSettings
   */
  show(scenario, question, durations, theme, showSettings) {
    const stream = /** @type {NonNullable<EventScenario["stream"]>} */ (scenario.stream);
    const isFile = stream.values.source === "file";
    const { params, problems } = wholeOf(stream, durations, question.params, isFile ? this.#reader : null);
    // What is not shown for a file is not asked either.
    if (isFile) problems.clear();
    const wanted = wantedOf(stream.values.wanted);
    if (!wanted) problems.set("wanted", "The wanted share is a number from 0 to 1, as in 0.995.");
    showSettings(question.problems);
    this.form.show(stream, readings(stream.values, durations), problems);
    if (this.#file && this.#sniffed) this.form.showFile(this.#file, this.#sniffed, this.#reader);
    this.panel.paint(theme);
    const refused = firstOf(question.problems) ?? firstOf(problems) ?? this.#missing(isFile);
    if (refused) {
      this.#stop();
      this.#asked = "";
      this.panel.showProblem(refused, !isFile || this.#file !== null);
      return this.#settle("failed");
    }
    this.#wanted = wanted ?? [];
    const asked = JSON.stringify(params);
    // An engine that was lost took its streams along.
    if (asked === this.#asked && (this.#running || this.#shown?.isOpen)) {
      this.panel.bound.wanted = this.#wanted;
      if (!this.#running) this.#compare();
      return;
    }
    this.#asked = asked;
    this.#stop();
    this.panel.dataset.state = "running";
    const run = () => this.#start(params, isFile ? this.#file : null, theme, (error) => this.#refuse(error, scenario, question, problems, showSettings));
    this.#timer = window.setTimeout(run, this.#shown ? RUN_AFTER_MS : 0);
  }

  /** @param {boolean} isFile */
  #missing(isFile) {
    if (isFile && !this.#file) return "Pick a file of records, or drop one here.";
    if (isFile && !this.#reader) return "No column looks like an event time. Choose one under File.";
    return null;
  }

  /**
   * @param {WholeParams} params
   * @param {File | null} file
   * @param {"light" | "dark"} theme
   * @param {(error: Problem) => void} refuse
   */
  async #start(params, file, theme, refuse) {
    const expected = params.source.kind === "generated" ? params.source.generator.events : Infinity;
    // Where both have room, a run that is cancelled leaves the last one.
    if (this.#records + expected > BOTH_RECORDS_MAX) this.#shown?.close();
    this.panel.showProgress({ phase: file ? "reading" : "running", records: 0, pushed: file ? file.size : expected });
    const run = new StreamRun(engine, params, file, (progress) => this.#running === run && this.panel.showProgress(progress));
    this.#running = run;
    const answer = await run.done;
    if (this.#running !== run) return;
    this.#running = null;
    this.panel.showProgress(null);
    if (!answer.ok) {
      run.close();
      return refuse(answer.error);
    }
    this.#shown?.close();
    this.#shown = run;
    this.#records = answer.value.totals.records;
    const { settings } = this.#owner.scenario();
    const rule = params.watermarks.rule;
    const boundMs = "outOfOrderness" in rule ? rule.outOfOrderness : 0;
    await this.#pinned.learn(run, params, file);
    await this.panel.show(run, answer.value, answer.findings.map((finding) => inWords(finding, settings)), { params, boundMs, wanted: this.#wanted, theme, words: (finding) => inWords(finding, settings) });
    this.#settle("answered");
  }

  /**
   * @param {Problem} error
   * @param {EventScenario} scenario
   * @param {Question} question
   * @param {Map<string, string>} problems
   * @param {(problems: Map<string, string>) => void} showSettings
   */
  #refuse(error, scenario, question, problems, showSettings) {
    const field = nearest(error.field);
    if (field) {
      problems.set(field.id, error.message);
      this.form.show(/** @type {any} */ (scenario.stream), new Map(), problems);
    } else {
      // What is the job's here has no such prefix record by record.
      placeProblem(question, scenario.settings, { ...error, field: error.field?.replace(/^job\./, "") ?? null });
      showSettings(question.problems);
    }
    this.panel.showProblem(error.message);
    this.#settle("failed");
  }
}

/**
 * @param {string} value
 * @param {string} text
 */
function radio(value, text) {
  return h("label", null, h("input", { type: "radio", name: "stream-mode", value }), h("span", null, text));
}

/**
 * @param {EventScenario["settings"]} values
 * @param {Durations} durations
 */
function readings(values, durations) {
  /** @type {Map<string, string>} */
  const found = new Map();
  for (const { id, kind } of STREAM_FIELDS) {
    const reading = kind === "duration" ? durations.get(unsigned(values[id])) : undefined;
    const text = reading?.ok ? (reading.value.formatted ?? "") : "";
    if (text !== "" && text !== unsigned(values[id])) found.set(id, text);
  }
  return found;
}

/** @param {Map<string, string>} problems */
function firstOf(problems) {
  const [first] = problems;
  return first ? first[1] : null;
}

/**
 * The field of the source that a refusal names.
 * @param {string | null} path
 * @returns {StreamField | undefined}
 */
function nearest(path) {
  if (!path?.startsWith("source.generator.")) return undefined;
  // A field holds all of its list.
  const first = path.replace(/\[\d+\]/, "[0]");
  return STREAM_FIELDS.find((field) => field.path === first) ?? STREAM_FIELDS.find((field) => field.path.startsWith(path) || path.startsWith(field.path));
}
