// @ts-check
/**
 * From what is written to what the engine is asked. Durations are read by the engine.
 * @import { Answer, DurationReport } from "../../src/web/types.ts"
 * @import { LintParams, PlayParams, TimeoutParams, TimeoutReport } from "../../src/web/transactions.ts"
 * @import { ExactlyScenario, Situation } from "./codec.js"
 * @import { Fault } from "./fault-kinds.js"
 * @import { Settings } from "./presets.js"
 */

import { millis, unsigned } from "../event-time/params.js";
import { FAULT_TIMES, FIELD_WORDS } from "./fault-kinds.js";
import { FIELDS } from "./fields.js";

const COUNT_MAX = 4_294_967_295;
/** What a run has where nothing is set: the defaults of KafkaCommitter and of the producer. */
const PLAYED_RETRIES = 10;
const PLAYED_BLOCK_MS = 60_000;
/** The connector that goes with a Flink version, where none is chosen. @type {Record<string, LintParams["connector"]>} */
const CONNECTOR_OF = { "1.18": "3.2", "1.20": "3.4", "2.2": "5.0" };

/**
 * @typedef {Map<string, Answer<DurationReport>>} Durations  what the engine read, by text
 *
 * @typedef {object} Written
 * @property {(id: string) => number | null} ms      null where nothing is written
 * @property {(id: string) => number | null} count
 * @property {Map<string, string>} problems          sentences by field
 * @property {Fault[]} faults                        with their times in milliseconds
 * @property {Map<string, string>} faultProblems     sentences by place and name, as in `1 afterMs`
 */

/** Texts that stand for durations, without their sign. @param {Situation} situation */
export function durationTexts({ settings, faults }) {
  const written = FIELDS.filter(({ kind }) => kind === "duration").map(({ id }) => settings[id]);
  const placed = faults.flatMap((fault) => FAULT_TIMES.map((name) => fault[name]).filter((value) => typeof value === "string"));
  return [...written, ...placed].map((text) => unsigned(text)).filter((text) => text !== "");
}

/**
 * What the fields and the faults say in numbers.
 * @param {Situation} situation
 * @param {Durations} durations
 * @returns {Written}
 */
export function writtenIn({ settings, faults }, durations) {
  /** @type {Map<string, string>} */
  const problems = new Map();
  /** @type {Map<string, number | null>} */
  const numbers = new Map();
  for (const { id, kind, empty } of FIELDS) {
    const text = settings[id].trim();
    if (kind !== "duration" && kind !== "count") continue;
    numbers.set(id, null);
    if (text === "") {
      if (empty === undefined) problems.set(id, kind === "duration" ? "Something like 10 s is needed here." : "A whole number is needed here.");
    } else if (kind === "duration") {
      const reading = durations.get(unsigned(text));
      if (reading?.ok) numbers.set(id, millis(reading.value, unsigned(text) !== text));
      else problems.set(id, reading ? reading.error.message : "This is not read yet.");
    } else if (!/^\d{1,10}$/.test(text) || Number(text) > COUNT_MAX) {
      problems.set(id, `“${text.slice(0, 60)}” is not a whole number.`);
    } else {
      numbers.set(id, Number(text));
    }
  }
  const of = (/** @type {string} */ id) => numbers.get(id) ?? null;
  return { ms: of, count: of, problems, ...placedIn(faults, durations) };
}

/**
 * @param {Fault[]} faults
 * @param {Durations} durations
 */
function placedIn(faults, durations) {
  /** @type {Map<string, string>} */
  const faultProblems = new Map();
  const read = faults.map((fault, at) => {
    const placed = { ...fault };
    for (const name of FAULT_TIMES) {
      const text = fault[name];
      if (typeof text !== "string") continue;
      const reading = durations.get(unsigned(text));
      if (reading?.ok && unsigned(text) === text.trim()) placed[name] = millis(reading.value, false);
      else faultProblems.set(`${at} ${name}`, reading && !reading.ok ? reading.error.message : "Something like 90 s or 2 min is needed here.");
    }
    return placed;
  });
  return { faults: read, faultProblems };
}

/**
 * @param {Written} written
 * @returns {TimeoutParams}
 */
