/**
 * A real server on a free port with the real client, which nearly every test uses. Only time is faked.
 * Every response is searched for secrets that its operation does not declare; the log is searched for all secrets.
 */
import process from 'node:process';
import { type ClientOptions, type Credentials, createClient, type IamClient } from '../src/client/index.ts';
import type { AppContext } from '../src/server/app-context.ts';
import type { AuditSink } from '../src/server/audit/audit.ts';
import { readSettings, type SettingsEnvironment } from '../src/server/config/settings.ts';
import { reserveSubjectId } from '../src/server/directory/subject-ids.ts';
import type { Clock } from '../src/server/lib/clock.ts';
import { createLog } from '../src/server/lib/log.ts';
import { systemRandom } from '../src/server/lib/random.ts';
import { hashSecret } from '../src/server/lib/secrets.ts';
import type { Timer } from '../src/server/lib/timer.ts';
import { listen } from '../src/server/listen.ts';
import type { SeedDocument } from '../src/server/seed/schema.ts';
import { openMemoryStore } from '../src/server/store/memory/memory-store.ts';
import type { ServerIdentity } from '../src/server/store/open.ts';
import type { Store } from '../src/server/store/store.ts';
import { type Client, type TableName, tables } from '../src/server/store/tables.ts';
import { TestSchemas } from './postgres/schemas.ts';
import { createStoppableStore } from './server/operations/stoppable-store.ts';
import { createRawSender, type RawRequest, type RawResponse } from './server/property/raw-sender.ts';
import { createSecretGuard, type SecretGuard } from './server/property/secret-guard.ts';
import { repeatWork } from './server/store/repeated-work.ts';
import { recordStatuses } from './statuses/recorded-statuses.ts';

export const adminClient = { clientId: 'test-admin', clientSecret: 'secret-of-the-test-administrator' };
export const appClientId = 'test-app';

/** A clock that changes only with `advance`. */
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
  /** Settings that are available only as environment variables. */
  readonly environment?: SettingsEnvironment;
  readonly seed?: SeedDocument;
  readonly clock?: FakeClock;
  /** Replaces real timers. */
  readonly timer?: Timer;
  readonly openStore?: (identity: ServerIdentity) => Promise<Store>;
  /** A balancer: the server adds itself to it, and clients call it instead of the server. */
  readonly front?: { readonly url: string; add(url: string): void };
  /** Searches responses and logs for secrets, for several servers together. */
  readonly guard?: SecretGuard;
  /** Certificate and key in PEM: serves HTTPS. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** Receives the lines of the audit log, and those of the other two sinks if they are not set. */
  readonly audit?: AuditSink;
  readonly rejectedAudit?: AuditSink;
  /** Default: that of the service. */
  readonly maxWaitingHashes?: number;
  /** Whether its responses count as tests of their documented statuses. Default: true; injected errors do not. */
  readonly recordsStatuses?: boolean;
  /** Receives the lines of self-service callers. */
  readonly selfServiceAudit?: AuditSink;
}

/** The fields of a client of the service. The default is an authenticated first-party client without authorities. */
export type TestClient = Partial<Omit<Client, 'secretHash' | 'createdAt'>>;

export interface TestServer extends AsyncDisposable {
  readonly url: string;
  readonly appContext: AppContext;
  readonly clock: FakeClock;
  /** Lines that the server logged, as text. */
  readonly log: readonly string[];
  /** Sends requests as the administrator client. */
  readonly admin: IamClient;
  /** Returns a client with these credentials, or without credentials. */
  as(credentials?: Credentials, options?: Partial<ClientOptions>): IamClient;
  /** Sends one request exactly as given, path from the root. */
  send(request: RawRequest): Promise<RawResponse>;
  /** Inserts a client into the store and returns its credentials. */
  makeClient(client?: TestClient): Promise<{ clientId: string; clientSecret: string }>;
  /** Returns a new client with these authorities, besides CLI-AUTH-IDENTIFIED, CLI-AUTH-BASIC and its party. */
  withAuthorities(authorities: readonly string[], client?: TestClient): Promise<IamClient>;
  /** Returns all rows of the store, to compare the state before and after a request. */
  dump(): Promise<Record<string, unknown>>;
  /** From now on the store rejects every write, as with a full disk. */
  stopWrites(): void;
}

const { IAM_TEST_STORE: testStore } = process.env;
const schemas =
  testStore === 'postgres' ? new TestSchemas((await import('./postgres/database.ts')).databaseUrl) : undefined;

/** In memory; with IAM_TEST_STORE, on PostgreSQL (postgres) or with each transaction run twice (twice). */
async function openDefaultStore(): Promise<Store> {
  if (testStore === 'twice') return repeatWork(openMemoryStore());
  return schemas?.open() ?? openMemoryStore();
}

