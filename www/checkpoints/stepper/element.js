// @ts-check
import { emit, freshId, h, setText } from "../../dom.js";
import { patchChildren } from "../../patch.js";
import { decodeStepping, encodeStepping } from "./codec.js";
import { exploreView, jobView, logView, obstacles, stepButtons } from "./view.js";

/**
 * @import { Step, StepperPreset, StepperReport, StepperScenario } from "../../../src/web/checkpoints.ts"
 * @import { Ask } from "../../tools.js"
 */

const MODES = /** @type {const} */ ([
  ["aligned", "Aligned"],
  ["timeout", "Aligned with a timeout"],
  ["unaligned", "Unaligned"],
  ["atLeastOnce", "At least once"],
]);
/** A start before the presets are there. */
const FIRST = decodeStepping("a~n~A%3A50%20%7C%20A%3A100;A%3A25%20B%3A80%20%7C~");

/**
 * Barriers and records by hand: click an item to deliver it, see what is blocked, held, counted and
 * snapshotted, and let the engine try all orders.
 *
 * Properties `ask`, `value` (scenario and steps as one text, see codec.js; empty for the first
 * preset). Event `stepper-change`: `{ value, settled }`.
 */
export class CheckpointStepper extends HTMLElement {
  /** @type {Ask} */
  ask = async () => ({ ok: false, error: { code: "no_engine", message: "", field: null, option: null } });
  /** @type {StepperScenario} */
  #scenario = /** @type {NonNullable<typeof FIRST>} */ (FIRST).scenario;
  /** @type {Step[]} */
  #steps = [];
  /** Steps taken back, to be taken again. @type {Step[]} */
  #undone = [];
  /** @type {StepperPreset[]} */
  #known = [];
  #turn = 0;
  #isAsking = false;
  #value = "";
  #presetId = freshId("stepper-preset");
  #modeId = freshId("stepper-mode");
  #failuresId = freshId("stepper-failures");
  #preset = h("select", { id: this.#presetId });
  #look = h("p", { class: "quiet" });
  #mode = h("select", { id: this.#modeId }, MODES.map(([value, word]) => h("option", { value }, word)));
  #sink = h("input", { type: "checkbox" });
  #edit = h("div", { class: "stepper-edit" });
  #problem = h("p", { class: "stepper-problem", role: "alert", hidden: true });
  #verdict = h("p", { class: "stepper-verdict", "aria-live": "polite" });
  #job = h("div");
  #buttons = h("div", { class: "stepper-buttons" });
  #back = h("button", { type: "button", onclick: () => this.#undo() }, "Back");
  #again = h("button", { type: "button", onclick: () => this.#redo() }, "Forward");
  #restart = h("button", { type: "button", onclick: () => this.#goTo(0) }, "Start over");
  #why = h("div");
  #visible = h("p");
  #log = h("div", { class: "stepper-log-box", tabindex: 0, role: "region", "aria-label": "Steps so far" });
  #failures = h("select", { id: this.#failuresId }, [0, 1, 2].map((number) => h("option", { value: number, selected: number === 1 }, number)));
  #try = h("button", { type: "button", class: "primary", onclick: () => this.#explore() }, "Try all orders");
  #explored = h("div", { class: "stepper-explored", "aria-live": "polite" });

  connectedCallback() {
    if (this.childElementCount === 0) this.#build();
    void this.#open();
  }

