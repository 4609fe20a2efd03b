import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { AxeBuilder } from "@axe-core/playwright";
import { CHECKPOINT_PRESETS } from "../../www/checkpoints/presets.js";
import { studio } from "./support.mjs";

const { visit } = studio();
const PHONE = { width: 390, height: 844 };
const AT = "#/checkpoints?v=1";

const ready = (page, state = "answered") => page.locator(`checkpoints-tool[data-state="${state}"]`).waitFor();
const field = (page, id) => page.locator(`option-field[data-field="${id}"] :is(input[type="text"], select)`);
const hashOf = (page) => page.evaluate(() => location.hash);
const plain = (text) => text.replace(/[\u00a0\u202f]/g, " ").replace(/\u2212/g, "-");
const verdict = async (page) => plain(await page.locator("checkpoints-tool .verdict").textContent());
/** What the row of a checkpoint says. */
const checkpoint = async (page, id) => plain(await page.locator(`checkpoint-answer tr:has([data-checkpoint="${id}"])`).innerText()).replace(/\s+/g, " ");
const cells = async (page, caption, row) =>
  (await page.locator(`table:has(caption:text-is("${caption}")) tr[data-id="${row}"] :is(th, td)`).allInnerTexts()).map(plain);

async function noViolations(page, what) {
  const { violations } = await new AxeBuilder({ page }).withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]).analyze();
  assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).slice(0, 3).join("\n")}`), [], what);
}

test("it opens on a worked example: the verdict, the picture by subtask, and Flink's fields", () =>
  visit({ hash: AT }, async (page) => {
    await ready(page);
    assert.equal(await page.title(), "Checkpoints · Weir");
    assert.match(await verdict(page), /start delay/);
    // s × R × [2 × 9 + (2 × 2 + 8 − ½)] = 1 ms × 341.3 × 29.5 = 10.07 s.
    const [, total, delay] = await cells(page, "Subtasks of checkpoint 3", "Operator 0");
    const seconds = Number(total.replace(" s", ""));
    assert.ok(seconds > 9.5 && seconds < 10.6, total);
    assert.equal(delay, total, "all of it is start delay");
    assert.ok((await page.locator("checkpoint-answer svg").count()) >= 5, "every chart is drawn");
    const [, level] = await cells(page, "Tasks over the run", "Source 0");
    const [, slow] = await cells(page, "Tasks over the run", "Operator 0");
    assert.deepEqual([level, slow], ["high", "ok"], "the slow task itself reports ok");
  }));

test("every preset answers without a complaint, and its address brings it back", () =>
  visit({ hash: AT }, async (page) => {
    await ready(page);
    // The large one takes long in a build that is not optimised, and has a test of its own.
    for (const preset of CHECKPOINT_PRESETS.filter(({ id }) => id !== "large")) {
      await page.locator("#checkpoint-preset").selectOption(preset.id);
      await page.waitForFunction((look) => document.querySelector("preset-picker .preset-look")?.textContent === look, preset.look);
      await page.waitForFunction(() => document.querySelector("checkpoints-tool")?.dataset.state === "answered", null, { timeout: 60_000 });
      await page.waitForFunction((id) => location.hash === (id === "slow-sink" ? "#/checkpoints?v=1" : `#/checkpoints?v=1&preset=${id}`), preset.id);
      assert.notEqual(await verdict(page), "", preset.id);
      const text = await page.locator("checkpoint-answer").innerText();
      assert.doesNotMatch(text, /NaN|Infinity|undefined|\[object/, preset.id);
    }
  }));

test("a setting changes the answer, Back undoes it, and the mode decides what is persisted", () =>
  visit({ hash: `${AT}&preset=unaligned&mode=aligned` }, async (page) => {
    await ready(page);
    assert.match(await checkpoint(page, 1), /completed 10 s 7\.\d+ s 0 B .* 0 B 2 of 2$/);
    await field(page, "mode").selectOption("unaligned");
    await page.waitForFunction(() => /KiB/.test(document.querySelector('tr:has([data-checkpoint="1"])')?.textContent ?? ""));
    assert.match(await checkpoint(page, 1), /completed 10 s \d+(\.\d)? ms/);
    await page.waitForFunction(() => location.hash === "#/checkpoints?v=1&preset=unaligned");
    await page.goBack();
    await page.waitForFunction(() => !/KiB/.test(document.querySelector('tr:has([data-checkpoint="1"])')?.textContent ?? "KiB"));
    assert.equal(await field(page, "mode").inputValue(), "aligned");
  }));

