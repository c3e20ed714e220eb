/** Stop: running requests complete, idle connections close at once, and the port is released. */
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { servicePrefix } from '../../../src/contract/prefix.ts';
import { openMemoryStore } from '../../../src/server/store/memory/memory-store.ts';
import type { Store } from '../../../src/server/store/store.ts';
import { adminClient, appClientId, startServer, type TestServer } from '../../harness.ts';
import { buildHead, exchange, open, parseResponses, readUntilClosed, send } from '../http/raw-http.ts';
import { stopPromptly } from './prompt-stop.ts';

const basic = `Authorization: Basic ${btoa(`${adminClient.clientId}:${adminClient.clientSecret}`)}`;
const body = '{"groupName":"in-progress"}';
const creating = `${buildHead(`POST ${servicePrefix}/groups HTTP/1.1`, 'Host: localhost', basic, 'Content-Type: application/json', `Content-Length: ${body.length}`)}${body}`;

/** A keep-alive connection after its first request. */
async function openKeepAlive(server: TestServer): Promise<Socket> {
  const socket = await open(server);
  socket.write(buildHead('GET /healthz HTTP/1.1', 'Host: localhost'));
  await once(socket, 'data');
  return socket;
}

/** A store whose writes wait until they are released. */
function createHeldStore(): { store: Store; letGo(): void; held: Promise<void> } {
  const inner = openMemoryStore();
  let letGo = () => {};
  let arrived = () => {};
  const arrival = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  const gate = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  let starts = 0;
  const transaction: Store['transaction'] = async (work) => {
    starts += 1;
    // The first writes belong to the start: bootstrap, signing key and store secret.
    if (starts > 3) {
      arrived();
      await gate;
    }
    return inner.transaction(work);
  };
  return { store: { ...inner, transaction }, letGo: () => letGo(), held: arrival };
}

test('connections without a request close at once', async () => {
  const server = await startServer();
  const silent = await open(server);
  const halfway = await open(server);
  halfway.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n');
  const keepAlive = await openKeepAlive(server);
  const closing = [silent, halfway, keepAlive].map(readUntilClosed);
  await stopPromptly(server);
  await Promise.all(closing);
});

test('messages to decoys are deleted', async () => {
  const store = openMemoryStore();
  const server = await startServer({ openStore: async () => ({ ...store, close: async () => {} }) });
  const path = `/security/iam/v1/user-identities/retrieve-identity?clientId=${appClientId}`;
  await server.as().raw('POST', path, { body: { userName: 'unknown' } });
  expect(await store.messages.find('delivery', 'decoy')).not.toEqual([]);
  await server[Symbol.asyncDispose]();
  expect(await store.messages.count()).toBe(0);
});

test('a running request completes on a keep-alive connection, and its writes are stored', async () => {
  const { store, letGo, held: arrival } = createHeldStore();
  const server = await startServer({ openStore: async () => ({ ...store, close: async () => {} }) });
  const socket = await openKeepAlive(server);
  const reading = readUntilClosed(socket);
  socket.write(creating);
  await arrival;
  const stopping = stopPromptly(server);
  letGo();
  await stopping;
  expect(parseResponses(await reading)).toMatchObject([{ status: 201 }]);
  expect(await store.groups.getBy('groupName', 'in-progress')).toBeDefined();
});

test('the port is free only after the store is closed; until then requests are rejected', async () => {
  const { store, letGo, held: arrival } = createHeldStore();
  const results: unknown[] = [];
  const takePort = async () => {
    const { port, hostname } = new URL(server.url);
    const other = createServer().listen(Number(port), hostname);
    results.push(
      await once(other, 'listening').then(
        () => 'taken',
        ({ code }: NodeJS.ErrnoException) => code,
      ),
    );
    other.close();
    const get = send(server, buildHead('GET /healthz HTTP/1.1', 'Host: localhost')).catch(String);
    results.push(await get);
  };
  const server = await startServer({ openStore: async () => ({ ...store, close: takePort }) });
  const reading = exchange(server, creating);
  await arrival;
  const stopping = stopPromptly(server);
  await takePort();
  letGo();
  await stopping;
  expect(await reading).toMatchObject([{ status: 201 }]);
  const rejected = { status: 503, headers: { 'retry-after': '1', connection: 'close' } };
  expect(results).toMatchObject(['EADDRINUSE', rejected, 'EADDRINUSE', rejected]);
});

test('the port is free afterwards', async () => {
  const first = await startServer();
  const { port } = new URL(first.url);
  await openKeepAlive(first);
  await stopPromptly(first);
  await using second = await startServer({ flags: { port } });
  expect(second.url).toBe(first.url);
  await expect(second.admin.groups.list()).resolves.toBeDefined();
});

test('the last use of API keys is stored', async () => {
  const store = openMemoryStore();
  const lasting = async () => ({ ...store, close: async () => {} });
  const server = await startServer({ openStore: lasting });
  const { apiKeyId, apiKey } = await server.admin.apiKey.create({
    body: { appId: 'test', clientId: adminClient.clientId },
  });
  await server.as({ apiKey: String(apiKey) }).groups.list();
  await server[Symbol.asyncDispose]();
  expect(await store.apiKeys.get(String(apiKeyId))).toMatchObject({ lastUsedAt: server.clock.now().toISOString() });
});
