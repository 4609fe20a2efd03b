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
/**
 * What each example shows: its outcome, the records that a reader of each kind has got, how many of
 * them the judged reader has twice or never, and the step that breaks the promise first.
 * @type {Record<string, [RegExp, number, number, number, number, string?]>}
 */
const SHOWN = {
  clean: [/^Exactly once/, 600, 600, 0, 0],
  classic: [/^Exactly once/, 600, 600, 0, 0],
  "fast-restart": [/^Exactly once/, 600, 650, 0, 0],
  "long-outage": [/^Data is lost/, 500, 650, 0, 100, "recommit@cp3:PRODUCER_FENCED"],
  "above-maximum": [/^The job does not start/, 0, 0, 0, 0, "initTransactions:INVALID_TRANSACTION_TIMEOUT"],
  "lost-notification": [/^Data is lost/, 500, 600, 0, 100, "commit@cp3:PRODUCER_FENCED"],
  declined: [/^Data is lost/, 500, 600, 0, 100, "commit@cp3:PRODUCER_FENCED"],
  "restore-twice": [/^Exactly once/, 600, 700, 0, 0],
  "same-prefix": [/^Data is lost/, 500, 600, 0, 100, "commit@cp3:PRODUCER_FENCED"],
  "same-jvm": [/^The job does not start/, 0, 0, 0, 0, "createWriter:duplicate_prefix"],
  "prefix-changed": [/^Exactly once/, 600, 650, 0, 0],
  "prefix-changed-no-state": [/^Readers are stuck/, 600, 650, 0, 0, "fetch:lso_below_committed"],
  zombie: [/^Exactly once/, 600, 650, 0, 0],
  "scale-down": [/^Readers are stuck/, 600, 750, 0, 0, "fetch:lso_below_committed"],
  "old-savepoint": [/^Duplicates/, 800, 850, 200, 0, "restore:older_than_last_commit"],
  "blocked-reader": [/^Readers are stuck/, 2000, 2000, 0, 0, "fetch:lso_below_committed"],
  "idle-writer": [/^Data is lost/, 0, 600, 0, 600, "commit@cp1:PRODUCER_FENCED"],
  "busy-writer": [/^The job restarts for ever/, 0, 250, 0, 0, "send@cp1:INVALID_PRODUCER_EPOCH"],
  "false-alarm": [/^Exactly once/, 600, 650, 0, 0],
  "expired-ids": [/^The job does not start/, 300, 300, 0, 0, "recommit@cp3:INVALID_PRODUCER_ID_MAPPING"],
  "naming-back": [/^The job does not start/, 300, 350, 0, 0, "restoreWriter:naming_strategy_switch_back"],
  "from-3x": [/^The job does not start/, 300, 350, 0, 0, "restoreWriter:migrate_3x_to_pooling"],
  "pool-empty": [/^The job restarts for ever/, 0, 2500, 0, 0, "snapshotState@cp5:PRODUCERS_POOL_EMPTY"],
  "not-authorized": [/^The job does not start/, 0, 0, 0, 0, "restoreWriter:AUTHORIZATION_FAILED"],
  "commit-retried": [/^Exactly once/, 600, 600, 0, 0],
  "uncommitted-reader": [/^Duplicates/, 600, 650, 50, 0, "consume:read_uncommitted"],
};
/** Sentences of the examples that the picture, the logs or the rules have to show. @type {Record<string, [string, RegExp][]>} */
const SAID = {
  "long-outage": [[".log-lines", /transactionalId app-0-3 due to timeout/], ["finding-list", /transaction is 21 min 5 s old, and it is aborted after 15 min/], [".inequality", /Flink logs it and runs on: no task fails/]],
  "above-maximum": [[".inequality", /E1, broken/], ["finding-list", /The broker refuses a timeout of 1 h/]],
  "lost-notification": [[".inequality", /E2, broken[^]*20 min 5\.1 s/]],
  declined: [[".inequality", /E2, broken[^]*16 min 5\.1 s/]],
  "same-prefix": [[".inequality", /uniqueness, broken: The other job aborted app-0-3/], [".inequality", /Job A: Subtask 0 commits app-0-3 of checkpoint 3: PRODUCER_FENCED/], ["finding-list", /Another sink has the prefix “app” too/]],
  "scale-down": [["finding-list", /flink-connector-kafka 5\.0 is released for Flink 2\.1 and 2\.2, not for 1\.20/], [".log-lines", /transactionalId app-1-1 due to timeout/], [".log-lines", /A false alarm/]],
  "old-savepoint": [[".inequality", /rewind, broken: The job started from checkpoint 3, and transactions up to those of checkpoint 5/], [".inequality", /Nothing in Flink notices it/]],
  "blocked-reader": [[".inequality", /E5[^]*14 min 4\.8 s/]],
  "prefix-changed-no-state": [[".log-lines", /transactionalId app-0-3 due to timeout/]],
  "idle-writer": [[".inequality", /E2, broken[^]*9 min 40\.1 s/], [".inequality", /Flink logs it and runs on/]],
  "busy-writer": [[".log-lines", /INVALID_PRODUCER_EPOCH/], [".inequality", /Flink notices it/]],
  "false-alarm": [[".log-lines", /A false alarm: nothing is lost/]],
  "expired-ids": [[".inequality", /E4, broken/], ["finding-list", /State of 8 d ago names transactional ids/]],
  "naming-back": [[".log-lines", /Attempted to switch the transaction naming strategy back to INCREMENTING/]],
  "from-3x": [[".log-lines", /Attempted to migrate from flink-connector-kafka 3\.X directly/]],
  "pool-empty": [[".log-lines", /Too many ongoing snapshots\. Increase kafka producers pool size/], ["finding-list", /pool/i]],
  "not-authorized": [["finding-list", /WRITE/], [".log-lines", /told in our words/]],
  "uncommitted-reader": [["finding-list", /One reader sees records that are aborted later/]],
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

test("every example shows what it says", () =>
  visit({ hash: at() }, async (page) => {
    await answered(page);
    assert.deepEqual(Object.keys(SHOWN).sort(), EXACTLY_PRESETS.map(({ id }) => id).sort());
    for (const { id } of EXACTLY_PRESETS) {
      const [outcome, committed, uncommitted, duplicates, lost, step] = SHOWN[id];
      await page.locator("#exactly-preset").selectOption(id);
      // Two examples may begin with the same words, so what is shown has to be this one's.
      await page.waitForFunction(([id]) => (new URLSearchParams(location.hash.split("?")[1]).get("preset") ?? "clean") === id, [id]);
      await answered(page);
      await says(page, outcome);
      const cells = async (reader) => (await page.locator(`tr[data-id="${reader}"] td`).allInnerTexts()).slice(0, 3).map((text) => Number(text.replace(/\s/g, "")));
      const judged = id === "uncommitted-reader" ? "read_uncommitted" : "read_committed";
      await page.waitForFunction(([reader, want]) => document.querySelector(`tr[data-id="${reader}"] td`)?.textContent?.replace(/\s/g, "") === want, ["read_uncommitted", String(uncommitted)]);
      assert.equal((await cells("read_committed"))[0], committed, id);
      assert.deepEqual((await cells(judged)).slice(1), [duplicates, lost], id);
      assert.equal(await page.locator(".inequality code").count(), step ? 1 : 0, id);
      if (step) assert.equal(await page.locator(".inequality code").innerText(), step);
      for (const [part, words] of SAID[id] ?? []) assert.match(await page.locator(`exactly-answer ${part}`).first().innerText(), words, id);
      assert.ok((await page.locator("exactly-answer svg").count()) >= 1, id);
    }
  }));

test("barriers meet transactions, to the number", () =>
  visit({ hash: at("&preset=classic") }, async (page) => {
    const stepper = page.locator("barrier-steps checkpoint-stepper");
    const now = () => stepper.innerText();
    const back = stepper.getByRole("button", { name: "Back", exact: true });
    await stepper.locator(".stepper-transactions .is-aborted").waitFor();
    // 999 was lost with the worker: the sum is 75 again, and transaction 2 is aborted.
    assert.match(await now(), /Sums\s+A = 75, B = 80[^]*Transaction 2 aborted: A=175, A=1174[^]*see A=50, A=75, B=80\./);
    const goTo = async (steps) => {
      while ((await stepper.locator(".stepper-log li").count()) > steps) {
        const before = await stepper.locator(".stepper-log li").count();
        await back.click();
        await page.waitForFunction(([count]) => document.querySelectorAll("barrier-steps .stepper-log li").length < count, [before]);
      }
    };
    await goTo(8);
    assert.match(await now(), /A = 1174, B = 80/);
    await goTo(7);
    assert.match(await now(), /A = 175, B = 80[^]*snapshot A = 75, B = 80[^]*see A=50, A=75, B=80\./);
    await goTo(6);
    assert.match(await now(), /A = 175[^]*Transaction 1 pre-committed/);
    assert.doesNotMatch(await now(), /see A=50/);
    await goTo(4);
    assert.match(await stepper.locator('.stepper-channel[data-id="0"]').innerText(), /blocked/i);
    assert.match(await now(), /A = 75, B = 80/);
    // The address holds the run, and another example closes it.
    await page.waitForFunction(() => decodeURIComponent(location.hash).includes("~0.1.1.0"));
    await page.locator("#exactly-preset").selectOption("clean");
    await page.waitForFunction(() => !document.querySelector("barrier-steps details").open);
  }));

test("a fault is placed, edited and removed", () =>
  visit({ hash: at() }, async (page) => {
    await answered(page);
    await page.locator("step-machine button", { hasText: "Checkpoint complete" }).click();
    await page.locator(".machine-faults button", { hasText: "Crash before the commit" }).click();
    await page.locator("fault-list .fault").nth(1).waitFor();
    await says(page, /^Exactly once/);
    const after = page.locator('fault-list input[data-name="afterMs"]');
    await after.fill("20 min");
    await after.press("Enter");
    await says(page, /^Data is lost/);
    assert.match(await page.locator('tr[data-id="read_committed"]').innerText(), /100/);
    // The rules count the outage.
    assert.match(await page.locator("finding-list").innerText(), /21 min 5 s old/);
    await after.fill("soon");
    await after.press("Enter");
    await answered(page, "failed");
    assert.equal(await after.getAttribute("aria-invalid"), "true");
    assert.match(await verdict(page).innerText(), /^Fault 2: /);
    await page.goBack();
    await says(page, /^Data is lost/);
    assert.equal(await after.inputValue(), "20 min");
    await page.goBack();
    await says(page, /^Exactly once/);
    assert.equal(await after.inputValue(), "");
    await page.locator('fault-list [data-remove="1"]').click();
    await page.locator('fault-list [data-remove="0"]').click();
    assert.equal(await page.locator("fault-list .fault").count(), 0);
  }));

test("the kind of a fault is changed in its place, and its place by the keyboard", () =>
  visit({ hash: at("&preset=long-outage") }, async (page) => {
    await says(page, /^Data is lost/);
    assert.equal(await page.locator('fault-list input[data-name="afterMs"]').inputValue(), "20 min");
    const kind = page.locator('fault-list select[data-name="ev"][data-fault="0"]');
    await kind.selectOption("jm_crash");
    await page.waitForFunction(() => decodeURIComponent(location.hash).includes('"jm_crash","at":"after_complete","checkpoint":3'));
    await says(page, /^Data is lost/);
    // Nothing crashes any more, so the restore replays what was committed.
    await kind.selectOption("notify_lost");
    await says(page, /^Duplicates/);
    await page.locator('fault-list button[data-up="1"]').focus();
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => /"restore".*"notify_lost"/.test(decodeURIComponent(location.hash)));
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
    // The way is drawn as a run by the clock is, and a row of the picture moves the player.
    const lanes = page.locator("try-all-orders .explore-way svg-chart");
    await page.waitForFunction(() => document.querySelectorAll("try-all-orders .explore-way svg text").length > 5);
    const words = (await lanes.locator("svg text").allTextContents()).map((text) => text.trim());
    // How long the names of the lanes are depends on the room.
    for (const word of ["Coord", "Read", "step 1", "P0"]) assert.ok(words.some((text) => text.startsWith(word)), `${word} in ${words}`);
    await lanes.locator(".chart-stage").click({ position: { x: 20, y: 35 } });
    await page.waitForFunction(() => document.querySelector("try-all-orders player-bar .player-said")?.textContent?.startsWith("Step 1 of"));
    await page.waitForFunction(() => decodeURIComponent(location.hash).includes('"step":1'));
    await way.getByRole("button", { name: "One step on" }).click();
    await page.waitForFunction(([want]) => document.querySelector("try-all-orders player-bar .player-said")?.textContent === want, [said]);
    await page.waitForFunction(() => decodeURIComponent(location.hash).includes('"step":2'));
    const other = await context.newPage();
    await other.goto(page.url());
    await other.locator('try-all-orders[data-state="found"]').waitFor({ timeout: 120_000 });
    await other.waitForFunction(([want]) => document.querySelector("try-all-orders player-bar .player-said")?.textContent === want, [said]);
    assert.ok(decodeURIComponent(other.url()).replaceAll("+", " ").includes(name));
    await other.waitForFunction(() => document.querySelectorAll("try-all-orders .explore-way svg text").length > 5);
    await other.close();
  }));

