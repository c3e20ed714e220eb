/** Metrics of the store on PostgreSQL. */
import { expect, test } from 'vitest';
import type { TestServer } from '../../harness.ts';
import { send } from '../../server/control/control-client.ts';
import { startReplicas } from './replicas.ts';

test('transactions that ran again are counted, by each server', async () => {
  await using replicas = await startReplicas({ isPatient: true });
  const { servers } = replicas;
  const read = async (server: TestServer, name: string) =>
    Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(String((await send(server, '/_iam/metrics')).body))?.[1]);
  const commits = await read(servers[0], 'iam_store_commits_total');
  await Promise.all(
    Array.from({ length: 40 }, (_, at) =>
      (servers[at % 2] as TestServer).appContext.store.transaction(async ({ counters }) => {
        const last = (await counters.get('hot'))?.last ?? 0;
        await (last === 0
          ? counters.insert({ name: 'hot', last: 1 })
          : counters.replace({ name: 'hot', last: last + 1 }));
      }),
    ),
  );
  expect(await servers[0].appContext.store.counters.get('hot')).toMatchObject({ last: 40 });
  expect(await read(servers[0], 'iam_store_commits_total')).toBeGreaterThanOrEqual(commits + 20);
  const retries = await Promise.all(servers.map((server) => read(server, 'iam_store_retries_total')));
  expect(retries.reduce((sum, count) => sum + count)).toBeGreaterThan(0);
  expect(await read(servers[0], 'iam_store_unknown_outcomes_total')).toBe(0);
});

test('connections and lanes in use, and callers that wait for them', async () => {
  await using replicas = await startReplicas({ count: 1, isPatient: true });
  const [server] = replicas.servers;
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const work = () => server.appContext.store.transaction(() => ended);
  const running = [work(), work(), work()];
  // The server itself uses connections at any time.
  const expectLines = async (...lines: readonly RegExp[]) => {
    const text = async () => String((await send(server, '/_iam/metrics')).body);
    for (const line of lines) await expect.poll(text).toMatch(line);
  };
  try {
    await expectLines(
      /^iam_store_lanes_in_use 2$/m,
      /^iam_store_waiting\{for="lane"\} 1$/m,
      /^iam_store_waiting\{for="connection"\} 0$/m,
      /^iam_store_connections\{state="in_use"\} 2$/m,
      /^iam_store_synchronous_standbys 0$/m,
    );
  } finally {
    end();
    await Promise.all(running);
  }
  await expectLines(
    /^iam_store_lanes_in_use 0$/m,
    /^iam_store_waiting\{for="lane"\} 0$/m,
    /^iam_store_connections\{state="idle"\} [1-9]/m,
  );
});