export function timesOf({ ms, count, faults }) {
  const required = (/** @type {string} */ id) => ms(id) ?? 0;
  return {
    timeoutMs: ms("timeoutMs"),
    brokerMaxMs: ms("brokerMaxMs"),
    intervalMs: required("intervalMs"),
    durationMs: required("durationMs"),
    notifyMs: required("notifyMs"),
    failures: count("failures") ?? 0,
    detectionMs: ms("detectionMs"),
    restartDelayMs: ms("restartDelayMs"),
    schedulingMs: ms("schedulingMs"),
    restoreMs: ms("restoreMs"),
    probingMs: ms("probingMs"),
    abortScanMs: required("abortScanMs"),
    patienceMs: ms("patienceMs"),
    checkpointTimeoutMs: required("checkpointTimeoutMs"),
    faults: /** @type {any} */ (faults),
  };
}

/** Whether the sink writes into Kafka. @param {Settings} settings */
export function isKafka({ sink }) {
  return sink !== "file" && sink !== "table";
}

/** Whether the sink can write in transactions of Kafka. @param {Settings} settings */
export function hasTransactions(settings) {
  return isKafka(settings) && settings.sink !== "upsert";
}

/** The guarantee; where none is set, the sink's own: FlinkKafkaProducer has a weaker one than exactly-once. @param {Settings} settings */
export function guaranteeOf({ guarantee, sink }) {
  return guarantee === "" && sink === "flinkKafkaProducer" ? "atLeastOnce" : guarantee;
}

/** @param {ExactlyScenario} scenario @returns {LintParams["connector"]} */
export function connectorOf({ flink, settings }) {
  return settings.connector === "" ? CONNECTOR_OF[flink] : /** @type {LintParams["connector"]} */ (settings.connector);
}

/**
 * @param {ExactlyScenario} scenario
 * @param {Written} written
 * @returns {LintParams}
 */
export function lintsOf(scenario, written) {
  const { settings } = scenario;
  const { ms, count } = written;
  /** @param {string} id @returns {any} */
  const orNull = (id) => (settings[id].trim() === "" ? null : settings[id].trim());
  /** @param {string} id */
  const known = (id) => (settings[id] === "" ? null : settings[id] === "yes");
  const other = ms("otherTimeoutMs");
  return {
    flink: scenario.flink,
    connector: connectorOf(scenario),
    // To the rules any sink without Kafka's transactions is a KafkaSink that uses none.
    sink: settings.sink === "flinkKafkaProducer" ? "flinkKafkaProducer" : "kafkaSink",
    guarantee: hasTransactions(settings) ? orNull("guarantee") : "atLeastOnce",
    times: timesOf(written),
    checkpointing: settings.checkpointing === "on",
    bounded: settings.bounded === "yes",
    checkpointsAfterTasksFinish: settings.checkpointsAfterTasksFinish === "on",
    readers: [orNull("isolation")],
    prefix: orNull("prefix"),
    otherPrefixes: [...settings.otherPrefixes.split(",").map((prefix) => prefix.trim()), ...rivalsOf(scenario)].filter((prefix) => prefix !== ""),
    sharedTopic: settings.sharedTopic === "yes",
    prefixChanged: settings.prefixChanged === "yes",
    stateRestored: settings.stateRestored === "yes",
    naming: /** @type {any} */ (settings.naming),
    previousNaming: orNull("previousNaming"),
    parallelism: count("parallelism") ?? 1,
    plannedParallelism: count("plannedParallelism") ?? rescaledTo(written),
    firstCheckpointDone: settings.firstCheckpointDone === "yes",
    idExpirationMs: ms("idExpirationMs") ?? 0,
    restart: /** @type {any} */ (settings.restart),
    restartAttempts: settings.restart === "fixedDelay" ? count("maxAutoRestarts") : null,
    broker: orNull("broker"),
    transactionVersion: /** @type {any} */ (settings.transactionVersion),
    canDescribeTopics: known("canDescribeTopics"),
    canWriteTransactionalId: known("canWriteTransactionalId"),
    dynamicTopics: settings.dynamicTopics === "yes",
    idsInRotation: count("idsInRotation") ?? 1,
    savepointAgeMs: ms("savepointAgeMs"),
    stop: orNull("stop"),
    otherTimeoutsMs: other === null ? [] : [other],
    poolSize: count("poolSize") ?? 1,
    maxConcurrentCheckpoints: count("maxConcurrentCheckpoints") ?? 1,
    committerRetries: count("committerRetries") ?? 0,
    maxBlockMs: ms("maxBlockMs") ?? 0,
  };
}

