/** `iam profile`: manages named servers and their credentials. */
import type { Command } from 'commander';
import { deleteSession } from '../../auth/session-file.ts';
import { addCommand, addConfirmOptions, setAction } from '../../command.ts';
import { changeProfiles, findProfile, getProfilePath } from '../../config/profile.ts';
import { stripUserInfo } from '../../config/server-url.ts';
import type { CliRuntime, CommandOptions, Context } from '../../context.ts';
import { usageError } from '../../errors.ts';
import { declareValueSources } from '../../prompts/value-sources.ts';
import { assertConfirmed } from '../../request/confirm.ts';
import { addProfileAdd } from './add.ts';

const existing = { name: 'profile' } as const;

export function addProfile(noun: Command, runtime: CliRuntime): void {
  const add = (usage: string, title: string, example: string) =>
    addCommand(noun, usage, { title, effect: 'local', examples: [{ title, command: example }] });
  setAction(add('list', 'List profiles', '').alias('ls'), runtime, list);
  const showCommand = add('show', 'Show a profile without its secrets', 'local')
    .alias('get')
    .argument('[name]', 'Name of the profile; default the current one');
  setAction(declareValueSources(showCommand, existing), runtime, show);
  const useCommand = add('use', 'Select the current profile', 'local').argument('<name>', 'Name of the profile');
  setAction(declareValueSources(useCommand, existing), runtime, use);
  const removeCommand = add('remove', 'Remove a profile', 'old --yes')
    .aliases(['rm', 'delete'])
    .argument('<name...>', 'Name of the profile, one or more');
  setAction(declareValueSources(addConfirmOptions(removeCommand), existing), runtime, removeProfile);
  addProfileAdd(noun, runtime);
}

async function list(context: Context): Promise<void> {
  const { file } = context.settings;
  const current = context.settings.profileName?.value;
  const rows = Object.entries(file.profiles).map(([name, { baseUrl, clientId, session }]) => ({
    name,
    current: name === current ? '*' : '',
    baseUrl: maskValue(baseUrl),
    clientId: session?.clientId ?? clientId,
    userName: session?.userName,
  }));
  if (rows.length === 0) context.notice(`No profiles found in ${getProfilePath(context.environment.variables)}.`);
  else if (context.printer.isForPeople) await context.printer.value(rows);
  else await context.printer.value(rows.map((row) => ({ ...row, current: row.current !== '' })));
}

async function show(context: Context, [argument]: readonly unknown[]): Promise<void> {
  const name = argument === undefined ? context.settings.profileName?.value : String(argument);
  const { profile: current, file } = context.settings;
  const profile = argument === undefined ? current : findProfile(file, String(argument));
  if (name === undefined || !profile) throw unknownProfileError(name ?? '');
  const masked = (value: string | undefined, key: string) => (value === undefined ? {} : { [key]: '(secret)' });
  const { clientSecret, token, apiKey, session, server: _, ...settings } = profile;
  const publicSettings = Object.entries(settings).map(([key, value]) => [key, maskValue(value)]);
  await context.printer.value({
    name,
    ...Object.fromEntries(publicSettings),
    ...(session ? { signedIn: session.userName ?? session.clientId } : {}),
    ...masked(clientSecret, 'clientSecret'),
    ...masked(token, 'token'),
    ...masked(apiKey, 'apiKey'),
  });
}

/** A proxy URL can contain a password. */
function maskValue(value: unknown): unknown {
  return typeof value === 'string' ? stripUserInfo(value) : value;
}

function unknownProfileError(name: string) {
  return usageError(
    name === '' ? 'No profile is selected.' : `Profile ${JSON.stringify(name)} not found.`,
    'List profiles with `iam profile list`.',
  );
}

async function use(context: Context, [name]: readonly unknown[]): Promise<void> {
  await changeProfiles(context.environment.variables, (file) => {
    if (!Object.hasOwn(file.profiles, String(name))) throw unknownProfileError(String(name));
    return { ...file, current: String(name) };
  });
  context.notice(`The current profile is ${name}.`);
}

async function removeProfile(context: Context, [argument]: readonly unknown[], options: CommandOptions): Promise<void> {
  const names = [...new Set([argument].flat().map(String))];
  const { profiles: known } = context.settings.file;
  for (const name of names) if (!Object.hasOwn(known, name)) throw unknownProfileError(name);
  const [name = '', ...others] = names;
  const guarded = names.find((one) => known[one]?.protected === true);
  if (guarded !== undefined && others.length > 0)
    throw usageError(
      `The profile ${guarded} is protected; nothing was removed.`,
      'Remove it with a command of its own.',
    );
  const question = others.length === 0 ? `the profile ${name} and its` : `the profiles ${names.join(', ')} and their`;
  await assertConfirmed(context, `Remove ${question} credentials?`, options, false, {
    requireName: guarded !== undefined,
    name,
  });
  await changeProfiles(context.environment.variables, ({ current, profiles, ...rest }) => {
    const remaining = Object.fromEntries(Object.entries(profiles).filter(([other]) => !names.includes(other)));
    return { ...rest, ...(current === undefined || names.includes(current) ? {} : { current }), profiles: remaining };
  });
  for (const one of names) {
    await deleteSession(one, context.environment.variables);
    context.notice(`Removed the profile ${one}.`);
  }
}
