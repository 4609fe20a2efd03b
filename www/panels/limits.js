// @ts-check
import { breakable, h } from "../dom.js";
import { exactBytes } from "../format.js";
import { note, section, table } from "./parts.js";

/**
 * @import { BoundariesReport, KnobRange, RangeEnd } from "../../src/web/types.ts"
 * @import { Panel } from "./view.js"
 */

/** The largest size there is: Flink's way to write that there is no maximum. */
const UNLIMITED = "9223372036854775807b";

/** @type {Panel} */
export const limits = {
  question: "memoryBoundaries",
  look: "Each size and fraction by itself, all else as it is: from which value to which the process starts.",
  fields: [],
  plain: true,
  caption: "A bar is what starts, an arrow that it goes on; the upright mark is the present value. A thin bar below is what started in A.",
  params: (_, memory, __, role) => ({ ...memory, role }),
  body,
};

/** @param {BoundariesReport} report */
function body({ starts, smallestProcess, sensibleProcess, sensibleMeans, knobs }) {
  const process = knobs[0].option;
  return [
    section(
      "The whole process",
      starts ? null : note("The settings as they are do not start; Pools says why."),
      table("The smallest processes", ["Smallest", "#Size", "#Bytes", "Apply"], [
        { id: "legal", cells: ["that starts", ...ends(process, smallestProcess)] },
        { id: "sensible", cells: ["that leaves room to work in", ...ends(process, sensibleProcess)] },
      ]),
      note(sensibleMeans),
    ),
    section(
      "Every knob",
      table(
        "From which value to which each knob starts",
        ["Knob", "Now", "#Starts from", "#Starts up to"],
        knobs.map((knob) => ({
          id: knob.option,
          class: knob.possible ? undefined : "is-past",
          cells: [
            h("code", null, breakable(knob.option)),
            now(knob.now),
            end(knob, knob.lowest, "any smaller value"),
            end(knob, knob.highest, "any larger value"),
          ],
        })),
      ),
      note("Ends are those of Flink, to the byte or to a millionth. Before them stands the nearest whole MiB or thousandth inside the range, which a button sets."),
    ),
  ];
}

/** @param {string | null} text */
function now(text) {
  if (text === null) return h("span", { class: "quiet" }, "not set");
  return text === UNLIMITED ? "unlimited" : h("code", null, text);
}

/**
 * @param {string} option
 * @param {RangeEnd | null} found
 */
function ends(option, found) {
  if (!found) return ["none", "–", "–"];
  const { bytes } = found;
  return [h("code", null, inside(found)), bytes === null ? "–" : exactBytes(bytes), applyButton(option, found)];
}

/**
 * @param {KnobRange} knob
 * @param {RangeEnd | null} found
 * @param {string} open  what starts where there is no end
 */
function end({ option, possible }, found, open) {
  if (!possible) return h("span", { class: "quiet" }, "no value starts");
  if (!found) return h("span", { class: "quiet" }, open);
  const { bytes } = found;
  return [h("code", { class: "bytes" }, inside(found)), bytes === null ? null : h("span", { class: "exact" }, exactBytes(bytes)), applyButton(option, found)];
}

/**
 * A value inside the range, as a configuration takes it: three figures might lie outside.
 * @param {RangeEnd} found
 */
function inside({ whole, text }) {
  return whole ?? text;
}

/**
 * @param {string} option
 * @param {RangeEnd} found
 */
function applyButton(option, found) {
  const value = inside(found);
  const label = `Set ${value} as ${option}`;
  return h("button", { type: "button", class: "apply-knob", "data-option": option, "data-value": value, "aria-label": label, title: label }, `Set ${value}`);
}
