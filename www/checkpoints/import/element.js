// @ts-check
import { emit, freshId, h, prose, setProse } from "../../dom.js";
import { FindingList } from "../../elements/finding-list.js";
import { SvgChart } from "../../elements/svg-chart.js";
import { patchChildren } from "../../patch.js";
import { OrderPick } from "../rows.js";
import { checkpointTable, fittedView, pieceList, subtaskTable } from "./view.js";

/**
 * @import { Chart, Finding } from "../../../src/web/types.ts"
 * @import { ImportFile, ImportReport } from "../../../src/web/checkpoints.ts"
 * @import { Ask } from "../../tools.js"
 * @import { Order } from "../rows.js"
 */

/** One byte more than the engine reads: what is beyond need not be loaded to be refused. */
const READ_MAX = (8 << 20) + 1;

/**
 * Flink's REST answers about checkpoints, pasted, dropped or picked: what was recognised, where the
 * time went by subtask, what else the numbers say, and a scenario fitted to them.
 *
 * Properties `ask`, `theme`; method `take(files)`. Event `try-scenario`: `{ scenario }`, as the
 * simulation takes it.
 */
export class CheckpointImport extends HTMLElement {
  /** @type {Ask} */
  ask = async () => ({ ok: false, error: { code: "no_engine", message: "", field: null, option: null } });
  /** @type {"light" | "dark"} */
  #theme = "light";
  /** @type {ImportFile[]} */
  #files = [];
  /** The checkpoint that was picked. @type {number | null} */
  #picked = null;
  /** @type {ImportReport | null} */
  #report = null;
  #turn = 0;
  #pasteId = freshId("import-paste");
  #text = h("textarea", { id: this.#pasteId, rows: 6, spellcheck: "false", placeholder: '{"counts": …, "history": […]}' });
  #pick = h("input", { type: "file", multiple: true, accept: ".json,.txt,.log,application/json", "aria-label": "Files with REST answers" });
  #clear = h("button", { type: "button", onclick: () => this.#reset() }, "Clear");
  #verdict = h("p", { class: "import-verdict", "aria-live": "polite", tabindex: -1 });
  #pieces = h("div");
  #missing = h("ul", { class: "import-missing" });
  #chart = new SvgChart();
  #subtasks = h("details", null, h("summary", null, "Table"), h("div"));
  /** @type {Order} */
  #order = "given";
  #orders = new OrderPick();
  #picture = h("section", null, h("h4", null, "Where the time went"), this.#orders.element, this.#chart, this.#subtasks);
  #history = h("div");
  #past = h("section", null, h("h4", null, "Checkpoints"), this.#history);
  #findings = new FindingList();
  #noticed = h("section", null, h("h4", null, "Findings"), this.#findings);
  #fitted = h("div");
  #try = h("button", { type: "button", class: "primary", onclick: () => this.#hand() }, "Try it here");
  #fit = h("section", null, h("h4", null, "A scenario that fits"), h("p", { class: "quiet" }, "Simulated from these numbers by stated rules; change a knob to see what it would do."), this.#fitted, this.#try);
  #answer = h("div", { class: "import-answer", hidden: true }, this.#picture, this.#noticed, this.#past, this.#fit);

