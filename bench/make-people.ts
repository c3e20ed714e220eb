/** The store of people: groups in long chains, and users whose hashes and groups are what a figure needs. */
import { ownLane } from '../src/server/identity/hash-queue.ts';
import { createPasswords, hashPassword } from '../src/server/identity/passwords.ts';
import { claimSubject } from '../src/server/identity/subjects.ts';
import type { Store, Transaction } from '../src/server/store/store.ts';
import type { Group } from '../src/server/store/tables.ts';
import { type Crowd, chainHeadOf, chainLength, crowdPassword, crowdSize, groupIdOf, userIdOf } from './names.ts';

const rowsInTransaction = 300;

/** The same group as a link of its chain. The first chain makes its readers auditors, by its very end. */
export function linked(group: Group, number: number): Group {
  const isEnd = number % chainLength === 0;
  return {
    ...group,
    roles: number === 0 ? [...group.roles, 'IAM_ADMIN_READ_ONLY'] : group.roles,
    dependencies: isEnd ? [] : [groupIdOf(number - 1)],
  };
}

/** Puts all users into a store that has the groups already. */
export async function makePeople(store: Store, groups: number, createdAt: string): Promise<void> {
  const chains = groups / chainLength;
  const real = await hashPassword(crowdPassword);
  // As --fast-passwords makes them, checked in some microseconds: what remains of a login is all else that it does.
  const quick = await createPasswords({ run: (work) => work() }, { fast: true }).hash(crowdPassword, ownLane);
  const plainGroup = (number: number) => groupIdOf((number % chains) * chainLength);
  await makeCrowd(store, 'users', crowdSize, { passwordHash: real, createdAt, groupOf: plainGroup });
  await makeCrowd(store, 'quick', crowdSize, { passwordHash: quick, createdAt, groupOf: plainGroup });
  await makeCrowd(store, 'chained', chains, { passwordHash: quick, createdAt, groupOf: chainHeadOf });
}

interface CrowdParts {
  readonly passwordHash: string;
  readonly createdAt: string;
  groupOf(number: number): string;
}

async function makeCrowd(store: Store, crowd: Crowd, size: number, parts: CrowdParts): Promise<void> {
  for (let first = 0; first < size; first += rowsInTransaction) {
    await store.transaction(async (tx) => {
      const last = Math.min(first + rowsInTransaction, size);
      for (let number = first; number < last; number += 1) await makeUser(tx, crowd, number, parts);
    });
  }
}

async function makeUser(tx: Transaction, crowd: Crowd, number: number, parts: CrowdParts): Promise<void> {
  const userId = userIdOf(crowd, number);
  await claimSubject(tx, { subject: userId, kind: 'user', ownerId: userId });
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
