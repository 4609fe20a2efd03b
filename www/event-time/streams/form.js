// @ts-check
import { emit, h, setText } from "../../dom.js";
import { count, fileSize } from "../../format.js";
import { patchChildren } from "../../patch.js";
import { OptionField } from "../../elements/option-field.js";
import { STREAM_GROUPS } from "./fields.js";
import { STREAM_PRESETS, streamPresetOf } from "./presets.js";

/**
 * @import { ReaderParams, SniffReport } from "../../../src/web/types.ts"
 * @import { StreamScenario } from "./params.js"
 */

/** @type {[ReaderParams["timeFormat"], string][]} */
const TIME_FORMATS = [
  ["epochSeconds", "seconds since the epoch"],
  ["epochMillis", "milliseconds since the epoch"],
  ["epochMicros", "microseconds since the epoch"],
  ["epochNanos", "nanoseconds since the epoch"],
  ["iso8601", "ISO 8601"],
];
const FORMATS = { comma: "CSV, comma", semicolon: "CSV, semicolon", tab: "CSV, tab" };

/**
 * Where a stream comes from: an example, its fields, or a file with its columns.
 *
 * Methods `show`, `showFile`. Events `stream-preset`: `{ id }`, `stream-change`:
 * `{ id, value, settled }`, `stream-file`: `{ file }`, `stream-reader`: `{ reader }`.
 */
export class StreamForm extends HTMLElement {
  /** @type {OptionField[]} */
  #fields = [];
  /** @type {SniffReport | null} */
  #sniffed = null;
  /** @type {ReaderParams | null} */
  #reader = null;
  #select = h("select", { id: "stream-preset" }, STREAM_PRESETS.map(({ id, title }) => h("option", { value: id }, title)));
  #look = h("p", { class: "preset-look" });
  #picker = h("input", { type: "file", id: "stream-file", accept: ".csv,.tsv,.txt,.json,.jsonl,.ndjson" });
  #name = h("p", { class: "quiet" });
  #columns = h("div", { class: "stream-columns" });
  #file = h("section", { class: "field-group stream-file", hidden: true });

