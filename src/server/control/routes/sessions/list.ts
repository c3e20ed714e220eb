import { reference } from '../../../../contract/entities.ts';
import { Id } from '../../../../contract/schemas/primitives.ts';
import { epochSeconds } from '../../../lib/clock.ts';
import type { Range, Reader } from '../../../store/store.ts';
import type { Session } from '../../../store/tables.ts';
import { defineRoute } from '../../define.ts';
import { buildListQuery, readSortedPage, type SortColumns } from '../../sorted-pages.ts';
import { SessionItem, toSessionItems } from './session-item.ts';

const columns: SortColumns<Session> = {
  sessionId: ({ sessionId }) => sessionId,
  startedAt: ({ startedAt }) => String(startedAt),
  endsAt: ({ endsAt }) => String(endsAt),
};

const { search: _, ...sortedQuery } = buildListQuery(columns, '');

export default defineRoute({
  capability: 'read',
  id: 'control.sessions',
  title: 'List sessions',
  description: 'Active sessions without their tokens.',
  method: 'GET',
  path: '/sessions',
  audit: { kind: 'read', targets: {} },
  request: {
    query: {
      ...sortedQuery,
      userId: Id.optional().meta({
        description: 'Only sessions of this user',
        examples: ['alice'],
        ...reference('user', ['id']),
      }),
      clientId: Id.optional().meta({
        description: 'Only sessions of this client',
        examples: ['billing-service'],
        ...reference('client', ['id']),
      }),
    },
  },
  response: { page: SessionItem, counted: true },
  errors: [],

  async handle({ query }, { store, clock, range }) {
    const { userId, clientId } = query;
    const now = epochSeconds(clock);
    const page = await readSortedPage({
      range,
      query,
      fetch: (part) => listCandidates(store, { userId, clientId }, part),
      keyOf: ({ sessionId }) => sessionId,
      isMatch: (session) => session.endsAt > now && (clientId === undefined || session.clientId === clientId),
      columns,
    });
    return { ...page, items: await toSessionItems(store, page.items, now) };
  },
});

interface Filters {
  readonly userId: string | undefined;
  readonly clientId: string | undefined;
}

function listCandidates(store: Reader, { userId, clientId }: Filters, part: Range): Promise<readonly Session[]> {
  if (userId !== undefined) return store.sessions.find('userId', userId, part);
  return clientId === undefined ? store.sessions.list(part) : store.sessions.find('clientId', clientId, part);
}
