import * as z from 'zod';
import { apiError, detailedError, fieldError } from '../../../../contract/errors.ts';
import { isReservedRole, stripRolePrefix } from '../../../../contract/roles.ts';
import {
  Audiences,
  browserLoginFields,
  ClientId,
  clientFields,
  RedirectURIs,
} from '../../../../contract/schemas/client.ts';
import { listUpTo } from '../../../../contract/schemas/primitives.ts';
import { RoleName } from '../../../../contract/schemas/role.ts';
import { isLevelUpTo } from '../../../directory/authentication-levels.ts';
import { assertMayGrantScope, replaceLists, reserveServiceAccount } from '../../../directory/clients.ts';
import { assertNoLookalikes } from '../../../directory/groups.ts';
import { assertApproved, listMissingMaintenanceRoles, withdrawApproval } from '../../../directory/login-approval.ts';
import { normalizeNewName } from '../../../directory/new-names.ts';
import type { Principal } from '../../../directory/principal.ts';
import { endLoginsOfChangedClient } from '../../../sessions/end-sessions.ts';
import type { Transaction } from '../../../store/store.ts';
import type { Client } from '../../../store/tables.ts';
import { createLengthGuard } from '../../../tokens/length-guard.ts';
import { findCaller, requireManagedClient } from '../../client-access.ts';
import { defineRoute } from '../../define.ts';
import { ClientWithGrants, readClientWithGrants } from './client-with-grants.ts';

const { appId, scope, grantTypes, organizationId, businessUnitId, serviceAccountId } = clientFields;

/** Ids, owner and party of a client never change, but for a service account that it lacks: tokens, memberships and audit records refer to them. */
const ClientUpdate = z
  .strictObject({
    appId: appId.optional(),
    serviceAccountId: serviceAccountId.describe('Service account, for a client that has none: it can be in groups'),
    scope,
    grantTypes,
    redirectURIs: RedirectURIs.optional()
      .describe('Redirect URIs for logins')
      .meta({ examples: [['https://app.example.com/callback']] }),
    audiences: Audiences.optional()
      .describe('Audiences of its tokens (aud), besides the issuer')
      .meta({ examples: [['https://api.example.com']] }),
    browserLogin: browserLoginFields.browserLogin.nullable(),
    postLogoutRedirectURIs: browserLoginFields.postLogoutRedirectURIs,
    requirePkce: browserLoginFields.requirePkce.nullable(),
    requirePushedAuthorizationRequests: browserLoginFields.requirePushedAuthorizationRequests.nullable(),
    idTokenAlg: browserLoginFields.idTokenAlg.nullable(),
    organizationId: organizationId.nullable(),
    businessUnitId: businessUnitId.nullable(),
    authorities: listUpTo(100, RoleName)
      .optional()
      .describe('Authorities of the client itself, besides those of groups'),
    factorVisibility: z
      .enum(['CREDENTIALS_ONLY', 'MARKED_RESOURCES', 'UNRESTRICTED'])
      .optional()
      .describe('Which factors of a user the client sees'),
  })
  .meta({ id: 'ClientUpdate' });

type ClientUpdate = z.output<typeof ClientUpdate>;

export default defineRoute({
  capability: 'clients',
  id: 'control.update-client',
  title: 'Update a client',
  description:
    'Changes the fields that are sent, and no others; null clears a field, a list replaces the previous one. Changes take effect from the next request on; a client that no longer takes part in browser logins loses the sessions that these started. Client id, owner and party cannot change, nor a service account that the client has. Administrators need every authority and scope of the client; IAM_ADMIN_MAINTENANCE counts as every scope. Owners can update their own third-party clients, if these have no authority and no scope that the owner lacks. authorities, audiences, factorVisibility, serviceAccountId, the settings of browser logins (browserLogin, postLogoutRedirectURIs, requirePkce, requirePushedAuthorizationRequests, idTokenAlg) and every field of the clients of the first start require IAM_ADMIN_MAINTENANCE and AUTH-MFA, except browserLogin: false; with remote access or behind a proxy, so do new values of appId, redirectURIs, grantTypes and scope of a client that takes part in browser logins after the change; of the roles that only the service grants, authorities can add levels up to that of the caller; without IAM_ADMIN_MAINTENANCE, a caller can add only scope that it has itself.',
  method: 'PATCH',
  path: '/clients/{id}',
  audit: {
    kind: 'administration',
    targets: { path: ['id'], body: ['appId', 'organizationId', 'businessUnitId', 'authorities', 'scope'] },
  },
  request: {
    params: { id: ClientId.meta({ 'x-argument': 'client-id' }) },
    body: ClientUpdate,
  },
  response: { status: 200, body: ClientWithGrants, entity: true },
  errors: [
    ...([
      'CLIENT_NOT_FOUND',
      'TOKEN_NARROWED',
      'GRANT_EXCEEDED',
      'SCOPE_EXCEEDED',
      'NAME_NOT_VISIBLE',
      'BOOTSTRAP_CLIENT',
    ] as const),
    ...(['ROLE_RESERVED', 'CHANGED_MEANWHILE', 'TOKEN_LIMIT_EXCEEDED', 'FIELD_VALUE', 'ID_TAKEN'] as const),
  ],
  openapiExamples: { body: { redirectURIs: ['https://app.example.com/callback'], scope: ['reports.read'] } },

  async handle({ params, body }, context) {
    const { clock, issuer, assertMatch } = context;
    const caller = findCaller(context);
    const now = clock.now();
    return createLengthGuard(issuer)(context.store).transaction(async (tx) => {
      const client = await requireManagedClient(tx, params.id, caller);
      assertMatch(ClientWithGrants, await readClientWithGrants(tx, client, now));
      const requested = changeClient(client, body);
      const changed = caller ? withdrawApproval(client, requested, context) : requested;
      assertNoLookalikes(changed.authorities.filter((role) => !client.authorities.includes(role)));
      if (caller) {
        assertMayAdminister(client, body, caller);
        assertNoServiceRoles(client, changed, caller);
        assertApproved(client, changed, context);
        const added = changed.scope.filter((name) => !client.scope.includes(name));
        if (!caller.roles.has('IAM_ADMIN_MAINTENANCE')) await assertMayGrantScope(tx, added, caller);
      }
      // After the checks of the caller: an id that is taken is that of a user or a client.
      await addServiceAccount(tx, client, body);
      await tx.clients.replace(changed);
      await endLoginsOfChangedClient(tx, client, changed);
      return readClientWithGrants(tx, changed, now);
    });
  },
});