  connectedCallback() {
    if (this.childElementCount > 0) return;
    this.#select.addEventListener("change", () => emit(this, "stream-preset", { id: this.#select.value }));
    this.#picker.addEventListener("change", () => {
      const file = this.#picker.files?.[0];
      if (file) emit(this, "stream-file", { file });
    });
    this.#file.append(h("h3", null, "File"), h("label", { for: "stream-file" }, "CSV or JSON lines, in order of arrival"), this.#picker, this.#name, this.#columns);
    this.#columns.addEventListener("change", () => this.#readColumns());
    const groups = STREAM_GROUPS.map(({ name, fields }) => {
      const elements = fields.map((field) => Object.assign(new OptionField(), { field }));
      this.#fields.push(...elements);
      return h("section", { class: "field-group" }, h("h3", null, name), elements);
    });
    this.append(h("div", { class: "stream-presets" }, h("label", { for: "stream-preset" }, "Example"), this.#select, this.#look), groups[0], this.#file, ...groups.slice(1));
    // The settings of watermarks and windows have the same event.
    this.addEventListener("setting-change", (event) => {
      event.stopPropagation();
      emit(this, "stream-change", /** @type {CustomEvent} */ (event).detail);
    });
  }

  /**
   * @param {StreamScenario} stream
   * @param {Map<string, string>} readings  by field
   * @param {Map<string, string>} problems  by field
   */
  show({ preset: id, values }, readings, problems) {
    const preset = streamPresetOf(id);
    this.#select.value = preset.id;
    setText(this.#look, preset.look);
    this.#file.hidden = values.source !== "file";
    for (const element of this.#fields) {
      const { id: name, shown } = element.field;
      const problem = problems.get(name) ?? "";
      element.hidden = problem === "" && !(shown?.(values) ?? true);
      element.state = { value: values[name], resetTo: preset.values[name], reading: readings.get(name) ?? "", problem };
    }
    for (const section of this.querySelectorAll(".field-group:not(.stream-file)")) {
      /** @type {HTMLElement} */ (section).hidden = !section.querySelector("option-field:not([hidden])");
    }
  }

  /**
   * A file, how it is proposed to be read, and how it is.
   * @param {File} file
   * @param {SniffReport} sniffed
   * @param {ReaderParams | null} reader
   */
  showFile(file, sniffed, reader) {
    this.#sniffed = sniffed;
    this.#reader = reader;
    const { format } = sniffed;
    const kind = format.kind === "csv" ? `${FORMATS[format.delimiter]}, ${format.header ? "with" : "without"} a header` : "JSON lines";
    setText(this.#name, `${file.name}, ${fileSize(file.size)}: ${kind}; ${count(sniffed.columns.length)} columns, ${count(sniffed.rows)} rows looked at.`);
    const names = sniffed.columns.map(({ name, samples }, at) => /** @type {[string, string]} */ ([String(at), samples.length > 0 ? `${name} (${samples[0].slice(0, 24)})` : name]));
    const none = /** @type {[string, string]} */ (["", "none"]);
    /** @param {import("../../../src/web/types.ts").RecordField | null | undefined} field */
    const place = (field) => (field === null || field === undefined ? "" : typeof field === "number" ? String(field) : String(sniffed.columns.findIndex(({ name }) => name === field)));
    patchChildren(this.#columns, [
      choice("time", "Event time", [["", "choose a column"], ...names], place(reader?.time)),
      choice("timeFormat", "Written as", TIME_FORMATS, reader?.timeFormat ?? "epochMillis"),
      choice("key", "Key", [none, ...names], place(reader?.key)),
      choice("partition", "Partition", [none, ...names], place(reader?.partition)),
      choice("value", "Value, summed up", [none, ...names], place(reader?.value)),
      choice("id", "Id, for duplicates", [none, ...names], place(reader?.id)),
      choice("arrival", "Arrival", [none, ...names], place(reader?.arrival)),
    ]);
    // A patched choice keeps what the reader chose, which may be of another file.
    for (const select of /** @type {NodeListOf<HTMLSelectElement>} */ (this.#columns.querySelectorAll("select"))) select.value = select.dataset.value ?? "";
  }

  #readColumns() {
    const sniffed = this.#sniffed;
    if (!sniffed) return;
    /** @param {string} id */
    const of = (id) => /** @type {HTMLSelectElement | null} */ (this.#columns.querySelector(`select[name="${id}"]`))?.value ?? "";
    /** @param {string} id */
    const field = (id) => (of(id) === "" ? null : sniffed.format.kind === "csv" ? Number(of(id)) : sniffed.columns[Number(of(id))].name);
    const time = field("time");
    if (time === null) return;
    const chosen = sniffed.columns[Number(of("time"))].timeFormat;
    const isSame = this.#reader?.time === time;
    const timeFormat = /** @type {ReaderParams["timeFormat"]} */ (isSame || !chosen ? of("timeFormat") : chosen);
    const arrival = field("arrival");
    const arrivalFormat = arrival === null ? null : sniffed.columns[Number(of("arrival"))].timeFormat;
    emit(this, "stream-reader", { reader: { format: sniffed.format, time, timeFormat, key: field("key"), partition: field("partition"), value: field("value"), id: field("id"), arrival, arrivalFormat } });
  }
}

/**
 * @param {string} id
 * @param {string} label
 * @param {[string, string][]} options
 * @param {string} value
 */
function choice(id, label, options, value) {
  return h(
    "div",
    { "data-id": id },
    h("label", { for: `stream-${id}` }, label),
    h("select", { id: `stream-${id}`, name: id, "data-value": value }, options.map(([one, name]) => h("option", { value: one, selected: one === value }, name))),
  );
}
