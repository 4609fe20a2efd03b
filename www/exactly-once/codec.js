// @ts-check
/**
 * The scenario of the Exactly-once tool, and its part of the address: `intervalMs=5+min` for each
 * field that differs from the example, the faults as JSON in `faults`, or compressed in `z`, what is
 * pinned as A compressed in `a`, the step of the player in `at`, a search through all orders in `x`,
 * and the records and steps before the sink in `barriers`.
 * @import { FlinkVersion } from "../../src/web/types.ts"
 * @import { Codec, Param, ThemeChoice } from "../codec.js"
 * @import { Explored } from "./bounds.js"
 * @import { Fault } from "./fault-kinds.js"
 * @import { ExactlyPreset, Settings } from "./presets.js"
 */

import { decodeStepping } from "../checkpoints/stepper/codec.js";
import { COMPRESS_ABOVE_CHARS, DEFAULT_FLINK, deflate, notAValue, unpack } from "../codec.js";
import { boundsIn } from "./bounds.js";
import { FIELDS } from "./fields.js";
import { EXACTLY_PRESETS, USUAL } from "./presets.js";

/** What the engine takes at most. */
const FAULTS_MAX = 64;

/**
 * @typedef {{ settings: Settings, faults: Fault[] }} Situation
 *
 * @typedef {object} ExactlyScenario
 * @property {FlinkVersion} flink
 * @property {string} preset
 * @property {Settings} settings
 * @property {Fault[]} faults         in the order in which they happen
 * @property {number | null} at       where the player stands; null at the end
 * @property {Situation | null} pinned
 * @property {Explored | null} explored   the search through all orders; null while none is asked for
 * @property {string | null} barriers     the job and steps of the stepper before the sink; null while it is closed
 * @property {ThemeChoice} theme
 */

/** @type {Codec<ExactlyScenario, ExactlyPreset>} */
export const EXACTLY_ONCE = { tool: "exactly-once", presets: EXACTLY_PRESETS, scenarioOf, write, read };

/**
 * @param {ExactlyPreset} preset
 * @returns {ExactlyScenario}
 */
export function scenarioOf(preset) {
  return { flink: DEFAULT_FLINK, preset: preset.id, settings: { ...preset.settings }, faults: preset.faults, at: null, pinned: null, explored: null, barriers: preset.barriers ?? null, theme: null };
}

/** @param {string} id */
export function presetOf(id) {
  return EXACTLY_PRESETS.find((preset) => preset.id === id) ?? EXACTLY_PRESETS[0];
}

/**
 * @param {ExactlyScenario} scenario
 * @param {ExactlyPreset} preset
 * @returns {Promise<Param[]>}
 */
async function write({ settings, faults, at, pinned, explored, barriers }, preset) {
  const changed = FIELDS.filter(({ id }) => settings[id] !== preset.settings[id]);
  /** @type {Param[]} */
  const params = changed.map(({ id }) => [id, settings[id]]);
  const text = JSON.stringify(faults);
  if (text !== JSON.stringify(preset.faults)) {
    params.push(text.length > COMPRESS_ABOVE_CHARS ? ["z", await deflate(text)] : ["faults", text]);
  }
  if (pinned) params.push(["a", await deflate(JSON.stringify(pinned))]);
  if (at !== null) params.push(["at", String(at)]);
  if (explored) params.push(["x", JSON.stringify(explored)]);
  if (barriers !== (preset.barriers ?? null)) params.push(["barriers", barriers ?? "closed"]);
  return params;
}

/**
 * @param {Param[]} params
 * @param {ExactlyScenario} scenario
 * @param {string[]} problems
 * @returns {Promise<Param[]>}
 */
async function read(params, scenario, problems) {
  /** @type {Param[]} */
  const unknown = [];
  for (const [name, value] of params) {
    // Addresses of before say it by its old name.
    const key = name === "restartAttempts" ? "maxAutoRestarts" : name;
    const field = FIELDS.find(({ id }) => id === key);
    if (key === "faults") scenario.faults = faultsOr(value, scenario.faults, problems);
    else if (key === "z") scenario.faults = (await unpack(value, problems, faultsIn)) ?? scenario.faults;
    else if (key === "a") scenario.pinned = await unpack(value, problems, situationIn);
    else if (key === "x") scenario.explored = exploredOr(value, problems);
    else if (key === "barriers") scenario.barriers = value === "closed" ? null : barriersOr(value, problems);
    else if (key === "at" && /^[1-9]\d{0,5}$/.test(value)) scenario.at = Number(value);
    else if (!field) unknown.push([key, value]);
    else if (field.choices && !field.choices.some(([choice]) => choice === value)) problems.push(notAValue(key, value));
    else scenario.settings[key] = value;
  }
  return unknown;
}

/**
 * @param {string} text
 * @param {Fault[]} other
 * @param {string[]} problems
 */
function faultsOr(text, other, problems) {
  try {
    return faultsIn(text);
  } catch {
    problems.push("The faults of the address are damaged; those of the example are used.");
    return other;
  }
}

/**
 * What a fault means is the engine's to say; here it only has to be a list of them.
 * @param {string} text
 * @returns {Fault[]}
 */
export function faultsIn(text) {
  return asFaults(JSON.parse(text));
}

/** @param {unknown} faults @returns {Fault[]} */
function asFaults(faults) {
  const isList = Array.isArray(faults) && faults.length <= FAULTS_MAX;
  if (!isList || !faults.every((fault) => fault !== null && typeof fault === "object" && typeof fault.ev === "string")) throw new Error("no list of faults");
  return faults;
}

/**
 * @param {string} text
 * @param {string[]} problems
 * @returns {string | null}
 */
function barriersOr(text, problems) {
  if (decodeStepping(text)) return text;
  problems.push("The records and barriers of the address are damaged, and are not shown.");
  return null;
}

/**
 * @param {string} text
 * @param {string[]} problems
 * @returns {Explored | null}
 */
function exploredOr(text, problems) {
  try {
    const { bounds, way, step } = JSON.parse(text);
    return { bounds: boundsIn(bounds), way: typeof way === "string" ? way : null, step: Number.isInteger(step) && step > 0 ? step : 1 };
  } catch {
    problems.push("The search of the address is damaged, and is not run.");
    return null;
  }
}

/** @param {string} text @returns {Situation} */
function situationIn(text) {
  const { settings, faults } = JSON.parse(text);
  const known = FIELDS.map(({ id }) => [id, typeof settings?.[id] === "string" ? settings[id] : USUAL[id]]);
  return { settings: Object.fromEntries(known), faults: asFaults(faults) };
}
