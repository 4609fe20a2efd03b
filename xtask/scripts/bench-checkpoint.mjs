// The browser's part of the checkpoint bench: prints `name value unit` a line, and fails where the
// module of the page and the native build do not come to the same checkpoints.
// Usage: node bench-checkpoint.mjs NATIVE, the program of examples/bench_checkpoint.rs, with WEIR_URL
// and CHROME in the environment. WEIR_BENCH_ROUNDS sets how often each side runs.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { allToAll } from "../../benches/checkpoint/scenario.js";
import { URL_OF_STUDIO, inOwnWorker, withBenches, withBrowser } from "./browser.mjs";

const NATIVE = process.argv[2];
const ROUNDS = Number(process.env.WEIR_BENCH_ROUNDS ?? 3);
const GROW_PARALLELISM = [8, 16, 32, 64, 128, 200];
/** Positions of the slider, of which each writes another text. */
const SLIDER = { from: 500, to: 596, step: 4, rounds: 6, warmUp: 10 };

const run = promisify(execFile);

await withBrowser(async (browser) => {
  const context = await withBenches(browser);
  const dragged = await sliderTimes(context);
  print("checkpoint.slider_p50_ms", percentile(dragged, 0.5), "ms");
  print("checkpoint.slider_p95_ms", percentile(dragged, 0.95), "ms");

  const page = await context.newPage();
  await page.goto(URL_OF_STUDIO);

  const inWorker = (scenario) => inOwnWorker(page, "checkpoint/worker.js", { id: 1, scenario });
  const natively = async (scenario) => JSON.parse((await run(NATIVE, [JSON.stringify(scenario)])).stdout);

  const minute = await compare(allToAll(32, 60_000), inWorker, natively);
  print("checkpoint.wasm_events_per_s", (minute.events * 1000) / minute.wasm, "1/s");
  print("checkpoint.wasm_over_native", minute.native / minute.wasm, "ratio");
  print("checkpoint.minute_32x32_ms", minute.wasm, "ms");
  for (const parallelism of GROW_PARALLELISM) {
    const { ms, bytes } = await fastest(() => inWorker(allToAll(parallelism, 10_000)));
    const channels = parallelism * parallelism;
    print(`checkpoint.grow.channels_${channels}.ms`, ms, "ms");
    print(`checkpoint.grow.channels_${channels}.wasm_bytes`, bytes, "bytes");
  }
});

/**
 * A drag of the slider of the service time in the default scenario: from the start of the handler to
 * the end of the last change of the page, with the simulation in the worker and all its drawings
 * between them.
 */
async function sliderTimes(context) {
  const page = await context.newPage();
  await page.goto(new URL("#/checkpoints?v=1", URL_OF_STUDIO).href);
  await page.locator("promise-panel[data-state=done]").waitFor();
  const times = await page.evaluate(async ({ from, to, step, rounds, warmUp }) => {
    const tool = document.querySelector("checkpoints-tool");
    const slider = document.querySelector('[data-field="service"] input[type="range"]');
    const times = [];
    const positions = [];
    for (let at = from; at <= to; at += step) positions.push(at);
    for (let at = 0; at < rounds * positions.length + warmUp; at += 1) {
      const answered = new Promise((resolve) => {
        const observer = new MutationObserver(() => {
          if (tool.dataset.state !== "answered") return;
          observer.disconnect();
          resolve(performance.now());
        });
        observer.observe(tool, { attributes: true, attributeFilter: ["data-state"] });
      });
      slider.value = String(positions[at % positions.length]);
      const start = performance.now();
      slider.dispatchEvent(new Event("input", { bubbles: true }));
      const end = await answered;
      if (at >= warmUp) times.push(end - start);
      // The next move of the hand comes before what waits for the end of the drag.
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
    return times;
  }, SLIDER);
  await page.close();
  return times;
}

function percentile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)];
}

/** Both sides in turn, so that a busy machine slows both; the fastest of each counts. */
async function compare(scenario, inWorker, natively) {
  const best = { wasm: Infinity, native: Infinity, events: 0 };
  for (let round = 0; round < ROUNDS; round += 1) {
    const wasm = await inWorker(scenario);
    const native = await natively(scenario);
    if (wasm.events !== native.events || String(wasm.times) !== String(native.times)) {
      throw new Error(`the two sides differ: ${JSON.stringify({ wasm, native })}`);
    }
    best.events = wasm.events;
    best.wasm = Math.min(best.wasm, wasm.ms);
    best.native = Math.min(best.native, native.ms);
  }
  return best;
}

async function fastest(act) {
  let best = { ms: Infinity };
  for (let round = 0; round < ROUNDS; round += 1) {
    const one = await act();
    if (one.ms < best.ms) best = one;
  }
  return best;
}

function print(name, value, unit) {
  console.log(`${name} ${value.toFixed(3)} ${unit}`);
}
