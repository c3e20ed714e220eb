/** What groups and users of a made store are called, so that the driver can ask for them. All of one length: so are answers. */

export function groupIdOf(number: number): string {
  return number.toString(16).padStart(24, '0');
}

export function groupNameOf(number: number): string {
  return `group-${String(number).padStart(6, '0')}`;
}

/** Groups stand in chains of so many: each but the first of a chain depends on the one before. */
export const chainLength = 50;

/** The group that has the roles of its whole chain. */
export function chainHeadOf(chain: number): string {
  return groupIdOf(chain * chainLength + chainLength - 1);
}

/** As many as may come at once, and more: each with the one hash of the one password. */
export const userSetSize = 1_200;
export const userPassword = 'all of a crowd have the same one';

/** Kinds of users: with a hash as users have, with one that costs nothing, and at the head of a chain of groups. */
export type UserSet = 'users' | 'quick' | 'chained';

export function userIdOf(crowd: UserSet, number: number): string {
  return `${crowd}-${String(number).padStart(6, '0')}`;
}
