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
