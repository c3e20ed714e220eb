/** The part of `iam doctor` about who is signed in: whether the server takes the credentials, until when, and for what. */

import { ClientError } from '../../../client/errors.ts';
import { bareRole, isAdministrativeRole } from '../../../contract/roles.ts';
import type { Context } from '../../runtime/context.ts';
import { reportOf } from '../../runtime/report.ts';
import { chosenProfile } from '../../runtime/settings.ts';
import { type SignIn, signIn } from '../../runtime/sign-in.ts';
import { requireTaken, tokenInUse } from '../token-in-use.ts';
import { decodeToken } from '../token-text.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

type Claims = Readonly<Record<string, unknown>>;

/** Less than this, and a long command may outlive its token. */
const soon = 60_000;

/** Findings on sign-in, token, roles, and whether profile and token speak of the same. */
export async function signInFindings(context: Context): Promise<Finding[]> {
  try {
    const found = signIn(context.sources);
    if (found.kind === 'none')
      return [
        fail(
          'sign-in',
          'Nobody is signed in.',
          'Sign in with `iam login`, or set IAM_CLIENT_ID and IAM_CLIENT_SECRET.',
        ),
      ];
    const claims = claimsOf(await tokenInUse(context, found));
    const taken = await takenFinding(context, found);
    if (taken.status === 'fail' || !claims) return [taken];
    return [taken, timeFinding(context, claims), rolesFinding(claims), ...agreementFindings(context, found, claims)];
  } catch (error) {
    if (context.io.signal.aborted) throw error;
    const { message, fix } = reportOf(error, context.manifest);
    return [fail('sign-in', message, fix ?? 'Sign in again with `iam login`.')];
  }
}

/** An API key has no token, and a foreign token may be no JWT. */
function claimsOf(token: string | undefined): Claims | undefined {
  try {
    return token === undefined ? undefined : decodeToken(token).claims;
  } catch {
    return undefined;
  }
}

async function takenFinding(context: Context, { kind, origin }: SignIn): Promise<Finding> {
  const detail = `signed in by ${kind} from ${origin}`;
  try {
    const mayList = await requireTaken(context);
    return ok('sign-in', mayList ? detail : `${detail}; it may not list groups`);
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    const { message, fix } = reportOf(error, context.manifest);
    return fail('sign-in', `The server does not take what is from ${origin}: ${message}`, fix ?? 'Sign in again.');
  }
}

function timeFinding({ environment }: Context, { exp }: Claims): Finding {
  if (typeof exp !== 'number') return warn('token', 'It does not say until when it is good.', '');
  const left = exp * 1000 - environment.now();
  const until = `good until ${new Date(exp * 1000).toISOString()}`;
  if (left <= 0)
    return warn('token', `By this machine's clock it ended: ${until}.`, 'Compare the clocks, or sign in again.');
  return left < soon ? warn('token', `${until}, which is soon`, 'Sign in again before long work.') : ok('token', until);
}

function rolesFinding({ authorities }: Claims): Finding {
  const roles = Array.isArray(authorities) ? authorities.map((name) => bareRole(String(name))) : [];
  if (roles.some(isAdministrativeRole)) return ok('roles', roles.join(', '));
  const next = 'Have the caller added to a group that gives an administrative role; see `iam groups tree`.';
  return warn('roles', roles.length === 0 ? 'none' : `none that administers: ${roles.join(', ')}`, next);
}

/** A token from the environment can belong to somebody else than the profile that is in use. */
function agreementFindings({ sources }: Context, found: SignIn, { client_id: tokenClient }: Claims): Finding[] {
  const profile = chosenProfile(sources);
  const expected = found.clientId ?? profile?.session?.clientId ?? profile?.clientId;
  if (expected === undefined || typeof tokenClient !== 'string') return [];
  if (expected === tokenClient) return [ok('identity', `profile and token name the client ${tokenClient}`)];
  return [
    warn(
      'identity',
      `The token is of the client ${tokenClient}, the profile names ${expected}; what is from ${found.origin} is used.`,
      'Unset IAM_TOKEN, or use another profile.',
    ),
  ];
}
