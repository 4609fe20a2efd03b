// @ts-check
/**
 * The run that is pinned as A. It is simulated once, and kept for the drawings behind those of B.
 * @import { Answer } from "../../src/web/types.ts"
 * @import { CheckpointScenario as Scenario } from "../../src/web/checkpoints.ts"
 * @import { Engine } from "../engine.js"
 */

import { CheckpointSimulation } from "./run.js";

export class PinnedRun {
  #asked = "";
  /** @type {CheckpointSimulation | null} */
  #run = null;
  /** @type {Promise<Answer<unknown>> | null} */
  #done = null;
  #isDone = false;

  /** The run, where it has come to its end. */
  get run() {
    return this.#isDone && this.#run?.isOpen ? this.#run : null;
  }

  /**
   * Simulates it, where that was not done already.
   * @param {Engine} engine
   * @param {Scenario} params
   * @param {(progress: { nowMs: number }) => void} onProgress
   * @returns {Promise<string>}  why there is no run; empty when there is one
   */
  async start(engine, params, onProgress) {
    const asked = JSON.stringify(params);
    if (asked !== this.#asked || !this.#run?.isOpen || !this.#done) {
      this.close();
      this.#asked = asked;
      this.#run = new CheckpointSimulation(engine, "CheckpointRun", params, onProgress);
      this.#done = this.#run.done;
    }
    const run = this.#run;
    const answer = await this.#done;
    if (run !== this.#run) return "";
    this.#isDone = answer.ok;
    return answer.ok ? "" : answer.error.message;
  }

  /** Whether the run of these params is there already. @param {Scenario} params */
  has(params) {
    return this.#isDone && this.#run?.isOpen === true && this.#asked === JSON.stringify(params);
  }

  /** Ends it on its way; who waits for it is told so. */
  cancel() {
    this.#run?.close();
  }

  close() {
    this.#run?.close();
    this.#run = null;
    this.#done = null;
    this.#asked = "";
    this.#isDone = false;
  }
}
