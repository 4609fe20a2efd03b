// @ts-check
/**
 * What the paste box shows of a text about transactions, and what is taken over from it.
 * @import { TransactionText } from "../../src/web/transactions.ts"
 * @import { ExactlyScenario } from "./codec.js"
 */

import { h, prose } from "../dom.js";
import { scenarioOf, presetOf } from "./codec.js";
import { FIELDS } from "./fields.js";

/** @type {Record<string, string>} */
const FATES = { lost: "The records are lost for read_committed readers.", kept: "No record is lost by this.", depends: "Whether records are lost, the text alone does not say.", nothing: "Nothing was written that could be lost." };

/**
 * The scenario that a text stands for: its situation, if it names one, with its settings.
 * @param {ExactlyScenario} scenario
 * @param {TransactionText} text
 * @returns {ExactlyScenario}
 */
export function takenOver(scenario, { settings, situation }) {
  const { flink, theme, pinned } = scenario;
  const base = situation ? { ...scenarioOf(presetOf(situation.preset)), flink, theme, pinned } : { ...scenario, settings: { ...scenario.settings } };
  for (const { field, value } of settings) {
    const known = FIELDS.find(({ id }) => id === field);
    if (known && (!known.choices || known.choices.some(([choice]) => choice === value))) base.settings[field] = value;
  }
  if (situation?.checkpoints) {
    base.settings.intervalMs = `${situation.checkpoints.intervalMs} ms`;
    base.settings.durationMs = `${situation.checkpoints.durationMs} ms`;
  }
  // The time that the text gives runs from the start of the transaction, a little before the crash.
  if (situation?.openMs) base.faults = base.faults.map((fault) => (fault.ev === "restore" ? { ...fault, afterMs: situation.openMs, from: "latest" } : fault));
  return base;
}

/** What a text says, for the panel that keeps it. @param {TransactionText} text */
export function textParts({ recognised, cause, also, facts, used, usedCount, ignored, ignoredCount }) {
  return [
    // Its cause has a heading of its own.
    h("p", null, recognised.replace(cause?.title ?? "", "").trim()),
    ...(cause
      ? [
          h("h4", null, cause.title),
          h("p", null, prose(cause.reason)),
          h("p", null, h("strong", null, FATES[cause.fate])),
          ...(cause.tell.length > 0 ? [h("ul", { class: "bullets" }, cause.tell.map((line) => h("li", null, prose(line))))] : []),
          h("p", null, prose(cause.action)),
          h("p", { class: "quiet" }, `${cause.decidedBy}. ${cause.source}`),
        ]
      : []),
    ...(also.length > 0 ? [h("p", { class: "quiet" }, `Also in it: ${also.map(({ title }) => title).join(" ")}`)] : []),
    ...(facts.length > 0 ? [h("dl", { class: "facts" }, facts.flatMap(({ name, value }) => [h("dt", null, name), h("dd", null, value)]))] : []),
    lines(`${usedCount} used`, used.map(({ line, text, what }) => [line, text, what])),
    lines(`${ignoredCount} not used`, ignored.map(({ line, text, reason }) => [line, text, reason])),
  ];
}

/**
 * @param {string} name
 * @param {[number, string, string][]} rows
 */
function lines(name, rows) {
  return h("details", { class: "why" }, h("summary", null, `Lines: ${name}`), h("ul", { class: "pasted" }, rows.map(([line, text, what]) => h("li", null, h("code", null, text), h("span", { class: "pasted-status" }, `line ${line}`), h("span", { class: "pasted-note" }, what)))));
}
