// @ts-check
import { emit, h, setProse } from "../dom.js";
import { ControlsSheet } from "../elements/controls-sheet.js";
import { ExportBar } from "../elements/export-bar.js";
import { PresetPicker } from "../elements/preset-picker.js";
import { EventAnswer } from "./answer.js";
import { baseOf, pinOf, presetOf, scenarioOf } from "./codec.js";
import { EventComparison } from "./compare.js";
import { csvOf, looksLikeRecords, rowsIn } from "./csv.js";
import { EventEditor } from "./events.js";
import { FIELDS } from "./fields.js";
import { EventForm } from "./form.js";
import { many } from "./log.js";
import { added, later, moved, nextRecord, placeOf } from "./moves.js";
import { durationTexts, questionOf } from "./params.js";
import { EVENT_TIME_PRESETS } from "./presets.js";
import { save } from "./save.js";
import { StreamHost } from "./streams/host.js";
import { streamDurations } from "./streams/params.js";
import { PlacesOfValues } from "./by-hand/values.js";
import { WatermarksByHand } from "./by-hand/trace.js";
import { WhyNoOutput } from "./why.js";
import { columnsOf, inWords, placeProblem, problemSentence, readingsOf } from "./words.js";

/**
 * @import { Answer, Change, EventTimeReport, Finding, LanesChart } from "../../src/web/types.ts"
 * @import { Ask } from "../tools.js"
 * @import { EventScenario } from "./codec.js"
 * @import { EventRow } from "./presets.js"
 * @import { Shown } from "./moves.js"
 * @import { Durations, Question } from "./params.js"
 */

/** Questions of the module that is fetched with this tool. */
const RUN = "event_time/runEventTime";
const DRAW = "event_time/drawEventTime";
const DRAW_STATE = "event_time/drawEventState";
const AT = "event_time/eventTimeAt";
const DURATIONS_KEPT_MAX = 1000;
/** More rows than a run has. */
const UPTO_ALL = 4_294_967_295;

/**
 * The Event time tool: settings and records on one side, what each record meets on the other. Holds
 * no rule of Flink; every outcome is the engine's.
 *
 * Properties `ask`, `theme`, `scenario`. Events `scenario-change`: `{ scenario, settled }`, `notice`,
 * and `answered` when the engine has answered all that was asked.
 */
export class EventTimeTool extends HTMLElement {
  /** @type {Ask} */
  ask = async () => ({ ok: false, error: { code: "no_engine", message: "", field: null, option: null } });
  /** @type {"light" | "dark"} */
  theme = "light";
  /** @type {EventScenario} */
  #scenario = scenarioOf(presetOf(""));
  #turn = 0;
  #drawTurn = 0;
  /** What the picture showed when a record was taken hold of. @type {Shown | null} */
  #dragged = null;
  /** By version and text. @type {Map<string, Answer<any>>} */
  #durations = new Map();
  /** @type {{ scenario: EventScenario, question: Question, report: EventTimeReport, findings: Finding[], drawing: LanesChart | null } | null} */
  #last = null;
  #presets = Object.assign(new PresetPicker(), { name: "event-preset", presets: EVENT_TIME_PRESETS });
  #form = new EventForm();
  #editor = new EventEditor();
  #sheet = new ControlsSheet();
  #title = h("h2", { class: "answer-title", id: "event-time-title" }, "Event time");
  #verdict = h("p", { class: "verdict", "aria-live": "polite", tabindex: -1 });
  #answer = new EventAnswer();
  #comparison = new EventComparison();
  #why = new WhyNoOutput();
  #hand = new WatermarksByHand();
  #places = new PlacesOfValues();
  /** What records that were moved have become, so that a second edit finds them. @type {WeakMap<EventRow, EventRow>} */
  #became = new WeakMap();
  #exportBar = new ExportBar();
  #exports = h("section", { class: "exports" }, h("h3", null, "Copy and export"), this.#exportBar);
  #streams = new StreamHost({ scenario: () => this.#scenario, change: (part, settled) => this.#change(part, settled), answered: () => emit(this, "answered", null), durations: async (scenario) => (await this.#readDurations(scenario)).durations });
  #pane = h("section", { class: "answer", "data-behind-sheet": true, "aria-labelledby": "event-time-title" });

