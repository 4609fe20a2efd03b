// @ts-check
/**
 * Scripts of signals as they are written, one a line, and the steps that the engine takes. What a step
 * leads to is the engine's to say.
 * @import { Signal, TraceStep } from "../../../src/web/types.ts"
 */

import { readTime, timeText } from "../time.js";

/**
 * @typedef {"inputs" | "splits" | "channels" | "generator"} HandKind
 *
 * @typedef {object} Hand   what the panel is about, as written
 * @property {HandKind} kind
 * @property {string} count   inputs or channels
 * @property {string} script
 *
 * @typedef {object} Values   timestamps and keys as written, one a line
 * @property {string} times
 * @property {string} keys
 * @property {string} recordGap   what a dynamic session's record brings [ms]
 */

/** @type {Values} */
export const VALUES = { times: "12345\n-1\n0\n2026-03-29T00:59:59.999Z", keys: "user-1\nuser-2\nuser-3\nuser-4", recordGap: "5000" };

/** @type {[HandKind, string][]} */
export const KINDS = [
  ["inputs", "inputs of an operator"],
  ["splits", "splits of a source"],
  ["channels", "channels of one input (the valve)"],
  ["generator", "a generator"],
];

/** How a line is written. @type {Record<HandKind, string>} */
export const SYNTAX = {
  inputs: "One a line, inputs counted from 0: “0 watermark 5000”, “1 idle”, “1 active”, “0 record key 4000”; “0 end” is the end of its input. Each record registers a timer at its own timestamp.",
  splits: "One a line: “register a”, “a watermark 5000”, “a idle”, “a active”, “unregister a”. With “deferred” behind it a signal waits for the line “periodic”.",
  channels: "One a line, channels counted from 0: “0 watermark 5000”, “1 idle”, “1 active”, “0 record key 4000”, which a valve does not look at; “0 end” is the end of its input.",
  generator: "One a line: “event 5000” is a record, “periodic” the call by the clock, “advance 200” lets so many milliseconds pass. Rule, bound and idleness timeout are those of the settings on this page.",
};

/** @type {Record<HandKind, Hand>} */
export const EXAMPLES = {
  inputs: { kind: "inputs", count: "2", script: "0 record a 4000\n0 watermark 5000\n1 watermark 9000\n1 idle\n0 idle\n1 active\n1 watermark 12000\n0 active\n0 watermark 13000" },
  splits: { kind: "splits", count: "2", script: "register p0\nregister p1\np0 watermark 5000\np1 watermark 9000\np0 idle\np1 idle\np0 watermark 7000\np0 watermark 10000" },
  channels: { kind: "channels", count: "2", script: "0 watermark 5000\n1 watermark 9000\n0 idle\n0 active\n0 watermark 8000\n1 watermark 11000\n0 watermark 10000\n0 idle\n1 idle" },
  generator: { kind: "generator", count: "1", script: "periodic\nevent 5000\nperiodic\nevent 3000\nperiodic\nevent 9000\nadvance 200\nperiodic" },
};

/** A script longer than this is not read [characters]. */
const CHARS_MAX = 1_000_000;
const COUNT_MAX = 10_000;

/**
 * @param {string} text
 * @returns {import("../../../src/web/types.ts").EventTime | undefined}  undefined for no time
 */
function timeOf(text) {
  if (/^(end|max|endofinput|long\.max_value)$/i.test(text)) return "endOfInput";
  return readTime(text) ?? undefined;
}

/**
 * The steps of a script and the line of each, or the first line that is none.
 * @param {Hand} hand
 * @returns {{ steps: any[], lines: number[], problem: { line: number, sentence: string } | null }}
 */
