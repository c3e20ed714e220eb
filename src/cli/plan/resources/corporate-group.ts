/** Corporate groups: businesses that belong together. */
import type { JsonSchema } from '../../../contract/manifest-types.ts';
import { createResource } from '../../request/call-operation.ts';
import { type Execution, recordCreation } from '../execution.ts';
import {
  acceptChanges,
  type CorporateGroupChange,
  diffList,
  diffValue,
  isRemoval,
  type PlanIssue,
  resolveValue,
  type Step,
  selectChanges,
} from '../model/changes.ts';
import type { DesiredCorporateGroup } from '../model/desired-entries.ts';
import { isMissing, type RemoteCorporateGroup, type RemoteState } from '../model/remote-state.ts';
import type { ResourceIndex } from '../model/resource-index.ts';
import { readApiList } from '../read-list.ts';
import type { CheckContext, Resource, Stage } from '../resource.ts';
import { valueSchemas } from '../value-schemas.ts';
import { clearable, described, idOrName, list, object } from './document-schema.ts';
import { type Entity, removeEntity, updateEntity } from './entity-writes.ts';

type CorporateGroupStep = Extract<Step, { kind: 'corporateGroup' }>;

/** A corporate group as the API lists it. */
type CorporateGroupRow = Omit<RemoteCorporateGroup, 'businesses'> & {
  readonly businesses: readonly { readonly businessId: string }[];
};

/** A corporate group is identified by its name. */
export const corporateGroupResource: Resource<
  DesiredCorporateGroup,
  RemoteCorporateGroup,
  CorporateGroupChange,
  CorporateGroupStep
> = {
  kind: 'corporateGroup',
  label: 'corporate group',
  list: 'corporateGroups',
  needsControlPlane: false,
  recordKinds: ['corporateGroup'],
  requires: [],
  schema: createSchema(),
  nameField: 'corporateGroupName',
  sortFields: ['corporateGroupName'],
  parse: (entry, path) => ({ ...entry, path }) as unknown as DesiredCorporateGroup,
  uniqueNames: ({ corporateGroupName }) => [`corporate group ${corporateGroupName}`],
  validate: validateBusinesses,
  read: async (context) => {
    const rows = (await readApiList(context, 'corporate-groups.list')) as CorporateGroupRow[];
    return {
      corporateGroups: rows.map((row) => ({ ...row, businesses: row.businesses.map(({ businessId }) => businessId) })),
    };
  },
  listRemote: ({ corporateGroups = [] }) => corporateGroups,
  idOf: ({ corporateGroupId }) => corporateGroupId,
  find: ({ corporateGroupName }, index) => index.corporateGroup(corporateGroupName),
  diff: (documents, { index }) => acceptChanges(documents.flatMap((document) => diffCorporateGroup(document, index))),
  listReferences: (documents, { state }) => ({ businesses: listNewBusinesses(documents, state) }),
  check: checkBusinesses,
  remove: buildCorporateGroupRemoval,
  creationDefaults: { organizationId: undefined, businesses: [] },
  creationKey: ({ corporateGroupName }) => String(corporateGroupName),
  order: (changes) => ({ write: orderCorporateGroups(selectChanges(changes, 'corporateGroup')) }),
  write: writeCorporateGroup,
  export: ({ corporateGroups = [] }, portable) =>
    corporateGroups.map((group) => ({
      ...group,
      businesses: group.businesses.map((businessId) => portable.business(businessId)).sort(),
    })),
};

function createSchema(): JsonSchema {
  return object(
    {
      corporateGroupName: described(
        valueSchemas.corporateGroup.corporateGroupName,
        'Unique name of the corporate group',
      ),
      organizationId: clearable(
        valueSchemas.corporateGroup.organizationId,
        'Organization the corporate group belongs to',
      ),
      businesses: list(
        idOrName('Id or name of a business'),
        'All businesses of the group; a business can be in at most one corporate group',
        valueSchemas.corporateGroup.businesses.maxItems,
      ),
    },
    ['corporateGroupName'],
    'Businesses that belong together.',
  );
}

/** A business can be in at most one corporate group. */
function validateBusinesses(corporateGroups: readonly DesiredCorporateGroup[]): PlanIssue[] {
  const corporateGroupOf = new Map<string, string>();
  return corporateGroups.flatMap(({ path, corporateGroupName, businesses = [] }) =>
    businesses.flatMap((businessId, at) => {
      const other = corporateGroupOf.get(businessId);
      corporateGroupOf.set(businessId, other ?? corporateGroupName);
      const message = `the business ${businessId} is already in ${other}; a business can be in at most one corporate group`;
      return other === undefined || other === corporateGroupName ? [] : [{ path: `${path}/businesses/${at}`, message }];
    }),
  );
}

/** Computes the change of one corporate group. */
function diffCorporateGroup(desired: DesiredCorporateGroup, index: ResourceIndex): CorporateGroupChange[] {
  const before = index.corporateGroup(desired.corporateGroupName);
  const organizationId = resolveValue(desired.organizationId, before?.organizationId);
  const businesses = desired.businesses ?? before?.businesses ?? [];
  const after = {
    corporateGroupName: desired.corporateGroupName,
    ...(organizationId === undefined ? {} : { organizationId }),
    businesses,
  };
  const fields = [
    ...diffValue('organizationId', before?.organizationId, organizationId),
    ...diffList('businesses', before?.businesses ?? [], businesses),
  ];
  if (before && fields.length === 0) return [];
  const change = { kind: 'corporateGroup', name: desired.corporateGroupName, fields, after } as const;
  return [
    before ? { ...change, action: 'update', id: before.corporateGroupId, before } : { ...change, action: 'create' },
  ];
}

