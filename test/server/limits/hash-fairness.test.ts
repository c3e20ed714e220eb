/** A source, or a client of it, that requests many hashes delays only itself. */
import { Agent, request } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { createHashQueue, type HashFlow, toFlowKey } from '../../../src/server/limits/hash-queue.ts';
import { createPasswords } from '../../../src/server/users/passwords.ts';
import { appClientId, createFakeClock, startServer, type TestServer } from '../../harness.ts';
import { buildHead, open } from '../http/raw-http.ts';
import { alice, basic, password, replacePasswords, startWith } from '../operations/user-identities/login-fixtures.ts';

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Work that ends on request, in the order in which it started. */
function createWork() {
  const begun: string[] = [];
  const running: (() => void)[] = [];
  return {
    begun,
    work: (name: string) => () =>
      new Promise<string>((resolve) => {
        begun.push(name);
        running.push(() => resolve(name));
      }),
    end: () => running.shift()?.(),
    async endOne() {
      running.shift()?.();
      await settled();
    },
    async endAll() {
      for (; running.length > 0; await settled()) running.shift()?.();
    },
  };
}

const flow = (network: string, clientId?: string, key = network): HashFlow => ({
  flow: toFlowKey({ network, key }, clientId),
});

/** A queue that runs one hash at a time, with one of another source running. */
async function queueWith(waiting: number) {
  const queue = createHashQueue({ concurrency: 1, maxWaiting: waiting, clock: createFakeClock() });
  const { work, ...control } = createWork();
  const outcomes = new Map<string, string>();
  function run(name: string, on: HashFlow) {
    const ran = queue.run(work(name), on).then(
      () => 'done',
      (error: { code?: string; name: string }) => error.code ?? error.name,
    );
    void ran.then((outcome) => outcomes.set(name, outcome));
    return ran;
  }
  void run('first', flow('other'));
  await settled();
  return { queue, run, outcomes, ...control };
}

const times = (count: number) => Array.from({ length: count }, (_, at) => at);