test("all sinks, zombies and rivals can be tried, and the choice is in the address", () =>
  visit({ hash: at() }, async (page, context) => {
    await answered(page);
    await page.locator('[data-bound="records"]').fill("1");
    for (const sink of ["file", "table", "upsert", "legacy"]) {
      await page.locator('[data-bound="sink"]').selectOption(sink);
      if (sink === "upsert") await page.locator('[data-bound="zombies"]').check();
      await page.getByRole("button", { name: "Try all orders" }).click();
      await page.waitForFunction(([sink]) => decodeURIComponent(location.hash).includes(`"sink":"${sink}"`), [sink]);
      await page.locator('try-all-orders[data-state="found"]').waitFor({ timeout: 120_000 });
      assert.match(await page.locator(".explore-said").innerText(), /distinct/, sink);
    }
    assert.ok(decodeURIComponent(page.url()).includes('"zombies":true'));
    // A second job with the same prefix, and its link.
    await page.locator('[data-bound="sink"]').selectOption("kafka_sink");
    await page.locator('[data-bound="zombies"]').uncheck();
    await page.locator("try-all-orders summary").click();
    for (const [bound, value] of [["crashes", 0], ["timeouts", 0], ["secondStarts", 1]]) await page.locator(`[data-bound="${bound}"]`).fill(String(value));
    await page.locator('[data-bound="isPartitionShared"]').check();
    await page.getByRole("button", { name: "Try all orders" }).click();
    await page.waitForFunction(() => decodeURIComponent(location.hash).includes('"secondStarts":1'));
    await page.locator('try-all-orders[data-state="found"]').waitFor({ timeout: 120_000 });
    assert.match(await page.locator(".explore-said").innerText(), /^Broken after \d+ steps/);
    await page.locator("try-all-orders [data-way]").first().click();
    assert.match(await page.locator("try-all-orders .explore-steps").innerText(), /second job/i);
    const other = await context.newPage();
    await other.goto(page.url());
    await other.locator('try-all-orders[data-state="found"]').waitFor({ timeout: 120_000 });
    assert.ok(await other.locator('[data-bound="isPartitionShared"]').isChecked());
    await other.close();
  }));

