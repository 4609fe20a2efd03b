// What the bench of the search through all orders searches: a KafkaSink's writers and committers, with
// names by INCREMENTING. Not symmetric, because stateright's model is not.

/** Two subtasks with so many records each, three checkpoints, one crash. */
export function twoSinks(records) {
  return { sinks: 2, records, checkpoints: 3, crashes: 1, timeouts: 0, isSymmetric: false };
}
