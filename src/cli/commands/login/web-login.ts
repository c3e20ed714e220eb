/** `iam login --web`: the user logs in with a browser, which returns to this process (RFC 8252, with PKCE of RFC 7636). */
import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseBaseUrl } from '../../../client/request.ts';
import type { Context } from '../../context.ts';
import { CliError } from '../../errors.ts';
import { resolveBaseUrl } from '../../http/connection.ts';
import { openInBrowser } from '../../io/processes.ts';
import {
  createRefusedError,
  type FormFields,
  type LoggedInUser,
  type LoginClient,
  loginScope,
  postForm,
  readMetadata,
  readRefusal,
  readTokens,
} from './oauth-server.ts';

/** What the user asks for. */
export interface BrowserLoginRequest {
  /** Filled in on the login page. */
  readonly userName: string | undefined;
  /** Whether the login must have a second factor. */
  readonly mfa: boolean;
}

const maxWaitMs = 10 * 60_000;

/** Waits for the login in a browser, and returns its tokens. @throws CliError if it is refused or takes too long. */
export async function loginWithBrowser(
  context: Context,
  client: LoginClient,
  request: BrowserLoginRequest,
): Promise<LoggedInUser> {
  const { issuer } = await readMetadata(context, 'pushed_authorization_request_endpoint');
  const verifier = randomText();
  const state = randomText();
  const callback = new CallbackServer({ state, issuer });
  try {
    const redirectUri = await callback.listen();
    const parameters = toParameters(request, { redirectUri, state, challenge: hash(verifier) });
    await assertAccepted(context, client, parameters);
    await showAddress(context, buildAuthorizationUrl(context, client, parameters));
    const { code, error } = await callback.wait(context.io.signal);
    if (code === undefined) throw createRefusedError(error, client.clientId);
    const grant = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier };
    return readTokens(await postForm(context, 'token', client, grant), client);
  } finally {
    callback.close();
  }
}

/** 256 random bits: a code verifier has 43 characters at least (RFC 7636, 4.1). */
function randomText(): string {
  return randomBytes(32).toString('base64url');
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

/** The parameters of RFC 6749, 4.1.1, except the client. */
function toParameters(
  { userName, mfa }: BrowserLoginRequest,
  { redirectUri, state, challenge }: Readonly<Record<'redirectUri' | 'state' | 'challenge', string>>,
): FormFields {
  return {
    ...{ response_type: 'code', redirect_uri: redirectUri, scope: loginScope, state },
    ...{ code_challenge: challenge, code_challenge_method: 'S256' },
    ...(userName === undefined ? {} : { login_hint: userName }),
    ...(mfa ? { acr_values: 'AUTH-MFA' } : {}),
  };
}

/**
 * Pushes the request (RFC 9126), so that its errors show in the terminal and not in the browser. The reference is not used:
 * it expires while a person copies an address.
 */
async function assertAccepted(context: Context, client: LoginClient, parameters: FormFields): Promise<void> {
  const refusal = readRefusal(await postForm(context, 'push', client, parameters));
  if (refusal) throw createRefusedError(refusal, client.clientId);
}

function buildAuthorizationUrl(
  { settings, manifest }: Context,
  { clientId }: LoginClient,
  parameters: FormFields,
): string {
  const { origin, basePath } = parseBaseUrl(resolveBaseUrl(settings), manifest.prefix);
  return `${origin}${basePath}/oauth2/authorize?${new URLSearchParams({ client_id: clientId, ...parameters })}`;
}

/** The address is shown always: a browser may not open, or the wrong one. */
async function showAddress({ io, notice, environment }: Context, url: string): Promise<void> {
  const opens = io.stderr.isTTY === true && (await openInBrowser(url, environment.variables));
  notice(opens ? 'Your browser opens this page:' : 'Open this page in a browser on this machine:');
  notice(url);
  notice('Waiting for the login. Press Ctrl-C to stop.');
}

type Answer =
  | { readonly code: string; readonly error?: undefined }
  | { readonly code?: undefined; readonly error: { readonly error: string; readonly description: string | undefined } };

/** Receives the redirect. Requests without the state of this login are answered, and change nothing. */
class CallbackServer {
  readonly #expected: { readonly state: string; readonly issuer: string };
  readonly #server: Server = createServer((request, response) => this.#handle(request, response));
  #resolve: ((answer: Answer) => void) | undefined;

  constructor(expected: { readonly state: string; readonly issuer: string }) {
    this.#expected = expected;
  }

  /** @returns the redirect URI */
  async listen(): Promise<string> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject).listen(0, '127.0.0.1', resolve);
    });
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/callback`;
  }

  wait(signal: AbortSignal): Promise<Answer> {
    const limit = AbortSignal.timeout(maxWaitMs);
    const ended = AbortSignal.any([signal, limit]);
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      const stop = () => reject(limit.aborted ? createTimeoutError() : signal.reason);
      if (ended.aborted) stop();
      ended.addEventListener('abort', stop, { once: true });
    });
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #handle({ url = '', method }: IncomingMessage, response: ServerResponse): void {
    const query = method === 'GET' ? this.#readQuery(url) : undefined;
    if (!query) {
      writePage(response, 404, 'This page belongs to no login that waits. Return to the terminal.');
      return;
    }
    const code = query.get('code');
    const error = query.get('error') ?? 'no code was returned';
    const done = code === null ? 'The login was refused.' : 'You are signed in.';
    writePage(response, 200, `${done} You can close this page and return to the terminal.`);
    this.#resolve?.(
      code === null ? { error: { error, description: query.get('error_description') ?? undefined } } : { code },
    );
  }

  /** The query of a redirect of this login: of no other one, and of no other server (RFC 9207, 2.4). */
  #readQuery(path: string): URLSearchParams | undefined {
    const [pathname, text = ''] = path.split('?', 2);
    const query = new URLSearchParams(text);
    const { state, issuer } = this.#expected;
    const isExpected = query.get('state') === state && query.get('iss') === issuer;
    return pathname === '/callback' && isExpected ? query : undefined;
  }
}

function writePage(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    ...{ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store', connection: 'close' },
    ...{ 'content-security-policy': "default-src 'none'", 'referrer-policy': 'no-referrer' },
  });
  response.end(
    `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>iam</title><p>${text}</p></html>`,
  );
}

function createTimeoutError(): CliError {
  const minutes = maxWaitMs / 60_000;
  return new CliError(`The browser did not return within ${minutes} minutes.`, {
    ...{ code: 'LOGIN_TIMEOUT', exitCode: 4 },
    hint: 'Start again with the same command.',
  });
}
