/** `npm run torture` as a shell sees it; needs dist/ (npm run build). */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { expect, test } from 'vitest';
import { root } from './paths.ts';

/** For machines that others keep busy. */
const PATIENCE_MS = 120_000;

function runStress(...words: string[]) {
  return spawnSync(process.execPath, [path.join(root, 'dist/stress/main.js'), ...words], { encoding: 'utf8' });
}

test(
  'prints the seed first and a line for each suite, and ends with 0 where nothing is found',
  () => {
    const { status, stdout } = runStress('--only', 'replays', '--seed', '7', '--seconds', '5');
    const [first, second, last] = stdout.split('\n');
    expect(first).toMatch(/^seed 7, Node v/);
    expect(second).toMatch(/^replays +ok +[\d.]+ s {2}\d+ of \d+ places$/);
    expect(last).toBe('nothing found');
    expect(status).toBe(0);
  },
  PATIENCE_MS,
);

test(
  'ends with 1 and the command that shows it again where something is found',
  () => {
    const { status, stdout } = runStress(
      '--only',
      'simulator',
      '--seed',
      '1',
      '--count',
      '5',
      '--plant',
      'skip-datasync',
    );
    expect(stdout).toContain('again: npm run torture -- --only simulator --seed 1 --count 1 --plant skip-datasync');
    expect(status).toBe(1);
  },
  PATIENCE_MS,
);

test(
  'ends with 2 and how it is used where there is no such suite',
  () => {
    const { status, stderr } = runStress('--only', 'nothing');
    expect(stderr).toContain('there is no suite nothing');
    expect(stderr).toContain('usage: npm run torture');
    expect(status).toBe(2);
  },
  PATIENCE_MS,
);
