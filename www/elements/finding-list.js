// @ts-check
import { emit, h, prose } from "../dom.js";

/** @import { Change, Finding } from "../../src/web/types.ts" */

const WORDS = { error: "Error", warning: "Warning", note: "Note" };
const ORDER = ["error", "warning", "note"];

/**
 * What was noticed: severity, reason, knob, price, source, and a button where a change mends it.
 *
 * Properties `findings`, `applyWord`, `plain`, `level` (of the headings). Event `apply-changes`: `{ changes }`.
 */
export class FindingList extends HTMLElement {
  applyWord = "Apply";
  /** Ways out of a failure are no failures themselves: they carry no severity. */
  plain = false;
  /** @type {"h3" | "h4"} */
  level = "h4";
  #shown = "";

  /** @param {Finding[]} findings */
  set findings(findings) {
    const text = JSON.stringify(findings);
    if (text === this.#shown) return;
    this.#shown = text;
    const sorted = [...findings].sort((a, b) => ORDER.indexOf(a.severity) - ORDER.indexOf(b.severity));
    this.replaceChildren(
      sorted.length > 0
        ? h("ul", { class: "findings" }, sorted.map((finding) => this.#item(finding)))
        : h("p", { class: "quiet" }, "Nothing to remark."),
    );
  }

  /** @param {Finding} finding */
  #item(finding) {
    return h(
      "li",
      { class: `finding is-${this.plain ? "way" : finding.severity}`, "data-code": finding.code },
      h(
        "div",
        { class: "finding-head" },
        this.plain ? null : h("span", { class: `severity is-${finding.severity}` }, WORDS[finding.severity]),
        h(this.level, null, prose(finding.title)),
      ),
      h("p", null, prose(finding.reason)),
      facts(finding),
      finding.apply.length > 0 ? this.#applyRow(finding.apply) : null,
    );
  }

  /** @param {Change[]} changes */
  #applyRow(changes) {
    const spoken = changes.map(({ option, value }) => (value === null ? `remove ${option}` : `${option}: ${value}`));
    return h(
      "div",
      { class: "apply-row" },
      h(
        "button",
        {
          type: "button",
          class: "primary",
          "aria-label": `${this.applyWord}: ${spoken.join("; ")}`,
          onclick: () => emit(this, "apply-changes", { changes }),
        },
        this.applyWord,
      ),
      h("div", { class: "apply-changes" }, spoken.map((line) => h("code", null, line))),
    );
  }
}

/** @param {Finding} finding */
function facts(finding) {
  const rows = /** @type {const} */ ([
    ["Knob", finding.option],
    ["Price", finding.price],
    ["Source", finding.source],
  ]);
  const shown = rows.filter(([, text]) => text);
  if (shown.length === 0) return null;
  return h(
    "dl",
    { class: "facts" },
    shown.flatMap(([name, text]) => [
      h("dt", null, name),
      h("dd", null, name === "Knob" ? h("code", null, text) : prose(text ?? "")),
    ]),
  );
}
