// @ts-check
/** The panels of a TaskManager's answer, loaded when the first of them is opened. */

import { PanelView } from "./view.js";
import { WorkloadField } from "./field.js";

/** @type {Record<string, CustomElementConstructor>} */
const ELEMENTS = {
  "panel-view": PanelView,
  "workload-field": WorkloadField,
};

for (const [tag, element] of Object.entries(ELEMENTS)) {
  if (!customElements.get(tag)) customElements.define(tag, element);
}

export { PanelView };
