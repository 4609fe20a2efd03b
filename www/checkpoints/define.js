// @ts-check
/** The Checkpoints tool, loaded when it is opened. */

import { nameElements } from "../elements/naming.js";
import { PlayerBar } from "../elements/player-bar.js";
import { PresetPicker } from "../elements/preset-picker.js";
import { VirtualTable } from "../elements/virtual-table.js";
import { CheckpointAnswer } from "./answer.js";
import { CHECKPOINTS } from "./codec.js";
import { RunComparison } from "./compare.js";
import { CheckpointInput } from "./field.js";
import { CheckpointForm } from "./form.js";
import { PromisePanel } from "./promise.js";
import { CheckpointSteps } from "./steps.js";
import { CheckpointsTool } from "./tool.js";
import { WhyForms } from "./why.js";

nameElements({
  "checkpoint-answer": CheckpointAnswer,
  "checkpoint-form": CheckpointForm,
  "checkpoint-input": CheckpointInput,
  "checkpoint-steps": CheckpointSteps,
  "checkpoints-tool": CheckpointsTool,
  "player-bar": PlayerBar,
  "preset-picker": PresetPicker,
  "promise-panel": PromisePanel,
  "run-comparison": RunComparison,
  "virtual-table": VirtualTable,
  "why-forms": WhyForms,
});

export function open() {
  return { codec: CHECKPOINTS, element: new CheckpointsTool() };
}
