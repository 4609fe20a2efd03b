import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { studio } from "./support.mjs";

const { visit } = studio();
const AT = "#/event-time?v=1&stream=";
const ready = (page, state = "answered") => page.locator(`stream-panel[data-state="${state}"]`).waitFor({ timeout: 120_000 });
const plain = (text) => text.replace(/[\u00a0\u202f]/g, " ");
const verdict = async (page) => plain(await page.locator("stream-why .why-verdict").textContent());
const after = (page, records) => page.locator(`stream-why[data-records="${records}"]`).waitFor();

async function ask(page, text) {
  await page.locator("#stream-why-at").fill(text);
  await page.locator("#stream-why-at").press("Enter");
}

test("the silent partition is named at any record of a stream, and given the timeout it is left out", () =>
  visit({ hash: `${AT}idle&idleness=` }, async (page) => {
    await ready(page);
    assert.match(await verdict(page), /^At the end: /);
    // The partition is silent from 2 min on; at 2 000 records a second this is 30 s later.
    await ask(page, "300 000");
    await after(page, 300_000);
    assert.match(await verdict(page), /^After record 300 000: Partition 3 of source subtask 0 holds the watermark at .* behind the one furthest ahead, since record .*must have read a record stamped 2 min 5 s|125 s or later/);
    const row = page.locator("stream-why tbody tr").nth(3);
    assert.match(plain(await row.innerText()), /holds the watermark back/);
    assert.match(await page.locator("stream-why finding-list").textContent(), /Partition 3 of source subtask 0 holds the watermark back/);
    await ask(page, "0");
    assert.match(await page.locator("#stream-why-problem").textContent(), /from 1 to/);
    await page.locator("stream-why button", { hasText: "At the end" }).click();
    await after(page, 1_000_000);
    assert.ok(await page.locator("#stream-why-problem").isHidden());
    // A row picked in the log is the place that is asked for.
    await page.locator('stream-panel > .stream-body > section > virtual-table tbody tr[data-index="2"]').first().click();
    await after(page, 3);
    await page.locator("stream-why button", { hasText: "At the end" }).click();
    await ask(page, "300000");
    await after(page, 300_000);
    await page.locator("stream-why finding-list button", { hasText: /Apply|Set/ }).first().click();
    await page.waitForFunction(() => /idleness=2\+s|idleness=2000\+ms/.test(location.hash));
  }));

test("dropped records are listed, found in the log and written as CSV", () =>
  visit({ hash: `${AT}pareto&stream.events=300000` }, async (page) => {
    await ready(page);
    const text = await page.locator('.stream-body > section .totals div[data-id="Dropped"] dd').first().textContent();
    const dropped = Number(text.replace(/\(.*/, "").replace(/\D/g, ""));
    assert.ok(dropped > 10);
    const list = page.locator("stream-side");
    assert.match(plain(await list.locator("p").textContent()), new RegExp(`^${plain(text.split(" (")[0])}, in order of arrival`));
    await list.locator("tbody tr:not(.is-coming)").first().waitFor();
    const record = plain(await list.locator("tbody tr").nth(1).locator("th").textContent());
    await list.locator("tbody tr").nth(1).click();
    const index = Number(record.replace(/\D/g, "")) - 1;
    const row = page.locator(`stream-panel tr[data-index="${index}"][aria-current="true"]:not(.is-coming)`);
    await row.waitFor();
    assert.match(await row.textContent(), /dropped/);
    await after(page, index + 1);
    const [download] = await Promise.all([page.waitForEvent("download"), list.locator("button", { hasText: "These as CSV" }).click()]);
    const [head, ...rows] = (await readFile(await download.path(), "utf8")).trimEnd().split("\n");
    assert.equal(head, "record,key,event_time_ms,value,partition,arrival_ms,watermark_ms,outcome,missed_by_ms");
    assert.equal(rows.length, dropped);
    assert.ok(rows.every((one) => one.split(",")[7] === "dropped" && Number(one.split(",")[8]) > 0));
    await list.locator("select").selectOption("late");
    await page.waitForFunction(() => document.querySelector("stream-side p").textContent === "None.");
  }));

test("several partitions stall, and a list of another length is refused at its field", () =>
  visit({ hash: `${AT}stalled&stream.events=200000&stream.stallAt=10+s,+30+s&stream.stallOf=1,+2&stream.stallFor=5+s` }, async (page) => {
    await ready(page);
    const stalled = await page.locator('.totals div[data-id="Held up by a stall"] dd').textContent();
    // 500 records a second and partition, for 5 s each.
    assert.ok(Math.abs(Number(stalled.replace(/\D/g, "")) - 5000) < 300, stalled);
    const field = page.locator('option-field[data-field="stallFor"]');
    await field.locator("input").fill("5 s, 6 s, 7 s");
    await field.locator("input").blur();
    await ready(page, "failed");
    assert.match(await field.locator(".field-problem").textContent(), /There are 3 here for 2/);
  }));
