/** The order of the test files: a slow file that starts last keeps one worker busy while the other has nothing to do. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { BaseSequencer, type TestSpecification, type Vitest } from 'vitest/node';

/** Where files take ten seconds and more: they start processes, browsers and databases. */
const slowFolders = [
  // Its breakpoints search the heap, which grows with each file.
  'test/conformance/docs',
  'test/stress',
  'packages/console/test',
  'test/e2e',
  'test/postgres',
  'test/security',
];

/** Within both groups vitest's order: the longest first, by the last run, or by size if there was none. */
export class SlowFoldersFirst extends BaseSequencer {
  readonly #folders: readonly string[];

  /** @throws Error if a folder has moved */
  constructor(vitest: Vitest) {
    super(vitest);
    this.#folders = slowFolders.map((folder) => path.join(vitest.config.root, folder, path.sep));
    const missing = this.#folders.filter((folder) => !existsSync(folder));
    if (missing.length > 0) throw new Error(`the order of the tests names folders that do not exist: ${missing}`);
  }

  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isSlow = ({ moduleId }: TestSpecification) => this.#folders.some((folder) => moduleId.startsWith(folder));
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))];
  }
}
