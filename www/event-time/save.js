// @ts-check
/**
 * The answer of the tool, saved as a file.
 * @import { EventTimeReport, Finding, LanesChart } from "../../src/web/types.ts"
 * @import { ExportKind } from "../elements/export-bar.js"
 * @import { EventScenario } from "./codec.js"
 * @import { Question } from "./params.js"
 */

import { encodeWith } from "../codec.js";
import { download, pngOf } from "../download.js";
import { EVENT_TIME } from "./codec.js";
import { answerJson, logCsv } from "./export.js";

/**
 * @param {ExportKind} kind
 * @param {{ scenario: EventScenario, question: Question, report: EventTimeReport, findings: Finding[], drawing: LanesChart | null }} answer
 */
export async function save(kind, { scenario, question, report, findings, drawing }) {
  const name = `weir-event-time-${scenario.preset}`;
  if (kind === "csv") {
    download(`${name}.csv`, new Blob([logCsv(report)], { type: "text/csv" }));
  } else if (kind === "json") {
    const link = new URL(await encodeWith(EVENT_TIME, scenario), location.href).href;
    download(`${name}.json`, new Blob([answerJson(scenario, question.params, report, findings, link)], { type: "application/json" }));
  } else if (drawing) {
    const blob = kind === "png" ? await pngOf(drawing) : new Blob([drawing.svg], { type: "image/svg+xml" });
    download(`${name}.${kind}`, blob);
  }
}
