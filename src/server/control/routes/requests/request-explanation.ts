/** Explains a response from its request log entry and from the current store. */

import * as z from 'zod';
import { ErrorItemSchema } from '../../../../contract/error-body.ts';
import { type ErrorEntry, errorTable } from '../../../../contract/error-codes.ts';
import type { ErrorItem } from '../../../../contract/errors.ts';
import {
  describeMissing,
  formatRoleHint,
  formatRoles,
  isReservedRole,
  listMissingAlternatives,
} from '../../../../contract/roles.ts';
import { exampleText, optionalInt, optionalText } from '../../../../contract/schemas/primitives.ts';
import { computeLevel } from '../../../directory/authentication-levels.ts';
import { listGroupIdsOfMember } from '../../../directory/group-roles.ts';
import { listMemberIdentities } from '../../../directory/user-roles.ts';
import { type Clock, epochSeconds } from '../../../lib/clock.ts';
import type { CredentialKind, RequestLogEntry } from '../../../observability/request-log.ts';
import type { Reader } from '../../../store/store.ts';
import type { Client, User } from '../../../store/tables.ts';
import { findCures, RequestCure } from './request-cures.ts';

export const RequestExplanation = z.strictObject({
  requestId: exampleText('4f1c2b7a-93de-4c55-8a0e-2f6f5f0e9b11'),
  operation: optionalText('groups.get'),
  method: exampleText('GET'),
  path: exampleText('/security/iam/v1/groups/ops'),
  status: optionalInt(404),
  rejected: z.boolean().meta({ examples: [true] }),
  errors: z.array(z.strictObject({ ...ErrorItemSchema.shape, hint: z.string() })).meta({
    examples: [
      [{ code: 'GROUP_NOT_FOUND', message: errorTable.GROUP_NOT_FOUND.message, hint: errorTable.GROUP_NOT_FOUND.hint }],
    ],
  }),
  flow: optionalText('0a1b2c3d4e5f6071', 'The login with a browser or of a device that the request is a step of'),
  fault: optionalText('f1 status=503', 'The injected fault'),
  testToken: optionalText(
    'aud, signature=broken',
    'How the access token differs from a normal one, if it is a test token',
  ),
  credential: z.strictObject({
    authMethod: exampleText('bearer', 'Authentication method of the request'),
    accepted: z.boolean().meta({ description: 'Whether the credential was accepted', examples: [true] }),
    reason: optionalText(
      'The access token has expired.',
      'Why it was rejected; not part of the response to the caller',
    ),
  }),
  client: z
    .strictObject({
      clientId: exampleText('billing-service'),
      appId: exampleText('billing'),
      party: exampleText('1STPARTY'),
    })
    .optional()
    .describe('The client; for rejected credentials, as it is now'),
  user: z
    .strictObject({
      userId: exampleText('alice'),
      userName: exampleText('alice'),
      locked: z.boolean(),
    })
    .optional()
    .describe('The user; for rejected credentials, as it is now'),
  session: z
    .strictObject({
      sessionId: exampleText('64b0c0ffee00000000000003'),
      level: exampleText('AUTH-BASIC'),
      endsAt: exampleText('2026-03-01T12:00:00.000Z'),
      active: z.boolean().meta({ examples: [true] }),
    })
    .optional()
    .describe('The session at the time of the request; active: whether it is active now'),
  logon: optionalText('ALICE01'),
  groups: z.array(z.string()).meta({ description: 'Names of the current groups of the caller', examples: [['ops']] }),
  roles: z
    .array(z.string())
    .meta({ description: 'Roles of the caller at the time of the request', examples: [['DEPLOY']] }),
  scope: z.array(z.string()).meta({ examples: [['reports.read']] }),
  requires: optionalText('CLI-1STPARTY and ADMIN', 'The role expression of the operation'),
  missing: z.array(z.string()).meta({
    description: 'What the caller lacks for the first of the alternatives',
    examples: [['DEPLOY']],
  }),
  alternatives: z.array(z.array(z.string())).meta({
    description:
      'What the caller lacks for each alternative of the role expression that it comes closest to, the least powerful first',
    examples: [[['DEPLOY'], ['ADMIN']]],
  }),
  forbidden: z
    .array(z.string())
    .meta({ description: 'What the caller must not have for the first alternative', examples: [[]] }),
  grantedBy: z
    .array(
      z.strictObject({
        role: exampleText('DEPLOY'),
        groups: z.array(z.string()).meta({ examples: [['ops']] }),
      }),
    )
    .describe('Groups that grant the missing roles directly'),
  cures: z
    .array(RequestCure)
    .describe(
      'What would let the request pass, by the current roles of the caller; empty if nothing of these kinds does',
    ),
  rule: optionalText('The last administrator cannot be removed.', 'The object-access rule that rejected the request'),
});

type ExplanationJson = z.input<typeof RequestExplanation>;

interface ExplanationDeps {
  readonly store: Reader;
  readonly clock: Clock;
}

