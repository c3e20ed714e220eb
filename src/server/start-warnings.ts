/** What is unsafe about how a server was started, in one sentence each. No secret is ever in it. */
import type { SeedDocument } from './seed/schema.ts';
import { isLoopback, type Settings } from './settings.ts';

/** About 119 bits of a secret of letters and digits; what the server makes itself has more. */
const minSecretLength = 20;

interface StartContext {
  readonly settings: Settings;
  /** Under which callers reach the server, and which is the issuer of its tokens. */
  readonly baseUrl: string;
  readonly seed: SeedDocument | undefined;
}

export function collectStartWarnings({ settings, baseUrl, seed }: StartContext): string[] {
  const remote =
    settings.allowRemote && !isLoopback(settings.host) ? collectRemoteWarnings(settings, new URL(baseUrl)) : [];
  return [...remote, ...collectSecretWarnings(settings, seed)];
}

/** TLS may end at a proxy in front, which an https base URL tells of. */
function collectRemoteWarnings({ tlsCert }: Settings, { protocol, hostname, host }: URL): string[] {
  const isClear = tlsCert === undefined && protocol !== 'https:';
  const isUnusable = isLoopback(hostname) || ['0.0.0.0', '[::]'].includes(hostname);
  return [
    ...(isClear
      ? [
          'other machines reach this server without TLS, so passwords and tokens cross the network in clear text: give --tls-cert and --tls-key, or an https --base-url where a proxy in front ends TLS',
        ]
      : []),
    ...(isUnusable
      ? [
          `other machines can't use the base URL ${protocol}//${host}, which tokens name as their issuer: give --base-url with a name or an address that they reach`,
        ]
      : []),
  ];
}

function collectSecretWarnings({ adminClientSecret }: Settings, seed: SeedDocument | undefined): string[] {
  const given = [
    { name: 'IAM_ADMIN_CLIENT_SECRET', secret: adminClientSecret },
    ...(seed?.clients ?? []).map(({ clientId, clientSecret }) => ({
      name: `client ${JSON.stringify(clientId)} of the seed`,
      secret: clientSecret,
    })),
  ];
  const short = given.filter(({ secret }) => secret !== undefined && [...secret].length < minSecretLength);
  if (short.length === 0) return [];
  const names = short.map(({ name }) => name).join(', ');
  return [
    `client secrets with fewer than ${minSecretLength} characters can be guessed, so choose longer ones: ${names}`,
  ];
}
