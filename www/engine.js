// @ts-check
/**
 * The client of the worker: one promise per question.
 *
 * The wasm is compiled once, on the page; every worker gets the module. Whatever is asked in one
 * turn travels in one message and is answered in one. One message is with the worker at a time, and
 * of the questions that wait only the newest of each slot is kept. A worker that traps or does not
 * answer is ended and replaced, since a wasm instance that panicked must not be asked again.
 *
 * A long run is not a question: it takes as long as it takes, and reports its progress meanwhile.
 * Its worker counts as lost when no report comes.
 * @import { Answer, Problem, RunProgress } from "../src/web/types.ts"
 */

/** How long one message may take before the worker counts as lost. */
const ANSWER_MS_MAX = 5000;
/** How long a new worker may take to be ready: slow phones compile for seconds. */
const START_MS_MAX = 30000;
/** How long a module beside the first may take to come: 650 KB at 90 kbit/s. */
const FETCH_MS_MAX = 60000;
/** A worker that never gets ready is tried this often. */
const STARTS_MAX = 3;

/**
 * @typedef {object} Request
 * @property {number} id
 * @property {string} slot
 * @property {string} question
 * @property {unknown} params
 * @property {(answer: Answer<any>) => void} resolve
 */

/**
 * What the worker says about a long run; `fault` when it is lost.
 * @typedef {object} RunReport
 * @property {number} id
 * @property {RunProgress} [progress]
 * @property {Record<string, any>} [results]
 * @property {Answer<any>} [answer]
 * @property {number} [ask]  which request of the run `answer` belongs to
 * @property {string} [fault]
 */

/**
 * Fires `fault` (detail: `{ reason, late }`) when the worker was lost and replaced, `dead` (detail:
 * the reason) when it cannot start, `loading` when `isLoading` changes. A dead engine answers every
 * question with the reason.
 */
export class Engine extends EventTarget {
  /** @type {Promise<WebAssembly.Module>} */
  #module;
  /** @type {Worker | null} */
  #worker = null;
  #ready = false;
  #starts = 0;
  #lastId = 0;
  /** The questions that are with the worker, by id. @type {Map<number, Request>} */
  #asked = new Map();
  /** Those that wait, by slot. @type {Map<string, Request>} */
  #waiting = new Map();
  #isScheduled = false;
  #timer = 0;
  /** Who hears of long runs, by id. @type {Map<number, (report: RunReport) => void>} */
  #runs = new Map();
  #runTimer = 0;
  /** Modules on their way to the worker. */
  #fetches = 0;
  /** Why it will never answer. @type {string | null} */
  dead = null;

  /** @param {URL} base where `worker.js`, `weir.js` and the wasm lie */
  constructor(base = new URL("./", import.meta.url)) {
    super();
    this.base = base;
    this.#module = compile(new URL("weir_bg.wasm", base));
    this.#start();
  }

