// @ts-check
/**
 * A simulation in the worker as the page sees it: progress while it runs, then a report; afterwards
 * the engine is asked for drawings and series. The engine holds the run, so it is closed when it is
 * not looked at any more.
 * @import { Answer } from "../../src/web/types.ts"
 * @import { Engine, RunReport } from "../engine.js"
 *
 * @typedef {{ nowMs: number, endMs: number, events: number }} SimulationProgress
 */

export class CheckpointSimulation {
  /** @type {ReturnType<Engine["openRun"]>} */
  #way;
  #lastAsk = 0;
  /** @type {Map<number, (answer: Answer<any>) => void>} */
  #asked = new Map();
  #onProgress;
  isOpen = true;
  /** The report, or why there is none. @type {Promise<Answer<any>>} */
  done;

  /**
   * @param {Engine} engine
   * @param {string} kind          the class of the engine's that runs it
   * @param {unknown} params
   * @param {(progress: SimulationProgress) => void} [onProgress]
   */
  constructor(engine, kind, params, onProgress = () => {}) {
    this.#onProgress = onProgress;
    this.#way = engine.openRun((report) => this.#hear(report), "checkpoints");
    this.done = this.#ask({ type: "start", kind, params });
  }

  /**
   * Calls a method of the engine's class.
   * @param {string} method
   * @param {...unknown} args
   * @returns {Promise<Answer<any>>}
   */
  call(method, ...args) {
    return this.#ask({ type: "call", method, args });
  }

  /**
   * What this run is compared by, with the differences to another one.
   * @param {CheckpointSimulation} against
   * @returns {Promise<Answer<import("../../src/web/checkpoints.ts").Measure[]>>}
   */
  compare(against) {
    return this.#ask({ type: "compare", against: against.#way.id });
  }

  /** Ends it wherever it is, and gives its memory back. */
  close() {
    this.#end("cancelled", "The simulation was cancelled.");
  }

  /**
   * @param {object} message
   * @returns {Promise<Answer<any>>}
   */
  #ask(message) {
    if (!this.isOpen) return Promise.resolve(refused("cancelled", "The simulation was cancelled."));
    return new Promise((resolve) => {
      this.#lastAsk += 1;
      this.#asked.set(this.#lastAsk, resolve);
      this.#way.tell({ ...message, ask: this.#lastAsk });
    });
  }

  /** @param {RunReport} report */
  #hear({ ask, answer, progress, fault }) {
    if (fault !== undefined) return this.#end("engine_fault", fault);
    if (answer && ask !== undefined) {
      this.#asked.get(ask)?.(answer);
      this.#asked.delete(ask);
    }
    if (progress) this.#onProgress(/** @type {any} */ (progress));
  }

  /**
   * @param {string} code
   * @param {string} message
   */
  #end(code, message) {
    this.isOpen = false;
    this.#way.close();
    for (const resolve of this.#asked.values()) resolve(refused(code, message));
    this.#asked.clear();
  }
}

/**
 * @param {string} code
 * @param {string} message
 * @returns {{ ok: false, error: import("../../src/web/types.ts").Problem }}
 */
function refused(code, message) {
  return { ok: false, error: { code, message, field: null, option: null } };
}
