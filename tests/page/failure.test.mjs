import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { answered, bytesOf, field, serve, studio, waitForBytes } from "./support.mjs";

const { visit } = studio();
const PROCESS = "taskmanager.memory.process.size";
const FLINK_SAYS =
  "TaskManager memory configuration failed: Cannot read memory size from config option 'taskmanager.memory.process.size'.";

test("bad input keeps the text and the last answer, and says what Flink says", () =>
  visit({}, async (page) => {
    await answered(page);
    await field(page, PROCESS).fill("12 parsecs");
    await answered(page, "failed");
    assert.equal(await field(page, PROCESS).inputValue(), "12 parsecs");
    assert.equal(await field(page, PROCESS).getAttribute("aria-invalid"), "true");
    const problem = await page.locator(`field-input[data-option="${PROCESS}"] .field-problem`).textContent();
    assert.ok(problem.startsWith(FLINK_SAYS));
    assert.ok(problem.length > FLINK_SAYS.length, "the plain sentence stands beside it");
    assert.ok((await page.locator(".flink-says pre").textContent()).startsWith(FLINK_SAYS));
    assert.ok(await page.locator(".stale-note").isVisible());
    assert.ok(await page.locator("memory-answer section[inert] finding-list").isVisible());
    assert.equal(await page.locator("memory-answer [inert] component-table, memory-answer svg-chart[inert]").count(), 0);
    assert.equal(await bytesOf(page, "taskHeap"), 402653174);
    await field(page, PROCESS).fill("2g");
    await answered(page);
    assert.ok(await page.locator(".stale-note").isHidden());
    assert.equal(await page.locator("memory-answer > [inert]").count(), 0);
    assert.equal(await field(page, PROCESS).getAttribute("aria-invalid"), "false");
  }));

test("settings that never worked can still be taken away as a file", () =>
  visit({ hash: `#/memory?v=1&${PROCESS}=1m&no.such.key=1` }, async (page) => {
    await answered(page, "failed");
    assert.deepEqual(await page.locator("export-bar button:visible").allTextContents(), ["Configuration"]);
    const [file] = await Promise.all([page.waitForEvent("download"), page.locator("export-bar button:visible").click()]);
    assert.match(await readFile(await file.path(), "utf8"), new RegExp(`${PROCESS}: 1m`));
    await page.locator("#notice", { hasText: "Left out: no.such.key (not options of Flink 1.20)" }).waitFor();
  }));

test("an answer for the other process is not kept", () =>
  visit({ hash: "#/memory?v=1&jobmanager.memory.process.size=1m" }, async (page) => {
    await answered(page);
    await page.evaluate(() => (location.hash = "#/memory?v=1&role=jobmanager&jobmanager.memory.process.size=1m"));
    await answered(page, "failed");
    assert.ok(await page.locator("memory-answer").isHidden());
  }));

test("a bad container limit is the limit's fault", () =>
  visit({}, async (page) => {
    await answered(page);
    await field(page, "containerLimit").fill("much");
    await answered(page, "failed");
    assert.equal(await field(page, "containerLimit").getAttribute("aria-invalid"), "true");
    assert.equal(await field(page, PROCESS).getAttribute("aria-invalid"), "false");
  }));

test("a worker that hangs is replaced, and the page says so", () =>
  visit({}, async (page) => {
    await answered(page);
    page.workers()[0].evaluate(() => {
      for (;;);
    }).catch(() => {});
    await field(page, PROCESS).fill("3g");
    await page.locator("#notice", { hasText: "The engine did not answer and was restarted" }).waitFor({ timeout: 20000 });
    assert.equal(await field(page, PROCESS).inputValue(), "3g");
    await waitForBytes(page, "totalProcess", 3 * 1024 ** 3);
    assert.ok(await page.locator("#fault").isHidden());
  }));

test("a trap in the engine is a fault, not an answer", () =>
  visit({}, async (page) => {
    await answered(page);
    await page.workers()[0].evaluate(() => {
      const { exports } = new WebAssembly.Instance(
        // (func (export "f") unreachable)
        new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 7, 5, 1, 1, 102, 0, 0, 10, 5, 1, 3, 0, 0, 11])),
      );
      self.onmessage = ({ data }) => {
        try {
          exports.f();
        } catch (error) {
          self.postMessage({ id: data.id, fault: String(error) });
        }
      };
    });
    await field(page, PROCESS).fill("3g");
    await page.locator("#notice", { hasText: "The engine failed and was restarted" }).waitFor();
    await waitForBytes(page, "totalProcess", 3 * 1024 ** 3);
    await field(page, PROCESS).fill("5g");
    await waitForBytes(page, "totalProcess", 5 * 1024 ** 3);
  }));

test("an engine that cannot be loaded is said to be missing", async () => {
  const server = await serve({ wasmType: null });
  try {
    await visit({ url: server.url, allow: /404/ }, async (page) => {
      await page.locator("#fault", { hasText: "does not start" }).waitFor();
      await answered(page, "failed");
      assert.match(await page.locator(".verdict").textContent(), /could not be loaded/);
    });
  } finally {
    await server.close();
  }
});

test("a server that sends the wrong type for wasm still serves the page", async () => {
  const server = await serve({ wasmType: "application/octet-stream" });
  try {
    await visit({ url: server.url }, (page) => answered(page));
  } finally {
    await server.close();
  }
});
