// @ts-check
/**
 * Runs the engine off the page. Knows no question: `{id, question, params}` calls the export of
 * that name, and `module/name` that of a module which is fetched when it is first named. A message
 * holds several and is answered by one, in its order. A throw is a fault of the engine, reported
 * with the question's id; the page then replaces the worker. Long runs have a script of their own.
 *
 * @typedef {Record<string, (params: unknown) => unknown>} Questions
 * @typedef {{ receive(message: any, fetched: (module: string) => Promise<Record<string, any>>): Promise<void> }} Runs
 */

/** @type {Promise<Questions> | null} */
let engine = null;
/** The modules beside the first, by name. @type {Map<string, Promise<Questions>>} */
const modules = new Map();
/** The scripts that drive long runs, by the tool they belong to. @type {Map<string, Promise<Runs>>} */
const runs = new Map();

// The engine's script is fetched while the page still compiles the wasm.
const script = import(new URL("weir.js", import.meta.url).href);

/** @param {WebAssembly.Module} module */
async function load(module) {
  const weir = await script;
  await weir.default({ module_or_path: module });
  return weir;
}

/**
 * A module beside the first, fetched when it is first needed.
 * @param {string} name
 * @returns {Promise<Questions>}
 */
function fetched(name) {
  let module = modules.get(name);
  if (!module) {
    module = fetchModule(name);
    modules.set(name, module);
  }
  return module;
}

/** @param {string} name */
async function fetchModule(name) {
  // A slow line is no slow answer: the page waits longer meanwhile, and says for what.
  self.postMessage({ fetching: true });
  try {
    const weir = await import(new URL(`weir_${name}.js`, import.meta.url).href);
    await weir.default();
    return weir;
  } finally {
    self.postMessage({ fetching: false });
  }
}

/** @param {string} tool */
function runsOf(tool) {
  let script = runs.get(tool);
  if (!script) {
    script = /** @type {Promise<Runs>} */ (import(new URL(`${tool}/worker.js`, import.meta.url).href));
    runs.set(tool, script);
  }
  return script;
}

/**
 * Calls the export that a question names.
 * @param {Questions} known
 * @param {string} question
 * @param {unknown} params
 */
async function ask(known, question, params) {
  const [module, name] = question.includes("/") ? question.split("/") : ["later", question];
  const questions = name in known ? known : await fetched(module);
  return questions[name](params);
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
    } else if (data.run) {
      (await runsOf(data.run.tool ?? "event-time")).receive(data.run, fetched);
    } else if (engine) {
      const known = await engine;
      for (const { id, question, params } of data.questions) {
        asked = id;
        answers.push([id, await ask(known, question, params)]);
      }
      self.postMessage({ answers });
    }
  } catch (error) {
    self.postMessage({ answers, fault: String(error), id: asked });
  }
};
