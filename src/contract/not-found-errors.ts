/** The part of the error table for what is not there: 404. */
import type { ErrorEntry } from './error-entry.ts';

export const notFoundErrors = {
  PATH_UNKNOWN: {
    status: 404,
    category: 'path',
    message: 'There is nothing at this path.',
    hint: 'See the API document for the paths there are.',
  },
  PATH_VALUE: {
    status: 404,
    category: 'field',
    message: 'A value in the path is not possible, so there is nothing at it.',
    hint: 'Send an id or a name as the API document describes it.',
  },
  GROUP_NOT_FOUND: {
    status: 404,
    category: 'not-found',
    message: 'There is no such group.',
    hint: 'List the groups to find its id or name.',
  },
  ROLE_NOT_FOUND: {
    status: 404,
    category: 'not-found',
    message: 'The group does not have this role itself.',
    hint: 'Get the group to see its roles; a role from a dependency is removed there.',
  },
  DEPENDENCY_NOT_FOUND: {
    status: 404,
    category: 'not-found',
    message: 'The group does not depend on this group.',
    hint: 'Get the group to see its dependencies.',
  },
  REQUEST_NOT_FOUND: {
    status: 404,
    category: 'not-found',
    message: 'No such call is kept.',
    hint: 'List the calls: the last ones are kept, and a restart forgets them.',
  },
  FAULT_NOT_FOUND: {
    status: 404,
    category: 'not-found',
    message: 'There is no such fault.',
    hint: 'List the faults to find its id; a restart forgets them.',
  },
  CLIENT_NOT_FOUND: {
    status: 404,
    category: 'not-found',
    message: 'There is no such client.',
    hint: 'Check the client id or service account id.',
  },
  API_KEY_NOT_FOUND: {
    status: 404,
    category: 'not-found',
    message: 'There is no such API key.',
    hint: 'List the API keys to find its id.',
  },
  USER_NOT_FOUND: { status: 404, category: 'not-found', message: 'There is no such user.', hint: 'Check the user id.' },
  IDENTITY_NOT_FOUND: {
    status: 404,
    category: 'not-found',
    message: 'The user has no such login identifier.',
    hint: 'Check the identifier; it is given as it was added.',
  },
  BUSINESS_NOT_FOUND: {
    status: 404,
    category: 'not-found',
    message: 'There is no such business.',
    hint: 'Check the business id.',
  },
  SERVICE_NOT_FOUND: {
    status: 404,
    category: 'not-found',
    message: 'There is no such service.',
    hint: 'Check the service account id.',
  },
  CORPORATE_GROUP_NOT_FOUND: {
    status: 404,
    category: 'not-found',
    message: 'There is no such corporate group.',
    hint: 'List the corporate groups to find its id.',
  },
  FACTOR_NOT_FOUND: {
    status: 404,
    category: 'not-found',
    message: 'There is no such authentication factor.',
    hint: 'List the factors to find its id; main-email and main-mobile stand for the main contacts.',
  },
  PROVIDER_NOT_FOUND: {
    status: 404,
    category: 'not-found',
    message: 'There is no such identity provider.',
    hint: 'Check the name; providers come from the seed.',
  },
  PRODUCT_NOT_FOUND: {
    status: 404,
    category: 'not-found',
    message: 'The product system knows no such product.',
    hint: 'Check productId, or productAlias and sku.',
  },
  PAGE_NOT_BUILT: {
    status: 404,
    category: 'path',
    message: 'The files of this page are not there: the package is not built.',
    hint: 'Run `npm run build`, then load the page again.',
  },
  SANDBOX_NOT_FOUND: {
    status: 404,
    category: 'not-found',
    message: 'There is no sandbox of this name.',
    hint: 'Make it by `iam sandbox create`; one that nobody calls goes by itself.',
  },
  SNAPSHOT_NOT_FOUND: {
    status: 404,
    category: 'not-found',
    message: 'There is no snapshot of this name.',
    hint: 'List the snapshots; they are kept in memory, so a restart of the server ends them.',
  },
  SESSION_NOT_FOUND: {
    status: 404,
    category: 'not-found',
    message: 'There is no such session.',
    hint: 'List the sessions to find its id.',
  },
  MESSAGE_NOT_FOUND: {
    status: 404,
    category: 'not-found',
    message: 'No such message was sent.',
    hint: 'Check the recipient and the purpose, or wait longer.',
  },
  EXPIRY_NOT_FOUND: {
    status: 404,
    category: 'not-found',
    message: 'Nothing by this name is known to expire.',
    hint: 'Name a token, or the id of a token that was issued lately, a challenge, a message with a code, or a session.',
  },
  MEMBERSHIP_NOT_FOUND: {
    status: 404,
    category: 'not-found',
    message: 'It is not a member of this group.',
    hint: 'List the members of the group to see who is in it.',
  },
} as const satisfies Record<string, ErrorEntry>;
