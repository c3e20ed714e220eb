/** The clients of a realm, and their service accounts. */
import { RedirectURIs } from '../../../../contract/schemas/client.ts';
import { generateSecret, type Random } from '../../../lib/random.ts';
import type { SeedClient } from '../../schema.ts';
import type { ConvertedSeed } from '../converted-seed.ts';
import { isMask, isPlaceholder, placeholderReason } from '../placeholders.ts';
import { UniqueNames } from '../unique-names.ts';
import { toId } from '../user-ids.ts';
import { type Fields, isAbsent, isFields, reportUnreadableFlags, toFlag, toText, toTexts } from './fields.ts';
import type { Realm } from './realm.ts';
import { isKeycloakClient } from './roles.ts';

/** As many as a client can have. */
const maxRedirectUris = 50;

/** @returns the ids of service accounts, by the id of the client, and by the name that Keycloak gives their user */
export function convertClients(
  { clients, users, name }: Realm,
  seed: ConvertedSeed,
  random: Random,
): ReadonlyMap<string, string> {
  const ids = new UniqueNames(64);
  const services = new Map<string, string>();
  const accounts = new Map(users.map((user) => [toText(user.serviceAccountClientId) ?? '', user]));
  accounts.delete('');
  for (const { clientId, serviceAccountsEnabled } of clients)
    if (isKeycloakClient(toText(clientId) ?? '', name) && toFlag(serviceAccountsEnabled, false)) {
      seed.report.lose('service accounts', toText(clientId) ?? '', 'belongs to a client of Keycloak itself');
      accounts.delete(toText(clientId) ?? '');
    }
  const others = clients.filter((client) => !isKeycloakClient(toText(client.clientId) ?? '', name));
  const isId = (id: string | undefined) => id !== undefined && toId(id) === id;
  // Ids that stay as they are come first.
  ids.reserve(others.flatMap(({ clientId }) => toText(clientId) ?? []));
  for (const client of others) {
    const given = toText(client.clientId);
    if (given === undefined) seed.report.lose('clients', toText(client.name) ?? '', 'has no clientId');
    else if (canConvert(client, given, seed)) {
      const clientId = isId(given) ? given : ids.allocate(toId(given));
      if (clientId !== given) seed.report.changeLogin('clients', given, `has the id ${clientId}`);
      const service = convertService(client, ids, accounts.get(given));
      if (service !== undefined) {
        seed.report.change('service accounts', given, `is ${service}`);
        services.set(given, service).set(`service-account-${given.toLowerCase()}`, service);
        accounts.delete(given);
      }
      reportOtherGrants(client, given, seed);
      if (!toFlag(client.fullScopeAllowed, true))
        seed.report.change('clients', given, 'has all roles of a user in its tokens: scopes do not restrict them here');
      seed.clients.push({
        clientId,
        ...convertSecret(client, { given, clientId, seed, random }),
        ...(service === undefined ? {} : { serviceAccountId: service }),
        grantTypes: listGrantTypes(client, service !== undefined),
        ...convertRedirectUris(client, given, seed),
      });
    }
  }
  const byId = new Map(clients.map((client) => [toText(client.clientId), client]));
  for (const [clientId, account] of accounts) reportAccount(clientId, account, byId.get(clientId), seed);
  return services;
}

/** The user of a service account that no client of the seed logs in for. */
function reportAccount(clientId: string, account: Fields, client: Fields | undefined, { report }: ConvertedSeed): void {
  const leaveOut = (reason: string) => report.leaveOut('service accounts', clientId, reason);
  if (client === undefined) report.lose('service accounts', clientId, 'its client is not in the file');
  else if (!toFlag(client.serviceAccountsEnabled, false)) leaveOut('its client has no serviceAccountsEnabled');
  else leaveOut(toFlag(account.enabled, false) ? 'its client is left out' : 'is disabled');
}

/** Flags without which a client differs. */
const clientFlags = [
  ...['enabled', 'bearerOnly', 'publicClient', 'serviceAccountsEnabled', 'directAccessGrantsEnabled'],
  ...['standardFlowEnabled', 'implicitFlowEnabled', 'authorizationServicesEnabled'],
];

function canConvert(client: Fields, given: string, { report }: ConvertedSeed): boolean {
  reportUnreadableFlags(client, clientFlags, given, report);
  if (isPlaceholder(given)) {
    report.lose('clients', given, placeholderReason);
    return false;
  }
  const protocol = toText(client.protocol) ?? 'openid-connect';
  if (protocol === 'openid-connect' && toFlag(client.enabled, true) && !toFlag(client.bearerOnly, false)) return true;
  if (!toFlag(client.enabled, true)) report.leaveOut('clients', given, 'is disabled');
  else if (protocol === 'openid-connect')
    report.leaveOut('clients', given, 'only verifies tokens, which needs no client here');
  else report.lose('clients', given, `its protocol is ${protocol}`);
  return false;
}

