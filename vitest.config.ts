import { defineConfig } from 'vitest/config';
import { effort, isFullRun } from './test/effort.ts';

const endToEnd = 'test/e2e/**/*.test.ts';
/** Needs an executable: `npm run test:executable`. */
const onExecutable = 'test/e2e/delivery/executable.test.ts';
const inBrowser = 'packages/console/test/**/*.test.ts';
/** The store, and one race over two servers; the other files only in a full run. */
const onPostgres = isFullRun
  ? ['test/postgres/**/*.test.ts']
  : ['test/postgres/store.test.ts', 'test/postgres/replicas/races.test.ts'];

export default defineConfig({
  test: {
    setupFiles: ['test/setup.ts'],
    // They only end what hangs: no test may fail because the machine is slow.
    testTimeout: 120_000 * effort,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 15_000 } },
    maxWorkers: 2,
    // Loading the sources afresh for each file took a third of the time. No test leaves anything behind.
    isolate: false,
    projects: [
      {
        extends: true,
        test: { name: 'source', include: ['test/**/*.test.ts'], exclude: [endToEnd, inBrowser, 'test/postgres/**'] },
      },
      {
        extends: true,
        test: {
          name: 'package',
          include: [endToEnd],
          exclude: [onExecutable],
          globalSetup: ['test/e2e/package/install.ts'],
        },
      },
      { extends: true, test: { name: 'postgres', include: onPostgres, globalSetup: ['test/postgres/database.ts'] } },
      {
        extends: true,
        test: {
          name: 'console',
          include: [inBrowser],
          globalSetup: ['packages/console/test/chromium.ts'],
        },
      },
    ],
  },
});
