/**
 * Sessions of browsers: found by a cookie, and shared by the applications that the user logs in to. Each browser has a cookie
 * from its first page on, which no other site can read or set: forms are bound to it. A login and a second factor replace it,
 * so that no attacker who knew the former one is logged in.
 */
import { hash } from 'node:crypto';
import type { Clock } from '../lib/clock.ts';
import { epochSeconds } from '../lib/clock.ts';
import { generateSecret, type Random } from '../lib/random.ts';
import { hashSecret, secretMatches } from '../lib/secrets.ts';
import type { Store } from '../store/store.ts';
import type { StoreSecret } from '../store/store-secret.ts';
import type { Session, User } from '../store/tables.ts';

interface BrowserDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly storeSecret: Pick<StoreSecret, 'digest'>;
  readonly issuerUrl: string;
  readonly baseUrl: string;
}

type CookieDeps = Pick<BrowserDeps, 'issuerUrl' | 'baseUrl'>;

/** A browser with the session of a user who can act in it. */
export interface LoggedIn {
  readonly session: Session & { readonly browser: NonNullable<Session['browser']> };
  readonly user: User;
}

export interface Browser {
  /** The value of its cookie. */
  readonly cookie: string;
  /** Whether the browser sent the cookie; else a response sets it. */
  readonly isKnown: boolean;
  readonly current?: LoggedIn | undefined;
}

/** The browser that sent this header. */
export async function openBrowser(deps: BrowserDeps, header: string | undefined): Promise<Browser> {
  const cookie = readCookie(header, cookieName(deps));
  if (cookie === undefined) return createBrowser(deps);
  const session = await deps.store.sessions.getBy('cookie', hashSecret(cookie));
  const user = session?.userId === undefined ? undefined : await deps.store.users.get(session.userId);
  const isActive = session !== undefined && session.endsAt > epochSeconds(deps.clock);
  const current = isActive && user?.locked === false ? toLoggedIn({ session, user }) : undefined;
  return { cookie, isKnown: true, current };
}

/** A user in a session of a browser, which a cookie found or a page of a login started. */
export function toLoggedIn({ session, user }: { readonly session: Session; readonly user: User }): LoggedIn {
  return { session: session as LoggedIn['session'], user };
}

/** A browser with a new cookie, for its first page, and after each login and second factor. */
export function createBrowser({ random }: Pick<BrowserDeps, 'random'>): Browser {
  return { cookie: generateSecret(random), isKnown: false };
}

/** How a user logged in. */
export interface LoginMoment {
  /** As in `amr` (RFC 8176). */
  readonly methods: readonly string[];
  /** Epoch seconds, if it was earlier, at a provider; 0 if that is unknown. */
  readonly authenticatedAt?: number | undefined;
}

/** What the session of a browser has: its cookie, and how and when the user logged in. */
export function toBrowserPart(
  { clock }: Pick<BrowserDeps, 'clock'>,
  { cookie }: Browser,
  { methods, authenticatedAt = epochSeconds(clock) }: LoginMoment,
): LoggedIn['session']['browser'] {
  return { cookieHash: hashSecret(cookie), authenticatedAt, methods };
}

/**
 * The same for a session that gets another cookie at a change of its level, so that no attacker who knew the former one has
 * the higher level (OWASP Session Management, "Renew the Session ID After Any Privilege Level Change").
 */
export function withCookie({ browser }: LoggedIn['session'], { cookie }: Browser): LoggedIn['session']['browser'] {
  return { ...browser, cookieHash: hashSecret(cookie) };
}

/** The header that sets the cookie; undefined if the browser has it. It ends with the browser. */
export function formatCookie({ cookie, isKnown }: Browser, deps: CookieDeps): string | undefined {
  return isKnown ? undefined : formatSetCookie(deps, cookie);
}

/** The login and its cookie as data, for browsers that a program drives. */
export function describeLogin(
  { cookie: value, current: { user, session } }: Browser & { readonly current: LoggedIn },
  deps: CookieDeps,
) {
  const [name, secure, url] = [cookieName(deps), isSecure(deps), new URL(deps.baseUrl).origin];
  const cookie = { name, value, url, httpOnly: true, secure, sameSite: 'Lax' as const };
  return { cookie, userId: user.userId, sessionId: session.sessionId };
}

/** The header that deletes the cookie. */
export function formatExpiredCookie(deps: CookieDeps): string {
  return `${formatSetCookie(deps, '')}; Max-Age=0`;
}

/** For the fields of forms: what only a page of this browser contains. @param subject what the page is about */
export function createFormToken(
  { cookie }: Browser,
  { storeSecret }: Pick<BrowserDeps, 'storeSecret'>,
  subject = '',
): string {
  return storeSecret.digest('form of a browser', `${cookie}\n${subject}`);
}

export function isFormToken(
  browser: Browser,
  token: string,
  deps: Pick<BrowserDeps, 'storeSecret'>,
  subject?: string,
): boolean {
  return browser.isKnown && secretMatches(token, hashSecret(createFormToken(browser, deps, subject)));
}

/**
 * One name for each issuer: servers of one machine, whatever their ports, and sandboxes share the cookies of a host, and the
 * path is `/` as the prefix asks for (RFC 6265bis, 4.1.3.2).
 */
function cookieName(deps: CookieDeps): string {
  return `${isSecure(deps) ? '__Host-' : ''}iam-${hash('sha256', deps.issuerUrl).slice(0, 12)}`;
}

/** By the address that browsers use, also behind a proxy that terminates TLS. The issuer can be any other one. */
function isSecure({ baseUrl }: CookieDeps): boolean {
  return new URL(baseUrl).protocol === 'https:';
}

function formatSetCookie(deps: CookieDeps, value: string): string {
  const secure = isSecure(deps) ? '; Secure' : '';
  return `${cookieName(deps)}=${value}; Path=/; HttpOnly; SameSite=Lax${secure}`;
}

/** As many characters as `generateSecret` returns. */
const cookiePattern = /^[A-Za-z0-9_-]{43}$/;

function readCookie(header: string | undefined, name: string): string | undefined {
  const values = (header ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .flatMap((pair) => (pair.startsWith(`${name}=`) ? [pair.slice(name.length + 1)] : []));
  const [value] = values;
  return values.length === 1 && value !== undefined && cookiePattern.test(value) ? value : undefined;
}
