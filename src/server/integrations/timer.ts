/** Waiting in real time, so that tests can do without. */
export interface Timer {
  /** Calls `work` once, so many milliseconds later. @returns what calls it off. */
  after(milliseconds: number, work: () => void): () => void;
}

/** Keeps no process running. */
export const systemTimer: Timer = {
  after(milliseconds, work) {
    const timeout = setTimeout(work, milliseconds).unref();
    return () => clearTimeout(timeout);
  },
};
