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
    assert.ok(await page.locator("memory-answer section[inert] code-row").first().isVisible());
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

test("a stale answer is read, but its changes wait until there is an answer again", () =>
  visit({}, async (page) => {
    await answered(page);
    const buttons = page.locator("memory-answer finding-list button[data-apply]");
    const reason = page.locator("memory-answer .apply-blocked");
    assert.ok((await buttons.count()) > 0);
    assert.ok(await buttons.first().isEnabled());
    assert.equal(await reason.count(), 0);
    await field(page, PROCESS).fill("1.5g");
    await answered(page, "failed");
    for (const button of await buttons.all()) {
      assert.ok(await button.isDisabled());
      assert.equal(await button.getAttribute("aria-describedby"), await reason.getAttribute("id"));
    }
    assert.match(await reason.textContent(), /last settings that worked/);
    assert.equal(await page.locator("memory-answer [inert] finding-list").count(), 0);
    await buttons.first().click({ force: true });
    assert.equal(await field(page, PROCESS).inputValue(), "1.5g");
    assert.ok(await page.locator("failure-report button[data-apply]").first().isEnabled(), "the ways out are for the settings of now");
    await field(page, PROCESS).fill("2g");
    await answered(page);
    assert.equal(await reason.count(), 0);
    const address = await page.evaluate(() => location.hash);
    await buttons.first().click();
    await page.waitForFunction((old) => location.hash !== old, address);
  }));

test("a bad container limit fails its field alone", () =>
  visit({ hash: "#/memory?v=1&preset=stock" }, async (page) => {
    await answered(page);
    const limit = field(page, "containerLimit");
    const problem = page.locator('field-input[data-option="containerLimit"] .field-problem');
    const unread = page.locator("memory-answer .finding.is-warning", { hasText: "The container limit '4x' is not a size, so it is not used." });
    const verdict = await page.locator(".verdict:visible").textContent();
    const drawing = await page.locator("svg-chart svg").innerHTML();
    await limit.fill("4x");
    await unread.waitFor();
    await answered(page);
    assert.equal(await limit.getAttribute("aria-invalid"), "true");
    assert.match(await problem.textContent(), /Memory size unit 'x' does not match/);
    assert.equal(await field(page, PROCESS).getAttribute("aria-invalid"), "false");
    assert.ok(await page.locator(".stale-note").isHidden());
    assert.equal(await page.locator(".verdict:visible").textContent(), verdict);
    assert.equal(await page.locator("svg-chart svg").innerHTML(), drawing);
    await field(page, PROCESS).fill("2g");
    await waitForBytes(page, "totalProcess", 2 * 1024 ** 3);
    assert.ok(await unread.isVisible());
    // Beside a configuration that does not start, both fields say so.
    await field(page, PROCESS).fill("2 parsecs");
    await answered(page, "failed");
    assert.equal(await limit.getAttribute("aria-invalid"), "true");
    assert.equal(await field(page, PROCESS).getAttribute("aria-invalid"), "true");
    await field(page, PROCESS).fill("2g");
    await answered(page);
    await limit.fill("4g");
    await unread.waitFor({ state: "detached" });
    assert.equal(await limit.getAttribute("aria-invalid"), "false");
  }));

test("a panel whose answer is stale applies nothing, and its workload can be mended", () =>
  visit({ hash: "#/memory?v=1&panel=rocksdb&state.backend.rocksdb.memory.managed=false" }, async (page) => {
    const view = (state) => page.locator(`panel-view[data-state="${state}"]`).waitFor();
    const buttons = page.locator("panel-view button[data-apply]");
    const states = page.locator('workload-field[data-field="states"] input');
    await view("answered");
    assert.ok((await buttons.count()) > 0);
    assert.ok(await buttons.first().isEnabled());
    await states.fill("many");
    await view("failed");
    for (const button of await buttons.all()) assert.ok(await button.isDisabled());
    assert.match(await page.locator("panel-view .apply-blocked").textContent(), /last settings that worked/);
    assert.equal(await page.locator("panel-view .assumptions [inert], panel-view .assumptions input:disabled").count(), 0);
    await states.fill("5");
    await view("answered");
    assert.equal(await page.locator("panel-view .apply-blocked").count(), 0);
    await buttons.first().click();
    await page.waitForFunction(() => !location.hash.includes("managed=false"));
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

test("a slow line is no fault: the page says what it waits for, and the answer comes", () =>
  visit({ hash: "#/exactly-once?v=1" }, async (page, context) => {
    const slow = await context.newPage();
    await slow.route("**/weir_transactions_bg.wasm", async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 7000));
      await route.continue();
    });
    await slow.goto(page.url());
    const loading = slow.locator("#loading");
    await loading.waitFor();
    let restarts = 0;
    slow.on("worker", () => (restarts += 1));
    await slow.locator("exactly-once-tool[data-state='answered']").waitFor();
    await loading.waitFor({ state: "hidden" });
    assert.ok(await slow.locator("#fault").isHidden());
    assert.equal(restarts, 0);
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
