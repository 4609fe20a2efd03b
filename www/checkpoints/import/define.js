// @ts-check
/** Gives the import its tag. */

import { nameElements } from "../../elements/naming.js";
import { CheckpointImport } from "./element.js";

nameElements({ "checkpoint-import": CheckpointImport });
