/** Converts users of Auth0 into a seed. The roles in their app_metadata become groups. */
import { toVisibleName } from '../../../../contract/visible-names.ts';
import { foldIdentifier } from '../../../../lib/fold-identifier.ts';
import { readHash } from '../../../users/hashes/exporter-forms.ts';
import type { SeedFactor, SeedGroup, SeedUser } from '../../schema.ts';
import { type ConversionOptions, ConvertedSeed, type ImportResult } from '../converted-seed.ts';
import {
  type Fields,
  isAbsent,
  isFields,
  reportUnreadableFlags,
  toFlag,
  toObjects,
  toText,
  toTexts,
  withoutNulls,
} from '../keycloak/fields.ts';
import { type RoleNameOptions, RoleNames } from '../keycloak/role-names.ts';
import type { ImportReport } from '../report.ts';
import { UniqueNames } from '../unique-names.ts';
import { UserIds } from '../user-ids.ts';
import { type Auth0Account, readAuth0Account } from './accounts.ts';
import { readPhone } from './phone.ts';
import { idOf, loginOf, readUsers, type UsersFile } from './read-users.ts';

/** A user of the file with its password. */
interface Source {
  readonly fields: Fields;
  /** How the report names it. */
  readonly name: string;
  readonly account: Auth0Account;
  readonly passwordHash: string | undefined;
}

/** @throws ConversionError for what is not a user, with its place */
export async function convertUsers(
  files: readonly UsersFile[],
  options: ConversionOptions & RoleNameOptions = {},
): Promise<ImportResult> {
  const seed = new ConvertedSeed(options);
  const sources = readUsers(files).map((fields) => readSource(fields, seed));
  const ids = assignIds(sources, seed);
  const roles = new RoleGroups(seed, options);
  const logins = new Set<string>();
  for (const source of sortByPassword(sources)) {
    const userId = ids.get(source) ?? '';
    seed.users.push(convertUser(source, userId, { seed, logins }));
    for (const role of readRoles(source, seed.report)) roles.add(role, userId);
    reportOthers(source, seed);
  }
  reportProviders(sources, seed);
  return seed.finish();
}

function readSource(fields: Fields, seed: ConvertedSeed): Source {
  const name = loginOf(fields) ?? idOf(fields) ?? toText(fields.phone_number) ?? '';
  const account = readAuth0Account(fields, name, seed.report);
  return { fields, name, account, passwordHash: readPassword({ fields, name, account }, seed) };
}

/** The id contains the connection before a bar, which ids here cannot have. */
function assignIds(sources: readonly Source[], seed: ConvertedSeed): ReadonlyMap<Source, string> {
  const unique = new UserIds({
    clientIds: [],
    userIds: sources.flatMap(({ fields }) => idOf(fields) ?? []),
    userNames: sources.flatMap(({ fields }) => loginOf(fields) ?? []),
  });
  const ids = new Map<Source, string>();
  for (const source of sources) {
    const id = idOf(source.fields);
    const userId = unique.assign(id, source.name);
    if (id !== undefined && userId !== id.replaceAll('|', '-'))
      seed.report.change('users', source.name, `has the id ${userId}`);
    ids.set(source, userId);
  }
  return ids;
}

/** Accounts of several connections can have the same address: the one with a password keeps it as its login. */
function sortByPassword(sources: readonly Source[]): readonly Source[] {
  const rank = ({ passwordHash, account }: Source) => (passwordHash === undefined ? (account.hasPassword ? 1 : 2) : 0);
  return sources.toSorted((one, other) => rank(one) - rank(other));
}

interface UserDeps {
  readonly seed: ConvertedSeed;
  /** The names of the users before. */
  readonly logins: Set<string>;
}

