import assert from "node:assert/strict";
import { test } from "node:test";
import { AxeBuilder } from "@axe-core/playwright";
import { answered, field, studio, waitForBytes } from "./support.mjs";

const { visit } = studio();
const PROCESS = "taskmanager.memory.process.size";
const PHONE = { width: 390, height: 844 };

async function noViolations(page, what) {
  const { violations } = await new AxeBuilder({ page })
    .withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"])
    .analyze();
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).slice(0, 3).join("\n")}`);
  assert.deepEqual(found, [], what);
}

for (const theme of ["light", "dark"]) {
  for (const [name, size] of [["wide", {}], ["phone", PHONE]]) {
    test(`no violations: ${theme}, ${name}`, () =>
      visit({ ...size, hash: `#/memory?v=1&theme=${theme}` }, async (page) => {
        await answered(page);
        await noViolations(page, "answer");
        for (const details of await page.locator("details").all()) await details.evaluate((element) => (element.open = true));
        await noViolations(page, "all open");
        if (name === "wide") await field(page, PROCESS).fill("12 parsecs");
        else {
          await page.locator(".sheet-button").click();
          await noViolations(page, "sheet");
          await field(page, PROCESS).fill("12 parsecs");
          await answered(page, "failed");
          await noViolations(page, "sheet with an error");
          await page.locator(".sheet-close").click();
        }
        await answered(page, "failed");
        await noViolations(page, "error");
        await page.locator("#help-open").click();
        await noViolations(page, "help");
        await page.keyboard.press("Escape");
        await page.locator("#paste").click();
        await page.locator("#paste-text").fill(`${PROCESS}: 4g\nfoo: bar\nno line`);
        await page.locator(".paste-verdict:not(:empty)").waitFor();
        await noViolations(page, "paste");
      }));
  }
}

for (const hash of ["#/memory?v=1&preset=rocksdb-large", "#/memory?v=1&preset=network-remainder", "#/memory?v=1&preset=jobmanager-stock", "#/nothing?v=1"]) {
  test(`no sideways scrolling on a phone, nor at 200 %: ${hash}`, async () => {
    for (const size of [PHONE, { width: 320, height: 640 }, { width: 640, height: 400 }]) {
      await visit({ ...size, hash }, async (page) => {
        await page.locator("memory-tool[data-state], #missing:not([hidden])").first().waitFor();
        for (const details of await page.locator("details").all()) await details.evaluate((element) => (element.open = true));
        const wider = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        assert.ok(wider <= 0, `${size.width}: ${wider} too wide`);
      });
    }
  });
}

test("the keyboard alone reads an answer, changes a setting and applies a way out", () =>
  visit({ hash: "#/memory?v=1&preset=tiny" }, async (page) => {
    await answered(page, "failed");
    const tabTo = async (matches, key = "Tab") => {
      for (let presses = 0; presses < 200; presses += 1) {
        await page.keyboard.press(key);
        if (await page.evaluate((selector) => document.activeElement?.matches(selector), matches)) return;
      }
      assert.fail(`no way to ${matches}`);
    };
    await tabTo("failure-report button.primary");
    await page.keyboard.press("Enter");
    await answered(page);
    await tabTo("input[type='text']", "Shift+Tab");
    await tabTo(`field-input[data-option="${PROCESS}"] input[type='text']`, "Shift+Tab");
    await page.keyboard.press("Control+A");
    await page.keyboard.type("2g");
    await waitForBytes(page, "totalProcess", 2 * 1024 ** 3);
    await tabTo(`field-input[data-option="${PROCESS}"] summary`);
    await page.keyboard.press("Enter");
    assert.ok(await page.locator(`field-input[data-option="${PROCESS}"] details`).evaluate((details) => details.open));
    await tabTo(".chart-stage");
    await page.keyboard.press("ArrowRight");
    assert.match(await page.locator(".chart-readout").textContent(), /\d/);
  }));

test("focus is seen: it has an outline in both themes", () =>
  visit({}, async (page) => {
    await answered(page);
    for (const theme of ["light", "dark"]) {
      await page.locator("#theme").selectOption(theme);
      await page.locator("#paste").focus();
      await page.keyboard.press("Tab");
      const outline = await page.locator("#share").evaluate((button) => getComputedStyle(button).outlineStyle);
      assert.equal(outline, "solid");
    }
  }));

test("the sheet takes the focus, closes on Escape and gives it back", () =>
  visit(PHONE, async (page) => {
    await answered(page);
    await page.locator(".sheet-button").focus();
    await page.keyboard.press("Enter");
    assert.ok(await page.locator(".sheet-close").evaluate((button) => button === document.activeElement));
    assert.ok(await page.locator("section.answer").evaluate((answer) => answer.inert));
    await page.keyboard.press("Escape");
    assert.ok(await page.locator(".controls").isHidden());
    assert.ok(await page.locator(".sheet-button").evaluate((button) => button === document.activeElement));
  }));

test("targets are at least 24 pixels", () =>
  visit(PHONE, async (page) => {
    await answered(page);
    await page.locator(".sheet-button").click();
    for (const details of await page.locator("details").all()) await details.evaluate((element) => (element.open = true));
    const small = await page.evaluate(() =>
      [...document.querySelectorAll("button, select, summary, input:not([type=file])")]
        .filter((element) => element.checkVisibility() && !element.closest(".off-screen"))
        .map((element) => ({ box: (element.closest("label, .switch-row") ?? element).getBoundingClientRect(), name: element.outerHTML.slice(0, 90) }))
        .filter(({ box }) => box.width > 0 && (box.width < 24 || box.height < 24))
        .map(({ box, name }) => `${name} ${box.width}×${box.height}`),
    );
    assert.deepEqual(small, []);
  }));
