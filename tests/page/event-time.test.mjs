import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { AxeBuilder } from "@axe-core/playwright";
import { EVENT_TIME_PRESETS } from "../../www/event-time/presets.js";
import { answered, serve, studio } from "./support.mjs";

const { visit } = studio();
const PHONE = { width: 390, height: 844 };
const AT = "#/event-time?v=1";

const ready = (page, state = "answered") => page.locator(`event-time-tool[data-state="${state}"]`).waitFor();
const option = (page, id) => page.locator(`option-field[data-field="${id}"] :is(input, select)`);
const cell = (page, row, column) => page.locator(`.records tbody tr:nth-child(${row}) input[data-column="${column}"]`);
const hashOf = (page) => page.evaluate(() => location.hash);
const plain = (text) => text.replace(/[\u00a0\u202f]/g, " ").replace(/\u2212/g, "-");
/** A total of the answer, by its name. */
const total = async (page, name) => plain(await page.locator(`.totals div[data-id="${name}"] dd`).textContent());
const waitForTotal = (page, name, value) =>
  page.waitForFunction(([id, want]) => document.querySelector(`.totals div[data-id="${id}"] dd`)?.textContent === want, [name, String(value)]);
/** What the rows of the log that exist say, one text a row. */
const logRows = async (page) => (await page.locator(".log tbody tr").allInnerTexts()).map((text) => plain(text).replace(/\s+/g, " "));
const said = async (page) => plain(await page.locator(".player-said").textContent());

/** Pastes outside of any field. */
const paste = (page, text) =>
  page.evaluate((data) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", data);
    document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true }));
  }, text);

