// @ts-check
import { emit, freshId, h, prose } from "../dom.js";
import { patchChildren } from "../patch.js";

/** @import { Change, Finding } from "../../src/web/types.ts" */

const WORDS = { error: "Error", warning: "Warning", note: "Note" };
/** Why a finding of a stale answer applies nothing. */
export const STALE_APPLY = "These changes were found for the last settings that worked. They can be applied when the settings of now have an answer.";
const ORDER = ["error", "warning", "note"];

/**
 * What was noticed: severity, reason, knob, price, source, and a button where a change mends it.
 *
 * Properties `findings`, `blocked`, `applyWord`, `plain`, `level` (of the headings). Event
 * `apply-changes`: `{ changes }`.
 */
export class FindingList extends HTMLElement {
  applyWord = "Apply";
  /** Ways out of a failure are no failures themselves: they carry no severity. */
  plain = false;
  /** @type {"h3" | "h4"} */
  level = "h4";
  #shown = "";
  /** @type {Finding[]} */
  #findings = [];
  #blocked = "";
  #reasonId = freshId("blocked");
  /** What each button applies, by its number. @type {Change[][]} */
  #applies = [];

  constructor() {
    super();
    this.addEventListener("click", (event) => {
      const number = /** @type {Element} */ (event.target).closest("[data-apply]")?.getAttribute("data-apply");
      const changes = this.#applies[Number(number ?? NaN)];
      if (changes) emit(this, "apply-changes", { changes });
    });
  }

  /** @param {Finding[]} findings */
  set findings(findings) {
    this.#findings = findings;
    this.#show();
  }

  /**
   * Why nothing can be applied now; empty where everything can.
   * @param {string} reason
   */
  set blocked(reason) {
    if (reason === this.#blocked) return;
    this.#blocked = reason;
    this.#show();
  }

  #show() {
    const text = JSON.stringify([this.#blocked, this.#findings]);
    if (text === this.#shown) return;
    this.#shown = text;
    const sorted = [...this.#findings].sort((a, b) => ORDER.indexOf(a.severity) - ORDER.indexOf(b.severity));
    this.#applies = sorted.map(({ apply }) => apply);
    const reason = this.#blocked !== "" && sorted.some(({ apply }) => apply.length > 0);
    patchChildren(this, [
      ...(reason ? [h("p", { class: "apply-blocked", id: this.#reasonId }, this.#blocked)] : []),
      sorted.length > 0
        ? h("ul", { class: "findings" }, sorted.map((finding, number) => this.#item(finding, number)))
        : h("p", { class: "quiet" }, "Nothing to remark."),
    ]);
  }

  /**
   * @param {Finding} finding
   * @param {number} number
   */
  #item(finding, number) {
    return h(
      "li",
      { class: `finding is-${this.plain ? "way" : finding.severity}`, "data-id": finding.code },
      h(
        "div",
        { class: "finding-head" },
        this.plain ? null : h("span", { class: `severity is-${finding.severity}` }, WORDS[finding.severity]),
        h(this.level, null, prose(finding.title)),
      ),
      h("p", null, prose(finding.reason)),
      facts(finding),
      finding.apply.length > 0 ? this.#applyRow(finding.apply, number) : null,
    );
  }

  /**
   * @param {Change[]} changes
   * @param {number} number
   */
  #applyRow(changes, number) {
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
          "data-apply": number,
          disabled: this.#blocked !== "",
          "aria-describedby": this.#blocked === "" ? null : this.#reasonId,
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