test("bad input is said at its field, the last answer stays and is marked", () =>
  visit({ hash: AT }, async (page) => {
    await ready(page);
    await field(page, "interval").fill("soon");
    await ready(page, "failed");
    assert.match(await verdict(page), /^Interval: /);
    assert.equal(await field(page, "interval").getAttribute("aria-invalid"), "true");
    assert.ok(await page.locator("checkpoint-answer .stale-note").isVisible());
    await field(page, "interval").fill("20 s");
    await ready(page);
    // What only the engine knows: unaligned checkpoints are never concurrent.
    await field(page, "mode").selectOption("unaligned");
    await field(page, "concurrent").fill("2");
    await ready(page, "failed");
    assert.match(await verdict(page), /maxConcurrentCheckpoints can't be > 1/);
    assert.equal(await field(page, "concurrent").getAttribute("aria-invalid"), "true");
    await field(page, "concurrent").fill("1");
    await ready(page);
    await field(page, "run").fill("99999 h");
    await ready(page, "failed");
    assert.equal(await verdict(page), "“Simulated time” is 99999 h; give a time from 1 ms to 24 h.");
    await field(page, "run").fill("54 s");
    await ready(page);
    await field(page, "floating").fill("0");
    await ready(page, "failed");
    assert.match(await verdict(page), /floating buffer should be at least 1/);
  }));

test("a slider writes what Flink reads, and the newest position wins", () =>
  visit({ hash: AT }, async (page) => {
    await ready(page);
    const slider = page.getByRole("slider", { name: "Operator’s time for a record, slider" });
    await slider.focus();
    for (let press = 0; press < 12; press += 1) await page.keyboard.press("ArrowLeft");
    await page.waitForFunction(() => /µs$/.test(document.querySelector('[data-field="service"] input[type="text"]')?.value ?? ""));
    await ready(page);
    const text = await field(page, "service").inputValue();
    assert.match(text, /^\d+ µs$/);
    await page.waitForFunction((want) => new URLSearchParams(location.hash.split("?")[1]).get("service") === want, text);
  }));

test("a long run shows its progress and can be cancelled; what was there before stays", () =>
  visit({ hash: `${AT}&sources=50&operators=50&service=10+µs&first=100+ms&run=200+ms` }, async (page) => {
    await ready(page);
    const before = await checkpoint(page, 1);
    await field(page, "run").fill("10 min");
    await ready(page, "running");
    await page.getByRole("button", { name: "Cancel" }).click();
    await ready(page, "failed");
    assert.match(await verdict(page), /cancelled/);
    assert.equal(await checkpoint(page, 1), before);
    assert.ok(await page.locator("checkpoint-answer .stale-note").isVisible());
  }));

test("40 000 channels are simulated with progress, and can be cancelled", () =>
  visit({ hash: AT }, async (page) => {
    await ready(page);
    await page.locator("#checkpoint-preset").selectOption("large");
    await ready(page, "running");
    const bar = page.locator("checkpoints-tool .answer > .run-bar progress");
    await page.waitForFunction(() => (document.querySelector("checkpoints-tool .answer > .run-bar progress")?.value ?? 0) > 0, null, { timeout: 60_000 });
    assert.ok(await bar.isVisible());
    await page.locator("checkpoints-tool .answer > .run-bar").getByRole("button", { name: "Cancel" }).click();
    await ready(page, "failed");
    assert.match(await verdict(page), /cancelled/);
  }));

test("of a large run the other modes begin on demand, show how far they are, and can be cancelled", () =>
  visit({ hash: `${AT}&sources=50&operators=50&service=10+µs&first=100+ms&run=4+s` }, async (page) => {
    await page.locator('checkpoints-tool[data-state="answered"]').waitFor({ timeout: 60_000 });
    const modes = page.locator("run-comparison[data-state=waiting]");
    await modes.getByRole("button", { name: "Simulate the others" }).click();
    const running = page.locator("run-comparison[data-state=running]");
    await running.locator("progress").waitFor();
    await running.getByRole("button", { name: "Cancel" }).click();
    await modes.getByRole("button", { name: "Simulate the others" }).waitFor();
    await modes.locator("progress").waitFor({ state: "hidden" });
    await page.locator("promise-panel").getByRole("button", { name: "Find where it breaks" }).click();
    await page.locator("promise-panel[data-state=running]").getByRole("button", { name: "Cancel" }).click();
    await page.locator("promise-panel").getByRole("button", { name: "Find where it breaks" }).waitFor();
  }));

test("two edges that are removed at once are the two that were meant", () =>
  visit({ hash: `${AT}&preset=two-inputs` }, async (page) => {
    await ready(page);
    await field(page, "shape").selectOption("graph");
    await page.locator('graph-editor [data-act="removeEdge"]').nth(1).waitFor({ state: "attached" });
    const left = await page.evaluate(() => {
      const buttons = () => [...document.querySelectorAll('graph-editor [data-act="removeEdge"]')];
      const before = buttons().length;
      buttons()[1].click();
      buttons()[0].click();
      return { before, after: buttons().length, places: buttons().map(({ dataset }) => dataset.at) };
    });
    assert.equal(left.after, left.before - 2, "each click acts on the list that is shown");
    assert.deepEqual(left.places, Array.from({ length: left.after }, (_, at) => String(at)));
  }));

test("the slowest subtask comes first where that is asked, and the address keeps it", () =>
  visit({ hash: `${AT}&preset=chain` }, async (page) => {
    await ready(page);
    const first = async () => plain(await page.locator('table:has(caption:text-matches("^Subtasks of checkpoint")) tbody th').first().innerText());
    assert.match(await first(), /^Source/);
    await page.locator("checkpoint-answer .order-select").selectOption("slowest");
    await page.waitForFunction(() => location.hash.includes("order=slowest"));
    await page.waitForFunction(() => /^Sink/.test([...document.querySelectorAll("caption")].find((one) => /^Subtasks of/.test(one.textContent ?? ""))?.closest("table")?.querySelector("tbody th")?.textContent ?? ""));
  }));

test("at least once has its price in the comparison, and edges say what their barriers do", () =>
  visit({ hash: `${AT}&preset=two-inputs` }, async (page) => {
    await ready(page);
    await page.locator("run-comparison[data-state=done]").first().waitFor({ timeout: 60_000 });
    const twice = (await page.locator('run-comparison tr[data-id="twice"] :is(th, td)').allInnerTexts()).map(plain);
    assert.deepEqual(twice.slice(1, 4), ["0", "0", "0"], "exactly once");
    assert.ok(Number(twice[4].replaceAll(" ", "")) > 0, twice[4]);
    assert.match((await cells(page, "Edges", "edge 0")).join(" | "), /^Source 1 → Operator \| hash \| aligned/);
  }));

test("the player, the picture and the log are in step", () =>
  visit({ hash: `${AT}&preset=late-channel&show=2` }, async (page) => {
    await ready(page);
    assert.equal(await page.locator("checkpoint-answer h3:visible").first().textContent(), "Checkpoint 2, subtask by subtask");
    const said = async () => plain(await page.locator("checkpoint-steps .player-said").textContent());
    // It opens where it waits for the late channel.
    assert.match(await said(), /^Step \d+ of \d+, \d+ ms after the trigger: Channel blocked/);
    await page.getByRole("button", { name: "To the start" }).click();
    assert.match(await said(), /^Step 1 of \d+, 0 ms after the trigger: The coordinator triggers/);
    const rows = page.locator("checkpoint-steps .log tbody tr");
    await rows.filter({ hasText: "Channel blocked" }).first().click();
    await page.waitForFunction(() => /blocked/.test(document.querySelector("checkpoint-steps .player-said")?.textContent ?? ""));
    await page.waitForFunction(() => /1 of 2 channels are blocked/.test(document.querySelector("checkpoint-steps .chart-stage")?.getAttribute("aria-label") ?? ""));
    await page.waitForFunction(() => !/[?&]at=/.test(location.hash));
    await rows.filter({ hasText: "Barrier handled" }).first().click();
    await page.waitForFunction(() => /[?&]at=(?!1(?:&|$))\d+/.test(location.hash));
    const address = await hashOf(page);
    await page.reload();
    await ready(page);
    assert.match(await said(), /Barrier handled/);
    assert.equal(await hashOf(page), address);
    await page.keyboard.press("Tab");
    await page.locator("checkpoint-steps player-bar").getByRole("button", { name: "One step on" }).focus();
    await page.keyboard.press("End");
    assert.match(await said(), /The checkpoint is complete/);
  }));

test("another checkpoint is put on show from the table and from the picture", () =>
  visit({ hash: `${AT}&preset=thrash` }, async (page) => {
    await ready(page);
    await page.getByRole("button", { name: "Checkpoint 2", exact: true }).click();
    await page.waitForFunction(() => location.hash.includes("show=2"));
    assert.equal(await page.locator("checkpoint-answer h3:visible").first().textContent(), "Checkpoint 2, subtask by subtask");
    assert.match(await page.locator("checkpoint-answer").innerText(), /Checkpoint expired before completing\./);
  }));

test("every mode is simulated beside the one on show, and what is pinned is compared with its differences", () =>
  visit({ hash: `${AT}&preset=timeout-1s` }, async (page) => {
    await ready(page);
    const modes = page.locator("run-comparison[data-state=done]").first();
    await modes.waitFor();
    const row = async (of, id) => (await of.locator(`tr[data-id="${id}"] :is(th, td)`).allInnerTexts()).map(plain);
    const [, aligned, timeout, unaligned, atLeastOnce] = await row(modes, "endToEnd");
    assert.match(aligned, /^7\.\d+ s$/);
    assert.match(timeout, /^1(\.0\d)? s$/);
    assert.match(unaligned, /^\d+(\.\d)? ms$/);
    assert.match(atLeastOnce, /^7\.\d+ s$/);
    assert.match((await row(modes, "persisted"))[3], /KiB$/);
    // The barriers never came to the receiver in time: their senders switched.
    const switched = page.locator("checkpoint-answer .findings", { hasText: "overtook at their senders, 1 s after the trigger" });
    assert.match(await switched.innerText(), /Before Flink 1\.16 only a receiver could switch/);
    assert.match(await page.locator("checkpoint-steps .log").innerText(), /the barrier overtakes in its sender’s output/);
    await page.getByRole("button", { name: "Pin as A" }).click();
    await page.waitForFunction(() => location.hash.includes("pin="));
    await field(page, "mode").selectOption("aligned");
    const against = page.locator('section:has(> h3:text-is("Against A")) run-comparison');
    await page.waitForFunction(() => {
      const found = [...document.querySelectorAll("run-comparison")].find((one) => one.closest("section")?.querySelector("h3")?.textContent === "Against A");
      return found?.dataset.state === "done" && /\+6/.test(found.querySelector('tr[data-id="endToEnd"]')?.textContent ?? "");
    });
    assert.match(await against.innerText(), /Barriers: timeout → aligned/);
    const [, a, b, difference] = await row(against, "endToEnd");
    assert.match([a, b, difference].join(" "), /^1(\.0\d)? s 7\.\d+ s \+6\.\d+ s$/);
    await page.reload();
    await ready(page);
    await page.getByRole("button", { name: "Unpin" }).click();
    await page.waitForFunction(() => !location.hash.includes("pin="));
    assert.ok(await against.isHidden());
  }));

test("what is pinned lies behind what is on show, in the charts and at the end of every row", () =>
  visit({ hash: `${AT}&preset=timeout-1s` }, async (page) => {
    await ready(page);
    const stages = page.locator("checkpoint-answer svg-chart .chart-stage");
    const named = async () => (await stages.allTextContents()).filter((text) => /A: |end in A/.test(text)).length;
    assert.equal(await named(), 0);
    await page.getByRole("button", { name: "Pin as A" }).click();
    await page.waitForFunction(() => /end in A/.test(document.querySelector("checkpoint-answer svg-chart .chart-stage")?.textContent ?? ""));
    await field(page, "mode").selectOption("aligned");
    await page.waitForFunction(() => [...document.querySelectorAll("run-comparison")].some((one) => one.closest("section")?.querySelector("h3")?.textContent === "Against A" && /\+6/.test(one.textContent ?? "") && one.dataset.state === "done"));
    // The rows of a checkpoint, those of all of them, queues, throughput, latency and delay.
    await page.waitForFunction(() => [...document.querySelectorAll("checkpoint-answer svg-chart .chart-stage")].filter((stage) => /A: |end in A/.test(stage.textContent ?? "")).length === 6);
    await stages.first().focus();
    await page.keyboard.press("End");
    assert.match(plain(await page.locator("checkpoint-answer svg-chart .chart-readout").first().textContent()), /start delay 7\.\d+ s.*\. A: until 1(\.0\d)? s$/);
    await page.getByRole("button", { name: "Unpin" }).click();
    await page.waitForFunction(() => [...document.querySelectorAll("checkpoint-answer svg-chart .chart-stage")].every((stage) => !/A: |end in A/.test(stage.textContent ?? "")));
  }));

test("the samples behind the charts are a table, of the job and of every subtask, and a file", () =>
  visit({ hash: AT }, async (page) => {
    await ready(page);
    const series = page.locator("run-series");
    await series.getByText("The samples as a table").click();
    const rows = series.locator("tbody tr");
    await rows.nth(3).waitFor();
    const samples = Number(await series.locator("table").getAttribute("aria-rowcount")) - 1;
    assert.ok(samples >= 250 && samples <= 300, String(samples));
    assert.match(plain(await rows.nth(2).innerText()), /^\d+ ms\s+0\s+[\d ]+\/s\s+[\d ]+\/s/);
    await series.getByLabel("Samples of").selectOption({ label: "Source 0" });
    await series.locator("th", { hasText: "outputQueueLength" }).waitFor();
    const [download] = await Promise.all([page.waitForEvent("download"), series.getByRole("button", { name: "All samples as CSV" }).click()]);
    const lines = (await readFile(await download.path(), "utf8")).trim().split("\r\n");
    assert.equal(lines.length, 1 + samples * 3);
    assert.match(lines[0], /^time_ms,checkpoints_in_progress,.*,debloatedBufferSize$/);
    const cells = lines.map((line) => line.split(",").length);
    assert.ok(cells.every((count) => count === cells[0]), "as many cells in every line");
    // Another run brings other samples while it is open.
    const before = await rows.nth(2).innerText();
    await field(page, "run").fill("20 s");
    await page.waitForFunction((text) => document.querySelectorAll("run-series tbody tr")[2]?.innerText !== text, before);
  }));

test("a job of any graph: the shape becomes one without another answer, and each vertex has fields", () =>
  visit({ hash: AT }, async (page) => {
    await ready(page);
    const before = await verdict(page);
    await field(page, "shape").selectOption("graph");
    await page.waitForFunction(() => location.hash.includes("shape=graph"));
    await ready(page);
    assert.equal(await verdict(page), before);
    await page.locator(".graph-part > summary", { hasText: "1 Operator: 1 subtask" }).click();
    await field(page, "v1.name").fill("Window <b>");
    await page.locator(".graph-part > summary", { hasText: "1 Window <b>: 1 subtask" }).waitFor();
    await page.waitForFunction(() => /Window <b>/.test(document.querySelector("checkpoints-tool .verdict")?.textContent ?? ""));
    await page.getByRole("button", { name: "Add a vertex at the end" }).click();
    await page.locator(".graph-part > summary", { hasText: "1 Window <b> → 2 Vertex: hash" }).waitFor();
    await page.waitForFunction(() => /Vertex 0/.test(document.querySelector("checkpoint-answer table")?.textContent ?? "") || [...document.querySelectorAll("caption")].some((one) => /Tasks over/.test(one.textContent ?? "") && /Vertex 0/.test(one.closest("table")?.textContent ?? "")));
    // What the engine refuses is said at the field of the edge or the vertex.
    await page.locator(".graph-part > summary", { hasText: "1 Window <b> → 2 Vertex" }).click();
    await field(page, "e1.exchange").selectOption("forward");
    await page.locator(".graph-part > summary", { hasText: "2 Vertex" }).first().click();
    await field(page, "v2.parallelism").fill("2");
    await ready(page, "failed");
    assert.match(await verdict(page), /same parallelism/);
    assert.equal(await field(page, "e1.exchange").getAttribute("aria-invalid"), "true");
    await noViolations(page, "graph");
    const address = await hashOf(page);
    await page.goto(`${page.url().split("#")[0]}#/checkpoints?v=1`);
    await page.waitForFunction((text) => document.querySelector("checkpoints-tool .verdict")?.textContent.replace(/[\u00a0\u202f]/g, " ") === text, before);
    await page.goto(`${page.url().split("#")[0]}${address}`);
    await ready(page, "failed");
    assert.equal(await field(page, "v1.name").inputValue(), "Window <b>");
  }));

test("a slider stands where the value is, in milliseconds as in microseconds", () =>
  visit({ hash: `${AT}&preset=late-channel` }, async (page) => {
    await ready(page);
    const value = (name) => page.getByRole("slider", { name }).evaluate((range) => range.valueAsNumber);
    // 2 s of a minute, by the logarithm: ln 2000 / ln 60 000.
    assert.equal(await value("A source subtask blocks for, slider"), 691);
    assert.equal(await value("Operator’s time for a record, slider"), 400);
  }));

test("a failure is told: what it goes back to, what is read again, and when it has caught up", () =>
  visit({ hash: `${AT}&preset=failure` }, async (page) => {
    await ready(page);
    const row = await cells(page, "Failures and recoveries", "0");
    // Eight seconds at 1000 records/s are read again; 500 MiB at 100 MiB/s are read back after the delay of a second.
    assert.match(row.join(" | "), /^28 s \| Operator 0 \| 28 s, by the task itself \| checkpoint 2 \| 20 s \| 34 s \| 5 s \| 8 000 \| 0 \| 4\d(\.\d+)? s$/);
    await field(page, "failKind").selectOption("taskManagerUnreachable");
    await field(page, "heartbeatTimeout").fill("12 s");
    await page.waitForFunction(() => /by heartbeat/.test(document.querySelector('table:has(caption) tr[data-id="0"]')?.closest("checkpoint-answer")?.textContent ?? ""));
    const lost = await cells(page, "Failures and recoveries", "0");
    assert.match(lost[2], /^(2[89]|3\d|40)(\.\d+)? s, by heartbeat/);
    await field(page, "failKind").selectOption("task");
    await field(page, "restart").selectOption("disable");
    await page.waitForFunction(() => /Recovery is suppressed by NoRestartBackoffTimeStrategy/.test(document.querySelector("checkpoint-answer")?.textContent ?? ""));
    assert.ok(await field(page, "restartDelay").isHidden());
    await field(page, "restart").selectOption("fixedDelay");
    await field(page, "failAt").fill("28 s, 45 s");
    await page.waitForFunction(() => /maxNumberRestartAttempts=1/.test(document.querySelector("checkpoint-answer")?.textContent ?? ""));
    assert.match((await cells(page, "Failures and recoveries", "0")).join(" | "), /^28 s \| Operator 0 \| 28 s, by the task itself \| checkpoint 2 \|/);
    await page.locator("#checkpoint-preset").selectOption("even");
    await page.waitForFunction(() => document.querySelector('section:has(> run-series)') !== null && [...document.querySelectorAll("checkpoint-answer h3")].some((one) => one.textContent === "Failures and recoveries" && one.closest("section")?.hidden));
  }));

test("files hold the numbers", () =>
  visit({ hash: AT }, async (page) => {
    await ready(page);
    const file = async (kind) => {
      const [download] = await Promise.all([page.waitForEvent("download"), page.locator(`.exports button[data-kind="${kind}"]`).click()]);
      return readFile(await download.path(), kind === "png" ? null : "utf8");
    };
    const csv = (await file("csv")).trim().split("\r\n");
    assert.match(csv[0], /^checkpoint,status,trigger_timestamp_ms,vertex,subtask,end_to_end_duration,/);
    assert.ok(csv.some((line) => /^1,COMPLETED,10000,Operator,0,\d{4,5},/.test(line)), csv.join("\n"));
    const json = JSON.parse(await file("json"));
    assert.equal(json.report.checkpoints[0].status, "COMPLETED");
    assert.match(json.link, /#\/checkpoints\?v=1$/);
    assert.match(await file("svg"), /^<svg /);
    assert.equal((await file("png")).subarray(1, 4).toString(), "PNG");
  }));

for (const theme of ["light", "dark"]) {
  for (const [name, size] of [["wide", {}], ["phone", PHONE]]) {
    test(`no violations: ${theme}, ${name}`, () =>
      visit({ ...size, hash: `${AT}&preset=thrash&theme=${theme}` }, async (page) => {
        await ready(page);
        for (const details of await page.locator("details").all()) await details.evaluate((element) => (element.open = true));
        await noViolations(page, "all open");
        if (name === "phone") {
          await page.locator("checkpoints-tool .sheet-button").click();
          await noViolations(page, "sheet");
        }
        await field(page, "interval").fill("soon");
        await ready(page, "failed");
        await noViolations(page, "error");
      }));
  }
}

for (const hash of [AT, `${AT}&preset=chain`, `${AT}&preset=thrash`]) {
  test(`no sideways scrolling on a phone, nor at 200 %: ${hash}`, async () => {
    for (const size of [PHONE, { width: 320, height: 640 }, { width: 640, height: 400 }]) {
      await visit({ ...size, hash }, async (page) => {
        await ready(page);
        const wider = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        assert.ok(wider <= 0, `${size.width}: ${wider} too wide`);
        // Sentences in a table keep a width that can be read.
        await page.locator("promise-panel[data-state=done]").waitFor({ timeout: 120_000 });
        const rows = await page.locator("promise-panel tbody tr").evaluateAll((all) => all.map((row) => row.getBoundingClientRect().height));
        assert.ok(rows.length > 2 && Math.max(...rows) < 600, `${size.width}: rows of ${Math.max(...rows)}`);
      });
    }
  });
}

/** A subtask answer as Flink's REST API gives it. */
const REST = JSON.stringify({
  id: 7,
  status: "COMPLETED",
  end_to_end_duration: 9300,
  num_acknowledged_subtasks: 1,
  num_subtasks: 1,
  trigger_timestamp: 1700000000000,
  latest_ack_timestamp: 1700000009300,
});

test("barriers by hand and real checkpoints are views with addresses of their own", () =>
  visit({ hash: AT }, async (page) => {
    await ready(page);
    await page.getByRole("radio", { name: "Barriers step by step" }).check({ force: true });
    await page.locator("checkpoint-stepper").waitFor();
    await page.waitForFunction(() => location.hash.includes("view=steps"));
    assert.ok(await page.locator("checkpoint-answer").isHidden());
    assert.ok(await page.locator("checkpoints-tool .controls").isHidden());
    await noViolations(page, "steps");
    await page.getByRole("radio", { name: "Read a real checkpoint" }).check({ force: true });
    await page.locator("checkpoint-import").waitFor();
    assert.ok(await page.locator("checkpoint-stepper").isHidden());
    await noViolations(page, "import");
    await page.goBack();
    await page.waitForFunction(() => location.hash.includes("view=steps"));
    await page.goBack();
    await page.locator("checkpoint-answer").waitFor();
    assert.match(await verdict(page), /start delay/);
  }));

test("REST answers that are pasted in another tool open the view that reads them", () =>
  visit({ hash: "#/memory?v=1" }, async (page) => {
    await page.locator("memory-tool[data-state=answered]").waitFor();
    await page.locator("#paste").click();
    await page.locator("#paste-text").fill(REST);
    await page.locator(".paste-verdict", { hasText: "REST API about checkpoints" }).waitFor();
    await page.getByRole("button", { name: "Read it in Checkpoints" }).click();
    await page.locator("checkpoint-import .import-verdict", { hasText: "7" }).waitFor();
    await page.waitForFunction(() => location.hash === "#/checkpoints?v=1&view=import");
  }));

test("the promise is searched: what breaks it, what a change would do, and the change is taken", () =>
  visit({ hash: `${AT}&preset=timeout-1s&mode=aligned&run=40+s` }, async (page) => {
    await ready(page);
    const panel = page.locator("promise-panel");
    await panel.and(page.locator("[data-state=done]")).waitFor({ timeout: 120_000 });
    assert.notEqual(await panel.locator(".promise-verdict").innerText(), "");
    const service = plain(await panel.locator('tr[data-id="serviceTime"]').innerText());
    assert.match(service, /Service time\s+10 ms/);
    assert.match(plain(await panel.locator('tr[data-id="unaligned"]').innerText()), /KiB/);
    await panel.locator('tr[data-id="unaligned"]').getByRole("button").click();
    await page.waitForFunction(() => location.hash.includes("mode=unaligned"));
    assert.equal(await field(page, "interval").inputValue(), "15 s", "what did not change stays as it was written");
    assert.match(await page.locator("why-forms").innerText(), /\S/);
  }));
