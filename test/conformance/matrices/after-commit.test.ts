/**
 * Nothing is read between a confirmed commit and the response: a store that is lost at the first commit changes no response.
 * Where a request commits several times, its outcome is unknown then. All operations and routes that commit anything are
 * called.
 */
import { expect, test } from 'vitest';
import { controlPrefix } from '../../../src/contract/prefix.ts';
import { controlRoutes } from '../../../src/server/control/routes/index.ts';
import { type OperationId, operations } from '../../../src/server/operations/index.ts';
import { openMemoryStore } from '../../../src/server/store/memory/memory-store.ts';
import { appClientId, startServer, type TestServer, type TestServerOptions } from '../../harness.ts';
import { send } from '../../server/control/control-client.ts';
import { consentToPartner } from '../../server/oauth/consent-fixture.ts';
import { createFailingStore, type FailingStore } from '../../server/operations/failing-store.ts';
import { createSession } from '../../server/operations/user-identities/callers.ts';
import { bob } from '../../server/operations/user-identities/factors/factor-fixtures.ts';
import { startWith } from '../../server/operations/user-identities/login-fixtures.ts';
import { startWithLogons } from '../../server/operations/user-identities/logon-fixtures.ts';
import { createTokens } from '../../server/operations/user-identities/session-fixtures.ts';
import { createCallerCredentials } from '../../server/property/callers.ts';
import {
  growthRequests,
  renewalRequests,
  requestsWithoutGrowth,
  sendGrowthRequest,
  startGrowthFixture,
} from '../growth-limit-requests.ts';
import { sessionRequests } from './session-requests.ts';
import { buildValidRequest, createObjects, validRequestsSeed, walkedOperations } from './valid-requests.ts';

/** They consume something in a commit of its own before they do what takes long, or read all that they have replaced. */
const unknownOutcomes: readonly string[] = [
  'control.snapshot-restore',
  'control.state-import',
  'control.state-reset',
  'user-identities.certificate-login',
  'user-identities.provision-logon',
  'user-identities.reset-legacy-password',
  'user-identities.reset-password',
];

/** The code of the error by operation, undefined for a success; of operations that committed something. */
const outcomes = new Map<string, string | undefined>();

interface Response {
  readonly status: number;
  readonly json?: unknown;
  readonly body?: unknown;
}

function readCode({ status, json, body = json }: Response): string | undefined {
  return status < 400 ? undefined : (body as [{ code: string }])[0].code;
}

/** Loses the store at the first commit of a call. */
async function record(id: string, failing: FailingStore, call: () => Promise<string | undefined>): Promise<void> {
  const restore = failing.failAfterCommit();
  const code = await call();
  if (restore()) outcomes.set(id, code);
  else if (code !== undefined) throw new Error(`${id} was rejected: ${code}`);
}

function useFailingStore(): TestServerOptions & { readonly failing: FailingStore } {
  const failing = createFailingStore(openMemoryStore());
  return { failing, openStore: async () => failing.store };
}

function expectOutcomes(ids: Iterable<string>): void {
  const expected = [...ids].map((id) => [id, unknownOutcomes.includes(id) ? 'OUTCOME_UNKNOWN' : undefined]);
  expect(Object.fromEntries(outcomes)).toMatchObject(Object.fromEntries(expected));
}

test('in requests of clients', async () => {
  const { failing, ...options } = useFailingStore();
  await using server = await startServer({ ...options, seed: validRequestsSeed });
  const { authorization } = await createCallerCredentials(server);
  const headers = [['Authorization', authorization]] as const;
  // It removes the caller's own clients only.
  const walked = walkedOperations.filter(({ id, method }) => method !== 'GET' && id !== 'my-client-identities.remove');
  for (const [at, operation] of walked.entries()) {
    const number = at + 1;
    const request = buildValidRequest({ operation, headers, objects: await createObjects(server, number), number });
    await record(operation.id, failing, async () => readCode(await server.send(request)));
  }
  expectOutcomes(walked.map(({ id }) => id));
});

test('in requests that sign in, or need no sign-in', async () => {
  const { failing, ...options } = useFailingStore();
  await using fixture = await startGrowthFixture({}, options);
  const { 'my-client-identities.remove': removal } = requestsWithoutGrowth;
  const requests = { ...growthRequests, ...renewalRequests, 'my-client-identities.remove': removal };
  for (const [id, make] of Object.entries(requests)) {
    const request = (await make?.(fixture)) ?? {};
    await record(id, failing, async () =>
      readCode(await sendGrowthRequest(fixture.server, id as OperationId, request)),
    );
  }
  expectOutcomes(Object.keys(requests));
});

