/**
 * A minimal HTTP/1.1 connection with one request in flight, so that the driver is faster than the floor.
 * Supports responses with Content-Length only.
 */
import { connect, type Socket } from 'node:net';

export class Connection {
  readonly #socket: Socket;
  /** Bytes of the response body that are still missing; undefined until the head is complete. */
  #remaining: number | undefined;
  #head = '';
  #status = 0;
  onResponse: (status: number) => void = () => {};
  onFailure: (error: Error) => void = () => {};

  private constructor(port: number, connected: (error?: Error) => void) {
    const buffer = Buffer.allocUnsafe(64 * 1024);
    const callback = (length: number) => {
      this.#consume(buffer, length);
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

  /** Returns a header of the last response; the name is case-sensitive. */
  header(name: string): string | undefined {
    const at = this.#head.indexOf(`\r\n${name}: `);
    if (at < 0) return undefined;
    const from = at + name.length + 4;
    return this.#head.slice(from, this.#head.indexOf('\r\n', from));
  }

  /** The body of the last response, as far as it arrived with the head; small bodies do. */
  get body(): string {
    return this.#head.slice(this.#head.indexOf('\r\n\r\n') + 4);
  }

  /** Sends the raw request. */
  send(request: string): void {
    this.#remaining = undefined;
    this.#head = '';
    this.#socket.write(request, 'latin1');
  }

  close(): void {
    this.onFailure = () => {};
    this.#socket.destroy();
  }

  #consume(buffer: Buffer, length: number): void {
    if (this.#remaining === undefined) this.#consumeHead(buffer, length);
    else this.#remaining -= length;
    if (this.#remaining === 0) this.onResponse(this.#status);
  }

  #consumeHead(buffer: Buffer, length: number): void {
    const text = this.#head + buffer.toString('latin1', 0, length);
    this.#head = text;
    const end = text.indexOf('\r\n\r\n');
    if (end < 0) return;
    this.#status = Number(text.slice(9, 12));
    const at = text.indexOf('Content-Length: ');
    const bodyLength = at < 0 || at > end ? 0 : Number.parseInt(text.slice(at + 'Content-Length: '.length, end), 10);
    this.#remaining = bodyLength - (text.length - end - 4);
  }
}
