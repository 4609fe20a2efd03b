import assert from "node:assert/strict";
import { test } from "node:test";
import { answered, field, studio, waitForBytes } from "./support.mjs";

const { visit } = studio();
const PROCESS = "taskmanager.memory.process.size";
const MARKUP = `<img src=x onerror="document.title='taken'"><script>document.title='taken'</script>`;

const open = async (page, text) => {
  await page.locator("#paste").click();
  await page.locator("#paste-text").fill(text);
};

test("a flink-conf is recognised, shown and used", () =>
  visit({}, async (page) => {
    await answered(page);
    await open(page, `${PROCESS}: 2g\ntaskmanager.memory.managed.fraction: 0.2\nparallelism.default: 4\nno line of Flink\n`);
    await page.locator(".paste-verdict:not(:empty)").waitFor();
    const lists = await page.locator(".paste-lists").textContent();
    assert.match(lists, /taskmanager\.memory\.process\.size: 2g/);
    assert.match(lists, /no line of Flink/);
    await page.getByRole("button", { name: "Use these settings" }).click();
    await waitForBytes(page, "totalProcess", 2 * 1024 ** 3);
    assert.equal(await field(page, "taskmanager.memory.managed.fraction").inputValue(), "0.2");
    assert.match(await page.locator("also-set").textContent(), /parallelism\.default: 4/);
    await page.goBack();
    await waitForBytes(page, "totalProcess", 1811939328);
  }));

test("a changed text cannot be used before it is read itself", () =>
  visit({}, async (page) => {
    await answered(page);
    await open(page, `${PROCESS}: 2g`);
    const use = page.getByRole("button", { name: "Use these settings" });
    await page.waitForFunction(() => !document.querySelector("paste-dialog .dialog-foot button:nth-of-type(2)").disabled);
    // In one turn of the page's loop, as a fast reader or a held answer would have it.
    const disabled = await page.evaluate((text) => {
      const box = document.querySelector("#paste-text");
      box.value = text;
      box.dispatchEvent(new Event("input", { bubbles: true }));
      return [...document.querySelectorAll("paste-dialog .dialog-foot button")].every((button) => button.disabled);
    }, `${PROCESS}: 3g`);
    assert.ok(disabled);
    await use.click();
    await waitForBytes(page, "totalProcess", 3 * 1024 ** 3);
  }));

test("adding keeps what is not in the text", () =>
  visit({}, async (page) => {
    await answered(page);
    await open(page, "taskmanager.memory.managed.fraction: 0.1");
    await page.getByRole("button", { name: "Add to the present settings" }).click();
    await page.waitForFunction(() => location.hash.includes("managed.fraction=0.1"));
    assert.equal(await field(page, PROCESS).inputValue(), "1728m");
  }));

test("text pasted outside a field opens the box with it", () =>
  visit({}, async (page) => {
    await answered(page);
    await page.evaluate((text) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData("text/plain", text);
      document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
    }, `${PROCESS}: 7g`);
    assert.equal(await page.locator("#paste-text").inputValue(), `${PROCESS}: 7g`);
    await page.getByRole("button", { name: "Use these settings" }).click();
    await waitForBytes(page, "totalProcess", 7 * 1024 ** 3);
  }));

test("a dropped file and a picked file are read", () =>
  visit({}, async (page) => {
    await answered(page);
    await page.evaluate((text) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([text], "flink-conf.yaml"));
      document.body.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
    }, `${PROCESS}: 9g`);
    await page.waitForFunction((key) => document.querySelector("#paste-text").value === `${key}: 9g`, PROCESS);
    await page.locator("paste-dialog input[type=file]").setInputFiles({
      name: "flink-conf.yaml",
      mimeType: "text/yaml",
      buffer: Buffer.from(`${PROCESS}: 10g`),
    });
    await page.waitForFunction((key) => document.querySelector("#paste-text").value === `${key}: 10g`, PROCESS);
    await page.getByRole("button", { name: "Use these settings" }).click();
    await waitForBytes(page, "totalProcess", 10 * 1024 ** 3);
  }));

test("markup stays text wherever it lands", () =>
  visit({}, async (page) => {
    await answered(page);
    await open(page, `${PROCESS}: ${MARKUP}\n${MARKUP}: ${MARKUP}\nsome.key: ${MARKUP}\n${MARKUP}`);
    await page.locator(".paste-verdict:not(:empty)").waitFor();
    const use = page.getByRole("button", { name: "Use these settings" });
    if (await use.isEnabled()) {
      await use.click();
      await answered(page, "failed");
      assert.equal(await field(page, PROCESS).inputValue(), MARKUP);
    }
    assert.equal(await page.locator("img, main script, dialog script").count(), 0);
    assert.equal(await page.title(), "Memory · Weir");
  }));

