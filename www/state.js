// @ts-check
/**
 * The address: a scenario to a fragment and back. Pure apart from the browser's CompressionStream.
 *
 * `#/memory?v=1&flink=1.20&preset=stock&taskmanager.memory.process.size=4g&-some.key=&limit=2g`
 * holds only what differs from the preset. A parameter with a dot in its name is a configuration
 * key; `-key` removes a key of the preset; a key that would be taken for something else is written
 * with a leading dot. Long configurations travel as one compressed `z`. `panel=` names the panel on
 * show, and `w.keys=…` what its workload has instead of the panel's own example. `pin=` holds a
 * second scenario, to compare with, as an address of its own.
 * @import { FlinkVersion, Role } from "../src/web/types.ts"
 */

/**
 * @typedef {"light" | "dark" | null} ThemeChoice
 *
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
 *
 * @typedef {object} Decoded
 * @property {string | null} tool       null when the address names none
 * @property {Scenario} scenario
 * @property {[string, string][]} unknown  parameters of nobody, kept
 * @property {string[]} problems        sentences for the reader
 */

export const SCHEMA_VERSION = 1;
export const DEFAULT_FLINK = "1.20";
export const PANEL_NAMES = ["pools", "limits", "rocksdb", "heap", "backends", "ttl", "slots", "network"];
/** The panel that needs no name in the address. */
export const FIRST_PANEL = "pools";
const WORKLOAD = "w.";
export const VERSIONS = /** @type {readonly FlinkVersion[]} */ (["1.18", "1.20", "2.2"]);
/** Above this many characters the configuration is compressed. */
export const COMPRESS_ABOVE_CHARS = 200;
/** What a `z` may unpack to. */
export const DECODED_BYTES_MAX = 256 * 1024;
/** Past this many characters an address is no use; a file is. */
export const ADDRESS_CHARS_MAX = 8 * 1024;

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
 * @param {[string, string][]} [unknown]
 */
export async function encode(tool, scenario, presets, unknown = []) {
  const preset = presets.find((candidate) => candidate.id === scenario.preset) ?? presets[0];
  /** @type {[string, string][]} */
  const params = [["v", String(SCHEMA_VERSION)]];
  if (scenario.flink !== DEFAULT_FLINK) params.push(["flink", scenario.flink]);
  if (preset !== presets[0]) params.push(["preset", preset.id]);
  if (scenario.role !== preset.role) params.push(["role", scenario.role]);
  const changes = configParams(scenario.config, preset.config);
  const length = changes.reduce((sum, [key, value]) => sum + key.length + value.length + 2, 0);
  if (length > COMPRESS_ABOVE_CHARS) params.push(["z", await deflate(JSON.stringify(changes))]);
  else params.push(...changes);
  if ((scenario.limit ?? null) !== preset.containerLimit) params.push(["limit", scenario.limit ?? ""]);
  if (!scenario.startScript) params.push(["script", "off"]);
  if (scenario.panel !== (preset.panel ?? FIRST_PANEL)) params.push(["panel", scenario.panel]);
  params.push(...workloadParams(scenario.workload, preset.workload ?? {}));
  if (scenario.theme) params.push(["theme", scenario.theme]);
  if (scenario.pinned) params.push(["pin", await encode(tool, scenario.pinned, presets)]);
  params.push(...unknown);
  return `#/${tool}?${params.map(([key, value]) => `${quote(key)}=${quote(value)}`).join("&")}`;
}

/**
 * Percent-encodes what a fragment cannot hold, and leaves what reads well.
 * @param {string} text
 */
function quote(text) {
  return encodeURIComponent(wellFormed(text)).replace(/%2F/g, "/").replace(/%3A/g, ":").replace(/%20/g, "+");
}

/**
 * Half a surrogate pair would make encodeURIComponent throw.
 * @param {string} text
 */
