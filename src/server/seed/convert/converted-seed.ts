/**
 * A seed document in the making. What the service would reject is left out alone: a field without its user, client or group,
 * an entry only if it has no name here.
 */

import { hasSingleLabelHost } from '../../../contract/email/email-address.ts';
import { formatPath } from '../../../contract/errors.ts';
import { isBuiltInGroup } from '../../../contract/roles.ts';
import { toVisibleName } from '../../../contract/visible-names.ts';
import { foldIdentifier } from '../../../lib/fold-identifier.ts';
import { openMemoryStore } from '../../store/memory/memory-store.ts';
import { hasLinkForm } from '../../store/tables.ts';
import { applySeed } from '../apply.ts';
import { SeedError } from '../error.ts';
import type { SeedIssue } from '../issues.ts';
import { type SeedClient, SeedDocument, type SeedGroup, type SeedProvider, type SeedUser } from '../schema.ts';
import { isPlaceholder, placeholderReason } from './placeholders.ts';
import { countNotes, type ImportCount, type ImportNote, ImportReport } from './report.ts';
import { UserIds } from './user-ids.ts';

export type { ImportCount, ImportNote } from './report.ts';

/** A secret that the conversion made, as the source hides the former one. */
export interface ImportedSecret {
  readonly clientId: string;
  readonly clientSecret: string;
}

export interface ImportResult {
  readonly seed: { clients: SeedClient[]; users: SeedUser[]; groups: SeedGroup[]; providers?: SeedProvider[] };
  readonly counts: readonly ImportCount[];
  readonly notes: readonly ImportNote[];
  readonly secrets: readonly ImportedSecret[];
}

export interface ConversionOptions {
  /** Keeps e-mail addresses that the source has not verified. */
  readonly trustEmails?: boolean | undefined;
}

/** Groups are last: they refer to the others. */
const sections = ['clients', 'users', 'providers', 'groups'] as const;
type Section = (typeof sections)[number];
type Entry = SeedClient | SeedUser | SeedGroup | SeedProvider;

/** What the report calls a section, and the fields that an entry cannot lose. */
const entryKinds: Readonly<Record<Section, { readonly kind: string; readonly required: readonly string[] }>> = {
  clients: { kind: 'clients', required: ['clientId'] },
  users: { kind: 'users', required: ['userId'] },
  providers: {
    kind: 'identity providers',
    required: ['kind', 'name', 'issuer', 'clientId', 'jwksUri', 'entityId', 'certificates'],
  },
  groups: { kind: 'groups', required: ['groupName'] },
};

const refusedInUserNames = /[\p{Control}\p{Surrogate}\u2028\u2029\ufe6b\uff20]/gu;

/** Fields that neither log in nor grant roles. */
const plainFields: ReadonlySet<string> = new Set(['userEmail', 'userMobile', 'redirectURI', 'redirectURIs', 'appId']);

const fieldKinds: Readonly<Record<string, string>> = {
  userName: 'user names',
  userEmail: 'e-mail addresses',
  userMobile: 'phone numbers',
  passwordHash: 'passwords',
  identities: 'federated identities',
  redirectURI: 'redirect URIs',
  redirectURIs: 'redirect URIs',
  serviceAccountId: 'service accounts',
  roles: 'roles',
};

/** The file is not an export of the other service. The message names the place. */
export class ConversionError extends Error {
  override readonly name = 'ConversionError';
}

export class ConvertedSeed {
  readonly clients: SeedClient[] = [];
  readonly users: SeedUser[] = [];
  readonly groups: SeedGroup[] = [];
  readonly providers: SeedProvider[] = [];
  readonly secrets: ImportedSecret[] = [];
  readonly report = new ImportReport();
  readonly #trustEmails: boolean;
  /** Addresses with which their users log in. */
  readonly #logins = new Set<string>();

  constructor({ trustEmails = false }: ConversionOptions = {}) {
    this.#trustEmails = trustEmails;
  }

  /** The name for the entry of a user, in a form that new names have here. */
  takeUserName(name: string): Pick<SeedUser, 'userName'> {
    if (isPlaceholder(name)) {
      this.report.lose('user names', name, placeholderReason);
      return {};
    }
    const visible = toVisibleName(name);
    const userName = (hasLinkForm(visible) ? visible.replaceAll(':', '-') : visible).replace(refusedInUserNames, '-');
    if (userName === '') this.report.lose('user names', name, 'has no visible character');
    else if (userName !== name.normalize('NFC')) this.report.changeLogin('user names', name, `is ${userName}`);
    return userName === '' ? {} : { userName };
  }