test("markup in the address stays text", () =>
  visit({ hash: `#/memory?v=1&preset=${encodeURIComponent(MARKUP)}&a.b=${encodeURIComponent(MARKUP)}&limit=${encodeURIComponent(MARKUP)}&${encodeURIComponent(MARKUP)}=1` }, async (page) => {
    await answered(page);
    // The limit is shown back where it is said to be no size.
    await page.locator("memory-answer .finding", { hasText: "<img" }).waitFor();
    assert.equal(await page.locator("img, main script").count(), 0);
    assert.equal(await page.title(), "Memory · Weir");
  }));

test("a megabyte of garbage does no harm and stays in the box", () =>
  visit({}, async (page) => {
    await answered(page);
    const garbage = Array.from({ length: 24000 }, (_, index) => `\u0001<${index}> {[: "\t'%# ${"x".repeat(30)}`).join("\n");
    assert.ok(garbage.length > 1e6);
    await page.locator("#paste").click();
    await page.evaluate((text) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData("text/plain", text);
      const paste = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
      document.querySelector("#paste-text").dispatchEvent(paste);
    }, garbage);
    await page.locator(".paste-verdict:not(:empty)").waitFor();
    assert.equal((await page.locator("#paste-text").inputValue()).length, garbage.length);
    assert.ok((await page.locator(".paste-lists li").count()) <= 402);
    await page.locator("paste-dialog").getByRole("button", { name: "Close" }).click();
    await field(page, PROCESS).fill("2g");
    await waitForBytes(page, "totalProcess", 2 * 1024 ** 3);
  }));

test("more than 4 MiB are refused with a sentence", () =>
  visit({}, async (page) => {
    await answered(page);
    await page.locator("paste-dialog input[type=file]").setInputFiles({
      name: "huge.yaml",
      mimeType: "text/yaml",
      buffer: Buffer.alloc(4 * 1024 * 1024 + 1, "a"),
    });
    await page.locator(".paste-verdict.is-wrong", { hasText: "at most" }).waitFor();
    assert.ok(await page.getByRole("button", { name: "Use these settings" }).isDisabled());
  }));

test("a kill line says its cause and fills the container limit", () =>
  visit({}, async (page) => {
    await answered(page);
    await open(page, "Container [pid=12,containerID=container_1] is running beyond physical memory limits. Current usage: 1.6 GB of 1 GB physical memory used; 5.6 GB of 8.4 GB virtual memory used. Killing container.");
    await page.getByText("its physical memory limit was crossed").waitFor();
    assert.ok(await page.getByRole("button", { name: "Use these settings" }).isDisabled());
    await page.getByRole("button", { name: "Add to the present settings" }).click();
    await page.getByText("The container holds 1 GiB").first().waitFor();
    await waitForBytes(page, "totalProcess", 1811939328);
  }));

test("a kill line without a limit still shows its numbers", () =>
  visit({}, async (page) => {
    await answered(page);
    await open(page, "Memory cgroup out of memory: Killed process 1234 (java) total-vm:9000000kB, anon-rss:4190208kB, file-rss:0kB, shmem-rss:0kB");
    const rss = page.locator(".paste-lists li", { hasText: "Anonymous resident memory" });
    await rss.waitFor();
    await page.getByText("No setting follows from this text").waitFor();
    assert.match((await rss.textContent()).replace(/[\u00a0\u202f]/g, " "), /4 GiB.*4 290 772 992 bytes/);
    assert.ok(await page.getByRole("button", { name: "Use these settings" }).isDisabled());
    assert.ok(await page.getByRole("button", { name: "Add to the present settings" }).isDisabled());
  }));

test("a JobManager's log turns the tool to the JobManager", () =>
  visit({}, async (page) => {
    await answered(page);
    await open(page, "-Xmx1073741824 -Xms1073741824 -XX:MaxMetaspaceSize=268435456");
    await page.getByRole("button", { name: "Use these settings" }).click();
    await page.getByRole("heading", { name: "JobManager memory" }).waitFor();
    await answered(page);
  }));

test("a line of a YARN client fills the container limit and says what is left unplanned", () =>
  visit({}, async (page) => {
    await answered(page);
    await open(
      page,
      "INFO  org.apache.flink.yarn.YarnClusterDescriptor [] - The configured JobManager memory is 1600 MB. YARN will allocate 2048 MB to make up an integer multiple of its minimum allocation memory (1024 MB, configured via 'yarn.scheduler.minimum-allocation-mb'). The extra 448 MB may not be used by Flink.",
    );
    await page.locator(".paste-lists", { hasText: "448 MiB" }).waitFor();
    await page.getByRole("button", { name: "Use these settings" }).click();
    await page.waitForFunction(() => location.hash.includes("role=jobmanager") && location.hash.includes("limit=2g"));
    await waitForBytes(page, "totalProcess", 1600 * 1024 ** 2);
    assert.match(await page.locator("svg-chart").textContent(), /448 MiB to spare/);
  }));
