// @ts-check
import { h } from "../dom.js";

/** How far something is that runs in the worker, and the button that ends it. */
export class RunBar {
  #progress = h("progress", { max: 1 });
  #doing = h("span", { class: "quiet" });
  element = h("div", { class: "run-bar", hidden: true }, this.#progress, this.#doing);

  /**
   * @param {string} name       of the progress
   * @param {() => void} cancel
   */
  constructor(name, cancel) {
    this.#progress.setAttribute("aria-label", name);
    this.element.append(h("button", { type: "button", onclick: cancel }, "Cancel"));
  }

  show() {
    this.tell(0, 1, "");
    this.element.hidden = false;
  }

  hide() {
    this.element.hidden = true;
  }

  /**
   * @param {number} done
   * @param {number} of
   * @param {string} doing
   */
  tell(done, of, doing) {
    this.#progress.value = of > 0 ? done / of : 0;
    this.#doing.textContent = doing;
  }
}