  /** Whether code is on its way that an answer may need. */
  get isLoading() {
    return this.dead === null && (!this.#ready || this.#fetches > 0);
  }

  /**
   * @param {string} question
   * @param {unknown} params
   * @param {string} [slot]  questions of one slot replace each other while they wait
   * @returns {Promise<Answer<any>>}
   */
  ask(question, params, slot = question) {
    if (this.dead !== null) return Promise.resolve(refused("engine_fault", this.dead));
    return new Promise((resolve) => {
      this.#lastId += 1;
      this.#waiting.get(slot)?.resolve(superseded());
      this.#waiting.delete(slot);
      this.#waiting.set(slot, { id: this.#lastId, slot, question, params, resolve });
      this.#schedule();
    });
  }

  /**
   * Opens a way to a long run in the worker. `hear` is called with each report of it, and with
   * `{ fault }` when its worker is lost; it must not be used any more then.
   * @param {(report: RunReport) => void} hear
   * @param {string} [tool]  whose script drives the run
   * @returns {{ id: number, tell: (message: object, transfer?: Transferable[]) => void, close: () => void }}
   */
  openRun(hear, tool = "event-time") {
    this.#lastId += 1;
    const id = this.#lastId;
    this.#runs.set(id, hear);
    return {
      id,
      tell: (message, transfer = []) => {
        if (!this.#runs.has(id)) return;
        // The first message may have to fetch the module, which takes a while on a slow line.
        this.#watchRuns(FETCH_MS_MAX);
        this.#worker?.postMessage({ run: { id, tool, ...message } }, transfer);
      },
      close: () => {
        if (this.#runs.delete(id)) this.#worker?.postMessage({ run: { id, tool, type: "free" } });
        if (this.#runs.size === 0) clearTimeout(this.#runTimer);
      },
    };
  }

  /** @param {number} ms */
  #watchRuns(ms) {
    clearTimeout(this.#runTimer);
    const worker = this.#worker;
    this.#runTimer = window.setTimeout(() => worker && this.#lose(worker, "the run stopped reporting", true), ms);
  }

  /** Sends once everything of this turn is asked. */
  #schedule() {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(() => {
      this.#isScheduled = false;
      this.#next();
    });
  }

  #start() {
    this.#starts += 1;
    this.#ready = false;
    this.#fetches = 0;
    const worker = new Worker(new URL("worker.js", this.base), { type: "module" });
    this.#worker = worker;
    worker.onmessage = ({ data }) => this.#receive(worker, data);
    worker.onerror = (event) => {
      event.preventDefault();
      this.#lose(worker, event.message || "the worker failed");
    };
    this.#watch(START_MS_MAX, "the engine did not start");
    this.#module.then(
      (module) => worker.postMessage({ module }),
      (error) => this.#lose(worker, `the engine could not be loaded: ${error}`),
    );
  }

  /**
   * @param {Worker} worker
   * @param {{ ready?: true, fetching?: boolean, answers?: [number, Answer<any>][], fault?: string, id?: number, run?: RunReport }} data
   */
  #receive(worker, data) {
    if (worker !== this.#worker) return;
    if (data.run) return this.#hear(data.run);
    if (data.fetching !== undefined) return this.#fetch(data.fetching);
    for (const [id, answer] of data.answers ?? []) {
      this.#asked.get(id)?.resolve(answer);
      this.#asked.delete(id);
    }
    if (data.fault !== undefined) {
      this.#spare(data.id);
      this.#lose(worker, data.fault);
    } else {
      clearTimeout(this.#timer);
      if (data.ready) {
        this.#ready = true;
        this.#starts = 0;
        this.dispatchEvent(new CustomEvent("loading"));
      }
      this.#schedule();
    }
  }

  /** @param {boolean} isFetching  the worker fetches a module; what waits for it is not late */
  #fetch(isFetching) {
    this.#fetches += isFetching ? 1 : -1;
    if (this.#asked.size > 0) {
      if (this.#fetches > 0) this.#watch(FETCH_MS_MAX, "a part of the engine could not be fetched in time");
      else this.#watchAnswer();
    }
    this.dispatchEvent(new CustomEvent("loading"));
  }

  #watchAnswer() {
    this.#watch(ANSWER_MS_MAX, `no answer within ${ANSWER_MS_MAX / 1000} seconds`);
  }

  /** @param {RunReport} report */
  #hear(report) {
    const { progress } = report;
    if (progress && progress.records < progress.pushed) this.#watchRuns(ANSWER_MS_MAX);
    else clearTimeout(this.#runTimer);
    this.#runs.get(report.id)?.(report);
  }

  /**
   * What travelled with the question that failed waits again, unless a newer one took its slot.
   * @param {number | undefined} guilty
   */
  #spare(guilty) {
    if (guilty === undefined || !this.#asked.has(guilty)) return;
    for (const request of this.#asked.values()) {
      if (request.id === guilty) continue;
      this.#asked.delete(request.id);
      if (this.#waiting.has(request.slot)) request.resolve(superseded());
      else this.#waiting.set(request.slot, request);
    }
  }

  #next() {
    if (!this.#ready || this.#asked.size > 0 || this.#waiting.size === 0 || !this.#worker) return;
    const batch = [...this.#waiting.values()];
    this.#waiting.clear();
    this.#asked = new Map(batch.map((request) => [request.id, request]));
    this.#watchAnswer();
    this.#worker.postMessage({ questions: batch.map(({ id, question, params }) => ({ id, question, params })) });
  }

  /**
   * @param {number} ms
   * @param {string} reason
   */
  #watch(ms, reason) {
    clearTimeout(this.#timer);
    const worker = this.#worker;
    this.#timer = window.setTimeout(() => worker && this.#lose(worker, reason, true), ms);
  }

  /**
   * @param {Worker} worker
   * @param {string} reason
   * @param {boolean} [late]  it was ended because it did not answer
   */
  #lose(worker, reason, late = false) {
    if (worker !== this.#worker) return;
    clearTimeout(this.#timer);
    clearTimeout(this.#runTimer);
    worker.terminate();
    this.#worker = null;
    const lost = [...this.#asked.values()];
    this.#asked.clear();
    const runs = [...this.#runs];
    this.#runs.clear();
    if (this.#starts >= STARTS_MAX) {
      for (const request of this.#waiting.values()) request.resolve(refused("engine_fault", reason));
      this.#waiting.clear();
      this.dead = reason;
      this.dispatchEvent(new CustomEvent("dead", { detail: reason }));
      this.dispatchEvent(new CustomEvent("loading"));
    } else {
      if (lost.length + runs.length > 0) this.dispatchEvent(new CustomEvent("fault", { detail: { reason, late } }));
      this.#start();
    }
    for (const request of lost) request.resolve(refused("engine_fault", reason));
    for (const [id, hear] of runs) hear({ id, fault: reason });
  }
}

function superseded() {
  return refused("superseded", "A newer question took its place.");
}

/**
 * @param {string} code
 * @param {string} message
 * @returns {{ ok: false, error: Problem }}
 */
function refused(code, message) {
  return { ok: false, error: { code, message, field: null, option: null } };
}

/**
 * Streams where the server says `application/wasm`, reads the bytes where it does not.
 * @param {URL} url
 */
async function compile(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${response.status} for ${url.pathname}`);
  if (response.headers.get("content-type")?.startsWith("application/wasm")) {
    return WebAssembly.compileStreaming(response);
  }
  return WebAssembly.compile(await response.arrayBuffer());
}
