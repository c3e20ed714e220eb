import * as z from 'zod';
import { exampleText, optionalText, singleLine } from '../../../../contract/schemas/primitives.ts';
import { maskEmail } from '../../../messaging/contacts.ts';
import type { Range, Reader } from '../../../store/store.ts';
import { foldIdentifier, hasEmailForm, isUserNameProven, type User } from '../../../store/tables.ts';
import { findUserByLogin } from '../../../users/users.ts';
import { defineRoute } from '../../define.ts';
import { addNames, nameFieldsOf } from '../../name-fields.ts';
import { buildListQuery, createTextFilter, readSortedPage, type SortColumns } from '../../sorted-pages.ts';

const UserItem = z.strictObject({
  userId: exampleText('alice'),
  userName: exampleText('alice'),
  nameVerified: z
    .boolean()
    .describe(
      'Whether no other person could have chosen the user name: an administrator or a seed set it, or it is a verified e-mail address',
    ),
  userEmail: optionalText('a***@example.com', 'Masked'),
  businessId: optionalText('example-shop'),
  ...nameFieldsOf('businessId'),
  lead: z.boolean(),
  locked: z.boolean(),
});

const columns: SortColumns<User> = {
  userId: ({ userId }) => userId,
  userName: ({ userName }) => userName,
  businessId: ({ businessId }) => businessId,
  createdAt: ({ createdAt }) => createdAt,
};

export default defineRoute({
  capability: 'read',
  id: 'control.users',
  title: 'List users',
  description:
    'With masked contacts. A search looks in user ids, user names, other login names and e-mail addresses. On a server with remote access, an e-mail address must match as a whole, since parts would reveal what is masked.',
  method: 'GET',
  path: '/users',
  audit: { kind: 'read', targets: {} },
  request: {
    query: {
      ...buildListQuery(columns, 'the id, a login name or the e-mail address'),
      name: singleLine(254, 'Only the user with this login name (case-insensitive)')
        .optional()
        .meta({ examples: ['alice'] }),
    },
  },
  response: { page: UserItem },
  errors: [],

  async handle({ query: { name, search, sort } }, { store, range, settings }) {
    const page = await readSortedPage({
      range,
      sort,
      fetch: (part) => listCandidates(store, name, part),
      keyOf: ({ userId }) => userId,
      isMatch: createUserFilter(search, settings.allowRemote),
      columns,
    });
    return { ...page, items: await addNames(store, page.items.map(toUserItem), 'businessId') };
  },
});

function createUserFilter(search: string | undefined, wholeEmails: boolean): (user: User) => boolean {
  if (search === undefined) return () => true;
  const hasText = createTextFilter(search);
  const whole = foldIdentifier(search);
  const isHidden = (name: string | undefined) => wholeEmails && name !== undefined && hasEmailForm(name);
  return ({ userId, userName, userEmail, identities }) =>
    hasText([userId, userName]) ||
    [userEmail, ...identities].some((name) =>
      isHidden(name) ? foldIdentifier(name ?? '') === whole : hasText([name]),
    );
}

async function listCandidates(store: Reader, name: string | undefined, part: Range): Promise<readonly User[]> {
  if (name === undefined) return store.users.list(part);
  const user = await findUserByLogin(store, name);
  return user && (part.after === undefined || user.userId > part.after) ? [user] : [];
}

function toUserItem(user: User) {
  const { userId, userName, userEmail, businessId, lead, locked } = user;
  return {
    userId,
    userName,
    nameVerified: isUserNameProven(user),
    ...(userEmail === undefined ? {} : { userEmail: maskEmail(userEmail) }),
    ...(businessId === undefined ? {} : { businessId }),
    lead,
    locked,
  };
}
