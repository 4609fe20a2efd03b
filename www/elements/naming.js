// @ts-check
/**
 * Gives classes their tags. The tools share some elements and may be opened in any order, so a class
 * may come more than once; a tag that already means another class is a mistake that would otherwise
 * show as an element that cannot be made.
 * @param {Record<string, CustomElementConstructor>} elements
 */
export function nameElements(elements) {
  for (const [tag, element] of Object.entries(elements)) {
    const known = customElements.get(tag);
    if (known === element) continue;
    if (known) throw new Error(`<${tag}> already stands for another class`);
    customElements.define(tag, element);
  }
}
