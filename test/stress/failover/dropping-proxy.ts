/** A TCP proxy between the servers and one database: it forwards, drops what arrives, or cuts the connections. */
import { once } from 'node:events';
import net from 'node:net';

/** `drop`: as a network that loses everything; connections stay open without data. `refuse`: new ones are closed. */
export type ProxyMode = 'forward' | 'drop' | 'refuse';

/** What the servers found out about commits without a response. */
export interface Inquiries {
  committed: number;
  void: number;
}

/** The name of the prepared statement, as each execution repeats it. */
const inquiryStatement = Buffer.from('commits.inquire\0');
/** The only column of the result: its length and the value. */
const committedValue = Buffer.from('\0\0\0\x04done');
const voidValue = Buffer.from('\0\0\0\x04void');

export class DroppingProxy {
  readonly port: number;
  readonly #server: net.Server;
  readonly #target: number;
  readonly #sockets = new Set<net.Socket>();
  readonly #inquiries: Inquiries;
  #mode: ProxyMode = 'forward';

  private constructor(server: net.Server, target: number, inquiries: Inquiries) {
    this.#server = server;
    this.#target = target;
    this.#inquiries = inquiries;
    this.port = (server.address() as net.AddressInfo).port;
    server.on('connection', (client) => this.#connect(client));
  }

  static async start(target: number, inquiries: Inquiries): Promise<DroppingProxy> {
    const server = net.createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new DroppingProxy(server, target, inquiries);
  }

  setMode(mode: ProxyMode): void {
    this.#mode = mode;
    if (mode === 'refuse') this.cut();
    // Lost packets of these connections would be sent again; here they are gone, so the connections are as well.
    if (mode === 'forward') this.#cutDropped();
  }

  /** Cuts all connections; new ones are forwarded. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.cut();
    await once(this.#server.close(), 'close');
  }

  readonly #dropped = new WeakSet<net.Socket>();

  #cutDropped(): void {
    for (const socket of this.#sockets) if (this.#dropped.has(socket)) socket.destroy();
  }

  #connect(client: net.Socket): void {
    if (this.#mode === 'refuse') {
      client.destroy();
      return;
    }
    const database = net.connect(this.#target, '127.0.0.1');
    let isInquiry = false;
    const forward = (from: net.Socket, to: net.Socket, look: (data: Buffer) => void) => {
      from.on('data', (data: Buffer) => {
        if (this.#mode === 'drop' || this.#dropped.has(client)) {
          this.#dropped.add(client);
          this.#dropped.add(database);
          return;
        }
        look(data);
        if (!to.write(data)) {
          from.pause();
          to.once('drain', () => from.resume());
        }
      });
    };
    forward(client, database, (data) => {
      if (data.includes(inquiryStatement)) isInquiry = true;
    });
    forward(database, client, (data) => {
      if (!isInquiry) return;
      const isCommitted = data.includes(committedValue);
      if (!isCommitted && !data.includes(voidValue)) return;
      isInquiry = false;
      this.#inquiries[isCommitted ? 'committed' : 'void'] += 1;
    });
    for (const socket of [client, database]) {
      this.#sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.#sockets.delete(socket);
        client.destroy();
        database.destroy();
      });
    }
  }
}