  connectedCallback() {
    if (this.childElementCount > 0) return;
    this.#findings.level = /** @type {"h4"} */ ("h5");
    this.append(
      h("div", { class: "import-drop" },
        h("label", { for: this.#pasteId }, "Paste REST answers, several below each other, or drop files here"),
        this.#text,
        h("div", { class: "stepper-buttons" }, h("button", { type: "button", class: "primary", onclick: () => this.#paste() }, "Read"), this.#pick, this.#clear),
      ),
      this.#verdict,
      h("details", { class: "import-read" }, h("summary", null, "What was read"), this.#pieces),
      this.#missing,
      this.#answer,
    );
    this.#pick.addEventListener("change", () => this.#read([...(this.#pick.files ?? [])]));
    this.addEventListener("dragover", (event) => event.preventDefault());
    this.addEventListener("drop", (event) => {
      event.preventDefault();
      event.stopPropagation();
      const { files } = event.dataTransfer ?? {};
      if (files && files.length > 0) void this.#read([...files]);
      else void this.take([{ name: null, text: event.dataTransfer?.getData("text/plain") ?? "" }]);
    });
    this.addEventListener("click", (event) => {
      const id = /** @type {Element} */ (event.target).closest("[data-checkpoint]")?.getAttribute("data-checkpoint");
      if (!id) return;
      this.#picked = Number(id);
      void this.#ask();
    });
    this.addEventListener("order-pick", (event) => {
      event.stopPropagation();
      this.#order = /** @type {CustomEvent} */ (event).detail.order;
      this.#showSubtasks();
      void this.#draw();
    });
    this.addEventListener("chart-width", (event) => {
      event.stopPropagation();
      void this.#draw();
    });
    void this.#ask();
  }

  get theme() {
    return this.#theme;
  }

  set theme(theme) {
    if (theme === this.#theme) return;
    this.#theme = theme;
    void this.#draw();
  }

  /** @param {ImportFile[]} files  joins them to what there is */
  take(files) {
    const named = new Set(files.map(({ name }) => name).filter((name) => name !== null));
    // A file that is given again takes its own place.
    this.#files = [...this.#files.filter(({ name }) => name === null || !named.has(name)), ...files];
    return this.#ask();
  }

  /** @param {File[]} files */
  async #read(files) {
    const texts = await Promise.all(files.map(async (file) => ({ name: file.name, text: await file.slice(0, READ_MAX).text() })));
    this.#pick.value = "";
    await this.take(texts);
  }

  #paste() {
    if (this.#text.value.trim() === "") return;
    void this.take([{ name: null, text: this.#text.value }]);
    this.#text.value = "";
  }

  #reset() {
    this.#files = [];
    this.#picked = null;
    void this.#ask();
    this.#text.focus();
  }

  #hand() {
    const scenario = this.#report?.fitted?.scenario;
    if (scenario) emit(this, "try-scenario", { scenario });
  }

  async #ask() {
    this.#turn += 1;
    const turn = this.#turn;
    this.dataset.state = "asking";
    const answer = await this.ask("checkpoints/importCheckpoints", { files: this.#files, checkpoint: this.#picked }, "importCheckpoints");
    if (turn !== this.#turn) return;
    if (!answer.ok) {
      setProse(this.#verdict, answer.error.message);
      this.dataset.state = "refused";
      return;
    }
    this.#show(answer.value, answer.findings);
    await this.#draw();
    this.dataset.state = "answered";
  }

  /**
   * @param {ImportReport} report
   * @param {Finding[]} findings
   */
  #show(report, findings) {
    this.#report = report;
    const { shown, fitted, checkpoints, pieces, missing } = report;
    setProse(this.#verdict, report.verdict);
    patchChildren(this.#pieces, [pieceList(pieces)]);
    const isEmpty = pieces.length === 0;
    patchChildren(this.#missing, isEmpty ? [] : missing.map((text) => h("li", null, prose(text))));
    this.#answer.hidden = isEmpty;
    this.#picture.hidden = !shown;
    this.#orders.element.hidden = (shown?.subtasks.length ?? 0) < 3;
    this.#showSubtasks();
    this.#past.hidden = checkpoints.length === 0;
    patchChildren(this.#history, checkpointTable(checkpoints, shown?.id ?? null).filter((it) => it !== null));
    this.#noticed.hidden = findings.length === 0;
    this.#findings.findings = findings;
    this.#fit.hidden = !fitted;
    patchChildren(this.#fitted, fitted ? fittedView(fitted).flat().filter((it) => it !== null) : []);
  }

  #showSubtasks() {
    const shown = this.#report?.shown;
    if (shown) patchChildren(/** @type {Element} */ (this.#subtasks.lastElementChild), subtaskTable(shown.id, shown.subtasks, this.#order).filter((it) => it !== null));
  }

  async #draw() {
    const timeline = this.#report?.shown?.timeline;
    if (!timeline || !this.isConnected) return;
    if (!this.#chart.isMeasured) this.#chart.measure();
    const turn = this.#turn;
    const answer = await this.ask("checkpoints/drawTimeline", { timeline, order: this.#order, theme: this.#theme, width: this.#chart.drawWidth }, "importTimeline");
    if (answer.ok && turn === this.#turn) this.#chart.chart = /** @type {Chart} */ (answer.value);
  }
}
