// @ts-check
import { h } from "../dom.js";

/** Below this width the controls are a sheet; `style.css` has the same number. */
const NARROW = "(max-width: 899px)";

/**
 * The controls: a column of the page where there is room, a sheet to pull up where there is not.
 * While the sheet is open the rest of the page is inert and Escape closes it.
 */
export class ControlsSheet extends HTMLElement {
  #narrow = window.matchMedia(NARROW);
  #open = false;
  #button = h("button", { type: "button", class: "sheet-button", "aria-expanded": "false" }, "Settings");
  #close = h("button", { type: "button", class: "sheet-close" }, "Done");

  connectedCallback() {
    this.prepend(this.#close);
    this.before(this.#button);
    this.#button.addEventListener("click", () => this.#set(true));
    this.#close.addEventListener("click", () => this.#set(false));
    this.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && this.#open) {
        event.stopPropagation();
        this.#set(false);
      }
    });
    this.#narrow.addEventListener("change", () => this.#set(false));
    this.#set(false);
  }

  /** Makes the controls visible, so that one of them can be focused. */
  show() {
    if (this.#narrow.matches) this.#set(true);
  }

  /** @param {boolean} open */
  #set(open) {
    const modal = open && this.#narrow.matches;
    const wasOpen = this.#open;
    this.#open = modal;
    this.hidden = this.#narrow.matches && !open;
    this.#button.hidden = !this.#narrow.matches || open;
    this.#button.setAttribute("aria-expanded", String(modal));
    if (modal) {
      this.setAttribute("role", "dialog");
      this.setAttribute("aria-modal", "true");
    } else {
      this.removeAttribute("role");
      this.removeAttribute("aria-modal");
    }
    for (const other of document.querySelectorAll("[data-behind-sheet]")) {
      /** @type {HTMLElement} */ (other).inert = modal;
    }
    if (modal) this.#close.focus();
    else if (wasOpen && this.#narrow.matches) this.#button.focus();
  }
}
