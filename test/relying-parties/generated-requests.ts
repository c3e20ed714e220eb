/** Requests to the authorization and the token endpoint: valid ones, and ones with one or two changes. The same ones in each run. */
import { codeChallenge, codeVerifier } from '../server/oauth/browser.ts';

export type Pairs = readonly (readonly [name: string, value: string])[];

/** A parameter, and what becomes of it. */
interface Change {
  readonly name: string;
  readonly kind: 'missing' | 'empty' | 'repeated' | 'repeated with another value' | 'value';
  readonly value?: string | undefined;
}

export interface GeneratedRequest {
  readonly client: ClientId;
  readonly parameters: Pairs;
  readonly changes: readonly Change[];
}

export interface AuthorizationTest extends GeneratedRequest {
  readonly method: 'GET' | 'POST';
  readonly isLoggedIn: boolean;
}

export interface TokenTest extends GeneratedRequest {
  readonly authentication: 'basic' | 'post' | 'none' | 'both' | 'wrong';
  /** What the code was issued for: the token request has its code, or the refresh token of it. */
  readonly grant: 'code' | 'used code' | 'refresh token' | 'used refresh token';
}

export const secret = 'only-for-these-tests-0123456789';
const callback = 'https://app.example.com/callback';
const loopback = 'http://127.0.0.1:8400/callback';
export const audience = 'https://orders.example';
const scope = 'READ WRITE';
/** All that the generated requests name, to which the user has agreed before. */
export const agreedScope = `openid profile email offline_access ${scope}`;

/** `web` has two redirect URIs, `plain` needs no PKCE, `spa` has no secret, `partner` is a third party. */
export const clients = {
  web: { redirectUris: [callback, 'https://app.example.com/other'], secret, requirePkce: true },
  plain: { redirectUris: [callback], secret, requirePkce: false },
  spa: { redirectUris: [loopback], secret: undefined, requirePkce: true },
  partner: { redirectUris: ['https://partner.example.com/callback'], secret, requirePkce: true },
} as const;

export type ClientId = keyof typeof clients;

const clientIds = Object.keys(clients) as ClientId[];
const ownClientIds = clientIds.filter((clientId) => clientId !== 'partner');

const grantTypes = ['authorization_code', 'refresh_token'];

/** For the seed of the server. */
export const seedClients = clientIds.map((clientId) => {
  const { redirectUris, requirePkce } = clients[clientId];
  return {
    ...{ clientId, appId: clientId, clientSecret: clients[clientId].secret, requirePkce, grantTypes },
    ...{ redirectURIs: redirectUris, scope: scope.split(' '), audiences: [audience], idTokenAlg: 'ES256' },
    ...(clientId === 'partner' ? { party: '3RDPARTY', browserLogin: true } : {}),
  };
});

/** For oidc-provider. */
export const registeredClients = clientIds.map((clientId) => {
  const { redirectUris, requirePkce } = clients[clientId];
  return {
    ...{ client_id: clientId, redirect_uris: redirectUris, grant_types: grantTypes, response_types: ['code'] },
    ...{ client_secret: clients[clientId].secret, require_pkce: requirePkce },
    application_type: clientId === 'spa' ? 'native' : 'web',
    token_endpoint_auth_method: clientId === 'spa' ? 'none' : 'client_secret_basic',
  };
});

/** The number after each call: mulberry32. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

type Values = Readonly<Record<string, readonly string[]>>;

/** Values that are wrong, or valid and other than usual; also those of parameters that the valid request lacks. */
const authorizationValues: Values = {
  client_id: ['unknown', 'WEB', 'web '],
  redirect_uri: [
    ...['https://evil.example/callback', `${callback}/`, `${callback}?x=1`, `${callback}#f`, `${callback}/../other`],
    ...['http://app.example.com/callback', 'HTTPS://app.example.com/callback', 'https://app.example.com:443/callback'],
    ...[
      'https://app.example.com@evil.example/callback',
      '/callback',
      'javascript:alert(1)',
      'http://127.0.0.1/callback',
    ],
    ...['http://127.0.0.1:5173/callback', 'http://[::1]:5173/callback', 'http://localhost:5173/callback'],
  ],
  response_type: ['token', 'id_token', 'none', 'code token', 'code id_token', 'code code', 'CODE', 'unknown'],
  response_mode: ['query', 'form_post', 'fragment', 'unknown'],
  scope: [
    ...['profile', 'READ', 'openid READ', 'openid ADMIN', 'openid unknown', 'OPENID', ' openid  profile '],
    ...['openid offline_access', 'email email'],
  ],
  state: ['x'.repeat(600), 'a&b=c d"<\'>é', '%00'],
  nonce: ['another', 'x'.repeat(600)],
  code_challenge: ['short', `${codeChallenge}a`, `+${codeChallenge.slice(1)}`, 'a'.repeat(128)],
  code_challenge_method: ['plain', 's256', 'unknown'],
  prompt: [
    ...['none', 'login', 'consent', 'select_account', 'login consent', 'none login', 'create', 'unknown'],
    'login unknown',
  ],
  max_age: ['0', '3600', '-1', 'soon', '1.5', '99999999999'],
  acr_values: ['AUTH-BASIC', 'unknown'],
  login_hint: ['ada', 'unknown'],
  id_token_hint: ['unknown'],
  resource: [audience, 'https://other.example', 'orders', `${audience}#f`],
  request: ['e30.e30.'],
  request_uri: ['https://app.example.com/request', 'urn:ietf:params:oauth:request_uri:unknown'],
  registration: ['{}'],
  display: ['popup'],
  ui_locales: ['de fr'],
  claims: ['{"id_token":{"email":null}}'],
  unknown: ['1'],
};

