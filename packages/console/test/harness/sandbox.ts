/**
 * The server of this test process, and sandboxes of it, which tests use in place of servers of their own: at one address,
 * the browser compiles the scripts of the console once.
 */
import { hashSecret } from '../../../../src/server/lib/secrets.ts';
import type { SeedDocument } from '../../../../src/server/seed/schema.ts';
import type { Store } from '../../../../src/server/store/store.ts';
import { adminClient, createGuard, insertClient, startServer, type TestServer } from '../../../../test/harness.ts';
import { recordStatuses } from '../../../../test/statuses/recorded-statuses.ts';

/** A service with a console: a sandbox, or a server of its own. */
export type ConsoleService = Pick<TestServer, 'url' | 'appContext' | 'admin' | 'makeClient' | 'withAuthorities'>;

let started: Promise<TestServer> | undefined;
const guard = createGuard();
let recordedLines = 0;

/** Those whose pages may still read them. */
const names: string[] = [];
const keptSandboxes = 8;
let opened = 0;

/** Returns a new sandbox. It needs no end: the server is in memory, and ends with the process. */
export async function openSandbox(seed: SeedDocument = {}): Promise<ConsoleService> {
  started ??= startServer({ guard });
  const server = await started;
  const { sandboxes } = server.appContext;
  opened += 1;
  const name = `test-${opened}`;
  const { appContext } = await sandboxes.create(name, seed);
  await setAdminSecret(appContext.store);
  names.push(name);
  if (names.length > keptSandboxes) sandboxes.delete(String(names.shift()));
  const url = `${server.url}/s/${name}`;
  const as: TestServer['as'] = (credentials, options) => server.as(credentials, { baseUrl: url, ...options });
  const makeClient: TestServer['makeClient'] = (client = {}) => insertClient(appContext, client);
  return {
    url,
    appContext,
    admin: as(adminClient),
    makeClient,
    withAuthorities: async (authorities, client = {}) =>
      as({ basic: await makeClient({ ...client, authorities: [...authorities] }) }),
  };
}

/** The administrator client has the secret of that of the server, for all tests, until a reset. */
function setAdminSecret(store: Store): Promise<void> {
  return store.transaction(async (tx) => {
    const client = await tx.clients.get(adminClient.clientId);
    if (client) await tx.clients.replace({ ...client, secretHash: hashSecret(adminClient.clientSecret) });
  });
}

/** As at the end of a server: records the statuses of its log. @throws Error if a response or the log contained a secret */
export async function checkServer(): Promise<void> {
  const log = (await started)?.log ?? [];
  recordStatuses(log.slice(recordedLines));
  recordedLines = log.length;
  guard.assertClean();
}
