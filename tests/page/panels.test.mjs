import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { AxeBuilder } from "@axe-core/playwright";
import { answered, studio } from "./support.mjs";

const { visit } = studio();
const PANELS = ["rocksdb", "heap", "backends", "ttl", "slots", "network", "local"];
/** A field of each panel, a value that changes the answer, and one that is refused. */
const CHANGES = {
  rocksdb: ["states", "40", "200000"],
  heap: ["keys", "9 000 000", "many"],
  backends: ["updates", "1000000", "-5"],
  ttl: ["rate", "900", "often"],
  slots: ["maxSlots", "3", "1000"],
  network: ["parallelism2", "300", "0"],
  local: ["localHeap", "32m", "much"],
};
const PHONE = { width: 390, height: 844 };
const address = (panel, more = "") => `#/memory?v=1&panel=${panel}${more}`;
const control = (page, id) => page.locator(`workload-field[data-field="${id}"]`).locator("input, select");
const problem = (page, id) => page.locator(`workload-field[data-field="${id}"] .field-problem`);
const body = (page) => page.locator("panel-view .panel-body").textContent();
const verdict = (page) => page.locator("panel-view .verdict").textContent();

async function shown(page, panel, state = "answered") {
  await page.locator(`panel-view[data-panel="${panel}"][data-state="${state}"]`).waitFor();
}

for (const panel of PANELS) {
  const [id, good, bad] = CHANGES[panel];

  test(`${panel}: opens with an answer, a field changes it, the address restores it`, () =>
    visit({}, async (page) => {
      await answered(page);
      await page.locator(`#tab-${panel}`).click();
      await shown(page, panel);
      assert.ok(await page.locator("memory-answer").isHidden());
      assert.match(await verdict(page), /\d/);
      assert.ok((await page.locator("panel-view table.figures tbody tr").count()) > 0);
      assert.match(await page.evaluate(() => location.hash), new RegExp(`panel=${panel}$`));
      const before = [await verdict(page), await body(page)].join();
      await control(page, id).fill(good);
      await page.waitForFunction(
        (text) => [".verdict", ".panel-body"].map((part) => document.querySelector(`panel-view ${part}`).textContent).join() !== text,
        before,
      );
      await control(page, id).blur();
      await page.waitForFunction((key) => location.hash.includes(`w.${key}=`), id);
      const changed = [await verdict(page), await body(page)];
      await page.reload();
      await shown(page, panel);
      assert.equal(await control(page, id).inputValue(), good);
      assert.deepEqual([await verdict(page), await body(page)], changed);
      await control(page, id).fill("");
      await control(page, id).blur();
      await page.waitForFunction((key) => !location.hash.includes(`w.${key}=`), id);
      assert.notEqual(await control(page, id).inputValue(), "");
    }));

  test(`${panel}: bad input keeps its text and says why`, () =>
    visit({ hash: address(panel) }, async (page) => {
      await shown(page, panel);
      const before = await body(page);
      await control(page, id).fill(bad);
      await shown(page, panel, "failed");
      assert.equal(await control(page, id).inputValue(), bad);
      assert.equal(await control(page, id).getAttribute("aria-invalid"), "true");
      assert.ok((await problem(page, id).textContent()).length > 10);
      assert.equal(await page.locator("workload-field.is-wrong").count(), 1);
      assert.equal(await body(page), before);
      assert.ok(await page.locator("panel-view .stale-note").isVisible());
      await control(page, id).fill(good);
      await shown(page, panel);
      assert.ok(await problem(page, id).isHidden());
    }));

  test(`${panel}: no violations, no sideways scrolling`, async () => {
    // Each theme once, each width once: the parts are those of the pools, which are checked in all four.
    for (const [theme, size] of [["light", { width: 1440, height: 900 }], ["dark", PHONE]]) {
      {
        await visit({ ...size, hash: address(panel, `&theme=${theme}`) }, async (page) => {
          await shown(page, panel);
          for (const details of await page.locator("panel-view details").all()) await details.evaluate((element) => (element.open = true));
          const { violations } = await new AxeBuilder({ page })
            .withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"])
            .analyze();
          const found = violations.map(({ id: rule, nodes }) => `${rule}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).slice(0, 3).join("\n")}`);
          assert.deepEqual(found, [], `${theme} ${size.width}`);
          const wider = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
          assert.ok(wider <= 0, `${size.width}: ${wider} too wide`);
        });
      }
    }
  });
}

