// The Exactly-once tool in a browser: examples, placing a fault, playing, the search through all
// orders and its link, pasting, bad input, and what a reader without a mouse or with a phone gets.
import assert from "node:assert/strict";
import { test } from "node:test";
import { AxeBuilder } from "@axe-core/playwright";
import { EXACTLY_PRESETS } from "../../www/exactly-once/presets.js";
import { studio } from "./support.mjs";

const { visit } = studio();
const at = (rest = "") => `#/exactly-once?v=1${rest}`;
const verdict = (page) => page.locator("exactly-once-tool .verdict");
/** Outcomes of the examples, as the recorded scenarios have them. */
const OUTCOMES = {
  clean: /^Exactly once/,
  "fast-restart": /^Exactly once/,
  "long-outage": /^Data is lost/,
  "above-maximum": /^The job does not start/,
  "lost-notification": /^Data is lost/,
  declined: /^Data is lost/,
  "restore-twice": /^Exactly once/,
  "same-prefix": /^Data is lost/,
  "prefix-changed": /^Exactly once/,
  zombie: /^Exactly once/,
  "scale-down": /^Readers are stuck/,
  "old-savepoint": /^Duplicates/,
  "blocked-reader": /^Readers are stuck/,
  "idle-writer": /^Data is lost/,
  "busy-writer": /^The job restarts for ever/,
  "false-alarm": /^Exactly once/,
  "expired-ids": /^The job does not start/,
  "uncommitted-reader": /^Duplicates/,
};

async function answered(page, state = "answered") {
  await page.locator(`exactly-once-tool[data-state="${state}"]`).waitFor();
}

async function says(page, words) {
  await page.waitForFunction(([source]) => new RegExp(source).test(document.querySelector("exactly-once-tool .verdict")?.textContent ?? ""), [words.source]);
}

