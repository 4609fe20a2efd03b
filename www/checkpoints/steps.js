// @ts-check
import { emit, h, setText } from "../dom.js";
import { PlayerBar } from "../elements/player-bar.js";
import { SvgChart } from "../elements/svg-chart.js";
import { VirtualTable } from "../elements/virtual-table.js";
import { count } from "../format.js";
import { factTime, factWords, whereOf } from "./facts.js";

/**
 * @import { CheckpointFacts, CheckpointReport } from "../../src/web/checkpoints.ts"
 * @import { CheckpointSimulation } from "./run.js"
 */

const LOG_COLUMNS = [
  { id: "step", head: "Step", class: "number" },
  { id: "time", head: "After the trigger", class: "number" },
  { id: "what", head: "What happens" },
  { id: "where", head: "Where" },
];

/**
 * A checkpoint step by step: the job as a picture, the player, and the log of facts. The three are
 * in step, and clicking a row of the log moves the other two.
 *
 * Methods `show`, `draw`. Event `player-seek` (from the player): `{ position }`.
 */
export class CheckpointSteps extends HTMLElement {
  picture = new SvgChart();
  player = new PlayerBar();
  #log = new VirtualTable();
  #none = h("p", { class: "quiet", hidden: true }, "The log keeps the first facts of a run; none of this checkpoint is among them.");
  #cut = h("p", { class: "quiet", hidden: true });
  /** Places in the facts of the steps of the checkpoint on show. @type {number[]} */
  #rows = [];
  /** @type {CheckpointFacts | null} */
  #facts = null;
  /** @type {CheckpointReport | null} */
  #report = null;
  #triggeredMs = 0;
  /** Where the player stands unless it was moved: the checkpoint waits longest there. */
  opening = 0;
  /** @type {(() => Promise<void>) | null} */
  #redraw = null;
  #isDrawing = false;
  #isStale = false;

  connectedCallback() {
    if (this.childElementCount > 0) return;
    this.append(
      this.picture,
      this.player,
      h("p", { class: "quiet" }, "Bars on a channel are the queue of its sender and of its receiver; a square is an aligned barrier, a diamond one that overtakes; a red cross is a channel that is not read."),
      this.#none,
      this.#cut,
      this.#log,
    );
    this.#log.build("Log of the checkpoint", LOG_COLUMNS, (index) => this.#logRow(index));
    this.addEventListener("row-pick", (event) => this.#seek(/** @type {CustomEvent} */ (event).detail.index + 1));
    this.addEventListener("player-seek", (event) => this.#move(/** @type {CustomEvent} */ (event).detail.position));
    this.addEventListener("keydown", (event) => {
      // What scrolls by itself has its own use for the arrow keys.
      if (!(/** @type {Element} */ (event.target).closest(".scroller, .virtual-scroller"))) this.player.key(event);
    });
    this.player.say = (position) => this.#say(position);
  }

  /** How many facts of the run are told at the place of the player. */
  get told() {
    const row = this.#rows[this.player.position - 1];
    return row === undefined ? 0 : row + 1;
  }

  /**
   * @param {CheckpointReport} report
   * @param {CheckpointFacts} facts
   * @param {number} checkpoint
   * @param {number | null} at   where the player stands; null where the checkpoint waits longest
   */
  show(report, facts, checkpoint, at) {
    this.#report = report;
    this.#facts = facts;
    this.#triggeredMs = report.checkpoints.find(({ id }) => id === checkpoint)?.triggeredMs ?? 0;
    this.#rows = [];
    for (let row = 0; row < facts.checkpoint.length; row += 1) {
      if (facts.checkpoint[row] === checkpoint) this.#rows.push(row);
    }
    this.#none.hidden = this.#rows.length > 0;
    // The first facts of a run are kept; what was cut off lies after the last of them.
    const isCut = facts.dropped > 0 && this.#rows.at(-1) === facts.checkpoint.length - 1;
    this.#cut.hidden = !isCut;
    if (isCut) setText(this.#cut, `The log holds the first ${count(facts.checkpoint.length)} steps of the run, and ends within this checkpoint: ${count(facts.dropped)} more are not told.`);
    this.#log.count = this.#rows.length;
    this.player.length = this.#rows.length;
    this.opening = this.#rows.indexOf(facts.longestWait[checkpoint - 1]) + 1 || this.#rows.length;
    if (!this.player.isPlaying) this.player.position = at ?? this.opening;
    this.#log.current = this.player.position - 1;
  }

  /**
   * @param {CheckpointSimulation} run
   * @param {"light" | "dark"} theme
   * @param {number | null} focus  the task that has to be in the picture
   */
  async draw(run, theme, focus) {
    this.#redraw = async () => {
      const what = { kind: "moment", told: this.told, focus };
      const answer = await run.call("draw", { what, theme, width: this.picture.drawWidth });
      if (answer.ok) this.picture.chart = answer.value;
    };
    await this.#drawNewest();
  }

  /** One drawing at a time; of those asked meanwhile only the newest is made. */
  async #drawNewest() {
    this.#isStale = true;
    if (this.#isDrawing) return;
    this.#isDrawing = true;
    while (this.#isStale && this.#redraw) {
      this.#isStale = false;
      await this.#redraw();
    }
    this.#isDrawing = false;
  }

  /** @param {number} position */
  #seek(position) {
    this.player.pause();
    this.player.position = position;
    emit(this.player, "player-seek", { position });
  }

  /** @param {number} position */
  #move(position) {
    this.#log.current = position - 1;
    this.#drawNewest();
  }

  /** @param {number} index */
  #logRow(index) {
    const row = this.#rows[index];
    if (!this.#facts || !this.#report || row === undefined) return { cells: [] };
    return { cells: [count(index + 1), factTime(this.#facts, row, this.#triggeredMs), factWords(this.#facts, row), whereOf(this.#facts, row, this.#report)] };
  }

  /** @param {number} position */
  #say(position) {
    const row = this.#rows[position - 1];
    if (!this.#facts || !this.#report || row === undefined) return "No steps.";
    return `Step ${count(position)} of ${count(this.#rows.length)}, ${factTime(this.#facts, row, this.#triggeredMs)} after the trigger: ${factWords(this.#facts, row)} ${whereOf(this.#facts, row, this.#report)}`;
  }
}
