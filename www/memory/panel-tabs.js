// @ts-check
import { emit, h } from "../dom.js";
import { PANEL_NAMES } from "../state.js";

/** @type {Record<string, string>} */
const TITLES = {
  pools: "Pools",
  limits: "Limits",
  rocksdb: "RocksDB",
  heap: "HashMap heap",
  backends: "Backends compared",
  ttl: "TTL",
  slots: "Slots",
  network: "Network",
  local: "Local run",
};

/**
 * Which side of the answer: a tab list that the arrow keys walk through.
 *
 * Properties `panel`, `panels` (those there are), `controls` (the id of what the tabs show). Event `panel-change`: `{ panel }`.
 */
export class PanelTabs extends HTMLElement {
  controls = "";
  /** @type {Map<string, HTMLButtonElement>} */
  #tabs = new Map();

  connectedCallback() {
    if (this.childElementCount > 0) return;
    const tabs = PANEL_NAMES.map((panel) => {
      const tab = h(
        "button",
        { type: "button", role: "tab", id: tabId(panel), "aria-controls": this.controls, onclick: () => emit(this, "panel-change", { panel }) },
        TITLES[panel],
      );
      this.#tabs.set(panel, tab);
      return tab;
    });
    this.append(h("div", { role: "tablist", class: "tabs", "aria-label": "Sides of the answer" }, tabs));
    this.addEventListener("keydown", (event) => this.#walk(event));
  }

  /** @param {string[]} panels */
  set panels(panels) {
    for (const [name, tab] of this.#tabs) tab.hidden = !panels.includes(name);
  }

  /**
   * On a narrow screen the list is wider than the screen, and a link may choose its last tab.
   * @param {string} panel
   */
  set panel(panel) {
    const isNew = this.#tabs.get(panel)?.getAttribute("aria-selected") !== "true";
    for (const [name, tab] of this.#tabs) {
      tab.setAttribute("aria-selected", String(name === panel));
      tab.tabIndex = name === panel ? 0 : -1;
    }
    if (isNew) this.#show(panel);
  }

  /**
   * Scrolls the list itself: the page stays where the reader is.
   * @param {string} panel
   */
  #show(panel) {
    const tab = this.#tabs.get(panel);
    const list = tab?.parentElement;
    if (!tab || !list || list.scrollWidth <= list.clientWidth) return;
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const { left, right } = tab.getBoundingClientRect();
    const box = list.getBoundingClientRect();
    const middle = (left + right) / 2 - (box.left + box.right) / 2;
    list.scrollTo({ left: list.scrollLeft + middle, behavior: still ? "instant" : "smooth" });
  }

  /** @param {KeyboardEvent} event */
  #walk(event) {
    const tabs = [...this.#tabs.values()].filter(({ hidden }) => !hidden);
    const at = tabs.indexOf(/** @type {HTMLButtonElement} */ (event.target));
    if (at < 0) return;
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const next = tabs[(to + tabs.length) % tabs.length];
    next.focus();
    next.click();
  }
}

/** @param {string} panel */
export function tabId(panel) {
  return `tab-${panel}`;
}
