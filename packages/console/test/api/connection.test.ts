/** The requests of the console while its sandbox is deleted: reads wait, writes never do. */
import { afterEach, expect, test, vi } from 'vitest';
import { createConnection } from '../../src/api/connection.ts';

const basePath = 'http://console.test/s/box';

/** A page, and a server that has its sandbox or not. */
function openPage() {
  const sent: string[] = [];
  const server = { hasSandbox: false };
  vi.stubGlobal('fetch', async ({ method, url }: Request) => {
    sent.push(`${method} ${new URL(url).pathname.replace('/s/box', '')}`);
    if (server.hasSandbox) return Response.json([]);
    return Response.json([{ code: 'SANDBOX_NOT_FOUND', message: 'gone' }], { status: 404 });
  });
  const connection = createConnection({ basePath, serverPath: '', consolePath: '', sandbox: 'box' });
  /** As operations of the interface, each of which needs a token. */
  const request = (method: string) =>
    connection.sendOrWait(new Request(`${basePath}/groups`, { method }), async (once) => {
      const { status } = await connection.send(new Request(`${basePath}/clients`));
      if (status !== 200) throw new Error('no token');
      return connection.send(once);
    });
  return { sent, server, connection, request };
}

afterEach(() => vi.unstubAllGlobals());

test('a write that needs a token fails at once, and is not sent when the sandbox exists again', async () => {
  const { sent, server, connection, request } = openPage();
  await expect(request('POST')).rejects.toThrow('no token');
  await expect(request('POST')).rejects.toThrow('no token');
  expect(connection.isSandboxDeleted()).toBe(true);
  server.hasSandbox = true;
  connection.resume();
  await new Promise((resolve) => setImmediate(resolve));
  expect(sent).toEqual(['GET /clients', 'GET /clients']);
});

test('a read waits, and is sent when a write finds the sandbox again', async () => {
  const { sent, server, connection, request } = openPage();
  const read = request('GET');
  await expect.poll(connection.isSandboxDeleted).toBe(true);
  server.hasSandbox = true;
  expect((await request('POST')).ok).toBe(true);
  expect((await read).ok).toBe(true);
  expect(sent.filter((name) => name.endsWith('/groups')).sort()).toEqual(['GET /groups', 'POST /groups']);
});

test('a read that is given up does not wait on', async () => {
  const { connection } = openPage();
  const signal = AbortSignal.abort();
  await connection.fetch(`${basePath}/groups`, { method: 'POST' });
  await expect(connection.fetch(`${basePath}/groups`, { signal })).rejects.toThrow('abort');
});
