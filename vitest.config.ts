import { defineConfig } from 'vitest/config';
import { effort, isFullRun } from './test/effort.ts';
import { SlowFoldersFirst } from './test/resources/slow-folders-first.ts';

const endToEnd = 'test/e2e/**/*.test.ts';
/** About the package and the library; the others run any command. */
const ofPackage = 'test/e2e/package/**';
/** Need packages of their own: `npm run test:full -- relying-parties`. */
const relyingParties = 'test/relying-parties/*.test.ts';
/** Needs an executable: `npm run test:executable`. */
const ofExecutable = 'test/e2e/delivery/executable.test.ts';

/** Only in a full run. Else the tables, the suite of the store, and one race over two servers. */
const longOnPostgres = [
  'test/postgres/!(store).test.ts',
  'test/postgres/replicas/!(races).test.ts',
  'test/postgres/statements/!(schema).test.ts',
];

/**
 * Only in a full run. Else what protects the console, each page once, and what a person does first: a browser takes seconds
 * for each of the others.
 */
const longInConsole = [
  'packages/console/test/!(attacks|first-tasks|frame|pages|shown-text|state).test.ts',
  'packages/console/test/{groups,organizations}/*.test.ts',
];

const service = {
  include: ['test/{contract,model,security,server,statuses}/**/*.test.ts'],
  exclude: ['test/server/store/**', 'test/server/start/**'],
};

/** What runs unless `--project` names others. */
const selected = { project: ['source'] };

export default defineConfig({
  test: {
    ...selected,
    globalSetup: ['test/resources/server.ts'],
    setupFiles: ['test/setup.ts'],
    // They only end what hangs: no test may fail because the machine is slow.
    testTimeout: 120_000 * effort,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 15_000 } },
    maxWorkers: 2,
    // Loading the sources afresh for each file took a third of the time. No test leaves anything behind.
    isolate: false,
    sequence: { sequencer: SlowFoldersFirst },
    // By content and lock file. The next run of a file takes half the processor time.
    experimental: { fsModuleCache: true },
    // Each has workers of its own, which load the sources once more.
    projects: [
      // The tests of `npm test`.
      {
        extends: true,
        test: {
          name: 'source',
          include: ['test/**/*.test.ts', 'packages/*/test/**/*.test.ts'],
          exclude: [ofExecutable, relyingParties, ...(isFullRun ? [] : [...longOnPostgres, ...longInConsole])],
        },
      },
      // What only shows after all of them have run.
      { extends: true, test: { name: 'statuses', include: ['test/statuses/*.check.ts'] } },
      // The executable of IAM_TEST_COMMAND.
      { extends: true, test: { name: 'executable', include: [endToEnd], exclude: [ofPackage] } },
      // The same service with another store. With `twice`, each transaction runs twice, and the first run is undone, as
      // PostgreSQL does after a conflict.
      { extends: true, test: { ...service, name: 'postgres', env: { IAM_TEST_STORE: 'postgres' } } },
      {
        extends: true,
        test: {
          name: 'postgres-processes',
          include: [endToEnd],
          exclude: [ofPackage, ofExecutable],
          env: { IAM_TEST_STORE: 'postgres', IAM_TEST_COMMAND: 'built' },
        },
      },
      { extends: true, test: { name: 'relying-parties', include: [relyingParties] } },
      { extends: true, test: { ...service, name: 'twice', env: { IAM_TEST_STORE: 'twice' } } },
    ],
  },
});
