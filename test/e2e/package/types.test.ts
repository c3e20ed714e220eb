/**
 * The published types in projects that have nothing else installed: compiled completely, with each version of TypeScript and
 * each module system. Requires dist/.
 */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isFullRun } from '../../effort.ts';
import { root } from '../cli-process.ts';

const run = promisify(execFile);
const entries = ['index', 'client', 'testcontainers'];
const files = entries.flatMap((entry) => [`${entry}.d.ts`, `${entry}.d.cts`]);
let folder: string;

/** Uses most of the API. Each `@ts-expect-error` is an error if the compiler accepts its line. */
const use = `
export async function main(signal: AbortSignal): Promise<void> {
  const seed: SeedInput = { groups: [{ groupName: 'ops', roles: ['VIEW'] }], users: [{ userName: 'ann' }] };
  const iam: IamServer = await startServer({
    seed,
    clock: 'frozen',
    settings: { 'client-token-lifetime': 60, 'signing-alg': 'RS256', 'cors-origins': ['http://a'], 'smtp-from': 'a@b' },
    credentials: { adminPassword: 'correct horse battery staple' },
  });
  const { groupId } = await iam.client.groups.create({ body: { groupName: 'more', roles: ['VIEW'] }, signal });
  const group: Group = await iam.client.groups.get({ params: { groupId } });
  const role: string | undefined = group.roles[0];
  const page = await iam.client.groups.list({ query: { limit: 10 }, ifMatch: role });
  const names: string[] = page.items.map((item) => item.groupName);
  const next: string | undefined = page.next;
  await iam.client.groups.addRole({ params: { groupId }, body: { roleName: 'DEPLOY' } });
  await iam.client.userAccesses.addUser({ params: { groupName: 'ops' }, body: { userId: 'ann' } });
  await iam.client.userIdentities.factors.list();
  const nothing: undefined = await iam.client.groups.remove({ params: { groupId }, anonymous: true });
  for await (const item of iam.client.items('groups.list')) item.groupName.trim();
  const { code, text } = await iam.inbox.waitFor({ to: 'ann@example.com', timeout: 100 });
  const requests: RequestRecord[] = await iam.requests.waitFor({ status: '4xx', count: 2 });
  iam.clock.advance('10m');
  const { accessToken } = await iam.signIn('ann', { level: 'AUTH-MFA' });
  const fork: IamServer = await iam.fork();
  const other = createClient({ baseUrl: fork.url, credentials: { token: accessToken }, timeouts: { total: 5 } });
  const called: ApiResponse = await other.call('groups.list', { query: { limit: 1 } });
  const status: number = asPage(called).items.length + called.status;
  const pair = basicAuthorization({ clientId: 'a', clientSecret: 'b' });
  try {
    await fork.as('ann').keys.get();
  } catch (error) {
    if (error instanceof ClientError) error.details?.missingRoles?.join(error.code);
    if (error instanceof NetworkError || error instanceof InputError) throw error;
  }
  await Promise.all([other.close(), fork.stop(), iam[Symbol.asyncDispose]()]);
  await iam.reset();
  void [names, next, nothing, code, text, requests, status, pair];

  // @ts-expect-error unknown setting
  await startServer({ settings: { nonsense: 1 } });
  // @ts-expect-error unknown value of a setting
  await startServer({ settings: { 'signing-alg': 'HS256' } });
  // @ts-expect-error unknown key of a seed
  await startServer({ seed: { groups: [{ name: 'ops' }] } });
  // @ts-expect-error no body
  await iam.client.groups.create({});
  // @ts-expect-error unknown field of a body
  await iam.client.groups.create({ body: { groupName: 'ops', role: [] } });
  // @ts-expect-error missing path parameter
  await iam.client.groups.get({ params: {} });
  // @ts-expect-error unknown query parameter
  await iam.client.groups.list({ query: { page: 2 } });
  // @ts-expect-error unknown method
  await iam.client.groups.purge();
  // @ts-expect-error a field that the result does not have
  void group.members;
  // @ts-expect-error credentials without a secret
  createClient({ baseUrl: fork.url, credentials: { clientId: 'a' } });
}
`;

const library = `import { asPage, basicAuthorization, type Group, InputError, type IamServer, NetworkError, type RequestRecord,
  type SeedInput, startServer } from 'iam-standin';`;
const client = `import { type ApiResponse, ClientError, createClient } from 'iam-standin/client';`;