  /**
   * The e-mail address for the entry of a user: one in a seed counts as verified, so others are left out.
   * @param isLogin whether the user logs in with it, and not with the same name
   */
  takeEmail(
    user: string,
    userEmail: string | undefined,
    isVerified: boolean,
    isLogin = false,
  ): Pick<SeedUser, 'userEmail'> {
    if (userEmail === undefined) return {};
    if (isLogin) this.#logins.add(userEmail);
    if (isPlaceholder(userEmail)) {
      this.report.lose('e-mail addresses', user, placeholderReason);
      return {};
    }
    if ((isVerified || this.#trustEmails) && hasSingleLabelHost(userEmail))
      this.report.change(
        'e-mail addresses',
        user,
        'has a host without a dot: only servers with test features accept it',
      );
    if (isVerified) return { userEmail };
    if (this.#trustEmails) {
      this.report.change('e-mail addresses', user, 'counts as verified, as --trust-emails says');
      return { userEmail };
    }
    const reason = 'is not verified: a code sent to it would be enough to take the account; --trust-emails keeps it';
    if (isLogin) this.report.lose('e-mail addresses', user, reason);
    else this.report.leaveOut('e-mail addresses', user, reason);
    return {};
  }

  /** Leaves out what the service would reject, with all references to it. */
  async finish(): Promise<ImportResult> {
    this.#assignUserIds();
    this.#keep('groups', ({ groupName }) =>
      isBuiltInGroup(groupName) ? 'the service has a group of this name' : undefined,
    );
    this.#dropDuplicates('users', ({ userId }) => userId);
    this.#dropDuplicates('clients', ({ clientId }) => clientId);
    this.#dropDuplicates('providers', ({ name }) => name);
    this.#dropDuplicates('groups', ({ groupName }) => groupName);
    this.#dropTakenLogins();
    // Dropping an entry can reveal another problem of it, or of what refers to it.
    for (let issues = await this.#findInvalid(); issues.length > 0; issues = await this.#findInvalid())
      this.#dropInvalid(issues);
    this.#dropReferences();
    for (let issues = await this.#findRejected(); issues.length > 0; issues = await this.#findRejected()) {
      this.#dropInvalid(issues);
      this.#dropReferences();
    }
    const { clients, users, groups, providers, secrets } = this;
    const notes = this.report.list();
    const clientIds = new Set(clients.map(({ clientId }) => clientId));
    return {
      seed: { clients, users, groups, ...(providers.length === 0 ? {} : { providers }) },
      counts: countNotes(notes, this.#countArrived()),
      notes,
      secrets: secrets.filter(({ clientId }) => clientIds.has(clientId)),
    };
  }

  /** A seed without the id of a user would change the user of the service that has its name, such as its administrator. */
  #assignUserIds(): void {
    const ids = new UserIds({
      clientIds: this.clients.flatMap(({ clientId, serviceAccountId }) => [clientId, serviceAccountId ?? clientId]),
      userIds: this.users.flatMap(({ userId }) => userId ?? []),
      userNames: this.users.flatMap(({ userName }) => userName ?? []),
    });
    for (const [at, user] of this.users.entries())
      if (user.userId === undefined)
        this.users[at] = { userId: ids.assign(undefined, user.userName ?? user.userEmail ?? 'user'), ...user };
  }

  /** Users are found by id, name, verified address and links, which must differ from those of all others. */
  #dropTakenLogins(): void {
    const owners = new Map<string, SeedUser>();
    const isFree = (name: string, user: SeedUser) => {
      const key = foldIdentifier(toVisibleName(name));
      const owner = owners.get(key);
      if (owner === undefined) owners.set(key, user);
      return owner === undefined || owner === user;
    };
    for (const user of this.users)
      if (user.userId !== undefined && !/[@:]/.test(user.userId)) isFree(user.userId, user);
    for (const field of ['userName', 'userEmail'] as const)
      for (const user of this.users) {
        const name = user[field];
        if (name === undefined || isFree(name, user)) continue;
        this.#noteField(field, nameOfEntry(user), 'another user logs in with it');
        delete user[field];
      }
    for (const user of this.users)
      if (user.identities)
        user.identities = user.identities.filter((link) => {
          const free = isFree(link, user);
          if (!free) this.#noteField('identities', `${link} of ${nameOfEntry(user)}`, 'another user has it');
          return free;
        });
  }

  #dropDuplicates<Name extends Section>(
    section: Name,
    nameOf: (entry: ConvertedSeed[Name][number]) => string | undefined,
  ): void {
    const seen = new Set<string | undefined>();
    this.#keep(section, (entry) => {
      const name = nameOf(entry);
      if (seen.has(name)) return 'another one has this name';
      seen.add(name);
      return undefined;
    });
  }

  get #document() {
    const { clients, users, groups, providers } = this;
    return { clients, users, groups, providers };
  }

  async #findInvalid(): Promise<readonly SeedIssue[]> {
    return (await SeedDocument.safeParseAsync(this.#document)).error?.issues ?? [];
  }

  /** Applies the seed to an empty store: not every rule of the service is part of the schema. */
  async #findRejected(): Promise<readonly SeedIssue[]> {
    let count = 0;
    const deps = {
      store: openMemoryStore(),
      clock: { now: () => new Date(0) },
      ids: { newId: () => `imported-${++count}` },
    };
    try {
      await applySeed(this.#document, deps);
      return [];
    } catch (error) {
      if (error instanceof SeedError) return error.issues;
      throw error;
    }
  }

  /** Drops the fields and entries that have issues. @throws ConversionError if no issue is about one. */
  #dropInvalid(issues: readonly SeedIssue[]): void {
    const rejected = new Map<Entry, string>();
    const elements = new Map<unknown[], Set<number>>();
    // A field can have several issues.
    const dropped = new Set<string>();
    let isDropped = false;
    for (const { path, message } of issues) {
      const [owner, at, field, element] = path;
      const section = sections.find((name) => name === owner);
      const entry: Entry | undefined = section && this[section][Number(at)];
      if (section === undefined || entry === undefined) continue;
      isDropped = true;
      const fields = entry as Record<string, unknown>;
      if (typeof field === 'string' && dropped.has(JSON.stringify([owner, at, field]))) continue;
      if (typeof field !== 'string' || entryKinds[section].required.includes(field) || !(field in fields)) {
        const reason = [formatPath(path.slice(2)), message].filter((part) => part !== '').join(' ');
        if (!rejected.has(entry)) rejected.set(entry, reason);
        continue;
      }
      const value = fields[field];
      if (Array.isArray(value) && typeof element === 'number') {
        const known = elements.get(value) ?? new Set<number>();
        if (!known.has(element)) this.#noteField(field, describeElement(value[element], entry), message);
        elements.set(value, known.add(element));
      } else {
        this.#noteField(field, nameOfEntry(entry), message, this.#logins.has(String(value)));
        delete fields[field];
        dropped.add(JSON.stringify([owner, at, field]));
      }
    }
    // Otherwise the next attempt would end in the same way.
    if (!isDropped) throw new ConversionError(`the service would reject the seed: ${issues[0]?.message}`);
    for (const [list, indexes] of elements)
      refill(
        list,
        list.filter((_, at) => !indexes.has(at)),
      );
    for (const section of sections) this.#keep(section, (entry) => rejected.get(entry));
  }

  #noteField(field: string, name: string, reason: string, isLogin = false): void {
    const kind = fieldKinds[field] ?? field;
    if (plainFields.has(field) && !isLogin) this.report.leaveOut(kind, name, reason);
    else this.report.lose(kind, name, reason);
  }

  /** Keeps the entries of a section without a reason against them. */
  #keep<Name extends Section>(
    section: Name,
    findReason: (entry: ConvertedSeed[Name][number]) => string | undefined,
  ): void {
    const entries: ConvertedSeed[Name][number][] = this[section];
    const kept = entries.filter((entry) => {
      const reason = findReason(entry);
      if (reason !== undefined) this.report.lose(entryKinds[section].kind, nameOfEntry(entry), reason);
      return reason === undefined;
    });
    refill(entries, kept);
  }

  #dropReferences(): void {
    const users = new Set(this.users.map(({ userId }) => userId));
    const services = new Set(this.clients.map(({ serviceAccountId }) => serviceAccountId));
    const groups = new Set(this.groups.map(({ groupName }) => groupName));
    for (const group of this.groups) {
      if (group.users) group.users = group.users.filter((id) => users.has(id));
      if (group.services) group.services = group.services.filter((id) => services.has(id));
      if (group.dependencies) group.dependencies = group.dependencies.filter((one) => groups.has(one.groupName));
    }
  }

  #countArrived(): Record<string, number> {
    const { clients, users, groups, providers } = this;
    const sum = (lists: readonly (readonly unknown[] | undefined)[]) =>
      lists.reduce((total, list) => total + (list?.length ?? 0), 0);
    const having = (list: readonly object[], field: string) => list.filter((entry) => field in entry).length;
    return {
      users: users.length,
      passwords: having(users, 'passwordHash'),
      'e-mail addresses': having(users, 'userEmail'),
      'federated identities': sum(users.map(({ identities }) => identities)),
      groups: groups.length,
      roles: new Set(groups.flatMap(({ roles = [] }) => roles)).size,
      memberships: sum(groups.flatMap((group) => [group.users, group.services])),
      clients: clients.length,
      'service accounts': having(clients, 'serviceAccountId'),
      'identity providers': providers.length,
    };
  }
}

/** Unlike `splice`, for any number of elements. */
function refill<Element>(list: Element[], elements: readonly Element[]): void {
  list.length = 0;
  for (const element of elements) list.push(element);
}

function describeElement(value: unknown, entry: Entry): string {
  const text = typeof value === 'object' && value !== null ? Object.values(value).join(' ') : String(value);
  return `${text} of ${nameOfEntry(entry)}`;
}

function nameOfEntry(entry: Entry): string {
  if ('kind' in entry) return entry.name;
  if ('clientId' in entry) return entry.clientId;
  return 'groupName' in entry ? entry.groupName : (entry.userName ?? entry.userId ?? '');
}
