/**
 * Every setting of the server in one table: its flag, the name it has in the environment, its kind, its default and its
 * words. Flags, environment, `iam serve --help` and docs/settings.md come from here.
 */
import { signingAlgorithms } from './tokens/keys.ts';

interface SettingBase {
  /** The flag is `--name`. */
  readonly name: string;
  readonly environment: string;
  readonly description: string;
  /** False: only from the environment (secrets have no business on a command line). */
  readonly flag: boolean;
}

export type Setting = SettingBase &
  (
    | {
        readonly kind: 'text';
        readonly default?: string;
        readonly values?: readonly string[];
        check?(value: string): string | undefined;
      }
    | { readonly kind: 'integer'; readonly default: number; readonly least: number; readonly most: number }
    | { readonly kind: 'boolean'; readonly default: boolean }
    | { readonly kind: 'list'; readonly default: readonly string[] }
  );

function environmentName(name: string): string {
  return `IAM_SERVE_${name.toUpperCase().replaceAll('-', '_')}`;
}

function text<const V extends string = string>(
  name: string,
  description: string,
  more: { default?: V; values?: readonly V[]; check?(value: string): string | undefined } = {},
) {
  return { kind: 'text' as const, name, environment: environmentName(name), description, flag: true, ...more };
}

function integer(name: string, fallback: number, range: readonly [number, number], description: string) {
  const [least, most] = range;
  return {
    kind: 'integer' as const,
    name,
    environment: environmentName(name),
    description,
    flag: true,
    default: fallback,
    least,
    most,
  };
}

function toggle(name: string, description: string) {
  return {
    kind: 'boolean' as const,
    name,
    environment: environmentName(name),
    description,
    flag: true,
    default: false,
  };
}

function secret(environment: string, description: string) {
  return {
    kind: 'text' as const,
    name: environment.toLowerCase().replaceAll('_', '-'),
    environment,
    description,
    flag: false,
  };
}

function baseUrlFault(value: string): string | undefined {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) return 'must be an http or https URL';
  return url.search || url.hash || url.username ? 'must have no query, fragment or user' : undefined;
}

export const settingsTable = {
  host: text('host', 'Address to listen on; any but a loopback one needs --allow-remote', { default: '127.0.0.1' }),
  port: integer('port', 8080, [0, 65535], 'Port to listen on; 0 takes any free one'),
  data: text('data', 'Folder of the store; made where it is missing', { default: 'data/store' }),
  seed: text('seed', 'Seed document (YAML or JSON) applied at every start'),
  store: text('store', 'Where state lives: on disk, or in memory until the server stops', {
    default: 'file',
    values: ['file', 'memory'],
  }),
  signingAlg: text('signing-alg', 'Algorithm that tokens are signed with', {
    default: 'ES256',
    values: signingAlgorithms,
  }),
  baseUrl: text(
    'base-url',
    'URL under which callers reach the service; issuer and audience of its tokens. The address it listens on where missing',
    {
      check: baseUrlFault,
    },
  ),
  json: toggle('json', 'Print one line of JSON when ready, and nothing else on standard output'),
  resetAdmin: toggle('reset-admin', 'Give the administrator client and the administrator user new secrets'),
  tlsCert: text('tls-cert', 'Certificate chain in PEM; serves HTTPS together with --tls-key'),
  tlsKey: text('tls-key', 'Private key in PEM; serves HTTPS together with --tls-cert'),
  allowRemote: toggle('allow-remote', 'Allow an address that other machines reach'),
  noControl: toggle('no-control', 'Serve nothing of the control plane'),
  clientTokenLifetime: integer('client-token-lifetime', 3600, [1, 86_400], 'Seconds that a token of a client lives'),
  userTokenLifetime: integer('user-token-lifetime', 3600, [1, 86_400], 'Seconds that a token of a user lives'),
  rememberedTokenLifetime: integer(
    'remembered-token-lifetime',
    600,
    [1, 86_400],
    'Seconds that a token of a user lives in a session that is remembered',
  ),
  hashesInFlight: integer('hashes-in-flight', 2, [1, 64], 'Password hashes computed at the same time'),
  hashesWaiting: integer('hashes-waiting', 400, [0, 100_000], 'Password hashes that may wait for their turn'),
  expiresIn: text('expires-in', 'How expiresIn is told: the seconds left, or the epoch second of expiry', {
    default: 'seconds',
    values: ['seconds', 'epoch'],
  }),
  softErrors: toggle(
    'soft-errors',
    'Answer 400, 412 and 422 with 200 and the error array where the interface documents that',
  ),
  corsOrigins: {
    kind: 'list' as const,
    name: 'cors-origins',
    environment: environmentName('cors-origins'),
    description: 'Origins whose pages may call, separated by commas; any loopback origin where missing',
    flag: true,
    default: [] as readonly string[],
  },
  bodyLimit: integer('body-limit', 1_000_000, [1_000, 100_000_000], 'Longest body taken, in bytes'),
  requestTimeout: integer('request-timeout', 30, [1, 3600], 'Seconds within which a request must have arrived'),
  maxConnections: integer('max-connections', 2000, [1, 100_000], 'Connections held at the same time'),
  logLevel: text('log-level', 'What goes to standard error', {
    default: 'warn',
    values: ['silent', 'error', 'warn', 'info', 'debug'],
  }),
  adminClientId: secret('IAM_ADMIN_CLIENT_ID', 'Id of the administrator client; made at the first start where missing'),
  adminClientSecret: secret(
    'IAM_ADMIN_CLIENT_SECRET',
    'Secret of the administrator client; made at the first start where missing',
  ),
  appClientId: secret(
    'IAM_APP_CLIENT_ID',
    'Id of the application client for user logins; made at the first start where missing',
  ),
  adminUser: secret('IAM_ADMIN_USER', 'User name of the administrator user; admin where missing'),
  adminEmail: secret('IAM_ADMIN_EMAIL', 'E-mail of the administrator user; IAM_ADMIN_USER where that is one'),
  adminPassword: secret(
    'IAM_ADMIN_PASSWORD',
    'Password of the administrator user; made at the first start where missing',
  ),
} satisfies Record<string, Setting>;
