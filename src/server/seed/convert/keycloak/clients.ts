/** The clients of a realm, and their service accounts. */
import { RedirectURIs } from '../../../../contract/schemas/client.ts';
import { generateSecret, type Random } from '../../../lib/random.ts';
import type { SeedClient } from '../../schema.ts';
import type { ConvertedSeed } from '../converted-seed.ts';
import { UniqueNames } from '../unique-names.ts';
import { toId } from '../user-ids.ts';
import { type Fields, toFlag, toText, toTexts } from './fields.ts';
import type { Realm } from './realm.ts';
import { isKeycloakClient } from './roles.ts';

/** As many as a client can have. */
const maxRedirectUris = 50;

/** @returns the ids of service accounts, by the id of the client, and by the name that Keycloak gives their user */
export function convertClients(
  { clients, name }: Realm,
  seed: ConvertedSeed,
  random: Random,
): ReadonlyMap<string, string> {
  const ids = new UniqueNames(64);
  const services = new Map<string, string>();
  for (const { clientId, serviceAccountsEnabled } of clients)
    if (isKeycloakClient(toText(clientId) ?? '', name) && toFlag(serviceAccountsEnabled, false))
      seed.report.lose('service accounts', toText(clientId) ?? '', 'belongs to a client of Keycloak itself');
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
      const service = convertService(client, ids);
      if (service !== undefined) {
        seed.report.change('service accounts', given, `is ${service}`);
        services.set(given, service).set(`service-account-${given.toLowerCase()}`, service);
      }
      seed.clients.push({
        clientId,
        ...convertSecret(client, { given, clientId, seed, random }),
        ...(service === undefined ? {} : { serviceAccountId: service }),
        grantTypes: listGrantTypes(client),
        ...convertRedirectUris(client, given, seed),
      });
    }
  }
  return services;
}

function canConvert(client: Fields, given: string, { report }: ConvertedSeed): boolean {
  const protocol = toText(client.protocol) ?? 'openid-connect';
  if (protocol === 'openid-connect' && toFlag(client.enabled, true) && !toFlag(client.bearerOnly, false)) return true;
  if (!toFlag(client.enabled, true)) report.leaveOut('clients', given, 'is disabled');
  else if (protocol === 'openid-connect')
    report.leaveOut('clients', given, 'only verifies tokens, which needs no client here');
  else report.lose('clients', given, `its protocol is ${protocol}`);
  return false;
}

function convertService(client: Fields, ids: UniqueNames): string | undefined {
  if (!toFlag(client.serviceAccountsEnabled, false)) return undefined;
  return ids.allocate(toId(`service-${toText(client.clientId) ?? ''}`));
}

interface SecretDeps {
  readonly given: string;
  readonly clientId: string;
  readonly seed: ConvertedSeed;
  readonly random: Random;
}

/** Keycloak hides secrets in exports of the console; without one, the client would be public here. */
function convertSecret(
  client: Fields,
  { given, clientId, seed, random }: SecretDeps,
): Pick<SeedClient, 'clientSecret'> {
  if (toFlag(client.publicClient, false)) return {};
  const secret = toText(client.secret);
  const authenticator = toText(client.clientAuthenticatorType) ?? 'client-secret';
  const hasSecret = ['client-secret', 'client-secret-jwt'].includes(authenticator);
  // A placeholder as in ${vault.key} is not the secret either.
  if (hasSecret && secret !== undefined && !/^(\*+|\$\{.*\}|\$\(.*\))$/.test(secret)) return { clientSecret: secret };
  const clientSecret = generateSecret(random);
  seed.secrets.push({ clientId, clientSecret });
  const reason = hasSecret ? 'the file does not contain its secret' : `${authenticator} cannot authenticate it here`;
  seed.report.change('clients', given, `has a new secret: ${reason}`);
  return { clientSecret };
}

/** Logins of users end with a refresh token, as those of Keycloak do. */
function listGrantTypes(client: Fields): string[] {
  const isOn = (name: string, absent = false) => toFlag(client[name], absent);
  const ofUsers = isOn('standardFlowEnabled', true) || isOn('implicitFlowEnabled') || isOn('directAccessGrantsEnabled');
  return [
    ...(isOn('serviceAccountsEnabled') ? ['client_credentials'] : []),
    ...(isOn('directAccessGrantsEnabled') ? ['password'] : []),
    ...(ofUsers ? ['refresh_token'] : []),
  ];
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
    if (!RedirectURIs.safeParse([whole]).success)
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
