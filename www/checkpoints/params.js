// @ts-check
/**
 * From what is written to what the engine is asked: texts to numbers, and which field a refusal means.
 * @import { Answer, Problem } from "../../src/web/types.ts"
 * @import { CheckpointMode, CheckpointScenario as Scenario, RestartOptions, ScenarioEdge, ScenarioVertex } from "../../src/web/checkpoints.ts"
 * @import { Ask } from "../tools.js"
 * @import { CheckpointScenario } from "./codec.js"
 * @import { CheckpointField, Settings } from "./fields.js"
 */

import { recoveryOf } from "./failure.js";
import { FIELDS, fieldsOf } from "./fields.js";
import { isGraph } from "./graph.js";
import { graphEdges, graphVertices, serviceOf } from "./graph-params.js";
import { LIST_MAX, Reader, TEXT_MAX, listOf } from "./reader.js";

/**
 * @typedef {Map<string, Answer<any>>} Texts  what the engine read, by kind, version and text
 *
 * @typedef {object} Question
 * @property {Scenario} params
 * @property {number | null} objectiveMs     what is promised; null for no promise
 * @property {number} allowedShare           of the checkpoints that may take longer
 * @property {number} alignedTimeoutMs       what the mode with a timeout is compared with
 * @property {Map<string, string>} problems  sentences by field
 * @property {Map<string, string>} readings  what was read, by field, where it is not what is written
 * @property {Map<string, number>} numbers   where a slider stands, by field
 */

const TEXTS_KEPT_MAX = 1000;
/** The defaults of the version's options stand among the texts. */
const RESTART_OPTIONS = "checkpoints/restartOptions";

/** What the engine has read so far: a text means the same for ever. @type {Texts} */
const known = new Map();

/**
 * Has the engine read the texts that stand for durations and sizes.
 * @param {Ask} ask
 * @param {CheckpointScenario} scenario
 * @returns {Promise<{ texts: Texts, fault: string | null }>}  why the engine does not answer at all
 */
export async function readTexts(ask, { flink, settings }) {
  if (known.size > TEXTS_KEPT_MAX) known.clear();
  /** @type {Texts} */
  const texts = new Map();
  /** @type {string | null} */
  let fault = null;
  await Promise.all(
    [...wantedOf(flink, settings)].filter(([, { question, text }]) => question !== "" && text !== "" && text.length <= TEXT_MAX).map(async ([name, { question, text }]) => {
      const key = `${flink} ${name}`;
      const params = question === "parseDuration" ? { version: flink, text } : question === RESTART_OPTIONS ? { version: flink } : { text };
      const answer = known.get(key) ?? (await ask(question, params, name));
      texts.set(name, answer);
      if (!answer.ok && answer.error.code === "engine_fault") fault = answer.error.message;
      else if (answer.ok || answer.error.code !== "superseded") known.set(key, answer);
    }),
  );
  return { texts, fault };
}

/**
 * What was read already, without asking: a form can be shown with it at once.
 * @param {CheckpointScenario} scenario
 * @returns {Texts}
 */
export function knownTexts({ flink, settings }) {
  const names = [...wantedOf(flink, settings).keys()];
  return new Map(names.flatMap((name) => {
    const answer = known.get(`${flink} ${name}`);
    return answer ? [[name, answer]] : [];
  }));
}

/**
 * The texts that the engine reads, by name.
 * @param {CheckpointScenario["flink"]} flink
 * @param {Settings} settings
 * @returns {Map<string, { question: string, text: string }>}
 */
function wantedOf(flink, settings) {
  /** @type {Map<string, { question: string, text: string }>} */
  const wanted = new Map(fieldsOf(settings).flatMap((field) => (counts(field, settings) || field.id === "alignedTimeout" ? partsOf(field, settings).map((text) => /** @type {const} */ ([`${questionFor(field)} ${text}`, { question: questionFor(field), text }])) : [])));
  wanted.set(RESTART_OPTIONS, { question: RESTART_OPTIONS, text: flink });
  return wanted;
}

/** @param {CheckpointField} field @param {Settings} settings */
function counts({ shown }, settings) {
  return shown?.(settings) ?? true;
}

/** @param {CheckpointField} field */
function questionFor({ kind }) {
  if (kind === "duration" || kind === "durations" || kind === "bursts") return "parseDuration";
  return kind === "size" || kind === "sizes" ? "parseMemorySize" : "";
}

/** @param {CheckpointField} field @param {Settings} settings */
function partsOf({ id, kind }, settings) {
  if (kind === "bursts") return listOf(settings[id]).slice(1);
  return kind === "durations" || kind === "sizes" ? listOf(settings[id]) : [settings[id].trim()];
}

/**
 * @param {CheckpointScenario} scenario
 * @param {Texts} texts
 * @returns {Question}
 */
