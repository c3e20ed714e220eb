/**
 * The files of the web console, which the build writes to dist/console: index.html and assets/ with hashed names, in a
 * full build each also compressed with Brotli. They are read on the first request, so that the console costs nothing at start.
 */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { apiError } from '../../contract/errors.ts';
import { readStaticFile, type StaticFile } from '../http/static-files.ts';

export interface ConsoleFiles {
  /** The HTML, with placeholders for the nonce and the path of the assets. */
  readonly page: string;
  /** By file name. */
  readonly assets: ReadonlyMap<string, StaticFile>;
}

/** Reads the files once. @throws IamError PAGE_NOT_BUILT if dist/console does not exist. */
export type ConsoleFilesReader = () => Promise<ConsoleFiles>;

const contentTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** @param folder dist/console if missing */
export function createConsoleFilesReader(folder: string = findConsoleFolder(import.meta.dirname)): ConsoleFilesReader {
  let cached: Promise<ConsoleFiles> | undefined;
  return () => {
    cached ??= readConsoleFiles(folder).catch((error: unknown) => {
      cached = undefined;
      throw error;
    });
    return cached;
  };
}

/** dist/console. This module is in src/server/console or, built, in a folder of dist/ such as dist/chunks. */
function findConsoleFolder(here: string): string {
  const isSource = here.endsWith(path.join('src', 'server', 'console'));
  return path.resolve(here, isSource ? '../../../dist/console' : '../console');
}

async function readConsoleFiles(folder: string): Promise<ConsoleFiles> {
  try {
    const page = await readFile(path.join(folder, 'index.html'), 'utf8');
    return { page, assets: await readAssets(path.join(folder, 'assets')) };
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ENOENT' ? apiError('PAGE_NOT_BUILT') : error;
  }
}

async function readAssets(folder: string): Promise<Map<string, StaticFile>> {
  const names = await readdir(folder);
  const assets = names.flatMap((name) => {
    const contentType = contentTypes[path.extname(name)];
    return contentType === undefined ? [] : [readAsset(folder, name, contentType)];
  });
  return new Map(await Promise.all(assets));
}

async function readAsset(folder: string, name: string, contentType: string): Promise<[string, StaticFile]> {
  return [name, await readStaticFile(folder, name, contentType)];
}
