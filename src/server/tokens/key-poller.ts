/** Reads the signing keys again that other servers on the same store may have created. */
import type { Stopwatch } from '../lib/stopwatch.ts';
import type { Timer } from '../lib/timer.ts';

/** Milliseconds between reads. */
const pollPause = 2_000;
/** Milliseconds. Anyone can send tokens with unknown key ids. */
const refreshPause = 1_000;
/** A server that has not read the keys for as long does not sign: its key may be retired, and expire too early. */
const maxAge = 30_000;

interface Deps {
  readonly timer: Timer;
  readonly stopwatch: Stopwatch;
  /** Runs it after other changes of the keys. */
  runSerially(work: () => Promise<void>): Promise<void>;
  readKeys(): Promise<void>;
}

export class KeyPoller {
  readonly #deps: Deps;
  #readAt: number;
  #refreshedAt = Number.NEGATIVE_INFINITY;
  /** The last read, if it failed. */
  #failed: { readonly begunAt: number; readonly error: unknown } | undefined;
  #cancelPoll = () => {};
  #isClosed = false;

  /** The keys were read just now. */
  constructor(deps: Deps) {
    this.#deps = deps;
    this.#readAt = deps.stopwatch.now();
    this.#schedule();
  }

  isOutdated(): boolean {
    return this.#deps.stopwatch.now() - this.#readAt > maxAge;
  }

  /** Reads the keys now, at most once a second. One read answers all that asked before it began. */
  refresh(): Promise<void> {
    const asked = this.#deps.stopwatch.now();
    return this.#deps.runSerially(async () => {
      if (this.#readAt >= asked || asked - this.#refreshedAt < refreshPause) return;
      if (this.#failed && this.#failed.begunAt >= asked) throw this.#failed.error;
      await this.#read();
      this.#refreshedAt = asked;
    });
  }

  /** The same if the last read succeeded. Never throws: what is known remains. */
  async tryRefresh(): Promise<void> {
    if (!this.#failed) await this.refresh().catch(() => undefined);
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelPoll();
  }

  #schedule(): void {
    if (this.#isClosed) return;
    const again = () => this.#schedule();
    this.#cancelPoll = this.#deps.timer.after(
      pollPause,
      () => void this.#deps.runSerially(() => this.#read()).then(again, again),
    );
  }

  async #read(): Promise<void> {
    const begunAt = this.#deps.stopwatch.now();
    try {
      await this.#deps.readKeys();
      this.#readAt = begunAt;
      this.#failed = undefined;
    } catch (error) {
      this.#failed = { begunAt, error };
      throw error;
    }
  }
}
