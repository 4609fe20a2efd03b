// @ts-check
/**
 * Bytes that a window operator keeps, as a table. Nothing here listens, so that it can be patched.
 * @import { Bytes, KeptBytes, KeptReport } from "../../src/web/types.ts"
 */

import { h, prose } from "../dom.js";
import { exactBytes, figure, size } from "../format.js";
import { figures } from "./results.js";

const FUNCTIONS = { incremental: "One accumulator for each key and window.", full: "Every record, in each window that took it." };

/** @param {KeptReport} report */
export function keptTable(report) {
  /** @type {[string, string, KeptBytes | null][]} */
  const rows = [
    ["window", "One key and window with one record", report.oneWindow],
    ["record", "What its second record adds", report.secondRecord],
    ["timer", "One timer", report.oneTimer],
    ["peak", "The most at one time, counted", report.peak],
    ["predicted", report.predictedRatePerSecond === null ? "The most that the rules allow" : "The most, predicted from the rate", report.predicted],
    ["lateness", "Of the counted, what the allowed lateness adds", report.latenessAdds],
  ];
  const table = figures(
    "Bytes kept on either backend",
    ["What", "#Heap, HashMap backend", "#Keys and values, RocksDB"],
    rows.map(([id, name, bytes]) => ({ id, cells: [name, cell(bytes?.heap), cell(bytes?.rocksdb)] })),
  );
  const rate = report.predictedRatePerSecond;
  const none = report.predicted ? "" : " No formula says the most that the rules allow for this job.";
  const evenly = rate === null ? "" : ` Predicted is what the windows hold if records come evenly, ${figure(rate)} for each second of event time; bursts make it more.`;
  return h(
    "div",
    { class: "kept" },
    h("p", { class: "quiet" }, `${FUNCTIONS[report.function]}${none}${evenly} Beside it the registered states take `, h("span", { title: exactBytes(report.empty) }, size(report.empty)), " of heap without a key."),
    table,
    h("ul", { class: "bullets" }, report.assumptions.map((line) => h("li", null, prose(line)))),
  );
}

/** @param {Bytes | undefined} bytes */
function cell(bytes) {
  return bytes === undefined ? "–" : h("span", { title: exactBytes(bytes) }, size(bytes));
}
