/**
 * Reports the coverage of mutants per test. Stryker's own `afterAll` hook fails under vitest 4.1, which passes another
 * first argument to it; without coverage every mutant would run all tests.
 */
import { afterAll, beforeEach, inject, type RunnerTestFile } from 'vitest';

interface Instrumentation {
  activeMutant?: string | undefined;
  hitCount?: number;
  mutantCoverage?: object;
}

// Stryker provides these values; the project's types do not declare them.
const provided = inject as unknown as (name: string) => string;
const instrumentation = (globalThis as unknown as Record<string, Instrumentation | undefined>)[
  provided('globalNamespace')
];
let file: RunnerTestFile | undefined;

// Files share a process: modules load unmutated, and the mutant becomes active when the tests start.
if (instrumentation && provided('mutantActivation') === 'runtime') instrumentation.activeMutant = undefined;

beforeEach(({ task }) => {
  file = task.file;
});

afterAll(() => {
  if (!file || !instrumentation) return;
  const { mutantCoverage, hitCount } = instrumentation;
  Object.assign(file.meta, provided('mode') === 'mutant' ? { hitCount } : { mutantCoverage });
});
