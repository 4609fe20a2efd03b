import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { answered, bytesOf, field, studio, waitForBytes } from "./support.mjs";

const { visit } = studio();
const PROCESS = "taskmanager.memory.process.size";
const OFF_HEAP = "taskmanager.memory.task.off-heap.size";
const GIB = 1024 ** 3;
const FOUR = `#/memory?v=1&${PROCESS}=4096m`;
/** The settings of that address pinned, and one of them changed. */
const COMPARED = `${FOUR}&${OFF_HEAP}=1g&pin=${encodeURIComponent(FOUR)}`;

const cell = (page, id, label) => page.locator(`component-table tr[data-id="${id}"] td[data-label="${label}"]`);
const exact = async (locator) => (await locator.locator("[title]").first().getAttribute("title")).replace(/[^\d\u2212+]/g, "");
const compared = (page) => page.locator("table.is-compared").waitFor();

test("pinned settings are A: the table, the chart and the verdict say what a change costs", () =>
  visit({ hash: FOUR }, async (page) => {
    await answered(page);
    const heap = await bytesOf(page, "taskHeap");
    await page.getByRole("button", { name: "Pin as A" }).click();
    await compared(page);
    assert.match(await page.locator(".verdict").first().textContent(), /^No setting differs/);
    await field(page, OFF_HEAP).fill("1g");
    await waitForBytes(page, "taskOffHeap", GIB);
    assert.match(await page.locator(".verdict").first().textContent(), /Task Heap 1 GiB less .*Task Off-Heap 1 GiB more/);
    assert.equal(await exact(cell(page, "taskHeap", "A")), String(heap));
    assert.equal(await exact(cell(page, "taskHeap", "B − A")), `\u2212${GIB}`);
    assert.equal(await exact(cell(page, "taskOffHeap", "B − A")), `+${GIB}`);
    assert.match(await cell(page, "network", "B − A").textContent(), /same/);
    assert.match(await page.locator(".flag-differences").textContent(), /-Xmx: 1\.55\u00a0GiB → 563\u00a0MiB/);
    assert.match(await page.locator("memory-answer finding-list").textContent(), /-Xmx is 65 % smaller than in A/);
    const texts = await page.locator("svg-chart text").allTextContents();
    assert.ok(texts.some((text) => text.includes("A, pinned")) && texts.some((text) => text.includes("B, now")));
    await page.locator(".chart-stage").focus();
    await page.keyboard.press("End");
    assert.match(await page.locator(".chart-readout").textContent(), /^B: /);
  }));

test("a link restores both; swapping, letting go and Back change them", () =>
  visit({ hash: COMPARED }, async (page) => {
    await answered(page);
    await compared(page);
    assert.equal(await exact(cell(page, "taskHeap", "B − A")), `\u2212${GIB}`);
    await page.getByRole("button", { name: "Swap A and B" }).click();
    await waitForBytes(page, "taskOffHeap", 0);
    assert.equal(await exact(cell(page, "taskHeap", "B − A")), `+${GIB}`);
    await page.reload();
    await answered(page);
    await compared(page);
    assert.equal(await exact(cell(page, "taskHeap", "B − A")), `+${GIB}`);
    await page.goBack();
    await waitForBytes(page, "taskOffHeap", GIB);
    await page.getByRole("button", { name: "Unpin" }).click();
    await page.locator("table.components:not(.is-compared)").waitFor();
    assert.doesNotMatch(await page.evaluate(() => location.hash), /pin=/);
    assert.match(await page.locator(".verdict").first().textContent(), /^Task heap is/);
  }));

test("another version, another preset: A stays", () =>
  visit({ hash: `#/memory?v=1&preset=legacy-heap` }, async (page) => {
    await answered(page);
    await page.getByRole("button", { name: "Pin as A" }).click();
    await compared(page);
    await page.locator("input[name=flink][value='2.2']").check();
    await answered(page, "failed");
    await page.locator("preset-picker select").selectOption("rocksdb-large");
    await waitForBytes(page, "totalProcess", 16 * GIB);
    await compared(page);
    assert.match(await page.locator(".pin-settings").textContent(), /Flink: 1\.20 → 2\.2/);
  }));

