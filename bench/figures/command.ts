/** What commands cost as multiples of an empty process of Node. */
import { spawnSync } from 'node:child_process';
import module from 'node:module';
import path from 'node:path';
import type { BenchEnvironment } from '../environment.ts';
import { type Duration, type Figure, multipleFigure, overheadFigure } from '../figure.ts';
import { measuredEnvironment, nodeOn, readChildCpuMs, root } from '../processes.ts';

const rounds = 30;
const firstRounds = 5;

const commands = [
  { args: ['--version'], atMost: 1.2 },
  { args: ['--help'], atMost: 1.8 },
  { args: ['groups', 'update', '--help'], atMost: 1.8 },
  { args: ['groups', 'list', '--limit', '100'], atMost: 2.1 },
  // The name of a group, from the cache of names.
  { args: ['__complete', '--', 'groups', 'get', ''], atMost: 2 },
  // Bad usage.
  { args: ['groups', 'list', '--limt', '100'], status: 2 },
];

/** The command whose first run is measured, with an empty compile cache. It loads the most code. */
const oneRequest = ['groups', 'list', '--limit', '100'];

type Variables = Readonly<Record<string, string>>;

/** Runs a command to completion. @returns how long it ran */
export function measureCommand([command, args]: [string, string[]], variables: Variables, expected = 0): Duration {
  const cpuBefore = readChildCpuMs();
  const startedAt = performance.now();
  const { status, stderr } = spawnSync(command, args, {
    cwd: root,
    env: measuredEnvironment(variables),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const duration = { wallMs: performance.now() - startedAt, cpuMs: readChildCpuMs() - cpuBefore };
  if (status !== expected) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`);
  return duration;
}

/** Measures commands on the driver's core, as the server uses the other one. */
export async function commandFigures(bench: BenchEnvironment): Promise<Figure[]> {
  const { server, token } = await bench.server('small');
  server.resume();
  const variables = { ...bench.environment, IAM_BASE_URL: `http://127.0.0.1:${server.port}`, IAM_TOKEN: token };
  const figures = commands.map(({ args, atMost, status }): Figure => {
    // The first run fills the compile cache.
    measureCommand(iamCommand(args), variables, status);
    const { ours, floor } = measureRounds({ args, status, rounds, variables: () => variables });
    return multipleFigure(`iam ${args.join(' ')}`, ours, floor, atMost);
  });
  // Node has a compile cache since 22.8.
  if (!('enableCompileCache' in module)) return figures;
  const { ours, floor } = measureRounds({
    args: oneRequest,
    rounds: firstRounds,
    variables: () => ({ ...variables, XDG_CACHE_HOME: bench.emptyFolder() }),
  });
  return [...figures, overheadFigure(`iam ${oneRequest.join(' ')}, first run`, ours, floor)];
}

interface RoundsOptions {
  readonly args: readonly string[];
  /** The exit code. */
  readonly status?: number | undefined;
  readonly rounds: number;
  readonly variables: () => Variables;
}

/** Measures a command and its floor in turn. */
function measureRounds({ args, status, rounds, variables }: RoundsOptions): Record<'ours' | 'floor', Duration[]> {
  const [ours, floor]: [Duration[], Duration[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    const environment = variables();
    floor.push(measureCommand(nodeOn('driver', ['-e', '0']), environment));
    ours.push(measureCommand(iamCommand(args), environment, status));
  }
  return { ours, floor };
}

function iamCommand(args: readonly string[]): [string, string[]] {
  return nodeOn('driver', [path.join(root, 'bin/iam.js'), ...args]);
}
