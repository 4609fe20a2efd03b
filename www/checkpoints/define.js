// @ts-check
/** The Checkpoints tool, loaded when it is opened. */

import { nameElements } from "../elements/naming.js";
import { OptionField } from "../elements/option-field.js";
import { PlayerBar } from "../elements/player-bar.js";
import { PresetPicker } from "../elements/preset-picker.js";
import { VirtualTable } from "../elements/virtual-table.js";
import { CheckpointAnswer } from "./answer.js";
import { CHECKPOINTS } from "./codec.js";
import { RunComparison } from "./compare.js";
import { CheckpointForm } from "./form.js";
import { GraphEditor } from "./graph-editor.js";
import { PromisePanel } from "./promise.js";
import { RunSeries } from "./series.js";
import { CheckpointSteps } from "./steps.js";
import { CheckpointsTool } from "./tool.js";
import { WhyForms } from "./why.js";

nameElements({
  "checkpoint-answer": CheckpointAnswer,
  "checkpoint-form": CheckpointForm,
  "checkpoint-steps": CheckpointSteps,
  "checkpoints-tool": CheckpointsTool,
  "graph-editor": GraphEditor,
  "option-field": OptionField,
  "player-bar": PlayerBar,
  "preset-picker": PresetPicker,
  "promise-panel": PromisePanel,
  "run-comparison": RunComparison,
  "run-series": RunSeries,
  "virtual-table": VirtualTable,
  "why-forms": WhyForms,
});

export function open() {
  return { codec: CHECKPOINTS, element: new CheckpointsTool() };
}
