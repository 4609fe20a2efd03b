// @ts-check
/**
 * From what is written about a stream to what the engine is asked, and to the address and back.
 * @import { GeneratorParams, ReaderParams, WholeParams } from "../../../src/web/types.ts"
 * @import { Param } from "../../codec.js"
 * @import { Durations } from "../params.js"
 * @import { Settings } from "../presets.js"
 */

import { notAValue } from "../../codec.js";
import { millis, unsigned } from "../params.js";
import { readTime } from "../time.js";
import { STREAM_FIELDS } from "./fields.js";
import { streamPresetOf } from "./presets.js";

/**
 * @typedef {object} StreamScenario
 * @property {string} preset
 * @property {Settings} values  a text for every field
 */

/** Before each of its fields in the address. */
const PREFIX = "stream.";

/**
 * @param {string} id
 * @returns {StreamScenario}
 */
export function streamOf(id) {
  const { id: preset, values } = streamPresetOf(id);
  return { preset, values: { ...values } };
}

/** @param {StreamScenario | null} stream @returns {Param[]} */
export function writeStream(stream) {
  if (!stream) return [];
  const { values } = streamPresetOf(stream.preset);
  const changed = Object.keys(values).filter((id) => stream.values[id] !== values[id]);
  return [["stream", stream.preset], ...changed.map((id) => /** @type {Param} */ ([PREFIX + id, stream.values[id]]))];
}

/**
 * Takes its own params of an address and gives back the others.
 * @param {Param[]} params
 * @param {string[]} problems
 * @returns {{ stream: StreamScenario | null, rest: Param[] }}
 */
export function readStream(params, problems) {
  const id = params.find(([key]) => key === "stream")?.[1];
  if (id === undefined) return { stream: null, rest: params };
  const stream = streamOf(id);
  if (stream.preset !== id) problems.push(notAValue("stream", id));
  const rest = params.filter(([key, value]) => {
    const field = key.startsWith(PREFIX) ? key.slice(PREFIX.length) : "";
    if (!(field in stream.values)) return key !== "stream";
    const choices = STREAM_FIELDS.find((one) => one.id === field)?.choices;
    if (choices && !choices.some(([choice]) => choice === value)) problems.push(notAValue(key, value));
    else stream.values[field] = value;
    return false;
  });
  return { stream, rest };
}

/** Texts that stand for durations, without their sign. @param {StreamScenario | null} stream */
export function streamDurations(stream) {
  if (!stream) return [];
  const fields = STREAM_FIELDS.filter(({ kind, shown }) => kind === "duration" && (shown?.(stream.values) ?? true));
  return fields.flatMap(({ id, list }) => (list ? listOf(stream.values[id]) : [stream.values[id]])).map(unsigned).filter((text) => text !== "");
}

/** What stands between commas. @param {string} text */
function listOf(text) {
  return text.split(",").map((one) => one.trim());
}

/**
 * The share of records that shall be on time, from a text; null where it is none.
 * @param {string} text
 * @returns {number[] | null}
 */
export function wantedOf(text) {
  if (text.trim() === "") return [];
  const share = Number(text.trim());
  return share >= 0 && share <= 1 ? [share] : null;
}

/**
 * @param {StreamScenario} stream
 * @param {Durations} durations
 * @param {import("../params.js").Question["params"]} job  the same job record by record
 * @param {ReaderParams | null} reader  how the file is read
 * @returns {{ params: WholeParams, problems: Map<string, string> }}  sentences by field
 */
