/** Responses of the API documentation page. */
import type { PlainText } from '../../contract/operation.ts';
import { servicePrefix } from '../../contract/prefix.ts';
import { type PageFileName, type PageFilesReader, pageFileTypes } from './docs-page-files.ts';

/** Allows only resources of this server, and no framing by other pages. */
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

/** Renders the page. @throws IamError PAGE_NOT_BUILT. */
export async function renderDocsPage(readFiles: PageFilesReader): Promise<PlainText> {
  const { template, version } = await readFiles();
  return {
    contentType: 'text/html; charset=utf-8',
    text: template.replaceAll('{{version}}', version).replaceAll('{{prefix}}', servicePrefix),
    headers: { ...sameOriginHeaders, 'Content-Security-Policy': contentSecurityPolicy },
  };
}

/**
 * Returns a file of the page. A file requested with its version is immutable, so browsers may cache it.
 * @throws IamError PAGE_NOT_BUILT.
 */
export async function readDocsFile(
  readFiles: PageFilesReader,
  name: PageFileName,
  requestedVersion: string | undefined,
): Promise<PlainText> {
  const { files, version } = await readFiles();
  return {
    contentType: pageFileTypes[name],
    text: files.get(name) ?? '',
    headers: {
      ...sameOriginHeaders,
      'Cache-Control': requestedVersion === version ? 'private, max-age=31536000, immutable' : 'no-cache',
    },
  };
}
