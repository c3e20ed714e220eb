/** Logs users in to browsers that a test drives, such as those of Playwright, without the login pages. */
import type { AppContext } from '../server/app-context.ts';
import { startBrowserWithoutPassword } from '../server/auth/sign-in.ts';
import { describeLogin } from '../server/sessions/browser-sessions.ts';
import { assertKnownKeys } from './assert-known-keys.ts';
import { withCaller } from './caller-stack.ts';
import { readLevel, type SignInOptions } from './sign-in.ts';

/** The cookie of a browser session, as the method `addCookies` of Playwright accepts it. */
export interface BrowserCookie {
  readonly name: string;
  readonly value: string;
  readonly url: string;
  readonly httpOnly: boolean;
  readonly secure: boolean;
  readonly sameSite: 'Lax';
}

/** What is needed of a page of Playwright. */
export interface BrowserPage {
  context(): { addCookies(cookies: BrowserCookie[]): Promise<void> };
}

export interface BrowserLoginOptions {
  /** Authentication level. Default: AUTH-BASIC, as after a password login. */
  readonly level?: SignInOptions['level'];
}

export interface BrowserLogin {
  readonly cookie: BrowserCookie;
  readonly userId: string;
  readonly sessionId: string;
}

export interface Browsers {
  /**
   * Logs a user, by id or any login name, in to the browser of a page: applications get their codes without a login page.
   * @throws InputError for an unknown level; IamError if the user does not exist or is locked.
   */
  login(page: BrowserPage, user: string, options?: BrowserLoginOptions): Promise<BrowserLogin>;
}

const optionNames = { level: true } as const;

export function createBrowsers(getContext: () => AppContext): Browsers {
  return {
    login: withCaller(async (page: BrowserPage, user: string, options: BrowserLoginOptions = {}) => {
      assertKnownKeys('browser.login', options, optionNames);
      const level = readLevel(options);
      const context = getContext();
      const browser = await startBrowserWithoutPassword({ userId: user, userName: user, level }, context);
      const login = describeLogin(browser, context);
      await page.context().addCookies([login.cookie]);
      return login;
    }),
  };
}
