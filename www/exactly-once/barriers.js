// @ts-check
import { emit, h } from "../dom.js";
import { CLASSIC_RUN } from "./classic-run.js";

/**
 * @import { Ask } from "../tools.js"
 * @import { CheckpointStepper } from "../checkpoints/stepper/element.js"
 */


/**
 * Barriers and records before the sink, by hand: the stepper of the Checkpoints tool, fetched when it
 * is opened.
 *
 * Property `ask`, method `show`. Event of the stepper: `stepper-change`; while closed its value is null.
 */
export class BarrierSteps extends HTMLElement {
  /** @type {Ask} */
  ask = async () => ({ ok: false, error: { code: "no_engine", message: "", field: null, option: null } });
  /** @type {string | null} */
  #value = null;
  /** @type {Promise<CheckpointStepper> | null} */
  #stepper = null;
  #place = h("div", { class: "barrier-place" });
  #details = h(
    "details",
    { class: "why" },
    h("summary", null, h("h3", null, "Barriers meet transactions: record by record, before the sink")),
    h("p", { class: "quiet" }, "Two channels, a sum by key, and the sink behind it. The snapshot is taken between records of two channels; what follows it goes into the next transaction."),
    this.#place,
  );

  connectedCallback() {
    if (this.childElementCount > 0) return;
    this.append(this.#details);
    this.#details.addEventListener("toggle", () => {
      const { open } = this.#details;
      if (open === (this.#value !== null)) return;
      emit(this, "stepper-change", { value: open ? CLASSIC_RUN : null, settled: true });
      this.show(open ? CLASSIC_RUN : null);
    });
  }

  /** @param {string | null} value   job and steps as the stepper writes them; null while closed */
  show(value) {
    this.#value = value;
    this.#details.open = value !== null;
    if (value !== null) this.#open();
  }

  async #open() {
    this.#stepper ??= import("../checkpoints/stepper/define.js").then(() => /** @type {CheckpointStepper} */ (document.createElement("checkpoint-stepper")));
    const stepper = await this.#stepper;
    if (this.#value === null) return;
    stepper.ask = this.ask;
    stepper.value = this.#value;
    if (!stepper.isConnected) this.#place.append(stepper);
  }
}
