/** Timers in real time, injectable for tests. */
import { clearTimeout, setTimeout } from '../../lib/host.ts';
export interface Timer {
  /** Calls `work` once after a delay. @returns a function that cancels it. */
  after(milliseconds: number, work: () => void): () => void;
}

/** The timer of Node; it does not keep the process running. */
export const systemTimer: Timer = {
  after(milliseconds, work) {
    const timeout = setTimeout(work, milliseconds).unref();
    return () => clearTimeout(timeout);
  },
};
