import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { PRESETS } from "../../www/presets.js";
import { answered, bytesOf, field, studio, waitForBytes } from "./support.mjs";

const { visit } = studio();
const PROCESS = "taskmanager.memory.process.size";
const STOCK = {
  totalProcess: 1811939328,
  totalFlink: 1342177280,
  frameworkHeap: 134217728,
  taskHeap: 402653174,
  frameworkOffHeap: 134217728,
  taskOffHeap: 0,
  network: 134217730,
  managed: 536870920,
};
const STOCK_ARGS =
  "-Xmx536870902 -Xms536870902 -XX:MaxDirectMemorySize=268435458 -XX:MaxMetaspaceSize=268435456";

test("opens on Flink as shipped, to the byte", () =>
  visit({}, async (page) => {
    await answered(page);
    for (const [id, bytes] of Object.entries(STOCK)) assert.equal(await bytesOf(page, id), bytes, id);
    assert.equal(await page.locator(".jvm pre").first().textContent(), STOCK_ARGS);
    assert.equal(await field(page, PROCESS).inputValue(), "1728m");
    assert.ok((await page.locator(".verdict").textContent()).includes("384 MiB"));
    assert.equal(await page.locator("svg-chart svg").count(), 1);
  }));

test("the answer area is never painted empty", () =>
  visit({}, async (page) => {
    await answered(page);
    assert.ok((await page.locator("tr[data-id]").count()) >= 8);
    assert.ok((await page.locator(".step").count()) >= 3);
  }));

test("typing changes the answer, and the field shows what was read", () =>
  visit({}, async (page) => {
    await answered(page);
    await field(page, PROCESS).fill("4g");
    await waitForBytes(page, "totalProcess", 4294967296);
    const reading = page.locator(`field-input[data-option="${PROCESS}"] .field-reading`);
    assert.equal((await reading.textContent()).replace(/[\u00a0\u202f]/g, " "), "4 GiB · 4 294 967 296 bytes");
    await page.getByRole("button", { name: "Reset Total process memory" }).click();
    await waitForBytes(page, "totalProcess", 1811939328);
    assert.equal(await field(page, PROCESS).inputValue(), "1728m");
  }));

test("a slider writes whole MiB into its field", () =>
  visit({}, async (page) => {
    await answered(page);
    const slider = page.locator(`field-input[data-option="${PROCESS}"] input[type="range"]`);
    await slider.focus();
    await page.keyboard.press("ArrowRight");
    await page.waitForFunction(() => !location.hash.endsWith("v=1"));
    const text = await field(page, PROCESS).inputValue();
    assert.match(text, /^\d+m$/);
    await waitForBytes(page, "totalProcess", Number.parseInt(text, 10) * 1024 * 1024);
  }));

test("the version changes the answer at once", () =>
  visit({ hash: "#/memory?v=1&taskmanager.network.numberOfBuffers=8192" }, async (page) => {
    await answered(page);
    assert.equal(await bytesOf(page, "network"), 8192 * 32768);
    await page.locator("input[name=flink][value='2.2']").check();
    await waitForBytes(page, "network", 134217730);
    assert.ok((await page.locator(".answer").textContent()).includes("2.2.1"));
    assert.match(await page.locator("input[name=flink][value='2.2']").locator("..").getAttribute("title"), /2\.2\.1/);
  }));

test("the JobManager has its own form and answer", () =>
  visit({}, async (page) => {
    await answered(page);
    await page.locator("input[name=role][value=jobmanager]").check();
    await waitForBytes(page, "totalProcess", 1600 * 1024 * 1024);
    assert.equal(await field(page, "jobmanager.memory.process.size").inputValue(), "1600m");
    assert.match(await page.evaluate(() => location.hash), /role=jobmanager/);
  }));

test("every preset sets its fields and gives an answer or Flink's refusal", () =>
  visit({}, async (page) => {
    await answered(page);
    for (const preset of PRESETS.memory) {
      await page.locator("#preset").selectOption(preset.id);
      await page.waitForFunction((look) => document.querySelector(".preset-look")?.textContent === look, preset.look);
      for (const [option, value] of Object.entries(preset.config)) {
        const input = field(page, option);
        if ((await input.count()) > 0) assert.equal(await input.inputValue(), value, `${preset.id} ${option}`);
      }
      const state = await page.locator("memory-tool").getAttribute("data-state");
      const fails = ["managed-too-high", "network-remainder", "tiny"].includes(preset.id);
      assert.equal(state, fails ? "failed" : "answered", preset.id);
      if (fails) assert.match(await page.locator(".flink-says pre").textContent(), /^TaskManager memory configuration failed: /);
    }
  }));

