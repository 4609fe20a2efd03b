// @ts-check
import { emit, h, setText } from "../dom.js";
import { patch } from "../patch.js";

/** @import { Chart, Region } from "../../src/web/types.ts" */

/** The engine draws between these widths. */
const WIDTH_MIN = 280;
const WIDTH_MAX = 2000;

/**
 * A drawing of the engine's with a read-out: pointer or arrow keys pick a part.
 *
 * Property `chart`. Events `chart-width`: the width to draw at, when the room for it changed, and
 * `chart-pick`: `{ id }`, null for none, when the reader picked another part.
 */
export class SvgChart extends HTMLElement {
  /** @type {Chart | null} */
  #chart = null;
  #picked = -1;
  #stage = h("div", { class: "chart-stage", tabindex: 0, role: "group" });
  #mark = h("div", { class: "chart-mark", hidden: true });
  #readout = h("p", { class: "chart-readout", "aria-live": "polite" });
  /** The room there is, in CSS pixels; 0 before it was measured. */
  #width = 0;
  /** @type {SVGSVGElement | null} */
  #svg = null;
  /** The text of the drawing in pieces: its head, then its shapes. @type {string[]} */
  #shapes = [];
  #observer = new ResizeObserver(([{ contentRect }]) => this.#fit(contentRect.width));

