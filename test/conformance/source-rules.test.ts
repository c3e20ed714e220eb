/** Rules for every source file. */
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { listAllSourceFiles, listSourceFiles, readSource, root, stripComments } from './source-files.ts';

const files = listAllSourceFiles();
const serverFiles = [...listSourceFiles('src/server'), ...listSourceFiles('src/testing')];

/** Entry points, which may use the inputs that all other files receive as arguments. */
const entryFiles =
  /^(src\/(server\/lib\/clock|server\/main|cli\/main|cli\/io\/process|executable\/main)|packages\/console\/src\/main)\.tsx?$/;

const ambientInputs = [
  ['the time', /\bDate\.now\b|\bnew Date\b(?!\s*\(\s*[^\s)])|(?<!new )\bDate\(|\bTemporal\b/],
  ['randomness', /\bMath\.random\b/],
  ['the environment', /\bprocess\.env\b/],
  ['process exit', /\bprocess\.exit\s*\(/],
] as const;

/** Uses of real time: waits and timeouts only, never timestamps or expiry. */
const realTime = [
  [
    'a stopwatch',
    /\bperformance\b|\bhrtime\b|\bprocess\.uptime\b|\bperf_hooks\b/,
    [
      'src/cli/bulk/run.ts',
      'src/cli/request/wait.ts',
      'src/server/lib/stopwatch.ts',
      // Observes garbage collections, not the time.
      'src/server/store/memory/heap-gauge.ts',
    ],
  ],
  [
    'a timer',
    /\bset(Timeout|Interval)\b|\bscheduler\b|\bpause\b[^}]*\} from '[^']*\/host\.ts'/,
    [
      'src/cli/bulk/run.ts',
      'src/cli/commands/server/logs.ts',
      'src/cli/commands/server/status.ts',
      'src/cli/commands/server/stop.ts',
      'src/cli/http/proxy.ts',
      'src/cli/io/private-files.ts',
      'src/cli/io/process.ts',
      'src/cli/local-server/launch.ts',
      'src/lib/host.ts',
      'src/server/http/node-server.ts',
      'src/server/lib/timer.ts',
      'src/server/listen.ts',
      'src/server/main.ts',
      'src/server/store/file/lock.ts',
      'src/testcontainers/index.ts',
      'src/testing/deadline.ts',
      'packages/console/src/api/live/live-events.ts',
      'packages/console/src/api/live/use-live-queries.ts',
      'packages/console/src/components/lazy/use-prefetch.ts',
      'packages/console/src/components/toasts/toasts.tsx',
    ],
  ],
  [
    'a timeout',
    /\bAbortSignal\.timeout\b/,
    [
      'src/cli/commands/login/logout.ts',
      'src/cli/commands/login/web-login.ts',
      'src/cli/completion/complete.ts',
      'src/cli/http/entity-names.ts',
      'src/cli/request/delete-impact.ts',
      'src/client/transport.ts',
      'src/server/federation/fetch-document.ts',
      'src/server/lib/http-client.ts',
      'src/server/messaging/sms-hook.ts',
      'src/testcontainers/index.ts',
    ],
  ],
] as const;

/** What reads files and streams beside `src/lib/text-file.ts`: no texts of users. */
const fileReaders = [
  // The rows of a run, which it checks as text, and their private copy.
  'src/cli/bulk/resume-log.ts',
  // The files of /proc.
  'src/cli/io/process.ts',
  'src/cli/io/processes.ts',
  // The output of a server that it starts.
  'src/cli/local-server/launch.ts',
  'src/lib/text-file.ts',
  // Files of the build.
  'src/server/console/console-files.ts',
  'src/server/http/static-files.ts',
  'src/server/limits/connections/descriptor-limit.ts',
  'src/server/openapi/docs-page-files.ts',
  // Files of the store, which have checksums.
  'src/server/store/file/node-disk.ts',
  'src/server/store/file/node-processes.ts',
];

