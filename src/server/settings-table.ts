/**
 * Every setting of the server in one table: its flag, the name it has in the environment, its kind, its default and its
 * words. Flags, environment, `iam serve --help` and docs/settings.md come from here.
 */

import {
  booleanSetting,
  integerSetting,
  type Setting,
  secretSetting,
  textSetting,
  toEnvironmentName,
} from './setting-types.ts';
import { signingAlgorithms } from './tokens/keys.ts';
import {
  validateBaseUrl,
  validateEmail,
  validateHostName,
  validateId,
  validateOrigin,
  validatePassword,
  validatePattern,
  validateProxyAddress,
  validateSmtpUrl,
  validateUserName,
} from './validators.ts';

export const settingsTable = {
  host: textSetting('host', 'Address to listen on; any but a loopback one needs --allow-remote', {
    default: '127.0.0.1',
  }),
  port: integerSetting('port', 8080, [0, 65535], 'Port to listen on; 0 takes any free one'),
  data: textSetting('data', 'Folder of the store; made where it is missing', { default: 'data/store' }),
  seed: textSetting('seed', 'Seed document (YAML or JSON) applied at every start'),
  store: textSetting('store', 'Where state lives: on disk, or in memory until the server stops', {
    default: 'file',
    values: ['file', 'memory'],
  }),
  signingAlg: textSetting('signing-alg', 'Algorithm that tokens are signed with', {
    default: 'ES256',
    values: signingAlgorithms,
  }),
  baseUrl: textSetting(
    'base-url',
    'URL under which callers reach the service; issuer and audience of its tokens. The address it listens on where missing',
    {
      check: validateBaseUrl,
    },
  ),
  json: booleanSetting('json', 'Print one line of JSON when ready, and nothing else on standard output'),
  resetAdmin: booleanSetting('reset-admin', 'Give the administrator client and the administrator user new secrets'),
  tlsCert: textSetting('tls-cert', 'Certificate chain in PEM; serves HTTPS together with --tls-key'),
  tlsKey: textSetting('tls-key', 'Private key in PEM; serves HTTPS together with --tls-cert'),
  allowRemote: booleanSetting(
    'allow-remote',
    'Allow an address that other machines reach; the control plane then asks for credentials',
  ),
  allowedHost: {
    kind: 'list' as const,
    name: 'allowed-host',
    environment: toEnvironmentName('allowed-host'),
    description:
      'Names in Host that the server answers to besides IP addresses, localhost and the host of the base URL, separated by commas, such as host.docker.internal. Where missing none, and every name with --allow-remote',
    flag: true,
    default: [] as readonly string[],
    check: validateHostName,
  },
  testFeatures: textSetting(
    'test-features',
    'Prefer: code, injected faults and test recipients: auto is on, but off with --allow-remote',
    { default: 'auto', values: ['auto', 'on', 'off'] },
  ),
  disableControlPlane: booleanSetting('disable-control-plane', 'Serve nothing of the control plane'),
  requestLogSize: integerSetting(
    'request-log-size',
    1000,
    [0, 100_000],
    'Calls that the control plane keeps for looking at',
  ),
  clientTokenLifetime: integerSetting(
    'client-token-lifetime',
    3600,
    [1, 86_400],
    'Seconds that a token of a client lives',
  ),
  userTokenLifetime: integerSetting('user-token-lifetime', 3600, [1, 86_400], 'Seconds that a token of a user lives'),
  rememberedTokenLifetime: integerSetting(
    'remembered-token-lifetime',
    600,
    [1, 86_400],
    'Seconds that a token of a user lives in a session that is remembered',
  ),
  hashConcurrency: integerSetting('hash-concurrency', 2, [1, 64], 'Password hashes computed at the same time'),
  hashQueueSize: integerSetting(
    'hash-queue-size',
    400,
    [0, 100_000],
    'Password hashes that may wait for their turn; sources are served in turn',
  ),
  expiresIn: textSetting('expires-in', 'How expiresIn is told: the seconds left, or the epoch second of expiry', {
    default: 'seconds',
    values: ['seconds', 'epoch'],
  }),
  softErrors: booleanSetting(
    'soft-errors',
    'Answer 400, 412 and 422 with 200 and the error array where the interface documents that',
  ),
  corsOrigins: {
    kind: 'list' as const,
    name: 'cors-origins',
    environment: toEnvironmentName('cors-origins'),
    description: 'Origins whose pages may call, separated by commas; any loopback origin where missing',
    flag: true,
    default: [] as readonly string[],
    check: validateOrigin,
  },
  trustedProxies: {
    kind: 'list' as const,
    name: 'trusted-proxies',
    environment: toEnvironmentName('trusted-proxies'),
    description:
      'Addresses and CIDR blocks of reverse proxies, separated by commas; only their Forwarded or X-Forwarded-For header is believed',
    flag: true,
    default: [] as readonly string[],
    check: validateProxyAddress,
  },
  mainframeUrl: textSetting(
    'mainframe-url',
    'Mainframe that logons are asked of over HTTP; those of the store where missing',
    {
      check: validateBaseUrl,
    },
  ),
  mainframePasswordRule: textSetting(
    'mainframe-password-rule',
    'Regular expression that a new mainframe password matches as a whole',
    {
      default: '[A-Za-z0-9@#$]{6,8}',
      check: validatePattern,
    },
  ),
  productsUrl: textSetting(
    'products-url',
    'Product system that is asked over HTTP; the products of the store where missing',
    {
      check: validateBaseUrl,
    },
  ),
  smsHookUrl: textSetting('sms-hook-url', 'Where text messages are posted to; they stay in the outbox where missing', {
    check: validateBaseUrl,
  }),
  smtpFrom: textSetting('smtp-from', 'Sender of e-mails that go to the relay', {
    default: 'iam@localhost',
    check: validateEmail,
  }),
  portTimeout: integerSetting(
    'port-timeout',
    5000,
    [1, 60_000],
    'Milliseconds that a system outside may take to answer',
  ),
  fastPasswords: booleanSetting(
    'fast-passwords',
    'Hash new passwords at the least cost: for tests, never for real passwords',
  ),
  disableRateLimits: booleanSetting(
    'disable-rate-limits',
    'Switch off login throttles, attempt budgets for codes, sending limits and growth limits: for tests',
  ),
  growthLimit: integerSetting(
    'growth-limit',
    1000,
    [0, 1_000_000],
    'Creations an hour by callers that did not authenticate, for each network that they call from; 0 is no limit. Loopback addresses have none',
  ),
  bodyLimit: integerSetting('body-limit', 1_000_000, [1_000, 100_000_000], 'Longest body taken, in bytes'),
  requestTimeout: integerSetting('request-timeout', 30, [1, 3600], 'Seconds within which a request must have arrived'),
  maxConnections: integerSetting(
    'max-connections',
    2000,
    [1, 100_000],
    'Connections held at the same time; beyond, the source that holds the most gives one up for another source',
  ),
  logLevel: textSetting('log-level', 'What goes to standard error', {
    default: 'warn',
    values: ['silent', 'error', 'warn', 'info', 'debug'],
  }),
  auditLog: textSetting(
    'audit-log',
    'File that tells of each login and each change, a line of JSON each; what callers without a role cause goes to FILE-self-service and FILE-refused beside it. - is standard error, off is none. Where missing audit.log in the folder of the store, and none with --store memory',
  ),
  smtpUrl: secretSetting(
    'IAM_SMTP_URL',
    'Relay that e-mails go to, as smtp://user:password@host:port; they stay in the outbox where missing',
    validateSmtpUrl,
  ),
  adminClientId: secretSetting(
    'IAM_ADMIN_CLIENT_ID',
    'Id of the administrator client; made at the first start where missing',
    validateId,
  ),
  adminClientSecret: secretSetting(
    'IAM_ADMIN_CLIENT_SECRET',
    'Secret of the administrator client; made at the first start where missing',
  ),
  appClientId: secretSetting(
    'IAM_APP_CLIENT_ID',
    'Id of the application client for user logins; made at the first start where missing',
    validateId,
  ),
  adminUser: secretSetting(
    'IAM_ADMIN_USER',
    'User name of the administrator user; admin where missing',
    validateUserName,
  ),
  adminEmail: secretSetting(
    'IAM_ADMIN_EMAIL',
    'E-mail of the administrator user; IAM_ADMIN_USER where that is one',
    validateEmail,
  ),
  adminPassword: secretSetting(
    'IAM_ADMIN_PASSWORD',
    'Password of the administrator user; made at the first start where missing',
    validatePassword,
  ),
} satisfies Record<string, Setting>;
