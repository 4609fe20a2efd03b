// @ts-check
/**
 * Wiring: the address, the header and the engine to the tool on show.
 */
import "./elements/define.js";
import { Address } from "./address.js";
import { copyText } from "./clipboard.js";
import { byId, h } from "./dom.js";
import { PasteDialog } from "./elements/paste-dialog.js";
import { fileSize } from "./format.js";
import { MemoryTool } from "./memory/tool.js";
import { PRESETS } from "./presets.js";
import { engine } from "./start.js";
import { ADDRESS_CHARS_MAX, decode, encode, scenarioOf, withChanges } from "./state.js";

/**
 * @import { About, FlinkVersion } from "../src/web/types.ts"
 * @import { Decoded, Scenario, ThemeChoice } from "./state.js"
 * @import { PasteUse } from "./elements/paste-dialog.js"
 */

const NOTICE_MS = 4000;
const TOOLS = ["memory"];

/** @type {import("./memory/tool.js").Ask} */
const ask = (question, params, slot) => engine.ask(question, params, slot);
const tool = new MemoryTool();
const paste = new PasteDialog();
const darkSystem = window.matchMedia("(prefers-color-scheme: dark)");
/** @type {Scenario} */
let scenario = scenarioOf(PRESETS.memory[0]);
/** @type {Decoded["unknown"]} */
let unknown = [];
let noticeTimer = 0;

const address = new Address({ restore: (hash) => open(hash), fits });

/** @param {string} hash */
async function open(hash) {
  const decoded = await decode(hash, PRESETS.memory);
  const missing = decoded.tool !== null && !TOOLS.includes(decoded.tool);
  showTool(!missing);
  if (missing) {
    byId("missing-name").textContent = `“${decoded.tool?.slice(0, 60)}”`;
    return;
  }
  unknown = decoded.unknown;
  showProblems(decoded.problems);
  show(decoded.scenario);
  if (decoded.tool === null) address.replace(await encoded());
}

/** @param {boolean} known  whether the address names a tool there is */
function showTool(known) {
  byId("missing").hidden = known;
  tool.hidden = !known;
}

/** @param {Scenario} next */
function show(next) {
  scenario = next;
  showHeader();
  tool.scenario = next;
}

function encoded(of = scenario) {
  return encode("memory", of, PRESETS.memory, unknown);
}

/**
 * @param {Scenario} next
 * @param {boolean} settled
 */
function change(next, settled) {
  scenario = next;
  // The address it moves to is the tool's.
  showTool(true);
  showHeader();
  address.change(() => encoded(next), settled);
}

function showHeader() {
  for (const input of document.querySelectorAll("input[name=flink]")) {
    const radio = /** @type {HTMLInputElement} */ (input);
    radio.checked = radio.value === scenario.flink;
  }
  /** @type {HTMLSelectElement} */ (byId("theme")).value = scenario.theme ?? "auto";
  if (scenario.theme) document.documentElement.dataset.theme = scenario.theme;
  else delete document.documentElement.dataset.theme;
  tool.theme = scenario.theme ?? (darkSystem.matches ? "dark" : "light");
  paste.version = scenario.flink;
}

/** @param {string[]} sentences */
function showProblems(sentences) {
  const box = byId("problems");
  box.hidden = sentences.length === 0;
  byId("problem-list").replaceChildren(...sentences.map((sentence) => h("li", null, sentence)));
}

/** @param {string} hash */
function fits(hash) {
  if (hash.length <= ADDRESS_CHARS_MAX) return true;
  notice(`These settings make an address of ${fileSize(hash.length)}; the limit is ${fileSize(ADDRESS_CHARS_MAX)}. Download them as a configuration file instead.`);
  return false;
}

/** @param {string} text */
function notice(text) {
  const line = byId("notice");
  line.textContent = text;
  line.classList.add("is-on");
  clearTimeout(noticeTimer);
  noticeTimer = window.setTimeout(() => {
    line.classList.remove("is-on");
    line.textContent = "";
  }, NOTICE_MS);
}

async function share() {
  await address.settle();
  const hash = await encoded();
  if (!fits(hash)) return;
  const link = new URL(hash, location.href).href;
  notice((await copyText(link)) ? "The address of this scenario is copied." : "The browser does not allow copying; the address is in the address bar.");
}

/** @param {PasteUse} use */
function usePasted({ entries, mode, limit, role, observed }) {
  const base = mode === "replace" ? {} : scenario.config;
  const config = withChanges(base, entries.map(({ key, value }) => /** @type {const} */ ([key, value])));
  // What the text does not say stays as it is.
  const next = { ...scenario, config, limit: limit ?? scenario.limit, role: role ?? scenario.role };
  change(next, true);
  tool.scenario = next;
  tool.observed = observed;
}

