// Runs a scenario in the module of the page: `{id, scenario}` in, `{id, value}` or `{id, error}` out.
import init, { simulateScenario } from "../../weir_checkpoints.js";

const ready = init();

self.onmessage = async ({ data: { id, scenario } }) => {
  try {
    const { memory } = await ready;
    const start = performance.now();
    const answer = simulateScenario(scenario);
    const ms = performance.now() - start;
    if (!answer.ok) throw new Error(answer.error.message);
    const { events, checkpoints } = answer.value;
    const times = checkpoints.map((it) => it.endToEndMs);
    self.postMessage({ id, value: { ms, events, times, bytes: memory.buffer.byteLength } });
  } catch (error) {
    self.postMessage({ id, error: String(error) });
  }
};
