/** Account recovery, which `users set-password` and `users invite` use: the user, the client and the requests. */

import type { AnonymousCall } from '../../../client/credentials.ts';
import { ClientError } from '../../../client/errors.ts';
import { reference } from '../../../contract/entities.ts';
import type { ErrorCode } from '../../../contract/errors.ts';
import { singleQuote } from '../../../lib/shell-variables.ts';
import { findUserLoginClient } from '../../auth/user-login.ts';
import type { CommandOptions, Context } from '../../context.ts';
import { CliError, signInNeededCode, usageError } from '../../errors.ts';
import { resolveBaseUrl } from '../../http/connection.ts';
import { type PromptOptions, promptText } from '../../io/prompt.ts';
import { formatMobile } from '../../output/mobile.ts';
import { isNameLikeId, parseTypedValue } from '../../output/value-prefix.ts';
import { unlessRejected } from '../../request/call-operation.ts';
import { callOptionalControlPlane } from '../../request/control-plane.ts';
import { getOperation } from '../../request/find-operation.ts';
import { previewOf, type RequestPreview } from '../../request/preview.ts';
import { NameResolver } from '../../request/resolve-names.ts';
import { verifyContact } from './verify-contact.ts';

const user = reference('user', ['id']);
export const recoverySources = { user, '--client-id': reference('client', ['id']) };
export const clientIdOption = [
  '--client-id <id>',
  'application client to use; default: that of IAM_CLIENT_ID or the profile',
] as const;

/** A user that can recover its account. */
export interface RecoverableUser {
  readonly userId: string;
  /** The name that the service accepts as login name. */
  readonly loginName: string;
  /** Verified main contacts, masked. */
  readonly contacts: readonly string[];
  readonly isEmailVerified: boolean;
}

interface UserRow {
  readonly userId: string;
  readonly userName: string;
  readonly locked: boolean;
}

interface FactorRow {
  readonly id: string;
  readonly verified: boolean;
  readonly email?: string;
  readonly mobile?: { readonly regionCode: string; readonly areaCode: string; readonly phoneNumber: string };
}

const accessCodes: readonly string[] = ['ROLE_MISSING', 'MFA_MISSING', 'CREDENTIALS_MISSING'] satisfies ErrorCode[];

/** Whether the caller may not read the control plane or the contacts of the user. */
export function isAccessError(error: unknown): boolean {
  if (error instanceof ClientError) return accessCodes.includes(error.code);
  return error instanceof CliError && error.code === signInNeededCode;
}

const mainContacts: readonly string[] = ['main-email', 'main-mobile'];

/** The user to find, and what to do if it cannot recover its account. */
export interface UserRequest {
  /** As typed: an id or a login name. */
  readonly typed: string;
  /** Whether to go on if the caller may not read the control plane. */
  readonly isOptional: boolean;
  /** Whether to mark a contact as verified if none is. */
  readonly verifiesContact: boolean;
  /** Accepts a user without a verified contact, and changes nothing. */
  readonly isPreview: boolean;
}

/**
 * Finds a user by id or login name; undefined if the server has no control plane, or if the caller may not read it and the
 * user is optional.
 * @throws CliError if the user does not exist, is locked or has no verified contact
 */
export async function findRecoverableUser(
  context: Context,
  request: UserRequest,
): Promise<RecoverableUser | undefined> {
  try {
    return await requireRecoverableUser(context, request);
  } catch (error) {
    if (request.isOptional && isAccessError(error)) return undefined;
    throw error;
  }
}

async function requireRecoverableUser(context: Context, request: UserRequest): Promise<RecoverableUser | undefined> {
  const { typed, verifiesContact, isPreview } = request;
  const row = await findUserRow(context, typed);
  if (!row) return undefined;
  const { userId, loginName } = row;
  if (row.locked) throw userLockedError(row);
  const factors = await readControlPlane(context, `/_iam/users/${encodeURIComponent(userId)}/factors`);
  if (!factors) return undefined;
  const verified = (factors as readonly FactorRow[]).filter(
    ({ id, verified }) => verified && mainContacts.includes(id),
  );
  if (verified.length === 0 && !(verifiesContact && isPreview)) {
    if (!verifiesContact || !(await verifyContact(context, userId))) throw contactNotVerifiedError(row);
    return requireRecoverableUser(context, { ...request, verifiesContact: false });
  }
  const isEmailVerified = verified.some(({ email }) => email !== undefined);
  return { userId, loginName, contacts: verified.map(formatContact), isEmailVerified };
}

