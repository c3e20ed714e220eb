/** Test features are disabled on remotely reachable servers unless a setting enables them. */
import { describe, expect, test } from 'vitest';
import { servicePrefix } from '../../../src/contract/prefix.ts';
import { emailContact } from '../../../src/server/messaging/contacts.ts';
import { adminClient, startServer, type TestServer } from '../../harness.ts';
import { send } from './control-client.ts';

const headers = {
  Authorization: `Basic ${Buffer.from(`${adminClient.clientId}:${adminClient.clientSecret}`).toString('base64')}`,
};
const groups = `${servicePrefix}/groups`;
const rule = { operation: 'groups.list', effect: { status: 503 } };

async function featuresOf(server: TestServer, at = '') {
  const preferred = await send(server, at + groups, { headers: { ...headers, Prefer: 'code=503' } });
  const added = await send(server, `${at}/_iam/faults`, { method: 'POST', headers, body: rule });
  const outcome = server.appContext.outbox.findOutcome(emailContact('fixed+123456@inbox.example'));
  return { preferred: preferred.status, added: added.status, fixed: outcome?.kind };
}

const on = { preferred: 503, added: 201, fixed: 'fixed' };
const off = { preferred: 200, added: 412, fixed: undefined };

describe('test features', () => {
  test.each([
    ['on this machine', {}, on],
    ['on this machine, switched off', { 'test-features': 'off' }, off],
    ['on a remotely reachable server', { 'allow-remote': true }, off],
    ['on a remotely reachable server with the setting', { 'allow-remote': true, 'test-features': 'on' }, on],
  ] as const)('%s', async (_name, flags, expected) => {
    await using server = await startServer({ flags });
    expect(await featuresOf(server)).toEqual(expected);
    await server.appContext.sandboxes.open('one', true);
    expect(await featuresOf(server, '/s/one')).toEqual(expected);
  });

  test('a rejected fault names the setting and creates no rule', async () => {
    await using server = await startServer({ flags: { 'allow-remote': true } });
    expect(await send(server, '/_iam/faults', { method: 'POST', headers, body: rule })).toMatchObject({
      status: 412,
      body: [{ code: 'TEST_FEATURES_OFF' }],
    });
    expect((await send(server, '/_iam/faults', { headers })).body).toEqual([]);
    expect((await send(server, groups, { headers })).headers['x-iam-fault']).toBeUndefined();
  });
});
