/** The options of the OpenAPI documents that are generated without a server. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { DocumentOptions } from '../../src/server/openapi/document.ts';

/** The default base URL of a server. */
const baseUrl = 'http://127.0.0.1:8080';

/** Returns the version in package.json and the default base URL. */
export function readDocumentOptions(root: string): DocumentOptions {
  const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { version: string };
  return { version, baseUrl };
}
