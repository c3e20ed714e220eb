/** The version of the package. */
import { readFileSync } from 'node:fs';

/** Read from package.json, which lies two folders above this file in the sources and in the build alike. */
export function versionText(): string {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  return version;
}
