/**
 * The files of the API documentation page. The build copies them to dist/openapi, so that the installed package does not
 * depend on their sources; they are read on the first request for the page.
 */
import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { apiError } from '../../contract/errors.ts';

/** The HTML template, with placeholders. */
const template = 'index.html';

/** The other files of the page, with their content types. */
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
  /** A hash of the files. */
  readonly version: string;
}

/** Reads the files once. @throws IamError PAGE_NOT_BUILT if dist/openapi does not exist. */
export type PageFilesReader = () => Promise<PageFiles>;

export function createPageFilesReader(): PageFilesReader {
  let cached: Promise<PageFiles> | undefined;
  return () => {
    cached ??= readPageFiles(listFolders(import.meta.dirname)).catch((error: unknown) => {
      cached = undefined;
      throw error;
    });
    return cached;
  };
}

/** Candidate folders: the sources, the server and the library are at different depths of the package. */
function listFolders(here: string): string[] {
  return ['.', '..', '../..', '../../..'].map((up) => path.resolve(here, up, 'dist/openapi'));
}

/** Reads the files from the first folder that contains them. @throws IamError PAGE_NOT_BUILT. */
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
