/**
 * Which clients take part in browser logins, and who decides so. A user who follows a link logs in for a client, whose
 * redirect URI or device then gets the rights of that user (RFC 9700, 4.11.2). For callers of other machines,
 * administrators with maintenance rights therefore approve what such a client has.
 */
import { apiError, detailedError } from '../../contract/errors.ts';
import { type LoginGrantType, loginGrantTypes } from '../../contract/grant-types.ts';
import type { Settings } from '../config/settings.ts';
import { isLocalName } from '../config/validators.ts';
import type { RequestSource } from '../lib/request-source.ts';
import type { Reader } from '../store/store.ts';
import type { Client, Session } from '../store/tables.ts';
import { ownsClient } from './object-access.ts';
import type { Principal } from './principal.ts';

/** Whether users can log in to the application in this way: without `browserLogin` to those of the first party. */
export function takesPartInLogins(
  { grantTypes, party, browserLogin = party === '1STPARTY' }: Pick<Client, 'grantTypes' | 'party' | 'browserLogin'>,
  grantType: LoginGrantType = 'authorization_code',
): boolean {
  return browserLogin && grantTypes.includes(grantType);
}

/** Whether users can log in to the application in any way. */
export function takesPartInAnyLogin(client: Client): boolean {
  return loginGrantTypes.some((name) => takesPartInLogins(client, name));
}

/** Whether users can still log in to the client as in this session. */
export function takesPartInLoginsOf(client: Client, { grantType }: NonNullable<Session['openid']>): boolean {
  // Sessions of earlier versions do not say it.
  return grantType === undefined ? takesPartInAnyLogin(client) : takesPartInLogins(client, grantType);
}

/** Whether the client has less than before of what its logins depend on, so that those in progress have to start again. */
export function losesLogins(before: Client, after: Client): boolean {
  if (before.party === '1STPARTY' && after.party === '3RDPARTY') return true;
  if (loginGrantTypes.some((name) => takesPartInLogins(before, name) && !takesPartInLogins(after, name))) return true;
  const kept = listApprovedValues(after);
  return Object.entries(listApprovedValues(before)).some(([name, values]) =>
    values.some((value) => !kept[name]?.includes(value)),
  );
}

/**
 * Requires, in the transaction that issues a code or stores a request of a login, that the client still has what the request
 * was checked against. @throws IamError GRANT_TYPE_NOT_ALLOWED.
 */
export async function assertLoginsKept(reader: Pick<Reader, 'clients'>, client: Client): Promise<void> {
  const current = await reader.clients.get(client.clientId);
  if (current && !losesLogins(client, current)) return;
  const message = `${nameApplication(client)} was changed during the login. Start the login again.`;
  throw apiError('GRANT_TYPE_NOT_ALLOWED', message);
}

/** Why users cannot log in to the application in this way, and the command that changes that. */
export function explainLoginRefusal(client: Client, grantType: LoginGrantType = 'authorization_code'): string {
  const { clientId, grantTypes } = client;
  return grantTypes.includes(grantType)
    ? `Users cannot log in to ${nameApplication(client)} until an administrator with IAM_ADMIN_MAINTENANCE approves it: iam clients update ${clientId} --browser-login`
    : `${nameApplication(client)} is not registered for logins, its grant types lack ${grantType}: iam clients update ${clientId} --add-grant-type ${grantType}`;
}

/** Its name, with the id by which its developer finds it. */
export function nameApplication({ appId, clientId }: Client): string {
  return appId === clientId ? appId : `${appId} (${clientId})`;
}

interface RequestOrigin {
  readonly source: Pick<RequestSource, 'isLoopback' | 'isRelayed'>;
  readonly baseUrl: string;
}

/** Under a base URL of another name a proxy may forward every request, and without its headers all look local. */
export function isFromThisMachine({ source, baseUrl }: RequestOrigin): boolean {
  return source.isLoopback && source.isRelayed !== true && isLocalName(new URL(baseUrl).hostname);
}

