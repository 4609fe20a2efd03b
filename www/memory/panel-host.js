// @ts-check
import { emit, h } from "../dom.js";
import { FIRST_PANEL, PANEL_NAMES } from "../state.js";
import { PanelTabs, tabId } from "./panel-tabs.js";

/**
 * @import { MemoryParams } from "../../src/web/types.ts"
 * @import { PanelView } from "../panels/view.js"
 * @import { Scenario } from "../state.js"
 * @import { Ask } from "../tools.js"
 */

const LIMITS = "limits";
/** What makes a process start can be asked of one that does not, and a local run derives nothing of it. */
const ALWAYS = [LIMITS, "local"];

/** The tabs of an answer, and the panels, whose modules are loaded when the first is opened. */
export class PanelHost {
  tabs = new PanelTabs();
  /** What the tabs show. */
  side = h("div", { id: "panel", role: "tabpanel" });
  /** @type {PanelView | null} */
  view = null;
  /** @type {Promise<PanelView> | null} */
  #loading = null;
  /** Stands for the first panel until that has its first answer, which a slow line puts off. */
  #note = h("p", { class: "panel-loading quiet", role: "status" }, "The panels are being loaded.");
  #turn = 0;

  constructor() {
    this.tabs.controls = this.side.id;
  }

  /**
   * A JobManager has the limits only, and no other panel has an answer where the process does not start.
   * @param {Scenario} scenario
   * @param {boolean} starts
   * @returns {boolean} whether a panel is on show in place of the answer
   */
  show({ role, panel }, starts) {
    this.#turn += 1;
    const shown = role === "jobmanager" && panel !== LIMITS ? FIRST_PANEL : panel;
    const isPanel = shown !== FIRST_PANEL && (starts || ALWAYS.includes(shown));
    this.tabs.panels = role === "jobmanager" ? [FIRST_PANEL, LIMITS] : PANEL_NAMES;
    this.tabs.panel = shown;
    this.side.setAttribute("aria-labelledby", tabId(shown));
    if (this.view) this.view.hidden = !isPanel;
    this.#note.remove();
    return isPanel;
  }

  /**
   * @param {Ask} ask
   * @param {Scenario} scenario
   * @param {MemoryParams} memory
   * @param {"light" | "dark"} theme
   * @param {Element} pins  what pins the settings, which stands below the verdict
   */
  async answer(ask, scenario, memory, theme, pins) {
    const turn = this.#turn;
    this.#loading ??= load();
    if (!this.view) this.side.querySelector(".exports")?.before(this.#note);
    try {
      const view = await this.#loading;
      if (turn !== this.#turn) return;
      if (!this.view) this.side.querySelector(".exports")?.before(view);
      this.view = view;
      view.hidden = false;
      view.ask = ask;
      view.theme = theme;
      if (pins.parentElement !== view.pinPlace) view.pinPlace.append(pins);
      await view.show(scenario, memory);
    } catch (error) {
      this.#loading = null;
      emit(this.side, "notice", { text: `This panel could not be loaded (${error}).` });
    } finally {
      if (turn === this.#turn) this.#note.remove();
    }
  }
}

/** @returns {Promise<PanelView>} */
async function load() {
  const { PanelView } = await import("../panels/define.js");
  return new PanelView();
}
