/** A real browser logs in through two applications with one login, and logs out of both with one logout. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findViewProblems } from '../../packages/console/test/harness/axe-violations.ts';
import { acquirePage, hasBrowser, releasePage } from '../../packages/console/test/harness/browser.ts';
import { type Service, startService, user } from './applications.ts';

let service: Service;
let page: Page;
let shop: string;
let mail: string;

const press = (name: string) => page.getByRole('button', { name, exact: true }).click();

async function logIn(password = user.password): Promise<void> {
  await page.getByLabel('User name or e-mail').fill(user.userName);
  await page.getByLabel('Password').fill(password);
  await press('Log in');
}

const readBody = async (): Promise<string> => (await page.textContent('body')) ?? '';

/** Starts the login of the application with Auth.js, whose own page asks where to log in. */
async function logInToMail(): Promise<void> {
  await page.goto(`${mail}/auth/signin?callbackUrl=${encodeURIComponent(`${mail}/auth/session`)}`);
  await page.getByRole('button', { name: 'Sign in with IAM' }).click();
}

describe.runIf(hasBrowser)('in Chromium', () => {
  beforeAll(async () => {
    service = await startService();
    [shop, mail] = [await service.start('express-openid-connect'), await service.start('auth-js')];
    page = await acquirePage();
  });
  afterAll(async () => {
    await releasePage(page);
    await service[Symbol.asyncDispose]();
  });

  test('one login is for both applications, and one logout', async () => {
    await page.goto(`${shop}/login`);
    expect(await findViewProblems(page)).toEqual([]);
    await logIn('wrong');
    await expect.poll(() => page.getByRole('alert').textContent()).toContain('is wrong');
    expect(await page.getByLabel('User name or e-mail').inputValue()).toBe(user.userName);
    expect(await findViewProblems(page)).toEqual([]);
    await logIn();
    await page.waitForURL(`${shop}/`);

    await logInToMail();
    await page.getByRole('heading', { name: 'Allow auth-js?' }).waitFor();
    expect(await findViewProblems(page)).toEqual([]);
    await press('Allow');
    await page.waitForURL(`${mail}/auth/session`);
    expect(JSON.parse(await readBody())).toMatchObject({ profile: { sub: 'ada-id' } });

    await page.goto(shop);
    await page.getByRole('link', { name: 'Log out' }).click();
    await page.getByRole('link', { name: 'Log in' }).waitFor();
    await page.goto(`${mail}/auth/session`);
    expect(JSON.parse(await readBody())).toMatchObject({ error: 'invalid_grant' });
    await logInToMail();
    await page.getByLabel('Password').waitFor();
  });

  test('without the ID token, the user confirms the logout', async () => {
    await page.goto(`${shop}/login`);
    await logIn();
    await page.waitForURL(`${shop}/`);
    await page.goto(service.logout);
    expect(await findViewProblems(page)).toEqual([]);
    await press('Log out');
    await page.getByRole('heading', { name: 'You are logged out' }).waitFor();
    expect(await findViewProblems(page)).toEqual([]);
  });
});
