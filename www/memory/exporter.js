// @ts-check
import { download, pngOf } from "../download.js";
import { PRESETS } from "../presets.js";
import { encode } from "../state.js";
import { jsonOf, leftOut } from "./export.js";

/**
 * @import { Chart } from "../../src/web/types.ts"
 * @import { ExportKind } from "../elements/export-bar.js"
 * @import { Scenario } from "../state.js"
 * @import { Ask } from "../tools.js"
 *
 * @typedef {object} Exportable  what is on show, as files
 * @property {Scenario} scenario
 * @property {string} subject    part of the file's name
 * @property {string} csv
 * @property {object} answer     what the engine said, by name
 * @property {Chart | null} chart
 */

/**
 * @param {Exclude<ExportKind, "config">} kind
 * @param {Exportable} shown
 */
export async function exportAnswer(kind, { scenario, subject, csv, answer, chart }) {
  const file = `weir-${subject}-${scenario.flink}.${kind}`;
  if (kind === "csv") {
    download(file, new Blob([csv], { type: "text/csv" }));
  } else if (kind === "json") {
    // The address bar may be a moment behind, or hold settings that give no answer.
    const link = new URL(await encode("memory", scenario, PRESETS.memory), location.href).href;
    download(file, new Blob([jsonOf(scenario, answer, link)], { type: "application/json" }));
  } else if (chart) {
    download(file, kind === "png" ? await pngOf(chart) : new Blob([chart.svg], { type: "image/svg+xml" }));
  }
}

/**
 * The settings as they are now, whether they start or not.
 * @param {Ask} ask
 * @param {Scenario} scenario
 * @returns {Promise<string>} what the file leaves out, or why there is none
 */
export async function exportConfig(ask, { flink: version, config }) {
  const answer = await ask("exportConfig", { version, config });
  if (!answer.ok) return answer.error.message;
  download(answer.value.fileName, new Blob([answer.value.text], { type: "text/yaml" }));
  return leftOut(answer.findings, version);
}
