// @ts-check
import { h, setProse, setText } from "../../dom.js";
import { FindingList } from "../../elements/finding-list.js";
import { count } from "../../format.js";
import { table } from "../../panels/parts.js";
import { patchChildren } from "../../patch.js";
import { timeText } from "../time.js";

/**
 * @import { Answer, EventTimeSource, Finding, Moment, SourcePartition, StreamWhy as Report } from "../../../src/web/types.ts"
 */

const ROWS_MAX = 256;

/**
 * Why is there no output? After any record of a stream: who holds the watermark, since when, and what
 * the next firing needs.
 *
 * Methods `show`, `at`. Properties `blocked`, `words`: a finding with what it changes in the words of
 * the settings.
 */
export class StreamWhy extends HTMLElement {
  /** @type {(params: { records: number | null }) => Promise<Answer<Report> | null>} */
  #ask = async () => null;
  /** @type {(finding: Finding) => Finding} */
  words = (finding) => finding;
  #records = 0;
  #turn = 0;
  #place = h("input", { id: "stream-why-at", type: "text", inputmode: "numeric", autocomplete: "off", "aria-describedby": "stream-why-help stream-why-problem" });
  #end = h("button", { type: "button" }, "At the end");
  #problem = h("p", { class: "field-problem", id: "stream-why-problem", "aria-live": "polite", hidden: true });
  #verdict = h("p", { class: "why-verdict", "aria-live": "polite" });
  #facts = h("dl", { class: "totals" });
  #sources = h("div");
  #findings = new FindingList();

  connectedCallback() {
    if (this.childElementCount > 0) return;
    this.append(
      h("p", { class: "quiet", id: "stream-why-help" }, "After the record named here, or the one picked in the log: which partition of which source subtask holds the watermark, since when, and which timestamp the next firing still needs. Nothing is run again."),
      h("div", { class: "stream-why-at" }, h("label", { for: "stream-why-at" }, "After record"), this.#place, this.#end),
      this.#problem,
      this.#verdict,
      this.#facts,
      this.#sources,
      this.#findings,
    );
    this.#place.addEventListener("change", () => this.#read());
    this.#end.addEventListener("click", () => this.at(null));
  }

  /** Why its changes cannot be applied; empty: they can. @param {string} reason */
  set blocked(reason) {
    this.#findings.blocked = reason;
  }

  /**
   * Another stream, at its end.
   * @param {number} records
   * @param {(params: { records: number | null }) => Promise<Answer<Report> | null>} ask
   */
  show(records, ask) {
    this.#records = records;
    this.#ask = ask;
    return this.at(null);
  }

  #read() {
    const text = this.#place.value.replace(/[\s_\u00a0\u202f]/g, "");
    const isPlace = /^\d{1,15}$/.test(text) && Number(text) >= 1 && Number(text) <= this.#records;
    this.#problem.hidden = isPlace;
    this.#place.setAttribute("aria-invalid", String(!isPlace));
    if (isPlace) this.at(Number(text));
    else setText(this.#problem, `A record from 1 to ${count(this.#records)} is needed here.`);
  }

  /** @param {number | null} records  null: after all of them */
  async at(records) {
    const turn = (this.#turn += 1);
    this.#problem.hidden = true;
    this.#place.removeAttribute("aria-invalid");
    this.#place.value = count(records ?? this.#records);
    const answer = await this.#ask({ records });
    if (turn !== this.#turn || !answer) return;
    setProse(this.#verdict, answer.ok ? answer.value.verdict : answer.error.message);
    this.#verdict.classList.toggle("is-wrong", !answer.ok);
    for (const part of [this.#facts, this.#sources, this.#findings]) part.hidden = !answer.ok;
    if (!answer.ok) return;
    patchChildren(this.#facts, facts(answer.value));
    patchChildren(this.#sources, [sources(answer.value)]);
    this.#findings.findings = answer.findings.map((finding) => this.words(finding));
    this.#findings.hidden = answer.findings.length === 0;
    this.dataset.records = String(answer.value.records);
  }
}

/** @param {Report} report */
function facts({ watermark, since, hasClock, next, waiting, passed, held }) {
  /** @type {[string, string][]} */
  const rows = [
    ["Watermark", timeText(watermark)],
    ["It stands there since", since ? placeText(since, hasClock) : "–"],
    ["Next firing at watermark", next ? timeText(next.needsWatermark) : "–"],
    ["Timestamp needed for it", next ? timeText(next.needsTimestamp) : "–"],
    ["Windows of a key that wait", count(waiting)],
    ["Of these passed by the furthest source", count(passed)],
    ["Fired and kept for lateness", count(held)],
  ];
  return rows.map(([name, text]) => h("div", { "data-id": name }, h("dt", null, name), h("dd", null, text)));
}

/** @param {Report} report */
function sources({ sources: all, partitionNames, hasClock }) {
  const rows = all.flatMap((source) => {
    const { subtask, parts, watermark, since, idle, holdsBack } = source;
    if (parts.length === 0) return [{ id: `${subtask}`, cells: ["none", count(subtask), part(idle, holdsBack), timeText(watermark), since ? placeText(since, hasClock) : "never moved", "–", "–", "0"] }];
    return parts.map((one) => ({ id: `${subtask} ${one.partition}`, cells: cellsOf(source, one, partitionNames[one.partition] ?? String(one.partition), hasClock) }));
  });
  const heads = ["Partition", "Source subtask", "Part in the minimum", "#Watermark", "#Has not moved since", "#Highest timestamp", "#Last record", "#Records"];
  const rest = rows.length > ROWS_MAX ? h("p", { class: "quiet" }, `and ${count(rows.length - ROWS_MAX)} more; the JSON has all.`) : "";
  const shared = all.some(({ parts }) => parts.length > 1 && !parts[0].hasOwn)
    ? h("p", { class: "quiet" }, "Partitions that share a generator have no watermark of their own: it follows the highest timestamp of any of them.")
    : "";
  return h("div", null, table("Sources and their partitions", heads, rows.slice(0, ROWS_MAX)), rest, shared);
}

/**
 * @param {EventTimeSource} source
 * @param {SourcePartition} one
 * @param {string} name
 * @param {boolean} hasClock
 */
function cellsOf(source, one, name, hasClock) {
  const { events, highest, lastAt, hasOwn, watermark, since, idle, holdsBack } = one;
  // A generator that is shared stands in the row of each partition, for the subtask as a whole.
  const shared = hasOwn ? null : source;
  const moved = shared ? shared.since : since;
  return [
    h("span", { title: name }, name),
    count(source.subtask),
    part(shared ? shared.idle : idle, shared ? shared.holdsBack : holdsBack),
    shared ? `${timeText(shared.watermark)}, shared` : timeText(watermark),
    moved ? placeText(moved, hasClock) : "never moved",
    highest === null ? "–" : timeText(highest),
    lastAt ? placeText(lastAt, hasClock) : "never",
    count(events),
  ];
}

/**
 * @param {boolean} idle
 * @param {boolean} holdsBack
 */
function part(idle, holdsBack) {
  return h("span", { class: holdsBack && !idle ? "holds-back" : "quiet" }, idle ? "idle, left out" : holdsBack ? "holds the watermark back" : "does not hold it back");
}

/**
 * @param {Moment} moment
 * @param {boolean} hasClock
 */
function placeText({ place, at }, hasClock) {
  return hasClock ? `record ${count(place)}, ${timeText(at)}` : `record ${count(place)}`;
}
