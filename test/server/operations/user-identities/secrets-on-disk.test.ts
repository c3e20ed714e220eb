/** One-time codes, tokens and passwords are never on the disk in plain text. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeFolder, openStore } from '../../store/temp-store.ts';
import { createWrongCode } from '../otp-inbox.ts';
import { createSession } from './callers.ts';
import { recoveryCode, reset, retrieve, signUp, signUpCode } from './flows.ts';
import { alice, password, startWith } from './login-fixtures.ts';

async function filesIn(directory: string): Promise<string> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return (await Promise.all(files.map((file) => readFile(file, 'latin1')))).join('\n');
}

test('writes no secrets to the store, its WAL or the log', async () => {
  const folder = await makeFolder();
  try {
    const log: string[] = [];
    const codes: string[] = [];
    {
      await using server = await startWith([], { openStore: () => openStore(folder.directory) });
      codes.push(await signUpCode(server), await recoveryCode(server));
      const [signUpOne = '', recoveryOne = ''] = codes;
      await signUp(server, { token: createWrongCode(signUpOne) });
      await signUp(server, { token: signUpOne });
      await retrieve(server, 'canary-unknown');
      await reset(server, createWrongCode(recoveryOne), { newPassword: 'canary-rejected' });
      await reset(server, recoveryOne, { newPassword: 'canary-set-by-a-code' });
      const user = await createSession(server, alice.userId);
      const change = (current: string, newPassword: string) =>
        user.userIdentities.changePassword({ body: { password: current, newPassword } });
      await change('canary-wrong', 'canary-never-set').catch(() => {});
      await change('canary-set-by-a-code', 'canary-changed');
      log.push(...server.log);
    }
    const stored = (await filesIn(folder.directory)) + log.join('');
    expect(stored).toContain('"purpose":"password-changed"');
    expect(stored).not.toMatch(/canary/);
    expect(stored).not.toContain(password);
    // Digests contain six digits by chance, so a code counts only if it is not part of a longer word.
    for (const code of codes) expect(stored).not.toMatch(new RegExp(`(?<![\\w+/=-])${code}(?![\\w+/=-])`));
  } finally {
    await folder.remove();
  }
});
