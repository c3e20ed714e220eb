/** Unmodified third-party verifiers for Node against the built server: jwks-rsa, express-oauth2-jwt-bearer and hono/jwk. */
import { createPublicKey } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { auth, requiredScopes } from 'express-oauth2-jwt-bearer';
import { Hono } from 'hono';
import { jwk } from 'hono/jwk';
import type { JwtVariables } from 'hono/jwt';
import { decodeProtectedHeader, jwtVerify } from 'jose';
import jwksRsa from 'jwks-rsa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeRunner, type Runner, type Served } from '../runner.ts';

const secret = 'only-for-these-tests-0123456789';

const seed = {
  clients: [
    {
      ...{ clientId: 'reports', clientSecret: secret, appId: 'reports', party: '1STPARTY' },
      ...{ scope: ['READ', 'WRITE'], grantTypes: ['client_credentials'] },
    },
  ],
};

let sandbox: Runner;
let served: Served;
let issuer: string;

beforeAll(async () => {
  sandbox = await makeRunner();
  await writeFile(sandbox.file('seed.json'), JSON.stringify(seed));
  served = await sandbox.serve(['--store', 'memory', '--seed', sandbox.file('seed.json')]);
  issuer = served.url;
});

afterAll(() => sandbox[Symbol.asyncDispose]());

const keySet = () => `${issuer}/.well-known/jwks.json`;

/** A client token of the server or of one of its sandboxes. */
async function obtainToken(base = issuer, scope = 'READ WRITE'): Promise<string> {
  const response = await fetch(`${base}/security/iam/v1/client-identities/connect/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`reports:${secret}`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope }),
  });
  return ((await response.json()) as { access_token: string }).access_token;
}

async function setClock(base: string, change: object): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${base}/_iam/clock`, { method: 'PUT', headers, body: JSON.stringify(change) });
  expect(response.status).toBe(200);
}

/** A token of the sandbox `expired`, issued two hours ago: verifiers compare its expiry with the real time. */
async function obtainExpiredToken(): Promise<string> {
  await setClock(`${issuer}/s/expired`, { advance: '-2h' });
  return obtainToken(`${issuer}/s/expired`);
}

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

describe('jwks-rsa', () => {
  test('finds the key of a token by its kid, with which jose verifies the token', async () => {
    const client = jwksRsa({ jwksUri: keySet() });
    const token = await obtainToken();
    const key = await client.getSigningKey(decodeProtectedHeader(token).kid);
    const publicKey = createPublicKey(key.getPublicKey());
    expect((await jwtVerify(token, publicKey, { issuer, audience: issuer })).payload.sub).toBe('reports');
  });

  test('rejects an unknown kid', async () => {
    await expect(jwksRsa({ jwksUri: keySet() }).getSigningKey('another-key')).rejects.toMatchObject({
      name: 'SigningKeyNotFoundError',
    });
  });
});

describe('express-oauth2-jwt-bearer', () => {
  const servers: Server[] = [];

  afterAll(() => {
    for (const server of servers) server.close().closeAllConnections();
  });

  /** An express application whose route /reports accepts tokens for this audience; /writers requires the scope WRITE. */
  async function listen(issuerBaseURL: string, audience: string): Promise<string> {
    const app = express();
    app.use(auth({ issuerBaseURL, audience, tokenSigningAlg: 'ES256', strict: true }));
    app.get('/reports', (request, response) => void response.json(request.auth?.payload.client_id));
    app.get('/writers', requiredScopes('WRITE'), (_request, response) => void response.json('written'));
    const silent: express.ErrorRequestHandler = (
      error: { status?: number; code?: string },
      _request,
      response,
      _next,
    ) => void response.status(error.status ?? 500).json(error.code ?? null);
    app.use(silent);
    const server = app.listen(0, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  async function get(url: string, token?: string): Promise<[status: number, body: unknown]> {
    const response = await fetch(url, token === undefined ? {} : bearer(token));
    return [response.status, await response.json()];
  }

  test('discovers the server and accepts its tokens, also with the strict rules of RFC 9068', async () => {
    const api = await listen(issuer, issuer);
    expect(await get(`${api}/reports`, await obtainToken())).toEqual([200, 'reports']);
    expect((await get(`${api}/reports`))[0]).toBe(401);
  });

  test('rejects tokens for another audience and of another sandbox', async () => {
    const token = await obtainToken();
    expect(await get(`${await listen(issuer, 'https://other.example')}/reports`, token)).toEqual([
      401,
      'invalid_token',
    ]);
    const ofSandbox = await listen(`${issuer}/s/express`, `${issuer}/s/express`);
    expect(await get(`${ofSandbox}/reports`, token)).toEqual([401, 'invalid_token']);
    expect(await get(`${ofSandbox}/reports`, await obtainToken(`${issuer}/s/express`))).toEqual([200, 'reports']);
  });

  test('rejects a token that has expired', async () => {
    const base = `${issuer}/s/expired`;
    const api = await listen(base, base);
    expect(await get(`${api}/reports`, await obtainExpiredToken())).toEqual([401, 'invalid_token']);
    await setClock(base, { reset: true });
    expect(await get(`${api}/reports`, await obtainToken(base))).toEqual([200, 'reports']);
  });

  test('reads the scopes of a token', async () => {
    const api = await listen(issuer, issuer);
    expect((await get(`${api}/writers`, await obtainToken(issuer, 'READ WRITE')))[0]).toBe(200);
    expect(await get(`${api}/writers`, await obtainToken(issuer, 'READ'))).toEqual([403, 'insufficient_scope']);
  });
});

describe('hono/jwk', () => {
  const createApp = (typ?: string, aud = issuer) => {
    const verification = { iss: issuer, aud, ...(typ === undefined ? {} : { typ }) };
    const app = new Hono<{ Variables: JwtVariables<{ sub: string }> }>();
    app.use(jwk({ jwks_uri: keySet(), alg: ['ES256'], verification }));
    app.get('/reports', (context) => context.json(context.get('jwtPayload').sub));
    return app;
  };
  const statusOf = async (app: Pick<Hono, 'request'>, token: string) =>
    (await app.request('/reports', bearer(token))).status;

  test('accepts tokens with the type at+jwt, and only if it is configured', async () => {
    const token = await obtainToken();
    const response = await createApp('at+jwt').request('/reports', bearer(token));
    expect([response.status, await response.json()]).toEqual([200, 'reports']);
    expect(await statusOf(createApp(), token)).toBe(401);
  });

  test('rejects tokens for another audience, changed and expired tokens', async () => {
    const token = await obtainToken();
    expect(await statusOf(createApp('at+jwt', 'https://other.example'), token)).toBe(401);
    expect(await statusOf(createApp('at+jwt'), `${token.slice(0, -4)}AAAA`)).toBe(401);
    const base = `${issuer}/s/expired`;
    const app = new Hono();
    app.use(jwk({ jwks_uri: `${base}/.well-known/jwks.json`, alg: ['ES256'], verification: { typ: 'at+jwt' } }));
    app.get('/reports', (context) => context.text('ok'));
    expect(await statusOf(app, await obtainExpiredToken())).toBe(401);
    await setClock(base, { reset: true });
    expect(await statusOf(app, await obtainToken(base))).toBe(200);
  });
});
