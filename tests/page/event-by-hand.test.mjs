// The panels by hand, the step's own words, restores, and edits that follow each other fast.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { AxeBuilder } from "@axe-core/playwright";
import { studio } from "./support.mjs";

const { visit } = studio();
const PHONE = { width: 390, height: 844 };
const AT = "#/event-time?v=1";

const ready = (page, state = "answered") => page.locator(`event-time-tool[data-state="${state}"]`).waitFor();
const plain = (text) => text.replace(/[\u00a0\u202f]/g, " ").replace(/\u2212/g, "-");
const option = (page, id) => page.locator(`option-field[data-field="${id}"] :is(input, select)`);
const open = (page, tag) => page.locator(`details:has(> ${tag})`).evaluate((details) => (details.open = true));
const rowsOf = async (page, name) => (await page.getByRole("region", { name }).locator("tbody tr").allInnerTexts()).map((text) => plain(text).replace(/\s+/g, " ").trim());
const total = async (page, name) => plain(await page.locator(`.totals div[data-id="${name}"] dd`).textContent());
const waitForTotal = (page, name, value) =>
  page.waitForFunction(([id, want]) => document.querySelector(`.totals div[data-id="${id}"] dd`)?.textContent === want, [name, String(value)]);
const waitForText = (page, selector, text) => page.waitForFunction(([where, want]) => document.querySelector(where)?.textContent?.replace(/[\u00a0\u202f]/g, " ").includes(want), [selector, text]);
const VERDICT = ".hand-verdict";

test("two inputs by hand: what 2.x does otherwise is shown beside it, and saved", () =>
  visit({ hash: AT }, async (page) => {
    await ready(page);
    await open(page, "watermarks-by-hand");
    await waitForText(page, VERDICT, "differ in 1 step");
    const rows = await rowsOf(page, "Steps and what goes on");
    assert.equal(rows.length, 9);
    assert.match(rows[2], /^3 1 watermark 9000 watermark 5 s timer 4 s of a fires 5 s the same$/);
    assert.match(rows[4], /^5 0 idle idle 5 s watermark 9 s, idle; watermark after it 9 s$/);
    const [file] = await Promise.all([page.waitForEvent("download"), page.locator("watermarks-by-hand button", { hasText: "CSV" }).click()]);
    assert.match((await readFile(await file.path())).toString(), /\r\n5,0 idle,idle,,5000,9000\r\n/);
    await page.locator("input[name=flink][value='2.2']").check({ force: true });
    await waitForText(page, VERDICT, "Flink 2.2 and 1.20 differ");
    assert.match((await rowsOf(page, "Steps and what goes on"))[4], /^5 0 idle watermark 9 s, idle 9 s idle; watermark after it 5 s$/);
  }));

test("scripts of splits, of the valve and of a generator, and lines that cannot be read", () =>
  visit({ hash: AT }, async (page) => {
    await ready(page);
    await open(page, "watermarks-by-hand");
    const script = page.locator("#hand-script");
    const problem = page.locator("#hand-problem");
    await page.locator("#hand-kind").selectOption("channels");
    await waitForText(page, VERDICT, "1.18, 1.20 and 2.2 agree");
    // The channel that came back is left out till it has caught up with 9 s.
    assert.match((await rowsOf(page, "Steps and what goes on"))[4], /8000 nothing 9 s$/);
    await page.locator("#hand-count").fill("none");
    assert.match(await problem.textContent(), /^Channels: “none” is not a number/);
    assert.equal(await page.locator("#hand-count").getAttribute("aria-invalid"), "true");
    await page.locator("#hand-count").fill("1");
    await waitForText(page, "#hand-problem", "Line 2: ");
    assert.match(await problem.textContent(), /names channel 1; there are 1/);
    await page.locator("#hand-kind").selectOption("splits");
    await waitForText(page, VERDICT, "After 8 steps");
    await script.fill("register a\n\na watermark 5\n<img src=x onerror=alert(1)>\n");
    await waitForText(page, "#hand-problem", "Line 4: ");
    assert.equal(await script.getAttribute("aria-invalid"), "true");
    await script.fill("register a\n\nb watermark 5");
    await waitForText(page, "#hand-problem", "Line 3: ");
    assert.match(await problem.textContent(), /split “b”, which is not registered/);
    await page.locator("#hand-kind").selectOption("generator");
    await waitForText(page, VERDICT, "After 8 steps: watermark 6.999 s");
    await page.waitForFunction(() => location.hash.includes("hand=generator"));
    await script.fill("event 1e308");
    await waitForText(page, "#hand-problem", "is not a time");
    await script.fill("event 5000\nperiodic\nevent 9223372036854775807\nperiodic");
    await waitForText(page, VERDICT, "After 4 steps");
    await script.fill("x".repeat(1_000_001));
    await waitForText(page, "#hand-problem", "is not read");
  }));

