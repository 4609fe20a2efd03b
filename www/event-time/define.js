// @ts-check
/** The Event time tool, loaded when it is opened. */

import { nameElements } from "../elements/naming.js";
import { OptionField } from "../elements/option-field.js";
import { PlayerBar } from "../elements/player-bar.js";
import { PresetPicker } from "../elements/preset-picker.js";
import { VirtualTable } from "../elements/virtual-table.js";
import { EventAnswer } from "./answer.js";
import { WatermarksByHand } from "./by-hand/trace.js";
import { PlacesOfValues } from "./by-hand/values.js";
import { EVENT_TIME } from "./codec.js";
import { EventComparison } from "./compare.js";
import { EventEditor } from "./events.js";
import { EventForm } from "./form.js";
import { EventLanes } from "./lanes.js";
import { EventMoment } from "./moment.js";
import { BoundChoice } from "./streams/bound.js";
import { StreamComparison } from "./streams/compare.js";
import { StreamForm } from "./streams/form.js";
import { StreamPanel } from "./streams/panel.js";
import { EventTimeTool } from "./tool.js";
import { WhyNoOutput } from "./why.js";

nameElements({
  "bound-choice": BoundChoice,
  "event-answer": EventAnswer,
  "event-comparison": EventComparison,
  "event-editor": EventEditor,
  "event-form": EventForm,
  "event-lanes": EventLanes,
  "event-moment": EventMoment,
  "event-time-tool": EventTimeTool,
  "option-field": OptionField,
  "places-of-values": PlacesOfValues,
  "player-bar": PlayerBar,
  "preset-picker": PresetPicker,
  "stream-comparison": StreamComparison,
  "stream-form": StreamForm,
  "stream-panel": StreamPanel,
  "virtual-table": VirtualTable,
  "watermarks-by-hand": WatermarksByHand,
  "why-no-output": WhyNoOutput,
});

export function open() {
  return { codec: EVENT_TIME, element: new EventTimeTool() };
}
