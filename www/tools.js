// @ts-check
/**
 * The tools of the studio, as the rail lists them. Memory comes with the page; what the others are
 * made of is fetched when one is opened.
 * @import { Answer } from "../src/web/types.ts"
 * @import { Codec } from "./codec.js"
 */

import { checkpointAnswers } from "./checkpoints/texts.js";
import { transactionText } from "./exactly-once/texts.js";
import { MemoryTool } from "./memory/tool.js";
import { MEMORY } from "./state.js";

/**
 * @typedef {(question: string, params: unknown, slot?: string) => Promise<Answer<any>>} Ask
 *
 * Pasted texts that a tool reads itself.
 * @typedef {object} OwnTexts
 * @property {(text: string) => string | null} recognise  a sentence that says what it is; null for none of its own
 * @property {(text: string) => void} take
 * @property {string} word         on the button that takes it
 *
 * A tool on the page. Events: `scenario-change`: `{ scenario, settled }`, `notice`: `{ text }`, and
 * `answered` when the engine has answered all that was asked.
 * @typedef {object} Shown
 * @property {Ask} ask
 * @property {"light" | "dark"} theme
 * @property {any} scenario
 * @property {() => unknown} refresh             asks again, for a theme or an engine that is new
 * @property {() => void} focusAnswer
 * @property {OwnTexts} [own]
 * @typedef {HTMLElement & Shown} ToolElement
 *
 * @typedef {object} Opened
 * @property {Codec<any, any>} codec
 * @property {ToolElement} element
 *
 * @typedef {object} Tool
 * @property {string} id           its name in the address
 * @property {string} name
 * @property {string} description  for search engines and link previews
 * @property {() => Promise<Opened>} open
 * @property {Omit<OwnTexts, "take">} [texts]  pasted texts that are this tool's, whichever is on show
 */

/** The one a bare address opens. */
export const FIRST_TOOL = "memory";

/** @type {Tool[]} */
export const TOOLS = [
  {
    id: "memory",
    name: "Memory",
    description: "Memory of Apache Flink's TaskManager and JobManager, to the byte, by version: every pool, every JVM flag, and why.",
    open: async () => ({ codec: MEMORY, element: new MemoryTool() }),
  },
  {
    id: "checkpoints",
    name: "Checkpoints",
    description: "Apache Flink's checkpoints, buffer by buffer: how long barriers wait, which subtask and phase is slow, and what unaligned checkpoints or a timeout would change.",
    open: async () => (await import("./checkpoints/define.js")).open(),
    texts: { word: "Read it in Checkpoints", recognise: checkpointAnswers },
  },
  {
    id: "event-time",
    name: "Event time",
    description: "Apache Flink's watermarks and windows, record by record: what is on time, late or dropped, when each window fires, and why.",
    open: async () => (await import("./event-time/define.js")).open(),
  },
  {
    id: "exactly-once",
    name: "Exactly-once",
    description: "Exactly-once delivery from Apache Flink into Kafka: what a crash does to each record, which timeouts are safe, and which settings break it.",
    open: async () => (await import("./exactly-once/define.js")).open(),
    texts: { word: "Read it in Exactly-once", recognise: transactionText },
  },
];
