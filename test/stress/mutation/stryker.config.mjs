import { chosenPart } from './targets.mjs';

const { name, mutate, excludedMutations } = chosenPart();

/** Mutants of one part; see docs/mutation.md. */
export default {
  mutate,
  mutator: { excludedMutations },
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'test/stress/mutation/vitest.config.mjs', related: false },
  coverageAnalysis: 'perTest',
  ignoreStatic: true,
  concurrency: 1,
  // High limits, so that a busy machine does not report slow mutants as timeouts.
  timeoutMS: 20_000,
  timeoutFactor: 3,
  // The sandbox resolves modules from the parent folder; types are not checked.
  tsconfigFile: 'none',
  disableTypeChecks: false,
  ignorePatterns: ['dist', 'docs', 'reports', '.stryker'],
  tempDirName: `.stryker/${name}`,
  incremental: true,
  incrementalFile: `reports/mutation/${name}-incremental.json`,
  reporters: ['progress-append-only', 'clear-text', 'json'],
  jsonReporter: { fileName: `reports/mutation/${name}.json` },
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
};
