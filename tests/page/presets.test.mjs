// What holds for every preset. One page goes through them by address, as a reader with links does.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { AxeBuilder } from "@axe-core/playwright";
import { PRESETS } from "../../www/presets.js";
import { studio } from "./support.mjs";

const { visit } = studio();
const VERSIONS = { "1.18": "1.18.1", "1.20": "1.20.5", "2.2": "2.2.1" };
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
/** Settings that cannot be read, beside the presets. */
const ERROR = { id: "stock", title: "bad input", more: "&taskmanager.memory.process.size=12+parsecs&limit=much" };

/** Goes to a preset and waits until its answer, or its panel, is on show. */
async function goTo(page, { id, panel, more = "" }, theme) {
  await page.evaluate((hash) => {
    document.querySelector("memory-tool").removeAttribute("data-state");
    document.querySelector("panel-view")?.removeAttribute("data-state");
    location.hash = hash;
  }, `#/memory?v=1&preset=${id}&theme=${theme}${more}`);
  await page.locator("memory-tool[data-state]").waitFor();
  if (panel) await page.locator(`panel-view[data-panel="${panel}"][data-state="answered"]`).waitFor();
  assert.equal(await page.locator("preset-picker select").inputValue(), id);
}

const SIZES = [{ width: 1280, height: 900 }, { width: 390, height: 844 }];

for (const [theme, size] of ["light", "dark"].flatMap((theme) => SIZES.map((size) => /** @type {const} */ ([theme, size])))) {
  test(`every preset, and bad input: no violations and no sideways scrolling, ${theme}, ${size.width} px`, { timeout: 240_000 }, () =>
    visit(size, async (page) => {
      await page.locator("memory-tool[data-state]").waitFor();
      for (const preset of [...PRESETS.memory, ERROR]) {
        await goTo(page, preset, theme);
        if (preset === ERROR) assert.equal(await page.locator("memory-tool").getAttribute("data-state"), "failed");
        for (const details of await page.locator("details").all()) await details.evaluate((element) => (element.open = true));
        const wider = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        assert.ok(wider <= 0, `${preset.title}: ${wider} px too wide`);
        const { violations } = await new AxeBuilder({ page }).withTags(RULES).analyze();
        const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).slice(0, 3).join("\n")}`);
        assert.deepEqual(found, [], preset.title);
      }
    }));
}

test("a comparison, and the limits: no violations and no sideways scrolling, dark, 390 px", () =>
  visit({ width: 390, height: 844 }, async (page) => {
    await page.locator("memory-tool[data-state]").waitFor();
    const pin = `&pin=${encodeURIComponent("#/memory?v=1&taskmanager.memory.process.size=3g&limit=4g")}`;
    for (const more of [`${pin}&panel=pools&limit=2g`, "&panel=limits"]) {
      const panel = more.includes("limits") ? "limits" : undefined;
      await goTo(page, { id: "stock", panel, more }, "dark");
      const wider = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      assert.ok(wider <= 0, `${more}: ${wider} px too wide`);
      const { violations } = await new AxeBuilder({ page }).withTags(RULES).analyze();
      assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes[0].html} ${nodes[0].failureSummary}`), [], more);
    }
  }));

test("the HashMap state near its limit fits, but no longer well", () =>
  visit({ hash: "#/memory?v=1&preset=hashmap-near-limit" }, async (page) => {
    const panel = page.locator('panel-view[data-panel="heap"][data-state="answered"]');
    await panel.waitFor();
    const text = (await panel.textContent()).replace(/[\u00a0\u202f]/g, " ");
    assert.match(text, /100 000 000 keys take .* while a snapshot runs/);
    assert.match(text, /the collector is assumed to mark/);
    assert.doesNotMatch(text, /runs out of heap then/);
  }));

for (const [version, release] of Object.entries(VERSIONS)) {
  test(`the settings of every preset as a file of ${version}: keys of that version only, and it reads back`, () =>
    visit({}, async (page) => {
      await page.locator("memory-tool[data-state]").waitFor();
      const known = JSON.parse(await readFile(new URL(`../oracle/memory/options_${release}.json`, import.meta.url), "utf8"));
      const options = Object.values(known.classes).flat();
      // Read by the option itself or for an older name of it.
      const keys = new Set(options.flatMap(({ key, fallbackKeys }) => [key, ...(fallbackKeys ?? []).map((older) => older.key)]));
      assert.ok(keys.size > 400, `${keys.size} keys`);
      const ask = (question, params) =>
        page.evaluate(async ([name, given]) => (await import(new URL("start.js", location.href).href)).engine.ask(name, given), [question, params]);
      for (const { title, config } of PRESETS.memory) {
        const file = await ask("exportConfig", { version, config });
        assert.ok(file.ok, `${title}: ${file.error?.message}`);
        const { fileName, text } = file.value;
        const read = await ask("readConfig", { version, files: { [fileName]: text } });
        assert.ok(read.ok, `${title}: ${read.error?.message}`);
        const written = Object.fromEntries(read.value.entries.map(({ key, value }) => [key, value]));
        assert.deepEqual(Object.keys(written).filter((key) => !keys.has(key)), [], title);
        const kept = Object.entries(config).filter(([key]) => keys.has(key));
        assert.deepEqual(written, Object.fromEntries(kept), title);
        const left = file.findings.map(({ option }) => option).sort();
        assert.deepEqual(left, Object.keys(config).filter((key) => !keys.has(key)).sort(), title);
      }
    }));
}
