/**
 * Puts load on a server and verifies the result. Each writer changes its own groups one operation at a time and waits
 * for each response. After a crash its groups must match the last acknowledged operation, or the one in flight.
 */
import { ClientError } from '../../src/client/errors.ts';
import type { IamClient } from '../../src/client/index.ts';

export type GroupsByName = ReadonlyMap<string, readonly string[]>;

export class LoadGenerator {
  readonly #writers: LoadWriter[];

  constructor(writers: number, prefix = 'w') {
    this.#writers = Array.from({ length: writers }, (_, number) => new LoadWriter(`${prefix}${number}-`));
  }

  /** The number of acknowledged operations. */
  get acknowledged(): number {
    return this.#writers.reduce((sum, { acknowledged }) => sum + acknowledged, 0);
  }

  /** The number of operations rejected with 503. */
  get rejected(): number {
    return this.#writers.reduce((sum, { rejected }) => sum + rejected, 0);
  }

  /** Writes until `done` or until the server disconnects. @throws Error on an unexpected status. */
  async run(client: IamClient, done: () => boolean): Promise<void> {
    await Promise.all(this.#writers.map((writer) => writer.run(client, done)));
  }

  /** Verifies that all acknowledged operations are stored and nothing else except one in flight; then continues from there. */
  async resume(client: IamClient): Promise<void> {
    const found = await readGroups(client);
    for (const writer of this.#writers) writer.resume(found);
  }

  /** Verifies that exactly the acknowledged operations are stored; rejected ones are not. */
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
  /** The number of operations that were sent; `acknowledged` counts those that succeeded. */
  #issued = 0;
  acknowledged = 0;
  rejected = 0;

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  async run(client: IamClient, done: () => boolean): Promise<void> {
    while (!done()) {
      const outcome = await this.#next(client);
      if (outcome === 'disconnected') return;
    }
  }

  async #next(client: IamClient): Promise<'done' | 'rejected' | 'disconnected'> {
    this.#issued = this.acknowledged + 1;
    try {
      await runOperation(client, this.#prefix, this.#issued);
      this.acknowledged = this.#issued;
      return 'done';
    } catch (error) {
      if (!(error instanceof ClientError)) return 'disconnected';
      if (error.status !== 503)
        throw new Error(`operation ${this.#issued} of ${this.#prefix} failed with ${error.status}: ${error.message}`);
      // It stays issued: after a failed sync it is unknown whether the next start finds it.
      this.rejected += 1;
      await new Promise((resolve) => setTimeout(resolve, 20));
      return 'rejected';
    }
  }

  resume(found: GroupsByName): void {
    const own = this.#ownGroups(found);
    const possible = [this.acknowledged, this.#issued].find((count) => this.#expectedAfter(count) === own);
    if (possible === undefined) throw new Error(this.#difference(own, ` or ${this.#issued}`));
    this.acknowledged = possible;
    this.#issued = possible;
  }

  assertExact(found: GroupsByName): void {
    const own = this.#ownGroups(found);
    if (own !== this.#expectedAfter(this.acknowledged)) throw new Error(this.#difference(own, ''));
  }

  #difference(own: string, alternative: string): string {
    const expected = this.#expectedAfter(this.acknowledged);
    const operation = `${this.acknowledged}${alternative}`;
    return `the groups of ${this.#prefix} do not match operation ${operation}\nfound    ${own}\nexpected ${expected}`;
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

/** Cycles through four operations: create a group, update it, create a second one, delete the first. */
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
