// The browser's half of `cargo xtask bench`: prints `name value unit` a line, and what it is at to
// standard error.
// Usage: node bench.mjs NATIVE.json, with WEIR_URL and CHROME in the environment.
import { readFile } from "node:fs/promises";
import { URL_OF_STUDIO, settled, withBrowser } from "./browser.mjs";

/** Many short passes: some of them fall where nothing else runs on the machine. */
const PASSES = 100;
const KEYSTROKES = 200;
const KEYSTROKES_WARM_UP = 40;
const FIRST_ANSWERS = 5;
const CPU_SLOWDOWN = 4;

const native = JSON.parse(await readFile(process.argv[2], "utf8"));

await withBrowser(async (browser) => {
  console.error("bench: derivations, in the browser ...");
  const micros = await deriveMicros(browser, native.params);
  print("memory.derive.native_us", native.micros, "us");
  print("memory.derive.wasm_us", micros, "us");
  print("memory.derive.wasm_over_native", micros / native.micros, "ratio");
  console.error("bench: keystrokes ...");
  const { updated, painted } = await keystrokeTimes(browser);
  print("page.keystroke_p50_ms", percentile(updated, 0.5), "ms");
  print("page.keystroke_p95_ms", percentile(updated, 0.95), "ms");
  print("page.keystroke_painted_p50_ms", percentile(painted, 0.5), "ms");
  print("page.keystroke_painted_p95_ms", percentile(painted, 0.95), "ms");
  console.error("bench: first answers on a slowed processor ...");
  const first = [];
  for (let run = 0; run < FIRST_ANSWERS; run += 1) first.push(await firstAnswer(browser));
  print("page.first_answer_ms", percentile(first, 0.5), "ms");
});

function print(name, value, unit) {
  console.log(`${name} ${value.toFixed(3)} ${unit}`);
}

function percentile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)];
}

/** One derivation across the boundary: params parsed, answer serialised. The fastest of several passes. */
async function deriveMicros(browser, params) {
  const page = await browser.newPage();
  await page.goto(URL_OF_STUDIO);
  await settled(page);
  const micros = await page.evaluate(
    async ([params, passes]) => {
      const { default: init, deriveTaskManager } = await import(new URL("weir.js", location.href).href);
      await init();
      let best = Infinity;
      for (let pass = 0; pass < passes; pass += 1) {
        const start = performance.now();
        for (const one of params) deriveTaskManager(one);
        best = Math.min(best, performance.now() - start);
      }
      return (best * 1000) / params.length;
    },
    // A pass over the list takes some hundred ticks of a page's coarse clock.
    [params, PASSES],
  );
  await page.close();
  return micros;
}

/**
 * Keystrokes in the field of the process's size, each of which changes most numbers of the answer:
 * `updated` is from the start of the input handler to the end of the last change of the DOM, `painted`
 * on to the first moment after a frame with that change.
 */
async function keystrokeTimes(browser) {
  const page = await browser.newPage();
  await page.goto(URL_OF_STUDIO);
  await settled(page);
  const times = await page.evaluate(
    async ([count, warmUp]) => {
      const tool = document.querySelector("[data-state]");
      const field = document.querySelector(
        "[data-option='taskmanager.memory.process.size'] input:not([type='range'])",
      );
      const times = { updated: [], painted: [] };
      for (let at = 0; at < count + warmUp; at += 1) {
        const answered = new Promise((resolve) => {
          // The tool writes its state last, also when the state stays the same. The observer is
          // called when all that the answer changes at once is changed.
          const observer = new MutationObserver(() => {
            observer.disconnect();
            resolve(performance.now());
          });
          observer.observe(tool, { attributes: true, attributeFilter: ["data-state"] });
        });
        field.value = `${1728 + at}m`;
        // A listener on the window's way down is called before any of the page's.
        let start = 0;
        const begin = () => (start = performance.now());
        window.addEventListener("input", begin, { capture: true, once: true });
        field.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
        const end = await answered;
        // A frame's callbacks run before its paint, a message sent from one comes after it.
        const painted = await new Promise((resolve) => {
          const { port1, port2 } = new MessageChannel();
          port1.onmessage = () => resolve(performance.now());
          requestAnimationFrame(() => port2.postMessage(null));
        });
        if (at >= warmUp) {
          times.updated.push(end - start);
          times.painted.push(painted - start);
        }
        await new Promise((resolve) => setTimeout(resolve));
      }
      return times;
    },
    [KEYSTROKES, KEYSTROKES_WARM_UP],
  );
  await page.close();
  return times;
}

/** From the start of the navigation to the first answer in the page, nothing cached. */
async function firstAnswer(browser) {
  const context = await browser.newContext({ serviceWorkers: "block" });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate: CPU_SLOWDOWN });
  await page.addInitScript(() => {
    const observer = new MutationObserver(() => {
      if (!document.querySelector("[data-state='answered']")) return;
      window.firstAnswerMs = performance.now();
      observer.disconnect();
    });
    observer.observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ["data-state"] });
  });
  await page.goto(URL_OF_STUDIO);
  const handle = await page.waitForFunction(() => window.firstAnswerMs, null, { timeout: 30_000 });
  const ms = await handle.jsonValue();
  await context.close();
  return ms;
}
