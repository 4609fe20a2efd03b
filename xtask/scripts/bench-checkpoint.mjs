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

const run = promisify(execFile);

await withBrowser(async (browser) => {
  const context = await withBenches(browser);
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
