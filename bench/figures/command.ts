/** The time of commands beyond that of an empty process of the same Node. */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import type { BenchEnvironment } from '../environment.ts';
import { type Duration, type Figure, overheadFigure } from '../figure.ts';
import type { NodeBinary } from '../node-binary.ts';
import { measuredEnvironment, nodeOn, readChildCpuMs, root } from '../processes.ts';

const rounds = 15;
const firstRounds = 5;

const commands = [
  { args: ['--version'], atMost: 15 },
  { args: ['--help'], atMost: 60 },
  { args: ['groups', 'update', '--help'], atMost: 65 },
  { args: ['groups', 'list', '--limit', '100'], atMost: 110 },
];

/** The command whose first run is measured, with an empty compile cache. It loads the most code. */
const oneRequest = ['groups', 'list', '--limit', '100'];

type Variables = Readonly<Record<string, string>>;

/** Runs a command to completion. @returns how long it ran */
export function measureCommand([command, args]: [string, string[]], variables: Variables): Duration {
  const cpuBefore = readChildCpuMs();
  const startedAt = performance.now();
  const { status, stderr } = spawnSync(command, args, {
    cwd: root,
    env: measuredEnvironment(variables),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const duration = { wallMs: performance.now() - startedAt, cpuMs: readChildCpuMs() - cpuBefore };
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`);
  return duration;
}

/** Measures commands on the driver's core, as the server uses the other one. */
export async function commandFigures(bench: BenchEnvironment, nodes: readonly NodeBinary[]): Promise<Figure[]> {
  const { server, token } = await bench.server('small');
  await server.resume();
  const variables = { ...bench.environment, IAM_BASE_URL: `http://127.0.0.1:${server.port}`, IAM_TOKEN: token };
  const figures = commands.flatMap(({ args, atMost }) => {
    // The first run fills the compile cache.
    for (const node of nodes) measureCommand(iamCommand(node, args), variables);
    const measured = measureRounds(`iam ${args.join(' ')}`, { nodes, args, rounds, variables: () => variables });
    return measured.map((figure): Figure => ({ ...figure, target: { atMost } }));
  });
  const firstRuns = measureRounds(`iam ${oneRequest.join(' ')}, first run`, {
    nodes: nodes.filter(({ hasCompileCache }) => hasCompileCache),
    args: oneRequest,
    rounds: firstRounds,
    variables: () => ({ ...variables, XDG_CACHE_HOME: bench.emptyFolder() }),
  });
  return [...figures, ...firstRuns];
}

interface RoundsOptions {
  readonly nodes: readonly NodeBinary[];
  readonly args: readonly string[];
  readonly rounds: number;
  readonly variables: () => Variables;
}

/** Measures a command and its floor with each Node in turn. */
function measureRounds(name: string, { nodes, args, rounds, variables }: RoundsOptions): Figure[] {
  const measured = nodes.map((node) => ({ node, ours: [] as Duration[], floor: [] as Duration[] }));
  for (let round = 0; round < rounds; round += 1) {
    for (const { node, ours, floor } of measured) {
      const environment = variables();
      floor.push(measureCommand(nodeOn('driver', ['-e', '0'], node.path), environment));
      ours.push(measureCommand(iamCommand(node, args), environment));
    }
  }
  return measured.map(({ node, ours, floor }) => ({
    ...overheadFigure(name, ours, floor),
    node: node.version,
  }));
}

function iamCommand(node: NodeBinary, args: readonly string[]): [string, string[]] {
  return nodeOn('driver', [path.join(root, 'bin/iam.js'), ...args], node.path);
}