/** The subtasks that the first restore with another number of them has. @param {Written} written */
function rescaledTo({ faults }) {
  const parallelism = faults.find(({ ev, parallelism }) => ev === "restore" && typeof parallelism === "number")?.parallelism;
  return typeof parallelism === "number" ? parallelism : null;
}

/** Prefixes of the jobs and sinks that are placed beside this one. @param {Situation} situation */
function rivalsOf({ settings, faults }) {
  const rivals = faults.filter(({ ev }) => ev === "second_job_starts" || ev === "second_sink_same_jvm");
  return rivals.map(({ prefix }) => (typeof prefix === "string" ? prefix : settings.prefix).trim());
}

/** @type {Record<string, PlayParams["settings"]["deliveryGuarantee"]>} */
const GUARANTEES = { exactlyOnce: "exactly_once", atLeastOnce: "at_least_once", none: "none", "": "none" };
/** @type {Record<string, PlayParams["settings"]["sink"]>} */
const SINKS = { kafkaSink: "kafka_sink", flinkKafkaProducer: "legacy", upsert: "upsert", file: "file", table: "table" };

/**
 * What the settings say that the engine takes as something that happens. It goes in front of what is
 * placed, so that it counts from the start and a fault of the list may say otherwise.
 * @param {Settings} settings
 * @param {Written} written
 * @returns {Fault[]}
 */
function ownFaults({ bounded, checkpointsAfterTasksFinish }, { ms, count, faults }) {
  const [retries, maxBlock] = [count("committerRetries"), ms("maxBlockMs")];
  const endsBare = bounded === "yes" && checkpointsAfterTasksFinish === "off" && !faults.some(({ ev }) => ev === "end_of_input");
  return [
    ...(retries === null || retries === PLAYED_RETRIES ? [] : [{ ev: "set", option: "sink.committer.retries", value: retries }]),
    ...(maxBlock === null || maxBlock === PLAYED_BLOCK_MS ? [] : [{ ev: "set", option: "max.block.ms", value: maxBlock }]),
    ...(endsBare ? [{ ev: "end_of_input", afterInterval: count("intervals") ?? 0, finalCheckpoint: false }] : []),
  ];
}

/**
 * A sentence or a path of the engine with the number that a fault has in the list.
 * @param {string} text
 * @param {number} own   faults in front of those of the list
 */
export function asListed(text, own) {
  return text.replace(/\bfaults\[(\d+)\]/g, (_, at) => `faults[${at - own}]`).replace(/^Fault (\d+)\b/, (_, number) => `Fault ${number - own}`);
}

/**
 * What has to be said in front of a verdict that holds only with checkpoints; empty where they are on.
 * @param {Settings} settings
 */
export function caveatOf(settings) {
  if (settings.checkpointing !== "off") return "";
  return `Checkpointing is off, and the run below plays a checkpoint every interval all the same. ${withoutCheckpoints(settings)} With checkpoints it would be: `;
}

/**
 * CommitterOperator commits without a checkpoint only where the input ends (endInput), and the legacy
 * sink falls back to no guarantee.
 * @param {Settings} settings
 */
function withoutCheckpoints(settings) {
  if (settings.sink === "flinkKafkaProducer" && settings.guarantee === "exactlyOnce") return "Without checkpoints the legacy sink falls back to no guarantee (L10).";
  if (isKafka(settings) && (!hasTransactions(settings) || settings.guarantee !== "exactlyOnce")) return "Without checkpoints a restart has no position of the source to go on from.";
  const what = isKafka(settings) ? "one transaction" : "all that is written";
  if (settings.bounded === "yes") return `Without checkpoints ${what} is committed when the input ends, and not before${isKafka(settings) ? ": the whole run has to fit into its timeout" : ""}.`;
  return isKafka(settings) ? "Without checkpoints nothing is ever committed while the input goes on, and read_committed readers see nothing (L10)." : "Without checkpoints nothing that the sink writes is ever committed while the input goes on.";
}

