/** The class of the response to a request, the same for every server. */
import type { Page } from '../server/oauth/browser.ts';

/** `page` is one for the person alone; with `error` or `code`, the application has got it, as it asked for it. */
export interface Outcome {
  readonly kind: 'page' | 'interaction' | 'code' | 'tokens' | 'error';
  readonly error?: string;
  /** What else the application has got, and how. */
  readonly details?: string;
}

export function describeOutcome({ kind, error = '', details = '' }: Outcome): string {
  return [kind, error, details].filter((word) => word !== '').join(' ');
}

/** @param redirectUris where the application waits */
export function classifyPage(page: Page, redirectUris: readonly string[]): Outcome {
  if (page.location !== undefined) {
    const target = new URL(page.location, page.url);
    const at = `${target.origin === 'null' ? target.protocol : target.origin}${target.pathname}`;
    if (redirectUris.some((uri) => withoutPort(at) === withoutPort(uri)))
      return classifyResponse(
        new URLSearchParams(target.hash === '' ? target.search : target.hash.slice(1)),
        'redirect',
      );
    if (target.pathname.startsWith('/interaction/')) return { kind: 'interaction' };
    return { kind: 'page', error: `redirect to ${at}` };
  }
  const action = /<form[^>]* action="([^"]*)"/.exec(page.text)?.[1] ?? '';
  if (redirectUris.some((uri) => withoutPort(action) === withoutPort(uri))) {
    const inputs = [...page.text.matchAll(/name="([^"]*)" value="([^"]*)"/g)];
    return classifyResponse(
      new URLSearchParams(inputs.map(([, name = '', value = '']) => `${name}=${value}`).join('&')),
      'form',
    );
  }
  if (page.status === 200 && action.startsWith('login?')) return { kind: 'interaction' };
  const link = (/<a href="([^"]*)"/.exec(page.text)?.[1] ?? '').replaceAll('&amp;', '&');
  return redirectUris.some((uri) => link.startsWith(`${uri}?error=`))
    ? classifyResponse(new URL(link).searchParams, 'link')
    : { kind: 'page' };
}

const withoutPort = (uri: string): string => uri.replace(/^(http:\/\/127\.0\.0\.1):\d+/, '$1');

function classifyResponse(response: URLSearchParams, mode: string): Outcome {
  const given = ['state', 'iss'].filter((name) => response.has(name));
  const error = response.get('error');
  const details = [mode, ...given].join(' ');
  return error === null ? { kind: 'code', details } : { kind: 'error', error, details };
}

export interface TokenResponse {
  readonly status: number;
  readonly json: Readonly<Record<string, unknown>>;
}

export function classifyTokens({ status, json }: TokenResponse): Outcome {
  if (status !== 200) return { kind: 'error', error: String(json.error), details: String(status) };
  const given = ['id_token', 'refresh_token'].filter((name) => name in json);
  return {
    kind: 'tokens',
    details: [...given, `scope=${[...String(json.scope).split(' ')].sort().join(' ')}`].join(' '),
  };
}
