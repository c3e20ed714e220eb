/** Making, changing and removing groups. */
import { type Entity, removeEntity, updateEntity } from './entity-writes.ts';
import { type Execution, expected, type Writer } from './executor.ts';
import { memberFields } from './members.ts';
import type { Step } from './steps.ts';

type GroupStep = Extract<Step, { kind: 'group' }>;
type Thing = Readonly<Record<string, unknown>>;

const memberFieldNames: readonly string[] = Object.values(memberFields);

const writeGroup: Writer<'group'> = async (execution, step) => {
  const { action, name, id = '', fields, before } = step.change;
  if (action === 'create') return createGroup(execution, step);
  const entity = groupEntity(name, id);
  if (action === 'delete') {
    await removeEntity(execution, entity, { ...before });
    return execution.remember('gone', { kind: 'group', id, name });
  }
  const own = fields.filter(({ field }) => !memberFieldNames.includes(field));
  const { removed = [] } = own.find(({ field }) => field === 'dependencies') ?? {};
  await updateEntity(execution, entity, step.release ? [{ field: 'dependencies', added: [], removed }] : own);
};

export const groupSteps = { group: writeGroup };

async function createGroup({ tools, groupIds, remember }: Execution, { change }: GroupStep): Promise<void> {
  const { name, after } = change;
  const body = expected(await tools.call('groups.create', { body: groupBody({ ...after }) }));
  const id = String(body?.groupId);
  groupIds.set(name, id);
  await remember('made', { kind: 'group', id, name });
}

function groupEntity(name: string, groupId: string): Entity {
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
    body: groupBody,
  };
}

function groupBody({ groupId: _, dependencies, ...thing }: Thing): Thing {
  return { ...thing, dependencies: (dependencies as string[]).map((groupName) => ({ groupName })) };
}