test("an address opens the panels with their texts", async () => {
  const script = encodeURIComponent("register only\nonly watermark 7000");
  await visit({ hash: `${AT}&hand=splits&script=${script}&times=25000&keys=x` }, async (page) => {
    await ready(page);
    await open(page, "watermarks-by-hand");
    await waitForText(page, VERDICT, "After 2 steps: watermark 7 s");
    await open(page, "places-of-values");
    await waitForText(page, "places-of-values", "[20 s, 30 s)");
    await page.locator("#values-times").fill("35000");
    await page.locator("#values-times").blur();
    await page.waitForFunction(() => location.hash.includes("times=35000"));
    assert.match(await page.evaluate(() => location.hash), /script=register\+only/);
  });
});

test("windows and key groups of values follow the settings of the page", () =>
  visit({ hash: AT }, async (page) => {
    await ready(page);
    await open(page, "places-of-values");
    await waitForText(page, "places-of-values", "user-4");
    assert.deepEqual((await rowsOf(page, "Windows of the timestamps")).slice(0, 2), ["12.345 s 12345 [10 s, 20 s) 1", "-1 ms -1 [-10 s, 0 s) 1"]);
    // Recorded from KeyGroupRangeAssignment: murmur 1 662 039 673 modulo 128 is 121.
    assert.match((await rowsOf(page, "Key groups of the keys"))[0], /^user-1 -836 031 825 1 662 039 673 121 0$/);
    await option(page, "parallelism").fill("4");
    await page.waitForFunction(() => document.querySelector("places-of-values tbody tr:first-child td:last-child") && /^.*121\s*3$/.test(document.querySelectorAll('places-of-values .figures')[1].querySelector("tbody tr").innerText.replace(/\s+/g, " ")));
    await option(page, "window").selectOption("zoned");
    await option(page, "size").fill("1 d");
    await option(page, "zone").fill("Europe/Berlin");
    await page.locator("#values-times").fill("2026-03-29T12:00:00Z\n1916-05-01T10:00:00Z");
    await waitForText(page, "places-of-values", "[2026-03-28 23:00:00, 2026-03-29 22:00:00)");
    // Summer time began there on 30 April 1916, far from any record of the page.
    await waitForText(page, "places-of-values", "[1916-04-30 22:00:00, 1916-05-01 22:00:00)");
    await page.locator("#values-times").fill("soon");
    await waitForText(page, "#values-times-problem", "Timestamp 1: “soon” is not a time");
    assert.equal(await page.locator("#values-times").getAttribute("aria-invalid"), "true");
    await option(page, "keyType").selectOption("integer");
    await waitForText(page, "#values-keys-problem", "“user-1” is not");
  }));

test("a restore keeps windows and forgets the watermark, and can be taken back", () =>
  visit({ hash: `${AT}&preset=dropped` }, async (page) => {
    await ready(page);
    assert.equal(await total(page, "Dropped"), "2");
    await page.locator("player-bar button[aria-label='To the start']").click();
    for (let step = 1; step < 4; step += 1) await page.locator("player-bar button[aria-label='One step on']").click();
    await waitForText(page, ".player-said", "Step 4 of 9");
    await page.locator("event-moment details").evaluate((details) => (details.open = true));
    await waitForText(page, "event-moment", "Not in it");
    assert.match(plain(await page.locator("event-moment").innerText()), /Read so far: partition 0 4 records\./);
    assert.match(plain(await page.locator(".moment-verdict").textContent()), /Next fires .* still needs a record stamped/);
    await page.getByRole("button", { name: "Restore here" }).click();
    await page.getByRole("button", { name: "Take back the restore after step 4" }).waitFor();
    await page.waitForFunction(() => /[?&]restore=4/.test(location.hash));
    assert.match(plain(await page.locator(".log").innerText()), /restore/);
    assert.ok(Number(await total(page, "Dropped")) < 2);
    await page.locator("finding-list", { hasText: "restored after step 4" }).first().waitFor();
    // A second one, two steps on; the row of the first is no step.
    for (let step = 0; step < 2; step += 1) await page.locator("player-bar button[aria-label='One step on']").click();
    await page.getByRole("button", { name: "Restore here" }).click();
    await page.getByRole("button", { name: "Take back the restore after step 6" }).waitFor();
    await page.waitForFunction(() => /[?&]restore=4(,|%2C)6/.test(location.hash));
    await page.locator("finding-list", { hasText: "restored after steps 4 and 6" }).first().waitFor();
    await page.getByRole("button", { name: "Take back all restores" }).click();
    await waitForTotal(page, "Dropped", 2);
    assert.doesNotMatch(await page.evaluate(() => location.hash), /restore=/);
  }));

