import { defineConfig } from 'vitest/config';
import { chosenPart } from './targets.mjs';

/** The tests of one part, and no others. */
export default defineConfig({
  test: {
    include: chosenPart().tests,
    setupFiles: ['test/setup.ts', 'test/stress/mutation/setup.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    isolate: false,
  },
});
