/**
 * The files of the API documentation page. The build copies them to dist/openapi, so that the installed package does not
 * depend on their sources; they are read on the first request for the page.
 */
import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { apiError } from '../../contract/errors.ts';
import { readStaticFile, type StaticFile } from '../http/static-files.ts';

/** The HTML template, with placeholders. */
const template = 'index.html';

/** The other files of the page, with their content types. */
const pageFileTypes = {
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
  readonly files: Readonly<Record<PageFileName, StaticFile>>;
  /** A hash of the files. */
  readonly version: string;
}

/** Reads the files once. @throws IamError PAGE_NOT_BUILT if dist/openapi does not exist. */
export type PageFilesReader = () => Promise<PageFiles>;

export function createPageFilesReader(): PageFilesReader {
  let cached: Promise<PageFiles> | undefined;
  return () => {
    cached ??= readPageFiles(findPageFolder(import.meta.dirname)).catch((error: unknown) => {
      cached = undefined;
      throw error;
    });
    return cached;
  };
}

/** dist/openapi. This module is in src/server/openapi or, built, in a folder of dist/ such as dist/chunks. */
function findPageFolder(here: string): string {
  const isSource = here.endsWith(path.join('src', 'server', 'openapi'));
  return path.resolve(here, isSource ? '../../../dist/openapi' : '../openapi');
}

/** Reads the files of a folder. @throws IamError PAGE_NOT_BUILT if one does not exist. */
export async function readPageFiles(folder: string): Promise<PageFiles> {
  try {
    return await readFolder(folder);
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ENOENT' ? apiError('PAGE_NOT_BUILT') : error;
  }
}

async function readFolder(folder: string): Promise<PageFiles> {
  const page = await readFile(path.join(folder, template), 'utf8');
  const files = await Promise.all(
    pageFileNames.map(async (name) => [name, await readStaticFile(folder, name, pageFileTypes[name])] as const),
  );
  const version = hash('sha1', Buffer.concat(files.map(([, { raw }]) => raw)), 'base64url').slice(0, 12);
  return { template: page, files: Object.fromEntries(files) as Record<PageFileName, StaticFile>, version };
}