async function noViolations(page, what) {
  const { violations } = await new AxeBuilder({ page }).withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]).analyze();
  assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).slice(0, 3).join("\n")}`), [], what);
}

test("the rail leads there and back, with version and theme, and each tool as it was left", () =>
  visit({}, async (page) => {
    await answered(page);
    assert.equal(await page.title(), "Memory · Weir");
    const scripts = await page.evaluate(() => performance.getEntriesByType("resource").map(({ name }) => name));
    assert.ok(!scripts.some((name) => name.includes("/event-time/")), "not loaded before it is opened");
    await page.locator("input[name=flink][value='2.2']").check({ force: true });
    await page.locator("#theme").selectOption("dark");
    await page.locator(".rail a", { hasText: "Event time" }).click();
    await ready(page);
    assert.equal(await hashOf(page), "#/event-time?v=1&flink=2.2&theme=dark");
    assert.equal(await page.title(), "Event time · Weir");
    assert.match(await page.locator("meta[name=description]").getAttribute("content"), /watermarks/);
    assert.equal(await page.locator(".rail a[aria-current]").textContent(), "Event time");
    assert.ok(await page.locator("memory-tool").isHidden());
    assert.match(await page.locator("event-answer").textContent(), /2\.2\.1/);
    await page.locator("#event-preset").selectOption("dropped");
    await page.waitForFunction(() => location.hash.includes("preset=dropped"));
    await page.locator(".rail a", { hasText: "Memory" }).click();
    await answered(page);
    assert.ok(await page.locator("memory-tool").isVisible());
    assert.equal(await hashOf(page), "#/memory?v=1&flink=2.2&theme=dark");
    await page.locator(".rail a", { hasText: "Event time" }).click();
    await page.waitForFunction(() => location.hash.includes("preset=dropped"));
    assert.equal(await page.locator("#event-preset").inputValue(), "dropped");
  }));

test("a link opens it without the Memory tool's answer", () =>
  visit({ hash: `${AT}&preset=late-counted&theme=light` }, async (page) => {
    await ready(page);
    assert.equal(await page.locator("memory-tool").count(), 0);
    assert.equal(await page.locator("#event-preset").inputValue(), "late-counted");
    assert.equal(await page.locator(".records tbody tr").count(), 10);
  }));

test("in order: the window fires when the watermark reaches its last millisecond", () =>
  visit({ hash: AT }, async (page) => {
    await ready(page);
    await page.locator(".virtual-scroller").focus();
    await page.keyboard.press("Home");
    const rows = await logRows(page);
    // 12 s − 2 s − 1 ms = 9.999 s, the last millisecond of [0 s, 10 s).
    const at = rows.findIndex((row) => row.includes("fires [0 s, 10 s)"));
    assert.match(rows[at], /^e6 b 12 s 6 s 8.499 s on time/);
    assert.equal(await total(page, "Dropped"), "0");
    assert.match(rows[0], /no watermark yet/);
  }));

test("every preset answers, and what its sentence promises is in the answer", () =>
  visit({ hash: AT }, async (page) => {
    await ready(page);
    const promised = {
      boundary: [["Dropped", 2]],
      "late-counted": [["Late but counted", 3], ["Dropped", 1], ["In the side output", 1], ["numLateRecordsDropped", 0]],
      dropped: [["Dropped", 2], ["numLateRecordsDropped", 2], ["In the side output", 0]],
      "far-future": [["Dropped", 4]],
      "sliding-explosion": [["Dropped", 0]],
    };
    for (const preset of EVENT_TIME_PRESETS) {
      await page.locator("#event-preset").selectOption(preset.id);
      await page.waitForFunction((look) => document.querySelector("preset-picker .preset-look")?.textContent === look, preset.look);
      await waitForTotal(page, "Records", preset.events.length);
      assert.equal(await page.locator("event-time-tool").getAttribute("data-state"), "answered", preset.id);
      for (const [name, want] of promised[preset.id] ?? []) assert.equal(await total(page, name), String(want), `${preset.id}: ${name}`);
      const text = await page.locator("event-answer").innerText();
      assert.doesNotMatch(plain(text).replace(/ /g, ""), /9223372036854775|NaN|Infinity|undefined/, preset.id);
    }
  }));

test("editing, adding and deleting a record changes the answer at once, and Back undoes", () =>
  visit({ hash: `${AT}&preset=dropped` }, async (page) => {
    await ready(page);
    await cell(page, 5, "time").fill("13000");
    await cell(page, 5, "time").blur();
    await waitForTotal(page, "Dropped", 1);
    await page.waitForFunction(() => /[?&](events|z)=/.test(location.hash));
    await page.locator(".record-delete").nth(6).click();
    await waitForTotal(page, "Dropped", 0);
    await waitForTotal(page, "Records", 8);
    assert.ok(await page.locator(".record-delete").nth(6).evaluate((button) => button === document.activeElement));
    await page.getByRole("button", { name: "Add a record" }).click();
    await waitForTotal(page, "Records", 9);
    assert.ok(await cell(page, 9, "time").evaluate((input) => input === document.activeElement));
    await page.goBack();
    await waitForTotal(page, "Records", 8);
    await page.goBack();
    await waitForTotal(page, "Records", 9);
    await waitForTotal(page, "Dropped", 1);
  }));

test("records as text: the table and the answer follow", () =>
  visit({ hash: AT }, async (page) => {
    await ready(page);
    await page.locator(".records-text summary").click();
    const text = page.locator("#records-text");
    // A `details` says that it is open a moment after it is.
    await page.waitForFunction(() => /** @type {any} */ (document.querySelector("#records-text")).value !== "");
    assert.match(await text.inputValue(), /^id,event time,arrival,key,partition,value\ne1,1000,1000,a,0,/);
    await text.fill("time,key\n1000,a\n12000,a\n25000,b");
    await waitForTotal(page, "Records", 3);
    assert.equal(await cell(page, 2, "time").inputValue(), "12000");
    assert.equal(await text.inputValue(), "time,key\n1000,a\n12000,a\n25000,b");
  }));

test("pasted and dropped records are taken, a pasted configuration goes to Memory", () =>
  visit({ hash: AT }, async (page) => {
    await ready(page);
    await paste(page, "id,event time,key\nr1,1000,a\nr2,22000,a");
    await waitForTotal(page, "Records", 2);
    await page.locator("#paste").click();
    await page.locator("#paste-text").fill("r1,1000,5,a\nr2,2000,6,a\nr3,3000,7,a");
    await page.locator(".paste-verdict", { hasText: "3 records" }).waitFor();
    await page.getByRole("button", { name: "Use these records" }).click();
    await waitForTotal(page, "Records", 3);
    await paste(page, "taskmanager.memory.process.size: 3g");
    await page.getByRole("button", { name: "Use these settings" }).click();
    await answered(page);
    assert.match(await hashOf(page), /^#\/memory\?v=1&.*taskmanager\.memory\.process\.size=3g/);
  }));

test("bad input keeps the text and the last answer, dimmed, and names the field", () =>
  visit({ hash: AT }, async (page) => {
    await ready(page);
    await option(page, "bound").fill("much");
    await ready(page, "failed");
    assert.equal(await option(page, "bound").inputValue(), "much");
    assert.equal(await option(page, "bound").getAttribute("aria-invalid"), "true");
    assert.match(await page.locator(".verdict").textContent(), /^Bound: /);
    assert.ok(await page.locator("event-answer .stale-note").isVisible());
    assert.ok(await page.locator(".log tbody tr").first().isVisible());
    await option(page, "bound").fill("3 s");
    await ready(page);
    await cell(page, 3, "time").fill("soon");
    await ready(page, "failed");
    assert.equal(await cell(page, 3, "time").getAttribute("aria-invalid"), "true");
    assert.match(await page.locator("event-editor .field-problem").textContent(), /^Record 3, e3, event time: “soon” is not a time/);
    await cell(page, 3, "time").fill("6000");
    await ready(page);
    await option(page, "size").fill("0 s");
    await ready(page, "failed");
    assert.equal(await option(page, "size").getAttribute("aria-invalid"), "true");
    assert.match(await page.locator('option-field[data-field="size"] .field-problem').textContent(), /abs\(offset\) < size/);
  }));

test("the player and the log are in step, by pointer and by key", () =>
  visit({ hash: AT }, async (page) => {
    await ready(page);
    const current = () => page.locator(".log tbody tr.is-current").getAttribute("data-index");
    assert.equal(await current(), "8");
    await page.locator(".log tbody tr[data-index='2']").click();
    assert.equal(await current(), "2");
    assert.match(await said(page), /^Step 3 of 9: e3/);
    await page.waitForFunction(() => location.hash.includes("at=3"));
    const range = page.locator("player-bar input[type=range]");
    await range.focus();
    await page.keyboard.press("ArrowRight");
    assert.equal(await current(), "3");
    await page.keyboard.press("Home");
    assert.equal(await current(), "0");
    assert.match(await said(page), /^Step 1 of 9: e1/);
    await page.keyboard.press("End");
    assert.equal(await current(), "8");
    await page.locator(".virtual-scroller").focus();
    await page.keyboard.press("ArrowUp");
    assert.equal(await current(), "7");
    await page.waitForFunction(() => location.hash.includes("at=8"));
    // A table that scrolls keeps its keys.
    await page.getByRole("region", { name: "Windows and their results" }).focus();
    await page.keyboard.press("ArrowLeft");
    assert.equal(await current(), "7");
    await page.reload();
    await ready(page);
    assert.match(await said(page), /^Step 8 of 9/);
  }));

test("what is kept is drawn step by step, with what the lateness adds", () =>
  visit({ hash: "#/event-time?v=1&preset=late-counted" }, async (page) => {
    const section = page.locator("event-answer section", { has: page.locator("h3", { hasText: "State, step by step" }) });
    await section.locator("svg").nth(1).waitFor();
    const open = section.locator("svg-chart").first();
    assert.match(await open.textContent(), /kept for lateness/);
    assert.match(await open.textContent(), /most by the rules/);
  }));

test("playing walks to the end and stops, the space bar pauses", () =>
  visit({ hash: AT }, async (page) => {
    await ready(page);
    await page.locator(".virtual-scroller").focus();
    await page.keyboard.press(" ");
    await page.getByRole("button", { name: "Pause" }).waitFor();
    await page.waitForFunction(() => /Step [2-8] /.test(document.querySelector(".player-said").textContent));
    await page.keyboard.press(" ");
    await page.getByRole("button", { name: "Play", exact: true }).waitFor();
    const paused = await said(page);
    await page.waitForTimeout(400);
    assert.equal(await said(page), paused);
    await page.getByLabel("Speed").selectOption("8");
    await page.locator(".virtual-scroller").focus();
    await page.keyboard.press(" ");
    await page.waitForFunction(() => /Step 9 /.test(document.querySelector(".player-said").textContent));
    await page.getByRole("button", { name: "Play", exact: true }).waitFor();
  }));

test("windows and late records are those of the step", () =>
  visit({ hash: `${AT}&preset=late-counted&at=1` }, async (page) => {
    await ready(page);
    const windows = page.getByRole("region", { name: "Windows and their results" });
    assert.equal(await windows.locator("tbody tr").count(), 1);
    assert.match(await windows.innerText(), /open/);
    await page.locator("player-bar input[type=range]").focus();
    await page.keyboard.press("End");
    assert.match(await windows.innerText(), /expired/);
    assert.match(await page.getByRole("region", { name: "Side output and dropped records" }).innerText(), /e9[^]*to the side output/);
  }));

/** Where the mark of a step's record is, which is an octagon while it is on time. */
async function markOf(page, step) {
  await page.locator("event-lanes .chart-stage").focus();
  await page.keyboard.press("Home");
  for (let presses = 0; presses < step; presses += 1) await page.keyboard.press("ArrowRight");
  return page.evaluate(() => {
    const column = document.querySelector("event-lanes .chart-mark").getBoundingClientRect();
    const inside = [...document.querySelectorAll("event-lanes svg polygon")]
      .filter((mark) => mark.getAttribute("points").trim().split(/\s+/).length === 8)
      .map((mark) => mark.getBoundingClientRect())
      .find(({ left, right, top }) => left >= column.left && right <= column.right && top >= column.top);
    return { x: inside.left + inside.width / 2, y: inside.top + inside.height / 2, width: column.width };
  });
}

test("a record dragged in the picture gets another time and another place", () =>
  visit({ hash: `${AT}&preset=dropped`, height: 1200, reducedMotion: "reduce" }, async (page) => {
    await ready(page);
    const { x, y, width } = await markOf(page, 0);
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x, y - 40, { steps: 5 });
    await page.waitForFunction(() => Number(document.querySelector('.records input[data-column="time"]').value) > 1000);
    await page.mouse.move(x + 2 * width, y - 40, { steps: 5 });
    await page.mouse.up();
    // It arrives now with the third one, and after it.
    await page.waitForFunction(() => document.querySelectorAll('.records input[data-column="id"]')[2].value === "e1");
    assert.equal(await cell(page, 3, "arrival").inputValue(), "3000");
    assert.ok(Number(await cell(page, 3, "time").inputValue()) > 1000);
    assert.match(await hashOf(page), /[?&](events|z)=/);
    await page.goBack();
    await page.waitForFunction(() => document.querySelector('.records input[data-column="time"]').value === "1000");
  }));

test("the keyboard moves, removes and looks at a record in the picture", () =>
  visit({ hash: `${AT}&preset=dropped` }, async (page) => {
    await ready(page);
    await markOf(page, 0);
    const readout = page.locator("event-lanes .chart-readout");
    assert.match(await readout.textContent(), /^Record e1,/);
    await page.keyboard.press("Shift+ArrowUp");
    await page.waitForFunction(() => Number(document.querySelector('.records input[data-column="time"]').value) > 1000);
    assert.match(await readout.textContent(), /^Record e1,/);
    await page.keyboard.press("Shift+ArrowRight");
    await page.waitForFunction(() => document.querySelectorAll('.records input[data-column="id"]')[1].value === "e1");
    await page.keyboard.press("Enter");
    assert.match(await said(page), /^Step 2 of 9: e1/);
    await page.keyboard.press("Delete");
    await waitForTotal(page, "Records", 8);
  }));

test("pressing twice where there is no record adds one", () =>
  visit({ hash: `${AT}&preset=in-order`, height: 1200, reducedMotion: "reduce" }, async (page) => {
    await ready(page);
    const { x, y } = await markOf(page, 1);
    await page.mouse.dblclick(x, y - 60);
    await waitForTotal(page, "Records", 10);
    assert.equal(await cell(page, 3, "id").inputValue(), "e10");
    assert.equal(await cell(page, 3, "arrival").inputValue(), "2000");
    assert.ok(Number(await cell(page, 3, "time").inputValue()) > 3500);
  }));

test("the log of thousands of records holds only the rows in sight", () =>
  visit({ hash: AT }, async (page) => {
    await ready(page);
    await paste(page, Array.from({ length: 4000 }, (_, index) => `n${index},${index * 10},${index},a`).join("\n"));
    await waitForTotal(page, "Records", "4\u202f000");
    assert.ok((await page.locator(".log tbody tr").count()) < 40);
    assert.equal(await page.locator(".log").getAttribute("aria-rowcount"), "4001");
    await page.locator(".virtual-scroller").focus();
    await page.keyboard.press("Home");
    assert.equal(await page.locator(".log tbody tr").first().getAttribute("data-index"), "0");
    await page.locator(".virtual-scroller").evaluate((scroller) => (scroller.scrollTop = scroller.scrollHeight / 2));
    await page.waitForFunction(() => Number(document.querySelector(".log tbody tr").getAttribute("data-index")) > 1800);
    await page.keyboard.press("End");
    assert.equal(await page.locator(".log tbody tr").last().getAttribute("data-index"), "3999");
  }));

test("exports hold the log, the scenario and the drawing", () =>
  visit({ hash: `${AT}&preset=dropped` }, async (page) => {
    await ready(page);
    const save = async (name) => {
      const [file] = await Promise.all([page.waitForEvent("download"), page.locator(`event-time-tool export-bar button[data-kind="${name}"]`).click()]);
      return readFile(await file.path());
    };
    const csv = (await save("csv")).toString();
    assert.match(csv, /^event id,key,event time,arrival time,watermark at arrival,processing outcome/);
    assert.match(csv, /\r\ne5,b,6500,5000,10499,dropped,counter,/);
    const json = JSON.parse((await save("json")).toString());
    assert.equal(json.report.totals.dropped, 2);
    assert.equal(json.scenario.events.length, 9);
    assert.match(json.link, /#\/event-time\?v=1&preset=dropped$/);
    assert.match((await save("svg")).toString(), /^<svg /);
    assert.deepEqual([...(await save("png")).subarray(1, 4)], [..."PNG"].map((letter) => letter.charCodeAt(0)));
    assert.equal(await page.locator("event-time-tool export-bar button[data-kind=config]").count(), 0);
  }));

for (const theme of ["light", "dark"]) {
  for (const [name, size] of [["wide", {}], ["phone", PHONE]]) {
    test(`no violations: ${theme}, ${name}`, () =>
      visit({ ...size, hash: `${AT}&preset=late-counted&theme=${theme}` }, async (page) => {
        await ready(page);
        await noViolations(page, "answer");
        if (name === "phone") await page.locator("event-time-tool .sheet-button").click();
        for (const details of await page.locator("details").all()) await details.evaluate((element) => (element.open = true));
        await noViolations(page, "all open");
        await option(page, "lateness").fill("later");
        await ready(page, "failed");
        await noViolations(page, "error");
      }));
  }
}

for (const preset of ["late-counted", "daily-zone", "more-subtasks", "sliding-explosion"]) {
  test(`no sideways scrolling on a phone, nor at 200 %: ${preset}`, async () => {
    for (const size of [PHONE, { width: 320, height: 640 }, { width: 640, height: 400 }]) {
      await visit({ ...size, hash: `${AT}&preset=${preset}` }, async (page) => {
        await ready(page);
        for (const details of await page.locator("details").all()) await details.evaluate((element) => (element.open = true));
        const wider = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        assert.ok(wider <= 0, `${size.width}: ${wider} too wide`);
      });
    }
  });
}

test("targets are at least 24 pixels", () =>
  visit({ ...PHONE, hash: `${AT}&preset=more-subtasks` }, async (page) => {
    await ready(page);
    await page.locator("event-time-tool .sheet-button").click();
    const small = await page.evaluate(() =>
      [...document.querySelectorAll("button, select, summary, input:not([type=file])")]
        .filter((element) => element.checkVisibility() && !element.closest(".off-screen"))
        .map((element) => ({ box: (element.closest("label, .switch-row") ?? element).getBoundingClientRect(), name: element.outerHTML.slice(0, 90) }))
        .filter(({ box }) => box.width > 0 && (box.width < 24 || box.height < 24))
        .map(({ box, name }) => `${name} ${box.width}×${box.height}`),
    );
    assert.deepEqual(small, []);
  }));

test("it works without the network, once the page was visited", async () => {
  const server = await serve();
  await visit({ url: server.url, allow: /ERR_CONNECTION_REFUSED|ERR_FAILED|Failed to load resource/ }, async (page) => {
    await answered(page);
    await page.evaluate(() => navigator.serviceWorker.ready);
    await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
    await server.close();
    await page.goto(`${server.url}${AT}&preset=dropped`);
    await ready(page);
    assert.equal(await total(page, "Dropped"), "2");
  });
});

test("watermarks of a running job say which input holds it, and what is still needed", () =>
  visit({ hash: AT }, async (page) => {
    await ready(page);
    await page.locator(".own-job summary").click();
    await page.locator("#why-text").fill("0 No Watermark\n1 25000");
    await page.locator(".why-verdict", { hasText: "no watermark yet" }).waitFor();
    const rows = page.getByRole("region", { name: "Inputs as shown" }).locator("tbody tr");
    assert.equal(await rows.count(), 2);
    assert.match(await rows.first().innerText(), /holds the watermark back/);
    await page.locator("#why-text").fill("0 4999\n1 25000");
    // The window up to 10 s fires at 9.999 s, which the bound of 2 s and 1 ms makes of a record of 12 s.
    await page.locator("why-no-output p", { hasText: "fires at watermark 9.999" }).waitFor();
    assert.match(plain(await page.locator("why-no-output").innerText()), /needs a record of 12 s or later/);
    await page.locator("#why-text").fill("");
    assert.equal(await page.locator(".why-verdict").textContent(), "");
  }));
