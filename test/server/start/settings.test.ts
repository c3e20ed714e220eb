/** Settings: sources, validation, and messages without secrets. */
import { writeFile } from 'node:fs/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createSecretReader } from '../../../src/server/config/read-secret-file.ts';
import { readSettings, SettingError, settingsTable, withSecretFiles } from '../../../src/server/config/settings.ts';
import { readConfiguration } from '../../../src/server/seed/configuration.ts';
import { parseDatabaseUrls } from '../../../src/server/store/postgres/database-url.ts';
import { makeFolder } from '../store/temp-store.ts';

describe('a setting', () => {
  test('is read from the flag, the environment, the seed, or the default, in this order', () => {
    const flags = { port: '1' };
    const environment = { IAM_SERVE_PORT: '2' };
    const seeded = { port: 3 };
    expect(readSettings(flags, environment, seeded).port).toBe(1);
    expect(readSettings({}, environment, seeded).port).toBe(2);
    expect(readSettings({}, {}, seeded).port).toBe(3);
    expect(readSettings({}, {}).port).toBe(8080);
  });

  test('that is empty in the environment is ignored', () => {
    expect(readSettings({}, { IAM_SERVE_PORT: '', IAM_ADMIN_PASSWORD: '', IAM_SERVE_DATA: '' })).toEqual(
      readSettings({}, {}),
    );
  });

  test('has safe defaults: loopback, ES256, no secret', () => {
    expect(readSettings({}, {})).toMatchObject({
      host: '127.0.0.1',
      store: 'file',
      signingAlg: 'ES256',
      clientTokenLifetime: 3600,
      softErrors: false,
      allowRemote: false,
      expiresIn: 'seconds',
      adminClientSecret: undefined,
      adminPassword: undefined,
    });
  });

  test('has a unique flag and a unique variable', () => {
    const all = Object.values(settingsTable);
    expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
    expect(new Set(all.map(({ environment }) => environment)).size).toBe(all.length);
  });

  test('of type boolean accepts the usual values', () => {
    for (const word of ['true', '1', 'yes']) expect(readSettings({}, { IAM_SERVE_JSON: word }).json).toBe(true);
    for (const word of ['false', '0', 'no']) expect(readSettings({}, { IAM_SERVE_JSON: word }).json).toBe(false);
    expect(readSettings({ json: true }, {}).json).toBe(true);
  });

  test('of type list is split at commas', () => {
    const { corsOrigins } = readSettings({ 'cors-origins': ' https://a.example ,http://b.example:81,' }, {});
    expect(corsOrigins).toEqual(['https://a.example', 'http://b.example:81']);
    expect(readSettings({}, {}, { 'cors-origins': ['https://a.example'] }).corsOrigins).toEqual(['https://a.example']);
  });
});

describe('settings that are valid only together', () => {
  test.each([
    ['a seed', { 'allow-remote': true }, { host: '0.0.0.0', allowRemote: true }],
    ['flags only', {}, '--host 0.0.0.0 can be reached from other machines'],
  ])('are checked with those of %s', async (_, settings, expected) => {
    const folder = await makeFolder();
    onTestFinished(folder.remove);
    const seed = `${folder.directory}.json`;
    await writeFile(seed, JSON.stringify({ settings }));
    const reading = readConfiguration({ host: '0.0.0.0', seed }, {});
    if (typeof expected === 'string') await expect(reading).rejects.toThrow(expected);
    else expect((await reading).settings).toMatchObject(expected);
  });
});

