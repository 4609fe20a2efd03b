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
    const outcome = await page.locator("stream-panel virtual-table").first().locator("thead th").nth(4).boundingBox();
    assert.ok(outcome.width > 120, `what became of a record has ${outcome.width} px`);
    const shares = page.locator('table:has(caption:text("Window subtasks")) tbody tr');
    assert.equal(await shares.count(), 4);
    const records = (await texts(shares.locator("td:nth-child(2)"))).map((text) => Number(text.replace(/\D/g, "")));
    assert.equal(records.reduce((sum, one) => sum + one, 0), 20_000);
    assert.match(plain(await page.locator('.totals div[data-id="Most bytes kept"] dd').textContent()), /KiB of heap, .* in RocksDB/);
    assert.ok((await page.locator("stream-panel svg-chart svg").count()) >= 3, "bound, open state, bytes");
    await noViolations(page);
  }));

/** The middle of the upright bar of a watermark's mark in the step that is read out. */
const barOf = (page) =>
  page.evaluate(() => {
    const column = document.querySelector("event-lanes .chart-mark").getBoundingClientRect();
    const inside = [...document.querySelectorAll("event-lanes svg :is(path, polyline, line)")]
      .map((mark) => mark.getBoundingClientRect())
      .find(({ left, right, width, height }) => left >= column.left && right <= column.right && width <= 4 && height >= 8 && height <= 14);
    return { x: inside.left + inside.width / 2, y: inside.top + inside.height / 2, width: column.width };
  });

test("a watermark of the input is dragged in the picture as a record is, by pointer and by keys", () =>
  visit({ hash: `${AT}&rule=explicit&events=${encodeURIComponent("e1,1000,1000,a,0\n!watermark,9999,2000,,0\ne2,12000,3000,a,0\n!idle,,4000,,0")}`, height: 1200, reducedMotion: "reduce" }, async (page) => {
    await ready(page);
    const input = (row, column) => page.locator(`.records tbody tr:nth-child(${row}) :is(input, select)[data-column="${column}"]:visible`);
    const results = (number) => page.waitForFunction((wanted) => document.querySelector('.totals div[data-id="Results"] dd')?.textContent === wanted, String(number));
    await results(1);
    const pick = async (step) => {
      await page.locator("event-lanes .chart-stage").focus();
      await page.keyboard.press("Home");
      for (let presses = 0; presses < step; presses += 1) await page.keyboard.press("ArrowRight");
    };
    await pick(1);
    const readout = page.locator("event-lanes .chart-readout");
    assert.match(plain(await readout.textContent()), /^Source subtask 0 sends the watermark 9.999 s\./);
    const { x, y, width } = await barOf(page);
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x, y + 30, { steps: 4 });
    await results(0);
    assert.match(await page.locator("event-lanes .lanes-now").textContent(), /^Watermark /);
    assert.ok(Number(await input(2, "time").inputValue()) < 9999);
    await page.mouse.move(x + width, y - 10, { steps: 4 });
    await page.mouse.up();
    // Behind the second record now, with its arrival.
    await page.waitForFunction(() => document.querySelectorAll('.records [data-column="id"]')[2].value !== "e2");
    assert.equal(await input(3, "arrival").inputValue(), "3000");
    await page.waitForFunction(() => decodeURIComponent(location.hash).includes("e2,12000,3000"));
    await results(1);
    // The status has a place and no time.
    await pick(3);
    assert.match(plain(await readout.textContent()), /^Source subtask 0 is idle/);
    await page.keyboard.press("Shift+ArrowUp");
    await page.keyboard.press("Shift+ArrowLeft");
    await page.waitForFunction(() => document.querySelectorAll('.records tbody tr')[2].querySelector("select").value === "!idle");
    await page.keyboard.press("Delete");
    await page.waitForFunction(() => document.querySelectorAll(".records tbody tr").length === 3);
    await noViolations(page);
  }));

