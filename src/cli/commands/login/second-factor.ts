/** Second factor of a signed-in user: a one-time code sent by e-mail or SMS. */
import { ClientError } from '../../../client/errors.ts';
import type { ErrorCode } from '../../../contract/errors.ts';
import { isAdministrativeRole } from '../../../contract/roles.ts';
import { decodeToken } from '../../auth/decode-token.ts';
import {
  getSessionPath,
  parseSession,
  readSession,
  type StoredSession,
  writeSession,
} from '../../auth/session-file.ts';
import type { CommandOptions, Context } from '../../context.ts';
import { HintedClientError, inputNeededError, signInNeededError } from '../../errors.ts';
import { resolveBaseUrl } from '../../http/connection.ts';
import { readSecret } from '../../io/input.ts';
import { withFileLock } from '../../io/private-files.ts';
import { canPrompt, promptText } from '../../io/prompt.ts';
import { unreadableResponseError } from './oauth-server.ts';

interface Challenge {
  readonly challengeId: string;
  readonly contact: string;
}

/** Whether to request a second factor: as set by --mfa or --no-mfa, otherwise for administrators on a terminal. */
export function needsSecondFactor(context: Context, { accessToken }: StoredSession, options: CommandOptions): boolean {
  if (typeof options.mfa === 'boolean') return options.mfa;
  return canPrompt(context.promptOptions(options.passwordStdin === true)) && isAdministrator(accessToken);
}

function isAdministrator(accessToken: string): boolean {
  try {
    const { authorities } = decodeToken(accessToken).claims;
    return Array.isArray(authorities) && authorities.some((name) => isAdministrativeRole(String(name)));
  } catch {
    return false;
  }
}

/**
 * Requests a code, prompts for it and replaces the stored tokens with the MFA tokens.
 * Without a terminal, stores the challenge for `resumeSecondFactor`.
 * @throws CliError if it cannot prompt for the code
 */
export async function completeSecondFactor(context: Context, profile: string): Promise<StoredSession> {
  const session = await changeSession(context, profile, async (stored) => {
    const { body } = await callWithSession(context, stored, 'user-identities.leverage-mfa', {});
    return { ...stored, challenge: parseChallenge(body) };
  });
  const contact = session.challenge?.contact ?? '';
  const promptOptions = context.promptOptions(false);
  if (!canPrompt(promptOptions))
    throw inputNeededError(
      `A code was sent to ${contact}, but there is no terminal to prompt for it.`,
      'Complete the sign-in with `iam login --code-stdin`, which reads the code from standard input.',
    );
  return promptForCode(context, profile, contact);
}

/** How often a code is prompted for. The server limits wrong codes too. */
const maxAttempts = 3;

/** Prompts for the code again if it was wrong. */
async function promptForCode(context: Context, profile: string, contact: string, attempt = 1): Promise<StoredSession> {
  const code = await promptText(context.promptOptions(false), `Code sent to ${contact}`, '');
  try {
    return await verifyCode(context, profile, code);
  } catch (error) {
    if (!isWrongCode(error) || attempt >= maxAttempts) throw error;
    context.notice('The code is wrong or has expired. Try again, or press Ctrl-C.');
    return promptForCode(context, profile, contact, attempt + 1);
  }
}

const wrongCode: ErrorCode = 'CODE_INVALID';

function isWrongCode(error: unknown): error is ClientError {
  return error instanceof ClientError && error.code === wrongCode;
}

/** Completes an earlier `iam login --mfa` with the code from standard input. */
export async function resumeSecondFactor(context: Context, profile: string): Promise<StoredSession> {
  return verifyCode(context, profile, await readSecret('-', context.io));
}

const tryAgainHint =
  'Enter the right code with `iam login --code-stdin`, or request a new one with `iam login --mfa`; no password is needed.';

function verifyCode(context: Context, profile: string, code: string): Promise<StoredSession> {
  return changeSession(context, profile, async ({ challenge, ...stored }) => {
    if (!challenge) throw signInNeededError('No code was requested.', 'Request one with `iam login --mfa`.');
    const body = { challengeId: challenge.challengeId, token: code.trim() };
    const response = await callWithSession(context, stored, 'user-identities.fulfill-mfa', body).catch((error) => {
      // The session and its challenge remain stored.
      throw isWrongCode(error) ? new HintedClientError(error, tryAgainHint) : error;
    });
    const mfaSession = parseSession(response.body, stored, context.environment.now());
    if (!mfaSession) throw unreadableResponseError();
    return { ...stored, ...mfaSession };
  });
}

/** Updates the session of a profile under a lock, so that no other process renews it concurrently. */
async function changeSession(
  context: Context,
  profile: string,
  change: (session: StoredSession) => Promise<StoredSession>,
): Promise<StoredSession> {
  const { variables } = context.environment;
  return withFileLock(`${getSessionPath(profile, variables)}.lock`, async () => {
    const stored = await readSession(profile, variables);
    if (stored?.userName === undefined || stored.baseUrl !== resolveBaseUrl(context.settings))
      throw signInNeededError('No user is signed in at this server.', 'Sign in first with `iam login --user NAME`.');
    const changed = await change(stored);
    await writeSession(profile, changed, variables);
    return changed;
  });
}

async function callWithSession(context: Context, { accessToken }: StoredSession, id: string, body: object) {
  const client = await context.connect('anonymous');
  const headers = { authorization: `Bearer ${accessToken}` };
  return client.call(id, { body, headers, anonymous: true, signal: context.io.signal });
}

function parseChallenge(body: unknown): Challenge {
  const { challengeId, contact } = (body ?? {}) as Partial<Challenge>;
  if (typeof challengeId !== 'string') throw unreadableResponseError();
  return { challengeId, contact: String(contact) };
}
