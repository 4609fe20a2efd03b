// @ts-check
import { emit, h, setText } from "../../dom.js";
import { download } from "../../download.js";
import { VirtualTable } from "../../elements/virtual-table.js";
import { count } from "../../format.js";
import { timeText } from "../time.js";
import { Pages } from "./log.js";

/**
 * @import { SideParams, SideRecord, SideText, WholeReport } from "../../../src/web/types.ts"
 * @import { Column } from "../../elements/virtual-table.js"
 *
 * @typedef {object} Source  what a stream answers; null where another one came meanwhile
 * @property {(params: SideParams) => Promise<SideRecord[] | null>} side
 * @property {(params: SideParams) => Promise<SideText | null>} csv
 */

/** Records of one file; more than that is no table any more. */
const EXPORTED_MAX = 1_000_000;
/** Records that the engine writes at once. */
const PIECE = 20_000;

/** @type {Column[]} */
const COLUMNS = [
  { id: "record", head: "Record" },
  { id: "key", head: "Key" },
  { id: "time", head: "Event time", class: "number" },
  { id: "watermark", head: "Watermark at arrival", class: "number" },
  { id: "missed", head: "Missed its last window by", class: "number" },
  { id: "origin", head: "Arrival, partition", class: "number" },
];

/**
 * The dropped and the late records of a stream: a list of any length, computed again as it comes into
 * sight, and a CSV of it.
 *
 * Method `show`. Event `record-pick`: `{ record }`, to be found in the log.
 */
export class StreamSide extends HTMLElement {
  /** @type {Source | null} */
  #source = null;
  #totals = { dropped: 0, late: 0 };
  #isSide = false;
  /** @type {Pages<SideRecord> | null} */
  #pages = null;
  #which = h("select", { id: "stream-side-which" }, h("option", { value: "dropped" }, "dropped"), h("option", { value: "late" }, "late but counted"));
  #note = h("p", { class: "quiet", "aria-live": "polite" });
  #list = new VirtualTable();
  #export = h("button", { type: "button" }, "These as CSV");

  connectedCallback() {
    if (this.childElementCount > 0) return;
    this.append(h("div", { class: "stream-why-at" }, h("label", { for: "stream-side-which" }, "Records that are"), this.#which), this.#note, this.#list, this.#export);
    this.#list.look = "is-stream is-results";
    this.#list.build("Dropped and late records", COLUMNS, (index) => cells(index, this.#pages?.at(index) ?? null));
    this.#which.addEventListener("change", () => this.#fill());
    this.#export.addEventListener("click", () => this.#write());
    this.#list.addEventListener("row-pick", (event) => {
      event.stopPropagation();
      const { index } = /** @type {CustomEvent} */ (event).detail;
      this.#list.current = index;
      const row = this.#pages?.at(index);
      if (row) emit(this, "record-pick", { record: row.record });
    });
  }

  /** Whether times are dates, which are longer. @param {boolean} isDated */
  set isDated(isDated) {
    this.#list.look = `is-stream is-results${isDated ? " is-dated" : ""}`;
  }

  /**
   * @param {WholeReport} report
   * @param {boolean} isSide  whether there is a side output
   * @param {Source} source
   */
  show({ totals: { dropped, late } }, isSide, source) {
    this.#source = source;
    this.#totals = { dropped, late };
    this.#isSide = isSide;
    this.#fill();
  }

  get #kind() {
    return /** @type {"dropped" | "late"} */ (this.#which.value);
  }

  #fill() {
    const source = this.#source;
    if (!source) return;
    const which = this.#kind;
    const all = this.#totals[which];
    this.#pages = new Pages((from, rows) => source.side({ which, from, count: rows }), () => (this.#list.count = this.#list.count));
    const went = which === "late" ? "A window that had fired took each within the allowed lateness, and fired again." : this.#isSide ? "They are the side output." : "numLateRecordsDropped counts them; with a side output they would be there.";
    const limit = all > EXPORTED_MAX ? ` The CSV has the first ${count(EXPORTED_MAX)}.` : "";
    setText(this.#note, all === 0 ? "None." : `${count(all)}, in order of arrival. ${went} Pick one to see it in the log.${limit}`);
    this.#list.hidden = this.#export.hidden = all === 0;
    this.#list.current = -1;
    this.#list.count = all;
  }

  async #write() {
    const source = this.#source;
    const which = this.#kind;
    const all = Math.min(this.#totals[which], EXPORTED_MAX);
    if (!source) return;
    this.#export.disabled = true;
    /** @type {string[]} */
    const pieces = [];
    for (let from = 0; from < all; ) {
      const part = await source.csv({ which, from, count: Math.min(PIECE, all - from) });
      if (!part || part.records === 0) break;
      pieces.push(part.text);
      from += part.records;
      setText(this.#export, `${count(from)} of ${count(all)} records`);
    }
    this.#export.disabled = false;
    setText(this.#export, "These as CSV");
    if (source === this.#source && pieces.length > 0) download(`weir-stream-${which}.csv`, new Blob(pieces, { type: "text/csv" }));
  }
}

/**
 * @param {number} index
 * @param {SideRecord | null} row
 */
function cells(index, row) {
  if (!row) return { class: "is-coming", cells: [`${count(index + 1)}.`, "…", "", "", "", ""] };
  const { record, keyName, time, watermark, missedBy, arrival, partitionName } = row;
  const origin = [arrival === null ? "" : timeText(arrival), partitionName === null ? "" : `partition ${partitionName}`].filter(Boolean);
  return {
    class: missedBy === null ? "is-late" : "is-dropped",
    cells: [count(record + 1), h("span", { title: keyName }, keyName), timeText(time), timeText(watermark), missedBy === null ? "counted" : timeText(missedBy), origin.join(", ") || "–"],
  };
}
