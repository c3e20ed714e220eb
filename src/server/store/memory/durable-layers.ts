/** The durable rows of a store: overlays that are merged in slices, so that neither reads nor commits wait for it. */
import { runInSlices } from '../../lib/event-loop-turns.ts';
import { LARGE_OVERLAY } from './batch.ts';
import { mergeInSlices } from './merge-in-slices.ts';
import { Overlay } from './overlay.ts';

/** Overlays up to this many rows are merged in one step. */
const SMALL_OVERLAY = 20;

export class DurableLayers {
  /** Topmost first. What is in them does not change, but for the topmost, and for the lower one of two that are merged. */
  readonly overlays: Overlay[];
  /** Set while large batches are merged into the overlay below them. */
  #merging: Promise<void> | undefined;
  /** Of freezes and forks, one at a time. */
  #queue: Promise<unknown> = Promise.resolve();

  /** @param base an owned base, or shared overlays (topmost first) that no longer change. */
  constructor(base: Overlay | readonly Overlay[]) {
    this.overlays = base instanceof Overlay ? [base] : [new Overlay('overlay'), ...base];
  }

  get merging(): Promise<void> | undefined {
    return this.#merging;
  }

  /** Adds the rows of a batch. They are visible at once; those of a large one are merged afterwards, which nothing waits for. */
  add(batch: readonly Overlay[]): void {
    const [top] = this.overlays as [Overlay];
    if (batch.every(({ size }) => size <= LARGE_OVERLAY)) {
      for (const overlay of [...batch].reverse()) top.merge(overlay);
      return;
    }
    this.overlays.unshift(new Overlay('overlay'), ...batch);
    // A merge in progress may have found nothing more to do.
    const merging = (this.#merging ?? Promise.resolve())
      .then(() => this.#mergeAbove(top))
      .finally(() => {
        if (this.#merging === merging) this.#merging = undefined;
      });
    this.#merging = merging;
  }

  /** Runs work with nothing else frozen, and nothing merged at its start. */
  runAlone<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#queue.then(work);
    this.#queue = turn.catch(() => {});
    return turn;
  }

  /** @returns the overlays of now, topmost first, which change no more until `thaw`. Call it in `runAlone`. */
  freeze(): readonly Overlay[] {
    if (this.#merging !== undefined) throw new Error('The store is being merged.');
    const frozen = [...this.overlays];
    this.overlays.unshift(new Overlay('overlay'));
    return frozen;
  }

  /** Merges the changes since `freeze` into the topmost frozen overlay, in slices. */
  async thaw([lower]: readonly Overlay[]): Promise<void> {
    if (lower !== undefined) await this.#mergeAbove(lower, () => this.#merging);
  }

  /** Shares the overlays with forks, permanently: this store continues in an overlay above. */
  share(): Promise<readonly Overlay[]> {
    return this.runAlone(async () => {
      while (this.#merging !== undefined) await this.#merging;
      if (!this.overlays[0]?.empty) this.overlays.unshift(new Overlay('overlay'));
      return this.overlays.slice(1);
    });
  }

  /** Merges all overlays above this one into it: what is added meanwhile too, in rounds that become shorter. */
  async #mergeAbove(lower: Overlay, others?: () => Promise<void> | undefined): Promise<void> {
    for (;;) {
      // A large batch changes the overlay to merge.
      for (let other = others?.(); other !== undefined; other = others?.()) await other;
      const at = this.overlays.indexOf(lower) - 1;
      const upper = this.overlays[at];
      if (upper === undefined) return;
      if (at === 0 && upper.size <= SMALL_OVERLAY) {
        lower.merge(upper);
        this.overlays.shift();
        return;
      }
      // New batches go to another overlay, so that this one does not change.
      if (at === 0) this.overlays.unshift(new Overlay('overlay'));
      await runInSlices(mergeInSlices(lower, upper));
      this.overlays.splice(this.overlays.indexOf(upper), 1);
    }
  }
}
