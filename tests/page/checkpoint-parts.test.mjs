import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { AxeBuilder } from "@axe-core/playwright";
import { answered, studio } from "./support.mjs";

const { visit } = studio();
const PHONE = { width: 390, height: 844 };
const plain = (text) => text.replace(/[\u00a0\u202f]/g, " ");

/** Hangs one of the two parts into the page as the tool does. */
async function hang(page, part) {
  await answered(page);
  await page.evaluate(async (name) => {
    await import(`/checkpoints/${name}/define.js`);
    const { engine } = await import("/start.js");
    const element = document.createElement(`checkpoint-${name}`);
    element.ask = (question, params, slot) => engine.ask(question, params, slot);
    element.addEventListener("stepper-change", ({ detail }) => (window.changed = detail.value));
    element.addEventListener("try-scenario", ({ detail }) => (window.tried = detail.scenario));
    const main = document.querySelector("main");
    main.replaceChildren(document.createElement("h2"), document.createElement("h3"), element);
    main.querySelector("h2").textContent = "Checkpoints";
    main.querySelector("h3").textContent = "By hand";
  }, part);
  await page.locator(`checkpoint-${part}[data-state="answered"]`).waitFor();
}

const item = (page, channel, text) => page.locator(`.stepper-channel[data-id="${channel}"] .stepper-item`, { hasText: text });
const verdict = (page) => page.locator("checkpoint-stepper > .stepper-verdict");
const says = (page, text) => verdict(page).filter({ hasText: text }).waitFor();
const button = (page, name) => page.getByRole("button", { name });

