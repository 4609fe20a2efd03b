// @ts-check
import { backends } from "./backends.js";
import { heap } from "./heap.js";
import { limits } from "./limits.js";
import { local } from "./local.js";
import { network } from "./network.js";
import { rocksdb } from "./rocksdb.js";
import { slots } from "./slots.js";
import { ttl } from "./ttl.js";

/** By the name in the address. @type {Record<string, import("./view.js").Panel>} */
export const PANELS = { limits, rocksdb, heap, backends, ttl, slots, network, local };

const INITIAL = Object.fromEntries(Object.values(PANELS).flatMap(({ fields }) => fields.map(({ id, initial }) => [id, initial])));

/**
 * A text for every field: panels may use each other's.
 * @param {Record<string, string>} workload
 * @returns {Record<string, string>}
 */
export function valuesOf(workload) {
  return { ...INITIAL, ...workload };
}