/** @throws IamError BOOTSTRAP_CLIENT, NAME_NOT_VISIBLE. */
function changeClient(client: Client, update: ClientUpdate): Client {
  const { authorities, appId: name, redirectURIs, audiences, postLogoutRedirectURIs, ...fields } = update;
  if (authorities && client.bootstrap !== undefined)
    throw apiError('BOOTSTRAP_CLIENT', 'The authorities of the clients that the first start created cannot change.');
  const changed = {
    ...replaceLists(client, { redirectURIs, audiences, postLogoutRedirectURIs }),
    ...fields,
    ...(name === undefined ? {} : { appId: normalizeNewName('appId', name, client.appId) }),
    ...(authorities ? { authorities: [...new Set(authorities.map(stripRolePrefix))] } : {}),
  };
  return Object.fromEntries(
    Object.entries(changed).filter(([, value]) => value !== null && value !== undefined),
  ) as Client;
}

/** @throws IamError FIELD_VALUE, ID_TAKEN. */
async function addServiceAccount(tx: Transaction, client: Client, { serviceAccountId }: ClientUpdate): Promise<void> {
  if (serviceAccountId === undefined || serviceAccountId === client.serviceAccountId) return;
  if (client.serviceAccountId !== undefined)
    throw fieldError('FIELD_VALUE', 'serviceAccountId', 'The client has a service account, which cannot change.');
  await reserveServiceAccount(tx, { ...client, serviceAccountId });
}

/** The interface gives no operation that sets these fields. */
const maintenanceFields = [
  ...(['authorities', 'audiences', 'factorVisibility', 'serviceAccountId'] as const),
  ...([
    'browserLogin',
    'postLogoutRedirectURIs',
    'requirePkce',
    'requirePushedAuthorizationRequests',
    'idTokenAlg',
  ] as const),
];

/** Logins of all users use the clients of the first start. @throws IamError GRANT_EXCEEDED. */
function assertMayAdminister({ bootstrap }: Client, update: ClientUpdate, caller: Principal): void {
  // Every caller that may change the client can end the approval of its logins.
  const fields = maintenanceFields.filter(
    (field) => update[field] !== undefined && !(field === 'browserLogin' && update[field] === false),
  );
  if (bootstrap === undefined && fields.length === 0) return;
  const missingRoles = listMissingMaintenanceRoles(caller);
  if (missingRoles.length === 0) return;
  const what = bootstrap === undefined ? `Changes of ${fields.join(', ')}` : 'Changes of a client of the first start';
  throw detailedError('GRANT_EXCEEDED', { missingRoles }, `${what} require ${missingRoles.join(' and ')}.`);
}

/** No caller gives roles that only the service grants, but for levels up to its own. @throws IamError GRANT_EXCEEDED. */
function assertNoServiceRoles(before: Client, { authorities }: Client, { roles }: Principal): void {
  const added = authorities.filter((role) => !before.authorities.includes(role));
  const missingRoles = added.filter((role) => isReservedRole(role) && !isLevelUpTo(role, roles));
  if (missingRoles.length === 0) return;
  const message = `Only the service grants these roles: ${missingRoles.join(', ')}. A client can get levels up to that of the caller.`;
  throw detailedError('GRANT_EXCEEDED', { missingRoles }, message);
}
