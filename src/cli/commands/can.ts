/** `iam can`: whether somebody has a role, and through which groups. */

import type { Command } from 'commander';
import { ClientError } from '../../client/errors.ts';
import type { CallInput } from '../../client/types.ts';
import { reference } from '../../contract/entities.ts';
import type { ErrorCode } from '../../contract/errors.ts';
import { bareRole, isReservedRole } from '../../contract/roles.ts';
import { addLeaf, type LeafText, type Options, rolesVary, runs } from '../leaf.ts';
import { operationOf } from '../operations.ts';
import type { Context, Surroundings } from '../runtime/context.ts';
import { escapeControls } from '../runtime/control-characters.ts';
import { CliError, QuietExit, usageError } from '../runtime/failures.ts';
import { send } from '../send.ts';
import { takes } from '../value-sources.ts';
import { roleWay } from './role-path.ts';

export const canText: LeafText = {
  title: 'Tells whether a user or service has a role',
  description:
    'And through which groups: `leads > ops` is the group leads, which depends on ops. Exit code 0 is yes, 1 is no. With --business only what a user has in the name of that business counts.',
  roles: rolesVary,
  effect: 'read',
  examples: [
    { title: 'A user', command: 'USER_ID DEPLOY' },
    { title: 'A service, in a script', command: 'billing-service DEPLOY -q' },
    { title: 'A user in the name of its business', command: 'USER_ID APPROVE --business BUSINESS_ID -o json' },
  ],
};

/** Adds the command. */
export function addCan(program: Command, surroundings: Surroundings): void {
  const command = addLeaf(program, 'can', canText)
    .argument('<subject>', 'Id of a user, or of the service account of a client')
    .argument('<role>', 'Role')
    .option('--business <id>', 'business in whose name the user acts');
  takes(command, {
    subject: [reference('user', ['id']), reference('client', ['serviceAccount'])],
    role: reference('role', ['name']),
    '--business': reference('business', ['id']),
  });
  runs(command, surroundings, (context, [subject, role], options) =>
    can(context, String(subject), bareRole(String(role)), options),
  );
}

interface RoleSource {
  readonly role: string;
  readonly groupNames: readonly string[];
}

interface Holder {
  readonly kind: 'user' | 'service';
  readonly roles: readonly RoleSource[];
}

async function can(context: Context, subject: string, role: string, options: Options): Promise<void> {
  if (isReservedRole(role))
    throw usageError(`${role} is given by the service itself at every login, not by groups.`, 'See `iam whoami`.');
  const businessId = options.business as string | undefined;
  const { kind, roles } = await holder(context, subject, businessId);
  const through = roles.find((held) => held.role === role)?.groupNames ?? [];
  const allowed = roles.some((held) => held.role === role);
  const ways = await Promise.all(through.map((groupName) => roleWay(context, groupName, role)));
  if (context.printer.isForPeople) context.printer.lines([sentence(subject, role, allowed, ways)]);
  else await context.printer.value({ subject, kind, role, businessId, allowed, through, ways });
  if (!allowed) throw new QuietExit(1);
}

function sentence(subject: string, role: string, allowed: boolean, ways: readonly (readonly string[])[]): string {
  const [who, what] = [escapeControls(subject), escapeControls(role)];
  const through = ways.map((way) => way.map(escapeControls).join(' > '));
  return allowed ? `yes: ${who} has ${what} through ${through.join(', ')}` : `no: ${who} does not have ${what}`;
}

/** A user, or else a service: the ids of both are of one name space. */
async function holder(context: Context, subject: string, businessId: string | undefined): Promise<Holder> {
  const asUser = await rolesOf(
    context,
    'user-accesses.list-user-roles',
    subject,
    { businessId },
    businessId === undefined,
  );
  if (asUser) return { kind: 'user', roles: asUser };
  const asService = await rolesOf(context, 'service-accesses.list-service-roles', subject, {}, true);
  if (asService) return { kind: 'service', roles: asService };
  throw new CliError(`There is neither a user nor a service ${JSON.stringify(subject)}.`, {
    code: 'SUBJECT_NOT_FOUND',
    exitCode: 3,
    fix: 'Find the id with `iam users list` or `iam clients list`.',
  });
}

const absences: readonly string[] = ['USER_NOT_FOUND', 'SERVICE_NOT_FOUND'] satisfies ErrorCode[];

/** Nothing where nobody has the id and that `mayBeAnother`. */
async function rolesOf(
  context: Context,
  id: string,
  subject: string,
  query: CallInput['query'],
  mayBeAnother: boolean,
): Promise<readonly RoleSource[] | undefined> {
  const operation = operationOf(context.manifest, id);
  const params = Object.fromEntries(operation.params.map(({ name }) => [name, subject]));
  try {
    return (await send(context, operation, { params, query })).body as readonly RoleSource[];
  } catch (error) {
    const isAbsent = error instanceof ClientError && absences.includes(error.code);
    if (isAbsent && mayBeAnother) return undefined;
    throw error;
  }
}
