/** Another store under a running service: the next call is answered from it, and nothing of the one before is left. */
import { describe, expect, test } from 'vitest';
import { createClient } from '../../../src/client/index.ts';
import { keepState } from '../../../src/library/state.ts';
import { createLog } from '../../../src/server/log.ts';
import { systemRandomness } from '../../../src/server/randomness.ts';
import type { SeedDocument } from '../../../src/server/seed/schema.ts';
import { type Service, startService } from '../../../src/server/service.ts';
import { readSettings } from '../../../src/server/settings.ts';
import { openMemoryStore } from '../../../src/server/store/memory.ts';
import type { Store } from '../../../src/server/store/store.ts';
import { type TableName, tables } from '../../../src/server/store/tables.ts';
import { createFakeClock } from '../../harness.ts';
import { structureOf } from '../../library/structure.ts';
import { sendNotice } from '../control/messages.ts';

const secret = 'secret-of-the-test-administrator';

const seed: SeedDocument = {
  users: [{ userId: 'ann', userName: 'ann', userEmail: 'ann@example.com', password: 'correct horse battery staple' }],
  groups: [{ groupName: 'ops', roles: ['DEPLOY'], users: ['ann'] }],
  mainframe: [{ logon: 'ANN1', email: 'ann@example.com' }],
};

async function started(store: Store = openMemoryStore()) {
  const clock = createFakeClock();
  const environment = { IAM_ADMIN_CLIENT_ID: 'root', IAM_ADMIN_CLIENT_SECRET: secret, IAM_APP_CLIENT_ID: 'app' };
  const service = await startService({
    settings: readSettings({ port: '0', store: 'memory', 'log-level': 'silent' }, environment),
    clock,
    randomness: systemRandomness,
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

async function dump({ world: { store } }: Service): Promise<Record<string, unknown>> {
  const names = Object.keys(tables) as TableName[];
  return Object.fromEntries(await Promise.all(names.map(async (name) => [name, await store[name].list()])));
}

/** Stores of both kinds: those that can be forked, and those that have to be copied and written over. */
const kinds = [
  ['that can be forked', () => openMemoryStore()],
  ['that can not', (): Store => ({ ...openMemoryStore(), fork: undefined }) as Store],
] as const;

describe.each(kinds)('with a store %s', (_what, open) => {
  const plain = () => {
    const { fork, ...store } = open() as Store & { fork?: unknown };
    return fork === undefined ? store : { ...store, fork };
  };

  test('a service goes back to what it began with, to the last row, which is what a fresh start makes', async () => {
    await using used = await started(plain() as Store);
    await using fresh = await started(plain() as Store);
    const state = await keepState(used.service);
    const before = await dump(used.service);
    expect(structureOf(before)).toBe(structureOf(await dump(fresh.service)));
    await used.client.groups.create({ body: { groupName: 'more', roles: ['VIEW'] } });
    await used.client.groups.remove({ params: { groupId: 'ops' } });
    await used.client.userIdentities.update({ params: { id: 'ann' }, body: { userName: 'anna' } });
    await used.client.raw('POST', '/_iam/keys/rotate');
    await sendNotice(used.service.world, 'ann@example.com');
    expect(structureOf(await dump(used.service))).not.toBe(structureOf(before));
    await state.reset();
    expect(await dump(used.service)).toEqual(before);
    expect((await used.client.groups.get({ params: { groupId: 'ops' } })).groupName).toBe('ops');
    await state.reset();
    expect(await dump(used.service)).toEqual(before);
  });
});

describe('a store that takes the place of another', () => {
  test('answers the next call, with its own keys; the one before is closed', async () => {
    const first = openMemoryStore();
    await using used = await started(first);
    await using other = await started();
    const { store } = other.service.world;
    const before = used.service.world;
    await used.service.replaceStore({ ...store, close: async () => undefined });
    expect(used.service.world).not.toBe(before);
    expect((await used.client.raw('GET', '/.well-known/jwks.json')).body).toEqual(
      (await other.client.raw('GET', '/.well-known/jwks.json')).body,
    );
    expect(first.health().writable).toBe(false);
    expect((await used.client.groups.list()).items.length).toBeGreaterThan(0);
  });

  test('may be the same, whose keys are then read anew', async () => {
    await using used = await started();
    const { store } = used.service.world;
    await used.client.groups.list();
    const [row] = await store.signingKeys.list();
    await used.service.replaceStore(store);
    expect(used.service.world.keys.current().kid).toBe(row?.kid);
    expect(store.health().writable).toBe(true);
    await used.client.groups.create({ body: { groupName: 'after', roles: ['VIEW'] } });
  });

  test('leaves the one before where it can not be opened', async () => {
    await using used = await started();
    const broken = { ...openMemoryStore(), signingKeys: undefined } as unknown as Store;
    await expect(used.service.replaceStore(broken)).rejects.toThrow();
    expect((await used.client.groups.list()).items.length).toBeGreaterThan(0);
    await used.service.replaceStore(used.service.world.store);
  });

  test('lets ids go on, and the clock be what it was', async () => {
    await using used = await started();
    used.service.world.clock.advance(7_000);
    const first = used.service.world.ids.newId();
    const { store } = used.service.world;
    await used.service.replaceStore(store);
    expect(used.service.world.ids.newId() > first).toBe(true);
    expect(used.service.world.clock.state().offset).toBe(7_000);
  });

  test('is one after the other, while calls come', async () => {
    await using used = await started();
    const state = await keepState(used.service);
    const calls = Array.from({ length: 50 }, (_, at) =>
      used.client
        .raw('POST', '/security/iam/v1/groups', { body: { groupName: `group ${at}`, roles: ['VIEW'] } })
        .then(({ status }) => status),
    );
    await Promise.all(Array.from({ length: 5 }, () => state.reset()));
    expect((await Promise.all(calls)).filter((status) => ![201, 503].includes(status))).toEqual([]);
    await state.reset();
    const names = (await used.client.groups.list()).items.map(({ groupName }) => groupName);
    expect(names.filter((name) => name.startsWith('group '))).toEqual([]);
  });
});
