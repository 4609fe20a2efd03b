// @ts-check
/**
 * Building DOM without markup strings: every text goes through a text node.
 */

/** @typedef {Node | string | number | null | undefined | false} Child */

/**
 * Makes an element. `on…` functions become listeners, `class` the class, `true` an empty attribute,
 * `false`, `null` and `undefined` nothing; everything else an attribute.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, unknown> | null} [props]
 * @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function h(tag, props, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on") && typeof value === "function") {
      element.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
    } else {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
  element.append(...nodes(children));
  return element;
}

/**
 * @param {(Child | Child[])[]} children
 * @returns {(Node | string)[]}
 */
function nodes(children) {
  /** @type {(Node | string)[]} */
  const flat = [];
  for (const child of children.flat()) {
    if (child === null || child === undefined || child === false) continue;
    flat.push(typeof child === "number" ? String(child) : child);
  }
  return flat;
}

/**
 * The element with this id, which the page is known to have.
 * @param {string} id
 * @returns {HTMLElement}
 */
export function byId(id) {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no #${id}`);
  return element;
}

/**
 * An option key that breaks after its dots where it does not fit.
 * @param {string} key
 * @returns {(Node | string)[]}
 */
export function breakable(key) {
  return key.split(/(?<=\.)(?=[a-z])/).flatMap((part, index) => (index === 0 ? [part] : [document.createElement("wbr"), part]));
}

/** Option keys, JVM flags, and exact bytes in parentheses. */
const SPECIAL = /(`[^`]+`|(?:[a-z][\w-]*\.){2,}[\w-]+|-XX?:?[A-Za-z]\w*(?:=\S*\w)?|\(\d[\d\s]*B\))/;

/**
 * A sentence in which option keys, JVM flags and what stands in backticks are in monospace and break at dots only, and exact
 * bytes step back.
 * @param {string} text
 * @returns {(Node | string)[]}
 */
export function prose(text) {
  return text.split(SPECIAL).map((part, index) => {
    if (index % 2 === 0) return part;
    if (part.startsWith("`")) return h("code", null, breakable(part.slice(1, -1)));
    return part.startsWith("(") ? h("span", { class: "exact" }, part) : h("code", null, breakable(part));
  });
}

let lastId = 0;

/**
 * An id no other element has.
 * @param {string} prefix
 */
export function freshId(prefix) {
  lastId += 1;
  return `${prefix}-${lastId}`;
}

/**
 * Sends one typed event up from `element`.
 * @param {EventTarget} element
 * @param {string} type
 * @param {unknown} [detail]
 */
export function emit(element, type, detail) {
  element.dispatchEvent(new CustomEvent(type, { detail, bubbles: true }));
}

/**
 * Sets text only where it differs, so that a live region speaks once.
 * @param {Element} element
 * @param {string} text
 */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/**
 * The same for a sentence with keys in it.
 * @param {Element} element
 * @param {string} text
 */
export function setProse(element, text) {
  if (element.textContent !== text) element.replaceChildren(...prose(text));
}