describe('the queue of hashes', () => {
  test('serves two sources in turn, however many of one wait', async () => {
    const { run, begun, endAll } = await queueWith(100);
    for (const at of times(50)) void run(`flood ${at}`, flow('192.0.2.1'));
    for (const at of times(3)) void run(`other ${at}`, flow('192.0.2.2'));
    await endAll();
    expect(begun.slice(1, 8)).toEqual(['flood 0', 'other 0', 'flood 1', 'other 1', 'flood 2', 'other 2', 'flood 3']);
    expect(begun).toHaveLength(54);
  });

  test('serves the authenticated clients of a source in turn, and unauthenticated requests as one more client', async () => {
    const { run, begun, endAll } = await queueWith(100);
    for (const at of times(5)) void run(`plain ${at}`, flow('192.0.2.1'));
    for (const at of times(2)) void run(`shop ${at}`, flow('192.0.2.1', 'shop'));
    for (const at of times(2)) void run(`bank ${at}`, flow('192.0.2.1', 'bank'));
    await endAll();
    expect(begun.slice(1, 7)).toEqual(['plain 0', 'shop 0', 'bank 0', 'plain 1', 'shop 1', 'bank 1']);
  });

  test('serves the addresses that a client forwards in turn, without a larger share for the client', async () => {
    const { run, begun, endAll } = await queueWith(100);
    for (const at of times(4)) void run(`shop ${at}`, flow('192.0.2.1', 'shop', `198.51.100.${at} via shop`));
    for (const at of times(2)) void run(`other ${at}`, flow('192.0.2.2'));
    await endAll();
    expect(begun.slice(1, 6)).toEqual(['shop 0', 'other 0', 'shop 1', 'other 1', 'shop 2']);
  });

  test('leaves no slot free while a request waits', async () => {
    const queue = createHashQueue({ concurrency: 2, maxWaiting: 100, clock: createFakeClock() });
    const { work, begun, endOne } = createWork();
    const all = times(10).map((at) => queue.run(work(`only ${at}`), flow('192.0.2.1')));
    await settled();
    for (const at of times(10)) {
      expect(begun).toHaveLength(Math.min(10, at + 2));
      await endOne();
    }
    expect(await Promise.all(all)).toHaveLength(10);
    expect(queue.waiting()).toBe(0);
  });

  test('rejects, when it is full, the newest of the longest source in favour of a shorter one', async () => {
    const { queue, run, outcomes, begun, endAll } = await queueWith(4);
    for (const at of times(4)) void run(`flood ${at}`, flow('192.0.2.1'));
    void run('other', flow('192.0.2.2'));
    await settled();
    expect([...outcomes]).toEqual([['flood 3', 'TOO_BUSY']]);
    expect(queue.waiting()).toBe(4);
    await endAll();
    expect(begun).toEqual(['first', 'flood 0', 'other', 'flood 1', 'flood 2']);
  });

  test('rejects, when it is full, a request of the longest source itself', async () => {
    const { run, outcomes, endAll } = await queueWith(4);
    for (const at of times(3)) void run(`flood ${at}`, flow('192.0.2.1'));
    void run('other', flow('192.0.2.2'));
    await expect(run('flood 3', flow('192.0.2.1'))).resolves.toBe('TOO_BUSY');
    await endAll();
    expect([...outcomes.values()].filter((outcome) => outcome === 'TOO_BUSY')).toHaveLength(1);
  });

  test('rejects within a source the newest of its longest client', async () => {
    const { run, outcomes, endAll } = await queueWith(4);
    for (const at of times(3)) void run(`plain ${at}`, flow('192.0.2.1'));
    void run('other', flow('192.0.2.2'));
    void run('shop', flow('192.0.2.1', 'shop'));
    await settled();
    expect([...outcomes]).toEqual([['plain 2', 'TOO_BUSY']]);
    await endAll();
    expect(outcomes.get('shop')).toBe('done');
  });

  test('never exceeds its size', async () => {
    const { queue, run, outcomes, endAll } = await queueWith(10);
    for (const at of times(1000)) void run(`${at}`, flow(`192.0.2.${at % 250}`, at % 3 === 0 ? 'shop' : undefined));
    expect(queue.waiting()).toBe(10);
    await endAll();
    expect([...outcomes.values()].filter((outcome) => outcome === 'done')).toHaveLength(11);
  });

  test('passes the position of a caller that disconnects to the next one, and computes no hash for it', async () => {
    const { queue, run, begun, endAll } = await queueWith(2);
    const disconnect = new AbortController();
    const cancelled = run('cancelled', { ...flow('192.0.2.1'), disconnectSignal: () => disconnect.signal });
    void run('stays', flow('192.0.2.1'));
    disconnect.abort();
    await expect(cancelled).resolves.toBe('ClientDisconnectedError');
    expect(queue.waiting()).toBe(1);
    void run('next', flow('192.0.2.1'));
    await endAll();
    expect(begun).toEqual(['first', 'stays', 'next']);
  });

  test('computes no hash for a caller that disconnected before it had to wait', async () => {
    const { queue, run } = await queueWith(2);
    await expect(run('cancelled', { ...flow('192.0.2.1'), disconnectSignal: () => AbortSignal.abort() })).resolves.toBe(
      'ClientDisconnectedError',
    );
    expect(queue.waiting()).toBe(0);
  });

  test('is unchanged by a caller that disconnects while its hash runs', async () => {
    const { run, begun, endOne, endAll } = await queueWith(5);
    const disconnect = new AbortController();
    const cancelled = run('cancelled', { ...flow('192.0.2.1'), disconnectSignal: () => disconnect.signal });
    void run('next', flow('192.0.2.1'));
    await endOne();
    disconnect.abort();
    await endAll();
    await expect(cancelled).resolves.toBe('done');
    expect(begun).toEqual(['first', 'cancelled', 'next']);
  });
});

