// @ts-check
import { h } from "../dom.js";
import { patchChildren } from "../patch.js";
import { copyButton } from "./copy-button.js";

/**
 * A text as it is typed or printed, with a button that copies it.
 *
 * Property `text`. The name says what it is, to screen readers too.
 */
export class CodeRow extends HTMLElement {
  #pre = h("pre", { tabindex: 0, role: "region" });
  #button = copyButton("Copy", "");
  #name = "";

  /** @param {string} name  as in “Copy the …” */
  set name(name) {
    this.#name = name;
    this.#pre.setAttribute("aria-label", name);
    this.#button.description = `Copy the ${name}`;
  }

  get name() {
    return this.#name;
  }

  /** @param {string} text */
  set text(text) {
    if (text === this.#button.text) return;
    this.#button.text = text;
    patchChildren(this.#pre, pieces(text));
  }

  connectedCallback() {
    if (this.childElementCount === 0) this.append(this.#pre, this.#button);
  }
}

/**
 * Keeps an argument in one piece where the line breaks.
 * @param {string} text
 */
function pieces(text) {
  return text.split(/(\s+)/).map((part) => (part.startsWith("-") ? h("span", { class: "arg" }, part) : part));
}

/** @param {string} name */
export function codeRow(name) {
  const row = new CodeRow();
  row.name = name;
  return row;
}
