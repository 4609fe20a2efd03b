// @ts-check
/**
 * What a run of the stepper looks like. Nothing here listens, so that all of it can be patched: what
 * can be done carries its step as `data-step`.
 * @import { ChannelView, CheckpointView, ExploreBarriersReport, ItemView, Property, Step, StepperReport, SumView } from "../../../src/web/checkpoints.ts"
 */

import { h } from "../../dom.js";
import { count } from "../../format.js";

/** Steps on channels are on the items themselves. */
const ON_ITEMS = new Set(["deliver", "overtake"]);

/** @param {StepperReport} report */
export function jobView(report) {
  return h("div", { class: "stepper-job" }, report.tasks.map((_, task) => taskView(report, task)));
}

/**
 * @param {StepperReport} report
 * @param {number} task
 */
function taskView(report, task) {
  const channels = report.channels.map((channel, number) => ({ channel, number })).filter(({ channel }) => channel.task === task);
  const part = report.completed?.parts[task];
  const pending = report.pending?.parts[task];
  const { sums, transactions } = report.tasks[task];
  return h(
    "section",
    { class: `stepper-task${report.isDown ? " is-down" : ""}`, "aria-label": `Task ${task}` },
    report.tasks.length > 1 ? h("h4", null, `Task ${task}`) : null,
    h("ul", { class: "stepper-channels" }, channels.map(({ channel, number }) => channelView(channel, number))),
    h(
      "dl",
      { class: "facts stepper-facts" },
      fact("Sums", report.isDown ? "lost with the worker" : sumsText(sums)),
      pending ? fact(`Checkpoint ${report.pending?.id}, under way`, partText(pending, report.pending)) : null,
      part ? fact(`Checkpoint ${report.completed?.id}, complete`, partText(part, report.completed)) : null,
    ),
    transactions.length > 0 ? transactionList(transactions) : null,
  );
}

/**
 * @param {string} name
 * @param {string} text
 */
function fact(name, text) {
  return [h("dt", null, name), h("dd", null, text)];
}

/** @param {SumView[]} sums */
function sumsText(sums) {
  return sums.map(({ key, sum }) => `${key} = ${sum}`).join(", ") || "none yet";
}

/**
 * @param {CheckpointView["parts"][number]} part
 * @param {CheckpointView | null} checkpoint
 */
function partText(part, checkpoint) {
  const state = part.hasSnapshot ? `snapshot ${sumsText(part.sums)}` : "no snapshot yet";
  const inFlight = part.inFlight.length > 0 ? `; in-flight data ${part.inFlight.join(", ")}` : "";
  const barriers = part.hasSnapshot ? "" : `; barriers from ${part.barriers.length > 0 ? `channel ${part.barriers.join(", ")}` : "no channel"}`;
  return `${state}${inFlight}${barriers}${checkpoint?.isSwitched ? "; past its timeout, unaligned" : ""}`;
}

/** @param {StepperReport["tasks"][number]["transactions"]} transactions */
function transactionList(transactions) {
  const words = { open: "open", preCommitted: "pre-committed", committed: "committed", aborted: "aborted" };
  return h(
    "ul",
    { class: "stepper-transactions", "aria-label": "Transactions" },
    transactions.map(({ number, status, results }) =>
      h("li", { class: `is-${status}`, "data-id": number }, h("strong", null, `Transaction ${number}`), ` ${words[status]}`, results.length > 0 ? `: ${results.join(", ")}` : ""),
    ),
  );
}

/**
 * @param {ChannelView} channel
 * @param {number} number
 */
function channelView(channel, number) {
  return h(
    "li",
    { class: `stepper-channel${channel.isBlocked ? " is-blocked" : ""}`, "data-id": number },
    h("span", { class: "stepper-name" }, `Channel ${number}`, channel.isBlocked ? h("span", { class: "stepper-blocked" }, "blocked") : null),
    h("ol", { class: "stepper-items" }, channel.items.map((item) => h("li", null, itemView(item, number)))),
  );
}

/**
 * @param {ItemView} item
 * @param {number} channel
 */
function itemView(item, channel) {
  const place = item.isInFlight ? "in flight" : item.place;
  const twice = item.counted > 1 ? `, in the sums ${item.counted} times` : "";
  const overtakes = item.step?.kind === "overtake" ? ", overtakes when clicked" : "";
  const times = item.counted > 1 ? ` ×${item.counted}` : "";
  const text = item.isBarrier ? item.text.replace("barrier ", "▮ ") : `${item.text}${times}`;
  const look = ["stepper-item", `is-${item.place}`, item.isBarrier ? "is-barrier" : "", item.isInFlight ? "is-in-flight" : "", item.counted > 1 ? "is-twice" : ""];
  return h(
    "button",
    {
      type: "button",
      class: look.filter(Boolean).join(" "),
      "data-step": item.step ? JSON.stringify(item.step) : null,
      disabled: !item.step,
      "aria-label": `${item.text}${times}, channel ${channel}, ${place}${twice}${overtakes}`,
      title: `${place}${twice}${overtakes}`,
    },
    text,
  );
}

/** Buttons for what concerns no single item. @param {StepperReport} report */
export function stepButtons(report) {
  return report.steps
    .filter(({ step }) => !ON_ITEMS.has(step.kind))
    .map(({ step, says, obstacle }) => h("button", { type: "button", "data-id": step.kind, "data-step": obstacle ? null : JSON.stringify(step), disabled: obstacle !== null, title: obstacle }, says));
}

/** Why steps are not possible. @param {StepperReport} report */
export function obstacles(report) {
  const blocked = report.steps.filter(({ step, obstacle }) => obstacle !== null && step.kind !== "overtake");
  return h("ul", { class: "quiet stepper-obstacles" }, blocked.map(({ says, obstacle }) => h("li", null, `${says}: ${obstacle}`)));
}

/** @param {StepperReport} report */
export function logView(report) {
  return h("ol", { class: "stepper-log" }, report.log.map((said, index) => h("li", null, h("button", { type: "button", class: "link", "data-back": index + 1, "aria-label": `Go back to step ${index + 1}` }, index + 1), ` ${said}`)));
}

/** @param {ExploreBarriersReport} report */
export function exploreView(report) {
  const states = `${count(report.states)} different states, ${count(report.transitions)} steps between them, none further than ${report.depth} steps from the start`;
  const cut = report.isComplete ? "." : `; only the first ${count(report.limit)} were looked at.`;
  return [h("p", { class: "stepper-verdict" }, report.verdict), h("p", { class: "quiet" }, `${states}${cut}`), h("ul", { class: "stepper-properties" }, report.properties.map(propertyView))];
}

/** @param {Property} property */
function propertyView({ id, kind, says, holds, run, reason }) {
  const breaks = kind === "always" && !holds;
  const mark = kind === "sometimes" ? (holds ? "occurs" : "never occurs") : holds ? "holds" : "broken";
  const play = breaks ? "Play the shortest run that breaks it" : "Play the shortest run that shows it";
  return h(
    "li",
    { class: breaks ? "is-broken" : null, "data-id": id },
    h("strong", null, mark),
    ` ${says}`,
    breaks && reason ? h("span", { class: "stepper-reason" }, ` ${reason}`) : null,
    run && run.length > 0 ? [" ", h("button", { type: "button", "data-run": JSON.stringify(run), "aria-label": `${play}: ${says}` }, `${run.length} steps`)] : null,
  );
}
