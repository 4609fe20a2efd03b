// @ts-check
import { h } from "../dom.js";
import { count } from "../format.js";
import { bytes, mark, note, section, table } from "./parts.js";

/**
 * @import { LocalReport } from "../../src/web/types.ts"
 * @import { Values } from "./field.js"
 * @import { Panel } from "./view.js"
 */

const ORIGINS = /** @type {Record<string, string>} */ ({ configured: "configured", default: "default" });

/** @type {Panel} */
export const local = {
  question: "localMemory",
  look: "A TaskManager inside the program’s own JVM, as in an IDE, a test or a service that embeds Flink: what it gets, and whether direct memory holds its network pool.",
  fields: [
    { id: "localHeap", label: "Heap of the program", unit: "-Xmx", path: "jvmHeap", kind: "text", initial: "2g" },
    { id: "localDirect", label: "Direct memory", unit: "-XX:MaxDirectMemorySize", path: "maxDirectMemory", kind: "text", initial: "", placeholder: "not set: as -Xmx" },
  ],
  params: (values, memory) => ({ ...memory, jvmHeap: text(values.localHeap), maxDirectMemory: text(values.localDirect) }),
  body,
};

/** @param {string} value */
function text(value) {
  return value.trim() === "" ? null : value;
}

/** @param {LocalReport} report */
function body({ pools, network, segment, segments, segmentsAtMost, directLimit, missingAtLeast, fits, ignored }) {
  return [
    section(
      "What it gets",
      table(
        "Pools of a local TaskManager",
        ["Pool", "#Size", "From", "~Limited by", "~Option"],
        pools.map(({ id, name, bytes: size, origin, option, limitedBy }) => ({
          id,
          cells: [name, size === null ? "no limit of Flink’s" : bytes(size), size === null ? "not set" : (ORIGINS[origin] ?? origin), limitedBy, h("code", null, option)],
        })),
      ),
      note("No total is divided: taskmanager.memory.process.size and taskmanager.memory.flink.size have no effect here."),
    ),
    section(
      "The network pool in direct memory",
      table("The network pool in direct memory", ["Measure", "#Size", "#Buffers"], [
        { id: "network", cells: ["Allocated at the start", bytes(network), count(segments)] },
        { id: "limit", cells: ["Limit of direct memory, and how many of them it holds", bytes(directLimit), segmentsAtMost === null ? "–" : count(segmentsAtMost)] },
        { id: "missing", cells: ["Missing at least", bytes(missingAtLeast), ""] },
      ]),
      h("p", null, fits === null ? "The limit of direct memory is not known: give -Xmx." : mark(fits, "The pool fits.", "The pool does not fit: the TaskManager does not start."), " One buffer has ", bytes(segment), "."),
    ),
    ...(ignored.length > 0
      ? [
          section(
            "Settings without effect",
            table(
              "Settings without effect in a local run",
              ["Option", "Value", "Flink warns"],
              ignored.map(({ option, value, warned }) => ({ id: option, cells: [h("code", null, option), h("code", null, value), warned ? "yes" : "no"] })),
            ),
          ),
        ]
      : []),
  ];
}
