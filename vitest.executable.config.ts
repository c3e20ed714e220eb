import { defineConfig } from 'vitest/config';

/** The tests that run the command as a process, for an executable (`npm run test:executable`). */
export default defineConfig({
  test: {
    setupFiles: ['test/setup.ts'],
    // They only end what hangs: no test may fail because the machine is slow.
    testTimeout: 120_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 15_000 } },
    maxWorkers: 2,
    isolate: false,
    include: ['test/e2e/**/*.test.ts'],
    // About the package and the library.
    exclude: ['test/e2e/package/**'],
  },
});
