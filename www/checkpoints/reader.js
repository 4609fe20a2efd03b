// @ts-check
/**
 * Reads the texts of the form into numbers, in the engine's units.
 * @import { Answer, DurationReport, MemorySizeReport } from "../../src/web/types.ts"
 * @import { Settings } from "./fields.js"
 * @import { Question, Texts } from "./params.js"
 */

import { count } from "../format.js";
import { fieldsOf } from "./fields.js";

/** What the engine counts with. */
const COUNT_MAX = 4_294_967_295;
/** What the engine takes. */
export const LIST_MAX = 1000;
/** No duration and no size is longer, written by whoever; such a text is not even asked about. */
export const TEXT_MAX = 100;
/** The widest lognormal distribution. */
const SIGMA_MAX = 5;
/** The longest name of a vertex. */
const NAME_MAX = 100;

/** @param {string} text */
export function listOf(text) {
  return text.split(/[,;]/).map((part) => part.trim()).filter((part) => part !== "");
}

/** Reads the texts of a form, and notes what cannot be read. */
export class Reader {
  /** @type {Question["problems"]} */
  problems = new Map();
  /** @type {Question["readings"]} */
  readings = new Map();
  /** @type {Question["numbers"]} */
  numbers = new Map();

  /**
   * @param {Settings} settings
   * @param {Texts} texts
   */
  constructor(settings, texts) {
    this.settings = settings;
    this.texts = texts;
    this.fields = new Map(fieldsOf(settings).map((field) => [field.id, field]));
  }

  /** @param {string} id */
  text(id) {
    const text = this.settings[id].trim();
    if (text === "" || [...text].length > NAME_MAX) this.problems.set(id, `A name of 1 to ${NAME_MAX} characters is needed here.`);
    return text;
  }

  /** @param {string} id */
  number(id) {
    const text = this.settings[id].trim();
    const number = Number(text);
    if (text !== "" && Number.isFinite(number) && number >= 0) return number;
    this.problems.set(id, `“${text.slice(0, 60)}” is not a number from 0 on, such as 0.5.`);
    return 1;
  }

  /** @param {string} id */
  numberOrNull(id) {
    return this.settings[id].trim() === "" ? null : this.number(id);
  }

  /** @param {string} id */
  countOrNull(id) {
    return this.settings[id].trim() === "" ? null : this.count(id);
  }

  /** A whole number of either sign. @param {string} id */
  integerOrNull(id) {
    const text = this.settings[id].trim();
    if (text === "") return null;
    if (/^-?\d{1,9}$/.test(text)) return Number(text);
    this.problems.set(id, `“${text.slice(0, 60)}” is not a whole number, such as 2 or -1.`);
    return 0;
  }

  /** From 0 to 1, also written in per cent; nothing is 0. @param {string} id */
  share(id) {
    const [, number, sign] = /^(\d{0,3}(?:\.\d{1,15})?)\s*(%?)$/.exec(this.settings[id].trim()) ?? [];
    const share = number === undefined || number === "" ? (this.settings[id].trim() === "" ? 0 : Number.NaN) : Number(number) / (sign === "%" ? 100 : 1);
    if (share >= 0 && share <= 1) return share;
    this.problems.set(id, `“${this.settings[id].slice(0, 60)}” is not a share from 0 to 1, such as 1 % or 0.01.`);
    return 0;
  }

  /** What the engine takes as the spread of a logarithm. @param {string} id */
  sigma(id) {
    const sigma = this.number(id);
    if (sigma > SIGMA_MAX) this.problems.set(id, `σ is a number from 0 to ${SIGMA_MAX}.`);
    return sigma;
  }

  /**
   * @param {string} id
   * @returns {number} in ms
   */
  ms(id) {
    const [ns] = this.#durations(id, 1);
    this.numbers.set(id, Math.floor(ns / 1e6));
    return Math.floor(ns / 1e6);
  }

  /** @param {string} id */
  msOrNull(id) {
    return this.settings[id].trim() === "" ? null : this.ms(id);
  }

  /**
   * By subtask.
   * @param {string} id
   * @returns {number[]} in µs
   */
  micros(id) {
    const list = this.#durations(id, LIST_MAX).map((ns) => ns / 1000);
    const unit = this.fields.get(id)?.slider?.unit === "ms" ? 1000 : 1;
    if (list.length === 1) this.numbers.set(id, list[0] / unit);
    return list;
  }

