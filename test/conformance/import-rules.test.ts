/** Import rules between the parts: contract <- server, client, cli; the testing library imports server and client. */
import { describe, expect, test } from 'vitest';
import {
  collectLoaded,
  listAllSourceFiles,
  listImports,
  listSourceFiles,
  readSource,
  stripComments,
} from './source-files.ts';

/** Imports of these files that none of the patterns allows, as `file -> target`. */
function findForbiddenImports(
  files: readonly string[],
  allowed: readonly RegExp[],
  kinds: readonly string[] = ['value', 'lazy', 'type'],
): string[] {
  expect(files.length).toBeGreaterThan(0);
  return files.flatMap((file) =>
    listImports(file)
      .filter(({ target, kind }) => kinds.includes(kind) && !allowed.some((pattern) => pattern.test(target)))
      .map(({ target }) => `${file} -> ${target}`),
  );
}

const operations = listSourceFiles('src/server/operations').filter((file) => file.split('/').length > 4);

/** The folders and files of src/server, each below those that may import it. */
const serverLayers = [
  'lib',
  'config',
  'store',
  'limits',
  'directory',
  'tokens',
  'sessions',
  'messaging',
  'users',
  'mfa',
  'auth',
  'federation',
  'legacy',
  'integrations.ts',
  'bootstrap-groups.ts',
  'seed',
  'bootstrap.ts',
  'snapshots',
  'sandboxes',
  'http',
  'audit',
  'fault-injection',
  'observability',
  'openapi',
  'console',
  'app-context.ts',
  'request-context.ts',
  'operations',
  'oauth',
  'response-writer.ts',
  'request-store.ts',
  'pipeline.ts',
  'control',
  'record-requests.middleware.ts',
  'handle-errors.middleware.ts',
  'sandbox-router.middleware.ts',
  'well-known.middleware.ts',
  'console.middleware.ts',
  'dispatch-requests.middleware.ts',
  'app.ts',
  'start-warnings.ts',
  'listen.ts',
  'startup-banner.ts',
  'setup-database.ts',
  'main.ts',
];

/** The folders and files of src/cli, each below those that may import it. */
const cliLayers = [
  'errors.ts',
  'exit-codes.ts',
  'io',
  'output',
  'config',
  'auth',
  'http',
  'context.ts',
  'request',
  'prompts',
  'command.ts',
  'plan',
  'create',
  'bulk',
  'conformance',
  'local-server',
  'commands',
  'registry.ts',
  'program.ts',
  'completion',
  'cli-reference.ts',
  'man-pages.ts',
  'suggestions.ts',
  'run.ts',
  'main.ts',
];

/** The folders and files of the console, each below those that may import it. */
const consoleLayers = [
  'jsx-runtime.ts',
  'theme.ts',
  'api',
  'components',
  'pages',
  'frame',
  'router.tsx',
  'app.tsx',
  'main.tsx',
];

/** The folder or top-level file of a part that contains a file. */
function layerOf(part: string, file: string): string {
  return file.slice(part.length + 1).split('/')[0] ?? '';
}

/** Groups of files that import each other, types included: strongly connected components (Tarjan, 1972). */
function findCircles(imports: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const circles: string[][] = [];
  const visit = (file: string): number => {
    order.set(file, order.size);
    lowest.set(file, order.size - 1);
    stack.push(file);
    for (const target of imports.get(file) ?? []) {
      if (!imports.has(target)) continue;
      const reached = order.has(target)
        ? stack.includes(target)
          ? (order.get(target) ?? 0)
          : Infinity
        : visit(target);
      lowest.set(file, Math.min(lowest.get(file) ?? 0, reached));
    }
    if (lowest.get(file) === order.get(file)) {
      const circle = stack.splice(stack.indexOf(file));
      if (circle.length > 1 || imports.get(file)?.includes(file)) circles.push(circle);
    }
    return lowest.get(file) ?? 0;
  };
  for (const file of imports.keys()) if (!order.has(file)) visit(file);
  return circles;
}

