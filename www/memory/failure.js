// @ts-check
import { h } from "../dom.js";
import { copyButton } from "../elements/copy-button.js";
import { FindingList } from "../elements/finding-list.js";
import { StepList } from "../elements/step-list.js";

/** @import { Failure, Finding, Step } from "../../src/web/types.ts" */

/**
 * Why Flink refuses: its own text, the ways out, and how far it came.
 *
 * Property `diagnosis`; null hides it.
 */
export class FailureReport extends HTMLElement {
  #shown = "";

  /** @param {{ failure: Failure, steps: Step[], findings: Finding[] } | null} diagnosis */
  set diagnosis(diagnosis) {
    this.hidden = diagnosis === null;
    const text = JSON.stringify(diagnosis);
    if (text === this.#shown) return;
    this.#shown = text;
    if (!diagnosis) {
      this.replaceChildren();
      return;
    }
    const { failure, steps, findings } = diagnosis;
    const ways = new FindingList();
    ways.plain = true;
    ways.findings = findings;
    const list = new StepList();
    list.steps = steps;
    this.replaceChildren(
      h("h3", null, "What Flink says"),
      h(
        "div",
        { class: "flink-says" },
        h("pre", { tabindex: 0, role: "region", "aria-label": "Flink’s message" }, [failure.message, ...failure.causes.map((cause) => `Caused by: ${cause}`)].join("\n")),
        copyButton("Copy", failure.message, "Copy Flink’s message"),
      ),
      h("h3", null, "Ways out"),
      findings.length > 0 ? ways : h("p", { class: "quiet" }, "No change that was tried makes it start; see the steps."),
      steps.length > 0 ? h("details", { class: "why", open: true }, h("summary", null, h("h3", null, "How far Flink came")), list) : "",
    );
  }
}
