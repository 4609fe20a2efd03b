// @ts-check
/** Starts the engine before the rest of the page is loaded. */
import { Engine } from "./engine.js";

export const engine = new Engine();
