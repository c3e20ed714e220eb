/**
 * The same requests to the server and to oidc-provider, which is certified: the class of the outcome is the same, or a paragraph
 * of allowed-differences.ts says why not.
 */
import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeRunner, type Runner } from '../e2e/runner.ts';
import { codeChallenge, createBrowser, type Page, type TestBrowser } from '../server/oauth/browser.ts';
import { authorizationDifferences, type Difference, tokenDifferences } from './allowed-differences.ts';
import { startApplication } from './applications.ts';
import {
  type AuthorizationTest,
  agreedScope,
  audience,
  type ClientId,
  clients,
  exchangeParameters,
  type GeneratedRequest,
  generateAuthorizationTests,
  generateTokenTests,
  type Pairs,
  registeredClients,
  renewalParameters,
  secret,
  seedClients,
  type TokenTest,
  usualAuthentication,
} from './generated-requests.ts';
import { classifyPage, classifyTokens, describeOutcome, type Outcome } from './outcomes.ts';

const user = { userName: 'ada', password: 'demo-only+password & more%' };

/** A server, its endpoints and a browser that is logged in to it. */
interface Tested {
  readonly authorize: string;
  readonly token: string;
  readonly loggedIn: TestBrowser;
}

let runner: Runner;
let ours: Tested;
let theirs: Tested;

beforeAll(async () => {
  runner = await makeRunner();
  const seed = { users: [{ userId: 'ada-id', ...user }], clients: seedClients };
  await writeFile(runner.file('seed.json'), JSON.stringify(seed));
  const words = ['--store', 'memory', '--seed', runner.file('seed.json'), '--disable-rate-limits', 'true'];
  const { url } = await runner.serve(words);
  ours = await prepare(`${url}/oauth2/authorize`, `${url}/oauth2/token`);
  const variables = { CLIENTS: JSON.stringify(registeredClients), AUDIENCE: audience };
  const other = await startApplication(runner, 'oidc-provider', variables);
  theirs = await prepare(`${other}/auth`, `${other}/token`);
});
afterAll(() => runner[Symbol.asyncDispose]());

function toForm(parameters: Pairs): URLSearchParams {
  const form = new URLSearchParams();
  for (const [name, value] of parameters) form.append(name, value);
  return form;
}

async function prepare(authorize: string, token: string): Promise<Tested> {
  const loggedIn = createBrowser();
  const server = { authorize, token, loggedIn };
  await obtainCode(server, 'web');
  await obtainCode(server, 'partner', agreedScope);
  return server;
}

async function obtainCode(
  { authorize, loggedIn }: Tested,
  client: ClientId,
  scope = 'openid profile READ',
): Promise<string> {
  const query = new URLSearchParams({
    ...{ client_id: client, redirect_uri: clients[client].redirectUris[0], response_type: 'code', state: 's' },
    ...{ scope, code_challenge: codeChallenge, code_challenge_method: 'S256' },
  });
  let page = await loggedIn.get(`${authorize}?${query}`);
  if (page.text.includes('name="password"'))
    page = await loggedIn.submit(page, 'password', { user_name: user.userName, password: user.password });
  if (page.text.includes('name="decision"')) page = await loggedIn.submit(page, 'consent', { decision: 'allow' });
  const isReturn = ({ location = '' }: Page) => location.startsWith(clients[client].redirectUris[0]);
  // oidc-provider logs in with redirects alone.
  for (let count = 0; count < 5 && page.location !== undefined && !isReturn(page); count += 1)
    page = await loggedIn.get(new URL(page.location, page.url).href);
  if (!isReturn(page)) throw new Error(`no code: ${page.status} ${page.location} ${page.text}`);
  return new URL(page.location ?? '').searchParams.get('code') ?? '';
}