const agents: Agent[] = [];
afterEach(() => {
  for (const agent of agents.splice(0)) agent.destroy();
});

/** Logs users in from a loopback address, each on a separate connection. @returns the status. */
function from(server: TestServer, localAddress: string) {
  const agent = new Agent({ keepAlive: false, maxSockets: Number.POSITIVE_INFINITY });
  agents.push(agent);
  const post = (path: string, headers: Record<string, string>, body = '') =>
    new Promise<number>((resolve, reject) => {
      request(`${server.url}/security/iam/v1${path}`, { agent, localAddress, method: 'POST', headers }, (response) => {
        response.resume().once('end', () => resolve(response.statusCode ?? 0));
      })
        .once('error', reject)
        .end(body);
    });
  return {
    logIn: (name: string, secret: string) =>
      post(`/user-identities/login?clientId=${appClientId}`, { authorization: basic(name, secret) }),
    /** From a back end that authenticates itself. */
    logInBehind(client: { clientId: string; clientSecret: string }) {
      const headers = {
        authorization: basic(client.clientId, client.clientSecret),
        'content-type': 'application/json',
      };
      const body = JSON.stringify({ grantType: 'password', userName: alice.userName, password });
      return post('/generate-token', headers, body);
    },
  };
}

/** Blocks the hashes of a server until the test releases them, and records the network and client of each. */
function blockHashes(server: TestServer) {
  const { work, ...control } = createWork();
  const entered: string[] = [];
  const { hashQueue } = server.appContext;
  replacePasswords(
    server,
    createPasswords(
      {
        run(hash, by) {
          const name = by.flow.slice(0, 2).join(' ').trim();
          entered.push(name);
          return hashQueue.run(async () => {
            await work(name)();
            return hash();
          }, by);
        },
      },
      { fast: true, verify: async (secret) => secret === password },
    ),
  );
  const enteredFrom = (name: string) => entered.filter((one) => one === name).length;
  return { ...control, enteredFrom };
}

async function until(isSo: () => boolean): Promise<void> {
  for (let turn = 0; !isSo(); turn += 1) {
    if (turn > 1_000_000) throw new Error('what the test waits for does not come');
    await settled();
  }
}

/** Releases hashes until the request has a response. */
async function whileEnding(response: Promise<unknown>, end: () => void): Promise<void> {
  let finished = false;
  void response.finally(() => {
    finished = true;
  });
  await until(() => {
    end();
    return finished;
  });
}

