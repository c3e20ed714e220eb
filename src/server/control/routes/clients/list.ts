/** GET /_iam/clients */
import { PageQuery, singleLine } from '../../../../contract/schemas/primitives.ts';
import { readFilteredPage } from '../../../store/pages.ts';
import { defineRoute } from '../../define.ts';
import { ClientItem, toClientItem } from './client-item.ts';

export default defineRoute({
  capability: 'read',
  id: 'control.clients',
  title: 'List clients',
  description: 'Sorted by id, without secrets.',
  method: 'GET',
  path: '/clients',
  audit: { kind: 'read', targets: {} },
  status: [200, 206, 400, 401, 403, 500],
  request: {
    query: {
      ...PageQuery,
      name: singleLine(64, 'Only clients with this client id, service account id or application')
        .optional()
        .meta({ examples: ['billing'] }),
    },
  },
  response: { page: ClientItem },
  errors: [],

  async handle({ query: { name } }, { store, range }) {
    const page = await readFilteredPage(
      range,
      (part) => store.clients.list(part),
      ({ clientId }) => clientId,
      ({ clientId, serviceAccountId, appId }) =>
        name === undefined || [clientId, serviceAccountId, appId].includes(name),
    );
    return { ...page, items: page.items.map(toClientItem) };
  },
});