/** Password hashes without cost: each start hashes the password of the administrator. */
const defaultFlags = { port: '0', store: 'memory', 'log-level': 'info', 'fast-passwords': true };

/** The server receives the content; of the files, only the settings are used. */
const tlsFlags = { 'tls-cert': 'cert.pem', 'tls-key': 'key.pem' };

export async function startServer(options: TestServerOptions = {}): Promise<TestServer> {
  const clock = options.clock ?? createFakeClock();
  const log: string[] = [];
  const guard = options.guard ?? createGuard();
  let stopWrites = () => {};
  const openServerStore = async (identity: ServerIdentity): Promise<Store> => {
    const stoppable = createStoppableStore(await (options.openStore ?? openDefaultStore)(identity));
    ({ stopWrites } = stoppable);
    return stoppable.store;
  };
  const write = (line: string) => {
    log.push(line);
    guard.addLogLine(line);
  };
  const service = await listen({
    settings: readSettings(
      { ...defaultFlags, ...(options.tls ? tlsFlags : {}), ...options.flags },
      { ...environment, ...options.environment },
    ),
    tls: options.tls,
    clock,
    random: systemRandom,
    log: createLog('info', write, () => clock.now()),
    seed: options.seed,
    timer: options.timer,
    maxWaitingHashes: options.maxWaitingHashes,
    // Some tests leave requests without an end.
    stopTimeoutMs: 1_000,
    openStore: openServerStore,
    openAudit: async () => options.audit && auditSinks(options.audit, options),
  });
  const { appContext } = service;
  options.front?.add(service.url);
  const url = options.front?.url ?? service.url;
  const raw = createRawSender(url);
  const clients: IamClient[] = [];
  const as: TestServer['as'] = (credentials, { onResponse, ...more } = {}) => {
    const checkResponse: ClientOptions['onResponse'] = (response) => {
      guard.check(response);
      onResponse?.(response);
    };
    const client = createClient({ baseUrl: url, credentials, ...more, onResponse: checkResponse });
    clients.push(client);
    return client;
  };
  const makeClient = (client: TestClient = {}) => insertClient(appContext, client);
  return {
    url,
    appContext,
    clock,
    log,
    admin: as(adminClient),
    as,
    async send(request) {
      const response = await raw.send(request);
      guard.check({ ...response, body: response.json });
      return response;
    },
    makeClient,
    withAuthorities: async (authorities, client = {}) =>
      as({ basic: await makeClient({ ...client, authorities: [...authorities] }) }),
    dump: () => dump(appContext.store),
    stopWrites: () => stopWrites(),
    async [Symbol.asyncDispose]() {
      raw.close();
      await Promise.all(clients.map((client) => client.close()));
      await service.stop();
      if (options.recordsStatuses !== false) recordStatuses(log);
      guard.assertClean();
    },
  };
}

/** The guard of a server or of several that share a store. */
export function createGuard(): SecretGuard {
  return createSecretGuard([adminClient.clientSecret, environment.IAM_ADMIN_PASSWORD]);
}

function auditSinks(granted: AuditSink, { rejectedAudit = granted, selfServiceAudit = granted }: TestServerOptions) {
  return { granted, selfService: selfServiceAudit, refused: rejectedAudit };
}

const environment = {
  IAM_ADMIN_CLIENT_ID: adminClient.clientId,
  IAM_ADMIN_CLIENT_SECRET: adminClient.clientSecret,
  IAM_APP_CLIENT_ID: appClientId,
  IAM_ADMIN_PASSWORD: 'correct horse battery staple',
};

/** Inserts a client into the store of a server or a sandbox. @returns its credentials */
export async function insertClient({ store, ids, clock }: AppContext, client: TestClient) {
  const clientId = client.clientId ?? ids.newId();
  const clientSecret = `secret-of-${clientId}`;
  await store.transaction(async (tx) => {
    await reserveSubjectId(tx, { subject: clientId, kind: 'client', ownerId: clientId });
    if (client.serviceAccountId !== undefined)
      await reserveSubjectId(tx, { subject: client.serviceAccountId, kind: 'service', ownerId: clientId });
    await tx.clients.insert({
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
    });
  });
  return { clientId, clientSecret };
}

/** Without the messages to decoys: the server deletes them every minute. */
async function dump(store: Store): Promise<Record<string, unknown>> {
  const names = Object.keys(tables) as TableName[];
  const rows = Object.fromEntries(await Promise.all(names.map(async (name) => [name, await store[name].list()])));
  const messages = (await store.messages.list()).filter(({ delivery }) => delivery !== 'decoy');
  return { ...rows, messages };
}
