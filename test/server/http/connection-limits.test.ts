/** Which connections a time-out ends. Time-outs are told to the server here, so that nobody waits for one. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createConnectionLimits } from '../../../src/server/http/connection-limits.ts';

let server: Server;
/** Where the server has the connection, and where the caller has it. */
let there: Socket;
let here: Socket;
/** Called while a call is under way. */
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
  const answered = once(here, 'data');
  here.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  const [bytes] = (await answered) as [Buffer];
  return bytes.toString();
}

test('one that stayed open after its answer is ended', async () => {
  await sendRequest();
  const closed = once(here, 'close');
  timeOut();
  await closed;
});

test('one on which a call is under way is left alone', async () => {
  meanwhile = timeOut;
  await expect(sendRequest()).resolves.toContain('done');
});

test('also where another call was answered before', async () => {
  await sendRequest();
  meanwhile = timeOut;
  await expect(sendRequest()).resolves.toContain('done');
});

test('one that has asked nothing yet is left to its own time', async () => {
  timeOut();
  await expect(sendRequest()).resolves.toContain('done');
});
