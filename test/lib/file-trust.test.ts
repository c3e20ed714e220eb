/** Which files of other users are used. The table needs no privileges; real owners do. */
import { chmod, chown, mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  createFileTrust,
  type FileUse,
  findDistrust,
  type MachineUser,
  readMachineUser,
  readTrustedFolders,
} from '../../src/lib/file-trust.ts';

const ann: MachineUser = { uid: 1000, gid: 1000, groups: [1000, 2000] };
const root: MachineUser = { uid: 0, gid: 0, groups: [0] };
const withSudo: MachineUser = { ...root, sudo: { uid: 1000, gid: 100 } };
const inCheckout: MachineUser = { ...root, workingFolderOwner: 1000 };

type Row = readonly [what: string, user: MachineUser, mode: number, uid: number, gid: number, use: FileUse, string?];

const folder = 0o040000;
const file = 0o100000;

describe('the decision', () => {
  const rows: readonly Row[] = [
    ['own', ann, folder | 0o755, 1000, 1000, 'settings'],
    ['own with umask 002', ann, folder | 0o775, 1000, 1000, 'settings'],
    ['own, writable for a group with others', ann, folder | 0o775, 1000, 2000, 'settings', 'writable'],
    ['own, in a group that the user is not in', ann, folder | 0o770, 1000, 3000, 'settings', 'writable'],
    ['own, writable for all', ann, folder | 0o777, 1000, 1000, 'settings', 'writable'],
    ['own, writable for all but not its group', ann, folder | 0o757, 1000, 3000, 'settings', 'writable'],
    ['own, readable for all', ann, folder | 0o755, 1000, 3000, 'settings'],
    ['sticky, as /tmp', ann, folder | 0o1777, 0, 0, 'settings'],
    ['a file with the sticky bit', ann, file | 0o1666, 1000, 1000, 'settings', 'writable'],
    ['of root', ann, folder | 0o755, 0, 0, 'settings'],
    ['of root, writable for all', ann, folder | 0o777, 0, 0, 'settings', 'writable'],
    ['of another user', ann, folder | 0o700, 1001, 1000, 'settings', 'owner'],
    ['of another user, writable for the own group', ann, folder | 0o770, 1001, 1000, 'data', 'owner'],
    ['of another user in a sticky folder', ann, file | 0o644, 1001, 1001, 'settings', 'owner'],
    ['a volume of root for a group of the process', ann, folder | 0o2775, 0, 2000, 'data'],
    ['a volume of root, writable for all', ann, folder | 0o777, 0, 0, 'data'],
    ['own store, writable for a group of the process', ann, folder | 0o2770, 1000, 2000, 'data'],
    ['own store, writable for another group', ann, folder | 0o770, 1000, 3000, 'data', 'writable'],
    ['own store, writable for all', ann, folder | 0o777, 1000, 1000, 'data', 'writable'],
    ['store of another user', ann, folder | 0o700, 1001, 1001, 'data', 'owner'],
    ['of a user, for root', root, folder | 0o755, 1000, 1000, 'settings', 'owner'],
    ['of the user of sudo', withSudo, folder | 0o755, 1000, 100, 'settings'],
    ['of the user of sudo, writable for its group', withSudo, folder | 0o775, 1000, 100, 'settings'],
    ['of the user of sudo, writable for another group', withSudo, folder | 0o775, 1000, 2000, 'settings', 'writable'],
    ['of yet another user with sudo', withSudo, folder | 0o755, 1001, 1001, 'settings', 'owner'],
    ['a checkout of uid 1000 with umask 002, for root', inCheckout, folder | 0o775, 1000, 1000, 'settings'],
    ['a store in that checkout', inCheckout, folder | 0o700, 1000, 1000, 'data'],
    ['of another user than the working folder', inCheckout, folder | 0o755, 1001, 1001, 'settings', 'owner'],
    ['SUDO_UID of another user than root', { ...ann, sudo: { uid: 1001, gid: 1001 } }, 0o755, 1001, 1, 'data', 'owner'],
    ['the working folder of another user', { ...ann, workingFolderOwner: 1001 }, 0o755, 1001, 1, 'data', 'owner'],
  ];
  for (const [what, user, mode, uid, gid, use, expected] of rows)
    test(`${what}: ${expected ?? 'used'} as ${use}`, () => {
      expect(findDistrust({ mode, uid, gid }, user, use)).toBe(expected);
    });

  test('reads the list of trusted folders and the user of sudo', () => {
    expect(readTrustedFolders({})).toEqual([]);
    expect(readTrustedFolders({ IAM_TRUST_FOLDERS: '/a, /b c,,' })).toEqual(['/a', '/b c']);
    const user = readMachineUser({ SUDO_UID: '1000', SUDO_GID: 'x' });
    if (user?.uid === 0) expect(user.sudo).toEqual({ uid: 1000, gid: undefined });
    else expect(user?.sudo).toBeUndefined();
  });
});

