/**
 * The files of the page that shows the API documents. The build puts them into dist/openapi, so that nobody who installs
 * the package needs what they come from; they are read when the page is first asked for.
 */
import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { apiError } from '../../contract/errors.ts';

/** The page itself, with places for what differs. */
const template = 'index.html';

/** All that is given out beside the page, with its content type. */
export const pageFileTypes = {
  'page.css': 'text/css; charset=utf-8',
  'page.js': 'text/javascript; charset=utf-8',
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'swagger-ui-bundle.js.LICENSE.txt': 'text/plain; charset=utf-8',
  'swagger-ui.LICENSE.txt': 'text/plain; charset=utf-8',
  'swagger-ui.NOTICE.txt': 'text/plain; charset=utf-8',
} as const;

export type PageFileName = keyof typeof pageFileTypes;

export const pageFileNames = Object.keys(pageFileTypes) as [PageFileName, ...PageFileName[]];

export interface PageFiles {
  readonly template: string;
  readonly files: ReadonlyMap<PageFileName, Buffer>;
  /** Another one whenever a file is another one. */
  readonly version: string;
}

/** The same for every server of the process: they are files of the package. */
let cached: Promise<PageFiles> | undefined;

/** Reads them once. @throws IamError PAGE_NOT_BUILT where there is no built package around this file. */
export function loadPageFiles(): Promise<PageFiles> {
  cached ??= readPageFiles(listFolders(import.meta.dirname)).catch((error: unknown) => {
    cached = undefined;
    throw error;
  });
  return cached;
}

/** The sources, the server and the library are at different depths of the package. */
function listFolders(here: string): string[] {
  return ['.', '..', '../..', '../../..'].map((up) => path.resolve(here, up, 'dist/openapi'));
}

/** Reads those in the first of these folders that has them. @throws IamError PAGE_NOT_BUILT. */
export async function readPageFiles(folders: readonly string[]): Promise<PageFiles> {
  const [folder, ...others] = folders;
  if (folder === undefined) throw apiError('PAGE_NOT_BUILT');
  try {
    return await readFolder(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return readPageFiles(others);
  }
}

async function readFolder(folder: string): Promise<PageFiles> {
  const page = await readFile(path.join(folder, template), 'utf8');
  const files = await Promise.all(
    pageFileNames.map(async (name) => [name, await readFile(path.join(folder, name))] as const),
  );
  const version = hash('sha1', Buffer.concat(files.map(([, bytes]) => bytes)), 'base64url').slice(0, 12);
  return { template: page, files: new Map(files), version };
}