/** Only Linux routes every address of 127.0.0.0/8. */
describe.runIf(process.platform === 'linux')('beside a flood of logins from one address', () => {
  const flood = '127.0.0.2';
  const other = '127.0.0.3';
  const maxWaitingHashes = 50;

  test('every right login from another one succeeds after a bounded number of hashes of the flood', async () => {
    await using server = await startWith([], { maxWaitingHashes });
    const { enteredFrom, begun, end } = blockHashes(server);
    const { logIn: guess } = from(server, flood);
    const guesses = times(300).map((at) => guess(`unknown-${at}`, 'no password'));
    await until(() => enteredFrom(flood) === 300);
    const logins = times(10).map(() => from(server, other).logIn(alice.userName, password));
    await until(() => enteredFrom(other) === 10);
    await whileEnding(Promise.all(logins), end);
    expect(await Promise.all(logins)).toEqual(times(10).map(() => 201));
    // Two of the flood run already; then both sources alternate.
    const turns = begun.flatMap((network, at) => (network === other ? [at] : []));
    expect(turns).toEqual(times(10).map((at) => 3 + 2 * at));
    await whileEnding(Promise.all(guesses), end);
    const statuses = await Promise.all(guesses);
    expect(statuses.filter((status) => status === 503)).toHaveLength(300 - 2 - 50 + 10);
  });

  test('an authenticated client at the same address is served in turn with it', async () => {
    await using server = await startWith([], { maxWaitingHashes });
    const { enteredFrom, begun, end } = blockHashes(server);
    const backend = await server.makeClient({ grantTypes: ['password'] });
    const { logIn: guess, logInBehind } = from(server, flood);
    const guesses = times(40).map((at) => guess(`unknown-${at}`, 'no password'));
    await until(() => enteredFrom(flood) === 40);
    const logins = times(5).map(() => logInBehind(backend));
    const flow = `${flood} ${backend.clientId}`;
    await until(() => enteredFrom(flow) === 5);
    await whileEnding(Promise.all(logins), end);
    expect(await Promise.all(logins)).toEqual(times(5).map(() => 201));
    const turns = begun.flatMap((name, at) => (name === flow ? [at] : []));
    expect(turns).toEqual(times(5).map((at) => 3 + 2 * at));
    await whileEnding(Promise.all(guesses), end);
  });

  test('disable-rate-limits does not disable the queue', async () => {
    await using server = await startWith([], { flags: { 'disable-rate-limits': true }, maxWaitingHashes });
    const { enteredFrom, end } = blockHashes(server);
    const { logIn: guess } = from(server, flood);
    const guesses = times(60).map((at) => guess(`unknown-${at}`, 'no password'));
    await until(() => enteredFrom(flood) === 60);
    await settled();
    expect(server.appContext.hashQueue.waiting()).toBe(50);
    await whileEnding(Promise.all(guesses), end);
    expect((await Promise.all(guesses)).filter((status) => status === 503)).toHaveLength(8);
  });
});

test('a caller that disconnects frees its position, gets no response, and does not count as failed', async () => {
  await using server = await startServer({ flags: { 'hash-concurrency': '1' } });
  const { begun, end } = blockHashes(server);
  const disconnect = new AbortController();
  const url = `${server.url}/security/iam/v1/user-identities/login?clientId=${appClientId}`;
  const send = (name: string, signal?: AbortSignal) =>
    fetch(url, { method: 'POST', headers: { authorization: basic(name, 'no') }, ...(signal && { signal }) });
  const first = send('first');
  await until(() => begun.length === 1);
  const cancelled = send('cancelled', disconnect.signal).catch(({ name }: Error) => name);
  await until(() => server.appContext.hashQueue.waiting() === 1);
  disconnect.abort();
  await until(() => server.appContext.hashQueue.waiting() === 0);
  expect(await cancelled).toBe('AbortError');
  await whileEnding(first, end);
  expect((await first).status).toBe(401);
  expect(begun).toHaveLength(1);
  expect(server.log.filter((line) => line.includes('"level":"error"'))).toEqual([]);
});

test('a closed connection frees the positions of all its pipelined requests', async () => {
  await using server = await startServer({ flags: { 'hash-concurrency': '1' } });
  const { begun, end } = blockHashes(server);
  const first = server.send({
    method: 'POST',
    path: `/security/iam/v1/user-identities/login?clientId=${appClientId}`,
    headers: [['Authorization', basic('first', 'no')]],
  });
  await until(() => begun.length === 1);
  const socket = await open(server);
  const path = `/security/iam/v1/user-identities/login?clientId=${appClientId}`;
  const login = (name: string) =>
    buildHead(`POST ${path} HTTP/1.1`, 'Host: localhost', 'Content-Length: 0', `Authorization: ${basic(name, 'no')}`);
  socket.write(
    times(5)
      .map((at) => login(`ahead-${at}`))
      .join(''),
  );
  await until(() => server.appContext.hashQueue.waiting() === 5);
  socket.destroy();
  await until(() => server.appContext.hashQueue.waiting() === 0);
  await whileEnding(first, end);
  expect(begun).toHaveLength(1);
});

test('a sandbox computes its hashes in the same queue', async () => {
  await using server = await startServer();
  const sandbox = await server.appContext.sandboxes.open('beside', true);
  expect(sandbox.hashQueue).toBe(server.appContext.hashQueue);
});
