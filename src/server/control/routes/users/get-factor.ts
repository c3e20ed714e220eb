import { reference } from '../../../../contract/entities.ts';
import { apiError } from '../../../../contract/errors.ts';
import { FactorDetail, FactorIdOfUser } from '../../../../contract/schemas/factor.ts';
import { Id } from '../../../../contract/schemas/primitives.ts';
import { listAllFactorViews } from '../../../mfa/factor-views.ts';
import { toUpdatableFactor } from '../../../mfa/factors.ts';
import { requireUser } from '../../../users/users.ts';
import { defineRoute } from '../../define.ts';

export default defineRoute({
  capability: 'read',
  id: 'control.user-factor',
  title: 'Show an authentication factor of a user',
  description:
    'A main or an alternative contact, masked. The ETag is of the fields that an update of the contact writes.',
  method: 'GET',
  path: '/users/{id}/factors/{factorId}',
  audit: { kind: 'read', targets: { path: ['id', 'factorId'] } },
  request: {
    params: { id: Id.meta({ examples: ['alice'], ...reference('user', ['id']) }), factorId: FactorIdOfUser },
  },
  response: { status: 200, body: FactorDetail, entity: 'stored' },
  errors: ['USER_NOT_FOUND', 'FACTOR_NOT_FOUND'],

  async handle({ params }, { store, setStoredEtag }) {
    const user = await requireUser(store, params.id);
    // First: an ETag that is older than the response only makes a write fail.
    const row = await store.factors.get(params.factorId);
    if (row) setStoredEtag(toUpdatableFactor(row));
    const factor = (await listAllFactorViews(store, user)).find(({ id }) => id === params.factorId);
    if (!factor) throw apiError('FACTOR_NOT_FOUND');
    return factor;
  },
});
