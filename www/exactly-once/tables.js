// @ts-check
/**
 * The answers as tables: readers, timeouts, rules, a comparison with what is pinned. Numbers are the
 * engine's.
 * @import { LintReport, TimeoutReport, TransactionReport } from "../../src/web/transactions.ts"
 */

import { h, prose } from "../dom.js";
import { count, duration } from "../format.js";

/** @typedef {{ committed: TransactionReport, uncommitted: TransactionReport }} Readers   the same run, judged by each reader */

/** A time as a person would say it. @param {number | null} ms @param {string} [none] */
export function time(ms, none = "–") {
  return ms === null ? none : duration(ms);
}

/** Readers where nothing is called by an isolation level. @type {Record<string, Record<string, string>>} */
const READERS = {
  file: { read_committed: "finished files only", read_uncommitted: "all files" },
  table: { read_committed: "the table", read_uncommitted: "all data files" },
};

/** @param {Readers} readers @param {string} sink */
export function readersTable({ committed, uncommitted }, sink) {
  /**
   * @param {string} name
   * @param {TransactionReport} report
   * @param {number} seen
   * @param {string} blocked
   */
  const row = (name, report, seen, blocked) =>
    h("tr", { "data-id": name }, h("th", { scope: "row" }, READERS[sink]?.[name] ?? h("code", null, "read_", h("wbr"), name.replace("read_", ""))), cell(count(seen)), cell(count(report.duplicates)), cell(count(report.lost)), cell(blocked));
  return scroller(
    "What each reader has got",
    ["Reader", "Seen", "Duplicates", "Lost", "Longest held back"],
    [
      row("read_committed", committed, committed.consumerVisible.readCommitted, READERS[sink] ? "never" : time(committed.lsoBlockedMs)),
      row("read_uncommitted", uncommitted, uncommitted.consumerVisible.readUncommitted, "never"),
    ],
  );
}

/** @param {TimeoutReport} report */
export function worthTable({ worth }) {
  const rows = worth.map((row) =>
    h(
      "tr",
      { "data-id": row.timeoutMs, class: row.isPresent ? "is-current" : null },
      h("th", { scope: "row" }, time(row.timeoutMs), row.isPresent ? " (now)" : ""),
      cell(row.starts ? "yes" : "no"),
      cell(time(row.downtimeSurvivedMs, "none")),
      cell(row.failuresSurvived === null ? "none" : count(row.failuresSurvived)),
      cell(time(row.stallMaxMs)),
    ),
  );
  return scroller("What a timeout buys and costs", ["Timeout", "Starts", "Downtime survived", "Failed checkpoints survived", "Readers held back for at most"], rows);
}

/** @param {TimeoutReport} report */
export function knobsTable({ knobs }) {
  const rows = knobs.map((knob) => {
    const value = (/** @type {number | null} */ it) => (it === null ? "–" : knob.isCount ? count(it) : time(it));
    const limit = !knob.possible ? "no value keeps it safe" : knob.from !== null ? `at least ${value(knob.from)}` : `at most ${value(knob.to)}`;
    const option = knob.option ? h("div", { class: "quiet" }, h("code", null, knob.option)) : null;
    return h("tr", { "data-id": knob.field }, h("th", { scope: "row" }, knob.name, option), cell(knob.present === null ? "not known" : value(knob.present)), cell(limit));
  });
  return scroller("The values of each knob that keep the present timeout safe", ["Knob", "Now", "Safe"], rows);
}

/** @type {Record<string, string>} */
const OUTCOMES = { fires: "fires", holds: "holds", unknown: "not known", doesNotApply: "does not apply" };

/** @param {LintReport} report */
export function rulesTable({ rules }) {
  const rows = rules.map((rule) =>
    h(
      "tr",
      { "data-id": rule.id, class: `rule is-${rule.outcome}` },
      h("th", { scope: "row" }, rule.id),
      h("td", null, rule.outcome === "fires" ? h("strong", { class: `severity is-${rule.severity}` }, OUTCOMES.fires) : OUTCOMES[rule.outcome]),
      h("td", null, prose(rule.condition), h("div", { class: "quiet" }, prose(rule.numbers))),
    ),
  );
  return scroller("All rules", ["Rule", "Outcome", "Fires when"], rows);
}

/** @type {Record<string, string>} */
export const OUTCOME_WORDS = {
  job_fails_to_start: "The job does not start",
  restart_loop: "The job restarts for ever",
  data_loss: "Data is lost",
  duplicates: "Duplicates",
  stuck_consumers: "Readers are stuck",
  exactly_once: "Exactly once",
};

/**
 * @param {TransactionReport} a
 * @param {TransactionReport} b
 */
export function comparisonTable(a, b) {
  /** @type {[string, (report: TransactionReport) => number][]} */
  const numbers = [
    ["Committed", (report) => report.committedRecords],
    ["Duplicates", (report) => report.duplicates],
    ["Lost", (report) => report.lost],
    ["Undelivered", (report) => report.undelivered],
    ["Restarts after failures", (report) => report.autoRestarts],
  ];
  const rows = [
    h("tr", { "data-id": "outcome" }, h("th", { scope: "row" }, "Outcome"), h("td", null, OUTCOME_WORDS[a.outcome]), h("td", null, OUTCOME_WORDS[b.outcome])),
    ...numbers.map(([name, of]) => h("tr", { "data-id": name }, h("th", { scope: "row" }, name), cell(count(of(a))), cell(count(of(b))))),
    h("tr", { "data-id": "blocked" }, h("th", { scope: "row" }, "Readers held back"), cell(time(a.lsoBlockedMs)), cell(time(b.lsoBlockedMs))),
  ];
  return scroller("A and B", ["", "A, pinned", "B, now"], rows);
}

/** @param {string} text */
function cell(text) {
  return h("td", { class: "number" }, text);
}

/**
 * @param {string} name
 * @param {string[]} heads
 * @param {HTMLElement[]} rows
 */
function scroller(name, heads, rows) {
  const head = heads.map((text, at) => h("th", { scope: "col", class: at > 0 && rows[0]?.children[at]?.className === "number" ? "number" : null }, text));
  return h(
    "div",
    { class: "scroller", tabindex: 0, role: "region", "aria-label": name },
    h("table", { class: "plain" }, h("caption", { class: "off-screen" }, name), h("thead", null, h("tr", null, head)), h("tbody", null, rows)),
  );
}
