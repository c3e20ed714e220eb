import { expect, test } from 'vitest';
import { servicePrefix } from '../../../../../src/contract/prefix.ts';
import { operations } from '../../../../../src/server/operations/index.ts';
import { adminClient, startServer, type TestServer } from '../../../../harness.ts';
import { send } from '../../control-client.ts';

const groups = `${servicePrefix}/groups`;
const asAdmin = { Authorization: `Basic ${btoa(`${adminClient.clientId}:${adminClient.clientSecret}`)}` };

interface Report {
  readonly operations: { readonly exercised: number; readonly total: number; readonly percent: number };
  readonly statuses: { readonly exercised: number; readonly total: number };
  readonly codes: { readonly exercised: number };
  readonly items: readonly {
    readonly operation: string;
    readonly calls: number;
    readonly statuses: readonly { readonly status: number; readonly calls: number }[];
    readonly codes: readonly { readonly code: string; readonly calls: number }[];
    readonly others: readonly number[];
  }[];
}

async function report(server: TestServer): Promise<Report> {
  const { status, body } = await send(server, '/_iam/coverage');
  expect(status).toBe(200);
  return body as Report;
}

test('coverage counts responses by operation, status and error code', async () => {
  await using server = await startServer();
  const all = Object.values(operations);
  const total = all.reduce((sum, { statuses }) => sum + statuses.length, 0);
  expect(await report(server)).toMatchObject({
    operations: { exercised: 0, total: all.length, percent: 0 },
    statuses: { exercised: 0, total },
    codes: { exercised: 0 },
  });
  await send(server, groups, { headers: asAdmin });
  await send(server, groups, { headers: asAdmin });
  await send(server, groups);
  await send(server, groups, { headers: { ...asAdmin, Prefer: 'code=503' } });
  await send(server, '/nothing');
  await send(server, '/_iam/users');
  const { items, ...shares } = await report(server);
  expect(shares).toMatchObject({ operations: { exercised: 1 }, statuses: { exercised: 2 }, codes: { exercised: 1 } });
  const item = items.find(({ operation }) => operation === 'groups.list');
  expect(item).toMatchObject({ calls: 4, others: [503] });
  expect(item?.statuses.filter(({ calls }) => calls > 0)).toEqual([
    { status: 200, calls: 2 },
    { status: 401, calls: 1 },
  ]);
  expect(item?.codes.filter(({ calls }) => calls > 0)).toEqual([
    { code: 'CREDENTIALS_MISSING', status: 401, calls: 1 },
  ]);
});

test('coverage ignores requests without a response and can be reset', async () => {
  await using server = await startServer();
  await send(server, '/_iam/faults', { method: 'POST', body: { effect: { drop: 'after' }, times: 1 } });
  await send(server, groups, { headers: asAdmin }).catch(() => undefined);
  expect((await report(server)).operations.exercised).toBe(0);
  await send(server, groups, { headers: asAdmin });
  expect((await report(server)).operations.exercised).toBe(1);
  expect(await send(server, '/_iam/coverage', { method: 'DELETE' })).toMatchObject({ status: 204 });
  expect((await report(server)).operations.exercised).toBe(0);
});
