/** The faults in a real browser: each effect, the errors of the server, and removal. */
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { isFullRun } from '../../../test/effort.ts';
import { adminClient } from '../../../test/harness.ts';
import { hasBrowser } from './harness/browser.ts';
import { useConsole } from './harness/use-console.ts';

describe.skipIf(!hasBrowser)('the faults', () => {
  const { command: commandOf, open, read, send } = useConsole({ isShared: true });
  beforeEach(async () => {
    await send('/_iam/faults', { method: 'DELETE' });
  });

  /** The page still has the rules of the test before for a moment. */
  async function openWithoutRules(path = 'faults') {
    const opened = await open(path);
    await opened.page.getByText('No faults').waitFor();
    return opened;
  }

  const list = async () => (await read('/_iam/faults')) as object[];
  const inject = (rule: object) => send('/_iam/faults', { method: 'POST', body: rule });

  async function choose(page: Page, label: string, option: string): Promise<void> {
    await page.getByRole('combobox', { name: label, exact: true }).click();
    await page.getByRole('option', { name: option, exact: true }).click();
  }

  /** The form ignores a rule while another is being added. */
  const submit = (page: Page) =>
    page.getByRole('button', { name: 'Add', exact: true }).and(page.locator('[aria-busy="false"]')).click();
  /** Of a rule that affects everything. */
  const confirm = (page: Page) => page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click();
  const command = (page: Page) => page.locator('.terminal').getByLabel('Command').first().textContent();

  test('are added for an operation and a caller, with the equal command', async () => {
    const { page, problems } = await openWithoutRules('faults?operation=groups.create&status=500');
    await page.getByLabel('Caller').fill('billing-service');
    await choose(page, 'Requests', 'Only the nth request');
    await page.getByLabel('Number').fill('3');
    await page.getByLabel('At most, times').fill('2');
    await expect
      .poll(() => command(page))
      .toBe(commandOf('faults add --operation groups.create --caller billing-service --nth 3 --times 2 --fail 500'));
    await submit(page);
    await page.getByRole('button', { name: /^Remove the rule/ }).waitFor();
    expect(await list()).toEqual([
      expect.objectContaining({
        operation: 'groups.create',
        caller: 'billing-service',
        nth: 3,
        times: 2,
        effect: { status: 500 },
        matched: 0,
        applied: 0,
      }),
    ]);
    expect(problems).toEqual([]);
  });

  test('of every request are confirmed', async () => {
    const { page, problems } = await openWithoutRules();
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    expect(await list()).toEqual([]);
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await confirm(page);
    await page.getByText('1 in all').waitFor();
    await page.getByRole('button', { name: 'Gateway 504' }).click();
    await confirm(page);
    await page.getByText('2 in all').waitFor();
    expect(problems).toEqual([]);
  });

  test.runIf(isFullRun)('delay, with random numbers of a seed', async () => {
    const { page, problems } = await openWithoutRules();
    await choose(page, 'Effect', 'Delay the response');
    await page.getByLabel('Latency').fill('100ms');
    await page.getByLabel('Jitter').fill('50ms');
    await choose(page, 'Requests', 'With a probability');
    await page.getByLabel('Probability').fill('0.25');
    await page.getByLabel('Seed').fill('7');
    await submit(page);
    await confirm(page);
    await page.getByRole('cell', { name: 'Delay of 100ms, up to 50ms more' }).waitFor();
    expect(await list()).toEqual([
      expect.objectContaining({ probability: 0.25, seed: 7, effect: { latency: '100ms', jitter: '50ms' } }),
    ]);
    expect(problems).toEqual([]);
  });

  test('close connections, rotate the key and serve the previous key set', async () => {
    const { page, problems } = await openWithoutRules();
    await choose(page, 'Effect', 'Close the connection');
    await choose(page, 'When', 'After its changes are stored');
    await choose(page, 'Requests', 'Every nth request');
    await page.getByLabel('Number').fill('4');
    await submit(page);
    await confirm(page);
    await page.getByText('1 in all').waitFor();
    await choose(page, 'Requests', 'Every matching request');
    await choose(page, 'Effect', 'Rotate the signing key');
    await submit(page);
    await confirm(page);
    await page.getByText('2 in all').waitFor();
    await choose(page, 'Effect', 'Serve the previous key set');
    await submit(page);
    await page.getByText('3 in all').waitFor();
    expect(await list()).toMatchObject([
      { every: 4, effect: { drop: 'after' } },
      { effect: { rotateKey: true } },
      { effect: { staleKeys: true } },
    ]);
    expect(problems).toEqual([]);
  });

  test('are presets, with the equal command, and affect documents', async () => {
    const { page, problems } = await openWithoutRules();
    await choose(page, 'Effect', 'A preset');
    await page.getByRole('combobox', { name: 'Preset', exact: true }).click();
    await page.getByRole('option', { name: /^jwks-down: / }).click();
    await expect.poll(() => command(page)).toBe(commandOf('faults add --preset jwks-down'));
    expect(await page.getByLabel('Caller').isDisabled()).toBe(true);
    await submit(page);
    await page.getByText('1 in all').waitFor();
    await choose(page, 'Effect', 'Respond with an error status');
    await choose(page, 'Operation', 'discovery');
    await page.getByLabel('Status', { exact: true }).fill('502');
    await page.getByLabel('Retry-After').fill('5');
    await page.getByLabel('Body').selectOption('html');
    await submit(page);
    await page.getByText('2 in all').waitFor();
    expect(await list()).toMatchObject([
      { target: 'jwks', effect: { status: 503 } },
      { target: 'discovery', effect: { status: 502, retryAfter: 5, body: 'html' } },
    ]);
    expect(problems).toEqual([]);
  });

  test.runIf(isFullRun)('are announced when they are added, or explained at the status', async () => {
    const { page } = await openWithoutRules('faults?operation=groups.get&status=200');
    const status = page.getByLabel('Status', { exact: true });
    await submit(page);
    await page.getByText('must be from 400 to 599').waitFor();
    expect(await status.getAttribute('aria-invalid')).toBe('true');
    await status.fill('404');
    await submit(page);
    await page.getByRole('status').getByText('404, groups.get.').waitFor();
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Add');
    expect(await list()).toEqual([expect.objectContaining({ operation: 'groups.get', effect: { status: 404 } })]);
  });

  test('that the server rejects are explained at their fields', async () => {
    const { page } = await openWithoutRules();
    await page.getByLabel('At most, times').fill('many');
    await submit(page);
    await page.getByText('times must be').waitFor();
    expect(await page.getByLabel('At most, times').getAttribute('aria-invalid')).toBe('true');
    expect(await list()).toEqual([]);
  });

  test.runIf(isFullRun)('show how often they matched and applied', async () => {
    const { page, problems } = await openWithoutRules();
    await inject({ operation: 'groups.get', nth: 2, times: 1, effect: { status: 500 } });
    const cells = page.locator('section[aria-label="Fault rules"] tbody td:not([data-phone="select"])');
    await expect
      .poll(() => cells.allTextContents())
      .toEqual(expect.arrayContaining(['groups.get', 'number 2, at most 1']));
    const headers = { Authorization: `Basic ${btoa(`${adminClient.clientId}:${adminClient.clientSecret}`)}` };
    for (const name of ['a', 'b', 'c']) await send(`/security/iam/v1/groups/${name}`, { headers });
    await expect.poll(async () => (await cells.allTextContents()).slice(5, 7)).toEqual(['3', '1, used up']);
    expect(problems).toEqual([]);
  });

  test('are removed one by one, and all after a confirmation', async () => {
    await inject({ effect: { latency: '1ms' } });
    await inject({ effect: { latency: '2ms' } });
    await inject({ effect: { latency: '3ms' } });
    const { page, problems } = await open('faults');
    await page.getByText('3 in all').waitFor();
    await page
      .getByRole('button', { name: /^Remove the rule/ })
      .first()
      .click();
    await page.getByText('2 in all').waitFor();
    expect(await list()).toMatchObject([{ effect: { latency: '2ms' } }, { effect: { latency: '3ms' } }]);
    await page.getByRole('button', { name: 'Remove all', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    expect(await list()).toHaveLength(2);
    await page.getByRole('button', { name: 'Remove all', exact: true }).click();
    await page.getByRole('button', { name: 'Remove all faults' }).click();
    await page.getByText('No faults').waitFor();
    expect(await list()).toEqual([]);
    expect(problems).toEqual([]);
  });

  test('are made of a request', async () => {
    await send('/security/iam/v1/groups/none');
    const { page, problems } = await open('requests?operation=groups.get&status=401');
    await page.getByRole('button', { name: 'groups.get' }).first().click();
    await page.getByRole('link', { name: 'Make a fault of this' }).click();
    await page.getByRole('heading', { level: 1, name: 'Faults' }).waitFor();
    expect(await page.getByLabel('Status', { exact: true }).inputValue()).toBe('401');
    await submit(page);
    await page.getByRole('status').getByText('401, groups.get.').waitFor();
    expect(await list()).toMatchObject([{ operation: 'groups.get', effect: { status: 401 } }]);
    expect(problems).toEqual([]);
  });

  test.runIf(isFullRun)('are made of a successful request with status 503', async () => {
    const headers = { Authorization: `Basic ${btoa(`${adminClient.clientId}:${adminClient.clientSecret}`)}` };
    await send('/security/iam/v1/groups', { headers });
    const { page, problems } = await open('requests?operation=groups.list&status=200');
    await page.getByRole('button', { name: 'groups.list' }).first().click();
    await page.getByRole('link', { name: 'Make a fault of this' }).click();
    await submit(page);
    await page.getByRole('status').getByText('503, groups.list.').waitFor();
    expect(await list()).toMatchObject([{ operation: 'groups.list', effect: { status: 503 } }]);
    expect(problems).toEqual([]);
  });
});
