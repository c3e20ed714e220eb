import { Overlay } from './overlay.ts';

/** Overlays with more rows are merged in slices, or not at all: one step would block the event loop. */
export const LARGE_OVERLAY = 500;

/** Commits that are saved together (group commit). */
export class Batch {
  /** The rows of all commits, topmost first: a large commit is an overlay of its own, the others share one. */
  readonly overlays: Overlay[] = [];
  readonly commits: Overlay[] = [];
  readonly done: Promise<void>;
  readonly settle: { readonly resolve: () => void; readonly reject: (reason: Error) => void };
  /** The topmost overlay, unless it is a large commit, which must not change. */
  #shared: Overlay | undefined;

  constructor() {
    let settle: Batch['settle'] | undefined;
    this.done = new Promise<void>((resolve, reject) => {
      settle = { resolve, reject };
    });
    this.settle = settle as Batch['settle'];
    // Waiters receive the rejection; without waiters it must not count as unhandled.
    this.done.catch(() => {});
  }

  add(commit: Overlay): void {
    this.commits.push(commit);
    if (commit.size > LARGE_OVERLAY) {
      this.overlays.unshift(commit);
      this.#shared = undefined;
      return;
    }
    if (this.#shared === undefined) {
      this.#shared = new Overlay('transient');
      this.overlays.unshift(this.#shared);
    }
    this.#shared.merge(commit);
  }
}
