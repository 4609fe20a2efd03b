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

/** Download buttons. Properties `only` (once; the kinds there are) and `kinds`. Event `export`: `{ kind }`. */
export class ExportBar extends HTMLElement {
  /** @type {readonly ExportKind[]} */
  only = KINDS.map(([kind]) => kind);

  /** Without an answer only the settings can go, without a chart no picture. @param {{ chart: unknown } | null} shown */
  set kinds(shown) {
    for (const button of this.querySelectorAll("button")) {
      const { kind } = button.dataset;
      const isPicture = kind === "svg" || kind === "png";
      button.hidden = kind !== "config" && (!shown || (isPicture && !shown.chart));
    }
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
