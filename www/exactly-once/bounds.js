// @ts-check
/**
 * How far all orders are tried, and with which sink.
 * @import { ExploreParams, ExploreReport, PropertyReport } from "../../src/web/transactions.ts"
 * @import { Settings } from "./presets.js"
 *
 * @typedef {Record<string, number | string | boolean>} Bounds
 * @typedef {{ bounds: Bounds, way: string | null, step: number }} Explored   what was searched, and the way that is open
 *
 * @typedef {object} Bound
 * @property {string} id          its name in the params of the engine
 * @property {string} label
 * @property {number | boolean | string} usual
 * @property {[string, string][]} [choices]
 * @property {boolean} [isMore]   folded away
 */

import { guaranteeOf } from "./params.js";

/** Sinks that the engine explores; empty: the one of the settings. @type {[string, string][]} */
const SINKS = [
  ["", "the sink of the settings"],
  ["kafka_sink", "KafkaSink"],
  ["legacy", "FlinkKafkaProducer (legacy)"],
  ["upsert", "idempotent upsert"],
  ["file", "files, finished by a rename"],
  ["table", "table, one snapshot for all subtasks"],
];

/** @type {[string, string][]} */
const SECOND_PREFIXES = [
  ["same", "the same"],
  ["shorter", "how the first one’s begins"],
  ["own", "its own"],
];

/** Where a search ends; empty: at the first promise that is broken. @type {[string, string][]} */
const STOPS = [
  ["", "a promise is broken"],
  ["nothingLost", "a record is lost"],
  ["nothingTwice", "a record is committed twice"],
  ["noReaderStuck", "readers are stuck"],
  ["startsAgain", "the job cannot start again"],
  ["noDirtyCopy", "an uncommitted copy is seen twice"],
  ["noRefusedCommit", "a commit is refused"],
  ["noTaskFails", "a task fails"],
  ["commits", "all states are seen"],
];

/** Memory for states, in MiB; the engine takes up to 2 GiB. @type {[string, string][]} */
const MEMORY = [
  ["64", "64 MiB"],
  ["256", "256 MiB"],
  ["512", "512 MiB"],
  ["1024", "1 GiB"],
  ["2048", "2 GiB"],
];

/** What the reader sets; the engine says which is too large. @type {Bound[]} */
export const BOUNDS = [
  { id: "sink", label: "Sink", usual: "", choices: SINKS },
  { id: "sinks", label: "Sink subtasks", usual: 2 },
  { id: "records", label: "Records of each", usual: 2 },
  { id: "checkpoints", label: "Checkpoints", usual: 2 },
  { id: "crashes", label: "Crashes", usual: 1 },
  { id: "timeouts", label: "Transaction timeouts", usual: 1 },
  { id: "lostNotifications", label: "Lost notifications", usual: 0 },
  { id: "declines", label: "Declined checkpoints", usual: 0 },
  { id: "expiries", label: "Expired ids", usual: 0 },
  { id: "olderRestores", label: "Restores of older state", usual: 0 },
  { id: "zombies", label: "Crashed tasks live on as zombies", usual: false },
  { id: "freshStarts", label: "Starts without state", usual: 0, isMore: true },
  { id: "prefixChanges", label: "Changes of the prefix", usual: 0, isMore: true },
  { id: "namingChanges", label: "Changes of the naming strategy", usual: 0, isMore: true },
  { id: "rescales", label: "Rescales", usual: 0, isMore: true },
  { id: "sinksAfter", label: "Subtasks after a rescale", usual: 1, isMore: true },
  { id: "limitLowered", label: "Broker’s maximum lowered (0 or 1)", usual: 0, isMore: true },
  { id: "secondStarts", label: "Starts of a second job", usual: 0, isMore: true },
  { id: "secondPrefix", label: "Its prefix", usual: "same", choices: SECOND_PREFIXES, isMore: true },
  { id: "secondRecords", label: "Records of each of its subtasks", usual: 0, isMore: true },
  { id: "isPartitionShared", label: "All write to one partition", usual: false, isMore: true },
  { id: "stopAt", label: "Search until", usual: "", choices: STOPS, isMore: true },
  { id: "memory", label: "Memory for states", usual: "512", choices: MEMORY, isMore: true },
];

/** @param {unknown} bounds @returns {Bounds} */
export function boundsIn(bounds) {
  const given = /** @type {Record<string, unknown>} */ (bounds ?? {});
  return Object.fromEntries(BOUNDS.map((bound) => [bound.id, valueIn(bound, given[bound.id])]));
}

/**
 * @param {Bound} bound
 * @param {unknown} value
 */
function valueIn({ usual, choices }, value) {
  if (choices) return choices.some(([choice]) => choice === value) ? String(value) : usual;
  if (typeof usual === "boolean") return value === true;
  return Number.isInteger(value) ? Number(value) : usual;
}

/** The engine's names of the sinks of the form. @type {Record<string, string>} */
const OWN_SINKS = { kafkaSink: "kafka_sink", flinkKafkaProducer: "legacy", upsert: "upsert", file: "file", table: "table" };

/**
 * @param {Settings} settings
 * @param {Bounds} bounds
 */
function sinkIn(settings, { sink }) {
  return sink === "" ? OWN_SINKS[settings.sink] : sink;
}

/**
 * What the engine searches.
 * @param {Settings} settings
 * @param {Bounds} bounds
 * @returns {ExploreParams}
 */
export function searchOf(settings, bounds) {
  const sink = sinkIn(settings, bounds);
  const { stopAt, memory, ...counts } = bounds;
  const isTransactional = sink === "file" || sink === "table" || (settings.guarantee === "exactlyOnce" && sink !== "upsert");
  return /** @type {any} */ ({
    ...counts,
    // `commits` is no `always`, so nothing ends a search for it.
    stopAt: stopAt === "" ? [] : [stopAt],
    maxBytes: Number(memory) * 2 ** 20,
    sink,
    isTransactional,
    // KafkaSink’s default is no guarantee; an upsert into Kafka always flushes.
    flushes: isTransactional || sink === "upsert" || guaranteeOf(settings) === "atLeastOnce",
    naming: settings.naming,
    txnProtocol: settings.transactionVersion,
  });
}

/**
 * What is searched where no guarantee is set; empty where nothing is to be said.
 * @param {Settings} settings
 * @param {Bounds} bounds
 */
export function guaranteeText(settings, bounds) {
  if (searchOf(settings, bounds).flushes) return "";
  return `The delivery guarantee is ${settings.guarantee === "none" ? "none" : "not set, which is none for KafkaSink"}: the sink does not flush at a checkpoint, and its producer sends what it holds back whenever it likes.`;
}

/**
 * What is known of a property. What is undecided is known of all states only where all were seen.
 * @param {Pick<PropertyReport, "kind" | "holds" | "steps">} property
 * @param {Pick<ExploreReport, "isComplete">} report
 * @returns {{ word: string, isFailed: boolean }}
 */
export function outcomeOf({ kind, holds, steps }, { isComplete }) {
  const isKnown = steps !== null || isComplete;
  if (holds) return { word: isKnown ? "holds" : "holds so far", isFailed: false };
  if (kind === "always") return { word: "broken", isFailed: true };
  return { word: isKnown ? "never seen" : "not seen so far", isFailed: isKnown };
}
