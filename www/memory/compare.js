// @ts-check
import { emit, h, prose, setProse } from "../dom.js";
import { exactBytes, exactDifference, signedSize, size } from "../format.js";
import { patchChildren } from "../patch.js";

/**
 * @import { Answer, MemoryComparison, MemoryParams, Observed, SizeDifference } from "../../src/web/types.ts"
 * @import { Scenario } from "../state.js"
 * @import { Ask } from "../tools.js"
 *
 * @typedef {{ pinned: Answer<MemoryComparison> | null, observed: Answer<MemoryComparison> | null }} Compared
 */

const PROCESSES = { taskmanager: "a TaskManager", jobmanager: "a JobManager" };

/** What an answer is compared with: settings pinned as A, and the sizes that a pasted text showed. */
export class Comparison {
  bar = new PinBar();
  log = new LogMatch();
  /** @type {Observed[]} */
  observed = [];

  /**
   * Asked in the turn of the answer itself.
   * @param {Ask} ask
   * @param {Scenario} scenario
   * @param {MemoryParams} memory
   * @returns {Promise<Compared>}
   */
  async ask(ask, scenario, memory) {
    const b = { ...memory, role: scenario.role };
    const sizes = this.observed.filter(({ bytes }) => bytes !== null).map(({ id, bytes, exact }) => ({ id, bytes, exact }));
    const settings = pinnedParams(scenario);
    const [pinned, observed] = await Promise.all([
      settings ? ask("compareMemory", { a: { settings }, b }, "comparison with A") : null,
      sizes.length > 0 ? ask("compareMemory", { a: { observed: sizes }, b }, "comparison with a text") : null,
    ]);
    return { pinned, observed };
  }

  /**
   * @param {Scenario} scenario
   * @param {Compared} compared
   * @param {boolean} shown   whether the answer itself is on show, and not a panel
   * @param {boolean} starts
   */
  show({ pinned, role }, compared, shown, starts) {
    this.bar.show(pinned !== null, starts, pinned ? pinNote(pinned, role, compared.pinned) : "");
    this.log.comparison = shown && compared.observed?.ok ? compared.observed.value : null;
  }
}

/**
 * The settings of A, where they are of the process on show.
 * @param {Scenario} scenario
 * @returns {MemoryParams | null}
 */
export function pinnedParams({ pinned, role }) {
  if (!pinned || pinned.role !== role) return null;
  const { flink: version, config, startScript, limit: containerLimit } = pinned;
  return { version, config, startScript, containerLimit };
}

/**
 * @param {Scenario} pinned
 * @param {Scenario["role"]} role
 * @param {Answer<MemoryComparison> | null} answer
 */
function pinNote(pinned, role, answer) {
  if (pinned.role !== role) return `A is ${PROCESSES[pinned.role]}; it is compared with ${PROCESSES[pinned.role]} only.`;
  if (answer && !answer.ok && answer.error.field === "a") return `A does not start: ${answer.error.message}`;
  return "A is pinned; what you change now is B.";
}

/** Pins the settings, swaps them with the pinned ones, lets them go. Event `pin`: `{ act }`. */
export class PinBar extends HTMLElement {
  #pin = button("pin", "Pin as A", "Keep these settings, to compare others with them");
  #swap = button("swap", "Swap A and B", "Make A the settings on show, and pin those that are");
  #unpin = button("unpin", "Unpin", "Compare no longer");
  #note = h("p", { class: "quiet" });
  #list = h("ul", { class: "pin-settings" });

  connectedCallback() {
    if (this.childElementCount > 0) return;
    this.show(false, false, "");
    this.append(h("div", { class: "pin-row" }, this.#pin, this.#swap, this.#unpin, this.#note), this.#list);
    this.addEventListener("click", (event) => {
      const act = /** @type {HTMLElement} */ (event.target).closest("button")?.dataset.act;
      if (act) emit(this, "pin", { act });
    });
  }

  /**
   * @param {boolean} pinned
   * @param {boolean} starts
   * @param {string} note
   */
  show(pinned, starts, note) {
    this.#pin.hidden = pinned;
    this.#pin.disabled = !starts;
    this.#swap.hidden = this.#unpin.hidden = !pinned;
    setProse(this.#note, note);
    if (!pinned || !starts) this.settings = [];
  }

  /** @param {MemoryComparison["settings"]} settings */
  set settings(settings) {
    this.#list.hidden = settings.length === 0;
    const text = (/** @type {string | null} */ value) => (value === null ? h("span", { class: "quiet" }, "not set") : h("code", null, value));
    patchChildren(this.#list, settings.map(({ option, a, b }) => h("li", { "data-id": option }, ...prose(option), ": ", text(a), " → ", text(b))));
  }
}

/**
 * @param {string} act
 * @param {string} word
 * @param {string} meaning
 */
function button(act, word, meaning) {
  return h("button", { type: "button", "data-act": act, title: meaning }, word);
}

/** The sizes of a pasted text beside what the settings derive. Property `comparison`; null hides it. */
export class LogMatch extends HTMLElement {
  #verdict = h("p");
  #body = h("tbody");

  connectedCallback() {
    if (this.childElementCount > 0) return;
    const heads = ["Memory component", "In the text", "Derived", "Difference"];
    this.append(
      h("h3", null, "Against your text"),
      this.#verdict,
      h(
        "div",
        { class: "scroller", tabindex: 0, role: "region", "aria-label": "Sizes of the text against the derived ones" },
        h(
          "table",
          { class: "figures" },
          h("caption", { class: "off-screen" }, "Sizes of the text against the derived ones"),
          h("thead", null, h("tr", null, heads.map((head, at) => h("th", { scope: "col", class: at > 0 ? "number" : null }, head)))),
          this.#body,
        ),
      ),
      h("button", { type: "button", onclick: () => emit(this, "forget-text") }, "Close"),
    );
  }

  /** @param {MemoryComparison | null} comparison */
  set comparison(comparison) {
    this.hidden = comparison === null || comparison.compared === 0;
    if (!comparison) return;
    setProse(this.#verdict, comparison.verdict);
    const rows = [...comparison.components, ...comparison.flags].filter(({ a }) => a !== null);
    patchChildren(this.#body, rows.map(observedRow));
  }
}

/** @param {SizeDifference} row */
function observedRow(row) {
  const { id, name, a, b } = row;
  return h(
    "tr",
    { "data-id": id },
    h("th", { scope: "row" }, prose(name)),
    sizeCell(a),
    sizeCell(b),
    h("td", { class: "number" }, matchMark(row)),
  );
}

/** @param {SizeDifference["a"]} bytes */
function sizeCell(bytes) {
  return h("td", { class: "number" }, bytes === null ? "–" : h("span", { title: exactBytes(bytes) }, size(bytes)));
}

/** @param {SizeDifference} row */
function matchMark({ difference, exact }) {
  if (difference === null) return "–";
  if (!exact) return h("span", { class: "quiet" }, "rounded in the text");
  if (BigInt(difference) === 0n) return h("span", { class: "mark is-good" }, "to the byte");
  return h("span", { class: "mark is-bad", title: exactDifference(difference) }, signedSize(difference));
}
