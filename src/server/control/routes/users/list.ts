/** GET /_iam/users */
import * as z from 'zod';
import { PageQuery, singleLine } from '../../../../contract/schemas/primitives.ts';
import { maskEmail } from '../../../messaging/contacts.ts';
import { toPage } from '../../../store/pages.ts';
import type { Range, Reader } from '../../../store/store.ts';
import type { User } from '../../../store/tables.ts';
import { findUserByLogin } from '../../../users/users.ts';
import { defineRoute } from '../../define.ts';

const UserItem = z.strictObject({
  userId: z.string().meta({ examples: ['alice'] }),
  userName: z.string().meta({ examples: ['alice'] }),
  userEmail: z
    .string()
    .optional()
    .meta({ description: 'Masked', examples: ['a***@example.com'] }),
  businessId: z
    .string()
    .optional()
    .meta({ examples: ['example-shop'] }),
  lead: z.boolean(),
  locked: z.boolean(),
});

export default defineRoute({
  capability: 'read',
  id: 'control.users',
  title: 'List users',
  description: 'Sorted by id, with masked contacts.',
  method: 'GET',
  path: '/users',
  audit: { kind: 'read', targets: {} },
  status: [200, 206, 400, 401, 403, 500],
  request: {
    query: {
      ...PageQuery,
      name: singleLine(254, 'Only the user with this login name (case-insensitive)')
        .optional()
        .meta({ examples: ['alice'] }),
    },
  },
  response: { page: UserItem },
  errors: [],

  async handle({ query }, { store, range }) {
    const rows = await listCandidates(store, query.name, { ...range, limit: range.limit + 1 });
    const page = toPage(rows, range.limit, ({ userId }) => userId);
    return { ...page, items: page.items.map(toUserItem) };
  },
});

async function listCandidates(store: Reader, name: string | undefined, part: Range): Promise<readonly User[]> {
  if (name === undefined) return store.users.list(part);
  const user = await findUserByLogin(store, name);
  return user && (part.after === undefined || user.userId > part.after) ? [user] : [];
}

function toUserItem({ userId, userName, userEmail, businessId, lead, locked }: User): z.input<typeof UserItem> {
  return {
    userId,
    userName,
    ...(userEmail === undefined ? {} : { userEmail: maskEmail(userEmail) }),
    ...(businessId === undefined ? {} : { businessId }),
    lead,
    locked,
  };
}
