// @ts-check
import { h } from "../dom.js";
import { codeRow } from "../elements/code-row.js";
import { FindingList } from "../elements/finding-list.js";
import { StepList } from "../elements/step-list.js";

/** @import { Failure, Finding, Step } from "../../src/web/types.ts" */

/**
 * Why Flink refuses: its own text, the ways out, and how far it came.
 *
 * Property `diagnosis`; null hides it.
 */
export class FailureReport extends HTMLElement {
  #message = codeRow("message of Flink");
  #ways = new FindingList();
  #none = h("p", { class: "quiet" }, "No change that was tried makes it start; see the steps.");
  #list = new StepList();
  #steps = h("details", { class: "why", open: true }, h("summary", null, h("h3", null, "How far Flink came")), this.#list);

  connectedCallback() {
    if (this.childElementCount > 0) return;
    this.#message.classList.add("flink-says");
    this.#ways.plain = true;
    this.append(
      h("h3", null, "What Flink says"),
      this.#message,
      h("h3", null, "Ways out"),
      this.#ways,
      this.#none,
      this.#steps,
    );
  }

  /** @param {{ failure: Failure, steps: Step[], findings: Finding[] } | null} diagnosis */
  set diagnosis(diagnosis) {
    this.hidden = diagnosis === null;
    if (!diagnosis) return;
    const { failure, steps, findings } = diagnosis;
    this.#message.text = [failure.message, ...failure.causes.map((cause) => `Caused by: ${cause}`)].join("\n");
    this.#ways.findings = findings;
    this.#ways.hidden = findings.length === 0;
    this.#none.hidden = findings.length > 0;
    this.#list.steps = steps;
    this.#steps.hidden = steps.length === 0;
  }
}