  /**
   * @param {string} id
   * @param {number} most
   * @returns {number[]} in ns
   */
  #durations(id, most) {
    return this.#read(id, most, "A duration is needed here, for example 10 s.", (text) => {
      const answer = /** @type {Answer<DurationReport> | undefined} */ (this.texts.get(`parseDuration ${text}`));
      if (!answer?.ok) return answer?.error.message ?? "";
      const { seconds, nanos, formatted } = answer.value;
      return { number: Number(seconds) * 1e9 + nanos, said: formatted ?? "" };
    });
  }

  /**
   * @param {string} id
   * @returns {number} in bytes
   */
  bytes(id) {
    const [bytes] = this.#sizes(id, 1);
    this.numbers.set(id, bytes);
    return bytes;
  }

  /**
   * By subtask.
   * @param {string} id
   */
  sizes(id) {
    const list = this.#sizes(id, LIST_MAX);
    if (list.length === 1) this.numbers.set(id, list[0]);
    return list;
  }

  /**
   * @param {string} id
   * @param {number} most
   */
  #sizes(id, most) {
    return this.#read(id, most, "A size is needed here, for example 32 kb.", (text) => {
      const answer = /** @type {Answer<MemorySizeReport> | undefined} */ (this.texts.get(`parseMemorySize ${text}`));
      if (!answer?.ok) return answer?.error.message ?? "";
      return { number: Number(answer.value.bytes), said: answer.value.text };
    });
  }

  /** @param {string} id */
  bytesOrNull(id) {
    return this.settings[id].trim() === "" ? null : this.bytes(id);
  }

  /**
   * A factor and two durations.
   * @param {string} id
   */
  bursts(id) {
    const parts = listOf(this.settings[id]);
    if (parts.length === 0) return null;
    const factor = Number(parts[0]);
    const [lengthMs, everyMs] = parts.slice(1).map((text) => {
      const answer = this.texts.get(`parseDuration ${text}`);
      return answer?.ok ? Number(answer.value.seconds) * 1000 + answer.value.nanos / 1e6 : Number.NaN;
    });
    if (parts.length !== 3 || !(factor >= 0) || !(lengthMs >= 0) || !(everyMs > 0)) {
      this.problems.set(id, "Write a factor and two durations, as in 5, 2 s, 20 s.");
      return null;
    }
    return { factor, lengthMs: Math.floor(lengthMs), everyMs: Math.floor(everyMs) };
  }

  /** @param {string} id */
  count(id) {
    const text = this.settings[id].replace(/[\s_]/g, "");
    if (!/^\d{1,15}$/.test(text) || Number(text) > COUNT_MAX) this.problems.set(id, `“${this.settings[id].slice(0, 60)}” is not a whole number from 0 to ${COUNT_MAX}.`);
    return Number(text) || 0;
  }

  /**
   * Numbers by subtask.
   * @param {string} id
   * @param {string} example
   */
  list(id, example) {
    const parts = listOf(this.settings[id]);
    const numbers = parts.map((part) => Number(part.replace(/[\s_]/g, "")));
    if (parts.length === 0 || parts.length > LIST_MAX || numbers.some((number) => !Number.isFinite(number) || number < 0)) {
      this.problems.set(id, `“${this.settings[id].slice(0, 60)}” is not a list of up to ${LIST_MAX} numbers. Write it as in ${example}.`);
      return [1];
    }
    if (numbers.length === 1) this.numbers.set(id, numbers[0]);
    return numbers;
  }

  /**
   * @param {string} id
   * @param {number} most
   * @param {string} needed  what to say of nothing
   * @param {(text: string) => { number: number, said: string } | string} read  a text says why not
   */
  #read(id, most, needed, read) {
    const { settings, problems } = this;
    const field = this.fields.get(id);
    const parts = most > 1 ? listOf(settings[id]) : [settings[id].trim()].filter((text) => text !== "");
    if (parts.length === 0) {
      if (field?.empty === undefined) problems.set(id, needed);
      return [0];
    }
    if (parts.length > most) {
      problems.set(id, `A list here has at most ${LIST_MAX} entries; it is repeated for further subtasks.`);
      return [0];
    }
    const long = parts.find((part) => part.length > TEXT_MAX);
    if (long !== undefined) {
      problems.set(id, `${count(long.length)} characters are no ${field?.kind.startsWith("size") ? "size" : "duration"}. ${needed}`);
      return [0];
    }
    const all = parts.map(read);
    const wrong = all.find((one) => typeof one === "string");
    if (typeof wrong === "string") {
      problems.set(id, wrong);
      return [0];
    }
    const good = /** @type {{ number: number, said: string }[]} */ (all);
    const said = good.map((one) => one.said).join(", ");
    if (said !== "" && said !== settings[id].trim()) this.readings.set(id, said);
    return good.map(({ number }) => number);
  }
}
