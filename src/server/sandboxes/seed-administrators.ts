/**
 * The administrators of the seed of the server administer the sandboxes that start with it, also those that lost their
 * rights at the server since: they keep them in the sandbox, or gave them to others there.
 */
import { apiError } from '../../contract/errors.ts';
import { foldIdentifier } from '../../lib/fold-identifier.ts';
import { administratorRole } from '../directory/administrators.ts';
import { isOwnerActive } from '../directory/clients.ts';
import { resolveClientAuthorities } from '../directory/service-roles.ts';
import { resolveGroupRolesOfUser } from '../directory/user-roles.ts';
import { forEachYielding } from '../lib/event-loop-turns.ts';
import type { Reader } from '../store/store.ts';
import type { Client, User } from '../store/tables.ts';

/**
 * Rejects what shows the hashes of the seed while one of its administrators is none at the server, or has a credential in
 * the seed that it has no longer at the server.
 * @throws IamError SEED_ADMINISTRATOR_CHANGED naming it
 */
export async function assertAdministratorsRemain(seed: Reader, server: Reader): Promise<void> {
  await forEachYielding(await seed.users.list(), async (user) => {
    if ((await isAdministrator(seed, user)) && !(await remains(seed, server, user))) reject(`user ${user.userId}`);
  });
  await forEachYielding(await seed.clients.list(), async (client) => {
    if (!(await resolveClientAuthorities(seed, client)).has(administratorRole)) return;
    if (!(await remainsClient(server, client))) reject(`client ${client.clientId}`);
    for (const { apiKeyId, keyHash, previousKey } of await seed.apiKeys.find('clientId', client.clientId)) {
      const key = await server.apiKeys.get(apiKeyId);
      if (key?.keyHash !== keyHash || !remainsReplaced(key.previousKey, previousKey)) reject(`API key ${apiKeyId}`);
    }
  });
}

async function isAdministrator(reader: Reader, user: User): Promise<boolean> {
  return !user.locked && (await resolveGroupRolesOfUser(reader, user)).has(administratorRole);
}

/** Whether a user is still an administrator, with all that it can prove its identity with in a sandbox. */
async function remains(seed: Reader, server: Reader, seedUser: User): Promise<boolean> {
  const user = await server.users.get(seedUser.userId);
  if (user === undefined || !(await isAdministrator(server, user))) return false;
  const credentials = new Set(await listCredentials(server, user));
  return (await listCredentials(seed, seedUser)).every((credential) => credentials.has(credential));
}

/** The password, the contacts that receive codes, and the certificates, links and logons of a user. */
async function listCredentials(reader: Reader, user: User): Promise<string[]> {
  const { userId, userEmail, emailVerified, userMobile, mobileVerified, legacyLogons = [] } = user;
  const logons = await Promise.all(legacyLogons.map((logon) => reader.logons.get(logon)));
  const contacts = [
    { email: emailVerified ? userEmail : undefined, mobile: mobileVerified ? userMobile : undefined },
    ...(await reader.factors.find('userId', userId)).filter(({ verified }) => verified),
  ];
  return [
    ...(user.passwordHash === undefined ? [] : [`password ${user.passwordHash}`]),
    ...user.identities.map((identity) => `identity ${foldIdentifier(identity)}`),
    ...legacyLogons.map((logon, number) => `logon ${logon} ${logons[number]?.passwordHash}`),
    ...contacts.flatMap(({ email, mobile }) => [
      ...(email === undefined ? [] : [`contact ${foldIdentifier(email)}`]),
      ...(mobile === undefined ? [] : [`contact ${mobile.regionCode} ${mobile.areaCode} ${mobile.phoneNumber}`]),
    ]),
  ];
}

/** Whether a previous secret that is valid in the seed, by some clock, is that of the server, with the same end. */
function remainsReplaced(present: Client['previousSecret'], seeded: Client['previousSecret']): boolean {
  return seeded?.endsAt === undefined || (seeded.hash === present?.hash && seeded.endsAt === present.endsAt);
}

async function remainsClient(server: Reader, { clientId, secretHash, previousSecret }: Client): Promise<boolean> {
  const client = await server.clients.get(clientId);
  if (client === undefined || client.secretHash !== secretHash || !(await isOwnerActive(server, client))) return false;
  if (!remainsReplaced(client.previousSecret, previousSecret)) return false;
  return (await resolveClientAuthorities(server, client)).has(administratorRole);
}

function reject(what: string): never {
  throw apiError(
    'SEED_ADMINISTRATOR_CHANGED',
    `The ${what} is an administrator in the seed of the server, and at the server is none, or has lost a credential or a contact that the seed contains. Sandboxes with this seed export nothing until the server restarts with a seed that agrees.`,
  );
}
