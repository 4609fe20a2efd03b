// @ts-check
/**
 * A pinned stream against the one on show. Of a stream that has run its numbers are kept, so A is run
 * again only where an address brings it.
 * @import { Answer, ReaderParams, StreamFigures, WholeParams } from "../../../src/web/types.ts"
 * @import { EventScenario } from "../codec.js"
 * @import { Durations } from "../params.js"
 * @import { StreamComparison } from "./compare.js"
 */

import { count } from "../../format.js";
import { engine } from "../../start.js";
import { questionOf } from "../params.js";
import { wholeOf } from "./params.js";
import { StreamRun } from "./run.js";

/** Two streams of up to this many records are held at once. */
export const BOTH_RECORDS_MAX = 3_000_000;
/** Streams whose numbers are kept. */
const FIGURES_KEPT_MAX = 50;
const NOTE = "A is pinned; what you change now is B.";

/** What a stream of a file needs. @typedef {{ file: File | null, reader: ReaderParams | null }} Source */

export class PinnedStream {
  #shows;
  #durations;
  /** A, while it runs to have its numbers. @type {StreamRun | null} */
  #running = null;
  /** By what was asked. @type {Map<string, StreamFigures>} */
  #figures = new Map();
  #turn = 0;

  /**
   * @param {StreamComparison} shows
   * @param {(scenario: EventScenario) => Promise<Durations>} durations
   */
  constructor(shows, durations) {
    this.#shows = shows;
    this.#durations = durations;
  }

  stop() {
    this.#turn += 1;
    this.#running?.close();
    this.#running = null;
    this.#shows.showProgress(null);
  }

  /**
   * Keeps the numbers of a stream that has run.
   * @param {StreamRun} run
   * @param {WholeParams} params
   * @param {File | null} file
   * @returns {Promise<Answer<StreamFigures>>}
   */
  async learn(run, params, file) {
    const figures = await run.call("figures");
    if (this.#figures.size >= FIGURES_KEPT_MAX) this.#figures.clear();
    if (figures.ok) this.#figures.set(nameOf(params, file), figures.value);
    return figures;
  }

  /**
   * @param {EventScenario} scenario
   * @param {StreamRun | null} shown  the stream on show, if it has an answer
   * @param {number} held             its records
   * @param {Source} source
   */
  async compare({ pinned, flink }, shown, held, source) {
    this.stop();
    const turn = this.#turn;
    /** @param {string} note */
    const say = (note) => {
      this.#shows.showBar(pinned !== null, shown !== null, note);
      this.#shows.show(null);
    };
    if (!pinned) return say("");
    if (!shown) return say(NOTE);
    const { stream } = pinned;
    if (!stream) return say("A is a job record by record; it is compared with one only.");
    const isFile = stream.values.source === "file";
    if (isFile && !(source.file && source.reader)) return say("A is of a file. Pick the file, and it is compared.");
    const file = isFile ? source.file : null;
    const scenario = { ...pinned, flink, events: [] };
    const durations = await this.#durations(scenario);
    if (turn !== this.#turn) return;
    const job = questionOf(scenario, durations);
    const { params, problems } = wholeOf(stream, durations, job.params, isFile ? source.reader : null);
    const [refused] = [...job.problems.values(), ...(isFile ? [] : problems.values())];
    if (refused) return say(`A does not run: ${refused}`);
    const known = this.#figures.get(nameOf(params, file));
    if (!known) say("");
    const a = known ? { ok: /** @type {const} */ (true), value: known } : await this.#run(params, file, held);
    if (turn !== this.#turn || !a) return;
    if (!a.ok) return say(`A is not compared: ${a.error.message}`);
    const compared = await shown.call("compare", a.value);
    if (turn !== this.#turn) return;
    if (!compared.ok) return say(`A is not compared: ${compared.error.message}`);
    this.#shows.showBar(true, true, NOTE);
    this.#shows.show(compared.value);
  }

  /**
   * The numbers of A; null where that was given up.
   * @param {WholeParams} params
   * @param {File | null} file
   * @param {number} held
   */
  async #run(params, file, held) {
    // A file has as many records as the stream on show, which is of the same.
    const expected = params.source.kind === "generated" ? params.source.generator.events : held;
    if (held + expected > BOTH_RECORDS_MAX) return tooMany(expected);
    const run = new StreamRun(engine, params, file, (progress) => this.#running === run && this.#shows.showProgress(progress));
    this.#running = run;
    this.#shows.showProgress({ phase: "running", records: 0, pushed: expected });
    const answer = await run.done;
    if (this.#running !== run) return null;
    const figures = answer.ok ? await this.learn(run, params, file) : answer;
    if (this.#running !== run) return null;
    run.close();
    this.#running = null;
    this.#shows.showProgress(null);
    return figures;
  }
}

/** @param {number} expected */
function tooMany(expected) {
  const message = `its ${count(expected)} records would be held beside those of B, which is more than a tab has room for. Run A by itself and pin it: its numbers stay.`;
  return { ok: /** @type {const} */ (false), error: { message } };
}

/**
 * A stream by what is asked, and by its file.
 * @param {WholeParams} params
 * @param {File | null} file
 */
function nameOf(params, file) {
  return JSON.stringify([params, file?.name, file?.size, file?.lastModified]);
}
