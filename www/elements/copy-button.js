// @ts-check
import { copyText } from "../clipboard.js";
import { breakable, emit } from "../dom.js";

const SAID_MS = 1600;

/**
 * A button that copies a text and says so in its own label.
 *
 * Property `text`: what to copy. Event `copied`: whether it worked.
 */
export class CopyButton extends HTMLElement {
  #button = document.createElement("button");
  #label = "Copy";
  #timer = 0;
  text = "";

  /** The button's words while at rest. */
  get label() {
    return this.#label;
  }
  set label(label) {
    this.#label = label;
    this.#button.replaceChildren(...breakable(label));
  }

  /** What a screen reader says where the words alone are not enough. */
  set description(/** @type {string} */ description) {
    this.#button.setAttribute("aria-label", description);
  }

  set look(/** @type {string} */ className) {
    this.#button.className = className;
  }

  connectedCallback() {
    if (this.#button.isConnected) return;
    this.#button.type = "button";
    if (!this.#button.textContent) this.#button.textContent = this.#label;
    this.#button.addEventListener("click", () => this.#copy());
    this.append(this.#button);
  }

  async #copy() {
    const worked = await copyText(this.text);
    this.#button.dataset.said = worked ? "Copied" : "Not allowed";
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => delete this.#button.dataset.said, SAID_MS);
    emit(this, "copied", { worked, what: this.text });
  }
}

/**
 * @param {string} label
 * @param {string} text
 * @param {string} [description]
 * @param {string} [look]
 */
export function copyButton(label, text, description, look) {
  const button = new CopyButton();
  button.label = label;
  button.text = text;
  if (description) button.description = description;
  if (look) button.look = look;
  return button;
}
