/** A server whose callers open more connections than it has file descriptors. */
import { once } from 'node:events';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { servicePrefix } from '../../../src/contract/prefix.ts';
import { boundConnections } from '../../../src/server/limits/connections/descriptor-limit.ts';
import { createLauncher, type Launcher, type Ready } from './spawn.ts';

describe('the number of connections', () => {
  test.each([
    [2000, 20_000, 2000],
    [2000, 1024, 924],
    [2000, 200, 100],
    [2000, 128, 64],
    [10, 1024, 10],
    [2000, 1, 1],
  ])('of %i, with %i descriptors, is %i', (maxConnections, descriptors, expected) => {
    expect(boundConnections(maxConnections, descriptors)).toBe(expected);
  });
});

// Linux accepts every address of 127.0.0.0/8 as the source of a connection.
describe.skipIf(process.platform !== 'linux')('with 128 descriptors and 300 idle connections (Linux only)', () => {
  let launcher: Launcher;
  const idle: Socket[] = [];

  beforeAll(async () => {
    launcher = await createLauncher();
  });
  afterAll(() => {
    for (const socket of idle) socket.destroy();
    launcher.remove();
  });

  async function openIdle(port: number): Promise<void> {
    const socket = connect({ host: '127.0.0.1', port });
    socket.on('error', () => {});
    idle.push(socket);
    await once(socket, 'connect');
  }

  async function createGroup({ url, adminClientId, adminClientSecret }: Ready, groupName: string): Promise<number> {
    const authorization = `Basic ${btoa(`${adminClientId}:${adminClientSecret}`)}`;
    const headers = { authorization, 'content-type': 'application/json' };
    const options = { method: 'POST', headers, localAddress: '127.0.0.2', agent: false };
    const call = request(`${url}${servicePrefix}/groups`, options);
    call.end(JSON.stringify({ groupName }));
    const [response] = await once(call, 'response');
    response.resume();
    return response.statusCode;
  }

  test('serves another source, and its store writes, starts and stops', async () => {
    const data = path.join(launcher.folder(), 'store');
    const run = launcher.start({ flags: { data, 'log-level': 'warn' }, descriptors: 128 });
    const ready = await run.ready();
    const port = Number(new URL(ready.url).port);
    for (let count = 0; count < 300; count += 1) await openIdle(port);
    for (let number = 1; number <= 20; number += 1) expect(await createGroup(ready, `group ${number}`)).toBe(201);
    run.process.kill('SIGTERM');
    expect(await run.exit()).toBe(0);
    expect(run.stderr()).not.toMatch(/EMFILE|checkpoint-failed|write-failed/);
  });
});
