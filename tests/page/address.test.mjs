import assert from "node:assert/strict";
import { test } from "node:test";
import { answered, bytesOf, field, studio, waitForBytes } from "./support.mjs";

const { shared, visit } = studio();
const PROCESS = "taskmanager.memory.process.size";
const hashOf = (page) => page.evaluate(() => location.hash);

test("an address restores everything", () =>
  visit(
    { hash: "#/memory?v=1&flink=2.2&preset=rocksdb-large&taskmanager.memory.process.size=12g&-taskmanager.numberOfTaskSlots=&limit=13g&theme=dark" },
    async (page) => {
      await answered(page);
      assert.equal(await page.locator("input[name=flink]:checked").inputValue(), "2.2");
      assert.equal(await page.locator("#preset").inputValue(), "rocksdb-large");
      assert.equal(await field(page, PROCESS).inputValue(), "12g");
      assert.equal(await field(page, "taskmanager.numberOfTaskSlots").inputValue(), "");
      assert.equal(await field(page, "taskmanager.memory.managed.fraction").inputValue(), "0.6");
      assert.equal(await field(page, "containerLimit").inputValue(), "13g");
      assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
      assert.equal(await bytesOf(page, "totalProcess"), 12 * 1024 ** 3);
    },
  ));

/** A screenshot that the next one equals: nothing is still on its way. */
async function atRest(page) {
  let last = await page.screenshot({ animations: "disabled" });
  for (let tries = 0; tries < 20; tries += 1) {
    await page.waitForTimeout(250);
    const next = await page.screenshot({ animations: "disabled" });
    if (next.equals(last)) return next;
    last = next;
  }
  return last;
}

test("the address gives the same pixels to the next reader", () =>
  visit({}, async (page, context) => {
    await answered(page);
    await field(page, PROCESS).fill("3g");
    await field(page, PROCESS).blur();
    await page.waitForFunction(() => location.hash.includes("3g"));
    await waitForBytes(page, "totalProcess", 3 * 1024 ** 3);
    const shots = [];
    for (let reader = 0; reader < 3; reader += 1) {
      const next = await context.newPage();
      await next.goto(page.url());
      await answered(next);
      const text = (of) => of.locator("memory-tool").innerText();
      assert.equal(await text(next), await text(page));
      shots.push(await atRest(next));
      await next.close();
    }
    // The rasteriser of a busy machine now and then blends an edge differently, so two of three count.
    assert.ok([[0, 1], [0, 2], [1, 2]].some(([a, b]) => shots[a].equals(shots[b])));
  }));

test("Back undoes, one settled change at a time", () =>
  visit({}, async (page) => {
    await answered(page);
    for (const text of ["2g", "3g"]) {
      await field(page, PROCESS).pressSequentially("");
      await field(page, PROCESS).fill(text);
      await page.waitForFunction((want) => location.hash.includes(`size=${want}`), text);
      await page.waitForTimeout(1000);
    }
    await page.locator("#preset").selectOption("hashmap-heap");
    await waitForBytes(page, "totalProcess", 8 * 1024 ** 3);
    await page.waitForFunction(() => location.hash.includes("hashmap"));
    for (const [text, bytes] of [["3g", 3 * 1024 ** 3], ["2g", 2 * 1024 ** 3], ["1728m", 1811939328]]) {
      await page.goBack();
      await waitForBytes(page, "totalProcess", bytes);
      assert.equal(await field(page, PROCESS).inputValue(), text);
    }
    await page.goForward();
    await waitForBytes(page, "totalProcess", 2 * 1024 ** 3);
  }));

test("typing a word is one entry, not one a letter", () =>
  visit({}, async (page) => {
    await answered(page);
    const before = await page.evaluate(() => history.length);
    await field(page, PROCESS).fill("");
    await field(page, PROCESS).pressSequentially("2345m", { delay: 60 });
    await page.waitForFunction(() => location.hash.includes("2345m"));
    await page.waitForTimeout(1000);
    assert.equal(await page.evaluate(() => history.length), before + 1);
  }));

test("a long configuration travels compressed and comes back", () =>
  visit({}, async (page) => {
    await answered(page);
    await page.locator("#paste").click();
    const lines = Array.from({ length: 40 }, (_, index) => `metrics.reporter.r${index}.interval: ${index} SECONDS`);
    await page.locator("#paste-text").fill(`${PROCESS}: 5g\n${lines.join("\n")}`);
    await page.getByRole("button", { name: "Use these settings" }).click();
    await waitForBytes(page, "totalProcess", 5 * 1024 ** 3);
    await page.waitForFunction(() => location.hash.includes("z="));
    await page.reload();
    await answered(page);
    assert.equal(await bytesOf(page, "totalProcess"), 5 * 1024 ** 3);
    assert.match(await page.locator("also-set").textContent(), /metrics\.reporter\.r39\.interval: 39 SECONDS/);
  }));

test("bad values are named and never break the page", () =>
  visit({ hash: "#/memory?v=1&flink=7&role=king&z=AAAA&colour=blue&%E0%A4%A" }, async (page) => {
    await answered(page);
    const problems = await page.locator("#problem-list").textContent();
    for (const word of ["“7”", "“king”", "compressed", "colour"]) assert.ok(problems.includes(word), word);
    await field(page, PROCESS).fill("2g");
    await page.waitForFunction(() => location.hash.includes("size=2g"));
    assert.match(await hashOf(page), /colour=blue/);
  }));

test("an unknown tool gets a sentence and a link", () =>
  visit({ hash: "#/teapot?v=1" }, async (page) => {
    await page.locator("#missing").waitFor();
    assert.match(await page.locator("#missing").textContent(), /teapot/);
    await page.locator("#missing a").click();
    await answered(page);
    assert.ok(await page.locator("#missing").isHidden());
  }));

test("a change on an unknown tool's page shows the tool it moves to", () =>
  visit({ hash: "#/teapot?v=1" }, async (page) => {
    await page.locator("#missing").waitFor();
    await page.locator("input[name=flink][value='2.2']").check({ force: true });
    await answered(page);
    assert.ok(await page.locator("#missing").isHidden());
    assert.ok(await page.locator("svg-chart svg").isVisible());
    assert.equal(await hashOf(page), "#/memory?v=1&flink=2.2");
  }));

test("Share copies the address and says so", () =>
  visit({}, async (page) => {
    await answered(page);
    await field(page, PROCESS).fill("6g");
    await page.locator("#share").click();
    await page.locator("#notice.is-on", { hasText: "copied" }).waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    assert.ok(copied.startsWith(shared.url));
    assert.match(copied, /process\.size=6g/);
  }));
