/** Sign-in checks of `iam doctor`: credentials, token expiry, roles, and whether profile and token match. */

import { ClientError } from '../../../client/errors.ts';
import { isAdministrativeRole, stripRolePrefix } from '../../../contract/roles.ts';
import { type ResolvedCredentials, resolveCredentials } from '../../auth/credentials.ts';
import { decodeClaims } from '../../auth/decode-token.ts';
import type { Context } from '../../context.ts';
import { createErrorReport } from '../../output/error-report.ts';
import { assertCredentialsAccepted, getCurrentToken } from '../../request/current-token.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

type Claims = Readonly<Record<string, unknown>>;

/** A token with less time left can expire during a long command. */
const expiresSoonMs = 60_000;

/** Runs the sign-in checks. */
export async function checkSignIn(context: Context, clockOffsetMs = 0): Promise<Finding[]> {
  try {
    const credentials = resolveCredentials(context.settings);
    if (credentials.kind === 'none')
      return [
        fail('sign-in', 'Not signed in.', 'Sign in with `iam login`, or set IAM_CLIENT_ID and IAM_CLIENT_SECRET.'),
      ];
    const token = await getCurrentToken(context, credentials);
    const claims = token === undefined ? undefined : decodeClaims(token);
    const accepted = await checkCredentials(context, credentials);
    if (accepted.status === 'fail' || !claims) return [accepted];
    return [
      accepted,
      checkExpiry(context, claims, clockOffsetMs),
      checkRoles(claims),
      ...checkIdentity(context, credentials, claims),
    ];
  } catch (error) {
    if (context.io.signal.aborted) throw error;
    const { message, hint } = createErrorReport(error, context.manifest);
    return [fail('sign-in', message, hint ?? 'Sign in again with `iam login`.')];
  }
}

async function checkCredentials(context: Context, { kind, origin }: ResolvedCredentials): Promise<Finding> {
  const detail = `signed in by ${kind} from ${origin}`;
  try {
    const mayList = await assertCredentialsAccepted(context);
    return ok('sign-in', mayList ? detail : `${detail}; not allowed to list groups`);
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    const { message, hint } = createErrorReport(error, context.manifest);
    return fail('sign-in', `The server rejected the credentials from ${origin}: ${message}`, hint ?? 'Sign in again.');
  }
}

/** By the clock of the server, which a test can move. */
function checkExpiry({ environment }: Context, { exp }: Claims, clockOffsetMs: number): Finding {
  if (typeof exp !== 'number') return warn('token', 'The token has no expiry time.', '');
  const left = exp * 1000 - environment.now() - clockOffsetMs;
  const expiry = new Date(exp * 1000).toISOString();
  if (left <= 0)
    return warn(
      'token',
      `Expired at ${expiry} according to ${clockOffsetMs === 0 ? "this machine's clock" : 'the test clock of the server'}.`,
      'Compare the clocks, or sign in again.',
    );
  return left < expiresSoonMs
    ? warn('token', `expires soon, at ${expiry}`, 'Sign in again before you run long commands.')
    : ok('token', `valid until ${expiry}`);
}

function checkRoles({ authorities }: Claims): Finding {
  const roles = Array.isArray(authorities) ? authorities.map((name) => stripRolePrefix(String(name))) : [];
  if (roles.some(isAdministrativeRole)) return ok('roles', roles.join(', '));
  const next = 'Add the caller to a group that grants an administrative role; see `iam groups tree`.';
  return warn('roles', roles.length === 0 ? 'none' : `no administrative role: ${roles.join(', ')}`, next);
}

/** A token from the environment can belong to another client than the current profile. */
function checkIdentity(
  { settings }: Context,
  credentials: ResolvedCredentials,
  { client_id: tokenClient }: Claims,
): Finding[] {
  const profile = settings.profile;
  const expected = credentials.clientId ?? profile?.session?.clientId ?? profile?.clientId;
  if (expected === undefined || typeof tokenClient !== 'string') return [];
  if (expected === tokenClient) return [ok('identity', `profile and token belong to the client ${tokenClient}`)];
  return [
    warn(
      'identity',
      `The token belongs to the client ${tokenClient}, the profile to ${expected}; the credentials from ${credentials.origin} are used.`,
      'Unset IAM_TOKEN, or use another profile.',
    ),
  ];
}
