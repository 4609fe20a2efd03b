// @ts-check
/**
 * The answer as files.
 * @import { Chart, Finding } from "../../src/web/types.ts"
 * @import { CheckpointFacts, CheckpointReport, CheckpointSeries } from "../../src/web/checkpoints.ts"
 * @import { ExportKind } from "../elements/export-bar.js"
 * @import { CheckpointScenario } from "./codec.js"
 * @import { Question } from "./params.js"
 * @import { CheckpointSimulation } from "./run.js"
 *
 * @typedef {object} Shown  what is on show, and the run it came from, which draws it
 * @property {CheckpointSimulation} run
 * @property {string} asked  the params, as a text
 * @property {CheckpointScenario} scenario
 * @property {Question} question
 * @property {CheckpointReport} report
 * @property {CheckpointFacts} facts
 * @property {Finding[]} findings
 */

import { encodeWith } from "../codec.js";
import { download, pngOf } from "../download.js";
import { CHECKPOINTS } from "./codec.js";

/**
 * Hands the reader the answer as a file.
 * @param {ExportKind} kind
 * @param {Shown} shown
 * @param {Chart | null} chart
 */
export async function saveAs(kind, { scenario, question, report, findings }, chart) {
  const name = `weir-checkpoints-${scenario.preset}`;
  if (kind === "csv") {
    download(`${name}.csv`, new Blob([subtasksCsv(report)], { type: "text/csv" }));
  } else if (kind === "json") {
    const link = new URL(await encodeWith(CHECKPOINTS, scenario), location.href).href;
    download(`${name}.json`, new Blob([answerJson(scenario, question.params, report, findings, link)], { type: "application/json" }));
  } else if (chart) {
    const blob = kind === "png" ? await pngOf(chart) : new Blob([chart.svg], { type: "image/svg+xml" });
    download(`${name}.${kind}`, blob);
  }
}

const HEADS = [
  "checkpoint",
  "status",
  "trigger_timestamp_ms",
  "vertex",
  "subtask",
  "end_to_end_duration",
  "start_delay",
  "alignment.duration",
  "alignment.processed",
  "alignment.persisted",
  "checkpoint.sync",
  "checkpoint.async",
  "state_size",
  "checkpointed_size",
  "unaligned_checkpoint",
  "subtask_status",
];

/**
 * A line for each subtask of each checkpoint, in ms and bytes.
 * @param {CheckpointReport} report
 */
function subtasksCsv({ checkpoints }) {
  const lines = checkpoints.flatMap(({ id, status, triggeredMs, subtasks }) =>
    subtasks.map((row) => [
      id,
      status,
      triggeredMs,
      quoted(row.vertex),
      row.index,
      row.endToEndMs,
      row.startDelayMs,
      row.alignmentMs,
      row.processedBytes,
      row.persistedBytes,
      row.syncMs,
      row.asyncMs,
      row.stateSize,
      row.checkpointedSize,
      row.unaligned,
      row.status,
    ]),
  );
  return [HEADS, ...lines].map((cells) => `${cells.join(",")}\r\n`).join("");
}

const SAMPLE_HEADS = [
  "time_ms",
  "checkpoints_in_progress",
  "source_records_per_s",
  "sink_records_per_s",
  "longest_latency_ms",
  "vertex",
  "subtask",
  "busyTimeMsPerSecond",
  "backPressuredTimeMsPerSecond",
  "idleTimeMsPerSecond",
  "numRecordsInPerSecond",
  "numRecordsOutPerSecond",
  "outputQueueLength",
  "outputQueueSize",
  "inputQueueLength",
  "inputQueueSize",
  "credits",
  "behind_ms",
  "debloatedBufferSize",
];

/**
 * A line for each subtask at each sample, in ms, bytes and records.
 * @param {CheckpointSeries} series
 * @param {CheckpointReport} report
 */
export function seriesCsv({ timeMs, running, sourceRecords, sinkRecords, latencyMs, tasks }, report) {
  const lines = [SAMPLE_HEADS.join(",")];
  const names = report.tasks.map(({ vertex, index }) => `${quoted(vertex)},${index}`);
  for (let row = 0; row < timeMs.length; row += 1) {
    const latency = Number.isNaN(latencyMs[row]) ? "" : latencyMs[row];
    const job = [timeMs[row], running[row], sourceRecords[row], sinkRecords[row], latency].join(",");
    tasks.forEach((it, at) => {
      const own = [it.busy, it.backpressured, it.idle, it.recordsIn, it.recordsOut, it.outputBuffers, it.outputBytes, it.inputBuffers, it.inputBytes, it.credits, it.behindMs, it.bufferBytes];
      lines.push(`${job},${names[at]},${own.map((column) => column[row]).join(",")}`);
    });
  }
  return `${lines.join("\r\n")}\r\n`;
}

/** @param {string} cell */
function quoted(cell) {
  return /[",\r\n]/.test(cell) ? `"${cell.replace(/"/g, '""')}"` : cell;
}

/**
 * @param {CheckpointScenario} scenario
 * @param {unknown} params
 * @param {CheckpointReport} report
 * @param {Finding[]} findings
 * @param {string} link
 */
function answerJson({ flink, settings }, params, report, findings, link) {
  return `${JSON.stringify({ scenario: { flink, settings }, params, report, findings, link }, null, 2)}\n`;
}
