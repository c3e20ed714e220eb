/** The OAuth endpoints of the server in use, for logins with a browser. */
import type { ApiResponse } from '../../../client/response.ts';
import type { LoginGrantType } from '../../../contract/grant-types.ts';
import { decodeClaims } from '../../auth/decode-token.ts';
import { loginPaths } from '../../config/safety.ts';
import type { Context } from '../../context.ts';
import { CliError, signInNeededError } from '../../errors.ts';

/** All that the session needs: the name of the user, and tokens that outlive the session of the browser. */
export const loginScope = 'openid profile offline_access';

/** The client that the user logs in to. */
export interface LoginClient {
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
}

export type FormFields = Readonly<Record<string, string>>;

/** The metadata of the server (OpenID Connect Discovery 1.0, 4). @throws CliError if it has no such endpoint. */
export async function readMetadata(context: Context, endpoint: string): Promise<{ readonly issuer: string }> {
  const { body } = await send(context, 'GET', '/.well-known/openid-configuration');
  const metadata = (body ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof metadata[endpoint] !== 'string' || typeof metadata.issuer !== 'string')
    throw new CliError('The server has no logins with a browser.', {
      code: 'BROWSER_LOGIN_MISSING',
      exitCode: 70,
      hint: 'Sign in with a password: `iam login --user NAME`.',
    });
  return { issuer: metadata.issuer };
}

/** Sends a form to an endpoint, with the credentials of the client (RFC 6749, 2.3.1). */
export function postForm(
  context: Context,
  endpoint: keyof typeof loginPaths,
  client: LoginClient,
  fields: FormFields,
): Promise<ApiResponse> {
  const { clientId, clientSecret } = client;
  const secret = clientSecret === undefined ? {} : { client_secret: clientSecret };
  return send(context, 'POST', loginPaths[endpoint], {
    body: new URLSearchParams({ ...fields, client_id: clientId, ...secret }).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
}

async function send(context: Context, method: string, path: string, input: object = {}): Promise<ApiResponse> {
  const client = await context.connect('anonymous');
  return client.raw(method, path, { ...input, anonymous: true, signal: context.io.signal });
}

/** An error of an endpoint or a redirect (RFC 6749, 4.1.2.1 and 5.2). */
export interface LoginRefusal {
  readonly error: string;
  readonly description: string | undefined;
}

/** The error of a response; undefined for a success. */
export function readRefusal({ status, body }: ApiResponse): LoginRefusal | undefined {
  if (status < 300) return undefined;
  const { error = `HTTP ${status}`, error_description: description } = (body ?? {}) as Readonly<Record<string, string>>;
  return { error, description };
}

/** Each registered error that a person can mend, with what to do. */
const hints: Readonly<Record<string, (clientId: string, grantType: LoginGrantType) => string>> = {
  unauthorized_client: (clientId, grantType) => {
    const redirect = grantType === 'authorization_code' ? ' --add-redirect-uri http://127.0.0.1/callback' : '';
    return `An administrator can allow it: iam clients update ${clientId} --add-grant-type ${grantType}${redirect}`;
  },
  invalid_client: () => 'Name the client with --client-id; one with a secret needs it in the profile.',
};

/** The login did not take place; nothing was stored. */
export function createRefusedError(
  { error, description = error }: LoginRefusal,
  clientId: string,
  grantType: LoginGrantType = 'authorization_code',
): CliError {
  const hint = hints[error]?.(clientId, grantType) ?? 'Start again with the same command.';
  return signInNeededError(`The login was refused: ${description}`, hint);
}

export interface LoggedInUser {
  readonly userName: string;
  /** As the token endpoint of the service returns it. */
  readonly tokens: { readonly accessToken: string; readonly refreshToken?: string; readonly expiresIn: string };
}

/** The tokens of a response (RFC 6749, 5.1), and the user of the ID token that came with them. @throws CliError. */
export function readTokens(response: ApiResponse, { clientId }: LoginClient): LoggedInUser {
  const refusal = readRefusal(response);
  if (refusal) throw createRefusedError(refusal, clientId);
  const body = (response.body ?? {}) as Readonly<Record<string, unknown>>;
  const { access_token: accessToken, refresh_token: refreshToken, expires_in: expiresIn, id_token: idToken } = body;
  const { preferred_username: userName } = decodeClaims(String(idToken)) ?? {};
  if (typeof accessToken !== 'string' || typeof userName !== 'string') throw unreadableResponseError();
  const renewal = typeof refreshToken === 'string' ? { refreshToken } : {};
  return { userName, tokens: { accessToken, ...renewal, expiresIn: String(expiresIn) } };
}

export function unreadableResponseError(): CliError {
  return new CliError('The response of the server is unreadable.', { code: 'ANSWER_UNREADABLE', exitCode: 75 });
}
