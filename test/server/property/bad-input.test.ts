/** Whatever comes in: every operation answers as it is documented, never with a fault of its own, and a refusal changes nothing. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { basicAuthorization } from '../../../src/client/index.ts';
import type { Operation } from '../../../src/contract/operation.ts';
import { servicePrefix } from '../../../src/contract/prefix.ts';
import { knownRoles } from '../../../src/contract/roles.ts';
import { operations } from '../../../src/server/operations/index.ts';
import { startServer, type TestServer } from '../../harness.ts';
import { bodyMutations } from './body-mutations.ts';
import type { RawAnswer } from './raw.ts';
import { requestMutations } from './request-mutations.ts';
import { draftOf, rawOf, type Source } from './requests.ts';
import type { Spoilt } from './spoilt.ts';

/** Any run can be had again: fast-check prints the seed and the path of a failure. */
const seed = 20260301;
const registry: readonly Operation<never>[] = Object.values(operations);
/** All runs together stay about the same as operations are added. */
const runs = Math.max(2, Math.min(6, Math.floor(120 / registry.length)));
const ofHttpItself = [405, 413, 415, 429, 431];
const mutations = { ...requestMutations, ...bodyMutations };
/** A form is text through and through: these are what can be wrong with one. */
const ofForms = ['a body of a megabyte and more', 'a content type that is not taken', 'a compressed body'];

function mutationsFor({ request }: Operation<never>) {
  const fitting = ([name]: [string, unknown]) => !request.form || !(name in bodyMutations) || ofForms.includes(name);
  return Object.entries(mutations).filter(fitting);
}

/** The operation that a request gets to, which a mutation may have changed. */
function operationAt(method: string, path: string): Operation<never> | undefined {
  const relative = path.split('?')[0]?.slice(servicePrefix.length) ?? '';
  const matching = registry.filter(
    (one) => one.method === method && new RegExp(`^${one.path.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`).test(relative),
  );
  return matching.sort((a, b) => a.path.split('{').length - b.path.split('{').length)[0];
}

function isErrorArray(json: unknown): json is { code: string; message: string }[] {
  return (
    Array.isArray(json) &&
    json.length > 0 &&
    json.every((item) => {
      const keys = Object.keys(Object(item)).sort().join();
      return (
        keys === 'code,message' &&
        /^[A-Z][A-Z0-9_]*$/.test(item.code) &&
        typeof item.message === 'string' &&
        item.message !== ''
      );
    })
  );
}

/** RFC 6749, 5.2: what the OAuth token endpoint has in the place of the error array. */
function isOAuthError(json: unknown): boolean {
  return Object.keys(Object(json)).sort().join() === 'error,error_description';
}

function check(answer: RawAnswer, { draft, refused, statuses, field }: Spoilt): boolean {
  const { method, path } = rawOf(draft);
  const operation = operationAt(method, path);
  const documented = operation?.statuses ?? [404];
  expect([...documented, ...ofHttpItself]).toContain(answer.status);
  expect(answer.status).toBeLessThan(500);
  expect(answer.headers).toMatchObject({ 'x-request-id': expect.any(String), 'x-content-type-options': 'nosniff' });
  // What does not get as far as an operation is refused in the shape of all others.
  const isFailure = operation?.errorFormat === 'oauth' && answer.status !== 431 ? isOAuthError : isErrorArray;
  const failed = answer.status >= 300 || isFailure(answer.json);
  if (refused) expect(failed, 'it is to be refused').toBe(true);
  if (!failed) return false;
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(isFailure(answer.json), answer.text).toBe(true);
  if (statuses) expect(statuses).toContain(answer.status);
  if (answer.status === 401) expect(answer.headers['www-authenticate']).toMatch(/^(Basic|Bearer) realm="iam"/);
  if (answer.status === 405) expect(answer.headers.allow).toMatch(/^[A-Z]+(, [A-Z]+)*$/);
  // Where the interface takes a malformed body for a bad credential, nothing is told of it.
  if (field !== undefined && !operation?.request.malformedBody) expect(answer.text).toContain(field);
  return true;
}

