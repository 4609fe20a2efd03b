// The build minifies each script and style by itself: what a module offers and what it asks for
// keeps its name, or the service worker, the preloads and the tests would look for what is not there.
import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { DIST, answered, studio } from "./support.mjs";

const { visit } = studio();
const WWW = fileURLToPath(new URL("../../www", import.meta.url));
const names = (await readdir(WWW, { recursive: true })).filter((name) => /\.(?:js|css)$/.test(name));

/** The names a written module exports; all of ours are declared where they are exported. */
function exportsOf(source) {
  const declared = [...source.matchAll(/^export (?:async )?(?:const|let|class|function\*?) (\w+)/gm)].map(([, name]) => name);
  const listed = [...source.matchAll(/^export \{([^}]*)\}/gm)].flatMap(([, list]) => list.split(",").map((name) => name.trim()));
  return [...declared, ...listed].sort();
}

/** The same of a minified module, which lists them in one place. */
function exportsOfMinified(text) {
  const list = /export\{([^}]*)\};?\s*$/.exec(text)?.[1] ?? "";
  return list.split(",").filter(Boolean).map((name) => name.split(" as ").at(-1)).sort();
}

/** The paths a module imports, at once or later. */
function importsOf(source) {
  const paths = [...source.matchAll(/(?:^import\b[^"';]*|\bfrom|\bimport\(?)\s*"(\.[^"]+)"/gm)].map(([, name]) => name);
  return [...new Set(paths)].sort();
}

/** Comments hold imports of types, which are none. */
const uncommented = (source) => source.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");

test("every script and style of the studio is minified, module by module", async () => {
  assert.ok(names.length > 40);
  let exported = 0;
  for (const name of names) {
    const [source, built] = await Promise.all([WWW, DIST].map((folder) => readFile(path.join(folder, name), "utf8")));
    assert.ok(built.length < source.length, `${name} is not smaller than what is written`);
    // Line breaks inside a template are part of a text.
    const lines = built.replace(/`[^`]*`/g, "``").trimEnd().split("\n");
    assert.ok(!built.includes("/**") && lines.length <= 3, `${name} is not minified`);
    if (name.endsWith(".css")) continue;
    assert.deepEqual(exportsOfMinified(built), exportsOf(source), name);
    assert.deepEqual(importsOf(built), importsOf(uncommented(source)), name);
    exported += exportsOf(source).length;
  }
  assert.ok(exported > 80, "the names are found at all");
});

test("the minified service worker keeps what it was given to keep", () =>
  visit({}, async (page) => {
    await answered(page);
    await page.evaluate(() => navigator.serviceWorker.ready);
    const kept = await page.evaluate(async () => {
      const requests = await (await caches.open("weir-1")).keys();
      const root = new URL("./", location.href).href;
      return requests.map(({ url }) => url.replace(root, ""));
    });
    for (const name of names) if (name !== "sw.js") assert.ok(kept.includes(name), `${name} is not kept`);
  }));
