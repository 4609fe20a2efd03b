// @ts-check
/**
 * Wiring: the address, the header and the engine to the tool on show.
 */
import "./elements/define.js";
import { Address } from "./address.js";
import { copyText } from "./clipboard.js";
import { ADDRESS_CHARS_MAX, decodeWith, encodeWith, toolOf } from "./codec.js";
import { byId, h } from "./dom.js";
import { PasteDialog } from "./elements/paste-dialog.js";
import { fileSize } from "./format.js";
import { engine } from "./start.js";
import { withChanges } from "./state.js";
import { FIRST_TOOL, TOOLS } from "./tools.js";

/**
 * @import { About, FlinkVersion } from "../src/web/types.ts"
 * @import { Param, Shared, ThemeChoice } from "./codec.js"
 * @import { PasteUse } from "./elements/paste-dialog.js"
 * @import { Ask, Opened, Tool } from "./tools.js"
 *
 * @typedef {Opened & Tool & { scenario: any, unknown: Param[] }} Open  a tool that was opened, and where it stands
 */

const NOTICE_MS = 4000;
/** Whoever waits longer for code is told so. */
const LOADING_MS = 500;
/** A larger file is none that a tool takes whole; the dialog says what it may be. */
const DROPPED_BYTES_MAX = 1024 * 1024;

/** @type {Ask} */
const ask = (question, params, slot) => engine.ask(question, params, slot);
const paste = new PasteDialog();
const darkSystem = window.matchMedia("(prefers-color-scheme: dark)");
/** @type {Map<string, Open>} */
const opened = new Map();
/** The tool on show, and of an address that names none, the one before. */
let current = await toOpen(FIRST_TOOL);
let noticeTimer = 0;
let loadingTimer = 0;
/** What the header shows; a keystroke in a field changes nothing of it. */
let headerOf = "";
let turn = 0;
/** What the links of the rail were made for. */
let rail = "";

const address = new Address({ restore: (hash) => open(hash), fits });

/**
 * The tool with this id; its scripts are fetched the first time.
 * @param {string} id
 * @returns {Promise<Open>}
 */
async function toOpen(id) {
  const known = opened.get(id);
  if (known) return known;
  const tool = /** @type {Tool} */ (TOOLS.find((candidate) => candidate.id === id));
  const { codec, element } = await tool.open();
  const other = opened.get(id);
  if (other) return other;
  const open = { ...tool, codec, element, scenario: codec.scenarioOf(codec.presets[0]), unknown: [] };
  opened.set(id, open);
  wireTool(open);
  return open;
}

/** @param {string} hash */
async function open(hash) {
  const mine = (turn += 1);
  const named = toolOf(hash);
  if (named !== null && !TOOLS.some(({ id }) => id === named)) {
    showMissing(named);
    return;
  }
  const next = await toOpen(named ?? FIRST_TOOL).catch((error) => {
    notice(`This tool could not be loaded (${error}). Reload the page to try again.`);
    return null;
  });
  if (!next || mine !== turn) return;
  const { scenario, unknown, problems } = await decodeWith(next.codec, hash);
  if (mine !== turn) return;
  next.unknown = unknown;
  showProblems(problems);
  showTool(next);
  show(scenario);
  if (named === null) address.replace(await encoded());
}

/** @param {string} name */
function showMissing(name) {
  byId("missing").hidden = false;
  byId("missing-name").textContent = `“${name.slice(0, 60)}”`;
  // What was wrong with the address before is no longer there to be read.
  showProblems([]);
  for (const { element } of opened.values()) element.hidden = true;
}

/** @param {Open} tool */
function showTool(tool) {
  current = tool;
  byId("missing").hidden = true;
  for (const other of opened.values()) other.element.hidden = other !== tool;
  if (!tool.element.isConnected) byId("tool").append(tool.element);
  document.title = `${tool.name} · Weir`;
  document.querySelector("meta[name=description]")?.setAttribute("content", tool.description);
}

/** @param {any} next */
function show(next) {
  current.scenario = next;
  showHeader();
  current.element.scenario = next;
}

function encoded(of = current.scenario, { codec, unknown } = current) {
  return encodeWith(codec, of, unknown);
}

