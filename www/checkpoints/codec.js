// @ts-check
/**
 * The scenario of the Checkpoints tool, and its part of the address: a parameter for each field that
 * differs from the preset, `view` and `steps` for what is shown beside a simulation, `show` for the checkpoint on show, `order` for that of its subtasks, `at` for the player and `pin` for the
 * settings that are pinned as A.
 * @import { FlinkVersion } from "../../src/web/types.ts"
 * @import { Codec, Param, ThemeChoice } from "../codec.js"
 * @import { Settings } from "./fields.js"
 * @import { Order } from "./rows.js"
 * @import { CheckpointPreset } from "./presets.js"
 */

import { DEFAULT_FLINK, decodeWith, encodeWith, notAValue } from "../codec.js";
import { FIELDS, fieldsOf } from "./fields.js";
import { complete, isGraph, isGraphKey } from "./graph.js";
import { CHECKPOINT_PRESETS } from "./presets.js";

/**
 * @typedef {object} CheckpointScenario
 * @property {FlinkVersion} flink
 * @property {string} preset
 * @property {Settings} settings
 * @property {"simulate" | "steps" | "import"} view
 * @property {string} steps              the example that is stepped through, and its steps; empty for the first
 * @property {number | null} checkpoint  the one on show; null for the slowest
 * @property {Order} order               of its subtasks
 * @property {number | null} at          where the player stands; null where it opens
 * @property {Pinned | null} pinned      what is compared with, as A
 * @property {ThemeChoice} theme
 *
 * @typedef {Pick<CheckpointScenario, "flink" | "preset" | "settings">} Pinned
 */

/** @type {Codec<CheckpointScenario, CheckpointPreset>} */
export const CHECKPOINTS = { tool: "checkpoints", presets: CHECKPOINT_PRESETS, scenarioOf, write, read };

/**
 * @param {CheckpointPreset} preset
 * @returns {CheckpointScenario}
 */
export function scenarioOf(preset) {
  return { flink: DEFAULT_FLINK, preset: preset.id, settings: { ...preset.settings }, view: "simulate", steps: "", checkpoint: null, order: "given", at: null, pinned: null, theme: null };
}

/** @param {string} id */
export function presetOf(id) {
  return CHECKPOINT_PRESETS.find((preset) => preset.id === id) ?? CHECKPOINT_PRESETS[0];
}

/**
 * @param {CheckpointScenario} scenario
 * @param {CheckpointPreset} preset
 * @returns {Promise<Param[]>}
 */
async function write({ settings, view, steps, checkpoint, order, at, pinned }, preset) {
  const changed = fieldsOf(settings).filter(({ id, initial }) => settings[id] !== (preset.settings[id] ?? initial));
  /** @type {Param[]} */
  const params = changed.map(({ id }) => [id, settings[id]]);
  if (isGraph(settings)) params.push(["vertices", settings.vertices], ["edges", settings.edges]);
  if (view !== "simulate") params.push(["view", view]);
  if (steps !== "") params.push(["steps", steps]);
  if (checkpoint !== null) params.push(["show", String(checkpoint)]);
  if (order !== "given") params.push(["order", order]);
  if (at !== null) params.push(["at", String(at)]);
  if (pinned) params.push(["pin", await encodeWith(CHECKPOINTS, { ...scenarioOf(presetOf(pinned.preset)), ...pinned })]);
  return params;
}

/**
 * @param {Param[]} params
 * @param {CheckpointScenario} scenario
 * @param {string[]} problems
 * @returns {Promise<Param[]>}
 */
async function read(params, scenario, problems) {
  /** @type {Param[]} */
  const unknown = [];
  /** @type {Param[]} */
  const graph = [];
  for (const [key, value] of params) {
    const field = FIELDS.find(({ id }) => id === key);
    if (key === "pin") scenario.pinned = await unpin(value, problems);
    else if (key === "view" && (value === "steps" || value === "import")) scenario.view = value;
    else if (key === "steps") scenario.steps = value;
    else if (key === "show" && /^[1-9]\d{0,6}$/.test(value)) scenario.checkpoint = Number(value);
    else if (key === "order" && value === "slowest") scenario.order = value;
    else if (key === "at" && /^[1-9]\d{0,8}$/.test(value)) scenario.at = Number(value);
    else if (isGraphKey(key)) graph.push([key, value]);
    else if (!field) unknown.push([key, value]);
    else if (field.choices && !field.choices.some(([choice]) => choice === value)) problems.push(notAValue(key, value));
    else scenario.settings[key] = value;
  }
  if (isGraph(scenario.settings)) scenario.settings = graphOf(scenario.settings, graph, problems);
  else unknown.push(...graph);
  return unknown;
}

/**
 * @param {Settings} settings
 * @param {Param[]} params
 * @param {string[]} problems
 */
function graphOf(settings, params, problems) {
  const given = complete({ ...settings, ...Object.fromEntries(params) });
  for (const { id, choices, initial = "" } of fieldsOf(given)) {
    if (!choices || choices.some(([choice]) => choice === given[id])) continue;
    problems.push(notAValue(id, given[id]));
    given[id] = initial;
  }
  // Of vertices and edges that are not there nothing is kept.
  const known = new Set([...fieldsOf(given).map(({ id }) => id), "vertices", "edges"]);
  return Object.fromEntries(Object.entries(given).filter(([id]) => known.has(id)));
}

/**
 * @param {string} hash
 * @param {string[]} problems
 * @returns {Promise<Pinned>}
 */
async function unpin(hash, problems) {
  const inner = await decodeWith(CHECKPOINTS, hash);
  problems.push(...inner.problems);
  return pinnedOf(inner.scenario);
}

/**
 * @param {CheckpointScenario} scenario
 * @returns {Pinned}
 */
export function pinnedOf({ flink, preset, settings }) {
  return { flink, preset, settings };
}
