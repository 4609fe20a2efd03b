// @ts-check
import { emit, h } from "../dom.js";

/** @typedef {"svg" | "png" | "csv" | "json" | "config"} ExportKind */

const KINDS = /** @type {const} */ ([
  ["svg", "SVG", "The chart as SVG"],
  ["png", "PNG", "The chart as PNG, at twice its size"],
  ["csv", "CSV", "The table as CSV, with exact bytes"],
  ["json", "JSON", "The whole answer as JSON"],
  ["config", "Configuration", "The settings as a configuration file of this version"],
]);

/**
 * Download buttons. Properties `only` (once; the kinds there are) and `answered`: without an answer only the settings can
 * go. Event `export`: `{ kind }`.
 */
export class ExportBar extends HTMLElement {
  /** @type {readonly ExportKind[]} */
  only = KINDS.map(([kind]) => kind);

  /** @param {boolean} answered */
  set answered(answered) {
    for (const button of this.querySelectorAll("button")) button.hidden = !answered && button.dataset.kind !== "config";
  }

  connectedCallback() {
    if (this.childElementCount > 0) return;
    this.append(
      ...KINDS.filter(([kind]) => this.only.includes(kind)).map(([kind, word, meaning]) =>
        h(
          "button",
          { type: "button", "data-kind": kind, title: meaning, "aria-label": `${word}: ${meaning}`, onclick: () => emit(this, "export", { kind }) },
          word,
        ),
      ),
    );
  }
}
