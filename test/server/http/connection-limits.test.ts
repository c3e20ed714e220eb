/** Which connections a timeout closes. The tests trigger timeouts directly, so that nothing waits for one. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createConnectionLimits } from '../../../src/server/limits/connections/connection-limits.ts';

let server: Server;
/** The server's end and the client's end of a connection. */
let there: Socket;
let here: Socket;
/** Runs while a request is in progress. */
let meanwhile: () => void;

beforeEach(async () => {
  meanwhile = () => undefined;
  const greedy = createConnectionLimits();
  server = createServer(
    greedy.limitPipelining((_request, response) => {
      meanwhile();
      response.end('done');
    }),
  );
  greedy.closeStalled(server, 60_000);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const connected = once(server, 'connection');
  here = connect((server.address() as AddressInfo).port, '127.0.0.1');
  [there] = (await connected) as [Socket];
});
afterEach(() => {
  here.destroy();
  server.close();
});

const timeOut = () => server.emit('timeout', there);

async function sendRequest(): Promise<string> {
  const firstData = once(here, 'data');
  here.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  const [bytes] = (await firstData) as [Buffer];
  return bytes.toString();
}

test('closes a connection that stayed open after its response', async () => {
  await sendRequest();
  const closed = once(here, 'close');
  timeOut();
  await closed;
});

test('keeps a connection with a request in progress', async () => {
  meanwhile = timeOut;
  await expect(sendRequest()).resolves.toContain('done');
});

test('also keeps it after an earlier response on the same connection', async () => {
  await sendRequest();
  meanwhile = timeOut;
  await expect(sendRequest()).resolves.toContain('done');
});

test('leaves a connection without any request to its own timeout', async () => {
  timeOut();
  await expect(sendRequest()).resolves.toContain('done');
});
