// @ts-check
/**
 * A scenario of the stepper and the steps taken, as one text that an address can hold:
 * `mode~sink~tasks~steps`, tasks separated by `/`, their channels by `;`, steps by `.`.
 * @import { Step, StepMode, StepperScenario } from "../../../src/web/checkpoints.ts"
 */

/** @type {Record<string, StepMode>} */
const MODES = { l: "atLeastOnce", a: "aligned", t: "timeout", u: "unaligned" };
/** @type {Record<string, StepperScenario["sink"]>} */
const SINKS = { n: "none", c: "twoPhaseCommit" };
/** Steps that concern no channel. @type {Record<string, Step>} */
const PLAIN = { t: { kind: "timeout" }, n: { kind: "notify" }, f: { kind: "fail" }, r: { kind: "restore" } };

/** @typedef {{ scenario: StepperScenario, steps: Step[] }} Stepping */

/** @param {Stepping} stepping */
export function encodeStepping({ scenario, steps }) {
  const mode = keyOf(MODES, scenario.mode);
  const sink = keyOf(SINKS, scenario.sink);
  const tasks = scenario.tasks.map((channels) => channels.map(encodeChannel).join(";")).join("/");
  return [mode, sink, tasks, steps.map(encodeStep).join(".")].join("~");
}

/**
 * @param {string} text
 * @returns {Stepping | null} null where it is none
 */
export function decodeStepping(text) {
  const parts = text.split("~");
  if (parts.length !== 4) return null;
  const [mode, sink, tasks, taken] = parts;
  const steps = taken === "" ? [] : taken.split(".").map(decodeStep);
  const known = steps.filter((step) => step !== null);
  if (!Object.hasOwn(MODES, mode) || !Object.hasOwn(SINKS, sink) || known.length !== steps.length) return null;
  try {
    const channels = tasks.split("/").map((task) => task.split(";").map(decodeURIComponent));
    return { scenario: { mode: MODES[mode], sink: SINKS[sink], tasks: channels }, steps: known };
  } catch {
    return null; // A percent sign that begins no escape.
  }
}

/** @param {string} text */
function encodeChannel(text) {
  return encodeURIComponent(text.trim().replace(/\s+/g, " ")).replaceAll("~", "%7E");
}

/** @param {Step} step */
function encodeStep(step) {
  if (step.kind === "deliver") return String(step.channel);
  if (step.kind === "overtake") return `o${step.channel}`;
  return keyOf(PLAIN, step, (a, b) => a.kind === b.kind);
}

/**
 * @param {string} text
 * @returns {Step | null}
 */
function decodeStep(text) {
  if (Object.hasOwn(PLAIN, text)) return PLAIN[text];
  const channel = /^(o?)(\d{1,2})$/.exec(text);
  return channel && { kind: channel[1] === "o" ? "overtake" : "deliver", channel: Number(channel[2]) };
}

/**
 * @template T
 * @param {Record<string, T>} table
 * @param {T} value
 * @param {(a: T, b: T) => boolean} same
 */
function keyOf(table, value, same = (a, b) => a === b) {
  return Object.keys(table).find((key) => same(table[key], value)) ?? "";
}
