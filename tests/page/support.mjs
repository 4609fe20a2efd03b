// Serves the built page and drives a Chromium; every test fails on a console error, a refused
// load or a policy violation, whatever else it looks at.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import path from "node:path";
import { after, before } from "node:test";
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

export const DIST = path.resolve(process.env.WEIR_DIST ?? fileURLToPath(new URL("../../dist", import.meta.url)));
const ARGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};

/**
 * @param {{ wasmType?: string | null }} [options]  null: there is no wasm
 */
export async function serve({ wasmType = TYPES[".wasm"] } = {}) {
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    const file = path.join(DIST, decodeURIComponent(pathname.endsWith("/") ? `${pathname}index.html` : pathname));
    if (!file.startsWith(DIST)) return response.writeHead(403).end();
    try {
      const body = await readFile(file);
      const extension = path.extname(file);
      if (extension === ".wasm" && wasmType === null) return response.writeHead(404).end();
      const type = extension === ".wasm" ? wasmType : (TYPES[extension] ?? "application/octet-stream");
      response.writeHead(200, { "content-type": type, "cache-control": "no-store" }).end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  return {
    url: `http://127.0.0.1:${port}/`,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

/** One browser and one server for the tests of a file. */
export function studio() {
  const shared = { browser: null, server: null, url: "" };
  before(async () => {
    shared.server = await serve();
    // `cargo xtask test` serves the page as it would for a reader; a run by hand needs no other program.
    shared.url = process.env.WEIR_URL ?? shared.server.url;
    shared.browser = await chromium.launch({ executablePath: process.env.CHROME ?? "/usr/bin/chromium", args: ARGS });
  });
  after(async () => {
    await shared.browser?.close();
    await shared.server?.close();
  });

  /**
   * Opens the page in a context of its own, runs `act`, and asserts that nothing complained.
   * @param {{ hash?: string, width?: number, height?: number, url?: string, allow?: RegExp } & object} options
   * @param {(page: import("playwright-core").Page, context: import("playwright-core").BrowserContext) => Promise<void>} act
   */
  async function visit({ hash = "", width = 1280, height = 900, url = shared.url, allow = null, ...context }, act) {
    const opened = await shared.browser.newContext({ viewport: { width, height }, acceptDownloads: true, ...context });
    await opened.grantPermissions(["clipboard-read", "clipboard-write"]);
    const page = await opened.newPage();
    const complaints = [];
    const complain = (text) => allow?.test(text) || complaints.push(text);
    page.on("console", (message) => message.type() === "error" && complain(`console: ${message.text()}`));
    page.on("pageerror", (error) => complain(`thrown: ${error}`));
    page.on("dialog", (dialog) => {
      complain(`dialog: ${dialog.message()}`);
      dialog.dismiss();
    });
    await page.addInitScript(() => {
      document.addEventListener("securitypolicyviolation", (event) => {
        console.error(`policy: ${event.violatedDirective} refused ${event.blockedURI} ${event.sample}`);
      });
    });
    try {
      await page.goto(`${url}${hash}`);
      await act(page, opened);
      assert.deepEqual(complaints, []);
    } finally {
      await opened.close();
    }
  }
  return { shared, visit };
}

/** Waits for the first answer, or for the refusal. */
export async function answered(page, state = "answered") {
  await page.locator(`memory-tool[data-state="${state}"]`).waitFor();
}

/** The input of one option. */
export const field = (page, option) => page.locator(`field-input[data-option="${option}"] input[type="text"]`);

/** The exact bytes the table shows for a component. */
export async function bytesOf(page, id) {
  const title = await page.locator(`tr[data-id="${id}"] .bytes`).getAttribute("title");
  return Number(title.replace(/\D/g, ""));
}

/** Waits until the table shows `bytes` for a component. */
export async function waitForBytes(page, id, bytes) {
  await page.waitForFunction(
    ([row, want]) => document.querySelector(`tr[data-id="${row}"] .bytes`)?.getAttribute("title")?.replace(/\D/g, "") === want,
    [id, String(bytes)],
  );
}
