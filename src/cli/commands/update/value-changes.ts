/**
 * Commands that add a named value to a list or remove one: they ask nothing, and print what `update` prints for the same
 * change. test/cli/conformance/value-changes.test.ts walks them.
 */
import type { ManifestOperation } from '../../../contract/manifest-types.ts';
import type { RequestContext } from '../../context.ts';
import { callOperation } from '../../request/call-operation.ts';
import { describeDifferences, type EntityFields, normalizeRole } from '../../request/differences.ts';

interface ValueChange {
  readonly sign: '+' | '-';
  /** What the value is called. */
  readonly label: string;
  /** The list that shows whether a value is there already: the server responds alike to one that it has. */
  readonly list?: { readonly get: string; readonly field: string; toEntry(value: string): unknown };
}

const roles = { get: 'groups.get', field: 'roles', toEntry: (role: string) => role };
const dependencies = { get: 'groups.get', field: 'dependencies', toEntry: (groupName: string) => ({ groupName }) };

export const valueChanges: Readonly<Record<string, ValueChange>> = {
  'groups.add-role': { sign: '+', label: 'role', list: roles },
  'groups.remove-role': { sign: '-', label: 'role' },
  'groups.add-dependency': { sign: '+', label: 'dependency', list: dependencies },
  'groups.remove-dependency': { sign: '-', label: 'dependency' },
  'user-accesses.add-user': { sign: '+', label: 'user' },
  'user-accesses.remove-user': { sign: '-', label: 'user' },
  'user-accesses.add-business-user': { sign: '+', label: 'business user' },
  'user-accesses.remove-business-user': { sign: '-', label: 'business user' },
  'business-accesses.add-business': { sign: '+', label: 'business' },
  'business-accesses.remove-business': { sign: '-', label: 'business' },
  'service-accesses.add-service': { sign: '+', label: 'service' },
  'service-accesses.remove-service': { sign: '-', label: 'service' },
  'user-identities.add-identity': { sign: '+', label: 'login name' },
  'user-identities.remove-identity': { sign: '-', label: 'login name' },
};

/**
 * `ops: + role DEPLOY`; undefined if the operation changes no list.
 * @param values those of the path and then those that are added or removed; of a path, the last one is removed
 */
export function describeValueChange(
  { id, params }: Pick<ManifestOperation, 'id' | 'params'>,
  [owner = '', ...rest]: readonly string[],
): string | undefined {
  const change = valueChanges[id];
  if (!change) return undefined;
  const inPath = change.sign === '+' ? params.length : params.length - 1;
  const scope = rest.slice(0, inPath - 1);
  const suffix = scope.length === 0 ? '' : ` of ${scope.join(' ')}`;
  const values = rest.slice(inPath - 1);
  return `${owner}: ${values.map((value) => `${change.sign} ${change.label} ${value}${suffix}`).join(', ')}`;
}

/** Whether the list has the value before it is added; false if that is not known. */
export async function isListed(
  context: RequestContext,
  { id, params }: Pick<ManifestOperation, 'id' | 'params'>,
  [owner = '', value = '']: readonly string[],
): Promise<boolean> {
  const { list } = valueChanges[id] ?? {};
  if (!list) return false;
  try {
    const name = params[0]?.name ?? '';
    const entity = (await callOperation(context, list.get, { params: { [name]: owner } })).body as EntityFields;
    const before = entity[list.field];
    if (!Array.isArray(before)) return false;
    const after = [...before, list.toEntry(value)];
    const rules = { schema: { properties: { [list.field]: {} } }, normalizeEntry: normalizeRole };
    return describeDifferences({ [list.field]: before }, { [list.field]: after }, rules).length === 0;
  } catch {
    // The request itself reports what is wrong.
    return false;
  }
}
