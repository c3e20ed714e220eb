/** Creates a store with many groups through the store engine: `node make-store.js FOLDER COUNT small|large|people|million`. */
import { systemClock } from '../src/server/lib/clock.ts';
import { systemRandom } from '../src/server/lib/random.ts';
import { openFileStore } from '../src/server/store/file/file-store.ts';
import { nodeDisk } from '../src/server/store/file/node-disk.ts';
import { openNodeProcesses } from '../src/server/store/file/node-processes.ts';
import type { Store } from '../src/server/store/store.ts';
import type { Group } from '../src/server/store/tables.ts';
import { insertUsers, linkGroup } from './make-users.ts';
import { groupIdOf, groupNameOf, largestGroupSize, userIdOf } from './names.ts';

const storeKinds = ['small', 'large', 'people', 'million'] as const;
type StoreKind = (typeof storeKinds)[number];

const rowsInTransaction = 1000;
const dependencyInterval = 10;

/** Creates a typical group: a few roles, some of them shared, and sometimes a dependency. */
function createGroup(number: number): Group {
  return {
    groupId: groupIdOf(number),
    groupName: groupNameOf(number),
    organizationId: `organization-${number % 50}`,
    roles: [`READ_${number % 300}`, `WRITE_${number % 200}`, 'EMPLOYEE'],
    dependencies: number % dependencyInterval === 9 ? [groupIdOf(number - 1)] : [],
    createdAt: systemClock.now().toISOString(),
  };
}

/** Adds users to the first group. The rows of the users are not needed: a deletion removes the memberships only. */
async function addMembers(store: Store): Promise<void> {
  for (let first = 0; first < largestGroupSize; first += rowsInTransaction) {
    await store.transaction(async ({ memberships }) => {
      for (let number = first; number < first + rowsInTransaction; number += 1)
        await memberships.insert({ groupId: groupIdOf(0), kind: 'user', memberId: userIdOf('users', number) });
    });
  }
}

async function makeStore(directory: string, count: number, kind: StoreKind): Promise<void> {
  const processes = await openNodeProcesses(process.pid, process.platform);
  const store = await openFileStore({ directory, disk: nodeDisk, clock: systemClock, random: systemRandom, processes });
  for (let first = 0; first < count; first += rowsInTransaction) {
    await store.transaction(async (tx) => {
      const last = Math.min(first + rowsInTransaction, count);
      for (let number = first; number < last; number += 1) {
        const group = createGroup(number);
        await tx.groups.insert(kind === 'people' ? linkGroup(group, number) : group);
      }
    });
  }
  if (kind === 'people') await insertUsers(store, count, systemClock.now().toISOString());
  if (kind === 'million') await addMembers(store);
  await store.close();
}

const [folder, count, kind] = process.argv.slice(2);
const knownKind = storeKinds.find((one) => one === kind);
if (folder === undefined || count === undefined || knownKind === undefined)
  throw new Error(`usage: make-store.js FOLDER COUNT ${storeKinds.join('|')}`);
await makeStore(folder, Number(count), knownKind);
