// @ts-check
import { emit, h, setText } from "../../dom.js";
import { download } from "../../download.js";
import { count } from "../../format.js";
import { patchChildren } from "../../patch.js";
import { line } from "../csv.js";
import { many } from "../log.js";
import { figures } from "../results.js";
import { timeText, windowText } from "../time.js";
import { problemSentence } from "../words.js";
import { VALUES } from "./script.js";

/**
 * @import { Assignment, KeyGroupReport } from "../../../src/web/types.ts"
 * @import { Ask } from "../../tools.js"
 * @import { Question } from "../params.js"
 * @import { Values } from "./script.js"
 */

/** Lines that are read and rows that are shown. */
const LINES_MAX = 5000;
const ROWS_MAX = 500;
const WINDOWS_SHOWN = 6;

/**
 * Timestamps to their windows and keys to their key groups, with the windows, key type and parallelism
 * of the settings on the page.
 *
 * Properties `ask`, `values`, `question`. Event `values-change`: `{ values, settled }`.
 */
export class PlacesOfValues extends HTMLElement {
  /** @type {Ask} */
  ask = async () => ({ ok: false, error: { code: "no_engine", message: "", field: null, option: null } });
  /** The job with records of these times, one each. @type {((times: string[]) => Question) | null} */
  #question = null;
  /** @type {Values} */
  #values = VALUES;
  /** @type {Assignment[]} */
  #assigned = [];
  /** @type {KeyGroupReport | null} */
  #placed = null;
  #turn = 0;
  #times = h("textarea", { id: "values-times", rows: 5, spellcheck: "false", "aria-describedby": "values-times-problem" });
  #keys = h("textarea", { id: "values-keys", rows: 5, spellcheck: "false", "aria-describedby": "values-keys-problem" });
  #gap = h("input", { type: "text", id: "values-gap", inputmode: "numeric", autocomplete: "off", "aria-describedby": "values-times-problem" });
  #gapRow = h("div", null, h("label", { for: "values-gap" }, "Gap of these records, ms"), this.#gap);
  #timesProblem = h("p", { class: "field-problem", id: "values-times-problem", role: "status", hidden: true });
  #keysProblem = h("p", { class: "field-problem", id: "values-keys-problem", role: "status", hidden: true });
  #windows = h("div");
  #groups = h("div");