/**
 * @param {any} next
 * @param {boolean} settled
 */
function change(next, settled) {
  const tool = current;
  tool.scenario = next;
  // The address it moves to is the tool's.
  showTool(tool);
  showHeader();
  address.change(() => encoded(next, tool), settled);
}

/**
 * A change that the tool on show has not made itself.
 * @param {any} next
 */
function changeFromOutside(next) {
  change(next, true);
  current.element.scenario = next;
}

function showHeader() {
  const { flink, theme } = /** @type {Shared} */ (current.scenario);
  const shows = JSON.stringify([current.id, flink, theme, darkSystem.matches]);
  if (shows === headerOf) return;
  headerOf = shows;
  for (const input of document.querySelectorAll("input[name=flink]")) {
    const radio = /** @type {HTMLInputElement} */ (input);
    radio.checked = radio.value === flink;
  }
  /** @type {HTMLSelectElement} */ (byId("theme")).value = theme ?? "auto";
  if (theme) document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
  current.element.theme = theme ?? (darkSystem.matches ? "dark" : "light");
  paste.version = flink;
  showRail();
}

/** Version and theme go along to the other tools, which come back as they were left. */
async function showRail() {
  const { flink, theme } = /** @type {Shared} */ (current.scenario);
  const shown = [current.id, flink, theme].join(" ");
  if (shown === rail) return;
  rail = shown;
  for (const link of document.querySelectorAll(".rail a")) {
    const id = link.getAttribute("data-tool") ?? "";
    if (id === current.id) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
    const left = id === current.id ? undefined : opened.get(id);
    const hash = left
      ? await encoded({ ...left.scenario, flink, theme }, left)
      : await encodeWith({ ...BARE, tool: id }, { flink, theme, preset: "" });
    if (shown !== rail) return;
    link.setAttribute("href", hash);
  }
}

/** A tool's first preset, of which nothing is known but its place. @type {import("./codec.js").Codec<Shared, { id: string, title: string }>} */
const BARE = {
  tool: "",
  presets: [{ id: "", title: "" }],
  scenarioOf: () => ({ flink: "1.20", theme: null, preset: "" }),
  write: async () => [],
  read: async () => [],
};

/** @param {string[]} sentences */
function showProblems(sentences) {
  const box = byId("problems");
  box.hidden = sentences.length === 0;
  byId("problem-list").replaceChildren(...sentences.map((sentence) => h("li", null, sentence)));
}

