import { chmod } from 'node:fs/promises';
import { describe, expect } from 'vitest';
import { saveProfile } from '../../../../src/cli/config/profile.ts';
import { manifest } from '../../../../src/contract/manifest.ts';
import { errorResponse, type FakeHandler, startFakeServer } from '../../../client/fake-server.ts';
import { adminClient, createFakeClock, startServer } from '../../../harness.ts';
import { iam, test } from '../../run-cli.ts';

interface Finding {
  readonly check: string;
  readonly status: string;
  readonly detail: string;
  readonly next: string;
}

const now = 1_800_000_000_000;
const date = (seconds = 0) => ({ date: new Date(now + seconds * 1000).toUTCString() });
const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const token = (claims: object) => `${part({ alg: 'none' })}.${part(claims)}.x`;
const good = token({ client_id: 'me', authorities: ['ROLE_ADMIN'], exp: now / 1000 + 600 });

/** A healthy server, except for the responses of `odd`. */
function server(odd: (path: string) => ReturnType<FakeHandler> | undefined = () => undefined) {
  return startFakeServer(({ path }) => {
    const found = odd(path);
    if (found) return found;
    if (path === '/healthz') return { json: { status: 'ok' }, headers: date() };
    if (path === '/readyz') return { json: { status: 'ready', store: 'writable' } };
    if (path === '/openapi.json') return { json: { info: { version: manifest.version } } };
    return { json: path === '/_iam/settings' ? {} : [] };
  });
}

async function doctor(url: string, variables: Record<string, string> = { IAM_TOKEN: good }) {
  const { code, out, err } = await iam(['doctor', '-o', 'json'], { url, variables });
  const findings = JSON.parse(out) as Finding[];
  return { code, err, findings, of: (check: string) => findings.find((finding) => finding.check === check) };
}

