/**
 * What Stryker's own setup means to do in `afterAll`, and can't under vitest 4.1, which hands another first argument to
 * that hook: without it nobody learns which test reaches which mutant, and every mutant runs all tests.
 */
import { afterAll, beforeEach, inject, type RunnerTestFile } from 'vitest';

interface Instrumentation {
  activeMutant?: string | undefined;
  hitCount?: number;
  mutantCoverage?: object;
}

// Stryker provides these; they are in no type of the project.
const given = inject as unknown as (name: string) => string;
const instrumentation = (globalThis as unknown as Record<string, Instrumentation | undefined>)[
  given('globalNamespace')
];
let file: RunnerTestFile | undefined;

// Files share a process: what is loaded now is loaded as it is, and mutated only once the tests begin.
if (instrumentation && given('mutantActivation') === 'runtime') instrumentation.activeMutant = undefined;

beforeEach(({ task }) => {
  file = task.file;
});

afterAll(() => {
  if (!file || !instrumentation) return;
  const { mutantCoverage, hitCount } = instrumentation;
  Object.assign(file.meta, given('mode') === 'mutant' ? { hitCount } : { mutantCoverage });
});
