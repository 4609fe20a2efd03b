// @ts-check
import { breakable, h } from "../dom.js";
import { exactBytes, size } from "../format.js";
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
      note("Ends are those of Flink, to the byte or to a millionth. A button sets the nearest whole MiB or thousandth inside the range."),
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
  return [bytes === null ? found.text : size(bytes), bytes === null ? "–" : exactBytes(bytes), applyButton(option, found)];
}

/**
 * @param {KnobRange} knob
 * @param {RangeEnd | null} found
 * @param {string} open  what starts where there is no end
 */
function end({ option, possible }, found, open) {
  if (!possible) return h("span", { class: "quiet" }, "no value starts");
  if (!found) return h("span", { class: "quiet" }, open);
  const { bytes, text } = found;
  const exact = bytes === null ? h("span", { class: "bytes" }, text) : h("span", { class: "bytes" }, size(bytes));
  return [exact, bytes === null ? null : h("span", { class: "exact" }, exactBytes(bytes)), applyButton(option, found)];
}

/**
 * @param {string} option
 * @param {RangeEnd} found
 */
function applyButton(option, { whole, text }) {
  const value = whole ?? text;
  const label = `Set ${value} as ${option}`;
  return h("button", { type: "button", class: "apply-knob", "data-option": option, "data-value": value, "aria-label": label, title: label }, `Set ${value}`);
}
