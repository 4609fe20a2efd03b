// @ts-check
import { breakable, h, prose } from "../dom.js";
import { patchChildren } from "../patch.js";
import { duration } from "./tables.js";

/**
 * @import { CheckpointScenario as Scenario, ClosedFormReport, FormOutcome, FormStep } from "../../src/web/checkpoints.ts"
 * @import { Ask } from "../tools.js"
 */

const QUESTION = "checkpoints/closedForm";

/**
 * The duration by a formula, step by step with the numbers put in, beside the simulation that does
 * not know it; and where no formula applies, why not.
 *
 * Method `show`.
 */
export class WhyForms extends HTMLElement {
  #verdict = h("p", { class: "why-verdict" });
  #forms = h("div");

  connectedCallback() {
    if (this.childElementCount === 0) this.append(this.#verdict, this.#forms);
  }

  /**
   * @param {Ask} ask
   * @param {Scenario} scenario
   */
  async show(ask, scenario) {
    const answer = await ask(QUESTION, scenario);
    if (!answer.ok) return;
    /** @type {ClosedFormReport} */
    const { verdict, forms } = answer.value;
    this.#verdict.replaceChildren(...prose(verdict));
    patchChildren(this.#forms, forms.map(formView));
  }
}

/** @param {FormOutcome} outcome */
function formView({ form, title, endToEndMs, whyNot, steps }) {
  return h(
    "section",
    { "data-id": form },
    h("h4", null, title, endToEndMs === null ? "" : `: ${duration(endToEndMs)}`),
    whyNot ? h("p", { class: "quiet" }, prose(whyNot)) : null,
    steps.length > 0 ? h("ol", { class: "steps" }, steps.map(stepView)) : null,
  );
}

/** @param {FormStep} step */
function stepView({ title, formula, numbers, result, unit, source }) {
  const value = unit === "ms" ? duration(result) : `${Number(result.toPrecision(4))} ${unit}`.trim();
  return h(
    "li",
    { class: "step" },
    h("div", { class: "step-head" }, h("strong", null, title), h("span", { class: "step-result" }, value)),
    h("div", { class: "step-line" }, h("p", null, formula), h("p", { class: "source" }, breakable(source))),
    numbers ? h("code", { class: "step-numbers" }, numbers) : null,
  );
}