describe('an invalid value', () => {
  const bad: [string, string][] = [
    ['port', '65536'],
    ['port', '-1'],
    ['port', '80.5'],
    ['port', '0x50'],
    ['port', ''],
    ['port', ' 80'],
    ['port', '1e3'],
    ['host', ''],
    ['data', ''],
    ['seed', ''],
    ['store', 'disk'],
    ['store', 'FILE'],
    ['signing-alg', 'none'],
    ['signing-alg', 'HS256'],
    ['base-url', 'iam.example'],
    ['base-url', 'ftp://iam.example'],
    ['base-url', 'https://user@iam.example'],
    ['base-url', 'https://:word@iam.example'],
    ['base-url', 'https://iam.example/?x'],
    ['base-url', 'https://iam.example/?'],
    ['base-url', 'https://iam.example/#x'],
    ['json', 'maybe'],
    ['soft-errors', 'on'],
    ['client-token-lifetime', '0'],
    ['client-token-lifetime', '86401'],
    ['expires-in', 'minutes'],
    ['cors-origins', '*'],
    ['cors-origins', 'app.example'],
    ['cors-origins', 'https://app.example,https://app.example/path'],
    ['cors-origins', 'HTTPS://APP.example'],
    ['body-limit', '999'],
    ['body-limit', 'Infinity'],
    ['request-timeout', '0'],
    ['max-connections', '0'],
    ['log-level', 'verbose'],
  ];
  test.each(bad)('--%s %j stops the start with a message that names its source', (name, value) => {
    const flagged = () => readSettings({ [name]: value }, {});
    expect(flagged).toThrow(SettingError);
    expect(flagged).toThrow(new RegExp(`^--${name} `));
    const seeded = () => readSettings({}, {}, { [name]: value });
    expect(seeded).toThrow(new RegExp(`^settings\\.${name} in the seed `));
    const variable = `IAM_SERVE_${name.toUpperCase().replaceAll('-', '_')}`;
    if (value !== '') expect(() => readSettings({}, { [variable]: value })).toThrow(new RegExp(`^${variable} `));
  });

  test('a list without items is an error: it would be the default, which can allow more', () => {
    for (const name of ['allowed-host', 'trusted-proxies', 'cors-origins']) {
      for (const value of ['', ',', ' , '])
        expect(() => readSettings({ [name]: value }, {})).toThrow(`--${name} must not be empty`);
      expect(() => readSettings({}, {}, { [name]: [] })).toThrow(`settings.${name} in the seed must not be empty`);
    }
    expect(() => readSettings({}, { IAM_SERVE_CORS_ORIGINS: ',' })).toThrow('IAM_SERVE_CORS_ORIGINS must not be empty');
  });

  const badSecrets: [string, string][] = [
    ['IAM_ADMIN_CLIENT_ID', 'canary value'],
    ['IAM_ADMIN_CLIENT_ID', 'canary:/'],
    ['IAM_ADMIN_CLIENT_ID', 'me'],
    ['IAM_APP_CLIENT_ID', 'canary\nvalue'],
    ['IAM_ADMIN_USER', 'canary\u001b[31m'],
    ['IAM_ADMIN_EMAIL', 'canary'],
    ['IAM_ADMIN_EMAIL', 'canary@ example'],
    ['IAM_ADMIN_PASSWORD', 'canary'],
    ['IAM_DATABASE_URL', 'mysql://iam:canary@127.0.0.1/iam'],
    ['IAM_DATABASE_URL', 'postgres://iam:canary@db1,,db2/iam'],
    ['IAM_DATABASE_URL', 'postgres://iam:canary@db1,db2/iam?target_session_attrs=standby'],
    ['IAM_ADMIN_PASSWORD', 'canary'.repeat(30)],
  ];
  test.each(badSecrets)('of %s (%j) is reported by name and not repeated', (variable, value) => {
    const reading = () => readSettings({}, { [variable]: value });
    expect(reading).toThrow(new RegExp(`^${variable} `));
    expect(reading).not.toThrow(/canary/);
  });

  test('of a password is measured in characters, not in UTF-16 units', () => {
    expect(readSettings({}, { IAM_ADMIN_PASSWORD: '🔑'.repeat(8) }).adminPassword).toBe('🔑'.repeat(8));
    expect(() => readSettings({}, { IAM_ADMIN_PASSWORD: '🔑'.repeat(7) })).toThrow('IAM_ADMIN_PASSWORD');
  });

  test('can be an unknown name in a seed', () => {
    for (const name of ['portt', '__proto__', 'toString', 'clientTokenLifetime'])
      expect(() => readSettings({}, {}, JSON.parse(`{"${name}":1}`))).toThrow(`settings.${name} in the seed`);
  });
});

test('the address of a database names several hosts or is several addresses', () => {
  expect(
    parseDatabaseUrls('postgres://u:p%40@127.0.0.1:1,[::1]:2,localhost/d?target_session_attrs=read-write'),
  ).toEqual([
    expect.objectContaining({ user: 'u', password: 'p@', host: '127.0.0.1', port: 1, database: 'd' }),
    expect.objectContaining({ user: 'u', password: 'p@', host: '::1', port: 2, database: 'd' }),
    expect.objectContaining({ user: 'u', password: 'p@', host: 'localhost', database: 'd' }),
  ]);
  const urls = 'postgres://127.0.0.1/d,postgres://localhost/e';
  expect(parseDatabaseUrls(urls).map(({ database }) => database)).toEqual(['d', 'e']);
});

