/** Deployments that differ from this server in one point: each difference is found, at the right operation. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isFullRun } from '../../../effort.ts';
import { startServer, type TestServer } from '../../../harness.ts';
import { checkConformance, type Deviation, type Message, type Reply, startDeviation } from './deployment.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server[Symbol.asyncDispose]());

interface DeviationCase {
  readonly what: string;
  readonly operation: string;
  /** The parts of one of the differences. */
  readonly expected: {
    readonly case?: string;
    readonly aspect: string;
    readonly name?: string;
    readonly expected: string;
    readonly seen: string;
  };
  readonly deviation: Deviation;
  /** Sends writes as well. */
  readonly writes?: boolean;
}

type Matches = (message: Message) => boolean;

const at =
  (method: string, path: RegExp): Matches =>
  (message) =>
    message.method === method && path.test(message.path);

/** Alters the responses of matching requests. */
function altering(matches: Matches, alter: (reply: Reply, request: Message) => Reply): Deviation {
  return { response: (reply, request) => (matches(request) ? alter(reply, request) : reply) };
}

function withJson(reply: Reply, change: (body: unknown) => unknown): Reply {
  return { ...reply, body: reply.body === '' ? '' : JSON.stringify(change(JSON.parse(reply.body))) };
}

function withoutHeader(reply: Reply, name: string): Reply {
  const { [name]: _, ...headers } = reply.headers;
  return { ...reply, headers };
}

function withoutClaim(body: { readonly access_token: string }, name: string): object {
  const [header, claims = '', signature] = body.access_token.split('.');
  const { [name]: _, ...rest } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as Record<string, unknown>;
  const payload = Buffer.from(JSON.stringify(rest)).toString('base64url');
  return { ...body, access_token: [header, payload, signature].join('.') };
}

const json = { 'content-type': 'application/json', 'x-request-id': 'r' };
const getGroup = at('GET', /^\/groups\/[^/]+$/);
const isOk = ({ status }: Reply) => status < 300;
const hasNoCredentials: Matches = ({ headers }) => !('authorization' in headers || 'x-api-key' in headers);

