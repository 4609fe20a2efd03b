import assert from "node:assert/strict";
import { test } from "node:test";
import { AxeBuilder } from "@axe-core/playwright";
import { studio } from "./support.mjs";

const { visit } = studio();
const AT = "#/event-time?v=1";
const ready = (page, state = "answered") => page.locator(`event-time-tool[data-state="${state}"]`).waitFor();
const option = (page, id) => page.locator(`option-field[data-field="${id}"] :is(input, select)`);
const plain = (text) => text.replace(/[\u00a0\u202f]/g, " ").replace(/\u2212/g, "-");
const texts = async (locator) => (await locator.allInnerTexts()).map(plain);

async function noViolations(page) {
  const { violations } = await new AxeBuilder({ page }).withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]).analyze();
  assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).slice(0, 3).join("\n")}`), []);
}

test("a pinned scenario stands beside the live one, in the address too", () =>
  visit({ hash: `${AT}&preset=dropped` }, async (page) => {
    await ready(page);
    await page.locator("event-comparison button[data-act=pin]").click();
    await page.locator("event-comparison .against").waitFor();
    await option(page, "bound").fill("20 s");
    await option(page, "bound").press("Enter");
    const dropped = page.locator('.against tr[data-id="Dropped"] td');
    await page.waitForFunction(() => document.querySelector('.against tr[data-id="Dropped"] td:last-child')?.textContent?.endsWith("2"));
    assert.deepEqual(await texts(dropped), ["2", "0", "-2"]);
    assert.match(plain(await page.locator('.verdicts [data-id="A"] dd').textContent()), /2 dropped/);
    assert.match(plain(await page.locator('.against tr[data-id="Most bytes of heap"] td:last-child').textContent()), /^[+-]\d/);
    assert.ok(await page.locator(".against svg-chart svg").isVisible());
    await page.waitForFunction(() => location.hash.includes("pin=") && location.hash.includes("bound=20"));
    await noViolations(page);
    await page.locator("event-comparison button[data-act=swap]").click();
    await page.waitForFunction(() => document.querySelector('.against tr[data-id="Dropped"] td:last-child')?.textContent === "+2");
    await page.reload();
    await ready(page);
    await page.locator(".against").waitFor();
    assert.deepEqual(await texts(dropped), ["0", "2", "+2"]);
    await page.locator("event-comparison button[data-act=unpin]").click();
    await page.locator(".against").waitFor({ state: "hidden" });
    await page.waitForFunction(() => !location.hash.includes("pin="));
  }));

test("watermarks and statuses are rows, and say what they do", () =>
  visit({ hash: `${AT}&rule=explicit&events=e1,1000,1000,a,0,` }, async (page) => {
    await ready(page);
    await page.locator(".records-actions button", { hasText: "watermark or status" }).click();
    const cell = (column) => page.locator(`.records tbody tr:nth-child(2) :is(input, select)[data-column="${column}"]:visible`);
    await cell("time").fill("9999");
    await cell("time").press("Tab");
    await page.waitForFunction(() => document.querySelector('.totals div[data-id="Results"] dd')?.textContent === "1");
    assert.equal(await cell("id").inputValue(), "!watermark");
    await page.waitForFunction(() => decodeURIComponent(location.hash).includes("!watermark,9999"));
    await noViolations(page);
    await cell("id").selectOption("!idle");
    await page.waitForFunction(() => document.querySelector('.totals div[data-id="Results"] dd')?.textContent === "0");
    assert.equal(await page.locator('.records tbody tr:nth-child(2) input[data-column="time"]').isVisible(), false, "a status has no time");
    assert.match(plain(await page.locator(".log tbody tr").last().innerText()), /signal of source subtask 0[^]*source subtask 0 is idle/);
    await page.locator(".records tbody tr:nth-child(2) .record-delete").click();
    await page.waitForFunction(() => document.querySelectorAll(".records tbody tr").length === 1);
  }));

test("bytes follow the function and the types", () =>
  visit({ hash: `${AT}&preset=dropped` }, async (page) => {
    await ready(page);
    const cells = (id) => texts(page.locator(`event-answer .kept tr[data-id="${id}"] td`));
    assert.deepEqual(await cells("window"), ["144 B", "34 B"]);
    assert.deepEqual(await cells("record"), ["0 B", "0 B"]);
    await option(page, "function").selectOption("full");
    await option(page, "element").selectOption("long");
    // A second Long: its object on the heap, its bytes and a comma in RocksDB.
    await page.waitForFunction(() => document.querySelector('.kept tr[data-id="record"] td')?.textContent?.startsWith("24"));
    assert.deepEqual(await cells("record"), ["24 B", "9 B"]);
    assert.deepEqual(await cells("predicted"), ["–", "–"]);
    await option(page, "element").selectOption("bytes");
    await option(page, "elementLength").fill("99999999");
    await option(page, "elementLength").press("Enter");
    await ready(page, "failed");
    assert.match(plain(await page.locator(".verdict").first().textContent()), /at most 1048576/);
  }));

test("a whole stream has the arrival and partition of each record, its subtasks and bytes", () =>
  visit({ hash: `${AT}&stream=partitions&stream.events=20000` }, async (page) => {
    await page.locator('stream-panel[data-state="answered"]').waitFor({ timeout: 60_000 });
    const heads = await texts(page.locator("stream-panel virtual-table").first().locator("thead th"));
    assert.deepEqual(heads.slice(-2), ["Arrival", "Partition"]);
    const row = await texts(page.locator("stream-panel virtual-table").first().locator("tbody tr").first().locator("td, th"));
    assert.match(row.at(-1), /^[0-3]$/);
    const shares = page.locator('table:has(caption:text("Window subtasks")) tbody tr');
    assert.equal(await shares.count(), 4);
    const records = (await texts(shares.locator("td:nth-child(2)"))).map((text) => Number(text.replace(/\D/g, "")));
    assert.equal(records.reduce((sum, one) => sum + one, 0), 20_000);
    assert.match(plain(await page.locator('.totals div[data-id="Most bytes kept"] dd').textContent()), /KiB of heap, .* in RocksDB/);
    assert.ok((await page.locator("stream-panel svg-chart svg").count()) >= 3, "bound, open state, bytes");
    await noViolations(page);
  }));
