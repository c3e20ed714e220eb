/** The store `people`: groups in long chains, and users with the hashes and groups that the figures need. */

import { reserveSubjectId } from '../src/server/directory/subject-ids.ts';
import { internalFlow } from '../src/server/limits/hash-queue.ts';
import type { Store, Transaction } from '../src/server/store/store.ts';
import type { Group } from '../src/server/store/tables.ts';
import { createPasswords, hashPassword } from '../src/server/users/passwords.ts';
import { chainHeadOf, chainLength, groupIdOf, type UserSet, userIdOf, userPassword, userSetSize } from './names.ts';

const rowsInTransaction = 300;

/** Returns the group as a link of its chain. The last group of the first chain grants IAM_ADMIN_READ_ONLY. */
export function linkGroup(group: Group, number: number): Group {
  const isEnd = number % chainLength === 0;
  return {
    ...group,
    roles: number === 0 ? [...group.roles, 'IAM_ADMIN_READ_ONLY'] : group.roles,
    dependencies: isEnd ? [] : [groupIdOf(number - 1)],
  };
}

/** Inserts all users into a store that already has the groups. */
export async function insertUsers(store: Store, groups: number, createdAt: string): Promise<void> {
  const chains = groups / chainLength;
  const slow = await hashPassword(userPassword);
  // Fast hashes (--fast-passwords) take microseconds, so these logins measure everything except the hash.
  const quick = await createPasswords({ run: (work) => work() }, { fast: true }).hash(userPassword, internalFlow);
  const plainGroup = (number: number) => groupIdOf((number % chains) * chainLength);
  await insertUserSet(store, 'users', userSetSize, { passwordHash: slow, createdAt, groupOf: plainGroup });
  await insertUserSet(store, 'quick', userSetSize, { passwordHash: quick, createdAt, groupOf: plainGroup });
  await insertUserSet(store, 'chained', chains, { passwordHash: quick, createdAt, groupOf: chainHeadOf });
}

interface UserSetOptions {
  readonly passwordHash: string;
  readonly createdAt: string;
  groupOf(number: number): string;
}

async function insertUserSet(store: Store, userSet: UserSet, size: number, options: UserSetOptions): Promise<void> {
  for (let first = 0; first < size; first += rowsInTransaction) {
    await store.transaction(async (tx) => {
      const last = Math.min(first + rowsInTransaction, size);
      for (let number = first; number < last; number += 1) await insertUser(tx, userSet, number, options);
    });
  }
}

async function insertUser(tx: Transaction, userSet: UserSet, number: number, options: UserSetOptions): Promise<void> {
  const userId = userIdOf(userSet, number);
  await reserveSubjectId(tx, { subject: userId, kind: 'user', ownerId: userId });
  await tx.users.insert({
    userId,
    userName: userId,
    passwordHash: options.passwordHash,
    userEmail: `${userId}@example.com`,
    emailVerified: true,
    mobileVerified: false,
    lead: false,
    locked: false,
    identities: [],
    createdAt: options.createdAt,
  });
  await tx.memberships.insert({ groupId: options.groupOf(number), kind: 'user', memberId: userId });
}
