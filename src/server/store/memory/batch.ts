import { Overlay } from './overlay.ts';

/** Commits that are saved together (group commit). */
export class Batch {
  readonly overlay = new Overlay('transient');
  readonly commits: Overlay[] = [];
  readonly done: Promise<void>;
  readonly settle: { readonly resolve: () => void; readonly reject: (reason: Error) => void };

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
    this.overlay.merge(commit);
  }
}
