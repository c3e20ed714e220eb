/**
 * `npm run build:executable [-- --node FILE] [--out FILE] [--archive FOLDER]`: makes the executable, and with `--archive` the
 * archive of a release for this platform.
 */
import path from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { makeExecutable } from './executable.mjs';
import { makeArchive } from './release-archive.mjs';
import { root } from './root.mjs';

const options = { node: { type: 'string' }, out: { type: 'string' }, archive: { type: 'string' } };
const defaultFile = process.platform === 'win32' ? 'dist/executable/iam.exe' : 'dist/executable/iam';

try {
  const { values } = parseArgs({ options });
  const node = path.resolve(values.node ?? process.execPath);
  const executable = path.resolve(values.out ?? path.join(root, defaultFile));
  await makeExecutable(node, executable);
  process.stdout.write(`${executable}\n`);
  if (values.archive !== undefined)
    process.stdout.write(`${makeArchive({ node, executable, folder: path.resolve(values.archive) })}\n`);
} catch (error) {
  process.stderr.write(`error: ${error.message}\n`);
  process.exitCode = 1;
}
