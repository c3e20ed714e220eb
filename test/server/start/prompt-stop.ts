/** Whether a stop waits for the end of its grace period. That takes longer here, so that no slow machine reaches it. */
import { expect, vi } from 'vitest';
import { stopTimeoutMs } from '../../../src/server/listen.ts';

/** Milliseconds. Shorter than the longest long poll, which would end first. */
const testGracePeriod = 30_000;

type SetTimeout = (work: () => void, milliseconds?: number, ...rest: unknown[]) => NodeJS.Timeout;

/** Stops a server of this process. @throws AssertionError if that waited for the end of the grace period */
export async function stopPromptly(server: AsyncDisposable): Promise<void> {
  const original = globalThis.setTimeout as SetTimeout;
  let isOver = false;
  const setLonger: SetTimeout = (work, milliseconds, ...rest) => {
    if (milliseconds !== stopTimeoutMs) return original(work, milliseconds, ...rest);
    return original(() => {
      isOver = true;
      work();
    }, testGracePeriod);
  };
  const spy = vi.spyOn(globalThis, 'setTimeout').mockImplementation(setLonger as typeof setTimeout);
  try {
    await server[Symbol.asyncDispose]();
  } finally {
    spy.mockRestore();
  }
  expect(isOver).toBe(false);
}
