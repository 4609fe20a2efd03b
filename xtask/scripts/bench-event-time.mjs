// The browser's part of the event-time bench: prints `name value unit` a line, and fails where the
// engine, the loop of JavaScript and the native build do not write the same.
// Usage: node bench-event-time.mjs NATIVE, the program of examples/bench_event_time.rs, with
// WEIR_URL and CHROME in the environment. WEIR_BENCH_ROUNDS sets how often each side runs,
// WEIR_BENCH_FILE_MB how large the file is; without NATIVE only the file is run.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { benchFile } from "./bench-event-file.mjs";
import { URL_OF_STUDIO, withBenches, withBrowser } from "./browser.mjs";

const NATIVE = process.argv[2];
const ROUNDS = Number(process.env.WEIR_BENCH_ROUNDS ?? 5);
const RECORDS = 10_000_000;
const KEYS = 10_000;
const CASES = ["tumbling", "sliding", "session"];
const GROW_RECORDS = [1e4, 1e5, 1e6, 1e7];
const GROW_KEYS = [10, 1e3, 1e5, 1e6];

const run = promisify(execFile);

await withBrowser(async (browser) => {
  const context = await withBenches(browser);
  await benchFile(context, print);
  if (!NATIVE) return;
  const page = await context.newPage();
  await page.goto(URL_OF_STUDIO);
  await page.evaluate(() => {
    const worker = new Worker(new URL("benches/event_time/worker.js", location.href), { type: "module" });
    let last = 0;
    window.bench = (act, args) =>
      new Promise((resolve, reject) => {
        last += 1;
        const id = last;
        const hear = ({ data }) => {
          if (data.id !== id) return;
          worker.removeEventListener("message", hear);
          if (data.error) reject(new Error(data.error));
          else resolve(data.value);
        };
        worker.addEventListener("message", hear);
        worker.onerror = (event) => reject(new Error(event.message || "the worker failed"));
        worker.postMessage({ id, act, args });
      });
  });
  const inWorker = (act, ...args) => page.evaluate(([act, args]) => window.bench(act, args), [act, args]);
  const natively = async (...args) => JSON.parse((await run(NATIVE, args.map(String))).stdout);

  for (const name of CASES) await compare(name, inWorker, natively);
  // The three take the same records, which are made once.
  for (const records of GROW_RECORDS) {
    for (const name of CASES) await grow(name, `records_${exponent(records)}`, records, KEYS, inWorker);
  }
  for (const keys of GROW_KEYS) {
    for (const name of CASES) await grow(name, `keys_${exponent(keys)}`, RECORDS, keys, inWorker);
  }
});

/** Runs the three sides in turn, so that a busy machine slows all of them, and takes the fastest of each. */
async function compare(name, inWorker, natively) {
  const best = { script: Infinity, engine: Infinity, native: Infinity };
  for (let round = 0; round < ROUNDS; round += 1) {
    const script = await inWorker("script", name, RECORDS, KEYS);
    const engine = await inWorker("engine", name, RECORDS, KEYS, true);
    const native = await natively(name, RECORDS, KEYS);
    if (script.digest !== engine.digest || native.digest !== engine.digest) {
      const all = JSON.stringify({ script, engine, native });
      throw new Error(`${name}: not all sides wrote the same outcomes and results: ${all}`);
    }
    best.script = Math.min(best.script, script.ms);
    best.engine = Math.min(best.engine, engine.ms);
    best.native = Math.min(best.native, native.ms);
  }
  const rate = (ms) => (RECORDS * 1000) / ms;
  print(`event_time.${name}.wasm_events_per_s`, rate(best.engine), "1/s");
  print(`event_time.${name}.js_events_per_s`, rate(best.script), "1/s");
  print(`event_time.${name}.native_events_per_s`, rate(best.native), "1/s");
  print(`event_time.${name}.wasm_over_js`, best.script / best.engine, "ratio");
  print(`event_time.${name}.wasm_over_native`, best.native / best.engine, "ratio");
}

/** Time and memory of a run. The results are taken and let go: with a million keys there are millions. */
async function grow(name, label, records, keys, inWorker) {
  let [ms, held, state, results] = [Infinity, 0, 0, 0];
  for (let round = 0; round < Math.min(ROUNDS, 2); round += 1) {
    const engine = await inWorker("engine", name, records, keys, false);
    ms = Math.min(ms, engine.ms);
    ({ held, state, results } = engine);
  }
  const figure = `event_time.grow.${name}.${label}`;
  print(`${figure}.ms`, ms, "ms");
  print(`${figure}.ns_per_record`, (ms * 1e6) / records, "ns");
  print(`${figure}.bytes_per_record`, held / records, "bytes");
  print(`${figure}.state_bytes`, state, "bytes");
  print(`${figure}.results`, results, "results");
}

/** 10000 as `1e4`. */
function exponent(number) {
  return number.toExponential().replace("+", "");
}

function print(name, value, unit) {
  console.log(`${name} ${value.toFixed(3)} ${unit}`);
}
