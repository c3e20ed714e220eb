import { defineConfig } from 'vitest/config';

/** What can only be told after all tests have run. */
export default defineConfig({ test: { include: ['test/statuses/*.check.ts'] } });
