// @ts-check
/**
 * Keeps the address in step with the scenario, so that Back is undo.
 *
 * The first change after a quiet time makes a new history entry; what follows rewrites that entry,
 * at most every 750 ms (Safari refuses more), until the reader pauses. The entry before a burst of
 * typing is never touched, so one step back restores what was there.
 */

const REWRITE_MS_MIN = 750;
const SETTLED_MS = 800;

export class Address {
  /** @type {(() => Promise<string>) | null} */
  #encode = null;
  #turn = 0;
  #open = false;
  #lastWrite = 0;
  #rewriteTimer = 0;
  #settleTimer = 0;
  /** The fragment written last. @type {string} */
  current = location.hash;

  /**
   * @param {object} listeners
   * @param {(hash: string) => void} listeners.restore  the reader went back, forward or edited the address
   * @param {(hash: string) => boolean} listeners.fits   whether the address may be written
   */
  constructor({ restore, fits }) {
    this.fits = fits;
    window.addEventListener("hashchange", () => {
      if (location.hash === this.current) return;
      this.#forget();
      this.current = location.hash;
      restore(location.hash);
    });
  }

  /**
   * @param {() => Promise<string>} encode  the fragment of the scenario as it is when written
   * @param {boolean} settled               false while the reader types or drags
   */
  async change(encode, settled) {
    if (settled) {
      await this.settle();
      this.#encode = encode;
      await this.settle();
      return;
    }
    this.#encode = encode;
    clearTimeout(this.#settleTimer);
    this.#settleTimer = window.setTimeout(() => this.settle(), SETTLED_MS);
    if (this.#rewriteTimer) return;
    const wait = this.#open ? Math.max(0, this.#lastWrite + REWRITE_MS_MIN - performance.now()) : 0;
    this.#rewriteTimer = window.setTimeout(() => {
      this.#rewriteTimer = 0;
      this.#write();
    }, wait);
  }

  /** Writes what is pending and closes the entry: the next change makes a new one. */
  async settle() {
    clearTimeout(this.#settleTimer);
    clearTimeout(this.#rewriteTimer);
    this.#rewriteTimer = 0;
    if (this.#encode) await this.#write();
    this.#open = false;
  }

  /**
   * Replaces the address without a history entry.
   * @param {string} hash
   */
  replace(hash) {
    this.current = hash;
    history.replaceState(null, "", hash);
  }

  #forget() {
    clearTimeout(this.#settleTimer);
    clearTimeout(this.#rewriteTimer);
    this.#rewriteTimer = 0;
    this.#encode = null;
    this.#open = false;
    this.#turn += 1;
  }

  async #write() {
    if (!this.#encode) return;
    const turn = (this.#turn += 1);
    const hash = await this.#encode();
    if (turn !== this.#turn || hash === this.current || !this.fits(hash)) return;
    this.current = hash;
    this.#lastWrite = performance.now();
    if (this.#open) history.replaceState(null, "", hash);
    else history.pushState(null, "", hash);
    this.#open = true;
  }
}
