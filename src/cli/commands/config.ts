/** `iam config`: settings of the command line and where each comes from. */
import type { Command } from 'commander';
import { addLeaf, runs } from '../leaf.ts';
import { nearest } from '../operations.ts';
import type { Context, Surroundings } from '../runtime/context.ts';
import { usageError } from '../runtime/failures.ts';
import { changeProfiles, type Profile } from '../runtime/profile.ts';
import { withoutUserInfo } from '../runtime/redact.ts';
import { profileName, resolve, type SettingKey, settingNames, settingOf } from '../runtime/settings.ts';
import { storedValue } from '../runtime/stored-value.ts';

/** Adds the commands of the noun. */
export function addConfig(noun: Command, surroundings: Surroundings): void {
  const keys = settingNames.map(({ key }) => key).join(', ');
  const add = (usage: string, title: string, example: string) =>
    addLeaf(noun, usage, {
      title,
      description: `Settings: ${keys}.`,
      effect: 'local',
      examples: [{ title, command: example }],
    });
  runs(add('get', 'Prints the value of a setting', 'base-url').argument('<key>', 'Setting'), surroundings, get);
  runs(
    add('explain', 'Prints settings and where each comes from', 'base-url').argument(
      '[key]',
      'Setting; all where not given',
    ),
    surroundings,
    explain,
  );
  const set = add('set', 'Keeps a setting in the profile in use', 'output json');
  runs(set.argument('<key>', 'Setting').argument('<value>', 'Value; empty to forget it'), surroundings, setValue);
}

function known(key: unknown) {
  const setting = settingOf(String(key));
  if (setting) return setting;
  const near = nearest(
    String(key),
    settingNames.map((one) => one.key),
  );
  throw usageError(`There is no setting ${JSON.stringify(key)}.${near ? ` Did you mean ${near}?` : ''}`);
}

async function get(context: Context, [key]: readonly unknown[]): Promise<void> {
  const setting = known(key);
  const value = resolve(setting.key as SettingKey, context.sources)?.value;
  await context.printer.value(value === undefined ? undefined : shown(value, setting.secret));
}

function shown(value: string, secret = false): string {
  return secret ? '(secret)' : withoutUserInfo(value);
}

async function explain(context: Context, [key]: readonly unknown[]): Promise<void> {
  const settings = key === undefined ? settingNames : [known(key)];
  const rows = settings.map(({ key: name, meaning, ...rest }) => {
    const found = resolve(name as SettingKey, context.sources);
    const value = found && shown(found.value, 'secret' in rest && rest.secret === true);
    return { setting: name, value, origin: found?.origin ?? 'not set', meaning };
  });
  // A list of all is about the values, which the meanings would cut.
  const { printer, sources } = context;
  if (key === undefined && printer.isForPeople && printer.format === 'table' && sources.options.columns === undefined)
    return printer.value(rows.map(({ meaning: _, ...row }) => row));
  await context.printer.value(rows);
}

async function setValue(context: Context, [key, given]: readonly unknown[]): Promise<void> {
  const setting = known(key);
  const value = String(given);
  const { profile: property } = setting;
  if (setting.secret || property === undefined || property === 'clientId')
    throw usageError(`${setting.key} is not set here.`, 'Use `iam profile use` and `iam profile add`.');
  const name = profileName(context.sources)?.value;
  if (name === undefined) throw usageError('No profile is in use.', 'Add one with `iam profile add`.');
  await changeProfiles(context.environment.variables, (file) => {
    const profile = file.profiles[name];
    if (!profile) throw usageError(`There is no profile ${JSON.stringify(name)}.`, 'See `iam profile list`.');
    return { ...file, profiles: { ...file.profiles, [name]: withValue(profile, property, value) } };
  });
  context.notice(`${setting.key} of the profile ${name} is ${value === '' ? 'forgotten' : withoutUserInfo(value)}.`);
}

function withValue(profile: Profile, property: keyof Profile, value: string): Profile {
  if (value === '' && property === 'baseUrl') throw usageError('A profile needs a base URL.');
  const { [property]: _, ...others } = profile;
  return { ...others, ...(value === '' ? {} : { [property]: storedValue(property, value) }) } as Profile;
}
