// A file of 500 MB through the class that a file of a reader's goes through: how fast it is read and
// run, and the most memory that the worker holds meanwhile, wasm and JavaScript together.
import { URL_OF_STUDIO } from "./browser.mjs";

const FILE_BYTES = Number(process.env.WEIR_BENCH_FILE_MB ?? 500) * 1e6;
/** Between two of these the memory is looked at. */
const STEP_BYTES = 25e6;
/** What a tab may hold of a stream. */
const LIMIT_MB = 300;

/**
 * @param {import("playwright-core").BrowserContext} context  that serves `benches/` beside the studio
 * @param {(name: string, value: number, unit: string) => void} print
 */
export async function benchFile(context, print) {
  const page = await context.newPage();
  await page.goto(URL_OF_STUDIO);
  const cdp = await context.newCDPSession(page);
  const targets = [];
  cdp.on("Target.attachedToTarget", ({ sessionId, targetInfo }) => targets.push({ sessionId, ...targetInfo }));
  await cdp.send("Target.setAutoAttach", { autoAttach: true, waitForDebuggerOnStart: false, flatten: false });
  await page.evaluate(() => {
    const worker = new Worker(new URL("benches/event_time/file.js", location.href), { type: "module" });
    let last = 0;
    window.bench = (act, args) =>
      new Promise((resolve, reject) => {
        last += 1;
        const id = last;
        worker.onerror = (event) => reject(new Error(event.message || "the worker failed"));
        worker.onmessage = ({ data }) => (data.error ? reject(new Error(data.error)) : resolve(data.value));
        worker.postMessage({ id, act, args });
      });
  });
  let most = { wasm: 0, scripts: 0, all: 0 };
  const step = async (act, ...args) => {
    const told = await page.evaluate(([act, args]) => window.bench(act, args), [act, args]);
    const scripts = await heapOf(cdp, targets);
    if (told.wasm + scripts > most.all) most = { wasm: told.wasm, scripts, all: told.wasm + scripts };
    return told;
  };
  let told = await step("start");
  while (told.written < FILE_BYTES) told = await step("push", STEP_BYTES);
  const readMs = told.ms;
  told = await step("finish");
  do told = await step("advance");
  while (!told.isDone);
  if (told.totals.records !== told.rows) throw new Error(`${told.rows} rows were written and ${told.totals.records} run`);
  print("event_time.file.mb", told.written / 1e6, "MB");
  print("event_time.file.records", told.rows, "records");
  print("event_time.file.read_mb_per_s", told.written / 1e3 / readMs, "MB/s");
  print("event_time.file.whole_mb_per_s", told.written / 1e3 / told.ms, "MB/s");
  print("event_time.file.wasm_mb", most.wasm / 1e6, "MB");
  print("event_time.file.js_mb", most.scripts / 1e6, "MB");
  print("event_time.file.peak_mb", most.all / 1e6, `MB of ${LIMIT_MB}`);
  await page.close();
  if (most.all > LIMIT_MB * 1e6) throw new Error(`the file took ${Math.round(most.all / 1e6)} MB; the limit is ${LIMIT_MB} MB`);
}

/** The JavaScript heap of the bench's worker, buffers included; that of wasm is not in it. */
async function heapOf(cdp, targets) {
  const worker = targets.findLast(({ type, url }) => type === "worker" && url.includes("benches/"));
  if (!worker) throw new Error("the worker of the bench is not attached");
  const answered = new Promise((resolve) => {
    const hear = ({ sessionId, message }) => {
      const { id, result } = JSON.parse(message);
      if (id !== 1 || sessionId !== worker.sessionId) return;
      cdp.off("Target.receivedMessageFromTarget", hear);
      resolve(result);
    };
    cdp.on("Target.receivedMessageFromTarget", hear);
  });
  await cdp.send("Target.sendMessageToTarget", { sessionId: worker.sessionId, message: JSON.stringify({ id: 1, method: "Runtime.getHeapUsage" }) });
  const { usedSize, embedderHeapUsedSize = 0 } = await answered;
  return usedSize + embedderHeapUsedSize;
}