async function authorize({ authorize: url, loggedIn }: Tested, request: AuthorizationTest): Promise<Outcome> {
  const browser = request.isLoggedIn ? loggedIn : createBrowser();
  const text = toForm(request.parameters).toString();
  let page = request.method === 'GET' ? await browser.get(`${url}?${text}`) : await browser.post(url, text);
  // Without the cookie, a form leads to the same request with GET.
  if (page.location?.startsWith('authorize?')) page = await browser.get(new URL(page.location, page.url).href);
  return classifyPage(
    page,
    Object.values(clients).flatMap(({ redirectUris }) => redirectUris),
  );
}

/** Sends the request with the code or the refresh token that it is for. */
async function requestTokens(server: Tested, request: TokenTest): Promise<Outcome> {
  const { client, grant, authentication } = request;
  const code = await obtainCode(server, client);
  const issued = grant === 'code' ? undefined : await sendUsual(server, client, exchangeParameters(client, code));
  const refreshToken = String(issued?.json.refresh_token);
  if (grant === 'used refresh token') await sendUsual(server, client, renewalParameters(refreshToken));
  const values: Readonly<Record<string, string>> = { '{code}': code, '{refresh token}': refreshToken };
  const parameters = request.parameters.map(([name, value]) => [name, values[value] ?? value] as const);
  return classifyTokens(await send(server, { client, authentication, parameters }));
}

function sendUsual(server: Tested, client: ClientId, parameters: Pairs) {
  return send(server, { client, authentication: usualAuthentication(client), parameters });
}

type TokenRequest = Pick<TokenTest, 'client' | 'authentication' | 'parameters'>;

async function send({ token }: Tested, { client, authentication, parameters }: TokenRequest) {
  const body = toForm(parameters);
  if (authentication === 'none' && !body.has('client_id')) body.append('client_id', client);
  if (authentication === 'post' || authentication === 'both') {
    body.append('client_id', client);
    body.append('client_secret', secret);
  }
  const password = authentication === 'wrong' ? 'wrong' : secret;
  const isBasic = ['basic', 'both', 'wrong'].includes(authentication);
  const headers: Record<string, string> = isBasic ? { authorization: `Basic ${btoa(`${client}:${password}`)}` } : {};
  const response = await fetch(token, { method: 'POST', body, headers });
  return { status: response.status, json: (await response.json()) as Record<string, unknown> };
}

/** Each difference, and each allowed difference that no request has any more. */
async function compare<Request extends GeneratedRequest>(
  requests: readonly Request[],
  allowed: readonly Difference<Request>[],
  classify: (server: Tested, request: Request) => Promise<Outcome>,
): Promise<string[]> {
  const found = new Set<Difference<Request>>();
  const problems: string[] = [];
  for (const request of requests) {
    const outcomes = { ours: await classify(ours, request), theirs: await classify(theirs, request) };
    const [mine, others] = [describeOutcome(outcomes.ours), describeOutcome(outcomes.theirs)];
    if (mine === others) continue;
    const difference = allowed.find(({ holds }) => holds(request, outcomes));
    if (difference) found.add(difference);
    else problems.push(`${describeRequest(request)}\n  server: ${mine}\n  oidc-provider: ${others}`);
  }
  const unused = allowed.filter((difference) => !found.has(difference));
  return [...problems, ...unused.map(({ paragraph }) => `no request differs any more: ${paragraph}`)];
}

function describeRequest({ parameters, changes, ...others }: GeneratedRequest): string {
  const texts = changes.map(({ name, kind, value = '' }) => `${name} ${kind} ${JSON.stringify(value).slice(0, 80)}`);
  return `${texts.join(', ')} ${JSON.stringify(others)}`;
}

test('authorization requests have the same outcomes', async () => {
  expect(await compare(generateAuthorizationTests(300), authorizationDifferences, authorize)).toEqual([]);
});

test('token requests have the same outcomes', async () => {
  expect(await compare(generateTokenTests(200), tokenDifferences, requestTokens)).toEqual([]);
});
