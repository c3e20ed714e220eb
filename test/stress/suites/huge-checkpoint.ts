/** A checkpoint over 3 GiB, which no single buffer holds, is written, read again and verified. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { getHeapStatistics } from 'node:v8';
import { nodeDisk } from '../../../src/server/store/file/node-disk.ts';
import type { Store } from '../../../src/server/store/store.ts';
import { group } from '../../server/store/rows.ts';
import { openStore } from '../../server/store/temp-store.ts';
import { withSeededBug } from '../seeded-bugs.ts';
import { runRounds, type Suite } from '../suite.ts';
import { withTempFolder } from '../temp-folder.ts';

const GIB = 1024 ** 3;
const ROLE_LENGTH = 8 * 1024 * 1024;
const ROWS = 400;
const MIN_HEAP = 7 * GIB;

export const hugeCheckpoint: Suite = {
  name: 'huge-checkpoint',
  about:
    'a checkpoint of more than 3 GiB is written, read again and equal; needs NODE_OPTIONS=--max-old-space-size=8192',
  isOnDemand: true,
  async run(budget) {
    const { findings } = await runRounds('huge-checkpoint', { ...budget, count: 1 }, () =>
      withTempFolder(async (folder) => {
        if (getHeapStatistics().heap_size_limit < MIN_HEAP) throw new Error('The heap is limited to less than 7 GiB.');
        const options = { disk: withSeededBug(nodeDisk, budget.seededBug) };
        const store = await openStore(folder, options);
        for (let row = 0; row < ROWS; row += 1)
          await store.transaction(({ groups }) => groups.insert(group(nameOf(row), { roles: [roleOf(row)] })));
        await store.checkpoint();
        const { size } = await stat(join(folder, 'iam.json'));
        if (size < 3 * GIB) throw new Error(`The checkpoint has ${size} bytes only.`);
        await store.close();
        const opened = await openStore(folder, options);
        await assertRows(opened);
        // Written again from the rows that were read.
        await opened.transaction(({ groups }) => groups.insert(group('last')));
        await opened.checkpoint();
        await opened.close();
        budget.log(`${ROWS} rows, ${(size / GIB).toFixed(2)} GiB`);
      }),
    );
    return findings;
  },
};

function nameOf(row: number): string {
  return `n${String(row).padStart(4, '0')}`;
}

function roleOf(row: number): string {
  return String(row).padEnd(ROLE_LENGTH, 'x');
}

/** @throws Error if a row differs from the one that was written */
async function assertRows({ groups }: Store): Promise<void> {
  if ((await groups.count()) !== ROWS) throw new Error(`${await groups.count()} of ${ROWS} rows were read.`);
  for (let row = 0; row < ROWS; row += 1) {
    const read = await groups.get(nameOf(row));
    if (read?.roles[0] !== roleOf(row)) throw new Error(`The row ${row} differs.`);
  }
}
