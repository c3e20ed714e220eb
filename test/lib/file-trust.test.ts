/** Which files of other users are used. The table needs no privileges; real owners do. */
import { chmod, chown, mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  createFileTrust,
  findDistrust,
  type MachineUser,
  type Place,
  readMachineUser,
  readTrustedFolders,
} from '../../src/lib/file-trust.ts';

const ann: MachineUser = { uid: 1000, gid: 1000, groups: [1000, 2000] };
const root: MachineUser = { uid: 0, gid: 0, groups: [0] };
const withSudo: MachineUser = { ...root, sudo: { uid: 1000, gid: 100 } };
const inCheckout: MachineUser = { ...root, workingFolderOwner: 1000 };
const onVolume: MachineUser = { ...root, volumeOwner: 1001 };
const mounted: MachineUser = { ...ann, volumeOwner: 1001 };
const inNamespace: MachineUser = { ...ann, topOwner: 65534 };

type Row = readonly [what: string, user: MachineUser, mode: number, uid: number, gid: number, place: Place, string?];

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
    ['a volume of another user, for root', onVolume, folder | 0o755, 1001, 1001, 'data'],
    ['a store of another user on it', onVolume, folder | 0o700, 1001, 1001, 'data'],
    ['a store of yet another user on it', onVolume, folder | 0o700, 1002, 1002, 'data', 'owner'],
    ['a volume of another user', { ...ann, volumeOwner: 1001 }, folder | 0o755, 1001, 1001, 'data', 'owner'],
    ['own', ann, folder | 0o755, 1000, 1000, 'parent'],
    ['own with umask 002', ann, folder | 0o775, 1000, 1000, 'parent'],
    ['of root', ann, folder | 0o755, 0, 0, 'parent'],
    ['of root, writable for all', ann, folder | 0o777, 0, 0, 'parent', 'writable'],
    ['of root, writable for all, on a volume', ann, folder | 0o777, 0, 0, 'parent-on-volume'],
    ['own, writable for all, on a volume', ann, folder | 0o777, 1000, 1000, 'parent-on-volume', 'writable'],
    ['sticky, as /tmp', ann, folder | 0o1777, 0, 0, 'parent'],
    ['of root, writable for a group of the process', ann, folder | 0o2775, 0, 2000, 'parent'],
    ['of root, writable for another group', ann, folder | 0o2775, 0, 3000, 'parent', 'writable'],
    ['of another user', ann, folder | 0o755, 1001, 1001, 'parent', 'owner'],
    ['of another user, in a sticky folder', ann, folder | 0o1777, 1001, 1001, 'parent', 'owner'],
    ['of another user, shared with a group of the process', ann, folder | 0o775, 1001, 2000, 'parent'],
    ['of another user, shared with all', ann, folder | 0o777, 1001, 3000, 'parent', 'owner'],
    ['of the number that root has in a namespace', inNamespace, folder | 0o755, 65534, 65534, 'parent'],
    ['of that number', inNamespace, folder | 0o755, 65534, 65534, 'data', 'owner'],
    ['own secret', ann, file | 0o600, 1000, 1000, 'secret'],
    ['own secret, writable for all', ann, file | 0o666, 1000, 1000, 'secret', 'writable'],
    ['secret of root', ann, file | 0o644, 0, 0, 'secret'],
    ['secret of root with fsGroup', ann, file | 0o440, 0, 2000, 'secret'],
    ['secret of root, writable for a group of the process', ann, file | 0o660, 0, 2000, 'secret'],
    ['secret of root, writable for another group', ann, file | 0o660, 0, 3000, 'secret', 'writable'],
    ['secret of root, writable for all', ann, file | 0o666, 0, 0, 'secret', 'writable'],
    ['secret of another user', ann, file | 0o600, 1001, 1001, 'secret', 'owner'],
    ['secret of the owner of its mount', mounted, file | 0o600, 1001, 1001, 'secret'],
    ['secret of that owner with umask 002', mounted, file | 0o664, 1001, 1001, 'secret'],
    ['secret of that owner, writable for another group', mounted, file | 0o664, 1001, 3000, 'secret', 'writable'],
    ['secret of yet another user', mounted, file | 0o600, 1002, 1002, 'secret', 'owner'],
    ['of the owner of its mount', mounted, folder | 0o755, 1001, 1001, 'secret-parent-on-volume'],
    ['of root, writable for all, as in Kubernetes', mounted, folder | 0o777, 0, 0, 'secret-parent-on-volume'],
    ['of that owner, writable for all', mounted, folder | 0o777, 1001, 1001, 'secret-parent-on-volume', 'writable'],
    ['of yet another user', mounted, folder | 0o755, 1002, 1002, 'secret-parent-on-volume', 'owner'],
    ['SUDO_UID of another user than root', { ...ann, sudo: { uid: 1001, gid: 1001 } }, 0o755, 1001, 1, 'data', 'owner'],
    ['the working folder of another user', { ...ann, workingFolderOwner: 1001 }, 0o755, 1001, 1, 'data', 'owner'],
  ];
  for (const [what, user, mode, uid, gid, place, expected] of rows)
    test(`${what}: ${expected ?? 'used'} as ${place}`, () => {
      expect(findDistrust({ mode, uid, gid }, user, place)).toBe(expected);
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

  test('in a sticky folder are examined, also below it, as others can create files there', async () => {
    await mkdir(at('sticky/servers'), { recursive: true });
    await writeFile(at('sticky/servers/record.json'), '');
    await chmod(at('sticky'), 0o1777);
    expect(trust().findFolderProblem(at('sticky'), 'settings')).toBeUndefined();
    await chmod(at('sticky/servers/record.json'), 0o666);
    const problem = trust().findFolderProblem(at('sticky'), 'settings');
    expect(problem).toMatchObject({ file: at('sticky/servers/record.json'), reason: 'writable' });
    expect(problem?.hint).toContain(`chmod -R go-w ${at('sticky')}`);
    expect(trust([at('sticky')]).findFolderProblem(at('sticky'), 'settings')).toBeUndefined();
  });

  test('above a store must not be writable by others, also if the store does not exist', async () => {
    await mkdir(at('above/between/store'), { recursive: true });
    const find = (name: string, folders?: readonly string[]) => trust(folders).findFolderProblem(at(name), 'data');
    expect([find('above/between/store'), find('above/new/store')]).toEqual([undefined, undefined]);
    await chmod(at('above'), 0o777);
    for (const name of ['above/between/store', 'above/new/store']) {
      expect(find(name)).toMatchObject({ file: at('above'), reason: 'writable' });
      expect(find(name)?.hint).toMatch(new RegExp(`--trust-folder ${at(name)} .*chmod go-w ${at('above')}$`));
    }
    expect(find('above/between/store', [at('above/between/store')])).toBeUndefined();
    await symlink(at('above/between/store'), at('to-store'));
    expect(find('to-store')?.file).toBe(at('above'));
    await mkdir(at('safe'));
    await symlink(at('safe'), at('above/link'));
    expect(find('above/link')?.file).toBe(at('above'));
    // Also through a link of one's own to it.
    await symlink(at('above/link'), at('to-link'));
    expect(find('to-link/store')?.file).toBe(at('above'));
    expect(find('above/link/store')?.file).toBe(at('above'));
    await chmod(at('above'), 0o1777);
    expect([find('above/between/store'), find('to-store'), find('above/link/store')]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  test('with a secret must not be replaceable, also where links lead to it as in Kubernetes', async () => {
    const find = (name: string, folders?: readonly string[]) => trust(folders).findSecretProblem(at(name));
    await mkdir(at('above/volume/..2026'), { recursive: true });
    await writeFile(at('above/volume/..2026/key'), 'secret', { mode: 0o644 });
    await symlink('..2026', at('above/volume/..data'));
    await symlink('..data/key', at('above/volume/key'));
    await symlink(at('above/volume/key'), at('key'));
    const names = ['above/volume/key', 'above/volume/..2026/key', 'key'];
    expect([...names, 'missing'].map((name) => find(name))).toEqual([undefined, undefined, undefined, undefined]);
    await chmod(at('above/volume'), 0o777);
    for (const name of names) expect([name, find(name)?.file]).toEqual([name, at('above/volume')]);
    expect(find('key', [at('above')])).toBeUndefined();
    await chmod(at('above/volume'), 0o1777);
    expect(names.map((name) => find(name))).toEqual([undefined, undefined, undefined]);
    await chmod(at('above/volume/..2026/key'), 0o666);
    for (const name of names)
      expect(find(name)).toMatchObject({ file: at('above/volume/..2026/key'), reason: 'writable' });
    expect(find('key')?.hint).toContain(`run chmod go-w ${at('above/volume/..2026/key')}`);
    await chmod(at('above/volume/..2026/key'), 0o600);
    await chmod(at('above'), 0o777);
    for (const name of names) expect([name, find(name)?.file]).toEqual([name, at('above')]);
  });

  test('whose name has a comma cannot be listed, so the hint does not offer it', async () => {
    await mkdir(at('a,b'));
    await chmod(at('a,b'), 0o777);
    expect(trust().findProblem([at('a,b')], 'settings')?.hint).not.toContain('--trust-folder');
  });

  test.skipIf(process.getuid?.() !== 0)('above a store must not belong to another user (needs root)', async () => {
    await mkdir(at('other/store'), { recursive: true });
    await chown(at('other'), 12345, 12345);
    const find = (user: Partial<MachineUser>) =>
      createFileTrust({ ...root, ...user }, []).findFolderProblem(at('other/store'), 'data');
    expect(find({})).toMatchObject({ file: at('other'), reason: 'owner' });
    expect(find({})?.hint).not.toContain('chown');
    expect(find({ workingFolderOwner: 12345 })).toBeUndefined();
    expect(find({ sudo: { uid: 12345, gid: 12345 } })).toBeUndefined();
    await chmod(at('other'), 0o770);
    expect(find({ groups: [12345] })).toBeUndefined();
  });

  test.skipIf(process.getuid?.() !== 0)('of another user in a sticky folder are named (needs root)', async () => {
    await mkdir(at('sticky'));
    await chmod(at('sticky'), 0o1777);
    await writeFile(at('sticky/profiles.json'), '');
    await chown(at('sticky/profiles.json'), 12345, 12345);
    expect(trust().findFolderProblem(at('sticky'), 'settings')?.file).toBe(at('sticky/profiles.json'));
  });

  test('of a team are not those of the own group, as after newgrp', async () => {
    const own = os.userInfo().gid;
    const user = readMachineUser({}, home);
    expect([user?.gid, user?.groups]).toEqual([own, expect.arrayContaining([process.getegid?.()])]);
    vi.spyOn(process, 'getegid').mockReturnValue(23456);
    const inTeam = readMachineUser({}, home);
    expect([inTeam?.gid, inTeam?.groups]).toEqual([own, expect.arrayContaining([23456])]);
    vi.restoreAllMocks();
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