async function noViolations(page, what) {
  const { violations } = await new AxeBuilder({ page }).include("main").withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]).analyze();
  assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).slice(0, 3).join("\n")}`), [], what);
}

test("barriers meet transactions, item by item", () =>
  visit({}, async (page) => {
    await hang(page, "stepper");
    await item(page, 0, "A:50").click();
    await says(page, "the sum of A is 50");
    await item(page, 1, "A:25").click();
    await says(page, "the sum of A is 75");
    await item(page, 1, "B:80").click();
    await says(page, "the sum of B is 80");
    await item(page, 0, "▮ 1").click();
    await says(page, "blocked until the barrier has come on channel 1");
    assert.ok(await item(page, 0, "A:100").isDisabled(), "held back");
    assert.match(await page.locator(".stepper-channel.is-blocked").textContent(), /Channel 0/);
    await item(page, 1, "▮ 1").click();
    await says(page, "The snapshot says A=75, B=80.");
    assert.match(await page.locator("checkpoint-stepper").textContent(), /see nothing yet/);
    await item(page, 0, "A:100").click();
    await says(page, "the sum of A is 175");
    await button(page, "Tell the sinks that the checkpoint is complete").click();
    await says(page, "readers see A=50, A=75, B=80");
    await item(page, 1, "A:999").click();
    await button(page, "Kill the worker").click();
    await button(page, "Restore from checkpoint 1").click();
    await says(page, "Transaction 2 is aborted.");
    assert.match(await page.locator(".stepper-facts").textContent(), /Sums\s*A = 75, B = 80/);
    assert.equal(await page.locator(".stepper-log li").count(), 10);
    // The address's text brings all of it back, and Back takes one step.
    const value = await page.evaluate(() => window.changed);
    await page.getByRole("button", { name: "Back", exact: true }).click();
    await says(page, "The worker dies");
    await page.evaluate((text) => (document.querySelector("checkpoint-stepper").value = text), value);
    await says(page, "Transaction 2 is aborted.");
    await noViolations(page, "stepper");
  }));

test("digits deliver, and every order of the reader's own example is tried", () =>
  visit({ viewport: PHONE, colorScheme: "dark" }, async (page) => {
    await hang(page, "stepper");
    await page.getByText("Edit the records").click();
    await page.locator(".stepper-edit textarea").fill("A:1 | A:2\nA:3 |");
    await page.locator(".stepper-edit textarea").blur();
    await item(page, 1, "A:3").waitFor();
    await page.getByLabel("a sink with transactions").uncheck();
    await item(page, 0, "A:1").focus();
    await page.keyboard.press("0");
    await says(page, "the sum of A is 1");
    await button(page, "Try all orders").click();
    await page.locator(".stepper-explored", { hasText: "keep every promise" }).waitFor();
    await page.getByLabel("Barriers", { exact: true }).selectOption("atLeastOnce");
    await button(page, "Try all orders").click();
    await page.locator(".stepper-explored", { hasText: "At least once does not promise more" }).waitFor();
    await page.locator('[data-id="countedOnce"] button').click();
    for (let step = 0; step < 8; step += 1) await button(page, "Forward").click();
    await page.locator(".stepper-log li:nth-child(8)").waitFor();
    await page.locator(".stepper-item.is-twice").waitFor();
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.ok(overflow <= 0, `${overflow} px wider than the phone`);
    await noViolations(page, "stepper, dark, narrow");
  }));

test("an example that cannot be read says why and stays", () =>
  visit({}, async (page) => {
    await hang(page, "stepper");
    await page.getByText("Edit the records").click();
    await page.locator(".stepper-edit textarea").fill("A:1 |\nA<b>1");
    await page.locator(".stepper-edit textarea").blur();
    await page.locator(".stepper-problem", { hasText: "A<b>1" }).waitFor();
    assert.equal(await page.locator(".stepper-edit textarea").inputValue(), "A:1 |\nA<b>1");
  }));

const raw = async () => {
  const lines = (await readFile(new URL("../oracle/checkpoints/raw.jsonl", import.meta.url), "utf8")).split("\n");
  return (run) => JSON.parse(lines.find((line) => line.startsWith(`{"run": "${run}"`))).files;
};

test("the import opens on an example, what is pasted takes its place, and what is none is said to be none", () =>
  visit({}, async (page) => {
    await hang(page, "import");
    const verdict = page.locator(".import-verdict");
    assert.match(await verdict.textContent(), /^Checkpoint 4 waited 6\.42 s for subtask 1/);
    assert.ok(await page.locator(".import-example").isVisible());
    await page.getByText("Which answers of the REST API?").click();
    assert.ok(await page.getByText("/jobs/:jobid/checkpoints/config").isVisible());
    await page.locator(".import-drop textarea").fill("<b>no answer</b>".repeat(60_000));
    await page.getByRole("button", { name: "Read", exact: true }).click();
    await verdict.filter({ hasText: "Nothing in it was recognised." }).waitFor();
    assert.ok(await page.locator(".import-pieces .is-ignored").isVisible());
    assert.ok(await page.locator(".import-example").isHidden());
    // Numbers that no page can hold, and a message as long as a book.
    const { MAX_SAFE_INTEGER: most } = Number;
    const subtask = { index: 0, status: "completed", ack_timestamp: most, end_to_end_duration: most, start_delay: most, checkpoint: { sync: most, async: most }, alignment: { buffered: 0, processed: most, persisted: 0, duration: most }, unaligned_checkpoint: false };
    const answers = [{ id: 1, status: "COMPLETED", end_to_end_duration: most, num_subtasks: 1, subtasks: [subtask] }, { counts: {}, history: [{ id: 2, status: "FAILED", end_to_end_duration: 5, failure_message: "é".repeat(100_000) }] }];
    await page.locator(".import-drop textarea").fill(answers.map((one) => JSON.stringify(one)).join("\n"));
    await page.getByRole("button", { name: "Read", exact: true }).click();
    await page.locator(".import-answer td", { hasText: "é… (cut)" }).waitFor();
    await page.locator("checkpoint-import svg").waitFor();
  }));

test("REST answers pasted together become a picture, a verdict and a scenario", async () => {
  const files = (await raw())("C1_full_4k_100rps/aligned");
  await visit({}, async (page) => {
    await hang(page, "import");
    const text = Object.entries(files).map(([name, json]) => `$ cat ${name}\n${json}`).join("\n");
    await page.locator(".import-drop textarea").fill(text);
    await button(page, "Read").click();
    await page.locator(".import-verdict", { hasText: "start delay" }).waitFor();
    assert.match(await page.locator(".import-verdict").textContent(), /op -> discard: Writer is busy/);
    await page.locator("checkpoint-import svg").waitFor();
    assert.equal(await page.locator(".import-pieces li").count(), Object.keys(files).length);
    await page.locator(".import-answer > section:last-child table").first().waitFor();
    assert.match(plain(await page.locator(".import-answer > section:last-child").textContent()), /End-to-end duration8(\.\d+)? s8(\.\d+)? s/);
    const slowest = page.locator(".import-answer > section:last-child table", { hasText: "Slowest subtasks" }).locator("tbody tr");
    const [real, simulated] = (await slowest.allTextContents()).map(plain);
    assert.match(real, /^op -> discard: Writer 0real, mean[78](\.\d+)? s[78](\.\d+)? s/);
    assert.match(simulated, /^op -> discard: Writer 0simulated[78](\.\d+)? s[78](\.\d+)? s/);
    assert.match(plain(await page.locator(".import-answer > section:last-child").textContent()), /Simulated: all of .*at most 5 million records/);
    await button(page, "Try it here").click();
    const tried = await page.evaluate(() => window.tried);
    assert.equal(tried.vertices.length, 2);
    assert.equal(tried.network.segmentBytes, 4096);
    await noViolations(page, "import");
    await button(page, "Clear").click();
    await page.locator(".import-verdict", { hasText: "Paste answers" }).waitFor();
  });
});

test("a job that was read is tried without losing anything of it", async () => {
  for (const [run, shown] of [["D1_chain3_sink100/aligned", /slowsink -> discard: Writer/], ["G1_debloat_32k_1000rps/aligned", /op -> discard: Writer/], ["H5_async800/aligned", /op/]]) {
    const files = (await raw())(run);
    await visit({ hash: "#/checkpoints?v=1&view=import" }, async (page) => {
      await page.locator("checkpoint-import[data-state=answered]").waitFor();
      const payload = Object.entries(files).map(([name, json]) => ({ name, mimeType: "application/json", buffer: Buffer.from(json) }));
      await page.locator("checkpoint-import input[type=file]").setInputFiles(payload);
      await page.locator(".import-answer > section:last-child table").first().waitFor();
      const [, , predicted] = (await page.locator(".import-answer > section:last-child tr", { hasText: "End-to-end duration" }).locator("th, td").allInnerTexts()).map(plain);
      await page.evaluate(() => document.addEventListener("try-scenario", ({ detail }) => (window.tried = detail.scenario), { capture: true }));
      await button(page, "Try it here").click();
      await page.locator("checkpoints-tool:not(.has-view)[data-state=answered] checkpoint-answer:not([hidden])").waitFor();
      assert.match(await page.locator("checkpoint-answer").textContent(), shown);
      // What the form asks of the engine is what was fitted, number by number.
      const [download] = await Promise.all([page.waitForEvent("download"), page.locator('.exports button[data-kind="json"]').click()]);
      const { params, report } = JSON.parse(await readFile(await download.path(), "utf8"));
      assert.deepEqual(params, await page.evaluate(() => window.tried), run);
      const times = report.checkpoints.filter(({ status }) => status === "COMPLETED").map(({ endToEndMs }) => endToEndMs);
      const mean = times.reduce((sum, one) => sum + one, 0) / times.length;
      const value = Number.parseFloat(predicted) * (/ ms$/.test(predicted) ? 1 : 1000);
      assert.ok(Math.abs(value - mean) <= mean * 0.02 + 1, `${run}: ${predicted} in the table, ${mean} ms here`);
    });
  }
});

test("several files, a checkpoint that failed, and texts with markup in them", async () => {
  const files = (await raw())("I13_backpressure_expire/aligned");
  await visit({ viewport: PHONE, colorScheme: "dark" }, async (page) => {
    await hang(page, "import");
    const payload = Object.entries(files).map(([name, json]) => ({ name, mimeType: "application/json", buffer: Buffer.from(json) }));
    payload.push({ name: "<img src=x onerror=alert(1)>.json", mimeType: "application/json", buffer: Buffer.from('{"a": "<b>"}') });
    await page.locator("checkpoint-import input[type=file]").setInputFiles(payload);
    await page.locator("checkpoint-import .findings", { hasText: "4 checkpoints expired" }).waitFor();
    await page.locator('[data-checkpoint="5"]').click();
    await page.locator(".import-verdict", { hasText: "Checkpoint 5 failed after 4.00 s" }).waitFor();
    assert.match(await page.locator(".import-verdict").textContent(), /Subtask 0 of op -> discard: Writer did not acknowledge/);
    assert.equal(await page.locator("checkpoint-import img").count(), 0);
    await page.getByText("What was read").click();
    await page.locator(".import-pieces .is-ignored", { hasText: "<img src=x" }).waitFor();
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.ok(overflow <= 0, `${overflow} px wider than the phone`);
    await noViolations(page, "import, dark, narrow");
  });
});
