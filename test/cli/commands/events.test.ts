import { expect, test } from 'vitest';
import { startServer } from '../../harness.ts';
import { iam } from '../run-cli.ts';

test('events prints what happens, and ends after the requested number', async () => {
  await using server = await startServer();
  const { code, out, err } = await iam(['events', '--topics', 'clock,faults', '--count', '2'], { url: server.url });
  expect([code, err]).toEqual([0, '']);
  expect(out).toMatch(/^TOPIC +SUMMARY[^\n]*\nclock +2026-03-01T12:00:00.000Z.*\nfaults +0 rules/);
});

test('events prints one JSON object per line, and continues after an event', async () => {
  await using server = await startServer();
  const read = async (...args: readonly string[]) => {
    const { out } = await iam(['events', '--topics', 'requests', '-o', 'jsonl', ...args], { url: server.url });
    return out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { topic: string; summary: string; id: string });
  };
  const first = read('--count', '1');
  // The stream contains only what happens after its start.
  const sent: Promise<unknown>[] = [];
  const noise = setInterval(() => sent.push(server.send({ method: 'GET', path: '/security/iam/v1/groups/none' })), 20);
  const [event] = await first;
  clearInterval(noise);
  await Promise.all(sent);
  expect(event).toMatchObject({ topic: 'requests', summary: 'groups.get 401' });
  await server.send({ method: 'GET', path: '/security/iam/v1/groups/last' });
  const [next] = await read('--count', '1', '--after', String(event?.id));
  expect(next?.id).not.toBe(event?.id);
  expect(next).toMatchObject({ topic: 'requests', summary: 'groups.get 401' });
});

test('events rejects unknown topics', async () => {
  await using server = await startServer();
  expect(await iam(['events', '--topics', 'nothing'], { url: server.url })).toMatchObject({ code: 7, out: '' });
});
