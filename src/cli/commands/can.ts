/** `iam can`: whether somebody has a role, and through which groups. */
import type { Command } from 'commander';
import { ClientError } from '../../client/errors.ts';
import { bareRole, isReservedRole } from '../../contract/roles.ts';
import { addLeaf, type LeafText, type Options, runs } from '../leaf.ts';
import { operationOf } from '../operations.ts';
import type { Context, Surroundings } from '../runtime/context.ts';
import { QuietExit, usageError } from '../runtime/failures.ts';
import { plain } from '../runtime/table.ts';
import { send } from '../send.ts';

export const canText: LeafText = {
  title: 'Tells whether a user or a service has a role, and through which groups',
  description: 'Exit code 0 is yes, 1 is no. With --business only what a user has in the name of that business counts.',
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
  if (context.printer.isForPeople) context.printer.lines([sentence(subject, role, allowed, through)]);
  else await context.printer.value({ subject, kind, role, businessId, allowed, through });
  if (!allowed) throw new QuietExit(1);
}

function sentence(subject: string, role: string, allowed: boolean, through: readonly string[]): string {
  const [who, what] = [plain(subject), plain(role)];
  return allowed
    ? `yes: ${who} has ${what} through ${through.map(plain).join(', ')}`
    : `no: ${who} does not have ${what}`;
}

/** A user, or else a service: the ids of both are of one name space. */
async function holder(context: Context, subject: string, businessId: string | undefined): Promise<Holder> {
  const call = async (id: string, param: string, query = {}) => {
    const answer = await send(context, operationOf(context.manifest, id), { params: { [param]: subject }, query });
    return answer.body as readonly RoleSource[];
  };
  try {
    return { kind: 'user', roles: await call('user-accesses.list-user-roles', 'userId', { businessId }) };
  } catch (error) {
    if (!(error instanceof ClientError) || error.code !== 'USER_NOT_FOUND' || businessId !== undefined) throw error;
    const [param] = operationOf(context.manifest, 'service-accesses.list-service-roles').params;
    return { kind: 'service', roles: await call('service-accesses.list-service-roles', param?.name ?? '') };
  }
}
