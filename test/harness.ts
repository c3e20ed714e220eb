/**
 * A real server on a free port, driven by the real client: what nearly every test stands on. Only time is a fake.
 * Every answer is searched for secrets that its operation does not declare, and so is the log.
 */
import { type ClientOptions, type Credentials, createClient, type IamClient } from '../src/client/index.ts';
import type { AppContext } from '../src/server/app-context.ts';
import type { AuditSink } from '../src/server/audit/audit.ts';
import type { Clock } from '../src/server/clock.ts';
import { listen } from '../src/server/http/listen.ts';
import { hashSecret } from '../src/server/identity/secrets.ts';
import { reserveSubjectId } from '../src/server/identity/subject-ids.ts';
import type { Timer } from '../src/server/integrations/timer.ts';
import { createLog } from '../src/server/log.ts';
import { systemRandom } from '../src/server/random.ts';
import type { SeedDocument } from '../src/server/seed/schema.ts';
import { readSettings } from '../src/server/settings.ts';
import { openMemoryStore } from '../src/server/store/memory.ts';
import type { Store } from '../src/server/store/store.ts';
import { type Client, type TableName, tables } from '../src/server/store/tables.ts';
import { createStoppableStore } from './server/operations/stoppable-store.ts';
import { createRawSender, type RawRequest, type RawResponse } from './server/property/raw-sender.ts';
import { createSecretGuard } from './server/property/secret-guard.ts';
import { recordStatuses } from './statuses/recorded-statuses.ts';

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
  /** Settings that only the environment has. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly seed?: SeedDocument;
  readonly clock?: FakeClock;
  /** In the place of real time that passes. */
  readonly timer?: Timer;
  readonly openStore?: () => Promise<Store>;
  /** Takes the lines of the audit log; those of refusals as well, where they have no place of their own. */
  readonly audit?: AuditSink;
  readonly rejectedAudit?: AuditSink;
  /** Those of callers that anyone may be. */
  readonly selfServiceAudit?: AuditSink;
}

/** A client of the service as a test wants it: what is left out is that of a proven first-party client without rights. */
export type TestClient = Partial<Omit<Client, 'secretHash' | 'createdAt'>>;

export interface TestServer extends AsyncDisposable {
  readonly url: string;
  readonly appContext: AppContext;
  readonly clock: FakeClock;
  /** Lines that the server logged, as text. */
  readonly log: readonly string[];
  /** Calls as the administrator client. */
  readonly admin: IamClient;
  /** Calls with these credentials, or with none. */
  as(credentials?: Credentials, options?: Partial<ClientOptions>): IamClient;
  /** Sends one request exactly as given, path from the root. */
  send(request: RawRequest): Promise<RawResponse>;
  /** Puts a client into the store and gives its credentials. */
  makeClient(client?: TestClient): Promise<{ clientId: string; clientSecret: string }>;
  /** Calls as a new client with these own authorities, besides CLI-AUTH-IDENTIFIED, CLI-AUTH-BASIC and its party. */
  withAuthorities(authorities: readonly string[], client?: TestClient): Promise<IamClient>;
  /** Everything in the store, for comparing before and after. */
  dump(): Promise<Record<string, unknown>>;
  /** From now on the store refuses every write, as one does whose disk is full. */
  stopWrites(): void;
}

export async function startServer(options: TestServerOptions = {}): Promise<TestServer> {
  const clock = options.clock ?? createFakeClock();
  const log: string[] = [];
  const guard = createSecretGuard([adminClient.clientSecret, environment.IAM_ADMIN_PASSWORD]);
  const { store, stopWrites } = createStoppableStore(await (options.openStore ?? (async () => openMemoryStore()))());
  const write = (line: string) => {
    log.push(line);
    guard.addLogLine(line);
  };
  const service = await listen({
    settings: readSettings(
      { port: '0', store: 'memory', 'log-level': 'info', ...options.flags },
      { ...environment, ...options.environment },
    ),
    clock,
    random: systemRandom,
    log: createLog('info', write, () => clock.now()),
    seed: options.seed,
    timer: options.timer,
    openStore: async () => store,
    openAudit: async () => options.audit && auditSinks(options.audit, options),
  });
  const { appContext, url } = service;
  const raw = createRawSender(url);
  const clients: IamClient[] = [];
  const as: TestServer['as'] = (credentials, { onResponse, ...more } = {}) => {
    const seen: ClientOptions['onResponse'] = (answer) => {
      guard.check(answer);
      onResponse?.(answer);
    };
    const client = createClient({ baseUrl: url, credentials, ...more, onResponse: seen });
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
      const answer = await raw.send(request);
      guard.check({ ...answer, body: answer.json });
      return answer;
    },
    makeClient,
    withAuthorities: async (authorities, client = {}) =>
      as({ basic: await makeClient({ ...client, authorities: [...authorities] }) }),
    dump: () => dump(appContext.store),
    stopWrites,
    async [Symbol.asyncDispose]() {
      raw.close();
      await Promise.all(clients.map((client) => client.close()));
      await service.stop();
      recordStatuses(log);
      guard.assertClean();
    },
  };
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

async function insertClient({ store, ids, clock }: AppContext, client: TestClient) {
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

async function dump(store: Store): Promise<Record<string, unknown>> {
  const names = Object.keys(tables) as TableName[];
  return Object.fromEntries(await Promise.all(names.map(async (name) => [name, await store[name].list()])));
}
