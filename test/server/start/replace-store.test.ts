/** Replacing the store of a running service: later requests use the new store only. */
import { describe, expect, test } from 'vitest';
import { createClient } from '../../../src/client/index.ts';
import { readSettings } from '../../../src/server/config/settings.ts';
import { createLog } from '../../../src/server/lib/log.ts';
import { systemRandom } from '../../../src/server/lib/random.ts';
import { listen, type RunningServer } from '../../../src/server/listen.ts';
import type { SeedDocument } from '../../../src/server/seed/schema.ts';
import { openMemoryStore } from '../../../src/server/store/memory/memory-store.ts';
import type { Store } from '../../../src/server/store/store.ts';
import { type TableName, tables } from '../../../src/server/store/tables.ts';
import { captureBaseline } from '../../../src/testing/baseline.ts';
import { createFakeClock } from '../../harness.ts';
import { normalizeDump } from '../../testing/normalize-dump.ts';
import { sendNotice } from '../control/routes/inbox/messages.ts';

const secret = 'secret-of-the-test-administrator';

const seed: SeedDocument = {
  users: [{ userId: 'ann', userName: 'ann', userEmail: 'ann@example.com', password: 'correct horse battery staple' }],
  groups: [{ groupName: 'ops', roles: ['DEPLOY'], users: ['ann'] }],
  mainframe: [{ logon: 'ANN1', email: 'ann@example.com' }],
};

async function startWithStore(store: Store = openMemoryStore()) {
  const clock = createFakeClock();
  const environment = { IAM_ADMIN_CLIENT_ID: 'root', IAM_ADMIN_CLIENT_SECRET: secret, IAM_APP_CLIENT_ID: 'app' };
  const service = await listen({
    settings: readSettings({ port: '0', store: 'memory', 'log-level': 'silent' }, environment),
    clock,
    random: systemRandom,
    log: createLog(
      'silent',
      () => undefined,
      () => clock.now(),
    ),
    seed,
    openStore: async () => store,
  });
  const client = createClient({ baseUrl: service.url, credentials: { clientId: 'root', clientSecret: secret } });
  const stop = async () => {
    await client.close();
    await service.stop();
  };
  return { service, client, clock, [Symbol.asyncDispose]: stop };
}

async function dump({ appContext: { store } }: RunningServer): Promise<Record<string, unknown>> {
  const names = Object.keys(tables) as TableName[];
  return Object.fromEntries(await Promise.all(names.map(async (name) => [name, await store[name].list()])));
}

/** Stores that can be forked, and stores that must be copied. */
const kinds = [
  ['that can be forked', () => openMemoryStore()],
  ['that can not', (): Store => ({ ...openMemoryStore(), fork: undefined }) as Store],
] as const;

describe.each(kinds)('with a store %s', (_what, open) => {
  const plain = () => {
    const { fork, ...store } = open() as Store & { fork?: unknown };
    return fork === undefined ? store : { ...store, fork };
  };

  test('a reset service has exactly the rows of a fresh start', async () => {
    await using used = await startWithStore(plain() as Store);
    await using fresh = await startWithStore(plain() as Store);
    const state = await captureBaseline(used.service);
    const before = await dump(used.service);
    expect(normalizeDump(before)).toBe(normalizeDump(await dump(fresh.service)));
    await used.client.groups.create({ body: { groupName: 'more', roles: ['VIEW'] } });
    await used.client.groups.remove({ params: { groupId: 'ops' } });
    await used.client.userIdentities.update({ params: { id: 'ann' }, body: { userName: 'anna' } });
    await used.client.raw('POST', '/_iam/keys/rotate');
    await sendNotice(used.service.appContext, 'ann@example.com');
    expect(normalizeDump(await dump(used.service))).not.toBe(normalizeDump(before));
    await state.reset();
    expect(await dump(used.service)).toEqual(before);
    expect((await used.client.groups.get({ params: { groupId: 'ops' } })).groupName).toBe('ops');
    await state.reset();
    expect(await dump(used.service)).toEqual(before);
  });
});

describe('a replacement store', () => {
  test('serves the next request with its own keys; the previous store is closed', async () => {
    const first = openMemoryStore();
    await using used = await startWithStore(first);
    await using other = await startWithStore();
    const { store } = other.service.appContext;
    const before = used.service.appContext;
    await used.service.replaceStore({ ...store, close: async () => undefined });
    expect(used.service.appContext).not.toBe(before);
    expect((await used.client.raw('GET', '/.well-known/jwks.json')).body).toEqual(
      (await other.client.raw('GET', '/.well-known/jwks.json')).body,
    );
    expect(first.health().writable).toBe(false);
    expect((await used.client.groups.list()).items.length).toBeGreaterThan(0);
  });

  test('can be the same store, whose keys are reloaded', async () => {
    await using used = await startWithStore();
    const { store } = used.service.appContext;
    await used.client.groups.list();
    const [row] = await store.signingKeys.list();
    await used.service.replaceStore(store);
    expect(used.service.appContext.keys.current().kid).toBe(row?.kid);
    expect(store.health().writable).toBe(true);
    await used.client.groups.create({ body: { groupName: 'after', roles: ['VIEW'] } });
  });

  test('is not used if it can not be opened', async () => {
    await using used = await startWithStore();
    const broken = { ...openMemoryStore(), signingKeys: undefined } as unknown as Store;
    await expect(used.service.replaceStore(broken)).rejects.toThrow();
    expect((await used.client.groups.list()).items.length).toBeGreaterThan(0);
    await used.service.replaceStore(used.service.appContext.store);
  });

  test('does not affect the order of ids and the clock', async () => {
    await using used = await startWithStore();
    used.service.appContext.clock.advance(7_000);
    const first = used.service.appContext.ids.newId();
    const { store } = used.service.appContext;
    await used.service.replaceStore(store);
    expect(used.service.appContext.ids.newId() > first).toBe(true);
    expect(used.service.appContext.clock.state().offset).toBe(7_000);
  });

  test('can be replaced repeatedly under load', async () => {
    await using used = await startWithStore();
    const state = await captureBaseline(used.service);
    const requests = Array.from({ length: 50 }, (_, at) =>
      used.client
        .raw('POST', '/security/iam/v1/groups', { body: { groupName: `group ${at}`, roles: ['VIEW'] } })
        .then(({ status }) => status),
    );
    await Promise.all(Array.from({ length: 5 }, () => state.reset()));
    expect((await Promise.all(requests)).filter((status) => ![201, 503].includes(status))).toEqual([]);
    await state.reset();
    const names = (await used.client.groups.list()).items.map(({ groupName }) => groupName);
    expect(names.filter((name) => name.startsWith('group '))).toEqual([]);
  });
});
