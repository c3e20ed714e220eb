/** All numbers of the limits, in one table: `npm run generate` prints it in docs/security.md. */

import { remoteSessionsPerUser, settingsTable } from '../config/settings.ts';

const minute = 60_000;
const hour = 60 * minute;

export interface Limit {
  /** What is counted, and per what. */
  readonly counted: string;
  readonly max: number;
  readonly windowMs?: number;
  /** The delay beyond the limit: the first one, and the longest that it doubles to. */
  readonly firstDelayMs?: number;
  readonly maxDelayMs?: number;
  /** One is regained after each window; else all of a window stop counting at its end. */
  readonly isRegained?: true;
  /** The setting that overrides `max`; 0 disables the limit. */
  readonly setting?: string;
  /** The response beyond the limit. */
  readonly beyond: string;
}

function settingOf({ name, default: max }: { readonly name: string; readonly default: number }) {
  return { max, setting: name };
}

export const limits = {
  loginFailuresPerSource: {
    counted: 'wrong passwords for one typed name, per source',
    max: 10,
    windowMs: 15 * minute,
    firstDelayMs: minute / 2,
    maxDelayMs: 15 * minute,
    beyond: '429 `TOO_MANY_ATTEMPTS` for 30 seconds, doubling with each further one to 15 minutes',
  },
  loginFailuresPerName: {
    counted: 'wrong passwords for one typed name, from all sources',
    max: 100,
    windowMs: 15 * minute,
    isRegained: true,
    beyond: '429 `TOO_MANY_ATTEMPTS` but for known sources and devices',
  },
  failingNamesPerSource: {
    counted: 'typed names with wrong passwords, per source',
    max: 1000,
    windowMs: 15 * minute,
    beyond: '429 `TOO_MANY_ATTEMPTS` for further names; loopback is exempt',
  },
  clientSecretFailures: {
    counted: 'wrong client secrets, per source',
    max: 1000,
    windowMs: 15 * minute,
    beyond: '429 `TOO_MANY_ATTEMPTS` for wrong secrets; loopback is exempt',
  },
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
  renewalsPerUser: {
    counted: 'the same for all sessions of a user, or of the clients of an owner',
    max: 1000,
    windowMs: hour,
    beyond: 'further ones are creations',
  },
  sessionsPerUser: {
    counted: 'sessions of a user, or of a mainframe logon without one, with one client; none without `--allow-remote`',
    max: remoteSessionsPerUser,
    setting: 'sessions-per-user',
    beyond: 'one more ends the oldest',
  },
  ownSessionsPerClient: {
    counted: 'sessions of a third-party client itself',
    max: 1000,
    beyond: 'one more ends the oldest',
  },
  rotationsPerSession: {
    counted: 'uses of refresh tokens, per session; every ten minutes for 90 days are 12,960',
    max: 20_000,
    beyond: 'one more ends the session',
  },
  waitingHashes: {
    counted: 'waiting password hashes, of all sources',
    max: 400,
    beyond: '503 `TOO_BUSY` for the newest of the source with the most',
  },
  waitingStates: {
    counted:
      'waiting imports, exports and comparisons of the whole state, of the server and all sandboxes; one runs at a time',
    max: 16,
    beyond:
      '503 `TOO_MANY_REQUESTS_WAITING` for the newest of the sandboxes, if they have more, of the sandbox and the source with the most',
  },
  sandboxBodies: {
    counted: 'imports to sandboxes whose bodies are received at the same time; a service receives one',
    max: 4,
    beyond: 'wait, as above',
  },
  requestsPerTurn: {
    counted: 'requests that one event-loop turn admits',
    max: 32,
    beyond: 'wait for the next turn, round robin by source',
  },
  slowRequestsPerTurn: {
    counted: 'requests that hash passwords and that one event-loop turn admits besides',
    max: 8,
    beyond: 'wait for the next turn, round robin by source',
  },
  pipelinedRequests: {
    counted: 'pipelined requests, per connection',
    max: 63,
    beyond: 'the connection is closed',
  },
  wrongCodesPerSource: {
    counted: 'wrong one-time codes for one user and purpose, per source',
    max: 5,
    windowMs: hour,
    beyond: '429 `CODE_FAILURES`',
  },
  wrongCodesPerUser: {
    counted: 'wrong one-time codes for one user and purpose, of all sources',
    max: 20,
    windowMs: hour,
    beyond:
      '429 `CODE_FAILURES`, except for known sources and devices and, if the code is no second factor, for the code that a source requested',
  },
  wrongCodesPerNetwork: {
    counted: 'wrong one-time codes for all users and purposes, per network that is not known for the user',
    max: 50,
    windowMs: hour,
    beyond: '429 `CODE_FAILURES`',
  },
  wrongCodesPerSite: {
    counted: 'the same per IPv6 /48',
    max: 500,
    windowMs: hour,
    beyond: '429 `CODE_FAILURES`',
  },
  wrongCodesPerClient: {
    counted: 'the same per authenticated client that sends no header `ip`',
    max: 1000,
    windowMs: hour,
    beyond: '429 `CODE_FAILURES`',
  },
  codesPerSource: {
    counted: 'codes to one contact or for one requested name, per source',
    max: 5,
    windowMs: hour,
    beyond: '429 `TOO_MANY_CODES`',
  },
  codesPerContact: {
    counted: 'codes to one contact or for one requested name, of all sources',
    max: 20,
    windowMs: hour,
    beyond: '429 `TOO_MANY_CODES`, except for known sources and devices',
  },
  unverifiedCodesPerUser: {
    counted: 'codes to contacts that a user has not verified, per user, except on loopback',
    max: 20,
    windowMs: 24 * hour,
    beyond: '429 `TOO_MANY_CODES`',
  },
} as const satisfies Readonly<Record<string, Limit>>;

/** Keys that a table of counters holds; further ones share counters by hash, in fixed memory. */
export const maxCounters = 100_000;
