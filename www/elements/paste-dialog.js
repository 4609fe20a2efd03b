// @ts-check
import { emit, h, prose, setText } from "../dom.js";
import { count, exactBytes, fileSize, size } from "../format.js";

/**
 * @import { OwnTexts } from "../tools.js"
 * @import { Answer, Finding, FlinkVersion, Observed, PasteReport, PastedEntry, Role, SkippedLine } from "../../src/web/types.ts"
 *
 * @typedef {{ entries: PastedEntry[], mode: "replace" | "merge", limit: string | null, role: Role | null, observed: Observed[] }} PasteUse
 */

/** A configuration is a few kilobytes; this is room for anything a reader means to paste. */
const TEXT_BYTES_MAX = 4 * 1024 * 1024;
/** Rows shown of each list; the rest is counted. */
const ROWS_MAX = 200;
/** Findings of a paste shown in the box. */
const FINDINGS_MAX = 6;
const READ_AFTER_MS = 150;
/** Longer texts are put into the box at once; inserted like typing they would block it for seconds. */
const TYPED_CHARS_MAX = 100_000;
const STATUS_WORDS = { used: "used here", other: "kept", unknown: "unknown" };
const STATUS_ORDER = ["used", "unknown", "other"];

/**
 * Reads a pasted, dropped or picked text and says what it is before anything is used.
 *
 * Properties `ask` (the engine), `version`, `readerOf` (the tool that reads a text itself). Event
 * `use-settings`: a `PasteUse`.
 */
export class PasteDialog extends HTMLElement {
  /** @type {((question: string, params: unknown, slot?: string) => Promise<Answer<any>>) | null} */
  ask = null;
  /** @type {FlinkVersion} */
  version = "1.20";
  /** @type {(text: string) => import("../tools.js").OwnTexts | null} */
  readerOf = () => null;
  #dialog = h("dialog", { class: "paste", "aria-labelledby": "paste-title" });
  #text = h("textarea", { id: "paste-text", rows: 10, spellcheck: "false", autocomplete: "off", wrap: "off" });
  #file = h("input", { type: "file", class: "off-screen", tabindex: -1, "aria-label": "Configuration file" });
  #verdict = h("p", { class: "paste-verdict", "aria-live": "polite" });
  #lists = h("div", { class: "paste-lists", tabindex: 0, role: "region", "aria-label": "What was read" });
  #replace = h("button", { type: "button", class: "primary" }, "Use these settings");
  #merge = h("button", { type: "button" }, "Add to the present settings");
  #take = h("button", { type: "button", class: "primary", hidden: true });
  /** @type {string | null} */
  #fileName = null;
  /** @type {PastedEntry[]} */
  #entries = [];
  /** @type {string | null} */
  #limit = null;
  /** @type {Role | null} */
  #role = null;
  /** @type {Observed[]} */
  #observed = [];
  #turn = 0;
  #timer = 0;

