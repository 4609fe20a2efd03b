// Minifies the scripts and styles of a built studio in place, each for itself: modules stay modules,
// and import each other by the names they have.
// Usage: node minify.mjs FOLDER
import { readdir } from "node:fs/promises";
import path from "node:path";
import { build } from "esbuild";

const [folder] = process.argv.slice(2);
const names = await readdir(folder, { recursive: true });

await build({
  entryPoints: names.filter((name) => /\.(?:js|css)$/.test(name)).map((name) => path.join(folder, name)),
  outdir: folder,
  outbase: folder,
  allowOverwrite: true,
  bundle: false,
  minify: true,
  format: "esm",
  // What stands in www/ is what browsers are asked for: nothing is rewritten for older ones.
  target: "esnext",
  logLevel: "warning",
});