export async function explainRequest(entry: RequestLogEntry, deps: ExplanationDeps): Promise<ExplanationJson> {
  const { requestId, operation, method, path, status, errors, flow, fault, testToken } = entry;
  const caller = await findCaller(entry, deps.store);
  return {
    requestId,
    ...(operation ? { operation: operation.id } : {}),
    method,
    path,
    ...(status === undefined ? {} : { status }),
    rejected: errors.length > 0,
    errors: errors.map((error) => ({ ...error, hint: findHint(error) })),
    ...(flow === undefined ? {} : { flow }),
    ...(fault === undefined ? {} : { fault }),
    ...(testToken === undefined ? {} : { testToken }),
    ...readReason(entry),
    ...(await readCaller(entry, caller, deps)),
    ...(await readRoles(entry, deps)),
    cures: await findCures(entry, caller, deps),
  };
}

function findEntry(code: string): ErrorEntry | undefined {
  return (errorTable as Readonly<Record<string, ErrorEntry>>)[code];
}

/** Which role a group should grant is said by the cures, as one of several is often enough. */
function findHint({ code, details }: ErrorItem): string {
  const { missingRoles = [], missingScopes = [] } = details ?? {};
  const isGranted = missingRoles.some((role) => !isReservedRole(role));
  const roleHint = code === 'ROLE_MISSING' && !isGranted ? formatRoleHint({ missingRoles, missingScopes }) : undefined;
  return roleHint ?? findEntry(code)?.hint ?? '';
}

const credentialLabels: Readonly<Record<CredentialKind, string>> = {
  none: 'none',
  'client-id': 'client-id',
  basic: 'basic',
  bearer: 'bearer',
  'api-key': 'api-key',
  body: 'body',
  other: 'an unsupported Authorization scheme',
};

/** Assigns the reason to the credential or to a rule, depending on the error. */
function readReason({
  caller,
  credential,
  reason,
  errors,
}: RequestLogEntry): Pick<ExplanationJson, 'credential' | 'rule'> {
  const isCredential = errors.some(
    ({ code }) => findEntry(code)?.category === 'credentials' || code === 'GRANT_INVALID',
  );
  // A login has two credentials: that of the client, which was accepted, and that of the user.
  const authMethod = (isCredential ? undefined : caller?.authMethod) ?? credentialLabels[credential ?? 'none'];
  const accepted = !isCredential && authMethod !== 'none';
  if (reason === undefined) return { credential: { authMethod, accepted } };
  return isCredential
    ? { credential: { authMethod, accepted, reason: reason.text } }
    : { credential: { authMethod, accepted }, rule: reason.text };
}

interface FoundCaller {
  readonly client: Client | undefined;
  readonly user: User | undefined;
}

/** The caller; for rejected credentials, whom they name. */
async function findCaller({ caller, reason }: RequestLogEntry, store: Reader): Promise<FoundCaller> {
  return {
    client: caller?.client ?? (await store.clients.get(reason?.clientId ?? '')),
    user: caller?.user ?? (await store.users.get(reason?.userId ?? '')),
  };
}

async function readCaller(
  { caller }: RequestLogEntry,
  { client, user }: FoundCaller,
  { store, clock }: ExplanationDeps,
) {
  const { session, logon } = caller ?? {};
  const now = epochSeconds(clock);
  const current = session && (await store.sessions.get(session.sessionId));
  return {
    ...(client ? { client: { clientId: client.clientId, appId: client.appId, party: client.party } } : {}),
    ...(user ? { user: { userId: user.userId, userName: user.userName, locked: user.locked } } : {}),
    ...(session
      ? {
          session: {
            sessionId: session.sessionId,
            level: computeLevel(session, now),
            endsAt: new Date(session.endsAt * 1000).toISOString(),
            active: current !== undefined && current.endsAt > now,
          },
        }
      : {}),
    ...(logon === undefined ? {} : { logon }),
    groups: await listGroupNames(store, client, user),
  };
}

/** Groups of the user on whose behalf the client sends the request, or else of the client. */
async function listGroupNames(store: Reader, client: Client | undefined, user: User | undefined): Promise<string[]> {
  const service = client?.serviceAccountId;
  const own = service === undefined ? [] : [{ kind: 'service', memberId: service } as const];
  const members = user ? listMemberIdentities(user) : own;
  const ids = (await Promise.all(members.map((member) => listGroupIdsOfMember(store, member)))).flat();
  const groups = await Promise.all([...new Set(ids)].map((id) => store.groups.get(id)));
  return groups.flatMap((group) => (group ? [group.groupName] : [])).sort();
}

async function readRoles({ caller, operation }: RequestLogEntry, { store }: ExplanationDeps) {
  const granted = { roles: [...(caller?.roles ?? [])].sort(), scope: [...(caller?.scope ?? [])].sort() };
  if (!operation) return { ...granted, missing: [], alternatives: [], forbidden: [], grantedBy: [] };
  const noAuthorities = { roles: new Set<string>(), scope: new Set<string>() };
  const alternatives = listMissingAlternatives(operation.roles, caller ?? noAuthorities);
  const roles = new Set(alternatives.flatMap(({ missingRoles }) => missingRoles));
  const grantedBy = await Promise.all(
    [...roles]
      .filter((role) => !isReservedRole(role))
      .map(async (role) => {
        const groups = await store.groups.find('role', role, { limit: 10 });
        return { role, groups: groups.map(({ groupName }) => groupName) };
      }),
  );
  return {
    ...granted,
    requires: formatRoles(operation.roles),
    missing: alternatives.slice(0, 1).flatMap(describeMissing),
    alternatives: alternatives.map(describeMissing),
    forbidden: alternatives.slice(0, 1).flatMap(({ forbidden }) => forbidden),
    grantedBy,
  };
}
