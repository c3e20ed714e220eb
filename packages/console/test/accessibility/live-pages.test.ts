/** The states of requests, inbox and faults with the rules of WCAG 2.2 AA. */
import { describe, expect, test } from 'vitest';
import { isFullRun } from '../../../../test/effort.ts';
import { appClientId } from '../../../../test/harness.ts';
import { hasBrowser } from '../harness/browser.ts';
import { longName, useStates } from './view-states.ts';

const groups = '/security/iam/v1/groups';

describe.runIf(hasBrowser && isFullRun)('all states', () => {
  const { open, read, send, service } = useStates({
    seed: {
      users: [{ userId: 'ann', userName: 'ann', userEmail: `${'long.address.'.repeat(4)}@example.com` }],
      groups: [{ groupName: longName, roles: ['ADMIN'] }],
    },
  });

  test('of requests', async () => {
    const client = await service().makeClient({ clientId: `client-${'long-'.repeat(10)}` });
    const headers = { Authorization: `Basic ${btoa(`${client.clientId}:${client.clientSecret}`)}` };
    await send(groups, { method: 'POST', headers, body: { groupName: longName } });
    await send(`${groups}/${encodeURIComponent(longName)}?name=${'x'.repeat(100)}`);
    const { page, check, click } = await open('requests');
    await check('2 in all');
    await click('groups.create');
    await check('The nearest way in');
    await page.keyboard.press('Escape');
    await page.getByLabel('Caller').fill('unknown');
    await check('No requests match');
    await page.goto(`${service().url}/_iam/console/requests?status=wrong`);
    await check('status must be a status');
    await page.goto(`${service().url}/_iam/console/requests/unknown`);
    await check('This request is not in the log any more');
  });

  test('of the inbox', async () => {
    const path = `/security/iam/v1/user-identities/retrieve-identity?clientId=${appClientId}`;
    for (const _ of [1, 2]) await send(path, { method: 'POST', body: { userName: 'ann' } });
    const { page, check, click } = await open('inbox');
    await check('Replaced');
    await page.getByRole('row').filter({ hasText: 'Replaced' }).getByRole('button').first().click();
    await check('Replaced by');
    await page.keyboard.press('Escape');
    await click('Clear the inbox');
    await check('All messages are deleted');
    await click('Delete all messages');
    await check('No messages yet');
  });

  test('of faults', async () => {
    const rules = [{ effect: { latency: '100ms', jitter: '50ms' }, caller: `client-${'long-'.repeat(10)}`, times: 3 }];
    for (const body of rules) await send('/_iam/faults', { method: 'POST', body });
    const { page, check, click } = await open('faults?operation=groups.create');
    await page.getByLabel('At most, times').fill('many');
    await click('Add');
    await check('times must be');
    await page.getByLabel('At most, times').fill('2');
    await click('Add');
    await check(/^Added the rule/);
    await click('Remove all');
    await check('2 rules are removed.');
    expect(await read('/_iam/faults')).toHaveLength(2);
  });
});