export function questionOf({ flink, settings }, texts) {
  const read = new Reader(settings, texts);
  /** @type {Scenario} */
  const scenario = {
    vertices: isGraph(settings) ? graphVertices(settings, read) : verticesOf(settings, read),
    edges: isGraph(settings) ? graphEdges(settings, read) : edgesOf(settings, read),
    network: networkOf(settings, restartOptions(texts), read),
    checkpointing: checkpointingOf(settings, read),
    recovery: recoveryOf(settings, failingVertex(settings), flink, restartOptions(texts), read),
    runMs: read.ms("run"),
    seed: read.count("seed"),
  };
  const objectiveMs = read.msOrNull("objective");
  const allowedShare = read.share("allowed");
  const { problems, readings, numbers } = read;
  return { params: scenario, objectiveMs, allowedShare, alignedTimeoutMs: alignedTimeoutOf(settings, texts), problems, readings, numbers };
}

/**
 * Without an answer of the engine nothing is simulated, so what stands here then is never asked.
 * @param {Texts} texts
 * @returns {RestartOptions}
 */
function restartOptions(texts) {
  const answer = texts.get(RESTART_OPTIONS);
  return answer?.ok ? answer.value : { unnamed: { kind: "disable" }, strategies: [], heartbeat: { intervalMs: 10_000, timeoutMs: 50_000, rpcFailureThreshold: 2 }, fixedBuffers: null };
}

/**
 * A part that the shape does not have is a vertex that the engine refuses.
 * @param {Settings} settings
 */
function failingVertex({ shape, failVertex, failPart }) {
  if (shape === "graph") return Number(failVertex);
  const parts = shape === "twoInputs" ? ["source", "secondSource", "operator"] : ["source", "operator", ...(shape === "chain" ? ["sink"] : [])];
  return parts.includes(failPart) ? parts.indexOf(failPart) : parts.length;
}

/**
 * The timeout of the form, also while it does not count; a second where it cannot be read.
 * @param {Settings} settings
 * @param {Texts} texts
 */
function alignedTimeoutOf({ alignedTimeout }, texts) {
  const answer = texts.get(`parseDuration ${alignedTimeout.trim()}`);
  return answer?.ok ? Number(answer.value.seconds) * 1000 + Math.floor(answer.value.nanos / 1e6) : 1000;
}

/**
 * Sources first, then the operator, then the sink of a chain. Two inputs are two sources.
 * @param {Settings} settings
 * @param {Reader} read
 * @returns {ScenarioVertex[]}
 */
function verticesOf(settings, read) {
  const rate = read.list("rate", "10000, 10");
  const lags = read.micros("lag").map((micros) => Math.floor(micros / 1000));
  const bursts = read.bursts("bursts");
  const plain = { selectivity: 1, state: { bytes: [0], changedBytes: [0] }, syncMs: 0, asyncMs: 0, slowFirst: 0, service: [{ kind: /** @type {const} */ ("constant"), meanUs: 0 }] };
  /**
   * @param {string} name
   * @param {number} parallelism
   * @param {number[]} rates
   * @param {number[]} lagMs
   */
  const source = (name, parallelism, rates, lagMs) => ({ ...plain, name, parallelism, source: { rate: rates, partitions: null, bursts, lagMs, maxRate: null } });
  const sources =
    settings.shape === "twoInputs"
      ? [0, 1].map((index) => source(`Source ${index + 1}`, 1, [rate[index % rate.length]], [lagOf(lags, index)]))
      : [sourcesOf(settings, read, source, rate, lags)];
  const sigma = settings.spread === "lognormal" ? read.sigma("sigma") : 1;
  const operator = {
    ...plain,
    name: "Operator",
    parallelism: read.count("operators"),
    source: null,
    service: read.micros("service").map((meanUs) => serviceOf(settings.spread, meanUs, sigma)),
    state: { bytes: read.sizes("state"), changedBytes: settings.incremental === "full" ? [0] : read.sizes("changed") },
    syncMs: read.ms("sync"),
    asyncMs: read.ms("async"),
    slowFirst: read.count("slowFirst"),
  };
  const sinks = settings.shape === "chain" ? [{ ...plain, name: "Sink", parallelism: read.count("sinks"), source: null, service: read.micros("sinkService").map((meanUs) => serviceOf("constant", meanUs, 1)) }] : [];
  return [...sources, operator, ...sinks];
}

/**
 * @param {Settings} settings
 * @param {Reader} read
 * @param {(name: string, parallelism: number, rates: number[], lagMs: number[]) => ScenarioVertex} source
 * @param {number[]} rate
 * @param {number[]} lags
 */
function sourcesOf(settings, read, source, rate, lags) {
  const parallelism = read.count("sources");
  const listed = Math.min(Math.max(parallelism, 1), LIST_MAX);
  return source("Source", parallelism, rate, Array.from({ length: listed }, (_, index) => lagOf(lags, index)));
}

