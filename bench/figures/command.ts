/** The time of commands beyond that of an empty Node process. */
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { BenchEnvironment } from '../environment.ts';
import type { Figure } from '../figure.ts';
import { nodeOn, root } from '../processes.ts';
import { median } from '../statistics.ts';

const rounds = 15;

const commands = [
  { args: ['--version'], atMost: 15 },
  { args: ['--help'], atMost: 25 },
  { args: ['groups', 'list'], atMost: 90 },
];

/** Runs a command to completion. @returns the milliseconds. */
export function measureCommand(
  [command, args]: [string, string[]],
  environment: Readonly<Record<string, string>> = {},
): number {
  const startedAt = performance.now();
  const { status, stderr } = spawnSync(command, args, {
    cwd: root,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const milliseconds = performance.now() - startedAt;
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`);
  return milliseconds;
}

/** Measures commands on the driver's core, as the server uses the other one. */
export async function commandFigures(bench: BenchEnvironment): Promise<Figure[]> {
  const { server, token } = await bench.server('small');
  await server.resume();
  const environment = {
    IAM_BASE_URL: `http://127.0.0.1:${server.port}`,
    IAM_TOKEN: token,
    // Without the profile and the compile cache of the user.
    HOME: tmpdir(),
    XDG_CONFIG_HOME: path.join(tmpdir(), 'iam-bench-none'),
  };
  return commands.map(({ args, atMost }) => commandFigure(args, atMost, environment));
}

function commandFigure(args: string[], atMost: number, environment: Readonly<Record<string, string>>): Figure {
  const floorCommand = nodeOn('driver', ['-e', '0']);
  const ourCommand = nodeOn('driver', [path.join(root, 'bin/iam.js'), ...args]);
  const floors: number[] = [];
  const ours: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    floors.push(measureCommand(floorCommand, environment));
    ours.push(measureCommand(ourCommand, environment));
  }
  return {
    name: `iam ${args.join(' ')}`,
    ours: `${median(ours).toFixed(0)} ms`,
    floor: `${median(floors).toFixed(0)} ms`,
    result: median(ours.map((time, round) => time - (floors[round] ?? 0))),
    unit: 'ms',
    target: { atMost },
  };
}
