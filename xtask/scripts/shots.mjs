// Screenshots of every tool and preset, light and dark, at three widths, for the eye to check.
// Usage: node shots.mjs FOLDER [PRESET,...], with WEIR_URL and CHROME in the environment.
import path from "node:path";
import { URL_OF_STUDIO, settled, withBrowser } from "./browser.mjs";

const WIDTHS = [390, 768, 1440];
const HEIGHT = 900;
const THEMES = ["light", "dark"];
/** An input that cannot be read: each tool's error state. */
const ERROR_STATES = { memory: "v=1&taskmanager.memory.process.size=1.5g", checkpoints: "v=1&interval=soon", "event-time": "v=1&bound=much", "exactly-once": "v=1&intervalMs=soon" };

const [folder, only] = process.argv.slice(2);
const wanted = only ? only.split(",") : null;

await withBrowser(async (browser) => {
  const complaints = [];
  let taken = 0;
  for (const { name, address } of await scenes(browser)) {
    for (const theme of THEMES) {
      for (const width of WIDTHS) {
        const context = await browser.newContext({ viewport: { width, height: HEIGHT }, colorScheme: theme });
        const page = await context.newPage();
        const file = `${name}-${width}-${theme}.png`;
        page.on("pageerror", (error) => complaints.push(`${file}: ${error}`));
        page.on("console", (message) => message.type() === "error" && complaints.push(`${file}: ${message.text()}`));
        await page.goto(`${URL_OF_STUDIO}${address}&theme=${theme}`);
        await settled(page);
        await page.screenshot({ path: path.join(folder, file), fullPage: true });
        await context.close();
        taken += 1;
      }
    }
    console.log(name);
  }
  console.log(`${taken} screenshots in ${folder}`);
  for (const complaint of complaints) console.error(complaint);
  process.exitCode = complaints.length > 0 ? 1 : 0;
});

/** What is photographed: each preset of each tool, and each tool's error state. */
async function scenes(browser) {
  const page = await browser.newPage();
  await page.goto(URL_OF_STUDIO);
  const presets = await page.evaluate(async () => {
    const { TOOLS } = await import(new URL("tools.js", location.href).href);
    const opened = await Promise.all(TOOLS.map(async (tool) => [tool.id, (await tool.open()).codec.presets]));
    return opened.map(([tool, list]) => [tool, list.map(({ id }) => id)]);
  });
  await page.close();
  const all = presets.flatMap(([tool, ids]) => [
    ...ids.map((id) => ({ id, name: `${tool}-${id}`, address: `#/${tool}?v=1&preset=${id}` })),
    { id: "error", name: `${tool}-error`, address: `#/${tool}?${ERROR_STATES[tool]}` },
  ]);
  const chosen = all.filter(({ id }) => !wanted || wanted.includes(id));
  if (chosen.length === 0) throw new Error(`no preset is called ${only}`);
  return chosen;
}
