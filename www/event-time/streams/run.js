// @ts-check
/**
 * A whole stream as the page sees it: progress, then a report; afterwards the engine is asked for
 * rows, drawings and bounds. It holds the records, so a stream is closed when it is not looked at.
 * @import { Answer, WholeParams, WholeReport } from "../../../src/web/types.ts"
 * @import { Engine, RunReport } from "../../engine.js"
 *
 * @typedef {{ phase: "reading" | "running", records: number, pushed: number }} StreamProgress
 *   bytes while a file is read, records while it runs
 */

export class StreamRun {
  /** @type {ReturnType<Engine["openRun"]>} */
  #way;
  #lastAsk = 0;
  /** @type {Map<number, (answer: Answer<any>) => void>} */
  #asked = new Map();
  #onProgress;
  isOpen = true;
  /** The report, or why there is none. @type {Promise<Answer<WholeReport>>} */
  done;

  /**
   * @param {Engine} engine
   * @param {WholeParams} params
   * @param {File | null} file
   * @param {(progress: StreamProgress) => void} onProgress
   */
  constructor(engine, params, file, onProgress) {
    this.#onProgress = onProgress;
    this.#way = engine.openRun((report) => this.#hear(report));
    this.done = this.#ask({ type: "stream", params, file });
  }

  /**
   * Calls a method of the engine's `EventStream`.
   * @param {"bound" | "curve" | "kept" | "open" | "rows" | "results" | "names"} method
   * @param {...unknown} args
   * @returns {Promise<Answer<any>>}
   */
  call(method, ...args) {
    return this.#ask({ type: "streamCall", method, args });
  }

  /** Ends it wherever it is, and gives its memory back. */
  close() {
    this.#end("cancelled", "The run was cancelled.");
  }

  /**
   * @param {object} message
   * @returns {Promise<Answer<any>>}
   */
  #ask(message) {
    if (!this.isOpen) return Promise.resolve(refused("cancelled", "The run was cancelled."));
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
 * @returns {{ ok: false, error: import("../../../src/web/types.ts").Problem }}
 */
function refused(code, message) {
  return { ok: false, error: { code, message, field: null, option: null } };
}