const tokenValues: Values = {
  grant_type: ['unknown', 'password', 'client_credentials', 'implicit', 'AUTHORIZATION_CODE'],
  code: ['unknown'],
  redirect_uri: ['https://app.example.com/other', 'https://evil.example/callback', `${callback}/`],
  code_verifier: ['short', `${codeVerifier}x`, 'a'.repeat(129), `${codeVerifier.slice(1)}+`],
  client_id: ['unknown', 'plain'],
  client_secret: ['wrong'],
  refresh_token: ['unknown'],
  scope: ['openid', 'openid profile', 'openid profile READ', 'openid ADMIN', 'READ', 'unknown'],
  resource: [audience, 'https://other.example'],
  nonce: ['another'],
  unknown: ['1'],
};

/** Each change of a parameter that the valid request has, and each value. */
function listChanges(valid: Pairs, values: Values): readonly Change[] {
  const ofGiven = valid.flatMap(([name, value]): Change[] => [
    ...(['missing', 'empty', 'repeated'] as const).map((kind) => ({ name, kind, value })),
    { name, kind: 'repeated with another value', value: values[name]?.[0] ?? 'other' },
  ]);
  const ofValues = Object.entries(values).flatMap(([name, all]) =>
    all.map((value) => ({ name, kind: 'value', value })),
  );
  return [...ofGiven, ...(ofValues as Change[])];
}

function applyChange(pairs: Pairs, { name, kind, value = '' }: Change): Pairs {
  const others = pairs.filter(([key]) => key !== name);
  if (kind === 'missing') return others;
  if (kind === 'empty') return [...others, [name, '']];
  if (kind === 'value') return [...others, [name, value]];
  return [...pairs, [name, value]];
}

function pick<Item>(items: readonly Item[], random: (below: number) => number): Item {
  return items[random(items.length)] as Item;
}

function shuffle<Item>(items: readonly Item[], random: (below: number) => number): Item[] {
  const left = [...items];
  return items.map(() => left.splice(random(left.length), 1)[0] as Item);
}

/**
 * Requests of all clients with no change, of a third-party and another client with each single one, then pairs of changes in
 * another order up to this number.
 */
function* generate(
  count: number,
  random: (below: number) => number,
  { values, valid }: { readonly values: Values; readonly valid: (client: ClientId) => Pairs },
): Generator<GeneratedRequest> {
  const singles = listChanges(valid('web'), values);
  for (const client of clientIds) yield { client, parameters: valid(client), changes: [] };
  for (const change of singles)
    for (const client of ['partner', pick(ownClientIds, random)] as const)
      yield { client, parameters: applyChange(valid(client), change), changes: [change] };
  for (let made = clientIds.length + 2 * singles.length; made < count; made += 1) {
    const client = pick(clientIds, random);
    const changes = [pick(singles, random), pick(singles, random)];
    yield { client, parameters: shuffle(changes.reduce(applyChange, valid(client)), random), changes };
  }
}

const validAuthorization = (client: ClientId): Pairs => [
  ['client_id', client],
  ['redirect_uri', clients[client].redirectUris[0]],
  ['response_type', 'code'],
  ['scope', 'openid profile READ'],
  ['state', 'a-state'],
  ['nonce', 'a-nonce'],
  ['code_challenge', codeChallenge],
  ['code_challenge_method', 'S256'],
];

export function generateAuthorizationTests(count: number): AuthorizationTest[] {
  const random = createRandom(1);
  const requests = [...generate(count, random, { values: authorizationValues, valid: validAuthorization })];
  return requests.map((request) => ({
    ...request,
    method: random(4) === 0 ? 'POST' : 'GET',
    isLoggedIn: random(3) > 0,
  }));
}

const authentications = ['post', 'none', 'both', 'wrong'] as const;

export function generateTokenTests(count: number): TokenTest[] {
  const random = createRandom(2);
  const make = (part: number, valid: (client: ClientId) => Pairs, grants: readonly TokenTest['grant'][]): TokenTest[] =>
    [...generate(Math.round(part), random, { values: tokenValues, valid })].map((request) => {
      // A single change meets a request that is valid otherwise.
      const isValid = request.changes.length === 1;
      return {
        ...request,
        authentication: isValid || random(3) > 0 ? usualAuthentication(request.client) : pick(authentications, random),
        grant: isValid ? (grants[0] as TokenTest['grant']) : pick(grants, random),
      };
    });
  return [
    ...make(count * 0.6, (client) => exchangeParameters(client, '{code}'), ['code', 'code', 'used code']),
    ...make(count * 0.4, () => renewalParameters('{refresh token}'), ['refresh token', 'used refresh token']),
  ];
}

export const usualAuthentication = (client: ClientId) => (clients[client].secret === undefined ? 'none' : 'basic');

export const exchangeParameters = (client: ClientId, code: string): Pairs => [
  ['grant_type', 'authorization_code'],
  ['code', code],
  ['redirect_uri', clients[client].redirectUris[0]],
  ['code_verifier', codeVerifier],
];

export const renewalParameters = (refreshToken: string): Pairs => [
  ['grant_type', 'refresh_token'],
  ['refresh_token', refreshToken],
];
