/** `iam logout`: ends what a login left, on the server and here. */
import type { Command } from 'commander';
import { assertSuccess } from '../../client/response.ts';
import { addCommand, type CommandDescription, setAction } from '../command.ts';
import { resolveBaseUrl } from '../runtime/connection.ts';
import type { CliRuntime, Context } from '../runtime/context.ts';
import { changeProfiles } from '../runtime/profile.ts';
import { deleteSession, readSession } from '../runtime/session-file.ts';
import { resolveProfile, resolveProfileName } from '../runtime/settings.ts';

export const logoutText: CommandDescription = {
  title: 'Ends the session of a profile, and forgets its tokens',
  description:
    'Revokes the tokens of a login and those kept between runs on the server, by its control plane, and forgets them on this machine, also where the server is out of reach. A secret that the profile itself holds stays: `iam profile remove` forgets it.',
  effect: 'local',
  examples: [
    { title: 'Of the profile in use', command: '' },
    { title: 'Of another one', command: '--profile staging' },
  ],
};

/** Adds the command. */
export function addLogout(program: Command, runtime: CliRuntime): void {
  setAction(addCommand(program, 'logout', logoutText), runtime, logout);
}

async function logout(context: Context): Promise<void> {
  const { sources, environment } = context;
  const profile = resolveProfile(sources);
  const name = resolveProfileName(sources)?.value;
  if (!profile || name === undefined) return context.notice('Nobody is signed in.');
  const { createTokenCache } = await import('../runtime/token-cache.ts');
  const cache = createTokenCache(profile.baseUrl, profile, environment);
  const stored = await readSession(name, environment.variables);
  if (stored) await revoke(context, stored.baseUrl, [stored.refreshToken, stored.accessToken]);
  await revoke(context, profile.baseUrl, [await cache.read()]);
  await deleteSession(name, environment.variables);
  await cache.clear();
  await changeProfiles(environment.variables, (file) => {
    const { session: _, ...kept } = file.profiles[name] ?? profile;
    return { ...file, profiles: { ...file.profiles, [name]: kept } };
  });
  const { session, clientId, clientSecret } = profile;
  context.notice(session ? `Signed ${session.userName ?? session.clientId} out.` : 'Forgot the tokens.');
  if (clientSecret !== undefined) context.notice(`The profile ${name} still signs in as the client ${clientId}.`);
}

/** A server that does not answer must not keep anybody signed in here. */
const timeoutMs = 5_000;

/** Revokes tokens where they come from, and nowhere else; says so where that fails. */
async function revoke(context: Context, baseUrl: string, tokens: readonly (string | undefined)[]): Promise<void> {
  const given = tokens.filter((token) => token !== undefined);
  if (given.length === 0) return;
  try {
    if (resolveBaseUrl(context.sources) !== baseUrl) throw new Error('another server is in use');
    const client = await context.connect('anonymous');
    const signal = AbortSignal.any([context.io.signal, AbortSignal.timeout(timeoutMs)]);
    for (const token of given)
      assertSuccess(await client.raw('POST', '/_iam/revoke', { body: { token }, anonymous: true, signal }));
  } catch {
    context.notice(`warning: The tokens could not be revoked at ${baseUrl}; it takes them until they expire.`);
  }
}
