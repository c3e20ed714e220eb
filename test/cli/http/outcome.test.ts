import { connect, createServer, type Server } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { buildCompleteProgram } from '../../../src/cli/cli-reference.ts';
import { isWriteOperation, isWriteRequest } from '../../../src/cli/config/safety.ts';
import { UnknownOutcomeError } from '../../../src/cli/errors.ts';
import { mayHaveTakenEffect, trackOutcomes } from '../../../src/cli/http/outcome.ts';
import { checkOfOperation, checkOfRoute } from '../../../src/cli/http/outcome-check.ts';
import { promisedBy } from '../../../src/cli/http/promised-response.ts';
import type { BaseClient } from '../../../src/client/create-client.ts';
import { ClientError } from '../../../src/client/errors.ts';
import type { ApiResponse } from '../../../src/client/response.ts';
import { manifest } from '../../../src/contract/manifest.ts';
import { errorResponse, type FakeResponse, startFakeServer } from '../../client/fake-server.ts';
import { startServer } from '../../harness.ts';
import { makeCertificate } from '../../server/start/certificate.ts';
import { iam, tokenVariables } from '../run-cli.ts';

const read = ['groups', 'get', 'ops'];
const create = ['groups', 'create', '--group-name', 'ops'];
const remove = ['groups', 'delete', 'ops', '--yes'];
const control = ['keys', 'rotate', '--yes'];
const raw = ['api', 'POST', '/_iam/keys/rotate'];
const html = '<html>';
const later = { 'retry-after': '60' };

describe('the answer of a server', () => {
  const answers: readonly [name: string, reply: FakeResponse, ofRead: number, ofWrite: number][] = [
    ['none: the connection is cut', { hangUp: true }, 75, 76],
    ['none in time', { silent: true }, 75, 76],
    ['a body that is cut', { headers: { 'content-length': '99' }, text: '[' }, 75, 76],
    ['OUTCOME_UNKNOWN', errorResponse(503, 'OUTCOME_UNKNOWN'), 75, 76],
    ['an internal error, which can have any cause', errorResponse(500, 'INTERNAL'), 75, 76],
    ['503 of a gateway without Retry-After', { status: 503, text: html }, 75, 76],
    ['503 of a gateway with Retry-After', { status: 503, text: html, headers: later }, 75, 76],
    ['507 of a gateway', { status: 507, text: html }, 75, 76],
    ['511 of a network that needs a sign-in', { status: 511, text: html }, 70, 76],
    ['a redirect', { status: 302, headers: { location: 'https://portal.example/login' } }, 70, 76],
    ['too early', { status: 425, text: html }, 75, 75],
    ['502 with an error of ours', errorResponse(502, 'STORE_UNAVAILABLE'), 75, 75],
    ['a store without writes', errorResponse(503, 'STORE_UNAVAILABLE'), 75, 75],
    ['a limit', errorResponse(429, 'TOO_MANY_ATTEMPTS'), 75, 75],
    ['something that is not implemented', errorResponse(501, 'BILLING_TYPE_UNSUPPORTED'), 70, 70],
    ['the page of a captive portal', { text: html, headers: { 'content-type': 'text/html' } }, 70, 76],
    ['a rejection', errorResponse(403, 'ROLE_MISSING'), 5, 5],
  ];

  test.each(answers)('%s', async (_, reply, ofRead, ofWrite) => {
    await using server = await startFakeServer(({ path }) => (path.endsWith('/healthz') ? { json: {} } : reply));
    const run = async (words: readonly string[]) =>
      (await iam([...words, '--timeout', '0.3', '--max-wait', '0'], server)).code;
    const codes = await Promise.all([read, create, remove, control, raw].map(run));
    expect(codes).toEqual([ofRead, ofWrite, ofWrite, ofWrite, ofWrite]);
  });

  test('is an error for programs that names the command that shows what happened', async () => {
    await using server = await startFakeServer(() => ({ hangUp: true }));
    const { err } = await iam([...create, '-o', 'json'], server);
    expect(JSON.parse(err).error).toMatchObject({
      code: 'OUTCOME_UNKNOWN',
      transient: false,
      details: { check: 'iam groups list --name ops' },
      hint: expect.stringContaining('`iam groups list --name ops`'),
    });
  });

  test('to an advanced clock is not asked for again: the clock would advance twice', async () => {
    await using server = await startFakeServer(() => ({ status: 502, text: html }));
    const { code, err } = await iam(['clock', 'advance', '1h', '--max-wait', '5'], server);
    expect([code, err]).toEqual([76, expect.stringContaining('iam clock show')]);
    expect(server.received.filter(({ method }) => method === 'PUT')).toHaveLength(1);
  });

  test('names the command also for a path that cannot be decoded', async () => {
    await using server = await startFakeServer(() => ({ hangUp: true }));
    const outcome = await iam(['api', 'PUT', '/_iam/users/%zz/password', '-f', '-'], { url: server.url, stdin: '{}' });
    expect(outcome).toMatchObject({ code: 76, err: expect.stringContaining('`iam users get %zz`') });
  });

  test('is lost for the second of two deletes: then 75 would promise too much', async () => {
    await using server = await startFakeServer(({ path }) =>
      path.endsWith('a') ? { status: 204 } : { ...errorResponse(503, 'STORE_UNAVAILABLE'), headers: later },
    );
    const { code, err } = await iam(['groups', 'delete', 'a', 'b', '--yes'], server);
    expect([code, err]).toEqual([
      8,
      expect.stringMatching(/^groups delete a: done\nerror: b: .*error: 1 of 2 failed\.\n$/s),
    ]);
  });
});

