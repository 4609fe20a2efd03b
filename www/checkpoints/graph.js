// @ts-check
/**
 * A job graph of any shape in the form: fields for each vertex and each edge, kept among the other
 * settings as `v0.parallelism` or `e1.exchange`. Pure.
 * @import { CheckpointField, Settings } from "./fields.js"
 */

export const VERTICES_MAX = 20;
export const EDGES_MAX = 60;

/** @typedef {"addSource" | "addVertex" | "removeVertex" | "addEdge" | "removeEdge"} GraphAct */

/**
 * @typedef {Omit<CheckpointField, "id" | "path" | "shown" | "api"> & { own?: true, api: string, path: string, initial: string, of?: "source" | "operator" }} Part
 *   `path`: below the vertex or the edge; `of`: only for those
 */

/** @type {[string, string][]} */
const SPREADS = [
  ["constant", "not: every record the same"],
  ["exponential", "exponential, around that mean"],
  ["lognormal", "lognormal, around that mean"],
];

export const SIGMA_HINT = "How wide times spread around their mean: 0 is not at all, at 1 three in a hundred take more than four times the mean. Only a lognormal distribution has it.";

/** @type {Record<string, Part>} */
const VERTEX = {
  name: { label: "Name", api: "vertices[].name", own: true, kind: "text", initial: "Vertex", path: "name", hint: "As the web UI calls it." },
  parallelism: { label: "Subtasks", api: "setParallelism", own: true, kind: "count", initial: "1", path: "parallelism", hint: "Its parallelism." },
  rate: { label: "Records a subtask offers", api: "records/s", own: true, kind: "rates", initial: "1000", of: "source", slider: { min: 1, max: 100_000, scale: "log", unit: "" }, path: "source.rate", hint: "What it would emit if nothing held it back. A list is by subtask, or by partition where there are partitions, and is repeated where it is too short." },
  lag: { label: "A subtask blocks for", api: "time in one poll", own: true, kind: "durations", empty: "0 s", initial: "", of: "source", slider: { min: 0, max: 60_000, scale: "log", unit: "ms" }, path: "source.lagMs", hint: "Its thread is busy for so long, beginning just before each trigger. One time is every subtask’s; a list is by subtask, and is repeated where it is too short." },
  bursts: { label: "Bursts", api: "times the rate, for, every", own: true, kind: "bursts", empty: "none", initial: "", of: "source", path: "source.bursts", hint: "The factor, how long, and how often, as in 5, 2 s, 20 s." },
  partitions: { label: "Partitions", api: "partitions", own: true, kind: "count", empty: "one a subtask", initial: "", of: "source", path: "source.partitions", hint: "Partition p is read by subtask p modulo the parallelism; the rate is then that of a partition." },
  maxRate: { label: "Most records while it catches up", api: "records/s", own: true, kind: "rates", empty: "no limit", initial: "", of: "source", path: "source.maxRate", hint: "What a subtask reads at most in a second when it is behind." },
  service: { label: "Time for a record", api: "service time", own: true, kind: "durations", initial: "0 ms", of: "operator", slider: { min: 0, max: 100_000, scale: "log", unit: "µs" }, path: "service", hint: "How long a record keeps the thread, such as 5 ms or 200 µs; a list is by subtask." },
  spread: { label: "How much it varies", api: "distribution of the service time", own: true, kind: "choice", choices: SPREADS, initial: "constant", of: "operator", path: "spread", hint: "Drawn from a seeded generator." },
  sigma: { label: "σ of a lognormal distribution", api: "spread of the logarithm", own: true, kind: "number", initial: "1", of: "operator", path: "sigma", hint: SIGMA_HINT },
  selectivity: { label: "Records out for a record in", api: "selectivity", own: true, kind: "number", initial: "1", of: "operator", path: "selectivity", hint: "0.1 emits one record for ten; 3 emits three for one." },
  state: { label: "State of a subtask", api: "state_size", own: true, kind: "sizes", empty: "none", initial: "", path: "state.bytes", hint: "What a full checkpoint writes. A list is by subtask." },
  changed: { label: "New since the last checkpoint", api: "checkpointed_size", own: true, kind: "sizes", empty: "none", initial: "", path: "state.changedBytes", hint: "What an incremental checkpoint of a subtask writes; without incremental checkpoints it does not count." },
  sync: { label: "Synchronous part", api: "checkpoint.sync", own: true, kind: "duration", empty: "0 ms", initial: "", path: "syncMs", hint: "No record is processed meanwhile." },
  async: { label: "Asynchronous part beside the upload", api: "checkpoint.async", own: true, kind: "duration", empty: "0 ms", initial: "", path: "asyncMs", hint: "What runs beside the thread." },
  slowFirst: { label: "Only the first checkpoints have these parts", api: "snapshots", own: true, kind: "count", initial: "0", path: "slowFirst", hint: "0 is all." },
};