/** @param account the user of the service account, which Keycloak creates if the file does not contain it */
function convertService(client: Fields, ids: UniqueNames, account: Fields | undefined): string | undefined {
  if (!toFlag(client.serviceAccountsEnabled, false)) return undefined;
  if (account !== undefined && !toFlag(account.enabled, false)) return undefined;
  return ids.allocate(toId(`service-${toText(client.clientId) ?? ''}`));
}

interface SecretDeps {
  readonly given: string;
  readonly clientId: string;
  readonly seed: ConvertedSeed;
  readonly random: Random;
}

const placeholder = 'the former one is a placeholder, which the file does not resolve';

/** Keycloak hides secrets in exports of the console; without one, the client would be public here. */
function convertSecret(
  client: Fields,
  { given, clientId, seed, random }: SecretDeps,
): Pick<SeedClient, 'clientSecret'> {
  if (toFlag(client.publicClient, false)) return {};
  const secret = toText(client.secret);
  const authenticator = toText(client.clientAuthenticatorType) ?? 'client-secret';
  const hasSecret = ['client-secret', 'client-secret-jwt'].includes(authenticator);
  if (hasSecret && secret !== undefined && !isPlaceholder(secret)) return { clientSecret: secret };
  const clientSecret = generateSecret(random);
  seed.secrets.push({ clientId, clientSecret });
  const missing = secret === undefined || isMask(secret) ? 'the file does not contain its secret' : placeholder;
  const reason = hasSecret ? missing : `${authenticator} cannot authenticate it here`;
  seed.report.change('clients', given, `has a new secret: ${reason}`);
  return { clientSecret };
}

/** Logins of users end with a refresh token, as those of Keycloak do. */
function listGrantTypes(client: Fields, hasService: boolean): string[] {
  const isOn = (name: string, absent = false) => toFlag(client[name], absent);
  const ofUsers = isOn('standardFlowEnabled', true) || isOn('implicitFlowEnabled') || isOn('directAccessGrantsEnabled');
  return [
    ...(hasService ? ['client_credentials'] : []),
    ...(isOn('directAccessGrantsEnabled') ? ['password'] : []),
    ...(ofUsers ? ['refresh_token'] : []),
  ];
}

/** Grants of Keycloak that this service has not, by the attributes of clients that enable them. */
const otherGrants: Readonly<Record<string, string>> = {
  'oauth2.device.authorization.grant.enabled': 'device authorization',
  'oidc.ciba.grant.enabled': 'CIBA',
  'standard.token.exchange.enabled': 'token exchange',
};

function reportOtherGrants(
  { attributes, authorizationSettings }: Fields,
  given: string,
  { report }: ConvertedSeed,
): void {
  for (const [name, grant] of Object.entries(otherGrants))
    if (isFields(attributes) && toFlag([attributes[name]].flat()[0], false))
      report.lose('grants', `${grant} of ${given}`, 'this service has no such grant');
  if (isFields(attributes) && !isAbsent(attributes['client.secret.rotated']))
    report.lose('client secrets', `former one of ${given}`, 'only the current secret is converted');
  if (isFields(authorizationSettings))
    report.leaveOut('authorization settings', given, 'resources, policies and permissions are not converted');
}

/** Those that start with a slash are below the root URL. */
function convertRedirectUris(
  client: Fields,
  given: string,
  { report }: ConvertedSeed,
): Pick<SeedClient, 'redirectURIs'> {
  const root = toText(client.rootUrl)?.replace(/\/$/, '');
  const uris = new Set<string>();
  for (const uri of toTexts(client.redirectUris)) {
    const whole = uri.startsWith('/') && root !== undefined ? `${root}${uri}` : uri;
    if (isPlaceholder(whole) && !isMask(whole))
      report.leaveOut('redirect URIs', `${uri} of ${given}`, placeholderReason);
    else if (!RedirectURIs.safeParse([whole]).success)
      report.leaveOut(
        'redirect URIs',
        `${uri} of ${given}`,
        uri.includes('*') ? 'is no URI with this wildcard' : 'is no URI',
      );
    else if (uris.size === maxRedirectUris)
      report.leaveOut('redirect URIs', `${uri} of ${given}`, `a client has at most ${maxRedirectUris}`);
    else uris.add(whole);
  }
  return uris.size === 0 ? {} : { redirectURIs: [...uris] };
}
