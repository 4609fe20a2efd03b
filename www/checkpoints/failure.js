// @ts-check
/**
 * What fails, how it is noticed, and how the job comes back: fields, and to the engine's params and back.
 * @import { FlinkVersion } from "../../src/web/types.ts"
 * @import { RestartOptions, RestartStrategy, ScenarioFailure, ScenarioRecovery } from "../../src/web/checkpoints.ts"
 * @import { CheckpointField, Settings } from "./fields.js"
 * @import { Reader } from "./reader.js"
 */

import { exact, time } from "./texts-of.js";

/** What Flink writes for any number. */
const INTEGER_MAX = 2_147_483_647;
const DEFAULT = "Flink’s default";

/** @param {Settings} settings */
const fails = ({ failAt }) => failAt.trim() !== "";

/** @param {RestartStrategy["kind"]} strategy @returns {(settings: Settings) => boolean} */
const by = (strategy) => (settings) => fails(settings) && settings.restart === strategy;

/** @param {string} id @param {...string} values @returns {(settings: Settings) => boolean} */
const when = (id, ...values) => (settings) => values.includes(settings[id]);

/** @type {CheckpointField[]} */
export const FAILURE_FIELDS = [
  { id: "failAt", label: "A subtask fails at", api: "times in the run", own: true, kind: "durations", empty: "it does not", slider: { min: 0, max: 600_000, scale: "log", unit: "ms" }, path: "recovery.failures", hint: "The job goes back to its newest completed checkpoint and reads again what came after. A list, such as 20 s, 50 s, is several failures." },
  {
    id: "failPart",
    label: "Where",
    api: "a vertex of the job",
    own: true,
    isFolded: true,
    kind: "choice",
    choices: [
      ["operator", "in the operator"],
      ["source", "in the source, or the first of two"],
      ["secondSource", "in the second of two sources"],
      ["sink", "in the sink of a chain"],
    ],
    shown: (settings) => fails(settings) && settings.shape !== "graph",
    path: "recovery.failures[0].vertex",
    hint: "The whole job restarts, whichever subtask fails; which TaskManager is lost, and who notices, depends on it.",
  },
  { id: "failSubtask", label: "Which subtask", api: "index of the subtask", own: true, isFolded: true, kind: "count", shown: fails, path: "recovery.failures[0].subtask", hint: "From 0 on." },
  {
    id: "failKind",
    label: "What fails",
    api: "the task or its TaskManager",
    own: true,
    kind: "choice",
    choices: [
      ["task", "the task: it throws, and is noticed at once"],
      ["taskManagerLost", "its TaskManager: the process dies"],
      ["taskManagerUnreachable", "its TaskManager: it does not answer any more"],
    ],
    shown: fails,
    path: "recovery.failures[0].kind",
    hint: "Every subtask in the same TaskManager fails with it. A process that dies closes its connections; one that cannot be reached is noticed by its heartbeats only.",
  },
  { id: "heartbeatInterval", label: "Heartbeat interval", api: "heartbeat.interval", kind: "duration", shown: when("failKind", "taskManagerLost", "taskManagerUnreachable"), path: "recovery.heartbeat.intervalMs", hint: "Flink’s default is 10 s." },
  { id: "heartbeatTimeout", label: "Heartbeat timeout", api: "heartbeat.timeout", kind: "duration", shown: when("failKind", "taskManagerLost", "taskManagerUnreachable"), slider: { min: 1000, max: 600_000, scale: "log", unit: "ms" }, path: "recovery.heartbeat.timeoutMs", hint: "Without an answer for so long a TaskManager counts as lost. Flink’s default is 50 s." },
  { id: "rpcThreshold", label: "Heartbeats that fail in a row", api: "heartbeat.rpc-failure-threshold", isFolded: true, kind: "integer", empty: DEFAULT, shown: when("failKind", "taskManagerLost", "taskManagerUnreachable"), path: "recovery.heartbeat.rpcFailureThreshold", hint: "So many heartbeats that could not be delivered make a TaskManager count as lost before heartbeat.timeout; -1 is never. It has nothing to do with execution.checkpointing.tolerable-failed-checkpoints, which counts failed checkpoints." },
  {
    id: "restart",
    label: "Restart strategy",
    api: "restart-strategy.type",
    kind: "choice",
    choices: [
      ["delay", "the delay below, as often as needed"],
      ["fixedDelay", "fixed-delay"],
      ["failureRate", "failure-rate"],
      ["exponentialDelay", "exponential-delay"],
      ["disable", "disable: the first failure ends the job"],
    ],
    shown: fails,
    path: "recovery.restartStrategy",
    hint: "Without a name a job with checkpoints gets fixed-delay without a limit of attempts in 1.18, and exponential-delay since 1.19.",
  },
  { id: "restartAttempts", label: "Attempts", api: "restart-strategy.fixed-delay.attempts", kind: "count", empty: DEFAULT, shown: by("fixedDelay"), path: "recovery.restartStrategy.attempts", hint: "The job ends with the failure after so many restarts. A restart that fails because a lost TaskManager still counts as there is one of them." },
  { id: "restartRate", label: "Failures in the interval", api: "restart-strategy.failure-rate.max-failures-per-interval", kind: "count", empty: DEFAULT, shown: by("failureRate"), path: "recovery.restartStrategy.maxFailuresPerInterval", hint: "One more within the interval ends the job." },
  { id: "restartInterval", label: "Interval of the failures", api: "restart-strategy.failure-rate.failure-rate-interval", kind: "duration", empty: DEFAULT, shown: by("failureRate"), path: "recovery.restartStrategy.failureRateIntervalMs", hint: "How far back failures are counted." },
  { id: "restartMost", label: "Longest backoff", api: "restart-strategy.exponential-delay.max-backoff", kind: "duration", empty: DEFAULT, shown: by("exponentialDelay"), path: "recovery.restartStrategy.maxBackoffMs", hint: "The delay grows to this and no further." },
  { id: "restartFactor", label: "Backoff grows by", api: "restart-strategy.exponential-delay.backoff-multiplier", kind: "number", empty: DEFAULT, shown: by("exponentialDelay"), path: "recovery.restartStrategy.backoffMultiplier", hint: "Each delay is the one before, times this." },
  { id: "restartReset", label: "Backoff starts anew after", api: "restart-strategy.exponential-delay.reset-backoff-threshold", kind: "duration", empty: DEFAULT, shown: by("exponentialDelay"), path: "recovery.restartStrategy.resetBackoffThresholdMs", hint: "A job that ran for so long begins with the first delay again." },
  { id: "restartJitter", label: "Jitter", api: "restart-strategy.exponential-delay.jitter-factor", kind: "number", empty: DEFAULT, shown: by("exponentialDelay"), path: "recovery.restartStrategy.jitterFactor", hint: "The share of the delay by which it may be longer or shorter, at random." },
  { id: "restartDelay", label: "Restart delay", api: (flink) => (flink === "1.18" ? "restart-strategy.fixed-delay.delay" : "restart-strategy.exponential-delay.initial-backoff"), kind: "duration", shown: (settings) => settings.restart !== "disable", slider: { min: 0, max: 120_000, scale: "log", unit: "ms" }, path: "recovery.restartDelayMs", hint: "From when the failure is noticed to the restart; of exponential-delay the first one." },
  { id: "restore", label: "A subtask reads back, in a second", api: "bytes/s", own: true, kind: "size", empty: "no limit", slider: { min: 1_048_576, max: 10_737_418_240, scale: "log", unit: "bytes" }, path: "recovery.restoreBytesPerSecond", hint: "How fast state comes back from the storage. Without a limit reading takes no time." },
];