  connectedCallback() {
    if (this.childElementCount > 0) return;
    this.append(
      h("p", { class: "quiet" }, "Assigner, size, offset and time zone, key type and parallelism are those of the settings on this page."),
      h("div", { class: "hand-row" },
        h("div", null, h("label", { for: "values-times" }, "Timestamps, one a line"), this.#times, this.#gapRow, this.#timesProblem),
        h("div", null, h("label", { for: "values-keys" }, "Keys, one a line"), this.#keys, this.#keysProblem)),
      h("h4", null, "Windows"),
      this.#windows,
      h("h4", null, "Key groups"),
      this.#groups,
      h("div", { class: "records-actions" },
        h("button", { type: "button", onclick: () => this.#saveWindows() }, "Windows as CSV"),
        h("button", { type: "button", onclick: () => this.#saveGroups() }, "Key groups as CSV")),
    );
    for (const type of ["input", "change"]) {
      for (const [name, field] of /** @type {const} */ ([["times", this.#times], ["keys", this.#keys], ["recordGap", this.#gap]])) {
        field.addEventListener(type, () => this.#change({ ...this.#values, [name]: field.value }, type === "change"));
      }
    }
    // Asked only where it is seen: the settings change with every edit of the page.
    this.closest("details")?.addEventListener("toggle", () => this.#update());
    this.#show();
  }

  /** @param {Values} values */
  set values(values) {
    if (values === this.#values) return;
    this.#values = values;
    this.#show();
    this.#update();
  }

  /** @param {(times: string[]) => Question} question */
  set question(question) {
    this.#question = question;
    this.#update();
  }

  /**
   * @param {Values} values
   * @param {boolean} settled
   */
  #change(values, settled) {
    this.values = values;
    emit(this, "values-change", { values, settled });
  }

  #show() {
    for (const [field, text] of /** @type {const} */ ([[this.#times, this.#values.times], [this.#keys, this.#values.keys], [this.#gap, this.#values.recordGap]])) {
      if (field.value !== text.replace(/\r\n?/g, "\n")) field.value = text;
    }
  }

  async #update() {
    if (!this.#question || this.closest("details")?.open === false) return;
    const turn = (this.#turn += 1);
    const times = linesOf(this.#values.times);
    const keys = linesOf(this.#values.keys);
    const { params, problems, rows } = this.#question(times.slice(0, LINES_MAX));
    const isDynamic = params.windows.assigner.kind === "dynamicSession";
    this.#gapRow.hidden = !isDynamic;
    const gap = this.#values.recordGap.trim();
    const [bad] = rows;
    const windowProblem =
      times.length > LINES_MAX ? `At most ${LINES_MAX} timestamps are read; these are ${times.length}.`
      : bad ? `Timestamp ${bad[0] + 1}: ${bad[1][1]}`
      : isDynamic && !/^-?\d{1,15}$/.test(gap) ? `Gap: “${gap.slice(0, 40)}” is not a whole number of milliseconds.`
      : problems.size > 0 ? problemSentence({ params, problems, rows, order: [] })
      : "";
    const { parallelism, maxParallelism, keyType, windows } = params;
    const [assigned, placed] = await Promise.all([
      windowProblem === "" ? this.ask("event_time/assignWindows", { assigner: windows.assigner, times: params.input.map(/** @param {any} item */ (item) => item.time), value: isDynamic ? Number(gap) : 1 }, "windows of values") : null,
      problems.size === 0 ? this.ask("event_time/assignKeyGroups", { parallelism, maxParallelism, keyType, keys }, "key groups of values") : null,
    ]);
    if (turn !== this.#turn) return;
    const problemOf = (/** @type {typeof placed} */ answer) => (answer && !answer.ok ? answer.error.message : "");
    this.#refuse(this.#times, this.#timesProblem, windowProblem || problemOf(assigned));
    this.#refuse(this.#keys, this.#keysProblem, problems.size > 0 ? problemSentence({ params, problems, rows, order: [] }) : problemOf(placed));
    if (assigned?.ok) this.#assigned = assigned.value;
    if (placed?.ok) this.#placed = placed.value;
    this.#windows.classList.toggle("is-stale", !assigned?.ok);
    this.#groups.classList.toggle("is-stale", !placed?.ok);
    patchChildren(this.#windows, windowsTable(this.#assigned));
    patchChildren(this.#groups, this.#placed ? groupsTable(this.#placed) : []);
  }

  /**
   * @param {HTMLElement} field
   * @param {HTMLElement} place
   * @param {string} sentence
   */
  #refuse(field, place, sentence) {
    setText(place, sentence);
    place.hidden = sentence === "";
    field.setAttribute("aria-invalid", String(sentence !== ""));
  }

  #saveWindows() {
    const rows = this.#assigned.flatMap(({ time, windows, error }) => (windows.length === 0 ? [[plain(time), "", "", error ?? "in no window"]] : windows.map(({ start, end }) => [plain(time), plain(start), plain(end), ""])));
    save("weir-windows.csv", ["timestamp", "window start", "window end", "problem"], rows);
  }

  #saveGroups() {
    const rows = (this.#placed?.places ?? []).map(({ key, hashCode, murmur, keyGroup, operatorIndex }) => [key, String(hashCode), String(murmur), String(keyGroup), String(operatorIndex)]);
    save("weir-key-groups.csv", ["key", "hashCode", "murmur hash", "key group", "subtask"], rows);
  }
}

/**
 * @param {string} name
 * @param {string[]} heads
 * @param {string[][]} rows
 */
function save(name, heads, rows) {
  download(name, new Blob([[heads, ...rows].map((row) => `${line(row)}\r\n`).join("")], { type: "text/csv" }));
}

/** @param {import("../../../src/web/types.ts").EventTime} time */
function plain(time) {
  if (time === null) return "Long.MIN_VALUE";
  return time === "endOfInput" ? "Long.MAX_VALUE" : String(time);
}

/** @param {string} text */
function linesOf(text) {
  return text.split(/\r\n|\n|\r/).map((one) => one.trim()).filter((one) => one !== "");
}

/** @param {Assignment[]} assigned */
function windowsTable(assigned) {
  const rows = assigned.slice(0, ROWS_MAX).map(({ time, windows, error }, index) => ({
    id: String(index),
    cells: [
      timeText(time),
      plain(time),
      error ? h("span", { class: "outcome is-failed" }, `the job fails: ${error}`) : windows.length === 0 ? "in no window" : windows.slice(0, WINDOWS_SHOWN).map((window) => windowText(window)).join(", ") + (windows.length > WINDOWS_SHOWN ? ` and ${count(windows.length - WINDOWS_SHOWN)} more` : ""),
      count(windows.length),
    ],
  }));
  if (rows.length === 0) return [h("p", { class: "quiet" }, "No timestamp yet.")];
  return [figures("Windows of the timestamps", ["Timestamp", "#In ms", "Windows, the latest first", "#How many"], rows), ...rest(assigned.length)];
}

/** @param {KeyGroupReport} report */
function groupsTable({ maxParallelism, places, subtasks }) {
  const rows = places.slice(0, ROWS_MAX).map(({ key, hashCode, murmur, keyGroup, operatorIndex }, index) => ({ id: String(index), cells: [key.slice(0, 80), count(hashCode), count(murmur), count(keyGroup), count(operatorIndex)] }));
  const spread = subtasks.slice(0, 50).map(({ operatorIndex, range, keys }) => `${count(operatorIndex)} has the key groups ${count(range.start)} to ${count(range.end)} and ${many(keys, "key")}`);
  return [
    ...(rows.length > 0 ? [figures("Key groups of the keys", ["Key", "#hashCode", "#Murmur hash", "#Key group", "#Subtask"], rows)] : [h("p", { class: "quiet" }, "No key yet.")]),
    ...rest(places.length),
    h("p", { class: "quiet" }, `Key group = murmur hash modulo ${count(maxParallelism)}, the maximum parallelism. Subtask ${spread.join("; ")}${subtasks.length > 50 ? `; and ${count(subtasks.length - 50)} more` : ""}.`),
  ];
}

/** @param {number} length */
function rest(length) {
  return length > ROWS_MAX ? [h("p", { class: "quiet" }, `and ${count(length - ROWS_MAX)} more; the CSV has all.`)] : [];
}
