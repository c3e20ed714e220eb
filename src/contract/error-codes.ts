/** The error codes: every error that a caller can see, in one table. */
import type { EntityName } from './entities.ts';

/**
 * The category of a code. Clients branch on it, not on the spelling of the code:
 *
 * - `request`: the request is malformed, or HTTP rejects it.
 * - `field`: a field, a query parameter, a header or a path parameter is wrong.
 * - `credentials`: the credentials of the caller are missing, not valid or ambiguous.
 * - `verification`: a password, a code or an assertion within the request is not valid.
 * - `grant`: the OAuth grant is not valid, not supported or not allowed.
 * - `forbidden`: the caller is authenticated but lacks a right.
 * - `path`: the path does not exist.
 * - `not-found`: the target object does not exist.
 * - `unknown-reference`: the request refers to another object that does not exist.
 * - `taken`: another object already has the name, the id or the value.
 * - `changed`: the object has changed since it was read.
 * - `conflict`: the state does not allow the request.
 * - `value`: a rule rejects a well-formed value.
 * - `limit`: too many attempts or requests.
 * - `server`: the server failed, or does not implement the request.
 * - `unavailable`: the server or an external system cannot serve the request now.
 */
export type ErrorCategory =
  | 'request'
  | 'field'
  | 'credentials'
  | 'verification'
  | 'grant'
  | 'forbidden'
  | 'path'
  | 'not-found'
  | 'unknown-reference'
  | 'taken'
  | 'changed'
  | 'conflict'
  | 'value'
  | 'limit'
  | 'server'
  | 'unavailable'
  /** The request may or may not have taken effect: a retry could apply it twice. */
  | 'outcome-unknown';

export interface ErrorEntry {
  readonly status: number;
  readonly category: ErrorCategory;
  readonly message: string;
  /** What the caller can do about it; shown by the CLI and in docs/reference/errors.md. */
  readonly hint: string;
  /** The entity that does not exist. */
  readonly entity?: EntityName;
  /**
   * The field of a request that it is about: the first of these that the request has, also within lists and objects. Absent if
   * it is about several, and where `details` names it.
   */
  readonly fields?: readonly string[];
  /** The name of the server setting that controls it. */
  readonly setting?: string;
}

/**
 * The error table: every error that a caller can see, with its status, message and hint. Codes are public and stable.
 * If an operation does not document the status, `resolveErrorStatus` selects a replacement.
 */
