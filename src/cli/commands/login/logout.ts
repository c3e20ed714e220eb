/** `iam logout`: revokes the tokens of a login and deletes them on this machine. */
import type { Command } from 'commander';
import { assertSuccess } from '../../../client/response.ts';
import { deleteSession, readSession } from '../../auth/session-file.ts';
import { addCommand, type CommandDescription, setAction } from '../../command.ts';
import { changeProfiles } from '../../config/profile.ts';
import { isSameBaseUrl } from '../../config/server-url.ts';
import type { CliRuntime, Context } from '../../context.ts';
import { resolveBaseUrl } from '../../http/connection.ts';

const logoutText: Omit<CommandDescription, 'title'> = {
  description:
    'Revokes the session tokens and cached tokens through the control plane of the server, and deletes them on this machine even if the server is unreachable. A client secret in the profile remains; delete it with `iam profile remove`.',
  effect: 'local',
  examples: [
    { title: 'Sign out of the current profile', command: '' },
    { title: 'Sign out of another profile', command: '--profile staging' },
  ],
};

export function addLogout(program: Command, runtime: CliRuntime, title: string): void {
  setAction(addCommand(program, 'logout', { title, ...logoutText }), runtime, logout);
}

async function logout(context: Context): Promise<void> {
  const { settings, environment } = context;
  const profile = settings.profile;
  const name = settings.profileName?.value;
  if (!profile || name === undefined) return context.notice('Not signed in.');
  const { createTokenCache } = await import('../../auth/token-cache.ts');
  const cache = createTokenCache(profile.baseUrl, profile, environment);
  const stored = await readSession(name, environment.variables);
  if (stored) await revoke(context, stored.baseUrl, [stored.refreshToken, stored.accessToken]);
  await revoke(context, profile.baseUrl, [await cache.read()]);
  await deleteSession(name, environment.variables);
  await cache.clear();
  await changeProfiles(environment.variables, (file) => {
    const { session: _, ...rest } = file.profiles[name] ?? profile;
    return { ...file, profiles: { ...file.profiles, [name]: rest } };
  });
  const { session, clientId, clientSecret } = profile;
  context.notice(session ? `Signed out ${session.userName ?? session.clientId}.` : 'Deleted the tokens.');
  if (clientSecret !== undefined) context.notice(`The profile ${name} still signs in as the client ${clientId}.`);
}

/** Limits the wait for an unreachable server; tokens are deleted locally in any case. */
const timeoutMs = 5_000;

/** Revokes tokens at the server that issued them, and prints a warning on failure. */
async function revoke(context: Context, baseUrl: string, tokens: readonly (string | undefined)[]): Promise<void> {
  const present = tokens.filter((token) => token !== undefined);
  if (present.length === 0) return;
  try {
    if (!isSameBaseUrl(resolveBaseUrl(context.settings), baseUrl))
      throw new Error('the current server did not issue the tokens');
    const client = await context.connect('anonymous');
    const signal = AbortSignal.any([context.io.signal, AbortSignal.timeout(timeoutMs)]);
    for (const token of present)
      assertSuccess(await client.raw('POST', '/_iam/revoke', { body: { token }, anonymous: true, signal }));
  } catch {
    context.notice(`warning: Could not revoke the tokens at ${baseUrl}; they stay valid until they expire.`);
  }
}
