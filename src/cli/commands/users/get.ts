/** `iam users get`: the contacts and logons of the service API, and all else of the control plane. */
import type { Command } from 'commander';
import { reference } from '../../../contract/entities.ts';
import { resolveCredentials } from '../../auth/credentials.ts';
import { addCommand, setAction } from '../../command.ts';
import type { CliRuntime, Context } from '../../context.ts';
import { requireSendableCredentials } from '../../http/connection.ts';
import type { DetailList } from '../../output/details.ts';
import { formatMobile } from '../../output/mobile.ts';
import type { TableRow } from '../../output/table.ts';
import { declareValueSources } from '../../prompts/value-sources.ts';
import { callOperation } from '../../request/call-operation.ts';
import { buildListShape } from '../../request/control-plane.ts';
import type { EntityRead } from '../../request/entity-rows.ts';
import { withFileEtag } from '../../request/file-etag.ts';
import { getOperation } from '../../request/find-operation.ts';
import { findVerbAliases } from '../../request/operation-names.ts';
import { addTargetOptions } from '../../request/several-targets.ts';
import { groupList, printEntities, readControlDetails } from '../control-details.ts';

export function addUsersGet(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'get', {
    title: 'Show a user',
    description:
      'Shows login names, contacts, lock, business, groups, effective roles with the groups that grant them, and active sessions. The service API returns the main contacts and the logons; all else is from the control plane of the server under /_iam. Where the control plane is disabled or rejects the caller, only contacts and logons are shown, with a notice. Without credentials, the contacts are masked.',
    roles: getOperation(runtime.manifest, 'user-identities.get').roles,
    effect: 'read',
    examples: [
      { title: 'As a table', command: 'alice' },
      { title: 'As JSON', command: 'alice -o json' },
    ],
  })
    .aliases(findVerbAliases('get'))
    .argument('<user-id...>', 'User id or login name');
  addTargetOptions(command, { effect: 'read' });
  const user = reference('user', ['id']);
  declareValueSources(command, { 'user-id': user });
  setAction(command, runtime, (context, [ids]) =>
    printEntities(context, ids, {
      reference: user,
      read: (id) => readUser(context, id),
      shape,
      lists: [contactList, groupList, roleList, sessionList],
      summarize,
    }),
  );
}

/** The user for `get` and `update`. Without the control plane, the ETag is of contacts and logons only. */
export async function readUser(context: Context, id: string): Promise<EntityRead> {
  return withFileEtag(context, 'user-identities.update', await readFields(context, id));
}

async function readFields(context: Context, id: string): Promise<EntityRead> {
  const isSignedIn = resolveCredentials(context.settings).kind !== 'none';
  // First, so that its ETag is not newer than the contacts.
  const [found] = await Promise.allSettled([readControlDetails(context, `/_iam/users/${encodeURIComponent(id)}`)]);
  // Its errors are those of the caller; the control plane of a local server needs no credentials.
  const main = isSignedIn ? await readMainContacts(context, id) : undefined;
  if (found.status === 'rejected') throw found.reason;
  const details = found.value;
  if ('entity' in details) {
    if (!main) context.notice('Contacts are masked. Sign in with `iam login` to see the main contacts.');
    const { userId, userName, ...others } = details.entity;
    return { entity: { userId, userName, ...main?.entity, ...others }, etag: details.etag ?? main?.etag };
  }
  if (!main) {
    if (details.rejection) throw details.rejection;
    requireSendableCredentials(context.settings);
  }
  const reason = details.rejection?.message ?? 'the server has no control plane, or its version lacks this route.';
  context.notice(`Only main contacts and logons are shown: ${reason}`);
  return { entity: { userId: id, ...main?.entity }, etag: main?.etag };
}

async function readMainContacts(context: Context, id: string): Promise<EntityRead> {
  const { body, headers } = await callOperation(context, 'user-identities.get', { params: { id } });
  return { entity: body as TableRow, etag: headers.etag };
}

const shape = buildListShape(
  [
    ...['userId', 'userName', 'businessId', 'locked', 'effectiveRoles', 'userEmail', 'userMobile', 'legacyLogons'],
    ...['identities', 'businessName', 'customerId', 'lead', 'lockReason', 'createdAt', 'sessions', 'contacts'],
    ...['groups', 'groupCount', 'effectiveRoleCount', 'roleSources', 'activeSessions'],
  ],
  5,
);

/** The server returns the roles twice: as names, and with their groups. */
const roleList: DetailList = {
  property: 'effectiveRoles',
  text: ['through'],
  toRow: ({ role, groups = [], groupCount }) => ({ role, through: formatNames(groups as string[], groupCount) }),
  note: ({ locked }) => (locked === true ? 'without effect while the user is locked' : undefined),
};

function formatNames(names: readonly string[], count: unknown): string {
  const more = Number(count) - names.length;
  return names.join(', ') + (more > 0 ? ` and ${more} more` : '');
}

const sessionList: DetailList = {
  property: 'activeSessions',
  toRow: ({ sessionId, clientId, clientName, level, startedAt, endsAt }) => ({
    ...{ sessionId, clientId, clientName, level, startedAt, endsAt },
  }),
};

const contactList: DetailList = {
  property: 'contacts',
  toRow: ({ id, email, mobile, verified, default: isDefault }) => ({
    contact: id,
    address: email ?? formatMobile(mobile),
    verified,
    default: isDefault,
  }),
};

/** The user for people: each role with its groups. */
function summarize({ roleSources, activeSessions, ...user }: TableRow): TableRow {
  return {
    ...user,
    // A server of an older version returns the names only.
    ...(Array.isArray(user.effectiveRoles) ? { effectiveRoles: roleSources ?? user.effectiveRoles.map(toRole) } : {}),
    ...(Array.isArray(activeSessions) && activeSessions.length > 0 ? { activeSessions } : {}),
  };
}

function toRole(role: unknown): TableRow {
  return { role };
}
