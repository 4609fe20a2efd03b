// @ts-check
/**
 * A long run as the page sees it: columns in, progress and firings as they come, rows of the log on
 * demand. The engine holds the records, so a run is closed when it is no longer looked at.
 * @import { Answer, RunColumns, RunParams, RunProgress, RunResults, RunRow, RunSamples } from "../../src/web/types.ts"
 * @import { Engine, RunReport } from "../engine.js"
 */

export class LongRun {
  /** @type {ReturnType<Engine["openRun"]>} */
  #way;
  #lastAsk = 0;
  /** @type {Map<number, (answer: Answer<any>) => void>} */
  #asked = new Map();
  /** @type {(progress: RunProgress) => void} */
  #onProgress;
  /** @type {(results: RunResults) => void} */
  #onResults;
  /** @type {(answer: Answer<RunProgress>) => void} */
  #finish = () => {};
  /** Resolves when everything is processed, or with why not. @type {Promise<Answer<RunProgress>>} */
  done;

  /**
   * @param {Engine} engine
   * @param {{ onProgress?: (progress: RunProgress) => void, onResults?: (results: RunResults) => void,
   *   signal?: AbortSignal }} [options]  results come in parts, in order
   */
  constructor(engine, { onProgress = () => {}, onResults = () => {}, signal } = {}) {
    this.#onProgress = onProgress;
    this.#onResults = onResults;
    this.done = new Promise((resolve) => (this.#finish = resolve));
    this.#way = engine.openRun((report) => this.#hear(report));
    if (signal?.aborted) this.cancel();
    else signal?.addEventListener("abort", () => this.cancel(), { once: true });
  }

  /**
   * @param {RunParams} params
   * @returns {Promise<Answer<null>>}
   */
  start(params) {
    return this.#ask({ type: "start", params });
  }

  /**
   * Appends records and runs them. The columns are moved to the worker and empty here afterwards.
   * @param {RunColumns} columns
   * @returns {Promise<Answer<RunProgress>>}
   */
  push(columns) {
    const { time, key, value } = columns;
    return this.#ask({ type: "push", columns }, [time.buffer, key.buffer, value.buffer]);
  }

  /** Says that no more records will come. */
  end() {
    this.#way.tell({ type: "end" });
  }

  /**
   * @param {number} from
   * @param {number} count
   * @returns {Promise<Answer<RunRow[]>>}
   */
  rows(from, count) {
    return this.#ask({ type: "rows", from, count });
  }

  /**
   * A byte for each record, see `RunRow.outcome`.
   * @param {number} from
   * @param {number} count
   * @returns {Promise<Answer<Uint8Array>>}
   */
  outcomes(from, count) {
    return this.#ask({ type: "outcomes", from, count });
  }

  /** @returns {Promise<Answer<RunSamples>>} */
  samples() {
    return this.#ask({ type: "samples" });
  }

  /** Ends it wherever it is. */
  cancel() {
    this.#close("cancelled", "The run was cancelled.");
  }

  /** Gives its memory back. */
  close() {
    this.#close("closed", "The run is closed.");
  }

  /**
   * @param {object} message
   * @param {Transferable[]} [transfer]
   * @returns {Promise<Answer<any>>}
   */
  #ask(message, transfer = []) {
    return new Promise((resolve) => {
      this.#lastAsk += 1;
      this.#asked.set(this.#lastAsk, resolve);
      this.#way.tell({ ...message, ask: this.#lastAsk }, transfer);
    });
  }

  /** @param {RunReport} report */
  #hear({ ask, answer, progress, results, fault }) {
    if (fault !== undefined) return this.#close("engine_fault", fault);
    if (answer && ask !== undefined) {
      this.#asked.get(ask)?.(answer);
      this.#asked.delete(ask);
    }
    if (results) this.#onResults(/** @type {RunResults} */ (results));
    if (progress) {
      this.#onProgress(progress);
      if (progress.isDone) this.#finish({ ok: true, value: progress, findings: [] });
    }
  }

  /**
   * @param {string} code
   * @param {string} message
   */
  #close(code, message) {
    this.#way.close();
    /** @type {Answer<any>} */
    const refusal = { ok: false, error: { code, message, field: null, option: null } };
    for (const resolve of this.#asked.values()) resolve(refusal);
    this.#asked.clear();
    this.#finish(refusal);
  }
}
