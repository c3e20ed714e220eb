import * as z from 'zod';
import { exampleText, optionalText, singleLine } from '../../../../contract/schemas/primitives.ts';
import { foldIdentifier } from '../../../../lib/fold-identifier.ts';
import { maskEmail } from '../../../../lib/masked-email.ts';
import type { Principal } from '../../../directory/principal.ts';
import type { Range, Reader } from '../../../store/store.ts';
import { hasEmailForm, isUserNameProven, type User } from '../../../store/tables.ts';
import { findUserByLogin, isUserReadable } from '../../../users/users.ts';
import { findCaller } from '../../client-access.ts';
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
  userEmail: optionalText('alice@example.com'),
  userEmailMasked: z
    .literal(true)
    .optional()
    .describe('Present if userEmail is masked, because the caller may not read the contacts of the user'),
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
    'The e-mail address of a user whose contacts the caller may not read is masked. A search looks in user ids, user names, other login names and e-mail addresses. Masked ones must match as a whole, since parts would reveal them: also, on a server with remote access, addresses among the other login names.',
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
  response: { page: UserItem, counted: true },
  errors: [],

  async handle({ query }, context) {
    const { name, search } = query;
    const { store, range } = context;
    const caller = findCaller(context);
    const page = await readSortedPage({
      range,
      query,
      fetch: (part) => listCandidates(store, name, part),
      countRows: () => store.users.count(),
      keyOf: ({ userId }) => userId,
      isMatch: createUserFilter(search, caller),
      columns,
    });
    return {
      ...page,
      items: await addNames(
        store,
        page.items.map((user) => toUserItem(user, caller)),
        'businessId',
      ),
    };
  },
});

/** Callers on this machine need no credentials, and read all. */
function isMasked({ userId }: User, caller: Principal | undefined): boolean {
  return caller !== undefined && !isUserReadable(userId, caller);
}

function createUserFilter(search: string | undefined, caller: Principal | undefined): (user: User) => boolean {
  if (search === undefined) return () => true;
  const hasText = createTextFilter(search);
  const whole = foldIdentifier(search);
  const matches = (name: string, hidesEmails: boolean) =>
    hidesEmails && hasEmailForm(name) ? foldIdentifier(name) === whole : hasText([name]);
  return (user) => {
    const { userId, userName, userEmail, identities } = user;
    return (
      hasText([userId, userName]) ||
      (userEmail !== undefined && matches(userEmail, isMasked(user, caller))) ||
      // No response to a remote caller contains one.
      identities.some((name) => matches(name, caller !== undefined))
    );
  };
}

async function listCandidates(store: Reader, name: string | undefined, part: Range): Promise<readonly User[]> {
  if (name === undefined) return store.users.list(part);
  const user = await findUserByLogin(store, name);
  return user && (part.after === undefined || user.userId > part.after) ? [user] : [];
}

function toUserItem(user: User, caller: Principal | undefined) {
  const { userId, userName, userEmail, businessId, lead, locked } = user;
  return {
    userId,
    userName,
    nameVerified: isUserNameProven(user),
    ...(userEmail === undefined ? {} : formatEmail(userEmail, isMasked(user, caller))),
    ...(businessId === undefined ? {} : { businessId }),
    lead,
    locked,
  };
}

function formatEmail(userEmail: string, masked: boolean) {
  return masked ? { userEmail: maskEmail(userEmail), userEmailMasked: true as const } : { userEmail };
}