/** Calls of packages that read the system clock unless a time is passed. */
const clockReaders = [
  ['checks a JWT', /\bjwtVerify\(/, /\bcurrentDate:/],
  ['signs a JWT', /\bset(IssuedAt|ExpirationTime|NotBefore)\(/, /^$/],
  ['fetches keys', /\bcreateRemoteJWKSet\b/, /^$/],
] as const;

/** One table of data each, without code. It has one row format, so splitting it would only hide rows. */
const dataTables = ['src/contract/error-codes.ts'];

describe('every source file', () => {
  test.each(realTime)('that uses %s is listed', (_what, pattern, known) => {
    expect(files.filter((file) => pattern.test(stripComments(file)))).toEqual(known);
  });

  test('that reads files or streams is listed: the text reader knows encodings and limits', () => {
    const pattern = /\b(readFile|readFileSync|createReadStream|readSync|readline)\b|\bfrom 'node:stream\/consumers'/;
    expect(files.filter((file) => pattern.test(stripComments(file)))).toEqual(fileReaders);
  });

  test.each(clockReaders)('of the server that %s passes the time', (_what, pattern, timeArgument) => {
    expect(
      serverFiles.filter((file) => pattern.test(stripComments(file)) && !timeArgument.test(stripComments(file))),
    ).toEqual([]);
  });

  test('of the server receives its clock, except entry points', () => {
    const users = files.filter((file) => /\bsystemClock\b/.test(stripComments(file)));
    expect(users).toEqual([
      'src/server/lib/clock.ts',
      'src/server/main.ts',
      'src/server/setup-database.ts',
      'src/server/store/maintenance/open-offline-store.ts',
      'src/server/store/open.ts',
      'src/testing/start-server.ts',
    ]);
  });

  test.each(ambientInputs)('receives %s as an argument', (_what, pattern) => {
    expect(files.length).toBeGreaterThan(20);
    expect(files.filter((file) => !entryFiles.test(file) && pattern.test(stripComments(file)))).toEqual([]);
  });

  test('of a handler passes its context on whole: a copy has nothing that the context inherits', () => {
    const copy = /\bhandle(: )?\([^)]*\.\.\.\w+ \}\)|\.\.\.(context|deps)\b/;
    const handlers = serverFiles.filter((file) => /^src\/server\/(operations|oauth|control)\//.test(file));
    expect(handlers.length).toBeGreaterThan(100);
    expect(handlers.filter((file) => copy.test(stripComments(file)))).toEqual([]);
  });

  test('of the server inherits from an object in two functions only: what a request inherits from outlives it', () => {
    const heirs = serverFiles.filter((file) => /Object\.create\((?!null\))|setPrototypeOf/.test(stripComments(file)));
    expect(heirs).toEqual(['src/server/lib/derive.ts', 'src/server/store/overrides.ts']);
  });

  test('is at most 400 lines long, unless it is generated or a table of data', () => {
    const long = files.filter((file) => !isGenerated(file) && readSource(file).split('\n').length > 401);
    expect(long).toEqual(dataTables);
  });

  test('has a header comment, unless it declares an operation', () => {
    expect(
      files.filter((file) => !isOperation(file) && !/^(\s*\/\*\*|\/\/ GENERATED)/m.test(readSource(file))),
    ).toEqual([]);
  });

  test('is in a folder of at most 24 files, unless these are the operations of one area', () => {
    const folders = [...files, ...['test', 'packages/console/test'].flatMap(listSourceFiles)].map((file) =>
      path.posix.dirname(file),
    );
    const large = [...new Set(folders)].filter((folder) => folders.filter((other) => other === folder).length > 24);
    expect(large.filter((folder) => !folder.includes('/operations/'))).toEqual([]);
  });

  test('has a name in kebab-case', () => {
    expect(files.filter((file) => !/^[a-z0-9/-]+(\.d|\.middleware)?\.tsx?$/.test(file))).toEqual([]);
  });

  test('has a reason for every suppression', () => {
    const bare = files.filter((file) =>
      /(biome-ignore [\w/]+\s*$|@ts-expect-error\s*$|@ts-ignore)/m.test(readSource(file)),
    );
    expect(bare).toEqual([]);
  });
});

function isGenerated(file: string): boolean {
  return readSource(file).startsWith('// GENERATED');
}

/** The declaration of an operation, or of a route of the control plane, describes itself. */
function isOperation(file: string): boolean {
  if (file.startsWith('src/server/control/routes/')) return /^export default defineRoute\(/m.test(readSource(file));
  return file.startsWith('src/server/operations/') && file.split('/').length > 4;
}

/** Names that the library declares again, with the part that its callers can use. */
const published: ReadonlySet<string> = new Set(['IamError']);

test('every exported name is declared in one file; a generated type has the name of its schema', () => {
  const declaration = /^export (?:async )?(?:abstract )?(?:function\*?|const|class|interface|type|enum|let) ([\w$]+)/gm;
  const filesByName = new Map<string, Set<string>>();
  for (const file of files.filter((name) => !isGenerated(name))) {
    for (const [, name = ''] of stripComments(file).matchAll(declaration))
      filesByName.set(name, (filesByName.get(name) ?? new Set()).add(file));
  }
  expect(filesByName.size).toBeGreaterThan(1000);
  const duplicates = [...filesByName].filter(([name, declaring]) => declaring.size > 1 && !published.has(name));
  expect(duplicates.map(([name, declaring]) => [name, [...declaring].sort()])).toEqual([]);
});

/** Collections at module level that change after the module is loaded, and variables that can be reassigned. */
function findModuleState(file: string, code = stripComments(file)): string[] {
  const variables = [...code.matchAll(/^(?:export )?(?:let|var) (\w+)/gm)].map(([, name = '']) => name);
  const statics = [...code.matchAll(/^ +static (?!readonly\b)#?(\w+)\b(?: *:[^=]+)? =/gm)].map(([, name = '']) => name);
  const declaration = /^(?:export )?const (\w+)(?:: [^=]+)? = new ((?:Weak)?(?:Map|Set|Ref)|LRU\w*)\b/gm;
  const collections = [...code.matchAll(declaration)]
    .filter(([, name, type = '']) => type.startsWith('Weak') || type.startsWith('LRU') || isMutated(code, name))
    .map(([, name = '']) => name);
  const literal = /^(?:export )?const (\w+)(?:: [^=]+)? = (?:\[|\{)/gm;
  const literals = [...code.matchAll(literal)].map(([, name = '']) => name).filter((name) => isMutated(code, name));
  return [...variables, ...statics, ...collections, ...literals].map((name) => `${file} ${name}`);
}

/** Whether a collection, array or object is changed. Collections that are filled by their constructor are constants. */
function isMutated(code: string, name = ''): boolean {
  const change = `\\.(?:set|add|delete|clear|push|pop|shift|unshift|splice|fill)\\(|\\[[^\\]\\n]+\\] (?:[?&|]{2}|[+-])?= `;
  return new RegExp(`(?<![.\\w$])${name}(?:${change})|Object\\.assign\\(${name}\\b`).test(code);
}

describe('no module holds state', () => {
  test.each([
    'let latest = 0;',
    'const cache = new WeakMap<object, string>();',
    'export const cache: Cache = new Map();\ncache.set(1, 2);',
    'const seen = new Set<string>(names);\nfunction see() {\n  seen.add(name);\n}',
    'const rows: Row[] = [];\nrows.push(row);',
    'const byName: Record<string, Row> = {};\nbyName[name] ??= row;',
    'class Cache {\n  static #entries = new Map();\n}',
  ])('detects %j', (code) => {
    expect(findModuleState('file.ts', code)).toHaveLength(1);
  });

  test.each([
    "const names = new Set(['a', 'b']);\nnames.has(name);",
    'const noNames: ReadonlySet<string> = new Set();',
    'function create() {\n  const seen = new Set();\n  seen.add(1);\n}',
    'const codes = [1, 2];\nother.codes.push(3);',
  ])('allows %j', (code) => {
    expect(findModuleState('file.ts', code)).toEqual([]);
  });

  test('of the server, the contract, the client and the testing library', () => {
    const parts = ['src/server', 'src/contract', 'src/client', 'src/testing'].flatMap(listSourceFiles);
    expect(parts.length).toBeGreaterThan(300);
    expect(parts.flatMap((file) => findModuleState(file))).toEqual([]);
  });
});

test('reads the files of this project', () => {
  expect(JSON.parse(readSource('package.json'))).toMatchObject({ name: 'iam-standin' });
  expect(root).not.toBe('');
});
