import { reference } from '../../../../contract/entities.ts';
import { FactorDetail } from '../../../../contract/schemas/factor.ts';
import { Id, PageQuery } from '../../../../contract/schemas/primitives.ts';
import { listAllFactorViews } from '../../../mfa/factor-views.ts';
import { toPage } from '../../../store/pages.ts';
import { requireUser } from '../../../users/users.ts';
import { defineRoute } from '../../define.ts';

export default defineRoute({
  capability: 'read',
  id: 'control.user-factors',
  title: 'List authentication factors of a user',
  description: 'Main and alternative contacts, sorted by id and masked. The factor visibility of clients is ignored.',
  method: 'GET',
  path: '/users/{id}/factors',
  audit: { kind: 'read', targets: { path: ['id'] } },
  request: { params: { id: Id.meta({ examples: ['alice'], ...reference('user', ['id']) }) }, query: PageQuery },
  response: { page: FactorDetail },
  errors: ['USER_NOT_FOUND'],
  openapiExamples: {
    response: {
      id: 'main-email',
      contactType: 'EMAIL',
      email: 'a***@example.com',
      tags: ['private'],
      credential: true,
      default: true,
      verified: true,
    },
  },

  async handle({ params }, { store, range }) {
    const factors = await listAllFactorViews(store, await requireUser(store, params.id));
    const rows = factors.filter(({ id }) => range.after === undefined || id > range.after);
    return toPage(rows.slice(0, range.limit + 1), range.limit, ({ id }) => id);
  },
});
