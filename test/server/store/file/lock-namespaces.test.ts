/** One process per store, also across containers: namespaces of pids, networks and mounts. */
import { execFileSync } from 'node:child_process';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Folder, makeFolder, openStore } from '../temp-store.ts';
import { bundleChild, type Child, type Children } from './children.ts';

const unshare = ['unshare', '--pid', '--fork', '--mount-proc', '--net', '--kill-child'];

/** Namespaces need root on most systems, and many containers forbid them. */
function canUnshare(): boolean {
  try {
    execFileSync(unshare[0] ?? '', [...unshare.slice(1), 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

describe.skipIf(!canUnshare())('a store (skipped without unshare)', () => {
  let children: Children;
  let folder: Folder;
  const started: Child[] = [];

  beforeAll(async () => {
    children = await bundleChild();
  });
  afterAll(() => children.remove());
  beforeEach(async () => {
    folder = await makeFolder();
  });
  afterEach(async () => {
    await Promise.all(started.splice(0).map((child) => child.kill()));
    await folder.remove();
  });

  function startContainer(): Child {
    const child = children.startWith(unshare, folder.directory, 'hold');
    started.push(child);
    return child;
  }

  test('that a container has open is rejected in another container and outside, with the pid and the host', async () => {
    const first = startContainer();
    await first.line('open');
    expect(await startContainer().line('rejected')).toMatch(/^rejected in-use \d+$/);
    const message = expect.stringMatching(/in use by process \d+ of another container or machine \(host .+\)/);
    await expect(openStore(folder.directory)).rejects.toMatchObject({ kind: 'in-use', message });
  });

  test('that was opened outside is rejected in a container', async () => {
    const store = await openStore(folder.directory);
    expect(await startContainer().line('rejected')).toBe(`rejected in-use ${process.pid}`);
    await store.close();
  });

  test('can be opened as soon as the container was killed', async () => {
    const first = startContainer();
    await first.line('open');
    await first.kill();
    await (await openStore(folder.directory)).close();
  });
});