  connectedCallback() {
    if (this.childElementCount > 0) return;
    this.#sheet.className = "controls";
    this.#sheet.setAttribute("aria-label", "Settings");
    this.#sheet.append(
      h("h2", { class: "off-screen" }, "Settings"),
      this.#presets,
      h("section", { class: "field-group" }, h("h3", null, "Records ", h("span", { class: "unit" }, "times in ms, or ISO 8601")), this.#editor),
      this.#form,
    );
    this.#answer.hidden = true;
    this.#exportBar.only = ["svg", "png", "csv", "json"];
    this.#exports.hidden = true;
    for (const panel of [this.#why, this.#hand, this.#places]) panel.ask = (question, params, slot) => this.ask(question, params, slot);
    /** @param {string} title @param {HTMLElement} panel @param {string} look */
    const closed = (title, panel, look) => h("details", { class: `why ${look}` }, h("summary", null, h("h3", null, title)), panel);
    this.#pane.append(
      this.#title,
      this.#streams.switch,
      this.#verdict,
      this.#comparison,
      this.#answer,
      closed("Why does my own job give no output?", this.#why, "own-job"),
      closed("Watermarks by hand", this.#hand, "by-hand"),
      closed("Windows and key groups of a value", this.#places, "by-hand"),
      this.#exports,
    );
    this.append(this.#sheet, this.#pane);
    this.#listen();
  }

  #listen() {
    /**
     * @param {string} type
     * @param {(detail: any) => void} act
     */
    const on = (type, act) => this.addEventListener(type, (event) => act(/** @type {CustomEvent} */ (event).detail));
    on("setting-change", ({ id, value, settled }) => this.#change({ settings: { ...this.#scenario.settings, [id]: value } }, settled));
    on("preset-pick", ({ preset }) => {
      const { flink, theme, pinned, hand, values } = this.#scenario;
      this.#change({ ...scenarioOf(preset), flink, theme, pinned, hand, values }, true);
    });
    on("records-change", ({ events, settled }) => this.#change({ events }, settled));
    on("record-pick", ({ row }) => this.#answer.chart.mark(this.#rowOfPlace(row)));
    on("record-drag", (detail) => this.#drag(detail));
    on("record-nudge", ({ row, time, places }) => this.#nudge(row, time, places));
    on("record-add", ({ time, after }) => this.#shown && this.#change({ events: added(this.#shown, time, after) }, true));
    on("hand-change", ({ hand, settled }) => this.#note({ hand }, settled));
    on("values-change", ({ values, settled }) => this.#note({ values }, settled));
    on("restore-change", ({ after }) => this.#change({ restore: after, at: after === null ? null : after + 1 }, true));
    on("record-remove", ({ row }) => this.#removeRecord(row));
    on("apply-changes", ({ changes }) => this.#apply(changes));
    on("player-seek", ({ position }) => this.#seek(position));
    on("chart-width", () => {
      this.#redraw();
      this.#drawState();
    });
    on("pin", ({ act }) => this.#pin(act));
    this.addEventListener("pin-width", () => this.#compare(this.#turn));
    on("export", ({ kind }) => this.#export(kind));
    this.#pane.addEventListener("keydown", (event) => {
      // What scrolls by itself has its own use for the arrow keys.
      if (!(/** @type {Element} */ (event.target).closest(".scroller, pre"))) this.#answer.player.key(event);
    });
  }

  /** @returns {EventScenario} */
  get scenario() {
    return this.#scenario;
  }

  /** Shows another scenario as a whole: an address, a paste, Back. */
  set scenario(scenario) {
    this.#scenario = scenario;
    this.#answer.player.pause();
    this.#update();
  }

  /** Asks again, for a theme or an engine that is new. */
  refresh() {
    return this.#update();
  }

  focusAnswer() {
    if (this.#scenario.stream) this.#streams.panel.focusVerdict();
    else this.#verdict.focus();
  }

  /** Records as text take the place of those there are. @type {import("../tools.js").OwnTexts} */
  own = {
    word: "Use these records",
    recognise: (text) => (looksLikeRecords(text) ? `${many(rowsIn(text).length, "record")} of the Event time tool, as ${/^\s*[{[]/.test(text) ? "JSON lines" : "CSV"}.` : null),
    take: (text) => {
      const events = rowsIn(text);
      this.#change({ events, at: null, restore: null, stream: null }, true);
      emit(this, "notice", { text: `${many(events.length, "record")} read.` });
    },
  };

  /**
   * @param {Partial<EventScenario>} part
   * @param {boolean} settled
   */
  #change(part, settled) {
    this.#scenario = { ...this.#scenario, ...part };
    // The answer comes later; what is edited meanwhile counts from these records.
    if (part.events) this.#editor.take(part.events);
    emit(this, "scenario-change", { scenario: this.#scenario, settled });
    return this.#update();
  }

  /** What a panel asks by itself. @param {Partial<EventScenario>} part @param {boolean} settled */
  #note(part, settled) {
    this.#scenario = { ...this.#scenario, ...part };
    emit(this, "scenario-change", { scenario: this.#scenario, settled });
  }

  /** @param {string} act */
  #pin(act) {
    const { pinned, flink, theme } = this.#scenario;
    const now = pinOf(this.#scenario);
    if (act === "pin") this.#change({ pinned: now }, true);
    else if (act === "swap" && pinned) this.#change({ ...pinned, hand: this.#scenario.hand, values: this.#scenario.values, flink, theme, pinned: { ...now, flink: pinned.flink } }, true);
    else if (act === "unpin") this.#change({ pinned: null }, true);
  }

  /** Asks what differs from A, once there is an answer. @param {number} turn */
  #compare(turn) {
    const { flink, pinned } = this.#scenario;
    const b = this.dataset.state === "answered" ? (this.#last?.question.params ?? null) : null;
    const a = async () => {
      const scenario = { .../** @type {EventScenario} */ (pinned), flink };
      return questionOf(scenario, (await this.#readDurations(scenario)).durations);
    };
    return this.#comparison.compare({ pinned, a, b, ask: this.ask, theme: this.theme, isLate: () => turn !== this.#turn });
  }

  /** @param {Change[]} changes  by the labels that the findings show */
  #apply(changes) {
    const settings = { ...this.#scenario.settings };
    for (const { option, value } of changes) {
      const field = FIELDS.find(({ label }) => label === option);
      if (field) settings[field.id] = value ?? "";
    }
    this.#change({ settings }, true);
    // The button that was pressed goes away with its finding.
    this.focusAnswer();
  }

  async #update() {
    const turn = (this.#turn += 1);
    const scenario = this.#scenario;
    const { durations, fault } = await this.#readDurations(scenario);
    if (turn !== this.#turn) return;
    this.#streams.place(scenario.stream !== null, this.#presets);
    this.classList.toggle("has-stream", scenario.stream !== null);
    if (fault) {
      this.#showProblem(scenario, fault);
      return;
    }
    /** @param {Question} job */
    const wait = (job) => this.#tellPanels(scenario, durations, job);
    if (scenario.stream) {
      const job = questionOf({ ...scenario, events: [], restore: null }, durations);
      wait(job);
      this.#comparison.hidden = true;
      this.#streams.show(scenario, job, durations, this.theme, () => this.#showInput(job, readingsOf(scenario, durations)));
      return;
    }
    const question = questionOf(scenario, durations);
    const readings = readingsOf(scenario, durations);
    wait(question);
    if (question.problems.size > 0 || question.rows.size > 0) {
      this.#showInput(question, readings);
      this.#showProblem(scenario, problemSentence(question));
      return;
    }
    this.#makeRoom();
    const [answer, drawing, at] = await Promise.all([
      this.ask(RUN, question.params),
      this.ask(DRAW, this.#drawParams(question, scenario.at)),
      this.ask(AT, atParams(question, scenario.at)),
    ]);
    if (turn !== this.#turn || (!answer.ok && answer.error.code === "superseded")) return;
    if (answer.ok) {
      this.#showInput(question, readings);
      const isOvertaken = !drawing.ok && drawing.error.code === "superseded";
      const shown = drawing.ok ? drawing.value : isOvertaken ? (this.#last?.drawing ?? null) : null;
      this.#showAnswer(scenario, question, answer.value, answer.findings, shown);
      if (at.ok) this.#answer.moment.show(at.value);
      await Promise.all([this.#drawState(), this.#compare(turn)]);
      if (turn !== this.#turn) return;
    } else {
      placeProblem(question, scenario.settings, answer.error);
      this.#showInput(question, readings);
      this.#showProblem(scenario, answer.error.message);
    }
    if (answer.ok || answer.error.code !== "engine_fault") emit(this, "answered", null);
  }

  /**
   * What the panels below the answer take from the settings.
   * @param {EventScenario} scenario
   * @param {Durations} durations
   * @param {Question} job
   */
  #tellPanels(scenario, durations, { problems, params: { windows, watermarks } }) {
    const { flink, hand, values } = scenario;
    this.#hand.hand = hand;
    this.#places.values = values;
    this.#places.question = (times) => questionOf({ ...scenario, restore: null, events: times.map((time) => ({ id: "", time, arrival: "0", key: "", partition: "0", value: "" })) }, durations);
    if (problems.size > 0) return;
    this.#why.waiting = { version: flink, assigner: windows.assigner, rule: watermarks.rule };
    this.#hand.settings = { version: flink, rule: watermarks.rule, idleTimeout: watermarks.idleTimeout };
  }

  /** Measured while hidden a chart has no width, so it is shown for a moment, once. */
  #makeRoom() {
    if (this.#answer.chart.isMeasured) return;
    this.#answer.hidden = false;
    this.#answer.chart.measure();
    this.#answer.hidden = this.#last === null;
  }

  /**
   * @param {Question} question
   * @param {number | null} at
   */
  #drawParams({ params }, at) {
    return { job: params, upto: at === null ? null : at - 1, theme: this.theme, width: this.#answer.chart.drawWidth };
  }

  /**
   * @param {EventScenario} scenario
   * @returns {Promise<{ durations: Durations, fault: string | null }>}  why the engine does not answer at all
   */
  async #readDurations({ flink, settings, stream }) {
    if (this.#durations.size > DURATIONS_KEPT_MAX) this.#durations.clear();
    /** @type {Durations} */
    const durations = new Map();
    /** @type {string | null} */
    let fault = null;
    await Promise.all(
      [...new Set([...durationTexts(settings), ...streamDurations(stream)])].map(async (text) => {
        const key = `${flink} ${text}`;
        const reading = this.#durations.get(key) ?? (await this.ask("parseDuration", { version: flink, text }, `parseDuration ${text}`));
        durations.set(text, reading);
        if (!reading.ok && reading.error.code === "engine_fault") fault = reading.error.message;
        else if (reading.ok || reading.error.code !== "superseded") this.#durations.set(key, reading);
      }),
    );
    return { durations, fault };
  }

  /**
   * @param {Question} question
   * @param {Map<string, string>} readings
   */
  #showInput({ problems, rows }, readings) {
    const { settings, events, preset: id, stream } = this.#scenario;
    const preset = baseOf(presetOf(id), stream);
    const isChanged = FIELDS.some((field) => settings[field.id] !== preset.settings[field.id]) || csvOf(events) !== csvOf(preset.events);
    this.#presets.show(preset, isChanged);
    this.#form.show(this.#scenario, preset, readings, problems);
    this.#editor.state = { events, columns: columnsOf(this.#scenario), problems: rows, current: this.#rowOfPlayer };
  }

  /**
   * @param {EventScenario} scenario
   * @param {Question} question
   * @param {EventTimeReport} report
   * @param {Finding[]} findings
   * @param {LanesChart | null} drawing
   */
  #showAnswer(scenario, question, report, findings, drawing) {
    this.#last = { scenario, question, report, findings, drawing };
    setProse(this.#verdict, report.verdict);
    this.#verdict.classList.remove("is-wrong");
    this.#answer.hidden = false;
    this.#exports.hidden = false;
    this.#answer.stale = false;
    this.#answer.moment.restore = scenario.restore;
    this.#answer.show(report, findings.map((finding) => inWords(finding, scenario.settings)), drawing, scenario.at);
    this.#editor.current = this.#rowOfPlayer;
    this.dataset.state = "answered";
  }

  /**
   * @param {EventScenario} scenario
   * @param {string} sentence
   */
  #showProblem({ preset }, sentence) {
    // The last answer says nothing about another example.
    if (this.#last && this.#last.scenario.preset !== preset) this.#last = null;
    setProse(this.#verdict, sentence);
    this.#verdict.classList.add("is-wrong");
    this.#answer.hidden = this.#last === null;
    this.#exports.hidden = this.#last === null;
    this.#answer.stale = true;
    this.dataset.state = "failed";
  }

  /** The row of the editor that the player stands at. */
  get #rowOfPlayer() {
    const row = this.#last?.report.rows[this.#answer.player.position - 1];
    return row?.item === undefined || row.item === null ? -1 : (this.#last?.question.order[row.item] ?? -1);
  }

  /** @param {number} position */
  #seek(position) {
    this.#answer.position = position;
    this.#editor.current = this.#rowOfPlayer;
    const isEnd = position === this.#last?.report.rows.length;
    this.#scenario = { ...this.#scenario, at: isEnd ? null : position };
    // While it plays nothing is settled, and nothing is written to the address.
    if (!this.#answer.player.isPlaying) emit(this, "scenario-change", { scenario: this.#scenario, settled: false });
    this.#redraw();
  }

  /** What the picture shows, with the records as they are by now; null while there is no answer. @returns {Shown | null} */
  get #shown() {
    if (!this.#last || this.dataset.state !== "answered") return null;
    const { report, question, scenario } = this.#last;
    const { events } = this.#scenario;
    const places = new Map(events.map((record, place) => [record, place]));
    // Edited again before the answer came, a record stands elsewhere, or is another one.
    const now = scenario.events.map((record) => places.get(this.#latest(record)) ?? -1);
    return { rows: report.rows, order: question.order.map((place) => now[place] ?? -1), events };
  }

  /** @param {EventRow} record */
  #latest(record) {
    let latest = record;
    for (let next = this.#became.get(latest); next; next = this.#became.get(latest)) latest = next;
    return latest;
  }

  /** The list with a record moved, which is then found by what it was. @param {Shown} shown @param {number} row @param {number} time @param {number} to */
  #moved(shown, row, time, to) {
    const place = placeOf(shown, row);
    const events = moved(shown, row, time, to);
    const before = new Set(shown.events);
    const record = events.find((other) => !before.has(other));
    if (place >= 0 && record) this.#became.set(shown.events[place], record);
    return events;
  }

  /** @param {number} place  in the list of records */
  #rowOfPlace(place) {
    return this.#last?.report.rows.findIndex((row) => row.item !== null && this.#last?.question.order[row.item] === place) ?? -1;
  }

  /** @param {{ row: number, time: number, to: number, phase: "start" | "move" | "end" }} detail */
  #drag({ row, time, to, phase }) {
    // Every move counts from where the records stood when it began.
    if (phase === "start") this.#dragged = this.#shown;
    if (this.#dragged) this.#change({ events: this.#moved(this.#dragged, row, time, to) }, phase === "end");
  }

  /**
   * @param {number} row
   * @param {number} time    by how much [ms]
   * @param {number} places  in the order
   */
  async #nudge(row, time, places) {
    const shown = this.#shown;
    if (!shown || placeOf(shown, row) < 0) return;
    const to = places === 0 ? row : nextRecord(shown, row, places);
    const events = this.#moved(shown, row, later(shown.events[placeOf(shown, row)].time, time), to);
    const before = new Set(shown.events);
    await this.#change({ events }, false);
    this.#answer.chart.mark(this.#rowOfPlace(events.findIndex((record) => !before.has(record))));
  }

  /** @param {number} row */
  #removeRecord(row) {
    const place = this.#shown ? placeOf(this.#shown, row) : -1;
    if (place >= 0) this.#change({ events: this.#scenario.events.filter((_, index) => index !== place) }, true);
  }

  async #redraw() {
    if (!this.#last || this.dataset.state !== "answered") return;
    const turn = this.#turn;
    const mine = (this.#drawTurn += 1);
    const { at } = this.#scenario;
    const [drawing, moment] = await Promise.all([this.ask(DRAW, this.#drawParams(this.#last.question, at)), this.ask(AT, atParams(this.#last.question, at))]);
    if (turn !== this.#turn || mine !== this.#drawTurn || !drawing.ok) return;
    if (moment.ok) this.#answer.moment.show(moment.value);
    this.#last.drawing = drawing.value;
    this.#answer.chart.show(drawing.value, this.#last.report.rows);
  }

  /** What is kept after each step; the player does not move it. */
  async #drawState() {
    const last = this.#last;
    if (!last) return;
    const drawn = await this.ask(DRAW_STATE, { job: last.question.params, theme: this.theme, width: this.#answer.stateWidth });
    if (last !== this.#last) return;
    if (drawn.ok) this.#answer.showState(drawn.value);
    else if (drawn.error.code !== "superseded") this.#answer.showState(null);
  }

  /** @param {import("../elements/export-bar.js").ExportKind} kind */
  #export(kind) {
    if (this.#last) return save(kind, this.#last);
  }
}

/**
 * @param {Question} question
 * @param {number | null} at  the step; null for the last
 */
function atParams({ params }, at) {
  return { job: params, upto: at ?? UPTO_ALL };
}
