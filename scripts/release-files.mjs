/**
 * `node scripts/release-files.mjs FOLDER --url URL`: writes the checksums of the archives in FOLDER, and the install script and
 * the formula of Homebrew that download them from URL, from the templates in packaging/.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { root } from './root.mjs';

const templates = ['install.sh', 'iam.rb'];

const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));

function listArchives(folder) {
  const names = readdirSync(folder).filter((name) => name.startsWith(`iam-${version}-`));
  return names.sort().map((name) => {
    const digest = createHash('sha256')
      .update(readFileSync(path.join(folder, name)))
      .digest('hex');
    return { name, digest };
  });
}

/** Replaces `@URL@`, `@VERSION@`, `@SUMS@` and `@SHA256 ARCHIVE@`. @throws Error if an archive is missing */
export function fillTemplate(template, { url, sums, archives }) {
  const digests = new Map(archives.map(({ name, digest }) => [name, digest]));
  return template
    .replaceAll('@URL@', url)
    .replaceAll('@VERSION@', version)
    .replaceAll('@SUMS@', sums.trimEnd())
    .replaceAll(/@SHA256 (\S+)@/g, (_, name) => {
      const digest = digests.get(name);
      if (digest === undefined) throw new Error(`the archive ${name} is missing`);
      return digest;
    });
}

export function writeReleaseFiles(folder, url) {
  const archives = listArchives(folder);
  if (archives.length === 0) throw new Error(`no archive of version ${version} in ${folder}`);
  const sums = archives.map(({ name, digest }) => `${digest}  ${name}\n`).join('');
  const filled = templates.map((name) => {
    const template = readFileSync(path.join(root, 'packaging', name), 'utf8');
    return [name, fillTemplate(template, { url, sums, archives })];
  });
  for (const [name, text] of [['SHA256SUMS', sums], ...filled]) writeFileSync(path.join(folder, name), text);
}

if (process.argv[1] === import.meta.filename) {
  try {
    const { values, positionals } = parseArgs({ options: { url: { type: 'string' } }, allowPositionals: true });
    const [folder] = positionals;
    if (folder === undefined || !values.url) throw new Error('usage: node scripts/release-files.mjs FOLDER --url URL');
    writeReleaseFiles(path.resolve(folder), values.url);
  } catch (error) {
    process.stderr.write(`error: ${error.message}\n`);
    process.exitCode = 1;
  }
}
