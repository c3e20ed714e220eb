/** A seed document in the making, and what of the other service could not be converted. */

import { formatPath } from '../../../contract/errors.ts';
import { isBuiltInGroup } from '../../../contract/roles.ts';
import { foldIdentifier } from '../../../lib/fold-identifier.ts';
import { openMemoryStore } from '../../store/memory/memory-store.ts';
import { applySeed } from '../apply.ts';
import { SeedError } from '../error.ts';
import type { SeedIssue } from '../issues.ts';
import { type SeedClient, SeedDocument, type SeedGroup, type SeedUser } from '../schema.ts';

/** Why something of the source is not in the seed, or is changed in it. */
export interface ImportNote {
  readonly kind: string;
  /** The name in the source. */
  readonly name: string;
  readonly reason: string;
}

export interface ImportResult {
  readonly seed: { clients: SeedClient[]; users: SeedUser[]; groups: SeedGroup[] };
  readonly leftOut: readonly ImportNote[];
  readonly changed: readonly ImportNote[];
}

/** Groups are last: they refer to the others. */
const sections = ['clients', 'users', 'groups'] as const;
type Section = (typeof sections)[number];
type Entry = SeedClient | SeedUser | SeedGroup;

/** The file is not an export of the other service. The message names the place. */
export class ConversionError extends Error {
  override readonly name = 'ConversionError';
}

export class ConvertedSeed {
  readonly clients: SeedClient[] = [];
  readonly users: SeedUser[] = [];
  readonly groups: SeedGroup[] = [];
  readonly #leftOut: ImportNote[] = [];
  readonly #changed: ImportNote[] = [];

  leaveOut(kind: string, name: string, reason: string): void {
    this.#leftOut.push({ kind, name, reason });
  }

  change(kind: string, name: string, reason: string): void {
    this.#changed.push({ kind, name, reason });
  }

  /** The e-mail address for the entry of a user: one in a seed counts as verified, so others are left out. */
  takeEmail(user: string, userEmail: string | undefined, isVerified: boolean): Pick<SeedUser, 'userEmail'> {
    if (userEmail === undefined) return {};
    if (isVerified) return { userEmail };
    this.leaveOut('e-mail address', user, 'is not verified');
    return {};
  }

  /** Leaves out what the service would reject, with all references to it. */
  async finish(): Promise<ImportResult> {
    this.#keep('groups', ({ groupName }) =>
      isBuiltInGroup(groupName) ? 'the service has a group of this name' : undefined,
    );
    this.#dropDuplicates('users', ({ userName, userEmail }) => [userName, userEmail], 'name or e-mail address');
    this.#dropDuplicates('groups', ({ groupName }) => [groupName], 'name');
    this.#dropDuplicates('clients', ({ clientId }) => [clientId], 'name');
    for (const section of sections) {
      const issues = await this.#findInvalid();
      this.#dropEntries(section, issues);
      this.#dropReferences();
    }
    await this.#dropRejected();
    const { clients, users, groups } = this;
    return { seed: { clients, users, groups }, leftOut: this.#leftOut, changed: this.#changesOfKept() };
  }

  #dropDuplicates<Name extends Section>(
    section: Name,
    namesOf: (entry: ConvertedSeed[Name][number]) => readonly (string | undefined)[],
    kindOfName: string,
  ): void {
    const seen = new Set<string>();
    this.#keep(section, (entry) => {
      const names = namesOf(entry).flatMap((name) => (name === undefined ? [] : [foldIdentifier(name)]));
      if (names.some((name) => seen.has(name))) return `another one has this ${kindOfName}`;
      for (const name of names) seen.add(name);
      return undefined;
    });
  }

  async #findInvalid(): Promise<readonly SeedIssue[]> {
    const { clients, users, groups } = this;
    return (await SeedDocument.safeParseAsync({ clients, users, groups })).error?.issues ?? [];
  }

  /** Applies the seed to an empty store until it is accepted: not every rule of the service is part of the schema. */
  async #dropRejected(): Promise<void> {
    for (let issues = await this.#findRejected(); issues.length > 0; issues = await this.#findRejected()) {
      const before = this.#leftOut.length;
      for (const section of sections) this.#dropEntries(section, issues);
      // Otherwise the next attempt would end in the same way.
      if (this.#leftOut.length === before)
        throw new ConversionError(`the service would reject the seed: ${issues[0]?.message}`);
      this.#dropReferences();
    }
  }

  async #findRejected(): Promise<readonly SeedIssue[]> {
    const { clients, users, groups } = this;
    let count = 0;
    const deps = {
      store: openMemoryStore(),
      clock: { now: () => new Date(0) },
      ids: { newId: () => `imported-${++count}` },
    };
    try {
      await applySeed({ clients, users, groups }, deps);
      return [];
    } catch (error) {
      if (error instanceof SeedError) return error.issues;
      throw error;
    }
  }

  /** Drops the entries of a section that have issues. The first one is the reason. */
  #dropEntries(section: Section, issues: readonly SeedIssue[]): void {
    const reasons = new Map<Entry | undefined, string>();
    for (const { path, message } of issues) {
      const [owner, at, ...field] = path;
      const entry = owner === section ? this[section][Number(at)] : undefined;
      if (!reasons.has(entry)) reasons.set(entry, [formatPath(field), message].filter((part) => part !== '').join(' '));
    }
    this.#keep(section, (entry) => reasons.get(entry));
  }

  /** Keeps the entries of a section without a reason against them. */
  #keep<Name extends Section>(
    section: Name,
    findReason: (entry: ConvertedSeed[Name][number]) => string | undefined,
  ): void {
    const entries: ConvertedSeed[Name][number][] = this[section];
    const kept = entries.filter((entry) => {
      const reason = findReason(entry);
      if (reason !== undefined) this.leaveOut(section.slice(0, -1), nameOfEntry(entry), reason);
      return reason === undefined;
    });
    entries.splice(0, entries.length, ...kept);
  }

  #dropReferences(): void {
    const users = new Set(this.users.map(({ userId }) => userId));
    const services = new Set(this.clients.map(({ serviceAccountId }) => serviceAccountId));
    const groups = new Set(this.groups.map(({ groupName }) => groupName));
    for (const [at, group] of this.groups.entries())
      this.groups[at] = {
        ...group,
        ...(group.users && { users: group.users.filter((id) => users.has(id)) }),
        ...(group.services && { services: group.services.filter((id) => services.has(id)) }),
        ...(group.dependencies && { dependencies: group.dependencies.filter((one) => groups.has(one.groupName)) }),
      };
  }

  #changesOfKept(): readonly ImportNote[] {
    const keyOf = ({ kind, name }: ImportNote) => JSON.stringify([kind, name]);
    const leftOut = new Set(this.#leftOut.map(keyOf));
    return this.#changed.filter((note) => !leftOut.has(keyOf(note)));
  }
}

function nameOfEntry(entry: Entry): string {
  if ('clientId' in entry) return entry.clientId;
  return 'groupName' in entry ? entry.groupName : (entry.userName ?? entry.userId ?? '');
}
