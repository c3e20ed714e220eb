/** Applies a seed to a running server. The library and the control plane share it. */
import { formatPath } from '../../contract/errors.ts';
import { isCurrentSetting, SettingError, type Settings } from '../config/settings.ts';
import { applySeed } from './apply.ts';
import type { SeedCounts } from './entries.ts';
import { SeedError } from './error.ts';
import type { SeedIssue } from './issues.ts';
import type { SeedDocument } from './schema.ts';
import type { SeedDeps } from './seed-rows.ts';

/** @throws SeedError, also for settings that differ from those of the server; the store is unchanged then. */
export async function applySeedToServer(
  seed: SeedDocument,
  deps: SeedDeps & { readonly settings: Settings },
): Promise<SeedCounts> {
  assertSettingsEqual(seed, deps.settings);
  return applySeed(seed, deps);
}

/** A server applies settings at its start only, so that different ones would have no effect. @throws SeedError. */
export function assertSettingsEqual({ settings = {} }: SeedDocument, current: Settings): void {
  const issues = findSettingIssues(settings, current);
  if (issues.length > 0)
    throw new SeedError(issues.map(({ path, message }) => `${formatPath(path)}: ${message}`).join('\n'), issues);
}

const settingMessage = 'must equal the setting of the server, which changes only at its start';

function findSettingIssues(settings: NonNullable<SeedDocument['settings']>, current: Settings): SeedIssue[] {
  return Object.entries(settings).flatMap(([name, value]) => {
    const path = ['settings', name];
    try {
      return isCurrentSetting(name, value, current) ? [] : [{ path, message: settingMessage }];
    } catch (error) {
      if (!(error instanceof SettingError)) throw error;
      return [{ path, message: error.message }];
    }
  });
}
