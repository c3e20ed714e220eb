/**
 * Load on a server, and the oracle for what it leaves. Each writer does one thing after another to groups of its own, and
 * waits for each answer; so after any crash its groups must be as after its last answered operation, or, where one was
 * under way, as after that one.
 */
import { ClientError } from '../../src/client/errors.ts';
import type { IamClient } from '../../src/client/index.ts';

export type GroupsByName = ReadonlyMap<string, readonly string[]>;

export class LoadGenerator {
  readonly #writers: LoadWriter[];

  constructor(writers: number, prefix = 'w') {
    this.#writers = Array.from({ length: writers }, (_, number) => new LoadWriter(`${prefix}${number}-`));
  }

  /** How many operations were answered. */
  get acknowledged(): number {
    return this.#writers.reduce((sum, { acknowledged }) => sum + acknowledged, 0);
  }

  /** How many were refused, with 503. */
  get rejected(): number {
    return this.#writers.reduce((sum, { rejected }) => sum + rejected, 0);
  }

  /** Writes until `done`, or until the server is gone. @throws where it answers as it never should. */
  async run(client: IamClient, done: () => boolean): Promise<void> {
    await Promise.all(this.#writers.map((writer) => writer.run(client, done)));
  }

  /** What was answered is there, nothing that was not issued, in order; the writers go on from there. */
  async resume(client: IamClient): Promise<void> {
    const found = await readGroups(client);
    for (const writer of this.#writers) writer.resume(found);
  }

  /** What was answered is there, and nothing else: what was refused is not. */
  async assertExact(client: IamClient): Promise<void> {
    const found = await readGroups(client);
    for (const writer of this.#writers) writer.assertExact(found);
  }
}

async function readGroups(client: IamClient): Promise<GroupsByName> {
  const groups = new Map<string, readonly string[]>();
  for await (const item of client.items('groups.list', { query: { limit: 1000 } })) {
    const { groupName, roles } = item as { groupName: string; roles: string[] };
    groups.set(groupName, roles);
  }
  return groups;
}

class LoadWriter {
  readonly #prefix: string;
  /** How many operations were sent, and how many of them succeeded. */
  #issued = 0;
  acknowledged = 0;
  rejected = 0;

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  async run(client: IamClient, done: () => boolean): Promise<void> {
    while (!done()) {
      const outcome = await this.#next(client);
      if (outcome === 'gone') return;
    }
  }

  async #next(client: IamClient): Promise<'done' | 'refused' | 'gone'> {
    this.#issued = this.acknowledged + 1;
    try {
      await runOperation(client, this.#prefix, this.#issued);
      this.acknowledged = this.#issued;
      return 'done';
    } catch (error) {
      if (!(error instanceof ClientError)) return 'gone';
      if (error.status !== 503)
        throw new Error(`operation ${this.#issued} of ${this.#prefix} was answered ${error.status}: ${error.message}`);
      // It stays issued: after a failed sync, nobody knows whether it will be there at the next start.
      this.rejected += 1;
      await new Promise((resolve) => setTimeout(resolve, 20));
      return 'refused';
    }
  }

  resume(found: GroupsByName): void {
    const own = this.#ownGroups(found);
    const possible = [this.acknowledged, this.#issued].find((count) => this.#expectedAfter(count) === own);
    if (possible === undefined) throw new Error(this.#difference(own, `or ${this.#issued}`));
    this.acknowledged = possible;
    this.#issued = possible;
  }

  assertExact(found: GroupsByName): void {
    const own = this.#ownGroups(found);
    if (own !== this.#expectedAfter(this.acknowledged)) throw new Error(this.#difference(own, 'exactly'));
  }

  #difference(own: string, or: string): string {
    const expected = this.#expectedAfter(this.acknowledged);
    return `the groups of ${this.#prefix} are not as after operation ${this.acknowledged} ${or}\nfound    ${own}\nexpected ${expected}`;
  }

  #ownGroups(found: GroupsByName): string {
    return formatGroups([...found].filter(([name]) => name.startsWith(this.#prefix)));
  }

  #expectedAfter(count: number): string {
    const groups = new Map<string, readonly string[]>();
    for (let number = 1; number <= count; number += 1) applyOperation(groups, this.#prefix, number);
    return formatGroups([...groups]);
  }
}

function formatGroups(groups: [string, readonly string[]][]): string {
  return groups
    .map(([name, roles]) => `${name}(${roles})`)
    .sort()
    .join(' ');
}

/** In turn: makes a group, changes it, makes another one, and removes the first; the second one stays. */
async function runOperation(client: IamClient, prefix: string, number: number): Promise<void> {
  const params = { groupId: prefix + number };
  switch (number % 4) {
    case 2:
      await client.groups.update({
        params: { groupId: prefix + (number - 1) },
        body: { groupName: prefix + (number - 1), roles: [`CHANGED_${number}`] },
      });
      return;
    case 0:
      await client.groups.remove({ params: { groupId: prefix + (number - 3) } });
      return;
    default:
      await client.groups.create({ body: { groupName: params.groupId } });
  }
}

function applyOperation(groups: Map<string, readonly string[]>, prefix: string, number: number): void {
  if (number % 4 === 2) groups.set(prefix + (number - 1), [`CHANGED_${number}`]);
  else if (number % 4 === 0) groups.delete(prefix + (number - 3));
  else groups.set(prefix + number, []);
}
