// @ts-check
/**
 * The answer as files. Pure text; sizes are exact bytes.
 * @import { Component, Finding, MemoryComparison } from "../../src/web/types.ts"
 * @import { Scenario } from "../state.js"
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

/**
 * @param {Component[]} components
 * @param {MemoryComparison | null} [comparison]  with the settings pinned as A
 */
export function csvOf(components, comparison = null) {
  const byId = new Map(comparison?.components.map((row) => [row.id, row]));
  /** @type {(readonly [string, (c: Component) => string])[]} */
  const compared = comparison
    ? [
        ["allocation bytes in A", (c) => String(byId.get(c.id)?.a ?? "")],
        ["difference to A in bytes", (c) => String(byId.get(c.id)?.difference ?? "")],
      ]
    : [];
  const columns = [...COLUMNS, ...compared];
  return csvLines([columns.map(([name]) => name), ...components.map((c) => columns.map(([, read]) => read(c)))]);
}

/** @param {string[][]} lines */
export function csvLines(lines) {
  return lines.map((cells) => `${cells.map(cell).join(",")}\r\n`).join("");
}

/**
 * A report as blocks of a CSV: its single values first, then each list with a line of its fields.
 * @param {Record<string, any>} report
 */
export function csvOfReport(report) {
  /** @type {[string, Record<string, any>[]][]} */
  const lists = [];
  /** @type {string[][]} */
  const single = [["field", "value"]];
  for (const [name, value] of Object.entries(flat(report))) {
    if (Array.isArray(value) && value.length > 0 && value.every((item) => item !== null && typeof item === "object")) lists.push([name, value.map(flat)]);
    else single.push([name, plain(value)]);
  }
  const blocks = lists.map(([name, items]) => {
    const fields = [...new Set(items.flatMap((item) => Object.keys(item)))];
    return [[], [name], fields, ...items.map((item) => fields.map((field) => plain(item[field])))];
  });
  return csvLines([...single, ...blocks.flat()]);
}

/**
 * Objects in objects by dotted names; lists stay lists.
 * @param {Record<string, any>} object
 * @returns {Record<string, any>}
 */
function flat(object) {
  return Object.fromEntries(
    Object.entries(object).flatMap(([name, value]) => {
      if (value === null || typeof value !== "object" || Array.isArray(value)) return [[name, value]];
      return Object.entries(flat(value)).map(([inner, each]) => [`${name}.${inner}`, each]);
    }),
  );
}

/** @param {any} value */
function plain(value) {
  if (value === null || value === undefined) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** @param {string} text */
function cell(text) {
  return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}

/**
 * @param {Scenario} scenario
 * @param {object} answer  what the engine said, by name
 * @param {string} link
 */
export function jsonOf(scenario, answer, link) {
  const pinned = scenario.pinned ? { pinned: settingsOf(scenario.pinned) } : {};
  return `${JSON.stringify({ scenario: settingsOf(scenario), ...pinned, ...answer, link }, null, 2)}\n`;
}

/** @param {Scenario} scenario */
function settingsOf({ flink, role, config, limit, startScript }) {
  return { flink, role, config, containerLimit: limit, startScript };
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
