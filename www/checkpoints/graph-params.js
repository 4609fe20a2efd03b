// @ts-check
/**
 * A job graph from the texts of its fields to the engine's vertices and edges, and back. Pure.
 * @import { CheckpointScenario as Scenario, ScenarioEdge, ScenarioVertex, ServiceTime } from "../../src/web/checkpoints.ts"
 * @import { Settings } from "./fields.js"
 * @import { Reader } from "./reader.js"
 */

import { EDGES_MAX, VERTICES_MAX, complete, isGraph, isSource, sizeOf } from "./graph.js";
import { bursts, bytes, bytesText, exact, serviceText, sigmaText, time } from "./texts-of.js";

/**
 * @param {Settings} settings
 * @param {Reader} read
 * @returns {ScenarioVertex[]}
 */
export function graphVertices(settings, read) {
  const [vertices] = sizeOf(settings);
  return Array.from({ length: vertices }, (_, at) => {
    const id = (/** @type {string} */ name) => `v${at}.${name}`;
    const isFed = !isSource(settings, at);
    const source = isFed ? null : { rate: read.list(id("rate"), "10000, 10"), partitions: read.countOrNull(id("partitions")), bursts: read.bursts(id("bursts")), lagMs: read.micros(id("lag")).map((micros) => Math.floor(micros / 1000)), maxRate: read.numberOrNull(id("maxRate")) };
    const sigma = isFed && settings[id("spread")] === "lognormal" ? read.sigma(id("sigma")) : 1;
    return {
      name: read.text(id("name")),
      parallelism: read.count(id("parallelism")),
      source,
      service: isFed ? read.micros(id("service")).map((meanUs) => serviceOf(settings[id("spread")], meanUs, sigma)) : [serviceOf("constant", 0, 1)],
      selectivity: isFed ? read.number(id("selectivity")) : 1,
      state: { bytes: read.sizes(id("state")), changedBytes: read.sizes(id("changed")) },
      syncMs: read.ms(id("sync")),
      asyncMs: read.ms(id("async")),
      slowFirst: read.count(id("slowFirst")),
    };
  });
}

/**
 * @param {string} kind
 * @param {number} meanUs
 * @param {number} sigma
 * @returns {ServiceTime}
 */
export function serviceOf(kind, meanUs, sigma) {
  if (kind === "lognormal") return { kind, meanUs, sigma };
  return { kind: kind === "exponential" ? kind : "constant", meanUs };
}

/**
 * @param {Settings} settings
 * @param {Reader} read
 * @returns {ScenarioEdge[]}
 */
export function graphEdges(settings, read) {
  const [, edges] = sizeOf(settings);
  return Array.from({ length: edges }, (_, at) => {
    const id = (/** @type {string} */ name) => `e${at}.${name}`;
    const exchange = /** @type {ScenarioEdge["exchange"]} */ (settings[id("exchange")]);
    return { from: Number(settings[id("from")]), to: Number(settings[id("to")]), exchange, recordBytes: read.bytes(id("recordBytes")), skew: skewOf(settings, read, id, exchange) };
  });
}

/**
 * @param {Settings} settings
 * @param {Reader} read
 * @param {(name: string) => string} id
 * @param {string} exchange
 * @returns {ScenarioEdge["skew"]}
 */
function skewOf(settings, read, id, exchange) {
  const kind = exchange === "hash" ? settings[id("skew")] : "even";
  if (kind === "weights") return { kind, weights: read.list(id("weights"), "9, 1") };
  if (kind === "hotKey") return { kind, share: read.number(id("share")) };
  if (kind !== "zipf") return { kind: "even" };
  const [keys, exponent] = read.list(id("zipf"), "1000, 1.1");
  if (!Number.isInteger(keys) || exponent === undefined) read.problems.set(id("zipf"), "Write how many keys there are, and the exponent, as in 1000, 1.1.");
  return { kind, keys: Math.floor(keys), exponent: exponent ?? 1 };
}

/**
 * The settings of a graph; null where a field has no text for it.
 * @param {Scenario} scenario
 * @returns {Settings | null}
 */
export function graphSettings({ vertices, edges, recovery }) {
  const isMixed = vertices.some(({ service }) => new Set(service.map((one) => `${one.kind} ${sigmaText(one)}`)).size > 1);
  if (vertices.length > VERTICES_MAX || edges.length > EDGES_MAX || isMixed) return null;
  /** @type {Settings} */
  const settings = { shape: "graph", vertices: String(vertices.length), edges: String(edges.length), failVertex: String(recovery.failures[0]?.vertex ?? Math.min(1, vertices.length - 1)) };
  vertices.forEach((vertex, at) => Object.assign(settings, prefixed(`v${at}.`, vertexTexts(vertex))));
  edges.forEach((edge, at) => Object.assign(settings, prefixed(`e${at}.`, edgeTexts(edge))));
  return complete(settings);
}

/** @param {string} prefix @param {Settings} texts */
function prefixed(prefix, texts) {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [`${prefix}${name}`, text]));
}

/** @param {ScenarioVertex} vertex @returns {Settings} */
function vertexTexts({ name, parallelism, source, service, selectivity, state, syncMs, asyncMs, slowFirst }) {
  /** @type {Settings} */
  const own = source
    ? { rate: source.rate.map(exact).join(", "), lag: source.lagMs.every((ms) => ms === 0) ? "" : source.lagMs.map(time).join(", "), bursts: bursts(source.bursts), partitions: source.partitions === null ? "" : String(source.partitions), maxRate: source.maxRate === null ? "" : exact(source.maxRate) }
    : { service: serviceText(service), spread: service[0]?.kind ?? "constant", sigma: sigmaText(service[0]), selectivity: exact(selectivity) };
  return { name, parallelism: String(parallelism), ...own, state: bytesText(state.bytes), changed: bytesText(state.changedBytes), sync: syncMs === 0 ? "" : time(syncMs), async: asyncMs === 0 ? "" : time(asyncMs), slowFirst: String(slowFirst) };
}

/** @param {ScenarioEdge} edge @returns {Settings} */
function edgeTexts({ from, to, exchange, recordBytes, skew }) {
  /** @type {Settings} */
  const own = { skew: skew.kind };
  if (skew.kind === "weights") own.weights = skew.weights.map(exact).join(", ");
  if (skew.kind === "zipf") own.zipf = `${skew.keys}, ${exact(skew.exponent)}`;
  if (skew.kind === "hotKey") own.share = exact(skew.share);
  return { from: String(from), to: String(to), exchange, recordBytes: bytes(recordBytes), ...own };
}

/**
 * The settings after another shape was chosen: a graph begins as the job that was there.
 * @param {Settings} settings
 * @param {{ params: Scenario } | null} before
 */
export function withGraph(settings, before) {
  return isGraph(settings) ? complete({ ...settings, ...(before ? graphSettings(before.params) : null) }) : settings;
}
