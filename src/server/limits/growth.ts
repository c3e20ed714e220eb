/**
 * Growth limits: bound how fast callers that anyone can become grow the store. A creation is a request that inserts rows;
 * it counts for the network of an unauthenticated caller, or for the owner of the caller and for all owners of its network.
 */
import { retryLater } from '../../contract/errors.ts';
import type { Clock } from '../lib/clock.ts';
import { Counters } from './counters.ts';
import { fixedWindow } from './rules.ts';
import { limits } from './table.ts';

/** Who a creation counts for. */
export interface Creator {
  readonly network: string;
  /** The user, business or client that owns the caller; undefined for an unauthenticated caller. */
  readonly owner?: string | undefined;
}

export interface GrowthLimits {
  /**
   * Counts one creation. @returns a function that undoes the count, for a request that created nothing.
   * @throws IamError GROWTH_LIMIT with Retry-After.
   */
  reserve(creator: Creator): () => void;
  /**
   * Counts a renewal of a session.
   * @param user whose sessions have a limit together: a user, or the owner of a client
   * @returns whether it is no creation: there were few within the hour.
   */
  addRenewal(sessionId: string, user: string): boolean;
  /** Resets the creations of an owner. */
  clearOwner(owner: string): void;
  /** Resets all counts, after the counted rows were deleted. */
  clear(): void;
}

/** For a server without limits: counts nothing. */
export const noGrowthLimits: GrowthLimits = {
  reserve: () => () => undefined,
  addRenewal: () => true,
  clearOwner: () => undefined,
  clear: () => undefined,
};

/** Creations per hour; 0 disables a limit. */
export interface GrowthMaxima {
  readonly network: number;
  readonly owner: number;
  readonly ownersOfNetwork: number;
}

const causes: Readonly<Record<keyof GrowthMaxima, { readonly setting: string; readonly text: string }>> = {
  network: {
    setting: limits.growthPerNetwork.setting,
    text: 'Unauthenticated callers from this network created too many objects within an hour',
  },
  owner: {
    setting: limits.growthPerOwner.setting,
    text: 'This user, or the owner of this client, created too many objects within an hour, with all clients that it owns',
  },
  ownersOfNetwork: {
    setting: limits.growthOfOwnersPerNetwork.setting,
    text: 'The users and clients of this network created too many objects within an hour',
  },
};

export function createGrowthLimits(clock: Clock, maxima: GrowthMaxima, capacity?: number): GrowthLimits {
  const now = () => clock.now().getTime();
  const createCounters = (max: number) =>
    new Counters(fixedWindow({ max, windowMs: limits.growthPerNetwork.windowMs }), now, capacity);
  const counters = {
    network: createCounters(maxima.network),
    owner: createCounters(maxima.owner),
    ownersOfNetwork: createCounters(maxima.ownersOfNetwork),
  };
  const renewalsOfSession = new Counters(fixedWindow(limits.renewalsPerSession), now, capacity);
  const renewalsOfUser = new Counters(fixedWindow(limits.renewalsPerUser), now, capacity);

  function listBudgets({ network, owner }: Creator) {
    const budgets =
      owner === undefined
        ? [{ name: 'network', subject: network } as const]
        : [{ name: 'owner', subject: owner } as const, { name: 'ownersOfNetwork', subject: network } as const];
    return budgets.filter(({ name }) => maxima[name] > 0);
  }

  return {
    reserve(creator) {
      const budgets = listBudgets(creator);
      for (const { name, subject } of budgets) {
        const { left, retryAfterMs } = counters[name].remaining({ subject });
        if (left <= 0) throw createLimitError(name, retryAfterMs, creator);
      }
      const undos = budgets.map(({ name, subject }) => counters[name].reserve({ subject }));
      return () => {
        for (const undo of undos) undo();
      };
    },
    addRenewal(sessionId, user) {
      const counts = [
        { counter: renewalsOfSession, key: { subject: sessionId } },
        { counter: renewalsOfUser, key: { subject: user } },
      ];
      if (counts.some(({ counter, key }) => counter.remaining(key).left <= 0)) return false;
      for (const { counter, key } of counts) counter.add(key);
      return true;
    },
    clearOwner: (owner) => counters.owner.clearSubject(owner),
    clear() {
      for (const one of [...Object.values(counters), renewalsOfSession, renewalsOfUser]) one.clearAll();
    },
  };
}

function createLimitError(name: keyof GrowthMaxima, retryAfterMs: number, { network, owner }: Creator) {
  const { setting, text } = causes[name];
  return retryLater('GROWTH_LIMIT', Math.ceil(retryAfterMs / 1000), {
    message: `${text} (setting ${setting}).`,
    details: { setting },
  }).withReason({ text: `The limit of the setting ${setting} is reached for ${name === 'owner' ? owner : network}.` });
}