const deviations: readonly DeviationCase[] = [
  {
    what: 'another status',
    operation: 'groups.create',
    expected: { case: 'name is taken', aspect: 'status', expected: '412', seen: '409' },
    deviation: altering(at('POST', /^\/groups$/), (reply) =>
      reply.status === 412 ? { ...reply, status: 409 } : reply,
    ),
    writes: true,
  },
  {
    what: 'a missing field',
    operation: 'groups.get',
    expected: { case: 'reads', aspect: 'field', name: 'roles', expected: 'present', seen: 'absent' },
    deviation: altering(getGroup, (reply) =>
      isOk(reply) ? withJson(reply, (body) => ({ ...(body as object), roles: undefined })) : reply,
    ),
  },
  {
    what: 'a missing field of an own entity',
    operation: 'groups.get',
    expected: { case: 'by id', aspect: 'field', name: 'organizationId', expected: 'own', seen: 'absent' },
    deviation: altering(getGroup, (reply) =>
      isOk(reply) ? withJson(reply, (body) => ({ ...(body as object), organizationId: undefined })) : reply,
    ),
    writes: true,
  },
  {
    what: 'an undeclared field, without its value',
    operation: 'groups.get',
    expected: { case: 'reads', aspect: 'field', name: 'internalKey', expected: 'absent', seen: 'string' },
    deviation: altering(getGroup, (reply) =>
      isOk(reply) ? withJson(reply, (body) => ({ ...(body as object), internalKey: 'hunter2' })) : reply,
    ),
  },
  {
    what: 'another type',
    operation: 'client-identities.login',
    expected: { case: 'signs in', aspect: 'field', name: 'expiresIn', expected: 'digits', seen: 'integer' },
    deviation: altering(at('POST', /^\/client-identities\/login$/), (reply) =>
      isOk(reply) ? withJson(reply, (body) => ({ ...(body as object), expiresIn: 3600 })) : reply,
    ),
    writes: true,
  },
  {
    what: 'another value',
    operation: 'client-identities.connect-token',
    expected: { aspect: 'field', name: 'token_type', expected: '"Bearer"', seen: '"bearer"' },
    deviation: altering(at('POST', /^\/client-identities\/connect\/token$/), (reply) =>
      isOk(reply) ? withJson(reply, (body) => ({ ...(body as object), token_type: 'bearer' })) : reply,
    ),
    writes: true,
  },
  {
    what: 'a token without a claim',
    operation: 'client-identities.connect-token',
    expected: { aspect: 'field', name: 'access_token.claims.jti', expected: 'UUID', seen: 'absent' },
    deviation: altering(at('POST', /^\/client-identities\/connect\/token$/), (reply) =>
      isOk(reply) ? withJson(reply, (body) => withoutClaim(body as { access_token: string }, 'jti')) : reply,
    ),
    writes: true,
  },
  {
    what: 'a refresh token that can be used twice',
    operation: 'user-identities.renew-token',
    expected: { case: 'used token', aspect: 'status', expected: '401', seen: '201' },
    deviation: altering(at('POST', /^\/user-identities\/renew-token$/), (reply, { body }) =>
      reply.status === 401 && !body.includes('not-a') ? { ...reply, status: 201, body: '{}' } : reply,
    ),
    writes: true,
  },
  {
    what: 'another error code',
    operation: 'groups.get',
    expected: { case: 'unknown id', aspect: 'code', expected: 'GROUP_NOT_FOUND', seen: 'NOT_FOUND' },
    deviation: altering(getGroup, (reply) =>
      reply.status === 404 ? withJson(reply, () => [{ code: 'NOT_FOUND', message: 'No.' }]) : reply,
    ),
  },
  {
    what: 'another form of errors',
    operation: 'user-identities.get',
    expected: {
      case: 'no credentials',
      aspect: 'field',
      name: 'body',
      expected: 'a list of errors with code and message',
      seen: 'object with error',
    },
    deviation: altering(at('GET', /^\/user-identities\/[^/]+$/), (reply) =>
      isOk(reply) ? reply : withJson(reply, () => ({ error: 'unauthorized' })),
    ),
  },
  {
    what: 'a missing ETag',
    operation: 'groups.get',
    expected: { case: 'reads', aspect: 'header', name: 'etag', expected: 'present', seen: 'absent' },
    deviation: altering(getGroup, (reply) => withoutHeader(reply, 'etag')),
  },
  {
    what: 'a missing Allow',
    operation: 'keys.get',
    expected: { aspect: 'header', name: 'allow', expected: 'GET, HEAD, OPTIONS', seen: 'absent' },
    deviation: altering(at('PATCH', /^\/keys$/), (reply) => withoutHeader(reply, 'allow')),
  },
  {
    what: 'a missing WWW-Authenticate',
    operation: 'api-key.remove',
    expected: {
      case: 'no credentials',
      aspect: 'header',
      name: 'www-authenticate',
      expected: 'Bearer',
      seen: 'absent',
    },
    deviation: altering(at('DELETE', /^\/api-key\//), (reply) => withoutHeader(reply, 'www-authenticate')),
  },
  {
    what: 'a cacheable token',
    operation: 'generate-token.create',
    expected: { aspect: 'header', name: 'cache-control', expected: 'no-store', seen: 'absent' },
    deviation: altering(at('POST', /^\/generate-token$/), (reply) => withoutHeader(reply, 'cache-control')),
    writes: true,
  },
  {
    what: 'another media type of errors',
    operation: 'groups.remove',
    expected: { aspect: 'header', name: 'content-type', expected: 'application/json', seen: 'text/html' },
    deviation: altering(at('DELETE', /^\/groups\/[^/]+$/), (reply) =>
      isOk(reply) ? reply : { ...reply, headers: { ...reply.headers, 'content-type': 'text/html' } },
    ),
  },
  {
    what: 'a list that ignores its limit',
    operation: 'groups.list',
    expected: { case: 'first page', aspect: 'field', name: 'body', expected: 'list of at most 1', seen: 'list of 5' },
    deviation: {
      request: (message) =>
        at('GET', /^\/groups$/)(message) ? { ...message, query: message.query.replace(/limit=1$/, '') } : message,
    },
  },
  {
    what: 'a partial list without Link',
    operation: 'groups.list',
    expected: { case: 'first page', aspect: 'header', name: 'link', expected: 'rel="next"', seen: 'absent' },
    deviation: altering(at('GET', /^\/groups$/), (reply) => withoutHeader(reply, 'link')),
  },
  {
    what: 'access without credentials',
    operation: 'user-accesses.list-users',
    expected: { case: 'no credentials', aspect: 'status', expected: '401', seen: '200' },
    deviation: {
      reply: (message) =>
        at('GET', /^\/user-accesses\/[^/]+\/user-accounts$/)(message) && hasNoCredentials(message)
          ? { status: 200, headers: json, body: '[]' }
          : undefined,
    },
  },
  {
    what: 'an ignored unknown field',
    operation: 'groups.create',
    expected: { case: 'valid with an unknown field', aspect: 'status', expected: '400', seen: '201' },
    deviation: {
      request: (message) => ({ ...message, body: message.body.replace(',"iamConformanceUnknown":true', '') }),
    },
    writes: true,
  },
  {
    what: 'an ignored If-Match',
    operation: 'corporate-groups.update',
    expected: { case: 'changed since', aspect: 'status', expected: '412', seen: '204' },
    deviation: {
      request: (message) => {
        const { 'if-match': tag, ...headers } = message.headers;
        return message.path.startsWith('/corporate-groups') && tag !== undefined ? { ...message, headers } : message;
      },
    },
    writes: true,
  },
  {
    what: 'an ignored If-None-Match',
    operation: 'groups.get',
    expected: { case: 'unchanged since', aspect: 'status', expected: '304', seen: '200' },
    deviation: {
      request: (message) => {
        const { 'if-none-match': _, ...headers } = message.headers;
        return getGroup(message) ? { ...message, headers } : message;
      },
    },
  },
  {
    what: 'success of a deletion of nothing',
    operation: 'client-identities.remove',
    expected: { case: 'unknown id', aspect: 'status', expected: '404', seen: '204' },
    deviation: altering(at('DELETE', /^\/client-identities\//), (reply) =>
      reply.status === 404 ? { ...reply, status: 204, body: '' } : reply,
    ),
  },
  {
    what: 'a connection that breaks on malformed JSON',
    operation: 'user-identities.lock',
    expected: { case: 'malformed JSON', aspect: 'status', expected: '400', seen: 'no response (UND_ERR_SOCKET)' },
    deviation: {
      reply: ({ path, body }) => (path === '/user-identities/lock' && body === '{"' ? 'hangUp' : undefined),
    },
  },
  {
    what: 'an update without effect',
    operation: 'groups.get',
    expected: { case: 'after an update', aspect: 'field', name: 'organizationId', expected: 'own', seen: 'absent' },
    deviation: {
      reply: (message) =>
        at('PUT', /^\/groups\//)(message) && message.body.includes('businessUnitId')
          ? { status: 204, headers: { 'x-request-id': 'r' }, body: '' }
          : undefined,
    },
    writes: true,
  },
  {
    what: 'a role check that lets everybody read',
    operation: 'user-accesses.list-user-roles',
    expected: { case: 'client without a role', aspect: 'status', expected: '403', seen: '200' },
    deviation: altering(at('GET', /^\/user-accesses\/user-accounts\//), (reply) =>
      reply.status === 403 ? { status: 200, headers: json, body: '[]' } : reply,
    ),
    writes: true,
  },
];

/** One by one in a full run; else together, as far as they are about different operations. */
function groupDeviations(): readonly (readonly DeviationCase[])[] {
  const groups: DeviationCase[][] = [];
  for (const one of deviations) {
    const fits = (other: DeviationCase) => other.operation !== one.operation && other.writes === one.writes;
    const group = isFullRun ? undefined : groups.find((others) => others.every(fits));
    if (group) group.push(one);
    else groups.push([one]);
  }
  return groups;
}

function combine(all: readonly Deviation[]): Deviation {
  return {
    request: (message) => all.reduce((sent, one) => one.request?.(sent) ?? sent, message),
    reply: (message) => all.map((one) => one.reply?.(message)).find((own) => own !== undefined),
    response: (reply, request) => all.reduce((seen, one) => one.response?.(seen, request) ?? seen, reply),
  };
}

const groups = groupDeviations().map((cases) => ({
  cases,
  names: cases.map(({ what, operation }) => `${what} of ${operation}`).join(', '),
}));

test.each(groups)('finds $names', async ({ cases }) => {
  await using target = await startDeviation(server, combine(cases.map(({ deviation }) => deviation)));
  const before = await server.dump();
  const writes = cases.some((one) => one.writes) ? ['--allow-writes'] : [];
  const words = [...cases.flatMap(({ operation }) => ['--operation', operation]), ...writes];
  const { code, report, err } = await checkConformance(server, target.url, words);
  expect({ code, err }).toEqual({ code: 1, err: '' });
  const own = report.differences.map(({ expected: value, ...one }) => ({
    ...one,
    // The name of the run varies.
    expected: /^"iam-conformance-[0-9a-f]{8}"$/.test(value) ? 'own' : value,
  }));
  for (const {
    operation,
    expected: { case: name, ...expected },
  } of cases)
    expect(own).toContainEqual(
      expect.objectContaining({
        where: expect.arrayContaining([
          expect.objectContaining(name === undefined ? { operation } : { operation, case: name }),
        ]),
        accepted: false,
        ...expected,
      }),
    );
  expect(JSON.stringify(report)).not.toContain('hunter2');
  expect((await server.dump()).groups).toEqual(before.groups);
  expect(report.leftOver).toEqual([]);
});

test('names no other operation', async () => {
  const { deviation } = deviations.find(({ expected }) => expected.aspect === 'code') ?? { deviation: {} };
  await using target = await startDeviation(server, deviation);
  const few = ['groups.get', 'groups.list', 'groups.remove', 'corporate-groups.get'];
  const words = isFullRun ? [] : few.flatMap((id) => ['--operation', id]);
  const { report } = await checkConformance(server, target.url, words);
  expect([...new Set(report.differences.map((one) => one.operation))]).toEqual(['groups.get']);
  expect(report.summary.different).toBe(report.differences.length);
});
