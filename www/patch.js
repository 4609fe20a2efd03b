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
  const wanted = Array.from(nodes, (node) => (typeof node === "string" ? document.createTextNode(node) : node));
  // Most of the time nothing came, went or moved.
  let old = parent.firstChild;
  let done = 0;
  while (old && done < wanted.length && alike(old, wanted[done])) {
    patch(old, wanted[done]);
    old = old.nextSibling;
    done += 1;
  }
  if (old || done < wanted.length) rearrange(parent, old, wanted.slice(done));
}

/** What the parts of a list were made from, as texts. @type {WeakMap<Element, string[]>} */
const madeFrom = new WeakMap();

/**
 * Makes the children of `parent` like those that `build` makes of `values`, one element each. Where
 * as many are there as before, only those are made whose value is another one.
 * @template T
 * @param {Element} parent
 * @param {T[]} values
 * @param {(value: T, index: number) => Element} build
 */
export function patchList(parent, values, build) {
  const texts = values.map((value) => JSON.stringify(value));
  const old = madeFrom.get(parent);
  madeFrom.set(parent, texts);
  if (!old || old.length !== texts.length || parent.childElementCount !== texts.length) {
    patchChildren(parent, values.map(build));
    return;
  }
  const children = [...parent.children];
  texts.forEach((text, index) => {
    if (text === old[index]) return;
    const next = build(values[index], index);
    if (alike(children[index], next)) patch(children[index], next);
    else children[index].replaceWith(next);
  });
}

/**
 * @param {Element} parent
 * @param {ChildNode | null} first  where the children to rearrange begin
 * @param {Node[]} wanted
 */
function rearrange(parent, first, wanted) {
  /** @type {Set<ChildNode>} */
  const old = new Set();
  for (let node = first; node; node = node.nextSibling) old.add(node);
  const placed = wanted.map((next) => {
    for (const node of old) {
      if (!alike(node, next)) continue;
      old.delete(node);
      patch(node, next);
      return node;
    }
    return next;
  });
  // What goes is removed first, so that what stays need not move and keeps the focus.
  let cursor = first;
  while (cursor && old.has(cursor)) cursor = cursor.nextSibling;
  for (const node of old) node.remove();
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
  // The browser compares whole parts faster than a script reads one attribute.
  if (old.isEqualNode(next)) return;
  if (old instanceof Element && next instanceof Element) {
    patchAttributes(old, next);
    if (old.firstChild || next.firstChild) patchChildren(old, next.childNodes);
  } else {
    old.nodeValue = next.nodeValue;
  }
}

/**
 * @param {Element} old
 * @param {Element} next
 */
function patchAttributes(old, next) {
  for (const name of next.getAttributeNames()) {
    const value = next.getAttribute(name) ?? "";
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
