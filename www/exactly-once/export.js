// @ts-check
/**
 * The answer as files.
 * @import { PlayParams, TransactionReport } from "../../src/web/transactions.ts"
 * @import { ExportKind } from "../elements/export-bar.js"
 * @import { Shown } from "./answer.js"
 * @import { ExactlyScenario } from "./codec.js"
 */

import { encodeWith } from "../codec.js";
import { download, pngOf } from "../download.js";
import { line } from "../event-time/csv.js";
import { EXACTLY_ONCE } from "./codec.js";

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

/**
 * @param {ExportKind} kind
 * @param {{ scenario: ExactlyScenario, play: PlayParams, shown: Shown }} answered
 */
export async function exportAs(kind, { scenario, play, shown }) {
  const name = `weir-exactly-once-${scenario.preset}`;
  if (kind === "csv") {
    download(`${name}.csv`, new Blob([traceCsv(shown.report)], { type: "text/csv" }));
  } else if (kind === "config") {
    const text = shown.configs.map((config) => `# ${config.name}\n${config.text}\n`).join("\n");
    download(`${name}.txt`, new Blob([text], { type: "text/plain" }));
  } else if (kind === "json") {
    const link = new URL(await encodeWith(EXACTLY_ONCE, scenario), location.href).href;
    download(`${name}.json`, new Blob([answerJson(play, shown, link)], { type: "application/json" }));
  } else if (shown.lanes) {
    const blob = kind === "png" ? await pngOf(shown.lanes) : new Blob([shown.lanes.svg], { type: "image/svg+xml" });
    download(`${name}.${kind}`, blob);
  }
}