  connectedCallback() {
    if (this.childElementCount === 0) {
      this.append(this.#stage, this.#readout);
      this.#stage.addEventListener("keydown", (event) => this.#key(event));
      this.#stage.addEventListener("pointermove", (event) => this.#point(event));
      this.#stage.addEventListener("pointerdown", (event) => this.#point(event));
      this.#stage.addEventListener("pointerleave", () => this.#pick(-1));
      this.#stage.addEventListener("blur", () => this.#pick(-1));
    }
    this.#observer.observe(this);
  }

  disconnectedCallback() {
    this.#observer.disconnect();
  }

  /** The width to draw at, in CSS pixels. */
  get drawWidth() {
    return Math.round(Math.min(WIDTH_MAX, Math.max(WIDTH_MIN, this.#width || 800)));
  }

  /** Whether the room is known; from then on it is followed. */
  get isMeasured() {
    return this.#width > 0;
  }

  /** The part that is read out. */
  get picked() {
    return this.#chart?.regions[this.#picked]?.id ?? null;
  }

  /** @param {string | null} id */
  set picked(id) {
    this.#pick(this.#chart?.regions.findIndex((region) => region.id === id) ?? -1);
  }

  /**
   * Looks at once, which makes the browser lay out the page.
   * @param {number} [room]  where the chart itself is not on show yet
   */
  measure(room = this.clientWidth) {
    this.#width = room;
  }

  get chart() {
    return this.#chart;
  }

  set chart(chart) {
    if (!chart || chart.svg === this.#chart?.svg) return;
    const shapes = shapesOf(chart.svg);
    if (!this.#patchShapes(shapes) && !this.#patchWhole(chart.svg)) return;
    this.#shapes = shapes;
    const kept = this.#chart?.regions[this.#picked]?.id;
    this.#chart = chart;
    this.#stage.setAttribute("aria-label", `${chart.description} Arrow keys read out the parts.`);
    this.#pick(chart.regions.findIndex(({ id }) => id === kept));
  }

  /** @param {string} text */
  #patchWhole(text) {
    const svg = parseSvg(text);
    if (!svg) return false;
    svg.setAttribute("aria-hidden", "true");
    if (this.#svg) {
      patch(this.#svg, svg);
    } else {
      this.#svg = document.importNode(svg, true);
      this.#stage.replaceChildren(this.#svg, this.#mark);
    }
    return true;
  }

  /**
   * Reads and changes only the shapes that differ, where the drawing has as many as before.
   * @param {string[]} shapes
   */
  #patchShapes(shapes) {
    const [head, ...old] = this.#shapes;
    if (!this.#svg || shapes[0] !== head || shapes.length !== old.length + 1) return false;
    const drawn = [...this.#svg.children];
    const changed = shapes.slice(1).flatMap((shape, at) => (shape === old[at] ? [] : [{ shape, at }]));
    const parsed = parseSvg(`${head}${changed.map(({ shape }) => shape).join("")}</svg>`);
    if (!parsed || parsed.childElementCount !== changed.length || drawn.length !== old.length) return false;
    const nodes = [...parsed.children];
    if (!changed.every(({ at }, index) => drawn[at].localName === nodes[index].localName)) return false;
    changed.forEach(({ at }, index) => patch(drawn[at], nodes[index]));
    return true;
  }

  /** @param {number} room  0 while hidden, when the last width still counts */
  #fit(room) {
    if (room === 0) return;
    const before = this.drawWidth;
    this.#width = room;
    if (this.drawWidth !== before) emit(this, "chart-width", { width: this.drawWidth });
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const last = (this.#chart?.regions.length ?? 0) - 1;
    const steps = /** @type {Record<string, () => number>} */ ({
      ArrowRight: () => Math.min(last, this.#picked + 1),
      ArrowDown: () => Math.min(last, this.#picked + 1),
      ArrowLeft: () => Math.max(0, this.#picked - 1),
      ArrowUp: () => Math.max(0, this.#picked - 1),
      Home: () => 0,
      End: () => last,
      Escape: () => -1,
    });
    const step = steps[event.key];
    if (!step || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    this.#choose(step());
  }

  /** @param {PointerEvent} event */
  #point(event) {
    if (!this.#chart) return;
    const box = this.#stage.getBoundingClientRect();
    const scale = this.#chart.width / box.width;
    this.#choose(partAt(this.#chart.regions, (event.clientX - box.left) * scale, (event.clientY - box.top) * scale));
  }

  /** @param {number} index */
  #choose(index) {
    const before = this.#picked;
    this.#pick(index);
    if (index !== before) emit(this, "chart-pick", { id: this.picked });
  }

  /** @param {number} index */
  #pick(index) {
    this.#picked = index;
    const region = this.#chart?.regions[index];
    this.#mark.hidden = !region;
    setText(this.#readout, region ? region.label : "Point at a part, or use the arrow keys, for exact values.");
    this.#readout.classList.toggle("is-idle", !region);
    if (!region || !this.#chart) return;
    const { style } = this.#mark;
    style.left = `${(region.x / this.#chart.width) * 100}%`;
    style.top = `${(region.y / this.#chart.height) * 100}%`;
    style.width = `${(region.width / this.#chart.width) * 100}%`;
    style.height = `${(region.height / this.#chart.height) * 100}%`;
  }
}

/**
 * The smallest part under a point, since boxes lie in boxes.
 * @param {Region[]} regions
 * @param {number} x
 * @param {number} y
 */
function partAt(regions, x, y) {
  let found = -1;
  let area = Infinity;
  regions.forEach((region, index) => {
    const inside = x >= region.x && x <= region.x + region.width && y >= region.y && y <= region.y + region.height;
    if (inside && region.width * region.height < area) {
      found = index;
      area = region.width * region.height;
    }
  });
  return found;
}

/**
 * The engine writes a drawing flat: a head, and shapes of one element each.
 * @param {string} text
 */
function shapesOf(text) {
  return text.replace(/<\/svg>\s*$/, "").split(/(?<=>)\s*(?=<[a-z])/);
}

/**
 * @param {string} text
 * @returns {SVGSVGElement | null}
 */
function parseSvg(text) {
  const parsed = new DOMParser().parseFromString(text, "image/svg+xml");
  const root = parsed.documentElement;
  if (root.localName !== "svg" || parsed.querySelector("parsererror")) return null;
  return /** @type {SVGSVGElement} */ (/** @type {unknown} */ (root));
}
