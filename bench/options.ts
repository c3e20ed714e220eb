/** The options of `npm run bench`. */
import { parseArgs } from 'node:util';

const benchStores = ['file', 'postgres'] as const;
type BenchStore = (typeof benchStores)[number];

export interface BenchOptions {
  readonly only: readonly string[];
  /** The store of the measured servers; postgres uses the database of IAM_DATABASE_URL. */
  readonly store: BenchStore;
  readonly json: boolean;
  readonly check: boolean;
  readonly help: boolean;
}

/** Returns the usage. */
export function formatUsage(names: readonly string[], optional: readonly string[]): string {
  return `usage: npm run bench -- [--only NAME]... [--store NAME] [--json] [--check]

  --only     one of ${names.join(', ')}; repeatable; by default all but ${optional.join(', ')}
  --store    the store of the servers: file (default), or postgres in the database of
             IAM_DATABASE_URL, which measures requests (without targets), beside, servers
             and long-transactions only
  --json     print the figures as JSON
  --check    exit with code 1 when a target is missed
`;
}

/** Parses the arguments. @throws Error with a message for the user */
export function parseOptions(
  args: readonly string[],
  names: readonly string[],
  optional: readonly string[] = [],
): BenchOptions {
  const { values: options } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string', multiple: true, default: names.filter((name) => !optional.includes(name)) },
      store: { type: 'string', default: 'file' },
      json: { type: 'boolean', default: false },
      check: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const store = benchStores.find((name) => name === options.store);
  if (store === undefined) throw new Error(`--store is one of ${benchStores.join(', ')}`);
  const unknown = options.only.find((name) => !names.includes(name));
  if (unknown !== undefined) throw new Error(`unknown benchmark ${unknown}`);
  return { ...options, store };
}
