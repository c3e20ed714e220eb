/** Secrets in files, as containers and service managers mount them: `IAM_ADMIN_PASSWORD_FILE` names the file with the value. */

type Environment = Readonly<Record<string, string | undefined>>;

interface SecretSetting {
  readonly environment: string;
  /** False for a secret, which only the environment can set. */
  readonly flag: boolean;
}

interface SecretFilesDeps {
  /** Reads the only line of a file. @throws the error of the system, or an Error with a message to show */
  read(file: string): string;
  /** Creates the error for a message without secrets. */
  createError(message: string): Error;
}

/** Returns the variable that names the file of a secret. */
export function secretFileVariable({ environment }: Pick<SecretSetting, 'environment'>): string {
  return `${environment}_FILE`;
}

/**
 * Returns the environment with the secrets of its `_FILE` variables.
 * @throws the error of `createError` for a file that cannot be read or is empty, and for a secret that is set twice
 */
export function readSecretFiles(
  settings: readonly SecretSetting[],
  environment: Environment,
  deps: SecretFilesDeps,
): Environment {
  const secrets = settings.filter(({ flag }) => !flag);
  const named = secrets.filter((setting) => environment[secretFileVariable(setting)]);
  return {
    ...environment,
    ...Object.fromEntries(named.map((setting) => [setting.environment, readSecret(setting, environment, deps)])),
  };
}

function readSecret(setting: SecretSetting, environment: Environment, { read, createError }: SecretFilesDeps): string {
  const variable = secretFileVariable(setting);
  if (environment[setting.environment])
    throw createError(`${setting.environment} and ${variable} must not both be set`);
  const value = readText(variable, environment[variable] ?? '', { read, createError });
  if (value === '') throw createError(`${variable} names an empty file`);
  return value;
}

function readText(variable: string, file: string, { read, createError }: SecretFilesDeps): string {
  try {
    return read(file);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw createError(
      code === undefined ? `${variable}: ${message}` : `${variable} must name a readable file: ${file}: ${code}`,
    );
  }
}
