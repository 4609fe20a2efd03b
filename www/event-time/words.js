// @ts-check
/**
 * Between what is written and what the engine says: which field a path means, and how it is called.
 * @import { Finding, Problem } from "../../src/web/types.ts"
 * @import { EventScenario } from "./codec.js"
 * @import { EventColumn } from "./events.js"
 * @import { Durations, Question } from "./params.js"
 */

import { FIELDS } from "./fields.js";
import { unsigned } from "./params.js";
import { isSignal } from "./signals.js";

/**
 * The columns of the editor that count for these settings, and those that hold something.
 * @param {EventScenario} scenario
 * @returns {EventColumn[]}
 */
export function columnsOf({ settings, events }) {
  const isSplit = settings.partitions.trim() !== "1" || events.some((row) => row.partition.trim() !== "0" || isSignal(row));
  const isDynamic = settings.window === "dynamic" || events.some(({ value }) => value.trim() !== "");
  return ["id", "time", "arrival", "key", ...(isSplit ? /** @type {const} */ (["partition"]) : []), ...(isDynamic ? /** @type {const} */ (["value"]) : [])];
}

/**
 * @param {EventScenario} scenario
 * @param {Durations} durations
 */
export function readingsOf({ settings }, durations) {
  /** @type {Map<string, string>} */
  const readings = new Map();
  for (const { id, kind } of FIELDS) {
    const reading = kind === "duration" ? durations.get(unsigned(settings[id])) : undefined;
    const text = reading?.ok ? (reading.value.formatted ?? "") : "";
    if (text !== "" && text !== unsigned(settings[id])) readings.set(id, text);
  }
  return readings;
}

/**
 * A finding names fields of the params; the reader knows them by their labels, and durations by unit.
 * @param {Finding} finding
 * @param {EventScenario["settings"]} settings
 * @returns {Finding}
 */
export function inWords(finding, settings) {
  /** @param {string} path */
  const fieldOf = (path) => FIELDS.find((field) => field.path === path && (field.shown?.(settings) ?? true));
  const apply = finding.apply.flatMap(({ option, value }) => {
    const field = fieldOf(option);
    return field ? [{ option: field.label, value: field.kind === "duration" && value !== null ? `${value} ms` : value }] : [];
  });
  return { ...finding, option: fieldOf(finding.option ?? "")?.label ?? finding.option, apply };
}

/** @param {Question} question */
export function problemSentence({ problems, rows }) {
  const [first] = problems;
  if (first) return `${FIELDS.find(({ id }) => id === first[0])?.label ?? first[0]}: ${first[1]}`;
  const [[row, [, sentence]]] = rows;
  return `Record ${row + 1}: ${sentence}`;
}

/**
 * Puts a refusal of the engine at the field, or the record, that it names.
 * @param {Question} question
 * @param {EventScenario["settings"]} settings
 * @param {Problem} problem
 */
export function placeProblem({ problems, rows, order }, settings, { field, message }) {
  if (field === null) return;
  const item = /^input\[(\d+)\]/.exec(field)?.[1];
  if (item !== undefined) {
    rows.set(order[Number(item)], [/partition|subtask/.test(message) ? "partition" : "time", message]);
    return;
  }
  const near = FIELDS.filter(({ path, shown }) => (shown?.(settings) ?? true) && (path === field || path.startsWith(`${field}.`) || field.startsWith(`${path}.`)));
  const best = near.find(({ path }) => path === field) ?? near[near.length - 1];
  if (best) problems.set(best.id, message);
}
