/** A browser without scripts: follows no redirect, keeps cookies, sends forms. */
import { createHash } from 'node:crypto';

export interface Page {
  readonly url: string;
  readonly status: number;
  readonly location: string | undefined;
  readonly headers: Headers;
  readonly text: string;
}

type Fields = Readonly<Record<string, string>>;

export interface TestBrowser {
  get(url: string): Promise<Page>;
  /** Sends the form of this step of a page, with its hidden fields and these. */
  submit(page: Page, step: string, fields?: Fields): Promise<Page>;
  /** @param form its fields, or its text */
  post(url: string, form: Fields | string): Promise<Page>;
  cookie(): string;
  /** Another one with the cookies that it has now. */
  copy(): TestBrowser;
}

/** @param headers of each request */
export function createBrowser(headers: Fields = {}, cookies = new Map<string, string>()): TestBrowser {
  const send = async (url: string, init: RequestInit = {}): Promise<Page> => {
    const response = await fetch(url, {
      ...init,
      redirect: 'manual',
      headers: { ...headers, ...init.headers, cookie: [...cookies].map((pair) => pair.join('=')).join('; ') },
    });
    for (const header of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(header) ?? [];
      if (header.includes('Max-Age=0')) cookies.delete(name);
      else cookies.set(name, value);
    }
    const { status } = response;
    const location = response.headers.get('location') ?? undefined;
    return { url, status, headers: response.headers, location, text: await response.text() };
  };
  const post = (url: string, form: Fields | string) =>
    send(url, {
      method: 'POST',
      body: new URLSearchParams(form).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
  return {
    get: (url) => send(url),
    post,
    cookie: () => [...cookies.values()].join(),
    copy: () => createBrowser(headers, new Map(cookies)),
    submit(page, step, fields = {}) {
      const form = findForm(page.text, step);
      return post(new URL(form.action, page.url).href, { ...form.hidden, ...fields });
    },
  };
}

function findForm(text: string, step: string): { readonly action: string; readonly hidden: Fields } {
  const forms = [...text.matchAll(/<form method="post" action="([^"]*)">(.*?)<\/form>/gs)];
  const hiddenOf = (content = '') =>
    Object.fromEntries(
      [...content.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)].map(([, name, value = '']) => [
        name,
        decodeEntities(value),
      ]),
    );
  const found = forms.map(([, action = '', content]) => ({
    action: decodeEntities(action),
    hidden: hiddenOf(content),
  }));
  const form = found.find(({ hidden }) => hidden.step === step) ?? (step === '' ? found[0] : undefined);
  if (!form) throw new Error(`the page has no form ${step}: ${text}`);
  return form;
}

const characters: Fields = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" };

function decodeEntities(text: string): string {
  return text.replaceAll(/&(?:amp|lt|gt|quot|#39);/g, (entity) => characters[entity] ?? entity);
}

export const codeVerifier = 'a-verifier-that-is-long-enough-for-the-rfc-7636';
export const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url');

/** The code that a page of a test shows as just sent; empty if it shows none. */
export const codeOn = ({ text }: Page) => /the code is <code>(\d{6})<\/code>/.exec(text)?.[1] ?? '';