/** How records go from subtask to subtask. @type {[string, string][]} */
export const EXCHANGES = [
  ["hash", "keyBy: by the hash of the key"],
  ["rebalance", "rebalance: in turn"],
  ["rescale", "rescale: in turn, to the sender’s part only"],
  ["broadcast", "broadcast: to every subtask"],
  ["forward", "forward: subtask to subtask"],
];

export const ALIGNED_HINT = "A subtask with a forward, rescale or broadcast exchange among its inputs aligns on all of its channels, whatever the mode; at the others barriers overtake.";

/** @type {Record<string, Part>} */
const EDGE = {
  from: { label: "From vertex", api: "edges[].from", own: true, kind: "choice", initial: "0", path: "from", hint: "The one that sends." },
  to: { label: "To vertex", api: "edges[].to", own: true, kind: "choice", initial: "1", path: "to", hint: "A later one: vertices stand in the order of the flow." },
  exchange: {
    label: "Exchange",
    api: "keyBy, rebalance, rescale, broadcast, forward",
    own: true,
    kind: "choice",
    choices: EXCHANGES,
    initial: "hash",
    path: "exchange",
    hint: ALIGNED_HINT,
  },
  recordBytes: { label: "Bytes of a record on the wire", api: "serialised record", own: true, kind: "size", initial: "100 b", slider: { min: 0, max: 1_048_576, scale: "log", unit: "bytes" }, path: "recordBytes", hint: "Length 4, tag 1, timestamp 8, and what your serialiser writes." },
  skew: {
    label: "How evenly keys are spread",
    api: "keys",
    own: true,
    kind: "choice",
    choices: [
      ["even", "evenly"],
      ["weights", "a share for each subtask"],
      ["zipf", "Zipf: key k has 1 / k^exponent"],
      ["hotKey", "one hot key, all others alike"],
    ],
    initial: "even",
    path: "skew.kind",
    hint: "Only a keyed exchange has skew.",
  },
  weights: { label: "Shares by subtask", api: "keys", own: true, kind: "weights", initial: "1", path: "skew.weights", hint: "As in 9, 1; the list is repeated where it is too short." },
  zipf: { label: "Keys and exponent", api: "keys", own: true, kind: "weights", initial: "1000, 1", path: "skew.keys", hint: "As in 1000, 1.1." },
  share: { label: "Share of the hot key", api: "keys", own: true, kind: "number", initial: "0.5", path: "skew.share", hint: "From 0 to 1." },
};

/** Fields by id, so that the same field is the same object. @type {Map<string, CheckpointField>} */
const made = new Map();

/**
 * @param {string} prefix   `v` or `e`
 * @param {number} at
 * @param {string} name
 * @returns {CheckpointField & { initial: string }}
 */
function fieldOf(prefix, at, name) {
  const id = `${prefix}${at}.${name}`;
  let field = made.get(id);
  if (!field) {
    const { of, ...part } = (prefix === "v" ? VERTEX : EDGE)[name];
    const list = prefix === "v" ? "vertices" : "edges";
    const choices = name === "from" || name === "to" ? numbers(VERTICES_MAX) : part.choices;
    field = { ...part, id, path: `${list}[${at}].${part.path}`, choices, shown: (settings) => isShown(settings, prefix, at, name, of) };
    made.set(id, field);
  }
  return /** @type {any} */ (field);
}

/** @param {number} count @returns {[string, string][]} */
function numbers(count) {
  return Array.from({ length: count }, (_, at) => [String(at), String(at)]);
}

/** @type {(settings: Settings, prefix: string, at: number, name: string, of: Part["of"]) => boolean} */
function isShown(settings, prefix, at, name, of) {
  if (!isGraph(settings)) return false;
  if (prefix === "v") return of === undefined || (of === "source") === isSource(settings, at);
  if (name === "skew") return settings[`e${at}.exchange`] === "hash";
  const kinds = { weights: "weights", zipf: "zipf", share: "hotKey" };
  return !(name in kinds) || (settings[`e${at}.exchange`] === "hash" && settings[`e${at}.skew`] === kinds[/** @type {"zipf"} */ (name)]);
}

/** @type {CheckpointField & { initial: string }} */
const FAILS = { id: "failVertex", label: "The vertex that fails", api: "its subtask 0", own: true, kind: "choice", choices: numbers(VERTICES_MAX), initial: "1", shown: (settings) => isGraph(settings) && settings.failAt.trim() !== "", path: "recovery.failures[0].vertex", hint: "At the time that is set under Failure." };

/** @param {Settings} settings */
export function isGraph(settings) {
  return settings.shape === "graph";
}

