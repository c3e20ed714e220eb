/** Files of the built pages: each is sent compressed with Brotli if the build made a compressed version and the client accepts it. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { PlainText } from '../../contract/operation.ts';

export interface StaticFile {
  readonly contentType: string;
  readonly raw: Buffer;
  /** Missing if the build compressed no file, or the file is too small for it. */
  readonly brotli?: Buffer | undefined;
}

/** Of a file whose name or version in the URL changes with its content. */
export const immutableCaching = 'private, max-age=31536000, immutable';

/** Reads a file, and its compressed version if there is one. @throws the error of Node if the file does not exist. */
export async function readStaticFile(folder: string, name: string, contentType: string): Promise<StaticFile> {
  const file = path.join(folder, name);
  const [raw, brotli] = await Promise.all([readFile(file), readIfExists(`${file}.br`)]);
  return { contentType, raw, brotli };
}

async function readIfExists(file: string): Promise<Buffer | undefined> {
  try {
    return await readFile(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

export interface StaticResponseOptions {
  /** The header of the request; empty if missing. */
  readonly acceptEncoding: string;
  readonly caching: string;
}

/** The response for a file, readable by pages of this server only. */
export function renderStaticFile(
  { contentType, raw, brotli }: StaticFile,
  { acceptEncoding, caching }: StaticResponseOptions,
): PlainText {
  const compressed = acceptsBrotli(acceptEncoding) ? brotli : undefined;
  return {
    contentType,
    text: compressed ?? raw,
    headers: {
      ...sameOriginHeaders,
      Vary: 'Accept-Encoding',
      'Cache-Control': caching,
      ...(compressed ? { 'Content-Encoding': 'br' } : {}),
    },
  };
}

/** Of the pages and their files: no other site may embed them, and they tell no other site their address. */
export const sameOriginHeaders = {
  'Cross-Origin-Resource-Policy': 'same-origin',
  // A page that opened them keeps no handle, with which it could replace them.
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
} as const;

/** Whether the header names Brotli without the weight 0 (RFC 9110, 12.5.3). */
function acceptsBrotli(acceptEncoding: string): boolean {
  return acceptEncoding.split(',').some((item) => {
    const [coding = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase());
    return coding === 'br' && !parameters.some((parameter) => /^q=0(\.0{0,3})?$/.test(parameter));
  });
}
