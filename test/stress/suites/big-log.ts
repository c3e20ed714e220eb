/** A log segment over 2 GiB, which no single buffer holds, is written and read again. */
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { nodeDisk } from '../../../src/server/store/file/node-disk.ts';
import { group } from '../../server/store/rows.ts';
import { openStore } from '../../server/store/temp-store.ts';
import { withSeededBug } from '../seeded-bugs.ts';
import { runRounds, type Suite } from '../suite.ts';
import { withTempFolder } from '../temp-folder.ts';

const GIB = 1024 ** 3;
const ROLE_LENGTH = 8 * 1024 * 1024;

export const bigLog: Suite = {
  name: 'big-log',
  about: 'a log of more than 2 GiB, and no checkpoint after it: the next start reads it to its end',
  async run(budget) {
    const { findings } = await runRounds('big-log', { ...budget, count: 1 }, () =>
      withTempFolder(async (folder) => {
        const options = { disk: withSeededBug(nodeDisk, budget.seededBug) };
        const store = await openStore(folder, options);
        await store.transaction(({ groups }) => groups.insert(group('large')));
        let commits = 0;
        for (; (await stat(join(folder, 'journal.jsonl'))).size < 2.1 * GIB; commits += 1) {
          const roles = [String(commits).padEnd(ROLE_LENGTH, 'x')];
          await store.transaction(({ groups }) => groups.replace(group('large', { roles })));
        }
        await store.close();
        // Without the checkpoint of the stop, the next start needs the whole log.
        await rm(join(folder, 'iam.json'));
        const opened = await openStore(folder, options);
        const last = (await opened.groups.get('large'))?.roles[0]?.slice(0, 10);
        await opened.close();
        if (last !== String(commits - 1).padEnd(10, 'x')) throw new Error(`the last of ${commits} commits is ${last}`);
        budget.log(`${commits} commits`);
      }),
    );
    return findings;
  },
};