describe.skipIf(process.getuid === undefined)('files', () => {
  let home: string;
  beforeEach(async () => {
    home = await mkdtemp(path.join(os.tmpdir(), 'iam-trust-'));
  });
  afterEach(() => rm(home, { recursive: true, force: true }));
  const at = (name: string) => path.join(home, name);
  const trust = (folders: readonly string[] = []) => createFileTrust(readMachineUser({}, home), folders);

  test('that others can write are named, with what to do', async () => {
    await mkdir(at('open'));
    await chmod(at('open'), 0o777);
    expect(trust().findProblem([home, at('missing')], 'settings')).toBeUndefined();
    expect(trust().findProblem([home, at('open')], 'settings')).toMatchObject({
      ...{ file: at('open'), reason: 'writable', message: `other users can write ${at('open')} (mode 777)` },
      hint: expect.stringMatching(/--trust-folder .* IAM_TRUST_FOLDERS.* chmod go-w /),
    });
    await rename(at('open'), at('a\nb\u001b'));
    const { message, hint } = trust().findProblem([at('a\nb\u001b')], 'settings') ?? {};
    expect(`${message}${hint}`).not.toMatch(/\p{Cc}/u);
    await rename(at('a\nb\u001b'), at('open'));
    await chmod(at('open'), 0o1777);
    expect(trust().findProblem([at('open')], 'settings')).toBeUndefined();
  });

  test('in a trusted folder are not examined, but the target of a link out of it is', async () => {
    for (const name of ['open', 'trusted']) await mkdir(at(name));
    for (const name of ['open', 'open/file', 'trusted/file']) {
      if (name.includes('/')) await writeFile(at(name), '');
      await chmod(at(name), 0o777);
    }
    expect(trust([at('trusted')]).findProblem([at('trusted/file')], 'settings')).toBeUndefined();
    expect(trust([at('trust')]).findProblem([at('trusted/file')], 'settings')).toBeDefined();
    await symlink(at('open/file'), at('trusted/link'));
    expect(trust([at('trusted')]).findProblem([at('trusted/link')], 'settings')?.file).toBe(at('open/file'));
    await chmod(at('open/file'), 0o600);
    expect(trust().findProblem([at('trusted/link')], 'settings')?.file).toBe(at('open'));
  });

  test.skipIf(process.getuid?.() !== 0)('of another user are named (needs root, to change owners)', async () => {
    await writeFile(at('file'), '');
    await chown(at('file'), 12345, 12345);
    expect(trust().findProblem([at('file')], 'data')).toMatchObject({
      reason: 'owner',
      message: `${at('file')} belongs to another user (uid 12345)`,
      hint: expect.stringContaining(`chown -R 0:0 ${at('file')}`),
    });
    const other = createFileTrust({ uid: 12345, gid: 12345, groups: [] }, []);
    expect(other.findProblem([at('file')], 'data')).toBeUndefined();
    await chown(home, 12345, 12345);
    expect(trust().findProblem([at('file')], 'data')).toBeUndefined();
  });
});