describe('doctor', () => {
  test('reports a healthy server of this version', async () => {
    await using own = await startServer({ clock: createFakeClock(new Date().toISOString()) });
    const { clientId: IAM_CLIENT_ID, clientSecret: IAM_CLIENT_SECRET } = adminClient;
    const outcome = await iam(['doctor', '-o', 'json'], {
      url: own.url,
      variables: { IAM_CLIENT_ID, IAM_CLIENT_SECRET },
      now: () => Date.now(),
    });
    expect(outcome.err).toBe('');
    const findings = JSON.parse(outcome.out) as Finding[];
    expect(Object.fromEntries(findings.map(({ check, status }) => [check, status]))).toEqual({
      settings: 'ok',
      files: 'ok',
      server: 'ok',
      encryption: 'ok',
      clock: 'ok',
      store: 'ok',
      version: 'ok',
      'control plane': 'ok',
      'sign-in': 'ok',
      token: 'ok',
      roles: 'ok',
      identity: 'ok',
    });
    expect(outcome.code).toBe(0);
  });

  test('exits with 0 for a healthy server, and prints no token', async () => {
    await using fake = await server();
    const { code, findings, err } = await doctor(fake.url);
    expect([code, err]).toEqual([0, '']);
    expect(findings.map(({ status }) => status)).toEqual(findings.map(() => 'ok'));
    expect(JSON.stringify(findings)).not.toContain(good);
  });

  test('sends credentials only for the sign-in', async () => {
    await using fake = await server();
    await doctor(fake.url);
    const signedIn = fake.received.filter(({ headers }) => headers.authorization !== undefined);
    expect(signedIn.map(({ path }) => path)).toEqual(['/security/iam/v1/groups?limit=1']);
  });

  test('exits with 1 and a hint if the server is down', async () => {
    const stopped = await server();
    await stopped[Symbol.asyncDispose]();
    const { code, of } = await doctor(stopped.url);
    expect(code).toBe(1);
    expect(of('server')).toMatchObject({ status: 'fail', next: expect.stringContaining('iam serve') });
  });

  test.each([
    ['server', 'fail', '/healthz', { status: 502, headers: date() }],
    ['clock', 'fail', '/healthz', { headers: date(-120) }],
    ['clock', 'warn', '/healthz', { headers: date(20) }],
    ['store', 'fail', '/readyz', { status: 503, json: { status: 'not ready', store: 'read-only' } }],
    ['store', 'warn', '/readyz', { status: 404 }],
    ['audit', 'warn', '/readyz', { json: { status: 'ready', store: 'writable', audit: 'failing' } }],
    ['audit', 'ok', '/readyz', { json: { status: 'ready', store: 'writable', audit: 'written' } }],
    ['replicas', 'ok', '/healthz', { json: { status: 'ok', replicas: 2 }, headers: date() }],
    ['version', 'warn', '/openapi.json', { json: { info: { version: '99.0.0' } } }],
    ['version', 'warn', '/openapi.json', { status: 404 }],
    ['control plane', 'warn', '/_iam/settings', errorResponse(404, 'PATH_UNKNOWN')],
    ['control plane', 'ok', '/_iam/settings', errorResponse(403, 'ROLE_MISSING')],
    ['sign-in', 'fail', '/security/iam/v1/groups?limit=1', errorResponse(401, 'TOKEN_INVALID')],
    ['sign-in', 'ok', '/security/iam/v1/groups?limit=1', errorResponse(403, 'ROLE_MISSING')],
  ])('%s is %s if %s responds otherwise', async (check, status, path, reply) => {
    await using fake = await server((requested) => (requested === path ? reply : undefined));
    const { code, of } = await doctor(fake.url);
    expect(of(check)).toMatchObject({ status });
    expect(code).toBe(status === 'fail' ? 1 : 0);
  });

  test.each([
    ['roles', { client_id: 'me', authorities: ['ROLE_READ'], exp: now / 1000 + 600 }],
    ['token', { client_id: 'me', authorities: ['ROLE_ADMIN'], exp: now / 1000 - 5 }],
    ['token', { client_id: 'me', authorities: ['ROLE_ADMIN'], exp: now / 1000 + 5 }],
  ])('warns of %s in a token with %j', async (check, claims) => {
    await using fake = await server();
    const { code, of } = await doctor(fake.url, { IAM_TOKEN: token(claims) });
    expect([code, of(check)?.status]).toEqual([0, 'warn']);
  });

  test('explains a test clock that was moved, instead of reporting wrong clocks', async () => {
    const clock = { json: { now: '2027-01-15T12:00:00.000Z', frozen: true, offset: 7200 } };
    await using fake = await server((path) => (path === '/_iam/clock' ? clock : undefined));
    const { code, of } = await doctor(fake.url);
    expect(of('clock')).toMatchObject({
      status: 'warn',
      detail: expect.stringMatching(/test clock of the server is 7200 s ahead of its machine and frozen/),
      next: expect.stringContaining('`iam clock reset`'),
    });
    // The token is valid by the clock of this machine only.
    expect([code, of('token')?.status, of('token')?.detail]).toEqual([
      0,
      'warn',
      expect.stringContaining('test clock'),
    ]);
  });

  test('fails if other users can read the profiles, and repeats the profile in next steps', async ({ home }) => {
    await using fake = await server();
    const { path } = await saveProfile('p', { baseUrl: fake.url }, home.variables);
    await chmod(path, 0o644);
    const { code, out } = await home.iam(['doctor', '--profile', 'p', '-o', 'json'], { variables: {} });
    const findings = JSON.parse(out) as Finding[];
    expect(code).toBe(1);
    expect(findings.find(({ check }) => check === 'files')).toMatchObject({
      status: 'fail',
      detail: expect.stringContaining('644'),
      next: `Run chmod 600 ${path}.`,
    });
    expect(findings.find(({ check }) => check === 'sign-in')?.next).toContain('`iam login --profile p`');
  });

  test('fails without credentials', async () => {
    await using fake = await server();
    const { code, of } = await doctor(fake.url, {});
    expect([code, of('sign-in')?.status]).toEqual([1, 'fail']);
  });

  test('warns of a token of another client than the profile', async ({ home }) => {
    await using fake = await server();
    await saveProfile('p', { baseUrl: fake.url, clientId: 'other', clientSecret: 's', readOnly: true }, home.variables);
    const { out } = await home.iam(['doctor'], { variables: { IAM_TOKEN: good } });
    expect(out).toMatch(/^ok +settings +profile p \(current profile\), read-only/m);
    expect(out).toMatch(/^warn +identity +The token belongs to the client me, the profile to other/m);
  });
});
