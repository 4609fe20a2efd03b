// @ts-check
/**
 * The scenario of the Memory tool, and its part of the address.
 *
 * `#/memory?v=1&flink=1.20&preset=stock&taskmanager.memory.process.size=4g&-some.key=&limit=2g`
 * holds only what differs from the preset. A parameter with a dot in its name is a configuration
 * key; `-key` removes a key of the preset; a key that would be taken for something else is written
 * with a leading dot. Long configurations travel as one compressed `z`. `panel=` names the panel on
 * show, and `w.keys=…` what its workload has instead of the panel's own example. `pin=` holds a
 * second scenario, to compare with, as an address of its own.
 * @import { FlinkVersion, Role } from "../src/web/types.ts"
 * @import { Codec, Param, ThemeChoice } from "./codec.js"
 */

import { COMPRESS_ABOVE_CHARS, DEFAULT_FLINK, decodeWith, deflate, encodeWith, notAValue, toolOf, unpack } from "./codec.js";
import { PRESETS } from "./presets.js";

/**
 * @typedef {object} Scenario
 * @property {FlinkVersion} flink
 * @property {string} preset
 * @property {Role} role
 * @property {Record<string, string>} config
 * @property {string | null} limit   the container's memory limit, as written
 * @property {boolean} startScript
 * @property {string} panel        `pools` for the answer itself
 * @property {Record<string, string>} workload  texts of a panel's fields that differ from its example
 * @property {ThemeChoice} theme
 * @property {Scenario | null} pinned   what it is compared with, as A; has no pinned one of its own
 *
 * @typedef {object} Preset
 * @property {string} id
 * @property {string} title
 * @property {string} look
 * @property {Role} role
 * @property {Record<string, string>} config
 * @property {string | null} containerLimit
 * @property {string} [panel]
 * @property {Record<string, string>} [workload]
 */

export { DECODED_BYTES_MAX } from "./codec.js";
export const PANEL_NAMES = ["pools", "limits", "rocksdb", "heap", "backends", "ttl", "slots", "network", "local"];
/** The panel that needs no name in the address. */
export const FIRST_PANEL = "pools";
const WORKLOAD = "w.";

/** @type {Codec<Scenario, Preset>} */
export const MEMORY = { tool: "memory", presets: PRESETS.memory, scenarioOf, write, read };

/**
 * @param {Preset} preset
 * @returns {Scenario}
 */
export function scenarioOf(preset) {
  return {
    flink: DEFAULT_FLINK,
    preset: preset.id,
    role: preset.role,
    config: { ...preset.config },
    limit: preset.containerLimit,
    startScript: true,
    panel: preset.panel ?? FIRST_PANEL,
    workload: { ...preset.workload },
    theme: null,
    pinned: null,
  };
}

/**
 * A copy of `config` with changes made; null removes. Safe for any key, `__proto__` too.
 * @param {Record<string, string>} config
 * @param {Iterable<readonly [string, string | null]>} changes
 * @returns {Record<string, string>}
 */
export function withChanges(config, changes) {
  const entries = new Map(Object.entries(config));
  for (const [key, value] of changes) {
    if (value === null) entries.delete(key);
    else entries.set(key, value);
  }
  return Object.fromEntries(entries);
}

/**
 * @param {string} tool
 * @param {Scenario} scenario
 * @param {Preset[]} presets
 * @param {Param[]} [unknown]
 */
export function encode(tool, scenario, presets, unknown = []) {
  return encodeWith({ ...MEMORY, tool, presets }, scenario, unknown);
}

/**
 * @param {string} hash
 * @param {Preset[]} presets
 */
export function decode(hash, presets) {
  return decodeWith({ ...MEMORY, presets }, hash);
}

/**
 * @param {Scenario} scenario
 * @param {Preset} preset
 * @returns {Promise<Param[]>}
 */
async function write(scenario, preset) {
  /** @type {Param[]} */
  const params = [];
  if (scenario.role !== preset.role) params.push(["role", scenario.role]);
  const changes = configParams(scenario.config, preset.config);
  const length = changes.reduce((sum, [key, value]) => sum + key.length + value.length + 2, 0);
  if (length > COMPRESS_ABOVE_CHARS) params.push(["z", await deflate(JSON.stringify(changes))]);
  else params.push(...changes);
  if ((scenario.limit ?? null) !== preset.containerLimit) params.push(["limit", scenario.limit ?? ""]);
  if (!scenario.startScript) params.push(["script", "off"]);
  if (scenario.panel !== (preset.panel ?? FIRST_PANEL)) params.push(["panel", scenario.panel]);
  params.push(...workloadParams(scenario.workload, preset.workload ?? {}));
  if (scenario.pinned) params.push(["pin", await encodeWith(MEMORY, scenario.pinned)]);
  return params;
}

/**
 * @param {Record<string, string>} config
 * @param {Record<string, string>} base
 * @returns {[string, string][]}
 */
