/**
 * The driver: as many HTTP/1.1 connections as asked for, each with one request under way, written as lean as can be,
 * since the floor is fast and must be the one that is busy. It takes answers with Content-Length only.
 */
import { connect, type Socket } from 'node:net';

/** What is sent, over and over. `next` gives the text of one request; `status` is the only answer that counts. */
export interface Load {
  readonly status: number;
  next(): string;
}

export interface Driven {
  /** Answers in a second while it was driven. */
  readonly perSecond: number;
  /** All answers, those included that were waited for at the end. */
  readonly answers: number;
}

export class Pool {
  readonly #connections: Connection[];
  readonly #load: Load;
  #running = false;
  #done = 0;
  #busy = 0;
  #failure: Error | undefined;
  #whenIdle: (() => void) | undefined;

  private constructor(connections: Connection[], load: Load) {
    this.#connections = connections;
    this.#load = load;
    for (const connection of connections) {
      connection.onAnswer = (status) => this.#answered(connection, status);
      connection.onFailure = (error) => this.#failed(error);
    }
  }

  static async open(port: number, size: number, load: Load): Promise<Pool> {
    return new Pool(await Promise.all(Array.from({ length: size }, () => Connection.open(port))), load);
  }

  /** Drives for so long. */
  async drive(milliseconds: number): Promise<Driven> {
    this.begin();
    const startedAt = performance.now();
    await new Promise((resolve) => setTimeout(resolve, milliseconds));
    const perSecond = (this.#done * 1000) / (performance.now() - startedAt);
    await this.end();
    return { perSecond, answers: this.#done };
  }

  begin(): void {
    this.#running = true;
    this.#stayAwake();
    this.#done = 0;
    this.#busy = this.#connections.length;
    for (const connection of this.#connections) connection.send(this.#load.next());
  }

  /** A driver that sleeps has to be woken by the server's system call, and the slower the server the more often. */
  #stayAwake(): void {
    if (this.#running) setImmediate(() => this.#stayAwake());
  }

  /** Waits for what is under way. */
  async end(): Promise<void> {
    this.#running = false;
    if (this.#busy > 0)
      await new Promise<void>((resolve) => {
        this.#whenIdle = resolve;
      });
    if (this.#failure) throw this.#failure;
  }

  close(): void {
    for (const connection of this.#connections) connection.close();
  }

  #answered(connection: Connection, status: number): void {
    if (status !== this.#load.status) {
      this.#failed(new Error(`answered ${status}, not ${this.#load.status}`));
      return;
    }
    this.#done += 1;
    if (this.#running) connection.send(this.#load.next());
    else this.#rest();
  }

  #failed(error: Error): void {
    this.#failure ??= error;
    this.#rest();
  }

  #rest(): void {
    this.#busy -= 1;
    if (this.#busy === 0) this.#whenIdle?.();
  }
}

class Connection {
  readonly #socket: Socket;
  /** Bytes of the answer that have yet to come; undefined while its head has. */
  #missing: number | undefined;
  #head = '';
  #status = 0;
  onAnswer: (status: number) => void = () => {};
  onFailure: (error: Error) => void = () => {};

  private constructor(port: number, connected: (error?: Error) => void) {
    const buffer = Buffer.allocUnsafe(64 * 1024);
    const callback = (length: number) => {
      this.#take(buffer, length);
      return true;
    };
    this.#socket = connect({ host: '127.0.0.1', port, noDelay: true, onread: { buffer, callback } });
    this.#socket.once('connect', () => connected());
    this.#socket.on('error', (error) => {
      connected(error);
      this.onFailure(error);
    });
    this.#socket.on('end', () => this.onFailure(new Error('the server closed a connection')));
  }

  static open(port: number): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const connection: Connection = new Connection(port, (error) => (error ? reject(error) : resolve(connection)));
    });
  }

  send(request: string): void {
    this.#missing = undefined;
    this.#head = '';
    this.#socket.write(request, 'latin1');
  }

  close(): void {
    this.onFailure = () => {};
    this.#socket.destroy();
  }

  #take(buffer: Buffer, length: number): void {
    if (this.#missing === undefined) this.#takeHead(buffer, length);
    else this.#missing -= length;
    if (this.#missing === 0) this.onAnswer(this.#status);
  }

  #takeHead(buffer: Buffer, length: number): void {
    const text = this.#head + buffer.toString('latin1', 0, length);
    const end = text.indexOf('\r\n\r\n');
    if (end < 0) {
      this.#head = text;
      return;
    }
    this.#status = Number(text.slice(9, 12));
    const at = text.indexOf('Content-Length: ');
    const bodyLength = at < 0 || at > end ? 0 : Number.parseInt(text.slice(at + 'Content-Length: '.length, end), 10);
    this.#missing = bodyLength - (text.length - end - 4);
  }
}
