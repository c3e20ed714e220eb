/** The part of `iam doctor` about who is signed in: whether the server takes the credentials, until when, and for what. */

import { ClientError } from '../../../client/errors.ts';
import { isAdministrativeRole, stripRolePrefix } from '../../../contract/roles.ts';
import type { Context } from '../../runtime/context.ts';
import { type ResolvedCredentials, resolveCredentials } from '../../runtime/credentials.ts';
import { createErrorReport } from '../../runtime/error-report.ts';
import { resolveProfile } from '../../runtime/settings.ts';
import { assertCredentialsAccepted, getCurrentToken } from '../current-token.ts';
import { decodeToken } from '../decode-token.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

type Claims = Readonly<Record<string, unknown>>;

/** Less than this, and a long command may outlive its token. */
const expiresSoonMs = 60_000;

/** Findings on sign-in, token, roles, and whether profile and token speak of the same. */
export async function checkSignIn(context: Context): Promise<Finding[]> {
  try {
    const credentials = resolveCredentials(context.sources);
    if (credentials.kind === 'none')
      return [
        fail(
          'sign-in',
          'Nobody is signed in.',
          'Sign in with `iam login`, or set IAM_CLIENT_ID and IAM_CLIENT_SECRET.',
        ),
      ];
    const claims = readClaims(await getCurrentToken(context, credentials));
    const accepted = await checkCredentials(context, credentials);
    if (accepted.status === 'fail' || !claims) return [accepted];
    return [accepted, checkExpiry(context, claims), checkRoles(claims), ...checkIdentity(context, credentials, claims)];
  } catch (error) {
    if (context.io.signal.aborted) throw error;
    const { message, hint } = createErrorReport(error, context.manifest);
    return [fail('sign-in', message, hint ?? 'Sign in again with `iam login`.')];
  }
}

/** An API key has no token, and a foreign token may be no JWT. */
function readClaims(token: string | undefined): Claims | undefined {
  try {
    return token === undefined ? undefined : decodeToken(token).claims;
  } catch {
    return undefined;
  }
}

async function checkCredentials(context: Context, { kind, origin }: ResolvedCredentials): Promise<Finding> {
  const detail = `signed in by ${kind} from ${origin}`;
  try {
    const mayList = await assertCredentialsAccepted(context);
    return ok('sign-in', mayList ? detail : `${detail}; it may not list groups`);
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    const { message, hint } = createErrorReport(error, context.manifest);
    return fail('sign-in', `The server does not take what is from ${origin}: ${message}`, hint ?? 'Sign in again.');
  }
}

function checkExpiry({ environment }: Context, { exp }: Claims): Finding {
  if (typeof exp !== 'number') return warn('token', 'It does not say until when it is good.', '');
  const left = exp * 1000 - environment.now();
  const until = `good until ${new Date(exp * 1000).toISOString()}`;
  if (left <= 0)
    return warn('token', `By this machine's clock it ended: ${until}.`, 'Compare the clocks, or sign in again.');
  return left < expiresSoonMs
    ? warn('token', `${until}, which is soon`, 'Sign in again before long work.')
    : ok('token', until);
}

function checkRoles({ authorities }: Claims): Finding {
  const roles = Array.isArray(authorities) ? authorities.map((name) => stripRolePrefix(String(name))) : [];
  if (roles.some(isAdministrativeRole)) return ok('roles', roles.join(', '));
  const next = 'Have the caller added to a group that gives an administrative role; see `iam groups tree`.';
  return warn('roles', roles.length === 0 ? 'none' : `none that administers: ${roles.join(', ')}`, next);
}

/** A token from the environment can belong to somebody else than the profile that is in use. */
function checkIdentity(
  { sources }: Context,
  credentials: ResolvedCredentials,
  { client_id: tokenClient }: Claims,
): Finding[] {
  const profile = resolveProfile(sources);
  const expected = credentials.clientId ?? profile?.session?.clientId ?? profile?.clientId;
  if (expected === undefined || typeof tokenClient !== 'string') return [];
  if (expected === tokenClient) return [ok('identity', `profile and token name the client ${tokenClient}`)];
  return [
    warn(
      'identity',
      `The token is of the client ${tokenClient}, the profile names ${expected}; what is from ${credentials.origin} is used.`,
      'Unset IAM_TOKEN, or use another profile.',
    ),
  ];
}
