/** The page to read and try both API documents, as it is answered. */
import type { PlainText } from '../../contract/operation.ts';
import { servicePrefix } from '../../contract/prefix.ts';
import { loadPageFiles, type PageFileName, pageFileTypes } from './docs-page-files.ts';

/** Nothing but what this server gives out is loaded, and no other page holds this one in a frame. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const sameOriginHeaders = { 'Cross-Origin-Resource-Policy': 'same-origin', 'Referrer-Policy': 'no-referrer' };

/** The page. @throws IamError PAGE_NOT_BUILT. */
export async function renderDocsPage(): Promise<PlainText> {
  const { template, version } = await loadPageFiles();
  return {
    contentType: 'text/html; charset=utf-8',
    text: template.replaceAll('{{version}}', version).replaceAll('{{prefix}}', servicePrefix),
    headers: { ...sameOriginHeaders, 'Content-Security-Policy': contentSecurityPolicy },
  };
}

/**
 * A file of the page. One that is asked for by its version never changes, so it is asked for once.
 * @throws IamError PAGE_NOT_BUILT.
 */
export async function readDocsFile(name: PageFileName, requestedVersion: string | undefined): Promise<PlainText> {
  const { files, version } = await loadPageFiles();
  return {
    contentType: pageFileTypes[name],
    text: files.get(name) ?? '',
    headers: {
      ...sameOriginHeaders,
      'Cache-Control': requestedVersion === version ? 'private, max-age=31536000, immutable' : 'no-cache',
    },
  };
}
