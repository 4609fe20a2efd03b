// @ts-check
/**
 * From what is written to what the engine is asked: texts to numbers, records in order of arrival.
 * @import { DurationReport, Answer } from "../../src/web/types.ts"
 * @import { EventScenario } from "./codec.js"
 * @import { EventRow, Settings } from "./presets.js"
 */

import { FIELDS } from "./fields.js";
import { isSignal, isStatus } from "./signals.js";
import { readTime } from "./time.js";
import { transitionsOf } from "./zone.js";

/** What the engine counts with. */
const COUNT_MAX = 4_294_967_295;

/**
 * @typedef {Map<string, Answer<DurationReport>>} Durations  what the engine read, by text
 *
 * @typedef {object} Question
 * @property {any} params
 * @property {number[]} order                rows by item: the order of arrival
 * @property {Map<string, string>} problems  sentences by field
 * @property {Map<number, [keyof EventRow, string]>} rows  a cell and a sentence by row
 */

/** Texts that stand for durations, without their sign. @param {Settings} settings */
export function durationTexts(settings) {
  const fields = FIELDS.filter(({ kind, shown }) => kind === "duration" && (shown?.(settings) ?? true));
  return fields.map(({ id }) => unsigned(settings[id])).filter((text) => text !== "");
}

/** @param {string} text */
export function unsigned(text) {
  return text.trim().replace(/^[-−]\s*/, "");
}

/**
 * @param {EventScenario} scenario
 * @param {Durations} durations
 * @returns {Question}
 */
export function questionOf({ flink, settings, events, restore }, durations) {
  /** @type {Question["problems"]} */
  const problems = new Map();
  /** @type {Question["rows"]} */
  const rows = new Map();
  const items = events.map((row, index) => itemOf(row, (column, sentence) => rows.set(index, [column, sentence])));
  const order = items
    .map((item, index) => ({ arrival: Number(item.arrival), index }))
    .sort((a, b) => a.arrival - b.arrival || a.index - b.index)
    .map(({ index }) => index);

  /** @param {string} id */
  const ms = (id) => {
    const text = settings[id].trim();
    const field = FIELDS.find((candidate) => candidate.id === id);
    if (text === "" && field?.empty !== undefined) return 0;
    const answer = durations.get(unsigned(text));
    if (answer?.ok) return millis(answer.value, text !== unsigned(text));
    problems.set(id, text === "" ? "A duration is needed here, for example 10 s." : (answer?.error.message ?? ""));
    return 0;
  };
  /** @param {string} id */
  const count = (id) => {
    const text = settings[id].replace(/[\s_]/g, "");
    if (!/^-?\d{1,15}$/.test(text)) problems.set(id, `“${settings[id].slice(0, 60)}” is not a whole number.`);
    else if (text.startsWith("-") || Number(text) > COUNT_MAX) problems.set(id, `A number from 0 to ${COUNT_MAX} is needed here.`);
    return Number(text);
  };
  const params = {
    version: flink,
    watermarks: {
      rule: ruleOf(settings.rule, ms),
      emission: emissionOf(settings.emit, ms, count),
      idleTimeout: settings.idleness.trim() === "" ? null : ms("idleness"),
    },
    source: { partitions: count("partitions"), parallelism: count("readers"), perPartition: settings.generators === "partition" },
    windows: {
      assigner: assignerOf(settings, ms, items.map((item) => Number("time" in item ? item.time : NaN)), problems),
      trigger: triggerOf(settings, ms, count),
      allowedLateness: ms("lateness"),
      sideOutput: settings.side === "on",
    },
    dedupTtl: settings.dedup.trim() === "" ? null : ms("dedup"),
    parallelism: count("parallelism"),
    maxParallelism: settings.maxParallelism.trim() === "" ? null : count("maxParallelism"),
    keyType: settings.keyType,
    input: order.map((index) => items[index]),
    restoreAfter: restore,
    endOfInput: settings.end === "on",
    kept: keptOf(settings, count),
  };
  return { params, order, problems, rows };
}

/**
 * `Duration.toMillis`.
 * @param {DurationReport} report
 * @param {boolean} isNegative
 */
export function millis({ seconds, nanos }, isNegative) {
  const whole = BigInt(seconds) * 1000n + BigInt(Math.floor(nanos / 1_000_000));
  return Number(isNegative ? -whole : whole);
}

/** @typedef {(id: string) => number} Read */

/**
 * @param {string} rule
 * @param {Read} ms
 */
function ruleOf(rule, ms) {
  if (rule === "ascending" || rule === "explicit") return { kind: rule };
  const kind = rule === "sql" || rule === "sqlAssigner" ? rule : "boundedOutOfOrderness";
  return { kind, outOfOrderness: ms("bound") };
}

/**
 * @param {string} emit
 * @param {Read} ms
 * @param {Read} count
 */
