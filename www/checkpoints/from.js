// @ts-check
/**
 * A scenario of the engine's, such as one fitted to a real checkpoint, as the texts of the form.
 * @import { CheckpointScenario as Scenario, ScenarioVertex } from "../../src/web/checkpoints.ts"
 * @import { Settings } from "./fields.js"
 */

import { FIELDS } from "./fields.js";
import { USUAL } from "./presets.js";

/**
 * The settings that stand for a scenario; null where the form has no such job.
 * @param {Scenario} scenario
 * @returns {Settings | null}
 */
export function settingsFrom({ vertices, edges, network, checkpointing, recovery, runMs }) {
  const shape = shapeOf(vertices, edges);
  if (!shape) return null;
  const sources = vertices.filter(({ source }) => source);
  const operator = vertices[sources.length];
  const sink = vertices[sources.length + 1];
  const first = edges[0];
  const bursts = sources[0].source?.bursts;
  const failure = recovery.failures[0];
  return {
    ...USUAL,
    mode: checkpointing.mode,
    alignedTimeout: checkpointing.mode === "timeout" ? time(checkpointing.alignedCheckpointTimeoutMs) : USUAL.alignedTimeout,
    interval: time(checkpointing.intervalMs),
    first: checkpointing.firstTriggerMs === null ? "" : time(checkpointing.firstTriggerMs),
    minPause: checkpointing.minPauseMs === 0 ? "" : time(checkpointing.minPauseMs),
    timeout: time(checkpointing.timeoutMs),
    concurrent: String(checkpointing.maxConcurrentCheckpoints),
    tolerable: String(checkpointing.tolerableFailedCheckpoints),
    run: time(runMs),
    shape,
    sources: String(sources[0].parallelism),
    rate: sources.flatMap(({ source }) => source?.rate ?? []).map(plain).join(", "),
    lag: lagText(sources.flatMap(({ source }) => source?.lagMs ?? [])),
    bursts: bursts ? `${bursts.factor}, ${time(bursts.lengthMs)}, ${time(bursts.everyMs)}` : "",
    exchange: first.exchange,
    recordBytes: `${first.recordBytes} b`,
    operators: String(operator.parallelism),
    service: serviceText(operator),
    spread: operator.service[0]?.kind ?? "constant",
    weights: first.skew.kind === "weights" ? first.skew.weights.map(plain).join(", ") : "",
    sinks: String(sink?.parallelism ?? 1),
    sinkService: sink ? serviceText(sink) : USUAL.sinkService,
    state: bytesText(operator.state.bytes),
    incremental: checkpointing.incremental,
    changed: bytesText(operator.state.changedBytes),
    upload: checkpointing.upload ? bytes(checkpointing.upload.bytesPerSecond) : "",
    sync: operator.syncMs === 0 ? "" : time(operator.syncMs),
    async: operator.asyncMs === 0 ? "" : time(operator.asyncMs),
    slowFirst: String(operator.slowFirst),
    failAt: failure ? time(failure.atMs) : "",
    restartDelay: time(recovery.restartDelayMs),
    restore: recovery.restoreBytesPerSecond === null ? "" : bytes(recovery.restoreBytesPerSecond),
    placement: network.placement.kind,
    slots: network.placement.kind === "slots" ? String(network.placement.slotsPerTaskManager) : USUAL.slots,
    segment: bytes(network.segmentBytes),
    exclusive: String(network.buffersPerChannel),
    floating: String(network.floatingBuffersPerGate),
    maxPerChannel: String(network.maxBuffersPerChannel),
    overdraft: String(network.maxOverdraftBuffersPerGate),
    bufferTimeout: network.bufferTimeoutMs < 0 ? "" : time(network.bufferTimeoutMs),
    debloat: network.bufferDebloat.enabled ? "on" : "off",
    debloatTarget: time(network.bufferDebloat.targetMs),
  };
}

/**
 * @param {ScenarioVertex[]} vertices
 * @param {Scenario["edges"]} edges
 */
function shapeOf(vertices, edges) {
  const flow = edges.map(({ from, to }) => `${from}-${to}`).join(" ");
  const sources = vertices.filter(({ source }) => source).length;
  const isEven = edges.every(({ skew }) => skew.kind === "even" || skew.kind === "weights");
  if (!isEven || edges.some(({ recordBytes }) => recordBytes !== edges[0].recordBytes)) return null;
  if (flow === "0-1" && sources === 1) return "fanIn";
  if (flow === "0-1 1-2" && sources === 1 && edges[1].exchange === "hash") return "chain";
  const single = vertices.slice(0, 2).every(({ parallelism }) => parallelism === 1);
  return flow === "0-2 1-2" && sources === 2 && single ? "twoInputs" : null;
}

/** @param {number} ms */
function time(ms) {
  const [length, unit] = /** @type {const} */ ([[60_000, "min"], [1000, "s"]]).find(([one]) => ms >= one && ms % one === 0) ?? [1, "ms"];
  return `${Math.round(ms / length)} ${unit}`;
}

/** @param {number} number */
function bytes(number) {
  const whole = Math.round(number);
  const [length, unit] = /** @type {const} */ ([[1 << 30, "gb"], [1 << 20, "mb"], [1 << 10, "kb"]]).find(([one]) => whole >= one && whole % one === 0) ?? [1, "b"];
  return `${whole / length} ${unit}`;
}

/** @param {number[]} list */
function bytesText(list) {
  return list.every((number) => number === 0) ? "" : list.map(bytes).join(", ");
}

/** @param {number} number */
function plain(number) {
  return String(Number(number.toPrecision(6)));
}

/** Trailing zeros are what is not written. @param {number[]} lags */
function lagText(lags) {
  const length = lags.reduce((found, lag, index) => (lag > 0 ? index + 1 : found), 0);
  return lags.slice(0, length).map(time).join(", ");
}

/** Flink reads whole units only. @param {ScenarioVertex} vertex */
function serviceText({ service }) {
  return service.map(({ meanUs }) => (Number.isInteger(meanUs) ? `${meanUs} µs` : `${Math.round(meanUs * 1000)} ns`)).join(", ");
}

/**
 * Which settings differ, from A to B.
 * @param {Settings} a
 * @param {Settings} b
 */
export function settingsText(a, b) {
  const changed = FIELDS.filter(({ id }) => a[id] !== b[id]).map(({ id, label, empty }) => `${label}: ${a[id] || (empty ?? "not set")} → ${b[id] || (empty ?? "not set")}`);
  return changed.length === 0 ? "The settings are those of A; change one to see what it does." : `${changed.join("; ")}.`;
}

/**
 * The settings with what a changed scenario has otherwise than the one it was made from.
 * @param {Settings} settings
 * @param {Settings} changed
 * @param {Scenario | undefined} from
 */
export function changedSettings(settings, changed, from) {
  const before = from ? settingsFrom(from) : null;
  if (!before) return { ...changed, objective: settings.objective };
  const ids = FIELDS.map(({ id }) => id).filter((id) => changed[id] !== before[id]);
  return { ...settings, ...Object.fromEntries(ids.map((id) => [id, changed[id]])) };
}