test("a pinned stream stands beside the live one, and the address brings both", () =>
  visit({ hash: `${AT}&stream=exponential&stream.events=100000&stream.mean=4+s` }, async (page) => {
    const answered = () => page.locator('stream-panel[data-state="answered"]').waitFor({ timeout: 60_000 });
    await answered();
    await page.locator("stream-comparison button[data-act=pin]").click();
    const row = (name) => texts(page.locator(`stream-comparison tr[data-id="${name}"] td`));
    await page.locator("stream-comparison .against").waitFor();
    assert.deepEqual((await row("Dropped"))[2], "same");
    const numberIn = (text) => Number(text.replace(/[^\d-]/g, ""));
    const total = async (name) => numberIn(plain(await page.locator(`.stream-body > section .totals div[data-id="${name}"] dd`).first().textContent()).replace(/ \(.*/, ""));
    const before = await total("Dropped");
    assert.ok(before > 0);
    await option(page, "bound").fill("20 s");
    await option(page, "bound").press("Enter");
    await page.waitForFunction(() => document.querySelector('stream-comparison tr[data-id="Dropped"] td:last-child')?.textContent !== "same", null, { timeout: 60_000 });
    const dropped = (await row("Dropped")).map(numberIn);
    assert.deepEqual(dropped, [before, await total("Dropped"), (await total("Dropped")) - before]);
    assert.match((await row("Dropped, share"))[2], /^-\d.*% of all$/);
    assert.match((await row("Most bytes of heap"))[2], /^\+\d/);
    const heads = await texts(page.locator("stream-comparison .verdicts dd"));
    assert.ok(heads[0].startsWith("With a bound of 5 s") && heads[1].startsWith("With a bound of 20 s"), heads.join("\n"));
    await noViolations(page);
    await page.waitForFunction(() => location.hash.includes("pin=") && location.hash.includes("bound=20"));
    // Opened anew nothing is known of A, so it is run.
    await page.reload();
    await answered();
    await page.locator("stream-comparison .against").waitFor({ timeout: 60_000 });
    assert.deepEqual((await row("Dropped")).map(numberIn), dropped);
    await page.locator("stream-comparison button[data-act=swap]").click();
    await page.waitForFunction(() => document.querySelector('stream-comparison tr[data-id="Dropped"] td:last-child')?.textContent?.startsWith("+"), null, { timeout: 60_000 });
    assert.deepEqual((await row("Dropped")).map(numberIn).slice(0, 2), [dropped[1], dropped[0]]);
    // A job record by record is another thing.
    await page.locator('.stream-switch input[value="records"]').check();
    await page.locator('event-time-tool[data-state="answered"]').waitFor();
    assert.match(await page.locator("event-comparison .pin-row").innerText(), /A is a whole stream/);
    await page.locator("event-comparison button[data-act=unpin]").click();
    await page.waitForFunction(() => !location.hash.includes("pin="));
  }));

test("a whole stream takes every trigger, that of the clock too, and foretells a full function from the rate", () =>
  visit({ hash: `${AT}&stream=in-order&stream.events=20000&trigger=count&count=100` }, async (page) => {
    const answered = () => page.locator('stream-panel[data-state="answered"]').waitFor({ timeout: 60_000 });
    await answered();
    const results = () => page.locator('.stream-body > section .totals div[data-id="Results"] dd').first().textContent();
    assert.match((await page.locator("stream-panel finding-list").allInnerTexts()).join("\n"), /does not make a full count/);
    const seen = [await results()];
    for (const trigger of ["continuous", "earlyTime"]) {
      await option(page, "trigger").selectOption(trigger);
      // None while it runs.
      const isAnother = (before) => {
        const now = document.querySelector('stream-panel[data-state="answered"] .stream-body > section .totals div[data-id="Results"] dd')?.textContent;
        return now !== undefined && now !== before;
      };
      await page.waitForFunction(isAnother, seen.at(-1), { timeout: 60_000 });
      seen.push(await results());
    }
    assert.equal(new Set(seen).size, 3, seen.join());
    await option(page, "trigger").selectOption("eventTime");
    await option(page, "function").selectOption("full");
    await page.waitForFunction(() => /predicted from the rate/.test(document.querySelector('stream-panel[data-state="answered"] .kept')?.textContent ?? ""), null, { timeout: 60_000 });
    assert.match(plain(await page.locator("stream-panel .kept > p").first().textContent()), /if records come evenly, 2 000 for each second/);
    const predicted = await texts(page.locator('stream-panel .kept tr[data-id="predicted"] td'));
    assert.ok(predicted.every((text) => /^[\d.]+ [KM]iB$/.test(text)), predicted.join());
  }));