describe('a failed write may have taken effect', () => {
  const statuses = Array.from({ length: 300 }, (_, at) => 300 + at);
  const ambiguous = (code?: string) =>
    statuses.filter((status) =>
      mayHaveTakenEffect(manifest, new ClientError({ status, items: code ? [{ code, message: '' }] : [] })),
    );
  const isServerError = (status: number) => status >= 500;

  test('for any body that is no error of the service, unless a gateway rejected the request', () => {
    const isRejection = (status: number) => status >= 400 && status < 500 && ![408, 429, 460, 499].includes(status);
    expect(ambiguous()).toEqual(statuses.filter((status) => !isRejection(status)));
  });

  test('for our errors of bugs and unknown outcomes only, and for server errors of a newer version', () => {
    for (const { code, status, category } of manifest.errors)
      expect([code, ambiguous(code)]).toEqual([code, status === 500 || category === 'outcome-unknown' ? statuses : []]);
    expect(ambiguous('OF_A_NEWER_SERVER')).toEqual(statuses.filter(isServerError).filter((status) => status !== 503));
  });
});

describe('a success without what is promised', () => {
  const { operations, prefix, controlRoutes, controlPrefix } = manifest;
  const all = [
    ...operations.map((one) => ({ ...one, full: prefix + one.path, isWrite: one.effect !== 'read' })),
    ...controlRoutes.map((one) => ({
      ...one,
      full: controlPrefix + one.path,
      isWrite: isWriteRequest(one.method, controlPrefix + one.path),
    })),
  ];
  const promises = all.map((one) => ({ ...one, promised: promisedBy(one) }));

  const fail = async (method: string, path: string, response: Partial<ApiResponse>): Promise<unknown> => {
    const raw: BaseClient['raw'] = async (_, __, input) => {
      input?.onSent?.();
      return { status: 200, headers: {}, body: undefined, requestId: undefined, ...response };
    };
    return trackOutcomes({ raw } as BaseClient, { manifest })
      .raw(method, path.replaceAll(/\{\w+\}/g, 'x'))
      .then(
        () => 'done',
        (error: unknown) => (error instanceof UnknownOutcomeError ? 'unknown' : (error as ClientError).code),
      );
  };

  test('is an unknown outcome of a write and an error of a read, for all requests', async () => {
    const page = { headers: { 'content-type': 'text/html' }, body: html };
    for (const { method, full, isWrite, promised } of promises) {
      const expected = isWrite ? 'unknown' : 'ANSWER_UNREADABLE';
      const isPage = promised.types?.includes('text/html');
      expect([full, method, await fail(method, full, page)]).toEqual([full, method, isPage ? 'done' : expected]);
      const isAny = !promised.list && !promised.required && !promised.header;
      const body = {};
      if (!promised.types)
        expect([full, method, await fail(method, full, { body })]).toEqual([full, method, isAny ? 'done' : expected]);
    }
  });

  test('covers the fields that a creation returns', () => {
    const creations = operations.filter(({ creates, response }) => creates && !response.header);
    expect(creations.filter((one) => !promisedBy(one).required).map(({ id }) => id)).toEqual([]);
  });
});

