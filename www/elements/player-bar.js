// @ts-check
import { emit, h, setText } from "../dom.js";

/** Steps a second. */
const SPEEDS = [0.5, 1, 2, 4, 8];
const SPEED_AT_FIRST = 1;

/**
 * Walks through steps: play, pause, one on, one back, any, and how fast. It owns the clock and
 * nothing else; what a step shows is its listener's.
 *
 * Properties `length`, `position` (from 1 to `length`; 0 where there is no step), `say` (the words
 * for a position). Event `player-seek`: `{ position }`. `key(event)` takes the keys of a part of the page
 * that is in step with it: space plays and pauses, arrows step, Home and End go to the ends.
 */
export class PlayerBar extends HTMLElement {
  #length = 0;
  #position = 0;
  #timer = 0;
  /** @type {(position: number) => string} */
  say = (position) => `Step ${position} of ${this.#length}`;
  #first = button("To the start", "|‹", () => this.#seek(1));
  #back = button("One step back", "‹", () => this.#seek(this.#position - 1));
  #play = button("Play", "Play", () => this.toggle());
  #on = button("One step on", "›", () => this.#seek(this.#position + 1));
  #last = button("To the end", "›|", () => this.#seek(this.#length));
  #range = h("input", { type: "range", min: 1, step: 1, "aria-label": "Step" });
  #speed = h("select", { "aria-label": "Speed" }, SPEEDS.map((speed) => h("option", { value: speed, selected: speed === SPEED_AT_FIRST }, `${speed} ${speed <= 1 ? "step" : "steps"}/s`)));
  #said = h("p", { class: "player-said" });

  connectedCallback() {
    if (this.childElementCount > 0) return;
    this.setAttribute("role", "group");
    this.setAttribute("aria-label", "Player");
    this.append(
      h("div", { class: "player-buttons" }, this.#first, this.#back, this.#play, this.#on, this.#last),
      this.#range,
      this.#speed,
      this.#said,
    );
    this.#range.addEventListener("input", () => this.#seek(this.#range.valueAsNumber));
    this.#speed.addEventListener("change", () => this.#timer && this.#start());
    this.addEventListener("keydown", (event) => this.key(event));
    this.#show();
  }

  disconnectedCallback() {
    this.pause();
  }

  get length() {
    return this.#length;
  }

  set length(length) {
    this.#length = length;
    this.position = this.#position;
  }

  get position() {
    return this.#position;
  }

  /** Moves without saying so. */
  set position(position) {
    this.#position = Math.min(this.#length, Math.max(1, position));
    this.#show();
  }

  get isPlaying() {
    return this.#timer !== 0;
  }

  toggle() {
    if (this.isPlaying) {
      this.#seek(this.#position);
      return;
    }
    // At the end there is nothing left to play.
    if (this.#position >= this.#length) this.#move(1);
    this.#start();
  }

  pause() {
    clearInterval(this.#timer);
    this.#timer = 0;
    this.#show();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const target = /** @type {Element} */ (event.target);
    if (target.closest("select, textarea, input:not([type=range])")) return;
    // A button has its own use for the space bar, a link and a summary too.
    if (event.key === " " && target.closest("button, a, summary, label")) return;
    const to = { ArrowRight: this.#position + 1, ArrowLeft: this.#position - 1, Home: 1, End: this.#length }[event.key];
    if (event.key === " ") this.toggle();
    else if (to === undefined) return;
    else this.#seek(to);
    event.preventDefault();
  }

  #start() {
    clearInterval(this.#timer);
    this.#timer = window.setInterval(() => this.#tick(), 1000 / Number(this.#speed.value));
    this.#show();
  }

  #tick() {
    if (this.#position >= this.#length || !this.isConnected || !this.checkVisibility()) this.pause();
    else this.#move(this.#position + 1);
  }

  /**
   * A move by hand ends the playing.
   * @param {number} position
   */
  #seek(position) {
    this.pause();
    this.#move(position);
  }

  /** @param {number} position */
  #move(position) {
    this.position = position;
    if (this.#position >= this.#length && this.isPlaying) this.pause();
    emit(this, "player-seek", { position: this.#position });
  }

  #show() {
    this.#range.max = String(this.#length);
    this.#range.value = String(this.#position);
    const said = this.say(this.#position);
    this.#range.setAttribute("aria-valuetext", said);
    setText(this.#said, said);
    setText(this.#play, this.isPlaying ? "Pause" : "Play");
    // Disabled for real, a button would drop the focus of whoever has just pressed it.
    for (const at of [this.#first, this.#back]) at.setAttribute("aria-disabled", String(this.#position <= 1));
    for (const at of [this.#on, this.#last]) at.setAttribute("aria-disabled", String(this.#position === this.#length));
    this.#play.disabled = this.#range.disabled = this.#length === 0;
  }
}

/**
 * @param {string} label
 * @param {string} sign
 * @param {() => void} act
 */
function button(label, sign, act) {
  const spoken = label === sign ? {} : { "aria-label": label, title: label };
  return h("button", { type: "button", class: "player-button", onclick: act, ...spoken }, sign);
}
