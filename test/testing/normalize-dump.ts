/** Makes the data of different servers comparable. */
import type { IamServer } from '../../src/testing/index.ts';

const random = [
  /\b[0-9a-f]{24}\b/g,
  /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g,
  /\b[0-9a-f]{64}\b/g,
  /\$argon2id\$[^"]+/g,
  /(?<=")(?:iam-standin-)?[A-Za-z0-9_-]{43}(?=")/g,
];

/** Replaces random values by #1, #2 and so on, in order of first occurrence. Equal texts mean equal structures. */
export function normalizeDump(dump: unknown): string {
  const names = new Map<string, string>();
  const nameOf = (value: string) => {
    const name = names.get(value) ?? `#${names.size + 1}`;
    names.set(value, name);
    return name;
  };
  return random.reduce((text, pattern) => text.replaceAll(pattern, nameOf), JSON.stringify(dump, null, 1));
}

/** Reads the data of a server over HTTP, from its control plane and its lists. */
export async function readVisibleData({ client, clock }: IamServer): Promise<Record<string, unknown>> {
  const paths = ['users', 'clients', 'businesses', 'customers', 'sessions', 'inbox', 'settings'];
  const lists = paths.map(async (path) => [path, (await client.raw('GET', `/_iam/${path}`)).body] as const);
  const groups = (await client.groups.list()).items;
  return { ...Object.fromEntries(await Promise.all(lists)), groups, now: clock.now() };
}