test('secrets are read from the environment only', () => {
  const secrets = Object.values(settingsTable).filter(({ flag }) => !flag);
  expect(secrets.map(({ environment }) => environment).sort()).toEqual([
    'IAM_ADMIN_CLIENT_ID',
    'IAM_ADMIN_CLIENT_SECRET',
    'IAM_ADMIN_EMAIL',
    'IAM_ADMIN_PASSWORD',
    'IAM_ADMIN_USER',
    'IAM_APP_CLIENT_ID',
    'IAM_DATABASE_URL',
    'IAM_SMTP_URL',
  ]);
  for (const { name, environment } of secrets) {
    expect(readSettings({ [name]: 'canary-value' }, {})).toEqual(readSettings({}, {}));
    const seeded = () => readSettings({}, {}, { [name]: 'canary-value' });
    expect(seeded).toThrow(environment);
    expect(seeded).not.toThrow(/canary/);
  }
});

describe('dependent settings', () => {
  test('a certificate and its key', () => {
    for (const flags of [{ 'tls-cert': 'a.pem' }, { 'tls-key': 'a.pem' }])
      expect(() => readSettings(flags, {})).toThrow('--tls-cert and --tls-key');
    expect(readSettings({ 'tls-cert': 'a.pem', 'tls-key': 'b.pem' }, {})).toMatchObject({ tlsCert: 'a.pem' });
  });

  test('a remote address requires --allow-remote', () => {
    for (const host of [
      '0.0.0.0',
      '::',
      '[::]',
      '192.168.1.2',
      'iam.example',
      '127.0.0.1.evil.example',
      '128.0.0.1',
      'localhost.evil',
    ]) {
      expect(() => readSettings({ host }, {})).toThrow('--allow-remote');
      expect(readSettings({ host, 'allow-remote': true }, {}).host).toBe(host);
    }
    for (const host of ['127.0.0.1', '127.3.2.1', 'localhost', '::1', '[::1]'])
      expect(readSettings({ host }, {}).host).toBe(host);
  });
});

describe('the file of a secret', () => {
  const secrets = Object.values(settingsTable).filter(({ flag }) => !flag);
  const files: Record<string, string> = { '/run/secret': 'canary@example.com', '/run/empty': '' };
  const read = (file: string) => {
    const text = files[file];
    if (text === undefined) throw Object.assign(new Error('missing'), { code: 'ENOENT' });
    return text;
  };

  test.each(secrets.map(({ environment }) => environment))('sets %s, and only once', (name) => {
    const variable = `${name}_FILE`;
    expect(withSecretFiles({ [variable]: '/run/secret' }, read)[name]).toBe('canary@example.com');
    expect(withSecretFiles({ [variable]: '' }, read)).toEqual({ [variable]: '' });
    const failures = [
      { [variable]: '/run/secret', [name]: 'canary' },
      { [variable]: '/run/empty' },
      { [variable]: '/run/missing' },
    ];
    for (const environment of failures) {
      expect(() => withSecretFiles(environment, read)).toThrow(SettingError);
      expect(() => withSecretFiles(environment, read)).toThrow(variable);
      expect(() => withSecretFiles(environment, read)).not.toThrow(/canary/);
    }
  });

  test.each([
    [import.meta.filename, `IAM_ADMIN_PASSWORD_FILE: ${import.meta.filename} has several lines`],
    [import.meta.dirname, 'EISDIR'],
    [`${import.meta.filename}.missing`, 'ENOENT'],
  ])('%s is refused with %s', (file, reason) => {
    const read = createSecretReader({});
    expect(() => withSecretFiles({ IAM_ADMIN_PASSWORD_FILE: file }, read)).toThrow(reason);
  });

  test('is not read for a setting that has a flag', () => {
    expect(withSecretFiles({ IAM_SERVE_HOST_FILE: '/run/secret' }, read).IAM_SERVE_HOST).toBeUndefined();
  });
});
