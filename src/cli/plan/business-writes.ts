/** Making customers; making, changing and removing corporate groups. */
import { type Entity, removeEntity, updateEntity } from './entity-writes.ts';
import { expected, type Writer } from './executor.ts';

type Thing = Readonly<Record<string, unknown>>;

const writeCustomer: Writer<'customer'> = async ({ tools }, { change: { operation, body } }) => {
  expected(await tools.call(operation, { body }));
};

const writeCorporateGroup: Writer<'corporateGroup'> = async (execution, { change, release }) => {
  const { action, name, id = '', fields, before, after } = change;
  const { tools, remember } = execution;
  if (action === 'create') {
    const body = expected(await tools.call('corporate-groups.create', { body: corporateBody({ ...after }) }));
    return remember('made', { kind: 'corporateGroup', id: String(body?.corporateGroupId), name });
  }
  const entity = corporateEntity(name, id);
  if (action === 'delete') {
    await removeEntity(execution, entity, { ...before });
    return remember('gone', { kind: 'corporateGroup', id, name });
  }
  const { removed = [] } = fields.find(({ field }) => field === 'businesses') ?? {};
  await updateEntity(execution, entity, release ? [{ field: 'businesses', added: [], removed }] : fields);
};

export const businessSteps = { customer: writeCustomer, corporateGroup: writeCorporateGroup };

function corporateEntity(name: string, corporateGroupId: string): Entity {
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
    body: corporateBody,
  };
}

function corporateBody({ corporateGroupId: _, businesses, ...thing }: Thing): Thing {
  return { ...thing, businesses: (businesses as string[]).map((businessId) => ({ businessId })) };
}
