// @ts-check
import { emit, h, setText } from "../dom.js";

/**
 * @typedef {{ id: string, title: string, look: string }} Preset
 */

/**
 * Named situations and what to look at in each.
 *
 * Properties `presets` and `name` (the id of its control), both set once. Method `show`. Event
 * `preset-pick`: `{ preset }`, also where the one on show is put back.
 */
export class PresetPicker extends HTMLElement {
  /** @type {Preset[]} */
  presets = [];
  name = "preset";
  #select = h("select");
  #look = h("p", { class: "preset-look" });
  #reset = h("button", { type: "button", class: "field-reset", hidden: true }, "Reset all");

  connectedCallback() {
    if (this.childElementCount > 0) return;
    this.#select.id = this.name;
    this.#select.append(...this.presets.map(({ id, title }) => h("option", { value: id }, title)));
    this.#select.addEventListener("change", () => this.#pick());
    this.#reset.addEventListener("click", () => {
      this.#pick();
      this.#select.focus();
    });
    this.append(h("div", { class: "field-head" }, h("label", { for: this.name }, "Example"), this.#reset), this.#select, this.#look);
  }

  /**
   * @param {Preset} preset
   * @param {boolean} changed  whether what is on show differs from it
   */
  show(preset, changed) {
    this.#select.value = preset.id;
    setText(this.#look, preset.look);
    this.#reset.hidden = !changed;
  }

  #pick() {
    const preset = this.presets.find(({ id }) => id === this.#select.value);
    if (preset) emit(this, "preset-pick", { preset });
  }
}
