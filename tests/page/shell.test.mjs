import assert from "node:assert/strict";
import { test } from "node:test";
import { answered, studio } from "./support.mjs";

const { visit } = studio();

test("the way to the answer moves the focus and leaves the address alone", () =>
  visit({ hash: "#/memory?v=1&flink=2.2" }, async (page) => {
    await answered(page);
    await page.locator(".skip").focus();
    await page.keyboard.press("Enter");
    assert.ok(await page.locator(".verdict").evaluate((verdict) => verdict === document.activeElement));
    assert.equal(await page.evaluate(() => location.hash), "#/memory?v=1&flink=2.2");
    assert.ok(await page.locator("#missing").isHidden());
  }));
