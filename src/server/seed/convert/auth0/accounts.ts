/** How a user of Auth0 logged in: with a password, with codes, or at identity providers. */
import { formatLink, isSubject } from '../../../federation/subjects.ts';
import { type Fields, toFlag, toObjects, toText } from '../keycloak/fields.ts';
import { isPlaceholder } from '../placeholders.ts';
import type { ImportReport } from '../report.ts';
import { idOf } from './read-users.ts';

export interface Auth0Account {
  /** Whether it is in a database of Auth0, with a password. */
  readonly hasPassword: boolean;
  /** Whether it is of a phone number, to which Auth0 sent codes. */
  readonly hasVerifiedPhone: boolean;
  /** Links to identity providers: `google-oauth2:1067`. */
  readonly links: readonly string[];
  /** Their names. */
  readonly providers: readonly string[];
}

/** An account of a user in a connection. */
interface Identity {
  /** The kind of the connection: `auth0`, `sms`, `google-oauth2`, `samlp`. */
  readonly strategy: string;
  /** The name of the identity provider here: companies have several of a kind. */
  readonly provider: string;
  readonly subject: string;
}

const databases: ReadonlySet<string> = new Set(['auth0', '']);
const codes: ReadonlySet<string> = new Set(['sms', 'email']);

/** @param name how the report names the user */
export function readAuth0Account(fields: Fields, name: string, report: ImportReport): Auth0Account {
  const identities = readIdentities(fields);
  const federated = identities.filter(({ strategy }) => !databases.has(strategy) && !codes.has(strategy));
  const usable = federated.filter((identity) => {
    const isUsable =
      isSubject(identity.subject) &&
      !isPlaceholder(identity.subject) &&
      /^[A-Za-z0-9._-]{1,64}$/.test(identity.provider);
    if (!isUsable) report.lose('federated identities', `${identity.provider} of ${name}`, 'has no usable user_id');
    return isUsable;
  });
  return {
    hasPassword: identities.length === 0 || identities.some(({ strategy }) => databases.has(strategy)),
    hasVerifiedPhone: identities.some(({ strategy }) => strategy === 'sms'),
    links: [...new Set(usable.map(({ provider, subject }) => formatLink(provider, subject)))],
    providers: usable.map(({ provider }) => provider),
  };
}

/** The identities of the user, or what its id says: `google-oauth2|1067`, `samlp|company|alice`. */
function readIdentities(fields: Fields): readonly Identity[] {
  const listed = toObjects(fields.identities).map((identity): Identity => {
    const strategy = toText(identity.provider) ?? '';
    const connection = toText(identity.connection) ?? strategy;
    const subject = readSubject(identity, strategy, idOf(fields) ?? '');
    return toFlag(identity.isSocial, false)
      ? { strategy, provider: strategy, subject }
      : { strategy, provider: connection, subject: withoutPrefix(subject, connection) };
  });
  if (listed.length > 0) return listed;
  const [strategy = '', ...parts] = (idOf(fields) ?? '').split('|');
  if (parts.length === 0) return [];
  const [connection = ''] = parts;
  return parts.length === 1
    ? [{ strategy, provider: strategy, subject: connection }]
    : [{ strategy, provider: connection, subject: parts.slice(1).join('|') }];
}

/** Long numbers lose digits in JSON: the id of the user has them all. */
function readSubject({ user_id: subject }: Fields, strategy: string, id: string): string {
  if (typeof subject !== 'number' || Number.isSafeInteger(subject)) return toText(subject) ?? '';
  return id.startsWith(`${strategy}|`) ? id.slice(strategy.length + 1) : '';
}

/** Subjects of connections of companies start with the name of the connection. */
function withoutPrefix(subject: string, connection: string): string {
  return subject.startsWith(`${connection}|`) ? subject.slice(connection.length + 1) : subject;
}
