/** `iam whoami`: who the server takes the caller for, and until when. */

import type { Command } from 'commander';
import { stripRolePrefix } from '../../contract/roles.ts';
import { addCommand, type CommandDescription, setAction } from '../command.ts';
import { requireSendableCredentials, resolveBaseUrl } from '../runtime/connection.ts';
import type { CliRuntime, Context } from '../runtime/context.ts';
import { assertCredentialsAccepted, getCurrentToken } from './current-token.ts';
import { decodeToken } from './decode-token.ts';

export const whoamiText: CommandDescription = {
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
export function addWhoami(program: Command, runtime: CliRuntime): void {
  const command = addCommand(program, 'whoami', whoamiText);
  setAction(command, runtime, whoami);
}

async function whoami(context: Context): Promise<void> {
  const found = requireSendableCredentials(context.sources);
  const { userName, profile } = found;
  const where = {
    ...(userName === undefined ? {} : { userName }),
    baseUrl: resolveBaseUrl(context.sources),
    ...(profile === undefined ? {} : { profile }),
    signedInBy: found.kind,
    credentialsFrom: found.origin,
  };
  // A client proves itself each time. What was given out before may have ended since, and does not show it.
  if (found.kind !== 'client' && found.kind !== 'user') await assertCredentialsAccepted(context);
  const token = await getCurrentToken(context, found);
  await context.printer.value(token === undefined ? where : { ...selectClaims(token), ...where });
}

function selectClaims(token: string): Record<string, unknown> {
  const { claims } = decodeToken(token);
  const { sub, client_id: clientId, user_id: userId, business_id: businessId, scope, authorities, exp } = claims;
  const roles = Array.isArray(authorities) ? authorities.map((name) => stripRolePrefix(String(name))) : undefined;
  const expiresAt = typeof exp === 'number' ? new Date(exp * 1000).toISOString() : undefined;
  const shown = { subject: sub, clientId, userId, businessId, roles, scope, expiresAt };
  return Object.fromEntries(Object.entries(shown).filter(([, value]) => value !== undefined));
}