/**
 * The scenario as it is played; what is not set has the value that the engine names in `times`.
 * @param {Pick<Situation, "settings">} situation
 * @param {Written} written
 * @param {TimeoutReport} times
 * @param {"read_committed" | "read_uncommitted"} [isolation]  where it is not the one of the settings
 * @returns {PlayParams}
 */
export function playOf({ settings }, written, times, isolation) {
  const { ms, count, faults } = written;
  const required = (/** @type {string} */ id) => ms(id) ?? 0;
  return {
    settings: {
      sink: SINKS[settings.sink],
      // Files and tables have no weaker one.
      deliveryGuarantee: isKafka(settings) ? GUARANTEES[guaranteeOf(settings)] : "exactly_once",
      naming: /** @type {any} */ (settings.naming),
      txnProtocol: /** @type {any} */ (settings.transactionVersion),
      checkpointIntervalMs: required("intervalMs"),
      checkpointDurationMs: required("durationMs"),
      notifyDelayMs: required("notifyMs"),
      firstRecordOffsetMs: required("firstRecordMs"),
      lastRecordOffsetMs: ms("lastRecordMs"),
      idleTail: settings.idleTail === "on",
      txnTimeoutMs: times.timeoutMs,
      brokerMaxTxnTimeoutMs: times.brokerMaxMs,
      brokerAbortScanMs: required("abortScanMs"),
      txnIdExpirationMs: required("idExpirationMs"),
      downtimeMs: times.partsMs,
      autoRestartDelayMs: required("restartDelayMs"),
      // Without a number the engine has its own, since a run has to end.
      ...(settings.restart === "none" ? { maxAutoRestarts: 0 } : count("maxAutoRestarts") === null ? {} : { maxAutoRestarts: /** @type {number} */ (count("maxAutoRestarts")) }),
      isolation: isolation ?? (settings.isolation === "read_committed" || !isKafka(settings) ? "read_committed" : "read_uncommitted"),
      prefix: settings.prefix.trim(),
      parallelism: count("parallelism") ?? 1,
      partitionLayout: isKafka(settings) ? /** @type {any} */ (settings.layout) : "one_per_subtask",
      recordsPerInterval: count("recordsPerInterval") ?? 0,
      intervals: count("intervals") ?? 0,
      observeExtraMs: required("observeMs"),
      patienceMs: ms("patienceMs"),
      judge: /** @type {any} */ (settings.judge),
      otherWriter: settings.otherWriter === "" ? null : /** @type {any} */ (settings.otherWriter),
      poolSize: count("poolSize") ?? 1,
      connector: settings.previousNaming === "connector3" ? "3.x->4.x" : null,
    },
    faults: /** @type {any} */ ([...ownFaults(settings, written), ...faults]),
  };
}

/** Fields of the form by the names that a refusal of the played scenario has. @type {Record<string, string>} */
const PLAYED = {
  txnTimeoutMs: "timeoutMs",
  brokerMaxTxnTimeoutMs: "brokerMaxMs",
  checkpointIntervalMs: "intervalMs",
  checkpointDurationMs: "durationMs",
  notifyDelayMs: "notifyMs",
  firstRecordOffsetMs: "firstRecordMs",
  lastRecordOffsetMs: "lastRecordMs",
  brokerAbortScanMs: "abortScanMs",
  txnIdExpirationMs: "idExpirationMs",
  autoRestartDelayMs: "restartDelayMs",
  observeExtraMs: "observeMs",
};

/**
 * A refusal with the name that the form has for its field, in place of the engine's path.
 * @param {string} message
 * @param {string} path
 */
export function inWords(message, path) {
  if (path === "" || !message.startsWith(path)) return message;
  const label = FIELDS.find(({ id }) => id === fieldOf(path))?.label;
  const placed = /faults\[(\d+)\]\.(\w+)$/.exec(path);
  const name = placed ? `Fault ${Number(placed[1]) + 1}, ${FIELD_WORDS[placed[2]] ?? placed[2]},` : (label ?? path);
  return name + message.slice(path.length);
}

/**
 * The field of the form that a refusal is about; null where it is none.
 * @param {string | null} path
 */
export function fieldOf(path) {
  const name = (path ?? "").replace(/^(play\.)?(times|settings)\./, "");
  const id = PLAYED[name] ?? name;
  return FIELDS.some((field) => field.id === id) ? id : null;
}
