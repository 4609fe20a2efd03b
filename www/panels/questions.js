// @ts-check
import { number } from "./field.js";

/**
 * @import { Answer, MemoryParams } from "../../src/web/types.ts"
 * @import { Scenario } from "../state.js"
 * @import { Ask } from "../tools.js"
 * @import { Line } from "./assumptions.js"
 * @import { Values } from "./field.js"
 * @import { Panel } from "./view.js"
 */

/** What a panel asks, of the scenario on show and of the pinned one. */
export class Questions {
  /** Defaults of assumptions, by panel. @type {Map<string, Line[]>} */
  #lines = new Map();

  /**
   * The params of a panel's question.
   * @param {Ask} ask
   * @param {string} name   the panel's
   * @param {Panel} panel
   * @param {Scenario} scenario
   * @param {MemoryParams} memory
   * @param {Values} values
   * @returns {Promise<Answer<object>>}  the refusal where the defaults it needs cannot be had
   */
  async params(ask, name, panel, { workload, role }, memory, values) {
    const prefix = prefixOf(name);
    const replaced = Object.entries(workload)
      .filter(([key]) => key.startsWith(prefix))
      .map(([key, text]) => /** @type {const} */ ([key.slice(prefix.length), number(text)]));
    /** @param {readonly (readonly [string, any])[]} pairs */
    const asked = (pairs) => panel.params(values, memory, pairs.length > 0 ? Object.fromEntries(pairs) : null, role);
    if (!panel.wholeAssumptions || replaced.length === 0) return { ok: true, value: asked(replaced), findings: [] };
    if (!this.#lines.has(name)) {
      const first = await ask(panel.question, asked([]), "panel defaults");
      if (!first.ok) return first;
      this.#lines.set(name, first.value.assumptions);
    }
    const defaults = (this.#lines.get(name) ?? []).map((line) => /** @type {const} */ ([line.id, line.default]));
    return { ok: true, value: asked([...defaults, ...replaced]), findings: [] };
  }
}

/**
 * Before the name of an assumption in a workload.
 * @param {string} panel
 */
export function prefixOf(panel) {
  return `assume.${panel}.`;
}
