/** A real server on a free port, driven by the real client: what nearly every test stands on. Only time is a fake. */
import { type ClientOptions, type Credentials, createClient, type IamClient } from '../src/client/index.ts';
import type { Clock } from '../src/server/clock.ts';
import { hashSecret } from '../src/server/identity/secrets.ts';
import { createLog } from '../src/server/log.ts';
import { systemRandomness } from '../src/server/randomness.ts';
import type { SeedDocument } from '../src/server/seed/schema.ts';
import { startService } from '../src/server/service.ts';
import { readSettings } from '../src/server/settings.ts';
import { openMemoryStore } from '../src/server/store/memory.ts';
import type { Store } from '../src/server/store/store.ts';
import { type Client, type TableName, tables } from '../src/server/store/tables.ts';
import type { World } from '../src/server/world.ts';

export const adminClient = { clientId: 'test-admin', clientSecret: 'secret-of-the-test-administrator' };
export const appClientId = 'test-app';

/** A clock that stands still until it is told to go on. */
export interface FakeClock extends Clock {
  advance(seconds: number): void;
}

export function createFakeClock(start = '2026-03-01T12:00:00.000Z'): FakeClock {
  let now = Date.parse(start);
  return {
    now: () => new Date(now),
    advance: (seconds) => {
      now += seconds * 1000;
    },
  };
}

export interface TestServerOptions {
  /** Settings by flag name, as on the command line. */
  readonly flags?: Readonly<Record<string, string | boolean>>;
  readonly seed?: SeedDocument;
  readonly clock?: FakeClock;
  readonly openStore?: () => Promise<Store>;
}

/** A client of the service as a test wants it: what is left out is that of a proven first-party client without rights. */
export type TestClient = Partial<Omit<Client, 'secretHash' | 'createdAt'>>;

export interface TestServer extends AsyncDisposable {
  readonly url: string;
  readonly world: World;
  readonly clock: FakeClock;
  /** Lines that the server logged, as text. */
  readonly log: readonly string[];
  /** Calls as the administrator client. */
  readonly admin: IamClient;
  /** Calls with these credentials, or with none. */
  as(credentials?: Credentials, options?: Partial<ClientOptions>): IamClient;
  /** Puts a client into the store and gives its credentials. */
  makeClient(client?: TestClient): Promise<{ clientId: string; clientSecret: string }>;
  /** Calls as a new client with these own authorities, besides CLI-AUTH-IDENTIFIED, CLI-AUTH-BASIC and its party. */
  withAuthorities(authorities: readonly string[], client?: TestClient): Promise<IamClient>;
  /** Everything in the store, for comparing before and after. */
  dump(): Promise<Record<string, unknown>>;
}

export async function startServer(options: TestServerOptions = {}): Promise<TestServer> {
  const clock = options.clock ?? createFakeClock();
  const log: string[] = [];
  const service = await startService({
    settings: readSettings({ port: '0', store: 'memory', 'log-level': 'info', ...options.flags }, environment),
    clock,
    randomness: systemRandomness,
    log: createLog(
      'info',
      (line) => log.push(line),
      () => clock.now(),
    ),
    seed: options.seed,
    openStore: options.openStore ?? (async () => openMemoryStore()),
  });
  const clients: IamClient[] = [];
  const as: TestServer['as'] = (credentials, more = {}) => {
    const client = createClient({ baseUrl: service.url, credentials, ...more });
    clients.push(client);
    return client;
  };
  const { world } = service;
  const makeClient = (client: TestClient = {}) => insertClient(world, client);
  return {
    url: service.url,
    world,
    clock,
    log,
    admin: as(adminClient),
    as,
    makeClient,
    withAuthorities: async (authorities, client = {}) =>
      as({ basic: await makeClient({ ...client, authorities: [...authorities] }) }),
    dump: () => dump(world.store),
    async [Symbol.asyncDispose]() {
      await Promise.all(clients.map((client) => client.close()));
      await service.stop();
    },
  };
}

const environment = {
  IAM_ADMIN_CLIENT_ID: adminClient.clientId,
  IAM_ADMIN_CLIENT_SECRET: adminClient.clientSecret,
  IAM_APP_CLIENT_ID: appClientId,
  IAM_ADMIN_PASSWORD: 'correct horse battery staple',
};

async function insertClient({ store, ids, clock }: World, client: TestClient) {
  const clientId = client.clientId ?? ids.newId();
  const clientSecret = `secret-of-${clientId}`;
  await store.transaction((tx) =>
    tx.clients.insert({
      appId: 'test-application',
      party: '1STPARTY',
      authorities: [],
      scope: [],
      grantTypes: ['client_credentials'],
      factorVisibility: 'CREDENTIALS_ONLY',
      ...client,
      clientId,
      secretHash: hashSecret(clientSecret),
      createdAt: clock.now().toISOString(),
    }),
  );
  return { clientId, clientSecret };
}

async function dump(store: Store): Promise<Record<string, unknown>> {
  const names = Object.keys(tables) as TableName[];
  return Object.fromEntries(await Promise.all(names.map(async (name) => [name, await store[name].list()])));
}
