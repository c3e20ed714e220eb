/** Which part may load which: contract <- server, client, cli, and the library upon server and client. A broken arrow is named with its file. */
import { describe, expect, test } from 'vitest';
import { collectLoaded, listImports, listSourceFiles, stripComments } from './source-files.ts';

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

describe('imports', () => {
  test('detects all kinds of imports', () => {
    const kinds = new Set(
      listSourceFiles('src')
        .flatMap(listImports)
        .map(({ kind }) => kind),
    );
    expect(kinds).toContain('value');
    expect(kinds).toContain('type');
    expect(collectLoaded(['src/server/operations/index.ts'])).toContain('zod');
  });

  test('the contract knows itself and zod', () => {
    expect(findForbiddenImports(listSourceFiles('src/contract'), [/^src\/contract\//, /^zod$/])).toEqual([]);
  });

  test('the client knows the contract and its transport; of the server types only', () => {
    const outside = [/^src\/(client|contract)\//, /^undici(\/|$)/, /^node:/];
    expect(findForbiddenImports(listSourceFiles('src/client'), outside, ['value', 'lazy'])).toEqual([]);
    expect(
      findForbiddenImports(
        listSourceFiles('src/client'),
        [...outside, /^src\/server\/operations\//, /^zod$/],
        ['type'],
      ),
    ).toEqual([]);
  });

  test('nothing of the server loads with the client or the command, nor zod', () => {
    const loaded = collectLoaded([...listSourceFiles('src/client'), ...listSourceFiles('src/cli')]);
    expect(loaded.size).toBeGreaterThan(5);
    expect([...loaded].filter((file) => file.startsWith('src/server/') || file === 'zod')).toEqual([]);
  });

  test('nothing knows the library but who imports it, and it knows no command', () => {
    const others = listSourceFiles('src').filter((file) => !file.startsWith('src/testing/'));
    expect(others.filter((file) => listImports(file).some(({ target }) => target.startsWith('src/testing/')))).toEqual(
      [],
    );
    const known = [/^src\/(testing|contract|client|server)\//, /^node:/];
    expect(findForbiddenImports(listSourceFiles('src/testing'), [...known, /^zod$/])).toEqual([]);
  });

  test('the command loads the server in one place', () => {
    const places = listSourceFiles('src/cli').filter((file) =>
      /'[^']*\/server\/[^']*'/.test(stripComments(file).replaceAll(/^import type .*$/gm, '')),
    );
    expect(places).toEqual(['src/cli/runtime/server-module.ts']);
  });

  test('operations know contract, identity and the interface of the store', () => {
    const allowed = [
      /^src\/contract\//,
      /^src\/server\/(identity|operations)\//,
      /^src\/server\/store\/(store|tables)\.ts$/,
      /^src\/server\/(random|for-each-yielding)\.ts$/,
      /^zod$/,
    ];
    expect(findForbiddenImports(operations, allowed, ['value', 'lazy'])).toEqual([]);
    expect(
      findForbiddenImports(
        operations,
        [...allowed, /^src\/server\/(tokens|integrations)\//, /^src\/server\/(clock|ids)\.ts$/],
        ['type'],
      ),
    ).toEqual([]);
  });

  test('neither operations nor identity reach Koa, files, the network or the log', () => {
    const loaded = collectLoaded([...operations, ...listSourceFiles('src/server/identity')]);
    const outside = [
      'koa',
      '@koa/router',
      'pino',
      'lowdb',
      'undici',
      'node:fs',
      'node:fs/promises',
      'node:http',
      'node:net',
    ];
    expect(outside.filter((name) => loaded.has(name))).toEqual([]);
  });

  test('only the file engine knows lowdb and the file system of a store', () => {
    const users = listSourceFiles('src').filter((file) =>
      listImports(file).some(({ target }) => /^lowdb(\/|$)/.test(target)),
    );
    expect(users.filter((file) => !file.startsWith('src/server/store/json/'))).toEqual([]);
  });
});
