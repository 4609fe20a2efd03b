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
   * @returns {Promise<string>}  why there is no run; empty when there is one
   */
  async start(engine, params) {
    const asked = JSON.stringify(params);
    if (asked !== this.#asked || !this.#run?.isOpen || !this.#done) {
      this.close();
      this.#asked = asked;
      this.#run = new CheckpointSimulation(engine, "CheckpointRun", params);
      this.#done = this.#run.done;
    }
    const run = this.#run;
    const answer = await this.#done;
    if (run !== this.#run) return "";
    this.#isDone = answer.ok;
    return answer.ok || answer.error.code === "cancelled" ? "" : answer.error.message;
  }

  close() {
    this.#run?.close();
    this.#run = null;
    this.#done = null;
    this.#asked = "";
    this.#isDone = false;
  }
}
