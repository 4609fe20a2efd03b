// @ts-check
import { emit, h } from "../dom.js";

/**
 * What the tool can show: a simulation, barriers step by step, and REST answers of a real job. The
 * elements of the last two are fetched when they are first shown.
 * @import { Ask } from "../tools.js"
 * @import { CheckpointScenario } from "./codec.js"
 * @import { CheckpointImport } from "./import/element.js"
 * @import { CheckpointStepper } from "./stepper/element.js"
 */

const VIEWS = /** @type {const} */ ([
  ["simulate", "Simulate a job"],
  ["steps", "Barriers step by step"],
  ["import", "Read a real checkpoint"],
]);

/** The switch, and the elements behind it. Event on the switch: `view-pick`, `{ view }`. */
export class Views {
  switch = h(
    "fieldset",
    { class: "stream-switch" },
    h("legend", { class: "off-screen" }, "What is shown"),
    VIEWS.map(([view, name]) => h("label", null, h("input", { type: "radio", name: "checkpoint-view", value: view }), h("span", null, name))),
  );
  #heading = h("h3", { class: "off-screen" });
  host = h("div", { class: "view-host", hidden: true }, this.#heading);
  /** @type {Promise<CheckpointStepper> | null} */
  #stepper = null;
  /** @type {Promise<CheckpointImport> | null} */
  #reader = null;
  #turn = 0;

  constructor() {
    this.switch.addEventListener("change", (event) => emit(this.switch, "view-pick", { view: /** @type {HTMLInputElement} */ (event.target).value }));
  }

  /**
   * @param {CheckpointScenario} scenario
   * @param {Ask} ask
   * @param {"light" | "dark"} theme
   */
  async show({ view, steps }, ask, theme) {
    const turn = (this.#turn += 1);
    for (const input of this.switch.querySelectorAll("input")) input.checked = input.value === view;
    this.host.hidden = view === "simulate";
    if (view === "simulate") return;
    const element = await (view === "steps" ? this.stepper() : this.reader());
    if (turn !== this.#turn) return;
    this.#heading.textContent = VIEWS.find(([id]) => id === view)?.[1] ?? "";
    element.ask = ask;
    for (const other of this.host.children) /** @type {HTMLElement} */ (other).hidden = other !== element && other !== this.#heading;
    if (!element.isConnected) this.host.append(element);
    if ("theme" in element) element.theme = theme;
    if ("value" in element) element.value = steps;
  }

  stepper() {
    this.#stepper ??= import("./stepper/define.js").then(() => /** @type {CheckpointStepper} */ (document.createElement("checkpoint-stepper")));
    return this.#stepper;
  }

  reader() {
    this.#reader ??= import("./import/define.js").then(() => /** @type {CheckpointImport} */ (document.createElement("checkpoint-import")));
    return this.#reader;
  }
}
