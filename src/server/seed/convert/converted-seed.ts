/** A seed document in the making, and what of the other service could not be converted. */
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

const sections = ['clients', 'users', 'groups'] as const;
type Section = (typeof sections)[number];

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

  /** Leaves out what the service would reject, with all references to it. */
  async finish(): Promise<ImportResult> {
    this.#dropDuplicates('users', (user) => user.userName?.toLowerCase());
    this.#dropDuplicates('groups', (group) => group.groupName);
    this.#dropDuplicates('clients', (client) => client.clientId);
    await this.#dropInvalid();
    this.#dropReferences();
    const { clients, users, groups } = this;
    return { seed: { clients, users, groups }, leftOut: this.#leftOut, changed: this.#changed };
  }

  #dropDuplicates<Name extends Section>(section: Name, nameOf: (entry: ConvertedSeed[Name][number]) => unknown): void {
    const seen = new Set<unknown>();
    this.#keep(section, (entry) => {
      const name = nameOf(entry);
      if (name === undefined || !seen.has(name)) return void seen.add(name);
      return 'another one has this name';
    });
  }

  async #dropInvalid(): Promise<void> {
    const document: SeedDocument = { clients: this.clients, users: this.users, groups: this.groups };
    const { error } = await SeedDocument.safeParseAsync(document);
    const reasons = new Map<unknown, string>();
    for (const { path, message } of error?.issues ?? []) {
      const [section, at, ...field] = path;
      const entry = this[section as Section][Number(at)];
      reasons.set(entry, [field.join('.'), message].filter((part) => part !== '').join(' '));
    }
    for (const section of sections) this.#keep(section, (entry) => reasons.get(entry));
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
}

function nameOfEntry(entry: SeedClient | SeedUser | SeedGroup): string {
  if ('clientId' in entry) return entry.clientId;
  return 'groupName' in entry ? entry.groupName : (entry.userName ?? entry.userId ?? '');
}
