/** Every operation returns 500 with a request id and no internal detail when the server fails. */
import { expect, test } from 'vitest';
import type { CallInput } from '../../../src/client/types.ts';
import type { Operation } from '../../../src/contract/operation.ts';
import { servicePrefix } from '../../../src/contract/prefix.ts';
import { type OperationId, operations } from '../../../src/server/operations/index.ts';
import { openMemoryStore } from '../../../src/server/store/memory/memory-store.ts';
import type { Store, TableReader } from '../../../src/server/store/store.ts';
import { type TableName, tables } from '../../../src/server/store/tables.ts';
import { adminClient, startServer } from '../../harness.ts';
import { catchClientError, sharedServer } from '../operations/access.ts';

const reason = 'the disk is on fire';

/** A store whose reads all fail once enabled. */
function createBreakableStore() {
  const store = openMemoryStore();
  let isBroken = false;
  const guard = <Name extends TableName>(reader: TableReader<Name>): TableReader<Name> =>
    new Proxy(reader, {
      get: (target, name) => {
        if (isBroken) throw new Error(reason);
        const method = Reflect.get(target, name) as (...args: unknown[]) => unknown;
        return method.bind(target);
      },
    });
  const names = Object.keys(tables) as TableName[];
  const guarded = Object.fromEntries(names.map((name) => [name, guard(store[name])]));
  return {
    store: { ...store, ...guarded, transaction: store.transaction.bind(store) } as unknown as Store,
    break: () => {
      isBroken = true;
    },
  };
}

const form = {
  method: 'POST',
  path: `${servicePrefix}/client-identities/connect/token`,
  headers: [['Content-Type', 'application/x-www-form-urlencoded']],
  body: 'grant_type=client_credentials&client_id=a&client_secret=b',
} as const;

/** A request that reaches the store. */
function buildInput({ id, request }: Operation<never>): CallInput {
  if (id === 'generate-token.create')
    return { anonymous: true, body: { grantType: 'client_credentials', clientId: 'a', clientSecret: 'b' } };
  if (request.userBasicAuth) return { anonymous: true, query: { clientId: 'test-app' } };
  return { params: Object.fromEntries(Object.keys(request.params ?? {}).map((name) => [name, 'x'])) };
}

const ids = Object.keys(operations) as OperationId[];

const broken = createBreakableStore();
const shared = sharedServer(async () => {
  const server = await startServer({ openStore: async () => broken.store });
  broken.break();
  Object.assign(server.appContext.keys, {
    publicKeys: () => {
      throw new Error(reason);
    },
  });
  return server;
});

test.each(ids)('%s exposes no detail of an internal error', async (id) => {
  const server = shared();
  const logged = server.log.length;
  const operation: Operation<never> = operations[id];
  if (operation.request.form) {
    const { status, text } = await server.send(form);
    expect(status).toBe(500);
    expect(text).not.toContain(reason);
  } else {
    const caller = server.as({ basic: adminClient });
    const failure = await catchClientError(caller.call(id, buildInput(operation)));
    expect(failure).toMatchObject({ status: 500, code: 'INTERNAL' });
    expect(failure.message).toContain('Request id');
    expect(JSON.stringify(failure.items)).not.toContain(reason);
  }
  expect(server.log.slice(logged).join('')).toContain(reason);
});