test("arrow keys walk the tabs, and Back returns", () =>
  visit({}, async (page) => {
    await answered(page);
    await page.locator("#tab-pools").focus();
    await page.keyboard.press("ArrowRight");
    await shown(page, "limits");
    await page.keyboard.press("ArrowRight");
    await shown(page, "rocksdb");
    assert.ok(await page.locator("#tab-rocksdb").evaluate((tab) => tab === document.activeElement && tab.ariaSelected === "true"));
    await page.keyboard.press("End");
    await shown(page, "local");
    await page.goBack();
    await shown(page, "rocksdb");
    await page.goBack();
    await shown(page, "limits");
    await page.goBack();
    await page.locator("memory-answer").waitFor();
    assert.ok(await page.locator("panel-view").isHidden());
  }));

test("the panels are loaded when one is opened", () =>
  visit({}, async (page) => {
    await answered(page);
    const loaded = () => page.evaluate(() => performance.getEntriesByType("resource").filter(({ name }) => name.includes("/panels/")).length);
    assert.equal(await loaded(), 0);
    await page.locator("#tab-ttl").click();
    await shown(page, "ttl");
    assert.ok((await loaded()) > 5);
  }));

test("while the panels are fetched the page says so", () =>
  visit({}, async (page) => {
    await answered(page);
    let release;
    const released = new Promise((resolve) => (release = resolve));
    await page.route("**/weir_later_bg.wasm", async (route) => {
      await released;
      await route.continue();
    });
    const note = page.locator(".panel-loading");
    await page.locator("#tab-ttl").click();
    await note.waitFor();
    release();
    await shown(page, "ttl");
    await note.waitFor({ state: "detached" });
    await page.locator("#tab-rocksdb").click();
    await shown(page, "rocksdb");
    assert.equal(await note.count(), 0);
  }));

test("an assumption is changed, refused where it makes no sense, and reset", () =>
  visit({ hash: address("rocksdb") }, async (page) => {
    await shown(page, "rocksdb");
    await page.locator("panel-view summary", { hasText: "Assumptions" }).click();
    const input = page.locator('.assumption input[name="entryOverhead"]');
    const before = await body(page);
    await input.fill("500");
    await page.waitForFunction((text) => document.querySelector("panel-view .panel-body").textContent !== text, before);
    await input.fill("much");
    await shown(page, "rocksdb", "failed");
    assert.equal(await input.inputValue(), "much");
    assert.match(await page.locator('.assumption[data-id="entryOverhead"] .field-problem').textContent(), /much/);
    await page.getByRole("button", { name: /^Reset Bytes of an entry/ }).click();
    await shown(page, "rocksdb");
    assert.equal(await body(page), before);
    assert.doesNotMatch(await page.evaluate(() => location.hash), /assume/);
  }));

test("a finding of a panel is applied to the settings", () =>
  visit({ hash: address("rocksdb") }, async (page) => {
    await shown(page, "rocksdb");
    await page.locator("panel-view finding-list").getByRole("button", { name: /^Apply/ }).first().click();
    await page.waitForFunction(() => location.hash.includes("state.backend.rocksdb."));
    assert.ok(await page.locator("panel-view .verdict").evaluate((element) => element === document.activeElement));
  }));

