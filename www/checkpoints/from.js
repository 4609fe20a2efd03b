// @ts-check
/**
 * A scenario of the engine's, such as one fitted to a real checkpoint, as the texts of the form.
 * @import { CheckpointScenario as Scenario } from "../../src/web/checkpoints.ts"
 * @import { Settings } from "./fields.js"
 */

import { recoverySettings } from "./failure.js";
import { apiOf, fieldsOf } from "./fields.js";
import { graphSettings } from "./graph-params.js";
import { USUAL } from "./presets.js";
import { bursts, bytes, bytesText, exact, serviceText, sigmaText, time } from "./texts-of.js";

/** A source or a sink as the fixed shapes have it. */
const PLAIN = { selectivity: 1, state: { bytes: [0], changedBytes: [0] }, syncMs: 0, asyncMs: 0, slowFirst: 0 };
/** The names that the fixed shapes give their vertices. @type {Record<string, string[]>} */
const NAMES = { fanIn: ["Source", "Operator"], chain: ["Source", "Operator", "Sink"], twoInputs: ["Source 1", "Source 2", "Operator"] };
/** What fails there, by the number of the vertex. @type {Record<string, string[]>} */
const PARTS = { fanIn: ["source", "operator"], chain: ["source", "operator", "sink"], twoInputs: ["source", "secondSource", "operator"] };

/**
 * The settings that stand for a scenario, which they lose nothing of: one of the fixed shapes where it
 * was made by the form, else its graph; null where the form has no text for it.
 * @param {Scenario} scenario
 * @returns {Settings | null}
 */
export function settingsFrom(scenario) {
  const { network, checkpointing, recovery, runMs, seed } = scenario;
  const shape = shapeOf(scenario);
  const job = shape ? shapeSettings(shape, scenario) : graphSettings(scenario);
  const fails = recoverySettings(recovery);
  if (!job || !fails) return null;
  return {
    ...USUAL,
    ...job,
    mode: checkpointing.mode,
    alignedTimeout: checkpointing.mode === "timeout" ? time(checkpointing.alignedCheckpointTimeoutMs) : USUAL.alignedTimeout,
    interval: time(checkpointing.intervalMs),
    first: checkpointing.firstTriggerMs === null ? "" : time(checkpointing.firstTriggerMs),
    minPause: checkpointing.minPauseMs === 0 ? "" : time(checkpointing.minPauseMs),
    timeout: time(checkpointing.timeoutMs),
    concurrent: String(checkpointing.maxConcurrentCheckpoints),
    tolerable: String(checkpointing.tolerableFailedCheckpoints),
    run: time(runMs),
    seed: String(seed),
    incremental: checkpointing.incremental,
    upload: checkpointing.upload ? bytes(checkpointing.upload.bytesPerSecond) : "",
    uploadPer: checkpointing.upload?.per ?? USUAL.uploadPer,
    ...fails,
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
    debloatPeriod: time(network.bufferDebloat.periodMs),
    debloatSamples: String(network.bufferDebloat.samples),
    debloatThreshold: String(network.bufferDebloat.thresholdPercentages),
  };
}

/**
 * @param {string} shape
 * @param {Scenario} scenario
 * @returns {Settings}
 */
function shapeSettings(shape, { vertices, edges, recovery }) {
  const sources = vertices.filter(({ source }) => source);
  const operator = vertices[sources.length];
  const sink = vertices[sources.length + 1];
  const first = edges[0];
  return {
    shape,
    sources: String(sources[0].parallelism),
    rate: sources.flatMap(({ source }) => source?.rate ?? []).map(exact).join(", "),
    lag: lagText(sources.flatMap(({ source }) => source?.lagMs ?? [])),
    bursts: bursts(sources[0].source?.bursts),
    exchange: first.exchange,
    recordBytes: `${first.recordBytes} b`,
    operators: String(operator.parallelism),
    service: serviceText(operator.service),
    spread: operator.service[0]?.kind ?? "constant",
    sigma: sigmaText(operator.service[0]),
    failPart: PARTS[shape][recovery.failures[0]?.vertex ?? sources.length] ?? USUAL.failPart,
    weights: first.skew.kind === "weights" ? first.skew.weights.map(exact).join(", ") : "",
    sinks: String(sink?.parallelism ?? 1),
    sinkService: sink ? serviceText(sink.service) : USUAL.sinkService,
    state: bytesText(operator.state.bytes),
    changed: bytesText(operator.state.changedBytes),
    sync: operator.syncMs === 0 ? "" : time(operator.syncMs),
    async: operator.asyncMs === 0 ? "" : time(operator.asyncMs),
    slowFirst: String(operator.slowFirst),
  };
}