test("files and tables have words and faults of their own", () =>
  visit({ hash: at("&sink=file") }, async (page) => {
    await says(page, /^Exactly once\. A reader of finished files sees each record once\./);
    const lanes = page.locator("exactly-answer > section > svg-chart").first();
    const words = async () => (await lanes.locator("svg text").allTextContents()).join(" ");
    assert.match(await words(), /Files[^]*Subtask 0 commits checkpoint 6: it renames its pending file\./);
    assert.doesNotMatch(await words(), /Coordinator|transaction|offset|Partition/i);
    assert.match(await page.locator('tr[data-id="read_committed"]').innerText(), /finished files only\s+600/);
    assert.equal(await page.locator('option-field[data-field="timeoutMs"]').isVisible(), false);
    for (const step of ["begin", "preCommit", "complete", "commit"]) {
      await page.locator(`step-machine button[data-step="${step}"]`).click();
      assert.doesNotMatch(await page.locator(".machine-faults").innerText(), /prefix|ACL|JVM|Coordinator|Legacy|Broker/);
    }
    await page.locator(".machine-faults button", { hasText: "Crash during the commit" }).click();
    await page.locator("fault-list .fault").nth(1).waitFor();
    const offered = await page.locator('fault-list select[data-name="ev"]').first().locator("option").allInnerTexts();
    assert.ok(offered.includes("Crash") && !offered.some((text) => /broker|coordinator|refused|JVM/i.test(text)), offered.join());
    await page.locator('option-field[data-field="sink"] select').selectOption("table");
    await says(page, /^Exactly once\. A reader of the table/);
    assert.match(await words(), /Table[^]*The committer takes what subtask 0 staged for checkpoint 6/);
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
