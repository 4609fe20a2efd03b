// @ts-check
/**
 * Texts that stand for durations, read by the engine as Flink reads them.
 * @import { Answer, DurationReport, FlinkVersion } from "../../src/web/types.ts"
 * @import { Ask } from "../tools.js"
 * @import { Situation } from "./codec.js"
 * @import { Durations } from "./params.js"
 */

import { durationTexts } from "./params.js";

const KEPT_MAX = 1000;

/** Asks the engine for each text once. */
export class DurationReader {
  /** By version and text. @type {Map<string, Answer<DurationReport>>} */
  #kept = new Map();

  /**
   * @param {Ask} ask
   * @param {FlinkVersion} flink
   * @param {(Situation | null)[]} situations
   * @returns {Promise<{ durations: Durations, fault: string | null }>}  why the engine does not answer at all
   */
  async read(ask, flink, situations) {
    if (this.#kept.size > KEPT_MAX) this.#kept.clear();
    /** @type {Durations} */
    const durations = new Map();
    /** @type {string | null} */
    let fault = null;
    const texts = new Set(situations.flatMap((situation) => (situation ? durationTexts(situation) : [])));
    await Promise.all(
      [...texts].map(async (text) => {
        const key = `${flink} ${text}`;
        const reading = this.#kept.get(key) ?? (await ask("parseDuration", { version: flink, text }, `parseDuration ${text}`));
        durations.set(text, reading);
        if (!reading.ok && reading.error.code === "engine_fault") fault = reading.error.message;
        else if (reading.ok || reading.error.code !== "superseded") this.#kept.set(key, reading);
      }),
    );
    return { durations, fault };
  }
}
