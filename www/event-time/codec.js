// @ts-check
/**
 * The scenario of the Event time tool, and its part of the address: `size=1+h` for each field that
 * differs from the preset, and the records as CSV in `events`, or compressed in `z` where they are
 * long. `at` is the step of the player.
 * @import { FlinkVersion } from "../../src/web/types.ts"
 * @import { Codec, Param, ThemeChoice } from "../codec.js"
 * @import { EventPreset, EventRow, Settings } from "./presets.js"
 */

import { COMPRESS_ABOVE_CHARS, DEFAULT_FLINK, deflate, notAValue, unpack } from "../codec.js";
import { csvOf, rowsIn } from "./csv.js";
import { FIELDS } from "./fields.js";
import { EVENT_TIME_PRESETS } from "./presets.js";

/**
 * @typedef {object} EventScenario
 * @property {FlinkVersion} flink
 * @property {string} preset
 * @property {Settings} settings
 * @property {EventRow[]} events   in the order they are listed; the engine is asked in order of arrival
 * @property {number | null} at    where the player stands; null at the end
 * @property {ThemeChoice} theme
 */

/** @type {Codec<EventScenario, EventPreset>} */
export const EVENT_TIME = { tool: "event-time", presets: EVENT_TIME_PRESETS, scenarioOf, write, read };

/**
 * @param {EventPreset} preset
 * @returns {EventScenario}
 */
export function scenarioOf(preset) {
  return { flink: DEFAULT_FLINK, preset: preset.id, settings: { ...preset.settings }, events: preset.events, at: null, theme: null };
}

/**
 * @param {string} id
 * @returns {EventPreset}
 */
export function presetOf(id) {
  return EVENT_TIME_PRESETS.find((preset) => preset.id === id) ?? EVENT_TIME_PRESETS[0];
}

/**
 * @param {EventScenario} scenario
 * @param {EventPreset} preset
 * @returns {Promise<Param[]>}
 */
async function write({ settings, events, at }, preset) {
  const changed = FIELDS.filter(({ id }) => settings[id] !== preset.settings[id]);
  /** @type {Param[]} */
  const params = changed.map(({ id }) => [id, settings[id]]);
  const text = csvOf(events);
  const isLong = text.length > COMPRESS_ABOVE_CHARS;
  if (text !== csvOf(preset.events)) params.push(isLong ? ["z", await deflate(text)] : ["events", text]);
  if (at !== null) params.push(["at", String(at)]);
  return params;
}

/**
 * @param {Param[]} params
 * @param {EventScenario} scenario
 * @param {string[]} problems
 * @returns {Promise<Param[]>}
 */
async function read(params, scenario, problems) {
  /** @type {Param[]} */
  const unknown = [];
  for (const [key, value] of params) {
    const field = FIELDS.find(({ id }) => id === key);
    if (key === "z") scenario.events = (await unpack(value, problems, rowsIn)) ?? scenario.events;
    else if (key === "events") scenario.events = rowsIn(value);
    else if (key === "at" && /^[1-9]\d{0,8}$/.test(value)) scenario.at = Number(value);
    else if (!field) unknown.push([key, value]);
    else if (field.choices && !field.choices.some(([choice]) => choice === value)) problems.push(notAValue(key, value));
    else scenario.settings[key] = value;
  }
  return unknown;
}