/** @param {string | undefined} text @param {number} least @param {number} most */
function bounded(text, least, most) {
  return Math.min(Math.max(Number.parseInt(text ?? "", 10) || least, least), most);
}

/** How many vertices and edges there are. @param {Settings} settings @returns {[number, number]} */
export function sizeOf(settings) {
  return [bounded(settings.vertices, 1, VERTICES_MAX), bounded(settings.edges, 0, EDGES_MAX)];
}

/** A vertex without an edge into it. @param {Settings} settings @param {number} at */
export function isSource(settings, at) {
  const [, edges] = sizeOf(settings);
  return !Array.from({ length: edges }, (_, edge) => settings[`e${edge}.to`]).includes(String(at));
}

/** @param {number} at */
export function vertexFields(at) {
  return Object.keys(VERTEX).map((name) => fieldOf("v", at, name));
}

/** @param {number} at */
export function edgeFields(at) {
  return Object.keys(EDGE).map((name) => fieldOf("e", at, name));
}

export const FAILING = FAILS;

/** All fields of a graph; none where the job has one of the fixed shapes. @param {Settings} settings */
export function graphFields(settings) {
  if (!isGraph(settings)) return [];
  const [vertices, edges] = sizeOf(settings);
  return [...list(vertices).flatMap(vertexFields), ...list(edges).flatMap(edgeFields), FAILS];
}

/** @param {number} length */
function list(length) {
  return Array.from({ length }, (_, at) => at);
}

/**
 * With every field of the graph; what is not there has its first value.
 * @param {Settings} settings
 * @returns {Settings}
 */
export function complete(settings) {
  if (!isGraph(settings)) return settings;
  const [vertices, edges] = sizeOf(settings);
  /** @type {Settings} */
  const whole = { ...settings, vertices: String(vertices), edges: String(edges) };
  for (const { id, initial } of graphFields(whole)) whole[id] ??= initial;
  return whole;
}

/**
 * The graph with a vertex or an edge more or less.
 * @param {Settings} settings
 * @param {GraphAct} act
 * @param {number} at  what is removed
 * @returns {Settings}
 */
export function changeGraph(settings, act, at) {
  const [vertices, edges] = sizeOf(settings);
  let order = list(vertices);
  let flow = list(edges).map((edge) => ({ edge, from: Number(settings[`e${edge}.from`]), to: Number(settings[`e${edge}.to`]) }));
  const more = -1;
  if (act === "addSource" && vertices < VERTICES_MAX && edges < EDGES_MAX) {
    const first = order.find((vertex) => !isSource(settings, vertex)) ?? 0;
    order = [more, ...order];
    flow = [...flow, { edge: more, from: more, to: first }];
  } else if (act === "addVertex" && vertices < VERTICES_MAX && edges < EDGES_MAX) {
    flow = [...flow, { edge: more, from: vertices - 1, to: more }];
    order = [...order, more];
  } else if (act === "removeVertex" && vertices > 1) {
    order = order.filter((vertex) => vertex !== at);
    flow = flow.filter(({ from, to }) => from !== at && to !== at);
  } else if (act === "addEdge" && edges < EDGES_MAX) {
    flow = [...flow, { edge: more, from: Math.max(0, vertices - 2), to: vertices - 1 }];
  } else if (act === "removeEdge") {
    flow = flow.filter(({ edge }) => edge !== at);
  }
  /** @type {Settings} */
  const changed = Object.fromEntries(Object.entries(settings).filter(([id]) => !/^[ve]\d+\./.test(id)));
  order.forEach((old, now) => copy(settings, changed, "v", old, now, VERTEX));
  flow.forEach(({ edge, from, to }, now) => {
    copy(settings, changed, "e", edge, now, EDGE);
    changed[`e${now}.from`] = String(Math.max(0, order.indexOf(from)));
    changed[`e${now}.to`] = String(Math.max(0, order.indexOf(to)));
  });
  return complete({ ...changed, vertices: String(order.length), edges: String(flow.length) });
}

/** @type {(from: Settings, to: Settings, prefix: string, old: number, now: number, parts: Record<string, Part>) => void} */
function copy(from, to, prefix, old, now, parts) {
  for (const name of Object.keys(parts)) {
    const value = from[`${prefix}${old}.${name}`];
    if (value !== undefined) to[`${prefix}${now}.${name}`] = value;
  }
}

/** Whether a key of an address can be a setting of a graph. @param {string} key */
export function isGraphKey(key) {
  const [, prefix, at, name] = /^([ve])(\d{1,2})\.(\w+)$/.exec(key) ?? [];
  const parts = prefix === "v" ? VERTEX : EDGE;
  return key === "vertices" || key === "edges" || key === "failVertex" || (prefix !== undefined && Object.hasOwn(parts, name) && Number(at) < (prefix === "v" ? VERTICES_MAX : EDGES_MAX));
}
