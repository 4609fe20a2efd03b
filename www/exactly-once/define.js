// @ts-check
/** The Exactly-once tool, loaded when it is opened. */

import { nameElements } from "../elements/naming.js";
import { OptionField } from "../elements/option-field.js";
import { PlayerBar } from "../elements/player-bar.js";
import { PresetPicker } from "../elements/preset-picker.js";
import { BarrierSteps } from "./barriers.js";
import { ExactlyAnswer } from "./answer.js";
import { EXACTLY_ONCE } from "./codec.js";
import { TryAllOrders } from "./explore.js";
import { FaultList } from "./faults.js";
import { ExactlyForm } from "./form.js";
import { StepMachine } from "./machine.js";
import { ExactlyOnceTool } from "./tool.js";

nameElements({
  "barrier-steps": BarrierSteps,
  "exactly-answer": ExactlyAnswer,
  "exactly-form": ExactlyForm,
  "exactly-once-tool": ExactlyOnceTool,
  "fault-list": FaultList,
  "option-field": OptionField,
  "player-bar": PlayerBar,
  "preset-picker": PresetPicker,
  "step-machine": StepMachine,
  "try-all-orders": TryAllOrders,
});

export function open() {
  return { codec: EXACTLY_ONCE, element: new ExactlyOnceTool() };
}