  connectedCallback() {
    if (this.childElementCount > 0) return;
    this.#text.placeholder = "taskmanager.memory.process.size: 4g";
    this.#text.addEventListener("input", () => this.#changed(null));
    this.#text.addEventListener("paste", (event) => {
      const text = event.clipboardData?.getData("text/plain") ?? "";
      if (text.length <= TYPED_CHARS_MAX) return;
      event.preventDefault();
      this.open(text);
    });
    this.#file.addEventListener("change", () => {
      const file = this.#file.files?.[0];
      if (file) this.openFile(file);
      this.#file.value = "";
    });
    this.#replace.addEventListener("click", () => this.#use("replace"));
    this.#merge.addEventListener("click", () => this.#use("merge"));
    this.#take.addEventListener("click", () => {
      this.readerOf(this.#text.value)?.take(this.#text.value);
      this.#dialog.close();
    });
    this.#dialog.append(
      h(
        "div",
        { class: "dialog-head" },
        h("h2", { id: "paste-title" }, "Paste what you have"),
        h("button", { type: "button", onclick: () => this.#dialog.close() }, "Close"),
      ),
      h(
        "label",
        { for: "paste-text" },
        "A flink-conf.yaml, a config.yaml, -D options, a JVM argument line, a start-up log, an exception or a kill line; REST answers about checkpoints, records with timestamps, logs and settings of Kafka transactions. Nothing leaves this page.",
      ),
      this.#text,
      h(
        "div",
        { class: "paste-row" },
        h("button", { type: "button", onclick: () => this.#file.click() }, "Choose a file"),
        this.#file,
        h("span", { class: "quiet" }, "or drop one anywhere on the page"),
      ),
      this.#verdict,
      this.#lists,
      h("div", { class: "dialog-foot" }, this.#take, this.#replace, this.#merge),
    );
    this.append(this.#dialog);
    this.#show("", [], []);
  }

  /** @param {string} [text]  left out, the text of last time stays */
  open(text) {
    if (!this.#dialog.open) this.#dialog.showModal();
    if (text !== undefined) {
      this.#text.value = text.length > TEXT_BYTES_MAX ? text.slice(0, TEXT_BYTES_MAX) : text;
      this.#changed(null, text);
    } else {
      this.#changed(this.#fileName);
    }
    this.#text.focus();
  }

  /** @param {File} file */
  async openFile(file) {
    if (!this.#dialog.open) this.#dialog.showModal();
    if (file.size > TEXT_BYTES_MAX) {
      this.#show(tooLong(`${file.name} is`, file.size), [], [], true);
      return;
    }
    const turn = this.#wait();
    const text = await file.text();
    if (turn !== this.#turn) return;
    this.#text.value = text;
    this.#changed(file.name);
  }

  /**
   * @param {string | null} fileName
   * @param {string} [whole]
   */
  #changed(fileName, whole = this.#text.value) {
    this.#fileName = fileName;
    this.#wait();
    const bytes = new Blob([whole]).size;
    const reader = this.readerOf(whole);
    if (bytes > TEXT_BYTES_MAX) {
      this.#show(tooLong("The text is", bytes), [], [], true);
    } else if (whole.trim() === "") {
      this.#show("", [], []);
    } else if (reader) {
      this.#show(reader.recognise(whole) ?? "", [], []);
      this.#take.textContent = reader.word;
      this.#take.hidden = this.#take.disabled = false;
      this.#replace.hidden = this.#merge.hidden = true;
    } else {
      this.#timer = window.setTimeout(() => this.#read(), READ_AFTER_MS);
    }
  }

  /**
   * From here on there is another text: what was read of the last one can no longer be used, and an
   * answer about it no longer arrives. What is listed stays, dimmed, so that the box keeps its height.
   */
  #wait() {
    clearTimeout(this.#timer);
    this.#forget();
    this.#take.disabled = true;
    this.#lists.setAttribute("aria-busy", "true");
    setText(this.#verdict, "");
    return (this.#turn += 1);
  }

  #forget() {
    this.#entries = [];
    this.#limit = null;
    this.#role = null;
    this.#observed = [];
    this.#replace.disabled = this.#merge.disabled = true;
  }

  async #read() {
    const turn = this.#turn;
    const params = { version: this.version, text: this.#text.value, fileName: this.#fileName };
    /** @type {Answer<PasteReport> | undefined} */
    const answer = await this.ask?.("readPaste", params);
    if (!answer || turn !== this.#turn) return;
    if (!answer.ok) {
      this.#show(`${answer.error.message} Your text is kept.`, [], [], true);
      return;
    }
    const { recognised, entries, skipped, cause, containerLimit, role, observed } = answer.value;
    this.#show(recognised, entries, skipped);
    this.#limit = containerLimit;
    this.#role = role;
    this.#observed = observed;
    this.#merge.disabled &&= containerLimit === null;
    // Behind the lists it would be read last; what a text means stands before what is in it.
    this.#lists.prepend(
      ...(cause ? [causePart(cause)] : []),
      ...(containerLimit === null ? [] : [h("p", null, "Container limit ", h("code", null, containerLimit), ", added with the settings.")]),
      ...(entries.length === 0 && containerLimit === null ? [h("p", null, "No setting follows from this text, so there is nothing to use.")] : []),
      ...answer.findings.slice(0, FINDINGS_MAX).map(findingPart),
      ...(observed.length > 0 ? [h("h3", null, "Numbers in it"), h("ul", { class: "pasted" }, observed.slice(0, ROWS_MAX).map(observedRow), more(observed.length))] : []),
    );
    this.#lists.hidden = this.#lists.childElementCount === 0;
  }

  /**
   * @param {string} verdict
   * @param {PastedEntry[]} entries
   * @param {SkippedLine[]} skipped
   * @param {boolean} [wrong]
   */
  #show(verdict, entries, skipped, wrong = false) {
    this.#forget();
    this.#entries = entries;
    this.#lists.removeAttribute("aria-busy");
    setText(this.#verdict, verdict);
    this.#verdict.classList.toggle("is-wrong", wrong);
    this.#replace.disabled = this.#merge.disabled = entries.length === 0;
    this.#replace.hidden = this.#merge.hidden = false;
    this.#take.hidden = true;
    this.#lists.hidden = entries.length + skipped.length === 0;
    const sorted = STATUS_ORDER.flatMap((status) => entries.filter((entry) => entry.status === status));
    this.#lists.replaceChildren(
      entries.length > 0 ? h("p", { class: "quiet" }, counts(entries, skipped)) : "",
      entries.length > 0 ? h("ul", { class: "pasted" }, sorted.slice(0, ROWS_MAX).map(entryRow), more(entries.length)) : "",
      skipped.length > 0 ? h("h3", null, "Lines Flink drops") : "",
      skipped.length > 0 ? h("ul", { class: "pasted" }, skipped.slice(0, ROWS_MAX).map(skippedRow), more(skipped.length)) : "",
    );
  }

  /** @param {PasteUse["mode"]} mode */
  #use(mode) {
    emit(this, "use-settings", /** @type {PasteUse} */ ({ entries: this.#entries, mode, limit: this.#limit, role: this.#role, observed: this.#observed }));
    this.#dialog.close();
  }
}

/**
 * @param {string} subject
 * @param {number} bytes
 */
function tooLong(subject, bytes) {
  return `${subject} ${fileSize(bytes)} long; at most ${fileSize(TEXT_BYTES_MAX)} are read. Paste only the configuration.`;
}

/**
 * @param {PastedEntry[]} entries
 * @param {SkippedLine[]} skipped
 */
function counts(entries, skipped) {
  /** @param {PastedEntry["status"]} status */
  const of = (status) => entries.filter((entry) => entry.status === status).length;
  const parts = [`${of("used")} used by this tool`, `${of("other")} of other subjects, kept`];
  if (of("unknown") > 0) parts.push(`${of("unknown")} unknown to this version`);
  if (skipped.length > 0) parts.push(`${skipped.length} ${skipped.length === 1 ? "line" : "lines"} dropped`);
  return `${parts.join(" · ")}.`;
}

/**
 * What an exception or a kill line means, and what to ask next.
 * @param {NonNullable<PasteReport["cause"]>} cause
 */
function causePart({ title, reason, knob, next, source }) {
  return h(
    "div",
    { class: "paste-cause" },
    h("h3", null, prose(title)),
    h("p", null, prose(reason)),
    knob ? h("p", null, "Knob: ", prose(knob)) : null,
    next ? h("p", null, prose(next)) : null,
    h("p", { class: "quiet" }, source),
  );
}

/** @param {Finding} finding */
function findingPart({ title, reason, price }) {
  return h("div", { class: "paste-cause" }, h("p", null, h("strong", null, prose(title)), " ", prose(reason)), price ? h("p", { class: "quiet" }, prose(price)) : null);
}

/**
 * A fact of the text. It is shown whether or not a setting follows from it: of a killed process its
 * size is often all that there is.
 * @param {Observed} observed
 */
function observedRow({ name, line, bytes, number, exact }) {
  const about = exact ? "" : "about ";
  const value = bytes === null ? count(number ?? 0) : size(bytes);
  return h(
    "li",
    null,
    h("span", null, `${name}: ${about}${value}`),
    h("span", { class: "pasted-status" }, `line ${line}`),
    bytes !== null && exact ? h("span", { class: "pasted-note" }, exactBytes(bytes)) : null,
  );
}

/** @param {PastedEntry} entry */
function entryRow({ key, value, status, note, line }) {
  return h(
    "li",
    { class: `is-${status}` },
    h("code", null, clip(`${key}: ${value}`)),
    h("span", { class: "pasted-status" }, `${STATUS_WORDS[status]}, line ${line}`),
    note ? h("span", { class: "pasted-note" }, note) : null,
  );
}

/** @param {SkippedLine} skipped */
function skippedRow({ line, text, reason }) {
  return h(
    "li",
    { class: "is-unknown" },
    h("code", null, clip(text)),
    h("span", { class: "pasted-status" }, `line ${line}`),
    h("span", { class: "pasted-note" }, reason),
  );
}

/** @param {number} length */
function more(length) {
  return length > ROWS_MAX ? h("li", { class: "quiet" }, `and ${length - ROWS_MAX} more`) : null;
}

/** @param {string} text */
function clip(text) {
  return text.length > 240 ? `${text.slice(0, 240)}…` : text;
}