/** What is in the store, but for the counts of wrong codes: those are what a refused call is to leave behind. */
async function keptBy(server: TestServer): Promise<string> {
  const { codeFailures: _counts, ...kept } = await server.dump();
  return JSON.stringify(kept);
}

async function poolOf({ world }: TestServer): Promise<string[]> {
  const { groups, clients, apiKeys, users } = world.store;
  const rows = [
    await groups.list({ limit: 20 }),
    await clients.list(),
    await apiKeys.list({ limit: 5 }),
    await users.list(),
  ];
  return rows
    .flat()
    .flatMap((row) => Object.entries(row).flatMap(([name, value]) => (/(Id|Name)$/.test(name) ? String(value) : [])))
    .filter((value) => value !== callerId);
}

async function makeSomething({ admin, makeClient }: TestServer): Promise<void> {
  const { clientId } = await makeClient({ serviceAccountId: 'billing' });
  await admin.apiKey.create({ body: { appId: 'billing', clientId } });
  await admin.groups.create({
    body: { groupName: 'ops', roles: ['DEPLOY'], dependencies: [{ groupName: 'business-users' }] },
  });
}

const callerId = 'the-caller';

/** A caller whom every operation lets in, so that what is wrong with a request is what it is refused for. */
async function presentedTo({ as, makeClient }: TestServer): Promise<Pick<Source, 'authorization' | 'bearer'>> {
  const authorities = knownRoles.filter((role) => !role.startsWith('CLI-') && role !== 'BUSINESS');
  const pair = await makeClient({ clientId: callerId, authorities, scope: ['account_lock', 'account_unlock'] });
  const { accessToken } = await as(pair).clientIdentities.login();
  return { authorization: basicAuthorization(pair), bearer: `Bearer ${accessToken}` };
}

describe.each(registry)('$id', (operation) => {
  test('holds out against bad input', async () => {
    await using server = await startServer();
    await makeSomething(server);
    const presented = await presentedTo(server);
    let before = await keptBy(server);
    let refusals = 0;
    for (const [name, mutate] of mutationsFor(operation)) {
      const property = fc.asyncProperty(fc.gen(), async (draw) => {
        const source: Source = { operation, ...presented, pool: await poolOf(server) };
        const spoilt = mutate(draw, draftOf(draw, source), source);
        if (!spoilt) return;
        const request = rawOf(spoilt.draft);
        const answer = await server.send(request);
        const after = await keptBy(server);
        try {
          const failed = check(answer, spoilt);
          if (failed) expect(after === before, 'a refused call keeps the store as it was').toBe(true);
          if (failed) refusals += 1;
        } catch (error) {
          const sent = `${request.method} ${request.path} ${String(request.body).slice(0, 500)}`;
          throw new Error(`${name}: ${sent}\nanswered ${answer.status} ${answer.text.slice(0, 500)}\n${error}`);
        } finally {
          before = after;
        }
      });
      await fc.assert(property, { seed, numRuns: runs, endOnFailure: true });
    }
    expect(refusals).toBeGreaterThan(0);
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});

test('the requests that nothing is done to succeed often enough for refusals to mean something', async () => {
  await using server = await startServer();
  await makeSomething(server);
  const presented = await presentedTo(server);
  const succeeded = new Set<string>();
  // What is for users in a session of their own refuses a client whatever it sends.
  const tried = registry.filter(({ method, path }) => method !== 'DELETE' && !path.includes('/me/'));
  for (const operation of tried) {
    const property = fc.asyncProperty(fc.gen(), async (draw) => {
      const source = { operation, ...presented, pool: await poolOf(server) };
      const { status, json } = await server.send(rawOf(draftOf(draw, source)));
      if (status < 300 && !isErrorArray(json)) succeeded.add(operation.id);
    });
    await fc.assert(property, { seed, numRuns: 10 });
  }
  expect(succeeded.size).toBeGreaterThan(tried.length / 3);
});
