/** The part of the error table for missing objects and paths: 404. */
import type { ErrorEntry } from './error-entry.ts';

export const notFoundErrors = {
  PATH_UNKNOWN: {
    status: 404,
    category: 'path',
    message: 'Path not found.',
    hint: 'See the OpenAPI document for the available paths.',
  },
  PATH_VALUE: {
    status: 404,
    category: 'field',
    message: 'A path parameter has a value that is not valid.',
    hint: 'Send an id or a name in the format that the OpenAPI document specifies.',
  },
  GROUP_NOT_FOUND: {
    status: 404,
    category: 'not-found',
    message: 'Group not found.',
    hint: 'List groups with `iam groups list`.',
  },
  ROLE_NOT_FOUND: {
    status: 404,
    category: 'not-found',
    message: 'The group does not have this role directly.',
    hint: 'Show the roles of the group with `iam groups get`. Remove an inherited role from the group that defines it.',
  },
  DEPENDENCY_NOT_FOUND: {
    status: 404,
    category: 'not-found',
    message: 'The group does not depend on this group.',
    hint: 'Show the dependencies of the group with `iam groups get`.',
  },
  REQUEST_NOT_FOUND: {
    status: 404,
    category: 'not-found',
    message: 'Request not found in the request log.',
    hint: 'List requests with `iam requests list`. The log holds the last requests and is cleared on restart.',
  },
  FAULT_NOT_FOUND: {
    status: 404,
    category: 'not-found',
    message: 'Fault not found.',
    hint: 'List faults with `iam faults list`. Faults are cleared on restart.',
  },
  CLIENT_NOT_FOUND: {
    status: 404,
    category: 'not-found',
    message: 'Client not found.',
    hint: 'List clients with `iam clients list`.',
  },
  API_KEY_NOT_FOUND: {
    status: 404,
    category: 'not-found',
    message: 'API key not found.',
    hint: 'List API keys with `iam api-key list`.',
  },
  USER_NOT_FOUND: {
    status: 404,
    category: 'not-found',
    message: 'User not found.',
    hint: 'List users with `iam users list`.',
  },
  IDENTITY_NOT_FOUND: {
    status: 404,
    category: 'not-found',
    message: 'The user does not have this login identifier.',
    hint: 'Check the identifier.',
  },
  BUSINESS_NOT_FOUND: {
    status: 404,
    category: 'not-found',
    message: 'Business not found.',
    hint: 'List businesses with `iam businesses list`.',
  },
  SERVICE_NOT_FOUND: {
    status: 404,
    category: 'not-found',
    message: 'Service not found.',
    hint: 'List clients and their service accounts with `iam clients list`.',
  },
  CORPORATE_GROUP_NOT_FOUND: {
    status: 404,
    category: 'not-found',
    message: 'Corporate group not found.',
    hint: 'List corporate groups with `iam corporate-groups list`.',
  },
  FACTOR_NOT_FOUND: {
    status: 404,
    category: 'not-found',
    message: 'Authentication factor not found.',
    hint: 'List factors with `iam factors list`. The ids of the main contacts are main-email and main-mobile.',
  },
  PROVIDER_NOT_FOUND: {
    status: 404,
    category: 'not-found',
    message: 'Identity provider not found.',
    hint: 'Check the name. Providers are defined in the seed file.',
  },
  PRODUCT_NOT_FOUND: {
    status: 404,
    category: 'not-found',
    message: 'Product not found in the product system.',
    hint: 'Check productId, or productAlias and sku.',
  },
  PAGE_NOT_BUILT: {
    status: 404,
    category: 'path',
    message: 'The files of this page do not exist because the package is not built.',
    hint: 'Run `npm run build`, then reload the page.',
  },
  SANDBOX_NOT_FOUND: {
    status: 404,
    category: 'not-found',
    message: 'Sandbox not found.',
    hint: 'Create it with `iam sandbox create`. The server deletes sandboxes that receive no requests.',
  },
  SNAPSHOT_NOT_FOUND: {
    status: 404,
    category: 'not-found',
    message: 'Snapshot not found.',
    hint: 'List snapshots with `iam state list`. Snapshots are held in memory and lost on restart.',
  },
  SESSION_NOT_FOUND: {
    status: 404,
    category: 'not-found',
    message: 'Session not found.',
    hint: 'List sessions with `iam sessions list`.',
  },
  MESSAGE_NOT_FOUND: {
    status: 404,
    category: 'not-found',
    message: 'No matching message was sent.',
    hint: 'Check the recipient and the purpose, or wait longer.',
  },
  EXPIRY_NOT_FOUND: {
    status: 404,
    category: 'not-found',
    message: 'No token, code or session with this name or id.',
    hint: 'Specify a token, the id of a recently issued token, a challenge, a message with a code, or a session.',
  },
  MEMBERSHIP_NOT_FOUND: {
    status: 404,
    category: 'not-found',
    message: 'Not a member of this group.',
    hint: 'List the members of the group with `iam groups members`.',
  },
} as const satisfies Record<string, ErrorEntry>;
