/** The store of people: groups in long chains, and users whose hashes and groups are what a figure needs. */
import { internalLane } from '../src/server/identity/hash-queue.ts';
import { createPasswords, hashPassword } from '../src/server/identity/passwords.ts';
import { reserveSubjectId } from '../src/server/identity/subject-ids.ts';
import type { Store, Transaction } from '../src/server/store/store.ts';
import type { Group } from '../src/server/store/tables.ts';
import { chainHeadOf, chainLength, groupIdOf, type UserSet, userIdOf, userPassword, userSetSize } from './names.ts';

const rowsInTransaction = 300;

/** The same group as a link of its chain. The first chain makes its readers auditors, by its very end. */
export function linkGroup(group: Group, number: number): Group {
  const isEnd = number % chainLength === 0;
  return {
    ...group,
    roles: number === 0 ? [...group.roles, 'IAM_ADMIN_READ_ONLY'] : group.roles,
    dependencies: isEnd ? [] : [groupIdOf(number - 1)],
  };
}

/** Puts all users into a store that has the groups already. */
export async function insertUsers(store: Store, groups: number, createdAt: string): Promise<void> {
  const chains = groups / chainLength;
  const real = await hashPassword(userPassword);
  // As --fast-passwords makes them, checked in some microseconds: what remains of a login is all else that it does.
  const quick = await createPasswords({ run: (work) => work() }, { fast: true }).hash(userPassword, internalLane);
  const plainGroup = (number: number) => groupIdOf((number % chains) * chainLength);
  await insertUserSet(store, 'users', userSetSize, { passwordHash: real, createdAt, groupOf: plainGroup });
  await insertUserSet(store, 'quick', userSetSize, { passwordHash: quick, createdAt, groupOf: plainGroup });
  await insertUserSet(store, 'chained', chains, { passwordHash: quick, createdAt, groupOf: chainHeadOf });
}

interface UserSetOptions {
  readonly passwordHash: string;
  readonly createdAt: string;
  groupOf(number: number): string;
}

async function insertUserSet(store: Store, crowd: UserSet, size: number, parts: UserSetOptions): Promise<void> {
  for (let first = 0; first < size; first += rowsInTransaction) {
    await store.transaction(async (tx) => {
      const last = Math.min(first + rowsInTransaction, size);
      for (let number = first; number < last; number += 1) await insertUser(tx, crowd, number, parts);
    });
  }
}

async function insertUser(tx: Transaction, crowd: UserSet, number: number, parts: UserSetOptions): Promise<void> {
  const userId = userIdOf(crowd, number);
  await reserveSubjectId(tx, { subject: userId, kind: 'user', ownerId: userId });
  await tx.users.insert({
    userId,
    userName: userId,
    passwordHash: parts.passwordHash,
    userEmail: `${userId}@example.com`,
    emailVerified: true,
    mobileVerified: false,
    lead: false,
    locked: false,
    identities: [],
    createdAt: parts.createdAt,
  });
  await tx.memberships.insert({ groupId: parts.groupOf(number), kind: 'user', memberId: userId });
}
