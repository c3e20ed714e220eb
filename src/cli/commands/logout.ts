/** `iam logout`: forgets what a login left. */
import type { Command } from 'commander';
import { addLeaf, type LeafText, runs } from '../leaf.ts';
import type { Context, Surroundings } from '../runtime/context.ts';
import { changeProfiles } from '../runtime/profile.ts';
import { forgetSession } from '../runtime/session-file.ts';
import { chosenProfile, profileName } from '../runtime/settings.ts';

export const logoutText: LeafText = {
  title: 'Forgets the tokens of a profile',
  description:
    'Those of a login and those kept between runs, on this machine; the server still takes them until they expire. A secret that the profile itself holds stays: `iam profile remove` forgets it.',
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
  await forgetSession(name, environment.variables);
  const { tokenCache } = await import('../runtime/token-cache.ts');
  await tokenCache(profile.baseUrl, profile, environment).forget();
  await changeProfiles(environment.variables, (file) => {
    const { session: _, ...kept } = file.profiles[name] ?? profile;
    return { ...file, profiles: { ...file.profiles, [name]: kept } };
  });
  const { session, clientId, clientSecret } = profile;
  context.notice(session ? `Signed ${session.userName ?? session.clientId} out.` : 'Forgot the tokens.');
  if (clientSecret !== undefined) context.notice(`The profile ${name} still signs in as the client ${clientId}.`);
}
