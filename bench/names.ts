/** Names of groups and users in a generated store. They have the same length, so that responses do, too. */

export function groupIdOf(number: number): string {
  return number.toString(16).padStart(24, '0');
}

export function groupNameOf(number: number): string {
  return `group-${String(number).padStart(6, '0')}`;
}

/** Members of the first group of the store `million`. */
export const largestGroupSize = 100_000;

/** Length of a chain of groups: each group except the first depends on the one before. */
export const chainLength = 50;

/** Returns the group that inherits the roles of its whole chain. */
export function chainHeadOf(chain: number): string {
  return groupIdOf(chain * chainLength + chainLength - 1);
}

/** Number of users per set: more than log in concurrently. All share one password and hash. */
export const userSetSize = 1_200;
export const userPassword = 'the password of all bench users';

/** Sets of users: with a real hash, with a fast hash, and with a fast hash and a group at the head of a chain. */
export type UserSet = 'users' | 'quick' | 'chained';

export function userIdOf(userSet: UserSet, number: number): string {
  return `${userSet}-${String(number).padStart(6, '0')}`;
}
