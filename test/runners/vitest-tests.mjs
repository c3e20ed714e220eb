/** For vitest: its default fake timers, in each environment. A file for each case imports this one. */
import { createRequire } from 'node:module';
import { afterEach, test, vi } from 'vitest';
import { callEverything } from './calls.cjs';

const require = createRequire(import.meta.url);

afterEach(() => void vi.useRealTimers());

export function testLibrary(kind, when) {
  const fakeAt = (moment) => when === moment && vi.useFakeTimers();
  test(`${kind}, fake timers ${when}`, { timeout: 60_000 }, async () => {
    fakeAt('before');
    const library = kind === 'import' ? await import('iam-standin') : require('iam-standin');
    fakeAt('between');
    await callEverything(library, () => fakeAt('after'));
  });
}
