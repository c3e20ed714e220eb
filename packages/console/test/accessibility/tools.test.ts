/** The states of the token inspector, the signing keys and the state page with the rules of WCAG 2.2 AA. */
import { describe, test } from 'vitest';
import { isFullRun } from '../../../../test/effort.ts';
import { hasBrowser } from '../harness/browser.ts';
import { longName, useStates } from './view-states.ts';

describe.runIf(hasBrowser && isFullRun)('all states', () => {
  const { open, send } = useStates({ seed: { users: [{ userId: 'ann', userName: 'ann' }] } });

  test('of tokens and signing keys', async () => {
    const { body } = await send('/_iam/sessions', { method: 'POST', body: { userId: 'ann' } });
    const { page, check, click } = await open('tokens');
    const inspect = async (token: string) => {
      await page.getByRole('textbox', { name: 'Token' }).fill(token);
      await click('Inspect');
    };
    await inspect('demo-only-nothing');
    await check('This is no token of this server');
    await inspect((body as { accessToken: string }).accessToken);
    await check('The server accepts this token');
    await click('Revoke the token');
    await check('The server rejects it from then on');
    await click('Cancel');
    await click('Rotate the keys');
    await page.getByText('retired').first().waitFor();
    await click('Move the clock to its expiry');
    await check('The server rejects this token: expired');
  });

  test('of the state', async () => {
    await send('/_iam/state/snapshots', { method: 'POST', body: { name: 'before' } });
    await send('/_iam/state/snapshots', { method: 'POST', body: { name: `${'long-'.repeat(12)}end` } });
    const users = [{ userId: 'zed', userName: longName }];
    await send('/_iam/seed', { method: 'POST', body: { users } });
    const { page, check, click } = await open('state');
    await page.getByRole('list', { name: 'Objects that differ' }).getByText(longName).first().waitFor();
    await page.getByLabel('Name of a new snapshot').fill('two words');
    await click('Save');
    await page.locator('[aria-invalid="true"]').waitFor();
    await check('before');
    await click('Restore the snapshot before');
    await check('Restore the snapshot before');
    await click('Cancel');
    const choosing = page.waitForEvent('filechooser');
    await click('Import a state');
    const chooser = await choosing;
    await chooser.setFiles({ name: 'state.json', mimeType: 'application/json', buffer: Buffer.from('{}') });
    await click('Replace the state');
    await page.getByRole('dialog').getByRole('alert').waitFor();
    await check('All current data is replaced');
  });
});