function emissionOf(emit, ms, count) {
  if (emit === "periodic") return { kind: "periodic", interval: ms("interval") };
  return { kind: "perEvent", every: emit === "everyN" ? count("every") : 1 };
}

/**
 * @param {Settings} settings
 * @param {Read} ms
 * @param {number[]} times
 * @param {Map<string, string>} problems
 */
function assignerOf({ window, zone }, ms, times, problems) {
  switch (window) {
    case "sliding":
      return { kind: "sliding", size: ms("size"), slide: ms("slide"), offset: ms("offset") };
    case "session":
      return { kind: "session", gap: ms("gap") };
    case "dynamic":
      return { kind: "dynamicSession" };
    case "global":
      return { kind: "global" };
    case "zoned": {
      const length = ms("size");
      const transitions = transitionsOf(zone.trim(), times.filter(Number.isFinite), length);
      if (transitions === "too many") problems.set("size", "Over windows and records this far apart the changes of a zone are not looked up. Take shorter windows.");
      else if (!transitions) problems.set("zone", `This browser knows no time zone “${zone.slice(0, 60)}”. Write it as in Europe/Berlin.`);
      return { kind: "zoned", size: length, transitions: Array.isArray(transitions) ? transitions : [], zone: zone.trim() };
    }
    default:
      return { kind: "tumbling", size: ms("size"), offset: ms("offset") };
  }
}

/**
 * @param {Settings} settings
 * @param {Read} ms
 * @param {Read} count
 */
function triggerOf({ trigger, purge }, ms, count) {
  const inner = plainTrigger(trigger, ms, count);
  return purge === "on" ? { kind: "purging", of: inner } : inner;
}

/**
 * @param {string} trigger
 * @param {Read} ms
 * @param {Read} count
 */
function plainTrigger(trigger, ms, count) {
  switch (trigger) {
    case "count":
      return { kind: "count", count: count("count") };
    case "continuous":
      return { kind: "continuous", interval: ms("step") };
    case "earlyCount":
      return { kind: "earlyCount", count: count("count") };
    case "earlyTime":
      return { kind: "earlyProcessingTime", interval: ms("step") };
    default:
      return { kind: "eventTime" };
  }
}

/**
 * The types of what is kept. Lengths that are not asked for are not read.
 * @param {Settings} settings
 * @param {Read} count
 */
function keptOf(settings, count) {
  /**
   * @param {string} id
   * @param {string} length  the field of its length
   */
  const type = (id, length) => {
    const isShown = FIELDS.find((field) => field.id === length)?.shown?.(settings) ?? true;
    const long = isShown ? count(length) : 0;
    switch (settings[id]) {
      case "string":
        return { kind: "string", chars: long };
      case "bytes":
        return { kind: "bytes", length: long };
      case "tuple2":
        return { kind: "tuple", fields: [{ kind: "long" }, { kind: "long" }] };
      case "pojo":
        return { kind: "pojo", fields: [{ kind: "long" }, { kind: "double" }, { kind: "string", chars: long }] };
      default:
        return { kind: settings[id] };
    }
  };
  return {
    function: settings.function,
    key: type("stateKey", "keyChars"),
    accumulator: type("accumulator", "accumulatorLength"),
    element: type("element", "elementLength"),
    compressedOops: settings.oops === "on",
    emptyStatePerKeyGroup: settings.emptyState.trim() === "" ? null : count("emptyState"),
  };
}

/**
 * @param {EventRow} row
 * @param {(column: keyof EventRow, sentence: string) => void} refuse
 */
function itemOf(row, refuse) {
  const { id, time, arrival, key, partition, value } = row;
  /**
   * @param {keyof EventRow} column
   * @param {string} text
   */
  const at = (column, text) => {
    const read = readTime(text);
    if (read === null) refuse(column, `“${text.slice(0, 40)}” is not a time. Write milliseconds, or ISO 8601 as in 2026-03-08T10:00:00Z.`);
    return read ?? 0;
  };
  /**
   * @param {keyof EventRow} column
   * @param {string} text
   */
  const whole = (column, text) => {
    if (!/^-?\d{1,15}$/.test(text.trim())) refuse(column, `“${text.slice(0, 40)}” is not a whole number.`);
    return Number(text);
  };
  if (isSignal(row)) {
    const where = { subtask: whole("partition", partition), arrival: at("arrival", arrival) };
    if (isStatus(row)) return { kind: "status", status: id === "!idle" ? "idle" : "active", ...where };
    return { kind: "watermark", watermark: at("time", time), ...where };
  }
  const gap = value.trim() === "" ? {} : { value: whole("value", value) };
  return { kind: "event", id, key, time: at("time", time), arrival: at("arrival", arrival), partition: whole("partition", partition), ...gap };
}
