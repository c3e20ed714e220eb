/** `iam can`: whether somebody has a role, and through which groups. */

import type { Command } from 'commander';
import { ClientError } from '../../client/errors.ts';
import type { CallInput } from '../../client/types.ts';
import { reference } from '../../contract/entities.ts';
import type { ErrorCode } from '../../contract/errors.ts';
import { isReservedRole, stripRolePrefix } from '../../contract/roles.ts';
import { addCommand, type CommandDescription, type CommandOptions, setAction, varyingRoles } from '../command.ts';
import { getOperation } from '../find-operation.ts';
import type { CliRuntime, Context } from '../runtime/context.ts';
import { escapeControls } from '../runtime/control-characters.ts';
import { CliError, QuietExit, usageError } from '../runtime/errors.ts';
import { send } from '../send.ts';
import { takes } from '../value-sources.ts';
import { findRolePath } from './role-path.ts';

export const canText: CommandDescription = {
  title: 'Tells whether a user or service has a role',
  description:
    'And through which groups: `leads > ops` is the group leads, which depends on ops. Exit code 0 is yes, 1 is no. With --business only what a user has in the name of that business counts.',
  roles: varyingRoles,
  effect: 'read',
  examples: [
    { title: 'A user', command: 'USER_ID DEPLOY' },
    { title: 'A service, in a script', command: 'billing-service DEPLOY -q' },
    { title: 'A user in the name of its business', command: 'USER_ID APPROVE --business BUSINESS_ID -o json' },
  ],
};

/** Adds the command. */
export function addCan(program: Command, runtime: CliRuntime): void {
  const command = addCommand(program, 'can', canText)
    .argument('<subject>', 'Id of a user, or of the service account of a client')
    .argument('<role>', 'Role')
    .option('--business <id>', 'business in whose name the user acts');
  takes(command, {
    subject: [reference('user', ['id']), reference('client', ['serviceAccount'])],
    role: reference('role', ['name']),
    '--business': reference('business', ['id']),
  });
  setAction(command, runtime, (context, [subject, role], options) =>
    can(context, String(subject), stripRolePrefix(String(role)), options),
  );
}

interface RoleSource {
  readonly role: string;
  readonly groupNames: readonly string[];
}

interface RoleHolder {
  readonly kind: 'user' | 'service';
  readonly roles: readonly RoleSource[];
}

async function can(context: Context, subject: string, role: string, options: CommandOptions): Promise<void> {
  if (isReservedRole(role))
    throw usageError(`${role} is given by the service itself at every login, not by groups.`, 'See `iam whoami`.');
  const businessId = options.business as string | undefined;
  const { kind, roles } = await findRoleHolder(context, subject, businessId);
  const through = roles.find((held) => held.role === role)?.groupNames ?? [];
  const allowed = roles.some((held) => held.role === role);
  const ways = await Promise.all(through.map((groupName) => findRolePath(context, groupName, role)));
  if (context.printer.isForPeople) context.printer.lines([formatAnswer(subject, role, allowed, ways)]);
  else await context.printer.value({ subject, kind, role, businessId, allowed, through, ways });
  if (!allowed) throw new QuietExit(1);
}

function formatAnswer(subject: string, role: string, allowed: boolean, ways: readonly (readonly string[])[]): string {
  const [who, what] = [escapeControls(subject), escapeControls(role)];
  const through = ways.map((way) => way.map(escapeControls).join(' > '));
  return allowed ? `yes: ${who} has ${what} through ${through.join(', ')}` : `no: ${who} does not have ${what}`;
}

/** A user, or else a service: the ids of both are of one name space. */
async function findRoleHolder(context: Context, subject: string, businessId: string | undefined): Promise<RoleHolder> {
  const asUser = await findRoles(
    context,
    'user-accesses.list-user-roles',
    subject,
    { businessId },
    businessId === undefined,
  );
  if (asUser) return { kind: 'user', roles: asUser };
  const asService = await findRoles(context, 'service-accesses.list-service-roles', subject, {}, true);
  if (asService) return { kind: 'service', roles: asService };
  throw new CliError(`There is neither a user nor a service ${JSON.stringify(subject)}.`, {
    code: 'SUBJECT_NOT_FOUND',
    exitCode: 3,
    hint: 'Find the id with `iam users list` or `iam clients list`.',
  });
}

const absences: readonly string[] = ['USER_NOT_FOUND', 'SERVICE_NOT_FOUND'] satisfies ErrorCode[];

/** Nothing where nobody has the id and that `mayBeAnother`. */
async function findRoles(
  context: Context,
  id: string,
  subject: string,
  query: CallInput['query'],
  mayBeAnother: boolean,
): Promise<readonly RoleSource[] | undefined> {
  const operation = getOperation(context.manifest, id);
  const params = Object.fromEntries(operation.params.map(({ name }) => [name, subject]));
  try {
    return (await send(context, operation, { params, query })).body as readonly RoleSource[];
  } catch (error) {
    const isAbsent = error instanceof ClientError && absences.includes(error.code);
    if (isAbsent && mayBeAnother) return undefined;
    throw error;
  }
}
