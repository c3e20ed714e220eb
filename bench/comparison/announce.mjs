import { once } from 'node:events';
import process from 'node:process';

/** Prints the URL of a server once it listens. */
export async function announce(server) {
  if (!server.listening) await once(server, 'listening');
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${server.address().port}` })}\n`);
}