  #build() {
    this.append(
      h("div", { class: "stepper-controls" },
        h("div", null, h("label", { for: this.#presetId }, "Example"), this.#preset),
        h("div", null, h("label", { for: this.#modeId }, "Barriers"), this.#mode),
        h("label", { class: "stepper-check" }, this.#sink, " a sink with transactions behind the sum"),
      ),
      this.#look,
      this.#problem,
      this.#verdict,
      this.#job,
      this.#buttons,
      h("div", { class: "stepper-buttons" }, this.#back, this.#again, this.#restart),
      this.#visible,
      h("details", null, h("summary", null, "Why is a step not possible?"), this.#why),
      h("h4", null, "What happened"),
      this.#log,
      h("h4", null, "Every order"),
      h("div", { class: "stepper-controls" }, h("div", null, h("label", { for: this.#failuresId }, "Worker deaths"), this.#failures), this.#try),
      this.#explored,
      h("details", null, h("summary", null, "Edit the records"), h("p", { class: "quiet" }, "A line for each channel: records such as A:50, and | for a barrier."), this.#edit),
    );
    this.#preset.addEventListener("change", () => this.#choose(this.#preset.value));
    this.#mode.addEventListener("change", () => this.#rewrite({ mode: /** @type {StepperScenario["mode"]} */ (this.#mode.value) }));
    this.#sink.addEventListener("change", () => this.#rewrite({ sink: this.#sink.checked ? "twoPhaseCommit" : "none" }));
    this.#edit.addEventListener("change", (event) => this.#edited(/** @type {HTMLTextAreaElement} */ (event.target)));
    this.addEventListener("click", (event) => this.#click(/** @type {Element} */ (event.target)));
    this.addEventListener("keydown", (event) => this.#key(event));
  }

  /** @returns {string} */
  get value() {
    return this.#value;
  }

  set value(value) {
    if (value === this.#value && value !== "") return;
    const read = decodeStepping(value);
    if (read) this.#set(read.scenario, read.steps);
    else if (value === "" && this.#known.length > 0) this.#set(this.#known[0].scenario, this.#known[0].steps.slice(0, 0));
    this.#value = value;
    if (this.isConnected) void this.#show();
  }

  async #open() {
    const answer = await this.ask("checkpoints/barrierPresets", {});
    if (answer.ok && this.#known.length === 0) {
      this.#known = /** @type {StepperPreset[]} */ (answer.value);
      this.#preset.append(h("option", { value: "" }, "My own"), ...this.#known.map(({ id, title }) => h("option", { value: id }, title)));
      if (this.#value === "") this.#set(this.#known[0].scenario, []);
    }
    await this.#show();
  }

  /**
   * @param {StepperScenario} scenario
   * @param {Step[]} steps
   */
  #set(scenario, steps) {
    this.#scenario = scenario;
    this.#steps = [...steps];
    this.#undone = [];
  }

  /** @param {string} id */
  #choose(id) {
    const preset = this.#known.find((known) => known.id === id);
    if (!preset) return;
    this.#set(preset.scenario, []);
    // Its run can be followed with Forward.
    this.#undone = [...preset.steps].reverse();
    this.#changed();
  }

  /** @param {Partial<StepperScenario>} part */
  #rewrite(part) {
    this.#set({ ...this.#scenario, ...part }, []);
    this.#changed();
  }

  /** @param {HTMLTextAreaElement} field */
  #edited(field) {
    const task = Number(field.dataset.task);
    const channels = field.value.split("\n").map((line) => line.trim()).filter((line) => line !== "");
    this.#rewrite({ tasks: this.#scenario.tasks.map((old, number) => (number === task ? channels : old)) });
  }

  /** @param {Element} target */
  #click(target) {
    const on = target.closest("[data-step], [data-back], [data-run]");
    if (!(on instanceof HTMLElement) || !this.contains(on)) return;
    const { step, back, run } = on.dataset;
    if (step) this.#take(JSON.parse(step));
    else if (back) this.#goTo(Number(back));
    else if (run) {
      this.#set(this.#scenario, []);
      this.#undone = /** @type {Step[]} */ (JSON.parse(run)).reverse();
      this.#changed();
      this.#again.focus();
    }
  }

  /** A digit delivers the next item of its channel. @param {KeyboardEvent} event */
  #key(event) {
    const inField = /** @type {Element} */ (event.target).closest("input, select, textarea");
    if (inField || event.ctrlKey || event.metaKey || event.altKey || !/^\d$/.test(event.key)) return;
    const channel = this.#job.querySelector(`.stepper-channel[data-id="${event.key}"] .is-next[data-step]`);
    if (channel instanceof HTMLElement) {
      event.preventDefault();
      this.#take(JSON.parse(channel.dataset.step ?? ""));
    }
  }

  /** @param {Step} step */
  #take(step) {
    if (this.#isAsking) return;
    this.#steps.push(step);
    this.#undone = [];
    this.#changed();
  }

  #undo() {
    const step = this.#steps.pop();
    if (step) this.#undone.push(step);
    this.#changed();
  }

  #redo() {
    const step = this.#undone.pop();
    if (step) this.#steps.push(step);
    this.#changed();
  }

  /** @param {number} count */
  #goTo(count) {
    while (this.#steps.length > count) this.#undone.push(/** @type {Step} */ (this.#steps.pop()));
    this.#changed();
  }

  #changed() {
    this.#explored.replaceChildren();
    this.#value = encodeStepping({ scenario: this.#scenario, steps: this.#steps });
    emit(this, "stepper-change", { value: this.#value, settled: true });
    void this.#show();
  }

  async #show() {
    this.#turn += 1;
    const turn = this.#turn;
    const params = { scenario: this.#scenario, steps: this.#steps };
    this.#isAsking = true;
    const answer = await this.ask("checkpoints/stepBarriers", params, "stepBarriers");
    if (turn !== this.#turn) return;
    this.#isAsking = false;
    this.#showSettings();
    this.#problem.hidden = answer.ok;
    if (!answer.ok) {
      setText(this.#problem, answer.error.message);
      return;
    }
    const report = /** @type {StepperReport} */ (answer.value);
    setText(this.#verdict, report.verdict);
    patchChildren(this.#job, [jobView(report)]);
    patchChildren(this.#buttons, stepButtons(report));
    patchChildren(this.#why, [obstacles(report)]);
    patchChildren(this.#log, [logView(report)]);
    this.#log.scrollTop = this.#log.scrollHeight;
    const hasSink = this.#scenario.sink !== "none";
    this.#visible.hidden = !hasSink;
    setText(this.#visible, report.visible.length > 0 ? `Readers with read_committed see ${report.visible.join(", ")}.` : "Readers with read_committed see nothing yet.");
    this.#back.disabled = this.#steps.length === 0;
    this.#restart.disabled = this.#steps.length === 0;
    this.#again.disabled = this.#undone.length === 0;
    this.dataset.state = "answered";
  }

  #showSettings() {
    const { mode, sink, tasks } = this.#scenario;
    const same = this.#known.find(({ scenario }) => JSON.stringify(scenario) === JSON.stringify(this.#scenario));
    this.#preset.value = same?.id ?? "";
    setText(this.#look, same?.look ?? "");
    this.#mode.value = mode;
    this.#sink.checked = sink !== "none";
    const fields = tasks.map((channels, task) => {
      const field = h("textarea", { rows: Math.max(2, channels.length), "data-task": task, "aria-label": `Channels of task ${task}`, spellcheck: "false" });
      field.value = channels.join("\n");
      return field;
    });
    if (!this.#edit.contains(document.activeElement) || document.activeElement === this.#edit) this.#edit.replaceChildren(...fields);
  }

  async #explore() {
    this.#try.disabled = true;
    const params = { scenario: this.#scenario, failures: Number(this.#failures.value) };
    const answer = await this.ask("checkpoints/exploreBarriers", params, "exploreBarriers");
    this.#try.disabled = false;
    if (answer.ok) this.#explored.replaceChildren(...exploreView(answer.value));
    else this.#explored.replaceChildren(h("p", { class: "stepper-problem" }, answer.error.message));
  }
}