function wireHeader() {
  for (const input of document.querySelectorAll("input[name=flink]")) {
    input.addEventListener("change", () => {
      change({ ...scenario, flink: /** @type {FlinkVersion} */ (/** @type {HTMLInputElement} */ (input).value) }, true);
      tool.scenario = scenario;
    });
  }
  byId("theme").addEventListener("change", (event) => {
    const { value } = /** @type {HTMLSelectElement} */ (event.target);
    change({ ...scenario, theme: value === "auto" ? null : /** @type {ThemeChoice} */ (value) }, true);
    tool.scenario = scenario;
  });
  darkSystem.addEventListener("change", () => {
    showHeader();
    tool.refresh();
  });
  byId("paste").addEventListener("click", () => paste.open());
  byId("share").addEventListener("click", share);
  const help = /** @type {HTMLDialogElement} */ (byId("help"));
  byId("help-open").addEventListener("click", () => help.showModal());
  byId("help-close").addEventListener("click", () => help.close());
  for (const close of document.querySelectorAll("[data-dismiss]")) {
    close.addEventListener("click", () => (byId(close.getAttribute("data-dismiss") ?? "").hidden = true));
  }
}

/** A configuration can be dropped anywhere, and pasted anywhere outside a field. */
function wirePaste() {
  paste.ask = ask;
  document.body.append(paste);
  paste.addEventListener("use-settings", (event) => usePasted(/** @type {CustomEvent} */ (event).detail));
  document.addEventListener("paste", (event) => {
    const target = /** @type {Element} */ (event.target);
    if (target.closest("input, textarea, select, dialog")) return;
    const text = event.clipboardData?.getData("text/plain");
    if (text) paste.open(text);
  });
  document.addEventListener("dragover", (event) => {
    event.preventDefault();
    document.body.classList.add("is-dropping");
  });
  document.addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) document.body.classList.remove("is-dropping");
  });
  document.addEventListener("drop", (event) => {
    document.body.classList.remove("is-dropping");
    const file = event.dataTransfer?.files[0];
    const text = event.dataTransfer?.getData("text/plain");
    if (!file && !text) return;
    event.preventDefault();
    if (file) paste.openFile(file);
    else paste.open(text);
  });
}

function wireEngine() {
  const fault = byId("fault");
  /** @param {string} sentence */
  const say = (sentence) => {
    byId("fault-text").textContent = sentence;
    fault.hidden = false;
  };
  const sayDead = () => say(`The engine does not start in this browser (${engine.dead}). Reload the page to try again.`);
  /** Asked twice, and no more: what fails again would go on for ever. @type {Scenario | null} */
  let askedAgain = null;
  engine.addEventListener("fault", (event) => {
    const { late } = /** @type {CustomEvent} */ (event).detail;
    say(`The engine ${late ? "did not answer" : "failed"} and was restarted. Your input is kept.`);
    if (askedAgain === scenario) return;
    askedAgain = scenario;
    tool.refresh();
  });
  tool.addEventListener("answered", () => {
    if (fault.hidden || engine.dead !== null) return;
    fault.hidden = true;
    notice(byId("fault-text").textContent ?? "");
  });
  engine.addEventListener("dead", sayDead);
  // It started before anyone listened.
  if (engine.dead !== null) sayDead();
}

async function nameReleases() {
  const answer = await ask("about", {});
  if (!answer.ok) return;
  for (const { line, checkedOn } of /** @type {About} */ (answer.value).flink) {
    const label = document.querySelector(`input[name=flink][value="${line}"]`)?.closest("label");
    label?.setAttribute("title", `Flink ${line}; numbers checked on ${checkedOn}`);
  }
}

function keepOffline() {
  try {
    // A sandboxed frame throws on the mere mention; a plain file has no service worker.
    navigator.serviceWorker?.register(new URL("sw.js", import.meta.url)).catch(() => {});
  } catch {
    // Without it the page only lacks the copy for offline use.
  }
}

tool.ask = ask;
tool.addEventListener("scenario-change", (event) => {
  const { detail } = /** @type {CustomEvent} */ (event);
  change(detail.scenario, detail.settled);
});
tool.addEventListener("notice", (event) => notice(/** @type {CustomEvent} */ (event).detail.text));
byId("tool").append(tool);
wireHeader();
wirePaste();
wireEngine();
await open(location.hash);
nameReleases();
keepOffline();
