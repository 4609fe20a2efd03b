// @ts-check
import { emit, h, setText } from "../dom.js";
import { patchChildren } from "../patch.js";

/**
 * Something that happens to the job, the broker or the network, as the engine takes it.
 * @typedef {{ ev: string, at?: string, checkpoint?: number | string, [field: string]: unknown }} Fault
 *
 * @typedef {"begin" | "preCommit" | "complete" | "commit"} StepId
 *
 * @typedef {object} FaultKind
 * @property {string} word
 * @property {StepId} step                   where it is placed
 * @property {(checkpoint: number) => Fault[]} make
 */

/** A crash needs a restore; its time is the downtime of the settings, unless one is written. */
const RESTORE = { ev: "restore", from: "latest" };

/** @type {FaultKind[]} */
export const FAULT_KINDS = [
  { word: "Crash while writing", step: "begin", make: (checkpoint) => [{ ev: "crash", at: "mid_interval", checkpoint }, RESTORE] },
  { word: "TaskManager cut off, comes back", step: "begin", make: (checkpoint) => [{ ev: "tm_partition", checkpoint }, RESTORE, { ev: "zombie_send" }] },
  { word: "Rival with the same prefix", step: "begin", make: (checkpoint) => [{ ev: "second_job_starts", at: "mid_interval", checkpoint, prefix: "app", state: "none" }] },
  { word: "Broker’s maximum lowered to 5 min", step: "begin", make: (checkpoint) => [{ ev: "broker_max_lowered", at: "mid_interval", checkpoint, toMs: 300_000 }] },
  { word: "Crash after the pre-commit", step: "preCommit", make: (checkpoint) => [{ ev: "crash", at: "after_precommit", checkpoint }, RESTORE] },
  { word: "Checkpoint declined", step: "preCommit", make: (checkpoint) => [{ ev: "checkpoint_declined", checkpoint }] },
  { word: "JobManager lost before it is stored", step: "preCommit", make: (checkpoint) => [{ ev: "jm_crash", at: "after_precommit", checkpoint }, RESTORE] },
  { word: "Crash before the commit", step: "complete", make: (checkpoint) => [{ ev: "crash", at: "after_complete", checkpoint }, RESTORE] },
  { word: "Notification lost", step: "complete", make: (checkpoint) => [{ ev: "notify_lost", checkpoint }] },
  { word: "JobManager lost after it is stored", step: "complete", make: (checkpoint) => [{ ev: "jm_crash", at: "after_complete", checkpoint }, RESTORE] },
  { word: "It is an intermediate savepoint", step: "complete", make: (checkpoint) => [{ ev: "savepoint", checkpoint, stop: false }] },
  { word: "Crash during the commit", step: "commit", make: (checkpoint) => [{ ev: "crash", at: "during_commit", checkpoint }, RESTORE] },
  { word: "Crash after the commit", step: "commit", make: (checkpoint) => [{ ev: "crash", at: "after_commit", checkpoint }, RESTORE] },
  { word: "Coordinator’s broker fails over", step: "commit", make: (checkpoint) => [{ ev: "broker_coordinator_failover", at: "prepare_commit", checkpoint }] },
  { word: "Broker unreachable for 5 min", step: "commit", make: (checkpoint) => [{ ev: "broker_unreachable", at: "after_complete", checkpoint, forMs: 300_000 }] },
];

/** @type {Record<string, string>} */
const EVENTS = {
  crash: "Crash",
  jm_crash: "JobManager lost",
  tm_partition: "TaskManager cut off",
  restore: "Restore",
  notify_lost: "Notification lost",
  checkpoint_declined: "Checkpoint declined",
  savepoint: "Savepoint",
  zombie_send: "The zombie sends",
  zombie_commit: "The zombie commits",
  second_job_starts: "A second job starts",
  second_sink_same_jvm: "A second sink in the same JVM",
  broker_max_lowered: "The broker’s maximum is lowered",
  broker_coordinator_failover: "The coordinator fails over",
  broker_unreachable: "The broker is unreachable",
  acl_denied: "A call is refused",
  set: "Setting",
  run: "Runs on",
  end_of_input: "The input ends",
};
const MOMENTS = ["before_first_checkpoint", "mid_interval", "after_precommit", "after_complete", "during_commit", "prepare_commit", "after_commit", "right_after_init"];
/** What a fault has that is edited: times in milliseconds, and what a restore starts from. */
const NUMBERS = ["checkpoint", "afterMs", "forMs", "toMs", "parallelism", "from"];

