import { defineConfig } from 'vitest/config';
import { chosenPart } from './targets.mjs';

/** Runs only the tests of the selected part. */
export default defineConfig({
  test: {
    include: chosenPart().tests,
    setupFiles: ['test/setup.ts', 'test/stress/mutation/setup.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    isolate: false,
  },
});
