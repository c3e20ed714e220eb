/** Objects of another owner, of every kind that a request can name, and values that name no object. */
import { createHash } from 'node:crypto';
import { basicAuthorization } from '../../../src/client/index.ts';
import type { SeedDocument } from '../../../src/server/seed/schema.ts';
import { associateDevice } from '../../../src/server/sessions/devices.ts';
import { issueRefreshToken } from '../../../src/server/sessions/refresh-tokens.ts';
import { issueOneTimeToken } from '../../../src/server/tokens/one-time-tokens.ts';
import { adminClient, appClientId, type TestServer } from '../../harness.ts';
import { userToken } from '../../server/operations/user-token.ts';
import { decodePayload } from '../matrices/matrix-tokens.ts';
import type { ObjectKind } from './object-parameters.ts';

/** An object of another owner: description and value. */
export interface OtherObject {
  readonly what: string;
  readonly value: string | number;
}

const mobile = { regionCode: 55, areaCode: 11, phoneNumber: 912345678 };
const apiKey = Buffer.alloc(32, 7).toString('base64');

/** A group that every caller may name: it has no roles and no members. */
export const openGroup = 'open-group';

export const otherOwnersSeed: SeedDocument = {
  businesses: [{ businessId: 'other-business', businessName: 'Another', document: 'document-of-another' }],
  users: [
    {
      userId: 'user-of-another',
      userName: 'name-of-another',
      userEmail: 'another@example.com',
      userMobile: mobile,
      businessId: 'other-business',
      identities: ['identity-of-another'],
      legacyLogons: ['OTHERS'],
      factors: [{ id: 'factor-of-another', contactType: 'EMAIL', email: 'more@example.com', verified: true }],
    },
    { userId: 'another-administrator', userName: 'name-of-an-administrator' },
  ],
  groups: [
    { groupName: openGroup },
    { groupId: 'group-of-others', groupName: 'name-of-a-group', roles: ['DEPLOY'], services: ['service-of-another'] },
    { groupName: 'iam-administrators', users: ['another-administrator'] },
  ],
  clients: [
    { clientId: 'client-of-another', serviceAccountId: 'service-of-another', clientSecret: 'secret-of-another-client' },
    { clientId: 'third-party-of-another', party: '3RDPARTY', userId: 'user-of-another' },
    { clientId: 'client-of-a-business', businessId: 'other-business', serviceAccountId: 'service-of-a-business' },
  ],
  apiKeys: [{ apiKeyId: 'key-of-another', appId: 'other', clientId: 'client-of-another', apiKey }],
  corporateGroups: [
    { corporateGroupId: 'corporate-group', corporateGroupName: 'holding', businesses: ['other-business'] },
  ],
  mainframe: [
    { logon: 'OTHERS', email: 'mainframe@example.com' },
    { logon: 'UNBOUND', mobile },
  ],
  products: [
    { productId: 'product', productAlias: 'reports', sku: 'basic', billingTypes: ['PREPAID'] },
    { productId: 'another-product', productAlias: 'invoices', sku: 'basic', billingTypes: ['PREPAID'] },
    { productId: 'third-product', productAlias: 'reports', sku: 'extended', billingTypes: ['PREPAID'] },
  ],
  providers: [
    {
      kind: 'oidc',
      name: 'provider',
      issuer: 'https://id.example',
      clientId: 'iam',
      jwksUri: 'http://127.0.0.1:1/keys',
    },
  ],
};

/** Objects of other owners, by kind. */
export type OtherObjects = Readonly<Record<ObjectKind, readonly OtherObject[]>>;

