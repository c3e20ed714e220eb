/** The settings of a server process, and the seed that they name. */

import { readFileTrust } from '../../lib/file-trust.ts';
import { assertTrustedKeys, readSecretVariables } from '../config/read-secret-file.ts';
import {
  type FlagValues,
  readSeedSetting,
  readSettings,
  SettingError,
  type Settings,
  type SettingsEnvironment,
} from '../config/settings.ts';
import { SeedError } from './error.ts';
import { readSeedFile } from './read-file.ts';
import type { SeedDocument } from './schema.ts';

export { SeedError, SettingError };

export interface Configuration {
  readonly settings: Settings;
  readonly seed?: SeedDocument;
  readonly seedFile?: string | undefined;
}

/**
 * Reads the settings from flags, the environment with its secret files, and the seed.
 * @param flags by flag name without dashes
 * @throws SettingError, or SeedError for a seed that cannot be read or is not valid
 */
export async function readConfiguration(flags: FlagValues, variables: SettingsEnvironment): Promise<Configuration> {
  const environment = readSecretVariables(variables);
  const file = readSeedSetting(flags, environment);
  const seed = file === undefined ? undefined : await readSeedFile(file);
  const settings = readSettings(flags, environment, seed?.settings);
  assertTrustedKeys(settings, readFileTrust(variables));
  return { settings, ...(seed ? { seed, seedFile: file } : {}) };
}
