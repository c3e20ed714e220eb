/** The options of `npm run bench`. */
import { parseArgs } from 'node:util';

/** The file that `--history` shows. */
const historyFile = 'bench/history.jsonl';

export const benchStores = ['file', 'postgres'] as const;
export type BenchStore = (typeof benchStores)[number];

export interface BenchOptions {
  readonly only: readonly string[];
  readonly node: readonly string[];
  /** The store of the measured servers; postgres uses the database of IAM_DATABASE_URL. */
  readonly store: BenchStore;
  readonly json: boolean;
  readonly check: boolean;
  readonly help: boolean;
  readonly record: string | undefined;
  /** The file whose history to show instead of a measurement. */
  readonly history: string | undefined;
}

/** Returns the usage. */
export function formatUsage(names: readonly string[], optional: readonly string[]): string {
  return `usage: npm run bench -- [--only NAME]... [--store NAME] [--node PATH]... [--json] [--check] [--record FILE]
       npm run bench -- --history [FILE]

  --only     one of ${names.join(', ')}; repeatable; by default all but ${optional.join(', ')}
  --store    the store of the servers: file (default), or postgres in the database of
             IAM_DATABASE_URL, which measures requests only
  --node     run the commands of cli with this Node instead of the current; repeatable
  --json     print the figures as JSON
  --check    exit with code 1 when a target is missed
  --record   append the figures to this file, one JSON line for each
  --history  print the figures of a file as a table, by default ${historyFile}
`;
}

/** Parses the arguments. @throws Error with a message for the user */
export function parseOptions(
  args: readonly string[],
  names: readonly string[],
  optional: readonly string[] = [],
): BenchOptions {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      only: { type: 'string', multiple: true, default: names.filter((name) => !optional.includes(name)) },
      node: { type: 'string', multiple: true, default: [process.execPath] },
      store: { type: 'string', default: 'file' },
      json: { type: 'boolean', default: false },
      check: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
      record: { type: 'string' },
      history: { type: 'boolean', default: false },
    },
  });
  const { history, ...options } = values;
  const store = benchStores.find((name) => name === options.store);
  if (store === undefined) throw new Error(`--store is one of ${benchStores.join(', ')}`);
  const [file = historyFile, ...unexpected] = positionals;
  if (unexpected.length > 0 || (positionals.length > 0 && !history))
    throw new Error(`unexpected argument ${history ? unexpected[0] : file}`);
  const unknown = options.only.find((name) => !names.includes(name));
  if (unknown !== undefined) throw new Error(`unknown benchmark ${unknown}`);
  return { ...options, store, record: options.record, history: history ? file : undefined };
}
