// A quiet headless Chromium for the scripts beside this file.
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

/** Waits until the tool on show has answered, or has said why there is no answer. */
export function settled(page) {
  return page.locator("[data-state='answered'], [data-state='failed']").first().waitFor({ timeout: 30_000 });
}
