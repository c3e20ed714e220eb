/** What an edit changes in a group: shown before it is sent, and applied again to a group that changed meanwhile. */
import type { components } from '#service-api';
import { quoteShellArgument } from '../../../components/equivalents.tsx';
import type { GroupRecord } from '../data/use-groups.ts';

/** The fields of the form. Dependencies by name. */
export interface GroupFields {
  readonly groupName: string;
  readonly organizationId: string;
  readonly businessUnitId: string;
  readonly roles: readonly string[];
  readonly dependencies: readonly string[];
}

type GroupInputBody = components['schemas']['GroupInput'];

export const emptyGroup: GroupFields = {
  groupName: '',
  organizationId: '',
  businessUnitId: '',
  roles: [],
  dependencies: [],
};

const groupTextFields = [
  ['groupName', 'Name'],
  ['organizationId', 'Organization'],
  ['businessUnitId', 'Business unit'],
] as const;

const groupListFields = [
  ['roles', 'role', 'Role'],
  ['dependencies', 'dependency', 'Dependency'],
] as const;

export function toGroupFields({ groupName, organizationId, businessUnitId, roles, dependencies }: GroupRecord) {
  return {
    groupName,
    organizationId: organizationId ?? '',
    businessUnitId: businessUnitId ?? '',
    roles,
    dependencies: dependencies.map((dependency) => dependency.groupName),
  } satisfies GroupFields;
}

/** Empty fields are omitted, which clears them. */
export function toGroupInputBody({
  groupName,
  organizationId,
  businessUnitId,
  roles,
  dependencies,
}: GroupFields): GroupInputBody {
  return {
    groupName,
    ...(organizationId === '' ? {} : { organizationId }),
    ...(businessUnitId === '' ? {} : { businessUnitId }),
    roles: [...roles],
    dependencies: dependencies.map((name) => ({ groupName: name })),
  };
}

export interface GroupFieldChange {
  readonly kind: 'add' | 'remove' | 'set';
  /** Of the form: "Role", "Name". */
  readonly label: string;
  readonly value: string;
  /** The previous value of a field that is set. */
  readonly before?: string;
  /** The options of `iam groups update` that do the same. */
  readonly option: string;
}

export function listGroupChanges(before: GroupFields, after: GroupFields): GroupFieldChange[] {
  const set = groupTextFields
    .filter(([field]) => before[field] !== after[field])
    .map(([field, label]) => ({
      kind: 'set' as const,
      label,
      value: after[field],
      before: before[field],
      option: `--set ${quoteShellArgument(`${field}=${after[field]}`)}`,
    }));
  const lists = groupListFields.flatMap(([field, option, label]) => [
    ...without(after[field], before[field]).map((value) => toListChange('add', option, label, value)),
    ...without(before[field], after[field]).map((value) => toListChange('remove', option, label, value)),
  ]);
  return [...set, ...lists];
}

function toListChange(kind: 'add' | 'remove', option: string, label: string, value: string): GroupFieldChange {
  return { kind, label, value, option: `--${kind}-${option} ${quoteShellArgument(value)}` };
}

function without(values: readonly string[], others: readonly string[]): string[] {
  return values.filter((value) => !others.includes(value));
}