test("records as JSON lines, and a line that is none named by its record", () =>
  visit({ hash: AT }, async (page) => {
    await ready(page);
    await page.locator(".records-text summary").click();
    const text = page.locator("#records-text");
    await text.fill('{"id":"j1","ts":1000,"user":"a","__proto__":1}\n{"ts":"1970-01-01T00:00:12Z","user":"b"}');
    await waitForTotal(page, "Records", 2);
    assert.equal(await page.locator('.records tbody tr:nth-child(2) input[data-column="key"]').inputValue(), "b");
    await text.fill('{"ts":1000}\n{"ts":\n');
    await ready(page, "failed");
    assert.match(await page.locator("event-editor .field-problem").textContent(), /^Record 2, e2, event time: “\{"ts":” is not a time/);
    await page.evaluate(() => {
      const clipboardData = new DataTransfer();
      clipboardData.setData("text/plain", '{"timestamp":1000,"key":"a"}\n{"timestamp":2000,"key":"a"}\n{"timestamp":3000,"key":"a"}');
      document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true }));
    });
    await waitForTotal(page, "Records", 3);
  }));

test("edits of the picture and of the list that come before the answer are all kept", () =>
  visit({ hash: `${AT}&preset=in-order` }, async (page) => {
    await ready(page);
    const ids = () => page.locator('.records input[data-column="id"]').evaluateAll((inputs) => inputs.map((input) => input.value));
    const before = await ids();
    await page.evaluate(() => {
      const lanes = document.querySelector("event-lanes");
      const send = (type, detail) => lanes.dispatchEvent(new CustomEvent(type, { detail, bubbles: true }));
      // All of them in one task: rows are those of the answer on show.
      send("record-remove", { row: 1 });
      send("record-remove", { row: 0 });
      send("record-remove", { row: 0 });
      send("record-nudge", { row: 3, time: 100, places: 0 });
      send("record-nudge", { row: 3, time: 100, places: 0 });
      send("record-add", { time: 7000, after: 4 });
      document.querySelectorAll(".record-delete")[1].click();
    });
    await waitForTotal(page, "Records", before.length - 2);
    const after = await ids();
    assert.deepEqual(after.filter((id) => before.includes(id)), before.filter((id, place) => ![0, 1, 3].includes(place)), "rows 0 and 1, then the second of what was left");
    assert.equal(after.length, before.length - 2);
  }));

test("two nudges before the answer are two steps", () =>
  visit({ hash: `${AT}&preset=in-order` }, async (page) => {
    await ready(page);
    const time = page.locator('.records tbody tr:nth-child(3) input[data-column="time"]');
    const before = Number(await time.inputValue());
    await page.evaluate(() => {
      for (let at = 0; at < 2; at += 1) document.querySelector("event-lanes").dispatchEvent(new CustomEvent("record-nudge", { detail: { row: 2, time: 100, places: 0 }, bubbles: true }));
    });
    await page.waitForFunction((want) => document.querySelector('.records tbody tr:nth-child(3) input[data-column="time"]').value === want, String(before + 200));
  }));

test("why no output: sessions and global windows say why none is named, and alignment who pauses", () =>
  visit({ hash: `${AT}&window=session` }, async (page) => {
    await ready(page);
    await open(page, "why-no-output");
    await page.locator("#why-text").fill("0 10000\n1 25000");
    await waitForText(page, ".why-no-next", "A session fires when the watermark reaches its last record");
    // Open is what ends after 10 s + 1 ms: last record + 5 s - 1 ms > 10 s.
    await waitForText(page, ".why-no-next", "stamped 5.002 s or later");
    await page.locator("#why-drift").fill("5 s");
    await waitForText(page, "why-no-output", "ahead of 15 s pauses");
    await page.locator("#why-drift").fill("much");
    await page.locator("#why-drift-problem:not([hidden])").waitFor();
    await page.locator("#why-drift").fill("");
    await option(page, "window").selectOption("global");
    await waitForText(page, ".why-no-next", "never fires by event time");
  }));

test("windows in a zone: SQL sets it", () =>
  visit({ hash: `${AT}&preset=daily-zone` }, async (page) => {
    await ready(page);
    assert.match(await page.locator("event-answer").textContent(), /SET 'table\.local-time-zone' = 'America\/Los_Angeles';/);
  }));

for (const theme of ["light", "dark"]) {
  for (const [name, size] of [["wide", { width: 1440 }], ["phone", PHONE]]) {
    test(`no violations with the panels open, and nothing wider than the page: ${theme}, ${name}`, () =>
      visit({ ...size, hash: `${AT}&preset=late-counted&restore=4&theme=${theme}` }, async (page) => {
        await ready(page);
        for (const details of await page.locator("event-time-tool .answer details").all()) await details.evaluate((element) => (element.open = true));
        await waitForText(page, "places-of-values", "user-4");
        const { violations } = await new AxeBuilder({ page }).withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]).analyze();
        assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).slice(0, 3).join("\n")}`), []);
        assert.ok((await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)) <= 0);
        const log = await page.locator(".virtual-scroller").evaluate((scroller) => scroller.scrollWidth - scroller.clientWidth);
        assert.ok(log <= 0, `the log is ${log} too wide`);
      }));
  }
}