/** \`ClientError\` of both entries is one type. */
const sameError = `
import { ClientError as ErrorOfLibrary } from 'iam-standin';
export const error: ClientError = new ErrorOfLibrary({ status: 404, items: [] });
`;

/** Imports all types. */
const plain = `
import { type IamServer, startServer } from 'iam-standin';
import { createClient, type IamClient } from 'iam-standin/client';
export const start = (): Promise<IamServer> => startServer();
export const connect = (baseUrl: string): IamClient => createClient({ baseUrl });
`;

const nodenext = { module: 'nodenext' };
const bundler = { module: 'esnext', moduleResolution: 'bundler', target: 'es2022' };

/** The files that each project compiles, and its options. */
const projects = [
  ['ESM and CommonJS', ['main.mts', 'main.cts'], nodenext],
  ['a bundler, with exact optional properties', ['main.ts'], { ...bundler, exactOptionalPropertyTypes: true }],
  ['a project without the types of the DOM and of Node', ['plain.mts'], { ...nodenext, lib: ['es2022'] }],
] as const;

const compilers = [
  ['TypeScript 5.9', 'typescript'],
  ['TypeScript 7', 'typescript-7'],
] as const;

/** Returns what the compiler prints, with its exit code: nothing if the files are correct. */
async function compile(compiler: string, files: readonly string[], options: object): Promise<string> {
  const tsc = path.join(root, 'node_modules', compiler, 'bin/tsc');
  // The own types of the compiler take half of the time.
  const checks = { strict: true, skipLibCheck: false, skipDefaultLibCheck: !isFullRun };
  const compilerOptions = { noEmit: true, ...checks, types: [], ...options };
  await writeFile(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  const { stdout, stderr, code } = await run(process.execPath, [tsc], { cwd: folder }).then(
    (result) => ({ ...result, code: 0 }),
    (error: { stdout: string; stderr: string; code: number | string }) => error,
  );
  return `${stdout}${stderr}${code === 0 ? '' : `exit code ${code}`}`;
}

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'iam-types-'));
  const installed = path.join(folder, 'node_modules/iam-standin');
  await mkdir(path.join(installed, 'dist'), { recursive: true });
  await cp(path.join(root, 'package.json'), path.join(installed, 'package.json'));
  for (const file of files) await cp(path.join(root, 'dist', file), path.join(installed, 'dist', file));
  await writeFile(path.join(folder, 'package.json'), '{ "type": "module" }');
  for (const file of ['main.mts', 'main.cts', 'main.ts'])
    await writeFile(path.join(folder, file), `${library}\n${client}\n${sameError}\n${use}`);
  await writeFile(path.join(folder, 'plain.mts'), plain);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** Every pair in a full run; else 5.9, which takes ten times as long, has the first project and 7 has the others. */
const pairs = projects.flatMap((project, at) =>
  compilers.filter((_, index) => isFullRun || Math.min(at, 1) === index).map((pair) => [...pair, ...project] as const),
);

test.each(pairs)('%s (%s) compiles the published types for %s', async (_name, compiler, _project, sources, options) => {
  expect(await compile(compiler, sources, options)).toBe('');
});

test('TypeScript 5.9 finds the types without `exports`, as older projects resolve modules', async () => {
  await writeFile(path.join(folder, 'older.ts'), plain);
  const options = { module: 'commonjs', moduleResolution: 'node10', lib: ['es2022'] };
  expect(await compile('typescript', ['older.ts'], options)).toBe('');
});

test('an error of the compiler, or a missing compiler, is a failure', async () => {
  await writeFile(path.join(folder, 'wrong.mts'), `${plain}\nexport const wrong: IamClient = connect(1);\n`);
  const options = { ...nodenext, lib: ['es2022'] };
  expect(await compile('typescript-7', ['wrong.mts'], options)).toMatch(/^wrong\.mts\b.*TS2345[\s\S]*exit code \d$/);
  expect(await compile('absent', ['plain.mts'], options)).toMatch(/Cannot find module[\s\S]*exit code 1$/);
});

test.each(isFullRun ? compilers : compilers.slice(-1))('%s accepts dispatchers of undici', async (_name, compiler) => {
  for (const name of ['undici', '@types', 'undici-types'])
    await symlink(path.join(root, 'node_modules', name), path.join(folder, 'node_modules', name)).catch(
      () => undefined,
    );
  const text = `import { Agent, type Dispatcher, MockAgent, ProxyAgent } from 'undici';
    ${client.replace('type ApiResponse, ClientError, ', '')}
    const dispatchers: Dispatcher[] = [new Agent(), new MockAgent(), new ProxyAgent('http://localhost:1')];
    export const clients = dispatchers.map((dispatcher) => createClient({ baseUrl: 'http://localhost', dispatcher }));`;
  await writeFile(path.join(folder, 'undici.mts'), text);
  const options = { ...nodenext, types: ['node'], skipLibCheck: true };
  expect(await compile(compiler, ['undici.mts'], options)).toBe('');
});

