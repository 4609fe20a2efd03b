// @ts-check
import { emit, h, prose, setProse, setText } from "../../dom.js";
import { download } from "../../download.js";
import { FindingList, STALE_APPLY } from "../../elements/finding-list.js";
import { SvgChart } from "../../elements/svg-chart.js";
import { VirtualTable } from "../../elements/virtual-table.js";
import { count, fileSize, size } from "../../format.js";
import { table } from "../../panels/parts.js";
import { patchChildren } from "../../patch.js";
import { JobCode } from "../code.js";
import { keptTable } from "../kept.js";
import { timeText } from "../time.js";
import { BoundChoice, fine } from "./bound.js";
import { StreamComparison } from "./compare.js";
import { Pages, RESULT_COLUMNS, ROW_COLUMNS, columnsFor, resultCells, resultsCsv, rowCells } from "./log.js";
import { StreamSide } from "./side.js";
import { StreamWhy } from "./why.js";

/**
 * @import { Finding, RunResults, StreamRow, WholeParams, WholeReport } from "../../../src/web/types.ts"
 * @import { StreamProgress, StreamRun } from "./run.js"
 */

/** Subtasks that are listed. */
const SHARES_MAX = 200;

/**
 * The answer for a whole stream: verdict, totals, the choice of the bound, findings, log, results and
 * open state. While another run is under way the last answer stays.
 *
 * Methods `show`, `showProblem`, `showCancelled`, `showProgress`, `clear`, `paint`. Events `run-cancel`,
 * `run-again`.
 */
export class StreamPanel extends HTMLElement {
  /** @type {StreamRun | null} */
  #run = null;
  /** @type {Pages<StreamRow> | null} */
  #rows = null;
  /** @type {RunResults | null} */
  #results = null;
  /** @type {Pages<string> | null} */
  #names = null;
  /** @type {"light" | "dark"} */
  #theme = "light";
  bound = new BoundChoice();
  comparison = new StreamComparison();
  #why = new StreamWhy();
  #side = new StreamSide();
  #verdict = h("p", { class: "verdict", "aria-live": "polite", tabindex: -1 });
  #bar = h("progress", { max: 1, value: 0, "aria-label": "Progress of the run" });
  #said = h("span", { class: "quiet" });
  #cancel = h("button", { type: "button" }, "Cancel");
  #again = h("button", { type: "button", hidden: true }, "Run again");
  #progress = h("div", { class: "stream-progress", hidden: true }, this.#bar, this.#said, this.#cancel);
  #stale = h("p", { class: "stale-note", hidden: true }, "The last answer that worked");
  #totals = h("dl", { class: "totals" });
  #file = h("section", { hidden: true });
  #findings = new FindingList();
  #log = new VirtualTable();
  #list = new VirtualTable();
  #export = h("button", { type: "button" }, "Results as CSV");
  #resultNote = h("p", { class: "quiet" });
  #open = new SvgChart();
  #openNote = h("p", { class: "quiet" });
  #kept = h("div");
  #keptChart = new SvgChart();
  #shares = h("div");
  #code = new JobCode();
  /** What the JSON holds. */
  #answer = {};
  #save = h("button", { type: "button" }, "Answer as JSON");
  #not = h("ul", { class: "bullets" });
  #body = h("div", { class: "stream-body", hidden: true });

