// @ts-check
/**
 * The answer as files. Pure text.
 * @import { EventTime, EventTimeReport, Finding } from "../../src/web/types.ts"
 * @import { EventScenario } from "./codec.js"
 */

import { line } from "./csv.js";
import { firingsOf, textOf } from "./log.js";
import { windowText } from "./time.js";

const HEADS = ["event id", "key", "event time", "arrival time", "watermark at arrival", "processing outcome", "went to", "what followed", "firings", "open windows", "copies of records", "timers", "heap bytes", "RocksDB bytes", "watermark after"];

/** @param {EventTimeReport} report */
export function logCsv({ rows }) {
  const lines = rows.map((row) => {
    const { record } = row;
    return [
      record?.id ?? (row.item === null ? "clock" : "signal"),
      record?.key ?? "",
      plain(record?.time ?? null, record ? "" : "–"),
      String(row.at),
      plain(row.watermarkBefore),
      record?.outcome ?? "",
      record?.destination ?? "",
      textOf(row),
      firingsOf(row).map((firing) => `${windowText(firing)} ${firing.key} ${firing.count}`).join("; "),
      String(row.openWindows),
      String(row.elements),
      String(row.timers),
      String(row.kept.heap),
      String(row.kept.rocksdb),
      plain(row.watermarkAfter),
    ];
  });
  return [HEADS, ...lines].map((cells) => `${line(cells)}\r\n`).join("");
}

/**
 * The number itself, for programs; the ends by their names.
 * @param {EventTime} time
 * @param {string} [none]
 */
function plain(time, none = "no watermark yet") {
  if (time === null) return none;
  return time === "endOfInput" ? "end of input" : String(time);
}

/**
 * @param {EventScenario} scenario
 * @param {unknown} params
 * @param {EventTimeReport} report
 * @param {Finding[]} findings
 * @param {string} link
 */
export function answerJson({ flink, settings, events }, params, report, findings, link) {
  return `${JSON.stringify({ scenario: { flink, settings, events }, params, report, findings, link }, null, 2)}\n`;
}
