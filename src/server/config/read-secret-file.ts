/** The files of keys and secrets: what another user can write is not used. */
import { closeSync, openSync, readSync } from 'node:fs';
import { type FileTrust, readFileTrust, type TrustProblem } from '../../lib/file-trust.ts';
import { SettingError, type Settings, type SettingsEnvironment, withSecretFiles } from './settings.ts';
import { splitDatabaseUrls } from './validators.ts';

/** Adds the secrets of `_FILE` variables to the environment. @throws SettingError */
export function readSecretVariables(variables: SettingsEnvironment): SettingsEnvironment {
  return withSecretFiles(variables, createSecretReader(variables));
}

/** Returns a function that reads the file of a secret. It throws an Error with a code: see `readSecretFile`, or NOT_TRUSTED. */
export function createSecretReader(variables: SettingsEnvironment): (file: string) => string {
  const trust = readFileTrust(variables);
  return (file) => {
    const problem = trust.findSecretProblem(file);
    if (problem) throw Object.assign(new Error(`${problem.message}. ${problem.hint}`), { code: 'NOT_TRUSTED' });
    return readSecretFile(file);
  };
}

/** @throws SettingError for the file of a key or a certificate that another user can write */
export function assertTrustedKeys(settings: Settings, trust: FileTrust): void {
  const { signingKey, tlsCert, tlsKey, databaseUrl, databaseSecretUrl } = settings;
  const find = (file: string | undefined) => (file === undefined ? undefined : trust.findSecretProblem(file));
  const problems = {
    '--signing-key': find(signingKey),
    '--tls-cert': find(tlsCert),
    '--tls-key': find(tlsKey),
    'The address of the database': findDatabaseProblem(databaseSecretUrl ?? databaseUrl ?? '', trust),
  };
  for (const [name, problem] of Object.entries(problems))
    if (problem) throw new SettingError(`${name}: ${problem.message}. ${problem.hint}`);
}

/** The first file of these addresses that must not be used: the driver reads certificates and a key. */
export function findDatabaseProblem(addresses: string, trust: FileTrust): TrustProblem | undefined {
  return splitDatabaseUrls(addresses)
    .filter((url) => URL.canParse(url))
    .flatMap((url) => ['sslrootcert', 'sslcert', 'sslkey'].flatMap((name) => new URL(url).searchParams.getAll(name)))
    .map((file) => trust.findSecretProblem(file))
    .find((problem) => problem !== undefined);
}

/** Keys and certificates fit, too. */
const maxBytes = 64 * 1024;

/** A device or a wrong name must not fill the memory: it is bounded before it is read. @throws Error with a code: of the system, or EFBIG for more than 64 KiB */
export function readSecretFile(file: string): string {
  const descriptor = openSync(file, 'r');
  try {
    const buffer = Buffer.alloc(maxBytes + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length <= maxBytes; length += read)
      read = readSync(descriptor, buffer, length, buffer.length - length, null);
    if (length > maxBytes) throw Object.assign(new Error(`${file} has more than ${maxBytes} bytes`), { code: 'EFBIG' });
    return buffer.toString('utf8', 0, length);
  } finally {
    closeSync(descriptor);
  }
}
