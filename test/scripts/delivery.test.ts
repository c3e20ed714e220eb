/** The Dockerfile, the compose file and the systemd unit, as far as they can be checked without an engine or systemd. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { secretFileVariable } from '../../src/contract/secret-files.ts';
import { readSettings, type Setting, settingsTable } from '../../src/server/config/settings.ts';
import { readSource, root } from '../conformance/source-files.ts';
import { loadScript } from './load-script.ts';

interface Instruction {
  readonly name: string;
  readonly text: string;
  readonly args: readonly string[];
  readonly from?: string;
  readonly pairs?: Readonly<Record<string, string>>;
}

interface Service {
  readonly image?: string;
  readonly command?: string;
  readonly secrets?: readonly string[];
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
}

const { parseDockerfile } = await loadScript<{ parseDockerfile(text: string): Instruction[] }>('dockerfile.mjs');

const settings: readonly Setting[] = Object.values(settingsTable);
const variables = new Set(settings.flatMap((setting) => [setting.environment, secretFileVariable(setting)]));
const unknownVariables = (names: readonly string[]) =>
  names.filter((name) => name.startsWith('IAM_') && !variables.has(name));

describe('the Dockerfile', () => {
  const instructions = parseDockerfile(readSource('Dockerfile'));
  const all = (name: string) => instructions.filter((one) => one.name === name);
  const environment = Object.assign({}, ...all('ENV').map(({ pairs }) => pairs)) as Record<string, string>;

  test('has two stages on the same slim image, and runs as a number that is not root', () => {
    expect(all('FROM').map(({ args: [image = ''] }) => image)).toEqual([
      expect.stringMatching(/^node:\d+-slim$/),
      all('FROM')[0]?.args[0],
    ]);
    expect(all('USER').map(({ text }) => text)).toEqual([expect.stringMatching(/^[1-9]\d*:[1-9]\d*$/)]);
  });

  test('needs no shell to run, also to check the health', () => {
    for (const name of ['ENTRYPOINT', 'CMD'])
      expect(all(name).map(({ text }) => text)).toEqual([expect.stringMatching(/\["iam|^\["serve"\]$/)]);
    const [{ text = '' } = {}] = all('HEALTHCHECK');
    expect(text).toContain('["iam", "server", "status", "--ready", "--local", "--quiet"]');
  });

  test('copies files that exist and that the ignore file includes', () => {
    const included = readSource('.dockerignore').split('\n');
    expect(included).toContain('*');
    const sources = all('COPY')
      .filter(({ from }) => from === undefined)
      .flatMap(({ args }) => args.slice(0, -1));
    expect(sources.filter((source) => !existsSync(path.join(root, source)))).toEqual([]);
    const tops = sources.map((source) => source.split('/')[0] ?? '').filter((top) => top !== '.');
    expect(tops.filter((top) => !included.includes(`!${top}`))).toEqual([]);
    expect(included.filter((line) => /^!(data\/?$|\.git|\*)/.test(line))).toEqual([]);
  });

  test('sets settings of the server, and those that it starts with', () => {
    expect(unknownVariables(Object.keys(environment))).toEqual([]);
    expect(readSettings({}, environment)).toMatchObject({ host: '0.0.0.0', allowRemote: true, data: '/data/store' });
    expect(all('EXPOSE').map(({ text }) => text)).toEqual([String(readSettings({}, environment).port)]);
  });
});

test('the development container has the Node of the Dockerfile, no root user, and the port of the service', () => {
  const container = JSON.parse(readSource('.devcontainer/devcontainer.json')) as Readonly<Record<string, unknown>>;
  const [{ args: [image = ''] = [] } = {}] = parseDockerfile(readSource('Dockerfile')).filter(
    ({ name }) => name === 'FROM',
  );
  expect(`${container.image}-slim`).toBe(image);
  expect(container).toMatchObject({ remoteUser: 'node', forwardPorts: [readSettings({}, {}).port] });
});

test.each(['compose.yaml', '.devcontainer/compose.yaml'].filter((file) => existsSync(path.join(root, file))))(
  '%s sets settings of the server, publishes to this machine only and pins its images',
  (file) => {
    const services = Object.values((parse(readSource(file)) as { services: Record<string, Service> }).services);
    expect(services.length).toBeGreaterThan(0);
    for (const { image = 'built:1', environment = {}, ports = [], volumes = [] } of services) {
      expect(image).toMatch(/:v?\d/);
      expect(ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
      const mounted = volumes.map((volume) => volume.split(':')[0] ?? '').filter((source) => source.startsWith('.'));
      expect(mounted.filter((source) => !existsSync(path.join(root, path.dirname(file), source)))).toEqual([]);
      const known = environment.IAM_URL === undefined ? environment : {};
      expect(unknownVariables(Object.keys(known))).toEqual([]);
      expect(() => readSettings({}, known)).not.toThrow();
    }
  },
);

test('the compose file of several servers reads its passwords from files, and checks each server on its own port', () => {
  const text = readSource('examples/replicas/compose.yaml');
  const { services, secrets } = parse(text, { merge: true }) as {
    services: Record<string, Service>;
    secrets: Record<string, { file: string }>;
  };
  const all = Object.values(services);
  for (const { image, environment = {}, secrets: mounted = [] } of all) {
    expect(image).toMatch(/:\d/);
    expect(unknownVariables(Object.keys(environment))).toEqual([]);
    const secretNames = Object.keys(environment).filter((name) => /(PASSWORD|DATABASE_URL)(_FILE)?$/.test(name));
    expect(secretNames.filter((name) => !name.endsWith('_FILE'))).toEqual([]);
    expect(secretNames.map((name) => environment[name])).toEqual(mounted.map((name) => `/run/secrets/${name}`));
    expect(mounted.filter((name) => secrets[name] === undefined)).toEqual([]);
  }
  const servers = all.filter(({ command }) => command?.includes(' serve '));
  expect(servers.length).toBe(3);
  const ports = servers.map(({ command }) => /--port (\d+)/.exec(command ?? '')?.[1] ?? '');
  expect(new Set(ports).size).toBe(3);
  const checked = servers.map(({ healthcheck }) => healthcheck?.test.slice(-3));
  expect(checked).toEqual(ports.map((port) => ['--ready', '--base-url', `http://127.0.0.1:${port}`]));
  const balanced = [...readSource('examples/replicas/haproxy.cfg').matchAll(/^ {2}server \w+ 127\.0\.0\.1:(\d+)/gm)];
  expect(balanced.map(([, port]) => port)).toEqual(ports);
});

test('the systemd unit sets settings of the server, and secrets only from files', () => {
  const lines = readSource('examples/systemd/iam.service').split('\n');
  const environment = lines.flatMap((line) => /^Environment=(.*)$/.exec(line)?.[1]?.split(' ') ?? []);
  const names = environment.map((pair) => pair.split('=')[0] ?? '');
  expect(names.filter((name) => name.startsWith('IAM_')).length).toBeGreaterThan(0);
  expect(environment).toContain(`IAM_SERVE_PORT=${readSettings({}, {}).port}`);
  expect(lines.find((line) => line.startsWith('ExecStartPost='))).toMatch(/:\$\{IAM_SERVE_PORT\}$/);
  expect(unknownVariables(names)).toEqual([]);
  expect(names.filter((name) => /(SECRET|PASSWORD|URL)$/.test(name))).toEqual([]);
  const flags = lines.flatMap((line) => (line.startsWith('ExecStart=') ? [...line.matchAll(/ --([\w-]+)/g)] : []));
  expect(flags.map(([, flag]) => flag).filter((flag) => !settings.some(({ name }) => name === flag))).toEqual([]);
});
