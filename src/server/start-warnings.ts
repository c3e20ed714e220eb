/** Warnings about an unsafe configuration, one sentence each, without secrets. */

import type { Settings } from './config/settings.ts';
import { settingsTable } from './config/settings-table.ts';
import { isLoopbackHost } from './config/validators.ts';
import type { SeedDocument } from './seed/schema.ts';
import type { ConfiguredSigningKey } from './tokens/signing-key-file.ts';

/** About 119 bits for letters and digits; generated secrets have more. */
const minSecretLength = 20;

interface StartContext {
  readonly settings: Settings;
  /** The public URL of the server and issuer of its tokens. */
  readonly baseUrl: string;
  readonly seed: SeedDocument | undefined;
  readonly signingKey?: Pick<ConfiguredSigningKey, 'isWorldReadable'> | undefined;
}

export function collectStartWarnings({ settings, baseUrl, seed, signingKey }: StartContext): string[] {
  const remote =
    settings.allowRemote && !isLoopbackHost(settings.host) ? collectRemoteWarnings(settings, new URL(baseUrl)) : [];
  return [
    ...remote,
    ...collectStoreWarnings(settings),
    ...collectKeyWarnings(settings, signingKey),
    ...collectSecretWarnings(settings, seed),
  ];
}

/** An https base URL indicates a proxy that terminates TLS. */
function collectRemoteWarnings({ tlsCert }: Settings, { protocol, hostname, host }: URL): string[] {
  const isClear = tlsCert === undefined && protocol !== 'https:';
  const isUnusable = isLoopbackHost(hostname) || ['0.0.0.0', '[::]'].includes(hostname);
  return [
    ...(isClear
      ? [
          'other machines can reach this server without TLS, so passwords and tokens are sent in clear text: set --tls-cert and --tls-key, or an https --base-url if a proxy terminates TLS',
        ]
      : []),
    ...(isUnusable
      ? [
          `other machines can't use the base URL ${protocol}//${host}, which is the issuer of tokens: set --base-url to a name or address that they can reach`,
        ]
      : []),
  ];
}

function collectStoreWarnings({ store, data }: Settings): string[] {
  if (store !== 'postgres' || data === settingsTable.data.default) return [];
  return [`the folder ${data} is not used, as --store is postgres: copy a store with iam store copy, or omit --data`];
}

/** A warning only: mounted secrets of containers are readable for all users of the container. */
function collectKeyWarnings({ signingKey: file }: Settings, signingKey: StartContext['signingKey']): string[] {
  return signingKey?.isWorldReadable
    ? [`all users of this machine can read the signing key ${file} and issue tokens with it: run chmod 600 on it`]
    : [];
}

function collectSecretWarnings({ adminClientSecret }: Settings, seed: SeedDocument | undefined): string[] {
  const candidates = [
    { name: 'IAM_ADMIN_CLIENT_SECRET', secret: adminClientSecret },
    ...(seed?.clients ?? []).map(({ clientId, clientSecret }) => ({
      name: `client ${JSON.stringify(clientId)} of the seed`,
      secret: clientSecret,
    })),
  ];
  const short = candidates.filter(({ secret }) => secret !== undefined && [...secret].length < minSecretLength);
  if (short.length === 0) return [];
  const names = short.map(({ name }) => name).join(', ');
  return [`client secrets with fewer than ${minSecretLength} characters can be guessed, so use longer ones: ${names}`];
}
