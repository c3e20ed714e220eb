/** What sandboxes share with the server and with each other, as docs/secure.md lists it: they are given nothing else. */

interface SharedPart {
  readonly name: string;
  readonly shared: string;
  readonly separation: string;
  /** The dependencies of the app context that it consists of. */
  readonly deps: readonly string[];
}

export const sharedParts = [
  {
    name: 'network',
    shared: 'the port, its connections, and the address from which the server connects to others',
    separation:
      'capacity is shared fairly between sources; with remote access, sandboxes connect to public addresses, `--sandbox-networks` and the providers in the seed of the server only',
    deps: [],
  },
  {
    name: 'audit',
    shared: 'the audit log and the log on standard error',
    separation:
      'events and lines of a sandbox contain its name; granted events of sandboxes are written to the file of self-service callers, on a loopback server only those of sandboxes with their own seed',
    deps: ['audit', 'auditHistory', 'auditSequence', 'log'],
  },
  {
    name: 'limits',
    shared: 'the growth limits, and the queues of password hashes and of imports and exports',
    separation:
      'a reset of a sandbox does not clear the counts; with remote access, wrong passwords in a sandbox with the seed of the server also count at the server; the queues serve sources in turn, that of imports and exports the server and the sandboxes first',
    deps: ['growthLimits', 'hashQueue', 'stateQueue'],
  },
  {
    name: 'disk',
    shared: 'the files of the audit log',
    separation: 'a sandbox has no other file: its store is in memory',
    deps: [],
  },
  {
    name: 'memory',
    shared: 'the heap of the process',
    separation: 'a heap that is almost full rejects inserts in all stores in memory',
    deps: ['heap'],
  },
  {
    name: 'code',
    shared: 'the program, its timers, its random generator, its ids, and the files of the console and the API page',
    separation: 'none of them contains data',
    deps: ['timer', 'random', 'ids', 'docsPageFiles', 'consoleFiles'],
  },
] as const satisfies readonly SharedPart[];

export type SharedDep = (typeof sharedParts)[number]['deps'][number];

/** Picks what a sandbox is given of the dependencies of the server. */
export function pickShared<Deps extends { readonly [Key in SharedDep]?: unknown }>(deps: Deps): Pick<Deps, SharedDep> {
  const names: readonly SharedDep[] = sharedParts.flatMap((part): readonly SharedDep[] => part.deps);
  return Object.fromEntries(names.map((name) => [name, deps[name]])) as Pick<Deps, SharedDep>;
}
