/** Runs the tests of the service on PostgreSQL: `npm run test:postgres`. */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    name: 'server on PostgreSQL',
    include: ['test/{contract,model,security,server,statuses}/**/*.test.ts'],
    exclude: ['test/server/store/**', 'test/server/start/**'],
    setupFiles: ['test/setup.ts'],
    globalSetup: ['test/postgres/database.ts'],
    env: { IAM_TEST_STORE: 'postgres' },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    isolate: false,
  },
});
