/** Starts the server of this package in memory as the reference: its caller has the roles of the caller of the command. */
import { type BaseClient, createBaseClient } from '../../client/create-client.ts';
import type { Credentials } from '../../client/credentials.ts';
import type { Manifest } from '../../contract/manifest-types.ts';
import { isReservedRole } from '../../contract/roles.ts';
import { usageError } from '../errors.ts';
import type { SuiteCaller } from './caller-authorities.ts';

export interface ReferenceServer {
  readonly client: BaseClient;
  /** Ids of entities that reads use. */
  readonly variables: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

const callerId = 'reference-caller';
const secret = 'reference-server-of-one-run';
const administratorRoles = ['AUTH-BASIC', 'AUTH-MFA', 'ADMIN', 'IAM_ADMIN_MAINTENANCE', 'IAM_ADMIN_READ_ONLY'];
const business = { businessId: 'reference-business', businessName: 'Reference', document: '12345' };
const staff = { businessId: business.businessId };
const ids = {
  existingGroupId: 'reference-group',
  existingBusinessId: business.businessId,
  existingServiceId: 'reference-service',
  existingUserId: 'reference-user',
  existingCorporateGroupId: '64b0c0ffee00000000000005',
};

/** @throws CliError (exit 2) for a setting that is not valid */
export async function startReferenceServer(
  caller: SuiteCaller,
  manifest: Manifest,
  settings: Readonly<Record<string, string>>,
): Promise<ReferenceServer> {
  const { SettingError, startInMemory } = await import('../../server/main.ts');
  const server = await startInMemory(settings, buildSeed(caller)).catch((error: unknown) => {
    throw error instanceof SettingError ? usageError(`--reference-setting: ${error.message}`) : error;
  });
  const connect = (credentials?: Credentials) => createBaseClient({ baseUrl: server.url, credentials }, manifest);
  const client = connect(await createCredentials(caller, connect));
  return {
    client,
    variables: ids,
    stop: async () => {
      await client.close();
      await server.stop();
    },
  };
}

/** A key of 32 bytes that no request uses. */
function createKey(text: string): string {
  return Buffer.alloc(32, text).toString('base64');
}

/** Entities that reads use, and a caller with the same roles. */
function buildSeed(caller: SuiteCaller): object {
  const isUser = caller.kind === 'user';
  const roles = caller.authorities ? [...caller.authorities.roles] : ['CLI-1STPARTY', ...administratorRoles];
  const scope = [...(caller.authorities?.scope ?? [])];
  const party = roles.includes('CLI-3RDPARTY') ? '3RDPARTY' : '1STPARTY';
  const groupRoles = isUser ? roles.filter((name) => !isReservedRole(name)) : [];
  const own = roles.filter((name) => !name.startsWith('CLI-'));
  const userCaller = {
    userId: `${callerId}-user`,
    userName: `${callerId}-user`,
    userEmail: 'caller@reference.invalid',
    lead: !roles.includes('USER'),
    ...(roles.includes('BUSINESS') ? { businessId: business.businessId } : {}),
  };
  return {
    clients: [
      { clientId: callerId, clientSecret: secret, party, scope, ...(isUser ? {} : { authorities: own }) },
      { clientId: 'reference-app', clientSecret: secret, serviceAccountId: ids.existingServiceId },
    ],
    businesses: [business, { ...business, businessId: 'reference-business-2', document: '12346' }],
    users: [
      { ...staff, userId: ids.existingUserId, userName: ids.existingUserId, userEmail: 'user@reference.invalid' },
      { ...staff, userId: 'reference-user-2', userName: 'reference-user-2', userEmail: 'user2@reference.invalid' },
      ...(isUser ? [userCaller] : []),
    ],
    groups: [
      ...(groupRoles.length > 0
        ? [{ groupName: 'reference-callers', roles: groupRoles, users: [userCaller.userId] }]
        : []),
      {
        groupName: ids.existingGroupId,
        users: [ids.existingUserId, 'reference-user-2'],
        businesses: [business.businessId, 'reference-business-2'],
        businessUsers: [
          { businessId: business.businessId, userId: ids.existingUserId },
          { businessId: business.businessId, userId: 'reference-user-2' },
        ],
        services: [ids.existingServiceId],
      },
    ],
    apiKeys: [
      { appId: 'reference-1', clientId: 'reference-app', apiKey: createKey('1') },
      { appId: 'reference-2', clientId: 'reference-app', apiKey: createKey('2') },
    ],
    corporateGroups: [
      { corporateGroupId: ids.existingCorporateGroupId, corporateGroupName: 'Reference' },
      { corporateGroupName: 'Reference 2' },
    ],
  };
}

/** A user is signed in through the control plane of the reference, which has no password to ask for. */
async function createCredentials(
  { kind, authorities }: SuiteCaller,
  connect: (credentials?: Credentials) => BaseClient,
): Promise<Credentials | undefined> {
  if (kind === 'none') return undefined;
  if (kind !== 'user') return { clientId: callerId, clientSecret: secret };
  const level = ['AUTH-MFA', 'AUTH-BASIC', 'AUTH-IDENTIFIED'].find((name) => authorities?.roles.has(name));
  const anonymous = connect();
  const body = { userId: `${callerId}-user`, clientId: callerId, ...(level === undefined ? {} : { level }) };
  const response = await anonymous.raw('POST', '/_iam/sessions', { body, anonymous: true });
  await anonymous.close();
  return { token: String((response.body as { readonly accessToken?: unknown }).accessToken) };
}
