/**
 * All settings of the server: flag, environment variable, type, default and description. The source of flags,
 * environment variables, `iam serve --help` and docs/reference/settings.md.
 */

import { signingAlgorithms } from '../../contract/signing-algorithms.ts';
import {
  booleanSetting,
  integerSetting,
  listSetting,
  type Setting,
  secretSetting,
  textSetting,
} from './setting-types.ts';
import {
  validateBaseUrl,
  validateDatabaseUrl,
  validateEmail,
  validateHostName,
  validateId,
  validateNetwork,
  validateOrigin,
  validatePassword,
  validatePattern,
  validateSchemaName,
  validateSecretDatabaseUrl,
  validateSmtpUrl,
  validateUserName,
} from './validators.ts';

/** The longest token that any server can issue. */
export const longestMaxToken = 131_072;

export const settingsTable = {
  host: textSetting('host', 'Address to listen on; a non-loopback address requires --allow-remote', {
    default: '127.0.0.1',
  }),
  port: integerSetting('port', 8080, [0, 65535], 'Port to listen on; 0 selects a free port'),
  data: textSetting('data', 'Folder of the store; created if it does not exist', { default: 'data/store' }),
  seed: textSetting('seed', 'Seed file (YAML or JSON) to apply at every start'),
  store: textSetting(
    'store',
    'Storage engine: files on disk, memory until the server stops, or a PostgreSQL database',
    {
      default: 'file',
      values: ['file', 'memory', 'postgres'],
    },
  ),
  databaseUrl: textSetting(
    'database-url',
    'Database of --store postgres, as postgres://user@host:5432/database; several hosts or URLs are separated by commas. A password belongs in IAM_DATABASE_URL or in the file of PGPASSFILE',
    { check: validateDatabaseUrl, isSensitive: true },
  ),
  databaseSchema: textSetting('database-schema', 'Schema of the tables of --store postgres', {
    default: 'iam',
    check: validateSchemaName,
  }),
  init: booleanSetting('init', 'Create or migrate the tables of --store postgres'),
  exclusive: booleanSetting(
    'exclusive',
    'Use the database of --store postgres alone, as resets, imports, faults, the clock, snapshots and sandboxes require',
  ),
  signingAlg: textSetting('signing-alg', 'Signing algorithm of tokens', {
    default: 'ES256',
    values: signingAlgorithms,
  }),
  signingKey: textSetting(
    'signing-key',
    'File with the private key that signs tokens, in PEM or as JWK, so that every store publishes the same keys; it must fit --signing-alg. Defaults to a key that is generated for each store',
  ),
  issuer: textSetting<string>('issuer', 'Issuer and audience of tokens; defaults to the base URL', {
    check: validateBaseUrl,
  }),
  baseUrl: textSetting<string>(
    'base-url',
    'Public URL of the service, and issuer and audience of its tokens without --issuer; defaults to the listening address',
    {
      check: validateBaseUrl,
    },
  ),
  json: booleanSetting('json', 'Print one line of JSON when ready and nothing else on standard output'),
  resetAdmin: booleanSetting(
    'reset-admin',
    'Reset the secret of the administrator client and the password of the administrator user',
  ),
  tlsCert: textSetting('tls-cert', 'Certificate chain in PEM; enables HTTPS together with --tls-key'),
  tlsKey: textSetting('tls-key', 'Private key in PEM; enables HTTPS together with --tls-cert'),
  allowRemote: booleanSetting(
    'allow-remote',
    'Allow an address that other machines can reach; the control plane then requires credentials',
  ),
  allowedHost: listSetting(
    'allowed-host',
    'Additional host names to accept in the Host header, separated by commas, such as host.docker.internal. IP addresses, localhost and the host of the base URL are always accepted; any name is accepted by default with --allow-remote',
    validateHostName,
  ),
  chosenIds: textSetting(
    'chosen-ids',
    'Who chooses the ids of new users and the service account ids of own clients: all callers, or only administrators and authenticated first-party clients, which is the default with --allow-remote',
    { values: ['all', 'proven'] },
  ),
  testFeatures: textSetting(
    'test-features',
    'Test features: Prefer: code, fault injection and test recipients; auto enables them unless --allow-remote is set',
    { default: 'auto', values: ['auto', 'on', 'off'] },
  ),
  disableControlPlane: booleanSetting('disable-control-plane', 'Disable the control plane'),
  requestLogSize: integerSetting(
    'request-log-size',
    1000,
    [0, 100_000],
    'Number of requests in the request log of the control plane',
  ),
  clientTokenLifetime: integerSetting(
    'client-token-lifetime',
    3600,
    [1, 86_400],
    'Lifetime of client tokens in seconds',
  ),
  userTokenLifetime: integerSetting('user-token-lifetime', 3600, [1, 86_400], 'Lifetime of user tokens in seconds'),
  rememberedTokenLifetime: integerSetting(
    'remembered-token-lifetime',
    600,
    [1, 86_400],
    'Lifetime of user tokens in remembered sessions in seconds',
  ),
  maxToken: integerSetting(
    'max-token',
    32_768,
    [8_192, longestMaxToken],
    'Maximum length of an access token in bytes. Longer ones, of users and clients with many roles, are not issued. Request headers may be 8 KiB longer',
  ),
  refreshGrace: integerSetting(
    'refresh-grace',
    0,
    [0, 600],
    'Seconds in which a used refresh token returns its successor again, as long as that has not been used: for clients that lost a response. 0 ends the session at each reuse',
  ),
  sessionsPerUser: integerSetting(
    'sessions-per-user',
    undefined,
    [0, 1000],
    'Maximum sessions of a user with one client; one more ends the oldest. 0 disables the limit, which is the default without --allow-remote; otherwise 100',
  ),
  hashConcurrency: integerSetting('hash-concurrency', 2, [1, 64], 'Number of password hashes to compute in parallel'),
  expiresIn: textSetting('expires-in', 'Format of expiresIn: remaining seconds, or expiry in epoch seconds', {
    default: 'seconds',
    values: ['seconds', 'epoch'],
  }),
  softErrors: booleanSetting(
    'soft-errors',
    'Return status 200 with the error array instead of 400, 412 and 422 where the interface documents it',
  ),
  corsOrigins: listSetting(
    'cors-origins',
    'Origins allowed by CORS, separated by commas; defaults to all loopback origins',
    validateOrigin,
  ),
  trustedProxies: listSetting(
    'trusted-proxies',
    'Addresses and CIDR blocks of reverse proxies, separated by commas; only their Forwarded and X-Forwarded-For headers are trusted',
    validateNetwork,
  ),
  loginCertificates: textSetting(
    'login-certificates',
    'Offer logins with client certificates on the login page: tls asks browsers for one in the TLS handshake; proxy accepts the Client-Cert header (RFC 9440) of --trusted-proxies, which must remove those that others send',
    { values: ['tls', 'proxy'] },
  ),
  sandboxNetworks: listSetting(
    'sandbox-networks',
    'Addresses and CIDR blocks, separated by commas, that sandboxes of a server with --allow-remote may connect to, besides public addresses and the providers in the seed of the server. Without --allow-remote, sandboxes may connect to all addresses',
    validateNetwork,
  ),
  mainframeUrl: textSetting(
    'mainframe-url',
    'URL of an external mainframe for logons; defaults to the embedded mainframe',
    {
      check: validateBaseUrl,
    },
  ),
  mainframePasswordRule: textSetting(
    'mainframe-password-rule',
    'Regular expression that new mainframe passwords must match',
    {
      default: '[A-Za-z0-9@#$]{6,8}',
      check: validatePattern,
    },
  ),
  productsUrl: textSetting(
    'products-url',
    'URL of an external product system; defaults to the embedded product system',
    {
      check: validateBaseUrl,
    },
  ),
  smsHookUrl: textSetting('sms-hook-url', 'URL to post text messages to; without it they stay in the outbox', {
    check: validateBaseUrl,
  }),
  smtpFrom: textSetting('smtp-from', 'Sender address of e-mails sent to the relay', {
    default: 'iam@localhost',
    check: validateEmail,
  }),
  portTimeout: integerSetting('port-timeout', 5000, [1, 60_000], 'Timeout of external systems in milliseconds'),
  fastPasswords: booleanSetting(
    'fast-passwords',
    'Hash new passwords at minimum cost; for tests only, never for real passwords',
  ),
  disableRateLimits: booleanSetting(
    'disable-rate-limits',
    'Disable login throttles, attempt limits of codes, sending limits and growth limits; for tests only',
  ),
  unsafeLock: booleanSetting(
    'unsafe-lock',
    'Open the store also on a system or file system without a kernel lock; a second server in another container is not detected then',
  ),
  growthLimit: integerSetting(
    'growth-limit',
    1000,
    [0, 1_000_000],
    'Maximum creations per hour by unauthenticated callers, per network; 0 disables the limit. Loopback addresses are exempt',
  ),
  growthLimitOwner: integerSetting(
    'growth-limit-owner',
    1000,
    [0, 1_000_000],
    'Maximum creations per hour by a user without an administrative role, or its business, and all clients that it owns; 0 disables the limit',
  ),
  growthLimitOwners: integerSetting(
    'growth-limit-owners',
    20_000,
    [0, 1_000_000],
    'Maximum creations per hour by all users and clients that growth-limit-owner applies to, per network; 0 disables the limit',
  ),
  bodyLimit: integerSetting('body-limit', 1_000_000, [1_000, 100_000_000], 'Maximum size of a request body in bytes'),
  requestTimeout: integerSetting(
    'request-timeout',
    30,
    [1, 3600],
    'Seconds within which a request must be received completely',
  ),
  maxConnections: integerSetting(
    'max-connections',
    2000,
    [1, 100_000],
    'Maximum number of open connections, at most the limit of open files less 100; beyond it, the source with the most connections loses one to a new source',
  ),
  logLevel: textSetting('log-level', 'Log level on standard error', {
    default: 'warn',
    values: ['silent', 'error', 'warn', 'info', 'debug'],
  }),
  auditLog: textSetting(
    'audit-log',
    'Audit log file, with one line of JSON for each login and change; events that need no role from a group, and rejections, are written to FILE-self-service and FILE-refused. Use - for standard error, off to disable. Defaults to audit.log in the folder of the store, off with --store memory, or - with --store postgres',
  ),
  databaseSecretUrl: secretSetting(
    'IAM_DATABASE_URL',
    'Database of --store postgres, with a password; takes precedence over --database-url',
    validateSecretDatabaseUrl,
  ),
  smtpUrl: secretSetting(
    'IAM_SMTP_URL',
    'SMTP relay for e-mails, as smtp://user:password@host:port; without it they stay in the outbox',
    validateSmtpUrl,
  ),
  adminClientId: secretSetting(
    'IAM_ADMIN_CLIENT_ID',
    'Id of the administrator client; generated at the first start by default',
    validateId,
  ),
  adminClientSecret: secretSetting(
    'IAM_ADMIN_CLIENT_SECRET',
    'Secret of the administrator client; generated at the first start by default',
  ),
  appClientId: secretSetting(
    'IAM_APP_CLIENT_ID',
    'Id of the application client for user logins; generated at the first start by default',
    validateId,
  ),
  adminUser: secretSetting(
    'IAM_ADMIN_USER',
    'User name of the administrator user; defaults to admin',
    validateUserName,
  ),
  adminEmail: secretSetting(
    'IAM_ADMIN_EMAIL',
    'E-mail address of the administrator user; defaults to IAM_ADMIN_USER if that is an e-mail address',
    validateEmail,
  ),
  adminPassword: secretSetting(
    'IAM_ADMIN_PASSWORD',
    'Password of the administrator user; generated at the first start by default',
    validatePassword,
  ),
} satisfies Record<string, Setting>;
