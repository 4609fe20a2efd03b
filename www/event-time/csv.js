// @ts-check
/**
 * Records as text and back: one a line, cells by comma, semicolon or tab, or an object of JSON a line.
 * What a cell means is the engine's to say.
 * @import { EventRow } from "./presets.js"
 */

export const COLUMNS = /** @type {const} */ (["id", "time", "arrival", "key", "partition", "value"]);
export const HEADS = { id: "id", time: "event time", arrival: "arrival", key: "key", partition: "partition", value: "value" };

/** Names that a first line may give its columns, in lower case without signs. @type {Record<string, keyof typeof HEADS>} */
const NAMES = {
  id: "id", eventid: "id", recordid: "id",
  time: "time", eventtime: "time", timestamp: "time", ts: "time", rowtime: "time",
  arrival: "arrival", arrivaltime: "arrival", processingtime: "arrival", arrived: "arrival",
  key: "key", userid: "key", user: "key",
  partition: "partition", split: "partition",
  value: "value", gap: "value", v: "value",
};

/** @param {EventRow[]} rows */
export function csvOf(rows) {
  return rows.map((row) => line(COLUMNS.map((column) => row[column]))).join("\n");
}

/** @param {EventRow[]} rows */
export function csvWithHead(rows) {
  return [line(COLUMNS.map((column) => HEADS[column])), csvOf(rows)].join("\n");
}

/** @param {readonly string[]} cells */
export function line(cells) {
  return cells.map((cell) => (/[",;\t\r\n]/.test(cell) ? `"${cell.replace(/"/g, '""')}"` : cell)).join(",");
}

/**
 * The records of a text. A first line of names says what the columns are; without one they are
 * those of `COLUMNS`. A line without an id is numbered, one without an arrival takes a second a line.
 * @param {string} text
 * @returns {EventRow[]}
 */
export function rowsIn(text) {
  const lines = text.replace(/^\ufeff/, "").split(/\r\n|\n|\r/).filter((one) => one.trim() !== "");
  if (lines.length === 0) return [];
  if (isJson(lines[0])) return jsonRows(lines);
  const separator = [",", ";", "\t"].find((sign) => lines[0].includes(sign)) ?? ",";
  const named = namesIn(cellsOf(lines[0], separator));
  /** @type {readonly (keyof EventRow | null)[]} */
  const columns = named ?? COLUMNS;
  return (named ? lines.slice(1) : lines).map((one, index) => {
    /** @type {EventRow} */
    const row = { id: "", time: "", arrival: "", key: "", partition: "0", value: "" };
    cellsOf(one, separator).forEach((cell, at) => {
      const column = columns[at];
      if (column && cell !== "") row[column] = cell;
    });
    row.id ||= `e${index + 1}`;
    row.arrival ||= String((index + 1) * 1000);
    return row;
  });
}

/**
 * An id that no record has.
 * @param {EventRow[]} events
 */
export function freshName(events) {
  const taken = new Set(events.map(({ id }) => id));
  let number = events.length + 1;
  while (taken.has(`e${number}`)) number += 1;
  return `e${number}`;
}

/**
 * Whether a text looks like records: lines of the same shape with a time in them.
 * @param {string} text
 */
export function looksLikeRecords(text) {
  const [first = "", second = ""] = text.trimStart().split(/\r\n|\n|\r/);
  if (isJson(first)) return "time" in (jsonRow(first) ?? {});
  const separator = [",", ";", "\t"].find((sign) => first.includes(sign));
  if (!separator) return false;
  const cells = cellsOf(first, separator);
  return namesIn(cells) !== null || (cells.length >= 2 && cells.length <= COLUMNS.length && isTime(cells[1]) && (second.trim() === "" || second.includes(separator)));
}

/** @param {string} line */
function isJson(line) {
  return /^\s*[{[]/.test(line);
}

/**
 * One object a line; of an array over several lines its brackets and commas are left out. A line that
 * is no object stands as the time of a record, which is then refused by its place.
 * @param {string[]} lines
 * @returns {EventRow[]}
 */
function jsonRows(lines) {
  const objects = lines.map((one) => one.trim().replace(/^\[(?=\s*\{|$)/, "").replace(/(?<=\}|^)\s*\]?,?$/, "").trim()).filter((one) => one !== "");
  return objects.map((one, index) => {
    const named = jsonRow(one) ?? { time: one.slice(0, 60) };
    const row = { id: "", time: "", arrival: "", key: "", partition: "0", value: "", ...named };
    row.id ||= `e${index + 1}`;
    row.arrival ||= String((index + 1) * 1000);
    return row;
  });
}

/**
 * The fields of an object by the names that a line of names may have; null for what is no object.
 * @param {string} text
 * @returns {Partial<EventRow> | null}
 */
function jsonRow(text) {
  /** @type {unknown} */
  let value;
  try {
    value = JSON.parse(text.trim().replace(/,$/, ""));
  } catch {
    return null;
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  /** @type {Partial<EventRow>} */
  const row = {};
  for (const [name, field] of Object.entries(value)) {
    const column = columnOf(name);
    if (column && (typeof field === "string" || typeof field === "number" || typeof field === "boolean")) row[column] ??= String(field);
  }
  return row;
}

/** @param {string} cell */
function isTime(cell) {
  return /^-?\d+$/.test(cell) || /^\d{4}-\d{2}-\d{2}[T ]\d/.test(cell);
}

/**
 * Null where the line holds no name of a time.
 * @param {string[]} cells
 */
function namesIn(cells) {
  const names = cells.map(columnOf);
  return names.includes("time") ? names : null;
}

/** @param {string} name */
function columnOf(name) {
  const plain = name.toLowerCase().replace(/[^a-z]/g, "");
  return Object.hasOwn(NAMES, plain) ? NAMES[plain] : null;
}

/**
 * @param {string} text
 * @param {string} separator
 */
function cellsOf(text, separator) {
  const cells = [""];
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at];
    if (sign === '"' && isQuoted && text[at + 1] === '"') {
      cells[cells.length - 1] += '"';
      at += 1;
    } else if (sign === '"') {
      isQuoted = !isQuoted;
    } else if (sign === separator && !isQuoted) {
      cells.push("");
    } else {
      cells[cells.length - 1] += sign;
    }
  }
  return cells.map((cell) => cell.trim());
}
