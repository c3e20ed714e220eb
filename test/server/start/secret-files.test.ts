/** Files of keys and secrets that another user can write are not used. */
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { secretFileVariable } from '../../../src/contract/secret-files.ts';
import { type Setting, settingsTable } from '../../../src/server/config/settings.ts';
import { readConfiguration } from '../../../src/server/seed/configuration.ts';
import { migrateDatabase } from '../../../src/server/setup-database.ts';
import { startServer } from '../../../src/testing/index.ts';
import { iam } from '../../cli/run-cli.ts';

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'iam-secrets-'));
  file = path.join(folder, 'secret');
  await writeFile(file, 'postgres://database.example/iam');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const secrets = Object.values<Setting>(settingsTable).filter(({ flag }) => !flag);

describe.skipIf(process.getuid === undefined)('a file that others can write', () => {
  for (const setting of secrets) {
    const variable = secretFileVariable(setting);
    test(`is not used for ${variable}, unless its folder is trusted`, async () => {
      await chmod(file, 0o666);
      const variables = { [variable]: file };
      await expect(readConfiguration({}, variables)).rejects.toThrow(
        `${variable}: other users can write ${file} (mode 666). If you trust its users, add --trust-folder ${file}`,
      );
      const trusting = readConfiguration({}, { ...variables, IAM_TRUST_FOLDERS: folder });
      // A value can be wrong for the setting.
      await expect(trusting.then(String, String)).resolves.not.toContain('other users');
      await chmod(file, 0o600);
      await chmod(folder, 0o777);
      await expect(readConfiguration({}, variables)).rejects.toThrow(`other users can write ${folder} (mode 777)`);
    });
  }

  test('is not used for keys and certificates', async () => {
    await chmod(file, 0o666);
    const own = path.join(folder, 'own');
    await writeFile(own, '');
    const cases: Record<string, string>[] = [
      { 'signing-key': file },
      { 'tls-cert': file, 'tls-key': own },
      { 'tls-cert': own, 'tls-key': file },
    ];
    for (const flags of cases) {
      const [name] = Object.entries(flags).find(([, value]) => value === file) ?? [];
      await expect(readConfiguration(flags, {})).rejects.toThrow(`--${name}: other users can write ${file}`);
      expect((await readConfiguration(flags, { IAM_TRUST_FOLDERS: folder })).settings).toBeDefined();
    }
    const inTest = startServer({ settings: { 'signing-key': file } });
    await expect(inTest).rejects.toThrow(`--signing-key: other users can write ${file}`);
  });

  test('is not used by commands for a database', async () => {
    await chmod(file, 0o666);
    const variables = { IAM_DATABASE_URL_FILE: file };
    await expect(migrateDatabase({ flags: {}, environment: variables })).rejects.toThrow('other users can write');
    const { code, err } = await iam(['store', 'init'], { variables });
    expect([code, err]).toEqual([2, expect.stringContaining('other users can write')]);
  });

  test.each(['sslrootcert', 'sslcert', 'sslkey'])('is not used for the connection to a database: %s', async (name) => {
    await chmod(file, 0o666);
    const url = `postgres://127.0.0.1:1/iam?${name}=${file}`;
    const message = `other users can write ${file}`;
    for (const variables of [
      { IAM_SERVE_DATABASE_URL: url },
      { IAM_DATABASE_URL: `postgres://127.0.0.1:1/a,${url}` },
    ]) {
      const settings = readConfiguration({ store: 'postgres' }, variables);
      await expect(settings).rejects.toThrow(`The address of the database: ${message}`);
      await expect(migrateDatabase({ flags: {}, environment: variables })).rejects.toThrow(message);
      const { code, err } = await iam(['store', 'init'], { variables });
      expect([code, err]).toEqual([2, expect.stringContaining(message)]);
      const trusting = { ...variables, IAM_TRUST_FOLDERS: folder };
      expect((await readConfiguration({ store: 'postgres' }, trusting)).settings).toBeDefined();
    }
  });

  test('is not used by commands for the certificate of a client or an authority', async () => {
    await chmod(file, 0o666);
    const cases = [
      ['--ca-file', file],
      ['--client-cert', file, '--client-key', file],
    ];
    for (const words of cases) {
      const { code, err } = await iam(['groups', 'list', ...words]);
      expect([words, code, err]).toEqual([words, 2, expect.stringContaining('other users can write')]);
    }
  });
});
