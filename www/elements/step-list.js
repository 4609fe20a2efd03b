// @ts-check
import { breakable, h } from "../dom.js";
import { exactBytes, size } from "../format.js";
import { patchList } from "../patch.js";

/** @import { Step } from "../../src/web/types.ts" */

/**
 * A derivation, step by step: formula, the numbers put in, the result, the source.
 *
 * Property `steps`.
 */
export class StepList extends HTMLElement {
  #list = h("ol", { class: "steps" });

  connectedCallback() {
    if (this.childElementCount === 0) this.append(this.#list);
  }

  /** @param {Step[]} steps */
  set steps(steps) {
    patchList(this.#list, steps, item);
  }
}

/** @param {Step} step */
function item(step) {
  return h(
    "li",
    { class: "step" },
    h(
      "div",
      { class: "step-head" },
      h("strong", null, step.title),
      step.result === null
        ? null
        : h("span", { class: "step-result", title: exactBytes(step.result) }, size(step.result)),
    ),
    h("div", { class: "step-line" }, h("p", null, step.formula), h("p", { class: "source" }, breakable(step.source))),
    step.numbers ? h("code", { class: "step-numbers" }, step.numbers) : null,
  );
}
