/** The console of servers that lack something: test features, an administrator client. */
import { describe, expect, test } from 'vitest';
import { faultPresetNames, formatPreset } from '../../../../src/contract/testing/fault-effects.ts';
import { isFullRun } from '../../../../test/effort.ts';
import { adminClient, startServer } from '../../../../test/harness.ts';
import { send } from '../../../../test/server/control/control-client.ts';
import { hasBrowser } from '../harness/browser.ts';
import { openClock, openConsole } from '../harness/console-page.ts';
import { listDisabledButtons } from './log-in.ts';

const seed = { users: [{ userId: 'alice' }] };
const withoutFeatures = 'Test features are off on this server: start it with --test-features on.';
const withoutClient = 'No client of this server has the authority IAM_ADMIN_MAINTENANCE.';

describe.skipIf(!hasBrowser)('the console of a server', () => {
  test('without test features issues no tokens, and adds no fault', async () => {
    await using server = await startServer({ seed, flags: { 'test-features': 'off' } });
    const { page, problems } = await openConsole(server.url, { path: 'users/alice' });
    await page.getByRole('heading', { name: 'alice' }).waitFor();
    const operations = ['Edit', 'Lock', 'Delete', 'Add to a group', 'Add a contact'];
    await expect
      .poll(() => listDisabledButtons(page))
      .toEqual(Object.fromEntries(['Sign in as', ...operations].map((name) => [name, withoutFeatures])));
    await page.getByRole('link', { name: 'Faults' }).click();
    await expect
      .poll(() => listDisabledButtons(page))
      .toEqual({
        ...Object.fromEntries(['Add', ...faultPresetNames.map(formatPreset)].map((name) => [name, withoutFeatures])),
        'Remove all': 'Nothing to remove.',
      });
    // The control plane itself has no roles on loopback.
    await openClock(page);
    await page.getByRole('button', { name: 'Freeze' }).click();
    await page.getByRole('button', { name: 'Let it run' }).waitFor();
    expect((await send(server, '/_iam/clock')).body).toMatchObject({ frozen: true });
    expect(problems).toEqual([]);
  });

  test.runIf(isFullRun)('without an administrator client says so', async () => {
    await using server = await startServer({ seed });
    await server.appContext.store.transaction((tx) => tx.clients.delete(adminClient.clientId));
    const { page } = await openConsole(server.url, { path: 'users/alice' });
    await page.getByRole('heading', { name: 'alice' }).waitFor();
    await expect
      .poll(() => listDisabledButtons(page))
      .toEqual(
        Object.fromEntries(
          ['Edit', 'Lock', 'Delete', 'Add to a group', 'Add a contact'].map((name) => [name, withoutClient]),
        ),
      );
  });
});
