/**
 * Commands that add a named value to a list or remove one: they ask nothing, and print what `update` prints for the same
 * change. test/cli/conformance/value-changes.test.ts walks them.
 */
import { asPage } from '../../../client/response.ts';
import type { ManifestOperation } from '../../../contract/manifest-types.ts';
import { stripRolePrefix } from '../../../contract/roles.ts';
import { foldIdentifier } from '../../../lib/fold-identifier.ts';
import type { Context } from '../../context.ts';
import { callOperation } from '../../request/call-operation.ts';
import { isRow, toList } from '../../request/differences.ts';
import { getOperation } from '../../request/find-operation.ts';
import { readControlDetails } from '../control-details.ts';

type ChangingOperation = Pick<ManifestOperation, 'id' | 'params' | 'method'>;

/** The values of a list as they are compared. */
interface Listed {
  readonly values: readonly string[];
  /** Whether the list can have a value that is not among these. */
  mayHide(value: string): boolean;
}

interface ValueChange {
  /** What the value is called. */
  readonly label: string;
  /** A value that the list has can gain roles when it is added: a membership that its owner made becomes a regular one. */
  readonly upgrades?: true;
  /** Of an operation that adds: reads the list, by the values of the path. The server responds alike to a value that it has. */
  readonly list?: (context: Context, path: readonly string[]) => Promise<Listed>;
  /** The form in which two values are compared. */
  readonly normalize?: (value: string) => string;
}

const unread: Listed = { values: [], mayHide: () => true };

/** The most members that are read before some are added. */
const maxMembers = 1_000;

export const valueChanges: Readonly<Record<string, ValueChange>> = {
  'groups.add-role': { label: 'role', list: readGroup('roles'), normalize: (role) => stripRolePrefix(role) },
  'groups.remove-role': { label: 'role' },
  'groups.add-dependency': { label: 'dependency', list: readGroup('dependencies') },
  'groups.remove-dependency': { label: 'dependency' },
  'user-accesses.add-user': { label: 'user', list: readMembers('user-accesses.list-users') },
  'user-accesses.remove-user': { label: 'user' },
  'user-accesses.add-business-user': {
    label: 'business user',
    list: readMembers('user-accesses.list-business-users'),
  },
  'user-accesses.remove-business-user': { label: 'business user' },
  'business-accesses.add-business': { label: 'business', list: readMembers('business-accesses.list-businesses') },
  'business-accesses.remove-business': { label: 'business' },
  'service-accesses.add-service': {
    label: 'service',
    list: readMembers('service-accesses.list-services'),
    upgrades: true,
  },
  'service-accesses.remove-service': { label: 'service' },
  'user-identities.add-identity': {
    label: 'login name',
    list: readLoginNames,
    normalize: (name) => foldIdentifier(name),
  },
  'user-identities.remove-identity': { label: 'login name' },
};

export function changesValues({ id }: Pick<ManifestOperation, 'id'>): boolean {
  return Object.hasOwn(valueChanges, id);
}

function readGroup(field: string) {
  return async (context: Context, [groupId = '']: readonly string[]): Promise<Listed> => {
    const { body } = await callOperation(context, 'groups.get', { params: { groupId } });
    return { values: toList((body as Readonly<Record<string, unknown>>)[field]).map(nameOf), mayHide: () => false };
  };
}

function readMembers(id: string) {
  return async (context: Context, path: readonly string[]): Promise<Listed> => {
    const { params } = getOperation(context.manifest, id);
    const named = Object.fromEntries(params.map(({ name }, at) => [name, path[at] ?? '']));
    const page = asPage(await callOperation(context, id, { params: named, query: { limit: maxMembers } }));
    return { values: page.items.map(nameOf), mayHide: () => page.next !== undefined };
  };
}

/** E-mail addresses among the login names are masked. */
async function readLoginNames(context: Context, [userId = '']: readonly string[]): Promise<Listed> {
  const read = await readControlDetails(context, `/_iam/users/${encodeURIComponent(userId)}`);
  if (!('entity' in read)) return unread;
  const values = toList(read.entity.identities).map(String);
  const isMasked = values.some((value) => value.includes('***@'));
  return { values, mayHide: (value) => isMasked && value.includes('@') };
}

/** An entry with a single field, such as `{groupName}`, is its value. */
function nameOf(entry: unknown): string {
  return String(isRow(entry) ? Object.values(entry)[0] : entry);
}

/** What a request changes of a list. */
export interface ValueChangeReport {
  /** The line for people. */
  readonly line: string;
  /** The values that are added although the list has them, so that nothing is written of them. */
  readonly unchanged: readonly string[];
}

/**
 * The line is `ops: + role DEPLOY`, `ops: nothing to change`, or `ops: has role DEPLOY` if it is not known whether it had
 * it. Undefined if the operation changes no list.
 * @param values those of the path and then those that are added or removed; of a path, the last one is removed
 * @param format the form of a value for people
 */
export async function describeValueChange(
  context: Context,
  operation: ChangingOperation,
  values: readonly string[],
  format: (value: string) => string,
): Promise<ValueChangeReport | undefined> {
  const change = valueChanges[operation.id];
  if (!change) return undefined;
  const isRemoval = operation.method === 'DELETE';
  const inPath = isRemoval ? operation.params.length - 1 : operation.params.length;
  const [owner = '', ...scope] = values.slice(0, inPath).map(format);
  const suffix = scope.length === 0 ? '' : ` of ${scope.join(' ')}`;
  const changed = values.slice(inPath);
  const signs = isRemoval ? changed.map(() => '-') : await findSigns(context, change, values.slice(0, inPath), changed);
  const lines = changed.flatMap((value, at) =>
    signs[at] === undefined ? [] : [`${signs[at]} ${change.label} ${format(value)}${suffix}`],
  );
  return {
    line: `${owner}: ${lines.length === 0 ? 'nothing to change' : lines.join(', ')}`,
    unchanged: change.upgrades ? [] : changed.filter((_, at) => signs[at] === undefined),
  };
}

/** How a line reports each value that is added: undefined if the list has it before. */
async function findSigns(
  context: Context,
  { list, normalize = (value) => value }: ValueChange,
  path: readonly string[],
  added: readonly string[],
): Promise<readonly ('+' | 'has' | undefined)[]> {
  // The request itself reports what is wrong.
  const { values, mayHide } = (await list?.(context, path).catch(() => unread)) ?? unread;
  const before = new Set(values.map(normalize));
  return added.map((value) => (before.has(normalize(value)) ? undefined : mayHide(value) ? 'has' : '+'));
}
