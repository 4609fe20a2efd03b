// @ts-check
/** The Checkpoints tool, loaded when it is opened. */

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

/** @type {Record<string, CustomElementConstructor>} */
const ELEMENTS = {
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
};

for (const [tag, element] of Object.entries(ELEMENTS)) {
  if (!customElements.get(tag)) customElements.define(tag, element);
}

export function open() {
  return { codec: CHECKPOINTS, element: new CheckpointsTool() };
}
