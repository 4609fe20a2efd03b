// @ts-check
import { h } from "../dom.js";
import { count, figure, seconds } from "../format.js";
import { number } from "./field.js";
import { bar, note, section, table } from "./parts.js";

/**
 * @import { TtlReport } from "../../src/web/types.ts"
 * @import { Panel } from "./view.js"
 */

const BACKENDS = { both: "both", hashmap: "HashMap", rocksdb: "RocksDB" };
const BASES = { derived: "derived", measured: "measured", interpolated: "between what was measured", beyond: "beyond what was measured" };

/** @type {Panel} */
export const ttl = {
  question: "ttlGrowth",
  look: "How many entries live under a time to live that each write renews, and how many expired ones each clean-up leaves behind.",
  fields: [
    { id: "space", label: "Key space", unit: "keys", path: "keySpaces[0].keys", kind: "count", initial: "10000000" },
    { id: "rate", label: "Updates", unit: "per second", path: "keySpaces[0].updatesPerSecond", kind: "number", initial: "200" },
    { id: "ttlSeconds", label: "Time to live", unit: "seconds", path: "ttlSeconds", kind: "count", initial: "3600" },
    { id: "horizon", label: "Look ahead", unit: "seconds", path: "horizonSeconds", kind: "count", initial: "86400" },
    {
      id: "cleanUp",
      label: "Clean-up",
      path: "cleanUp",
      kind: "choice",
      initial: "compactionFilter",
      choices: [
        ["compactionFilter", "RocksDB: compaction filter"],
        ["incremental5", "HashMap: incremental, 5 (default)"],
        ["incremental1", "HashMap: incremental, 1"],
        ["incremental10EveryRecord", "HashMap: incremental, 10, every record"],
        ["fullSnapshot", "in full snapshots"],
        ["none", "none"],
      ],
    },
  ],
  params,
  body,
};

/**
 * @param {import("./field.js").Values} values
 * @param {import("../../src/web/types.ts").MemoryParams} memory
 */
function params(values, { version }) {
  return {
    version,
    keySpaces: [{ keys: number(values.space), updatesPerSecond: number(values.rate) }],
    ttlSeconds: number(values.ttlSeconds),
    cleanUp: values.cleanUp,
    horizonSeconds: number(values.horizon),
  };
}

/** @param {TtlReport} report */
function body(report) {
  return [strategiesPart(report), seriesPart(report)];
}

/** @param {TtlReport} report */
function strategiesPart({ strategies, cleanUp, live, keys }) {
  const most = strategies.reduce((largest, { stored }) => (stored > largest ? stored : largest), 0);
  return section(
    "Every clean-up, at the end",
    note(`In the long run ${figure(live)} of ${count(keys)} keys live.`),
    table(
      "Entries stored under each clean-up",
      ["Clean-up", "Backend", "#Stored", "To scale", "#Expired per live", "Basis", "~Snapshots"],
      strategies.map((line) => ({
        id: line.cleanUp,
        class: line.cleanUp === cleanUp ? "is-chosen" : undefined,
        cells: [
          [h("code", null, line.call), line.cleanUp === cleanUp ? h("span", { class: "remark" }, "chosen") : null],
          BACKENDS[line.backend],
          figure(line.stored),
          bar(line.stored, most, "heap"),
          figure(line.residue),
          BASES[line.basis],
          line.snapshots,
        ],
      })),
    ),
  );
}

/** @param {TtlReport} report */
function seriesPart({ series, steadyFromSeconds }) {
  const most = series.reduce((largest, { withoutCleanUp }) => (withoutCleanUp > largest ? withoutCleanUp : largest), 0);
  return section(
    "Over time",
    note(`Steady from ${seconds(steadyFromSeconds)} on.`),
    h("div", { class: "tall" }, table(
      "Entries over time",
      ["After", "#Live", "#Stored", "To scale", "#Without clean-up"],
      series.map((point) => ({
        id: String(point.seconds),
        cells: [seconds(point.seconds), figure(point.live), figure(point.stored), bar(point.stored, most, "heap"), figure(point.withoutCleanUp)],
      })),
    )),
  );
}