function convertUser(source: Source, userId: string, { seed, logins }: UserDeps): SeedUser {
  const { fields, name, account, passwordHash } = source;
  const [username, email] = [toText(fields.username), toText(fields.email)];
  const isLogin = passwordHash !== undefined && username !== undefined && username !== email;
  const factors = convertFactors(source, seed);
  reportUnreadableFlags(fields, ['blocked', 'email_verified', 'phone_verified'], name, seed.report);
  return {
    userId,
    ...takeUserName(source, { seed, logins }),
    ...seed.takeEmail(name, email, toFlag(fields.email_verified, false), isLogin),
    ...takePhone(source, seed),
    ...(toFlag(fields.blocked, fields.blocked !== undefined) ? { locked: true } : {}),
    ...(passwordHash === undefined ? {} : { passwordHash }),
    ...(account.links.length === 0 ? {} : { identities: [...account.links] }),
    ...(factors.length === 0 ? {} : { factors }),
  };
}

/** A user without a username has its address as name, unless it logs in otherwise and another one has it. */
function takeUserName({ fields, name, account }: Source, { seed, logins }: UserDeps): Pick<SeedUser, 'userName'> {
  const login = loginOf(fields);
  if (login === undefined) return {};
  const key = foldIdentifier(toVisibleName(login));
  if (logins.has(key) && !account.hasPassword) {
    seed.report.change('users', name, 'has no name: another user has its e-mail address');
    return {};
  }
  logins.add(key);
  return seed.takeUserName(login);
}

function takePhone({ fields, name, account }: Source, { report }: ConvertedSeed): Pick<SeedUser, 'userMobile'> {
  const phone = toText(fields.phone_number);
  if (phone === undefined) return {};
  if (!toFlag(fields.phone_verified, account.hasVerifiedPhone)) {
    report.leaveOut('phone numbers', name, 'is not verified');
    return {};
  }
  const userMobile = readPhone(phone);
  if (userMobile === undefined) report.leaveOut('phone numbers', name, 'is not an international number with +');
  else report.change('phone numbers', name, `is +${Object.values(userMobile).join(' ')}: check its area code`);
  return userMobile === undefined ? {} : { userMobile };
}

function readPassword({ fields, name, account }: Omit<Source, 'passwordHash'>, { report }: ConvertedSeed) {
  const custom = fields.custom_password_hash;
  const read = readHash(isFields(custom) ? toCompleteHash(custom) : fields.password_hash);
  if (read.hash !== undefined) return read.hash;
  if (custom !== undefined || fields.password_hash !== undefined)
    report.lose('passwords', name, `${read.problem}; the user must set a new one`);
  else if (account.hasPassword)
    report.lose('passwords', name, 'is in no file: add the export of hashes, or the user must set a new one');
  else if (account.links.length === 0)
    report.lose('passwords', name, 'is missing: the user logged in with codes, and must set one');
  return undefined;
}

/** Absent members can be null, and the hash a text. */
function toCompleteHash(custom: Fields): Fields {
  const { hash, ...others } = withoutNulls(custom);
  const complete = Object.entries({ ...others, hash: isFields(hash) ? hash : { value: hash } });
  return Object.fromEntries(complete.map(([name, part]) => [name, isFields(part) ? withoutNulls(part) : part]));
}

/** Addresses and numbers are contacts here. Secrets of apps cannot be converted. */
function convertFactors({ fields, name }: Source, { report }: ConvertedSeed): SeedFactor[] {
  const factors = toObjects(fields.mfa_factors).flatMap((factor) => Object.entries(withoutNulls(factor)));
  const names = new Set([...toTexts(fields.multifactor), ...toTexts(fields.guardian_authenticators)]);
  const contacts = factors.flatMap(([kind, content]): SeedFactor[] => {
    const value = isFields(content) ? toText(content.value) : undefined;
    const mobile = kind === 'phone' && value !== undefined ? readPhone(value) : undefined;
    if (kind === 'email' && value !== undefined) return [{ contactType: 'EMAIL', email: value }];
    if (mobile !== undefined) return [{ contactType: 'MOBILE', mobile }];
    names.add(kind);
    return [];
  });
  for (const kind of names) report.lose('second factors', `${kind} of ${name}`, 'must be registered again');
  return contacts;
}

