// @ts-check
/** Gives every element its tag; the classes do not know it. */

import { MemoryAnswer } from "../memory/answer.js";
import { LogMatch, PinBar } from "../memory/compare.js";
import { FailureReport } from "../memory/failure.js";
import { MemoryForm } from "../memory/form.js";
import { PanelTabs } from "../memory/panel-tabs.js";
import { AlsoSet, RoleSwitch } from "../memory/picker.js";
import { MemoryTool } from "../memory/tool.js";
import { CodeRow } from "./code-row.js";
import { ComponentTable } from "./component-table.js";
import { ControlsSheet } from "./controls-sheet.js";
import { CopyButton } from "./copy-button.js";
import { ExportBar } from "./export-bar.js";
import { FieldInput } from "./field-input.js";
import { FindingList } from "./finding-list.js";
import { nameElements } from "./naming.js";
import { PasteDialog } from "./paste-dialog.js";
import { PresetPicker } from "./preset-picker.js";
import { StepList } from "./step-list.js";
import { SvgChart } from "./svg-chart.js";

nameElements({
  "also-set": AlsoSet,
  "code-row": CodeRow,
  "component-table": ComponentTable,
  "controls-sheet": ControlsSheet,
  "copy-button": CopyButton,
  "export-bar": ExportBar,
  "failure-report": FailureReport,
  "field-input": FieldInput,
  "finding-list": FindingList,
  "log-match": LogMatch,
  "memory-answer": MemoryAnswer,
  "memory-form": MemoryForm,
  "memory-tool": MemoryTool,
  "panel-tabs": PanelTabs,
  "paste-dialog": PasteDialog,
  "pin-bar": PinBar,
  "preset-picker": PresetPicker,
  "role-switch": RoleSwitch,
  "step-list": StepList,
  "svg-chart": SvgChart,
});
