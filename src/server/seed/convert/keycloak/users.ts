/** The users of a realm, with their passwords and links to identity providers. */
import { parseJson } from '../../../../lib/json-text.ts';
import { formatLink, isSubject } from '../../../federation/subjects.ts';
import { maxPasswordLength } from '../../../lib/password-length.ts';
import { readHash } from '../../../users/hashes/exporter-forms.ts';
import type { HashPassword } from '../../../users/passwords.ts';
import { ProviderName, type SeedUser } from '../../schema.ts';
import type { ConvertedSeed } from '../converted-seed.ts';
import { isPlaceholder, placeholderReason } from '../placeholders.ts';
import type { UserIds } from '../user-ids.ts';
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
} from './fields.ts';

export interface UserDeps {
  readonly seed: ConvertedSeed;
  readonly ids: UserIds;
  /** Hashes a password that the file contains as it is. */
  readonly hash: HashPassword;
  /** Whether the realm lets users log in with their e-mail address. */
  readonly logsInByEmail: boolean;
}

/** In a realm whose users have no other names, the e-mail address. */
export function readName({ username, email }: Fields): string | undefined {
  return toText(username) ?? toText(email);
}

/** @returns undefined for an entry without a name */
export async function convertUser(fields: Fields, at: number, deps: UserDeps): Promise<SeedUser | undefined> {
  const { seed, ids, logsInByEmail } = deps;
  const email = toText(fields.email);
  const name = readName(fields);
  if (name === undefined) {
    seed.report.lose('users', `entry ${at + 1}`, 'has neither a username nor an email');
    return undefined;
  }
  const id = toText(fields.id);
  const userId = ids.assign(id, name);
  if (id !== undefined && userId !== id) seed.report.change('users', name, `has the id ${userId}`);
  const passwordHash = await convertPassword(fields, name, deps);
  const isLogin = logsInByEmail && email?.toLowerCase() !== name.toLowerCase() && passwordHash !== undefined;
  const identities = convertIdentities(fields, name, seed);
  reportActions(fields, name, seed);
  reportUnreadableFlags(fields, ['enabled', 'emailVerified'], name, seed.report);
  // Keycloak imports a user without this field as a disabled one.
  const isEnabled = toFlag(fields.enabled, false);
  if (isAbsent(fields.enabled)) seed.report.change('users', name, 'is locked: the file does not enable it');
  return {
    userId,
    ...seed.takeUserName(name),
    ...seed.takeEmail(name, email, toFlag(fields.emailVerified, false), isLogin),
    ...(isEnabled ? {} : { locked: true }),
    ...(passwordHash === undefined ? {} : { passwordHash }),
    ...(identities.length === 0 ? {} : { identities }),
  };
}

/** Reads the first password that this service can verify. Other credentials are second factors. */
async function convertPassword(fields: Fields, name: string, { seed, hash }: UserDeps): Promise<string | undefined> {
  let problem: string | undefined;
  let passwordHash: string | undefined;
  for (const credential of toObjects(fields.credentials).map(withoutNulls)) {
    // Keycloak takes each value for a password, whatever the type and also beside a hash.
    const plain = toText(credential.value);
    const type = plain === undefined ? (toText(credential.type) ?? 'password') : 'password';
    if (type !== 'password') reportCredential(type, name, seed);
    else if (plain !== undefined) {
      // Of several values, Keycloak keeps the last one.
      problem = findPasswordProblem(plain);
      passwordHash = problem === undefined ? await hash(plain.normalize('NFC')) : undefined;
    } else if (passwordHash === undefined) {
      const read = isHash(credential) ? readHash(withParsedData(credential)) : undefined;
      passwordHash = read?.hash;
      problem = read ? read.problem : 'has neither a hash nor a value';
    }
  }
  if (passwordHash !== undefined) return passwordHash;
  const federation = toText(fields.federationLink);
  if (federation !== undefined) seed.report.lose('passwords', name, `is in the user federation ${federation}`);
  else if (problem !== undefined) seed.report.lose('passwords', name, problem);
  else if (toObjects(fields.federatedIdentities).length === 0)
    seed.report.leaveOut('passwords', name, 'the file contains none');
  return undefined;
}

/** No login is tried with a longer password. */
function findPasswordProblem(plain: string): string | undefined {
  if (isPlaceholder(plain)) return placeholderReason;
  const { length } = [...plain.normalize('NFC')];
  return length > maxPasswordLength ? `has more than ${maxPasswordLength} characters` : undefined;
}

const isHash = (credential: Fields) =>
  ['secretData', 'credentialData', 'hashedSaltedValue'].some((name) => name in credential);

/** Both are JSON within JSON, also with null for absent members. */
function withParsedData(credential: Fields): Fields {
  const parse = (value: unknown) => {
    if (typeof value !== 'string') return value;
    try {
      const parsed = parseJson(value);
      return isFields(parsed) ? withoutNulls(parsed) : undefined;
    } catch {
      return undefined;
    }
  };
  const { credentialData, secretData, ...rest } = credential;
  if (credentialData === undefined && secretData === undefined) return rest;
  return { credentialData: parse(credentialData), secretData: parse(secretData) };
}

/** Former passwords, which a new one must not repeat, have no place here. */
function reportCredential(type: string, name: string, { report }: ConvertedSeed): void {
  if (type !== 'password-history') report.lose('second factors', `${type} of ${name}`, 'must be registered again');
}

function convertIdentities(fields: Fields, name: string, { report }: ConvertedSeed): string[] {
  const links = toObjects(fields.federatedIdentities).flatMap(({ identityProvider, userId }) => {
    const [provider, subject] = [toText(identityProvider), toText(userId)];
    if (ProviderName.safeParse(provider).success && isSubject(subject) && !isPlaceholder(subject))
      return [formatLink(String(provider), subject)];
    const reason = isPlaceholder(subject ?? '') ? placeholderReason : 'has no usable identityProvider or userId';
    report.lose('federated identities', `${provider ?? ''} of ${name}`, reason);
    return [];
  });
  return [...new Set(links)];
}

const actionReasons: Readonly<Record<string, string>> = {
  UPDATE_PASSWORD: 'the password stays valid: the service does not ask for a new one',
  VERIFY_EMAIL: 'the address is left out until it is verified',
  CONFIGURE_TOTP: 'the service does not ask for a second factor at a login',
};

function reportActions(fields: Fields, name: string, { report }: ConvertedSeed): void {
  const isTemporary = toObjects(fields.credentials).some((credential) => toFlag(credential.temporary, false));
  for (const action of new Set([...toTexts(fields.requiredActions), ...(isTemporary ? ['UPDATE_PASSWORD'] : [])]))
    report.leaveOut('required actions', `${action} of ${name}`, actionReasons[action] ?? 'is not asked for here');
}
