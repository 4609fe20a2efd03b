// @ts-check
/**
 * A simulation in the worker: progress while it runs, then a report, drawings and series.
 * @import { Answer } from "../../src/web/types.ts"
 * @import { Engine } from "../engine.js"
 *
 * @typedef {{ nowMs: number, endMs: number, events: number }} SimulationProgress
 */

import { EngineRun } from "../engine-run.js";

/** @extends {EngineRun<SimulationProgress>} */
export class CheckpointSimulation extends EngineRun {
  /** The report, or why there is none. @type {Promise<Answer<any>>} */
  done;

  /**
   * @param {Engine} engine
   * @param {string} kind          the class of the engine's that runs it
   * @param {unknown} params
   * @param {(progress: SimulationProgress) => void} [onProgress]
   */
  constructor(engine, kind, params, onProgress = () => {}) {
    super(engine, "checkpoints", "The simulation was cancelled.", onProgress);
    this.done = this.ask({ type: "start", kind, params });
  }

  /**
   * Calls a method of the engine's class.
   * @param {string} method
   * @param {...unknown} args
   * @returns {Promise<Answer<any>>}
   */
  call(method, ...args) {
    return this.ask({ type: "call", method, args });
  }

  /**
   * The same with another run as its last argument.
   * @param {CheckpointSimulation} other
   * @param {string} method
   * @param {...unknown} args
   * @returns {Promise<Answer<any>>}
   */
  callWith(other, method, ...args) {
    return this.ask({ type: "call", method, args, other: other.id });
  }
}
