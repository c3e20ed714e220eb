/** The second proof of a user who is signed in: a code that goes to its e-mail or phone. */
import { isAdministrativeRole } from '../../contract/roles.ts';
import type { Options } from '../leaf.ts';
import { baseUrlOf } from '../runtime/connection.ts';
import type { Context } from '../runtime/context.ts';
import { CliError, signInNeeded, unanswered } from '../runtime/failures.ts';
import { underLock } from '../runtime/files.ts';
import { readSecret } from '../runtime/input.ts';
import { askText, canAsk } from '../runtime/prompt.ts';
import { readSession, type StoredSession, sessionFrom, sessionPath, writeSession } from '../runtime/session-file.ts';
import { decodeToken } from './token-text.ts';

interface Challenge {
  readonly challengeId: string;
  readonly contact: string;
}

/** Whether a sign-in is to ask for a second proof: where that was said, or for administrators where somebody can answer. */
export function wantsSecondProof(context: Context, { accessToken }: StoredSession, options: Options): boolean {
  if (typeof options.mfa === 'boolean') return options.mfa;
  return canAsk(context.asking(options.passwordStdin === true)) && isAdministrator(accessToken);
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
 * Has a code sent, asks for it, and puts the stronger tokens in the place of those that are kept. Where nobody can be
 * asked, the challenge is kept for `finishSecondProof`, and the failure says so.
 */
export async function giveSecondProof(context: Context, profile: string): Promise<StoredSession> {
  const session = await changeSession(context, profile, async (kept) => {
    const { body } = await call(context, kept, 'user-identities.leverage-mfa', {});
    return { ...kept, challenge: challengeFrom(body) };
  });
  const contact = session.challenge?.contact ?? '';
  const asking = context.asking(false);
  if (!canAsk(asking))
    throw unanswered(
      `A code was sent to ${contact}, and nobody can be asked for it here.`,
      'Finish with `iam login --code-stdin`, which reads the code from standard input.',
    );
  return fulfil(context, profile, await askText(asking, `The code that was sent to ${contact}`, ''));
}

/** Finishes what an earlier `iam login --mfa` began, with the code from standard input. */
export async function finishSecondProof(context: Context, profile: string): Promise<StoredSession> {
  return fulfil(context, profile, await readSecret('-', context.io));
}

function fulfil(context: Context, profile: string, code: string): Promise<StoredSession> {
  return changeSession(context, profile, async ({ challenge, ...kept }) => {
    if (!challenge) throw signInNeeded('No code was asked for.', 'Ask for one with `iam login --mfa`.');
    const body = { challengeId: challenge.challengeId, token: code.trim() };
    const answer = await call(context, kept, 'user-identities.fulfill-mfa', body);
    const stronger = sessionFrom(answer.body, kept, context.environment.now());
    if (!stronger) throw unreadable();
    return { ...kept, ...stronger };
  });
}

/** Changes the session of a profile while no other process renews it. */
async function changeSession(
  context: Context,
  profile: string,
  change: (session: StoredSession) => Promise<StoredSession>,
): Promise<StoredSession> {
  const { variables } = context.environment;
  return underLock(`${sessionPath(profile, variables)}.lock`, async () => {
    const kept = await readSession(profile, variables);
    if (kept?.userName === undefined || kept.baseUrl !== baseUrlOf(context.sources))
      throw signInNeeded('No user is signed in here.', 'Sign in first, with `iam login --user NAME`.');
    const changed = await change(kept);
    await writeSession(profile, changed, variables);
    return changed;
  });
}

async function call(context: Context, { accessToken }: StoredSession, id: string, body: object) {
  const client = await context.connect('anonymous');
  const headers = { authorization: `Bearer ${accessToken}` };
  return client.call(id, { body, headers, anonymous: true, signal: context.io.signal });
}

function challengeFrom(body: unknown): Challenge {
  const { challengeId, contact } = (body ?? {}) as Partial<Challenge>;
  if (typeof challengeId !== 'string') throw unreadable();
  return { challengeId, contact: String(contact) };
}

function unreadable(): CliError {
  return new CliError('The answer of the server can not be read.', { code: 'ANSWER_UNREADABLE', exitCode: 75 });
}
