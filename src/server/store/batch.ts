import { Layer } from './layer.ts';

/** Commits that are saved together. */
export class Batch {
  readonly overlay = new Layer('passing');
  readonly commits: Layer[] = [];
  readonly done: Promise<void>;
  readonly settle: { readonly resolve: () => void; readonly reject: (reason: Error) => void };

  constructor() {
    let settle: Batch['settle'] | undefined;
    this.done = new Promise<void>((resolve, reject) => {
      settle = { resolve, reject };
    });
    this.settle = settle as Batch['settle'];
    // Whoever waits for the batch hears of its failure; that nobody does is no fault of its own.
    this.done.catch(() => {});
  }

  add(commit: Layer): void {
    this.commits.push(commit);
    this.overlay.absorb(commit);
  }
}
