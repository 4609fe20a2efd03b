// @ts-check
/**
 * Offline after the first visit: the network first, so that a new release shows at once, and the
 * copy when there is no network. Same origin, GET only.
 */

const CACHE = "weir-1";
/** Everything the page is made of; a test compares the list with the folder. */
const FILES = [
  "./",
  "address.js",
  "checkpoint-parts.css",
  "checkpoints.css",
  "checkpoints/answer.js",
  "checkpoints/codec.js",
  "checkpoints/compare.js",
  "checkpoints/define.js",
  "checkpoints/export.js",
  "checkpoints/facts.js",
  "checkpoints/failure.js",
  "checkpoints/fields.js",
  "checkpoints/form.js",
  "checkpoints/from.js",
  "checkpoints/graph-editor.js",
  "checkpoints/graph-params.js",
  "checkpoints/graph.js",
  "checkpoints/import/define.js",
  "checkpoints/import/element.js",
  "checkpoints/import/view.js",
  "checkpoints/params.js",
  "checkpoints/pinned.js",
  "checkpoints/presets.js",
  "checkpoints/promise.js",
  "checkpoints/reader.js",
  "checkpoints/rows.js",
  "checkpoints/run-bar.js",
  "checkpoints/run.js",
  "checkpoints/series.js",
  "checkpoints/stepper/codec.js",
  "checkpoints/stepper/define.js",
  "checkpoints/stepper/element.js",
  "checkpoints/stepper/view.js",
  "checkpoints/steps.js",
  "checkpoints/tables.js",
  "checkpoints/texts-of.js",
  "checkpoints/texts.js",
  "checkpoints/tool.js",
  "checkpoints/views.js",
  "checkpoints/why.js",
  "checkpoints/worker.js",
  "clipboard.js",
  "codec.js",
  "dom.js",
  "download.js",
  "elements/code-row.js",
  "elements/component-table.js",
  "elements/controls-sheet.js",
  "elements/copy-button.js",
  "elements/define.js",
  "elements/export-bar.js",
  "elements/field-input.js",
  "elements/field-slider.js",
  "elements/finding-list.js",
  "elements/paste-dialog.js",
  "elements/naming.js",
  "elements/option-field.js",
  "elements/player-bar.js",
  "elements/preset-picker.js",
  "elements/step-list.js",
  "elements/svg-chart.js",
  "elements/virtual-table.js",
  "engine-run.js",
  "engine.js",
  "event-streams.css",
  "event-time.css",
  "event-time/answer.js",
  "event-time/by-hand/address.js",
  "event-time/by-hand/script.js",
  "event-time/by-hand/trace.js",
  "event-time/by-hand/values.js",
  "event-time/code.js",
  "event-time/codec.js",
  "event-time/compare.js",
  "event-time/csv.js",
  "event-time/define.js",
  "event-time/events.js",
  "event-time/export.js",
  "event-time/fields.js",
  "event-time/form.js",
  "event-time/kept.js",
  "event-time/lanes.js",
  "event-time/log.js",
  "event-time/moment.js",
  "event-time/moves.js",
  "event-time/params.js",
  "event-time/presets.js",
  "event-time/results.js",
  "event-time/run.js",
  "event-time/save.js",
  "event-time/signals.js",
  "event-time/streams/bound.js",
  "event-time/streams/compare.js",
  "event-time/streams/fields.js",
  "event-time/streams/form.js",
  "event-time/streams/host.js",
  "event-time/streams/log.js",
  "event-time/streams/panel.js",
  "event-time/streams/params.js",
  "event-time/streams/pinned.js",
  "event-time/streams/presets.js",
  "event-time/streams/run.js",
  "event-time/streams/side.js",
  "event-time/streams/why.js",
  "event-time/streams/worker.js",
  "event-time/time.js",
  "event-time/tool.js",
  "event-time/why.js",
  "event-time/words.js",
  "event-time/worker.js",
  "event-time/zone.js",
  "exactly-once.css",
  "exactly-once/answer.js",
  "exactly-once/barriers.js",
  "exactly-once/bounds.js",
  "exactly-once/classic-run.js",
  "exactly-once/codec.js",
  "exactly-once/config.js",
  "exactly-once/define.js",
  "exactly-once/durations.js",
  "exactly-once/explore.js",
  "exactly-once/export.js",
  "exactly-once/fault-kinds.js",
  "exactly-once/faults.js",
  "exactly-once/fields.js",
  "exactly-once/form.js",
  "exactly-once/machine.js",
  "exactly-once/params.js",
  "exactly-once/presets.js",
  "exactly-once/read.js",
  "exactly-once/tables.js",
  "exactly-once/texts.js",
  "exactly-once/tool.js",
  "exactly-once/worker.js",
  "format.js",
  "icon.svg",
  "main.js",
  "memory/answer.js",
  "memory/compare.js",
  "memory/export.js",
  "memory/exporter.js",
  "memory/failure.js",
  "memory/form-feed.js",
  "memory/form.js",
  "memory/panel-host.js",
  "memory/panel-tabs.js",
  "memory/picker.js",
  "memory/slider.js",
  "memory/tool.js",
  "next-task.js",
  "panels.css",
  "panels/against.js",
  "panels/assumptions.js",
  "panels/backends.js",
  "panels/define.js",
  "panels/field.js",
  "panels/heap.js",
  "panels/limits.js",
  "panels/local.js",
  "panels/network.js",
  "panels/panels.js",
  "panels/parts.js",
  "panels/questions.js",
  "panels/rocksdb.js",
  "panels/slots.js",
  "panels/ttl.js",
  "panels/view.js",
  "patch.js",
  "presets.js",
  "start.js",
  "state.js",
  "style.css",
  "tokens.css",
  "tools.js",
  "weir.js",
  "weir_bg.wasm",
  "weir_checkpoints.js",
  "weir_checkpoints_bg.wasm",
  "weir_event_time.js",
  "weir_event_time_bg.wasm",
  "weir_later.js",
  "weir_later_bg.wasm",
  "weir_transactions.js",
  "weir_transactions_bg.wasm",
  "worker.js",
];

/**
 * @typedef {Event & { waitUntil(work: Promise<unknown>): void, respondWith(answer: Promise<Response>): void, request: Request }} WorkerEvent
 * @typedef {{ skipWaiting(): Promise<void>, clients: { claim(): Promise<void> },
 *   addEventListener(type: string, listener: (event: WorkerEvent) => void): void }} ServiceWorkerScope
 */

const scope = /** @type {ServiceWorkerScope} */ (/** @type {unknown} */ (self));

scope.addEventListener("install", (event) => event.waitUntil(install()));
scope.addEventListener("activate", (event) => event.waitUntil(activate()));
scope.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method === "GET" && new URL(request.url).origin === self.location.origin) {
    event.respondWith(networkFirst(request));
  }
});

async function install() {
  const cache = await caches.open(CACHE);
  await cache.addAll(FILES);
  await scope.skipWaiting();
}

async function activate() {
  for (const name of await caches.keys()) {
    if (name.startsWith("weir-") && name !== CACHE) await caches.delete(name);
  }
  await scope.clients.claim();
}

/** @param {Request} request */
async function networkFirst(request) {
  const cache = await caches.open(CACHE);
  try {
    const answer = await fetch(request);
    if (answer.ok && answer.type === "basic") await cache.put(request, answer.clone());
    return answer;
  } catch (error) {
    const copy = await cache.match(request, { ignoreSearch: true });
    if (copy) return copy;
    throw error;
  }
}
