import assert from "node:assert/strict";
import { mkdtemp, open, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { AxeBuilder } from "@axe-core/playwright";
import { studio } from "./support.mjs";

const { visit } = studio();
const PHONE = { width: 390, height: 844 };
const AT = "#/event-time?v=1&stream=";
/** What a tab may hold of a stream: wasm, JavaScript and buffers together. */
const TAB_BYTES_MAX = 300e6;

let folder = "";
before(async () => (folder = await mkdtemp(path.join(tmpdir(), "weir-streams-"))));
after(() => rm(folder, { recursive: true, force: true }));

const ready = (page, state = "answered") => page.locator(`stream-panel[data-state="${state}"]`).waitFor({ timeout: 120_000 });
const plain = (text) => text.replace(/[\u00a0\u202f]/g, " ");
const total = async (page, name) => plain(await page.locator(`.stream-body > section .totals div[data-id="${name}"] dd`).first().textContent());
const numberOf = (text) => Number(text.replace(/ \(.*/, "").replace(/\D/g, ""));
const verdict = async (page) => plain(await page.locator("stream-panel .verdict").textContent());
const fact = async (page, name) => plain(await page.locator(`bound-choice .totals div[data-id="${name}"] dd`).textContent());
const option = (page, id) => page.locator(`option-field[data-field="${id}"] :is(input, select)`);

async function noViolations(page, what) {
  const { violations } = await new AxeBuilder({ page }).withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]).analyze();
  assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).slice(0, 3).join("\n")}`), [], what);
}

/** A file of so many bytes at least, written piece by piece. */
async function csvOf(name, bytes) {
  const file = path.join(folder, name);
  const handle = await open(file, "w");
  let [row, written] = [0, 0];
  await handle.write("event_time,user_id,amount\n");
  while (written < bytes) {
    const lines = [];
    for (let n = 0; n < 20_000; n += 1, row += 1) {
      const ms = 1_700_000_000_000 + row * 10 - ((row * 7919) % 3000);
      lines.push(`${ms},user-${(row * 31) % 5000},${row % 97}.25`);
    }
    const text = `${lines.join("\n")}\n`;
    written += text.length;
    await handle.write(text);
  }
  await handle.close();
  return { file, rows: row };
}

test("a million records are run, and the totals add up", () =>
  visit({ hash: `${AT}pareto` }, async (page) => {
    await ready(page);
    assert.equal(await total(page, "Records"), "1 000 000");
    const [onTime, late, dropped] = await Promise.all(["On time", "Late but counted", "Dropped"].map((name) => total(page, name)));
    assert.ok(numberOf(dropped) > 0);
    assert.equal(numberOf(onTime) + numberOf(late) + numberOf(dropped), 1_000_000);
    assert.match(await verdict(page), new RegExp(`^With a bound of 5 s ${dropped.split(" (")[0]} of 1 000 000 records are dropped`));
    // The last rows of the log are computed when they come into sight.
    await page.locator("stream-panel virtual-table .virtual-scroller").first().evaluate((scroller) => (scroller.scrollTop = scroller.scrollHeight));
    await page.locator('stream-panel .log tbody tr[data-index="999999"]:not(.is-coming)').waitFor();
    // Every record that was not dropped is in one result, but for the windows still open.
    const [download] = await Promise.all([page.waitForEvent("download"), page.locator("stream-panel button", { hasText: "Results as CSV" }).click()]);
    const [head, ...rows] = (await readFile(await download.path(), "utf8")).trimEnd().split("\n");
    assert.equal(head, "key,window_start_ms,window_end_ms,records,sum,firing,watermark_ms");
    assert.equal(rows.length, numberOf(await total(page, "Results")));
    const counted = rows.reduce((sum, row) => sum + Number(row.split(",")[3]), 0);
    assert.ok(counted < 1_000_000 - numberOf(dropped) && counted > 900_000, String(counted));
    const code = await page.locator("stream-panel code-row pre").allTextContents();
    assert.match(code[0], /forBoundedOutOfOrderness\(Duration\.ofSeconds\(5\)\)/);
    assert.match(code[1], /ts - INTERVAL '5\.001' SECOND/);
    const [saved] = await Promise.all([page.waitForEvent("download"), page.locator("stream-panel button", { hasText: "Answer as JSON" }).click()]);
    const { params, report, link } = JSON.parse(await readFile(await saved.path(), "utf8"));
    assert.deepEqual([params.source.kind, report.totals.records, new URL(link).hash], ["generated", 1_000_000, await page.evaluate(() => location.hash)]);
  }));

test("the bound moves by keyboard and pointer, without another run, and is applied", () =>
  visit({ hash: `${AT}uniform` }, async (page) => {
    await ready(page);
    const slider = page.locator("#bound-slider");
    const before = numberOf(await fact(page, "Behind the watermark"));
    assert.equal(before, 0, "no delay is longer than the bound");
    await slider.focus();
    for (let n = 0; n < 5; n += 1) await page.keyboard.press("PageDown");
    const chosen = () => page.locator("bound-choice").getAttribute("data-bound");
    await page.waitForFunction(() => Number(document.querySelector("bound-choice").dataset.bound) < 5000);
    const behind = numberOf(await fact(page, "Behind the watermark"));
    assert.ok(behind > 0);
    const stage = await page.locator("bound-choice .chart-stage").boundingBox();
    await page.mouse.move(stage.x + stage.width * 0.3, stage.y + 100);
    await page.mouse.down();
    await page.mouse.move(stage.x + stage.width * 0.2, stage.y + 100);
    await page.mouse.up();
    await page.waitForFunction((least) => Number(document.querySelector('bound-choice .totals div[data-id="Behind the watermark"] dd').textContent.replace(/\(.*/, "").replace(/\D/g, "")) > least, behind);
    assert.equal(await page.locator("stream-panel").getAttribute("data-state"), "answered", "nothing was run again");
    const bound = Number(await chosen());
    const dropped = numberOf(await fact(page, "Would be dropped"));
    await page.locator("bound-choice button", { hasText: "Use this bound" }).click();
    await page.waitForFunction((ms) => decodeURIComponent(location.hash).includes(`bound=${ms}+ms`), bound);
    await ready(page);
    await page.waitForFunction(() => document.querySelector("stream-panel .verdict").textContent.includes("dropped"));
    assert.equal(numberOf(await total(page, "Dropped")), dropped, "one pass foretold what the run does");
  }));

test("who makes the disorder is named, and a wanted share gets its bound", () =>
  visit({ hash: `${AT}skewed&stream.events=100000&stream.wanted=0.5` }, async (page) => {
    await ready(page);
    const findings = plain(await page.locator("bound-choice finding-list").textContent());
    assert.match(findings, /Partition 1 alone moves the watermark/);
    const wanted = page.locator('bound-choice [data-id="The smallest bound for a completeness"] tbody tr');
    assert.equal(await wanted.count(), 4);
    assert.match(plain(await wanted.first().innerText()), /^50 %/);
    await option(page, "wanted").fill("1.5");
    await ready(page, "failed");
    assert.match(await page.locator('option-field[data-field="wanted"] .field-problem').textContent(), /0 to 1/);
  }));

test("a run is cancelled, the last answer stays, and another one runs", () =>
  visit({ hash: `${AT}in-order` }, async (page) => {
    await ready(page);
    await option(page, "events").fill("10000000");
    await option(page, "events").blur();
    await page.locator(".stream-progress button").click();
    await ready(page, "cancelled");
    assert.match(await verdict(page), /^Cancelled/);
    assert.ok(await page.locator(".stream-progress").isHidden());
    await page.locator("stream-panel button", { hasText: "Run again" }).click();
    await ready(page, "running");
    await option(page, "events").fill("20000");
    await option(page, "events").blur();
    await ready(page);
    assert.equal(await total(page, "Records"), "20 000");
  }));

test("records sent twice are left out by their id, unless nothing keeps the ids", () =>
  visit({ hash: `${AT}duplicates&stream.events=50000` }, async (page) => {
    await ready(page);
    const twice = numberOf(await total(page, "Sent twice"));
    assert.ok(twice > 2000 && twice < 3000, String(twice));
    // Every second arrival is within the TTL.
    assert.equal(numberOf(await total(page, "Left out as duplicates")), twice);
    assert.equal(numberOf(await total(page, "Records")), 50_000 + twice);
    assert.match(await verdict(page), /are left out as duplicates/);
    await option(page, "dedup").fill("");
    await option(page, "dedup").blur();
    await page.waitForFunction(() => !document.querySelector("stream-panel .verdict").textContent.includes("duplicates"));
    await ready(page);
    assert.equal(await page.locator('.stream-body .totals div[data-id="Left out as duplicates"]').count(), 0);
  }));

test("windows of a zone, global ones, sessions by record and early results have streams of their own", async () => {
  const first = (page) => page.locator("stream-panel .log tbody tr[data-index='0']:not(.is-coming)").first().innerText().then(plain);
  await visit({ hash: `${AT}zone&stream.events=300000` }, async (page) => {
    await ready(page);
    const [download] = await Promise.all([page.waitForEvent("download"), page.locator("stream-panel button", { hasText: "Results as CSV" }).click()]);
    const rows = (await readFile(await download.path(), "utf8")).trimEnd().split("\n").slice(1).map((row) => row.split(","));
    const hours = new Set(rows.map(([, start, end]) => `${new Date(Number(start)).toISOString()} ${(Number(end) - Number(start)) / 3_600_000}`));
    assert.ok(hours.has("2026-03-28T23:00:00.000Z 23"), [...hours].join("; "));
    assert.ok(hours.has("2026-03-27T23:00:00.000Z 24"), [...hours].join("; "));
    assert.match(await first(page), /2026-03-26 23:00/);
  });
  await visit({ hash: `${AT}count-windows&stream.events=50000` }, async (page) => {
    await ready(page);
    assert.equal(numberOf(await total(page, "Dropped")), 0);
    assert.match(await first(page), /global window/);
    const [download] = await Promise.all([page.waitForEvent("download"), page.locator("stream-panel button", { hasText: "Results as CSV" }).click()]);
    const rows = (await readFile(await download.path(), "utf8")).trimEnd().split("\n").slice(1);
    assert.ok(rows.length > 300 && rows.every((row) => row.split(",")[3] === "100"), rows[0]);
  });
  for (const preset of ["dynamic", "early"]) {
    await visit({ hash: `${AT}${preset}&stream.events=50000` }, async (page) => {
      await ready(page);
      // The clock alone fires a window again; a session ends once.
      assert.equal(numberOf(await total(page, "Of these again")) > 0, preset === "early", preset);
      assert.ok(numberOf(await total(page, "Results")) > 200, preset);
    });
  }
  await visit({ hash: `${AT}dynamic&stream.events=50000&stream.low=0` }, async (page) => {
    await ready(page, "failed");
    assert.match(await verdict(page), /gap/);
  });
});

test("ids, values and arrivals of a file of JSON lines are read", () =>
  visit({ hash: `${AT}file&dedup=1+min` }, async (page) => {
    await ready(page, "failed");
    const file = path.join(folder, "events.jsonl");
    const at = Date.UTC(2026, 2, 8, 10);
    const record = (n) => JSON.stringify({ event_id: `e${n % 90}`, ts: at + n * 500, ingested_at: at + n * 500 + 20, user: `u${n % 3}`, amount: 5 });
    await writeFile(file, `${Array.from({ length: 100 }, (_, n) => record(n)).join("\n")}\n`);
    await page.locator("#stream-file").setInputFiles(file);
    await ready(page);
    // The ten that come again do so after 45 s, within the minute.
    assert.equal(numberOf(await total(page, "Left out as duplicates")), 10);
    const [download] = await Promise.all([page.waitForEvent("download"), page.locator("stream-panel button", { hasText: "Results as CSV" }).click()]);
    const rows = (await readFile(await download.path(), "utf8")).trimEnd().split("\n").slice(1).map((row) => row.split(",").map(Number));
    assert.ok(rows.length > 0 && rows.every(([, , , records, sum]) => sum === 5 * records));
    // Without the column of the id there is nothing to tell records apart by.
    await page.locator('select[name="id"]').selectOption("");
    await ready(page, "failed");
    assert.match(await verdict(page), /where a column of it is the id/);
  }));

test("bad rows of a file are named by line, and columns can be changed", () =>
  visit({ hash: `${AT}file` }, async (page) => {
    await ready(page, "failed");
    assert.match(await verdict(page), /Pick a file/);
    const file = path.join(folder, "bad.csv");
    // Of the texts of a column nine in ten must be times to be taken for one.
    const good = Array.from({ length: 20 }, (_, n) => `2026-03-08T10:00:${10 + n}Z,a,h1,${n % 2}`);
    const rows = ["ts,name,host,shard", ...good, "yesterday,a,h1,0", "2026-03-08T10:00:20Z,a", "2026-03-08T10:00:31Z,a,h1,1", ",a,h1,0"];
    await writeFile(file, `${rows.join("\n")}\n`);
    await page.locator("#stream-file").setInputFiles(file);
    await ready(page);
    assert.equal(await total(page, "Records"), "21");
    const named = (await page.locator('stream-panel [data-id="Bad rows"] tbody tr').allInnerTexts()).map(plain);
    assert.equal(named.length, 3);
    assert.match(named[0], /^22\s.*yesterday/s);
    assert.match(named[1], /^23\s.*2 fields/s);
    assert.match(named[2], /^25\s/);
    assert.equal(await page.locator("#stream-time").inputValue(), "0");
    await page.locator("#stream-key").selectOption("2");
    await page.waitForFunction(() => document.querySelector('stream-panel .log tbody tr td span')?.textContent === "h1");
    await page.locator("#stream-time").selectOption("1");
    await page.waitForFunction(() => /no rows|rows are bad/.test(document.querySelector("stream-panel section:nth-of-type(2) p")?.textContent ?? ""));
  }));

test("a file of 50 MB is read in a stream, and the tab stays under 300 MB", async () => {
  const { file, rows } = await csvOf("large.csv", 50e6);
  await visit({ hash: `${AT}file` }, async (page, context) => {
    await ready(page, "failed");
    await page.locator("#stream-file").setInputFiles(file);
    await ready(page);
    assert.equal(numberOf(await total(page, "Records")), rows);
    assert.equal(await total(page, "Keys"), "5 000");
    const wasm = await wasmBytes(page);
    const scripts = await heapsOf(page, context);
    const bytes = wasm + scripts.reduce((sum, heap) => sum + heap, 0);
    assert.ok(wasm > rows * 10, "the records are there");
    assert.equal(scripts.length, 2, "the page's heap and the worker's");
    assert.ok(bytes < TAB_BYTES_MAX, `${Math.round(bytes / 1e6)} MB`);
    console.log(`50 MB file: ${Math.round(wasm / 1e6)} MB of wasm, ${Math.round(bytes / 1e6)} MB in all`);
  });
});

/** The memory of the engine's module. It does not shrink, so this is the most that it was. */
function wasmBytes(page) {
  return page.workers()[0].evaluate(async () => {
    const weir = await import(new URL("weir_event_time.js", self.location.href).href);
    const { memory } = await weir.default();
    return memory.buffer.byteLength;
  });
}

/** The JavaScript heaps of the page and its worker, buffers included; those of wasm are not in it. */
async function heapsOf(page, context) {
  const cdp = await context.newCDPSession(page);
  const bytes = ({ usedSize, embedderHeapUsedSize = 0 }) => usedSize + embedderHeapUsedSize;
  const own = await cdp.send("Runtime.getHeapUsage");
  // The service worker is another target.
  const attached = new Promise((resolve) => cdp.on("Target.attachedToTarget", (target) => target.targetInfo.type === "worker" && resolve(target)));
  await cdp.send("Target.setAutoAttach", { autoAttach: true, waitForDebuggerOnStart: false, flatten: false });
  const { sessionId } = await attached;
  const answered = new Promise((resolve) =>
    cdp.on("Target.receivedMessageFromTarget", (event) => {
      const { id, result } = JSON.parse(event.message);
      if (id === 1 && event.sessionId === sessionId) resolve(result);
    }),
  );
  await cdp.send("Target.sendMessageToTarget", { sessionId, message: JSON.stringify({ id: 1, method: "Runtime.getHeapUsage" }) });
  const theirs = await answered;
  return [bytes(own) + (own.backingStorageSize ?? 0), bytes(theirs)];
}

for (const theme of ["light", "dark"]) {
  test(`no violations, nor sideways scrolling: ${theme}`, () =>
    visit({ ...PHONE, hash: `${AT}stalled&stream.events=100000&theme=${theme}` }, async (page) => {
      await ready(page);
      await noViolations(page, "phone");
      const { wide, room } = await page.evaluate(() => ({ wide: document.documentElement.scrollWidth, room: document.documentElement.clientWidth }));
      assert.ok(wide <= room, `${wide} px of ${room}`);
      await page.setViewportSize({ width: 1280, height: 900 });
      await noViolations(page, "wide");
      await option(page, "rate").fill("fast");
      await ready(page, "failed");
      await noViolations(page, "error");
    }));
}

test("subtasks and generators of a stream are set, and its own job may be asked about", () =>
  visit({ hash: `${AT}partitions` }, async (page) => {
    await ready(page);
    for (const id of ["readers", "generators", "parallelism"]) assert.ok(await option(page, id).isVisible(), id);
    assert.ok(await option(page, "partitions").isHidden());
    const shares = () => page.locator('stream-panel table:has(caption:text-is("Window subtasks")) tbody tr').count();
    assert.equal(await shares(), 4);
    await option(page, "parallelism").fill("2");
    await page.waitForFunction(() => [...document.querySelectorAll("stream-panel table")].some((one) => one.caption?.textContent === "Window subtasks" && one.tBodies[0].rows.length === 2), null, { timeout: 120_000 });
    await page.locator("summary", { hasText: "Why does my own job give no output?" }).click();
    await page.locator("why-no-output textarea").fill("0: 1000\n1: No Watermark");
    await page.waitForFunction(() => (document.querySelector("why-no-output .why-verdict")?.textContent ?? "") !== "");
  }));

test("the address holds the stream, and the switch leads back to the records", () =>
  visit({ hash: "#/event-time?v=1" }, async (page) => {
    await page.locator('event-time-tool[data-state="answered"]').waitFor();
    await page.locator(".stream-switch label", { hasText: "Whole streams" }).click();
    await ready(page);
    await page.locator("#stream-preset").selectOption("skewed");
    await option(page, "events").fill("50000");
    await option(page, "events").blur();
    await page.waitForFunction(() => location.hash.includes("stream=skewed") && location.hash.includes("stream.events=50000"));
    await ready(page);
    await page.waitForFunction(() => document.querySelector('.stream-body .totals div[data-id="Records"] dd').textContent.replace(/\D/g, "") === "50000");
    const text = await verdict(page);
    await page.reload();
    await ready(page);
    assert.equal(await verdict(page), text, "the same stream");
    await page.locator(".stream-switch label", { hasText: "Record by record" }).click();
    await page.waitForFunction(() => !location.hash.includes("stream"));
    assert.ok(await page.locator("event-answer").isVisible());
    assert.equal(await page.locator("stream-panel, stream-form").count(), 0);
  }));
