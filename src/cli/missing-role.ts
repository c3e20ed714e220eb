/** A refusal for want of a role, with the roles and the groups that would give them. */
import { ClientError } from '../client/errors.ts';
import { isReservedRole } from '../contract/roles.ts';
import { operationOf } from './operations.ts';
import type { Context } from './runtime/context.ts';
import { MissingRole } from './runtime/failures.ts';
import { send } from './send.ts';

/** Help must not keep the one who waits for it. */
const patience = 2_000;

/** The failure as it is told: with what would help, where it is a missing role that groups can give. */
export async function explained(context: Context, error: unknown): Promise<unknown> {
  if (!(error instanceof ClientError) || error.code !== 'ROLE_MISSING') return error;
  const roles = rolesIn(error.message);
  const [role] = roles.filter((name) => !isReservedRole(name) && !name.startsWith('scope '));
  if (roles.length === 0 || context.io.signal.aborted) return error;
  const groups = role === undefined ? [] : await groupsWith(context, role).catch(() => []);
  return new MissingRole(error, { roles, role, groups });
}

/** The roles that the server names: "The caller lacks A, B." */
function rolesIn(message: string): string[] {
  const [, names = ''] = /\black(?:s|ing)? ([^.]+)\./.exec(message) ?? [];
  return names.split(/,\s*/).filter((name) => /^(scope )?[A-Za-z][\w-]*$/.test(name));
}

/** One look; a caller who may not read groups just gets no names. */
async function groupsWith(context: Context, role: string): Promise<string[]> {
  const signal = AbortSignal.any([context.io.signal, AbortSignal.timeout(patience)]);
  const input = { query: { role, limit: 5 }, signal };
  const { body } = await send(context, operationOf(context.manifest, 'groups.list'), input);
  return (body as readonly { readonly groupName: string }[]).map(({ groupName }) => groupName);
}
