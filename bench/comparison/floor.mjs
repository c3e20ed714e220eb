/** A bare HTTP server that returns the bytes of RESPONSE to every request, after reading its body. */
import { createServer } from 'node:http';
import process from 'node:process';
import { announce } from './announce.mjs';

const { status, headers, body } = JSON.parse(process.env.RESPONSE);

const server = createServer((request, response) => {
  request.resume().once('end', () => response.writeHead(status, headers).end(body));
});
announce(server.listen(0, '127.0.0.1'));
