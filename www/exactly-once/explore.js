// @ts-check
import { emit, h, prose, setText } from "../dom.js";
import { PlayerBar } from "../elements/player-bar.js";
import { SvgChart } from "../elements/svg-chart.js";
import { count, fileSize } from "../format.js";
import { patchChildren } from "../patch.js";
import { engine } from "../start.js";
import { BOUNDS, boundsIn, guaranteeText, outcomeOf, searchOf } from "./bounds.js";

/**
 * @import { Answer, Chart } from "../../src/web/types.ts"
 * @import { ExploreParams, ExploreProgress, ExploreReport, ExploreStep } from "../../src/web/transactions.ts"
 * @import { Bound, Explored } from "./bounds.js"
 * @import { Settings } from "./presets.js"
 * @import { Ask } from "../tools.js"
 */

/**
 * The same protocol without a clock: every order of its steps and faults within bounds. A promise is
 * kept in all states, or a shortest way breaks it, which can be played and sent as a link.
 *
 * Properties `ask`, `theme`. Method `show`. Event `explore-change`: `{ explored, settled }`.
 */
export class TryAllOrders extends HTMLElement {
  /** @type {Ask} */
  ask = async () => ({ ok: false, error: { code: "no_engine", message: "", field: null, option: null } });
  /** @type {"light" | "dark"} */
  theme = "light";
  /** @type {Settings | null} */
  #settings = null;
  /** @type {Explored | null} */
  #explored = null;
  /** What the last answer is about. */
  #searched = "";
  /** @type {ReturnType<typeof engine.openRun> | null} */
  #way = null;
  /** @type {ExploreReport | null} */
  #report = null;
  #controls = BOUNDS.map(controlOf);
  #more = h("details", { class: "why" }, h("summary", null, "More: other settings, a second job, a shared partition, where the search ends"));
  #start = h("button", { type: "button", class: "primary" }, "Try all orders");
  #cancel = h("button", { type: "button", hidden: true }, "Cancel");
  #bar = h("progress", { hidden: true, "aria-label": "Search" });
  #guarantee = h("p", { class: "quiet", hidden: true });
  #said = h("p", { "aria-live": "polite", class: "explore-said" });
  #properties = h("div");
  #player = new PlayerBar();
  #lanes = new SvgChart();
  #state = h("div");
  #playing = h("section", { class: "explore-way", hidden: true }, h("h4", null, "The way, step by step"), this.#lanes, this.#player, this.#state);