test("applying a way out makes a failing configuration start", () =>
  visit({ hash: "#/memory?v=1&preset=tiny" }, async (page) => {
    await answered(page, "failed");
    await page.locator("failure-report").getByRole("button", { name: /^Apply/ }).first().click();
    await answered(page);
    assert.ok(await page.locator(".verdict").evaluate((verdict) => verdict === document.activeElement));
    assert.match(await page.evaluate(() => location.hash), /preset=tiny&.+=/);
  }));

test("applying a finding changes the settings", () =>
  visit({ hash: "#/memory?v=1&preset=container-too-small" }, async (page) => {
    await answered(page);
    const apply = page.locator("memory-answer finding-list .is-error").getByRole("button", { name: /^Apply/ }).first();
    const before = await page.locator(".verdict").textContent();
    await apply.click();
    await page.waitForFunction((text) => document.querySelector(".verdict")?.textContent !== text, before);
    assert.equal(await page.locator("memory-answer finding-list .finding.is-error").count(), 0);
  }));

test("legacy heap keys bring their switch, for the versions that have them", () =>
  visit({ hash: "#/memory?v=1&preset=legacy-heap" }, async (page) => {
    await answered(page);
    assert.ok(await page.locator("#start-script").isChecked());
    await page.locator("#start-script").uncheck();
    await answered(page, "failed");
    await page.locator("input[name=flink][value='2.2']").check();
    await page.locator("#start-script").waitFor({ state: "hidden" });
  }));

test("settings without a field are kept, listed and removable", () =>
  visit({ hash: "#/memory?v=1&state.backend.type=rocksdb" }, async (page) => {
    await answered(page);
    const list = page.locator("also-set");
    await list.locator("summary", { hasText: "Also set" }).click();
    await list.getByRole("button", { name: "Remove state.backend.type" }).click();
    await page.waitForFunction(() => !document.querySelector("also-set")?.textContent?.includes("state.backend.type"));
    assert.doesNotMatch(await page.evaluate(() => location.hash), /state\.backend/);
  }));

test("pointer and arrow keys read out the parts of the chart", () =>
  visit({}, async (page) => {
    await answered(page);
    const stage = page.locator(".chart-stage");
    await stage.focus();
    await page.keyboard.press("ArrowRight");
    const first = await page.locator(".chart-readout").textContent();
    await page.keyboard.press("End");
    const last = await page.locator(".chart-readout").textContent();
    assert.notEqual(first, last);
    assert.match(last, /\d/);
    await page.keyboard.press("Escape");
    await stage.hover();
    await page.locator(".chart-mark").waitFor({ state: "visible" });
  }));

test("the chart is drawn again for another width and another theme", () =>
  visit({}, async (page) => {
    await answered(page);
    const width = () => page.locator("svg-chart svg").evaluate((svg) => svg.viewBox.baseVal.width);
    const wide = await width();
    await page.setViewportSize({ width: 1000, height: 800 });
    await page.waitForFunction((before) => document.querySelector("svg-chart svg").viewBox.baseVal.width < before, wide);
    const light = await page.locator("svg-chart svg").evaluate((svg) => svg.outerHTML);
    await page.locator("#theme").selectOption("dark");
    await page.waitForFunction((before) => document.querySelector("svg-chart svg").outerHTML !== before, light);
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
  }));

test("exports hold the right content", () =>
  visit({}, async (page) => {
    await answered(page);
    const bodies = {};
    for (const kind of ["svg", "png", "csv", "json", "config"]) {
      const [file] = await Promise.all([
        page.waitForEvent("download"),
        page.locator(`export-bar button[data-kind="${kind}"]`).click(),
      ]);
      bodies[kind] = { name: file.suggestedFilename(), body: await readFile(await file.path()) };
    }
    assert.match(bodies.svg.body.toString(), /^<svg [^>]*xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
    assert.deepEqual([...bodies.png.body.subarray(0, 4)], [0x89, 0x50, 0x4e, 0x47]);
    assert.ok(bodies.png.body.length > 2000);
    assert.match(bodies.csv.body.toString(), /^Task Heap,totalFlink,402653174,/m);
    const json = JSON.parse(bodies.json.body.toString());
    assert.equal(json.report.totalFlink, 1342177280);
    assert.equal(json.scenario.config[PROCESS], "1728m");
    assert.equal(new URL(json.link).hash, "#/memory?v=1");
    assert.match(bodies.config.body.toString(), /1728m/);
    assert.match(bodies.config.name, /\.yaml$/);
  }));

test("keys and arguments are copied as they are", () =>
  visit({}, async (page) => {
    await answered(page);
    const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
    await page.getByRole("button", { name: "Copy the JVM arguments" }).click();
    assert.equal(await clipboard(), STOCK_ARGS);
    await page.getByRole("button", { name: `Copy the key ${PROCESS}` }).click();
    assert.equal(await clipboard(), PROCESS);
  }));
