// @ts-check
/**
 * The answer as files. Pure text.
 * @import { Finding } from "../../src/web/types.ts"
 * @import { CheckpointReport } from "../../src/web/checkpoints.ts"
 * @import { CheckpointScenario } from "./codec.js"
 */

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
export function subtasksCsv({ checkpoints }) {
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
export function answerJson({ flink, settings }, params, report, findings, link) {
  return `${JSON.stringify({ scenario: { flink, settings }, params, report, findings, link }, null, 2)}\n`;
}
