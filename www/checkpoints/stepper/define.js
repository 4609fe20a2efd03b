// @ts-check
/** Gives the stepper its tag. */

import { nameElements } from "../../elements/naming.js";
import { CheckpointStepper } from "./element.js";

nameElements({ "checkpoint-stepper": CheckpointStepper });