test("an A that does not start, or is the other process, is named and not compared", async () => {
  const small = encodeURIComponent(`#/memory?v=1&${PROCESS}=900m`);
  await visit({ hash: `${FOUR}&pin=${small}` }, async (page) => {
    await answered(page);
    await page.locator("pin-bar p", { hasText: "A does not start" }).waitFor();
    assert.equal(await page.locator("table.is-compared").count(), 0);
    await page.getByRole("button", { name: "Swap A and B" }).click();
    await answered(page, "failed");
    assert.ok(await page.getByRole("button", { name: "Swap A and B" }).isVisible());
  });
  await visit({ hash: `#/memory?v=1&role=jobmanager&pin=${encodeURIComponent(FOUR)}` }, async (page) => {
    await answered(page);
    await page.locator("pin-bar p", { hasText: "A is a TaskManager" }).waitFor();
    assert.equal(await page.locator("table.is-compared").count(), 0);
  });
});

test("files carry both", () =>
  visit({ hash: COMPARED }, async (page) => {
    await answered(page);
    await compared(page);
    const get = async (kind) => {
      const [file] = await Promise.all([page.waitForEvent("download"), page.locator(`export-bar button[data-kind="${kind}"]`).click()]);
      return readFile(await file.path(), "utf8");
    };
    const lines = (await get("csv")).split("\r\n");
    assert.match(lines[0], /,allocation bytes in A,difference to A in bytes$/);
    assert.match(lines.find((line) => line.startsWith("Task Heap,")), /,1530082070,-1073741824$/);
    const json = JSON.parse(await get("json"));
    assert.equal(json.pinned.config[OFF_HEAP], undefined);
    assert.equal(json.scenario.config[OFF_HEAP], "1g");
    assert.equal(json.comparison.components.find(({ id }) => id === "taskHeap").difference, -GIB);
    assert.match(json.link, /&pin=/);
    const svg = await get("svg");
    assert.ok(svg.includes("A, pinned") && svg.includes("B, now"));
  }));

const LOG = `INFO  [] - Final TaskExecutor Memory configuration:
INFO  [] -   Total Process Memory:          1.688gb (1811939328 bytes)
INFO  [] -     Total Flink Memory:          1.250gb (1342177280 bytes)
INFO  [] -       Total JVM Heap Memory:     512.000mb (536870902 bytes)
INFO  [] -         Framework:               128.000mb (134217728 bytes)
INFO  [] -         Task:                    384.000mb (402653174 bytes)
INFO  [] -       Total Off-heap Memory:     768.000mb (805306378 bytes)
INFO  [] -         Managed:                 512.000mb (536870920 bytes)
INFO  [] -         Total JVM Direct Memory: 256.000mb (268435458 bytes)
INFO  [] -           Framework:             128.000mb (134217728 bytes)
INFO  [] -           Task:                  0 bytes
INFO  [] -           Network:               128.000mb (134217730 bytes)
INFO  [] -     JVM Metaspace:               256.000mb (268435456 bytes)
INFO  [] -     JVM Overhead:                192.000mb (201326592 bytes)`;

const use = async (page, text) => {
  await page.locator("#paste").click();
  await page.locator("#paste-text").fill(text);
  await page.getByRole("button", { name: "Use these settings" }).click();
};

test("a start-up log is held against what its settings derive, and shows what a change does", () =>
  visit({ hash: FOUR }, async (page) => {
    await answered(page);
    assert.ok(await page.locator("log-match").isHidden());
    await use(page, LOG);
    await page.locator("log-match", { hasText: "All 12 sizes of the text" }).waitFor();
    assert.equal(await page.locator("log-match .mark.is-good").count(), 12);
    await field(page, PROCESS).fill("2g");
    await page.locator("log-match .mark.is-bad").first().waitFor();
    assert.match(await page.locator('log-match tr[data-id="totalProcess"]').textContent(), /1\.69.*GiB.*2.*GiB.*\+320/s);
    await page.locator("log-match").getByRole("button", { name: "Close" }).click();
    await page.locator("log-match").waitFor({ state: "hidden" });
  }));

