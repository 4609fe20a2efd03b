// @ts-check
import { emit, h, prose, setProse, setText } from "../dom.js";
import { count } from "../format.js";
import { patchChildren } from "../patch.js";
import { many } from "./log.js";
import { figures } from "./results.js";
import { timeText, windowText } from "./time.js";

/**
 * @import { EventTimeAtReport, SourceAt, Stored } from "../../src/web/types.ts"
 */

/**
 * Where the job stands at the player's step: who holds the watermark, what fires next, what a
 * savepoint would hold, and a restore from it.
 *
 * Method `show`. Property `restores`. Event `restore-change`: `{ restore, at }`, all steps after which it
 * is restored, and where the player is to stand.
 */
export class EventMoment extends HTMLElement {
  /** @type {EventTimeAtReport | null} */
  #report = null;
  /** After which steps it is restored, and the rows that are restores. @type {{ steps: number[], rows: number[] }} */
  #restores = { steps: [], rows: [] };
  #verdict = h("p", { class: "moment-verdict" });
  #sources = h("div");
  #stored = h("div");
  #button = h("button", { type: "button", onclick: () => this.#press() }, "Restore here");
  #all = h("button", { type: "button", onclick: () => emit(this, "restore-change", { restore: [], at: null }) }, "Take back all restores");
  #said = h("p", { class: "quiet" });

  connectedCallback() {
    if (this.childElementCount > 0) return;
    this.append(
      h("h3", null, "At this step"),
      this.#verdict,
      this.#sources,
      h("div", { class: "records-actions" }, this.#button, this.#all),
      this.#said,
      h("details", { class: "why" }, h("summary", null, h("h4", null, "What a savepoint here holds")), this.#stored),
    );
  }

  /** @param {{ steps: number[], rows: number[] }} restores */
  set restores(restores) {
    this.#restores = restores;
    this.#label();
  }

  /** The step on show; the rows of restores before it are none. */
  get #step() {
    const rows = this.#report?.rows ?? 0;
    return rows - this.#restores.rows.filter((row) => row < rows).length;
  }

  /** @param {EventTimeAtReport} report */
  show(report) {
    this.#report = report;
    setProse(this.#verdict, report.verdict);
    patchChildren(this.#sources, [sourcesTable(report.sources)]);
    patchChildren(this.#stored, storedParts(report.stored));
    this.#label();
  }

  #label() {
    const { steps } = this.#restores;
    const isHere = steps.includes(this.#step);
    setText(this.#button, isHere ? `Take back the restore after step ${count(this.#step)}` : "Restore here");
    this.#button.disabled = !isHere && (this.#step === 0 || this.#report?.watermark === "endOfInput");
    this.#all.hidden = steps.length < 2 && (isHere || steps.length === 0);
    setText(this.#said, steps.length === 0 ? "Stops the job with a savepoint after this step and starts it from there at once: what follows runs on what was stored." : "The log has a row “restore” for each; what follows it runs on what the savepoint held.");
  }

  #press() {
    const { steps, rows } = this.#restores;
    const step = this.#step;
    const before = rows.filter((row) => row < (this.#report?.rows ?? 0)).length;
    if (steps.includes(step)) emit(this, "restore-change", { restore: steps.filter((one) => one !== step), at: null });
    else if (step > 0) emit(this, "restore-change", { restore: [...steps, step].sort((a, b) => a - b), at: step + before + 1 });
  }
}

/** @param {SourceAt[]} sources */
function sourcesTable(sources) {
  const rows = sources.slice(0, 100).map(({ subtask, partitions, watermark, idle, holdsBack, heldBy, since, needsTimestamp }) => ({
    id: String(subtask),
    cells: [
      count(subtask),
      partitions.length === 0 ? "none" : partitions.slice(0, 20).join(", "),
      timeText(watermark),
      h("span", { class: holdsBack ? "holds-back" : "quiet" }, idle ? "idle, left out" : holdsBack ? `${heldBy.length > 0 && heldBy.length < partitions.length ? `partition ${heldBy.slice(0, 3).join(", ")} ` : ""}holds it back since ${since === null || since === 0 ? "the start" : `step ${count(since + 1)}`}` : "does not hold it back"),
      needsTimestamp === null ? "–" : `${timeText(needsTimestamp)} or later`,
    ],
  }));
  return figures("Source subtasks at this step", ["Source subtask", "Partitions", "#Last watermark", "Part in the minimum", "#Still needs a record of"], rows);
}

/** @param {Stored} stored */
function storedParts({ windows, windowCount, timers, timerCount, ids, idCount, offsets, watermark, leftOut }) {
  return [
    h("p", null, [many(windowCount, "open window"), many(timerCount, "timer"), ...(idCount > 0 ? [many(idCount, "id")] : []), watermark === null ? "no watermark" : `the watermark ${timeText(watermark)} of SQL’s operator`].join(", "), "."),
    ...(windows.length > 0 ? [figures("Open windows in the savepoint", ["Window", "Key", "#Records"], windows.map(({ key, start, end, elements }) => ({ id: `${key} ${start} ${end}`, cells: [windowText({ start, end }), key, count(elements)] })))] : []),
    ...more(windowCount, windows.length),
    ...(timers.length > 0 ? [figures("Timers in the savepoint", ["Due at", "Clock", "Window", "Key"], timers.map(({ at, processing, key, start, end }, index) => ({ id: `${index}`, cells: [timeText(at), processing ? "processing time" : "event time", windowText({ start, end }), key] })))] : []),
    ...more(timerCount, timers.length),
    ...(ids.length > 0 ? [figures("Ids kept to leave duplicates out", ["Id", "#Forgotten at, processing time"], ids.map(({ id, until }) => ({ id, cells: [id, timeText(until)] })))] : []),
    ...more(idCount, ids.length),
    h("p", { class: "quiet" }, `Read so far: ${offsets.slice(0, 20).map(({ partition, records }) => `partition ${count(partition)} ${many(records, "record")}`).join(", ")}${offsets.length > 20 ? " and others" : ""}.`),
    h("h5", null, "Not in it"),
    h("ul", { class: "bullets" }, leftOut.map((line) => h("li", null, prose(line)))),
  ];
}

/**
 * @param {number} all
 * @param {number} listed
 */
function more(all, listed) {
  return all > listed ? [h("p", { class: "quiet" }, `and ${count(all - listed)} more.`)] : [];
}
