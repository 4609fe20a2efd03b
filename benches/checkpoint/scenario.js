// The jobs of the checkpoint bench: all-to-all exchanges at 10,000 records a second and source, an
// operator that is busy six tenths of the time, a checkpoint every ten seconds.

/** A job of `parallelism` sources and as many operators, watched for so long. */
export function allToAll(parallelism, runMs) {
  return {
    vertices: [
      { name: "source", parallelism, source: { rate: [10_000] } },
      { name: "operator", parallelism, service: [{ kind: "constant", meanUs: 60 }], state: { bytes: [1e6], changedBytes: [0] } },
    ],
    edges: [{ from: 0, to: 1, exchange: "hash", recordBytes: 100 }],
    checkpointing: { intervalMs: 10_000, firstTriggerMs: 5_000 },
    runMs,
    seed: 1,
  };
}
