// @ts-check
/** The panels of a TaskManager's answer, loaded when the first of them is opened. */

import { nameElements } from "../elements/naming.js";
import { PanelView } from "./view.js";
import { WorkloadField } from "./field.js";

nameElements({
  "panel-view": PanelView,
  "workload-field": WorkloadField,
});

export { PanelView };
