/** All numbers of the limits, in one table: `npm run generate` prints it in docs/security.md. */

import { settingsTable } from '../config/settings.ts';

const minute = 60_000;
const hour = 60 * minute;

export interface Limit {
  /** What is counted, and per what. */
  readonly counted: string;
  readonly max: number;
  readonly windowMs?: number;
  /** The setting that overrides `max`; 0 disables the limit. */
  readonly setting?: string;
  /** The response beyond the limit. */
  readonly beyond: string;
}

function settingOf({ name, default: max }: { readonly name: string; readonly default: number }) {
  return { max, setting: name };
}

export const limits = {
  growthPerNetwork: {
    counted: 'creations of unauthenticated callers, per network',
    ...settingOf(settingsTable.growthLimit),
    windowMs: hour,
    beyond: '429 `GROWTH_LIMIT`',
  },
  growthPerOwner: {
    counted: 'creations of a user without an administrative role or of its business, with all clients that it owns',
    ...settingOf(settingsTable.growthLimitOwner),
    windowMs: hour,
    beyond: '429 `GROWTH_LIMIT`',
  },
  growthOfOwnersPerNetwork: {
    counted: 'creations of all such owners, per network',
    ...settingOf(settingsTable.growthLimitOwners),
    windowMs: hour,
    beyond: '429 `GROWTH_LIMIT`',
  },
  renewalsPerSession: {
    counted: 'renewals and changes of the application that are no creations, per session',
    max: 60,
    windowMs: hour,
    beyond: 'further ones are creations',
  },
} as const satisfies Readonly<Record<string, Limit>>;

/** Keys that a table of counters holds; further ones share counters by hash, in fixed memory. */
export const maxCounters = 100_000;
