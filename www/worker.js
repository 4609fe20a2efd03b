// @ts-check
/**
 * Runs the engine off the page. Knows no question: `{id, question, params}` calls the export of
 * that name. A message holds several and is answered by one, in its order. A throw is a fault of
 * the engine, reported with the question's id; the page then replaces the worker.
 *
 * @typedef {Record<string, (params: unknown) => unknown>} Questions
 */

/** @type {Promise<Questions> | null} */
let engine = null;
/** @type {Promise<Questions> | null} */
let later = null;

// The engine's script is fetched while the page still compiles the wasm.
const script = import(new URL("weir.js", import.meta.url).href);

/** @param {WebAssembly.Module} module */
async function load(module) {
  const weir = await script;
  await weir.default({ module_or_path: module });
  return weir;
}

/** The module with the questions about whole texts, fetched when the first of them is asked. */
async function loadLater() {
  const weir = await import(new URL("weir_later.js", import.meta.url).href);
  await weir.default();
  return weir;
}

// Registered before anything is awaited: messages that come early wait in the queue.
self.onmessage = async ({ data }) => {
  /** @type {[number, unknown][]} */
  const answers = [];
  let asked;
  try {
    if (data.module) {
      engine = load(data.module);
      await engine;
      self.postMessage({ ready: true });
    } else if (engine) {
      const known = await engine;
      for (const { id, question, params } of data.questions) {
        asked = id;
        const questions = question in known ? known : await (later ??= loadLater());
        answers.push([id, questions[question](params)]);
      }
      self.postMessage({ answers });
    }
  } catch (error) {
    self.postMessage({ answers, fault: String(error), id: asked });
  }
};
