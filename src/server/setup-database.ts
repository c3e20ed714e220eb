/** What commands do with a database beside the servers: set it up, migrate it, inspect it. */

import { readFileTrust } from '../lib/file-trust.ts';
import type { BootstrapResult } from './bootstrap.ts';
import { assertTrustedKeys, readSecretVariables } from './config/read-secret-file.ts';
import { readSettings, SettingError, type Settings } from './config/settings.ts';
import { systemClock } from './lib/clock.ts';
import { createIds } from './lib/ids.ts';
import { systemRandom } from './lib/random.ts';
import { systemStopwatch } from './lib/stopwatch.ts';
import { systemTimer } from './lib/timer.ts';
import { createHashQueue } from './limits/hash-queue.ts';
import { readConfiguration } from './seed/configuration.ts';
import { SeedError } from './seed/error.ts';
import { withSeedPlaces } from './seed/read-file.ts';
import type { SeedDocument } from './seed/schema.ts';
import { initializeStore } from './snapshots/baseline.ts';
import { formatCredentials } from './startup-banner.ts';
import type { DatabaseTarget } from './store/maintenance/copy-database.ts';
import { openExitCodes, StoreOpenError } from './store/open-error.ts';
import type { DatabaseReport } from './store/postgres/setup/inspect-database.ts';
import type { Store } from './store/store.ts';
import { openStoreSecret } from './store/store-secret.ts';
import { findLongestTokenLifetime } from './tokens/generate-key.ts';
import { openKeyRing } from './tokens/keys.ts';
import { readSigningKeyFile } from './tokens/signing-key-file.ts';

export { formatCredentials, openExitCodes, SeedError, SettingError, StoreOpenError };

export interface SetupOptions {
  /** By flag name without dashes, as in the settings table. */
  readonly flags: Readonly<Record<string, string | boolean | undefined>>;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export interface SetupResult {
  /** The migrations that were applied; none if the tables were current. */
  readonly migrated: readonly string[];
  /** Its secrets are those that were generated now. */
  readonly bootstrapped: BootstrapResult;
}

/**
 * Creates or migrates the tables, the administrator, the signing key, and the objects of the seed. A second run changes
 * nothing. @throws SettingError, SeedError, StoreOpenError
 */
export async function initializeDatabase({ flags, environment: variables }: SetupOptions): Promise<SetupResult> {
  const { settings, seed, seedFile } = await readConfiguration({ ...flags, store: 'postgres' }, variables);
  const { withSetupStore } = await import('./store/postgres/open-postgres-store.ts');
  const work = (store: Store) => setUp(store, settings, seed);
  const { result, migrated } = await withSeedPlaces(seedFile, () =>
    withSetupStore({ ...databaseOf(settings), initialize: true }, work),
  );
  return { migrated, bootstrapped: result };
}

/** Applies the missing migrations. @returns their names @throws SettingError, StoreOpenError */
export async function migrateDatabase({ flags, environment }: SetupOptions): Promise<readonly string[]> {
  const settings = readSettings({ ...flags, store: 'postgres' }, readSecretVariables(environment));
  assertTrustedKeys(settings, readFileTrust(environment));
  const { connectDatabase } = await import('./store/postgres/setup/open-database.ts');
  const { connections, migrated } = await connectDatabase({ ...databaseOf(settings), initialize: true }, 'migration');
  await connections.close();
  return migrated;
}

const system = { clock: systemClock, random: systemRandom, stopwatch: systemStopwatch, timer: systemTimer };

function databaseOf({ databaseUrl, databaseSecretUrl, databaseSchema }: Settings) {
  return { databaseUrl: databaseSecretUrl ?? databaseUrl ?? '', schema: databaseSchema, ...system };
}

async function setUp(store: Store, settings: Settings, seed: SeedDocument | undefined): Promise<BootstrapResult> {
  const [clock, random] = [systemClock, systemRandom];
  const hashQueue = createHashQueue({ concurrency: settings.hashConcurrency, clock });
  const ids = createIds(clock, random);
  const { bootstrapped } = await initializeStore({ store, settings, seed, clock, ids, random, hashQueue });
  const keys = await openKeyRing({
    store,
    alg: settings.signingAlg,
    clock,
    longestToken: findLongestTokenLifetime(settings),
    configuredKey: await readSigningKeyFile(settings),
  });
  keys.close();
  await openStoreSecret(store, random);
  return bootstrapped;
}

/** Reads what `iam doctor` checks. @throws StoreOpenError, SettingError */
export async function readDatabaseReport(target: DatabaseTarget): Promise<DatabaseReport> {
  const { inspectDatabase } = await import('./store/postgres/setup/inspect-database.ts');
  return inspectDatabase({ ...target, ...system });
}