async function noViolations(page, what) {
  const { violations } = await new AxeBuilder({ page }).withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]).analyze();
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).slice(0, 3).join("\n")}`);
  assert.deepEqual(found, [], what);
}

test("every example has its outcome", () =>
  visit({ hash: at() }, async (page) => {
    await answered(page);
    assert.deepEqual(Object.keys(OUTCOMES).sort(), EXACTLY_PRESETS.map(({ id }) => id).sort());
    for (const { id } of EXACTLY_PRESETS) {
      await page.locator("#exactly-preset").selectOption(id);
      await says(page, OUTCOMES[id]);
      assert.ok((await page.locator("exactly-answer svg").count()) >= 1, id);
    }
  }));

test("a fault is placed, edited and removed", () =>
  visit({ hash: at() }, async (page) => {
    await answered(page);
    await page.locator("step-machine button", { hasText: "Checkpoint complete" }).click();
    await page.locator(".machine-faults button", { hasText: "Crash before the commit" }).click();
    await page.locator("fault-list .fault").nth(1).waitFor();
    await says(page, /^Exactly once/);
    const after = page.locator('fault-list input[data-name="afterMs"]');
    await after.fill("1200000");
    await after.press("Enter");
    await says(page, /^Data is lost/);
    assert.match(await page.locator('tr[data-id="read_committed"]').innerText(), /100/);
    await page.goBack();
    await says(page, /^Exactly once/);
    await page.locator('fault-list [data-remove="1"]').click();
    await page.locator('fault-list [data-remove="0"]').click();
    assert.equal(await page.locator("fault-list .fault").count(), 0);
  }));

test("the player, the steps and the address go together", () =>
  visit({ hash: at("&preset=long-outage") }, async (page) => {
    await answered(page);
    const player = page.locator("exactly-answer > section > player-bar");
    await player.getByRole("button", { name: "To the start" }).click();
    await page.waitForFunction(() => location.hash.includes("at=1"));
    assert.match(await player.locator(".player-said").innerText(), /^Step 1 of/);
    await player.getByRole("button", { name: "One step on" }).click();
    await page.waitForFunction(() => location.hash.includes("at=2"));
    assert.equal(await page.locator('step-machine li[data-step="begin"].is-lit').count(), 1);
    await page.keyboard.press("End");
    await page.waitForFunction(() => !location.hash.includes("at="));
  }));

test("all orders are tried, and a shortest way opens elsewhere", () =>
  visit({ hash: at() }, async (page, context) => {
    await answered(page);
    await page.getByRole("button", { name: "Try all orders" }).click();
    await page.locator('try-all-orders[data-state="found"]').waitFor({ timeout: 120_000 });
    const play = page.locator("try-all-orders [data-way]").first();
    const name = await play.getAttribute("data-way");
    await play.click();
    const way = page.locator("try-all-orders player-bar");
    await way.getByRole("button", { name: "One step on" }).click();
    await page.waitForFunction(() => decodeURIComponent(location.hash).includes('"step":2'));
    const said = await way.locator(".player-said").innerText();
    const other = await context.newPage();
    await other.goto(page.url());
    await other.locator('try-all-orders[data-state="found"]').waitFor({ timeout: 120_000 });
    await other.waitForFunction(([want]) => document.querySelector("try-all-orders player-bar .player-said")?.textContent === want, [said]);
    assert.ok(decodeURIComponent(other.url()).replaceAll("+", " ").includes(name));
    await other.close();
  }));

test("a search can be cancelled", () =>
  visit({ hash: at() }, async (page) => {
    await answered(page);
    for (const [bound, value] of [["sinks", 3], ["records", 4], ["checkpoints", 5], ["crashes", 3], ["timeouts", 0]]) await page.locator(`[data-bound="${bound}"]`).fill(String(value));
    await page.getByRole("button", { name: "Try all orders" }).click();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.locator('try-all-orders[data-state="stopped"]').waitFor();
  }));

test("a finding is applied, A is pinned and compared", () =>
  visit({ hash: at("&preset=above-maximum") }, async (page) => {
    await says(page, /^The job does not start/);
    await page.getByRole("button", { name: "Pin as A" }).click();
    await page.locator("finding-list [data-apply]").first().click();
    await says(page, /^Exactly once/);
    const row = page.locator('tr[data-id="outcome"]');
    await row.waitFor();
    assert.match(await row.innerText(), /does not start[^]*Exactly once/);
  }));

test("a pasted log is explained and becomes a situation", () =>
  visit({ hash: at() }, async (page) => {
    await answered(page);
    await page.locator("#paste").click();
    await page.locator("#paste-text").fill("WARN - Transaction KafkaTransactionState [transactionalId=sink-1, producerId=1, epoch=2] has been open for 42551680 ms. This is close to or even exceeding the transaction timeout of 10000 ms.\n<img src=x onerror=alert(1)>");
    await page.locator(".dialog-foot button.primary:visible").click();
    await says(page, /^(Data is lost|The job restarts)/);
    assert.match(await page.locator(".read-text").innerText(), /11 h 49 min 11\.68 s/);
    assert.equal(await page.locator(".read-text img").count(), 0);
    assert.equal(await page.locator('option-field[data-field="timeoutMs"] input').inputValue(), "10000 ms");
  }));

test("bad input names its field and keeps the last answer", () =>
  visit({ hash: at() }, async (page) => {
    await answered(page);
    const interval = page.locator('option-field[data-field="intervalMs"] input');
    await interval.fill("soon");
    await answered(page, "failed");
    assert.equal(await interval.getAttribute("aria-invalid"), "true");
    assert.ok(await page.locator("exactly-answer.is-stale").isVisible());
    await interval.fill("0 s");
    await says(page, /intervalMs|interval/i);
    await interval.fill("2 min");
    await answered(page);
  }));

test("hostile addresses are answers", () =>
  visit({ hash: at(`&faults=${encodeURIComponent('[{"ev":"crash","at":"nowhere","checkpoint":-1}]')}&prefix=${encodeURIComponent("<b>")}`) }, async (page) => {
    await answered(page, "failed");
    assert.ok((await verdict(page).innerText()).length > 10);
  }));

for (const theme of ["light", "dark"]) {
  for (const width of [1280, 390]) {
    test(`no violations: ${theme}, ${width} px`, () =>
      visit({ width, hash: at(`&preset=long-outage&theme=${theme}`) }, async (page) => {
        await answered(page);
        for (const details of await page.locator("exactly-answer details").all()) await details.evaluate((element) => (element.open = true));
        await noViolations(page, "answer");
        const wider = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        assert.ok(wider <= 0, `${wider} too wide`);
        if (width === 390) return;
        await page.locator('option-field[data-field="intervalMs"] input').fill("soon");
        await answered(page, "failed");
        await noViolations(page, "error");
      }));
  }
}
