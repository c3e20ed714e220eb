/** The files of keys and secrets: what another user can write is not used. */
import { type FileTrust, readFileTrust, type TrustProblem } from '../../lib/file-trust.ts';
import { readSecretFile, TextFileError } from '../../lib/text-file.ts';
import { SettingError, type Settings, type SettingsEnvironment, withSecretFiles } from './settings.ts';
import { splitDatabaseUrls } from './validators.ts';

/** Adds the secrets of `_FILE` variables to the environment. @throws SettingError */
export function readSecretVariables(variables: SettingsEnvironment): SettingsEnvironment {
  return withSecretFiles(variables, createSecretReader(variables));
}

/** Returns a function that reads the file of a secret. It throws the error of the system, or one with a message to show. */
export function createSecretReader(variables: SettingsEnvironment): (file: string) => string {
  const trust = readFileTrust(variables);
  return (file) => {
    const problem = trust.findSecretProblem(file);
    if (problem) throw new Error(`${problem.message}. ${problem.hint}`);
    try {
      return readSecretFile(file);
    } catch (error) {
      throw error instanceof TextFileError ? new Error(describeTextError(file, error)) : error;
    }
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

/** Says on one line why a file is not used. */
export function describeTextError(file: string, { reason, hint }: TextFileError): string {
  return `${file} ${reason}. ${hint.replace(/\.$/, '')}`;
}
