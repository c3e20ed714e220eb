/** Updates by the rows of `iam bulk`: as by the command, a row changes only the fields that it names. */
import type { CallInput } from '../../../client/types.ts';
import type { ManifestOperation } from '../../../contract/manifest-types.ts';
import type { RowSuccess, RowUpdate } from '../../bulk/row-updates.ts';
import type { Context } from '../../context.ts';
import { repeatOnChange } from '../../request/call-operation.ts';
import { isRow } from '../../request/differences.ts';
import { buildBody, describeMerge, mergeEdit } from './merge.ts';
import { findUpdatableResource, type UpdatableResource } from './resources.ts';
import { rulesOf } from './write.ts';

/** @returns undefined for an operation whose request changes only what it names, or that updates nothing */
export function findRowUpdate(operation: ManifestOperation): RowUpdate | undefined {
  const resource = operation.method === 'PUT' ? findUpdatableResource(operation) : undefined;
  return resource && ((context, input) => sendChange(context, resource, operation, input));
}

/** Writes the fields of a row with all others as they are; reads again if the entity was changed in between. */
async function sendChange(
  context: Context,
  resource: UpdatableResource,
  operation: ManifestOperation,
  input: CallInput,
): Promise<RowSuccess> {
  const { once } = await context.connect();
  const fields = input.body;
  // The service rejects what is no object, and fields that it does not know, by name.
  if (!isRow(fields)) return once.call(operation.id, input);
  const rules = rulesOf(resource, operation);
  const params = Object.fromEntries(Object.entries(input.params ?? {}).map(([name, value]) => [name, String(value)]));
  const unknown = Object.entries(fields).filter(([name]) => !Object.hasOwn(rules.schema.properties ?? {}, name));
  const send = async (): Promise<RowSuccess> => {
    const { entity, etag } = await resource.read(context, params);
    const merge = mergeEdit(entity, { set: fields, add: {}, remove: {} }, rules);
    const isChanged = describeMerge(entity, merge, rules).differences.length + unknown.length > 0;
    if (!isChanged) return { message: 'nothing to change' };
    const body = { ...buildBody(entity, merge, rules), ...Object.fromEntries(unknown) };
    return once.call(operation.id, { ...input, body, ifMatch: input.ifMatch ?? etag });
  };
  return input.ifMatch === undefined ? repeatOnChange(context, send) : send();
}
