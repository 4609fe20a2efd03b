// @ts-check
import { emit, h, prose, setText } from "../dom.js";
import { FindingList, STALE_APPLY } from "../elements/finding-list.js";
import { PlayerBar } from "../elements/player-bar.js";
import { StepList } from "../elements/step-list.js";
import { SvgChart } from "../elements/svg-chart.js";
import { VirtualTable } from "../elements/virtual-table.js";
import { count, exactBytes, size } from "../format.js";
import { patchChildren } from "../patch.js";
import { JobCode } from "./code.js";
import { keptTable } from "./kept.js";
import { EventLanes } from "./lanes.js";
import { LOG_COLUMNS, logRow, placeText } from "./log.js";
import { lateTable, sourceTable, windowTable } from "./results.js";
import { EventMoment } from "./moment.js";
import { isDate } from "./time.js";

/**
 * @import { EventStateCharts, EventTimeReport, Finding, LanesChart } from "../../src/web/types.ts"
 */

/**
 * The parts of an answer, in step with the player.
 *
 * Method `show`. Properties `position`, `stale`. Event `player-seek`: `{ position }`, from the player,
 * the log and the chart alike.
 */
export class EventAnswer extends HTMLElement {
  chart = new EventLanes();
  player = new PlayerBar();
  moment = new EventMoment();
  /** @type {EventTimeReport | null} */
  #report = null;
  #stale = h("p", { class: "stale-note", hidden: true }, "The last answer that worked");
  #totals = h("dl", { class: "totals" });
  #log = new VirtualTable();
  #windows = h("div");
  #late = h("div");
  #sources = h("div");
  #kept = h("div");
  #stateNote = h("p", { class: "quiet" }, "Pairs of key and window in state after each step, counted, and the bytes that they take; of the pairs, those that have ended are there for the allowed lateness alone. The sparse and dotted lines are the most that the rules allow for these keys; there are none where no formula says it.");
  #open = new SvgChart();
  #bytes = new SvgChart();
  #findings = new FindingList();
  #steps = new StepList();
  #code = new JobCode();
  #not = h("ul", { class: "bullets" });
  #basis = h("p", { class: "quiet" });

  connectedCallback() {
    if (this.childElementCount > 0) return;
    this.append(
      this.#stale,
      this.chart,
      this.player,
      this.moment,
      section("Log", h("p", { class: "quiet" }, "One row a record, in order of arrival, and one for each call of the clock that changed something. Times count from the epoch, dates are UTC. A row moves the player."), this.#log),
      section("Totals", this.#basis, this.#totals),
      section("Windows", this.#windows),
      section("Late records", this.#late),
      section("Who holds the watermark", this.#sources),
      section("State, step by step", this.#stateNote, this.#open, this.#bytes),
      section("Bytes kept", this.#kept),
      section("Findings", this.#findings),
      h("details", { class: "why", open: true }, h("summary", null, h("h3", null, "Why? Step by step")), this.#steps),
      this.#code.element,
      h("details", { class: "why" }, h("summary", null, h("h3", null, "What is not modelled")), this.#not),
    );
    this.#log.build("Log of records", LOG_COLUMNS, (index) => (this.#report ? logRow(this.#report.rows[index]) : { cells: [] }));
    this.addEventListener("row-pick", (event) => this.#seek(/** @type {CustomEvent} */ (event).detail.index + 1));
    this.player.say = (position) => placeText(this.#report, position);
  }

  /** @param {boolean} stale */
  set stale(stale) {
    this.classList.toggle("is-stale", stale);
    this.#stale.hidden = !stale;
    this.#findings.blocked = stale ? STALE_APPLY : "";
    if (stale) this.player.pause();
  }

  /**
   * @param {EventTimeReport} report
   * @param {Finding[]} findings
   * @param {LanesChart | null} drawing
   * @param {number | null} at   where the player stands; null at the end
   */
  show(report, findings, drawing, at) {
    this.#report = report;
    // Without records there is nothing to draw.
    this.chart.hidden = drawing === null;
    if (drawing) this.chart.show(drawing, report.rows);
    const isDated = report.rows.some(({ record }) => record && isDate(record.time));
    const isClockDated = report.rows.some(({ at }) => isDate(at));
    this.#log.look = `${isDated ? "is-dated" : ""}${isClockDated ? " has-dated-clock" : ""}`;
    this.#log.count = report.rows.length;
    this.player.length = report.rows.length;
    if (!this.player.isPlaying) this.player.position = at ?? report.rows.length;
    this.position = this.player.position;
    patchChildren(this.#totals, totals(report));
    patchChildren(this.#sources, [sourceTable(report)]);
    patchChildren(this.#kept, [keptTable(report.kept)]);
    this.#findings.findings = findings;
    this.#steps.steps = report.steps.map(({ what, formula, values, source }) => ({ title: what, formula, numbers: values, result: null, source }));
    this.#code.show(report);
    setText(this.#basis, `Flink ${report.version}; rules checked on ${report.checkedOn}. The whole input, wherever the player stands.`);
    patchChildren(this.#not, report.notModelled.map((line) => h("li", null, prose(line))));
  }

  /** How wide the drawings of the state are. */
  get stateWidth() {
    if (!this.#open.isMeasured) this.#open.measure(this.#stateNote.clientWidth);
    if (!this.#bytes.isMeasured) this.#bytes.measure(this.#stateNote.clientWidth);
    return this.#open.drawWidth;
  }

  /** @param {EventStateCharts | null} charts  null: there is nothing to draw */
  showState(charts) {
    this.#open.hidden = this.#bytes.hidden = charts === null;
    if (!charts) return;
    this.#open.chart = charts.open;
    this.#bytes.chart = charts.kept;
  }

  /** What is on show up to a place of the player. */
  set position(/** @type {number} */ position) {
    if (!this.#report) return;
    this.#log.current = position - 1;
    patchChildren(this.#windows, [windowTable(this.#report, position)]);
    patchChildren(this.#late, [lateTable(this.#report, position)]);
  }

  /** @param {number} position */
  #seek(position) {
    this.player.pause();
    this.player.position = position;
    emit(this.player, "player-seek", { position });
  }
}

/** @param {EventTimeReport} report */
function totals({ totals: all, kept }) {
  const rows = /** @type {const} */ ([
    ["Records", all.events],
    ["On time", all.onTime],
    ["Late but counted", all.late],
    ["Dropped", all.dropped],
    ["In the side output", all.sideOutput],
    ["numLateRecordsDropped", all.numLateRecordsDropped],
    ["Results", all.firings],
    ["Of these again", all.refires],
    ["Behind the watermark", all.behindWatermark],
    ["Most windows open", all.openWindowsMax],
    ["Most copies in state", all.elementsMax],
    ["Most timers", all.timersMax],
  ]);
  const sizes = /** @type {const} */ ([
    ["Most bytes of heap", kept.peak.heap],
    ["Most bytes in RocksDB", kept.peak.rocksdb],
  ]);
  return [
    ...rows.map(([name, number]) => h("div", { "data-id": name }, h("dt", null, name), h("dd", null, count(number)))),
    ...sizes.map(([name, bytes]) => h("div", { "data-id": name }, h("dt", null, name), h("dd", { title: exactBytes(bytes) }, size(bytes)))),
  ];
}

/**
 * @param {string} title
 * @param {...Node} content
 */
function section(title, ...content) {
  return h("section", null, h("h3", null, title), content);
}
