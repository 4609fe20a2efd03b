// @ts-check
/**
 * Rows of a long log and of its results. The engine computes a row when it comes into sight, so a row
 * is empty for the moment that takes.
 * @import { RunResults, StreamRow } from "../../../src/web/types.ts"
 * @import { Column } from "../../elements/virtual-table.js"
 * @import { StreamRun } from "./run.js"
 */

import { h } from "../../dom.js";
import { count } from "../../format.js";
import { STATUS, many } from "../log.js";
import { timeText, windowText } from "../time.js";

/** Rows that are asked for at once. */
const PAGE = 64;
/** Pages that are kept. */
const PAGES_MAX = 40;

/** @type {Column[]} */
export const ROW_COLUMNS = [
  { id: "record", head: "Record" },
  { id: "key", head: "Key" },
  { id: "time", head: "Event time", class: "number" },
  { id: "watermark", head: "Watermark at arrival", class: "number" },
  { id: "outcome", head: "Processing outcome", class: "wide" },
  { id: "state", head: "State impact", class: "wide" },
];

/** What of a record's origin is known: a file says what it says. */
const ARRIVAL = { id: "arrival", head: "Arrival", class: "number" };
const PARTITION = { id: "partition", head: "Partition" };

/**
 * The columns for a log of rows like this one.
 * @param {StreamRow | null} row
 * @returns {Column[]}
 */
export function columnsFor(row) {
  const arrival = row && row.arrival !== null ? [ARRIVAL] : [];
  return [...ROW_COLUMNS, ...arrival, ...(row && row.partitionName !== null ? [PARTITION] : [])];
}

/** @type {Column[]} */
export const RESULT_COLUMNS = [
  { id: "result", head: "Result" },
  { id: "key", head: "Key" },
  { id: "start", head: "Window start", class: "number" },
  { id: "end", head: "Window end", class: "number" },
  { id: "count", head: "Records", class: "number" },
  { id: "sum", head: "Sum, and which firing", class: "number" },
];

/** By the low two bits of an outcome. @type {[string, string][]} */
const OUTCOMES = [
  ["on-time", "on time"],
  ["late", "late but counted"],
  ["dropped", "dropped"],
  ["ignored", "in no window"],
];

/** @type {[string, string]} */
const DUPLICATE = ["ignored", "left out as a duplicate"];

/** The pages of a list that the engine computes, the newest wish first. @template T */
export class Pages {
  /** @type {Map<number, T[]>} */
  #pages = new Map();
  #isAsking = false;
  /** @type {number | null} */
  #wish = null;

  /**
   * @param {(from: number, count: number) => Promise<T[] | null>} ask
   * @param {() => void} came
   */
  constructor(ask, came) {
    this.ask = ask;
    this.came = came;
  }

  /** Null while it is on its way. @param {number} index @returns {T | null} */
  at(index) {
    const page = index - (index % PAGE);
    const rows = this.#pages.get(page);
    if (rows) return rows[index - page] ?? null;
    this.#wish = page;
    this.#next();
    return null;
  }

  async #next() {
    if (this.#isAsking) return;
    this.#isAsking = true;
    // What is asked for in one turn is drawn in one; the last wish is what is in sight.
    await null;
    while (this.#wish !== null) {
      const page = this.#wish;
      this.#wish = null;
      const rows = await this.ask(page, PAGE);
      if (!rows) break;
      if (this.#pages.size >= PAGES_MAX) this.#pages.clear();
      this.#pages.set(page, rows);
      this.came();
    }
    this.#isAsking = false;
  }
}

/**
 * @param {number} index
 * @param {StreamRow | null} row
 */
export function rowCells(index, row) {
  if (!row) return { class: "is-coming", cells: [count(index + 1), "…", "", "", "", ""] };
  const [mark, words] = row.outcome & 16 ? DUPLICATE : OUTCOMES[row.outcome & 3];
  const partly = row.outcome & 4 ? " by some windows" : "";
  const taken = row.windows.filter(({ status }) => status !== "expired");
  const windows = row.windows.map((window) => `${windowText(window)} ${STATUS[window.status]}`).join("; ");
  return {
    class: `is-${mark}`,
    cells: [
      count(index + 1),
      h("span", { title: row.keyName }, row.keyName),
      timeText(row.time),
      row.watermarkBefore === -Infinity ? "no watermark yet" : timeText(row.watermarkBefore),
      lines(h("span", { class: `outcome is-${mark}` }, `${words}${partly}`), effect(row), windows),
      lines(taken.length === 0 ? "nothing taken" : taken.length === 1 ? `into ${windowText(taken[0])}` : `into ${many(taken.length, "window")}`, `${many(row.resultsBefore, "result")} before`, windows),
      ...(row.arrival === null ? [] : [timeText(row.arrival)]),
      ...(row.partitionName === null ? [] : [h("span", { title: row.partitionName }, row.partitionName)]),
    ],
  };
}

/** @param {StreamRow} row */
function effect({ results, watermarkBefore, watermarkAfter, mergedFrom }) {
  const parts = [];
  if (mergedFrom.length > 1) parts.push(`merges ${many(mergedFrom.length, "session")}`);
  if (results.key.length > 0) parts.push(`fires ${many(results.key.length, "result")}`);
  if (watermarkAfter !== watermarkBefore) parts.push(`watermark ${timeText(watermarkAfter)}`);
  return parts.join(" · ");
}

/**
 * @param {Node | string} first
 * @param {string} second
 * @param {string} whole
 */
function lines(first, second, whole) {
  return h("div", { class: "lines", title: whole }, h("div", null, first), h("div", { class: "quiet" }, second));
}

/**
 * @param {RunResults} results
 * @param {number} index
 * @param {string} key
 */
export function resultCells(results, index, key) {
  const nth = results.nth[index];
  return {
    cells: [
      count(index + 1),
      h("span", { title: key }, key),
      results.start[index] === -Infinity ? "global window" : timeText(results.start[index]),
      results.end[index] === Infinity ? "no end" : timeText(results.end[index]),
      count(results.count[index]),
      lines(count(results.sum[index]), nth > 1 ? `firing ${count(nth)} of this window` : "", ""),
    ],
  };
}

/**
 * @param {StreamRun} run
 * @param {RunResults} results
 */
export async function resultsCsv(run, results) {
  const names = await run.call("names", results.key);
  const texts = names.ok ? names.value : [];
  /** @param {string} text */
  const cell = (text) => (/[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text);
  /** @param {number} ms */
  const time = (ms) => (Number.isFinite(ms) ? String(ms) : "");
  const rows = Array.from(results.key, (key, at) =>
    [cell(texts[at] ?? String(key)), time(results.start[at]), time(results.end[at]), results.count[at], results.sum[at], results.nth[at], time(results.watermark[at])].join(","),
  );
  return `key,window_start_ms,window_end_ms,records,sum,firing,watermark_ms\n${rows.join("\n")}\n`;
}
