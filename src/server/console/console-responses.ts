/** Responses of the web console: its page, for each path of the console, and its assets. */
import { apiError } from '../../contract/errors.ts';
import type { PlainText } from '../../contract/operation.ts';
import { immutableCaching, renderStaticFile, sameOriginHeaders } from '../http/static-files.ts';
import type { Random } from '../lib/random.ts';
import type { ConsoleFiles } from './console-files.ts';

/** Where the page is; all paths below it show the same page, whose script reads the path. */
export const consolePath = '/_iam/console';
const assetsPath = `${consolePath}/assets/`;

/** Values that the server writes into the page. */
const placeholders = { nonce: '{{nonce}}', loginClient: '{{loginClient}}', assets: './assets/' };

const nonceBytes = 18;

export function isConsolePath(path: string): boolean {
  return path === consolePath || path.startsWith(`${consolePath}/`);
}

/** Returns the name of the asset at a path; undefined if the path is one of the page. */
export function assetNameAt(path: string): string | undefined {
  return path.startsWith(assetsPath) ? path.slice(assetsPath.length) : undefined;
}

/**
 * Allows only scripts and styles of this server, style elements with the nonce of this response, and no framing. A nonce
 * is required because the component library adds style elements.
 */
function contentSecurityPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

export interface PageOptions {
  /** The path below the base URL, or inside the sandbox. */
  readonly path: string;
  /** Assets are the same for all sandboxes and loaded from the server, so that browsers cache them once. */
  readonly isSandbox: boolean;
  readonly random: Random;
  /** The client through which users log in; an id needs no escapes. */
  readonly loginClient: string | undefined;
}

/** Renders the page. References are relative, so that they work behind a proxy with a path of its own. */
export function renderConsolePage({ page }: ConsoleFiles, options: PageOptions): PlainText {
  const { path, isSandbox, random, loginClient = '' } = options;
  const nonce = random.bytes(nonceBytes).toString('base64url');
  const folders = path.slice(1).split('/').length - 1;
  const assets = `${'../'.repeat(folders + (isSandbox ? 2 : 0))}${assetsPath.slice(1)}`;
  return {
    contentType: 'text/html; charset=utf-8',
    text: page
      .replaceAll(placeholders.nonce, nonce)
      .replaceAll(placeholders.loginClient, loginClient)
      .replaceAll(placeholders.assets, assets),
    headers: { ...sameOriginHeaders, 'Content-Security-Policy': contentSecurityPolicy(nonce) },
  };
}

/** Returns an asset, compressed if the client accepts it. @throws IamError PATH_UNKNOWN. */
export function findConsoleAsset({ assets }: ConsoleFiles, name: string, acceptEncoding = ''): PlainText {
  const asset = assets.get(name);
  if (!asset) throw apiError('PATH_UNKNOWN');
  // Each version of a file has its own name.
  return renderStaticFile(asset, { acceptEncoding, caching: immutableCaching });
}
