// @ts-check
/**
 * Work in the worker that lives between questions, as the page sees it: progress while it runs, then
 * a report; afterwards methods of the engine's class are called. The engine holds it, so it is closed
 * when nobody looks at it any more.
 * @import { Answer } from "../src/web/types.ts"
 * @import { Engine, RunReport } from "./engine.js"
 */

/** @template Progress */
export class EngineRun {
  /** @type {ReturnType<Engine["openRun"]>} */
  #way;
  #lastAsk = 0;
  /** @type {Map<number, (answer: Answer<any>) => void>} */
  #asked = new Map();
  #onProgress;
  #cancelled;
  isOpen = true;

  /**
   * @param {Engine} engine
   * @param {string} tool                            whose script drives it
   * @param {string} cancelled                       what is said to who still waits when it is closed
   * @param {(progress: Progress) => void} onProgress
   */
  constructor(engine, tool, cancelled, onProgress) {
    this.#onProgress = onProgress;
    this.#cancelled = cancelled;
    this.#way = engine.openRun((report) => this.#hear(report), tool);
  }

  get id() {
    return this.#way.id;
  }

  /** Ends it wherever it is, and gives its memory back. */
  close() {
    this.#end("cancelled", this.#cancelled);
  }

  /**
   * @param {object} message
   * @returns {Promise<Answer<any>>}
   */
  ask(message) {
    if (!this.isOpen) return Promise.resolve(refused("cancelled", this.#cancelled));
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
 * @returns {{ ok: false, error: import("../src/web/types.ts").Problem }}
 */
function refused(code, message) {
  return { ok: false, error: { code, message, field: null, option: null } };
}
