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
  // Whoever else uses the machine must not make a mutant look like one that never ends.
  timeoutMS: 20_000,
  timeoutFactor: 3,
  // The sandbox takes its modules from the folder above; there is nothing to be checked of types.
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
