/** `iam whoami`: who the server takes the caller for, and until when. */

import type { Command } from 'commander';
import { bareRole } from '../../contract/roles.ts';
import { addLeaf, type LeafText, runs } from '../leaf.ts';
import { baseUrlOf, requireSignIn } from '../runtime/connection.ts';
import type { Context, Surroundings } from '../runtime/context.ts';
import { requireTaken, tokenInUse } from './token-in-use.ts';
import { decodeToken } from './token-text.ts';

export const whoamiText: LeafText = {
  title: 'Shows who is signed in, and with which roles',
  description:
    'Reads the token that the credentials in use give, once the server has taken it. An API key has no token to read.',
  effect: 'read',
  examples: [
    { title: 'In words', command: '' },
    { title: 'As JSON', command: '-o json' },
  ],
};

/** Adds the command. */
export function addWhoami(program: Command, surroundings: Surroundings): void {
  const command = addLeaf(program, 'whoami', whoamiText);
  runs(command, surroundings, whoami);
}

async function whoami(context: Context): Promise<void> {
  const found = requireSignIn(context.sources);
  const { userName, profile } = found;
  const where = {
    ...(userName === undefined ? {} : { userName }),
    baseUrl: baseUrlOf(context.sources),
    ...(profile === undefined ? {} : { profile }),
    signedInBy: found.kind,
    credentialsFrom: found.origin,
  };
  // A client proves itself each time. What was given out before may have ended since, and does not show it.
  if (found.kind !== 'client' && found.kind !== 'user') await requireTaken(context);
  const token = await tokenInUse(context, found);
  await context.printer.value(token === undefined ? where : { ...claimsShown(token), ...where });
}

function claimsShown(token: string): Record<string, unknown> {
  const { claims } = decodeToken(token);
  const { sub, client_id: clientId, user_id: userId, business_id: businessId, scope, authorities, exp } = claims;
  const roles = Array.isArray(authorities) ? authorities.map((name) => bareRole(String(name))) : undefined;
  const expiresAt = typeof exp === 'number' ? new Date(exp * 1000).toISOString() : undefined;
  const shown = { subject: sub, clientId, userId, businessId, roles, scope, expiresAt };
  return Object.fromEntries(Object.entries(shown).filter(([, value]) => value !== undefined));
}
