// @ts-check
import { emit, h, setText } from "../dom.js";
import { SvgChart } from "../elements/svg-chart.js";

/**
 * @import { Chart } from "../../src/web/types.ts"
 *
 * @typedef {{ pixels: [number, number], times: [number, number] }} LaneAxis  linear
 * @typedef {Chart & { axes: { arrival: LaneAxis, time: LaneAxis } }} LanesDrawing
 */

/** Regions of records are called by their item. */
const RECORD = /^record-(\d+)$/;
/** A press that moves less than this is a click [px]. */
const DRAG_PX_MIN = 4;

/**
 * The lanes picture: the engine's drawing, on which records can be dragged, added and deleted.
 *
 * Property `drawing`. Events: `record-drag`: `{ item, time, arrival, phase }` with phase `start`,
 * `move` or `end`; `record-add`: `{ time, arrival }`; `record-remove`: `{ item }`; `item-pick`:
 * `{ item }`. By pointer: drag a record, press twice where none is. By keyboard: with a record picked,
 * Shift and an arrow key moves it, Delete removes it.
 */
export class LanesChart extends HTMLElement {
  #chart = new SvgChart();
  /** @type {LanesDrawing | null} */
  #drawing = null;
  /** @type {{ item: number, axes: LanesDrawing["axes"], scale: number, x: number, y: number, moved: boolean, pointer: number } | null} */
  #drag = null;
  #help = h("p", { class: "quiet lanes-help" }, "Drag a record to change its times; press twice where none is to add one. With the keyboard: arrow keys pick a part, Shift and an arrow key move a picked record, Delete removes it.");
  #now = h("p", { class: "lanes-now", hidden: true, role: "status" });

  connectedCallback() {
    if (this.childElementCount > 0) return;
    this.append(this.#chart, this.#now, this.#help);
    this.#chart.addEventListener("pointerdown", (event) => this.#press(event));
    this.#chart.addEventListener("pointermove", (event) => this.#move(event));
    this.#chart.addEventListener("pointerup", (event) => this.#release(event));
    this.#chart.addEventListener("pointercancel", () => (this.#drag = null));
    this.#chart.addEventListener("dblclick", (event) => this.#twice(event));
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

  /** @param {LanesDrawing} drawing */
  set drawing(drawing) {
    this.#drawing = drawing;
    this.#chart.chart = drawing;
  }

  /**
   * Reads out a record.
   * @param {number} item
   */
  mark(item) {
    this.#chart.picked = `record-${item}`;
  }

  /** The item of the part that is picked. */
  get #item() {
    const item = RECORD.exec(this.#chart.picked ?? "")?.[1];
    return item === undefined ? null : Number(item);
  }

  /**
   * A place in the drawing's own pixels.
   * @param {MouseEvent} event
   */
  #place(event) {
    const box = /** @type {Element} */ (this.#chart.querySelector("svg")).getBoundingClientRect();
    const scale = (this.#drawing?.width ?? box.width) / box.width;
    return { x: (event.clientX - box.left) * scale, y: (event.clientY - box.top) * scale, scale };
  }

  /** @param {PointerEvent} event */
  #press(event) {
    const item = this.#item;
    if (!this.#drawing || item === null || event.button !== 0) return;
    const { x, y, scale } = this.#place(event);
    // What is measured against must not move while the record does.
    this.#drag = { item, axes: this.#drawing.axes, scale, x, y, moved: false, pointer: event.pointerId };
    emit(this, "item-pick", { item });
  }

  /** @param {PointerEvent} event */
  #move(event) {
    const drag = this.#drag;
    if (!drag) return;
    const { x, y } = this.#place(event);
    if (!drag.moved && Math.hypot(x - drag.x, y - drag.y) < DRAG_PX_MIN * drag.scale) return;
    if (!drag.moved) this.#chart.setPointerCapture(drag.pointer);
    const phase = drag.moved ? "move" : "start";
    drag.moved = true;
    this.#say(drag.axes, x, y, phase, drag.item);
  }

  /** @param {PointerEvent} event */
  #release(event) {
    const drag = this.#drag;
    this.#drag = null;
    this.#now.hidden = true;
    if (!drag?.moved) return;
    const { x, y } = this.#place(event);
    this.#say(drag.axes, x, y, "end", drag.item);
  }

  /**
   * @param {LanesDrawing["axes"]} axes
   * @param {number} x
   * @param {number} y
   * @param {"start" | "move" | "end"} phase
   * @param {number} item
   */
  #say(axes, x, y, phase, item) {
    const arrival = String(valueAt(axes.arrival, x));
    const time = String(valueAt(axes.time, y));
    emit(this, "record-drag", { item, time, arrival, phase });
    this.#now.hidden = phase === "end";
    setText(this.#now, `Event time ${time}, arrival ${arrival}`);
  }

  /** @param {MouseEvent} event */
  #twice(event) {
    if (!this.#drawing || this.#item !== null) return;
    const { x, y } = this.#place(event);
    const { arrival, time } = this.#drawing.axes;
    if (!isOn(arrival, x) || !isOn(time, y)) return;
    emit(this, "record-add", { time: String(valueAt(time, y)), arrival: String(valueAt(arrival, x)) });
  }

  /**
   * Before the chart takes arrow keys to pick.
   * @param {KeyboardEvent} event
   */
  #key(event) {
    const item = this.#item;
    if (item === null || !this.#drawing) return;
    const { arrival, time } = this.#drawing.axes;
    const by = /** @type {Record<string, { time?: number, arrival?: number }>} */ ({
      ArrowUp: { time: stepOf(time) },
      ArrowDown: { time: -stepOf(time) },
      ArrowRight: { arrival: stepOf(arrival) },
      ArrowLeft: { arrival: -stepOf(arrival) },
    })[event.key];
    if (event.shiftKey && by) emit(this, "record-nudge", { item, ...by });
    else if (event.key === "Delete") emit(this, "record-remove", { item });
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

/**
 * The time at a pixel, in steps that a hand can tell apart.
 * @param {LaneAxis} axis
 * @param {number} pixel
 */
function valueAt({ pixels: [low, high], times: [from, to], ...axis }, pixel) {
  const step = stepOf({ pixels: [low, high], times: [from, to], ...axis });
  const part = Math.min(1, Math.max(0, (pixel - low) / (high - low)));
  return Math.round((from + part * (to - from)) / step) * step;
}

/** @param {LaneAxis} axis */
function stepOf({ pixels: [low, high], times: [from, to] }) {
  const perPixel = Math.abs((to - from) / (high - low));
  return perPixel <= 1 ? 1 : 10 ** Math.ceil(Math.log10(perPixel));
}

/**
 * @param {LaneAxis} axis
 * @param {number} pixel
 */
function isOn({ pixels: [low, high] }, pixel) {
  return pixel >= Math.min(low, high) && pixel <= Math.max(low, high);
}