function formatContact({ email, mobile }: FactorRow): string {
  return email ?? formatMobile(mobile) ?? '';
}

function userLockedError({ userId, userName }: FoundUser): CliError {
  return new CliError(`The user ${userName} is locked and cannot recover its account; nothing was sent.`, {
    code: 'USER_LOCKED',
    exitCode: 6,
    hint: `Unlock it first with \`iam users unlock ${singleQuote(userId)}\`.`,
  });
}

function contactNotVerifiedError({ userId, userName }: FoundUser): CliError {
  return new CliError(`The user ${userName} has no verified e-mail address or mobile number; nothing was sent.`, {
    code: 'CONTACT_NOT_VERIFIED',
    exitCode: 6,
    hint: `Add --verify-contact to mark its contact as verified, or set one: \`iam users update ${singleQuote(userId)} --user-email ADDRESS\`.`,
  });
}

type FoundUser = UserRow & { readonly loginName: string };

async function findUserRow(context: Context, typed: string): Promise<FoundUser | undefined> {
  const { value } = parseTypedValue(typed);
  // Without the list there is no control plane, or an error says why the caller may not read it.
  if (!(await readControlPlane(context, '/_iam/users', { name: value }))) return undefined;
  const userId = await new NameResolver(context).resolve(user['x-reference'], typed);
  const found = await readControlPlane(context, `/_iam/users/${encodeURIComponent(userId)}`, {}, ['USER_NOT_FOUND']);
  if (!found) throw userNotFoundError(value);
  const row = found as UserRow;
  // An id is a login name, unless it has the form of an address or of a federated link (interface, login names).
  return { ...row, loginName: userId === value && isNameLikeId('user', userId) ? row.userName : value };
}

function userNotFoundError(name: string): CliError {
  return new CliError(`User ${JSON.stringify(name)} not found.`, {
    code: 'USER_NOT_FOUND',
    exitCode: 3,
    hint: 'List users with `iam users list`.',
  });
}

/** Returns undefined if the server has no such route, or rejects the request with an expected code. */
async function readControlPlane(
  context: Context,
  path: string,
  query: Readonly<Record<string, string>> = {},
  expectedCodes: readonly string[] = [],
): Promise<unknown> {
  const request = callOptionalControlPlane(context, 'GET', path, { query });
  return (await unlessRejected(request, expectedCodes))?.body;
}

/** The client through which the recovery is requested. @throws CliError (exit 10) if none is known and it cannot prompt */
export async function resolveRecoveryClient(
  context: Context,
  options: CommandOptions,
  promptOptions: PromptOptions,
): Promise<string> {
  const known = (options.clientId as string | undefined) ?? findUserLoginClient(context.settings);
  if (known) return known;
  const typed = await promptText(
    promptOptions,
    `Id of an application client at ${resolveBaseUrl(context.settings)}`,
    'Name the client with --client-id or IAM_CLIENT_ID; `iam clients list` prints the ids.',
  );
  if (typed === '') throw usageError('A client id is required.');
  return typed;
}

/** The requests of a recovery, as an identified client without credentials. */
export interface RecoveryRequests {
  /** Sends a code to the user. */
  sendCode(): Promise<void>;
  resetPassword(code: string, newPassword: string): Promise<void>;
  /** The previews of both requests. */
  readonly previews: { readonly sendCode: RequestPreview; readonly resetPassword: RequestPreview };
}

/** Creates the requests for a login name. */
export function createRecoveryRequests(context: Context, clientId: string, userName: string): RecoveryRequests {
  const query = { clientId };
  const call: AnonymousCall = async (id, input) => {
    const client = await context.connect();
    return client.call(id, { ...input, anonymous: true, signal: context.io.signal });
  };
  const [send, reset] = ['user-identities.retrieve', 'user-identities.reset-password'] as const;
  const sendInput = { query, body: { userName } };
  const resetInput = (validationCode: string, newPassword: string) => ({
    query,
    body: { username: userName, validationCode, newPassword },
  });
  return {
    sendCode: async () => void (await call(send, sendInput)),
    resetPassword: async (code, newPassword) => void (await call(reset, resetInput(code, newPassword))),
    previews: {
      sendCode: previewOf(context, getOperation(context.manifest, send), sendInput),
      resetPassword: previewOf(context, getOperation(context.manifest, reset), resetInput('CODE', 'PASSWORD')),
    },
  };
}
