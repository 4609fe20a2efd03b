// Searches in the module of the page: `{params}` in, `{value}` or `{error}` out.
import init, { TransactionSearch } from "../../weir_transactions.js";

/** States of one slice; of the size that the page comes to with slices of some 30 ms. */
const SLICE = 1 << 13;

const ready = init();

self.onmessage = async ({ data: { params } }) => {
  try {
    await ready;
    const start = performance.now();
    const created = TransactionSearch.create(params);
    if (!created.ok) throw new Error(created.error.message);
    const search = created.value;
    let known;
    do {
      known = search.advance(SLICE).value;
    } while (!known.done);
    const ms = performance.now() - start;
    const { isComplete, text } = search.report().value;
    search.free();
    if (!isComplete) throw new Error(`not all states were seen: ${text}`);
    const { generated, distinct, bytes } = known;
    self.postMessage({ value: { ms, generated, distinct, bytes } });
  } catch (error) {
    self.postMessage({ error: String(error) });
  }
};
