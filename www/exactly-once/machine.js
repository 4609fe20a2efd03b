// @ts-check
import { emit, h, setText } from "../dom.js";
import { patchChildren } from "../patch.js";
import { FAULT_KINDS } from "./fault-kinds.js";

/**
 * @import { TransactionReport } from "../../src/web/transactions.ts"
 * @import { Job, StepId } from "./fault-kinds.js"
 */

/** @type {{ id: StepId, name: string, says: string, kinds: string[] }[]} */
const STEPS = [
  { id: "begin", name: "Begin", says: "The writer opens a transaction; its clock starts with the first record.", kinds: ["probe", "begin", "ongoing", "append", "running"] },
  { id: "preCommit", name: "Pre-commit", says: "At the barrier the writer flushes and hands the transaction to the committer.", kinds: ["preCommit", "nothingToCommit", "acknowledge"] },
  { id: "complete", name: "Checkpoint complete", says: "The JobManager has all acknowledgements and stores the metadata.", kinds: ["complete", "savepoint", "notifyLost", "declined"] },
  { id: "commit", name: "Commit", says: "The committer ends the transaction; markers make it visible.", kinds: ["commit", "recommit", "zombieCommit", "prepareCommit", "commitMarker", "stableOffset"] },
];
/** What the steps are where there is no broker, by sink. @type {Record<string, Record<StepId, string>>} */
const SAYS = {
  file: {
    begin: "The writer appends to a file in progress, which no reader sees.",
    preCommit: "At the barrier the writer closes its file: it is pending, and goes to the committer.",
    complete: "The JobManager has all acknowledgements and stores the metadata.",
    commit: "The committer renames the pending file: it is finished, and readers see it.",
  },
  table: {
    begin: "The writer appends to data files, which no snapshot of the table names.",
    preCommit: "At the barrier the writer closes its files: they are staged, and go to the committer.",
    complete: "The JobManager has all acknowledgements and stores the metadata.",
    commit: "One snapshot of the table takes in what all subtasks staged: readers see all of it at once.",
  },
};
/** Steps of a failure, beside the four. */
const FAILED = ["crash", "failed", "timeout", "sendRefused", "abortMarker", "abortedByInit", "abortedByClose", "expired", "refuses"];

/**
 * The four steps of a transaction, the one of the player lit up. Choosing a step shows the faults
 * that can be placed there.
 *
 * Methods `show`, `mark`. Event `fault-place`: `{ faults }`.
 */
export class StepMachine extends HTMLElement {
  /** @type {TransactionReport | null} */
  #report = null;
  /** @type {Job | undefined} */
  #job;
  /** @type {StepId} */
  #chosen = "complete";
  #steps = h("ol", { class: "machine" });
  #state = h("p", { class: "machine-state" });
  #checkpoint = h("input", { type: "number", min: 1, max: 10_000, value: 3, "aria-label": "At checkpoint" });
  #faults = h("div", { class: "machine-faults" });

  connectedCallback() {
    if (this.childElementCount > 0) return;
    this.#steps.append(
      ...STEPS.map(({ id, name, says }) =>
        h("li", { "data-step": id }, h("button", { type: "button", "data-step": id, "aria-pressed": id === this.#chosen }, name), h("p", { class: "quiet" }, says)),
      ),
    );
    this.append(this.#steps, this.#state, h("div", { class: "machine-place" }, h("label", null, "Place a fault at checkpoint ", this.#checkpoint), this.#faults));
    this.addEventListener("click", (event) => {
      const button = /** @type {Element} */ (event.target).closest("button");
      const step = /** @type {StepId | undefined} */ (button?.dataset.step);
      const kind = FAULT_KINDS[Number(button?.dataset.kind ?? NaN)];
      if (step) this.#choose(step);
      if (kind) emit(this, "fault-place", { faults: kind.make(Math.max(1, this.#checkpoint.valueAsNumber || 1), this.#job) });
    });
    this.#choose(this.#chosen);
  }

  /**
   * @param {TransactionReport} report
   * @param {Job} job   as the settings have it
   */
  show(report, job) {
    this.#report = report;
    const isOther = this.#job?.sink !== job.sink;
    this.#job = job;
    if (!isOther) return;
    for (const { id, says } of STEPS) {
      const words = this.#steps.querySelector(`li[data-step="${id}"] > p`);
      if (words) setText(words, SAYS[job.sink]?.[id] ?? says);
    }
    this.#choose(this.#chosen);
  }

  /** Lights up the step that the player stands at. @param {number} position */
  mark(position) {
    const trace = this.#report?.trace ?? [];
    const passed = trace.slice(0, position);
    const isFailure = passed.length > 0 && FAILED.includes(passed[passed.length - 1].kind);
    const last = [...passed].reverse().find(({ kind }) => STEPS.some(({ kinds }) => kinds.includes(kind)));
    const lit = STEPS.find(({ kinds }) => last && kinds.includes(last.kind))?.id ?? null;
    for (const item of this.#steps.children) {
      const isLit = item.getAttribute("data-step") === lit;
      item.classList.toggle("is-lit", isLit && !isFailure);
      item.classList.toggle("is-broken", isLit && isFailure);
      if (isLit) item.setAttribute("aria-current", "step");
      else item.removeAttribute("aria-current");
    }
    setText(this.#state, passed.length > 0 ? passed[passed.length - 1].text : "Nothing has happened yet.");
    this.#state.classList.toggle("is-wrong", isFailure);
    const checkpoint = last?.checkpoint;
    if (checkpoint && document.activeElement !== this.#checkpoint) this.#checkpoint.value = String(checkpoint);
  }

  /** @param {StepId} id */
  #choose(id) {
    this.#chosen = id;
    for (const button of this.#steps.querySelectorAll("button")) button.setAttribute("aria-pressed", String(button.dataset.step === id));
    const kinds = FAULT_KINDS.map((kind, at) => ({ kind, at })).filter(({ kind }) => kind.step === id && kind.sinks.includes(this.#job?.sink ?? "kafkaSink"));
    patchChildren(this.#faults, kinds.map(({ kind, at }) => h("button", { type: "button", "data-id": at, "data-kind": at }, kind.word)));
  }
}