export function wholeOf({ values }, durations, job, reader) {
  /** @type {Map<string, string>} */
  const problems = new Map();
  /** @param {string} id @param {string} [one]  of a list */
  const ms = (id, one) => {
    const text = (one ?? values[id]).trim();
    const answer = durations.get(unsigned(text));
    if (answer?.ok) return millis(answer.value, text !== unsigned(text));
    problems.set(id, text === "" ? "A duration is needed here, for example 10 s." : (answer?.error.message ?? ""));
    return 0;
  };
  /** @param {string} id @param {string} [one]  of a list */
  const number = (id, one) => {
    const written = one ?? values[id];
    const text = written.replace(/[\s_\u202f]/g, "");
    const isNumber = STREAM_FIELDS.find((field) => field.id === id)?.number ? /^\d{1,12}(?:\.\d{1,9})?$/ : /^\d{1,15}$/;
    if (!isNumber.test(text)) problems.set(id, `“${written.slice(0, 60)}” is not a ${isNumber.test("0.5") ? "" : "whole "}number.`);
    return Number(text);
  };
  const ids = job.dedupTtl === null ? null : (reader?.id ?? null);
  const source = values.source === "file" && reader
    ? // Ids take memory, and only leaving records out asks for them.
      { kind: /** @type {const} */ ("file"), reader: { ...reader, id: ids } }
    : { kind: /** @type {const} */ ("generated"), generator: generatorOf(values, ms, number, problems) };
  const { version, windows, watermarks, endOfInput, parallelism, maxParallelism, keyType, kept, dedupTtl } = job;
  const { parallelism: sourceParallelism, perPartition } = job.source;
  const shape = { version, sourceParallelism, perPartition, parallelism, maxParallelism, keyType, dedupTtl, kept };
  return { params: { source, windows, watermarks, endOfInput, job: shape }, problems };
}

/** @typedef {(id: string, one?: string) => number} Read */

/**
 * @param {Settings} values
 * @param {Read} ms
 * @param {Read} number
 * @param {Map<string, string>} problems  sentences by field
 * @returns {GeneratorParams}
 */
function generatorOf(values, ms, number, problems) {
  /** @param {string} id */
  const has = (id) => values[id].trim() !== "";
  /**
   * One for each of the first field's; another field has one for all, or as many.
   * @template T
   * @param {string[]} ids
   * @param {(...texts: string[]) => T} of
   * @returns {T[]}
   */
  const each = (ids, of) => {
    if (!has(ids[0])) return [];
    const lists = ids.map((id) => listOf(values[id]));
    const [{ length }] = lists;
    lists.forEach((list, at) => {
      if (list.length !== 1 && list.length !== length) problems.set(ids[at], `There are ${list.length} here for ${length}: one for all is needed, or ${length} with commas.`);
    });
    return lists[0].map((_, at) => of(...lists.map((list) => list[at] ?? list[0])));
  };
  return {
    seed: number("seed"),
    events: number("events"),
    startMs: startOf(values.startAt, problems),
    ratePerSecond: number("rate"),
    partitions: number("topic"),
    spread: "roundRobin",
    keys: { count: number("keyCount"), zipfExponent: number("zipf") },
    delay: delayOf(values.delay, ms, number),
    delayCapMs: values.delay === "none" ? 0 : ms("cap"),
    bursts: has("burstEvery") ? { everyMs: ms("burstEvery"), lengthMs: ms("burstFor"), factor: number("burstBy") } : null,
    stalls: each(["stallAt", "stallFor", "stallOf"], (at, length, of) => ({ partition: number("stallOf", of), fromMs: ms("stallAt", at), lengthMs: ms("stallFor", length) })),
    skews: each(["skewBy", "skewOf"], (by, of) => ({ partition: number("skewOf", of), skewMs: ms("skewBy", by) })),
    duplicates: has("twice") ? { share: number("twice"), withinMs: ms("twiceIn") } : null,
    replays: each(["replayAt", "replayOf"], (at, last) => ({ atMs: ms("replayAt", at), lastMs: ms("replayOf", last) })),
    values: { min: number("low"), max: number("high") },
  };
}

/**
 * @param {string} text
 * @param {Map<string, string>} problems  sentences by field
 */
function startOf(text, problems) {
  const time = text.trim() === "" ? 0 : readTime(text);
  if (typeof time === "number") return time;
  problems.set("startAt", `“${text.slice(0, 40)}” is not a time. Write a date as in 2026-03-28T12:00:00Z, or milliseconds.`);
  return 0;
}

/**
 * @param {string} law
 * @param {Read} ms
 * @param {Read} number
 * @returns {GeneratorParams["delay"]}
 */
function delayOf(law, ms, number) {
  switch (law) {
    case "uniform":
      return { kind: "uniform", maxMs: ms("longest") };
    case "exponential":
      return { kind: "exponential", meanMs: ms("mean") };
    case "lognormal":
      return { kind: "lognormal", medianMs: ms("median"), sigma: number("sigma") };
    case "pareto":
      return { kind: "pareto", minMs: ms("least"), alpha: number("alpha") };
    default:
      return { kind: "none" };
  }
}
