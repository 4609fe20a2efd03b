// @ts-check
import { emit, h, setText } from "../dom.js";
import { SvgChart } from "../elements/svg-chart.js";
import { timeText } from "./time.js";

/**
 * @import { EventTimeRow, LanesChart, Region, TimeAxis } from "../../src/web/types.ts"
 *
 * @typedef {object} Drag
 * @property {number} row       of the report
 * @property {"record" | "watermark" | "status"} kind  what is dragged
 * @property {LanesChart} drawing  as it was: what is measured against must not move with the record
 * @property {number} x
 * @property {number} y
 * @property {boolean} isMoved
 * @property {number} pointer
 */

/** A press that moves less than this is a click [px]. */
const DRAG_PX_MIN = 4;
/** How near to its mark a record is taken hold of [px]. */
const HOLD_PX = 12;

/**
 * The lanes picture: the engine's drawing, on which records can be dragged, added and removed.
 *
 * Method `show`. Events: `record-drag`: `{ row, time, to, phase }` with phase `start`, `move` or
 * `end`, where `to` is the row it is dragged to; `record-nudge`: `{ row, time, places }`;
 * `record-add`: `{ time, after }`; `record-remove`: `{ row }`; `row-pick`: `{ index }`.
 * By pointer: drag a record or a signal of the input, press twice where none is, press a column. By
 * keyboard: with a part picked, Shift and an arrow key moves what is there, Delete removes it, Enter
 * moves the player there. What is said of a record counts for a signal too.
 */
export class EventLanes extends HTMLElement {
  #chart = new SvgChart();
  /** @type {LanesChart | null} */
  #drawing = null;
  /** @type {EventTimeRow[]} */
  #rows = [];
  /** @type {Drag | null} */
  #drag = null;
  #help = h("p", { class: "quiet" }, "Drag a record or a watermark of the input up or down for another time, sideways for another place in the order, a status sideways; press twice where none is to add a record. By keyboard: arrow keys pick a step, Shift and an arrow key moves what is there, Delete removes it, Enter moves the player there.");
  #now = h("p", { class: "lanes-now", role: "status" });