describe('a login before a write', () => {
  test('that is lost has changed nothing', async () => {
    await using server = await startFakeServer(() => ({ hangUp: true }));
    const variables = { IAM_BASE_URL: server.url, IAM_CLIENT_ID: 'c', IAM_CLIENT_SECRET: 's' };
    expect((await iam(create, { variables })).code).toBe(75);
  });
});

describe('Ctrl-C', () => {
  const interrupted = async (words: readonly string[], reply: FakeResponse) => {
    const controller = new AbortController();
    await using server = await startFakeServer(() => {
      controller.abort('SIGINT');
      return reply;
    });
    return await iam(words, { url: server.url, signal: controller.signal });
  };

  test('during a write says that it may have taken effect, and where to look', async () => {
    const { code, err } = await interrupted(create, { silent: true });
    expect([code, err]).toEqual([130, expect.stringContaining('`iam groups list --name ops`')]);
  });

  test.each([read, ['events']])('during a read says nothing of the kind: %s', async (...words) => {
    expect(await interrupted(words, { silent: true })).toMatchObject({ code: 130, err: 'error: Interrupted.\n' });
  });
});

describe('a permanent failure is 70 with its cause', () => {
  const listen = async (server: Server): Promise<number> => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return (server.address() as { port: number }).port;
  };
  const tls = () => {
    return createTlsServer(makeCertificate()).on('tlsClientError', () => undefined);
  };
  const respond = (reply: string) =>
    createServer((socket) => void socket.on('error', () => undefined).once('data', () => socket.end(reply)));

  const targets: readonly [string, () => Server, (port: number) => string[], RegExp][] = [
    ['a certificate', tls, (port) => ['--base-url', `https://127.0.0.1:${port}`], /self-signed|certificate/],
    [
      'http at the TLS port of a proxy that answers with a page',
      () => {
        const secure = tls().listen(0, '127.0.0.1').unref();
        return createServer((socket) => {
          socket
            .on('error', () => undefined)
            .once('data', (first) => {
              if (first[0] !== 0x16) return void socket.end('HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n');
              const onward = connect((secure.address() as { port: number }).port, '127.0.0.1');
              onward.on('error', () => undefined).write(first);
              socket.pipe(onward).pipe(socket);
            });
        });
      },
      (port) => ['--base-url', `http://127.0.0.1:${port}`],
      /expects TLS/,
    ],
    ['http at a TLS port', tls, (port) => ['--base-url', `http://127.0.0.1:${port}`], /expects TLS/],
    [
      'https at a port without TLS',
      () => respond('HTTP/1.1 400 Bad\r\n\r\n'),
      (port) => ['--base-url', `https://127.0.0.1:${port}`],
      /does not respond with TLS/,
    ],
    [
      'a proxy that does not allow it',
      () => respond('HTTP/1.1 403 Forbidden\r\n\r\n'),
      (port) => ['--proxy', `http://127.0.0.1:${port}`],
      /The proxy http:\/\/127\.0\.0\.1:\d+ responded with 403\./,
    ],
  ];

  test.each(targets)('%s', async (_, start, options, message) => {
    const server = start();
    try {
      const port = await listen(server);
      for (const words of [read, create]) {
        const { code, err } = await iam([...words, '--max-wait', '5', ...options(port)]);
        expect([code, err]).toEqual([70, expect.stringMatching(message)]);
      }
    } finally {
      server.close();
    }
  });

  test('http at the TLS port of this server: reads, writes, the token of a client and doctor', async () => {
    await using server = await startServer({ tls: makeCertificate(), recordsStatuses: false });
    const url = server.url.replace('https:', 'http:');
    const secret = { IAM_CLIENT_ID: 'c', IAM_CLIENT_SECRET: 'secret' };
    for (const variables of [tokenVariables, secret])
      for (const words of [read, create]) {
        const { code, err } = await iam(words, { url, variables });
        expect([code, err]).toEqual([70, expect.stringContaining('An https URL is needed: the server expects TLS.')]);
      }
    expect((await iam(['doctor'], { url })).out).toContain('fail  server    An https URL is needed');
  });

  test('an unknown host', async () => {
    expect((await iam([...create, '--base-url', 'https://iam.invalid'])).code).toBe(70);
  });

  test('but a proxy that refuses the connection can come back', async () => {
    const server = createServer();
    const port = await listen(server);
    await new Promise((resolve) => server.close(resolve));
    const { code, err } = await iam([...create, '--proxy', `http://127.0.0.1:${port}`]);
    expect([code, err]).toEqual([
      75,
      expect.stringContaining(`The proxy http://127.0.0.1:${port} refused the connection.`),
    ]);
  });
});

