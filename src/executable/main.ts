/** The start of the executable (`npm run build:executable`): unpacks the program and runs its command `iam`. */
import { createRequire } from 'node:module';
import path from 'node:path';
import { getAsset, getRawAsset } from 'node:sea';
import type { CliError } from '../cli/errors.ts';
import { getUserFile } from '../cli/io/user-folders.ts';
import { type ProgramArchive, unpackProgram } from './unpack.ts';

function readArchive(): ProgramArchive {
  const index = JSON.parse(getAsset('index', 'utf8')) as Omit<ProgramArchive, 'contents'>;
  return { ...index, contents: new Uint8Array(getRawAsset('contents') as ArrayBuffer) };
}

try {
  const folder = unpackProgram(readArchive(), getUserFile(process.env, 'cache'));
  createRequire(path.join(folder, 'package.json'))('./bin/iam.js');
} catch (error) {
  // As the command would report it; 70 as of an uncaught exception.
  const { message, hint, exitCode = 70 } = error as Error & Partial<CliError>;
  process.exitCode = exitCode;
  process.stderr.write([`error: ${message}`, ...(hint === undefined ? [] : [`hint: ${hint}`]), ''].join('\n'));
}
