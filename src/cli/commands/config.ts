/** `iam config`: shows and sets CLI settings. */
import type { Command } from 'commander';
import { findNearest } from '../../lib/nearest-name.ts';
import { addCommand, type CommandDescription, setAction } from '../command.ts';
import { changeProfiles, findProfile, type Profile } from '../config/profile.ts';
import { parseProfileValue } from '../config/profile-value.ts';
import { stripUserInfo } from '../config/server-url.ts';
import { type CliSettingKey, findSetting, settingDefinitions } from '../config/settings.ts';
import type { CliRuntime, Context } from '../context.ts';
import { usageError } from '../errors.ts';
import { declareValueSources, type LocalSourceName } from '../prompts/value-sources.ts';

export function addConfig(noun: Command, runtime: CliRuntime): void {
  const keys = settingDefinitions.map(({ key }) => key).join(', ');
  const add = (
    usage: string,
    title: string,
    example: string,
    source: LocalSourceName,
    more: Pick<CommandDescription, 'emptyArguments'> = {},
  ) => {
    const command = addCommand(noun, usage, {
      ...more,
      title,
      description: `Settings: ${keys}.`,
      effect: 'local',
      examples: [{ title, command: example }],
    });
    return declareValueSources(command, { key: source });
  };
  setAction(
    add('get', 'Print the value of a setting', 'base-url', 'setting').argument('<key>', 'Setting'),
    runtime,
    get,
  );
  setAction(
    add('explain', 'Show settings and their sources', 'base-url', 'setting').argument('[key]', 'Setting; default all'),
    runtime,
    explain,
  );
  const set = add('set', 'Store a setting in the current profile', 'output json', 'profile-setting', {
    emptyArguments: ['value'],
  });
  setAction(set.argument('<key>', 'Setting').argument('<value>', 'Value; empty to remove it'), runtime, setValue);
}

function requireSetting(key: unknown) {
  const setting = findSetting(String(key));
  if (setting) return setting;
  const near = findNearest(
    String(key),
    settingDefinitions.map((one) => one.key),
  );
  throw usageError(
    `Unknown setting ${JSON.stringify(key)}.${near ? ` Did you mean ${near}?` : ''}`,
    'List the settings with `iam config explain`.',
  );
}

async function get(context: Context, [key]: readonly unknown[]): Promise<void> {
  const setting = requireSetting(key);
  const value = context.settings.get(setting.key as CliSettingKey)?.value;
  await context.printer.value(value === undefined ? undefined : maskSecret(value, setting.secret));
}

function maskSecret(value: string, secret = false): string {
  return secret ? '(secret)' : stripUserInfo(value);
}

async function explain(context: Context, [key]: readonly unknown[]): Promise<void> {
  const definitions = key === undefined ? settingDefinitions : [requireSetting(key)];
  const rows = definitions.map(({ key: name, meaning, ...rest }) => {
    const found = context.settings.get(name as CliSettingKey);
    const value = found && maskSecret(found.value, 'secret' in rest && rest.secret === true);
    return { setting: name, value, origin: found?.origin ?? 'not set', meaning };
  });
  // In a table of all settings the descriptions would truncate the values.
  const { printer, settings } = context;
  if (key === undefined && printer.isForPeople && printer.format === 'table' && settings.options.columns === undefined)
    return printer.value(rows.map(({ meaning: _, ...row }) => row));
  await context.printer.value(rows);
}

async function setValue(context: Context, [key, argument]: readonly unknown[]): Promise<void> {
  const setting = requireSetting(key);
  const value = String(argument);
  const { profile: property } = setting;
  if (setting.secret || property === undefined || property === 'clientId')
    throw usageError(`${setting.key} cannot be set with this command.`, 'Use `iam profile use` or `iam profile add`.');
  const name = context.settings.profileName?.value;
  if (name === undefined) throw usageError('No profile is selected.', 'Add one with `iam profile add`.');
  await changeProfiles(context.environment.variables, (file) => {
    const profile = findProfile(file, name);
    if (!profile)
      throw usageError(`Profile ${JSON.stringify(name)} not found.`, 'List profiles with `iam profile list`.');
    return { ...file, profiles: { ...file.profiles, [name]: withValue(profile, property, value) } };
  });
  const change = value === '' ? `Removed ${setting.key} from` : `Set ${setting.key} to ${stripUserInfo(value)} in`;
  context.notice(`${change} the profile ${name}.`);
}

function withValue(profile: Profile, property: keyof Profile, value: string): Profile {
  if (value === '' && property === 'baseUrl') throw usageError('A profile needs a base URL.');
  const { [property]: _, ...others } = profile;
  return { ...others, ...(value === '' ? {} : { [property]: parseProfileValue(property, value) }) } as Profile;
}
