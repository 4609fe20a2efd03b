// @ts-check
/**
 * A whole stream in the worker: progress, then a report, rows, drawings and bounds.
 * @import { Answer, WholeParams, WholeReport } from "../../../src/web/types.ts"
 * @import { Engine } from "../../engine.js"
 *
 * @typedef {{ phase: "reading" | "running", records: number, pushed: number }} StreamProgress
 *   bytes while a file is read, records while it runs
 */

import { EngineRun } from "../../engine-run.js";

/** @extends {EngineRun<StreamProgress>} */
export class StreamRun extends EngineRun {
  /** The report, or why there is none. @type {Promise<Answer<WholeReport>>} */
  done;

  /**
   * @param {Engine} engine
   * @param {WholeParams} params
   * @param {File | null} file
   * @param {(progress: StreamProgress) => void} onProgress
   */
  constructor(engine, params, file, onProgress) {
    super(engine, "event-time", "The run was cancelled.", onProgress);
    this.done = this.ask({ type: "stream", params, file });
  }

  /**
   * Calls a method of the engine's `EventStream`.
   * @param {"bound" | "compare" | "csv" | "curve" | "figures" | "kept" | "open" | "rows" | "results" | "names" | "side" | "why"} method
   * @param {...unknown} args
   * @returns {Promise<Answer<any>>}
   */
  call(method, ...args) {
    return this.ask({ type: "streamCall", method, args });
  }
}
