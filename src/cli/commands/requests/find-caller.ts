/** Finds the user or client that a filter of requests names. */
import { ClientError } from '../../../client/errors.ts';
import { reference } from '../../../contract/entities.ts';
import type { Context } from '../../context.ts';
import { CliError, categoryOf } from '../../errors.ts';
import { callControlPlane } from '../../request/control-plane.ts';
import { AmbiguousNameError, NameResolver } from '../../request/resolve-names.ts';

const references = { user: reference('user', ['id']), client: reference('client', ['id']) };

/** The id of the user or client with this id or name; undefined if there is neither. @throws CliError (exit 2) for an ambiguous name */
export async function findCallerId(context: Context, typed: string): Promise<string | undefined> {
  const names = new NameResolver(context);
  for (const [kind, isKnown] of [
    ['user', isUser],
    ['client', isClient],
  ] as const)
    try {
      const id = await names.resolve(references[kind]['x-reference'], typed);
      if (id !== typed || (await isKnown(context, id))) return id;
    } catch (error) {
      if (!(error instanceof AmbiguousNameError && error.exitCode === 3)) throw error;
    }
  return undefined;
}

async function isUser(context: Context, id: string): Promise<boolean> {
  try {
    await callControlPlane(context, 'GET', `/_iam/users/${encodeURIComponent(id)}`);
    return true;
  } catch (error) {
    if (categoryOf(context.manifest, error) === 'not-found') return false;
    throw error;
  }
}

/** The filter of the list finds a client by its id, too. */
async function isClient(context: Context, id: string): Promise<boolean> {
  try {
    const { body } = await callControlPlane(context, 'GET', '/_iam/clients', { query: { name: id } });
    return (body as readonly { readonly clientId?: unknown }[]).some(({ clientId }) => clientId === id);
  } catch (error) {
    // A text that is too long for a name.
    if (error instanceof ClientError && error.status === 400) return false;
    throw error;
  }
}

/** No user and no client has this id or name. */
export function callerNotFoundError(typed: string): CliError {
  return new CliError(`User or client ${JSON.stringify(typed)} not found.`, {
    code: 'CALLER_NOT_FOUND',
    exitCode: 3,
    hint: 'Find it with `iam users list` or `iam clients list`.',
  });
}
