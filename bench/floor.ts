/**
 * The floor: a bare node:http server that returns a fixed response. With the path of a file, it first appends each body to
 * it and syncs it.
 */
import { open } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FloorResponse } from './ipc-messages.ts';

const [logPath] = process.argv.slice(2);
const log = logPath === undefined ? undefined : await open(logPath, 'a');
let fixedResponse: FloorResponse = { status: 200, headers: [], body: '' };

const server = createServer({ keepAliveTimeout: 65_000 }, (request, response) => {
  const chunks: Buffer[] = [];
  const write = () => {
    response.writeHead(fixedResponse.status, fixedResponse.headers as string[]);
    response.end(fixedResponse.body);
  };
  if (request.method === 'GET') write();
  else if (log === undefined) request.resume().on('end', write);
  else
    request
      .on('data', (body: Buffer) => chunks.push(body))
      .on('end', () => void save(Buffer.concat(chunks)).then(write));
});

/** One call after the other, as a writer that is alone needs them. */
async function save(body: Buffer): Promise<void> {
  await log?.write(body);
  await log?.datasync();
}

server.listen({ host: '127.0.0.1', port: 0 }, () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`${JSON.stringify({ ready: true, url: `http://127.0.0.1:${port}` })}\n`);
});

process.on('message', (message: FloorResponse | string) => {
  if (typeof message === 'object') fixedResponse = message;
});
process.on('SIGTERM', () => process.exit(0));
