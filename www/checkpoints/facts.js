// @ts-check
/**
 * Facts of a run in words. Pure.
 * @import { CheckpointFacts, CheckpointReport } from "../../src/web/checkpoints.ts"
 */

import { duration } from "./tables.js";

/** @type {Record<string, string>} */
const WORDS = {
  triggered: "The coordinator triggers the checkpoint",
  barrierSent: "Barrier sent behind the records before it",
  barrierOvertook: "Barrier sent ahead of the records before it",
  barrierConverted: "The timeout is over: the barrier overtakes in its sender’s output",
  barrierArrived: "Barrier handled",
  channelBlocked: "Channel blocked until the other barriers come",
  channelUnblocked: "Channel read again",
  switchedToUnaligned: "Switched to unaligned: the snapshot does not wait for the other barriers",
  snapshotStarted: "Snapshot taken",
  acknowledged: "Acknowledged",
  completed: "The checkpoint is complete",
  failed: "The checkpoint failed",
  subtaskFailed: "The subtask failed",
  failureNoticed: "The JobManager notices the failure",
  restartFailed: "The restart fails: the lost TaskManager still counts as there",
  restarted: "The job runs again from this checkpoint",
  caughtUp: "The sources have caught up",
};

/**
 * @param {CheckpointFacts} facts
 * @param {number} row
 */
export function factWords({ kinds, kind }, row) {
  const name = kinds[kind[row]];
  return WORDS[name] ?? name;
}

/**
 * @param {CheckpointFacts} facts
 * @param {number} row
 * @param {number} since  [ms]
 */
export function factTime({ timeMs }, row, since) {
  return duration(Math.max(0, timeMs[row] - since));
}

/**
 * The task, or both ends of the channel.
 * @param {CheckpointFacts} facts
 * @param {number} row
 * @param {CheckpointReport} report
 */
export function whereOf({ task, channel, channelFrom, channelTo }, row, { tasks }) {
  /** @param {number} place */
  const name = (place) => (tasks[place] ? `${tasks[place].vertex} ${tasks[place].index}` : "");
  if (channel[row] >= 0) return `${name(channelFrom[channel[row]])} → ${name(channelTo[channel[row]])}`;
  return task[row] >= 0 ? name(task[row]) : "";
}