function wellFormed(text) {
  return text.replace(/\p{Surrogate}/gu, "\ufffd");
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
 * Never throws: what cannot be read becomes a sentence in `problems`.
 * @param {string} hash
 * @param {Preset[]} presets
 * @returns {Promise<Decoded>}
 */
export async function decode(hash, presets) {
  /** @type {string[]} */
  const problems = [];
  const [path, query = ""] = split(hash.replace(/^#/, ""), "?");
  const tool = path.replace(/^\//, "") || null;
  const params = readParams(query);
  /** @param {string} name */
  const take = (name) => params.find(([key]) => key === name)?.[1];

  const presetId = take("preset");
  const preset = presets.find((candidate) => candidate.id === presetId) ?? presets[0];
  if (presetId !== undefined && preset.id !== presetId) {
    problems.push(`The address names a preset “${short(presetId)}” that does not exist; “${preset.title}” is shown.`);
  }
  const scenario = scenarioOf(preset);
  /** @type {[string, string][]} */
  const unknown = [];
  /** @type {[string, string | null][]} */
  let changes = [];
  /** @type {[string, string | null][]} */
  const described = [];
  for (const [key, value] of params) {
    if (key === "preset") continue;
    else if (key === "v") checkSchema(value, problems);
    else if (key === "z") changes = changes.concat(await unpack(value, problems));
    else if (key.startsWith(WORKLOAD)) described.push([key.slice(WORKLOAD.length), value === "" ? null : value]);
    else if (key === "pin") scenario.pinned = await unpin(value, presets, problems);
    else if (isConfigParam(key)) changes.push(changeOf(key, value));
    else if (!takeKnown(key, value, scenario, problems)) unknown.push([key, value]);
  }
  scenario.config = withChanges(scenario.config, changes);
  scenario.workload = withChanges(scenario.workload, described);
  if (unknown.length > 0) {
    const names = unknown.slice(0, 5).map(([key]) => `“${short(key)}”`).join(", ");
    problems.push(`The address has parameters Weir does not know, kept as they are: ${names}${unknown.length > 5 ? ", …" : ""}.`);
  }
  return { tool, scenario, unknown, problems: [...new Set(problems)] };
}

/**
 * Only what sizes the process: a pinned scenario has no panel, theme or pinned one of its own.
 * @param {Scenario} scenario
 * @returns {Scenario}
 */
export function pinOf({ flink, preset, role, config, limit, startScript }) {
  return { flink, preset, role, config, limit, startScript, panel: FIRST_PANEL, workload: {}, theme: null, pinned: null };
}

/**
 * @param {string} hash
 * @param {Preset[]} presets
 * @param {string[]} problems
 */
async function unpin(hash, presets, problems) {
  // The address in an address in an address is not looked at.
  const [path, query = ""] = split(hash, "?");
  const own = query.split("&").filter((part) => !part.startsWith("pin="));
  const decoded = await decode(`${path}?${own.join("&")}`, presets);
  problems.push(...decoded.problems.map((problem) => `Pinned as A: ${problem}`));
  return pinOf(decoded.scenario);
}

/**
 * @param {string} value
 * @param {string[]} problems
 */
function checkSchema(value, problems) {
  if (value !== String(SCHEMA_VERSION)) {
    const written = value.trim() === "" ? "names no version" : `is written in version ${short(value)}`;
    problems.push(`The address ${written} of the link format; this page reads version ${SCHEMA_VERSION}.`);
  }
}

/**
 * @param {string} key
 * @param {string} value
 * @param {Scenario} scenario
 * @param {string[]} problems
 * @returns {boolean} whether the key is one of ours
 */
function takeKnown(key, value, scenario, problems) {
  const bad = () => problems.push(`“${short(value)}” is not a value of “${key}” in the address; the default is used.`);
  if (key === "flink") {
    const version = VERSIONS.find((candidate) => candidate === value);
    if (version) scenario.flink = version;
    else bad();
  } else if (key === "role") {
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
  } else if (key === "theme") {
    if (value === "light" || value === "dark") scenario.theme = value;
    else if (value !== "auto") bad();
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
 * @param {string} separator
 * @returns {[string, string | undefined]}
 */
function split(text, separator) {
  const at = text.indexOf(separator);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + separator.length)];
}

/**
 * @param {string} query
 * @returns {[string, string][]}
 */
function readParams(query) {
  return query
    .split("&")
    .filter((part) => part !== "")
    .map((part) => {
      const [key, value = ""] = split(part, "=");
      return [unquote(key), unquote(value)];
    });
}

/** @param {string} text */
function unquote(text) {
  const spaced = text.replace(/\+/g, " ");
  try {
    return decodeURIComponent(spaced);
  } catch {
    return spaced;
  }
}

/** @param {string} text */
function short(text) {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}

/** @param {string} text */
async function deflate(text) {
  const packed = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(packed).arrayBuffer());
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

/**
 * @param {string} packed
 * @param {string[]} problems
 * @returns {Promise<[string, string | null][]>}
 */
async function unpack(packed, problems) {
  try {
    const changes = JSON.parse(await inflate(packed));
    if (!Array.isArray(changes) || !changes.every(isPair)) throw new Error("not a list of settings");
    return changes.map(([key, value]) => changeOf(key, value));
  } catch (error) {
    const reason = error instanceof RangeError ? error.message : "it is damaged";
    problems.push(`The compressed part of the address was not used: ${reason}.`);
    return [];
  }
}

/** @param {unknown} value */
function isPair(value) {
  return Array.isArray(value) && value.length === 2 && value.every((part) => typeof part === "string") && value[0] !== "";
}

/** @param {string} packed */
async function inflate(packed) {
  const binary = atob(packed.replace(/-/g, "+").replace(/_/g, "/"));
  const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  /** @type {Uint8Array<ArrayBuffer>[]} */
  const parts = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > DECODED_BYTES_MAX) {
      await reader.cancel().catch(() => {});
      throw new RangeError(`it unpacks to more than ${DECODED_BYTES_MAX / 1024} KiB`);
    }
    parts.push(value);
  }
  return new Blob(parts).text();
}
