// @ts-check
/**
 * The address: the scenario of a tool to a fragment and back. Pure apart from the browser's
 * CompressionStream.
 *
 * `#/TOOL?v=1&flink=2.2&preset=ID&…&theme=dark` holds only what differs from the preset. What stands
 * between the preset and the theme belongs to the tool, whose codec writes and reads it.
 * @import { FlinkVersion } from "../src/web/types.ts"
 */

/**
 * @typedef {"light" | "dark" | null} ThemeChoice
 * @typedef {[string, string]} Param
 *
 * @typedef {object} Shared        what every scenario has
 * @property {FlinkVersion} flink
 * @property {string} preset       its id
 * @property {ThemeChoice} theme
 */

/**
 * @template {Shared} S
 * @template {{ id: string, title: string }} P
 * @typedef {object} Codec
 * @property {string} tool         its name in the address
 * @property {P[]} presets         the first needs no name in the address
 * @property {(preset: P) => S} scenarioOf
 * @property {(scenario: S, preset: P) => Promise<Param[]>} write   what differs from the preset
 * @property {(params: Param[], scenario: S, problems: string[]) => Promise<Param[]>} read
 *   puts them into the scenario, and gives back those it does not know
 */

/**
 * @template {Shared} S
 * @typedef {object} Decoded
 * @property {string | null} tool  null when the address names none
 * @property {S} scenario
 * @property {Param[]} unknown     parameters of nobody, kept
 * @property {string[]} problems   sentences for the reader
 */

export const SCHEMA_VERSION = 1;
export const DEFAULT_FLINK = "1.20";
export const VERSIONS = /** @type {readonly FlinkVersion[]} */ (["1.18", "1.20", "2.2"]);
/** Above this many characters a part of the address is compressed. */
export const COMPRESS_ABOVE_CHARS = 200;
/** What a compressed part may unpack to. */
export const DECODED_BYTES_MAX = 256 * 1024;
/** Past this many characters an address is no use; a file is. */
export const ADDRESS_CHARS_MAX = 8 * 1024;

/**
 * The tool an address names.
 * @param {string} hash
 */
export function toolOf(hash) {
  return split(hash.replace(/^#/, ""), "?")[0].replace(/^\//, "") || null;
}

/**
 * @template {Shared} S
 * @template {{ id: string, title: string }} P
 * @param {Codec<S, P>} codec
 * @param {S} scenario
 * @param {Param[]} [unknown]
 */
export async function encodeWith(codec, scenario, unknown = []) {
  const preset = codec.presets.find(({ id }) => id === scenario.preset) ?? codec.presets[0];
  /** @type {Param[]} */
  const params = [["v", String(SCHEMA_VERSION)]];
  if (scenario.flink !== DEFAULT_FLINK) params.push(["flink", scenario.flink]);
  if (preset !== codec.presets[0]) params.push(["preset", preset.id]);
  params.push(...(await codec.write(scenario, preset)));
  if (scenario.theme) params.push(["theme", scenario.theme]);
  params.push(...unknown);
  return `#/${codec.tool}?${params.map(([key, value]) => `${quote(key)}=${quote(value)}`).join("&")}`;
}

/**
 * Never throws: what cannot be read becomes a sentence in `problems`.
 * @template {Shared} S
 * @template {{ id: string, title: string }} P
 * @param {Codec<S, P>} codec
 * @param {string} hash
 * @returns {Promise<Decoded<S>>}
 */
export async function decodeWith(codec, hash) {
  /** @type {string[]} */
  const problems = [];
  const params = readParams(split(hash.replace(/^#/, ""), "?")[1] ?? "");
  const presetId = params.find(([key]) => key === "preset")?.[1];
  const preset = codec.presets.find(({ id }) => id === presetId) ?? codec.presets[0];
  if (presetId !== undefined && preset.id !== presetId) {
    problems.push(`The address names a preset “${short(presetId)}” that does not exist; “${preset.title}” is shown.`);
  }
  const scenario = codec.scenarioOf(preset);
  /** @type {Param[]} */
  const own = [];
  for (const [key, value] of params) {
    if (key === "preset") continue;
    else if (key === "v") checkSchema(value, problems);
    else if (!takeShared(key, value, scenario, problems)) own.push([key, value]);
  }
  const unknown = await codec.read(own, scenario, problems);
  if (unknown.length > 0) {
    const names = unknown.slice(0, 5).map(([key]) => `“${short(key)}”`).join(", ");
    problems.push(`The address has parameters Weir does not know, kept as they are: ${names}${unknown.length > 5 ? ", …" : ""}.`);
  }
  return { tool: toolOf(hash), scenario, unknown, problems: [...new Set(problems)] };
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
 * @param {Shared} scenario
 * @param {string[]} problems
 * @returns {boolean} whether the key is one that all tools share
 */
function takeShared(key, value, scenario, problems) {
  if (key === "flink") {
    const version = VERSIONS.find((candidate) => candidate === value);
    if (version) scenario.flink = version;
    else problems.push(notAValue(key, value));
  } else if (key === "theme") {
    if (value === "light" || value === "dark") scenario.theme = value;
    else if (value !== "auto") problems.push(notAValue(key, value));
  } else {
    return false;
  }
  return true;
}

/**
 * @param {string} key
 * @param {string} value
 */
export function notAValue(key, value) {
  return `“${short(value)}” is not a value of “${key}” in the address; the default is used.`;
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

/**
 * A text as characters that an address can hold.
 * @param {string} text
 */
export async function deflate(text) {
  const packed = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(packed).arrayBuffer());
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

/**
 * The text of a compressed part, or null with a sentence that says why it was not used.
 * @param {string} packed
 * @param {string[]} problems
 * @param {(text: string) => any} read  throws where the text is none of its kind
 */
export async function unpack(packed, problems, read) {
  try {
    return read(await inflate(packed));
  } catch (error) {
    const reason = error instanceof RangeError ? error.message : "it is damaged";
    problems.push(`The compressed part of the address was not used: ${reason}.`);
    return null;
  }
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