/**
 * @param {Settings} settings
 * @param {number} vertex  the one that fails
 * @param {FlinkVersion} flink
 * @param {RestartOptions} options  the defaults of that version
 * @param {Reader} read
 * @returns {ScenarioRecovery}
 */
export function recoveryOf(settings, vertex, flink, options, read) {
  const kind = /** @type {ScenarioFailure["kind"]} */ (settings.failKind);
  // Where the fields are not shown, what is written in them does not count.
  const isLost = kind !== "task";
  return {
    failures: fails(settings) ? failuresOf(vertex, kind, read) : [],
    heartbeat: { ...options.heartbeat, ...(isLost ? { intervalMs: read.ms("heartbeatInterval"), timeoutMs: read.ms("heartbeatTimeout"), rpcFailureThreshold: read.integerOrNull("rpcThreshold") ?? options.heartbeat.rpcFailureThreshold } : {}) },
    restartStrategy: fails(settings) ? strategyOf(settings.restart, flink, options, read) : null,
    restartDelayMs: settings.restart === "disable" ? 0 : read.ms("restartDelay"),
    restoreBytesPerSecond: read.bytesOrNull("restore"),
  };
}

/**
 * @param {number} vertex
 * @param {ScenarioFailure["kind"]} kind
 * @param {Reader} read
 * @returns {ScenarioFailure[]}
 */
