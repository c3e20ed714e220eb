import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { servicePrefix } from '../../../../../src/contract/prefix.ts';
import { adminClient, startServer, type TestServer } from '../../../../harness.ts';
import { createMemorySink } from '../../../audit/memory-sink.ts';
import { openStore } from '../../../store/temp-store.ts';
import { send } from '../../control-client.ts';

const groups = `${servicePrefix}/groups`;
const labels = (status: number) =>
  `http_request_method="GET",http_route="${groups}",http_response_status_code="${status}",operation="groups.list"`;
const asAdmin = { Authorization: `Basic ${btoa(`${adminClient.clientId}:${adminClient.clientSecret}`)}` };

async function figures(server: TestServer, path = '/metrics'): Promise<string> {
  const response = await send(server, path);
  expect(response).toMatchObject({
    status: 200,
    headers: { 'content-type': expect.stringContaining('text/plain; version=0.0.4') },
  });
  return response.body as string;
}

/** Removes values that differ on each run, such as the event-loop delay. */
function withoutDelays(text: string): string {
  return text.replaceAll(/^(iam_event_loop_delay_seconds\{.*\}) .*$/gm, '$1');
}

test('metrics cover the disk, the audit log and the event loop', async () => {
  const parent = await mkdtemp(path.join(os.tmpdir(), 'iam-metrics-'));
  const audit = { ...createMemorySink(), health: () => ({ writable: false, lost: 3 }) };
  let clock = 0;
  const stopwatch = { now: () => (clock += 250) };
  {
    await using server = await startServer({
      audit,
      openStore: () => openStore(path.join(parent, 'store'), { stopwatch }),
    });
    const before = numberOf(await figures(server), 'iam_store_syncs_total');
    await server.admin.groups.create({ body: { groupName: 'one' } });
    const text = await figures(server);
    const syncs = numberOf(text, 'iam_store_syncs_total');
    expect(syncs).toBeGreaterThan(before);
    expect(numberOf(text, 'iam_store_sync_seconds_total')).toBe(syncs / 4);
    expect(numberOf(text, 'iam_store_journal_bytes')).toBeGreaterThan(100);
    expect(text).toContain('iam_audit_writable 0\n');
    expect(text).toContain('iam_audit_lines_lost_total 3\n');
    expect(text).toMatch(/iam_event_loop_delay_seconds\{quantile="0\.99"\} \d/);
  }
  await rm(parent, { recursive: true });
});

function numberOf(text: string, name: string): number {
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
}

test('metrics cover requests by operation and status, and the store', async () => {
  await using server = await startServer();
  await send(server, groups, { headers: asAdmin });
  await send(server, groups, { headers: asAdmin });
  await send(server, groups);
  const text = await figures(server);
  expect(text).toContain('# TYPE http_server_request_duration_seconds histogram');
  expect(text).toContain(`http_server_request_duration_seconds_count{${labels(200)}} 2\n`);
  expect(text).toContain(`http_server_request_duration_seconds_count{${labels(401)}} 1\n`);
  expect(text).toContain(`http_server_request_duration_seconds_bucket{${labels(200)},le="+Inf"} 2\n`);
  expect(text).toMatch(/iam_store_rows\{table="groups"\} [1-9]/);
  expect(text).toContain('iam_store_writable 1\n');
  expect(text).toContain('iam_hashes_waiting 0\n');
  expect(withoutDelays(await figures(server, '/_iam/metrics'))).toBe(withoutDelays(text));
});

test('metrics are not reset with coverage', async () => {
  await using server = await startServer();
  await send(server, groups, { headers: asAdmin });
  await send(server, '/_iam/coverage', { method: 'DELETE' });
  expect(await figures(server)).toContain(`_count{${labels(200)}} 1\n`);
});

test('metrics contain the template of a path, and no id', async () => {
  await using server = await startServer();
  await send(server, `${groups}/some-id`, { headers: asAdmin });
  const text = await figures(server);
  expect(text).toContain(`http_route="${groups}/{groupId}"`);
  for (const word of ['some-id', adminClient.clientId, 'Bearer']) expect(text).not.toContain(word);
});

test('/metrics has the same access rules as the control plane', async () => {
  await using server = await startServer();
  expect(await send(server, '/metrics', { headers: { Origin: 'https://evil.example' } })).toMatchObject({
    status: 403,
  });
  expect(await send(server, '/metrics', { method: 'POST' })).toMatchObject({ status: 405 });
  await using remote = await startServer({ flags: { host: '0.0.0.0', 'allow-remote': true } });
  expect(await send(remote, '/metrics')).toMatchObject({ status: 401 });
  const auditor = await remote.makeClient({ authorities: ['IAM_ADMIN_READ_ONLY'] });
  const headers = { Authorization: `Basic ${btoa(`${auditor.clientId}:${auditor.clientSecret}`)}` };
  expect(await send(remote, '/metrics', { headers })).toMatchObject({ status: 200 });
  await using off = await startServer({ flags: { 'disable-control-plane': true } });
  expect(await send(off, '/metrics')).toMatchObject({ status: 404 });
});
