// @ts-check
/** Gives the import its tag. */

import { CheckpointImport } from "./element.js";

if (!customElements.get("checkpoint-import")) customElements.define("checkpoint-import", CheckpointImport);
