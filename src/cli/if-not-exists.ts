/** `--if-not-exists`: something that is there already is as good as made. */
import { ClientError } from '../client/errors.ts';
import type { CallInput } from '../client/types.ts';
import type { ManifestOperation } from '../contract/manifest-types.ts';
import type { Context } from './runtime/context.ts';
import { categoryOf } from './runtime/error-entries.ts';
import { send } from './send.ts';

/** Creates; where its name is taken, gives the same fields of the one that has it. Nothing of that one is changed. */
export async function existing(
  context: Context,
  operation: ManifestOperation,
  input: CallInput,
  create: () => Promise<unknown>,
): Promise<unknown> {
  try {
    return await create();
  } catch (error) {
    if (categoryOf(context.manifest, error) !== 'taken') throw error;
    context.notice('It is there already; nothing was changed.');
    return fieldsOfExisting(context, operation, input);
  }
}

async function fieldsOfExisting(context: Context, operation: ManifestOperation, input: CallInput): Promise<unknown> {
  const getId = operation.id.replace(/create$/, 'get');
  const get = context.manifest.operations.find(({ id }) => id === getId);
  const [param] = get?.params ?? [];
  const body = (input.body ?? {}) as Record<string, unknown>;
  const name = Object.entries(body).find(([field]) => field === param?.name || /^[a-z]+Name$/.test(field))?.[1];
  if (!get || !param || typeof name !== 'string') return undefined;
  const entity = await send(context, get, { params: { [param.name]: name } }).then(
    ({ body: found }) => found as Record<string, unknown>,
    // Taken by another way of naming it; what it is named by can't be told from here.
    (error: unknown) => {
      if (error instanceof ClientError && error.status === 404) return undefined;
      throw error;
    },
  );
  if (!entity) return undefined;
  const wanted = Object.keys(operation.response.schema?.properties ?? entity);
  return Object.fromEntries(wanted.filter((field) => field in entity).map((field) => [field, entity[field]]));
}
