/** A TCP proxy before PostgreSQL that cuts a connection at its next COMMIT. */
import { once } from 'node:events';
import net from 'node:net';

/** Before the server receives it, or before the client receives the confirmation. */
export type Cut = 'before-commit' | 'after-commit';

export interface CuttingProxy extends AsyncDisposable {
  /** Through the proxy. */
  readonly url: string;
  /** Cuts the next connection that commits. @param onCut called when it does */
  cutNext(cut: Cut, onCut?: () => void): void;
  /** Cuts the connection that next runs this prepared statement, once it was executed and before the client hears of it. */
  cutResponse(statement: string): void;
  /** Cuts all connections, and refuses further ones until `restore`. */
  refuse(): void;
  restore(): void;
}

/** The text of the message as the driver sends it, and the tag of the confirmation. */
const commitRequest = Buffer.from('commit\0');
const commitTag = Buffer.from('COMMIT\0');

export async function startCuttingProxy(databaseUrl: string): Promise<CuttingProxy> {
  const target = new URL(databaseUrl);
  const sockets = new Set<net.Socket>();
  let next: Cut | undefined;
  let onNextCut: (() => void) | undefined;
  let nextStatement: string | undefined;
  let isRefusing = false;
  const server = net.createServer((client) => {
    const upstream = net.connect(Number(target.port), target.hostname);
    let isCommitting = false;
    let isExecuting = false;
    const end = () => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', end);
      socket.on('close', () => {
        sockets.delete(socket);
        end();
      });
    }
    if (isRefusing) return end();
    client.on('data', (data) => {
      const isCommit = data.includes(commitRequest);
      if (isCommit && next === 'before-commit') {
        next = undefined;
        onNextCut?.();
        return end();
      }
      isCommitting ||= isCommit;
      if (nextStatement !== undefined && data.includes(`${nextStatement}\0`)) {
        nextStatement = undefined;
        isExecuting = true;
      }
      upstream.write(data);
    });
    upstream.on('data', (data) => {
      if (isExecuting) return end();
      if (isCommitting && next === 'after-commit' && data.includes(commitTag)) {
        next = undefined;
        onNextCut?.();
        return end();
      }
      if (data.includes(commitTag)) isCommitting = false;
      client.write(data);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(databaseUrl);
  url.port = String((server.address() as net.AddressInfo).port);
  const cutAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: url.href,
    cutNext(cut, onCut) {
      next = cut;
      onNextCut = onCut;
    },
    cutResponse(statement) {
      nextStatement = statement;
    },
    refuse() {
      isRefusing = true;
      cutAll();
    },
    restore() {
      isRefusing = false;
    },
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      cutAll();
      await closed;
    },
  };
}
