/** Runs the tests of the service with other stores: `npm run test:postgres`, and `npm run test:twice`. */
import { defineConfig } from 'vitest/config';
import { effort } from './test/effort.ts';

const service = {
  include: ['test/{contract,model,security,server,statuses}/**/*.test.ts'],
  exclude: ['test/server/store/**', 'test/server/start/**'],
};

export default defineConfig({
  test: {
    setupFiles: ['test/setup.ts'],
    // They only end what hangs: no test may fail because the machine is slow.
    testTimeout: 120_000 * effort,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 15_000 } },
    maxWorkers: 2,
    isolate: false,
    projects: [
      {
        extends: true,
        test: {
          ...service,
          name: 'postgres',
          globalSetup: ['test/postgres/database.ts'],
          env: { IAM_TEST_STORE: 'postgres' },
        },
      },
      {
        extends: true,
        test: {
          name: 'postgres-processes',
          include: ['test/e2e/**/*.test.ts'],
          exclude: ['test/e2e/package/**'],
          globalSetup: ['test/e2e/package/install.ts', 'test/postgres/database.ts'],
          env: { IAM_TEST_STORE: 'postgres' },
        },
      },
      // Each transaction runs twice, and the first run is undone, as PostgreSQL does after a conflict.
      { extends: true, test: { ...service, name: 'twice', env: { IAM_TEST_STORE: 'twice' } } },
    ],
  },
});
