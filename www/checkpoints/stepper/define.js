// @ts-check
/** Gives the stepper its tag. */

import { CheckpointStepper } from "./element.js";

if (!customElements.get("checkpoint-stepper")) customElements.define("checkpoint-stepper", CheckpointStepper);
