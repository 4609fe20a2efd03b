// @ts-check
/**
 * Runs the engine off the page. Knows no question: `{id, question, params}` calls the export of
 * that name. A throw is a fault of the engine, reported as such; the page then replaces the worker.
 */

/**
 * @typedef {Record<string, (params: unknown) => unknown>} Questions
 */

/** @type {Promise<Questions> | null} */
let engine = null;
/** @type {Promise<Questions> | null} */
let reader = null;

/** @param {WebAssembly.Module} module */
async function load(module) {
  const weir = await import(new URL("weir.js", import.meta.url).href);
  await weir.default({ module_or_path: module });
  return weir;
}

/** The module with the questions about whole texts, fetched when the first of them is asked. */
async function loadReader() {
  const weir = await import(new URL("weir_reader.js", import.meta.url).href);
  await weir.default();
  return weir;
}

/**
 * @param {Questions} questions
 * @param {string} question
 */
async function knowing(questions, question) {
  if (question in questions) return questions;
  reader ??= loadReader();
  return reader;
}

// Registered before anything is awaited: messages that come early wait in the queue.
self.onmessage = async ({ data }) => {
  try {
    if (data.module) {
      engine = load(data.module);
      await engine;
      self.postMessage({ ready: true });
    } else if (engine) {
      const questions = await knowing(await engine, data.question);
      self.postMessage({ id: data.id, answer: questions[data.question](data.params) });
    }
  } catch (error) {
    self.postMessage({ id: data.id, fault: String(error) });
  }
};
