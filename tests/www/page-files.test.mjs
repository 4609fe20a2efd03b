import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import path from "node:path";

const WWW = fileURLToPath(new URL("../../www/", import.meta.url));
const files = (await readdir(WWW, { recursive: true, withFileTypes: true }))
  .filter((entry) => entry.isFile())
  .map((entry) => path.relative(WWW, path.join(entry.parentPath ?? entry.path, entry.name)))
  .filter((name) => name !== "tsconfig.json");
const read = (name) => readFile(path.join(WWW, name), "utf8");

test("the offline copy has every file of the page", async () => {
  const listed = [...(await read("sw.js")).matchAll(/^ {2}"([^"]+)",$/gm)].map(([, name]) => name);
  const wanted = files.filter((name) => !["index.html", "sw.js"].includes(name));
  const modules = ["weir", "weir_checkpoints", "weir_event_time", "weir_later", "weir_transactions"];
  const built = ["./", ...modules.flatMap((name) => [`${name}.js`, `${name}_bg.wasm`])];
  assert.deepEqual([...listed].sort(), [...wanted, ...built].sort());
});

test("the build copies every file of the page", async () => {
  const html = await read("index.html");
  const copied = [...html.matchAll(/rel="(?:copy-file|copy-dir|css)" href="([^"]+)"/g)].map(([, name]) => name);
  for (const name of files.filter((file) => file !== "index.html")) {
    assert.ok(copied.includes(name) || copied.includes(name.split(path.sep)[0]), name);
  }
});

/** The modules a module needs, itself among them. */
async function graph(name, seen = new Set()) {
  if (seen.has(name)) return seen;
  seen.add(name);
  for (const [, from] of (await read(name)).matchAll(/^import (?:[^"]+ from )?"(\.[^"]+)";$/gm)) {
    await graph(path.join(path.dirname(name), from), seen);
  }
  return seen;
}

test("every module is asked for at once, and the engine before the rest", async () => {
  const html = await read("index.html");
  const asked = [...html.matchAll(/(?:rel="modulepreload" href|<script type="module" src)="([^"]+)"/g)].map(([, name]) => name);
  const needed = await graph("main.js");
  assert.ok(needed.size > 10);
  assert.deepEqual([...asked].sort(), [...needed].sort());
  const [first, second] = asked;
  assert.deepEqual(await graph("start.js"), new Set([second, first]), "the worker starts with these");
  assert.equal(asked.at(-1), "main.js");
  assert.ok(html.indexOf("weir_bg.wasm") < html.indexOf("modulepreload"), "the largest file first");
});

test("no markup strings, no inline script or style", async () => {
  for (const name of files.filter((file) => file.endsWith(".js"))) {
    assert.doesNotMatch(await read(name), /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function/, name);
  }
  const html = await read("index.html");
  assert.doesNotMatch(html, /\sstyle=|\son\w+=|<style/);
  assert.doesNotMatch(html, /<script(?![^>]*\ssrc=)/);
});

test("modules stay small", async () => {
  for (const name of files.filter((file) => /\.(js|css)$/.test(file))) {
    assert.ok((await read(name)).split("\n").length <= 600, name);
  }
});

test("each dark block of the palette is the same", async () => {
  const css = await read("tokens.css");
  const blocks = [...css.matchAll(/color-scheme: dark;\n([^}]*)}/g)].map(([, block]) => block.replace(/\s+/g, " ").trim());
  assert.equal(blocks.length, 2);
  assert.equal(blocks[0], blocks[1]);
});