  connectedCallback() {
    if (this.childElementCount > 0) return;
    this.#start.addEventListener("click", () => this.#change({ bounds: this.#bounds(), way: null, step: 1 }));
    this.#cancel.addEventListener("click", () => this.#stop("Cancelled. What was found so far is dropped."));
    this.#properties.addEventListener("click", (event) => {
      const way = /** @type {Element} */ (event.target).closest("[data-way]")?.getAttribute("data-way");
      if (way && this.#explored) this.#change({ ...this.#explored, way, step: 1 });
    });
    this.#player.addEventListener("player-seek", (event) => {
      // The player of the scenario is another one.
      event.stopPropagation();
      this.#walk(/** @type {CustomEvent} */ (event).detail.position);
    });
    // So are its lanes, which have no clock.
    this.#lanes.addEventListener("chart-width", (event) => {
      event.stopPropagation();
      this.#draw();
    });
    this.#lanes.addEventListener("click", (event) => {
      const step = /^way(\d+)_/.exec(this.#lanes.picked ?? "");
      if (!step || !(/** @type {Element} */ (event.target).closest(".chart-stage"))) return;
      this.#player.pause();
      this.#player.position = Number(step[1]);
      this.#walk(Number(step[1]));
    });
    this.#more.append(this.#labels(true));
    this.append(
      h("p", { class: "quiet" }, "Delivery guarantee, naming and protocol are those of the settings; time has no length here, and a timeout may come in any order once there is a transaction."),
      this.#guarantee,
      this.#labels(false),
      this.#more,
      h("div", { class: "explore-actions" }, this.#start, this.#cancel, this.#bar),
      this.#said,
      this.#properties,
      this.#playing,
    );
  }

  /** @param {boolean} isMore */
  #labels(isMore) {
    const labels = BOUNDS.map((bound, at) => ((bound.isMore ?? false) === isMore ? h("label", null, `${bound.label} `, this.#controls[at]) : null));
    return h("div", { class: "explore-bounds" }, labels);
  }

  disconnectedCallback() {
    this.#close();
  }

  /**
   * @param {Settings} settings
   * @param {Explored | null} explored
   */
  show(settings, explored) {
    this.#settings = settings;
    this.#explored = explored;
    const said = guaranteeText(settings, explored?.bounds ?? boundsIn(null));
    setText(this.#guarantee, said);
    this.#guarantee.hidden = said === "";
    if (!explored) {
      if (this.#searched !== "") this.#reset();
      return;
    }
    for (const control of this.#controls) {
      const value = explored.bounds[control.dataset.bound ?? ""];
      if (isFlag(control)) control.checked = value === true;
      else if (document.activeElement !== control) control.value = String(value);
    }
    // What is searched has to be seen.
    if (BOUNDS.some(({ id, usual, isMore }) => isMore && explored.bounds[id] !== usual)) this.#more.open = true;
    const params = searchOf(settings, explored.bounds);
    if (JSON.stringify(params) !== this.#searched) this.#search(params);
    else this.#showWay();
  }

  #bounds() {
    return boundsIn(Object.fromEntries(this.#controls.map((control) => [control.dataset.bound ?? "", written(control)])));
  }

  /** @param {Explored} explored */
  #change(explored) {
    // The same search once more is a search once more.
    if (explored.way === null) this.#searched = "";
    emit(this, "explore-change", { explored, settled: true });
  }

  #reset() {
    this.#close();
    this.#searched = "";
    this.#report = null;
    setText(this.#said, "");
    patchChildren(this.#properties, []);
    this.#playing.hidden = true;
  }

  /** @param {ExploreParams} params */
  #search(params) {
    this.#reset();
    this.#searched = JSON.stringify(params);
    this.dataset.state = "running";
    this.#bar.hidden = this.#cancel.hidden = false;
    setText(this.#said, "Searching …");
    this.#way = engine.openRun((report) => this.#hear(/** @type {any} */ (report)), "exactly-once");
    this.#way.tell({ type: "start", params });
  }

  /** @param {{ progress?: { known: ExploreProgress | null }, answer?: Answer<ExploreReport>, fault?: string }} report */
  #hear({ progress, answer, fault }) {
    if (fault !== undefined) return this.#stop(`The search was lost: ${fault}`);
    if (!answer) {
      if (progress?.known) setText(this.#said, progressText(progress.known));
      return;
    }
    this.#close();
    if (!answer.ok) return this.#stop(answer.error.message);
    this.#report = answer.value;
    this.dataset.state = "found";
    setText(this.#said, `${answer.value.text} ${progressText(answer.value.progress)} A packed state takes ${count(answer.value.stateBytes)} bytes.`);
    patchChildren(this.#properties, [propertiesTable(answer.value)]);
    this.#showWay();
  }

  /** @param {string} sentence */
  #stop(sentence) {
    this.#close();
    this.dataset.state = "stopped";
    setText(this.#said, sentence);
  }

  #close() {
    this.#way?.close();
    this.#way = null;
    this.#bar.hidden = this.#cancel.hidden = true;
  }

  /** The property whose way is open. */
  get #played() {
    return this.#report?.properties.find(({ name }) => name === this.#explored?.way);
  }

  /** The sink that was searched, as the engine names it. */
  get #sink() {
    return this.#searched === "" ? "" : String(JSON.parse(this.#searched).sink);
  }

  /** @returns {ExploreStep[]} */
  get #steps() {
    return this.#played?.steps ?? [];
  }

  #showWay() {
    const steps = this.#steps;
    this.#playing.hidden = steps.length === 0;
    if (steps.length === 0) return;
    this.#player.say = (position) => `Step ${position} of ${steps.length}: ${this.#steps[position - 1]?.text ?? ""}`;
    this.#player.length = steps.length;
    if (!this.#player.isPlaying) this.#player.position = this.#explored?.step ?? 1;
    patchChildren(this.#state, stateParts(steps, this.#player.position, this.#sink));
    this.#draw();
  }

  /** Draws the way up to where the player stands; of several answers the engine gives the newest. */
  async #draw() {
    const [played, settings] = [this.#played, this.#settings];
    if (!played?.steps || played.steps.length === 0 || !settings) return;
    const way = { search: JSON.parse(this.#searched), choices: played.steps.map(({ choice }) => choice), prefix: settings.prefix.trim(), breaks: played.kind === "always" };
    /** @type {Answer<Chart>} */
    const answer = await this.ask("transactions/drawWay", { way, upto: this.#player.position, theme: this.theme, width: this.#lanes.drawWidth });
    // Whoever went on meanwhile has asked again.
    if (answer.ok && played === this.#played) this.#lanes.chart = answer.value;
  }

  /** @param {number} step */
  #walk(step) {
    patchChildren(this.#state, stateParts(this.#steps, step, this.#sink));
    this.#draw();
    if (this.#player.isPlaying || !this.#explored) return;
    this.#explored = { ...this.#explored, step };
    emit(this, "explore-change", { explored: this.#explored, settled: false });
  }
}

/** @type {Record<ExploreStep["after"]["lanes"][number]["phase"], string>} */
const PHASES = { down: "down", recommitting: "commits what was restored", cleaningUp: "aborts what is left behind", running: "runs" };
/** What became of files; those without a checkpoint are still written to. @type {Record<string, { open: string, pending: string, committed: string, aborted: string }>} */
const FILES = {
  file: { open: "in progress", pending: "pending", committed: "finished", aborted: "left behind" },
  table: { open: "written to", pending: "staged", committed: "in a snapshot", aborted: "left behind" },
};
/** @type {Record<ExploreStep["after"]["lanes"][number]["transactions"][number]["fate"], string>} */
const FATES = { open: "open", prepareCommit: "commit decided", prepareAbort: "abort decided", committed: "committed", aborted: "aborted" };

/** @type {Record<ExploreStep["after"]["lanes"][number]["ids"][number]["prefix"], string>} */
const PREFIXES = { own: "", changed: "new prefix ", second: "second job’s " };

/** @param {ExploreStep["after"]["lanes"][number]["transactions"][number]} transaction @param {string} sink */
function transactionText({ isSecond, records, offsets, checkpoint, fate }, sink) {
  const files = FILES[sink];
  const word = files ? (fate === "open" && checkpoint !== null ? files.pending : (files[/** @type {"open"} */ (fate)] ?? FATES[fate])) : FATES[fate];
  const about = [offsets ? `offsets ${offsets[0]} to ${offsets[1]}` : "", checkpoint === null ? "" : `checkpoint ${checkpoint}`].filter((text) => text !== "");
  return `${isSecond ? "second job’s " : ""}[${records.join(", ")}] ${word}${about.length > 0 ? ` (${about.join(", ")})` : ""}`;
}

/** @param {Bound} bound */
function controlOf({ id, usual, choices }) {
  if (choices) return h("select", { "data-bound": id }, choices.map(([value, word]) => h("option", { value, selected: value === usual }, word)));
  if (typeof usual === "boolean") return h("input", { type: "checkbox", "data-bound": id });
  return h("input", { type: "number", min: 0, max: 12, value: String(usual), "data-bound": id });
}

/** @param {HTMLInputElement | HTMLSelectElement} control @returns {control is HTMLInputElement & { type: "checkbox" }} */
function isFlag(control) {
  return control.type === "checkbox";
}

/** @param {HTMLInputElement | HTMLSelectElement} control */
function written(control) {
  if (control instanceof HTMLSelectElement) return control.value;
  if (isFlag(control)) return control.checked;
  // The engine takes no fractions and nothing below 0.
  return Math.max(0, Math.trunc(control.valueAsNumber || 0));
}

/** @param {ExploreProgress} progress */
function progressText({ generated, distinct, waiting, depth, bytes }) {
  return `${count(generated)} states generated, ${count(distinct)} distinct, ${count(waiting)} waiting, ${count(depth)} steps deep, ${fileSize(bytes)}.`;
}

/** @param {ExploreReport} report */
function propertiesTable(report) {
  const rows = report.properties.map((property) => {
    const { name, text, kind, isPromise, steps } = property;
    const { word, isFailed } = outcomeOf(property, report);
    return h(
      "tr",
      { "data-id": name },
      h("th", { scope: "row" }, name, h("div", { class: "quiet" }, prose(text))),
      h("td", null, kind === "always" ? (isPromise ? "always, promised" : "always") : "sometimes"),
      h("td", null, isFailed ? h("strong", { class: "severity is-error" }, word) : word),
      h("td", null, steps && steps.length > 0 ? h("button", { type: "button", "data-way": name, "aria-label": `Play the way: ${name}` }, `Play ${steps.length} steps`) : ""),
    );
  });
  return h(
    "div",
    { class: "scroller", tabindex: 0, role: "region", "aria-label": "Properties" },
    h("table", { class: "plain" }, h("caption", { class: "off-screen" }, "Properties"), h("thead", null, h("tr", null, ["Property", "Kind", "Outcome", "Way"].map((head) => h("th", { scope: "col" }, head)))), h("tbody", null, rows)),
  );
}

/**
 * The steps up to one, and how all stands after it.
 * @param {ExploreStep[]} steps
 * @param {number} position
 * @param {string} sink
 */
function stateParts(steps, position, sink) {
  const isFiles = sink in FILES;
  const now = steps[position - 1];
  if (!now) return [];
  const list = h("ol", { class: "explore-steps" }, steps.map(({ text }, at) => h("li", { "data-id": at, class: at === position - 1 ? "is-current" : at < position ? null : "quiet" }, text)));
  const rows = now.after.lanes.map((lane, at) =>
    h(
      "tr",
      { "data-id": at },
      h("th", { scope: "row" }, `subtask ${at}`),
      h("td", null, PHASES[lane.phase], lane.secondPhase === null ? "" : `; of the second job: ${PHASES[lane.secondPhase]}`),
      h("td", null, String(lane.position)),
      isFiles ? null : h("td", null, lane.ids.map(({ prefix, number, epoch, state }) => `${PREFIXES[prefix]}${number}: epoch ${epoch}, ${state}`).join("; ") || "–"),
      h("td", null, lane.transactions.map((transaction) => transactionText(transaction, sink)).join("; ") || "–"),
    ),
  );
  const heads = ["", "Phase", "Source at", ...(isFiles ? ["Files"] : ["Transactional ids", "Transactions"])];
  return [
    list,
    h("p", null, `After it the job ${now.after.isUp ? "runs" : "is down"}. Checkpoints complete: ${count(now.after.completed)}. Subtasks of the sink: ${count(now.after.parallelism)}.`),
    h("div", { class: "scroller", tabindex: 0, role: "region", "aria-label": "State after the step" }, h("table", { class: "plain" }, h("caption", { class: "off-screen" }, "State after the step"), h("thead", null, h("tr", null, heads.map((head) => h("th", { scope: "col" }, head)))), h("tbody", null, rows))),
  ];
}