function failuresOf(vertex, kind, read) {
  const subtask = read.count("failSubtask");
  return read.micros("failAt").map((micros) => ({ atMs: Math.floor(micros / 1000), vertex, subtask, kind }));
}

/**
 * @param {string} name
 * @param {FlinkVersion} flink
 * @param {RestartOptions} options
 * @param {Reader} read
 * @returns {RestartStrategy | null}
 */
function strategyOf(name, flink, { strategies }, read) {
  const usual = strategies.find(({ kind }) => kind === name);
  switch (usual?.kind) {
    case "fixedDelay":
      return { ...usual, attempts: read.countOrNull("restartAttempts") ?? usual.attempts, delayMs: read.ms("restartDelay") };
    case "failureRate":
      return {
        ...usual,
        maxFailuresPerInterval: read.countOrNull("restartRate") ?? usual.maxFailuresPerInterval,
        failureRateIntervalMs: read.msOrNull("restartInterval") ?? usual.failureRateIntervalMs,
        delayMs: read.ms("restartDelay"),
      };
    case "exponentialDelay":
      return {
        ...usual,
        flink,
        initialBackoffMs: read.ms("restartDelay"),
        maxBackoffMs: read.msOrNull("restartMost") ?? usual.maxBackoffMs,
        backoffMultiplier: read.numberOrNull("restartFactor") ?? usual.backoffMultiplier,
        resetBackoffThresholdMs: read.msOrNull("restartReset") ?? usual.resetBackoffThresholdMs,
        jitterFactor: read.numberOrNull("restartJitter") ?? usual.jitterFactor,
      };
    default:
      return usual ?? null;
  }
}

/**
 * The texts that stand for it; null where the form has none, since several failures are alike there.
 * @param {ScenarioRecovery} recovery
 * @returns {Settings | null}
 */
export function recoverySettings({ failures, heartbeat, restartStrategy, restartDelayMs }) {
  const [first] = failures;
  if (failures.some(({ vertex, subtask, kind }) => subtask !== first.subtask || vertex !== first.vertex || kind !== first.kind)) return null;
  return {
    failAt: failures.map(({ atMs }) => time(atMs)).join(", "),
    failSubtask: String(first?.subtask ?? 0),
    ...(first ? { failKind: first.kind } : {}),
    rpcThreshold: first && first.kind !== "task" ? String(heartbeat.rpcFailureThreshold) : "",
    heartbeatInterval: time(heartbeat.intervalMs),
    heartbeatTimeout: time(heartbeat.timeoutMs),
    restartDelay: time(restartDelayMs),
    ...(restartStrategy ? strategySettings(restartStrategy) : {}),
  };
}

/** @param {RestartStrategy} strategy @returns {Settings} */
function strategySettings(strategy) {
  const restart = strategy.kind;
  switch (strategy.kind) {
    case "fixedDelay":
      return { restart, restartDelay: time(strategy.delayMs), restartAttempts: String(strategy.attempts ?? INTEGER_MAX) };
    case "failureRate":
      return { restart, restartDelay: time(strategy.delayMs), restartRate: String(strategy.maxFailuresPerInterval), restartInterval: time(strategy.failureRateIntervalMs) };
    case "exponentialDelay":
      return {
        restart,
        restartDelay: time(strategy.initialBackoffMs),
        restartMost: time(strategy.maxBackoffMs),
        restartFactor: exact(strategy.backoffMultiplier),
        restartReset: time(strategy.resetBackoffThresholdMs),
        restartJitter: exact(strategy.jitterFactor),
      };
    default:
      return { restart };
  }
}