function configParams(config, base) {
  const current = new Map(Object.entries(config));
  const before = new Map(Object.entries(base));
  /** @type {[string, string][]} */
  const params = [];
  for (const [key, value] of current) {
    if (before.get(key) !== value) params.push([paramOfKey(key), value]);
  }
  for (const key of before.keys()) {
    if (!current.has(key)) params.push([`-${key}`, ""]);
  }
  return params;
}

/** @param {string} key */
function paramOfKey(key) {
  return key.includes(".") && !/^[.-]|^w\./.test(key) ? key : `.${key}`;
}

/**
 * An empty text takes back what the preset says.
 * @param {Record<string, string>} workload
 * @param {Record<string, string>} base
 * @returns {[string, string][]}
 */
function workloadParams(workload, base) {
  const keys = new Set([...Object.keys(workload), ...Object.keys(base)]);
  return [...keys].filter((key) => workload[key] !== base[key]).map((key) => [`${WORKLOAD}${key}`, workload[key] ?? ""]);
}

/**
 * @param {Param[]} params
 * @param {Scenario} scenario
 * @param {string[]} problems
 * @returns {Promise<Param[]>}
 */
async function read(params, scenario, problems) {
  /** @type {Param[]} */
  const unknown = [];
  /** @type {[string, string | null][]} */
  let changes = [];
  /** @type {[string, string | null][]} */
  const described = [];
  for (const [key, value] of params) {
    if (key === "z") changes = changes.concat((await unpack(value, problems, changesOf)) ?? []);
    else if (key.startsWith(WORKLOAD)) described.push([key.slice(WORKLOAD.length), value === "" ? null : value]);
    else if (key === "pin") scenario.pinned = await unpin(value, problems);
    else if (isConfigParam(key)) changes.push(changeOf(key, value));
    else if (!takeKnown(key, value, scenario, problems)) unknown.push([key, value]);
  }
  scenario.config = withChanges(scenario.config, changes);
  scenario.workload = withChanges(scenario.workload, described);
  return unknown;
}

/**
 * What answers depend on: a pinned scenario has no panel, theme or pinned one of its own.
 * @param {Scenario} scenario
 * @returns {Scenario}
 */
export function pinOf(scenario) {
  const preset = PRESETS.memory.find(({ id }) => id === scenario.preset);
  return { ...scenario, panel: preset?.panel ?? FIRST_PANEL, theme: null, pinned: null };
}

/**
 * @param {string} hash
 * @param {string[]} problems
 */
async function unpin(hash, problems) {
  const tool = toolOf(hash);
  if (tool !== MEMORY.tool) {
    problems.push(tool === null ? "The address pins nothing that can be read; nothing is pinned." : `The address pins “${tool.slice(0, 40)}”, which is not Memory; nothing is pinned.`);
    return null;
  }
  // The address in an address in an address is not looked at.
  const [path, ...query] = hash.split("?");
  const own = query.join("?").split("&").filter((part) => !part.startsWith("pin="));
  const decoded = await decodeWith(MEMORY, `${path}?${own.join("&")}`);
  problems.push(...decoded.problems.map((problem) => `Pinned as A: ${problem}`));
  return pinOf(decoded.scenario);
}

/**
 * @param {string} key
 * @param {string} value
 * @param {Scenario} scenario
 * @param {string[]} problems
 * @returns {boolean} whether the key is one of ours
 */
function takeKnown(key, value, scenario, problems) {
  const bad = () => problems.push(notAValue(key, value));
  if (key === "role") {
    if (value === "taskmanager" || value === "jobmanager") scenario.role = value;
    else bad();
  } else if (key === "limit") {
    scenario.limit = value === "" ? null : value;
  } else if (key === "script") {
    if (value === "on" || value === "off") scenario.startScript = value === "on";
    else bad();
  } else if (key === "panel") {
    if (PANEL_NAMES.includes(value)) scenario.panel = value;
    else bad();
  } else {
    return false;
  }
  return true;
}

/** @param {string} key */
function isConfigParam(key) {
  return key.length > 1 && (key.includes(".") || key.startsWith("-"));
}

/**
 * @param {string} key
 * @param {string} value
 * @returns {[string, string | null]}
 */
function changeOf(key, value) {
  if (key.startsWith("-")) return [key.slice(1), null];
  return [key.startsWith(".") ? key.slice(1) : key, value];
}

/**
 * @param {string} text
 * @returns {[string, string | null][]}
 */
function changesOf(text) {
  const changes = JSON.parse(text);
  if (!Array.isArray(changes) || !changes.every(isPair)) throw new Error("not a list of settings");
  return changes.map(([key, value]) => changeOf(key, value));
}

/** @param {unknown} value */
function isPair(value) {
  return Array.isArray(value) && value.length === 2 && value.every((part) => typeof part === "string") && value[0] !== "";
}
