/** What a client sees of a connection pooler in transaction mode, without one. */
import { once } from 'node:events';
import net from 'node:net';

export interface Pooler {
  readonly port: number;
  /** Cuts all connections. */
  cut(): void;
  close(): void;
}

/** Starts a server for the protocol of PostgreSQL. @param serve gets the bytes of the first message of a client */
async function listenForClients(serve: (client: net.Socket, startup: Buffer) => void): Promise<Pooler> {
  const sockets = new Set<net.Socket>();
  // A client that ends its connection waits until the server does so too.
  const server = net.createServer({ allowHalfOpen: true }, (client) => {
    sockets.add(client);
    client.on('close', () => sockets.delete(client));
    client.on('error', () => undefined);
    client.once('data', (startup) => serve(client, startup));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as net.AddressInfo).port,
    cut,
    close() {
      cut();
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
export function startSharingPooler(schema: string, queries: string[]): Promise<Pooler> {
  return startAnsweringDatabase(() => ({ ...hostState(schema), pid: '4711' }), queries);
}

/**
 * Answers every query with one row. It never ends a connection.
 * @param answer gets the number of the connection, from 1
 */
export function startAnsweringDatabase(
  answer: (connection: number) => Readonly<Record<string, string>>,
  queries: string[] = [],
): Promise<Pooler> {
  const ready = message('Z', Buffer.from('I'));
  let connections = 0;
  return listenForClients((client) => {
    connections += 1;
    const connection = connections;
    client.write(Buffer.concat([message('R', int32(0)), ready]));
    client.on('data', (query) => {
      if (query.toString('latin1', 0, 1) !== 'Q') return;
      queries.push(query.toString('utf8', 5).replace(/\0$/, ''));
      const row = answer(connection);
      client.write(Buffer.concat([describeRow(Object.keys(row)), dataRow(Object.values(row)), complete(), ready]));
    });
  });
}

export const hostState = (schema: string) => ({ read_only: 'off', search_path: schema, statement_timeout: '5s' });

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