export function stepsOf({ kind, script }) {
  /** @type {any[]} */
  const steps = [];
  /** @type {number[]} */
  const lines = [];
  if (script.length > CHARS_MAX) return { steps, lines, problem: { line: 0, sentence: `A script of ${script.length} characters is not read; at most ${CHARS_MAX} are.` } };
  const all = script.split(/\r\n|\n|\r/);
  for (const [index, line] of all.entries()) {
    const text = line.replace(/#.*/, "").trim();
    if (text === "") continue;
    const step = stepOf(kind, text);
    if (typeof step === "string") return { steps, lines, problem: { line: index + 1, sentence: step } };
    steps.push(step);
    lines.push(index + 1);
  }
  return { steps, lines, problem: null };
}

/**
 * The step of a line, or what is wrong with it.
 * @param {HandKind} kind
 * @param {string} text
 */
function stepOf(kind, text) {
  const words = text.split(/[\s,;=]+|:\s+/).filter((word) => word !== "");
  if (kind === "generator") return generatorStep(text, words);
  return kind === "splits" ? splitStep(text, words) : channelStep(text, words);
}

/**
 * @param {string} text
 * @param {string[]} words
 */
function generatorStep(text, [name = "", ...rest]) {
  if (/^periodic$/i.test(name)) return { kind: "periodic" };
  if (/^(event|record)$/i.test(name)) {
    const time = timeOf(rest.join(" "));
    return time === undefined ? noTime(rest.join(" ")) : { kind: "event", time };
  }
  if (/^advance$/i.test(name)) {
    const ms = rest.join(" ").replace(/\s*ms$/, "");
    return /^\d{1,15}$/.test(ms) ? { kind: "advance", ms: Number(ms) } : `“${cut(ms)}” is not a number of milliseconds.`;
  }
  return `“${cut(text)}” is none of “event 5000”, “periodic” and “advance 200”.`;
}

/**
 * @param {string} text
 * @param {string[]} words
 */
function splitStep(text, words) {
  const deferred = /^deferred$/i.test(words[words.length - 1] ?? "");
  const [first = "", second = "", ...rest] = deferred ? words.slice(0, -1) : words;
  if (/^periodic$/i.test(first) && second === "") return { kind: "periodic" };
  if (/^(un)?register$/i.test(first)) return second === "" || rest.length > 0 ? `“${cut(text)}” needs the name of one split, as in “register a”.` : { kind: first.toLowerCase(), id: second };
  if (/^(idle|active)$/i.test(second) && rest.length === 0) return { kind: "status", id: first, status: second.toLowerCase(), deferred };
  const written = /^watermark$/i.test(second) ? rest.join(" ") : [second, ...rest].join(" ");
  if (second === "") return `“${cut(text)}” is none of “register a”, “a watermark 5000”, “a idle”, “a active”, “unregister a” and “periodic”.`;
  const watermark = timeOf(written);
  return watermark === undefined ? noTime(written) : { kind: "watermark", id: first, watermark, deferred };
}

/**
 * @param {string} text
 * @param {string[]} words
 */
function channelStep(text, [first = "", second = "", ...rest]) {
  if (!/^\d{1,9}$/.test(first)) return `“${cut(text)}” does not begin with a number, counted from 0.`;
  const channel = Number(first);
  if (/^(idle|active)$/i.test(second) && rest.length === 0) return { kind: "status", channel, status: second.toLowerCase() };
  if (/^(record|event)$/i.test(second)) {
    const [key = "", ...after] = rest;
    const time = timeOf(after.join(" "));
    return time === undefined ? noTime(after.join(" ")) : { kind: "event", channel, key, time };
  }
  if (second === "") return `“${cut(text)}” says nothing: write a watermark, “idle”, “active” or a record behind the number.`;
  const written = /^watermark$/i.test(second) ? rest.join(" ") : [second, ...rest].join(" ");
  const watermark = timeOf(written);
  return watermark === undefined ? noTime(written) : { kind: "watermark", channel, watermark };
}

/** @param {string} text */
function noTime(text) {
  return `“${cut(text)}” is not a time. Write milliseconds, or ISO 8601 as in 2026-03-08T10:00:00Z.`;
}

/** @param {string} text */
function cut(text) {
  return text.slice(0, 40);
}

/**
 * How many inputs or channels; a sentence where it is no such number.
 * @param {Hand} hand
 * @returns {number | string}
 */
export function countOf({ kind, count }) {
  if (kind === "generator" || kind === "splits") return 1;
  const text = count.trim();
  if (!/^\d{1,9}$/.test(text) || Number(text) < 1 || Number(text) > COUNT_MAX) return `“${cut(count)}” is not a number from 1 to ${COUNT_MAX}.`;
  return Number(text);
}

/** @param {Signal[]} signals */
export function signalsText(signals) {
  return signals.map((signal) => (signal.kind === "watermark" ? `watermark ${timeText(signal.watermark)}` : signal.status)).join(", ");
}

/**
 * What else a step did: splits that advanced, records and timers of an operator.
 * @param {TraceStep} step
 */
export function doneText({ splits, operator }) {
  const parts = splits.map(({ id, watermark }) => `${id} at ${timeText(watermark)}`);
  for (const done of operator) {
    if (done.kind === "element") parts.push(`record of ${done.key} processed`);
    if (done.kind === "timer") parts.push(`timer ${timeText(done.time)} of ${done.key} fires`);
  }
  return parts.join(", ");
}
