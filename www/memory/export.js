// @ts-check
/**
 * The answer as files. Pure text; sizes are exact bytes.
 * @import { Component, Finding } from "../../src/web/types.ts"
 * @import { Scenario } from "../state.js"
 * @import { Report } from "./answer.js"
 */

const COLUMNS = /** @type {const} */ ([
  ["memory component", (/** @type {Component} */ c) => c.name],
  ["inside", (/** @type {Component} */ c) => c.parent ?? ""],
  ["allocation bytes", (/** @type {Component} */ c) => String(c.bytes)],
  ["share of process", (/** @type {Component} */ c) => String(c.share)],
  ["origin", (/** @type {Component} */ c) => c.origin],
  ["location", (/** @type {Component} */ c) => c.location],
  ["cap", (/** @type {Component} */ c) => c.cap],
  ["option", (/** @type {Component} */ c) => c.option],
  ["engineering recommendation", (/** @type {Component} */ c) => c.recommendation],
]);

/** @param {Component[]} components */
export function csvOf(components) {
  const lines = [COLUMNS.map(([name]) => name), ...components.map((c) => COLUMNS.map(([, read]) => read(c)))];
  return lines.map((cells) => `${cells.map(cell).join(",")}\r\n`).join("");
}

/** @param {string} text */
function cell(text) {
  return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}

/**
 * @param {Scenario} scenario
 * @param {Report} report
 * @param {Finding[]} findings
 * @param {string} link
 */
export function jsonOf(scenario, report, findings, link) {
  const { flink, role, config, limit, startScript } = scenario;
  return `${JSON.stringify({ scenario: { flink, role, config, containerLimit: limit, startScript }, report, findings, link }, null, 2)}\n`;
}

const NAMED_MAX = 5;

/**
 * What a configuration file had to leave out, one sentence for each reason; empty when nothing.
 * @param {Finding[]} findings
 * @param {string} version
 */
export function leftOut(findings, version) {
  /** @type {Map<string, string[]>} */
  const byReason = new Map();
  for (const { option, reason } of findings) {
    const why = reason.startsWith("The version does not have it") ? `not options of Flink ${version}` : reason.replace(/\.$/, "");
    byReason.set(why, [...(byReason.get(why) ?? []), option ?? ""]);
  }
  return [...byReason].map(([why, keys]) => {
    const more = keys.length > NAMED_MAX ? ` and ${keys.length - NAMED_MAX} more` : "";
    return `Left out: ${keys.slice(0, NAMED_MAX).join(", ")}${more} (${why})`;
  }).join(". ");
}