/**
 * The fixed shape that the form made a scenario of; none where it was made otherwise.
 * @param {Scenario} scenario
 */
function shapeOf({ vertices, edges }) {
  const flow = edges.map(({ from, to }) => `${from}-${to}`).join(" ");
  const shape = { "0-1": "fanIn", "0-1 1-2": "chain", "0-2 1-2": "twoInputs" }[flow];
  if (!shape || String(vertices.map(({ name }) => name)) !== String(NAMES[shape])) return null;
  const isEven = edges.every(({ skew }) => skew.kind === "even" || skew.kind === "weights");
  if (!isEven || edges.some(({ recordBytes }) => recordBytes !== edges[0].recordBytes)) return null;
  const others = vertices.filter(({ name }) => name !== "Operator");
  const isPlain = others.every((vertex) => Object.entries(PLAIN).every(([field, value]) => JSON.stringify(vertex[/** @type {"state"} */ (field)]) === JSON.stringify(value)));
  return isPlain && others.every(({ source }) => !source || (source.partitions === null && source.maxRate === null)) ? shape : null;
}

/** Trailing zeros are what is not written. @param {number[]} lags */
function lagText(lags) {
  const length = lags.reduce((found, lag, index) => (lag > 0 ? index + 1 : found), 0);
  return lags.slice(0, length).map(time).join(", ");
}

/**
 * The vertex or the edge of a field of a graph.
 * @param {string} id
 * @param {Settings} settings
 */
function nameOf(id, settings) {
  const [part] = id.split(".");
  return part.startsWith("v") ? (settings[`${part}.name`] ?? part) : `edge ${settings[`${part}.from`]} → ${settings[`${part}.to`]}`;
}

/**
 * Which settings differ, from A to B.
 * @param {Settings} a
 * @param {Settings} b
 */
export function settingsText(a, b) {
  const fields = new Set([...fieldsOf(a), ...fieldsOf(b)]);
  const changed = [...fields].filter(({ id }) => a[id] !== b[id]).map(({ id, label, empty }) => `${/^[ve]\d/.test(id) ? `${nameOf(id, b[id] === undefined ? a : b)}, ` : ""}${label}: ${a[id] || (empty ?? "not set")} → ${b[id] || (empty ?? "not set")}`);
  return changed.length === 0 ? "The settings are those of A; change one to see what it does." : `${changed.join("; ")}.`;
}

/**
 * The settings for a scenario that is tried; null where the form has no text for it.
 * @param {Scenario} scenario
 * @param {Scenario | undefined} from  what it is a change of: what did not change stays as it is written
 * @param {Settings} settings
 */
export function takenSettings(scenario, from, settings) {
  const taken = settingsFrom(scenario);
  const before = from ? settingsFrom(from) : null;
  if (!taken || !before) return taken;
  const ids = fieldsOf(taken).map(({ id }) => id).filter((id) => taken[id] !== before[id]);
  return { ...settings, ...Object.fromEntries(ids.map((id) => [id, taken[id]])) };
}

/**
 * The settings with the changes that a finding proposes.
 * @param {Settings} settings
 * @param {import("../../src/web/types.ts").Change[]} changes  by option keys
 * @param {import("../../src/web/types.ts").FlinkVersion} flink
 */
export function appliedTo(settings, changes, flink) {
  const applied = { ...settings };
  for (const { option, value } of changes) {
    const field = fieldsOf(settings).find((one) => one.path === option || apiOf(one, flink).split(" ")[0] === option || one.label === option);
    if (field) applied[field.id] = value ?? "";
  }
  return applied;
}
