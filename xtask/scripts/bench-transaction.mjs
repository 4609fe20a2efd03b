// The transaction part of the bench: prints `name value unit` a line, and fails where the module of the
// page, the native build and stateright do not find as many distinct states.
// Usage: node bench-transaction.mjs NATIVE, the program of examples/bench_transaction.rs, with WEIR_URL
// and CHROME in the environment. WEIR_BENCH_ROUNDS sets how often each side runs.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { twoSinks } from "../../benches/transaction/models.js";
import { URL_OF_STUDIO, inOwnWorker, withBenches, withBrowser } from "./browser.mjs";

const NATIVE = process.argv[2];
const ROUNDS = Number(process.env.WEIR_BENCH_ROUNDS ?? 3);
/** Of each subtask; with two, the search ends within the 512 MiB that the page allows for it. */
const RECORDS = 2;
/** What was aimed at in the browser [1/s]. */
const AIM_GENERATED = 1_000_000;
const AIM_DISTINCT = 250_000;

const run = promisify(execFile);

await withBrowser(async (browser) => {
  const context = await withBenches(browser);
  const page = await context.newPage();
  await page.goto(URL_OF_STUDIO);

  const inWorker = (params) => inOwnWorker(page, "transaction/worker.js", { params });
  const natively = async (engine, params) =>
    JSON.parse((await run(NATIVE, [engine, JSON.stringify(params)])).stdout);

  const params = twoSinks(RECORDS);
  const { wasm, native, stateright } = await compare(params, inWorker, natively);
  const { sinks, records, checkpoints, crashes } = params;
  console.error(
    `bench: ${sinks} sinks of ${records} records, ${checkpoints} checkpoints, ${crashes} crash: ` +
      `${native.distinct} distinct states on all three sides`,
  );
  const perSecond = (count, ms) => (count * 1000) / ms;
  print("wasm_generated_per_s", perSecond(wasm.generated, wasm.ms), "1/s");
  print("aim_generated_per_s", AIM_GENERATED, "1/s");
  print("wasm_distinct_per_s", perSecond(wasm.distinct, wasm.ms), "1/s");
  print("aim_distinct_per_s", AIM_DISTINCT, "1/s");
  print("wasm_over_native", native.ms / wasm.ms, "ratio");
  print("native_over_stateright", stateright.ms / native.ms, "ratio");
  print("distinct", native.distinct, "states");
  print("state_bytes", native.stateBytes, "bytes");
  print("memory_bytes_per_distinct", native.bytes / native.distinct, "bytes");
});

/** The three sides in turn, so that a busy machine slows all; the fastest of each counts. */
async function compare(params, inWorker, natively) {
  const best = {};
  for (let round = 0; round < ROUNDS; round += 1) {
    const sides = {
      wasm: await inWorker(params),
      native: await natively("weir", params),
      stateright: await natively("stateright", params),
    };
    const { wasm, native, stateright } = sides;
    const isSame = wasm.distinct === native.distinct && stateright.distinct === native.distinct;
    if (!isSame || wasm.generated !== native.generated) {
      throw new Error(`the sides differ: ${JSON.stringify(sides)}`);
    }
    for (const [side, one] of Object.entries(sides)) {
      if (!best[side] || one.ms < best[side].ms) best[side] = one;
    }
  }
  return best;
}

function print(name, value, unit) {
  console.log(`transaction.explore.${name} ${value.toFixed(3)} ${unit}`);
}