describe('imports', () => {
  test('detects all kinds of imports', () => {
    const kinds = new Set(
      listAllSourceFiles()
        .flatMap(listImports)
        .map(({ kind }) => kind),
    );
    expect(kinds).toContain('value');
    expect(kinds).toContain('type');
    expect(collectLoaded(['src/server/operations/index.ts'])).toContain('zod');
  });

  test('the contract imports itself, the API document and zod only', () => {
    expect(
      findForbiddenImports(listSourceFiles('src/contract'), [/^src\/contract\//, /^docs\/openapi\.json$/, /^zod$/]),
    ).toEqual([]);
  });

  test('what server and command share beside the contract imports that, Node and the YAML parser only', () => {
    expect(findForbiddenImports(listSourceFiles('src/lib'), [/^src\/(lib|contract)\//, /^node:/, /^yaml$/])).toEqual(
      [],
    );
  });

  test('the client imports the contract and its transport', () => {
    const allowed = [/^src\/(client|contract)\//, /^undici(\/|$)/, /^node:/];
    expect(findForbiddenImports(listSourceFiles('src/client'), allowed)).toEqual([]);
  });

  test('the client and the CLI load neither the server nor zod at startup', () => {
    const loaded = collectLoaded([...listSourceFiles('src/client'), ...listSourceFiles('src/cli')]);
    expect(loaded.size).toBeGreaterThan(5);
    expect([...loaded].filter((file) => file.startsWith('src/server/') || file === 'zod')).toEqual([]);
  });

  // On Node 20 and 24: node:tls takes 8 and 19 ms, node:http2 14 and 29, node:crypto 5 and 8, node:http 5 and 6, node:v8 and
  // node:child_process 2.
  test('a command starts without the modules of Node that take long to load', () => {
    const loaded = collectLoaded(['src/cli/run.ts']);
    const slow = ['child_process', 'crypto', 'http', 'http2', 'https', 'tls', 'v8', 'worker_threads'];
    expect(loaded).toContain('node:fs');
    expect(slow.filter((name) => loaded.has(`node:${name}`))).toEqual([]);
  });

  test('no other part imports the testing library, and it imports no CLI', () => {
    const others = listAllSourceFiles().filter((file) => !file.startsWith('src/testing/'));
    expect(others.filter((file) => listImports(file).some(({ target }) => target.startsWith('src/testing/')))).toEqual(
      [],
    );
    const allowed = [/^src\/(testing|contract|lib|client|server)\//, /^node:/];
    expect(findForbiddenImports(listSourceFiles('src/testing'), [...allowed, /^zod$/])).toEqual([]);
  });

  test('the CLI loads the server only where a command needs it, and late', () => {
    const places = listSourceFiles('src/cli').flatMap((file) =>
      [...stripComments(file).matchAll(/^(.*)'(?:\.\.\/)+server\/[^']*'/gm)]
        .filter(([line]) => !line.startsWith('import type '))
        .map(([, before = '']) => [file, before.trim().split(' ').at(-1)]),
    );
    expect(places).toEqual([
      ['src/cli/commands/import/import.ts', 'import('],
      ['src/cli/commands/import/import.ts', 'import('],
      ['src/cli/commands/import/import.ts', 'import('],
      ['src/cli/commands/import/import.ts', 'import('],
      ['src/cli/commands/import/import.ts', 'import('],
      ['src/cli/commands/server/serve.ts', 'import('],
      ['src/cli/commands/server/start.ts', 'import('],
      ['src/cli/commands/store/database-options.ts', 'import('],
      ['src/cli/commands/store/database-options.ts', 'import('],
      ['src/cli/commands/store/store-folder.ts', 'import('],
      ['src/cli/conformance/reference-server.ts', 'import('],
    ]);
  });

  test('no file imports itself through others', () => {
    const sample = new Map([
      ['a', ['b']],
      ['b', ['c', 'd']],
      ['c', ['a']],
      ['d', []],
      ['e', ['e', 'd']],
    ]);
    expect(findCircles(sample)).toEqual([['a', 'b', 'c'], ['e']]);
    const files = listAllSourceFiles();
    expect(findCircles(new Map(files.map((file) => [file, listImports(file).map(({ target }) => target)])))).toEqual(
      [],
    );
  });

  test.each([
    ['src/server', serverLayers],
    ['src/cli', cliLayers],
    ['packages/console/src', consoleLayers],
  ])('each folder and file of %s imports only the layers below it', (part, layers) => {
    const files = listSourceFiles(part);
    expect([...new Set(files.map((file) => layerOf(part, file)))].sort()).toEqual([...layers].sort());
    const upward = files.flatMap((file) =>
      listImports(file)
        .filter(({ target }) => target.startsWith(`${part}/`))
        .filter(({ target }) => layers.indexOf(layerOf(part, target)) > layers.indexOf(layerOf(part, file)))
        .map(({ target }) => `${file} -> ${target}`),
    );
    expect(upward).toEqual([]);
  });

  test('docs/architecture.md lists the layers of the server in their order', () => {
    const [, table = ''] = readSource('docs/architecture.md').split('## Layers of the server');
    const rows = [...table.matchAll(/^\| \w[\w ]* \| (`.*) \|$/gm)].map(([, cell = '']) =>
      cell.replaceAll(/\([^)]*\)/g, ''),
    );
    const listed = rows.flatMap((cell) => [...cell.matchAll(/`([\w*.-]+)\/?`/g)].map(([, name]) => name));
    const layers = serverLayers.map((name) => name.replace(/^.*(?=\.middleware)/, '*'));
    expect(listed).toEqual([...new Set(layers)]);
  });

  test('no two folders of pages of the console import each other, also through others', () => {
    const pages = 'packages/console/src/pages';
    const folders = new Map<string, Set<string>>();
    for (const file of listSourceFiles(pages).filter((name) => layerOf(pages, name) !== 'page-list.ts')) {
      const targets = folders.get(layerOf(pages, file)) ?? new Set();
      for (const { target } of listImports(file))
        if (target.startsWith(`${pages}/`)) targets.add(layerOf(pages, target));
      folders.set(layerOf(pages, file), targets);
    }
    const others = [...folders].map(
      ([folder, targets]) => [folder, [...targets].filter((to) => to !== folder)] as const,
    );
    expect(others.length).toBeGreaterThan(10);
    expect(findCircles(new Map(others))).toEqual([]);
  });

  test('the kinds of resources in a plan import no engine, and the engine imports them through their index', () => {
    const models =
      /^src\/cli\/plan\/(resources|model)\/|^src\/cli\/plan\/(resource|execution|read-list|inventory|value-schemas)\.ts$/;
    const requests =
      /^src\/cli\/(request\/(call-operation|control-plane)|http\/run-concurrently|output\/value-prefix)\.ts$/;
    const kinds = listSourceFiles('src/cli/plan/resources');
    expect(findForbiddenImports(kinds, [models, requests, /^src\/contract\//, /^src\/cli\/context\.ts$/])).toEqual([]);
    const engine = listSourceFiles('src/cli/plan').filter((file) => !kinds.includes(file));
    const allowed = [/^src\/cli\/plan\/resources\/index\.ts$/, /^(?!src\/cli\/plan\/resources\/)/];
    expect(findForbiddenImports(engine, allowed)).toEqual([]);
  });

  test('operations and what they use import no Koa, file system, network or logger', () => {
    const loaded = collectLoaded(operations);
    const forbidden = ['koa', '@koa/router', 'pino', 'lowdb', 'undici', 'node:fs', 'node:fs/promises', 'node:http'];
    expect(loaded.size).toBeGreaterThan(100);
    expect(forbidden.filter((name) => loaded.has(name))).toEqual([]);
  });

  test('only the app, HTTP, middleware and the injection of faults receive the context of Koa', () => {
    const allowed =
      /^src\/server\/(app|pipeline|response-writer|fault-injection\/apply-faults|http\/[\w-]+|([\w-]+\/)?[\w-]+\.middleware)\.ts$/;
    const users = listSourceFiles('src/server').filter((file) => /\bKoaContext\b|\bctx\b/.test(stripComments(file)));
    expect(users.length).toBeGreaterThan(5);
    expect(users.filter((file) => !allowed.test(file))).toEqual([]);
  });

  test('only the file store imports lowdb', () => {
    const users = listAllSourceFiles().filter((file) =>
      listImports(file).some(({ target }) => /^lowdb(\/|$)/.test(target)),
    );
    expect(users.filter((file) => !file.startsWith('src/server/store/file/'))).toEqual([]);
  });
});
