/** Which part may load which: contract <- server, client, cli, and the library upon server and client. A broken arrow is named with its file. */
import { describe, expect, test } from 'vitest';
import { codeOf, importsOf, loadedBy, sourceFiles } from './sources.ts';

/** Imports of these files that none of the patterns allows, as `file -> target`. */
function strays(
  files: readonly string[],
  allowed: readonly RegExp[],
  kinds: readonly string[] = ['value', 'lazy', 'type'],
): string[] {
  expect(files.length).toBeGreaterThan(0);
  return files.flatMap((file) =>
    importsOf(file)
      .filter(({ target, kind }) => kinds.includes(kind) && !allowed.some((pattern) => pattern.test(target)))
      .map(({ target }) => `${file} -> ${target}`),
  );
}

const operations = sourceFiles('src/server/operations').filter((file) => file.split('/').length > 4);

describe('imports', () => {
  test('the walk sees all kinds of imports', () => {
    const kinds = new Set(
      sourceFiles('src')
        .flatMap(importsOf)
        .map(({ kind }) => kind),
    );
    expect(kinds).toContain('value');
    expect(kinds).toContain('type');
    expect(loadedBy(['src/server/operations/index.ts'])).toContain('zod');
  });

  test('the contract knows itself and zod', () => {
    expect(strays(sourceFiles('src/contract'), [/^src\/contract\//, /^zod$/])).toEqual([]);
  });

  test('the client knows the contract and its transport; of the server types only', () => {
    const outside = [/^src\/(client|contract)\//, /^undici(\/|$)/, /^node:/];
    expect(strays(sourceFiles('src/client'), outside, ['value', 'lazy'])).toEqual([]);
    expect(strays(sourceFiles('src/client'), [...outside, /^src\/server\/operations\//, /^zod$/], ['type'])).toEqual(
      [],
    );
  });

  test('nothing of the server loads with the client or the command, nor zod', () => {
    const loaded = loadedBy([...sourceFiles('src/client'), ...sourceFiles('src/cli')]);
    expect(loaded.size).toBeGreaterThan(5);
    expect([...loaded].filter((file) => file.startsWith('src/server/') || file === 'zod')).toEqual([]);
  });

  test('nothing knows the library but who imports it, and it knows no command', () => {
    const others = sourceFiles('src').filter((file) => !file.startsWith('src/library/'));
    expect(others.filter((file) => importsOf(file).some(({ target }) => target.startsWith('src/library/')))).toEqual(
      [],
    );
    const known = [/^src\/(library|contract|client|server)\//, /^node:/];
    expect(strays(sourceFiles('src/library'), [...known, /^zod$/])).toEqual([]);
  });

  test('the command loads the server in one place', () => {
    const places = sourceFiles('src/cli').filter((file) =>
      /'[^']*\/server\/[^']*'/.test(codeOf(file).replaceAll(/^import type .*$/gm, '')),
    );
    expect(places).toEqual(['src/cli/runtime/server-module.ts']);
  });

  test('operations know contract, identity and the interface of the store', () => {
    const allowed = [
      /^src\/contract\//,
      /^src\/server\/(identity|operations)\//,
      /^src\/server\/store\/(store|tables)\.ts$/,
      /^src\/server\/(randomness|each-in-turns)\.ts$/,
      /^zod$/,
    ];
    expect(strays(operations, allowed, ['value', 'lazy'])).toEqual([]);
    expect(
      strays(operations, [...allowed, /^src\/server\/(tokens|ports)\//, /^src\/server\/(clock|ids)\.ts$/], ['type']),
    ).toEqual([]);
  });

  test('neither operations nor identity reach Koa, files, the network or the log', () => {
    const loaded = loadedBy([...operations, ...sourceFiles('src/server/identity')]);
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
    const users = sourceFiles('src').filter((file) =>
      importsOf(file).some(({ target }) => /^lowdb(\/|$)/.test(target)),
    );
    expect(users.filter((file) => !file.startsWith('src/server/store/json/'))).toEqual([]);
  });
});