describe('the command that shows what a write did', () => {
  const { operations, controlRoutes, controlPrefix } = manifest;
  const withValues = ({ params, query, body }: Pick<(typeof controlRoutes)[number], 'params' | 'query' | 'body'>) =>
    Object.fromEntries([
      ...[...params, ...query].map(({ name }) => [name, 'x1']),
      ...Object.keys(body?.properties ?? {}).map((name) => [name, 'x1']),
    ]);
  const ofOperations = operations
    .filter(({ id }) => isWriteOperation(manifest, id))
    .map((one) => ({ ...one, check: checkOfOperation(manifest, one, withValues(one)) }));
  const ofRoutes = controlRoutes
    .filter(({ method, path }) => isWriteRequest(method, controlPrefix + path))
    .map((one) => ({ ...one, check: checkOfRoute(one, withValues(one)) }));

  test('runs, for all writes', async () => {
    await using server = await startFakeServer(() => errorResponse(404, 'GROUP_NOT_FOUND'));
    const checks = new Set([...ofOperations, ...ofRoutes].map(({ check }) => check));
    for (const check of checks) {
      const { code } = await iam(check.split(' ').slice(1), server);
      expect([check, code]).toEqual([check, 3]);
    }
  });

  test('is the `get` of an object that the command names, where there is one', async () => {
    const nouns = (await buildCompleteProgram(process.stdout)).commands;
    const getOf = (command: string) => {
      const words = command.split(' ').slice(0, -1);
      const noun = words.reduce<Command | undefined>(
        (parent, word) => parent?.commands.find((one) => one.name() === word),
        { commands: nouns } as unknown as Command,
      );
      return noun?.commands.some((one) => one.name() === 'get') ? ['iam', ...words, 'get'].join(' ') : undefined;
    };
    const named = ofOperations.filter(({ command, params }) => command !== undefined && params.length > 0);
    for (const { command = '', params, check } of named) {
      const get = getOf(command);
      const isList = command === 'users factors add';
      if (get !== undefined && !isList) expect(check).toMatch(new RegExp(`^${get}( x1){1,${params.length}}$`));
    }
    expect(named.filter(({ check }) => !check.includes(' x1')).map(({ command }) => command)).toEqual([]);
  });

  test('leaves out the options that the request does not name', () => {
    const route = controlRoutes.find(({ method, path }) => method === 'DELETE' && path === '/sessions');
    const checkOf = (values: Record<string, string>) => route && checkOfRoute(route, values);
    expect(checkOf({})).toBe('iam sessions list');
    expect(checkOf({ clientId: 'billing' })).toBe('iam sessions list --client-id billing');
  });
});

describe('a base URL', () => {
  test.each([
    ['with a path that the service does not have', '/foo', errorResponse(404, 'PATH_UNKNOWN')],
    ['of something else', '', { status: 404, text: html } satisfies FakeResponse],
  ])('%s is a wrong setting', async (_, path, reply) => {
    await using server = await startFakeServer(() => reply);
    for (const words of [read, create]) {
      const { code, err } = await iam(words, { url: server.url + path });
      expect([code, err]).toEqual([70, expect.stringContaining(`does not answer at ${server.url}${path}.`)]);
    }
  });
});
