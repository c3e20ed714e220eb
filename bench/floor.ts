/** The floor: a bare node:http server that returns a fixed response. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FloorResponse } from './ipc-messages.ts';

let fixedResponse: FloorResponse = { status: 200, headers: [], body: '' };

const server = createServer({ keepAliveTimeout: 65_000 }, (request, response) => {
  const write = () => {
    response.writeHead(fixedResponse.status, fixedResponse.headers as string[]);
    response.end(fixedResponse.body);
  };
  if (request.method === 'GET') write();
  else request.resume().on('end', write);
});

server.listen({ host: '127.0.0.1', port: 0 }, () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`${JSON.stringify({ ready: true, url: `http://127.0.0.1:${port}` })}\n`);
});

process.on('message', (message: FloorResponse | string) => {
  if (typeof message === 'object') fixedResponse = message;
});
process.on('SIGTERM', () => process.exit(0));
