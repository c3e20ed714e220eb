/** The frame of the pages of a login: usable without scripts, in the look of the console, light and dark, on a phone. */
import { hash } from 'node:crypto';
import { sameOriginHeaders } from '../../http/static-files.ts';
import { Html, html } from './html.ts';
import type { PageResponse } from './page-error.ts';
import { styles } from './styles.ts';

export interface LayoutOptions {
  readonly title: string;
  readonly content: Html;
  /** Default: 200. */
  readonly status?: number | undefined;
  /** Where the forms of the page finally lead: browsers check each redirect after a form (CSP, form-action). */
  readonly formTargets?: readonly string[] | undefined;
  /** A script that the page runs, by its text. */
  readonly script?: string;
  readonly setCookie?: string | undefined;
}

const styleSource = toSource(styles);

/** Renders a page that no other page can frame, that runs no other script and loads nothing. */
export function renderPage({
  title,
  content,
  status = 200,
  formTargets = [],
  script,
  setCookie,
}: LayoutOptions): PageResponse {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} – IAM</title>
${toElement('style', styles)}
</head>
<body>
<main>
<p class="mark">IAM <span>stand-in</span></p>
<h1>${title}</h1>
${content}
</main>
${script === undefined ? undefined : toElement('script', script)}
</body>
</html>
`;
  const policy = [
    "default-src 'none'",
    `style-src ${styleSource}`,
    ...(script === undefined ? [] : [`script-src ${toSource(script)}`]),
    `form-action ${["'self'", ...formTargets.map(toFormSource)].join(' ')}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
  return {
    status,
    contentType: 'text/html; charset=utf-8',
    text: page.text,
    headers: {
      ...sameOriginHeaders,
      // The application may have opened a window for the login, and waits for it.
      'Cross-Origin-Opener-Policy': 'unsafe-none',
      // Else browsers send `Origin: null` with its own forms (Fetch, "append a request Origin header").
      'Referrer-Policy': 'same-origin',
      'Content-Security-Policy': policy,
      'X-Frame-Options': 'DENY',
      ...(setCookie === undefined ? {} : { 'Set-Cookie': setCookie }),
    },
  };
}

function toElement(name: 'style' | 'script', text: string): Html {
  return new Html(`<${name}>${text}</${name}>`);
}

function toSource(text: string): string {
  return `'sha256-${hash('sha256', text, 'base64')}'`;
}

/** An origin, or the scheme of a private one. */
function toFormSource(uri: string): string {
  const { origin, protocol } = new URL(uri);
  return origin === 'null' ? protocol : origin;
}
