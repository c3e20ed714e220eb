/**
 * The floor: a bare node:http server that returns a fixed response. With the path of a file and a
 * length, it first appends as many bytes to the file and syncs it.
 */
import { type FileHandle, open } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FloorResponse } from './ipc-messages.ts';

const [logPath, lineBytes] = process.argv.slice(2);
const log = logPath === undefined ? undefined : await open(logPath, 'a');
const line = Buffer.alloc(Number(lineBytes ?? 0), 'x');
let fixedResponse: FloorResponse = { status: 200, headers: [], body: '' };

const server = createServer({ keepAliveTimeout: 65_000 }, (request, response) => {
  const write = () => {
    response.writeHead(fixedResponse.status, fixedResponse.headers as string[]);
    response.end(fixedResponse.body);
  };
  if (request.method === 'GET') write();
  else if (log === undefined) request.resume().on('end', write);
  else request.resume().on('end', () => void save(log).then(write));
});

async function save(file: FileHandle): Promise<void> {
  await file.write(line);
  await file.datasync();
}

server.listen({ host: '127.0.0.1', port: 0 }, () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`${JSON.stringify({ ready: true, url: `http://127.0.0.1:${port}` })}\n`);
});

process.on('message', (message: FloorResponse | string) => {
  if (typeof message === 'object') fixedResponse = message;
});
process.on('SIGTERM', () => process.exit(0));
