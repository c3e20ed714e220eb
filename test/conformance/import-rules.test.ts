/** Import rules between the parts: contract <- server, client, cli; the testing library imports server and client. */
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

  test('the contract imports itself and zod only', () => {
    expect(findForbiddenImports(listSourceFiles('src/contract'), [/^src\/contract\//, /^zod$/])).toEqual([]);
  });

  test('the client imports the contract and its transport, and only types of the server', () => {
    const allowed = [/^src\/(client|contract)\//, /^undici(\/|$)/, /^node:/];
    expect(findForbiddenImports(listSourceFiles('src/client'), allowed, ['value', 'lazy'])).toEqual([]);
    expect(
      findForbiddenImports(
        listSourceFiles('src/client'),
        [...allowed, /^src\/server\/operations\//, /^zod$/],
        ['type'],
      ),
    ).toEqual([]);
  });

  test('the client and the CLI load neither the server nor zod at startup', () => {
    const loaded = collectLoaded([...listSourceFiles('src/client'), ...listSourceFiles('src/cli')]);
    expect(loaded.size).toBeGreaterThan(5);
    expect([...loaded].filter((file) => file.startsWith('src/server/') || file === 'zod')).toEqual([]);
  });

  test('no other part imports the testing library, and it imports no CLI', () => {
    const others = listSourceFiles('src').filter((file) => !file.startsWith('src/testing/'));
    expect(others.filter((file) => listImports(file).some(({ target }) => target.startsWith('src/testing/')))).toEqual(
      [],
    );
    const allowed = [/^src\/(testing|contract|client|server)\//, /^node:/];
    expect(findForbiddenImports(listSourceFiles('src/testing'), [...allowed, /^zod$/])).toEqual([]);
  });

  test('the CLI loads the server in one file', () => {
    const places = listSourceFiles('src/cli').filter((file) =>
      /'(?:\.\.\/)+server\/[^']*'/.test(stripComments(file).replaceAll(/^import type .*$/gm, '')),
    );
    expect(places).toEqual(['src/cli/local-server/server-module.ts']);
  });

  test('operations import the contract, identity and the store interface only', () => {
    const allowed = [
      /^src\/contract\//,
      /^src\/server\/(identity|operations)\//,
      /^src\/server\/store\/(store|tables)\.ts$/,
      /^src\/server\/(random|for-each-yielding|tokens\/authentication-error)\.ts$/,
      /^zod$/,
    ];
    expect(findForbiddenImports(operations, allowed, ['value', 'lazy'])).toEqual([]);
    expect(
      findForbiddenImports(
        operations,
        [...allowed, /^src\/server\/(tokens|integrations)\//, /^src\/server\/(clock|ids|request-context)\.ts$/],
        ['type'],
      ),
    ).toEqual([]);
  });

  test('operations and identity import no Koa, file system, network or logger', () => {
    const loaded = collectLoaded([...operations, ...listSourceFiles('src/server/identity')]);
    const forbidden = [
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
    expect(forbidden.filter((name) => loaded.has(name))).toEqual([]);
  });

  test('only the file store imports lowdb', () => {
    const users = listSourceFiles('src').filter((file) =>
      listImports(file).some(({ target }) => /^lowdb(\/|$)/.test(target)),
    );
    expect(users.filter((file) => !file.startsWith('src/server/store/file/'))).toEqual([]);
  });
});