/** Roles of applications: in app_metadata, also below `authorization`, where an extension of Auth0 writes them. */
function readRoles({ fields, name }: Source, report: ImportReport): readonly string[] {
  const metadata = isFields(fields.app_metadata) ? fields.app_metadata : {};
  const authorization = isFields(metadata.authorization) ? metadata.authorization : {};
  const lists = [fields.roles, fields['app_metadata.roles'], metadata.roles, authorization.roles];
  return [
    ...new Set(lists.flatMap((list) => readRoleNames(list, () => report.lose('roles', `of ${name}`, unreadable)))),
  ];
}

const unreadable = 'must be a list of names, or of objects with a name';

/** A list of names or of objects with names, or a text. */
function readRoleNames(value: unknown, reportUnreadable: () => void): readonly string[] {
  if (typeof value === 'string') return value.split(',').flatMap((name) => toText(name.trim()) ?? []);
  const names = toList(value).map((role) => toText(isFields(role) ? role.name : role));
  if (names.includes(undefined)) reportUnreadable();
  return names.flatMap((name) => name ?? []);
}

function toList(value: unknown): readonly unknown[] {
  return (Array.isArray(value) ? value : [value]).filter((one) => !isEmpty(one));
}

/** Users get roles by groups only: those with a role become a group. */
class RoleGroups {
  readonly #seed: ConvertedSeed;
  readonly #roles: RoleNames;
  readonly #names = new UniqueNames(100);
  readonly #groups = new Map<string, SeedGroup>();

  constructor(seed: ConvertedSeed, options: RoleNameOptions) {
    this.#seed = seed;
    this.#roles = new RoleNames(seed.report, options);
  }

  add(name: string, userId: string): void {
    const role = this.#roles.convert(name, name);
    if (role === undefined) return;
    const known = this.#groups.get(role);
    if (known) return void known.users?.push(userId);
    const groupName = this.#names.allocate(`role ${role.replaceAll('/', '-')}`);
    const group = { groupName, roles: [role], users: [userId] };
    this.#groups.set(role, group);
    this.#seed.groups.push(group);
  }
}

/** What applications can miss. Names and pictures of people have no place here. */
function reportOthers({ fields, name }: Source, { report }: ConvertedSeed): void {
  for (const kind of ['app_metadata', 'user_metadata']) {
    const content = fields[kind];
    if (!isFields(content) && !isEmpty(content)) {
      // It can have had roles.
      if (kind === 'app_metadata') report.lose(kind, name, 'is not an object');
      else report.leaveOut(kind, name, 'is not an object');
    }
    const others = listContent(content, kind === 'app_metadata');
    if (others.length > 0) report.leaveOut(kind, name, `${others.join(', ')}: not converted`);
  }
}

function listContent(value: unknown, hasRoles: boolean): readonly string[] {
  if (!isFields(value)) return [];
  return Object.entries(withoutNulls(value)).flatMap(([name, content]) => {
    if (hasRoles && name === 'roles') return [];
    if (hasRoles && name === 'authorization') return listContent(content, true).map((one) => `${name}.${one}`);
    return isEmpty(content) ? [] : [name];
  });
}

const isEmpty = (content: unknown) =>
  isAbsent(content) || (typeof content === 'object' && Object.keys(content).length === 0);

/** The file contains the links of users to identity providers, and not how their tokens are verified. */
function reportProviders(sources: readonly Source[], { report }: ConvertedSeed): void {
  const counts = new Map<string, number>();
  for (const { account } of sources)
    for (const provider of new Set(account.providers)) counts.set(provider, (counts.get(provider) ?? 0) + 1);
  for (const [provider, count] of counts)
    report.lose(
      'identity providers',
      provider,
      `is not in the file: add a provider of this name to the seed (users with links to it: ${count})`,
    );
}
