/** The settings of a server process, and the seed that they name. */

import { readSecretFile } from '../config/read-secret-file.ts';
import {
  type FlagValues,
  readSeedSetting,
  readSettings,
  SettingError,
  type Settings,
  type SettingsEnvironment,
  withSecretFiles,
} from '../config/settings.ts';
import { SeedError } from './error.ts';
import { readSeedFile } from './read-file.ts';
import type { SeedDocument } from './schema.ts';

export { SeedError, SettingError };

export interface Configuration {
  readonly settings: Settings;
  readonly seed?: SeedDocument;
}

/**
 * Reads the settings from flags, the environment with its secret files, and the seed.
 * @param flags by flag name without dashes
 * @throws SettingError, or SeedError for a seed that cannot be read or is not valid
 */
export async function readConfiguration(flags: FlagValues, variables: SettingsEnvironment): Promise<Configuration> {
  const environment = withSecretFiles(variables, readSecretFile);
  const file = readSeedSetting(flags, environment);
  if (file === undefined) return { settings: readSettings(flags, environment) };
  const seed = await readSeedFile(file);
  return { settings: readSettings(flags, environment, seed.settings), seed };
}