export interface ApprovalDeps extends RequestOrigin {
  readonly settings: Pick<Settings, 'allowRemote'>;
  readonly caller: Principal;
}

/** Without remote access, callers of other machines come through a proxy. */
function isRemote(deps: ApprovalDeps): boolean {
  return deps.settings.allowRemote || !isFromThisMachine(deps);
}

/** The roles that the caller lacks to approve a client. Every caller of this machine approves without remote access. */
function listMissingApprovalRoles(deps: ApprovalDeps): string[] {
  return isRemote(deps) ? listMissingMaintenanceRoles(deps.caller) : [];
}

/** The roles that the caller lacks for what the control plane reserves to administrators with maintenance rights. */
export function listMissingMaintenanceRoles({ roles }: Principal): string[] {
  return ['IAM_ADMIN_MAINTENANCE', 'AUTH-MFA'].filter((role) => !roles.has(role));
}

/** The approval that a new client has: users create third-party clients, with any redirect URI. */
export function chooseApproval(
  { party, grantTypes }: Pick<Client, 'party' | 'grantTypes'>,
  deps: ApprovalDeps,
): Pick<Client, 'browserLogin'> {
  if (!loginGrantTypes.some((name) => grantTypes.includes(name))) return {};
  if (party === '3RDPARTY') return isRemote(deps) ? {} : { browserLogin: true };
  return listMissingApprovalRoles(deps).length === 0 ? {} : { browserLogin: false };
}

/**
 * Only approvers add to what a client that takes part in logins has: its name, redirect URIs, grant types and scope. Others
 * can remove, and change a client that takes part no longer. @throws IamError GRANT_EXCEEDED.
 */
export function assertApproved(before: Client, after: Client, deps: ApprovalDeps): void {
  const missingRoles = listMissingApprovalRoles(deps);
  if (missingRoles.length === 0 || !takesPartInAnyLogin(after)) return;
  const known = listApprovedValues(before);
  const names = Object.entries(listApprovedValues(after)).flatMap(([name, values]) =>
    values.every((value) => known[name]?.includes(value)) ? [] : [name],
  );
  if (names.length === 0) return;
  const message = `New values of ${names.join(', ')} require ${missingRoles.join(' and ')}, as users log in to the client with a browser. Otherwise, send browserLogin: false too: then users cannot log in until an administrator with IAM_ADMIN_MAINTENANCE and AUTH-MFA approves the client again.`;
  throw detailedError('GRANT_EXCEEDED', { missingRoles }, message);
}

/** The client as others than approvers change it: one that takes part no longer needs an approval to take part again. */
export function withdrawApproval(before: Client, after: Client, deps: ApprovalDeps): Client {
  const isWithdrawn = takesPartInAnyLogin(before) && !takesPartInAnyLogin(after);
  if (!isWithdrawn || listMissingApprovalRoles(deps).length === 0) return after;
  return { ...after, browserLogin: false };
}

function listApprovedValues(client: Client): Readonly<Record<string, readonly string[]>> {
  const { appId, redirectURI, otherRedirectURIs = [], grantTypes, scope } = client;
  const redirectURIs = [redirectURI, ...otherRedirectURIs].filter((uri) => uri !== undefined);
  return { appId: [appId], redirectURIs, grantTypes, scope };
}

/**
 * Credentials of a client that takes part in logins start logins in its name: only approvers obtain them, and the owner of a
 * third-party client. @throws IamError GRANT_EXCEEDED.
 */
export function assertMayObtainCredentials(client: Client, deps: ApprovalDeps): void {
  const missingRoles = listMissingApprovalRoles(deps);
  if (missingRoles.length === 0 || !takesPartInAnyLogin(client)) return;
  if (client.party === '3RDPARTY' && ownsClient(deps.caller, client)) return;
  const message = `Users log in to the client ${client.clientId} with a browser, so new credentials of it require ${missingRoles.join(' and ')}. Otherwise, update the client with browserLogin: false first, which ends its logins.`;
  throw detailedError('GRANT_EXCEEDED', { missingRoles }, message);
}
