/** Responses of the API documentation page. */
import type { PlainText } from '../../contract/operation.ts';
import { servicePrefix } from '../../contract/prefix.ts';
import { immutableCaching, renderStaticFile, sameOriginHeaders } from '../http/static-files.ts';
import type { PageFileName, PageFilesReader } from './docs-page-files.ts';

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

/** Renders the page. @throws IamError PAGE_NOT_BUILT. */
export async function renderDocsPage(readFiles: PageFilesReader): Promise<PlainText> {
  const { template, version } = await readFiles();
  return {
    contentType: 'text/html; charset=utf-8',
    text: template.replaceAll('{{version}}', version).replaceAll('{{prefix}}', servicePrefix),
    headers: { ...sameOriginHeaders, 'Content-Security-Policy': contentSecurityPolicy },
  };
}

interface FileRequest {
  readonly name: PageFileName;
  /** The version in the URL. */
  readonly version?: string | undefined;
  readonly acceptEncoding?: string | undefined;
}

/**
 * Returns a file of the page, compressed if the client accepts it. A file requested with its version is immutable, so
 * browsers may cache it.
 * @throws IamError PAGE_NOT_BUILT.
 */
export async function readDocsFile(
  readFiles: PageFilesReader,
  { name, version, acceptEncoding = '' }: FileRequest,
): Promise<PlainText> {
  const page = await readFiles();
  const caching = version === page.version ? immutableCaching : 'no-cache';
  return renderStaticFile(page.files[name], { acceptEncoding, caching });
}
