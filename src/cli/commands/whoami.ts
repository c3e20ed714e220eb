/** `iam whoami`: shows the identity and roles of the caller, and the token expiry. */

import type { Command } from 'commander';
import { stripRolePrefix } from '../../contract/roles.ts';
import { decodeToken } from '../auth/decode-token.ts';
import { addCommand, type CommandDescription, setAction } from '../command.ts';
import type { CliRuntime, Context } from '../context.ts';
import { requireSendableCredentials, resolveBaseUrl } from '../http/connection.ts';
import { assertCredentialsAccepted, getCurrentToken } from '../request/current-token.ts';

const whoamiText: Omit<CommandDescription, 'title'> = {
  description:
    'Decodes the access token of the current credentials after the server has accepted it. An API key has no access token.',
  effect: 'read',
  examples: [
    { title: 'Show the identity', command: '' },
    { title: 'Print as JSON', command: '-o json' },
  ],
};

export function addWhoami(program: Command, runtime: CliRuntime, title: string): void {
  const command = addCommand(program, 'whoami', { title, ...whoamiText });
  setAction(command, runtime, whoami);
}

async function whoami(context: Context): Promise<void> {
  const credentials = requireSendableCredentials(context.settings);
  const { userName, profile } = credentials;
  const signIn = {
    ...(userName === undefined ? {} : { userName }),
    baseUrl: resolveBaseUrl(context.settings),
    ...(profile === undefined ? {} : { profile }),
    signedInBy: credentials.kind,
    credentialsFrom: credentials.origin,
  };
  // Clients and users sign in for each command. A stored token or an API key can have been revoked since.
  if (credentials.kind !== 'client' && credentials.kind !== 'user') await assertCredentialsAccepted(context);
  const token = await getCurrentToken(context, credentials);
  await context.printer.value(token === undefined ? signIn : { ...selectClaims(token), ...signIn });
}

function selectClaims(token: string): Record<string, unknown> {
  const { claims } = decodeToken(token);
  const { sub, client_id: clientId, user_id: userId, business_id: businessId, scope, authorities, exp } = claims;
  const roles = Array.isArray(authorities) ? authorities.map((name) => stripRolePrefix(String(name))) : undefined;
  const expiresAt = typeof exp === 'number' ? new Date(exp * 1000).toISOString() : undefined;
  const identity = { subject: sub, clientId, userId, businessId, roles, scope, expiresAt };
  return Object.fromEntries(Object.entries(identity).filter(([, value]) => value !== undefined));
}
