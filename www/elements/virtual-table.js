// @ts-check
import { emit, h } from "../dom.js";
import { patchChildren } from "../patch.js";

/** @import { Child } from "../dom.js" */

/**
 * @typedef {object} Column
 * @property {string} id
 * @property {string} head
 * @property {string} [class]
 */

/** Browsers stop at some 16 million pixels; past this height a pixel of the scroll bar is several rows. */
const HEIGHT_MAX = 8_000_000;
/** Before a row was measured. */
const ROW_GUESS = 32;
/** Rows more than fit, since a measured viewport is one row short while it grows. */
const SPARE = 1;

/**
 * A table of any number of rows, of which only those in sight exist. It scrolls by whole rows: the
 * table sticks to the top of the viewport, and what is scrolled is an empty box of the full height.
 *
 * Set up with `build(caption, columns, cells)`. Properties `count`, `current` (the row that is marked,
 * -1 for none). Event `row-pick`: `{ index }`, by click, arrow keys, Page Up and Down, Home and End.
 */
export class VirtualTable extends HTMLElement {
  /** @type {Column[]} */
  #columns = [];
  /** @type {(index: number) => { class?: string, cells: (Child | Child[])[] }} */
  #row = () => ({ cells: [] });
  #count = 0;
  #current = -1;
  /** The row at the top. Its own truth: a scroll bar of millions of rows is too coarse for it. */
  #first = 0;
  #rowHeight = ROW_GUESS;
  #scrollSet = -1;
  /** Until the reader scrolls away, the current row stays in sight. */
  #isFollowing = true;
  #table = h("table", { class: "log" });
  #head = h("thead");
  #body = h("tbody");
  #sizer = h("div", { class: "virtual-sizer" }, this.#table);
  #scroller = h("div", { class: "virtual-scroller", tabindex: 0, role: "region" }, this.#sizer);
  #observer = new ResizeObserver(() => this.#measure());

  connectedCallback() {
    if (this.childElementCount === 0) {
      this.#table.append(this.#head, this.#body);
      this.append(this.#scroller);
      this.#scroller.addEventListener("scroll", () => this.#scrolled());
      this.#scroller.addEventListener("keydown", (event) => this.#key(event));
      this.#body.addEventListener("click", (event) => {
        const index = /** @type {Element} */ (event.target).closest("tr")?.getAttribute("data-index");
        if (index) emit(this, "row-pick", { index: Number(index) });
      });
    }
    this.#observer.observe(this.#scroller);
  }

  disconnectedCallback() {
    this.#observer.disconnect();
  }

  /**
   * @param {string} caption
   * @param {Column[]} columns
   * @param {(index: number) => { class?: string, cells: (Child | Child[])[] }} row
   */
  build(caption, columns, row) {
    this.#columns = columns;
    this.#row = row;
    this.#scroller.setAttribute("aria-label", caption);
    this.#table.caption?.remove();
    this.#body.replaceChildren();
    this.#table.prepend(h("caption", { class: "off-screen" }, caption));
    this.#head.replaceChildren(h("tr", null, columns.map((column) => h("th", { scope: "col", class: column.class }, column.head))));
  }

  /** A class for the table, where its columns need other widths. @param {string} look */
  set look(look) {
    this.#table.className = `log ${look}`.trim();
  }

  get count() {
    return this.#count;
  }

  /** Says also that rows have changed. */
  set count(count) {
    this.#count = count;
    this.#table.setAttribute("aria-rowcount", String(count + 1));
    this.#size();
    this.#show(this.#first);
  }

  get current() {
    return this.#current;
  }

  /** Brings the row into sight. */
  set current(index) {
    this.#current = index;
    this.#isFollowing = true;
    const room = this.#room;
    if (index >= 0 && index < this.#first) this.#show(index);
    else if (index >= this.#first + room) this.#show(index - room + 1);
    else this.#draw();
    this.#placeBar();
  }

  /** Whole rows that fit below the head. */
  get #room() {
    const height = this.#scroller.clientHeight - this.#head.offsetHeight;
    return Math.max(1, Math.floor(height / this.#rowHeight));
  }

  get #lastFirst() {
    return Math.max(0, this.#count - this.#room);
  }

  #measure() {
    const row = this.#body.querySelector("tr");
    const height = row ? row.offsetHeight : 0;
    if (height > 0) this.#rowHeight = height;
    this.#size();
    // What was in sight by a guess of the height may not be any more.
    if (this.#isFollowing) this.current = this.#current;
    else this.#show(this.#first);
    this.#placeBar();
  }

  #size() {
    const height = this.#head.offsetHeight + this.#count * this.#rowHeight;
    this.#sizer.style.height = `${Math.min(HEIGHT_MAX, height)}px`;
  }

  get #scrollable() {
    return Math.max(0, this.#scroller.scrollHeight - this.#scroller.clientHeight);
  }

  #scrolled() {
    const { scrollTop } = this.#scroller;
    if (Math.abs(scrollTop - this.#scrollSet) < 1) return;
    this.#scrollSet = -1;
    this.#isFollowing = false;
    const scrollable = this.#scrollable;
    this.#show(scrollable === 0 ? 0 : Math.round((scrollTop / scrollable) * this.#lastFirst));
  }

  /** Moves the scroll bar to where the rows are. */
  #placeBar() {
    const top = this.#lastFirst === 0 ? 0 : Math.round((this.#first / this.#lastFirst) * this.#scrollable);
    if (Math.abs(this.#scroller.scrollTop - top) < 1) return;
    this.#scrollSet = top;
    this.#scroller.scrollTop = top;
  }

  /** @param {number} first */
  #show(first) {
    this.#first = Math.min(Math.max(0, first), this.#lastFirst);
    this.#draw();
  }

  #draw() {
    const end = Math.min(this.#count, this.#first + this.#room + SPARE);
    const rows = [];
    for (let index = this.#first; index < end; index += 1) rows.push(this.#rowAt(index));
    patchChildren(this.#body, rows);
  }

  /** @param {number} index */
  #rowAt(index) {
    const { class: kind, cells } = this.#row(index);
    const isCurrent = index === this.#current;
    return h(
      "tr",
      {
        "data-index": index,
        "aria-rowindex": index + 2,
        class: [kind, isCurrent ? "is-current" : ""].filter(Boolean).join(" ") || null,
        "aria-current": isCurrent ? "true" : null,
      },
      cells.map((cell, column) => {
        const { head, class: look } = this.#columns[column];
        return column === 0 ? h("th", { scope: "row", class: look }, cell) : h("td", { class: look, "data-label": head }, cell);
      }),
    );
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || this.#count === 0) return;
    const page = this.#room;
    const steps = /** @type {Record<string, number>} */ ({
      ArrowDown: this.#current + 1,
      ArrowUp: this.#current - 1,
      PageDown: this.#current + page,
      PageUp: this.#current - page,
      Home: 0,
      End: this.#count - 1,
    });
    const to = steps[event.key];
    if (to === undefined) return;
    event.preventDefault();
    emit(this, "row-pick", { index: Math.min(this.#count - 1, Math.max(0, to)) });
  }
}
