/** Writes customers and corporate groups. */

import { type StepWriter, unwrapResult } from '../execution.ts';
import { type Entity, removeEntity, updateEntity } from './entity-writes.ts';

type EntityBody = Readonly<Record<string, unknown>>;

const writeCustomer: StepWriter<'customer'> = async ({ deps }, { change: { operation, body } }) => {
  unwrapResult(await deps.call(operation, { body }));
};

const writeCorporateGroup: StepWriter<'corporateGroup'> = async (execution, { change, release }) => {
  const { action, name, id = '', fields, before, after } = change;
  const { deps, record } = execution;
  if (action === 'create') {
    const body = unwrapResult(
      await deps.call('corporate-groups.create', { body: buildCorporateGroupBody({ ...after }) }),
    );
    return record('made', { kind: 'corporateGroup', id: String(body?.corporateGroupId), name });
  }
  const entity = createCorporateGroupEntity(name, id);
  if (action === 'delete') {
    await removeEntity(execution, entity, { ...before });
    return record('gone', { kind: 'corporateGroup', id, name });
  }
  const { removed = [] } = fields.find(({ field }) => field === 'businesses') ?? {};
  await updateEntity(execution, entity, release ? [{ field: 'businesses', added: [], removed }] : fields);
};

export const businessWriters = { customer: writeCustomer, corporateGroup: writeCorporateGroup };

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
