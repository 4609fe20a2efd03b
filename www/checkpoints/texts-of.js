// @ts-check
/**
 * Numbers of the engine's as texts that Flink reads back to the same number. Pure.
 * @import { Bursts, ServiceTime } from "../../src/web/checkpoints.ts"
 */

/** @param {number} ms */
export function time(ms) {
  const [length, unit] = /** @type {const} */ ([[60_000, "min"], [1000, "s"]]).find(([one]) => ms >= one && ms % one === 0) ?? [1, "ms"];
  return `${Math.round(ms / length)} ${unit}`;
}

/** @param {number} number */
export function bytes(number) {
  const whole = Math.round(number);
  const [length, unit] = /** @type {const} */ ([[1 << 30, "gb"], [1 << 20, "mb"], [1 << 10, "kb"]]).find(([one]) => whole >= one && whole % one === 0) ?? [1, "b"];
  return `${whole / length} ${unit}`;
}

/** @param {number[]} list */
export function bytesText(list) {
  return list.every((number) => number === 0) ? "" : list.map(bytes).join(", ");
}

/** The shortest text of a number that is read as the same one. @param {number} number */
export function exact(number) {
  return String(number);
}

/** Flink reads whole units only. @param {ServiceTime[]} service */
export function serviceText(service) {
  return service.map(({ meanUs }) => (Number.isInteger(meanUs) ? `${meanUs} µs` : `${Math.round(meanUs * 1000)} ns`)).join(", ");
}

/** That of a lognormal distribution; what is written where there is none. @param {ServiceTime | undefined} service */
export function sigmaText(service) {
  return service?.kind === "lognormal" ? exact(service.sigma) : "1";
}

/** @param {Bursts | null | undefined} of */
export function bursts(of) {
  return of ? `${exact(of.factor)}, ${time(of.lengthMs)}, ${time(of.everyMs)}` : "";
}