test("settings that do not start show the refusal in place of a panel, and the JobManager has the limits only", () =>
  visit({ hash: address("heap", "&taskmanager.memory.process.size=100m") }, async (page) => {
    await answered(page, "failed");
    assert.ok(await page.locator("failure-report").isVisible());
    await page.locator("input[name=role][value=jobmanager]").check();
    await answered(page);
    assert.deepEqual(await page.locator("panel-tabs button:visible").allTextContents(), ["Pools", "Limits"]);
    assert.ok(await page.locator("memory-answer").isVisible());
    await page.locator("#tab-limits").click();
    await shown(page, "limits");
    assert.match(await verdict(page), /jobmanager\.memory\.process\.size/);
  }));

test("the limits: each knob has its range, a button sets its end, and what does not start has them too", () =>
  visit({ hash: address("limits", "&taskmanager.memory.process.size=900m") }, async (page) => {
    await answered(page, "failed");
    await shown(page, "limits");
    assert.match(await verdict(page), /982m/);
    assert.match(await body(page), /do not start/);
    assert.ok(await page.locator("failure-report").isHidden());
    const row = page.locator('tr[data-id="taskmanager.memory.process.size"]');
    assert.match(await row.textContent(), /900m.*982m.*1\u202f029\u202f002\u202f586\u00a0bytes.*any larger value/s);
    await page.locator('tr[data-id="legal"] button').click();
    await answered(page);
    await page.waitForFunction(() => location.hash.includes("process.size=982m"));
    assert.ok(await page.locator("panel-view .verdict").evaluate((element) => element === document.activeElement));
    assert.match(await page.locator('tr[data-id="taskmanager.memory.managed.fraction"]').textContent(), /0\.4/);
  }));

/** What the last part of each drawing reads out, and what stands in its file. */
const DRAWN = {
  limits: [/^taskmanager\.memory\.jvm-overhead\.fraction: now 0\.1, starts from/, /taskmanager\.memory\.process\.size/],
  rocksdb: [/^Working set, Read again and again: .* bytes/, /Left for data blocks/],
  heap: [/^While a snapshot runs, Copied entries: .* bytes/, /OutOfMemoryError above/],
  backends: [/ keys: HashMap .* bytes\), RocksDB .* bytes/, /HashMap full/],
  ttl: [/^After 1 d: .* live, .* stored/, /without clean-up/],
  slots: [/^16 slots: /, /Task heap/],
  network: [/^Wanted, Stage 3: .* buffers/, /Required to start/],
  local: [/^Native memory, Managed memory: 128 MiB/, /direct memory ends at/],
};

for (const [panel, [readout, words]] of Object.entries(DRAWN)) {
  test(`${panel}: is drawn in the theme and the width of the page, read out by keys, and goes out as a picture`, () =>
    visit({ hash: address(panel) }, async (page) => {
      await shown(page, panel);
      const chart = page.locator("panel-view svg-chart");
      const width = () => chart.locator("svg").getAttribute("width").then(Number);
      assert.ok(Math.abs((await width()) - (await chart.evaluate((element) => element.clientWidth))) <= 1);
      await page.setViewportSize({ width: 390, height: 844 });
      await page.waitForFunction(() => Number(document.querySelector("panel-view svg").getAttribute("width")) < 400);
      const ground = () => chart.locator("svg > rect").first().getAttribute("fill");
      const light = await ground();
      await page.locator("#theme").selectOption("dark");
      await page.waitForFunction((fill) => document.querySelector("panel-view svg > rect").getAttribute("fill") !== fill, light);
      await chart.locator(".chart-stage").focus();
      await page.keyboard.press("End");
      assert.match(await chart.locator(".chart-readout").textContent(), readout);
      const [file] = await Promise.all([page.waitForEvent("download"), page.locator('export-bar button[data-kind="svg"]').click()]);
      assert.match(await readFile(await file.path(), "utf8"), words);
    }));
}

