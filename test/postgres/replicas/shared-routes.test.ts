/** What one server cannot do for the others is refused while they share a store. */
import { describe, expect, test } from 'vitest';
import { controlRoutes } from '../../../src/server/control/routes/index.ts';
import type { TestServer } from '../../harness.ts';
import { send } from '../../server/control/control-client.ts';
import { startReplicas } from './replicas.ts';

describe('servers that share a store', () => {
  test('refuse every route that needs a server alone, and change nothing', async () => {
    await using replicas = await startReplicas();
    const [first] = replicas.servers;
    const before = await first.dump();
    const exclusive = controlRoutes.filter((route) => route.exclusive);
    expect(exclusive.length).toBeGreaterThan(5);
    for (const { id, method, path } of exclusive) {
      const response = await send(first, `/_iam${path.replace(/\{\w+\}/g, 'one')}`, {
        method,
      });
      expect([id, response.status, response.body]).toEqual([
        id,
        409,
        [expect.objectContaining({ code: 'STORE_SHARED' })],
      ]);
    }
    expect(await first.dump()).toEqual(before);
    expect((await send(first, '/_iam/faults')).body).toEqual([]);
  });

  test('refuse sandboxes, which are in the memory of one server', async () => {
    await using replicas = await startReplicas();
    expect(await send(replicas.servers[0], '/s/one/security/iam/v1/groups')).toMatchObject({
      status: 409,
      body: [{ code: 'STORE_SHARED' }],
    });
  });

  test('say which of them responds, in the control plane and in the ids of requests', async () => {
    await using replicas = await startReplicas();
    const names = [];
    for (const server of replicas.servers) {
      const { headers } = await send(server as TestServer, '/_iam/requests');
      expect(headers['x-request-id']).toMatch(new RegExp(`^${headers['x-iam-replica']}-`));
      names.push(headers['x-iam-replica']);
    }
    expect(new Set(names).size).toBe(2);
  });
});
