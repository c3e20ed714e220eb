/** What a client sees of a connection pooler in transaction mode, without one. */
import { once } from 'node:events';
import net from 'node:net';

export interface Pooler {
  readonly port: number;
  close(): void;
}

/** Starts a server for the protocol of PostgreSQL. @param serve gets the bytes of the first message of a client */
async function listenForClients(serve: (client: net.Socket, startup: Buffer) => void): Promise<Pooler> {
  const sockets = new Set<net.Socket>();
  const server = net.createServer((client) => {
    sockets.add(client);
    client.on('error', () => undefined);
    client.once('data', (startup) => serve(client, startup));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as net.AddressInfo).port,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** Rejects parameters of a connection that it does not know. */
export function startStrictPooler(): Promise<Pooler> {
  return startRejectingDatabase('08P01', 'unsupported startup parameter: options');
}

/** Rejects all connections, with this SQLSTATE. */
export function startRejectingDatabase(state: string, text: string): Promise<Pooler> {
  const fields = `SFATAL\0VFATAL\0C${state}\0M${text}\0\0`;
  return listenForClients((client) => client.end(message('E', Buffer.from(fields))));
}

/** Accepts connections, and never responds. */
export function startSilentDatabase(): Promise<Pooler> {
  return listenForClients(() => undefined);
}

/** Ends each connection when its client sends something. */
export function startClosingDatabase(): Promise<Pooler> {
  return listenForClients((client) => client.end());
}

/** Lets only the user and the database pass, as with `ignore_startup_parameters`. */
export function startIgnoringPooler(databaseUrl: string): Promise<Pooler> {
  const { hostname, port, username, pathname } = new URL(databaseUrl);
  const parameters = Buffer.from(`user\0${username}\0database\0${pathname.slice(1)}\0\0`);
  const startup = message('', Buffer.concat([int32(196_608), parameters]));
  return listenForClients((client) => {
    const database = net.connect({ host: hostname, port: Number(port) });
    database.on('error', () => client.destroy());
    database.on('close', () => client.destroy());
    client.on('close', () => database.destroy());
    database.write(startup);
    client.pipe(database);
    database.pipe(client);
  });
}

/** Runs the statements of all clients in one session of the database, which has the settings already. */
export async function startSharingPooler(schema: string, queries: string[]): Promise<Pooler> {
  const ready = message('Z', Buffer.from('I'));
  return listenForClients((client) => {
    client.write(Buffer.concat([message('R', int32(0)), ready]));
    client.on('data', (query) => {
      if (query.toString('latin1', 0, 1) !== 'Q') return;
      const text = query.toString('utf8', 5).replace(/\0$/, '');
      queries.push(text);
      const row = text.includes('pg_backend_pid') ? { pid: '4711' } : hostState(schema);
      client.write(Buffer.concat([describeRow(Object.keys(row)), dataRow(Object.values(row)), complete(), ready]));
    });
  });
}

const hostState = (schema: string) => ({ read_only: 'off', search_path: schema, statement_timeout: '5s' });

function message(type: string, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(type), int32(body.length + 4), body]);
}

function describeRow(names: readonly string[]): Buffer {
  const text = Buffer.from([0, 0, 0, 25, 255, 255, 255, 255, 255, 255, 0, 0]);
  const columns = names.map((name) => Buffer.concat([Buffer.from(`${name}\0`), int32(0), Buffer.alloc(2), text]));
  return message('T', Buffer.concat([int16(names.length), ...columns]));
}

function dataRow(values: readonly string[]): Buffer {
  const cells = values.map((value) => Buffer.concat([int32(value.length), Buffer.from(value)]));
  return message('D', Buffer.concat([int16(values.length), ...cells]));
}

function complete(): Buffer {
  return message('C', Buffer.from('SELECT 1\0'));
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

function int16(value: number): Buffer {
  return int32(value).subarray(2);
}
