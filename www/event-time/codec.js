// @ts-check
/**
 * The scenario of the Event time tool, and its part of the address: `size=1+h` for each field that
 * differs from the preset, and the records as CSV in `events`, or compressed in `z` where they are
 * long. `at` is the step of the player.
 * @import { FlinkVersion } from "../../src/web/types.ts"
 * @import { Codec, Param, ThemeChoice } from "../codec.js"
 * @import { EventPreset, EventRow, Settings } from "./presets.js"
 */

import { COMPRESS_ABOVE_CHARS, DEFAULT_FLINK, decodeWith, deflate, encodeWith, notAValue, unpack } from "../codec.js";
import { VALUE_KEYS, isOfHand, readHand, writeHand, writeValues } from "./by-hand/address.js";
import { EXAMPLES, VALUES } from "./by-hand/script.js";
import { csvOf, rowsIn } from "./csv.js";
import { FIELDS } from "./fields.js";
import { EVENT_TIME_PRESETS } from "./presets.js";
import { readStream, streamOf, writeStream } from "./streams/params.js";
import { streamPresetOf } from "./streams/presets.js";

/**
 * @typedef {object} EventScenario
 * @property {FlinkVersion} flink
 * @property {string} preset
 * @property {Settings} settings
 * @property {EventRow[]} events   in the order they are listed; the engine is asked in order of arrival
 * @property {number[]} restore  after which steps it is restored from a savepoint; rows of restores are no steps
 * @property {import("./by-hand/script.js").Hand} hand  the script of signals
 * @property {import("./by-hand/script.js").Values} values  timestamps and keys to be placed
 * @property {number | null} at    where the player stands; null at the end
 * @property {import("./streams/params.js").StreamScenario | null} stream  null: record by record
 * @property {EventScenario | null} pinned  what it is compared with, as A; has no pinned one of its own
 * @property {ThemeChoice} theme
 */

/** A step of the player. */
const STEP = /^[1-9]\d{0,8}$/;

/** @type {Codec<EventScenario, EventPreset>} */
export const EVENT_TIME = { tool: "event-time", presets: EVENT_TIME_PRESETS, scenarioOf, write, read };

/**
 * @param {EventPreset} preset
 * @returns {EventScenario}
 */
export function scenarioOf(preset) {
  return { flink: DEFAULT_FLINK, preset: preset.id, settings: { ...preset.settings }, events: preset.events, restore: [], hand: EXAMPLES.inputs, values: VALUES, at: null, stream: null, pinned: null, theme: null };
}

/**
 * @param {string} id
 * @returns {EventPreset}
 */
export function presetOf(id) {
  return EVENT_TIME_PRESETS.find((preset) => preset.id === id) ?? EVENT_TIME_PRESETS[0];
}

/**
 * What the fields are set back to: an example of streams has settings of its own.
 * @param {EventPreset} preset
 * @param {EventScenario["stream"]} stream
 * @returns {EventPreset}
 */
export function baseOf(preset, stream) {
  return stream ? { ...preset, settings: { ...preset.settings, ...streamPresetOf(stream.preset).settings } } : preset;
}

/**
 * The scenario of an example of streams; null has the records of the first example back.
 * @param {EventScenario} scenario
 * @param {string | null} id
 * @returns {EventScenario}
 */
export function streamFrom({ flink, theme, pinned }, id) {
  const first = presetOf("");
  const stream = id === null ? null : streamOf(id);
  return { ...scenarioOf(first), settings: { ...baseOf(first, stream).settings }, stream, flink, theme, pinned };
}

/**
 * @param {EventScenario} scenario
 * @param {EventPreset} preset
 * @returns {Promise<Param[]>}
 */
async function write({ settings, events, restore, hand, values, at, stream, pinned }, preset) {
  const base = baseOf(preset, stream).settings;
  const changed = FIELDS.filter(({ id }) => settings[id] !== base[id]);
  /** @type {Param[]} */
  const params = changed.map(({ id }) => [id, settings[id]]);
  const text = csvOf(events);
  const isLong = text.length > COMPRESS_ABOVE_CHARS;
  if (text !== csvOf(preset.events)) params.push(isLong ? ["z", await deflate(text)] : ["events", text]);
  if (restore.length > 0) params.push(["restore", restore.join(",")]);
  params.push(...writeHand(hand), ...writeValues(values));
  if (at !== null) params.push(["at", String(at)]);
  params.push(...writeStream(stream));
  if (pinned) params.push(["pin", await encodeWith(EVENT_TIME, pinned)]);
  return params;
}

/**
 * Only what the job is: a pinned scenario has no place of the player, theme or pinned one.
 * @param {EventScenario} scenario
 * @returns {EventScenario}
 */
export function pinOf({ flink, preset, settings, events, restore, stream }) {
  return { flink, preset, settings, events, restore, hand: EXAMPLES.inputs, values: VALUES, at: null, stream, pinned: null, theme: null };
}

/**
 * @param {string} hash
 * @param {string[]} problems
 */
async function unpin(hash, problems) {
  // The address in an address in an address is not looked at.
  const [path, ...query] = hash.split("?");
  const own = query.join("?").split("&").filter((part) => !part.startsWith("pin="));
  const decoded = await decodeWith(EVENT_TIME, `${path}?${own.join("&")}`);
  problems.push(...decoded.problems.map((problem) => `Pinned as A: ${problem}`));
  return pinOf(decoded.scenario);
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
  const { stream, rest } = readStream(params, problems);
  scenario.stream = stream;
  Object.assign(scenario.settings, baseOf(presetOf(scenario.preset), stream).settings);
  for (const [key, value] of rest) {
    const field = FIELDS.find(({ id }) => id === key);
    if (key === "z") scenario.events = (await unpack(value, problems, rowsIn)) ?? scenario.events;
    else if (key === "events") scenario.events = rowsIn(value);
    else if (key === "pin") scenario.pinned = await unpin(value, problems);
    else if (key === "restore" && value.split(",").every((step) => STEP.test(step))) scenario.restore = value.split(",").map(Number);
    else if (isOfHand(key, value)) scenario.hand = readHand(scenario.hand, key, value);
    else if (VALUE_KEYS.includes(key)) scenario.values = { ...scenario.values, [key]: value };
    else if (key === "at" && STEP.test(value)) scenario.at = Number(value);
    else if (!field) unknown.push([key, value]);
    else if (field.choices && !field.choices.some(([choice]) => choice === value)) problems.push(notAValue(key, value));
    else scenario.settings[key] = value;
  }
  return unknown;
}
