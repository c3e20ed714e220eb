/** Writes groups. */

import { type Execution, type StepWriter, unwrapResult } from '../execution.ts';
import type { Step } from '../steps.ts';
import { type Entity, removeEntity, updateEntity } from './entity-writes.ts';
import { memberFields } from './members.ts';

type GroupStep = Extract<Step, { kind: 'group' }>;
type EntityBody = Readonly<Record<string, unknown>>;

const memberFieldNames: readonly string[] = Object.values(memberFields);

const writeGroup: StepWriter<'group'> = async (execution, step) => {
  const { action, name, id = '', fields, before } = step.change;
  if (action === 'create') return createGroup(execution, step);
  const entity = createGroupEntity(name, id);
  if (action === 'delete') {
    await removeEntity(execution, entity, { ...before });
    return execution.record('gone', { kind: 'group', id, name });
  }
  const own = fields.filter(({ field }) => !memberFieldNames.includes(field));
  const { removed = [] } = own.find(({ field }) => field === 'dependencies') ?? {};
  await updateEntity(execution, entity, step.release ? [{ field: 'dependencies', added: [], removed }] : own);
};

export const groupWriters = { group: writeGroup };

async function createGroup({ deps, groupIds, record }: Execution, { change }: GroupStep): Promise<void> {
  const { name, after } = change;
  const body = unwrapResult(await deps.call('groups.create', { body: buildGroupBody({ ...after }) }));
  const id = String(body?.groupId);
  groupIds.set(name, id);
  await record('made', { kind: 'group', id, name });
}

function createGroupEntity(name: string, groupId: string): Entity {
  return {
    title: `the group ${name}`,
    get: 'groups.get',
    update: 'groups.update',
    remove: 'groups.remove',
    params: { groupId },
    missing: 'GROUP_NOT_FOUND',
    plain: (body) => ({
      ...body,
      dependencies: (body.dependencies as { groupName: string }[]).map(({ groupName }) => groupName),
    }),
    body: buildGroupBody,
  };
}

function buildGroupBody({ groupId: _, dependencies, ...resource }: EntityBody): EntityBody {
  return { ...resource, dependencies: (dependencies as string[]).map((groupName) => ({ groupName })) };
}
