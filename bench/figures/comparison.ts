/**
 * Other services beside this one, with the same kinds of requests and the same floor. Installs them into bench/comparison, in
 * the versions of the day in its .npmrc.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type BenchEnvironment, client, sizes } from '../environment.ts';
import type { Figure } from '../figure.ts';
import { groupNameOf } from '../names.ts';
import { root, ServerProcess } from '../processes.ts';
import { basic } from '../requests.ts';
import { requestKinds } from './request-kinds.ts';
import { createContender, throughput } from './throughput.ts';

const folder = path.join(root, 'bench/comparison');

interface OtherRequest {
  readonly path: string;
  readonly status: number;
  /** That of a POST, with its media type. */
  readonly content?: { readonly type: string; readonly body: string };
}

const group = (number: number) => ({ groupName: groupNameOf(number), roles: ['DEPLOY', 'ROLLBACK'] });
const grant = {
  path: '/token',
  status: 200,
  content: { type: 'application/x-www-form-urlencoded', body: 'grant_type=client_credentials' },
};
const newGroup = { type: 'application/json', body: JSON.stringify(group(0)) };

type ServiceName = 'oidc-provider' | 'oauth2-mock-server' | 'json-server';

/** By kind of request: what the other services are sent. */
const comparedKinds: Readonly<Record<string, readonly (readonly [ServiceName, OtherRequest])[]>> = {
  token: [
    ['oidc-provider', grant],
    ['oauth2-mock-server', grant],
  ],
  get: [['json-server', { path: '/groups/1', status: 200 }]],
  page: [['json-server', { path: '/groups?_page=1&_limit=100', status: 200 }]],
  'post-32': [['json-server', { path: '/groups', status: 201, content: newGroup }]],
};

export async function comparisonFigures(bench: BenchEnvironment): Promise<Figure[]> {
  if (!existsSync(path.join(folder, 'node_modules')))
    execFileSync('npm', ['install', '--no-workspaces'], { cwd: folder, stdio: ['ignore', 2, 2] });
  const services = await startServices(path.join(bench.emptyFolder(), 'db.json'));
  try {
    const figures: Figure[] = [];
    for (const kind of requestKinds.filter(({ name }) => comparedKinds[name] !== undefined)) {
      const others = (comparedKinds[kind.name] ?? []).map(([name, request]) =>
        createContender(`${kind.name}, ${name}`, services[name], {
          connections: kind.connections,
          load: { status: request.status, next: () => render(request) },
        }),
      );
      figures.push(...(await throughput(bench, { ...kind, sizes: ['small'] }, await Promise.all(others))));
    }
    return figures;
  } finally {
    await Promise.all(Object.values(services).map((service) => service.stop()));
  }
}

/** Starts the other services; json-server with as many groups as the small store. */
async function startServices(file: string): Promise<Readonly<Record<ServiceName, ServerProcess>>> {
  const rows = Array.from({ length: sizes.small }, (_, at) => ({ id: at + 1, ...group(at) }));
  writeFileSync(file, JSON.stringify({ groups: rows }));
  const environment = { NODE_ENV: 'production' };
  const start = (name: string, ...args: string[]) =>
    ServerProcess.start([path.join(folder, `${name}.mjs`), ...args], { environment });
  return {
    'oidc-provider': await start('oidc-provider'),
    'oauth2-mock-server': await start('oauth2-mock-server'),
    'json-server': await start('json-server', file),
  };
}

function render({ path: target, content }: OtherRequest): string {
  const head = `${content ? 'POST' : 'GET'} ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: application/json\r\n`;
  if (content === undefined) return `${head}\r\n`;
  const { type, body } = content;
  const authorization = basic('bench', client.secret);
  return `${head}Authorization: ${authorization}\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}
