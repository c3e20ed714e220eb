/** Updates by the rows of `iam bulk`: as by the command, a row changes only the fields that it names. */
import type { CallInput } from '../../../client/types.ts';
import { entityOf } from '../../../contract/entities.ts';
import type { ManifestOperation } from '../../../contract/manifest-types.ts';
import type { RowChange, RowUpdate } from '../../bulk/row-updates.ts';
import type { Context } from '../../context.ts';
import { usageError } from '../../errors.ts';
import { isRow } from '../../request/differences.ts';
import { NameResolver } from '../../request/resolve-names.ts';
import { buildBody, canBeCleared, describeMerge, mergeEdit } from './merge.ts';
import { findUpdatableResource, type UpdatableResource } from './resources.ts';
import { describeNamed, rulesOf } from './write.ts';

/** @returns undefined for an operation that updates nothing */
export function findRowUpdate(operation: ManifestOperation): RowUpdate | undefined {
  const resource = findUpdatableResource(operation);
  return (
    resource && {
      prepare: (context, input) => prepareChange(context, resource, operation, input),
      isRenamed: (context, input) => isRenamed(context, resource, operation, input),
    }
  );
}

/** The request with the fields of a row and all others as they are. */
async function prepareChange(
  context: Context,
  resource: UpdatableResource,
  operation: ManifestOperation,
  input: CallInput,
): Promise<RowChange> {
  const fields = input.body;
  // The service rejects what is no object, and fields that it does not know, by name.
  if (!isRow(fields)) return { input, describe: async () => [] };
  const cleared = Object.keys(fields).filter((name) => fields[name] === null);
  const fixed = cleared.filter((name) => operation.body?.properties?.[name] && !canBeCleared(operation, [name]));
  if (fixed.length > 0) throw usageError(`${fixed.join(', ')} cannot be cleared.`);
  const rules = rulesOf(resource, operation);
  const params = Object.fromEntries(Object.entries(input.params ?? {}).map(([name, value]) => [name, String(value)]));
  const unknown = Object.entries(fields).filter(([name]) => !Object.hasOwn(rules.schema.properties ?? {}, name));
  const { entity, etag } = await resource.read(context, params);
  const merge = mergeEdit(entity, { set: fields, add: {}, remove: {} }, rules);
  const isChanged = describeMerge(entity, merge, rules).differences.length + unknown.length > 0;
  const body = { ...buildBody(entity, merge, rules), ...Object.fromEntries(unknown) };
  return {
    input: isChanged ? { ...input, body, ifMatch: input.ifMatch ?? etag } : undefined,
    describe: async () =>
      (await describeNamed(context, rules, (named) => describeMerge(entity, merge, named))).differences,
  };
}

/** Looks for the entity by the name that the row gives it. */
async function isRenamed(
  context: Context,
  resource: UpdatableResource,
  operation: ManifestOperation,
  input: CallInput,
): Promise<boolean> {
  const { name: property = '' } = entityOf(resource.entity).properties;
  const name = isRow(input.body) ? input.body[property] : undefined;
  const target = operation.params.at(-1)?.name ?? '';
  if (typeof name !== 'string') return false;
  const reference = { entity: resource.entity, by: ['id', 'name'] };
  const id = await new NameResolver(context, false, false).resolve(reference, `name:${name}`);
  const change = await prepareChange(context, resource, operation, {
    ...input,
    params: { ...input.params, [target]: id },
  });
  return change.input === undefined;
}