/** @param {string} hash */
function fits(hash) {
  if (hash.length <= ADDRESS_CHARS_MAX) return true;
  notice(`These settings make an address of ${fileSize(hash.length)}; the limit is ${fileSize(ADDRESS_CHARS_MAX)}. Download them as a file instead.`);
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

/**
 * Pasted settings are the Memory tool's, whichever is on show.
 * @param {PasteUse} use
 */
async function usePasted({ entries, mode, limit, role, observed }) {
  const { flink, theme } = current.scenario;
  const memory = await toOpen("memory");
  const { scenario } = memory;
  const base = mode === "replace" ? {} : scenario.config;
  const config = withChanges(base, entries.map(({ key, value }) => /** @type {const} */ ([key, value])));
  showTool(memory);
  // What the text does not say stays as it is.
  changeFromOutside({ ...scenario, flink, theme, config, limit: limit ?? scenario.limit, role: role ?? scenario.role });
  /** @type {import("./memory/tool.js").MemoryTool} */ (memory.element).observed = observed;
}

function wireHeader() {
  for (const input of document.querySelectorAll("input[name=flink]")) {
    input.addEventListener("change", () => {
      const flink = /** @type {FlinkVersion} */ (/** @type {HTMLInputElement} */ (input).value);
      changeFromOutside({ ...current.scenario, flink });
    });
  }
  byId("theme").addEventListener("change", (event) => {
    const { value } = /** @type {HTMLSelectElement} */ (event.target);
    changeFromOutside({ ...current.scenario, theme: value === "auto" ? null : /** @type {ThemeChoice} */ (value) });
  });
  darkSystem.addEventListener("change", () => {
    showHeader();
    current.element.refresh();
  });
  document.querySelector(".skip")?.addEventListener("click", (event) => {
    // Its fragment would be taken for the address of a tool.
    event.preventDefault();
    current.element.focusAnswer();
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

/** A text can be dropped anywhere, and pasted anywhere outside a field: the tool on show looks first. */
function wirePaste() {
  paste.ask = ask;
  paste.readerOf = readerOf;
  document.body.append(paste);
  paste.addEventListener("use-settings", (event) => usePasted(/** @type {CustomEvent} */ (event).detail));
  document.addEventListener("paste", (event) => {
    const target = /** @type {Element} */ (event.target);
    if (target.closest("input, textarea, select, dialog")) return;
    const text = event.clipboardData?.getData("text/plain");
    if (text && !takeOwn(text)) paste.open(text);
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
    if (file) dropFile(file);
    else if (text && !takeOwn(text)) paste.open(text);
  });
}

/**
 * The tool that reads such a text itself: the one on show, or else any other.
 * @param {string} text
 * @returns {import("./tools.js").OwnTexts | null}
 */
function readerOf(text) {
  const { own } = current.element;
  if (own && own.recognise(text) !== null) return own;
  const tool = TOOLS.find(({ texts }) => texts && texts.recognise(text) !== null);
  if (!tool?.texts) return null;
  const { texts, id } = tool;
  return { ...texts, take: (/** @type {string} */ pasted) => takeElsewhere(id, pasted) };
}

/**
 * Opens the tool that reads such a text, as it was left.
 * @param {string} id
 * @param {string} text
 */
async function takeElsewhere(id, text) {
  const { flink, theme } = current.scenario;
  const tool = await toOpen(id).catch((error) => notice(`This tool could not be loaded (${error}). Reload the page to try again.`));
  if (!tool) return;
  showTool(tool);
  changeFromOutside({ ...tool.scenario, flink, theme });
  tool.element.own?.take(text);
}

/**
 * Whether a tool reads such texts itself; it has then taken it.
 * @param {string} text
 */
function takeOwn(text) {
  const reader = readerOf(text);
  reader?.take(text);
  return reader !== null;
}

/** @param {File} file */
async function dropFile(file) {
  const text = file.size <= DROPPED_BYTES_MAX ? await file.text() : null;
  if (text === null || !takeOwn(text)) paste.openFile(file);
}

function wireEngine() {
  const fault = byId("fault");
  /** @param {string} sentence */
  const say = (sentence) => {
    byId("fault-text").textContent = sentence;
    fault.hidden = false;
  };
  const sayDead = () => say(`The engine does not start in this browser (${engine.dead}). Reload the page to try again.`);
  /** Asked twice, and no more: what fails again would go on for ever. @type {unknown} */
  let askedAgain = null;
  engine.addEventListener("fault", (event) => {
    const { late } = /** @type {CustomEvent} */ (event).detail;
    say(`The engine ${late ? "did not answer" : "failed"} and was restarted. Your input is kept.`);
    if (askedAgain === current.scenario) return;
    askedAgain = current.scenario;
    current.element.refresh();
  });
  engine.addEventListener("dead", sayDead);
  engine.addEventListener("loading", showLoading);
  showLoading();
  // It started before anyone listened.
  if (engine.dead !== null) sayDead();
}

function showLoading() {
  clearTimeout(loadingTimer);
  const line = byId("loading");
  if (!engine.isLoading) line.hidden = true;
  else loadingTimer = window.setTimeout(() => (line.hidden = false), LOADING_MS);
}

/** @param {Open} tool */
function wireTool({ id, element }) {
  element.ask = ask;
  element.addEventListener("scenario-change", (event) => {
    const { detail } = /** @type {CustomEvent} */ (event);
    if (id === current.id) change(detail.scenario, detail.settled);
  });
  element.addEventListener("notice", (event) => notice(/** @type {CustomEvent} */ (event).detail.text));
  element.addEventListener("answered", () => {
    const fault = byId("fault");
    if (fault.hidden || engine.dead !== null) return;
    fault.hidden = true;
    notice(byId("fault-text").textContent ?? "");
  });
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

wireHeader();
wirePaste();
wireEngine();
await open(location.hash);
nameReleases();
keepOffline();