  connectedCallback() {
    if (this.childElementCount > 0) return;
    this.append(this.#chart, this.#now, this.#help);
    this.#chart.addEventListener("pointerdown", (event) => this.#press(event));
    this.#chart.addEventListener("pointermove", (event) => this.#move(event));
    this.#chart.addEventListener("pointerup", (event) => this.#release(event));
    this.#chart.addEventListener("pointercancel", () => this.#let());
    this.#chart.addEventListener("dblclick", (event) => this.#twice(event));
    // Before the chart itself takes the arrow keys.
    this.#chart.addEventListener("keydown", (event) => this.#key(event), true);
  }

  get isMeasured() {
    return this.#chart.isMeasured;
  }

  measure() {
    this.#chart.measure();
  }

  get drawWidth() {
    return this.#chart.drawWidth;
  }

  /**
   * @param {LanesChart} drawing
   * @param {EventTimeRow[]} rows
   */
  show(drawing, rows) {
    this.#drawing = drawing;
    this.#rows = rows;
    this.#chart.chart = drawing;
  }

  /**
   * Reads out a row; -1 reads out nothing.
   * @param {number} row
   */
  mark(row) {
    this.#chart.picked = `row-${row}`;
  }

  /** The row that is read out; -1 for none. */
  get #picked() {
    return rowOf(this.#chart.picked);
  }

  /**
   * A place in the drawing's own pixels.
   * @param {MouseEvent} event
   */
  #place(event) {
    const svg = /** @type {Element} */ (this.#chart.querySelector("svg"));
    const box = svg.getBoundingClientRect();
    const scale = (this.#drawing?.width ?? box.width) / box.width;
    return { x: (event.clientX - box.left) * scale, y: (event.clientY - box.top) * scale };
  }

  /** @param {PointerEvent} event */
  #press(event) {
    if (!this.#drawing || event.button !== 0) return;
    const { x, y } = this.#place(event);
    const row = columnAt(this.#drawing.regions, x, y);
    if (row < 0) return;
    const place = markOf(this.#drawing, this.#rows[row]);
    const isHeld = place !== null && Math.abs(place - y) <= HOLD_PX;
    if (isHeld) this.#drag = { row, kind: kindOf(this.#rows[row]), drawing: this.#drawing, x, y, isMoved: false, pointer: event.pointerId };
    else emit(this, "row-pick", { index: row });
  }

  /** @param {PointerEvent} event */
  #move(event) {
    const drag = this.#drag;
    if (!drag) return;
    const { x, y } = this.#place(event);
    if (!drag.isMoved && Math.hypot(x - drag.x, y - drag.y) < DRAG_PX_MIN) return;
    if (!drag.isMoved) this.#chart.setPointerCapture(drag.pointer);
    const phase = drag.isMoved ? "move" : "start";
    drag.isMoved = true;
    this.#say(drag, x, y, phase);
  }

  /** @param {PointerEvent} event */
  #release(event) {
    const drag = this.#drag;
    this.#let();
    if (!drag) return;
    const { x, y } = this.#place(event);
    if (drag.isMoved) this.#say(drag, x, y, "end");
    else emit(this, "row-pick", { index: drag.row });
  }

  #let() {
    this.#drag = null;
    setText(this.#now, "");
  }

  /**
   * @param {Drag} drag
   * @param {number} x
   * @param {number} y
   * @param {"start" | "move" | "end"} phase
   */
  #say({ row, drawing }, x, y, phase) {
    const { regions, timeAxis } = drawing;
    const time = timeAt(timeAxis, y);
    const to = nearestColumn(regions, x);
    if (phase !== "end") setText(this.#now, nowText(this.#drag?.kind ?? "record", time));
    emit(this, "record-drag", { row, time, to, phase });
  }

  /** @param {MouseEvent} event */
  #twice(event) {
    if (!this.#drawing) return;
    const { x, y } = this.#place(event);
    const after = columnAt(this.#drawing.regions, x, y);
    if (after >= 0) emit(this, "record-add", { time: timeAt(this.#drawing.timeAxis, y), after });
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const row = this.#picked;
    if (row < 0 || !this.#drawing || event.ctrlKey || event.metaKey || event.altKey) return;
    const step = stepOf(this.#drawing.timeAxis);
    const moves = /** @type {Record<string, { time: number, places: number }>} */ ({
      ArrowUp: { time: step, places: 0 },
      ArrowDown: { time: -step, places: 0 },
      ArrowRight: { time: 0, places: 1 },
      ArrowLeft: { time: 0, places: -1 },
    });
    if (event.shiftKey && moves[event.key]) emit(this, "record-nudge", { row, ...moves[event.key] });
    else if (event.key === "Delete") emit(this, "record-remove", { row });
    else if (event.key === "Enter") emit(this, "row-pick", { index: row });
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

/** @param {EventTimeRow | undefined} row */
function kindOf(row) {
  return row?.signal?.signal.kind ?? "record";
}

/**
 * How far down the mark of a row stands: a status is on the axis; null where there is none.
 * @param {LanesChart} drawing
 * @param {EventTimeRow | undefined} row
 */
function markOf({ timeAxis }, row) {
  const signal = row?.signal?.signal;
  if (signal?.kind === "status") return timeAxis.bottom;
  const time = signal ? signal.watermark : row?.record?.time;
  return typeof time === "number" ? pixelOf(timeAxis, time) : null;
}

/**
 * @param {Drag["kind"]} kind
 * @param {number} time
 */
function nowText(kind, time) {
  if (kind === "status") return "A status has no time: only its place in the order moves.";
  return `${kind === "watermark" ? "Watermark" : "Event time"} ${timeText(time)}`;
}

/** @param {string | null} id */
function rowOf(id) {
  return Number(/^row-(\d+)$/.exec(id ?? "")?.[1] ?? -1);
}

/**
 * @param {Region[]} regions
 * @param {number} x
 * @param {number} y
 */
function columnAt(regions, x, y) {
  const found = regions.find((region) => x >= region.x && x < region.x + region.width && y >= region.y && y <= region.y + region.height);
  return rowOf(found?.id ?? null);
}

/**
 * @param {Region[]} regions
 * @param {number} x
 */
function nearestColumn(regions, x) {
  const beyond = regions.find((region) => x < region.x + region.width) ?? regions[regions.length - 1];
  return rowOf(beyond?.id ?? null);
}

/**
 * @param {TimeAxis} axis
 * @param {number} time
 */
function pixelOf({ top, bottom, low, high }, time) {
  return bottom - ((time - Number(low)) / (Number(high) - Number(low))) * (bottom - top);
}

/**
 * The time at a pixel, in steps that a hand can tell apart.
 * @param {TimeAxis} axis
 * @param {number} y
 */
function timeAt(axis, y) {
  const { top, bottom, low, high } = axis;
  const part = Math.min(1, Math.max(0, (bottom - y) / (bottom - top)));
  const step = stepOf(axis);
  return Math.round((Number(low) + part * (Number(high) - Number(low))) / step) * step;
}

/** The power of ten that is no less than a pixel. @param {TimeAxis} axis */
function stepOf({ top, bottom, low, high }) {
  const perPixel = (Number(high) - Number(low)) / (bottom - top);
  return perPixel <= 1 ? 1 : 10 ** Math.ceil(Math.log10(perPixel));
}