  connectedCallback() {
    if (this.childElementCount > 0) return;
    this.#body.append(
      this.#stale,
      section("Totals", h("p", { class: "quiet" }, "By the rules of Flink 1.18.1, 1.20.5 and 2.2.1, which are the same."), this.#totals),
      this.#file,
      section("The choice of the bound", h("p", { class: "quiet" }, "How many records are late for each bound, from one pass over the stream. They hold for the clock, idleness, partitions and subtasks of the settings. Move the bound with the slider, or on the drawing; nothing is run again."), this.bound),
      section("Findings", this.#findings),
      section("Why is there no output?", this.#why),
      section("Log", h("p", { class: "quiet" }, "One row a record, in order of arrival. Times count from the start of a generated stream; dates are UTC."), this.#log),
      section("Dropped and late records", this.#side),
      section("Results", this.#resultNote, this.#list, this.#export),
      section("Open state over time", this.#openNote, this.#open),
      section("Bytes kept", this.#keptChart, this.#kept),
      section("Window subtasks", h("p", { class: "quiet" }, "Each has the keys of its key groups and the same watermark, so what happens to a record does not depend on them."), this.#shares),
      this.#code.element,
      h("details", { class: "why" }, h("summary", null, h("h3", null, "What is not modelled")), this.#not),
      section("Copy and export", this.#save),
    );
    this.append(this.#verdict, this.#again, this.#progress, this.comparison, this.#body);
    this.#log.build("Log of records", ROW_COLUMNS, (index) => rowCells(index, this.#rows?.at(index) ?? null));
    this.#list.build("Results", RESULT_COLUMNS, (index) => this.#resultCells(index));
    for (const list of [this.#log, this.#list]) {
      list.look = list === this.#list ? "is-stream is-results" : "is-stream";
      list.addEventListener("row-pick", (event) => {
        event.stopPropagation();
        const { index } = /** @type {CustomEvent} */ (event).detail;
        list.current = index;
        if (list === this.#log) this.#why.at(index + 1);
      });
    }
    this.#side.addEventListener("record-pick", (event) => {
      event.stopPropagation();
      const { record } = /** @type {CustomEvent} */ (event).detail;
      this.#log.current = record;
      this.#log.scrollIntoView({ block: "nearest" });
      this.#why.at(record + 1);
    });
    this.#cancel.addEventListener("click", () => emit(this, "run-cancel"));
    this.#again.addEventListener("click", () => emit(this, "run-again"));
    this.#export.addEventListener("click", () => this.#exportResults());
    this.#save.addEventListener("click", () => {
      const text = JSON.stringify({ ...this.#answer, link: location.href }, null, 2);
      download("weir-stream.json", new Blob([`${text}\n`], { type: "application/json" }));
    });
    for (const chart of [this.#open, this.#keptChart]) {
      chart.addEventListener("chart-width", (event) => {
        event.stopPropagation();
        this.#drawOpen();
      });
    }
  }

  focusVerdict() {
    this.#verdict.focus();
  }

  /** @param {StreamProgress | null} progress  null: nothing runs */
  showProgress(progress) {
    this.#progress.hidden = progress === null;
    if (!progress) return;
    this.#again.hidden = true;
    const { phase, records, pushed } = progress;
    this.#bar.max = pushed;
    this.#bar.value = records;
    setText(this.#said, phase === "reading" ? `${fileSize(records)} of ${fileSize(pushed)} read` : `${count(records)} of ${count(pushed)} records`);
  }

  /** @param {string} sentence */
  showCancelled(sentence) {
    this.showProblem(sentence, false);
    this.#again.hidden = false;
    this.#again.focus();
  }

  /**
   * @param {string} sentence
   * @param {boolean} [isWrong]
   */
  showProblem(sentence, isWrong = true) {
    this.#again.hidden = true;
    setProse(this.#verdict, sentence);
    this.#verdict.classList.toggle("is-wrong", isWrong);
    this.#markStale(true);
  }

  /** @param {boolean} stale */
  #markStale(stale) {
    this.#stale.hidden = !stale;
    this.#body.classList.toggle("is-stale", stale);
    this.#findings.blocked = this.#why.blocked = stale ? STALE_APPLY : "";
  }

  /** Forgets the last answer, which says nothing about what is shown now. */
  clear() {
    this.#run = null;
    this.#body.hidden = true;
  }

  /**
   * @param {StreamRun} run
   * @param {WholeReport} report
   * @param {Finding[]} findings
   * @param {{ params: WholeParams, boundMs: number, wanted: number[], theme: "light" | "dark", words: (finding: Finding) => Finding }} how
   */
  async show(run, report, findings, { params, boundMs, wanted, theme, words }) {
    this.#run = run;
    this.#answer = { params, report, findings };
    this.#theme = theme;
    this.bound.theme = theme;
    setProse(this.#verdict, report.verdict);
    this.#verdict.classList.remove("is-wrong");
    this.#body.hidden = false;
    this.#markStale(false);
    patchChildren(this.#totals, totals(report));
    this.#file.hidden = report.read === null;
    patchChildren(this.#file, report.read ? readPart(report.read) : []);
    this.#findings.findings = findings;
    patchChildren(this.#not, report.notModelled.map((line) => h("li", null, prose(line))));
    this.#rows = new Pages((from, rows) => this.#ask(run, "rows", from, rows), () => (this.#log.count = this.#log.count));
    const [first] = (await this.#ask(run, "rows", 0, 1)) ?? [];
    this.#log.build("Log of records", columnsFor(first ?? null), (index) => rowCells(index, this.#rows?.at(index) ?? null));
    this.#log.look = first && first.arrival !== null ? "is-stream has-origin" : "is-stream";
    this.#log.count = report.totals.records;
    this.#code.show(report);
    patchChildren(this.#kept, [keptTable(report.kept)]);
    patchChildren(this.#shares, [shares(report)]);
    this.#openNote.textContent = `Entries of keyed window state, one for each key and window: ${count(report.openMax)} at most. Counted after every 1 024 to 65 536 records. The dotted line is the most that the rules allow for these keys; there is none where no formula says it.`;
    this.#why.words = words;
    this.#side.show(report, params.windows.sideOutput, { side: (which) => this.#ask(run, "side", which), csv: (which) => this.#ask(run, "csv", which) });
    const why = this.#why.show(report.totals.records, async (place) => {
      const answer = await run.call("why", place);
      return run === this.#run ? answer : null;
    });
    await Promise.all([this.bound.show(run, boundMs, wanted), why, this.#showResults(run, report), this.#drawOpen()]);
  }

  /** Draws again, for another theme. @param {"light" | "dark"} theme */
  paint(theme) {
    if (theme === this.#theme || !this.#run) return;
    this.#theme = theme;
    this.bound.paint(theme);
    this.#drawOpen();
  }

  /**
   * @param {StreamRun} run
   * @param {"rows" | "results" | "names" | "side" | "csv"} method
   * @param {...unknown} args
   */
  async #ask(run, method, ...args) {
    const answer = await run.call(method, ...args);
    return answer.ok && run === this.#run ? answer.value : null;
  }

  /**
   * @param {StreamRun} run
   * @param {WholeReport} report
   */
  async #showResults(run, { totals: { results }, resultsKept }) {
    const kept = await this.#ask(run, "results");
    if (!kept) return;
    this.#results = kept;
    this.#names = new Pages((from, rows) => this.#ask(run, "names", kept.key.slice(from, from + rows)), () => (this.#list.count = this.#list.count));
    setText(this.#resultNote, resultsKept < results ? `The first ${count(resultsKept)} of ${count(results)}, in the order they fired.` : `${count(results)}, in the order they fired.`);
    this.#list.hidden = this.#export.hidden = resultsKept === 0;
    this.#list.count = resultsKept;
  }

  /** @param {number} index */
  #resultCells(index) {
    return this.#results ? resultCells(this.#results, index, this.#names?.at(index) ?? "…") : { cells: ["", "", "", "", "", ""] };
  }

  async #drawOpen() {
    const run = this.#run;
    if (!run) return;
    const drawings = /** @type {const} */ ([
      ["open", this.#open],
      ["kept", this.#keptChart],
    ]);
    for (const [method, chart] of drawings) {
      if (!chart.isMeasured) chart.measure(this.#openNote.clientWidth);
      const answer = await run.call(method, { theme: this.#theme, width: chart.drawWidth });
      if (run !== this.#run) return;
      chart.hidden = !answer.ok;
      if (answer.ok) chart.chart = answer.value;
    }
  }

  async #exportResults() {
    if (!this.#run || !this.#results) return;
    const text = await resultsCsv(this.#run, this.#results);
    download("weir-stream-results.csv", new Blob([text], { type: "text/csv" }));
  }
}

/** @param {WholeReport} report */
function totals({ totals: all, droppedShare, lateShare, openMax, keys, firstTime, lastTime, generated, kept, recordBytes, stateBytes, idsKept }) {
  /** @type {[string, string][]} */
  const rows = [
    ["Records", count(all.records)],
    ["On time", count(all.onTime)],
    ["Late but counted", `${count(all.late)} (${fine(lateShare)})`],
    ["Dropped", `${count(all.dropped)} (${fine(droppedShare)})`],
    ["Behind the watermark", count(all.behind)],
    ["Results", count(all.results)],
    ["Of these again", count(all.refired)],
    ["Most entries open", count(openMax)],
    ["Most bytes kept", `${size(kept.peak.heap)} of heap, ${size(kept.peak.rocksdb)} in RocksDB`],
    ["Keys", count(keys)],
    ["Event times", firstTime === null ? "–" : `${timeText(firstTime)} to ${timeText(lastTime)}`],
    ["Held in this tab", `${size(recordBytes)} of records, ${size(stateBytes)} of state`],
  ];
  if (all.partly > 0) rows.push(["Taken by some windows only", count(all.partly)]);
  if (all.ignored > 0) rows.push(["In no window", count(all.ignored)]);
  if (all.duplicates > 0) rows.push(["Left out as duplicates", count(all.duplicates)]);
  if (idsKept > 0) rows.push(["Ids kept at the end", count(idsKept)]);
  if (generated && generated.duplicates > 0) rows.push(["Sent twice", count(generated.duplicates)]);
  if (generated && generated.replayed > 0) rows.push(["Read again", count(generated.replayed)]);
  if (generated && generated.stalled > 0) rows.push(["Held up by a stall", count(generated.stalled)]);
  return rows.map(([name, text]) => h("div", { "data-id": name }, h("dt", null, name), h("dd", null, text)));
}

/** @param {WholeReport} report */
function shares({ subtasks }) {
  if (subtasks.length === 0) return h("p", { class: "quiet" }, "Not known: a key is not of the type that the keys are said to have.");
  const rows = subtasks.slice(0, SHARES_MAX).map(({ subtask, records, keys }) => ({ id: String(subtask), cells: [count(subtask), count(records), count(keys)] }));
  const rest = subtasks.length > SHARES_MAX ? h("p", { class: "quiet" }, `and ${count(subtasks.length - SHARES_MAX)} more.`) : "";
  return h("div", null, table("Window subtasks", ["Subtask", "Records", "Keys"], rows), rest);
}

/** @param {NonNullable<WholeReport["read"]>} read */
function readPart({ verdict, bad, badRows }) {
  const more = bad > badRows.length ? h("p", { class: "quiet" }, `The first ${count(badRows.length)} of ${count(bad)} are named.`) : null;
  const rows = badRows.map(({ line, message }, at) => ({ id: String(at), cells: [count(line), message] }));
  const list = bad > 0 ? h("div", { class: "tall" }, table("Bad rows", ["Line", "~Why it is no record"], rows)) : null;
  return [h("h3", null, "File"), h("p", null, verdict), ...(list ? [list] : []), ...(more ? [more] : [])];
}

/**
 * @param {string} title
 * @param {...Node} content
 */
function section(title, ...content) {
  return h("section", null, h("h3", null, title), content);
}
