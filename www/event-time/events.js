// @ts-check
import { emit, h, setText } from "../dom.js";
import { many } from "./log.js";
import { HEADS, csvWithHead, freshName, rowsIn } from "./csv.js";
import { SIGNALS, isSignal, isStatus, signalAfter } from "./signals.js";

/**
 * @import { EventRow } from "./presets.js"
 *
 * @typedef {keyof EventRow} EventColumn
 *
 * @typedef {object} EditorState
 * @property {EventRow[]} events
 * @property {EventColumn[]} columns               those that count
 * @property {Map<number, [EventColumn, string]>} problems  a cell and a sentence by row
 * @property {number} current                      the row of the player, -1 for none
 */

/** More rows than this are edited as text. */
const ROWS_MAX = 200;
/** Inserted like typing, a longer text would block the box for seconds. */
const TYPED_CHARS_MAX = 20_000;

/** What a screen reader calls a cell. @type {Record<EventColumn, string>} */
const NAMES = { id: "Id", time: "Event time", arrival: "Arrival", key: "Key", partition: "Partition", value: "Value" };

/**
 * The records: a table to change them one by one, and the same as text.
 *
 * Property `state`. Events: `records-change`: `{ events, settled }`, `record-pick`: `{ row }`.
 */
export class EventEditor extends HTMLElement {
  /** @type {EditorState} */
  #state = { events: [], columns: [], problems: new Map(), current: -1 };
  #body = h("tbody");
  #head = h("tr");
  #table = h("div", { class: "records-scroller" }, h("table", { class: "records" }, h("caption", { class: "off-screen" }, "Records, one a row"), h("thead", null, this.#head), this.#body));
  #problem = h("p", { class: "field-problem", role: "status" });
  #more = h("p", { class: "quiet" });
  #add = h("button", { type: "button", onclick: () => this.#append() }, "Add a record");
  #addSignal = h("button", { type: "button", onclick: () => this.#appendSignal() }, "Add a watermark or status");
  #text = h("textarea", { id: "records-text", rows: 12, spellcheck: "false", "aria-describedby": "records-text-help" });
  #asText = h(
    "details",
    { class: "records-text" },
    h("summary", null, "As text (CSV or JSON lines)"),
    h("label", { for: "records-text", class: "off-screen" }, "Records as CSV or JSON lines"),
    this.#text,
    h("p", { class: "quiet", id: "records-text-help" }, "One record a line: id, event time, arrival, key, partition, value. A first line of names may put the columns in another order. Or an object of JSON a line, with fields of these names. Times are milliseconds or ISO 8601. An id of !watermark, !idle or !active makes the line a signal of the source subtask in the place of the partition."),
  );

  connectedCallback() {
    if (this.childElementCount > 0) return;
    this.append(this.#table, this.#problem, this.#more, h("div", { class: "records-actions" }, this.#add, this.#addSignal), this.#asText);
    this.#table.addEventListener("input", (event) => this.#typed(event, false));
    this.#table.addEventListener("change", (event) => this.#typed(event, true));
    this.#table.addEventListener("focusin", (event) => {
      const row = rowOf(event);
      if (row >= 0 && /** @type {Element} */ (event.target).matches("input")) emit(this, "record-pick", { row });
    });
    this.#table.addEventListener("click", (event) => {
      if (/** @type {Element} */ (event.target).closest(".record-delete")) this.#delete(rowOf(event));
    });
    this.#text.addEventListener("input", () => this.#change(rowsIn(this.#text.value), false));
    this.#text.addEventListener("paste", (event) => this.#pasted(event));
    this.#text.addEventListener("change", () => this.#change(rowsIn(this.#text.value), true));
    this.#asText.addEventListener("toggle", () => this.#showText());
  }

  /** @param {EditorState} state */
  set state(state) {
    const { events, columns } = state;
    const isNew = columns.join() !== this.#state.columns.join();
    this.#state = state;
    if (isNew) {
      this.#head.replaceChildren(...columns.map((column) => h("th", { scope: "col", "data-column": column }, HEADS[column])), h("td"));
      this.#body.replaceChildren();
    }
    const shown = Math.min(events.length, ROWS_MAX);
    while (this.#body.children.length > shown) this.#body.lastElementChild?.remove();
    while (this.#body.children.length < shown) this.#body.append(this.#row());
    for (let index = 0; index < shown; index += 1) this.#showRow(index);
    setText(this.#problem, problemText(state));
    this.#problem.hidden = state.problems.size === 0;
    this.#more.hidden = events.length <= ROWS_MAX;
    setText(this.#more, `The first ${ROWS_MAX} of ${many(events.length, "record")}; the rest is in the text.`);
    this.#showText();
  }

  /** Records that were changed elsewhere; what is edited next counts from them. @param {EventRow[]} events */
  take(events) {
    if (events !== this.#state.events) this.state = { ...this.#state, events };
  }

  /** @param {number} current */
  set current(current) {
    if (current === this.#state.current) return;
    this.#body.children[this.#state.current]?.classList.remove("is-current");
    this.#state.current = current;
    this.#body.children[current]?.classList.add("is-current");
  }

  #row() {
    const cells = this.#state.columns.map((column) =>
      h(
        "td",
        { class: `record-${column}` },
        h("input", { type: "text", "data-column": column, autocomplete: "off", autocapitalize: "off", spellcheck: "false" }),
        column === "id" ? h("select", { "data-column": column, hidden: true }, SIGNALS.map(([value, name]) => h("option", { value }, name))) : null,
      ),
    );
    return h("tr", null, cells, h("td", null, h("button", { type: "button", class: "record-delete" }, "×")));
  }

  /** @param {number} index */
  #showRow(index) {
    const { events, columns, problems, current } = this.#state;
    const row = this.#body.children[index];
    const [wrong] = problems.get(index) ?? [];
    row.classList.toggle("is-current", index === current);
    const inputs = row.querySelectorAll("input");
    const record = events[index];
    const signal = isSignal(record);
    const select = row.querySelector("select");
    if (select) {
      select.hidden = !signal;
      if (signal) select.value = record.id;
      select.setAttribute("aria-label", `Signal of row ${index + 1}`);
    }
    columns.forEach((column, at) => {
      const input = inputs[at];
      if (input.value !== record[column]) input.value = record[column];
      const counts = !signal || column === "arrival" || column === "partition" || (column === "time" && !isStatus(record));
      input.disabled = !counts;
      input.hidden = signal && column === "id";
      const name = signal && column === "partition" ? "Source subtask" : NAMES[column];
      input.setAttribute("aria-label", `${name} of ${signal ? "row" : "record"} ${index + 1}`);
      input.setAttribute("aria-invalid", String(column === wrong));
    });
    row.classList.toggle("is-signal", signal);
    row.querySelector("button")?.setAttribute("aria-label", signal ? `Delete row ${index + 1}, a signal` : `Delete record ${index + 1}, ${record.id}`);
  }

  /** A text that someone is writing is theirs. */
  #showText() {
    if (!this.#asText.open || document.activeElement === this.#text) return;
    const text = csvWithHead(this.#state.events);
    if (this.#text.value !== text) this.#text.value = text;
  }

  /** @param {ClipboardEvent} event */
  #pasted(event) {
    const text = event.clipboardData?.getData("text/plain") ?? "";
    if (text.length <= TYPED_CHARS_MAX) return;
    event.preventDefault();
    this.#text.value = text;
    this.#change(rowsIn(text), true);
  }

  /**
   * @param {Event} event
   * @param {boolean} settled
   */
  #typed(event, settled) {
    const input = /** @type {HTMLInputElement | HTMLSelectElement} */ (event.target);
    const column = input.getAttribute("data-column");
    const row = rowOf(event);
    if (!column || row < 0) return;
    this.#change(this.#state.events.map((record, index) => (index === row ? { ...record, [column]: input.value } : record)), settled);
  }

  /** The new record is like the last one, and comes with it. */
  #append() {
    const { events } = this.#state;
    const last = events.filter((row) => !isSignal(row)).pop() ?? { time: "0", arrival: "0", key: "a", partition: "0", value: "" };
    this.#change([...events, { ...last, id: freshName(events) }], true);
    /** @type {HTMLInputElement | null} */ (this.#body.lastElementChild?.querySelector("input[data-column=time]") ?? null)?.select();
  }

  /** What a source subtask sends beside its records, after the last row. */
  #appendSignal() {
    const { events } = this.#state;
    this.#change([...events, signalAfter(events, SIGNALS[0][0])], true);
    this.#body.lastElementChild?.querySelector("select")?.focus();
  }

  /** @param {number} row */
  #delete(row) {
    if (row < 0) return;
    this.#change(this.#state.events.filter((_, index) => index !== row), true);
    const next = this.#body.children[Math.min(row, this.#body.children.length - 1)];
    /** @type {HTMLElement} */ (next?.querySelector(".record-delete") ?? this.#add).focus();
  }

  /**
   * @param {EventRow[]} events
   * @param {boolean} settled
   */
  #change(events, settled) {
    // The table follows at once: the engine answers a moment later, and the focus may be on a new row.
    this.state = { ...this.#state, events };
    emit(this, "records-change", { events, settled });
  }
}

/** @param {Event} event */
function rowOf(event) {
  const row = /** @type {Element} */ (event.target).closest("tbody tr");
  return row?.parentElement ? [...row.parentElement.children].indexOf(row) : -1;
}

/** @param {EditorState} state */
function problemText({ events, problems }) {
  const [first] = problems;
  if (!first) return "";
  const [row, [column, sentence]] = first;
  const others = problems.size > 1 ? ` ${many(problems.size - 1, "more record")} cannot be read.` : "";
  return `Record ${row + 1}, ${events[row]?.id ?? ""}, ${HEADS[column]}: ${sentence}${others}`;
}
