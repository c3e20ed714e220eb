/** Updates by the rows of `iam bulk`: as by the command, a row changes only the fields that it names. */
import { ClientError } from '../../../client/errors.ts';
import type { CallInput } from '../../../client/types.ts';
import type { ManifestOperation } from '../../../contract/manifest-types.ts';
import type { RowSuccess, RowUpdates } from '../../bulk/row-updates.ts';
import type { Context } from '../../context.ts';
import { categoryOf } from '../../errors.ts';
import { maxAttempts } from '../../request/call-operation.ts';
import { isRow } from '../../request/differences.ts';
import { buildBody, describeMerge, mergeEdit } from './merge.ts';
import { findUpdatableResource, type UpdatableResource } from './resources.ts';
import { rulesOf } from './write.ts';

export const rowUpdates: RowUpdates = {
  has: (operation) => operation.method === 'PUT' && findUpdatableResource(operation) !== undefined,
  send: async (context, operation, input) => {
    const resource = findUpdatableResource(operation);
    if (resource && isRow(input.body)) return sendChange(context, resource, operation, input, input.body);
    return (await context.connect()).once.call(operation.id, input);
  },
};

/** Writes the fields of a row with all others as they are; reads again if the entity was changed in between. */
async function sendChange(
  context: Context,
  resource: UpdatableResource,
  operation: ManifestOperation,
  input: CallInput,
  fields: Readonly<Record<string, unknown>>,
): Promise<RowSuccess> {
  const rules = rulesOf(resource, operation);
  const params = Object.fromEntries(Object.entries(input.params ?? {}).map(([name, value]) => [name, String(value)]));
  // The service rejects them by name.
  const unknown = Object.entries(fields).filter(([name]) => !Object.hasOwn(rules.schema.properties ?? {}, name));
  const { once } = await context.connect();
  for (let attempt = 1; ; attempt += 1) {
    const { entity, etag } = await resource.read(context, params);
    const merge = mergeEdit(entity, { set: fields, add: {}, remove: {} }, rules);
    const isChanged = describeMerge(entity, merge, rules).differences.length + unknown.length > 0;
    if (!isChanged) return { message: 'nothing to change' };
    const ifMatch = input.ifMatch ?? etag;
    try {
      const body = { ...buildBody(entity, merge, rules), ...Object.fromEntries(unknown) };
      return await once.call(operation.id, { ...input, body, ifMatch });
    } catch (error) {
      const isConflict = error instanceof ClientError && categoryOf(context.manifest, error) === 'changed';
      if (!isConflict || input.ifMatch !== undefined || attempt === maxAttempts) throw error;
    }
  }
}