for (const panel of ["limits", ...PANELS]) {
  test(`${panel}: goes out as CSV and JSON, with the settings it is about`, () =>
    visit({ hash: address(panel) }, async (page) => {
      await shown(page, panel);
      const get = async (kind) => {
        const [file] = await Promise.all([page.waitForEvent("download"), page.locator(`export-bar button[data-kind="${kind}"]`).click()]);
        assert.equal(file.suggestedFilename(), `weir-${panel}-1.20.${kind}`);
        return readFile(await file.path(), "utf8");
      };
      const json = JSON.parse(await get("json"));
      assert.equal(json.panel, panel);
      assert.equal(json.scenario.config["taskmanager.memory.process.size"], "1728m");
      assert.match(json.link, new RegExp(`panel=${panel}$`));
      const csv = await get("csv");
      const [list, items] = Object.entries(json.report).find(([, value]) => Array.isArray(value) && typeof value[0] === "object");
      const lines = csv.split("\r\n");
      assert.equal(lines[0], "field,value");
      const at = lines.indexOf(list);
      assert.ok(at > 0, list);
      assert.equal(lines.slice(at + 2, at + 2 + items.length).filter(Boolean).length, items.length);
    }));
}

test("the chosen tab is on screen on a phone, by link and by hand", () =>
  visit({ width: 390, height: 844, hash: "#/memory?v=1&panel=network", reducedMotion: "reduce" }, async (page) => {
    await page.locator("memory-tool[data-state]").waitFor();
    const isShown = () =>
      page.evaluate(() => {
        const { left, right } = document.querySelector('panel-tabs [aria-selected="true"]').getBoundingClientRect();
        return left >= 0 && right <= window.innerWidth;
      });
    assert.ok(await isShown(), "Network by link");
    await page.evaluate(() => (location.hash = "#/memory?v=1&panel=pools"));
    await page.locator('#tab-pools[aria-selected="true"]').waitFor();
    assert.ok(await isShown(), "Pools afterwards");
  }));

test("on a phone the answer comes first: the workload is folded below the verdict, and unfolds where it is wrong", () =>
  visit({ ...PHONE, hash: address("heap") }, async (page) => {
    await shown(page, "heap");
    const top = (selector) => page.locator(selector).first().evaluate((element) => element.getBoundingClientRect().top);
    assert.ok((await top("panel-view .verdict")) < (await top("panel-view .workload-part")));
    assert.ok(await control(page, "keys").isHidden());
    assert.ok((await top("panel-view svg-chart")) < PHONE.height, "the drawing is on the first screen");
    await page.evaluate(() => (location.hash += "&w.keys=many"));
    await shown(page, "heap", "failed");
    assert.ok(await control(page, "keys").isVisible());
  }));

test("backends: the drawing is of what is chosen, and the table has the same numbers", () =>
  visit({ hash: address("backends") }, async (page) => {
    await shown(page, "backends");
    const title = (text) => page.locator("panel-view svg text", { hasText: text }).first().waitFor();
    await title("Memory of one TaskManager");
    await control(page, "chartOf").selectOption("meanUpload");
    await title("Mean upload of a checkpoint");
    await page.locator("panel-view .chart-stage").focus();
    await page.keyboard.press("End");
    const said = (await page.locator("panel-view .chart-readout").textContent()).match(/RocksDB .*\((.*) bytes\)/)[1];
    const cell = page.locator('[data-id="Both backends by number of keys"] tbody tr').last().locator("td").last();
    assert.equal(await cell.locator("[title]").getAttribute("title"), `${said}\u00a0bytes`);
  }));

test("a program that embeds Flink: its network pool does not fit, and a change that is offered mends it", () =>
  visit({ hash: "#/memory?v=1&preset=local-network" }, async (page) => {
    await shown(page, "local");
    assert.match(await verdict(page), /does not fit into direct memory/);
    assert.match(await body(page), /163\u202f840/);
    await page.locator("panel-view finding-list").getByRole("button", { name: /^Apply/ }).first().click();
    await page.locator("panel-view .verdict", { hasText: "fits into direct memory" }).waitFor();
    await control(page, "localDirect").fill("32m");
    await page.locator("panel-view .verdict", { hasText: "at least 32" }).waitFor();
  }));
