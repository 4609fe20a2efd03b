// @ts-check
/**
 * The answer as files. Pure text.
 * @import { PlayParams, TransactionReport } from "../../src/web/transactions.ts"
 * @import { Shown } from "./answer.js"
 */

import { line } from "../event-time/csv.js";

const HEADS = ["time ms", "lane", "step", "job", "subtask", "checkpoint", "transactional id", "epoch", "records", "last stable offset", "what happens"];

/** @param {TransactionReport} report */
export function traceCsv({ trace }) {
  const rows = trace.map((step) => [step.atMs, step.actor, step.kind, step.job, step.subtask, step.checkpoint, step.transactionalId, step.epoch, step.records, step.stableOffset, step.text].map((cell) => String(cell ?? "")));
  return [HEADS, ...rows].map((cells) => `${line(cells)}\r\n`).join("");
}

/**
 * @param {PlayParams} play
 * @param {Shown} shown
 * @param {string} link
 */
export function answerJson(play, { report, times, lints, findings }, link) {
  return `${JSON.stringify({ play, report, times, lints, findings, link }, null, 2)}\n`;
}
