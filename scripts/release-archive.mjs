/** The archive of a release for one platform: a tree that is unpacked into a prefix such as ~/.local or /usr/local. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { root } from './root.mjs';

const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));

/** Where shells and `man` look for the files of a prefix. */
const sharedFiles = [
  ['dist/completions/iam.bash', 'share/bash-completion/completions/iam'],
  ['dist/completions/_iam', 'share/zsh/site-functions/_iam'],
  ['dist/completions/iam.fish', 'share/fish/vendor_completions.d/iam.fish'],
  ['LICENSE', 'share/doc/iam/LICENSE'],
  ['dist/THIRD-PARTY-NOTICES.txt', 'share/doc/iam/THIRD-PARTY-NOTICES.txt'],
];

/** Names the platform as packages of npm do; programs for musl do not run on glibc, and the other way round. */
function describePlatform() {
  const isMusl = process.platform === 'linux' && !process.report.getReport().header.glibcVersionRuntime;
  return `${process.platform}-${process.arch}${isMusl ? '-musl' : ''}`;
}

/** The licence of Node and of the libraries in it. @throws Error if it is not beside this Node */
function findNodeLicense(node) {
  const folder = path.dirname(node);
  const found = [path.join(folder, '../LICENSE'), path.join(folder, 'LICENSE')].find(existsSync);
  if (found === undefined) throw new Error(`the LICENSE of Node is not beside ${node}`);
  return found;
}

function fillTree({ node, executable, tree }) {
  const files = sharedFiles.map(([from, to]) => [path.join(root, from), to]);
  files.push([findNodeLicense(node), 'share/doc/iam/NODE-LICENSE']);
  files.push([executable, `bin/${path.basename(executable)}`]);
  for (const [from, to] of files) {
    mkdirSync(path.dirname(path.join(tree, to)), { recursive: true });
    copyFileSync(from, path.join(tree, to));
  }
  cpSync(path.join(root, 'dist/man'), path.join(tree, 'share/man/man1'), { recursive: true });
}

/** That of Windows also makes zip files; the one of Git, which may precede it on the PATH, does not. */
function findTar() {
  return process.platform === 'win32' ? path.join(process.env.SystemRoot ?? '', 'System32/tar.exe') : 'tar';
}

/** Writes the archive into `folder`. @returns its path */
export function makeArchive({ node, executable, folder }) {
  const tree = mkdtempSync(path.join(os.tmpdir(), 'iam-archive-'));
  const extension = process.platform === 'win32' ? 'zip' : 'tar.gz';
  const archive = path.join(folder, `iam-${version}-${describePlatform()}.${extension}`);
  try {
    fillTree({ node, executable, tree });
    mkdirSync(folder, { recursive: true });
    // By the suffix of the archive.
    execFileSync(findTar(), ['-a', '-cf', archive, '-C', tree, 'bin', 'share']);
    return archive;
  } finally {
    rmSync(tree, { recursive: true, force: true });
  }
}
