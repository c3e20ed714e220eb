/** `iam logout`: ends what a login left, on the server and here. */
import type { Command } from 'commander';
import { assertSuccess } from '../../client/answer.ts';
import { addLeaf, type LeafText, runs } from '../leaf.ts';
import { baseUrlOf } from '../runtime/connection.ts';
import type { Context, Surroundings } from '../runtime/context.ts';
import { changeProfiles } from '../runtime/profile.ts';
import { forgetSession, readSession } from '../runtime/session-file.ts';
import { chosenProfile, profileName } from '../runtime/settings.ts';

export const logoutText: LeafText = {
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
export function addLogout(program: Command, surroundings: Surroundings): void {
  runs(addLeaf(program, 'logout', logoutText), surroundings, logout);
}

async function logout(context: Context): Promise<void> {
  const { sources, environment } = context;
  const profile = chosenProfile(sources);
  const name = profileName(sources)?.value;
  if (!profile || name === undefined) return context.notice('Nobody is signed in.');
  const { tokenCache } = await import('../runtime/token-cache.ts');
  const cache = tokenCache(profile.baseUrl, profile, environment);
  const stored = await readSession(name, environment.variables);
  if (stored) await revoke(context, stored.baseUrl, [stored.refreshToken, stored.accessToken]);
  await revoke(context, profile.baseUrl, [await cache.read()]);
  await forgetSession(name, environment.variables);
  await cache.forget();
  await changeProfiles(environment.variables, (file) => {
    const { session: _, ...kept } = file.profiles[name] ?? profile;
    return { ...file, profiles: { ...file.profiles, [name]: kept } };
  });
  const { session, clientId, clientSecret } = profile;
  context.notice(session ? `Signed ${session.userName ?? session.clientId} out.` : 'Forgot the tokens.');
  if (clientSecret !== undefined) context.notice(`The profile ${name} still signs in as the client ${clientId}.`);
}

/** A server that does not answer must not keep anybody signed in here. */
const patience = 5_000;

/** Revokes tokens where they come from, and nowhere else; says so where that fails. */
async function revoke(context: Context, baseUrl: string, tokens: readonly (string | undefined)[]): Promise<void> {
  const given = tokens.filter((token) => token !== undefined);
  if (given.length === 0) return;
  try {
    if (baseUrlOf(context.sources) !== baseUrl) throw new Error('another server is in use');
    const client = await context.connect('anonymous');
    const signal = AbortSignal.any([context.io.signal, AbortSignal.timeout(patience)]);
    for (const token of given)
      assertSuccess(await client.raw('POST', '/_iam/revoke', { body: { token }, anonymous: true, signal }));
  } catch {
    context.notice(`warning: The tokens could not be revoked at ${baseUrl}; it takes them until they expire.`);
  }
}