describe.each(files)('%s', (file) => {
  test('imports only the types of the client', async () => {
    const text = await readFile(path.join(root, 'dist', file), 'utf8');
    const targets = [...text.matchAll(/(?:\bfrom |^import |\bimport\(|\brequire\()'([^'\n]+)'/gm)].map(
      ([, target]) => target,
    );
    const expected = !file.startsWith('client') ? [`./client${file.endsWith('.cts') ? '.cjs' : '.js'}`] : [];
    expect([...new Set(targets)]).toEqual(expected);
    expect(text).not.toMatch(/<reference (types|path)/);
  });

  test('declares the values that the module exports', async () => {
    const exported = Object.keys(
      createRequire(import.meta.url)(path.join(root, 'dist', `${path.parse(file).name.split('.')[0]}.cjs`)),
    );
    const texts = await Promise.all(
      (file.startsWith('index') ? [file, file.replace('index', 'client')] : [file]).map((name) =>
        readFile(path.join(root, 'dist', name), 'utf8'),
      ),
    );
    const declared = texts.flatMap((text) =>
      [...text.matchAll(/^export declare (?:abstract )?(?:const|function|class) (\w+)/gm)].map(([, name]) => name),
    );
    // A function with overloads is declared several times.
    expect([...new Set(declared)].sort()).toEqual(exported.filter((name) => name !== 'default').sort());
  });
});

/** Writes the types of a project with one entry, and returns them. */
async function publish(text: string): Promise<string> {
  const { writeTypes } = await import(path.join(root, 'scripts/types.mjs'));
  const project = await mkdtemp(path.join(folder, 'published-'));
  const sources = {
    'client/index.ts': text,
    'client/other.ts': 'export type Other = string;',
    'testing/index.ts': '',
    'testcontainers/index.ts': '',
  };
  for (const [file, source] of Object.entries(sources)) {
    await mkdir(path.join(project, 'src', path.dirname(file)), { recursive: true });
    await writeFile(path.join(project, 'src', file), source);
  }
  writeTypes({ root: project, outdir: project });
  return readFile(path.join(project, 'client.d.ts'), 'utf8');
}

describe('the build fails for a published type', () => {
  test.each([
    ['of a package', "import type * as z from 'zod';\nexport type Broken = z.ZodType;", /uses the package zod/],
    ['of an import type', "export type Broken = import('zod').ZodType;", /index.ts: "import\('zod'\).*Import the name/],
    ['of Node', 'export type Broken = Buffer;', /Buffer is not a global type of the language/],
    [
      'of Node whose name is also a type parameter',
      'export interface Broken { a<Buffer>(b: Buffer): void; c: Buffer }',
      /Buffer is not a global type of the language/,
    ],
    [
      'of Node whose name is also inferred',
      'export type Broken<T> = T extends (infer Buffer)[] ? Buffer : Buffer;',
      /Buffer is not a global type of the language/,
    ],
    [
      'of Node in an overload',
      'export function broken(a: Buffer): void;\nexport function broken(a: string): void;\nexport function broken(): void {}',
      /Buffer is not a global type of the language/,
    ],
    ['that is not declared', "export type { Broken } from './other.ts';", /other.ts does not export Broken/],
    ['that is inferred', 'export const broken = JSON.parse(text);', /explicit type annotation/],
    ['in a namespace', "export * as broken from './other.ts';", /index.ts: "export \* as broken.*Export names instead/],
    ['without a name', 'const broken: string = text;\nexport default broken;', /"export default broken.*Export names/],
  ])('%s', async (_what, text, reason) => {
    await expect(publish(text)).rejects.toThrow(reason);
  });
});

test('the published types contain all declarations of a name', async () => {
  const declarations = [
    'export declare function overloaded(a: string): string;',
    'export declare function overloaded(a: Date): Date;',
    'export declare const Both: string;',
    'export type Both = typeof Both;',
    'export type ElementOf<T> = T extends (infer Item)[] ? Item : never;',
  ];
  const text = await publish(declarations.join('\n'));
  for (const declaration of declarations) expect(text).toContain(`\n${declaration}\n`);
});