/** Returns businesses that are in no corporate group yet, and may not exist. */
function listNewBusinesses(documents: readonly DesiredCorporateGroup[], state: RemoteState): string[] {
  const inside = new Set(state.corporateGroups?.flatMap(({ businesses }) => businesses));
  return documents.flatMap(({ businesses = [] }) => businesses.filter((businessId) => !inside.has(businessId)));
}

/** Returns businesses that do not exist, and those in another corporate group that keeps them. */
function checkBusinesses(documents: readonly DesiredCorporateGroup[], context: CheckContext): PlanIssue[] {
  const removals = selectChanges(context.changes, 'corporateGroup').filter(isRemoval);
  // Corporate groups that the documents change, so that a business can leave them.
  const changed = new Set([
    ...removals.map(({ name }) => name),
    ...documents.flatMap(({ corporateGroupName, businesses }) =>
      businesses === undefined ? [] : [corporateGroupName],
    ),
  ]);
  return documents.flatMap(({ path, corporateGroupName, businesses = [] }) =>
    businesses.flatMap((businessId, at) => {
      const message = describeBusinessIssue(businessId, corporateGroupName, changed, context);
      return message === undefined ? [] : [{ path: `${path}/businesses/${at}`, message }];
    }),
  );
}

function describeBusinessIssue(
  businessId: string,
  corporateGroupName: string,
  changed: ReadonlySet<string>,
  { state, index }: CheckContext,
): string | undefined {
  const current = index.corporateGroupOfBusiness(businessId)?.corporateGroupName;
  if (current === undefined)
    return isMissing(state.businesses, businessId) && !index.isBusinessCreated(businessId)
      ? `business ${businessId} not found`
      : undefined;
  return current === corporateGroupName || changed.has(current)
    ? undefined
    : `the business ${businessId} is in the corporate group ${current}, which the documents do not change`;
}

/** Builds the deletion of a corporate group; its businesses are not deleted. */
function buildCorporateGroupRemoval(before: RemoteCorporateGroup): CorporateGroupChange {
  const { corporateGroupId: id, corporateGroupName: name, businesses } = before;
  const fields = diffList('businesses', businesses, []);
  return { action: 'delete', kind: 'corporateGroup', name, id, fields, before };
}

/** A business that moves is removed from its corporate group first, or that group is deleted first. */
function orderCorporateGroups(changes: readonly CorporateGroupChange[]): Stage<CorporateGroupStep>[] {
  const entries = (change: CorporateGroupChange, part: 'added' | 'removed') =>
    change.fields.find(({ field }) => field === 'businesses')?.[part] ?? [];
  const [removals, others] = [changes.filter(isRemoval), changes.filter((change) => !isRemoval(change))];
  const claimed = new Set(others.flatMap((change) => entries(change, 'added')));
  const releasing = others.filter((change) => entries(change, 'removed').some((id) => claimed.has(id)));
  const step = (release: boolean) => (change: CorporateGroupChange) =>
    ({ kind: 'corporateGroup', change, release }) as const;
  return [[...removals.map(step(false)), ...releasing.map(step(true))], others.map(step(false))];
}

async function writeCorporateGroup(execution: Execution, { change, release }: CorporateGroupStep): Promise<void> {
  const { action, name, id = '', fields, before, after } = change;
  const { context, record } = execution;
  const withIds = (names: readonly string[] = []) => names.map((one) => execution.businessIds.get(one) ?? one);
  if (action === 'create') {
    const sent = { ...after, businesses: withIds(after?.businesses) };
    await recordCreation(execution, {
      resources: [{ kind: 'corporateGroup', key: corporateGroupResource.creationKey(sent), name, sent }],
      send: () => createResource(context, 'corporate-groups.create', buildCorporateGroupBody(sent)),
      idsOf: ({ corporateGroupId }) => [String(corporateGroupId)],
    });
    return;
  }
  const entity = createCorporateGroupEntity(name, id);
  if (action === 'delete') {
    await removeEntity(execution, entity, { ...before });
    return record({ what: 'gone', kind: 'corporateGroup', id, name });
  }
  const { removed = [] } = fields.find(({ field }) => field === 'businesses') ?? {};
  const named = fields.map((change) => (change.added ? { ...change, added: withIds(change.added) } : change));
  await updateEntity(execution, entity, release ? [{ field: 'businesses', added: [], removed }] : named);
}

type EntityBody = Readonly<Record<string, unknown>>;

function createCorporateGroupEntity(name: string, corporateGroupId: string): Entity {
  return {
    title: `the corporate group ${name}`,
    get: 'corporate-groups.get',
    update: 'corporate-groups.update',
    remove: 'corporate-groups.remove',
    params: { corporateGroupId },
    missing: 'CORPORATE_GROUP_NOT_FOUND',
    plain: (body) => ({
      ...body,
      businesses: (body.businesses as { businessId: string }[]).map(({ businessId }) => businessId),
    }),
    body: buildCorporateGroupBody,
  };
}

function buildCorporateGroupBody({ corporateGroupId: _, businesses, ...resource }: EntityBody): EntityBody {
  return { ...resource, businesses: (businesses as string[]).map((businessId) => ({ businessId })) };
}
