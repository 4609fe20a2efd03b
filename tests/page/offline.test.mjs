import { test } from "node:test";
import { answered, field, serve, studio, waitForBytes } from "./support.mjs";

const { visit } = studio();

test("the second visit works without the network", async () => {
  const server = await serve();
  // The browser reports each refused connection; that is the point here.
  await visit({ url: server.url, allow: /ERR_CONNECTION_REFUSED|ERR_FAILED|Failed to load resource/ }, async (page) => {
    await answered(page);
    await page.evaluate(() => navigator.serviceWorker.ready);
    await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
    await server.close();
    await page.reload();
    await answered(page);
    await field(page, "taskmanager.memory.process.size").fill("2g");
    await waitForBytes(page, "totalProcess", 2 * 1024 ** 3);
  });
});
