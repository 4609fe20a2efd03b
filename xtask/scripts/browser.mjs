// A quiet headless Chromium for the scripts beside this file.
import { readFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const ARGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Where the studio is served, ending in a slash. */
export const URL_OF_STUDIO = process.env.WEIR_URL;

/** Starts the browser, hands it to `act`, and ends it whatever happens. */
export async function withBrowser(act) {
  const browser = await chromium.launch({ executablePath: process.env.CHROME, args: ARGS });
  try {
    return await act(browser);
  } finally {
    await browser.close();
  }
}

const BENCHES = fileURLToPath(new URL("../../benches/", import.meta.url));

/** The studio with `benches/` beside it. It is no part of the studio, so only here it stands there. */
export async function withBenches(browser) {
  const context = await browser.newContext({ serviceWorkers: "block" });
  await context.route("**/benches/**", async (route) => {
    const file = new URL(route.request().url()).pathname.split("/benches/")[1];
    const body = await readFile(path.join(BENCHES, file), "utf8");
    await route.fulfill({ body, contentType: "text/javascript" });
  });
  return context;
}

/** Asks a script of `benches/` once, in a worker of its own: each starts with the same memory. */
export function inOwnWorker(page, script, message) {
  return page.evaluate(
    ([script, message]) =>
      new Promise((resolve, reject) => {
        const worker = new Worker(new URL(`benches/${script}`, location.href), { type: "module" });
        const done = (act) => {
          worker.terminate();
          act();
        };
        worker.onerror = (event) => done(() => reject(new Error(event.message || "the worker failed")));
        worker.onmessage = ({ data }) =>
          done(() => (data.error ? reject(new Error(data.error)) : resolve(data.value)));
        worker.postMessage(message);
      }),
    [script, message],
  );
}

/** Waits until the tool on show has answered, or has said why there is no answer. */
export async function settled(page) {
  await page.locator("[data-state='answered'], [data-state='failed']").first().waitFor({ timeout: 30_000 });
  await page.locator(".panel-loading").waitFor({ state: "detached", timeout: 30_000 });
}
