/** Stamps: files in dist/ with the time at which a build began, to skip builds that would change nothing. */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Whether the stamp exists and is newer than all inputs, which are files or folders below `root`. */
export function isUpToDate(root, { stamp, inputs }) {
  const builtAt = readStamp(stamp);
  return builtAt !== undefined && inputs.every((input) => lastChange(path.join(root, input)) <= builtAt);
}

export function writeStamp({ stamp }, startedAt) {
  writeFileSync(stamp, String(startedAt));
}

function readStamp(file) {
  try {
    return Number(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Returns the latest mtime of a file, or within a folder; adding or removing a file changes the mtime of its folder. */
function lastChange(file) {
  const stat = statSync(file);
  if (!stat.isDirectory()) return stat.mtimeMs;
  const names = readdirSync(file).filter((name) => name !== 'node_modules');
  return Math.max(stat.mtimeMs, ...names.map((name) => lastChange(path.join(file, name))));
}
