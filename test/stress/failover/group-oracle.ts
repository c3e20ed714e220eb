/**
 * The oracle of the failover suites: what each group may be after a failure. A group is changed by one writer, one
 * change at a time; after a change that was not acknowledged it stays as it is, so that its state shows what became of it.
 */
import type { Verdict } from './answer.ts';

/** The role of a group, which names its last change; undefined: no such group. */
export type GroupState = string | undefined;

interface GroupHistory {
  /** The states that are allowed. One, if the last change was acknowledged or refused. */
  possible: readonly GroupState[];
  /** States of refused changes, which must never be seen. */
  readonly refused: GroupState[];
  /** Counts the changes, also those under way. */
  changes: number;
  isChanging: boolean;
}

export interface OracleCounts {
  acknowledged: number;
  refused: number;
  /** OUTCOME_UNKNOWN. */
  unknownByServer: number;
  /** No answer of a server. */
  unknownByConnection: number;
  /** Changes of unknown outcome that were made, and that were not, as later verified. */
  unknownMade: number;
  unknownNotMade: number;
  lost: number;
  refusedButMade: number;
  wrongAnswers: number;
  reads: number;
  staleReads: number;
  /** Answered with 503. */
  refusedReads: number;
}

function emptyCounts(): OracleCounts {
  const zero = { acknowledged: 0, refused: 0, unknownByServer: 0, unknownByConnection: 0, unknownMade: 0 };
  return {
    ...zero,
    unknownNotMade: 0,
    lost: 0,
    refusedButMade: 0,
    wrongAnswers: 0,
    reads: 0,
    staleReads: 0,
    refusedReads: 0,
  };
}

const recentCount = 50;

export class GroupOracle {
  counts = emptyCounts();
  /** What must not be, in words. */
  problems: string[] = [];
  readonly #groups = new Map<string, GroupHistory>();
  readonly #recentNames: string[] = [];

  /** Notes a change that is sent now. @returns what to call with its verdict; that returns whether the group can be changed further */
  begin(name: string, next: GroupState): (verdict: Verdict) => boolean {
    const group = this.#groups.get(name) ?? { possible: [undefined], refused: [], changes: 0, isChanging: false };
    if (!this.#groups.has(name)) this.#remember(name);
    this.#groups.set(name, group);
    group.changes += 1;
    group.isChanging = true;
    return (verdict) => {
      group.isChanging = false;
      return this.#finish(name, group, next, verdict);
    };
  }

  #finish(name: string, group: GroupHistory, next: GroupState, verdict: Verdict): boolean {
    const { counts } = this;
    switch (verdict.kind) {
      case 'acknowledged':
        counts.acknowledged += 1;
        group.possible = [next];
        return true;
      case 'refused':
        counts.refused += 1;
        group.refused.push(next);
        return false;
      case 'unknown':
        counts[verdict.by === 'server' ? 'unknownByServer' : 'unknownByConnection'] += 1;
        group.possible = [...group.possible, next];
        return false;
      case 'wrong':
        counts.wrongAnswers += 1;
        this.problems.push(`the change of ${name} to ${format(next)} was answered with ${verdict.problem}`);
        group.possible = [...group.possible, next];
        return false;
    }
  }

  /** The names of the last groups. */
  get recentNames(): readonly string[] {
    return this.#recentNames;
  }

  #remember(name: string): void {
    this.#recentNames.push(name);
    if (this.#recentNames.length > recentCount) this.#recentNames.shift();
  }

  /** Notes a read that is sent now. @returns what to call with the state that was read */
  beginRead(name: string): (found: GroupState) => void {
    const group = this.#groups.get(name);
    const [changes, isSettled] = [group?.changes, group !== undefined && isCertain(group)];
    return (found) => {
      // A change that was sent meanwhile may be visible or not.
      if (!group || !isSettled || group.changes !== changes) return;
      this.counts.reads += 1;
      const [expected] = group.possible;
      if (found === expected) return;
      this.counts.staleReads += 1;
      this.problems.push(`a read of ${name} returned ${format(found)} instead of ${format(expected)}`);
    };
  }

  /** Compares all groups with what is stored, while nothing is changed. What is stored is certain from now on. */
  verify(found: ReadonlyMap<string, GroupState>): void {
    for (const name of found.keys())
      if (!this.#groups.has(name)) this.problems.push(`${name} exists, but nothing created it`);
    for (const [name, group] of this.#groups) this.#verifyGroup(name, group, found.get(name));
  }

  #verifyGroup(name: string, group: GroupHistory, found: GroupState): void {
    const [expected, ...others] = group.possible;
    if (!group.possible.includes(found)) {
      const isRefused = group.refused.includes(found);
      this.counts[isRefused ? 'refusedButMade' : 'lost'] += 1;
      const what = isRefused ? 'is the state of a refused change' : 'an acknowledged change is missing';
      this.problems.push(`${name} is ${format(found)}, allowed is ${group.possible.map(format).join(' or ')}: ${what}`);
    } else if (others.length > 0) this.counts[found === expected ? 'unknownNotMade' : 'unknownMade'] += 1;
    group.possible = [found];
  }
}

function isCertain({ possible, isChanging }: GroupHistory): boolean {
  return possible.length === 1 && !isChanging;
}

function format(state: GroupState): string {
  return state ?? 'absent';
}