/**
 * The faults, in their order: each can be edited and taken away.
 *
 * Property `faults`. Event `faults-change`: `{ faults }`.
 */
export class FaultList extends HTMLElement {
  /** @type {Fault[]} */
  #faults = [];
  #list = h("ol", { class: "faults" });
  #none = h("p", { class: "quiet" }, "No fault is placed. Choose a step of the transaction on the right to place one.");
  #problem = h("p", { class: "field-problem", hidden: true });

  connectedCallback() {
    if (this.childElementCount > 0) return;
    this.append(this.#none, this.#list, this.#problem);
    this.addEventListener("click", (event) => {
      const at = /** @type {Element} */ (event.target).closest("[data-remove]")?.getAttribute("data-remove");
      if (at) this.#change(this.#faults.filter((_, index) => index !== Number(at)));
    });
    this.addEventListener("change", (event) => {
      const input = /** @type {HTMLInputElement} */ (event.target);
      const { fault, name } = input.dataset;
      if (fault && name) this.#edit(Number(fault), name, input.value);
    });
  }

  /** @param {Fault[]} faults */
  set faults(faults) {
    this.#faults = faults;
    this.#none.hidden = faults.length > 0;
    patchChildren(this.#list, faults.map(item));
  }

  /** @param {string} sentence */
  set problem(sentence) {
    setText(this.#problem, sentence);
    this.#problem.hidden = sentence === "";
  }

  /**
   * @param {number} at
   * @param {string} name
   * @param {string} value
   */
  #edit(at, name, value) {
    const fault = { ...this.#faults[at] };
    if (value.trim() === "") delete fault[name];
    else fault[name] = NUMBERS.includes(name) && /^\d+$/.test(value.trim()) ? Number(value) : value.trim();
    this.#change(this.#faults.map((old, index) => (index === at ? fault : old)));
  }

  /** @param {Fault[]} faults */
  #change(faults) {
    emit(this, "faults-change", { faults });
  }
}

/**
 * @param {Fault} fault
 * @param {number} at
 */
function item(fault, at) {
  const name = EVENTS[fault.ev] ?? fault.ev.slice(0, 40);
  return h(
    "li",
    { class: "fault" },
    h("div", { class: "field-head" }, h("strong", null, name), h("button", { type: "button", class: "field-reset", "data-remove": at, "aria-label": `Remove fault ${at + 1}: ${name}` }, "Remove")),
    h("div", { class: "fault-fields" }, parts(fault, at, name)),
  );
}

/**
 * @param {Fault} fault
 * @param {number} at
 * @param {string} name
 */
function parts(fault, at, name) {
  const shown = Object.keys(fault).filter((key) => key !== "ev" && key !== "job" && key !== "state");
  if (fault.ev === "restore") for (const key of ["afterMs", "from"]) if (!shown.includes(key)) shown.push(key);
  return shown.map((key) => {
    const value = String(fault[key] ?? "");
    const about = { "aria-label": `${name}, ${WORDS[key] ?? key}`, "data-fault": at, "data-name": key };
    if (key === "at") return h("label", null, "moment ", h("select", about, MOMENTS.map((moment) => h("option", { value: moment, selected: moment === value }, moment.replaceAll("_", " ")))));
    return h("label", null, `${WORDS[key] ?? key} `, h("input", { type: "text", value, size: 10, autocomplete: "off", placeholder: key === "afterMs" ? "the downtime" : "", ...about }));
  });
}

/** @type {Record<string, string>} */
const WORDS = { checkpoint: "checkpoint", afterMs: "after [ms]", forMs: "for [ms]", toMs: "to [ms]", from: "from checkpoint", prefix: "prefix", parallelism: "subtasks", naming: "naming", stop: "stops the job", op: "call" };