test("an argument line is held against the flags", () =>
  visit({}, async (page) => {
    await answered(page);
    await use(page, "-Xmx1664299798 -Xms1664299798 -XX:MaxDirectMemorySize=493921243 -XX:MaxMetaspaceSize=268435456");
    await page.locator("log-match", { hasText: "All 3 sizes of the text" }).waitFor();
    assert.match(await page.locator("log-match").textContent(), /-Xmx1\.55.*GiB/s);
  }));

/** A panel, a field of its workload with a value for A and one for B, and a figure that differs then. */
const PINNED = {
  limits: ["", "", "", "smallestProcess"],
  rocksdb: ["slotKeys", "1000000", "4000000", "workingSet"],
  heap: ["keys", "1000000", "4000000", "bytes"],
  backends: ["keys", "1000000", "4000000", "hashmap.memory"],
  ttl: ["rate", "100", "300", "live"],
  slots: ["maxSlots", "4", "4", "1.taskHeap"],
  network: ["parallelism2", "16", "64", "required"],
  local: ["localHeap", "1g", "2g", "directLimit"],
};

for (const [panel, [id, a, b, figure]] of Object.entries(PINNED)) {
  test(`${panel}: shows A beside B, with the difference to the last digit, and in the drawing`, () => {
    const workload = (value) => (id ? `&w.${id}=${value}` : "");
    const more = panel === "limits" ? "&taskmanager.memory.jvm-metaspace.size=512m" : "&taskmanager.memory.process.size=3072m";
    const hash = `#/memory?v=1&panel=${panel}${more}${workload(b)}&pin=${encodeURIComponent(`#/memory?v=1${workload(a)}`)}`;
    return visit({ hash }, async (page) => {
      const view = page.locator(`panel-view[data-panel="${panel}"][data-state="answered"]`);
      await view.waitFor();
      const against = view.locator(".against");
      assert.match(await against.locator("p").first().textContent(), /^Against A: /);
      const row = against.locator(`tr[data-id="${figure}"]`);
      const [difference, of, now] = (await row.locator("td").all()).map((cell) => cell.locator("span").first());
      const number = async (cell) => BigInt(((await cell.getAttribute("title")) ?? (await cell.textContent())).replace("\u2212", "-").replace(/[^\d-]/g, ""));
      assert.equal(await number(difference), (await number(now)) - (await number(of)));
      assert.notEqual(await number(difference), 0n);
      if (a !== b) assert.match(await against.locator(".pin-settings").textContent(), new RegExp(`${a}.*${b}`));
      const drawn = await view.locator("svg").innerHTML();
      assert.ok(panel === "limits" || drawn.includes("A: "), "A is in the drawing");
      const before = await difference.textContent();
      await page.getByRole("button", { name: "Swap A and B" }).click();
      await page.waitForFunction(([key, value]) => !key || location.hash.includes(`w.${key}=${value}`) || !location.hash.includes(`&w.${key}`), [id, a]);
      await page.waitForFunction(
        ([name, text]) => document.querySelector(`.against tr[data-id="${CSS.escape(name)}"] .difference`)?.textContent !== text,
        [figure, before],
      );
      await page.getByRole("button", { name: "Unpin" }).click();
      await against.waitFor({ state: "hidden" });
      assert.ok(await page.getByRole("button", { name: "Pin as A" }).isVisible());
    });
  });
}

test("a panel that has no answer for A says why, and still answers", () =>
  visit({ hash: `#/memory?v=1&panel=heap&pin=${encodeURIComponent("#/memory?v=1&w.keys=many")}` }, async (page) => {
    await page.locator('panel-view[data-panel="heap"][data-state="answered"]').waitFor();
    await page.locator(".against", { hasText: "This panel has no answer for A" }).waitFor();
  }));

test("what pins nothing is said, and a missing tool takes the banner away", () =>
  visit({ hash: `#/memory?v=1&pin=${encodeURIComponent("#/event-time")}` }, async (page) => {
    await answered(page);
    await page.locator("#problems", { hasText: "“event-time”, which is not Memory; nothing is pinned" }).waitFor();
    assert.ok(await page.getByRole("button", { name: "Pin as A" }).isVisible());
    await page.evaluate(() => (location.hash = "#/nothing<b>"));
    await page.locator("#missing").waitFor();
    assert.ok(await page.locator("#problems").isHidden());
  }));
