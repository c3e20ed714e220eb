/** Obtains the code of a recovery: from the inbox of the server, or from a prompt. */

import { singleQuote } from '../../../lib/shell-variables.ts';
import type { Context } from '../../context.ts';
import { CliError, inputNeededError } from '../../errors.ts';
import { canPrompt, type PromptOptions, promptText } from '../../io/prompt.ts';
import type { ControlFilters } from '../../request/control-plane.ts';
import { findInboxCode } from './inbox-codes.ts';
import { isAccessError, type RecoverableUser, type RecoveryRequests } from './recovery.ts';
import { readContacts } from './verify-contact.ts';

export interface CodeRequest {
  /** The user as typed. */
  readonly name: string;
  readonly user: RecoverableUser | undefined;
  readonly requests: RecoveryRequests;
  readonly promptOptions: PromptOptions;
}

/** How long a message may take to reach the inbox. */
const inboxWaitSeconds = 5;

/** Sends a code and reads it in the inbox; prompts for it if that is not possible. */
export async function obtainCode(
  context: Context,
  { name, user, requests, promptOptions }: CodeRequest,
): Promise<string> {
  const canType = canPrompt(promptOptions);
  const filters = user && (await findInboxFilters(context, user, canType));
  if (!filters && !canType) throw inboxUnreadableError(name);
  await requests.sendCode();
  const code = filters && (await findInboxCode(context, filters, inboxWaitSeconds));
  if (code !== undefined) return code;
  if (!canType) throw codeNotFoundError(name);
  return promptForCode(`Code sent to ${user?.contacts.join(', ') ?? 'the user'}`, promptOptions);
}

/** Prompts for a code. @throws CliError (exit 10) in non-interactive mode */
export function promptForCode(message: string, promptOptions: PromptOptions): Promise<string> {
  return promptText(promptOptions, message, 'Provide it with --code-stdin.');
}

function inboxUnreadableError(name: string): CliError {
  return inputNeededError(
    `The inbox of the server cannot be read, so the code for ${name} would be unknown; nothing was sent.`,
    `Send a code with \`iam users invite ${singleQuote(name)}\`, then run \`iam users set-password ${singleQuote(name)} --code-stdin --password-stdin\`.`,
  );
}

function codeNotFoundError(name: string): CliError {
  return new CliError(`No code for ${name} reached the inbox of the server; the password is unchanged.`, {
    code: 'CODE_NOT_FOUND',
    exitCode: 75,
    hint: `If the user received a code, pass it with --code-stdin. Otherwise see \`iam inbox list\`.`,
  });
}

/** The filters of the messages to a user; undefined if the caller may not read the inbox and the code can be typed. */
async function findInboxFilters(
  context: Context,
  { userId, isEmailVerified }: RecoverableUser,
  canType: boolean,
): Promise<ControlFilters | undefined> {
  try {
    const { userEmail, userMobile } = (await readContacts(context, userId)).contacts;
    const { regionCode, areaCode, phoneNumber } = userMobile ?? {};
    const filters = {
      to: isEmailVerified ? userEmail : `+${regionCode}${areaCode}${phoneNumber}`,
      purpose: 'recovery',
    };
    await findInboxCode(context, filters, 0);
    return filters;
  } catch (error) {
    if (!canType || !isAccessError(error)) throw error;
    context.notice('You may not read the inbox of the server. Type the code that the user receives.');
    return undefined;
  }
}
