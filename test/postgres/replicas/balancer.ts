/** A balancer in front of replicas: each request goes to the next one. */
import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Balancer extends AsyncDisposable {
  readonly url: string;
  /** Adds a server that requests go to. */
  add(url: string): void;
}

export async function startBalancer(): Promise<Balancer> {
  const targets: URL[] = [];
  const agent = new Agent({ keepAlive: true });
  let requests = 0;
  const server = createServer((incoming, outgoing) => {
    const target = targets[requests % targets.length];
    requests += 1;
    const { method = 'GET', url: path = '/', headers } = incoming;
    const forwarded = request({ agent, host: target?.hostname, port: target?.port, method, path, headers });
    forwarded.on('response', (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.rawHeaders);
      response.pipe(outgoing);
    });
    forwarded.on('error', () => outgoing.destroy());
    outgoing.on('close', () => forwarded.destroy());
    incoming.pipe(forwarded);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    add: (url) => void targets.push(new URL(url)),
    async [Symbol.asyncDispose]() {
      agent.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
