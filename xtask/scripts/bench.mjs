// The browser's half of `cargo xtask bench`: prints `name value unit` a line.
// Usage: node bench.mjs NATIVE.json, with WEIR_URL and CHROME in the environment.
import { readFile } from "node:fs/promises";
import { URL_OF_STUDIO, settled, withBrowser } from "./browser.mjs";

const PASSES = 30;
const KEYSTROKES = 120;
const KEYSTROKES_WARM_UP = 20;
const FIRST_ANSWERS = 5;
const CPU_SLOWDOWN = 4;

const native = JSON.parse(await readFile(process.argv[2], "utf8"));

await withBrowser(async (browser) => {
  const micros = await deriveMicros(browser, native.params);
  print("memory.derive.native_us", native.micros, "us");
  print("memory.derive.wasm_us", micros, "us");
  print("memory.derive.wasm_over_native", micros / native.micros, "ratio");
  const keystrokes = await keystrokeTimes(browser);
  print("page.keystroke_p50_ms", percentile(keystrokes, 0.5), "ms");
  print("page.keystroke_p95_ms", percentile(keystrokes, 0.95), "ms");
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
    // The clock of a page is coarse, so a pass takes the list many times.
    [Array.from({ length: 20 }, () => params).flat(), PASSES],
  );
  await page.close();
  return micros;
}

/** From the input event of a field to the end of the last change that the answer makes to the page. */
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
      const times = [];
      for (let at = 0; at < count + warmUp; at += 1) {
        const answered = new Promise((resolve) => {
          // The tool writes its state last, also when the state stays the same.
          const observer = new MutationObserver(() => {
            observer.disconnect();
            resolve(performance.now());
          });
          observer.observe(tool, { attributes: true, attributeFilter: ["data-state"] });
        });
        field.value = `${1728 + at}m`;
        const start = performance.now();
        field.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
        const end = await answered;
        if (at >= warmUp) times.push(end - start);
        await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
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
