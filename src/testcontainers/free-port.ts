/** Finds a free port, for a server whose base URL must be known before it starts. */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** Returns a port of 127.0.0.1 that is free now; another process can take it before it is used. */
export async function freePort(): Promise<number> {
  const listener = createServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  await new Promise((resolve) => listener.close(resolve));
  return port;
}