/**
 * One time is subtask 0's alone; a list is by subtask.
 * @param {number[]} lags
 * @param {number} index
 */
function lagOf(lags, index) {
  return lags[index] ?? 0;
}

/**
 * @param {Settings} settings
 * @param {Reader} read
 * @returns {ScenarioEdge[]}
 */
function edgesOf(settings, read) {
  const recordBytes = read.bytes("recordBytes");
  const exchange = /** @type {ScenarioEdge["exchange"]} */ (settings.exchange);
  /** @type {ScenarioEdge["skew"]} */
  const skew = exchange !== "hash" || settings.weights.trim() === "" ? { kind: "even" } : { kind: "weights", weights: read.list("weights", "9, 1") };
  const even = /** @type {const} */ ({ kind: "even" });
  if (settings.shape === "twoInputs") return [0, 1].map((from) => ({ from, to: 2, exchange, recordBytes, skew }));
  const first = { from: 0, to: 1, exchange, recordBytes, skew };
  return settings.shape === "chain" ? [first, { from: 1, to: 2, exchange: "hash", recordBytes, skew: even }] : [first];
}

/**
 * @param {Settings} settings
 * @param {RestartOptions} options
 * @param {Reader} read
 * @returns {Scenario["network"]}
 */
function networkOf(settings, { fixedBuffers }, read) {
  const isOn = settings.debloat === "on";
  const debloat = isOn
    ? { targetMs: read.ms("debloatTarget"), periodMs: read.ms("debloatPeriod"), samples: read.count("debloatSamples"), thresholdPercentages: read.count("debloatThreshold") }
    : { targetMs: 1000, periodMs: 200, samples: 20, thresholdPercentages: 25 };
  return {
    placement: placementOf(settings, read),
    segmentBytes: read.bytes("segment"),
    // What a version has no options for does not count, whatever is written.
    ...(fixedBuffers ?? buffersOf(read)),
    bufferTimeoutMs: read.msOrNull("bufferTimeout") ?? -1,
    bufferDebloat: { enabled: isOn, ...debloat },
  };
}

/** @param {Reader} read */
function buffersOf(read) {
  return {
    buffersPerChannel: read.count("exclusive"),
    floatingBuffersPerGate: read.count("floating"),
    maxBuffersPerChannel: read.count("maxPerChannel"),
    maxOverdraftBuffersPerGate: read.count("overdraft"),
  };
}

/**
 * @param {Settings} settings
 * @param {Reader} read
 * @returns {Scenario["network"]["placement"]}
 */
function placementOf({ placement }, read) {
  if (placement === "slots") return { kind: "slots", slotsPerTaskManager: read.count("slots") };
  return { kind: placement === "local" ? "local" : "remote" };
}

/**
 * @param {Settings} settings
 * @param {Reader} read
 * @returns {Scenario["checkpointing"]}
 */
function checkpointingOf(settings, read) {
  const upload = read.bytesOrNull("upload");
  return {
    mode: /** @type {CheckpointMode} */ (settings.mode),
    alignedCheckpointTimeoutMs: settings.mode === "timeout" ? read.ms("alignedTimeout") : 0,
    intervalMs: read.ms("interval"),
    minPauseMs: read.ms("minPause"),
    timeoutMs: read.ms("timeout"),
    maxConcurrentCheckpoints: read.count("concurrent"),
    tolerableFailedCheckpoints: read.count("tolerable"),
    firstTriggerMs: read.msOrNull("first"),
    incremental: /** @type {Scenario["checkpointing"]["incremental"]} */ (settings.incremental),
    upload: upload === null ? null : { bytesPerSecond: upload, per: settings.uploadPer === "slot" ? "slot" : "taskManager" },
  };
}

/**
 * Puts a refusal of the engine at the field that it names.
 * @param {Question} question
 * @param {Settings} settings
 * @param {Problem} problem
 */
export function placeProblem({ problems }, settings, { field, option, message }) {
  const found = fieldAt(field, settings) ?? FIELDS.find(({ api }) => api === option);
  if (found) problems.set(found.id, message);
}

/**
 * The field that a path of the params means.
 * @param {string | null} path
 * @param {Settings} settings
 */
export function fieldAt(path, settings) {
  if (path === null) return undefined;
  const own = path.replace(/^(?:job|scenario)\./, "");
  const near = fieldsOf(settings).filter((field) => counts(field, settings) && (own === field.path || own.startsWith(`${field.path}.`) || own.startsWith(`${field.path}[`) || field.path.startsWith(`${own}.`)));
  return near.find((field) => field.path === own) ?? near[near.length - 1];
}

/**
 * @param {Question} question
 * @param {Settings} settings
 */
export function problemSentence({ problems }, settings) {
  const [first] = problems;
  return first ? `${fieldsOf(settings).find(({ id }) => id === first[0])?.label ?? first[0]}: ${first[1]}` : "";
}
