/** `iam config`: settings of the command line and where each comes from. */
import type { Command } from 'commander';
import { addCommand, setAction } from '../command.ts';
import { findNearest } from '../find-operation.ts';
import type { CliRuntime, Context } from '../runtime/context.ts';
import { usageError } from '../runtime/errors.ts';
import { changeProfiles, type Profile } from '../runtime/profile.ts';
import { parseProfileValue } from '../runtime/profile-value.ts';
import { stripUserInfo } from '../runtime/redact.ts';
import {
  type CliSettingKey,
  findSetting,
  resolveProfileName,
  resolveSetting,
  settingDefinitions,
} from '../runtime/settings.ts';

/** Adds the commands of the noun. */
export function addConfig(noun: Command, runtime: CliRuntime): void {
  const keys = settingDefinitions.map(({ key }) => key).join(', ');
  const add = (usage: string, title: string, example: string) =>
    addCommand(noun, usage, {
      title,
      description: `Settings: ${keys}.`,
      effect: 'local',
      examples: [{ title, command: example }],
    });
  setAction(add('get', 'Prints the value of a setting', 'base-url').argument('<key>', 'Setting'), runtime, get);
  setAction(
    add('explain', 'Prints settings and where each comes from', 'base-url').argument(
      '[key]',
      'Setting; all where not given',
    ),
    runtime,
    explain,
  );
  const set = add('set', 'Keeps a setting in the profile in use', 'output json');
  setAction(set.argument('<key>', 'Setting').argument('<value>', 'Value; empty to forget it'), runtime, setValue);
}

function requireSetting(key: unknown) {
  const setting = findSetting(String(key));
  if (setting) return setting;
  const near = findNearest(
    String(key),
    settingDefinitions.map((one) => one.key),
  );
  throw usageError(`There is no setting ${JSON.stringify(key)}.${near ? ` Did you mean ${near}?` : ''}`);
}

async function get(context: Context, [key]: readonly unknown[]): Promise<void> {
  const setting = requireSetting(key);
  const value = resolveSetting(setting.key as CliSettingKey, context.sources)?.value;
  await context.printer.value(value === undefined ? undefined : maskSecret(value, setting.secret));
}

function maskSecret(value: string, secret = false): string {
  return secret ? '(secret)' : stripUserInfo(value);
}

async function explain(context: Context, [key]: readonly unknown[]): Promise<void> {
  const settings = key === undefined ? settingDefinitions : [requireSetting(key)];
  const rows = settings.map(({ key: name, meaning, ...rest }) => {
    const found = resolveSetting(name as CliSettingKey, context.sources);
    const value = found && maskSecret(found.value, 'secret' in rest && rest.secret === true);
    return { setting: name, value, origin: found?.origin ?? 'not set', meaning };
  });
  // A list of all is about the values, which the meanings would cut.
  const { printer, sources } = context;
  if (key === undefined && printer.isForPeople && printer.format === 'table' && sources.options.columns === undefined)
    return printer.value(rows.map(({ meaning: _, ...row }) => row));
  await context.printer.value(rows);
}

async function setValue(context: Context, [key, given]: readonly unknown[]): Promise<void> {
  const setting = requireSetting(key);
  const value = String(given);
  const { profile: property } = setting;
  if (setting.secret || property === undefined || property === 'clientId')
    throw usageError(`${setting.key} is not set here.`, 'Use `iam profile use` and `iam profile add`.');
  const name = resolveProfileName(context.sources)?.value;
  if (name === undefined) throw usageError('No profile is in use.', 'Add one with `iam profile add`.');
  await changeProfiles(context.environment.variables, (file) => {
    const profile = file.profiles[name];
    if (!profile) throw usageError(`There is no profile ${JSON.stringify(name)}.`, 'See `iam profile list`.');
    return { ...file, profiles: { ...file.profiles, [name]: withValue(profile, property, value) } };
  });
  context.notice(`${setting.key} of the profile ${name} is ${value === '' ? 'forgotten' : stripUserInfo(value)}.`);
}

function withValue(profile: Profile, property: keyof Profile, value: string): Profile {
  if (value === '' && property === 'baseUrl') throw usageError('A profile needs a base URL.');
  const { [property]: _, ...others } = profile;
  return { ...others, ...(value === '' ? {} : { [property]: parseProfileValue(property, value) }) } as Profile;
}