export const errorTable = {
  // Malformed requests: 400
  BODY_NOT_JSON: {
    status: 400,
    category: 'request',
    message: 'The body is not JSON.',
    hint: 'Send one JSON value, encoded as UTF-8.',
  },
  BODY_TOO_DEEP: {
    status: 400,
    category: 'request',
    message: 'The body is nested too deeply.',
    hint: 'Flatten the JSON value.',
  },
  BODY_TOO_COMPLEX: {
    status: 400,
    category: 'request',
    message: 'The body has too many fields or values.',
    hint: 'Send less data per request. The message names the maximum.',
  },
  FIELD_MISSING: {
    status: 400,
    category: 'field',
    message: 'A required field is missing.',
    hint: 'Send the named field.',
  },
  FIELD_UNKNOWN: {
    status: 400,
    category: 'field',
    message: 'Unknown field.',
    hint: 'Omit the field. See the OpenAPI document for the accepted fields.',
  },
  FIELD_REPEATED: {
    status: 400,
    category: 'field',
    message: 'A field is repeated in its object.',
    hint: 'Send each field once: programs differ in which one they read.',
  },
  FIELD_TYPE: {
    status: 400,
    category: 'field',
    message: 'A field has the wrong type.',
    hint: 'Send the type that the OpenAPI document specifies.',
  },
  FIELD_VALUE: {
    status: 422,
    category: 'field',
    message: 'A field has a value that is not allowed.',
    hint: 'Send a value within the limits in the message.',
  },
  USER_NAME_RESERVED: {
    status: 400,
    category: 'field',
    message: 'This form of user name is reserved for e-mail addresses and federated accounts.',
    hint: 'Send a name without a colon. A name in the form of an e-mail address must equal userEmail in the same request.',
  },
  NAME_NOT_VISIBLE: {
    status: 400,
    category: 'field',
    message: 'A new name must not contain invisible characters or start or end with a space.',
    hint: 'Remove the character. Names that exist stay as they are.',
  },
  QUERY_REPEATED: {
    status: 400,
    category: 'field',
    message: 'A query parameter is repeated.',
    hint: 'Send the parameter once.',
  },
  CURSOR_INVALID: {
    status: 400,
    category: 'field',
    message: 'The value of after is not a cursor of this list.',
    hint: 'Use the cursor from the Link header of the previous page, with the same filters.',
  },
  REQUEST_MALFORMED: {
    status: 400,
    category: 'request',
    message: 'The request is not valid HTTP.',
    hint: 'Send a well-formed HTTP/1.1 request.',
  },
  HOST_MISSING: {
    status: 400,
    category: 'request',
    message: 'The Host header is missing or not valid.',
    hint: 'Send one Host header.',
  },
  CREDENTIALS_AMBIGUOUS: {
    status: 400,
    category: 'credentials',
    message: 'The request has more than one kind of credentials.',
    hint: 'Send one of Authorization, X-Api-Key and clientId.',
  },
  // Authentication and authorization: 401 and 403
  CREDENTIALS_MISSING: {
    status: 401,
    category: 'credentials',
    message: 'The request has no credentials.',
    hint: 'Log in, or send an Authorization or X-Api-Key header.',
  },
  CREDENTIALS_INVALID: {
    status: 401,
    category: 'credentials',
    message: 'The credentials are not valid.',
    hint: 'Check the user name and password, the client id and secret, or the API key.',
  },
  TOKEN_INVALID: {
    status: 401,
    category: 'credentials',
    message: 'The access token is not valid or has expired.',
    hint: 'Log in again to obtain a new token.',
  },
  PROOF_INVALID: {
    status: 401,
    category: 'verification',
    message: 'The code, certificate or assertion is not valid or has expired.',
    hint: 'Start again with a new one. For security, the response does not state which check failed.',
  },
  ROLE_MISSING: {
    status: 403,
    category: 'forbidden',
    message: 'The caller lacks a role that this operation requires.',
    hint: 'Add the caller to a group that grants the role.',
  },
  TOKEN_NARROWED: {
    status: 403,
    category: 'forbidden',
    message: 'The token has less scope or fewer audiences than the login of the user.',
    hint: 'Send the token that the application got for the login. One that was reduced for a service changes nothing that the user logs in with.',
  },
  GRANT_EXCEEDED: {
    status: 403,
    category: 'forbidden',
    message: 'The caller cannot grant roles or scopes that it does not have.',
    hint: 'Use a caller that has every role and scope that the message names.',
  },
  MFA_MISSING: {
    status: 403,
    category: 'forbidden',
    message: 'The request changes an administrator, or makes one, and requires AUTH-MFA.',
    hint: 'Complete a second factor with `iam login --user NAME --mfa`, or use a client that has AUTH-MFA: `authorities: [AUTH-MFA]` in a seed.',
  },
  SEED_ADMINISTRATOR_CHANGED: {
    status: 403,
    category: 'forbidden',
    message:
      'An administrator in the seed of the server is no longer one at the server, or has lost a credential or a contact there.',
    hint: 'Export the server itself, or create a sandbox with a seed of its own.',
  },
  USER_MISSING: {
    status: 403,
    category: 'forbidden',
    message: 'This operation requires the access token of a user.',
    hint: 'Send the access token of a user.',
  },
  TARGET_NOT_ALLOWED: {
    status: 403,
    category: 'forbidden',
    message: 'The target client is not a first-party client.',
    hint: 'Specify a first-party client.',
  },
  BILLING_TYPE_NOT_SOLD: {
    status: 403,
    category: 'forbidden',
    message: 'The product is not sold with this billing type.',
    hint: 'Use a billing type of the product.',
  },
  // Missing objects and paths: 404
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
    entity: 'group',
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
    entity: 'request',
    message: 'Request not found in the request log.',
    hint: 'List requests with `iam requests list`. The log holds the last requests and is cleared on restart. Each of several servers has its own: send the command to the one whose name begins the id (--base-url).',
  },
  FAULT_NOT_FOUND: {
    status: 404,
    category: 'not-found',
    entity: 'fault',
    message: 'Fault not found.',
    hint: 'List faults with `iam faults list`. Faults are cleared on restart.',
  },
  CLIENT_NOT_FOUND: {
    status: 404,
    category: 'not-found',
    entity: 'client',
    message: 'Client not found.',
    hint: 'List clients with `iam clients list`.',
  },
  API_KEY_NOT_FOUND: {
    status: 404,
    category: 'not-found',
    entity: 'apiKey',
    message: 'API key not found.',
    hint: 'List API keys with `iam api-key list`.',
  },
  USER_NOT_FOUND: {
    status: 404,
    category: 'not-found',
    entity: 'user',
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
    entity: 'business',
    message: 'Business not found.',
    hint: 'List businesses with `iam businesses list`.',
  },
  CUSTOMER_NOT_FOUND: {
    status: 404,
    category: 'not-found',
    entity: 'customer',
    message: 'Customer not found.',
    hint: 'List customers with `iam customers list`.',
  },
  SERVICE_NOT_FOUND: {
    status: 404,
    category: 'not-found',
    entity: 'client',
    message: 'Service not found.',
    hint: 'List clients and their service accounts with `iam clients list`.',
  },
  CORPORATE_GROUP_NOT_FOUND: {
    status: 404,
    category: 'not-found',
    entity: 'corporateGroup',
    message: 'Corporate group not found.',
    hint: 'List corporate groups with `iam corporate-groups list`.',
  },
  FACTOR_NOT_FOUND: {
    status: 404,
    category: 'not-found',
    entity: 'factor',
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
    entity: 'sandbox',
    message: 'Sandbox not found.',
    hint: 'List sandboxes with `iam sandbox list`. The server deletes sandboxes that receive no requests.',
  },
  SNAPSHOT_NOT_FOUND: {
    status: 404,
    category: 'not-found',
    entity: 'snapshot',
    message: 'Snapshot not found.',
    hint: 'List snapshots with `iam state list`. Snapshots are held in memory and lost on restart.',
  },
  SESSION_NOT_FOUND: {
    status: 404,
    category: 'not-found',
    entity: 'session',
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
  // Errors of HTTP: 405 to 431
  METHOD_NOT_ALLOWED: {
    status: 405,
    category: 'request',
    message: 'This path does not support the method.',
    hint: 'Use one of the methods in the Allow header.',
  },
  REQUEST_TIMEOUT: {
    status: 408,
    category: 'request',
    message: 'The request did not arrive in time.',
    hint: 'Send the whole request without pauses.',
  },
  BODY_TOO_LARGE: {
    status: 413,
    category: 'request',
    message: 'The body is too large.',
    hint: 'Send less data per request.',
  },
  CONTENT_TYPE_UNSUPPORTED: {
    status: 415,
    category: 'request',
    message: 'The content type or encoding of the body is not supported.',
    hint: 'Send Content-Type: application/json without compression.',
  },
  EXPECTATION_FAILED: {
    status: 417,
    category: 'request',
    message: 'The Expect header is not supported.',
    hint: 'Omit Expect, or send 100-continue.',
  },
  HOST_FOREIGN: {
    status: 421,
    category: 'request',
    setting: 'allowed-host',
    message: 'The host name in the Host header is not allowed. Allow it with --allowed-host.',
    hint: 'Use an address, localhost or the host of the base URL, or start the server with --allowed-host NAME. Without --allow-remote, the control plane accepts only loopback names and those of --allowed-host.',
  },
  HEADERS_TOO_LARGE: {
    status: 431,
    category: 'request',
    message: 'The headers are too large.',
    hint: 'Send fewer or shorter headers.',
  },
  // Limits: 429
  TOO_MANY_ATTEMPTS: {
    status: 429,
    category: 'limit',
    setting: 'disable-rate-limits',
    message:
      'Too many failed attempts. Wait for the time in Retry-After. For tests, --disable-rate-limits turns this limit off.',
    hint: 'Retry with the correct password or secret after the wait. Sources and devices from which the user has logged in before are not blocked.',
  },
  CODE_FAILURES: {
    status: 429,
    category: 'limit',
    setting: 'disable-rate-limits',
    message:
      'Too many wrong codes. Wait for the time in Retry-After. For tests, --disable-rate-limits turns this limit off.',
    hint: 'Request a new code after the wait, or use a source or device from which the user logged in before; for a second factor, one from which the user completed MFA. A recovery of the account clears the wrong codes of second factors.',
  },
  TOO_MANY_CODES: {
    status: 429,
    category: 'limit',
    setting: 'disable-rate-limits',
    message:
      'Too many codes were sent. Wait for the time in Retry-After. For tests, --disable-rate-limits turns this limit off.',
    hint: 'Use the last code, or request another one after the wait.',
  },
  GROWTH_LIMIT: {
    status: 429,
    category: 'limit',
    message:
      'Too many objects were created within an hour: by unauthenticated callers of this network (setting growth-limit), by the owner of the caller (growth-limit-owner), or by all owners of this network (growth-limit-owners).',
    hint: 'Wait for the time in Retry-After. Unauthenticated callers can authenticate their client. The operator can raise the setting that the error names.',
  },
  TOO_MANY_FAULTS: {
    status: 429,
    category: 'limit',
    message: 'The maximum number of faults is reached.',
    hint: 'Remove faults with `iam faults remove` or `iam faults clear`.',
  },
  TOO_MANY_WAITERS: {
    status: 429,
    category: 'limit',
    message: 'Too many callers are waiting.',
    hint: 'Retry after some of the waiting requests have completed.',
  },
  // The control plane
  ORIGIN_FOREIGN: {
    status: 403,
    category: 'forbidden',
    message: 'The control plane rejects requests from pages of other origins.',
    hint: 'Send the request from a page of this server, or without a browser.',
  },
  CSRF_HEADER_MISSING: {
    status: 403,
    category: 'forbidden',
    message: 'The browser request has neither Content-Type: application/json nor X-Requested-With.',
    hint: 'Send one of them. X-Requested-With may have any value. HTML forms cannot set either of them, which prevents CSRF.',
  },
  SNAPSHOT_EXISTS: {
    status: 412,
    category: 'taken',
    fields: ['name'],
    message: 'A snapshot with this name already exists.',
    hint: 'Choose another name, or replace the snapshot with --replace.',
  },
  SANDBOX_EXISTS: {
    status: 412,
    category: 'taken',
    fields: ['name'],
    message: 'A sandbox with this name already exists.',
    hint: 'Choose another name, or delete the sandbox with `iam sandbox delete`.',
  },
  TEST_FEATURES_OFF: {
    status: 412,
    category: 'conflict',
    setting: 'test-features',
    message: 'Test features are disabled on this server.',
    hint: 'If no real users depend on the server, start it with --test-features on.',
  },
  TOO_MANY_SNAPSHOTS: {
    status: 412,
    category: 'conflict',
    message: 'The maximum number of snapshots is reached.',
    hint: 'Delete snapshots with `iam state delete`.',
  },
  TOO_MANY_SANDBOXES: {
    status: 412,
    category: 'conflict',
    message: 'The maximum number of sandboxes is reached.',
    hint: 'Delete sandboxes with `iam sandbox delete`.',
  },
  STATE_NOT_EMPTY: {
    status: 412,
    category: 'conflict',
    message: 'The server has data besides what the first start created. An import would overwrite it.',
    hint: 'Export or save the state first, then import with `--force`, or `force=true` in the URL.',
  },
  TOKEN_LIMIT_EXCEEDED: {
    status: 422,
    category: 'limit',
    setting: 'max-token',
    message: 'With this change, tokens would be longer than the limit.',
    hint: 'Use fewer or shorter roles, or start the server with a larger --max-token.',
  },
  STATE_NEWER: {
    status: 422,
    category: 'value',
    message: 'The dump was written by a newer version of the service.',
    hint: 'Import it into a server of that version or later.',
  },
  STATE_DAMAGED: {
    status: 422,
    category: 'value',
    message: 'The document is not a valid dump of this service.',
    hint: 'Import an unmodified export. The message names the position of the error.',
  },
  // Failed preconditions: 412
  GROUP_NAME_TAKEN: {
    status: 412,
    category: 'taken',
    fields: ['groupName'],
    message: 'The group name is already in use.',
    hint: 'Choose another name, or update the existing group.',
  },
  GROUP_IN_USE: {
    status: 412,
    category: 'conflict',
    message: 'Other groups depend on this group.',
    hint: 'Remove these dependencies first, with `iam groups remove-dependency`.',
  },
  LAST_ADMINISTRATOR: {
    status: 412,
    category: 'conflict',
    message: 'The request would leave no administrator who can sign in.',
    hint: 'Make another user an administrator first.',
  },
  BOOTSTRAP_CLIENT: {
    status: 412,
    category: 'conflict',
    message: 'The clients that the first start created cannot be removed.',
    hint: 'To replace the secret of the administrator client, use `iam clients rotate-secret`, or start the server with --reset-admin.',
  },
  OVERLAP_ACTIVE: {
    status: 412,
    category: 'conflict',
    message: 'Two secrets are valid since an earlier rotation; a rotation ends one of them.',
    hint: 'Say which one is in use: keep `newest` or keep `oldest` (--keep). Keep the oldest if the newest was lost.',
  },
  OWNER_INACTIVE: {
    status: 412,
    category: 'conflict',
    message: 'The owner of the client is locked or was removed, so the previous secret cannot stay valid.',
    hint: 'Rotate without an overlap, or unlock the owner first.',
  },
  CLIENT_WITHOUT_SECRET: {
    status: 412,
    category: 'conflict',
    message: 'The client has no secret to rotate: it identifies itself by its id only.',
    hint: 'Create a client with a secret: `iam clients create`.',
  },
  SECRET_CONFIGURED: {
    status: 412,
    category: 'conflict',
    message: 'The configuration of the server sets this secret, and every start would restore it.',
    hint: 'Change IAM_ADMIN_CLIENT_SECRET and restart the server.',
  },
  CHANGED_MEANWHILE: {
    status: 412,
    category: 'changed',
    message: 'The object has changed since it was read.',
    hint: 'Read the object again and apply the change to the current version.',
  },
  USER_UNKNOWN: {
    status: 412,
    category: 'unknown-reference',
    fields: ['userId'],
    message: 'No user has this id.',
    hint: 'List users with `iam users list`.',
  },
  BUSINESS_UNKNOWN: {
    status: 412,
    category: 'unknown-reference',
    fields: ['businessId'],
    message: 'No business has this id.',
    hint: 'List businesses with `iam businesses list`.',
  },
  ID_TAKEN: {
    status: 412,
    category: 'taken',
    fields: ['serviceAccountId', 'userId', 'businessId'],
    message: 'This id is or was in use. Ids are never reused.',
    hint: 'Choose another id.',
  },
  ID_NOT_CHOSEN: {
    status: 412,
    category: 'forbidden',
    setting: 'chosen-ids',
    message: 'The caller may not choose this id.',
    hint: 'Omit the id, so that the server generates it; the service account id of an own client can be OWNER_ID:NAME. Administrators and authenticated first-party clients choose ids; with --chosen-ids all every caller does.',
  },
  API_KEY_TAKEN: {
    status: 412,
    category: 'taken',
    fields: ['apiKey'],
    message: 'This API key is already in use.',
    hint: 'Send another key, or omit apiKey to have one generated.',
  },
  LOGIN_NAME_TAKEN: {
    status: 412,
    category: 'taken',
    fields: ['userName', 'identity', 'userEmail'],
    message: 'The login name is already in use by another user.',
    hint: 'Choose another name. User ids, user names, verified e-mail addresses and identifiers share one namespace.',
  },
  CODE_INVALID: {
    status: 412,
    category: 'verification',
    message: 'The code is not valid or has expired.',
    hint: 'Request a new code.',
  },
  BUSINESS_NOT_ALLOWED: {
    status: 412,
    category: 'forbidden',
    fields: ['businessId'],
    message: 'The caller may not assign users to this business.',
    hint: 'Omit businessId, or use an authenticated first-party client or an administrator.',
  },
  USER_LOCKED: {
    status: 412,
    category: 'conflict',
    message: 'The user is locked.',
    hint: 'Unlock the user with `iam users unlock`.',
  },
  LOCK_OF_SELF: {
    status: 412,
    category: 'conflict',
    message: 'You cannot lock your own account.',
    hint: 'Ask another administrator to lock it.',
  },
  LAST_IDENTITY: {
    status: 412,
    category: 'conflict',
    message: 'The user name cannot be removed from the login identifiers.',
    hint: 'Change the user name instead.',
  },
  CORPORATE_GROUP_NAME_TAKEN: {
    status: 412,
    category: 'taken',
    fields: ['corporateGroupName'],
    message: 'The corporate group name is already in use.',
    hint: 'Choose another name, or update the existing corporate group.',
  },
  CORPORATE_GROUP_UNKNOWN: {
    status: 412,
    category: 'unknown-reference',
    fields: ['corporateGroupId'],
    message: 'No corporate group has this id.',
    hint: 'List corporate groups with `iam corporate-groups list`, or create the group first.',
  },
  DOCUMENT_TAKEN: {
    status: 412,
    category: 'taken',
    fields: ['document'],
    message: 'Another customer of the same kind has this document.',
    hint: 'Check the document. Find its customer with `iam customers list`.',
  },
  CUSTOMER_TAKEN: {
    status: 412,
    category: 'taken',
    fields: ['userId'],
    message: 'The user is already a customer.',
    hint: 'Use the existing customer id of the user.',
  },
  TOO_MANY_CLIENTS: {
    status: 412,
    category: 'conflict',
    message: 'The owner has the maximum number of clients.',
    hint: 'Remove a client that is no longer used.',
  },
  PASSWORD_EXISTS: {
    status: 412,
    category: 'conflict',
    message: 'The user already has a password.',
    hint: 'Change it with the current password, or reset it with a code.',
  },
  PASSWORD_WRONG: {
    status: 412,
    category: 'verification',
    message: 'The current password is wrong.',
    hint: 'Send the current password, or reset it with a code.',
  },
  FACTOR_NOT_VERIFIED: {
    status: 412,
    category: 'conflict',
    message: 'This contact is not verified, so it cannot receive codes for MFA.',
    hint: 'Verify the contact first with a code, or use another one.',
  },
  FACTOR_TAKEN: {
    status: 412,
    category: 'taken',
    message: 'The user already has this contact, or the factor id is in use.',
    hint: 'Use the existing factor.',
  },
  MAIN_CONTACT: {
    status: 412,
    category: 'conflict',
    message: 'This operation cannot change a main contact.',
    hint: 'An administrator changes it with `iam users update`, by --user-email or --user-mobile.phone-number.',
  },
  LOGON_TAKEN: {
    status: 412,
    category: 'taken',
    fields: ['logon'],
    message: 'The logon is already in use.',
    hint: 'Choose another logon. A logon belongs to one user only.',
  },
  SUBJECT_UNKNOWN: {
    status: 412,
    category: 'unknown-reference',
    message: 'The assertion is valid, but no user matches it.',
    hint: 'Link the account to a user, or have the user verify the same e-mail address, which finds neither an administrator nor a user with another account of the provider.',
  },
  // Well-formed values that a rule rejects: 422
  OWNER_AMBIGUOUS: {
    status: 422,
    category: 'value',
    message: 'A client has at most one owner.',
    hint: 'Send one of userId, businessId and serviceAccountId.',
  },
  SELECTION_AMBIGUOUS: {
    status: 422,
    category: 'value',
    message: 'Select clients either by clientIds or by source.',
    hint: 'Send only one of clientIds and source.',
  },
  LISTED_BUSINESS_UNKNOWN: {
    status: 422,
    category: 'unknown-reference',
    fields: ['businesses'],
    message: 'The list contains a business that does not exist.',
    hint: 'List businesses with `iam businesses list`. Create one with `iam customers create-business`.',
  },
  BUSINESS_IN_CORPORATE_GROUP: {
    status: 422,
    category: 'conflict',
    fields: ['businesses'],
    message: 'The business is already in another corporate group.',
    hint: 'Remove it from the other group first. A business is in at most one corporate group.',
  },
  ROLE_RESERVED: {
    status: 422,
    category: 'value',
    fields: ['roles', 'roleName', 'authorities'],
    message: 'This role is reserved for the service. A group cannot grant it.',
    hint: 'Choose a role that does not start with CLI- or AUTH- and is not USER, PERSON or BUSINESS. Names like auth-mfa, iam_admin_x or businessadmin, which differ from roles of the service in case only, are refused too.',
  },
  SERVICE_UNKNOWN: {
    status: 422,
    category: 'unknown-reference',
    fields: ['serviceId'],
    message: 'No service has this id.',
    hint: 'List clients and their service accounts with `iam clients list`.',
  },
  USER_NOT_OF_BUSINESS: {
    status: 422,
    category: 'value',
    fields: ['userId'],
    message: 'The user does not belong to this business.',
    hint: 'Check the user id, or assign the user to the business first.',
  },
  DEPENDENCY_UNKNOWN: {
    status: 422,
    category: 'unknown-reference',
    fields: ['dependencies', 'groupName'],
    message: 'The group in the dependency does not exist.',
    hint: 'List groups with `iam groups list`, or create the group first.',
  },
  DEPENDENCY_CYCLE: {
    status: 422,
    category: 'value',
    fields: ['dependencies', 'groupName'],
    message: 'The dependencies of the groups would form a cycle.',
    hint: 'Omit one of the dependencies in the cycle.',
  },
  PASSWORD_TOO_SHORT: {
    status: 422,
    category: 'value',
    fields: ['password', 'newPassword'],
    message: 'The password is too short.',
    hint: 'Choose a password with at least 8 characters.',
  },
  PASSWORD_TOO_LONG: {
    status: 422,
    category: 'value',
    fields: ['password', 'newPassword'],
    message: 'The password is too long.',
    hint: 'Choose a password with at most 128 characters.',
  },
  PASSWORD_COMMON: {
    status: 422,
    category: 'value',
    fields: ['password', 'newPassword'],
    message: 'The password is too common.',
    hint: 'Choose a less common password, for example several unrelated words.',
  },
  PASSWORD_CONTEXT: {
    status: 422,
    category: 'value',
    fields: ['password', 'newPassword'],
    message: 'The password contains the user name or the e-mail address.',
    hint: 'Choose a password that cannot be guessed from the account.',
  },
  PASSWORD_NOT_FOR_MAINFRAME: {
    status: 422,
    category: 'value',
    fields: ['password', 'newPassword'],
    setting: 'mainframe-password-rule',
    message: 'The mainframe does not accept this password.',
    hint: 'Choose a password that matches the setting mainframe-password-rule.',
  },
  CONTACT_AMBIGUOUS: {
    status: 422,
    category: 'value',
    message: 'Exactly one contact is required.',
    hint: 'Send either an e-mail address or a mobile number. It must match contactType.',
  },
  TAG_TAKEN: {
    status: 422,
    category: 'taken',
    fields: ['tags'],
    message: 'At most one e-mail address and one mobile number can have the tag MARKED_RESOURCES.',
    hint: 'Remove the tag from the other contact first.',
  },
  TOO_MANY_FACTORS: {
    status: 422,
    category: 'value',
    message: 'The user has the maximum number of alternative contacts.',
    hint: 'Remove a contact that is no longer used.',
  },
  SCOPE_EXCEEDED: {
    status: 422,
    category: 'value',
    fields: ['scope'],
    message: 'The requested scope exceeds the available scope.',
    hint: 'Request a subset of the scope of the client; a new client can have a subset of your own.',
  },
  GRANT_TYPE_NOT_ALLOWED: {
    status: 422,
    category: 'grant',
    message: 'The client may not use this grant type.',
    hint: 'Use a grant type that the client is registered for.',
  },
  // Grants, which are separate errors in RFC 6749, and tokens: 400
  GRANT_INVALID: {
    status: 400,
    category: 'grant',
    message: 'The password, code or refresh token is not valid or has expired.',
    hint: 'Log in again.',
  },
  TARGET_INVALID: {
    status: 400,
    category: 'grant',
    message: 'The client may not request a token for this resource.',
    hint: 'Request the issuer or an audience of the client. An administrator adds one with `iam clients update CLIENT --add-audience URI`.',
  },
  TOKEN_TOO_LONG: {
    status: 400,
    category: 'limit',
    setting: 'max-token',
    message: 'The token would be longer than the limit.',
    hint: 'Ask an administrator to remove roles or groups of the user or client, or start the server with a larger --max-token.',
  },
  AUTHORIZATION_INVALID: {
    status: 400,
    category: 'grant',
    message: 'The request of the application for a login or logout is not valid.',
    hint: 'Compare the request with docs/oauth.md; `iam clients get CLIENT` shows the grant types and redirect URIs of the client.',
  },
  LOGIN_REQUIRED: {
    status: 400,
    category: 'grant',
    message: 'The user must act, but the application asked for a login without pages.',
    hint: 'Send the browser again without prompt=none.',
  },
  LOGIN_REFUSED: {
    status: 400,
    category: 'grant',
    message: 'The user refused the login.',
    hint: 'Let the user start the login again.',
  },
  FORM_EXPIRED: {
    status: 400,
    category: 'request',
    message: 'The form does not belong to this browser, or is older than its last login.',
    hint: 'Start the login again in the application.',
  },
  DEVICE_CODE_INVALID: {
    status: 400,
    category: 'grant',
    message: 'The code of the device is wrong, was used or has expired.',
    hint: 'Compare it with the device, or let the device show a new one.',
  },
  DEVICE_PENDING: {
    status: 400,
    category: 'grant',
    message: 'The user has not decided yet.',
    hint: 'Poll again after the interval of the device authorization response.',
  },
  DEVICE_POLLED_TOO_OFTEN: {
    status: 400,
    category: 'grant',
    message: 'The user has not decided yet, and the device polls too often.',
    hint: 'Wait five seconds longer between two polls than before.',
  },
  DEVICE_CODE_EXPIRED: {
    status: 400,
    category: 'grant',
    message: 'The device code has expired.',
    hint: 'Request a new one at /oauth2/device_authorization.',
  },
  GRANT_TYPE_UNSUPPORTED: {
    status: 400,
    category: 'grant',
    message: 'The grant type is not supported.',
    hint: 'Use client_credentials, password, refresh_token or, at /oauth2/token, authorization_code or that of device codes.',
  },
  TOKEN_TYPE_UNSUPPORTED: {
    status: 400,
    category: 'grant',
    message: 'Tokens of this type cannot be revoked here.',
    hint: 'Delete API keys with DELETE /api-key/{apiKeyId}.',
  },
  // Failures of the server and of external systems: 5xx
  INTERNAL: {
    status: 500,
    category: 'server',
    message: 'Internal error. The server log contains the reason under the request id.',
    hint: 'Find the request id in the server log.',
  },
  BILLING_TYPE_UNSUPPORTED: {
    status: 501,
    category: 'server',
    message: 'The product system does not implement this billing type.',
    hint: 'Use another billing type.',
  },
  MAINFRAME_UNAVAILABLE: {
    status: 503,
    category: 'unavailable',
    setting: 'mainframe-url',
    message: 'The mainframe does not respond.',
    hint: 'Check the setting mainframe-url.',
  },
  PRODUCT_SYSTEM_UNAVAILABLE: {
    status: 503,
    category: 'unavailable',
    setting: 'products-url',
    message: 'The product system does not respond.',
    hint: 'Check the setting products-url.',
  },
  PROVIDER_UNAVAILABLE: {
    status: 503,
    category: 'unavailable',
    message: 'The identity provider cannot be reached.',
    hint: 'Check jwksUri and tokenEndpoint of the provider.',
  },
  TOO_BUSY: {
    status: 503,
    category: 'unavailable',
    message: 'The queue for password hashing is full.',
    hint: 'The operator can raise --hash-concurrency.',
  },
  TOO_MANY_REQUESTS_WAITING: {
    status: 503,
    category: 'unavailable',
    message: 'Too many requests from this address are queued.',
    hint: 'Send fewer concurrent requests.',
  },
  STORE_SHARED: {
    status: 409,
    category: 'conflict',
    message: 'Several servers share the store, and this change would reach only one of them.',
    hint: 'Stop the servers, and start one alone with --exclusive.',
  },
  OUTCOME_UNKNOWN: {
    status: 503,
    category: 'outcome-unknown',
    message: 'The change may or may not have been made.',
    hint: 'Read what the request changes before you send it again.',
  },
  STORE_BUSY: {
    status: 503,
    category: 'unavailable',
    message: 'Other changes of the same objects did not end in time. Nothing was changed.',
    hint: 'Send the request again.',
  },
  STORE_UNAVAILABLE: {
    status: 503,
    category: 'unavailable',
    message: 'The store rejects writes. Nothing was changed.',
    hint: 'The server log contains the reason.',
  },
} as const satisfies Record<string, ErrorEntry>;
