// @ts-check
/**
 * Changes a part of the page into another one in place: what is alike stays, with the focus, the
 * scroll position and the open `details` in it, and little is painted again.
 *
 * Nodes are alike by kind and `data-id`. Listeners are not carried over, so a patched part has none
 * of its own: whoever owns the part listens for what bubbles. Custom elements own their content and
 * are replaced.
 */

/** The reader opens and closes `details`; a namespace is no attribute to set. */
const KEPT = new Set(["open", "xmlns"]);

/**
 * Makes the children of `parent` like `nodes`, which may become part of the page.
 * @param {Element} parent
 * @param {Iterable<Node | string>} nodes
 */
export function patchChildren(parent, nodes) {
  /** @type {(ChildNode | null)[]} */
  const old = [...parent.childNodes];
  let unused = 0;
  const wanted = Array.from(nodes, (node) => (typeof node === "string" ? document.createTextNode(node) : node));
  const placed = wanted.map((next) => {
    const at = old.findIndex((node, index) => index >= unused && node !== null && alike(node, next));
    const kept = old[at] ?? null;
    if (!kept) return next;
    old[at] = null;
    while (unused < old.length && old[unused] === null) unused += 1;
    patch(kept, next);
    return kept;
  });
  // What goes is removed first, so that what stays need not move and keeps the focus.
  for (const node of old) node?.remove();
  let cursor = parent.firstChild;
  for (const node of placed) {
    if (node === cursor) cursor = cursor.nextSibling;
    else parent.insertBefore(node, cursor);
  }
}

/**
 * Makes `old` like `next`, which is of the same kind.
 * @param {Node} old
 * @param {Node} next
 */
export function patch(old, next) {
  if (old instanceof Element && next instanceof Element) {
    patchAttributes(old, next);
    patchInside(old, next);
  } else if (old.nodeValue !== next.nodeValue) {
    old.nodeValue = next.nodeValue;
  }
}

/**
 * @param {Element} old
 * @param {Element} next
 */
function patchInside(old, next) {
  const [was, is] = [old.firstChild, next.firstChild];
  if (!was && !is) return;
  const isText = was?.nodeType === Node.TEXT_NODE && is?.nodeType === Node.TEXT_NODE;
  // Most elements hold one text or nothing.
  if (isText && !was.nextSibling && !is.nextSibling) patch(was, is);
  else patchChildren(old, next.childNodes);
}

/**
 * @param {Element} old
 * @param {Element} next
 */
function patchAttributes(old, next) {
  for (const { name, value } of next.attributes) {
    if (!KEPT.has(name) && old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
  for (const name of old.getAttributeNames()) {
    if (!KEPT.has(name) && !next.hasAttribute(name)) old.removeAttribute(name);
  }
}

/**
 * @param {Node} old
 * @param {Node} next
 */
function alike(old, next) {
  if (old.nodeType !== next.nodeType || old.nodeName !== next.nodeName) return false;
  if (!(old instanceof Element && next instanceof Element)) return true;
  return !old.localName.includes("-") && old.getAttribute("data-id") === next.getAttribute("data-id");
}
