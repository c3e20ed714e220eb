/** Servers without their database: what they still answer. */
import { expect, test } from 'vitest';
import { servicePrefix } from '../../../src/contract/prefix.ts';
import { adminClient } from '../../harness.ts';
import { send } from '../../server/control/control-client.ts';
import { startCuttingProxy } from '../cutting-proxy.ts';
import { databaseUrl } from '../database.ts';
import { startReplicas } from './replicas.ts';

test('a token is rejected only after a look for its key: without the database, the response is 503', async () => {
  await using proxy = await startCuttingProxy(databaseUrl);
  await using replicas = await startReplicas({ count: 1, databaseUrl: proxy.url });
  const [server] = replicas.servers;
  const { accessToken } = await server.as(adminClient).clientIdentities.login();
  const [header = '', ...others] = accessToken.split('.');
  const decoded = JSON.parse(Buffer.from(header, 'base64url').toString()) as object;
  const otherHeader = Buffer.from(JSON.stringify({ ...decoded, kid: 'iam-standin-other' })).toString('base64url');
  const unknown = [otherHeader, ...others].join('.');
  const call = async (token: string) => (await server.as({ token }).raw('GET', `${servicePrefix}/groups`)).status;
  const introspect = async (token: string) => {
    const headers = {
      authorization: `Basic ${btoa(`${adminClient.clientId}:${adminClient.clientSecret}`)}`,
      'content-type': 'application/x-www-form-urlencoded',
    };
    const body = `token=${token}`;
    return (await fetch(`${server.url}/oauth2/introspect`, { method: 'POST', headers, body })).status;
  };
  expect(await call(accessToken)).toBe(200);
  proxy.refuse();
  // Several at once: one failed look answers all that waited for it.
  expect(await Promise.all([unknown, unknown, accessToken].map(call))).toEqual([503, 503, 503]);
  expect(await introspect(unknown)).toBe(503);
  const metrics = await send(server, '/_iam/metrics');
  expect(metrics).toMatchObject({ status: 200, body: expect.stringMatching(/^iam_store_writable 0$/m) });
  expect(metrics.body).not.toMatch(/^(iam_store_rows|iam_store_synchronous_standbys)[{ ]/m);
  proxy.restore();
  await expect.poll(() => call(accessToken)).toBe(200);
  expect([await call(unknown), await introspect(unknown)]).toEqual([401, 200]);
});