test('in requests of users in a session', async () => {
  for (const [id, prepare] of Object.entries(sessionRequests)) {
    const { failing, ...options } = useFailingStore();
    await using server = await startWithLogons(options, [bob]);
    const call = await prepare(await createSession(server, bob.userId), server);
    await record(id, failing, () =>
      call().then(
        () => undefined,
        (error: { code: string }) => error.code,
      ),
    );
  }
  expectOutcomes(Object.keys(sessionRequests));
});

interface ControlRequest {
  readonly path?: string;
  readonly body?: unknown;
}

const user = '/users/alice-id';

/** Requests to the routes that change the store of the server. */
const controlRequests: Readonly<Record<string, ControlRequest | ((server: TestServer) => Promise<ControlRequest>)>> = {
  'control.api-key-rotate': async (server) => {
    const { clientId } = await server.makeClient();
    const { apiKeyId } = await server.admin.apiKey.create({ body: { appId: 'walk', clientId } });
    return { path: `/api-keys/${apiKeyId}/rotate`, body: { overlap: '1h' } };
  },
  'control.client-rotate-secret': async (server) => ({
    path: `/clients/${(await server.makeClient()).clientId}/rotate-secret`,
    body: {},
  }),
  'control.create-browser-session': { body: { userId: 'alice-id' } },
  'control.create-session': { body: { userId: 'alice-id', level: 'AUTH-BASIC' } },
  'control.create-user': { body: { userName: 'new' } },
  'control.end-sessions': async (server) => {
    await createTokens(server);
    return { path: '/sessions?userId=alice-id' };
  },
  'control.inbox-empty': async (server) => {
    await server.as().userIdentities.identification({
      query: { clientId: appClientId },
      body: { userEmail: 'new@example.com' },
    });
    return {};
  },
  'control.keys-rotate': {},
  'control.revoke': async (server) => ({ body: { token: (await createTokens(server)).refreshToken } }),
  'control.revoke-consent': async (server) => {
    await (await consentToPartner(server))();
    return { path: `${user}/consents/partner` };
  },
  'control.seed-apply': { body: { groups: [{ groupName: 'seeded' }] } },
  'control.set-password': { path: `${user}/password`, body: { newPassword: 'another pass phrase' } },
  'control.snapshot-restore': async (server) => {
    await send(server, `${controlPrefix}/state/snapshots`, { method: 'POST', body: { name: 'before' } });
    return { path: '/state/snapshots/before/restore' };
  },
  'control.state-import': async (server) => ({
    path: '/state/import?force=true',
    body: (await send(server, `${controlPrefix}/state/export`)).body,
  }),
  'control.state-reset': {},
  'control.token-issue': { body: { for: 'alice-id' } },
  'control.update-client': async (server) => ({
    path: `/clients/${(await server.makeClient()).clientId}`,
    body: { scope: ['READ'] },
  }),
};

test('in requests of the control plane', async () => {
  for (const [id, named] of Object.entries(controlRequests)) {
    const { failing, ...options } = useFailingStore();
    await using server = await startWith([], options);
    const { path, body } = typeof named === 'function' ? await named(server) : named;
    const route = controlRoutes.find((one) => one.id === id);
    const { method = '' } = route ?? {};
    await record(id, failing, async () =>
      readCode(await send(server, `${controlPrefix}${path ?? route?.path}`, { method, body })),
    );
  }
  expectOutcomes(Object.keys(controlRequests));
});

/** They read the store only, or write to memory or files. */
const withoutCommit: readonly string[] = [
  'client-identities.login',
  'user-identities.access-token',
  'user-identities.renovate-token',
  'control.coverage-clear',
  'control.faults-add',
  'control.faults-remove',
  'control.names',
  'control.sandbox-create',
  'control.sandbox-delete',
  'control.set-clock',
  'control.snapshot-delete',
  'control.snapshot-save',
  'control.store-backup',
  'control.token-inspect',
];

test('of all that can commit', () => {
  const all: readonly { readonly id: string; readonly method: string }[] = [
    ...Object.values(operations),
    ...controlRoutes,
  ];
  const missing = all.filter(({ id, method }) => method !== 'GET' && !outcomes.has(id));
  expect(missing.map(({ id }) => id).sort()).toEqual([...withoutCommit].sort());
});