/** Adds the objects that a seed cannot create: values of the sessions of other users. */
export async function createOtherObjects(server: TestServer): Promise<OtherObjects> {
  const one = (what: string, value: string | number): OtherObject => ({ what, value });
  const sessionValues = await createSessionValues(server);
  return {
    user: [one('a user of another business', 'user-of-another'), one('an administrator', 'another-administrator')],
    'login name': [one('the name of a user', 'name-of-another'), one('a further name', 'identity-of-another')],
    'e-mail': [one('the e-mail of a user', 'another@example.com')],
    'phone number': [one('the number of a user', mobile.phoneNumber)],
    factor: [one('a factor of another user', 'factor-of-another')],
    business: [one('another business', 'other-business')],
    document: [one('the document of a business', 'document-of-another')],
    client: [
      one('a first-party client', 'client-of-another'),
      one('a third-party client', 'third-party-of-another'),
      one('a client of the first start', adminClient.clientId),
    ],
    service: [one('a service without an owner', 'service-of-another'), one('of a business', 'service-of-a-business')],
    'API key': [one('an API key', 'key-of-another')],
    'value of an API key': [one('the value of an API key', apiKey)],
    group: [
      one('a group by its id', 'group-of-others'),
      one('a group by its name', 'name-of-a-group'),
      one('the group of the administrators', 'iam-administrators'),
    ],
    'corporate group': [one('a corporate group', 'corporate-group')],
    'name of a corporate group': [one('the name of a corporate group', 'holding')],
    logon: [one('the logon of a user', 'OTHERS'), one('an unbound logon', 'UNBOUND')],
    product: [one('a product', 'another-product')],
    'alias of a product': [one('the alias of a product', 'invoices')],
    'stock keeping unit': [one('the unit of a product', 'extended')],
    provider: [one('a provider', 'provider')],
    challenge: [
      one('a challenge of another user', sessionValues.challengeId),
      one('one for AUTH-SMART', sessionValues.smart),
    ],
    'transaction of a logon': [one('the transaction of a logon', sessionValues.hash)],
    'refresh token': [one('a refresh token of another client', sessionValues.refreshToken)],
    param: [one('the param of another user', sessionValues.param)],
    device: [one('the device of another user', sessionValues.device)],
  };
}

async function createSessionValues(server: TestServer) {
  const { appContext, as } = server;
  const { clientId } = await server.makeClient();
  const token = await userToken(server, { clientId });
  const { sub: userId = '', sid } = decodePayload(token);
  const session = await appContext.store.sessions.get(String(sid));
  const user = await appContext.store.users.get(userId);
  if (!session || !user) throw new Error('the other user or its session does not exist');
  const { challengeId } = await as({ token }).userIdentities.associateLegacyByEmail({ body: { logon: 'UNKNOWN' } });
  const { hash } = await as().userIdentities.retrieveLegacy({
    query: { clientId: appClientId },
    body: { logon: 'UNBOUND' },
  });
  const bound = { userId, sessionId: session.sessionId, clientId, targetClientId: clientId };
  return appContext.store.transaction(async (tx) => ({
    challengeId,
    hash,
    smart: (await issueOneTimeToken(tx, { ...bound, kind: 'auth-smart' }, appContext)).value,
    param: (await issueOneTimeToken(tx, { ...bound, kind: 'param' }, appContext)).value,
    refreshToken: await issueRefreshToken(tx, session, appContext),
    device: (await associateDevice(tx, user, { deviceId: 'device' }, appContext)).deviceTokenId,
  }));
}

const alphabets = ['0123456789', 'abcdef', 'ABCDEF', 'ghijklmnopqrstuvwxyz', 'GHIJKLMNOPQRSTUVWXYZ'];

/** A value of the same length and characters that names nothing; unique by number. */
export function createAbsentValue({ value }: OtherObject, number: number): string | number {
  const digest = createHash('sha512').update(`${number}\n${value}`).digest();
  const text = String(value);
  const end = text.includes('@') ? text.indexOf('@') : text.length;
  const other = [...text.slice(0, end)].map((character, at) => {
    const alphabet = alphabets.find((one) => one.includes(character)) ?? character;
    // A number does not start with zero.
    const from = typeof value === 'number' && at === 0 ? alphabet.slice(1) : alphabet;
    return from[(digest[at % digest.length] ?? 0) % from.length];
  });
  const absent = other.join('') + text.slice(end);
  return typeof value === 'number' ? Number(absent) : absent;
}

/** The credentials of a client, or of a user, with a wrong secret. */
export function createWrongCredentials(value: string | number): readonly [string, string] {
  return ['Authorization', basicAuthorization({ clientId: String(value), clientSecret: 'not the secret of it' })];
}
